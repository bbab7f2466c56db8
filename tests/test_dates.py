"""Dates: every form by value, one right answer for each text, a split without leaks, and every refusal."""

import datetime
import functools
import re

import numpy as np
import pytest

from clear_attention import CharacterTokenizer, DatePairs, create_date_pairs, date_forms, date_tokenizers
from clear_attention.dates import FIRST, FORMS, LAST, words_of

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
CENTURY = [FIRST + datetime.timedelta(days=n) for n in range((LAST - FIRST).days + 1)]
ENGLISH = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
GERMAN = ["jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"]
WEEKDAYS = ["mo", "tu di", "we mi", "th do", "fr", "sa", "su so"]


@functools.cache
def drawn(split, num_pairs=120_000):
    return create_date_pairs(num_pairs, split=split)


def parsed(text):
    """Read a date as a person does, knowing nothing about the forms."""
    numbers = [int(n) for n in re.findall(r"\d+", text)]
    words = re.findall("[a-zä]+", text)
    months = {(ENGLISH if w[:3] in ENGLISH else GERMAN).index(w[:3]) + 1 for w in words if w[:3] in ENGLISH + GERMAN}
    months -= {3} if "may" in words else set()
    if "/" in text:
        month, day, year = numbers
    elif months:
        ((month,), (day, year)) = months, numbers
    else:
        day, month, year = numbers
    if "'" in text:
        year += 1900 if year >= 50 else 2000
    return datetime.date(year, month, day)


# Forms


def test_a_date_in_every_form():
    assert date_forms("2018-05-03") == [
        "thursday 3rd of may 2018",
        "thursday, may 3, 2018",
        "may 3rd, 2018",
        "3 may 2018",
        "thu 3 may '18",
        "5/3/2018",
        "donnerstag, den 3. mai 2018",
        "donnerstag, 3. mai 2018",
        "3. mai '18",
        "do, 3.5.2018",
        "03.05.2018",
        "3.5.'18",
    ]
    assert date_forms("2049-12-31") == [
        "friday 31st of december 2049",
        "friday, december 31, 2049",
        "december 31st, 2049",
        "31 december 2049",
        "fri 31 dec '49",
        "12/31/2049",
        "freitag, den 31. dezember 2049",
        "freitag, 31. dezember 2049",
        "31. dezember '49",
        "fr, 31.12.2049",
        "31.12.2049",
        "31.12.'49",
    ]
    assert date_forms("2000-02-29")[0] == "tuesday 29th of february 2000"
    assert date_forms("1950-01-01")[4] == "sun 1 jan '50"
    assert date_forms("2005-03-01")[8] == "1. märz '05"


def test_ordinals():
    endings = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
    for day in range(1, 32):
        assert date_forms(f"1999-07-{day:02}")[2] == f"july {day}{endings.get(day, 'th')}, 1999"


MONTHS = "january february march april may june july august september october november december"
MONATE = "januar februar märz april mai juni juli august september oktober november dezember"
DAYS = "monday tuesday wednesday thursday friday saturday sunday"
TAGE = "montag dienstag mittwoch donnerstag freitag samstag sonntag"


@pytest.mark.parametrize(("form", "names"), [(3, MONTHS), (8, MONATE)])
def test_months_of_two_languages(form, names):
    assert " ".join(date_forms(f"1976-{m:02}-15")[form].split()[1] for m in range(1, 13)) == names


@pytest.mark.parametrize(
    ("form", "names"), [(0, DAYS), (4, "mon tue wed thu fri sat sun"), (7, TAGE), (9, "mo di mi do fr sa so")]
)
def test_weekdays_of_two_languages(form, names):
    week = [date_forms(f"2024-01-0{day}")[form] for day in range(1, 8)]  # the first was a Monday
    assert " ".join(re.match("[a-z]+", text)[0] for text in week) == names


def test_no_two_dates_of_the_century_share_a_text():
    texts = {form.format(**words_of(date)) for date in CENTURY for form in FORMS}
    assert len(texts) == 12 * len(CENTURY) == 12 * 36_525


# Pairs


@pytest.mark.parametrize("split", ["train", "test"])
def test_every_text_reads_as_its_date_and_names_its_weekday(split):
    sources, targets = create_date_pairs(3000, seed=1, split=split)
    assert isinstance(drawn(split), DatePairs)
    assert (len(sources), len(targets)) == (3000, 3000)
    for source, target in zip(sources, targets, strict=True):
        date = parsed(source)
        assert target == date.isoformat()
        weekday = re.match("([a-z]+(day|tag)|mittwoch|(mon|tue|wed|thu|fri|sat|sun)|..,)", source)
        assert weekday is None or weekday[0][:2] in WEEKDAYS[date.weekday()], source
        assert source in date_forms(target)


def test_one_date_in_five_is_held_out_and_never_trained_on():
    train, test = (set(drawn(split).targets) for split in ("train", "test"))
    assert len(test) == len(CENTURY) // 5  # after so many draws all of them
    assert not train & test
    assert len(train) > 0.97 * 4 / 5 * len(CENTURY)
    for seed in (1, 7):
        assert not train & set(create_date_pairs(5000, seed=seed, split="test").targets)
        assert not test & set(create_date_pairs(5000, seed=seed).targets)
    assert not set(drawn("train").sources) & set(drawn("test").sources)


def test_every_form_year_month_and_day_turns_up_about_equally_often():
    for split in ("train", "test"):
        sources, targets = drawn(split, 12_000)
        forms = [date_forms(target).index(source) for source, target in zip(sources, targets, strict=True)]
        assert np.bincount(forms, minlength=12) == pytest.approx(1000, rel=0.15)
        years = np.bincount([int(target[:4]) - 1950 for target in targets], minlength=100)
        assert len(years) == 100
        assert years == pytest.approx(120, rel=0.45)
        assert {target[5:] for target in drawn(split).targets} == {f"{date:%m-%d}" for date in CENTURY}
    dates = set(drawn("train").targets) | set(drawn("test").targets)
    assert {"1950-01-01", "2049-12-31"} <= dates
    assert (min(dates), max(dates)) == ("1950-01-01", "2049-12-31")


def test_the_same_seed_gives_the_same_pairs_and_another_one_others():
    assert create_date_pairs(50, seed=3) == create_date_pairs(50, seed=3)
    assert create_date_pairs(50) == create_date_pairs(50, seed=0, split="train")
    draws = [create_date_pairs(50, seed, split).targets for seed in (0, 1, 2) for split in ("train", "test")]
    for i, a in enumerate(draws):
        assert all(sum(x == y for x, y in zip(a, b, strict=True)) < 5 for b in draws[:i])
    state = np.random.get_state()[1].tolist()
    create_date_pairs(5)
    assert np.random.get_state()[1].tolist() == state  # nobody else's random numbers


# Tokenisers


def test_letters_are_numbered_from_3_in_order():
    plain, framed = CharacterTokenizer("xa-"), CharacterTokenizer("xa-", framed=True)
    assert (plain.pad_id, plain.start_id, plain.end_id, plain.vocab_size) == (0, 1, 2, 6)
    assert plain.encode(["x-a", "a"]).tolist() == [[3, 5, 4], [4, 0, 0]]
    assert framed.encode(["x-a", "a"]).tolist() == [[1, 3, 5, 4, 2], [1, 4, 2, 0, 0]]
    assert framed.encode(["", "a"]).tolist() == [[1, 2, 0], [1, 4, 2]]
    assert plain.encode(["a"]).dtype == np.int32


def test_padded_to_the_longest_or_to_a_length():
    plain, framed = CharacterTokenizer("xa"), CharacterTokenizer("xa", framed=True)
    assert plain.encode(["xx", "a"]).shape == (2, 2)
    assert plain.encode(["xx", "a"], length=5).tolist() == [[3, 3, 0, 0, 0], [4, 0, 0, 0, 0]]
    assert framed.encode(["xx"], length=4).tolist() == [[1, 3, 3, 2]]
    assert framed.encode(["xx"], 5).tolist() == [[1, 3, 3, 2, 0]]


def test_read_back_up_to_the_end():
    framed = CharacterTokenizer("xa", framed=True)
    assert framed.decode([[1, 3, 4, 2, 4, 2], [4, 0, 3, 1, 4, 2], [2, 3, 3, 3, 3, 3]]) == ["xa", "axa", ""]
    assert framed.decode(np.array([[3, 4]], "int64")) == ["xa"]


def test_the_task_round_trips():
    pairs = create_date_pairs(500, seed=2)
    tokenizers = date_tokenizers()
    assert [tokenizer.vocab_size for tokenizer in tokenizers] == [45, 14]
    assert [tokenizer.framed for tokenizer in tokenizers] == [False, True]
    for texts, tokenizer in zip(pairs, tokenizers, strict=True):
        ids = tokenizer.encode(texts, length=40)
        assert tokenizer.decode(ids) == texts
        assert ids.max() < tokenizer.vocab_size
    assert tokenizers[1].encode(pairs.targets).shape == (500, 12)
    letters = set("".join(form for date in CENTURY[::5] for form in date_forms(str(date))))
    assert letters <= set(tokenizers[0].characters)
    assert set("".join(pairs.targets)) == set(tokenizers[1].characters)


# Refusals


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: date_forms("1949-12-31"), ValueError, "from 1950 to 2049.*date='1949-12-31'"),
        (lambda: date_forms("2050-01-01"), ValueError, "date='2050-01-01'"),
        (lambda: date_forms("2018-02-29"), ValueError, "ISO date.*date='2018-02-29'"),
        (lambda: date_forms("3 may 2018"), ValueError, "such as '2018-05-03'"),
        (lambda: date_forms(""), ValueError, "date=''"),
        (lambda: date_forms(datetime.date(2018, 5, 3)), TypeError, "ISO date.*of type datetime.date"),
        (lambda: date_forms(None), TypeError, "date=None"),
        (lambda: create_date_pairs(0), ValueError, "num_pairs=0"),
        (lambda: create_date_pairs(2.0), TypeError, r"num_pairs=2\.0"),
        (lambda: create_date_pairs(2, seed=-1), ValueError, "seed is a non-negative integer.*seed=-1"),
        (lambda: create_date_pairs(2, seed=None), TypeError, "seed=None"),
        (lambda: create_date_pairs(2, seed=True), TypeError, "seed=True"),
        (lambda: create_date_pairs(2, split="validation"), ValueError, "'train', 'test'.*split='validation'"),
        (lambda: create_date_pairs(2, split=None), ValueError, "split=None"),
        (lambda: CharacterTokenizer(["a", "b"]), TypeError, r"characters=\['a', 'b'\]"),
        (lambda: CharacterTokenizer(""), ValueError, "characters=''"),
        (lambda: CharacterTokenizer("abca"), ValueError, "occurs once.*characters='abca'"),
        (lambda: CharacterTokenizer("ab", framed=1), TypeError, "framed=1"),
        (lambda: CharacterTokenizer("ab").encode("ab"), TypeError, "a list of texts.*texts='ab'"),
        (lambda: CharacterTokenizer("ab").encode([1]), TypeError, r"texts=\[1\]"),
        (lambda: CharacterTokenizer("ab").encode([]), ValueError, "a list of at least one text of the characters"),
        (lambda: CharacterTokenizer("ab").encode(["", ""]), ValueError, "nothing to number"),
        (lambda: CharacterTokenizer("ab").encode(["ab", "ax"]), ValueError, "characters 'ab'.*'x' in 'ax'"),
        (lambda: CharacterTokenizer("ab").encode(["aba"], length=2), ValueError, "length >= 3.*length=2"),
        (lambda: CharacterTokenizer("ab", framed=True).encode(["ab"], length=3), ValueError, "length >= 4.*length=3"),
        (lambda: CharacterTokenizer("ab").encode(["a"], length=2.0), TypeError, r"length=2\.0"),
        (lambda: CharacterTokenizer("ab").decode([[5]]), ValueError, r"5 ids.*\[0, 5\).*holding 5"),
        (lambda: CharacterTokenizer("ab").decode([[-1]]), ValueError, "holding -1"),
        (lambda: CharacterTokenizer("ab").decode([3]), ValueError, r"ids.shape=\(1,\)"),
        (lambda: CharacterTokenizer("ab").decode([[3.0]]), TypeError, "ids.dtype=float32"),
        (lambda: CharacterTokenizer("ab").decode("ab"), TypeError, "'ab'"),
    ],
)
def test_bad_input_is_refused_in_words(call, error, words):
    with pytest.raises(error, match=words):
        call()
