"""Pieces of the lesson on the feed-forward network: alarms that vote for an answer, and tables that need few ramps."""

import itertools
import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

LEVELS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.fixture
def votes(piece):
    found = piece("feed_forward", "votes")
    found.state = json.loads(found.element.locator("script").text_content())
    return found


def read(state, name):
    """Return the numbers of a part of the network."""
    levels = np.array([LEVELS.index(sign) for sign in state[name]["signs"]])
    return ((levels / 31.5 - 1) * state[name]["most"]).reshape(-1, state[name]["wide"])


def election(state, before, here):
    """Return the answers' own sums, each alarm's votes, and which alarms ring, the loudest first."""
    comes = read(state, "comes")[26 * before + here]
    loud = np.maximum(0, comes @ read(state, "hears") + state["biases"])
    ringing = [one for one in np.argsort(-loud) if loud[one] > 0]
    return comes @ read(state, "own") + state["given"], loud[:, None] * read(state, "votes"), ringing


def leads(votes):
    return re.search("most votes go to (.)", votes.says())[1]


def test_the_largest_sum_of_the_votes_that_are_heard_wins(votes):
    state = votes.state
    assert not votes.page.locator("p.unveiled").count()
    for before, here in ((7, 8), (0, 25), (16, 13)):
        votes.element.get_by_label("letter before").select_option(str(before))
        votes.element.get_by_label("letter here").select_option(str(here))
        alone, cast, ringing = election(state, before, here)
        right = state["table"][26 * before + here]
        for heard in (0, 1, 5, 20, len(ringing)):
            votes.slide("alarms heard", heard)
            wins = state["letters"][np.argmax(alone + cast[ringing[:heard]].sum(axis=0))]
            assert leads(votes) == wins
            assert votes.says().endswith("is right." if wins == right else f"is wrong: the table says {right}.")
            assert votes.element.locator(".votes [data-leads=true]").count() == 1
            led = [np.argmax(alone + cast[ringing[:n]].sum(axis=0)) for n in range(heard + 1)]
            led = [state["letters"][one] for one, _ in itertools.groupby(led)]
            assert votes.element.locator("p:has-text('In the lead so far') b").all_inner_texts() == led
            if heard:
                assert f"{heard} of the {len(ringing)} alarms that ring" in votes.says()
            told = votes.page.locator("p.unveiled").count()
            assert told == (heard == len(ringing) or (before, here) != (7, 8))  # when all were heard for once


def test_nearly_every_pair_of_letters_ends_with_the_right_answer(votes):
    state = votes.state
    ends = []
    for pair, right in enumerate(state["table"]):
        alone, cast, _ = election(state, *divmod(pair, 26))
        ends.append(state["letters"][np.argmax(alone + cast.sum(axis=0))] == right)
    assert len(ends) == 676
    assert np.mean(ends) > 0.97


def test_an_alarm_can_be_silenced_and_rings_again(votes):
    alone, cast, ringing = election(votes.state, 7, 8)
    count = len(ringing)
    votes.slide("alarms heard", count)
    for silenced in range(1, 4):
        votes.press("Silence the loudest")
        wins = np.argmax(alone + cast[ringing[silenced:]].sum(axis=0))
        assert leads(votes) == votes.state["letters"][wins]
        assert f"{count - silenced} of the {count} alarms that ring are heard, and {silenced} " in votes.says()
    cell = votes.element.locator(f".bells [data-value='{ringing[0]}']")
    expect(cell).to_have_attribute("aria-pressed", "true")
    cell.click()
    expect(cell).to_have_attribute("aria-pressed", "false")
    assert f"{count - 2} of the {count} alarms that ring are heard, and 2 are silenced" in votes.says()
    votes.press("Start again")
    assert votes.says().startswith("No alarm is heard, so only the letters themselves vote.")


def test_a_random_half_can_be_silenced(votes):
    alone, cast, ringing = election(votes.state, 7, 8)
    for _ in range(3):
        votes.press("Silence a random half")
        off = votes.element.locator(".bells [aria-pressed=true]").evaluate_all(
            "all => all.map((a) => +a.dataset.value)"
        )
        assert len(set(off)) == 64
        left = [one for one in ringing if one not in off]
        assert leads(votes) == votes.state["letters"][np.argmax(alone + cast[left].sum(axis=0))]
        assert f"{len(left)} of the {len(ringing)} alarms that ring are heard" in votes.says()


def test_the_alarm_that_is_heard_last_is_reached_by_the_keyboard(votes):
    _, _, ringing = election(votes.state, 7, 8)
    votes.slide("alarms heard", 3)
    last = votes.element.locator(".bells [tabindex='0']")
    expect(last).to_have_attribute("data-value", str(ringing[2]))
    last.focus()
    votes.page.keyboard.press("Enter")
    assert f"2 of the {len(ringing)} alarms that ring are heard, and 1 is silenced" in votes.says()


def test_alarms_ring_by_themselves(votes):
    votes.press("Let them ring")
    expect(votes.element.get_by_role("button", name="Stop")).to_be_visible()
    expect(votes.slider("alarms heard")).not_to_have_value("0")
    votes.press("Stop")
    expect(votes.element.get_by_role("button", name="Let them ring")).to_be_visible()
    votes.press("Another pair")
    assert leads(votes) in votes.state["letters"]


def test_without_scripts_the_votes_stand_in_a_table(visit):
    page = visit("/learn/feed_forward/", java_script_enabled=False).page
    table = page.locator("lesson-piece[piece=votes] table")
    assert table.locator("tbody tr").count() > 5
    first, last = (table.locator("tbody tr").nth(n).locator("td").all_inner_texts() for n in (0, -1))
    assert float(first[0]) < float(first[1])
    assert float(last[0]) > float(last[1])
