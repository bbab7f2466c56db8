"""The lesson on causal attention: a given letter is changed, and what two trained machines say moves, or does not."""

import numpy as np
import pytest

import trained
from clear_attention import date_tokenizers

SOURCE, TARGET = date_tokenizers()
TEXT, ANSWER = "thursday 3rd of may 2018", "2018-05-03"
NAMES = {"whole": "dates", "forgetful": "dates-forgetful"}


def logits(name, answer):
    model, _ = trained.load(name)
    return model((SOURCE.encode([TEXT]), TARGET.encode([answer])[:, :11]))[0].numpy()


def spoken(found):
    best = np.argmax(found, axis=-1)
    return "".join("▪" if x == TARGET.end_id else TARGET.decode([[x]])[0] for x in best)


def row(future, number):
    line = future.element.locator(".line").nth(number)
    kinds = line.locator(".place").evaluate_all("all => all.map((one) => one.className)")
    return "".join(line.locator("b").all_inner_texts()), ["moves" in kind for kind in kinds]


def given(future, letter):
    return future.element.locator("button[data-do=change]").nth(letter - 1)


@pytest.mark.parametrize("letter", [1, 5, 10])
def test_what_moves_is_what_moves_in_the_trained_machines(piece, letter):
    future = piece("causal", "future")
    given(future, letter).press("Enter")
    now = given(future, letter).inner_text()
    assert now != ANSWER[letter - 1]
    changed = ANSWER[: letter - 1] + now + ANSWER[letter:]
    for number, name in enumerate(NAMES.values()):
        letters, moves = row(future, number)
        assert letters == spoken(logits(name, changed))
        assert moves == [i >= letter or number == 1 for i in range(11)]
        assert future.element.locator(".line").nth(number).locator(".early").count() == letter * number
    assert f"In the whole machine {11 - letter} place" in future.says()
    assert f"In the forgetful machine 11 places move, {letter} of them before it." in future.says()


def test_one_letter_is_changed_at_a_time_and_turns_back_at_the_end(piece):
    future = piece("causal", "future")
    given(future, 2).click()
    given(future, 4).click()
    assert [given(future, n).inner_text() for n in (2, 4)] == ["0", "1"]
    for _ in range(3):
        given(future, 4).click()
    assert given(future, 4).inner_text() == "8"
    assert future.says().endswith("Press a given letter.")
    assert not any(row(future, 0)[1] + row(future, 1)[1])


def test_the_dare_is_won_once(piece):
    future = piece("causal", "future")
    given(future, 6).click()
    assert future.element.locator(".won").count() == 0
    given(future, 7).click()
    assert future.element.locator(".won").inner_text() == "✓ Exactly 4: the dare is won."
    given(future, 8).click()
    assert future.element.locator(".won").count() == 1
