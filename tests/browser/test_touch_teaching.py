"""The piece in which the reader trains a machine: what it says of its training, by keyboard and without scripts."""

import json
import re

import pytest
from playwright.sync_api import expect

from .conftest import Piece
from .test_pages import violations
from .test_touch_lengths import in_order
from .test_touch_numerals import roman

WATCHED = [1994, 2026, 444, 88, 1666]
SIX = [1994, 1996, 2194, 2196, 2214, 2216]  # the same letters in six orders
COUNTS = [100, 300, 1000, 3000]
BOX = "sort the letters of each numeral first"


@pytest.fixture
def teaching(visit):
    """Return the piece, told to train for so many steps only: the first, or the one that can sort letters."""

    def teaching(steps=30, sorting=False, **options):
        page = visit("/notation/", **options).page

        def shorter(route):
            response = route.fetch()
            body, found = re.subn(r'("steps": )1000\b', rf"\g<1>{steps}", response.text())
            assert found == 2
            route.fulfill(response=response, body=body)

        page.route("**/learn/roman/", shorter)
        page.goto(page.url.replace("/notation/", "/learn/roman/"))
        page.wait_for_function("document.querySelector('lesson-piece[piece=teaching]')?.shadowRoot")
        piece = Piece(page, "teaching")
        if sorting:
            piece.element = page.locator("lesson-piece[piece=teaching]").nth(1)
            piece.element.scroll_into_view_if_needed()
        return piece

    return teaching


def trained(piece):
    """Press the button and wait for the end of the training."""
    piece.element.get_by_role("button").click()
    expect(piece.element.get_by_role("button")).to_have_text("Train another one", timeout=120_000)
    return state(piece)


def state(piece):
    return piece.element.evaluate(
        """one => ({ ...one.state, work: null, pupil: one.state.pupil && {
        ...one.state.pupil, random: null, parts: null, adam: null, machine: null } })"""
    )


def row(piece, count):
    cells = piece.element.locator(".runs tbody tr").nth(COUNTS.index(count)).locator("td")
    return cells.all_inner_texts()


def rows(piece):
    return [
        (one.locator("th").inner_text(), *one.locator("td").all_inner_texts())
        for one in piece.element.locator(".panels tbody tr").all()
    ]


def test_before_it_is_trained_it_says_what_will_come(teaching):
    piece = teaching()
    assert piece.says() == "100 numerals are chosen. The machine has learnt nothing yet."
    assert [row(piece, count) for count in COUNTS] == [["?", "?"]] * 4
    piece.element.get_by_label("1,000").check()
    assert piece.says().startswith("1,000 numerals are chosen.")
    assert piece.element.get_by_text("about 20 seconds").count() == 1


def test_what_it_says_in_the_end_is_what_the_machine_reads(teaching):
    """Long enough for the result that the lesson tells: it has learnt by heart."""
    piece = teaching(steps=400)
    assert not piece.page.locator("p.unveiled").count()
    found = trained(piece)
    assert piece.page.locator("p.unveiled").count() == 1  # what the page tells of it waited
    pupil = found["pupil"]
    known, unseen = pupil["done"]
    assert known > 0.99
    assert 0 < unseen < 0.15
    assert row(piece, 100) == [f"{100 * known:.0f} %", f"{round(100 * unseen)} %"]
    assert piece.says() == (
        f"Shown 100 numerals, it has learnt to read {100 * known:.0f} % of these, and {round(100 * unseen)} % of the"
        " 999 that it has never seen. Now type one of your own."
    )
    asked = pupil["unseen"][:100]
    wrote = piece.element.evaluate(
        "(one, texts) => texts.map((text) => one.state.pupil.write(text))", [*map(roman, asked)]
    )
    right = [said == str(n) for said, n in zip(wrote, asked, strict=True)]  # id by id, by the engine
    assert sum(right) / 100 == pytest.approx(pupil["looks"][-2][2])
    assert pupil["looks"][-1] == [400, known, unseen]
    assert len({*pupil["known"], *pupil["unseen"]}) == 1099
    assert pupil["unseen"][:5] == WATCHED
    losses = [loss for _, loss in pupil["losses"]]
    assert losses[0] > 2 > 0.1 > losses[-1]
    for n in (pupil["known"][0], pupil["unseen"][50]):
        piece.element.get_by_label("One of yours").fill(roman(n).upper())
        seen = "was shown it" if n in pupil["known"] else "has never seen it"
        said = rows(piece)[-1][1]
        assert piece.says() == f"{roman(n)} is {n}. The machine, which {seen}, writes {said}."
    piece.element.get_by_label("One of yours").fill("iiii")
    assert piece.says().startswith("iiii is no Roman numeral. Nobody has told the machine so, and it writes ")


def test_five_numerals_are_written_and_wrong_letters_are_marked(teaching):
    piece = teaching()
    pupil = trained(piece)["pupil"]
    shown = rows(piece)
    assert [text for text, _, _ in shown] == [roman(n) for n in WATCHED]
    assert [wrote for _, wrote, _ in shown] == pupil["wrote"]
    for (_, wrote, mark), n in zip(shown, WATCHED, strict=True):
        assert mark == ("✓" if wrote == str(n) else "✗")
    marked = [one.locator(".off").all_inner_texts() for one in piece.element.locator(".panels .written").all()]
    wrong = [
        [c for k, c in enumerate(wrote) if str(n)[k : k + 1] != c]
        for wrote, n in zip(pupil["wrote"], WATCHED, strict=True)
    ]
    assert marked == wrong
    assert any(wrong)
    assert [step for step, *_ in pupil["looks"]] == [0, 25, 30]
    assert piece.element.locator(".panels svg").get_attribute("aria-label").startswith("Two curves against the steps.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_drawn_while_it_trains_is_accessible_and_fits_a_phone(teaching, scheme):
    piece = teaching(steps=25, color_scheme=scheme)
    trained(piece)
    piece.element.get_by_label("One of yours").fill("mmmdccclxxxviii")  # the longest
    piece.page.set_viewport_size({"width": 390, "height": 900})
    assert piece.page.evaluate("document.body.dataset.mdColorScheme") == {"light": "default", "dark": "slate"}[scheme]
    assert piece.page.evaluate("document.documentElement.scrollWidth") == 390
    assert [found for found in violations(piece.page) if "lesson-piece" in str(found)] == []


def test_it_stops_and_goes_on_by_the_keyboard(teaching):
    piece = teaching(steps=5000)
    button = piece.element.get_by_role("button")
    button.focus()
    button.press("Enter")
    expect(button).to_have_text("Stop")
    assert piece.says() == "It is trained with 100 numerals."
    expect(piece.element.get_by_label("300", exact=True)).to_be_disabled()
    piece.page.wait_for_function("document.querySelector('lesson-piece[piece=teaching]').state.pupil.step > 5")
    button.press("Enter")
    expect(button).to_have_text("Go on")
    expect(button).to_be_focused()
    steps = state(piece)["pupil"]["step"]
    assert piece.says() == f"Stopped after {steps} steps."
    piece.page.wait_for_timeout(200)
    assert state(piece)["pupil"]["step"] == steps
    button.press("Enter")
    piece.page.wait_for_function(f"document.querySelector('lesson-piece[piece=teaching]').state.pupil.step > {steps}")
    button.press("Enter")
    piece.element.get_by_label("300", exact=True).check()  # another choice begins anew
    expect(button).to_have_text("Train it")
    assert piece.says().startswith("300 numerals are chosen.")


def test_each_choice_keeps_its_result_and_a_run_can_be_repeated(teaching):
    piece = teaching()
    first = trained(piece)["pupil"]
    piece.element.get_by_label("300", exact=True).check()
    more = trained(piece)["pupil"]
    assert more["unseen"] == first["unseen"]
    assert more["known"][:100] == first["known"]
    assert len({*more["known"], *more["unseen"]}) == 1299
    assert "?" not in row(piece, 100) + row(piece, 300)
    assert row(piece, 1000) == ["?", "?"]
    second = trained(piece)["pupil"]  # another one, which begins otherwise
    assert second["losses"] != more["losses"]
    again = trained(teaching())["pupil"]
    assert (again["losses"], again["wrote"]) == (first["losses"], first["wrote"])


def test_the_page_can_be_used_while_it_trains(teaching):
    """Training has its turn for moments only."""
    piece = teaching(steps=5000)
    piece.element.get_by_role("button").click()
    turns = piece.page.evaluate(
        """() => new Promise((resolve) => {
          let turns = 0;
          const count = () => { turns += 1; if (turns < 20) requestAnimationFrame(count); else resolve(turns); };
          count();
        })"""
    )
    assert turns == 20
    assert state(piece)["pupil"]["step"] < 200
    piece.element.get_by_label("One of yours").fill("xl")
    assert rows(piece)[-1][0] == "xl"
    piece.press("Stop")


def test_without_scripts_what_was_measured_stands_there(visit):
    first, second = visit("/learn/roman/", java_script_enabled=False).page.locator("lesson-piece[piece=teaching]").all()
    assert re.search(r"Shown 100 numerals, it reads \d+ % of these and \d % of the unseen", first.inner_text())
    assert json.loads(first.locator("script").text_content())["choices"] == COUNTS
    assert re.search(r"With sorted letters it reads \d\d\.\d % of all numerals, and as", second.inner_text())
    assert json.loads(second.locator("script").text_content())["choices"] == [3000]


@pytest.mark.parametrize("shown", [100, 1000])
def test_what_the_page_calls_measured_is_what_a_whole_training_gives(teaching, shown):
    piece = teaching(steps=1000)
    piece.element.get_by_label(f"{shown:,}", exact=True).check()
    reached = trained(piece)["results"][str(shown)]
    table = piece.page.locator("details table").filter(has_text="of 999 unseen it reads").first
    said = [
        float(cell.split()[0])
        for cell in table.locator("tr").nth(1 + COUNTS.index(shown)).locator("td").all_text_contents()[1:]
    ]
    assert 100 * reached["known"] == pytest.approx(said[0], abs=2)
    assert 100 * reached["unseen"] == pytest.approx(said[1], abs=3)


def of_3000(piece):
    """Return the two rows of the table of runs: the numerals as they are, and with their letters sorted."""
    return [one.locator("td").all_inner_texts() for one in piece.element.locator(".runs tbody tr").all()]


def test_with_sorted_letters_the_same_machine_is_trained_and_six_numerals_look_alike(teaching):
    piece = teaching(sorting=True)
    assert of_3000(piece) == [["?"] * 3] * 2
    assert piece.says() == "3,000 numerals are chosen. The machine has learnt nothing yet."
    piece.element.get_by_label(BOX).check()
    assert piece.says() == (
        "3,000 numerals are chosen, and their letters are sorted. The machine has learnt nothing yet."
    )
    pupil = trained(piece)["pupil"]
    assert pupil["sorted"] is True
    assert pupil["unseen"][:6] == SIX == [n for n in range(1, 4000) if in_order(n) == in_order(1994)]
    assert len({*pupil["known"], *pupil["unseen"]}) == 3999
    shown = rows(piece)
    assert [(read, gets) for read, gets, _, _ in shown] == [(roman(n), "ccimmvx") for n in SIX]
    assert len({wrote for _, _, wrote, _ in shown}) == 1
    assert [mark for *_, mark in shown].count("✓") <= 1
    assert piece.element.get_by_text("Six that it is never shown").count() == 1
    wrote = piece.element.evaluate("one => ['iv', 'vi', 'cdxliv', 'dclxvi'].map((text) => one.state.pupil.write(text))")
    assert (wrote[0], wrote[2]) == (wrote[1], wrote[3])
    piece.element.get_by_label(BOX).uncheck()  # begins anew, and keeps what was found
    assert piece.says() == "3,000 numerals are chosen. The machine has learnt nothing yet."
    assert of_3000(piece)[0] == ["?"] * 3
    assert "?" not in of_3000(piece)[1]
    plain = trained(piece)["pupil"]
    assert plain["sorted"] is False
    assert (plain["known"], plain["unseen"]) == (pupil["known"], pupil["unseen"])
    assert plain["losses"] != pupil["losses"]
    assert [len(row) for row in rows(piece)] == [3] * 6
    assert [wrote for _, wrote, _ in rows(piece)] == plain["wrote"]


def test_the_box_waits_while_it_trains(teaching):
    piece = teaching(steps=5000, sorting=True)
    piece.element.get_by_label(BOX).check()
    piece.element.get_by_role("button").click()
    assert piece.says() == "It is trained with 3,000 numerals, each with its letters sorted."
    expect(piece.element.get_by_label(BOX)).to_be_disabled()
    piece.press("Stop")
    expect(piece.element.get_by_label(BOX)).to_be_enabled()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_sorted_letters_are_accessible_and_fit_a_phone(teaching, scheme):
    piece = teaching(steps=25, sorting=True, color_scheme=scheme)
    piece.element.get_by_label(BOX).check()
    trained(piece)
    piece.element.get_by_label("One of yours").fill("mmmdccclxxxviii")  # the longest
    piece.page.set_viewport_size({"width": 390, "height": 900})
    assert piece.page.evaluate("document.documentElement.scrollWidth") == 390
    table = piece.element.locator(".panels table")
    assert table.evaluate("one => one.getBoundingClientRect().right") <= 390
    assert [found for found in violations(piece.page) if "lesson-piece" in str(found)] == []


def test_with_sorted_letters_a_whole_training_comes_near_to_what_is_possible(teaching):
    """And to what the page calls measured."""
    piece = teaching(steps=1000, sorting=True)
    piece.element.get_by_label(BOX).check()
    found = trained(piece)
    reached = found["results"]["3000 sorted"]
    groups = {in_order(n) for n in range(1, 4000)}
    assert len({in_order(n) for n in found["pupil"]["known"]}) >= 3000 * reached["known"]
    read = (3000 * reached["known"] + 999 * reached["unseen"]) / 3999
    possible = len(groups) / 3999
    assert possible - 0.02 < read <= possible
    assert of_3000(piece)[1] == [
        f"{100 * reached['known']:.0f} %",
        f"{100 * reached['unseen']:.0f} %",
        f"{100 * read:.1f} %",
    ]
    assert piece.says().endswith(
        f"Of all 3,999 that is {100 * read:.1f} %, and at most {100 * possible:.1f} % can be read."
    )
    assert [mark for *_, mark in rows(piece)].count("✓") == 1
    piece.element.get_by_label("One of yours").fill("mcmxciv")
    assert piece.says().startswith(
        "mcmxciv is 1994. Sorted it is ccimmvx. The machine, which has never seen it, writes 2"
    )
    table = piece.page.locator("details table").filter(has_text="of all 3,999 it reads").first
    cells = table.locator("tr").filter(has_text="letters sorted").locator("td").all_text_contents()
    said = [float(cell.split()[0]) for cell in cells[1:]]
    for measured, share, off in zip(said, (reached["known"], reached["unseen"], read), (1, 2, 0.5), strict=True):
        assert 100 * share == pytest.approx(measured, abs=off)
