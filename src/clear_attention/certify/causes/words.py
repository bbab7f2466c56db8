"""Each cause in a sentence, and where the museum shows it."""

from __future__ import annotations

from typing import NamedTuple

MUSEUM = "guides/museum/"
SENTENCES = {  # name -> the cause in words, its room
    "dropout_at_inference": ("Dropout is active at inference", "dropout"),
    "infinity_times_zero": ("-inf is multiplied by a mask: -inf times 0 is NaN", "infinity"),
    "batch_and_length_swapped": ("Attention runs over the sentences of the batch, not over the tokens", "batch"),
    "batch_statistics": ("Statistics are taken over the whole batch", "batch"),
    "position_axes_swapped": ("No place has a position of its own: positions run along another axis", "position-axes"),
    "mask_lost_inside": ("A layer inside loses the mask", "warning"),
    "heads_not_transposed": ("The heads are reshaped and not transposed", "heads"),
    "additive_read_as_bool": ("An additive mask is read as True and False", "additive"),
    "mask_inverted": ("The mask is the wrong way round", "star"),
    "mask_transposed": ("The mask is transposed: its rows are read as keys", "axes"),
    "padding_hidden_only_from_padding": ("Padding is hidden only from padding", "only-from-padding"),
    "padding_of_queries": ("The padding hides queries and not keys", "axes"),
    "own_token_hidden": ("A token does not see itself: the look-ahead mask is off by one", "own-token"),
    "softmax_over_queries": ("The softmax runs over the queries", "softmax"),
    "mask_after_softmax": ("The mask is applied after the softmax, or after what takes its place", "after-softmax"),
    "cap_after_mask": ("The scores are capped after the mask, which lifts hidden keys again", "softcap"),
    "mask_too_soft": ("The mask subtracts too little: hidden keys keep some weight", "soft"),
    "look_ahead_off_by_one": ("The look-ahead mask is off by one", "leak"),
    "nothing_hidden": ("The mask hides nothing: it does not reach the scores", "encoder"),
    "future_not_hidden": ("The future is open: every query sees every key", "star"),
    "runs_backwards": ("It runs backwards: each place sees what is later, and nothing before it", "star"),
    "upper_left": ("The first query stands on the first key, and not the last on the last", "alignment"),
    "positions_undeclared": ("It tells places apart, and nobody said so: say positions=True", "heads"),
}


class Cause(NamedTuple):
    """Name what is behind a broken promise.

    Attributes:
        name: stable, for code, such as `"mask_after_softmax"`.
        evidence: what the experiment saw that proves it.

    Examples:
        >>> import keras
        >>> from clear_attention import certify
        >>> leaky = lambda x: keras.ops.softmax(x @ keras.ops.swapaxes(x, 1, 2)) @ x
        >>> certify(leaky, causal=True, only=["no_future_leak"]).cause.name
        'future_not_hidden'
    """

    name: str
    evidence: str = ""

    @property
    def sentence(self) -> str:
        """The cause in words."""
        return SENTENCES[self.name][0]

    @property
    def link(self) -> str:
        """Where the museum of bugs shows it, from the root of the site."""
        return f"{MUSEUM}#{SENTENCES[self.name][1]}"
