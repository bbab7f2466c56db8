"""The lesson on masks: the same date in more and more places, read with a padding mask and without one."""

import numpy as np
import pytest
from playwright.sync_api import expect

import trained
from clear_attention import date_tokenizers, greedy_search

SOURCE, TARGET = date_tokenizers()


@pytest.fixture
def machine(visit):
    page = visit("/learn/masks/").page
    machine = page.locator("date-machine[piece=places]")
    machine.scroll_into_view_if_needed()
    page.mouse.move(300, 300)
    page.wait_for_function("document.querySelector('date-machine[piece=places]').result")
    return machine


def written(machine):
    return [row.locator(".strip > *").all_inner_texts() for row in machine.locator(".reads").all()]


def read(name, text, places):
    model, _ = trained.load(name)
    ids = SOURCE.encode([text], length=places)
    return [*TARGET.decode(greedy_search(model, ids, max_length=11, jit_compile=False))[0]]


@pytest.mark.parametrize("places", [34, 60, 100])
def test_both_machines_read_as_the_trained_ones_do(machine, places):
    machine.get_by_role("slider", name="Places").fill(str(places))
    told, untold = written(machine)
    assert told == read("dates-brief", "22.12.1960", places) == [*"1960-12-22"]
    assert untold == read("dates-padding-seen", "22.12.1960", places)
    wrong = [i for i, letter in enumerate(untold) if letter != told[i]]
    assert machine.locator(".reads .bad").count() == len(wrong)
    assert bool(wrong) == (places == 100)
    assert machine.locator(".batch .empty").count() == places - 10
    assert f"stand {places - 10} empty places" in machine.locator(".says").inner_text()


def test_a_text_that_is_no_date_is_not_judged(machine):
    field = machine.get_by_role("textbox")
    assert machine.locator(".reads .tick").count() == 2
    field.fill("banana")
    assert not machine.locator(".reads :is(.tick, .cross)").count()
    assert "so it only compares: the two machines write" in machine.locator(".says").inner_text()
    assert not machine.locator(".trail :is(.right, .wrong)").count()
    field.fill("3.5.2018")  # in no form of the training, but a date
    assert machine.locator(".reads :is(.tick, .cross)").count() == 2


@pytest.mark.parametrize(("places", "letter"), [(34, 5), (100, 5), (100, 2)])
def test_the_meter_shares_the_weight_between_letters_and_emptiness(machine, places, letter):
    machine.get_by_role("slider", name="Places").fill(str(places))
    machine.locator(".reads button").nth(letter).press("Enter")
    expect(machine.locator(".reads button").nth(letter)).to_have_attribute("aria-pressed", "true")
    model, _ = trained.load("dates-padding-seen")
    ids = SOURCE.encode(["22.12.1960"], length=places)
    given = TARGET.encode(["".join(written(machine)[1])])[:, :-1]
    maps = model((ids, given), return_weights=True).weights["decoder.0.cross"].numpy()
    letters = round(100 * float(maps[0, :, letter, :10].sum(axis=-1).mean()))
    shown = machine.locator(".meter p").inner_text().split()
    assert [int(x) for x in shown if x.isdigit()] == [letters, 100 - letters]
    cells = machine.locator(".batch .letter-of")
    much = cells.evaluate_all("all => all.map((cell) => +cell.style.getPropertyValue('--much'))")
    weights = maps[0, :, letter, :10].mean(axis=0)
    np.testing.assert_allclose(much, np.minimum(np.sqrt(weights / 0.25), 1), atol=2e-3)


def test_what_was_tried_leaves_a_trail_until_the_text_changes(machine):
    slider = machine.get_by_role("slider", name="Places")
    slider.fill("100")
    expect(machine.locator(".trail .wrong")).to_have_count(1)
    expect(machine.locator(".trail .right")).to_have_count(1)  # where it began
    machine.get_by_label("A date, as you write it").fill("5 july 1969")
    expect(machine.locator(".trail .right, .trail .wrong")).to_have_count(1)
    assert "".join(written(machine)[0]) == "1969-07-05"


def test_a_long_text_has_no_fewer_places_than_letters(machine):
    machine.get_by_label("A date, as you write it").fill("thursday, the 3rd of may of the year 2018")
    expect(machine.get_by_role("slider", name="Places")).to_have_attribute("min", "41")
    assert machine.locator(".batch .empty").count() == 0
