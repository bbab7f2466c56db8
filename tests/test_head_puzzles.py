"""The puzzles of the head designer: solutions that are right on all texts, as the package attends, and not too long."""

from itertools import combinations, product

import numpy as np
import pytest
from head_puzzles import COLUMNS, POINTS, PUZZLES, ROWS, attend, features, parse, read, right, still, texts, wanted

from clear_attention import MultiHeadAttention

NAMES = [puzzle["id"] for puzzle in PUZZLES]


@pytest.fixture(params=PUZZLES, ids=NAMES)
def puzzle(request):
    return request.param


def switches(head):
    hands, _, listed = head.partition("/")
    return hands, listed.split(",")


def test_the_solution_is_right_on_every_text_and_takes_par(puzzle):
    assert len(texts(puzzle)) == (243 if puzzle["id"] == "reverse" else 363)
    assert right(puzzle, puzzle["solution"]) == len(texts(puzzle))
    assert len(switches(puzzle["solution"])[1]) == puzzle["par"]


def survivors(puzzle, hands, tables):
    """Return the heads, as tables of switches, that are right on every text, with softmax written out."""
    for text in texts(puzzle):
        asked, keys = features(text)
        scores = POINTS * (asked[1:] @ tables @ keys.T)
        if puzzle.get("causal"):
            scores = np.where(np.arange(len(keys)) > np.arange(1, len(keys))[:, None], -np.inf, scores)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        outputs = weights @ keys[:, : 4 if hands == "letter" else 1]
        expected = wanted(puzzle["id"], text)
        good = [[read(puzzle["wants"], row) for row in output] == expected for output in outputs]
        tables = tables[np.array(good, bool)]
        if not len(tables):
            break
    return tables


def test_no_switch_of_a_solution_can_go(puzzle):
    hands, _ = switches(puzzle["solution"])
    table = parse(puzzle["solution"])[1]
    assert len(survivors(puzzle, hands, table[np.newaxis])) == 1
    fewer = [np.where(np.arange(table.size).reshape(table.shape) == cell, 0, table) for cell in np.flatnonzero(table)]
    assert len(survivors(puzzle, hands, np.array(fewer))) == 0


@pytest.mark.parametrize("name", [puzzle["id"] for puzzle in PUZZLES if puzzle["par"] <= 3])
def test_no_head_with_fewer_switches_solves_it(name):
    """Of strengths 1 and -1. A search with 2 and -2 as well, and up to three switches, found none either."""
    puzzle = PUZZLES[NAMES.index(name)]
    heads = [
        (cells, strengths)
        for n in range(puzzle["par"])
        for cells in combinations(range(len(ROWS) * len(COLUMNS)), n)
        for strengths in product((1, -1), repeat=n)
    ]
    tables = np.zeros((len(heads), len(ROWS) * len(COLUMNS)))
    for table, (cells, strengths) in zip(tables, heads, strict=True):
        table[list(cells)] = strengths
    hands, _ = switches(puzzle["solution"])
    assert len(survivors(puzzle, hands, tables.reshape(-1, len(ROWS), len(COLUMNS)))) == 0


def test_what_is_wanted():
    expected = {
        "copy": "a b b c a",
        "first": "a a a a a",
        "before": "^ a b b c",
        "reverse": "a c b b a",
        "bees": "2 2 2 2 2",
        "count": "2 2 2 1 2",
        "seen": "no no yes no yes",
        "unlike": "3 3 3 4 3",
        "last": "a a a a a",
        "next": "b b c a a",
    }
    assert {name: " ".join(wanted(name, "abbca")) for name in NAMES} == expected


def test_what_is_read_from_an_output():
    assert read("letter", [0, 0.05, 0.95, 0]) == "b"
    assert read("letter", [0, 0.2, 0.8, 0]) == "a mixture"
    assert read("letter", [1.0]) == "a mixture"
    assert [read("count", [1 / n]) for n in (1, 3, 6)] == ["0", "2", "5"]
    assert read("count", [0.4]) == "no count"
    assert [read("seen", [x]) for x in (1 / 2, 1 / 3)] == ["no", "yes"]
    assert read("count", [1, 0, 0, 0]) == "a letter"


def test_the_layer_with_these_weights_attends_in_the_same_way(puzzle):
    """The matrices that the page speaks of: W_Q holds the strengths, W_K and W_V pick."""
    hands, table = parse(puzzle["solution"])
    depth, d_v = len(ROWS) + len(COLUMNS), 4 if hands == "letter" else 1
    layer = MultiHeadAttention(depth, 1, d_k=len(COLUMNS), d_v=d_v, use_bias=False)
    layer.build((None, None, depth))
    scaled = table * POINTS * len(COLUMNS) ** 0.5
    pick = np.vstack([np.zeros((len(ROWS), len(COLUMNS))), np.eye(len(COLUMNS))])
    layer.set_weights([np.vstack([scaled, np.zeros((len(COLUMNS),) * 2)]), pick, pick[:, :d_v], np.eye(d_v, depth)])
    tokens = np.hstack(features("abcab"))[np.newaxis]
    causal = puzzle.get("causal", False)
    mask = np.triu(np.ones((6, 6)), 1) if causal else None
    output, weights = layer(tokens, mask=mask, return_weights=True)
    expected = attend(puzzle["solution"], "abcab", causal)
    np.testing.assert_allclose(weights[0, 0], expected.weights, atol=1e-5)
    np.testing.assert_allclose(output[0, :, :d_v], expected.output, atol=1e-5)


def test_hints_and_words():
    text = still()
    for puzzle in PUZZLES:
        assert len(puzzle["hints"]) == 3
        assert f"<summary>{puzzle['title']}</summary>" in text
    assert text.count("<details>") == len(PUZZLES)
    assert text.count("<li>") == sum(puzzle["par"] for puzzle in PUZZLES)
    assert "a query b looks away from a key b" in text
    assert "every query looks at place 5, with strength 5" in text
