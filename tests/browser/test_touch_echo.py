"""The piece of the lesson on induction heads: the trained machine reads a text, with its first note and without."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import trained
from trained.language import FIRST, SMALL

GIVEN = 2 * "hkwsxcg"


def ids_of(text):
    return np.array([[ord(letter) - ord("a") + FIRST for letter in text]])


def reading(text, emptied):
    """Return who looks where in both layers, and how probable each letter is, with the first note or without it."""
    model, _ = trained.load("repeats")
    (one, two), ids = model.stack.layers, ids_of(text)
    options = {"causal": True, "positions": np.arange(len(text))}
    x = model.embed(ids) * SMALL["d_model"] ** 0.5
    noted, first = one(x, return_weights=True, **options)
    noted = noted.numpy()
    if emptied:
        kernel = one.self_attention.attention.project_output.kernel
        kept = kernel.numpy()
        kernel.assign(0 * kept)
        noted[:, 0] = one(x, **options).numpy()[:, 0]
        kernel.assign(kept)
    x, second = two(noted, return_weights=True, **options)
    powers = np.exp(model.to_logits(model.stack.final_norm(x)).numpy()[0])
    return first.numpy()[0, 0], second.numpy()[0, 0], powers / powers.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("emptied", [False, True])
@pytest.mark.parametrize("text", [GIVEN, "hellohello", "copyrightcopyright", "abcdefghijklmnopqrstuvwx", "a"])
def test_the_two_steps_are_those_of_the_trained_heads(piece, text, emptied):
    echo = piece("induction", "echo")
    first, second, chances = reading(text, emptied)
    if text != GIVEN:
        echo.element.get_by_role("textbox", name="Your text").fill(text)
    echo.element.get_by_label("empty the first note").set_checked(emptied)
    expect(echo.element.locator("g[data-do=place]")).to_have_count(len(text))
    said = [chr(ord("a") + n - FIRST) for n in chances.argmax(axis=1)]
    assert echo.element.locator("g[data-do=place] text:last-child").all_text_contents() == said
    for place in range(0, len(text), 3):
        echo.slide("Letter that asks", place)
        found = second[place].argmax()
        shown = re.search(r" \((.*?)\)\. Layer 1: (.*)\. The machine says . \((.*?)\); right", echo.says())
        assert f"the {text[place]} at place {place} looks most at the {text[found]} at place {found} (" in echo.says()
        weights = [second[place, found], chances[place].max()]
        np.testing.assert_allclose([float(shown[1]), float(shown[3])], weights, atol=0.0065)
        if emptied and found == 0:
            assert shown[2] == "its note is empty"
        else:
            noted = first[found].argmax()
            assert f"had looked most at the {text[noted]} at place {noted} (" in shown[2]


def test_what_can_be_known_is_counted(piece):
    echo = piece("induction", "echo")
    total = echo.element.locator(".total")
    expect(total).to_contain_text("“hkwsxcg” comes again. From there on it is right after 6 of 7 letters.")
    assert echo.element.locator(".next.wrong").count() == 1
    echo.element.locator("g[data-value='2']").click()
    assert echo.says().endswith("right: nobody can know yet.")
    echo.element.get_by_label("empty the first note").press("Space")
    expect(total).to_contain_text("right after 7 of 7 letters.")
    assert "Your finds" not in total.inner_text()  # this text came with the page
    field = echo.element.get_by_role("textbox", name="Your text")
    field.fill("Monday, monday!")
    expect(field).to_have_value("mondaymonday")
    expect(total).to_contain_text("Your finds, right only without the note: monday.")
    field.fill("monday")
    expect(total).to_contain_text("Nothing comes again yet.")
    field.fill("")
    assert echo.says() == "Write some letters, and then the same letters once more."
    field.fill(30 * "ab")
    expect(field).to_have_value(12 * "ab")
    echo.press("Start again")
    expect(field).to_have_value(GIVEN)


def test_without_the_machine_it_says_so(visit):
    page = visit("/learn/induction/").page
    page.evaluate("""() => {
        const refused = Promise.reject(new Error("No machine is there."));
        refused.catch(() => {});  // the page need not hear of it twice
        window.trainedModels.asked.set("repeats", refused);
    }""")
    echo = page.locator("lesson-piece[piece=echo]")
    echo.get_by_role("textbox", name="Your text").fill("abab")
    expect(echo.locator(".says")).to_have_text("No machine is there.")
    echo.get_by_role("button", name="Start again").click()
    expect(echo.locator(".says")).to_contain_text("at place 3 looks most")


def test_the_letters_look_one_after_the_other(piece, visit):
    echo = piece("induction", "echo")
    echo.element.locator("g[data-value='11']").click()
    echo.press("Read on")
    expect(echo.element.locator(".says")).to_contain_text("at place 13 looks most")  # and there it stands still
    expect(echo.element.get_by_role("button", name="Read on")).to_be_visible()
    echo.press("Read on")
    expect(echo.element.locator(".says")).not_to_contain_text("at place 13 looks most")
    echo.press("Stop")
    still = visit("/learn/induction/", reduced_motion="reduce").page.locator("lesson-piece[piece=echo]")
    expect(still.locator(".says")).to_contain_text("at place 3 looks most")
    assert still.get_by_role("button", name="Read on").count() == 0
