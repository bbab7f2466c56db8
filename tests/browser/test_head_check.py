"""What the head designer computes in the page: its attention, its reading and its check, against the package."""

import numpy as np
import pytest
from head_puzzles import COLUMNS, PUZZLES, ROWS, attend, right, texts, wanted, written

from .test_head_designer import NAMES, PLACE, listed

ATTEND = """([hands, switches, text, causal]) => {
    const { weights, output } = headDesigner.attend(headDesigner.headOf(hands, switches), text, causal);
    return { weights, output };
}"""
LINES = """([puzzle, hands, switches, texts]) => {
    const head = headDesigner.headOf(hands, switches);
    return texts.map((text) => headDesigner.lines(puzzle, headDesigner.attend(head, text, puzzle.causal).output, text));
}"""
CHECK = """([puzzle, hands, switches]) => {
    return headDesigner.check(puzzle, headDesigner.headOf(hands, switches));
}"""


@pytest.fixture
def page(turn_to):
    return turn_to(PLACE).page


def random_head(rng):
    count = rng.integers(0, 8)
    cells = rng.choice(len(ROWS) * len(COLUMNS), size=count, replace=False)
    named = [f"{ROWS[c // len(COLUMNS)]}-{COLUMNS[c % len(COLUMNS)]}:{rng.choice([-5, -1, 1, 2])}" for c in cells]
    return f"{rng.choice(['letter', 'start'])}/{','.join(named)}"


def test_weights_and_outputs_are_those_of_the_package(page):
    rng = np.random.default_rng(0)
    heads = [(puzzle["solution"], puzzle.get("causal", False)) for puzzle in PUZZLES]
    heads += [(random_head(rng), bool(rng.random() < 0.3)) for _ in range(60)]
    for head, causal in heads:
        text = "".join(rng.choice([*"abc"], size=rng.integers(1, 6)))
        got = page.evaluate(ATTEND, [*listed(head), text, causal])
        expected = attend(head, text, causal)
        np.testing.assert_allclose(got["weights"], expected.weights, atol=1e-5)
        np.testing.assert_allclose(got["output"], expected.output, atol=1e-5)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=NAMES)
def test_it_wants_and_reads_what_python_does(page, puzzle):
    rng = np.random.default_rng(1)
    for head in (puzzle["solution"], *(random_head(rng) for _ in range(3))):
        some = [str(text) for text in rng.choice(texts(puzzle), size=25, replace=False)]
        for text, got in zip(some, page.evaluate(LINES, [puzzle, *listed(head), some]), strict=True):
            assert [line["wanted"] for line in got] == wanted(puzzle["id"], text)
            assert [line["got"] for line in got] == written(puzzle, head, text), (head, text)


@pytest.mark.parametrize("puzzle", PUZZLES, ids=NAMES)
def test_all_texts_are_checked(page, puzzle):
    found = page.evaluate(CHECK, [puzzle, *listed(puzzle["solution"])])
    assert (found["right"], found["failure"]) == (len(texts(puzzle)), None)
    assert found["total"] == len(texts(puzzle))
    hands, switches = listed(puzzle["solution"])
    found = page.evaluate(CHECK, [puzzle, hands, switches[1:]])
    broken = f"{hands}/" + ",".join(f"{row}-{column}:{strength}" for row, column, strength in switches[1:])
    first = next(text for text in texts(puzzle) if written(puzzle, broken, text) != wanted(puzzle["id"], text))
    assert found["failure"]["text"] == first
    assert found["right"] == right(puzzle, broken)
