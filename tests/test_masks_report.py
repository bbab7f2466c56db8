"""The mask reader: what it finds in every kind of mask, where, how it draws it, and what it refuses."""

import numpy as np
import pytest
import tensorflow as tf

from clear_attention import (
    combine_masks,
    convert_mask,
    create_document_mask,
    create_look_ahead_mask,
    create_padding_mask,
    create_prefix_mask,
    create_window_mask,
    describe_mask,
)

CAUSAL = create_look_ahead_mask(4).numpy()
PADDING = create_padding_mask([[5, 6, 0, 0], [5, 6, 7, 0], [5, 0, 0, 0]]).numpy()
MOSTLY_REAL = create_padding_mask([[5, 6, 7, 0], [5, 6, 0, 0]]).numpy()
LEFT = create_padding_mask([[0, 6, 7, 8]]).numpy()
WINDOW = create_window_mask(5, 2).numpy()
DOCUMENTS = create_document_mask([[1, 1, 1, 2, 2, 3]])[0, 0].numpy()
PREFIX = create_prefix_mask(5, 2).numpy()
SMALL = np.finfo("float32").min
FOUND = {
    "look-ahead": (CAUSAL, ["causal"]),
    "look-ahead, rectangular": (create_look_ahead_mask(2, 5), ["causal"]),
    "look-ahead, one query": (create_look_ahead_mask(1, 5), ["blocks_nothing"]),
    "upper left, fewer queries": (np.triu(np.ones((2, 5)), 1), ["causal_upper_left"]),
    "upper left, more queries": (np.triu(np.ones((5, 3)), 1), ["causal_upper_left", "future_visible"]),
    "one too few": (np.triu(np.ones((4, 4)), 2), ["future_visible"]),
    "one too many": (np.triu(np.ones((4, 4))), ["empty_rows", "causal", "own_hidden"]),
    "padding": (PADDING, ["padding"]),
    "padding for each query": (np.repeat(PADDING, 4, axis=2), ["padding", "future_visible"]),
    "padding and look-ahead": (combine_masks(PADDING, CAUSAL), ["padding", "causal"]),
    "left padding and look-ahead": (combine_masks(LEFT, CAUSAL), ["empty_rows", "padding", "causal"]),
    "prefix": (PREFIX, ["prefix", "future_visible"]),
    "window": (WINDOW, ["window", "future_visible"]),
    "sliding window": (combine_masks(WINDOW, create_look_ahead_mask(5)), ["causal", "window"]),
    "the diagonal": (1 - np.eye(4), ["causal", "window"]),
    "window beside first keys": (create_window_mask(6, 2, first_keys=1).numpy(), ["first_keys", "future_visible"]),
    "sliding window beside first keys": (
        combine_masks(create_window_mask(7, 2, first_keys=2), create_look_ahead_mask(7)),
        ["causal", "first_keys"],
    ),
    "documents": (DOCUMENTS, ["documents", "future_visible"]),
    "causal documents": (combine_masks(DOCUMENTS, create_look_ahead_mask(6)), ["causal", "documents"]),
    "documents, inverted": (1 - DOCUMENTS, ["looks_inverted"]),
    "look-ahead, inverted": (1 - CAUSAL, ["empty_rows", "looks_inverted"]),
    "look-ahead of Keras": (convert_mask(CAUSAL, "blocked", "keras"), ["empty_rows", "looks_inverted"]),
    "window, inverted": (1 - WINDOW, ["looks_inverted"]),
    "prefix, inverted": (1 - PREFIX, ["empty_rows", "looks_inverted"]),
    "padding, inverted": (1 - MOSTLY_REAL, ["looks_inverted"]),
    "padding on the left": (create_padding_mask([[0, 0, 5, 6], [0, 4, 5, 6]]), ["padding"]),
    "padding and look-ahead, inverted": (1 - combine_masks(MOSTLY_REAL, CAUSAL), ["looks_inverted"]),
    "sliding window, inverted": (1 - combine_masks(WINDOW, create_look_ahead_mask(5)), ["looks_inverted"]),
    "packed sentences": (1 - np.kron(np.eye(2), np.ones((3, 3))), ["documents", "future_visible"]),
    "a batch of two": ([[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]], ["ambiguous_shape"]),
    "one row": ([[0, 1, 1, 1]], ["ambiguous_shape"]),
    "0 * -inf": (np.where(CAUSAL, -np.inf, np.nan), ["not_binary"]),
    "Hugging Face": ([[1, 1, 1, 0, 0], [1, 1, 1, 1, 0], [1, 0, 0, 0, 0]], ["ambiguous_shape"]),
    "padding without its axes": (PADDING[:, 0, 0], ["ambiguous_shape"]),
    "sentences sorted by length": ([[1, 1, 1, 1, 0], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]], ["ambiguous_shape"]),
    "ours, sorted by length": ([[0, 0, 0, 0, 1], [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]], ["ambiguous_shape"]),
    "three axes": (np.stack([CAUSAL] * 2), ["ambiguous_shape", "causal"]),
    "three axes, the first 1": (CAUSAL[None], ["causal"]),
    "heads": (np.stack([CAUSAL, 0 * CAUSAL])[None], ["future_visible"]),
    "-1e9": (CAUSAL * -1e9, ["not_binary", "causal"]),
    "-inf": (np.where(CAUSAL, -np.inf, 0), ["not_binary", "causal"]),
    "the smallest number": (np.where(CAUSAL, SMALL, 0), ["not_binary", "causal"]),
    "halves": (np.full((3, 3), 0.5), ["not_binary"]),
    "NaN": (np.full((3, 3), np.nan), ["not_binary"]),
    "lengths": ([[2, 3], [1, 4]], ["not_binary"]),
    "all 1": (np.ones((3, 3)), ["blocks_everything", "empty_rows"]),
    "all 0": (np.zeros((3, 3)), ["blocks_nothing", "future_visible"]),
    "one cell": ([[0]], ["blocks_nothing"]),
    "an empty sentence": (create_padding_mask([[0, 0], [3, 0]]), ["empty_rows", "padding"]),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_is_found(name):
    mask, names = FOUND[name]
    report = describe_mask(mask)
    missing = [n for n in names if n not in report]
    assert not missing, report.names
    if names != ["ambiguous_shape"]:  # such a mask is described as what it would be read as too
        assert list(report.names) == names


@pytest.mark.parametrize("name", FOUND)
@pytest.mark.parametrize("kind", [bool, "int64", "float16", tf.constant])
def test_the_dtype_does_not_matter(name, kind):
    mask, _ = FOUND[name]
    mask = np.asarray(mask)
    if not np.isin(mask, [0, 1]).all():
        return
    other = kind(mask) if callable(kind) and kind is not bool else mask.astype(kind)
    assert describe_mask(other).names == describe_mask(mask).names


def test_where_it_is():
    report = describe_mask(np.triu(np.ones((4, 4)), 2))
    assert report["future_visible"].where == ((0, 1), (1, 2), (2, 3))
    assert "3 cells" in report["future_visible"].sentence
    report = describe_mask(combine_masks(LEFT, CAUSAL))
    assert report["empty_rows"].where == ((0, 0, 0),)
    assert report["padding"].where == ((0, 0, 0),)
    assert "1 key is blocked" in report["padding"].sentence
    assert "6 keys of 3 sentences are blocked" in describe_mask(PADDING)["padding"].sentence
    assert describe_mask(PADDING)["padding"].where[:2] == ((0, 0, 2), (0, 0, 3))
    assert describe_mask([[0, 0.5]])["not_binary"].where == ((0, 1),)
    assert describe_mask(CAUSAL)["causal"].where == ()


def test_tokens_called_padding_say_what_the_rows_are():
    mask, tokens = [[0, 0, 0, 1]] * 4, ["the", "cat", "sat", "<pad>"]
    for labels, is_unclear in ((tokens, False), (None, True), (["the", "cat", "<pad>", "<pad>"], True)):
        names = [finding.name for finding in describe_mask(mask, labels).findings]
        assert ("ambiguous_shape" in names) == is_unclear
        assert "padding" in names


def test_the_sentences_say_what_to_do():
    assert "source='additive'" in describe_mask(CAUSAL * -1e9)["not_binary"].sentence
    assert "it holds -1e+09" in describe_mask(CAUSAL * -1e9)["not_binary"].sentence
    assert "source='keras'" in describe_mask(1 - CAUSAL)["looks_inverted"].sentence
    assert "mask[:, None, None, :]" in describe_mask(PADDING[:, 0, 0])["ambiguous_shape"].sentence
    assert "batch or the heads" in describe_mask(np.stack([CAUSAL] * 2))["ambiguous_shape"].sentence


def test_tokens_tell_padding_apart():
    tokens = ["the", "cat", "[PAD]", "[PAD]"]
    right = create_padding_mask([[5, 6, 0, 0]])
    assert "looks_inverted" not in describe_mask(right, tokens)
    assert "shows the padding" in describe_mask(1 - right, tokens)["looks_inverted"].sentence
    assert describe_mask(1 - right).names == ("padding",)  # without tokens it could be padding on the left


def test_the_drawing_has_the_tokens_and_the_last_queries():
    text = str(describe_mask(create_look_ahead_mask(2, 4), tokens=["a", "bb", "c", "d"]))
    assert text.splitlines()[:3] == ["query \\ key a bb c d", "c           .  . . #", "d           .  . . ."]
    text = str(describe_mask(PADDING))
    assert text.startswith("matrix 0, 0:\nquery \\ key 0 1 2 3\nany query   . . # #\n")
    assert "matrix 2, 0" in text


def test_more_queries_than_keys_are_all_drawn():
    text = str(describe_mask(create_look_ahead_mask(5, 3)))
    assert [line.split()[0] for line in text.splitlines()[1:6]] == ["0", "1", "2", "3", "4"]


def test_what_nobody_can_read_is_drawn_as_a_question():
    assert "0           . ?" in str(describe_mask([[0, 0.5], [1, 0]]))
    assert ">?</td>" in describe_mask([[0, 0.5], [1, 0]])._repr_html_()
    assert "?" not in str(describe_mask(CAUSAL * -1e9))
    assert "0 * -inf" in describe_mask([[0, np.nan]])["not_binary"].sentence


def test_tokens_come_in_every_form():
    for tokens in (np.array(["a", "b", "c", "d"]), ("a", "b", "c", "d"), [b"a", b"b", b"c", b"d"]):
        assert "query \\ key a b c d" in str(describe_mask(CAUSAL, tokens))
    assert "\\n" in str(describe_mask(CAUSAL, ["a\n", "b", "c", "d"]))


def test_padding_that_is_seen_is_named():
    report = describe_mask(CAUSAL, ["the", "cat", "[PAD]", "[PAD]"])
    assert report["padding_visible"].where == ((2,), (3,))
    padded = combine_masks(create_padding_mask([[5, 6, 0, 0]]), CAUSAL)
    assert "padding_visible" not in describe_mask(padded, ["the", "cat", "[PAD]", "[PAD]"])


def test_a_large_mask_takes_no_time():
    report = describe_mask(create_look_ahead_mask(2000))  # a search through all windows would take a minute
    assert report.names == ("causal",)


def test_large_masks_are_cut_and_said_to_be():
    text = str(describe_mask(create_look_ahead_mask(50)))
    assert len(text.splitlines()) < 25
    assert text.count("...") >= 2
    assert "and 5 more matrices" in str(describe_mask(np.zeros((8, 1, 2, 2))))
    assert "causal" in text


def test_html_is_escaped_and_accessible():
    page = describe_mask(CAUSAL, tokens=["<b>", "&", "x", "y"])._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "&amp;" in page
    assert page.count("aria-label='blocked'") == 6
    assert "scope='col'" in page
    assert "scope='row'" in page
    assert "<caption>" in page
    assert "<code>causal</code>" in page


def test_a_report_is_asked_by_name():
    report = describe_mask(CAUSAL)
    assert "causal" in report
    assert report["causal"].name == "causal"
    np.testing.assert_array_equal(report.mask, CAUSAL == 1)
    with pytest.raises(KeyError, match="'window' was not found"):
        report["window"]


@pytest.mark.parametrize(
    ("mask", "tokens", "error", "words"),
    [
        ("causal", None, TypeError, "'causal'"),
        (None, None, TypeError, "None"),
        ([0, 1], None, ValueError, "at least two axes.*\\(2,\\)"),
        (np.zeros((0, 3)), None, ValueError, "length 0.*\\(0, 3\\)"),
        (CAUSAL, ["a"], ValueError, "tokens"),
        (CAUSAL, 5, TypeError, "tokens=5"),
        (CAUSAL + 0j, None, TypeError, "complex"),
    ],
)
def test_refusals(mask, tokens, error, words):
    with pytest.raises(error, match=words):
        describe_mask(mask, tokens)


def test_a_graph_has_no_values_to_describe():
    with pytest.raises(ValueError, match="a tensor of a graph"):
        tf.function(lambda m: describe_mask(m).names)(tf.constant(CAUSAL))


def test_what_moves_the_cursor_or_turns_the_line_is_written_out():
    report = describe_mask(np.eye(3), tokens=["\x1b[31mred", "\u202eabc", "\U0001f469\u200d\U0001f680"])
    text = str(report)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert r"\x1b[31mred" in text
    assert r"\u202eabc" in text
    assert "\U0001f469\u200d\U0001f680" in text  # joined, as the emoji has to be
    assert "\x1b" not in report._repr_html_()
