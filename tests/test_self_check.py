import re
from html.parser import HTMLParser
from pathlib import Path

import markdown
import pytest
from pymdownx.superfences import SuperFencesException
from self_check import Answer, Question, fence, parse, to_html, to_markdown

ROOT = next(p for p in Path(__file__).resolve().parents if (p / "docs" / "learn").is_dir())
LESSONS = sorted((ROOT / "docs" / "learn").glob("*.py"))
FENCE = re.compile(
    r"^# ## Check yourself\n.*?^exercises\.show\(.*?^# ```self-check\n(.*?)^# ```\n#\n# </details>\n#\n"
    r"# ## (?:The last question|Where to go next)\n",
    re.M | re.S,
)
TEXT = """\
? How many keys does query 2 of `look_ahead(5)` see?
- 2 | It also sees its *own* token.
+ 3 | Keys 0 < 1 & `k[2]`.
- 5 | That is query 4.
? Which way round?
+ `True` | Yes.
- `False` | Inverted.
- either | No.
"""
ONE = "? Which?\n+ a | A.\n- b | B.\n- c | C.\n"


class Tree(HTMLParser):
    """Collects ids, names and classes, and refuses tags that do not match."""

    def __init__(self, html):
        super().__init__()
        self.open, self.found = [], {"id": [], "name": [], "class": [], "aria-labelledby": []}
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        for key, value in attrs:
            self.found.setdefault(key, []).append(value)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_questions_and_answers_are_read_in_their_order():
    first, second = parse(TEXT)
    assert first.answers[1] == Answer("3", "Keys 0 < 1 & `k[2]`.", True)
    assert [a.right for a in first.answers] == [False, True, False]
    assert second == Question("Which way round?", second.answers)
    assert [a.text for a in second.answers] == ["`True`", "`False`", "either"]


def test_a_blank_line_means_nothing():
    assert parse(TEXT.replace("\n? Which", "\n\n? Which")) == parse(TEXT)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ("+ a | A.", "'\\+ a \\| A.' comes before the first question"),
        (ONE + "* d | D.", "'\\* d \\| D.' is none"),
        (ONE + "Which?", "'Which\\?' is none"),
        (ONE + " - d | D.", "' - d \\| D.' is none"),
        (ONE + "-d | D.", "'-d \\| D.' is none"),
        (ONE + "?", "'\\?' is none"),
        (ONE + "- d", "'d' needs its reason"),
        (ONE + "- d |", "'d \\|' needs its reason"),
        (ONE + "- | D.", "'\\| D.' needs its reason"),
        (ONE + "- d|D.", "'d\\|D.' needs its reason"),
        (ONE + "- d | D. | E.", "'d \\| D. \\| E.' needs its reason"),
        (ONE + "- `d | D.", "'- `d \\| D.' has a backtick without a partner"),
        (ONE + "+ d | D.", "'Which\\?' has 2 right answers"),
        (ONE.replace("+", "-"), "'Which\\?' has 0 right answers"),
        (ONE.replace("- c | C.\n", ""), "'Which\\?' has 2 answers"),
        (ONE + "? What?", "'What\\?' has 0 answers"),
        (ONE + "- a | D.", "'Which\\?' has one answer twice"),
    ],
)
def test_refused_with_a_sentence(text, words):
    with pytest.raises(ValueError, match=words) as caught:
        parse(text)
    assert re.search(r"\. Expected in a self-check: .+\.$", str(caught.value))


def test_html_is_whole_and_its_ids_differ():
    html = to_html(TEXT)
    found = Tree(html).found
    assert html.startswith("<self-check")
    assert html.endswith("</self-check>")
    assert len(found["id"]) == len(set(found["id"])) == 2
    assert found["aria-labelledby"] == found["id"]
    assert found["name"] == [i for i in found["id"] for _ in range(3)]
    right = ["sc-wrong", "sc-right", "sc-wrong", "sc-right", "sc-wrong", "sc-wrong"]
    assert [c for c in found["class"] if c != "sc-question"] == right


def test_html_is_the_same_every_time_and_differs_between_texts():
    assert to_html(TEXT) == to_html(TEXT)
    assert not set(Tree(to_html(TEXT)).found["id"]) & set(Tree(to_html(ONE)).found["id"])


def test_html_is_escaped_and_code_is_code():
    html = to_html(TEXT)
    assert "query 2 of <code>look_ahead(5)</code> see?</p>" in html
    assert "<summary>3</summary><p>Right. Keys 0 &lt; 1 &amp; <code>k[2]</code>.</p>" in html
    assert "<summary>2</summary><p>No. It also sees its *own* token.</p>" in html
    assert "<script>" not in to_html(ONE.replace("A.", "<script>"))


def test_nothing_says_which_is_right_before_it_is_opened():
    closed = re.sub(r"</summary><p>.*?</p>|class=\"sc-(right|wrong)\"", "", to_html(TEXT))
    assert not re.search("right|wrong|open", closed.replace("Which way round?", ""), re.I)


def test_markdown_has_answers_as_a_list_and_reasons_folded():
    assert to_markdown(ONE) == (
        "**Which?**\n\n* (a) a\n* (b) b\n* (c) c\n\n"
        "<details><summary>Answers</summary>\n\n* (a) Right. A.\n* (b) No. B.\n* (c) No. C.\n\n</details>"
    )


def test_markdown_reads_nothing_but_code_into_a_text():
    text = to_markdown(TEXT)
    assert "**How many keys does query 2 of `look_ahead(5)` see?**" in text
    assert "its \\*own\\* token" in text
    assert "0 \\< 1 \\& `k[2]`." in text


def page(text):
    fences = [{"name": "self-check", "class": "self-check", "format": fence}]
    options = {"pymdownx.superfences": {"custom_fences": fences}}
    return markdown.markdown(text, extensions=["pymdownx.superfences"], extension_configs=options)


def test_the_fence_becomes_html_that_is_in_no_paragraph():
    assert page(f"Before.\n\n```self-check\n{TEXT}```\n\nAfter.") == f"<p>Before.</p>\n{to_html(TEXT)}\n<p>After.</p>"


def test_a_bad_fence_stops_the_build():
    with pytest.raises(SuperFencesException, match="0 right answers"):
        page(f"```self-check\n{ONE.replace('+', '-')}```")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_each_lesson_ends_with_three_questions(lesson):
    text = lesson.read_text(encoding="utf-8")
    (block,) = FENCE.findall(text)
    assert text.count("```self-check") == 1
    questions = parse(re.sub(r"^# ", "", block, flags=re.M))
    assert len(questions) == 3
    assert all(3 <= len(q.answers) <= 4 for q in questions)
    assert all(mark not in block for mark in ("$", "\\", "]("))  # no TeX, no links
    places = [[a.right for a in q.answers].index(True) for q in questions]
    assert len(set(places)) > 1, "the right answer always stands in the same place"
