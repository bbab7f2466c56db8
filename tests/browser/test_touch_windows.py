"""Pieces of the lesson on windows: who hears of whom through a stack of layers, and what letters cost with a window."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import trained
from clear_attention import combine_masks, create_look_ahead_mask, create_window_mask, token_losses
from trained.language import encode

SENTENCE = "How far must it see?"
N = len(SENTENCE)
LINE = 'Calling "m(arg-1, arg-2, ..., arg-n)"'


def sights(layers, window, mixed):
    """Return who sees whom in each layer, by the masks of the package."""
    whole = np.array(create_look_ahead_mask(N)) == 0
    near = np.array(combine_masks(create_window_mask(N, window), create_look_ahead_mask(N))) == 0
    return [whole if mixed and layer % 2 == 0 else near for layer in range(1, layers + 1)]


def heard(element):
    """Return for each row of dots, the top layer first, which letters the chosen one hears of."""
    found = element.locator("[data-heard]").evaluate_all("all => all.map((one) => one.dataset.heard === 'true')")
    return np.reshape(found, (-1, N))[::-1]  # drawn from the letters up


@pytest.mark.parametrize(
    ("layers", "window", "mixed", "place"),
    [(2, 4, False, 19), (3, 5, False, 10), (5, 5, False, 19), (4, 1, False, 7), (1, 8, True, 19), (4, 3, True, 12)],
)
def test_a_letter_hears_of_others_through_those_in_its_window(piece, layers, window, mixed, place):
    reaching = piece("windows", "reaching")
    for label, value in (("Window", window), ("Layers", layers), ("Letter", place)):
        reaching.slide(label, value)
    if mixed:
        reaching.element.get_by_label("every second layer sees all").press("Space")
    seen = sights(layers, window, mixed)
    rows = heard(reaching.element)
    asked = np.arange(N) == place
    for row, sight in zip(rows, [None, *seen[::-1]], strict=True):
        asked = asked if sight is None else (asked @ sight).astype(bool)
        assert row.tolist() == asked.tolist()
    sign = SENTENCE[place].replace(" ", "␣")
    count = int(asked.sum())
    assert reaching.says().startswith(f"At the top the {sign} has heard of {count} letter{'' if count == 1 else 's'}")
    assert ("which are all up to itself." in reaching.says()) == (count == place + 1)
    scores, kept = sum(int(sight.sum()) for sight in seen), sum(int(sight[-1].sum()) for sight in seen)
    assert f"takes {scores} scores in place of {layers * N * (N + 1) // 2}" in reaching.says()
    assert f"and the rings keep {kept} keys in place of {layers * N}." in reaching.says()


def test_a_dot_can_be_pressed_and_layers_stack_by_themselves(piece):
    reaching = piece("windows", "reaching")
    reaching.element.locator("[data-heard]").nth(5).click()
    expect(reaching.slider("Letter")).to_have_value("5")
    reaching.slide("Letter", N - 1)
    assert "heard of 7 letters: 2 · (4 - 1) + 1." in reaching.says()
    reaching.press("Stack layers")
    expect(reaching.slider("Layers")).to_have_value("5", timeout=10_000)
    expect(reaching.element.get_by_role("button", name="Stack layers")).to_be_visible()
    assert "heard of 16 letters: 5 · (4 - 1) + 1." in reaching.says()


def test_the_bits_are_those_of_the_machine_with_this_window(piece):
    seeing = piece("windows", "seeing")
    model, _ = trained.load("language")
    for window in (1, 16, 27, 28, 36):
        seeing.slide("Window", window)
        for layer in model.stack.layers:
            layer.self_attention.attention.window = window
        bits = token_losses(model, encode(LINE)[None])[0].numpy() / np.log(2)
        shown = seeing.element.locator(".surprised small").all_inner_texts()[1:]
        np.testing.assert_allclose([float(x) for x in shown], bits, atol=0.051)
        assert f"It costs {float(shown[-1]):.1f} bits." in seeing.says()
        places = np.arange(len(LINE))
        seen = seeing.element.locator("[data-seen=true]").evaluate_all("all => all.map((one) => +one.dataset.value)")
        assert seen == places[(places < 36) & (places >= 36 - window)].tolist()


def test_another_letter_can_be_chosen(piece):
    seeing = piece("windows", "seeing")
    seeing.slide("Window", 3)
    letters = seeing.element.locator(".surprised button")
    assert letters.first.is_disabled()  # nobody can foretell it
    letters.nth(8).click()
    expect(letters.nth(8)).to_have_attribute("aria-pressed", "true")
    cost = letters.nth(8).locator("small").inner_text()
    assert seeing.says() == f'To say this ", a layer sees the 3 letters before it, from the n on. It costs {cost} bits.'
    letters.nth(1).click()
    assert re.match("To say this a, a layer sees only the C before it.", seeing.says())
