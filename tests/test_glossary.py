"""The hook of the glossary: what it reads, which words it explains, and what it leaves alone."""

import importlib.util
import re
from pathlib import Path

import markdown
import pytest

ROOT = Path(__file__).parents[1]
GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
SMALL = """\
**logits** { #logits .tip }
:   Numbers of `W`, before the softmax.
    [A lesson](learn/training.py) has them.

**query** { #query }
:   What a token looks for.

**XLA** { #xla .tip }
:   A compiler.
"""


def load_hook():
    spec = importlib.util.spec_from_file_location("glossary_hook", ROOT / "docs" / "_site" / "glossary.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


hook = load_hook()


def page(text):
    """Render a page as the site does, with the small glossary."""
    extensions = ["abbr", "attr_list", "md_in_html", "toc", "pymdownx.superfences"]
    return hook.first_only(markdown.markdown(text + "\n" + hook.abbreviations(SMALL, text), extensions=extensions))


def abbr(word, sentence):
    return f'<abbr tabindex="0" title="{sentence}">{word}</abbr>'


LOGITS = abbr("logits", "Numbers of W, before the softmax.")
XLA = abbr("XLA", "A compiler.")


class TestGlossary:
    def test_every_entry_is_read(self):
        definitions = re.findall(r"^: ", GLOSSARY, re.M)
        assert len(hook.entries(GLOSSARY)) == len(definitions) == GLOSSARY.count("{ #") > 40

    def test_is_sorted_and_names_nothing_twice(self):
        terms = [entry.term.casefold() for entry in hook.entries(GLOSSARY)]
        assert terms == sorted(set(terms))

    @pytest.mark.parametrize("entry", hook.entries(GLOSSARY), ids=lambda entry: entry.slug)
    def test_an_entry_is_one_plain_sentence(self, entry):
        assert entry.slug == entry.term.lower().replace(" ", "-")
        assert len(entry.sentence) <= 140
        assert entry.sentence.endswith(".")
        assert not re.search(r'[.!?] [A-Z]|[\[\]*$<>"{}]', entry.sentence.replace('"Not a number"', ""))

    def test_about_twenty_words_have_a_tooltip(self):
        assert 15 <= sum(entry.tip for entry in hook.entries(GLOSSARY)) <= 30

    def test_its_markdown_gives_each_word_its_anchor(self):
        html = markdown.markdown(GLOSSARY, extensions=["attr_list", "def_list"])
        for entry in hook.entries(GLOSSARY):
            tip = ' class="tip"' if entry.tip else ""
            assert f'<dt{tip} id="{entry.slug}"><strong>{entry.term}</strong></dt>' in html
        assert "{ #" not in html


class TestEntries:
    def test_reads_word_anchor_mark_and_first_sentence(self):
        logits, query, xla = hook.entries(SMALL)
        assert logits == ("logits", "logits", True, "Numbers of `W`, before the softmax.")
        assert (query.tip, xla.term, xla.sentence) == (False, "XLA", "A compiler.")

    def test_sees_a_change(self):
        assert len(hook.entries(SMALL.replace("query", "key"))) == len(hook.entries(SMALL)) == 3
        assert hook.entries(SMALL.replace("query", "key"))[1].term == "key"

    def test_spells_a_word_four_ways(self):
        assert hook.spellings("kernel") == ["kernel", "Kernel", "kernels", "Kernels"]
        assert hook.spellings("XLA") == ["XLA", "XLAs"]

    def test_a_page_gets_only_the_words_it_has(self):
        assert hook.abbreviations(SMALL, "a query, and XLA") == "\n*[XLA]: A compiler."


class TestPage:
    def test_only_the_first_of_each_word(self):
        html = page("XLA, logits and a query.\n\nLogits, XLA and logits.")
        assert html == f"<p>{XLA}, {LOGITS} and a query.</p>\n<p>Logits, XLA and logits.</p>"

    @pytest.mark.parametrize(
        "silent",
        ["## XLA", "[see XLA](x.md)", "`XLA`", "```python\nXLA\n```", "    XLA", "[`XLA` and XLA](x.md)"],
    )
    def test_headings_links_and_code_stay_as_they_are_and_do_not_count(self, silent):
        html = page(f"{silent}\n\nXLA again.")
        assert html.count("<abbr") == 1
        assert html.endswith(f"<p>{XLA} again.</p>")

    def test_a_heading_keeps_its_anchor(self):
        assert page("## Why logits?") == '<h2 id="why-logits">Why logits?</h2>'
        assert page("## Why logits? { #why }") == '<h2 id="why">Why logits?</h2>'

    def test_inside_other_words_nothing_happens(self):
        assert "<abbr" not in page("XLAB, flogits")

    def test_lists_tables_and_folded_parts_count(self):
        assert LOGITS in page("* logits")
        folded = page('<details markdown="1"><summary>XLA</summary>\n\nXLA\n\n</details>')
        assert f"<p>{XLA}</p>" in folded
        assert "<summary>XLA</summary>" in folded

    def test_a_page_that_ends_in_a_list_or_code_keeps_it(self):
        assert page("* one\n* XLA") == f"<ul>\n<li>one</li>\n<li>{XLA}</li>\n</ul>"
        assert page("logits\n\n```python\nXLA\n```").count("*[") == 0

    def test_a_page_without_such_words_is_unchanged(self):
        assert page("A query.") == "<p>A query.</p>"
