"""Pictures: labels, hatching, numbers in cells, what is refused; and what importing costs."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from clear_attention import (
    create_look_ahead_mask,
    create_padding_mask,
    plot_alignment,
    plot_heads,
    plot_mask,
    plot_positions,
    plot_weights,
    sinusoidal_encoding,
)

WORDS = ["the", "cat", "sat"]


def labels(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def hatched(ax):
    """Return the cells (query, key) that are hatched."""
    paths = [path for c in ax.collections if c.get_hatch() for path in c.get_paths()]
    return {(int(p.vertices[:, 1].min()), int(p.vertices[:, 0].min())) for p in paths}


def texts(ax):
    return {(round(t.get_position()[1] - 0.5), round(t.get_position()[0] - 0.5)): t.get_text() for t in ax.texts}


def test_axes_say_query_and_key_with_the_first_query_on_top():
    for ax in (plot_mask(create_look_ahead_mask(3), WORDS), plot_weights(np.eye(3), WORDS)):
        assert (ax.get_ylabel(), ax.get_xlabel()) == ("query", "key")
        assert labels(ax.yaxis) == labels(ax.xaxis) == WORDS
        assert ax.yaxis_inverted()
        assert not ax.xaxis_inverted()


def test_blocked_cells_are_hatched_and_the_others_filled():
    ax = plot_mask(create_look_ahead_mask(3))
    assert hatched(ax) == {(0, 1), (0, 2), (1, 2)}
    assert texts(ax) == {(i, j): "0" for i in range(3) for j in range(i + 1)}
    filled = ax.collections[0].get_array()
    np.testing.assert_array_equal(np.ma.getmaskarray(filled), create_look_ahead_mask(3))


def test_nothing_is_hatched_without_a_mask():
    assert hatched(plot_mask(np.zeros((2, 3)))) == set()
    assert hatched(plot_weights([[0.5, 0.5]])) == set()


def test_weights_are_written_without_rounding_to_0_or_1():
    ax = plot_weights([[0.0, 0.001, 0.25], [1.0, 0.9999, 0.5]])
    assert texts(ax) == {(0, 0): "0", (0, 1): "<.01", (0, 2): "0.25", (1, 0): "1", (1, 1): ">.99", (1, 2): "0.50"}


def test_colours_run_from_0_to_1_whatever_the_weights():
    assert plot_weights([[0.4, 0.6]]).collections[0].get_clim() == (0, 1)


def test_a_masked_weight_that_is_not_zero_shows_its_number():
    ax = plot_weights([[0.5, 0.5], [0.0, 1.0]], mask=[[0, 1], [1, 0]])
    assert hatched(ax) == {(0, 1), (1, 0)}
    assert texts(ax) == {(0, 0): "0.50", (0, 1): "0.50", (1, 1): "1"}


def test_a_weight_that_is_not_finite_shouts():
    ax = plot_weights([[np.nan, 0.5]])
    assert texts(ax)[0, 0] == "nan"
    assert len(ax.collections) == 2
    assert ax.texts[0].get_color() == "white"  # on red


def test_large_matrices_have_no_numbers_and_few_labels():
    ax = plot_weights(np.full((100, 100), 0.01))
    assert len(ax.texts) == 0
    assert labels(ax.xaxis) == labels(ax.yaxis) == [str(i) for i in range(0, 100, 3)]  # at most 40
    assert len(labels(plot_weights(np.full((40, 81), 0.01)).yaxis)) == 40
    assert len(labels(plot_weights(np.full((40, 81), 0.01)).xaxis)) == 27


def test_leading_axes_of_length_1_are_dropped_and_masks_broadcast():
    padding = create_padding_mask([[7, 0, 0]])
    assert hatched(plot_mask(padding)) == {(0, 1), (0, 2)}
    assert hatched(plot_weights(np.full((1, 1, 2, 3), 0.3), mask=padding)) == {(i, j) for i in (0, 1) for j in (1, 2)}


def test_draws_into_the_axes_it_is_given():
    figure, axes = plt.subplots(1, 2)
    assert plot_mask(np.eye(2), ax=axes[0]) is axes[0]
    assert plot_weights(np.eye(2), ax=axes[1], colour_bar=False) is axes[1]
    assert len(figure.axes) == 2
    figure.canvas.draw()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: plot_mask(np.zeros((2, 3, 3))), ValueError, r"choose one, such as mask\[0\]\..*\(2, 3, 3\)"),
        (lambda: plot_mask(np.zeros(3)), ValueError, r"key_length\)\. Expected"),
        (lambda: plot_mask(np.eye(3), tokens=5), TypeError, "tokens=5"),
        (lambda: plot_weights(np.eye(3), colour_bar="no"), TypeError, "colour_bar='no'"),
        (lambda: plot_mask([[0, -1e9]]), ValueError, "convert_mask"),
        (lambda: plot_mask(np.eye(3), tokens=["a", "b"]), ValueError, "each query its label.*a list of 3 labels"),
        (lambda: plot_mask(np.zeros((2, 3)), key_tokens=["a"]), ValueError, "each key its label"),
        (lambda: plot_mask(np.eye(3), tokens="cat"), ValueError, "tokens='cat'"),
        (lambda: plot_weights(np.eye(3, dtype=int)), TypeError, "weights.dtype=int64"),
        (lambda: plot_weights(np.zeros((2, 2, 3, 3))), ValueError, r"weights\[0, 0\]"),
        (lambda: plot_weights(np.eye(3), mask=np.zeros((2, 3))), ValueError, r"mask.shape=\(2, 3\), weights.shape"),
    ],
)
def test_bad_input_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_matplotlib_is_imported_only_for_a_picture_and_its_absence_explained():
    code = (
        "import sys, keras; before = {m for m in sys.modules if 'matplotlib' in m}\n"
        "import clear_attention as ca; assert before == {m for m in sys.modules if 'matplotlib' in m}\n"
        "sys.modules['matplotlib'] = sys.modules['matplotlib.pyplot'] = None\n"
        "try: ca.plot_mask([[0]])\n"
        "except ImportError as error: assert 'pip install matplotlib' in str(error), error\n"
        "else: raise SystemExit('no error')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_heads_stand_in_a_grid_with_shared_axes_and_one_colour_bar():
    weights = np.full((1, 6, 2, 3), 1 / 3)
    axes = plot_heads(weights, ["a", "b"], ["x", "y", "z"], mask=[[0, 0, 1], [0, 0, 0]], columns=4)
    assert [ax.get_title() for ax in axes] == [f"head {i}" for i in range(6)]
    assert len(axes[0].figure.axes) == 7  # six heads and the bar
    assert all(hatched(ax) == {(0, 2)} for ax in axes)
    assert labels(axes[0].yaxis) == ["a", "b"]
    assert axes[0].get_ylabel() == "query"
    assert axes[1].get_ylabel() == ""
    assert axes[0].get_shared_x_axes().joined(axes[0], axes[5])
    axes[0].figure.canvas.draw()


def test_heads_take_a_mask_for_each_head():
    mask = np.stack([np.zeros((2, 2)), [[0, 1], [0, 0]]])
    axes = plot_heads(np.full((2, 2, 2), 0.5), mask=mask)
    assert [hatched(ax) for ax in axes] == [set(), {(0, 1)}]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: plot_heads(np.zeros((2, 3, 4, 4))), r"weights\[0\].*\(2, 3, 4, 4\)"),
        (lambda: plot_heads(np.zeros((4, 4))), "heads of one sentence. One head alone: plot_weights"),
        (lambda: plot_heads(np.zeros((2, 4, 4)), columns=0), "columns=0"),
        (lambda: plot_heads(np.zeros((2, 4, 4)), mask=np.zeros((3, 4, 4))), "mask must broadcast"),
    ],
)
def test_bad_heads_are_refused_in_words(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_positions_run_from_top_to_bottom_and_channels_from_left_to_right():
    encoding = sinusoidal_encoding(7, 5).numpy()
    for given in (encoding, encoding[None], encoding.tolist()):
        ax = plot_positions(given)
        np.testing.assert_array_equal(ax.collections[0].get_array(), encoding.astype(float))
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("position", "channel")
    assert (ax.get_xlim(), ax.get_ylim()) == ((0, 5), (7, 0))
    assert [bar.get_ylabel() for bar in ax.figure.axes[1:]] == ["value"]
    assert plot_positions([[0.1, 0.2]]).collections[0].get_clim() == (-1, 1)


ALIGNED = np.array([[0.1, 0.7, 0.2], [0.5, 0.4, 0.1]])


def frames(ax):
    """Return the cells (query, key) that are framed."""
    assert all((p.get_width(), p.get_height(), p.get_fill()) == (1, 1, False) for p in ax.patches)
    return [(p.get_y(), p.get_x()) for p in ax.patches]


def test_an_alignment_frames_the_strongest_key_of_each_query():
    ax = plot_alignment(ALIGNED, "a b", ["x", "yy"])
    np.testing.assert_array_equal(ax.collections[0].get_array(), ALIGNED)
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("query (target)", "key (source)")
    assert (labels(ax.yaxis), labels(ax.xaxis)) == (["x", "yy"], ["a", "␣", "b"])
    assert frames(ax) == [(0, 1), (1, 0)]
    assert texts(ax)[0, 1] == "0.70"
    square = plot_alignment(ALIGNED[:, :2], "ab", "xy")  # as many keys as queries
    assert (labels(square.yaxis), labels(square.xaxis)) == (["x", "y"], ["a", "b"])


def test_an_alignment_of_many_heads_is_their_mean():
    heads = np.array([ALIGNED, [[0.9, 0.1, 0.0], [0.0, 0.0, 1.0]]])
    before = heads.copy()
    for given in (heads, heads[None], heads.astype("float32")[None, None]):
        ax = plot_alignment(given, "abc", "xy")
        np.testing.assert_allclose(ax.collections[0].get_array(), heads.mean(axis=0), rtol=1e-6)
        assert frames(ax) == [(0, 0), (1, 2)]
    np.testing.assert_array_equal(heads, before)
    assert frames(plot_alignment(ALIGNED[None, None], "abc", "xy")) == [(0, 1), (1, 0)]


def test_positions_and_alignments_draw_into_the_axes_they_are_given():
    figure, axes = plt.subplots(1, 2)
    encoding = np.eye(3)
    assert plot_positions(encoding, ax=axes[0], colour_bar=False) is axes[0]
    assert plot_alignment(encoding, "abc", "xyz", ax=axes[1], colour_bar=False) is axes[1]
    assert len(figure.axes) == 2
    assert len(plt.get_fignums()) == 1
    np.testing.assert_array_equal(encoding, np.eye(3))
    plot_alignment(encoding, "abc", "xyz", ax=axes[1])
    assert len(figure.axes) == 3
    figure.canvas.draw()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: plot_positions(np.zeros((2, 3, 4))), ValueError, r"encoding\[0\]\..*\(2, 3, 4\)"),
        (lambda: plot_positions(np.zeros(3)), ValueError, r"depth\)\. Expected.*encoding.shape=\(3,\)"),
        (lambda: plot_positions(np.eye(3, dtype=int)), TypeError, "encoding.dtype=int64"),
        (lambda: plot_positions("text"), TypeError, "encoding='text'"),
        (lambda: plot_alignment(np.eye(3, dtype=int), "abc", "xyz"), TypeError, "weights.dtype=int64"),
        (lambda: plot_alignment(np.zeros((2, 4, 3, 3)), "abc", "xyz"), ValueError, r"weights.shape=\(2, 4, 3, 3\)"),
        (lambda: plot_alignment(np.zeros(3), "abc", "xyz"), ValueError, r"weights.shape=\(3,\)"),
        (lambda: plot_alignment(ALIGNED, "ab", "xy"), ValueError, r"3 labels.*source_tokens=\['a', 'b'\]"),
        (lambda: plot_alignment(ALIGNED, "abc", "xyz"), ValueError, r"target_tokens must give each query.*2 labels"),
        (lambda: plot_positions(np.eye(3), colour_bar=1), TypeError, "colour_bar=1"),
    ],
)
def test_bad_positions_and_alignments_are_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_labels_are_refused_before_a_figure_is_there():
    with pytest.raises(ValueError, match="tokens must give each query its label"):
        plot_heads(np.full((2, 3, 3), 0.5, np.float32), tokens=["one", "two"])
    assert plt.get_fignums() == []


def test_a_dollar_is_a_token_and_no_formula():
    tokens = ["$5", "and", "$x^2$", r"$\\frac{1}$"]
    for ax in (
        plot_weights(np.full((4, 4), 0.25), tokens),
        plot_mask(np.zeros((4, 4)), tokens),
        plot_alignment(np.full((4, 4), 0.25), tokens, tokens),
    ):
        assert labels(ax.xaxis) == labels(ax.yaxis) == tokens
        assert not any(label.get_parse_math() for label in [*ax.get_xticklabels(), *ax.get_yticklabels()])
        ax.figure.canvas.draw()  # a bad formula would be refused here


def test_the_first_row_of_many_heads_has_the_letters_of_the_keys():
    axes = plot_heads(np.full((4, 2, 3), 0.3), [*"ab"], [*"xyz"], columns=2)
    axes[0].figure.canvas.draw()
    shown = [[label.get_text() for label in ax.get_xticklabels() if label.get_visible()] for ax in axes]
    tops = [ax.xaxis.get_major_ticks()[0].label2.get_visible() for ax in axes]
    assert shown[0] == shown[1] == ["x", "y", "z"]
    assert tops == [True, True, False, False]
