"""The suspects, and the cases: which box has which bug, the mended line, and what certify has to find."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from bug_detective import boxes


@dataclass(frozen=True, kw_only=True)
class Suspect:
    """A bug that a reader may name.

    `row` is a row of certify that it breaks, or "" if no row can see it. `cause` is what certify proves to be behind
    it, or "" where that is left open. `room` is its place in the museum.
    """

    title: str
    group: str
    wrong: str
    room: str = ""
    row: str = ""
    cause: str = ""


FUTURE, PADDING, SOFTMAX, REST = "the future", "the padding", "scores and softmax", "heads, axes, chance"

SUSPECTS = {
    "healthy": Suspect(
        title="It is healthy",
        group="",
        wrong="Nothing is wrong. It hides the future and the padding, and what is hidden changes nothing.",
    ),
    "open": Suspect(
        title="The future is open",
        group=FUTURE,
        wrong="No look-ahead mask is made, so every word sees all words, the later ones too.",
        room="star",
        row="no_future_leak",
        cause="future_not_hidden",
    ),
    "ahead": Suspect(
        title="The look-ahead mask begins one word too late",
        group=FUTURE,
        wrong="The mask begins on the second diagonal, so every word sees the next one.",
        room="leak",
        row="no_future_leak",
        cause="look_ahead_off_by_one",
    ),
    "itself": Suspect(
        title="The look-ahead mask hides a word from itself",
        group=FUTURE,
        wrong="The mask begins on the main diagonal, so no word sees itself, and the first sees nothing.",
        room="own-token",
        row="visible_keys_count",
        cause="own_token_hidden",
    ),
    "backwards": Suspect(
        title="The look-ahead mask is transposed",
        group=FUTURE,
        wrong="Rows and columns of the mask are swapped: a word sees itself and what comes later, and nothing before.",
        room="star",
        row="no_future_leak",
        cause="mask_transposed",
    ),
    "corner": Suspect(
        title="With fewer queries than keys, the first query stands on the first key",
        group=FUTURE,
        wrong="A single query stands for the last word. This mask takes it for the first, which sees only itself.",
        room="alignment",
        row="alignment",
        cause="upper_left",
    ),
    "lost": Suspect(
        title="The padding mask is lost",
        group=PADDING,
        wrong="The padding mask comes in, and nothing is done with it.",
        room="encoder",
        row="padding_invariance",
        cause="nothing_hidden",
    ),
    "pairs": Suspect(
        title="Padding is hidden only from padding",
        group=PADDING,
        wrong="A cell is hidden where query and key are both padding. The words see the padding.",
        room="only-from-padding",
        row="padding_invariance",
    ),
    "inverted": Suspect(
        title="The padding mask is the wrong way round",
        group=PADDING,
        wrong="A 1 in the padding mask is taken for a word: the words are hidden, and the padding is seen.",
        room="star",
        row="padding_invariance",
    ),
    "shared": Suspect(
        title="What is padding in one sentence is hidden in all",
        group=PADDING,
        wrong="A maximum is taken over the whole batch, so a sentence loses the words where another has padding.",
        room="batch",
        row="batch_independence",
    ),
    "nan": Suspect(
        title="NaN in the padding gets through",
        group=PADDING,
        wrong="The weight of the padding is 0, and 0 times NaN is NaN. A hidden value must not reach the sum at all.",
        room="nan",
        row="hidden_nan",
    ),
    "empty": Suspect(
        title="A query that may see nothing gets the mean of everything",
        group=PADDING,
        wrong="Where all scores of a row are the same large negative number, the softmax shares the weight equally.",
        room="empty",
        row="empty_query",
    ),
    "after": Suspect(
        title="The mask comes after the softmax",
        group=SOFTMAX,
        wrong="Hidden keys have weight 0 in the end, but the softmax divided by a sum in which they stand.",
        room="after-softmax",
        row="weights_sum_to_one",
        cause="mask_after_softmax",
    ),
    "queries": Suspect(
        title="The softmax runs over the queries",
        group=SOFTMAX,
        wrong="The weights of one key sum to 1, where those of one query should.",
        room="softmax",
        row="weights_sum_to_one",
        cause="softmax_over_queries",
    ),
    "soft": Suspect(
        title="The mask subtracts too little",
        group=SOFTMAX,
        wrong="Five is subtracted from a hidden score, so a hidden key keeps some weight.",
        room="soft",
        row="padding_invariance",
        cause="mask_too_soft",
    ),
    "cap": Suspect(
        title="The scores are capped after the mask",
        group=SOFTMAX,
        wrong="The cap lifts the large negative number of hidden keys to −5, so they keep some weight.",
        room="softcap",
        row="padding_invariance",
        cause="cap_after_mask",
    ),
    "infinity": Suspect(
        title="Minus infinity is multiplied by the mask",
        group=SOFTMAX,
        wrong="Minus infinity times 0 is NaN, so every score that is allowed becomes NaN.",
        room="infinity",
        row="finite_gradients",
        cause="infinity_times_zero",
    ),
    "root": Suspect(
        title="The scores are not divided by the root of d_k",
        group=SOFTMAX,
        wrong="The scores are so large that nearly all the weight goes to one word.",
        room="no-scale",
    ),
    "heads": Suspect(
        title="The heads are reshaped, and not transposed",
        group=REST,
        wrong="A reshape alone cuts the sentence into pieces, where each word should be cut into heads.",
        room="heads",
        row="no_future_leak",
        cause="heads_not_transposed",
    ),
    "swapped": Suspect(
        title="The batch is taken for the length",
        group=REST,
        wrong="Each word looks at the words in the same place of the other sentences, and at none of its own.",
        room="batch",
        row="batch_independence",
        cause="batch_and_length_swapped",
    ),
    "dropout": Suspect(
        title="Dropout is on at all times",
        group=REST,
        wrong="Weights are thrown away by chance, though nothing is being trained.",
        room="dropout",
        row="repeatable",
        cause="dropout_at_inference",
    ),
}


@dataclass(frozen=True)
class Case:
    """A box with its suspect. `mended` is the line that belongs in the place of the one marked as the bug.

    The numbers of its words are drawn from `seed`, and from its name, so that no two cases show the same ones.
    """

    box: Callable[..., object]
    suspect: str
    mended: str = ""
    seed: int = 0

    @property
    def name(self):
        return self.box.__name__.replace("_", "-")

    @property
    def code(self):
        return inspect.getsource(self.box).strip()

    @property
    def bug(self):
        """The line with the bug, or "" in a sound box."""
        return next((line.strip() for line in self.code.splitlines() if line.endswith("# the bug")), "")


MASK = "mask = blocked(q, k, padding)"
HIDDEN = "weights = tf.nn.softmax(hide(scores_of(q, k), mask))"
ZEROED = "weights = tf.where(mask == 1, 0.0, tf.nn.softmax(hide({}, mask)))"
LATER = "later = triangle(q, k, diagonal=1)"
ATTENDED = "return weights @ finite(v)"

CASES = [
    Case(boxes.one_function, "healthy"),
    Case(boxes.in_blocks, "healthy"),
    Case(boxes.softmax_by_hand, "healthy", seed=1),
    Case(boxes.no_look_ahead, "open", MASK),
    Case(boxes.one_step_ahead, "ahead", MASK),
    Case(boxes.without_itself, "itself", MASK),
    Case(boxes.backwards, "backwards", LATER),
    Case(boxes.first_on_first, "corner", LATER),
    Case(boxes.padding_lost, "lost", MASK),
    Case(boxes.padding_from_padding, "pairs", "hidden = padding[:, None, :]", seed=1),
    Case(boxes.padding_inverted, "inverted", MASK),
    Case(boxes.one_padding_for_all, "shared", MASK, seed=1),
    Case(boxes.nan_gets_through, "nan", ATTENDED),
    Case(boxes.mean_of_the_hidden, "empty", ZEROED.format("scores_of(q, k)")),
    Case(boxes.masked_after, "after", HIDDEN, seed=2),
    Case(boxes.over_queries, "queries", HIDDEN),
    Case(boxes.subtracts_five, "soft", ZEROED.format("scores_of(q, k)"), seed=6),
    Case(boxes.masked_then_capped, "cap", ZEROED.format("capped(scores_of(q, k))"), seed=5),
    Case(boxes.infinity_times_mask, "infinity", HIDDEN),
    Case(boxes.not_divided, "root", "scores = scores_of(q, k)"),
    Case(boxes.heads_reshaped, "heads", "q, k, v = (split_heads(t, 2) for t in (q, k, v))"),
    Case(boxes.heads_not_turned_back, "heads", "return merge_heads(output)"),
    Case(boxes.length_before_batch, "swapped", "order = (0, 1, 2)"),
    Case(boxes.drops_weights, "dropout", ATTENDED, seed=1),
]
