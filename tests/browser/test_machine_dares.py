"""The dares below the date machine: each can be met, says what is missing, and is remembered."""

import json

import pytest
from playwright.sync_api import expect

import trained
from clear_attention import create_date_pairs, date_tokenizers, greedy_search

SOURCE, TARGET = date_tokenizers()
KEPT = "JSON.parse(localStorage.getItem('clear-attention exercises'))"


@pytest.fixture
def machine(visit):
    page = visit("/machine/").page
    page.wait_for_function("document.querySelector('date-machine').result")
    return page.locator("date-machine")


def dare(machine, beginning):
    """Press the button of a dare, and return what is said."""
    machine.locator(".dares li", has_text=beginning).get_by_role("button").click()
    return machine.locator(".heard").inner_text()


def read(machine, text):
    machine.get_by_label("A date, as you write it").fill(text)


def read_wrong(name="dates", right=False):
    """Unseen dates that a trained machine reads wrong (or right)."""
    texts, dates = create_date_pairs(4000, seed=3, split="test")
    model, _ = trained.load(name)
    answers = TARGET.decode(greedy_search(model, SOURCE.encode(texts), max_length=11))
    return [text for text, date, answer in zip(texts, dates, answers, strict=True) if (answer == date) == right]


def test_a_day_that_no_calendar_has(machine):
    assert dare(machine, "Make the whole machine write") == "Not yet. There is a day 2018-05-03."
    read(machine, "february 30th, 2018")
    assert dare(machine, "Make the whole machine write") == "Met!"
    assert machine.page.evaluate(KEPT)["dares"] == ["calendar"]
    expect(machine.locator(".dares")).to_contain_text("no calendar has. Met.")
    machine.page.reload()
    expect(machine.locator(".dares li.met")).to_have_count(1)


def test_no_digit_and_not_sure(machine):
    assert dare(machine, "Give it a text without any digit") == "Not yet. There is a digit in your text."
    assert dare(machine, "Make it less than half sure").startswith("Not yet. It is 9") or "100 %" in dare(
        machine, "Make it less than half sure"
    )
    said = set()
    for text in (
        "may",
        "sunday, march",
        "friday, may",
        "january",
        "september",
        "the third of march",
        "august, november",
    ):
        read(machine, text)
        said |= {(kind, dare(machine, kind)) for kind in ("Give it a text without any digit", "Make it less than half")}
    assert {kind for kind, answer in said if answer == "Met!"} == {
        "Give it a text without any digit",
        "Make it less than half",
    }


def test_a_hidden_letter_and_heads_that_are_off(machine):
    assert "Hide one letter, and change nothing else." in dare(machine, "Hide one letter")
    letters = machine.locator("[data-do=hide]")
    for i in range(letters.count()):
        letters.nth(i).click()
        said = dare(machine, "Hide one letter")
        if said == "Met!":
            break
        letters.nth(i).click()
    assert said == "Met!"
    assert "Put it together again first" in dare(machine, "Make it less than half sure")
    machine.get_by_role("button", name="Put it together again").click()
    assert "Switch off four heads or more" in dare(machine, "Switch off four heads")
    heads = machine.get_by_role("button", name="switch off head")
    switched = []
    for i in range(heads.count()):  # one after the other, if the answer stands it
        heads.nth(i).click()
        if machine.evaluate("element => element.result.answer === element.means"):
            switched.append(i)
        else:
            heads.nth(i).click()
        if len(switched) == 4:
            break
    assert dare(machine, "Switch off four heads") == "Met!"


def test_a_bag_of_letters_and_the_hard_one(machine):
    assert dare(machine, "Take the machine without positions") == "Not yet. Choose the machine without positions."
    machine.locator("[data-field=sibling]").select_option("dates-no-positions")
    read(machine, read_wrong("dates-no-positions", right=True)[0])
    assert dare(machine, "Take the machine without positions") == "Met!"
    machine.get_by_role("button", name="Put it together again").click()
    assert dare(machine, "The hard one") == "Not yet. It reads this one right."
    read(machine, "no date")
    assert dare(machine, "The hard one") == "Not yet. It has not learnt this form."
    read(machine, read_wrong()[0])
    assert dare(machine, "The hard one") == "Met!"


def test_the_last_of_seven(machine):
    names = ["no-digit", "unsure", "hidden", "heads", "bag", "misread"]
    machine.page.evaluate(f"localStorage.setItem('clear-attention exercises', '{json.dumps({'dares': names})}')")
    machine.page.reload()
    read(machine, "february 30th, 2018")
    assert dare(machine, "Make the whole machine write") == "Met, and with it all seven."
    expect(machine).to_contain_text("7 of 7 met.")
    assert {*machine.page.evaluate(KEPT)["dares"]} == {*names, "calendar"}
