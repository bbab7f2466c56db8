"""An executed lesson in plain Markdown, as every program understands it: a notebook to download, and text."""

from __future__ import annotations

import ast
import base64
import html
import json
import re
import symtable
import textwrap
from pathlib import Path

import install
from execute import DOCS
from self_check import to_markdown

OURS = {path.stem for path in Path(__file__).parent.iterdir() if path.suffix == ".py" or path.is_dir()}
MORE = re.compile(r'^<details class="lesson-more"[^>]*><summary>(.*?)</summary>$', re.M)
SELF_CHECK = re.compile(r"^```self-check\n(.*?)^```$", re.M | re.S)
ATTRIBUTES = re.compile(r"(?:(?<=\))|(?<=\S) )\{ ?[#.][\w .#-]*\}(?=$| \[)", re.M)  # such as { #anchor }
DRAWN = re.compile(r'<svg class="diagram".*?</svg>', re.S)  # by drawing.py
ADMONITION = re.compile(r'^(?:!!!|\?\?\?\+?) (\w+)(?: "(.*)")?((?:\n(?: {4}.*|(?=\n)))*)', re.M)


def to_notebook(notebook, resolve):
    """Return the JSON of the notebook to download; `resolve` makes a relative link absolute."""
    cells, gone = [new_cell("code", "install", install.CELL)], set()
    for cell in notebook["cells"]:
        if "live" in cell["metadata"].get("tags", []):
            if source := without_pieces(cell["source"], gone):
                cells.append({**cell, "source": source, "outputs": []})
            shown = (output.get("data", {}).get("text/html", "") for output in cell["outputs"])
            drawings = "\n\n".join(carried(found[0]) for page in shown if (found := DRAWN.search(page)))
            if drawings:
                cells.append({"cell_type": "markdown", "id": f"{cell['id']}-drawn", "metadata": {}, "source": drawings})
        elif cell["cell_type"] == "markdown":
            cells.append({**cell, "source": unfolded(for_jupyter(cell["source"], resolve))})
        elif cell["cell_type"] == "code":
            shown = {**cell, "outputs": [on_white(o) for o in cell["outputs"]]}
            cells += answered(shown) if "answer" in cell["metadata"].get("tags", []) else [shown]
    metadata = {name: value for name, value in notebook["metadata"].items() if name != "key"}
    notebook = {**notebook, "cells": cells, "metadata": metadata}
    return json.dumps(notebook, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def answered(cell):
    """Return a cell for the reader's own answer, and ours behind it, folded until the reader presses it."""
    folded = {"jupyter": {"source_hidden": True, "outputs_hidden": True}}
    own = new_cell("code", f"{cell['id']}-own", "# Your answer. Ours is folded in the next cell.")
    return [own, {**cell, "metadata": {**cell["metadata"], **folded}}]


def without_pieces(source, gone):
    """Leave out of a cell what only the site can show, and keep what the cells after it need.

    The modules of this folder make pieces for a page's scripts: their imports go, and each statement that uses them.
    The names that go with them are added to `gone`.
    """
    lines, kept, end = source.splitlines(), [], 0
    for statement in ast.parse(source).body:
        start, end = end, statement.end_lineno  # with the comment above it
        of_site = isinstance(statement, ast.ImportFrom | ast.Import) and modules_of(statement) <= OURS
        read, bound = names_of("\n".join(lines[statement.lineno - 1 : end]))
        if of_site:
            gone.update(alias.asname or alias.name for alias in statement.names)
        elif read & gone:
            gone |= bound
        else:
            gone -= bound
            kept += lines[start:end]
    return "\n".join(kept).strip("\n")


def names_of(statement):
    """Return which of the page's names a statement reads, and which it binds; a function's own names are not those."""
    page = symtable.symtable(statement, "cell", "exec")
    scopes, read = [page], set()
    for scope in scopes:
        scopes += scope.get_children()
        read |= {name.get_name() for name in scope.get_symbols() if name.is_referenced() and name.is_global()}
    return read, {name.get_name() for name in page.get_symbols() if name.is_assigned()}


def modules_of(statement):
    return {statement.module} if isinstance(statement, ast.ImportFrom) else {alias.name for alias in statement.names}


def new_cell(kind, name, source):
    return {"cell_type": kind, "id": name, "metadata": {}, "execution_count": None, "outputs": [], "source": source}


def on_white(output):
    """Put behind figures the white paper they need in a dark notebook, where no theme colours them."""
    if "image/svg+xml" not in output.get("data", {}):
        return output
    svg = output["data"]["image/svg+xml"].replace("<svg ", '<svg style="background: #fff" ', 1)
    return {**output, "data": {**output["data"], "image/svg+xml": svg}}


def to_text(notebook, resolve):
    """Return the Markdown of a lesson, with what its code printed and in the place of a picture its description."""
    return "\n\n".join(filter(None, (cell_text(cell, resolve) for cell in notebook["cells"])))


def cell_text(cell, resolve):
    tags = cell["metadata"].get("tags", [])
    parts = ["Answer:"] if "answer" in tags else []
    if cell["cell_type"] == "markdown":
        parts.append(described(cell["source"], resolve))
    elif cell["cell_type"] == "code":
        parts += [] if "remove-input" in tags else [f"```python\n{cell['source']}\n```"]
        parts += map(output_text, cell["outputs"])
    return "\n\n".join(filter(None, parts)) if parts != ["Answer:"] else ""


def output_text(output):
    """Return what a cell showed as text: printed lines, a figure's description, a table's rows."""
    data = output.get("data", {})
    if "image/svg+xml" in data:
        return f"(Figure: {output['metadata'].get('alt', '')})"
    if "text/markdown" in data:
        return data["text/markdown"]
    if found := DRAWN.search(data.get("text/html", "")):
        return f"(Drawing: {described_by(found[0])})"
    if "text/html" in data:
        return f"```text\n{rows(data['text/html'])}\n```"
    text = output.get("text") or data.get("text/plain", "")
    return "" if text.startswith("<Axes") else "```text\n" + text.strip("\n") + "\n```"


def rows(shown):
    """Return the text of HTML, a row of a table on a line."""
    shown = re.sub(r"<(script|style|svg)\b.*?</\1>", "", shown, flags=re.S)
    shown = re.sub(r"</t[dh]>\s*(?=<t[dh]\b)", " | ", shown)
    shown = re.sub(r"</(?:tr|caption|p|div|li|pre|summary|details)>|<details\b[^>]*>|<br ?/?>", "\n", shown)
    lines = html.unescape(re.sub(r"<[^>]+>", "", shown)).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip())


def described(text, resolve):
    """Return Markdown for programs that read: nothing is folded, and a drawing is its description."""
    text = for_jupyter(text, resolve, lambda svg: f"(Drawing: {label})" if (label := described_by(svg)) else "")
    text = re.sub(r"^<details\b[^>]+><summary>(.*?)</summary>$", r"\1", text, flags=re.M)
    return re.sub(r"^(?:<details><summary>Answers</summary>|</details>|</?div\b[^>]*>)$\n*", "", text, flags=re.M)


def for_jupyter(text, resolve, picture=None):
    """Turn what only the site understands into what every notebook shows: cross-references, links, admonitions."""
    picture = picture or carried
    text = ATTRIBUTES.sub("", SELF_CHECK.sub(lambda m: to_markdown(m[1]), text))
    text = re.sub(r"\[([^\]\n]+)\]\[(?:\w+\.[\w.]+|clear_attention)\]", r"\1", text)
    text = re.sub(r'^--8<-- "(.+)"$', lambda m: picture((DOCS / m[1]).read_text(encoding="utf-8")), text, flags=re.M)
    text = re.sub(r"(?<=\]\()(?!\w+:|#)([^)\s]+)", lambda m: resolve(m[1]), text)
    return ADMONITION.sub(quoted, text)


def unfolded(text):
    """Turn a fold that spans cells, which a notebook can't have, into a line that says what it was about."""
    text = MORE.sub(r"**\1**", text)
    spare = text.count("</details>") - text.count("<details")
    return re.sub(r"^</details>\n*", "", text, count=spare, flags=re.M) if spare > 0 else text


def described_by(svg):
    """Return the description of a drawing.

    A drawing that is hidden from a screen reader says nothing that the text does not say, and has no description.
    """
    return html.unescape(re.search('aria-label="(.*?)"|aria-hidden="true"', svg)[1] or "")


def carried(svg):
    """Carry a drawing inside the notebook, on white paper: there is no theme to colour it."""
    paper = svg.replace("<svg ", '<svg style="background: #fff" ', 1)
    return f"![{described_by(svg)}](data:image/svg+xml;base64,{base64.b64encode(paper.encode()).decode()})"


def quoted(admonition):
    title = admonition[2] or admonition[1].capitalize()
    lines = f"**{title}**\n\n{textwrap.dedent(admonition[3]).strip()}".splitlines()
    return "\n".join(f"> {line}".rstrip() for line in lines) + "\n"
