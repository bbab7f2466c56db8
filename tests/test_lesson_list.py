"""The list of lessons: each stands there once, in the order of the site, with a picture and a result that holds."""

import math
import re
from pathlib import Path

import plain
import pytest

from clear_attention import create_date_pairs
from trained.ablations import shares
from trained.dates import BATCH, SIZES, STEPS

DOCS = Path(__file__).parents[1] / "docs"
PICTURES = DOCS / "diagrams" / "lessons"
PAGE = (DOCS / "learn" / "index.md").read_text(encoding="utf-8")
ITEM = re.compile(
    r'<li markdown="block">\n--8<-- "diagrams/lessons/(\w+)\.svg"\n\[([^\]]+)\]\((\w+)\.py\){ #\1 }\n\n(.+)\n\n'
    r"(.+)<br>\n<small>.+</small>\n</li>"
)
ITEMS = ITEM.findall(PAGE)
ORDER = re.findall(r"learn/(\w+)\.py", (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8"))


def of_100(name):
    return round(100 * sum(shares(name)) / len(shares(name)))


def lost_of_1000(name):
    return 1000 * (sum(shares("whole")) - sum(shares(name))) / len(shares(name))


def share(powers, of):
    """Return what a softmax gives to one of its scores, in per cent."""
    return f"{100 * math.exp(of) / sum(map(math.exp, powers)):.0f}&nbsp;%"


def empty_places(rows=1000):
    """Return which share of the places is empty if each date has a row, as long as the longest one."""
    lengths = [len(text) for text in create_date_pairs(rows, seed=1, split="test")[0]]
    return 1 - sum(lengths) / (rows * max(lengths))


RESULTS = {  # what the result says or asks, computed here; and what the lesson says or asserts of it
    "reading_dates": (f"From {BATCH * STEPS:,} examples it learns to read over 99", min(shares("whole")) > 0.99),
    "attention": (share([3, -2, 1], of=3), "np.testing.assert_allclose(weights[2], [0.8756,"),
    "masks": (share([2, 1, 0, 3], of=3), "padding, 3."),
    "causal": (
        "it gets every letter right",
        "it got every letter right",
        'forgetful_record["letters"] > 0.99',
        'forgetful_record["exact"] == 0',
    ),
    "multi_head": (
        f"with one head, it has learnt after 700 steps to read {of_100('1 head')} of 100 dates",
        of_100("1 head") < of_100("8 heads") < 99,
    ),
    "split_heads": (
        "How many of 2,000 dates are still read",
        "assert round(2000 * exact[1]) == 2",
    ),
    "positions": ("fewer than 20 of 100", max(shares("no positions")) < 0.2),
    "transformer_layer": (
        "The year 2003 is read as 2030. One plus sign is missing",
        'assert "2003" in mixed_up[0][0]',
        'assert mixed_up[0][1].startswith("2030")',
    ),
    "feed_forward": (
        "Over half of the machine's numbers",
        "More than half of the trained numbers",
        0 < lost_of_1000("no feed-forward") < 10,
    ),
    "recap": (
        f"the same {SIZES['d_model']} numbers, and come out with little in common",
        "assert day_and_year[0] > 0.99 > 0.5 > day_and_year[-1]",
    ),
    "training": (
        "121,422 numbers, and one walk backwards",
        "assert untrained.count_params() == 121_422",
        "One walk gave the slopes of both numbers",
    ),
    "adam": (
        "the first of a thousand steps",
        min(shares("larger nudges")) > 0.99 > max(shares("larger nudges, no warm-up")),
    ),
    "writing": (
        f"{0.5 * 0.2:.2f}, where {0.2 * 0.9:.2f}",
        "round(0.5 * 0.2, 3) < round(0.3 * 0.5, 3) < round(0.2 * 0.9, 3)",
    ),
    "roman": ("It is shown 3,000 numerals", "assert right.mean() > 0.9", "the other 3,000"),
    "norm_first": (
        f"Twelve layers with the norm last get {of_100('norm last')} of 100 digits in 800 steps",
        of_100("norm last") < 40 < 95 < of_100("norm first"),
    ),
    "turning_positions": (
        "20 places further right",
        'assert max(added_record["shifted"][2:]) < 0.01',
        'assert min(turning_record["shifted"]) > 0.99',
    ),
    "packing": ("Of 1,000 dates, each in a row of its own, nearly half of the places", 0.4 < empty_places() < 0.5),
    "language_model": (
        "tables that count letters, and a program that packs files",
        'assert ours < found["count after four"] < found["count after five"]',
        'assert found["count after five"] < found["count after two"] < found["count letters"]',
    ),
    "by_heart": (
        "A table that looks three letters back reads best",
        "assert min(BACKS, key=fresh.__getitem__) == 3",
        "assert fresh[3:] == sorted(fresh[3:])",
        "assert known[8] < 0.5",
    ),
    "pieces_of_words": (
        "a question about this word is seven numbers",
        "4438 · 1690 · 436 · 527 · 304 · 73700 · 30",
        "assert 2.9 < per_piece < 3.4",
        "assert len(pieces) == 15",
        "assert len(best) == 14",
    ),
    "cache": (f"{sum(range(1, 12))} letters go in, and {sum(range(11))} of them went in before", "all_of_them == 66"),
    "long_sequences": (f"{8 * 1_000_000**2 * 4 / 1e12:.0f} TB", 'assert bytes_in_words(weights(1_000_000)) == "32 TB"'),
    "online_softmax": (
        "Their average is 29.31, and right is 38.72",
        "np.testing.assert_allclose(own_outputs, [18.81, 39.82, 38.72], atol=5e-3)",
        "np.testing.assert_allclose(own_outputs[:2].mean(), 29.31, atol=5e-3)",
    ),
    "fewer_keys": (
        "own numbers take 16 GB. How much must it keep of a text of 131,072 pieces",
        "Its own numbers take 16 GB",
        "131,072",
        "kept(32, 32, 128, 131_072)",
    ),
    "windows": (
        "costs 6.4 bits with 27 letters in sight, and 0.4 with 28",
        "assert (round(closing[26], 1), round(closing[27], 1)) == (6.4, 0.4)",
    ),
    "sinks": ("Whose answers go wrong?", 'assert start_record["dropped"][0] > 0.9 > 0.5 > start_record["dropped"][1]'),
    "score_rules": (
        "a letter gives 83&nbsp;% of its weight to what it must not see",
        "assert round(swapped[0, 1:].sum(), 2) == 0.83",
    ),
    "induction": (
        "two layers predict about 98 of 100, and one layer about 16",
        'assert abs(record["right_by_place"][PERIOD:].mean() - 0.98) < 0.02',
        'assert abs(shallow_record["right_by_place"][PERIOD:].mean() - 0.16) < 0.05',
    ),
    "programs": (f"all {sum(3**length for length in range(1, 9)):,} texts", "assert right == [True] * 9840"),
    "sorting": (
        f"sort all {sum(3**length for length in range(1, 9)):,} texts",
        "assert right == [True] * 9840",
        "assert most == 2",
    ),
    "twins": ("its trained twin about 91 of 100", "right[1] < 1 == right[0]", 'abs(record["texts"] - 0.91) < 0.03'),
}


def test_each_lesson_stands_there_once_in_the_order_of_the_site():
    assert [page for _, _, page, _, _ in ITEMS] == ORDER == list(RESULTS)
    assert all(picture == page for picture, _, page, _, _ in ITEMS)
    assert PAGE.count("<li") == len(ORDER)


def test_the_numbers_run_through_all_parts():
    parts = PAGE.split("<ol ")[1:]
    begins = [int(re.search(r'start="(\d+)"', part)[1]) if "start=" in part else 1 for part in parts]
    assert begins == [1 + sum(part.count("<li") for part in parts[:n]) for n in range(len(parts))]


@pytest.mark.parametrize(("title", "page", "question", "result"), [item[1:] for item in ITEMS], ids=ORDER)
def test_title_question_and_result(title, page, question, result):
    lesson = (DOCS / "learn" / f"{page}.py").read_text(encoding="utf-8")
    words, *held = RESULTS[page]
    unwrapped = lesson.replace("\n# ", " ")
    assert f"# title: {title}\n" in lesson.replace('"', "")
    assert question.endswith("?")
    assert words in result
    assert held or re.search(r"\d", words) or result.endswith("?")
    assert [each for each in held if not (each in unwrapped if isinstance(each, str) else each)] == []


def test_each_lesson_needs_only_lessons_before_it():
    found = re.findall(r"<br>\n<small>(Begin here|Needs [^<]+)</small>\n</li>", PAGE)
    needed = [[int(n) for n in re.findall(r"\d+", line)] for line in found]
    assert len(needed) == len(ORDER)
    assert found[0] == "Begin here"
    assert all(0 < earlier < number for number, line in enumerate(needed, 1) for earlier in line)
    assert all(line for line in needed[1:])


def test_the_parts_of_the_drawn_machine_lead_to_the_lessons_of_their_numbers():
    drawing = (DOCS / "diagrams" / "lessons_map.svg").read_text(encoding="utf-8")
    badges = re.findall(r'<a href="#(\w+)" aria-label="lesson (\d+)"><title>(.+?)</title>.+?>(\d+)</text></a>', drawing)
    assert drawing.count("<a ") == len(badges)
    questions = dict(re.findall(r"\{ #(\w+) \}\n\n(.+)\n\n", PAGE))
    assert {(page, int(said), question, int(shown)) for page, said, question, shown in badges} == {
        (page, number, questions[page], number)
        for number, page in enumerate(ORDER, 1)
        if number <= 14 or page in ("cache", "long_sequences", "online_softmax")
    }
    assert '--8<-- "diagrams/lessons_map.svg"' in PAGE


def test_pictures_adorn_and_are_light():
    files = sorted(PICTURES.iterdir())
    assert [path.stem for path in files] == sorted(ORDER)
    for path in files:
        svg = path.read_text(encoding="utf-8")
        assert 'viewBox="0 0 96 64"' in svg
        assert 'aria-hidden="true"' in svg  # title and question say it
        assert not re.search(r'\bid="|#[0-9a-f]{3}| style=', svg)  # many on one page, in the colours of the theme
    assert sum(path.stat().st_size for path in files) < 25_000


def test_who_reads_text_gets_the_list_without_pictures():
    text = plain.described(PAGE, str)
    assert "--8<--" not in text
    assert text.count("(Drawing: ") == 1  # the machine with the numbers of its lessons
    assert "[Masks](masks.py)\n" in text
