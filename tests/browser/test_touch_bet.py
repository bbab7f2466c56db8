"""Bets: what was measured stands in the page, the guess beside it, and the fold behind the bet tells the story."""

import json

import pytest
from playwright.sync_api import expect

from .guesses import BEHIND, BETS, KEPT, SKETCHES

VEILED = "p => [p.inert, getComputedStyle(p).filter !== 'none']"
BETWEEN = """([element, fold]) => [...document.querySelectorAll("article p")].filter((p) =>
  !p.closest("details, lesson-piece") && element.compareDocumentPosition(p) & Node.DOCUMENT_POSITION_FOLLOWING &&
  fold.compareDocumentPosition(p) & Node.DOCUMENT_POSITION_PRECEDING).map((p) => p.textContent)"""


def test_there_are_bets():
    assert len(BETS) > 7


@pytest.mark.parametrize("lesson", BETS)
def test_each_bet_is_made_and_its_fold_opens(turn_to, lesson):
    page = turn_to(f"/learn/{lesson}/").page
    made = page.locator("lesson-piece[piece=bet]")
    assert made.count() == len(BETS[lesson])
    for i, name in enumerate(BETS[lesson]):
        element = made.nth(i)
        told = json.loads(element.locator("script").text_content())
        assert told["name"] == name
        assert name.startswith(f"{lesson}/")
        sliders = element.get_by_role("slider")
        assert sliders.count() == len(told["lines"]) <= 4
        fold = element.evaluate_handle(BEHIND).as_element()
        assert not fold.evaluate("fold => fold.open")
        assert page.evaluate(BETWEEN, [element.element_handle(), fold]) == []  # it is the bet's own
        for line in told["lines"]:
            assert told["low"] <= line["measured"] <= told["high"]
            assert len(line["label"]) <= 45
            assert element.get_by_role("button", name="That is my guess").is_disabled()
            element.get_by_role("slider", name=line["label"], exact=True).fill(str(told["low"]))
        element.get_by_role("button", name="That is my guess").click()
        assert fold.evaluate("fold => fold.open")
        scale = told["high"] - told["low"]
        for said, line in zip(element.locator(".says").all_inner_texts(), told["lines"], strict=True):
            off = (line["measured"] - told["low"]) / scale
            assert said.startswith("You said ")
            assert said.endswith("Well guessed.") == (off <= 0.05)
            assert (line.get("below") or " and it was ") in said or off <= 0.1
        kept = page.evaluate(KEPT)["bets"][name]
        assert [each["guess"] for each in kept["lines"]] == [told["low"]] * len(told["lines"])


def test_what_would_tell_the_answer_waits_for_the_guess(visit):
    """A guess or the button below: each of them takes the veil away and brings the fold back."""
    lesson = next(iter(BETS))
    ways = {
        "guess": lambda element, page: [
            *[slider.fill(slider.get_attribute("min")) for slider in element.get_by_role("slider").all()],
            element.get_by_role("button", name="That is my guess").click(),
        ],
        "button": lambda element, page: page.get_by_role("button", name="Read on without a guess").first.click(),
    }
    for way in ways.values():
        visitor = visit(f"/learn/{lesson}/", reduced_motion="reduce")
        page, element = visitor.page, visitor.page.locator("lesson-piece[piece=bet]").first
        veiled = page.locator("p.veiled")
        count = veiled.count()
        assert count >= 1
        fold = element.evaluate_handle(BEHIND).as_element()
        told = fold.evaluate_handle("fold => fold.nextElementSibling").as_element()
        assert told.evaluate(VEILED) == [True, True]
        assert not fold.is_visible()
        way(element, page)
        assert fold.is_visible()
        expect(veiled).to_have_count(count - 1)
        assert told.evaluate(VEILED) == [False, False]
        expect(page.locator("button.lift")).to_have_count(count - 1)
        visitor.assert_calm()


def test_a_guess_that_is_too_high_hears_why(piece):
    made = piece(next(iter(BETS)), "bet")
    told = json.loads(made.element.locator("script").text_content())
    for line in told["lines"]:
        made.slide(line["label"], told["high"])
    made.press("That is my guess")
    for said, line in zip(made.element.locator(".says").all_inner_texts(), told["lines"], strict=True):
        far = told["high"] - line["measured"] > 0.1 * (told["high"] - told["low"])
        assert (line.get("above") or "You said") in said or not far


def test_a_bet_with_the_keyboard_alone_is_there_again_and_can_be_made_anew(piece):
    made = piece(next(iter(BETS)), "bet")
    told = json.loads(made.element.locator("script").text_content())
    keys = made.page.keyboard
    made.slider(told["lines"][0]["label"]).focus()
    keys.press("End")
    for _ in told["lines"][1:]:
        keys.press("Tab")
        keys.press("Home")
    keys.press("Tab")
    keys.press("Enter")
    expect(made.element.locator(".settled")).to_have_count(len(told["lines"]))
    focused = "document.activeElement.shadowRoot.activeElement.textContent"
    assert made.page.evaluate(focused) == "Guess again"  # the keyboard goes on from here
    said = made.element.locator(".says").first.inner_text()
    assert f"{told['high']:,}" in said
    made.page.reload()
    assert made.element.locator(".says").first.inner_text() == said
    made.press("Guess again")
    expect(made.element.get_by_role("slider")).to_have_count(len(told["lines"]))
    assert made.slider(told["lines"][0]["label"]).input_value() != str(told["high"])


def test_the_score_counts_the_guesses_of_all_lessons(visit):
    lesson, (name, *_) = next(iter(BETS.items()))
    visitor = visit("/exercises/")
    lines = [{"label": "x", "measured": 50, "guess": guess} for guess in (50, 60, 61)]
    made = {"other/bet": {"lines": lines, "low": 0, "high": 100, "unit": ""}}
    visitor.page.evaluate(f"localStorage.setItem('clear-attention exercises', '{json.dumps({'bets': made})}')")
    visitor.open(f"/learn/{lesson}/")
    element = visitor.page.locator("lesson-piece[piece=bet]").first
    told = json.loads(element.locator("script").text_content())
    assert told["name"] == name
    for line in told["lines"]:
        element.get_by_role("slider", name=line["label"], exact=True).fill(str(round(line["measured"])))
    element.get_by_role("button", name="That is my guess").click()
    count = len(told["lines"])
    expect(element.locator(".hint")).to_have_text(
        f"Of your {count + 3} guesses on this site {count + 2} were within 10 % of the slider."
    )


def test_bets_are_listed_kept_in_a_file_and_erased(visit, tmp_path):
    lesson, names = next(iter(BETS.items()))
    visitor = visit("/exercises/")
    page, listed = visitor.page, visitor.page.locator("exercise-progress")
    total = sum(map(len, [*BETS.values(), *SKETCHES.values()]))
    expect(listed).to_contain_text(f"No bet made yet. There are {total}")
    lines = [{"label": "a < b", "measured": 99, "guess": 49}, {"label": "c", "measured": 3.5, "guess": 13.5}]
    bet = {"lines": lines, "low": 0, "high": 100, "unit": " %"}
    for name, text in (
        ("bad", json.dumps({"bets": {names[0]: bet | {"lines": [{"label": 1}]}}})),
        ("good", json.dumps({"bets": {names[0]: bet}})),
    ):
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
        listed.locator("[type=file]").set_input_files(tmp_path / f"{name}.json")
        expect(listed.get_by_role("status")).to_contain_text("Nothing was changed" if name == "bad" else "Read.")
    expect(listed).to_contain_text(
        f"1 of {total} bets made. On average you were 30 % of the slider away. Your largest surprise: a < b."
    )
    expect(listed.get_by_role("row", name="c 13.5 % 3.5 %")).to_be_visible()
    with page.expect_download() as download:
        listed.get_by_role("button", name="Save it in a file").click()
    assert json.loads(download.value.path().read_text())["bets"][names[0]] == bet
    listed.get_by_role("button", name="Erase it").click()
    listed.get_by_role("button", name="Yes, erase it all").click()
    expect(listed).to_contain_text("No bet made yet.")
    visitor.open(f"/learn/{lesson}/")
    expect(page.locator("lesson-piece[piece=bet]").first.get_by_role("slider").first).to_be_visible()
