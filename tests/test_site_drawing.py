"""Attention drawn on the lessons that change it: the numbers are attention's own, and what is new is lit."""

import re
from pathlib import Path

import drawing
import drawing_by_hand
import numpy as np
import pytest

LEARN = Path(__file__).parents[1] / "docs" / "learn"


def both(name):
    """Return the drawing, and the one that is there when its box is not ticked."""
    return re.findall(r"<svg .*?</svg>", drawing.attention_drawn(name).data, re.S)


def drawn(name):
    return both(name)[0]


def counted(name, mark):
    return len(re.findall(mark, drawn(name)))


@pytest.mark.parametrize("name", drawing.CHANGES)
def test_each_is_on_its_lesson_and_says_what_it_shows(name):
    assert f'attention_drawn("{name}")' in (LEARN / f"{name}.py").read_text(encoding="utf-8")
    says = re.search(r'aria-label="([^"]*)"', drawn(name))[1]
    assert says.startswith("Attention, from left to right.")
    assert drawing.CHANGES[name].says in says
    assert "Lit" in says


@pytest.mark.parametrize("name", drawing.CHANGES)
def test_what_is_new_is_lit_and_named(name):
    change = drawing.CHANGES[name]
    assert counted(name, 'class="lit"') >= len(change.lit) > 0
    assert f">{change.word}</text>" in drawn(name)


@pytest.mark.parametrize("name", drawing.CHANGES)
def test_the_box_is_labelled_and_leads_back(name):
    page = drawing.attention_drawn(name).data
    assert re.search(rf'<input type="checkbox" id="(drawn-{name})" checked><label for="\1">(.*?)</label>', page)[2]
    after, before = both(name)
    assert 'aria-hidden="true"' in before
    assert "aria-label" not in before
    assert 'class="lit"' not in before
    assert after != before


def test_the_letters_numbers_are_the_same_without_the_change():
    for name in drawing.CHANGES:
        change = drawing.CHANGES[name]
        after, before = drawing.calculation(change), drawing.calculation(drawing.without(change))
        np.testing.assert_array_equal(after["x"], before["x"])
        if name in ("multi_head", "split_heads"):  # the cut changes no number
            assert before["q"].shape == (1, 5, 4)
            np.testing.assert_array_equal(np.concatenate([*after["k"]], axis=-1), before["k"][0])
        elif name != "positions":
            np.testing.assert_array_equal(after["q"], before["q"])


@pytest.mark.parametrize("name", ["cache", "packing", "fewer_keys", "windows", "sinks"])
def test_who_only_writes_never_looks_ahead(name):
    for change in (drawing.CHANGES[name], drawing.without(drawing.CHANGES[name])):
        weights = drawing.calculation(change)["weights"]
        rows = change.looking[0] or range(drawing.LENGTH)
        assert not np.triu(weights, k=1)[:, rows].any()


@pytest.mark.parametrize("name", drawing.CHANGES)
def test_the_numbers_are_attention(name):
    change = drawing.CHANGES[name]
    found = drawing.calculation(change)
    scores = found["scores"]
    points = np.where(found["blocked"], 0, np.exp(scores.astype(float)))
    spent = points.sum(axis=-1, keepdims=True) + np.exp(change.options.get("sink", -np.inf))
    np.testing.assert_allclose(found["weights"], points / spent, atol=1e-5)
    values = np.repeat(found["v"], change.heads // len(found["v"]), axis=0)
    np.testing.assert_allclose(found["output"], points / spent @ values, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("positions", "....." * 5),
        ("masks", "...xx" * 5),
        ("causal", ".xxxx ..xxx ...xx ....x .....".replace(" ", "")),
        ("packing", ".xxxx ..xxx ...xx xxx.x xxx..".replace(" ", "")),
        ("windows", ".xxxx ..xxx x..xx xx..x xxx..".replace(" ", "")),
    ],
)
def test_hidden_scores_are_struck_out_in_both_maps(name, hidden):
    found = drawing.calculation(drawing.CHANGES[name])["blocked"]
    assert "".join(".x"[hide] for hide in found.ravel().astype(int)) == hidden
    assert counted(name, r"M\d+ \d+l6 -6") == 2 * hidden.count("x")


def test_letters_that_are_alike_differ_by_their_places_only():
    added = drawing.CHANGES["positions"]
    changes = (drawing.without(added), added, drawing.CHANGES["turning_positions"])
    plain, placed, turned = map(drawing.calculation, changes)
    assert drawing.CHANGES["positions"].letters[1] == drawing.CHANGES["positions"].letters[3]
    for found in (plain, placed, turned):
        np.testing.assert_array_equal(found["x"][1], found["x"][3])
    np.testing.assert_array_equal(plain["q"][0, 1], plain["q"][0, 3])
    np.testing.assert_allclose(plain["weights"][0, 1], plain["weights"][0, 3])
    assert np.abs(placed["q"][0, 1] - placed["q"][0, 3]).max() > 0.1
    assert np.abs(turned["weights"][0, 1] - turned["weights"][0, 3]).max() > 0.02


def test_a_turn_leaves_the_length_and_depends_on_the_distance_only():
    rows = np.tile([[3.0, 4.0, 2.0]], (1, drawing.LENGTH, 1))
    found = drawing.turned(rows, 0.6)
    np.testing.assert_allclose(np.linalg.norm(found, axis=-1), np.sqrt(29), rtol=1e-6)
    products = found[0] @ found[0].T
    np.testing.assert_allclose(products[0, 1], products[3, 4], rtol=1e-6)
    assert products[0, 1] < products[0, 0]


def test_what_is_not_there_is_not_drawn():
    squares = {name: counted(name, r'fill-opacity="0') for name in ("turning_positions", "cache", "long_sequences")}
    whole = 5 * 4 + 3 * 5 * 3 + 2 * 25 + 5 * 3
    assert squares["turning_positions"] == whole
    assert squares["cache"] == 4 + 3 + 2 * 15 + 2 * 5 + 3
    assert squares["long_sequences"] == whole - 2 * 20 - 2 * 3


def test_the_example_of_the_lesson_is_drawn_with_its_numbers():
    page = drawing_by_hand.drawn().data
    numbers = [x.replace("−", "-") for x in re.findall(r">(−?[\d.]+)</text>", page)]
    found = drawing_by_hand.calculation()
    drawn = np.concatenate([found[name].ravel() for name in ("x", "q", "k", "v", "scores", "weights", "output")])
    np.testing.assert_allclose(np.array(numbers, float), drawn, atol=5e-3)
    # each of them as softmax and sums give it, with no help of the package
    powers = np.exp(found["scores"])
    np.testing.assert_allclose(found["weights"], powers / powers.sum(axis=1, keepdims=True), atol=1e-6)
    np.testing.assert_allclose(found["output"], found["weights"] @ found["v"], atol=1e-5)
    assert "weights 0.8756, 0.0059, 0.1185 and the output 9.941 and 1.244." in page  # as the lesson says
    assert page.count('class="lit"') == 5  # the row that the lesson computes: of x, q, scores, weights and output
