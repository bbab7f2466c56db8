"""TeX becomes MathML while the site is built: no script in the reader's browser, and bad TeX stops the build.

The work is done by a Markdown extension, so that pages, lessons and docstrings are treated alike.
"""

from __future__ import annotations

import html
import logging
import re

from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from math_core import LatexError, LatexToMathML
from mkdocs.exceptions import PluginError

log = logging.getLogger("mkdocs.mathml")
CONVERTER = LatexToMathML(fancy_error=False)
ARITHMATEX = re.compile(r'<(span|div) class="arithmatex">(?:\\\((?P<inline>.*?)\\\)|\\\[(?P<block>.*?)\\\])</\1>', re.S)
NOT_PROSE = re.compile(r"<(pre|code|script|style|math|svg)\b.*?</\1>", re.S)
BEFORE_A_STOP = re.compile(r'(<span class="math-inline"(?:(?!</span>).)*</span>)([.,;:?!)]+)', re.S)
LEFT_OVER = re.compile(r'\$\$|\$<span class="math|\$[A-Za-z\\{(]|\$ [^$<]+ \$|\\[(\[]|\\[A-Za-z]{2,}|arithmatex')


def to_mathml(match):
    block = match["block"] is not None
    tex = html.unescape(match["block"] if block else match["inline"]).strip()
    tex = re.sub(r"\\\\\s*\[[^]]*(?:pt|em|ex|mm)\]", r"\\\\", tex)  # math-core would print the [4pt] of \\[4pt]
    try:
        mathml = CONVERTER.convert_with_local_state(tex, displaystyle=block)
    except LatexError as error:
        raise PluginError(f"{MathML.page}: bad TeX: {tex}\n{error}") from None
    if not block:
        return f'<span class="math-inline" data-search-exclude>{mathml}</span>'
    return f'<div class="math" tabindex="0" role="group" aria-label="Formula" data-search-exclude>{mathml}</div>'


class MathML(Postprocessor):
    page = ""  # for the message: Markdown does not know which page it renders

    def run(self, text):
        text = ARITHMATEX.sub(to_mathml, text)
        return BEFORE_A_STOP.sub(r'<span class="math-stop">\1\2</span>', text)  # no line breaks between the two


class MathMLExtension(Extension):
    def extendMarkdown(self, md):  # noqa: N802 - the name Markdown calls
        md.postprocessors.register(MathML(md), "mathml", -100)  # after raw HTML is put back


def add_extension(config):
    config.markdown_extensions.append(MathMLExtension())


def refuse_left_overs(content, page):
    """Refuse TeX that no extension recognised, such as $$ inside a line."""
    if left := LEFT_OVER.search(NOT_PROSE.sub("", content)):
        text = left.string[max(0, left.start() - 30) : left.end() + 30]
        log.warning("%s: TeX was left unconverted near %r", page.file.src_uri, text)
