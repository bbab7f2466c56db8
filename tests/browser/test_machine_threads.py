"""Threads in the small machine: from the letter that is written to those that it looks at, as thick as the weights."""

import numpy as np
import pytest

import trained
from clear_attention import date_tokenizers

PATHS = """paths => paths.map((path) => ({
    d: path.getAttribute("d").match(/-?\\d+/g).map(Number),
    thick: +path.getAttribute("stroke-width"),
}))"""
MIDDLES = """letters => letters.map((letter) => {
    const { left, width } = letter.getBoundingClientRect();
    return left + width / 2;
})"""


@pytest.fixture(scope="module")
def looks():
    """Return where the machine looks for each letter of 2018-05-03, and what is at which place of the text."""
    model, _ = trained.load("dates")
    source, target = date_tokenizers()
    given = target.encode(["2018-05-03"])[:, :-1]
    weights = model(source.encode(["3.5.2018"]), given, return_weights=True).weights["decoder.0.cross"]
    return weights[0].numpy().mean(axis=0)[:, :8]


@pytest.fixture
def small(visit):
    page = visit("/", reduced_motion="reduce").page
    machine = page.locator("date-machine")
    machine.get_by_role("textbox").focus()
    page.wait_for_function("document.querySelector('date-machine').result")
    machine.get_by_role("textbox").fill("3.5.2018")
    return machine


def drawn(machine):
    svg = machine.locator(".box > svg.threads:not(.within)")
    left = svg.evaluate("svg => svg.getBoundingClientRect().left")
    return left, svg.locator("path").evaluate_all(PATHS)


def letters(machine, name):
    return machine.get_by_role("group", name=name).locator("button.letter").evaluate_all(MIDDLES)


@pytest.mark.parametrize("at", [6, 9])
def test_threads_are_as_thick_as_the_weights(small, looks, at):
    small.locator(f'[data-do=point][data-value="answer {at}"]').click()
    left, paths = drawn(small)
    shares = looks[at] / looks[at].max()
    np.testing.assert_allclose([path["thick"] for path in paths], np.where(shares < 0.08, 0, 7 * shares), atol=0.06)
    begins, ends = np.array([[path["d"][0], path["d"][6]] for path in paths]).T + left
    np.testing.assert_allclose(begins, letters(small, "The answer")[at], atol=1)
    np.testing.assert_allclose(ends, letters(small, "The text it reads"), atol=1)


def test_below_the_text_stands_where_its_letter_had_looked(small):
    model, _ = trained.load("dates")
    source, target = date_tokenizers()
    given = target.encode(["2018-05-03"])[:, :-1]
    weights = model(source.encode(["3.5.2018"]), given, return_weights=True).weights["encoder.0"]
    weights = weights[0].numpy().mean(axis=0)[:8, :8]
    within = small.locator(".box > svg.threads.within path")
    for press, letter in (("answer 9", 0), ("source 2", 2)):  # the day's 3, for which it looked at the 3; and the 5
        small.locator(f'[data-do=point][data-value="{press}"]').click()
        thick = [path["thick"] for path in within.evaluate_all(PATHS)]
        others = np.where(np.arange(8) == letter, 0, weights[letter])
        shares = others / others.max()
        np.testing.assert_allclose(thick, np.where(shares < 0.4, 0, 7 * shares), atol=0.06)


def test_marks_between_words_are_named_where_the_thread_is_thick(small):
    small.get_by_role("textbox").fill("3/5/2018")
    small.locator('[data-do=point][data-value="answer 7"]').click()
    assert "It looked at “/” (49 %)" in small.locator(".says").inner_text()


def test_who_types_while_it_writes_sees_the_letter_that_was_chosen(visit):
    page = visit("/").page
    machine = page.locator("date-machine")
    machine.get_by_role("textbox").focus()
    page.wait_for_function("document.querySelector('date-machine').shown === 3")
    machine.get_by_role("textbox").fill("3.5.2018")
    assert machine.evaluate("m => [m.state.side, m.state.at, m.running]") == ["answer", 6, None]


def test_a_letter_of_the_text_is_joined_to_those_that_looked_at_it(small, looks):
    small.locator('[data-do=point][data-value="source 2"]').click()
    left, paths = drawn(small)
    assert len(paths) == 11
    column = looks[:, 2]
    loud = column[:10] > 0.2 * column.max()
    thick = np.array([path["thick"] for path in paths])[:10]
    np.testing.assert_allclose(thick[loud] / thick[loud].max(), column[:10][loud] / column[:10][loud].max(), atol=0.02)
    assert paths[0]["d"][0] + left == pytest.approx(letters(small, "The text it reads")[2], abs=1)


def test_they_stay_at_their_letters_on_a_phone(small):
    small.page.set_viewport_size({"width": 390, "height": 800})
    small.page.wait_for_function(
        """() => {
            const { shadowRoot } = document.querySelector("date-machine");
            const svg = shadowRoot.querySelector("svg.threads").getBoundingClientRect();
            const letter = shadowRoot.querySelector("[data-value='source 0']").getBoundingClientRect();
            const ends = shadowRoot.querySelector("svg.threads path").getAttribute("d").match(/-?\\d+/g).map(Number);
            return Math.abs(ends[6] + svg.left - letter.left - letter.width / 2) < 2;
        }"""
    )


def test_the_still_picture_has_them_too(visit):
    page = visit("/").page
    paths = page.locator("date-machine > svg.threads:not(.within) path").evaluate_all(PATHS)
    thick = [path["thick"] for path in paths]
    assert len(thick) == 8
    assert np.argmax(thick) == 0  # the 3, from which the month is read
    assert thick[0] == 7
    within = page.locator("date-machine > svg.threads.within path").evaluate_all(PATHS)
    assert {*np.argsort([path["thick"] for path in within])[-2:]} == {1, 3}  # the slashes
