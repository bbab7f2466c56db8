"""Pieces in which something outgrows its place: the weights a laptop, and a group of numerals its one answer."""

import numpy as np
import pytest
from playwright.sync_api import expect

SIGNS = {"m": 1000, "cm": 900, "d": 500, "cd": 400, "c": 100, "xc": 90, "l": 50, "xl": 40}
SIGNS |= {"x": 10, "ix": 9, "v": 5, "iv": 4, "i": 1}


def areas(wall):
    """Return the areas of the three squares: the laptop, the inputs and the weights."""
    sizes = wall.element.locator(".box rect").evaluate_all(
        "all => all.map(r => [r.width, r.height].map(x => x.baseVal.value))"
    )
    return np.prod(sizes, axis=1)


def test_the_weights_break_out_of_the_laptop(piece):
    wall = piece("long_sequences", "wall")
    assert wall.says() == "The inputs take 6.1 MB, and the weights of one layer 32 MB. They still fit."
    slider = wall.slider("Places")
    last = int(slider.get_attribute("max"))
    wall.slide("Places", last)
    expect(wall.element.get_by_text("1,000,000 (Gemini 1.5)")).to_be_visible()
    assert wall.says() == "The inputs take 6.1 GB, and the weights of one layer 32 TB. They would fill 2,000 laptops."
    laptop, inputs, weights = areas(wall)
    assert weights / inputs == pytest.approx(32e12 / 6.144e9, rel=0.05)
    assert weights / laptop == pytest.approx(2000, rel=0.05)
    for place in range(last + 1):  # the sentence and the picture agree for every length
        wall.slide("Places", place)
        n = int(slider.get_attribute("aria-valuetext").split(" (")[0].replace(",", ""))
        assert ("They would fill" in wall.says()) == (8 * n * n * 4 > 16e9), n
        laptop, _, weights = areas(wall)
        assert (weights > laptop) == (8 * n * n * 4 > 16e9), n


def test_the_text_grows_by_itself_to_its_end(piece):
    wall = piece("long_sequences", "wall")
    last = int(wall.slider("Places").get_attribute("max"))
    wall.slide("Places", last - 1)
    wall.press("Let it grow")
    expect(wall.slider("Places")).to_have_value(str(last))
    wall.press("Let it grow")  # it stands still at the end, and begins again
    expect(wall.slider("Places")).not_to_have_value(str(last))
    wall.press("Stop")


def in_order(n):
    text = ""
    for sign, worth in SIGNS.items():
        text += sign * (n // worth)
        n %= worth
    return "".join(sorted(text))


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (9, "Sorted, ix becomes ix. So does one other number, and only one of the 2 can be read rightly."),
        (1994, "Sorted, mcmxciv becomes ccimmvx. So do 5 other numbers, and only one of the 6 can be read rightly."),
        (3888, "Sorted, mmmdccclxxxviii becomes cccdiiilmmmvxxx. No other number does, so that this one can be read."),
        (444, "Sorted, cdxliv becomes cdilvx. So do 7 other numbers, and only one of the 8 can be read rightly."),
    ],
)
def test_a_number_finds_those_with_its_letters(piece, number, says):
    families = piece("roman", "families")
    families.element.get_by_label("A number from 1 to 3,999").fill(str(number))
    assert families.says() == says
    shown = families.element.locator(".pieces span").all_inner_texts()
    assert [int(one.split(" = ")[1]) for one in shown] == [n for n in range(1, 4000) if in_order(n) == in_order(number)]


@pytest.mark.parametrize("number", ["0", "4000", "", "1.5"])
def test_a_number_without_a_numeral_is_said_to_be_one(piece, number):
    families = piece("roman", "families")
    families.element.get_by_label("A number from 1 to 3,999").fill(number)
    assert families.says() == "No Roman numeral stands for this."
    families.press("1994")
    assert families.says().startswith("Sorted, mcmxciv")
