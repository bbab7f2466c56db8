"""An executed lesson in its two published forms: a Markdown page, and a notebook to download.

The page goes through MkDocs' own renderer like any other, with its links, cross-references and math checked.
Outputs that are HTML wait outside as numbered placeholders, so that Markdown does not touch them.
"""

from __future__ import annotations

import base64
import html
import json
import logging
import re
import textwrap

import install
from execute import INK, ROOT
from mkdocs.exceptions import PluginError
from self_check import to_markdown

log = logging.getLogger("mkdocs.lessons")
FOLLOWS = {  # what figures are drawn in -> what the theme makes of it, light and dark
    INK: "currentColor",
    "stroke: #ffffff": "stroke: var(--md-default-bg-color)",  # gaps between cells
    "#fdfdfd": "var(--md-default-bg-color)",  # letters on the colours below
    "#0072b2": "var(--ca-queries)",
    "#d55e00": "var(--ca-keys)",
    "#009e73": "var(--ca-values)",
    "#cc79a7": "var(--ca-fourth)",
    "#56b4e9": "var(--ca-visible)",
    "#808080": "var(--ca-hatch)",
}
WIDE = 450  # points: a figure wider than this is not shrunk to the width of a phone
SELF_CHECK = re.compile(r"^```self-check\n(.*?)^```$", re.M | re.S)
ADMONITION = re.compile(r'^(?:!!!|\?\?\?\+?) (\w+)(?: "(.*)")?((?:\n(?: {4}.*|(?=\n)))*)', re.M)


class LessonPage:
    """The Markdown of a lesson, and the HTML that takes the place of its placeholders."""

    def __init__(self, notebook, name):
        self.name, self.outputs, self.figures = name, [], 0
        self.markdown = "\n\n".join(filter(None, map(self.cell, notebook["cells"]))) + "\n"

    def cell(self, cell):
        tags = cell["metadata"].get("tags", [])
        if "remove-cell" in tags:
            return ""
        if cell["cell_type"] == "code":
            body = self.code_cell(cell, tags)
        else:
            front_matter = cell["cell_type"] == "raw" and cell["source"].startswith("---")
            body = cell["source"] if cell["cell_type"] == "markdown" or front_matter else ""
        return folded("Show the answer", body, "answer") if "answer" in tags else body

    def code_cell(self, cell, tags):
        parts = []
        if "remove-input" not in tags:
            code = fence(cell["source"])
            parts.append(folded("Show the code", code, "code") if "hide-input" in tags else code)
        if "remove-output" not in tags:
            parts += [self.output(o, cell, tags) for o in cell["outputs"]]
        if "live" in tags:
            parts.reverse()  # what it shows comes first
        return "\n\n".join(filter(None, parts))

    def output(self, output, cell, tags):
        if output["output_type"] == "stream":
            return fence(output["text"]) if "source" in tags else self.text(output["text"], tags)
        data = output["data"]
        if pictures := [kind for kind in data if kind.startswith("image/") and kind != "image/svg+xml"]:
            raise PluginError(f"{self.name}: a figure is {pictures[0]}; only SVG can follow the theme.")
        if "image/svg+xml" in data:
            return self.figure(data["image/svg+xml"], cell)
        if "live" in tags:
            return self.keep(f'<div class="lesson-live">{data["text/html"]}</div>')
        if "text/html" in data:
            return self.keep(f'<div class="lesson-html" tabindex="0">{data["text/html"]}</div>')
        if "text/markdown" in data:
            return data["text/markdown"]
        if "text/latex" in data:
            return f"$$\n{data['text/latex'].strip('$ ').replace('displaystyle', '')}\n$$"
        if "text/plain" in data:
            if data["text/plain"].startswith("<Axes"):
                return ""  # what a plotting function returns, beside the picture it drew
            return self.text(data["text/plain"], tags)
        raise PluginError(f"{self.name}: there is no way to show {', '.join(data)}.")

    def text(self, text, tags):
        kind = "lesson-output lesson-wrap" if "wrap" in tags else "lesson-output"
        text = html.escape(text.strip("\n"), quote=False)
        return self.keep(f'<pre class="{kind}" tabindex="0" role="group" aria-label="Output">{text}</pre>')

    def figure(self, svg, cell):
        self.figures += 1
        alt = cell["metadata"].get("alt", "")
        if not alt:
            first = cell["source"].splitlines()[0]
            log.warning('%s: a figure has no alt text; write # %%%% alt="..." above %r', self.name, first)
        wide = ' lesson-wide" tabindex="0' if float(re.search(r'width="([\d.]+)pt"', svg)[1]) > WIDE else ""
        head = f'<figure class="lesson-figure{wide}" role="img" aria-label="{html.escape(alt)}">'
        return self.keep(f"{head}{for_page(svg, self.figures)}</figure>")

    def keep(self, output):
        self.outputs.append(output)
        return f"lesson-output-{len(self.outputs) - 1}-"

    def put_back(self, content):
        return re.sub(r"<p>lesson-output-(\d+)-</p>", lambda m: self.outputs[int(m[1])], content)


def fence(code):
    code = code.strip("\n")
    ticks = "`" * max(3, *(len(run) + 1 for run in re.findall("`{3,}", code)), 3)
    return f"{ticks}python\n{code}\n{ticks}"


def folded(summary, body, kind):
    return f'<details class="lesson-{kind}" markdown="1"><summary>{summary}</summary>\n\n{body}\n\n</details>'


def for_page(svg, number):
    """Let the theme colour the ink, and make ids differ between the figures of a page."""
    for drawn, follows in FOLLOWS.items():
        svg = svg.replace(drawn, follows)
    return re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>fig{number}-", svg)


def to_notebook(notebook, resolve):
    """Return the JSON of the notebook to download; `resolve` makes a relative link absolute."""
    cells = [new_cell("code", "install", install.CELL)]
    for cell in notebook["cells"]:
        if "live" in cell["metadata"].get("tags", []):
            continue  # its script is on the site only
        if cell["cell_type"] == "markdown":
            cells.append({**cell, "source": for_jupyter(cell["source"], resolve)})
        elif cell["cell_type"] == "code":
            cells.append({**cell, "outputs": [on_white(o) for o in cell["outputs"]]})
    return json.dumps({**notebook, "cells": cells}, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def new_cell(kind, name, source):
    return {"cell_type": kind, "id": name, "metadata": {}, "execution_count": None, "outputs": [], "source": source}


def on_white(output):
    """Put behind figures the white paper they need in a dark notebook, where no theme colours them."""
    if "image/svg+xml" not in output.get("data", {}):
        return output
    svg = output["data"]["image/svg+xml"].replace("<svg ", '<svg style="background: #fff" ', 1)
    return {**output, "data": {**output["data"], "image/svg+xml": svg}}


def for_jupyter(text, resolve):
    """Turn what only the site understands into what every notebook shows: cross-references, links, admonitions."""
    text = SELF_CHECK.sub(lambda m: to_markdown(m[1]), text)
    text = re.sub(r"\[([^\]\n]+)\]\[(?:\w+\.[\w.]+|clear_attention)\]", r"\1", text)
    text = re.sub(r'^--8<-- "(.+)"$', drawing, text, flags=re.M)
    text = re.sub(r"(?<=\]\()(?!\w+:|#)([^)\s]+)", lambda m: resolve(m[1]), text)
    return ADMONITION.sub(quoted, text)


def drawing(match):
    """Carry a drawing inside the notebook, on white paper: there is no theme to colour it."""
    svg = (ROOT / "docs" / match[1]).read_text(encoding="utf-8").replace("<svg ", '<svg style="background: #fff" ', 1)
    label = html.unescape(re.search('aria-label="(.*?)"', svg)[1])
    return f"![{label}](data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()})"


def quoted(admonition):
    title = admonition[2] or admonition[1].capitalize()
    lines = f"**{title}**\n\n{textwrap.dedent(admonition[3]).strip()}".splitlines()
    return "\n".join(f"> {line}".rstrip() for line in lines) + "\n"
