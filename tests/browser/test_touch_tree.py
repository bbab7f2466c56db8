"""The tree of answers and the hundred answers to press, in the lesson on writing."""

import json
import re

import pytest
from playwright.sync_api import expect

FIRST, BEST = [0.5, 0.3, 0.2], [0.2, 0.5, 0.9]
WIDTHS = ["one: greedy", "two", "three"]


@pytest.mark.parametrize("best", [BEST, [0.4, 0.5, 0.9], [0.2, 0.2, 0.4], [0.3, 1, 1]])
def test_a_beam_finds_the_best_of_what_it_kept(piece, best):
    tree = piece("writing", "tree")
    for letter, chance in zip("ABC", best, strict=True):
        tree.slide(f"Best after {letter}", chance)
    totals = [round(p * after, 3) for p, after in zip(FIRST, best, strict=True)]

    def product(i):
        return f"{FIRST[i]:.1f} · {best[i]:.1f} = {totals[i]:.2f}."

    for width, name in enumerate(WIDTHS, 1):
        tree.press(name)
        found, most = totals.index(max(totals[:width])), totals.index(max(totals))
        kept = ["Greedy search keeps A", "The beam keeps A and B", "The beam keeps A, B and C"][width - 1]
        missed = f"The best answer begins with {'ABC'[most]}, which was cut off: {product(most)}"
        end = missed if totals[most] > totals[found] else "No answer is more probable."
        assert tree.says() == f"{kept}, and finds {product(found)} {end}"
        fates = tree.element.locator("[data-fate]").evaluate_all("all => all.map((one) => one.dataset.fate)")
        assert fates == ["cut" if i >= width else "found" if i == found else "kept" for i in range(3)]


def test_the_tree_works_by_keyboard_and_begins_again(piece):
    tree = piece("writing", "tree")
    assert "finds 0.5 · 0.2 = 0.10" in tree.says()
    two = tree.element.get_by_role("button", name="two")
    two.press("Enter")
    expect(two).to_have_attribute("aria-pressed", "true")
    tree.slider("Best after A").press("End")
    assert "finds 0.5 · 1.0 = 0.50. No answer" in tree.says()
    tree.press("Start again")
    assert "cut off: 0.2 · 0.9 = 0.18." in tree.says()


def test_each_square_tells_its_answer(piece):
    squares = piece("writing", "hundred")
    given = json.loads(squares.element.locator("script").text_content())
    answers = [
        (panel["heat"], one, panel["answers"].count(one)) for panel in given["panels"] for one in panel["answers"]
    ]
    assert len(answers) == squares.element.locator("[data-value]").count() == 300
    for n in (0, 99, 160, 299):
        squares.element.locator(f"[data-value='{n}']").click()
        heat, answer, times = answers[n]
        said = f"At temperature {heat} it wrote {f'“{answer}”' if answer else 'nothing at all'}, "
        assert squares.says().startswith(said + ("once" if times == 1 else f"{times} times") + " in a hundred")


def test_the_rare_answers_come_one_after_the_other(piece):
    squares = piece("writing", "hundred")
    given = json.loads(squares.element.locator("script").text_content())
    rare = [one for panel in given["panels"] for one in panel["answers"] if one not in given["common"]]
    rare = [one for one, before in zip(rare, ["", *rare], strict=False) if one != before]  # another one each time
    button = squares.element.get_by_role("button", name="Another rare one")
    for answer in [*rare, rare[0]]:
        button.press("Enter")
        assert (f"“{answer}”" if answer else "nothing at all") in squares.says()


def test_what_is_no_date_looks_different(piece):
    squares = piece("writing", "hundred")
    given = json.loads(squares.element.locator("script").text_content())
    kinds = squares.element.locator("[data-kind]").evaluate_all("all => all.map((one) => +one.dataset.kind)")
    answers = [one for panel in given["panels"] for one in panel["answers"]]

    def kind(one):
        if one in given["common"]:
            return given["common"].index(one)
        return 2 if re.fullmatch(r"\d{4}-\d\d-\d\d", one) else 3

    assert kinds == [kind(one) for one in answers]
    for start in (0, 100, 200):  # each panel in order
        assert kinds[start : start + 100] == sorted(kinds[start : start + 100])
