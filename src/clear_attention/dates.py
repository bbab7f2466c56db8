"""A translation task that trains within a minute: dates as people write them -> ISO dates, letter by letter.

"thursday 3rd of may 2018" becomes "2018-05-03". English and German, a dozen forms, and every text has one right answer.
Nothing is downloaded, and the dates held out for testing never occur in training.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from clear_attention._checks import numbers, options
from clear_attention._checks.ids import vocabulary_ids
from clear_attention._checks.texts import different_characters, iso_date, known_texts, long_enough
from clear_attention._types import TensorLike

ENGLISH_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
GERMAN_MONTHS = [
    "januar",
    "februar",
    "märz",
    "april",
    "mai",
    "juni",
    "juli",
    "august",
    "september",
    "oktober",
    "november",
    "dezember",
]
ENGLISH_DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
GERMAN_DAYS = ["montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"]
FORMS = (
    "{weekday} {day}{th} of {month} {year}",
    "{weekday}, {month} {day}, {year}",
    "{month} {day}{th}, {year}",
    "{day} {month} {year}",
    "{wkd} {day} {mon} {short_year}",
    "{month_number}/{day}/{year}",  # with slashes the month comes first,
    "{tag}, den {day}. {monat} {year}",
    "{tag}, {day}. {monat} {year}",
    "{day}. {monat} {short_year}",
    "{tg}, {day}.{month_number}.{year}",  # with dots the day
    "{day:02}.{month_number:02}.{year}",
    "{day}.{month_number}.{short_year}",
)
FIRST, LAST = datetime.date(1950, 1, 1), datetime.date(2049, 12, 31)  # a century, so that '18 is 2018 and nothing else
HELD_OUT = 5  # one date in so many
SPLITS = ("train", "test")


class DatePairs(NamedTuple):
    """Name the two sides of the task, so that `sources, targets = ...` works.

    Attributes:
        sources: dates as people write them.
        targets: the same dates as ISO 8601 writes them.

    Examples:
        >>> from clear_attention import DatePairs
        >>> DatePairs(["3 may 2018"], ["2018-05-03"]).targets
        ['2018-05-03']
    """

    sources: list[str]
    targets: list[str]


def date_forms(date: str) -> list[str]:
    """Write one date in every form that the task knows.

    Args:
        date: an ISO date, such as `"2018-05-03"`, from 1950 to 2049.

    Returns:
        A list of 12 texts, in small letters.

    Raises:
        TypeError: `date` is not a text.
        ValueError: `date` is not an ISO date, or not of that century.

    Examples:
        >>> from clear_attention import date_forms
        >>> date_forms("2018-05-03")[:3]
        ['thursday 3rd of may 2018', 'thursday, may 3, 2018', 'may 3rd, 2018']
        >>> date_forms("2018-05-03")[6]
        'donnerstag, den 3. mai 2018'
    """
    words = words_of(iso_date(date, FIRST, LAST))
    return [form.format(**words) for form in FORMS]


def words_of(date):
    """Return everything a form may ask for."""
    weekday, month = date.weekday(), date.month - 1
    th = {1: "st", 2: "nd", 3: "rd"}.get(date.day % 10, "th")
    return {
        "day": date.day,
        "th": "th" if 11 <= date.day <= 13 else th,
        "month_number": date.month,
        "year": date.year,
        "short_year": f"'{date.year % 100:02}",
        "weekday": ENGLISH_DAYS[weekday],
        "wkd": ENGLISH_DAYS[weekday][:3],
        "month": ENGLISH_MONTHS[month],
        "mon": ENGLISH_MONTHS[month][:3],
        "tag": GERMAN_DAYS[weekday],
        "tg": GERMAN_DAYS[weekday][:2],
        "monat": GERMAN_MONTHS[month],
    }


def create_date_pairs(num_pairs: int, seed: int = 0, split: Literal["train", "test"] = "train") -> DatePairs:
    """Draw dates, and for each one of the dozen forms.

    One date in five is held out, always the same ones: no date of `split="test"` occurs in training, in any form.

    Args:
        num_pairs: how many pairs.
        seed: the same seed gives the same pairs.
        split: `"train"` or `"test"`.

    Returns:
        [`DatePairs`][clear_attention.DatePairs]: two lists of `num_pairs` texts.

    Raises:
        TypeError: `num_pairs` or `seed` is not an integer.
        ValueError: `num_pairs` is below 1, `seed` below 0, or `split` is neither.

    Examples:
        >>> from clear_attention import create_date_pairs
        >>> sources, targets = create_date_pairs(2, seed=3)
        >>> sources
        ['december 12th, 2000', 'august 6th, 1987']
        >>> targets
        ['2000-12-12', '1987-08-06']
    """
    num_pairs, seed = numbers.size("num_pairs", num_pairs), numbers.non_negative("seed", seed)
    options.one_of("split", split, SPLITS)
    days = np.random.default_rng(0).permutation((LAST - FIRST).days + 1)  # the split is not the reader's choice
    days = days[: len(days) // HELD_OUT] if split == "test" else days[len(days) // HELD_OUT :]
    rng = np.random.default_rng((seed, SPLITS.index(split)))
    dates = [FIRST + datetime.timedelta(days=int(day)) for day in rng.choice(days, num_pairs)]
    forms = rng.choice(len(FORMS), num_pairs)
    sources = [FORMS[form].format(**words_of(date)) for form, date in zip(forms, dates, strict=True)]
    return DatePairs(sources, [date.isoformat() for date in dates])


class CharacterTokenizer:
    """Number the letters of a text, and read the numbers back.

    Ids 0, 1 and 2 stand for padding, start and end, as in [`Transformer`][clear_attention.Transformer].

    Args:
        characters: all characters that may occur; their order is that of the ids, from 3.
        framed: begin every text with the start id and end it with the end id, as targets need.

    Raises:
        TypeError: `characters` is not a text.
        ValueError: `characters` is empty, or a character occurs twice.

    Attributes:
        vocab_size: number of ids, the three special ones counted.

    Examples:
        >>> from clear_attention import CharacterTokenizer
        >>> tokenizer = CharacterTokenizer("abc", framed=True)
        >>> tokenizer.encode(["cab", "b"])
        array([[1, 5, 3, 4, 2],
               [1, 4, 2, 0, 0]], dtype=int32)
        >>> tokenizer.decode(tokenizer.encode(["cab", "b"]))
        ['cab', 'b']
    """

    pad_id, start_id, end_id = 0, 1, 2

    def __init__(self, characters: str, framed: bool = False) -> None:
        self.characters = different_characters(characters)
        self.framed = options.flag("framed", framed)
        self.ids = {character: i for i, character in enumerate(characters, start=3)}
        self.vocab_size = len(characters) + 3

    def encode(self, texts: Sequence[str] | np.ndarray, length: int | None = None) -> np.ndarray:
        """Number texts: `(len(texts), length)`, int32, padded with 0 to the longest or to `length`."""
        rows = [[self.ids.get(c) for c in text] for text in known_texts(texts, self.ids)]
        if self.framed:
            rows = [[self.start_id, *row, self.end_id] for row in rows]
        longest = max(map(len, rows))
        ids = np.zeros((len(rows), long_enough(length, longest)), np.int32)
        for target, row in zip(ids, rows, strict=True):
            target[: len(row)] = row
        return ids

    def decode(self, ids: TensorLike) -> list[str]:
        """Read ids `(batch, length)` back: a list of texts, each up to its end id, without padding and start."""
        ids = vocabulary_ids("ids", ids, self.vocab_size).numpy()
        texts = []
        for row in ids:
            ends = np.flatnonzero(row == self.end_id)
            row = row[: ends[0]] if ends.size else row
            texts.append("".join(self.characters[i - 3] for i in row if i >= 3))
        return texts


def date_tokenizers() -> tuple[CharacterTokenizer, CharacterTokenizer]:
    """Make the tokenisers of the task: one for dates as people write them, one for ISO dates.

    Returns:
        Two [`CharacterTokenizer`][clear_attention.CharacterTokenizer], for sources and for targets; the second frames
            each text with start and end.

    Examples:
        >>> from clear_attention import date_tokenizers
        >>> source_tokenizer, target_tokenizer = date_tokenizers()
        >>> source_tokenizer.vocab_size, target_tokenizer.vocab_size
        (45, 14)
        >>> target_tokenizer.encode(["2018-05-03"])
        array([[ 1,  5,  3,  4, 11, 13,  3,  8, 13,  3,  6,  2]], dtype=int32)
    """
    letters = "abcdefghijklmnopqrstuvwxyzä"
    return CharacterTokenizer("0123456789 ',./" + letters), CharacterTokenizer("0123456789-", framed=True)
