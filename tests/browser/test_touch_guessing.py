"""Shannon's game: the reader's guesses are counted letter by letter, beside those of the machine."""

import json

from playwright.sync_api import expect


def facts(game):
    return json.loads(game.element.locator("script").text_content())


def test_guesses_are_counted_and_the_end_is_the_end(piece):
    game = piece("language_model", "guessing")
    told = facts(game)
    text, machine = told["text"], told["machine"]
    assert game.says() == "Which letter comes first?"
    wrong = next(c for c in "zqx" if c != text[0])
    game.press(wrong)
    assert game.says() == f"Not “{wrong}”. Which letter comes first?"
    expect(game.element.get_by_role("button", name=wrong, exact=True)).to_be_disabled()
    field = game.element.get_by_label("or type")
    field.fill(wrong)  # tried in vain already: it does not count again
    field.fill(text[0].upper())
    expect(field).to_have_value("")
    ahead = "You are ahead!" if machine[0] > 2 else "It is ahead." if machine[0] < 2 else "You are level."
    assert game.says() == f"You needed 2 guesses for 1 letter, and the machine {machine[0]}. {ahead}"
    for c in text[1:]:
        game.press("space" if c == " " else c)
    assert game.says().startswith(
        f"You needed {len(text) + 1} guesses for {len(text)} letters, and the machine {sum(machine)}."
    )
    boxes = game.element.locator(".pieces span").all_inner_texts()
    assert "".join(box[0] for box in boxes[1:]).replace("␣", " ") == text
    expect(game.element.get_by_role("button", name="a", exact=True)).to_be_disabled()
    expect(field).to_be_disabled()
    game.press("Start again")
    assert game.says() == "Which letter comes first?"
    expect(game.element.get_by_role("button", name=wrong, exact=True)).to_be_enabled()


def test_what_is_no_key_is_no_guess(piece):
    game = piece("language_model", "guessing")
    for typed in ("7", "é", "<"):
        game.element.get_by_label("or type").fill(typed)
        assert game.says() == "Which letter comes first?"
