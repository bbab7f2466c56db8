"""The piece of the feed-forward network in which six alarms know six products, and none without the ReLU."""

import itertools
import re

import pytest
from playwright.sync_api import expect

PAIRS = list(itertools.combinations((5, 6, 7, 8), 2))


def name(digit):
    return f"{'an' if digit == 8 else 'a'} {digit}"


def loudness(*found, relu=True):
    heard = [sum(digit in found for digit in pair) - 1 for pair in PAIRS]
    return [max(0, h) if relu else h for h in heard]


def find(ringing, *found):
    """Switch everything off, and then these digits on."""
    pressed = ringing.element.locator("button[aria-pressed=true]")
    while pressed.count():
        pressed.first.click()
    for digit in found:
        ringing.press(name(digit))


def says(ringing):
    return int(re.search(r"the alarms say (-?\d+)", ringing.says())[1])


@pytest.mark.parametrize("relu", [True, False])
def test_the_alarms_answer_what_the_matrices_say(piece, relu):
    ringing = piece("feed_forward", "ringing")
    if not relu:
        ringing.element.get_by_label("ReLU").press("Space")
    for found in [(), (5,), (7,), (8,), *PAIRS]:
        find(ringing, *found)
        loud = loudness(*found, relu=relu)
        said = sum(h * a * b for h, (a, b) in zip(loud, PAIRS, strict=True))
        drawn = ringing.element.locator("svg text").filter(has_text=" · ").all_text_contents()
        assert drawn == [f"{h} · {a * b}".replace("-", "−") for h, (a, b) in zip(loud, PAIRS, strict=True)]
        assert says(ringing) == said
        if len(found) == 2:
            assert (f"say {said}: wrong" in ringing.says()) != relu
    if not relu:
        assert ringing.says().endswith("Tried without the ReLU: 6 of 6 products, 0 right.")


def test_an_8_changes_a_plain_sum_always_by_the_same(piece):
    ringing = piece("feed_forward", "ringing")
    ringing.element.get_by_label("ReLU").uncheck()
    for others in ((), (5,), (7,)):
        find(ringing, *others)
        before = says(ringing)
        ringing.press("an 8")
        assert says(ringing) - before == 144


def test_a_third_digit_takes_the_place_of_the_oldest(piece):
    ringing = piece("feed_forward", "ringing")
    ringing.press("an 8")
    assert ringing.says() == "7 times 8 is 56, and the alarms say 56."
    ringing.element.locator("svg g[data-do=found]").first.click()
    assert ringing.says() == "5 times 8 is 40, and the alarms say 40."
    button = ringing.element.get_by_role("button", name="an 8", exact=True)
    button.focus()
    ringing.page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert ringing.says() == "A 5 alone: the alarms say 0."
    ringing.press("Start again")
    assert ringing.says() == "A 7 alone: the alarms say 0."
