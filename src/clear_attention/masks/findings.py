"""What `describe_mask` looks for in a mask."""

from __future__ import annotations

import numpy as np

from clear_attention._checks import masks, options
from clear_attention._types import Labels, TensorLike
from clear_attention.masks.report import Finding, MaskReport

PADDING_TOKENS = {"", "[pad]", "<pad>", "pad", "<|pad|>", "<|endoftext|>"}


def describe_mask(mask: TensorLike, tokens: Labels | None = None) -> MaskReport:
    """Draw a mask with its tokens, and say in plain words what it does.

    It never refuses the values of a mask: other conventions are recognised and named. Found are:

    | name | meaning |
    | --- | --- |
    | `causal`, `causal_upper_left` | no query sees a later key; the same with the first query on the first key |
    | `padding` | keys blocked for every query |
    | `padding_visible` | a token such as `[PAD]` is not hidden from every query |
    | `prefix`, `window` | as `create_prefix_mask` and `create_window_mask` make them |
    | `first_keys`, `documents` | a window beside the first keys; several documents in one row |
    | `future_visible`, `empty_rows` | cells where a query sees a later key; queries with no key left |
    | `own_hidden` | no query sees its own token, as if a look-ahead mask were off by one |
    | `looks_inverted`, `not_binary` | blocks what others show; holds values other than 0 and 1 |
    | `ambiguous_shape` | could be read in two ways, such as `(batch, keys)` as `(queries, keys)` |
    | `blocks_everything`, `blocks_nothing` | holds only 1, only 0 |

    Args:
        mask: `(query_length, key_length)`, or with leading axes; bool, integers or floats.
        tokens: `key_length` labels; positions when left out.

    Returns:
        A [`MaskReport`][clear_attention.MaskReport]: print it, or ask it by name.

    Raises:
        TypeError: the mask is not made of numbers or bools, or `tokens` are no list.
        ValueError: the mask has fewer than two axes or an axis of length 0, or there are too few or too many tokens.

    Examples:
        >>> from clear_attention import create_look_ahead_mask, describe_mask
        >>> print(describe_mask(create_look_ahead_mask(3), tokens=["the", "cat", "sat"]))
        query \\ key the cat sat
        the           .   #   #
        cat           .   .   #
        sat           .   .   .
        <BLANKLINE>
        causal: no query sees a later key; the last query stands on the last key.
    """
    values = masks.mask_to_describe(mask)
    if tokens is not None:
        options.one_label_each("tokens", tokens, "key", values.shape[-1])
    return read(values, tokens)


def read(values, tokens):
    """Describe a mask given as a NumPy array of at least two axes."""
    if tokens is not None:
        tokens = [token.decode(errors="replace") if isinstance(token, bytes) else str(token) for token in tokens]
    unclear = None if values.dtype == bool or looks_additive(values) else (values != 0) & (values != 1)
    return MaskReport(blocked_in(values), tokens, findings(values, tokens), unclear)


def findings(values, tokens):
    """Yield every finding: about its values, its shape, its rows, its pattern."""
    binary = values.dtype == bool or bool(((values == 0) | (values == 1)).all())
    if not binary:
        yield about_values(values)
        if not looks_additive(values):
            return  # nobody knows what it means
    blocked = blocked_in(values)
    if blocked.all() or not blocked.any():
        every = "every query sees every key."
        if blocked.all():
            every = "no query sees any key; to Keras and Hugging Face 1 everywhere means the opposite."
        yield Finding("blocks_everything" if blocked.all() else "blocks_nothing", every)
    pad = padding_in(tokens)
    yield from about_shape(blocked, pad)
    empty = blocked.all(axis=-1)
    if empty.any():
        where = indices(empty)
        words = f"{count(where, 'query', 'queries')} with no key left: weights 0 here, NaN or a mean elsewhere."
        yield Finding("empty_rows", words, where)
    if not blocked.all():
        yield from about_pattern(blocked, tokens, pad)


def blocked_in(values):
    """Read additive masks too, so that the rest can still be described."""
    return values < 0 if looks_additive(values) else values.astype(bool)


def looks_additive(values):
    return values.dtype != bool and (values <= -100).any() and ((values == 0) | (values <= -100)).all()


def about_values(values):
    strange = (values != 0) & (values != 1)
    found = ", ".join(f"{v:g}" for v in np.unique(values[strange])[:3])
    mend = "convert_mask knows other rules"
    if np.isnan(values).any():
        mend = "NaN hides nothing and spoils everything; 0 * -inf is NaN"
    if looks_additive(values):
        mend = "it is additive: convert_mask(mask, source='additive', target='blocked')"
    return Finding("not_binary", f"it holds {found}; {mend}.", indices(strange))


def padding_in(tokens):
    """Return the places of tokens that are called padding."""
    return [] if tokens is None else [i for i, t in enumerate(tokens) if t.strip().lower() in PADDING_TOKENS]


def about_shape(blocked, pad):
    shape, words = blocked.shape, ""
    if blocked.ndim == 3 and shape[0] > 1:
        words = f"the first of three axes, {shape[0]}, could be the batch or the heads: add an axis of length 1."
    elif pad and np.array_equal(np.flatnonzero(blocked.all(axis=tuple(range(blocked.ndim - 1)))), pad):
        pass  # what is hidden from every query is what is called padding: the tokens are the keys
    elif blocked.ndim == 2 and padded_rows(blocked) and shape[0] == 1:
        words = (
            "its one row could be one query (and which key does it stand on?), or the padding of one sentence, "
            "(batch, keys): then it should be mask[:, None, None, :]."
        )
    elif blocked.ndim == 2 and padded_rows(blocked) and not drawn_on_purpose(blocked):
        words = (
            f"it is read as (queries, keys) = {shape}, but its rows look like padding of (batch, keys): then it should "
            "be mask[:, None, None, :], and 1 may mean a real token there."
        )
    if words:
        yield Finding("ambiguous_shape", words)


def padded_rows(blocked):
    """Tell whether all rows are real tokens and then padding, or all the other way round, as rows of a batch are."""
    steps = np.diff(blocked.astype(int), axis=-1)
    at_one_end = (steps >= 0).all() or (steps <= 0).all()
    return bool(at_one_end and (np.abs(steps).sum(axis=-1) <= 1).all() and steps.any())


def stairs(blocked):
    """Tell whether a mask is a square staircase: a look-ahead mask, right, off by one, or inverted."""
    counts, ends = blocked.sum(axis=-1), blocked[:, -1] | ~blocked.any(axis=-1)
    steps = np.diff(counts)[np.diff(counts) != 0]
    downwards = ends.all() and (steps == -1).all()
    upwards = (blocked[:, 0] | ~blocked.any(axis=-1)).all() and (steps == 1).all()
    return blocked.shape[0] == blocked.shape[1] and len(steps) > 1 and bool(downwards or upwards)


def drawn_on_purpose(blocked):
    """Tell whether a mask follows a pattern exactly; padding may hide all later keys by chance."""
    keys = ~blocked.all(axis=0)
    if stairs(blocked):
        return True
    names = structure(blocked) - ({"causal"} if blocked.shape[0] == blocked.shape[1] else {"causal", "own_hidden"})
    return bool(names) or np.array_equal(blocked[:, keys], future(*blocked.shape)[:, keys])


def about_pattern(blocked, tokens, pad):
    rows, keys = blocked.shape[-2:]
    for_any_query = rows == 1 and blocked.ndim > 2
    matrices = [] if for_any_query or keys == 1 else [m for m in blocked.reshape(-1, rows, keys) if not m.all()]
    names = set.intersection(*(structure(matrix) for matrix in matrices)) if matrices else set()
    inverted = None if names else inversion(blocked, tokens, for_any_query)
    if inverted:
        words = f"{inverted}: convert_mask(mask, source='keras', target='blocked') turns 0 and 1 round. "
        yield Finding("looks_inverted", words + both_readings(matrices, blocked))
        return
    columns = blocked.all(axis=-2)
    if "causal_upper_left" in names:
        columns = columns & (np.arange(keys) < rows)  # the others are never reached
    if "own_hidden" in names:
        columns = columns & (np.arange(keys) < keys - 1)
    if columns.any():
        where = indices(columns)
        sentences = f" of {len({w[:-1] for w in where})} sentences" if blocked.ndim > 2 and len(columns) > 1 else ""
        verb = "is" if len(where) == 1 else "are"
        yield Finding("padding", f"{count(where, 'key', 'keys')}{sentences} {verb} blocked for every query.", where)
    shown = [i for i in pad if not blocked[..., i].all()]
    if shown and len(pad) < keys:
        where = tuple((i,) for i in shown)
        yield Finding(
            "padding_visible", f"{count(where, 'padding token', 'padding tokens')} not hidden from all.", where
        )
    if not matrices:
        return
    yield from (Finding(name, SENTENCES[name]) for name in SENTENCES if name in names)
    visible = future(rows, keys) & ~blocked
    if visible.any():
        where = indices(visible)
        words = f"{count(where, 'cell', 'cells')} in which a query sees a later key, the first at {where[0]}: "
        yield Finding("future_visible", words + "right in an encoder, a leak in a decoder.", where)


SENTENCES = {
    "causal": "no query sees a later key; the last query stands on the last key.",
    "causal_upper_left": "triangular, with the first query on the first key, not the last on the last.",
    "prefix": "every query sees a prefix, and beyond it no later key.",
    "window": "a query sees only keys near its own position.",
    "first_keys": "a query sees only keys near its own position, and the first keys of all.",
    "documents": "a query sees only its own document, of several in the row.",
    "own_hidden": "no query sees its own token, as if a look-ahead mask were off by one.",
}


def structure(matrix):
    """Name the patterns that a matrix follows, apart from padded keys and empty queries."""
    rows, keys = matrix.shape
    real = np.ix_(~matrix.all(axis=1), ~matrix.all(axis=0))
    cells, later = matrix[real], future(rows, keys)[real]
    distance = (np.arange(keys) - np.arange(rows)[:, None] - (keys - rows))[real]
    names = set()
    upper_left = (np.arange(keys) > np.arange(rows)[:, None])[real]
    if rows != keys and np.array_equal(cells, upper_left) and cells.any():
        names.add("causal_upper_left")
    elif future(rows, keys).any() and matrix[future(rows, keys)].all():
        names.add("causal")
        if len(cells) > 1 and cells[distance == 0].all() and (distance == 0).any():
            names.add("own_hidden")
    elif later.any():
        beyond = np.arange(cells.shape[1]) >= np.argmax(cells.any(axis=0))  # the first key that is not in all sight
        if cells.any() and np.array_equal(cells, later & beyond):
            names.add("prefix")
    if is_window(cells, later, distance):
        names.add("window")
    else:
        first = int(np.argmin([*(~cells | later).all(axis=0), False]))  # so many keys are in all sight
        if first and is_window(cells[:, first:], later[:, first:], distance[:, first:]):
            names.add("first_keys")
    if rows == keys and are_documents(cells, later, distance):
        names.add("documents")
    return names


def is_window(cells, later, distance):
    """Tell whether just the cells beyond some distance are blocked, or these and the later ones."""
    seen = np.abs(distance[~cells & ~later])
    far = np.abs(distance) > seen.max(initial=-1)
    drawn = seen.size and (far & ~later).any()
    return bool(drawn and (np.array_equal(cells, far) or np.array_equal(cells, far | later)))


def are_documents(cells, later, distance):
    """Tell whether tokens see just those of their own stretch: a new one begins where a token does not see the last."""
    if cells.shape[0] != cells.shape[1] or (np.diagonal(distance) != 0).any():
        return False
    begins = [False, *np.diagonal(cells, offset=-1)]
    number = np.cumsum(begins)
    others = number[:, None] != number
    several = 0 < number[-1] < len(number) - 1  # a token alone in each is a window
    return bool(several and (np.array_equal(cells, others) or np.array_equal(cells, others | later)))


def both_readings(matrices, blocked):
    """Say what a mask hides if a 1 blocks, and what if a 1 may be attended to."""
    hidden, turned = int(blocked.sum()), [~matrix for matrix in matrices if matrix.any()]
    names = set.intersection(*(structure(matrix) for matrix in turned)) if turned else set()
    found = "; ".join(SENTENCES[name].rstrip(".") for name in SENTENCES if name in names)
    words = f"If 1 blocks, {hidden} of {blocked.size} cells are hidden"
    words += f"; if 1 may be attended to, {blocked.size - hidden}"
    return f"{words}: {found}." if found else f"{words}."


def inversion(blocked, tokens, for_any_query):
    """Say why a mask seems to mean the opposite, or nothing."""
    rows, keys = blocked.shape[-2:]
    if tokens is not None and len(tokens) == keys:
        pad = np.array([token.strip().lower() in PADDING_TOKENS for token in tokens])
        columns = blocked.all(axis=tuple(range(blocked.ndim - 1)))
        if pad.any() and not pad.all() and columns[~pad].all() and not columns[pad].any():
            return "it blocks the real tokens and shows the padding"
    if for_any_query:
        sentences = blocked.reshape(-1, keys)
        if len(sentences) > 1 and sentences[:, 0].all() and padded_rows(sentences) and sentences.mean() > 0.5:
            return "it blocks the first tokens of every sentence, and most of all tokens"
        return None
    later = future(rows, keys)
    if rows > 1 and later.any() and blocked[..., ~later].all():
        return "it blocks the past and shows the future"
    opposites = [~matrix for matrix in blocked.reshape(-1, rows, keys) if not matrix.all()]
    if rows > 1 and all(structure(m) and not m.all() for m in opposites):
        return "turned round it is a mask that people use"
    own = np.arange(keys) == np.arange(rows)[:, None] + keys - rows
    if rows > 1 and blocked[..., own].all():
        return "no query sees its own token"
    return None


def future(rows, keys):
    return np.arange(keys) > np.arange(rows)[:, None] + keys - rows


def indices(condition):
    return tuple(tuple(int(i) for i in index) for index in np.argwhere(condition))


def count(where, one, many):
    return f"{len(where)} {one if len(where) == 1 else many}"
