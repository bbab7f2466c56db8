"""The self-check at the end of a lesson: questions whose wrong answers say which mistake leads to them.

It is written in a fence, one line for each thing:

    ? How many keys does query 2 of a look-ahead mask see?
    - 2 | It also sees its own token.
    + 3 | Keys 0, 1 and 2.
    - 5 | That is what the last of five queries sees.

`?` begins a question, `+` the one right answer, `-` a wrong one; after ` | ` comes why. `code` stands in backticks. The
page gets HTML that works without a script, the notebook gets Markdown.
"""

from __future__ import annotations

import hashlib
import html
import re
from typing import NamedTuple

FEWEST = 3  # answers to a question


class Answer(NamedTuple):
    text: str
    reason: str
    right: bool

    @property
    def verdict(self):
        return f"{'Right' if self.right else 'No'}. {self.reason}"


class Question(NamedTuple):
    text: str
    answers: list[Answer]


def parse(text):
    """Return the questions of a self-check, or say in a ValueError what is wrong with it."""
    questions = []
    for line in filter(str.strip, text.splitlines()):
        mark, _, rest = line.partition(" ")
        if mark not in ("?", "+", "-") or not rest.strip():
            raise refusal(f"The line {line!r} is none.", "'? question', '+ answer | reason' or '- answer | reason'")
        if rest.count("`") % 2:
            raise refusal(f"The line {line!r} has a backtick without a partner.", "`code` between two backticks")
        if mark == "?":
            questions.append(Question(rest.strip(), []))
        elif not questions:
            raise refusal(f"The answer {line!r} comes before the first question.", "a line '? question' above it")
        else:
            questions[-1].answers.append(answer(rest, mark == "+"))
    if not questions:
        raise refusal("This self-check is empty.", "at least one line '? question'")
    for question in questions:
        check(question)
    return questions


def answer(line, right):
    parts = [part.strip() for part in line.split(" | ")]
    if len(parts) != 2 or not all(parts):
        raise refusal(f"The answer {line!r} needs its reason, after one ' | '.", "'answer | reason'")
    return Answer(*parts, right)


def check(question):
    right, texts = sum(a.right for a in question.answers), [a.text for a in question.answers]
    if len(texts) < FEWEST:
        raise refusal(f"The question {question.text!r} has {len(texts)} answers.", f"at least {FEWEST}")
    if right != 1:
        raise refusal(f"The question {question.text!r} has {right} right answers.", "one line with '+'")
    if len(set(texts)) < len(texts):
        raise refusal(f"The question {question.text!r} has one answer twice.", "answers that differ")


def refusal(law, expected):
    return ValueError(f"{law} Expected in a self-check: {expected}.")


def to_html(text):
    """Write a self-check for the page: each answer opens to its reason, with the browser's own means."""
    digest = hashlib.sha256(text.strip().encode()).hexdigest()[:8]
    sections = [section(question, f"sc-{digest}-{n}") for n, question in enumerate(parse(text), start=1)]
    return "\n".join(["<self-check data-search-exclude>", *sections, "</self-check>"])


def section(question, name):
    items = "\n".join(item(a, name) for a in question.answers)
    head = f'<section class="sc-question">\n<p id="{name}">{with_code(question.text)}</p>'
    return f'{head}\n<ul aria-labelledby="{name}">\n{items}\n</ul>\n</section>'


def item(answer, name):
    kind = "sc-right" if answer.right else "sc-wrong"
    body = f"<summary>{with_code(answer.text)}</summary><p>{with_code(answer.verdict)}</p>"
    return f'<li class="{kind}"><details name="{name}">{body}</details></li>'


def with_code(text):
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def to_markdown(text):
    """Write a self-check for a notebook: the answers as a list, the reasons folded below it."""
    return "\n\n".join(map(markdown, parse(text)))


def markdown(question):
    letters = "abcdefghijklmnopqrstuvwxyz"
    answers, reasons = (
        "\n".join(f"* ({letter}) {escaped(line)}" for letter, line in zip(letters, lines, strict=False))
        for lines in ([a.text for a in question.answers], [a.verdict for a in question.answers])
    )
    folded = f"<details><summary>Answers</summary>\n\n{reasons}\n\n</details>"
    return f"**{escaped(question.text)}**\n\n{answers}\n\n{folded}"


def escaped(text):
    """Keep Markdown from reading anything but code into a text."""
    return re.sub(r"`[^`]+`|[\\*_<>\[\]~$&]", lambda m: m[0] if m[0][0] == "`" else "\\" + m[0], text)


def add_fence(config):
    """Let pages write a self-check as a fence."""
    fences = config.mdx_configs.setdefault("pymdownx.superfences", {}).setdefault("custom_fences", [])
    fences.append({"name": "self-check", "class": "self-check", "format": fence})


def fence(source, language, css_class, options, md, **kwargs):
    """Format a fence for pymdownx.superfences, which takes nothing but its own exception for an error."""
    from pymdownx.superfences import SuperFencesException

    if "self-check" not in md.block_level_elements:  # or Markdown would put it into a paragraph
        md.block_level_elements.append("self-check")
    try:
        return to_html(source)
    except ValueError as error:
        raise SuperFencesException(str(error)) from None
