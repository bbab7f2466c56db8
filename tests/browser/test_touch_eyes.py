"""A game in the lesson on heads: which letter are the four heads writing?"""

import json

import numpy as np
import pytest
from playwright.sync_api import expect

import trained
from clear_attention import date_tokenizers

SOURCE, TARGET = date_tokenizers()


@pytest.fixture
def game(piece):
    return piece("multi_head", "eyes")


def rounds(game):
    return json.loads(game.element.locator("script").text_content())["rounds"]


def boxes(game):
    return game.element.locator(".answer button[data-do=guess]")


def play(game, all_rounds, right=True):
    for i, asked in enumerate(all_rounds):
        boxes(game).nth(asked["place"] if right else (asked["place"] + 1) % 10).click()
        yield asked
        if i < len(all_rounds) - 1:
            game.press("Next date")


def test_the_bars_are_the_weights_of_the_trained_machine(game):
    model, _ = trained.load("dates")
    for asked in play(game, rounds(game)[:10]):
        text, answer, place = asked["text"], asked["answer"], asked["place"]
        ids = SOURCE.encode([text]), TARGET.encode([answer])[:, :-1]
        weights = model(ids, return_weights=True).weights["decoder.0.cross"][0].numpy()[:, place, : len(text)]
        letters = game.element.locator(".tower b").all_inner_texts()
        assert "".join(letters).replace("␣", " ") == text
        high = "all => all.map((bar) => bar.style.getPropertyValue('--high'))"
        tall = game.element.locator(".tower i").evaluate_all(high)
        shown = np.reshape([float(x.removesuffix("%")) / 100 for x in tall], (-1, 4))
        np.testing.assert_allclose(shown, weights.T, atol=0.02)
        assert game.says().startswith("Right: it is the ")
        assert asked["why"] in game.says()


def test_the_answer_is_hidden_until_a_guess(game):
    assert "".join(boxes(game).all_inner_texts()) == "yyyy-mm-dd"
    assert game.says() == "Press a place of the answer."
    (first, *_) = rounds(game)
    boxes(game).nth((first["place"] + 1) % 10).press("Enter")
    assert "".join(boxes(game).all_inner_texts()) == first["answer"]
    assert game.says().startswith("No: it is the ")
    expect(game.element.get_by_text("0 of 1 read")).to_be_visible()
    assert boxes(game).first.is_disabled()  # one guess for each date
    game.page.keyboard.press("Enter")  # the button that comes next has the focus
    assert "".join(boxes(game).all_inner_texts()) == "yyyy-mm-dd"
    assert game.says() == "Press a place of the answer."


def test_ten_dates_make_a_game_and_ten_others_the_next(game):
    all_rounds = rounds(game)
    assert len(all_rounds) == 20
    assert len({asked["text"] for asked in all_rounds}) == 20
    assert len(list(play(game, all_rounds[:10], right=True))) == 10
    assert "You have read 10 of 10." in game.says()
    game.press("Ten other dates")
    assert len(list(play(game, all_rounds[10:], right=False))) == 10
    assert "You have read 0 of 10." in game.says()
    assert game.element.locator(".dots .missed").count() == 10
    game.press("Ten other dates")
    letters = game.element.locator(".tower b").all_inner_texts()
    assert "".join(letters).replace("␣", " ") == all_rounds[0]["text"]
