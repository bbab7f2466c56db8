"""The piece of the feed-forward network in which a reader sets the numbers of two alarms until a table is right."""

import itertools

import pytest
from playwright.sync_api import expect

CASES = ((0, 0), (1, 0), (0, 1), (1, 1))
PARTS = ("a 7 adds", "an 8 adds", "bias", "vote")
START = [[1, 1, -1, 1], [0, 0, 0, 0]]


@pytest.fixture
def wiring(piece):
    return piece("feed_forward", "wiring")


def put(wiring, alarms, begin=None):
    """Press until both alarms have these numbers; they begin silent, unless told."""
    if begin is None:
        wiring.press("Silence both alarms")
        begin = [[0] * 4] * 2
    for n, (alarm, before) in enumerate(zip(alarms, begin, strict=True), 1):
        for part, value, old in zip(PARTS, alarm, before, strict=True):
            name = f"alarm {n}, {part}: {'more' if value > old else 'less'}"
            for _ in range(abs(value - old)):
                wiring.element.get_by_role("button", name=name, exact=True).click()


def answers(alarms):
    return [sum(v * max(0, w * a + u * b + bias) for w, u, bias, v in alarms) for a, b in CASES]


def shown(wiring):
    texts = wiring.element.locator("tbody td.text").all_inner_texts()
    return [int(text[1:].replace("−", "-")) for text in texts], [text[0] for text in texts]


def test_one_alarm_reaches_three_answers_and_two_reach_all(wiring):
    assert shown(wiring) == ([0, 0, 0, 1], ["✓", "✗", "✗", "✗"])
    assert wiring.says() == "1 of 4 answers is right."
    counts = [[1, 1, 0, 1], [0, 0, 0, 0]]
    put(wiring, counts, begin=START)
    assert shown(wiring)[0] == answers(counts) == [0, 1, 1, 2]
    assert wiring.says() == "3 of 4 answers are right."
    assert not wiring.page.locator("p.unveiled").count()
    both = [[1, 1, 0, 1], [1, 1, -1, -2]]
    put(wiring, both, begin=counts)
    assert shown(wiring) == ([0, 1, 1, 0], ["✓"] * 4)
    assert wiring.says() == "All four answers are right. Tables that you have made: 1 of 16."
    assert wiring.page.locator("p.unveiled").count() == 1  # what the page tells of it waited
    loud = wiring.element.locator("tbody td:is(.rings, .soft)").all_inner_texts()
    assert loud == ["0 · 1", "0 · −2", "1 · 1", "0 · −2", "1 · 1", "0 · −2", "2 · 1", "1 · −2"]


@pytest.mark.parametrize(
    "alarms",
    [
        [[1, -1, 0, 1], [-1, 1, 0, 1]],  # one for each case
        [[-1, -1, 2, 1], [-2, -2, 1, -2]],  # one that takes "neither" away
    ],
)
def test_there_are_other_ways(wiring, alarms):
    put(wiring, alarms)
    assert shown(wiring)[0] == answers(alarms) == [0, 1, 1, 0]


def test_a_reader_sets_a_table_and_each_counts_once(wiring):
    wanted = wiring.element.locator("button[data-do=want]")
    for place in (1, 2, 3):
        wanted.nth(place).press("Enter")
    expect(wanted).to_have_text(["0", "0", "0", "1"])
    assert wiring.says() == "All four answers are right. Tables that you have made: 1 of 16."
    wiring.press("Silence both alarms")
    assert wiring.says() == "3 of 4 answers are right. Tables that you have made: 1 of 16."
    wanted.nth(3).click()
    assert wiring.says() == "All four answers are right. Tables that you have made: 2 of 16."
    wanted.nth(0).click()
    wanted.nth(0).click()
    assert wiring.says().endswith("made: 2 of 16.")
    wiring.press("Start again")
    assert wiring.says() == "1 of 4 answers is right."


def test_a_number_stops_at_two(wiring):
    more = wiring.element.get_by_role("button", name="alarm 1, a 7 adds: more", exact=True)
    expect(more).to_have_attribute("aria-disabled", "false")
    more.click()
    expect(more).to_have_attribute("aria-disabled", "true")
    before = shown(wiring)
    more.press("Enter")
    assert shown(wiring) == before
    expect(more).to_be_focused()


def test_one_alarm_makes_ten_tables_and_two_make_all():
    one = {tuple(answers([alarm])) for alarm in itertools.product(range(-2, 3), repeat=4)}
    tables = set(itertools.product((0, 1), repeat=4))
    assert len(tables & one) == 10
    assert tables <= {tuple(map(sum, zip(a, b, strict=True))) for a, b in itertools.product(one, one)}
    assert max(sum(x == y for x, y in zip(found, (0, 1, 1, 0), strict=True)) for found in one) == 3


def test_without_scripts_a_table_stands_there(visit):
    page = visit("/learn/feed_forward/", java_script_enabled=False).page
    assert page.locator("lesson-piece[piece=wiring] tbody tr").count() == 4
