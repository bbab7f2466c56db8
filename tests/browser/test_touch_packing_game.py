"""The game of the lesson on packing: twenty dates, three open rows, and programs that have packed the same dates."""

import re

import pytest
from playwright.sync_api import expect

from clear_attention import create_date_pairs

ROOM = 64
TWENTY = create_date_pairs(1000, seed=1, split="test")[0][940:960]
SIZES = [len(text) for text in TWENTY]
SIX_ROWS = "1111a1232132a12b2122132"  # where each date goes; a letter closes a row


def rows_of(moves):
    """Return the sizes in the rows that are open after these moves, and in those that are closed."""
    rows, closed, sizes = [[], [], []], [], iter(SIZES)
    for move in moves:
        if move in "abc":
            closed.append(rows["abc".index(move)])
            rows["abc".index(move)] = []
        else:
            rows[int(move) - 1].append(next(sizes))
    return rows, closed


def play(game, moves):
    for move in moves:
        if move in "abc":
            game.press(f"Close row {'abc'.index(move) + 1}")
        else:
            game.press(f"{move}: put it here")


def shares(game):
    lines = [line.inner_text().split("\t") for line in game.element.locator(".shares tbody tr").all()]
    return {line[0]: (int(line[1]), int(line[2].removesuffix(" %"))) for line in lines}


@pytest.mark.parametrize("moves", [SIX_ROWS[:3], SIX_ROWS[:11], SIX_ROWS[:-1]])
def test_the_rows_hold_what_was_dropped_there(piece, moves):
    game = piece("packing", "packing_game")
    play(game, moves)
    rows, closed = rows_of(moves)
    number = sum(move in "123" for move in moves)
    title = game.element.locator(".title").inner_text()
    assert title == f"Date {number + 1} of 20, {SIZES[number]} letters: {TWENTY[number]}"
    for row, shown in zip(rows, game.element.locator(".open").all(), strict=True):
        left = ROOM - sum(row)
        bars = shown.locator("rect.grip").evaluate_all("all => all.map((bar) => (bar.width.baseVal.value + 1) / 10)")
        assert bars == row
        fits = left >= SIZES[number]
        assert shown.locator(".hint").inner_text() == f"{left} place{'' if left == 1 else 's'} left"
        assert shown.locator("button").first.is_enabled() == fits
        assert shown.locator(".ghost").count() == fits
        assert shown.get_by_role("button", name="Close").is_enabled() == bool(row)
    lost = ROOM * len(closed) - sum(map(sum, closed))
    told = f"Closed rows: {len(closed)}, with {lost} places of padding." if closed else "No row is closed yet."
    assert game.says().startswith(told)


def test_six_rows_can_be_reached_and_nobody_does_with_fewer(piece):
    game = piece("packing", "packing_game")
    play(game, SIX_ROWS)
    rows, closed = rows_of(SIX_ROWS)
    assert len(closed) + sum(map(bool, rows)) == 6 == -(-sum(SIZES) // ROOM)
    assert game.says() == "You took 6 rows. Nobody can do with fewer!"
    told = {"you": 384, "one open row": 512, "all rows stay open": 448, "sorted, by fours": 404}
    expected = {name: (places, round(100 * (1 - sum(SIZES) / places))) for name, places in told.items()}
    assert shares(game) == expected
    game.press("Start again")
    assert game.element.locator(".title").inner_text().startswith("Date 1 of 20")


def test_it_is_played_with_keys_alone_and_a_full_row_takes_no_more(piece):
    game = piece("packing", "packing_game")
    game.element.get_by_role("button", name="1: put it here").focus()
    for _ in range(4):
        game.page.keyboard.press("1")
    full = game.element.get_by_role("button", name="1: put it here")
    expect(full).to_be_disabled()
    game.page.keyboard.press("1")
    assert game.element.locator(".title").inner_text().startswith("Date 5 of 20")
    for _ in range(60):  # the first row that has room, or the first is closed
        if not game.element.locator("[data-key]").count():
            break
        enabled = game.element.locator("[data-key]:enabled")
        if enabled.count():
            game.page.keyboard.press(enabled.first.get_attribute("data-key"))
        else:
            assert "This date fits nowhere." in game.says()
            game.element.get_by_role("button", name="Close row 1").focus()
            game.page.keyboard.press("Enter")
    assert re.fullmatch(r"You took \d rows\. Can you do with \d\?", game.says())
    assert game.element.evaluate("(one) => one.shadowRoot.activeElement.textContent") == "Start again"


def test_a_date_can_be_dropped_into_the_row_itself(piece):
    game = piece("packing", "packing_game")
    game.element.locator(".ghost").nth(1).click()
    assert game.element.locator(".open").nth(1).locator("rect.grip").count() == 1


def test_six_rows_are_shown_to_who_has_played_and_wants_to_see_them(piece, visit):
    game = piece("packing", "packing_game")
    show = game.element.get_by_role("button", name="Show 6 rows")
    play(game, SIX_ROWS[:-1])
    expect(show).to_have_count(0)
    play(game, SIX_ROWS[-1])
    show.click()
    expect(game.element.locator(".title")).to_contain_text("Date 4 of 20")  # they come one after the other
    expect(game.element.locator(".says")).to_have_text("These are 6 rows. Nobody can do with fewer!", timeout=20_000)
    assert shares(game)["shown"] == (384, round(100 * (1 - sum(SIZES) / 384)))
    expect(show).to_be_visible()
    page = visit("/learn/packing/", reduced_motion="reduce").page
    still = page.locator("lesson-piece[piece=packing_game]")
    for move in SIX_ROWS:
        name = f"{move}: put it here" if move in "123" else f"Close row {'abc'.index(move) + 1}"
        still.get_by_role("button", name=name, exact=True).click()
    still.get_by_role("button", name="Show 6 rows").click()  # at once
    assert still.locator(".says").inner_text() == "These are 6 rows. Nobody can do with fewer!"
