"""The head designer: every puzzle, links, stars, and every control."""

import json
import re

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from head_puzzles import COLUMNS, PUZZLES, ROWS, attend, parse, texts
from playwright.sync_api import expect

from .conftest import copied_by

PLACE = "/design_a_head/"
NAMES = [puzzle["id"] for puzzle in PUZZLES]
KINDS = {"always": ["always"], "its letter": ["start", *"abc"], "its place": [*"012345"]}
BAD = [
    *("", "copy", "nothing/letter/a-a:1/abc", "copy/neither/a-a:1/abc"),
    *("copy/letter/a-a:1/abd", "copy/letter/a-a:1/abcabc", "copy/letter/a-a:1/", "copy/letter/a-a:1"),
    *("copy/letter/a-a:9/abc", "copy/letter/a-a:0/abc", "copy/letter/a-d:1/abc", "copy/letter/a-a:1,a-a:2/abc"),
    *("copy/letter/a-a:1,/abc", "copy/letter/a-a:1/x/abc", "copy/letter/toString-a:1/abc", "__proto__/letter//abc"),
    *("copy/letter/%E0%A4%A/abc", "copy/letter/<img src=x onerror=alert(1)>/abc"),
]
STARS = "clear-attention: design a head"


@pytest.fixture
def page(turn_to):
    return turn_to(PLACE).page


@pytest.fixture
def designer(page):
    return page.locator("head-designer")


def listed(head):
    """Return what a head hands over, and [row, column, strength] of its switches."""
    hands, table = parse(head)
    cells = np.argwhere(table)
    return hands, [[ROWS[i], COLUMNS[j], int(table[i, j])] for i, j in cells]


def says(designer):
    return re.sub(r"\s+", " ", designer.locator(".says").inner_text())


def choose(designer, name):
    designer.locator(f"[data-do=puzzle][data-value={name}]").click()


def button(designer, group, name):
    return designer.get_by_role("group", name=group, exact=True).get_by_role("button", name=name, exact=True)


def set_to(designer, group, names):
    """Press the buttons of a group until just these are on; nothing may be left off for a moment."""
    wrong = designer.get_by_role("group", name=group, exact=True).get_by_role("button")
    states = {one.inner_text(): one.get_attribute("aria-pressed") == "true" for one in wrong.all()}
    for name in sorted(states, key=lambda name: name not in names):
        if states[name] != (name in names):
            button(designer, group, name).click()


def cell(designer, row, column):
    """Return the switch of this row and column, found by where its names stand in the table."""
    rows = [text.replace("place ", "") for text in designer.locator(".switches [role=rowheader]").all_inner_texts()]
    heads = designer.locator(".switches thead tr:last-child th").all_inner_texts()
    names = ["start" if name == "^" else name for name in heads]
    return designer.locator(f".switches [data-place='{rows.index(row)},{names.index(column)}']")


def build(designer, head):
    """Set a head as a reader does: what is read, what is handed over, switch after switch."""
    hands, switches = listed(head)
    set_to(designer, "A query reads", [k for k in KINDS if any(_kind(row) == k for row, _, _ in switches)])
    set_to(designer, "A key reads", [k for k in KINDS if any(_kind(column) == k for _, column, _ in switches)])
    button(designer, "A key hands over", {"letter": "its letter", "start": "“I am the start sign”"}[hands]).click()
    for row, column, strength in switches:
        cell(designer, row, column).click()
        if strength != 1:
            designer.get_by_role("slider", name="Strength").fill(str(strength))


def _kind(name):
    return "its place" if name.isdigit() else "always" if name == "always" else "its letter"


class TestPuzzles:
    @pytest.mark.parametrize("puzzle", PUZZLES, ids=NAMES)
    def test_its_solution_solves_it_with_par(self, designer, puzzle):
        choose(designer, puzzle["id"])
        build(designer, puzzle["solution"])
        switches = "1 switch" if puzzle["par"] == 1 else f"{puzzle['par']} switches"
        assert says(designer) == f"Solved: right on all {len(texts(puzzle))} texts with {switches}. That is par."
        name = f"Puzzle {NAMES.index(puzzle['id']) + 1}: {puzzle['title']}, solved at par"
        assert "★★" in designer.get_by_role("button", name=name, exact=True).inner_text()
        assert designer.locator(".map .wrong").count() == 0

    def test_more_switches_than_par_earn_one_star(self, designer):
        build(designer, "letter/1-1:1,2-2:1,3-3:1,4-4:1,5-5:1")
        assert says(designer) == "Solved: right on all 363 texts with 5 switches. Par is 3: can you do it with fewer?"
        designer.get_by_role("button", name="Puzzle 1: Copy myself, solved", exact=True).wait_for()
        build(designer, "letter/a-a:1,b-b:1,c-c:1")
        assert "That is par." in says(designer)
        button(designer, "A query reads", "its place").click()
        button(designer, "A key reads", "its place").click()
        assert "with 8 switches." in says(designer)
        designer.get_by_role("button", name="Puzzle 1: Copy myself, solved at par", exact=True).wait_for()  # the best
        for place in "12345":
            cell(designer, place, place).click()
        cell(designer, "a", "a").click()
        assert says(designer).startswith("Right on ")
        assert designer.get_by_role("button", name="Next puzzle").count() == 0

    def test_a_wrong_head_meets_the_text_that_refutes_it(self, designer):
        build(designer, "letter/a-a:1,b-b:1")
        assert says(designer) == (
            "Right on 62 of 363 texts with 2 switches. At “c” the letter at place 1 writes a mixture, not “c”."
        )
        designer.get_by_role("button", name="Show “c”").click()
        assert designer.get_by_label("Text").input_value() == "c"
        assert designer.locator(".map tbody tr").count() == 1
        assert designer.locator(".map .wrong").inner_text() == "✗ mix"
        expect(designer.get_by_role("button", name="Show “c”")).to_have_attribute("aria-disabled", "true")

    def test_what_is_handed_over_must_fit(self, designer):
        choose(designer, "bees")
        assert "A share is wanted: change what a key hands over." in says(designer)
        button(designer, "A key hands over", "“I am the start sign”").click()
        assert "change what a key hands over" not in says(designer)
        choose(designer, "copy")
        button(designer, "A key hands over", "“I am the start sign”").click()
        assert "Letters are wanted" in says(designer)

    def test_hints_open_one_after_the_other_and_then_a_solution_without_a_star(self, designer):
        for number in (1, 2, 3):
            assert designer.get_by_role("button", name="Show a solution").count() == 0
            designer.get_by_role("button", name=f"Hint {number} of 3").click()
            assert designer.locator(".hints li").all_inner_texts() == PUZZLES[0]["hints"][:number]
        designer.get_by_role("button", name="Show a solution").click()
        assert says(designer).startswith("Solved: ")
        assert says(designer).endswith("To earn a star, turn all off and find it anew.")
        assert designer.locator(".star").count() == 0
        choose(designer, "first")
        assert designer.locator(".hints li").count() == 0
        choose(designer, "copy")
        assert says(designer).startswith("Solved: ")  # what was tried is still there
        assert designer.locator(".star").count() == 0
        designer.get_by_role("button", name="All off").click()
        build(designer, "letter/a-a:1,b-b:1,c-c:1")
        assert designer.locator(".star").count() == 1

    def test_a_mask_hides_what_stands_further_right(self, designer):
        choose(designer, "seen")
        assert designer.locator(".map .blocked").count() == 4 + 3 + 2 + 1
        choose(designer, "last")
        assert designer.locator(".map .blocked").count() == 0


class TestControls:
    def test_the_keyboard_alone(self, page, designer):
        designer.locator("[data-place='0,0']").focus()
        for _ in range(3):
            for key in ("ArrowRight", "Space", "ArrowDown"):
                page.keyboard.press(key)
        assert says(designer).startswith("Solved: right on all 363 texts with 3 switches.")
        place = "() => document.querySelector('head-designer').shadowRoot.activeElement.dataset.place"
        assert page.evaluate(place) == "2,3"
        steps = {"End": "2,3", "ArrowLeft": "2,2", "ArrowUp": "1,2", "Home": "1,0"}
        for key, there in [*steps.items(), ("ArrowLeft", "1,0")]:
            page.keyboard.press(key)
            assert page.evaluate(place) == there
        assert designer.locator(".switches td[tabindex='0']").count() == 1
        for key, said in (("+", "looks at the start sign, strength 1"), ("+", "looks at the start sign, strength 2")):
            page.keyboard.press(key)
            assert designer.locator("[data-place='1,0']").get_attribute("aria-label") == f"a query b {said}"
        for _ in range(9):
            page.keyboard.press("-")
        assert "away from the start sign, strength −5" in designer.locator(".chosen").inner_text()
        page.keyboard.press("Enter")
        assert designer.locator("[data-place='1,0']").get_attribute("aria-label") == "a query b and the start sign: off"

    def test_what_is_read_by_tab_and_enter(self, page, designer):
        choose(designer, "first")
        button(designer, "A query reads", "always").focus()
        for key in ("Enter", "Tab", "Enter"):  # always; its letter no longer
            page.keyboard.press(key)
        button(designer, "A key reads", "its place").focus()
        for key in ("Space", "Shift+Tab", "Space", "Tab", "Tab", "Tab", "Tab", "ArrowRight", "Space"):
            page.keyboard.press(key)
        assert says(designer).startswith("Solved: right on all 363 texts with 1 switch.")

    def test_a_head_must_read_something(self, designer):
        button(designer, "A key reads", "its letter").click()
        expect(designer.get_by_role("status")).to_contain_text("A key has to read something.")
        assert designer.locator(".switches td").count() == 12
        assert designer.locator(".switches thead tr").first.inner_text().split() == ["key", "→", "query", "↓", "letter"]

    def test_what_is_not_read_does_not_count_and_comes_back(self, designer):
        build(designer, "letter/a-a:1,b-b:1,c-c:1")
        button(designer, "A query reads", "its place").click()
        button(designer, "A query reads", "its letter").click()
        assert "with 0 switches" in says(designer)
        button(designer, "A query reads", "its letter").click()
        assert says(designer).startswith("Solved: ")

    def test_the_text_can_be_changed_and_nonsense_is_refused(self, designer):
        field = designer.get_by_label("Text")
        field.fill("cab")
        assert [row[0] for row in designer.locator(".map tbody th").all_inner_texts()] == ["c", "a", "b"]
        field.fill("<b>")
        field.press("Tab")
        expect(designer.get_by_role("status")).to_contain_text("“<b>” is no text for this head")
        assert field.input_value() == "cab"

    def test_the_map_shows_the_weights(self, designer):
        choose(designer, "count")
        build(designer, PUZZLES[NAMES.index("count")]["solution"])
        shown = designer.locator(".map .weight").all_inner_texts()
        weights = np.asarray(attend("start/always-start:1,a-a:1,b-b:1,c-c:1", "abcab").weights)[1:]
        np.testing.assert_allclose([float(text) for text in shown], weights.ravel(), atol=0.005001)
        assert designer.locator(".map td:last-child").all_inner_texts() == ["2", "2", "1", "2", "2"]


class TestLinks:
    @pytest.mark.parametrize("puzzle", PUZZLES, ids=NAMES)
    def test_a_head_goes_round_in_a_link(self, turn_to, puzzle):
        turn_to("/?")  # so that the address is loaded, not only its fragment
        page = turn_to(f"{PLACE}#head={puzzle['id']}/{puzzle['solution']}/bca").page
        designer = page.locator("head-designer")
        assert says(designer).startswith("Solved: ")
        assert designer.get_by_label("Text").input_value() == "bca"
        assert designer.locator(".star").count() == 0  # somebody else found it
        copied = copied_by(designer.get_by_role("button", name="Copy a link to this head"))
        assert copied == page.url
        assert copied.endswith(f"#head={puzzle['id']}/{puzzle['solution']}/bca")
        expect(designer.get_by_role("status")).to_have_text("Copied.")

    def test_a_change_is_in_the_address_and_a_pasted_link_is_taken(self, page, designer):
        cell(designer, "a", "b").click()
        assert page.url.endswith("#head=copy/letter/a-b:1/abcab")
        choose(designer, "first")
        choose(designer, "copy")
        assert cell(designer, "a", "b").inner_text() == "1"
        page.evaluate("location.hash = '#head=last/start/always-5:-2/c'")
        expect(designer.locator(".title")).to_have_text("9. The last letter")
        assert cell(designer, "always", "5").inner_text() == "−2"
        assert button(designer, "A key hands over", "“I am the start sign”").get_attribute("aria-pressed") == "true"

    def test_a_bad_link_changes_nothing_and_says_so(self, page, designer):
        for wrong in BAD:
            page.evaluate("location.hash = '#head=copy/letter/a-b:1/abc'")
            expect(designer.get_by_role("status")).to_have_text("")
            page.evaluate("hash => { location.hash = hash; }", f"#head={wrong}")
            expect(designer.get_by_role("status")).to_contain_text("This link holds no head that this page can read")
            assert "with 1 switch." in says(designer), wrong
            assert designer.get_by_label("Text").input_value() == "abc"

    @pytest.mark.parametrize("wrong", ["", "copy/letter/a-a:9/abc", "copy/letter/%E0%A4%A/abc"])
    def test_a_bad_link_on_a_first_visit_begins_as_ever(self, visit, wrong):
        designer = visit(f"{PLACE}#head={wrong}").page.locator("head-designer")
        expect(designer.get_by_role("status")).to_contain_text("This link holds no head that this page can read")
        assert designer.locator(".title").inner_text() == "1. Copy myself"
        assert "with 0 switches" in says(designer)

    def test_other_addresses_are_not_its_business(self, page, designer):
        page.evaluate("location.hash = '#four-things-to-find-out'")
        expect(designer.get_by_role("status")).to_have_text("")


class TestStars:
    def test_they_are_kept_and_can_be_erased(self, visit):
        page = visit(PLACE).page
        designer = page.locator("head-designer")
        build(designer, "letter/a-a:1,b-b:1,c-c:1")
        assert json.loads(page.evaluate("name => localStorage.getItem(name)", STARS)) == {"copy": 3}
        page.goto("about:blank")
        page.go_back()
        erase = designer.get_by_role("button", name="Erase my stars")
        expect(designer.locator(".star")).to_have_text("★★")
        choose(designer, "first")
        build(designer, "letter/always-1:1")
        choose(designer, "copy")
        assert says(designer).endswith("That is par.")
        assert designer.locator(".star").count() == 2
        erase.click()
        assert says(designer).endswith("To earn a star, turn all off and find it anew.")
        expect(designer.get_by_role("status")).to_have_text("Your stars are erased.")
        assert designer.locator(".star").count() == 0
        assert page.evaluate("name => localStorage.getItem(name)", STARS) is None
        expect(erase).to_have_attribute("aria-disabled", "true")
        for name in ("first", "copy"):  # they do not come back by themselves
            choose(designer, name)
        assert designer.locator(".star").count() == 0

    @pytest.mark.parametrize("kept", ["{", "null", '{"copy": "<b>", "nobody": 1, "first": 1}'])
    def test_what_somebody_else_wrote_there_does_no_harm(self, visit, kept):
        page = visit(PLACE).page
        designer = page.locator("head-designer")
        page.evaluate("([name, kept]) => localStorage.setItem(name, kept)", [STARS, kept])
        page.reload()
        designer.locator(".says").wait_for()
        assert designer.locator(".star").count() == (1 if "first" in kept else 0)


class TestLooks:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_every_puzzle_fits_a_phone_and_is_accessible(self, visit, scheme):
        page = visit(PLACE, color_scheme=scheme, reduced_motion="reduce", viewport={"width": 390, "height": 800}).page
        designer = page.locator("head-designer")
        for puzzle in (PUZZLES[0], PUZZLES[6], PUZZLES[9]):
            choose(designer, puzzle["id"])
            build(designer, puzzle["solution"])
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            for place in designer.locator(".scroll").all():
                assert place.evaluate("e => e.scrollWidth <= e.clientWidth"), puzzle["id"]
            found = Axe().run(page, context="head-designer", options={"resultTypes": ["violations"]}).response
            assert [(rule["id"], rule["nodes"]) for rule in found["violations"]] == []

    def test_without_scripts_the_puzzles_are_folded_there(self, visit):
        designer = visit(PLACE, java_script_enabled=False).page.locator("head-designer")
        assert designer.locator("details").count() == len(PUZZLES)
        assert designer.locator("details[open]").count() == 0
        designer.locator("summary", has_text="Reverse").click()
        assert "place 1 looks at place 5" in designer.inner_text()
