"""The machine for Roman numerals, which answers what a reader types, in the lesson that trains it."""

import json
from itertools import product

import pytest

SIGNS = {"m": 1000, "cm": 900, "d": 500, "cd": 400, "c": 100, "xc": 90, "l": 50}
SIGNS |= {"xl": 40, "x": 10, "ix": 9, "v": 5, "iv": 4, "i": 1}


def roman(n):
    text = ""
    for sign, worth in SIGNS.items():
        text += sign * (n // worth)
        n %= worth
    return text


def given_to(drawn):
    return json.loads(drawn.element.locator("script").text_content())


def typed(drawn, text):
    """Type a text; return what the machine makes of it."""
    drawn.element.get_by_label("A numeral, or none").fill(text)
    return drawn.element.locator(".box td.written").inner_text()


@pytest.mark.parametrize("n", [4, 1666, 1994, 3888, 3999])
def test_a_numeral_is_known_and_answered(piece, n):
    drawn = piece("roman", "numerals")
    given = given_to(drawn)
    wrote = typed(drawn, roman(n).upper())  # capitals will do
    assert wrote == given["wrong"].get(str(n), str(n))
    known = "has never seen it" if n in given["unseen"] else "was taught it"
    assert drawn.says() == f"{roman(n)} is {n}. The machine, which {known}, writes {wrote or 'nothing'}."


def test_what_is_no_numeral_is_answered_too(piece):
    drawn = piece("roman", "numerals")
    short = given_to(drawn)["short"].split(" ")
    texts = ["".join(letters) for length in range(1, 5) for letters in product("ivxlcdm", repeat=length)]
    assert len(short) == len(texts) == 2800
    for text in ("iiii", "vx", "mmmm", "iix"):
        assert typed(drawn, text) == short[texts.index(text)]
        assert drawn.says().startswith(f"{text} is no Roman numeral. Nobody has told the machine so, and it writes ")
    numerals = {roman(n): n for n in range(1, 4000)}
    wrong = given_to(drawn)["wrong"]
    for text, answer in zip(texts, short, strict=True):  # both lists say the same of a short numeral
        if n := numerals.get(text):
            assert answer == wrong.get(str(n), str(n))


def test_what_was_not_tried_is_said_to_be_so(piece):
    drawn = piece("roman", "numerals")
    assert typed(drawn, "iiiii") == ""
    assert drawn.says() == "iiiii is no Roman numeral. Of such texts, only those of up to four letters were tried."
    assert typed(drawn, "2b!") == ""  # it has no ids for these
    assert drawn.says().startswith("Type some of the letters")


def test_the_mistakes_come_one_after_the_other(piece):
    drawn = piece("roman", "numerals")
    given = given_to(drawn)
    missed = [n for n in given["unseen"] if str(n) in given["wrong"]]
    for n in missed[:6]:
        drawn.press("One of its mistakes")
        answer = given["wrong"][str(n)]
        told = f"{roman(n)} is {n}. The machine, which has never seen it, writes {answer or 'nothing'}."
        assert drawn.says() == told
        assert drawn.element.locator(".box td").nth(1).inner_text() == "✗"
    drawn.press(given["examples"][0])
    assert drawn.says().startswith(given["examples"][0])
