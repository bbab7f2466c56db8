"""Two pieces of the date machine in its first lesson: vectors that are exchanged, and texts that fool it."""

import numpy as np
import pytest
from playwright.sync_api import expect

import trained
from clear_attention import beam_search, date_tokenizers

SOURCE, TARGET = date_tokenizers()
MAY, JUNE = "thursday 3rd of may 2018", "thursday 3rd of jun 2018"
SAME = [j for j in range(len(MAY)) if MAY[j] == JUNE[j]]


@pytest.fixture(scope="module")
def model():
    return trained.load("dates")[0]


@pytest.fixture
def machine(visit):
    def open_piece(kind):
        page = visit("/learn/reading_dates/").page
        found = page.locator(f"date-machine[piece={kind}]")
        found.scroll_into_view_if_needed()
        page.mouse.move(5, 5)
        page.mouse.move(9, 9)  # whoever moves comes near
        page.wait_for_function(f"document.querySelector('date-machine[piece={kind}]').result")
        return found

    return open_piece


def answer(machine):
    return "".join(machine.locator(".wrote > b").all_inner_texts()).rstrip("▪")


def written(model, places):
    """Return what is written if the vectors at these places come from June, and the probability of it all."""
    ids = SOURCE.encode([MAY, JUNE])
    may, june = model.encode(ids).output.numpy()
    may[places] = june[places]
    letters, sure = np.full((1, 1), model.start_id), 1.0
    while letters.shape[1] < 12 and letters[0, -1] != model.end_id:
        logits = model.decode(letters, may[None], model.source_mask(ids[:1])).output.numpy()[0, -1]
        logits[[0, model.start_id]] = -np.inf
        chances = np.exp(logits - logits.max())
        sure *= chances.max() / chances.sum()
        letters = np.append(letters, [[chances.argmax()]], axis=1)
    return TARGET.decode(letters)[0], 100 * sure


def percent(machine):
    return float(machine.locator(".sure b").inner_text().split()[0])


class TestExchange:
    @pytest.mark.parametrize("places", [[], [10], [18], [16], [17, 18], [16, 18], [16, 17, 18], [0, 10, 20]])
    def test_it_writes_what_keras_writes_from_these_vectors(self, machine, model, places):
        piece = machine("exchange")
        for place in places:
            piece.locator(".pair").nth(place).click()
        date, sure = written(model, places)
        assert answer(piece) == date
        assert percent(piece) == pytest.approx(sure, abs=0.2)
        pressed = piece.locator(".pair").evaluate_all("all => all.map((one) => one.ariaPressed === 'true')")
        assert np.flatnonzero(pressed).tolist() == places

    def test_one_letter_is_enough_and_all_others_are_not(self, machine):
        piece = machine("exchange")
        says = piece.locator(".says")
        piece.get_by_role("button", name="All but the month").click()
        assert piece.locator(".pair[aria-pressed=true]").count() == len(SAME)
        expect(says).to_have_text(f"{len(SAME)} letters exchanged, and still May.")
        piece.get_by_role("button", name="Put all back").click()
        piece.locator(".pair").nth(17).focus()
        piece.page.keyboard.press("ArrowLeft")
        piece.page.keyboard.press("Space")
        expect(says).to_have_text("June! The vector of the “m” alone was enough.")
        assert piece.locator(".wrote > .changed").all_inner_texts() == ["6"]
        assert "June: 100 %" in piece.get_by_role("img").get_attribute("aria-label")
        expect(piece.locator(".tug + .hint")).to_have_text("All others together: 0 %")


class TestFool:
    def test_trophies_are_won_by_texts_that_are_no_dates(self, machine, model):
        piece = machine("fool")
        field, says = piece.get_by_label("A text that is no date"), piece.locator(".says")
        expect(field).to_have_value("banana")  # a text that is none stands there
        field.fill("3 may 2018")
        field.press("Enter")
        expect(says).to_have_text("That is a date. Find a text that is none.")
        tries = {
            "cheese": "put it where the month stands",
            "easter 2018": "It is only 96.",
            "30 february 2018": "sure of 2018-02-30. It has no word for no.",
            "30 february 1999": "You have this trophy. Try another kind, or another word.",
            "thursday 3rd of banana 2018": "sure of 2018-02-03. It has no word for no.",
            "monday 3rd of simon 2018": "It has no word for no.",
            "3 may may 2018": "this page cannot tell that your text is no date",
        }
        for won, (text, said) in zip((0, 0, 1, 1, 2, 3, 3), tries.items(), strict=True):
            field.fill(text)
            expect(says).to_have_text("Over 99 % wins a trophy.")
            piece.get_by_role("button", name="Is it fooled?").click()
            expect(says).to_contain_text(said)
            assert piece.locator(".won").count() == won
            best = beam_search(model, SOURCE.encode([text]), 12, width=1, length_penalty=0.0, jit_compile=False)
            assert percent(piece) == pytest.approx(100 * np.exp(float(best.scores[0, 0])), abs=0.2)
            assert answer(piece) == TARGET.decode(best.ids[:, 0])[0]

    def test_how_sure_it_is_grows_with_the_letters_at_the_top(self, machine):
        piece = machine("small")
        expect(piece.locator(".verdict")).to_have_text("Right.")
        steps = piece.evaluate("m => m.result.steps.map(({ chance }) => chance)")
        assert percent(piece) == pytest.approx(100 * np.prod(steps), abs=0.11)


def test_without_scripts_three_exchanges_and_one_text_stand_there(visit):
    page = visit("/learn/reading_dates/", java_script_enabled=False).page
    rows = page.locator("date-machine[piece=exchange] tbody tr").all_inner_texts()
    assert [row.split()[-1] for row in rows] == ["2018-05-03", "2018-05-03", "2018-06-03"]
    assert page.locator("date-machine[piece=fool] tbody").inner_text().startswith("banana")
