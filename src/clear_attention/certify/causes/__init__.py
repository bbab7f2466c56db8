"""What is behind a broken promise: cheap experiments, each of which proves one cause or rules it out."""

# Each experiment returns its evidence, False if it rules the cause out, or None if it can't tell. The rooms:
#
#     words         each cause in a sentence, and its room in the museum
#     tools         what the experiments measure
#     masks         how a mask is read
#     ahead         the look-ahead mask
#     softmax       before and after the softmax
#     heads         how heads are taken apart
#     others        numbers, batches, positions, layers inside

from __future__ import annotations

from clear_attention.certify.causes import ahead, heads, masks, others, softmax
from clear_attention.certify.causes.words import SENTENCES, Cause

__all__ = ["SENTENCES", "Cause", "find", "rows_of"]

EXPERIMENTS = {  # in this order: one that proves something hides what comes after it
    "dropout_at_inference": others.dropout_at_inference,
    "infinity_times_zero": others.infinity_times_zero,
    "batch_and_length_swapped": others.batch_and_length_swapped,
    "batch_statistics": others.batch_statistics,
    "mask_lost_inside": others.mask_lost_inside,
    "heads_not_transposed": heads.heads_not_transposed,
    "additive_read_as_bool": masks.additive_read_as_bool,
    "mask_inverted": masks.mask_inverted,
    "mask_transposed": masks.mask_transposed,
    "padding_hidden_only_from_padding": masks.padding_hidden_only_from_padding,
    "padding_of_queries": masks.padding_of_queries,
    "own_token_hidden": ahead.own_token_hidden,
    "softmax_over_queries": softmax.softmax_over_queries,
    "mask_after_softmax": softmax.mask_after_softmax,
    "cap_after_mask": softmax.cap_after_mask,
    "mask_too_soft": softmax.mask_too_soft,
    "look_ahead_off_by_one": ahead.look_ahead_off_by_one,
    "nothing_hidden": ahead.nothing_hidden,
    "future_not_hidden": ahead.future_not_hidden,
    "runs_backwards": ahead.runs_backwards,
    "upper_left": ahead.upper_left,
    "position_axes_swapped": others.position_axes_swapped,
    "positions_undeclared": others.positions_undeclared,
}
WHERE = {  # the rows that a cause breaks: it is looked for if one of them is broken
    "infinity_times_zero": {"finite_gradients"},
    "batch_and_length_swapped": {"batch_independence"},
    "batch_statistics": {"batch_independence"},
    "position_axes_swapped": {"batch_independence", "positions"},
    "mask_lost_inside": {"padding_invariance"},
    "padding_hidden_only_from_padding": {"padding_invariance"},
    "padding_of_queries": {"padding_invariance"},
    "upper_left": {"alignment"},
    "positions_undeclared": {"key_permutation"},
    "own_token_hidden": {"visible_keys_count", "no_future_leak", "finite_gradients"},
    "look_ahead_off_by_one": {"no_future_leak"},
    "future_not_hidden": {"no_future_leak"},
    "runs_backwards": {"no_future_leak"},
    "softmax_over_queries": {
        "no_future_leak",
        "padding_invariance",
        "weights_sum_to_one",
        "visible_keys_count",
        "finite_gradients",
    },
    "heads_not_transposed": {
        "no_future_leak",
        "padding_invariance",
        "key_permutation",
        "visible_keys_count",
        "alignment",
        "lengths",
    },
}
MASKS = {"no_future_leak", "padding_invariance", "visible_keys_count", "weights_sum_to_one"}


def rows_of(name):
    """Return the names of the rows that a cause breaks."""
    return ("repeatable",) if name == "dropout_at_inference" else tuple(sorted(WHERE.get(name, MASKS)))


def find(subject, broken):
    """Return the first cause that an experiment proves, or None, and the names of those that were ruled out."""
    ruled_out = []
    for name, experiment in EXPERIMENTS.items():
        if name != "dropout_at_inference" and not broken & WHERE.get(name, MASKS):
            continue
        try:
            evidence = experiment(subject)
        except Exception:  # an experiment calls the layer in ways that it may refuse
            continue
        if evidence:
            return Cause(name, evidence if isinstance(evidence, str) else ""), ()
        if evidence is not None:
            ruled_out.append(name)
    return None, tuple(ruled_out)
