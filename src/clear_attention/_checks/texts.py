"""What must be a text: dates, characters, sentences."""

from __future__ import annotations

import datetime

import numpy as np

from clear_attention._checks.numbers import integer
from clear_attention._checks.sentence import refusal, shown


def iso_date(value, first, last):
    law, expected = f"A date is an ISO date from {first.year} to {last.year}.", "such as '2018-05-03'"
    if not isinstance(value, str):
        raise TypeError(refusal(law, expected, f"date={shown(value, with_type=True)}"))
    try:
        date = datetime.date.fromisoformat(value)
    except ValueError:
        date = None
    if date is None or not first <= date <= last:
        raise ValueError(refusal(law, expected, f"date={shown(value)}"))
    return date


def different_characters(value):
    law = "characters are a text in which each character occurs once."
    if not isinstance(value, str):
        raise TypeError(refusal(law, "such as '0123456789-'", f"characters={shown(value)}"))
    if not value or len(set(value)) < len(value):
        raise ValueError(refusal(law, "such as '0123456789-'", f"characters={shown(value)}"))
    return value


def known_texts(values, known):
    law = "The tokenizer takes a list of texts made of its own characters."
    expected = f"texts of the characters {''.join(known)!r}"
    if not isinstance(values, (list, tuple, np.ndarray)) or not all(isinstance(text, str) for text in values):
        raise TypeError(refusal(law, f"a list of {expected}", f"texts={shown(values)}"))
    if not len(values):
        raise ValueError(refusal(law, f"a list of at least one text of the characters {''.join(known)!r}", "texts=[]"))
    for text in values:
        if strange := [c for c in text if c not in known]:
            raise ValueError(refusal(law, expected, f"{strange[0]!r} in {shown(text)}"))
    return values


def long_enough(length, longest):
    law = "Texts are padded to one length, and nothing is cut off."
    if longest == 0:
        nothing = "There is nothing to number in texts without a character."
        raise ValueError(refusal(nothing, "at least one character in one of the texts", "empty texts"))
    if length is None:
        return longest
    if integer("length", length) < longest:
        raise ValueError(refusal(law, f"length >= {longest}, that of the longest text", f"length={length}"))
    return length
