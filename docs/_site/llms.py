"""MkDocs hook: the site for programs that read: llms.txt, a list of the pages, and llms-full.txt, the lessons' text.

llms.txt follows the convention of that name: a title, a summary, and sections of links. llms-full.txt is the Markdown
of all lessons and guides in the order of the navigation, with what their code printed.
"""

from __future__ import annotations

import html
import os
import re
from pathlib import Path

from lessons import absolute
from render import drawing, for_jupyter

FULL = ("learn/", "guides/")
PLACEHOLDER = re.compile(r"^lesson-output-(\d+)-$", re.M)
MODULE = re.compile(r'class="doc doc-contents first">\s*<p>(.*?)</p>', re.S)
SITE = {}  # what on_nav saw, for on_post_build


def on_nav(nav, config, files):
    SITE.update(nav=nav, files=files)


def on_post_build(config):
    write(config, "llms.txt", overview(SITE["nav"], config))
    pages = [p for p in SITE["nav"].pages if p.file.src_uri.startswith(FULL)]
    texts = [page_text(p, lambda link, page=p: absolute(link, page.file, SITE["files"], config)) for p in pages]
    head = f"# {config.site_name}: all lessons and guides\n\n> {config.site_description}\n"
    write(config, "llms-full.txt", "\n\n---\n\n".join([head.strip(), *texts]) + "\n")


def write(config, name, text):
    """Write a file in one go: a reader sees the old one or the new one."""
    path = Path(config.site_dir, name)
    part = path.with_name(f"{name}.{os.getpid()}.part")
    part.write_text(text, encoding="utf-8", newline="\n")
    part.replace(path)


def overview(nav, config):
    full = f"- [All lessons and guides]({config.site_url}llms-full.txt): one Markdown text, with what the code printed"
    start = [link(item) for item in nav.items if item.is_page]
    sections = [("Start here", [*start, full])]
    sections += [(item.title, [link(p) for p in pages_of(item)]) for item in nav.items if item.is_section]
    parts = [f"# {config.site_name}", f"> {config.site_description}"]
    parts += [f"## {title}\n\n" + "\n".join(links) for title, links in sections]
    return "\n\n".join(parts) + "\n"


def pages_of(section):
    for item in section.children:
        if item.is_page:
            yield item
        elif item.is_section:
            yield from pages_of(item)


def link(page):
    about = description(page)
    return f"- [{plain(page.title)}]({page.canonical_url})" + (f": {about}" if about else "")


def description(page):
    """Return what the page says of itself; a reference page, the first paragraph of its module."""
    if about := page.meta.get("description"):
        return " ".join(about.split())
    module = MODULE.search(page.content or "")
    return plain(module[1]) if module else ""


def plain(text):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", text)).split())


def page_text(page, resolve):
    """Return the Markdown of a page as readers see it, with links that work anywhere."""
    text = re.sub(r'^--8<-- "(.+)"$', labelled, page.markdown, flags=re.M)
    text = re.sub(r'^<details class="lesson-answer"[^>]*><summary>.*</summary>$', "Answer:", text, flags=re.M)
    text = re.sub(r'^<details class="lesson-code"[^>]*><summary>.*</summary>$', "", text, flags=re.M)
    text = re.sub(r"^</?(?:details|div)\b[^>]*>$", "", text, flags=re.M)
    text = re.sub(r"^\*\[[^\]\n]+\]: .*$", "", text, flags=re.M)  # the tooltips of the glossary
    text = for_jupyter(text, resolve)
    text = re.sub(r"^(?:<details><summary>Answers</summary>|</details>)$", "", text, flags=re.M)  # of self-checks
    if lesson := getattr(page.file, "lesson_page", None):
        text = PLACEHOLDER.sub(lambda m: output(lesson.outputs[int(m[1])]), text)
    text = re.sub(r"\n{3,}", "\n\n", text.strip())
    return f"Page: {page.canonical_url}\n\n{text}"


def labelled(match):
    """Put the words that describe a drawing in its place."""
    return re.sub(r"^!\[(.*)\]\(data:.*\)$", r"(Drawing: \1)", drawing(match), flags=re.S)


def output(shown):
    """Return what a cell put on the page, as text: printed lines, a figure's description, a table's rows."""
    if figure := re.match(r'<figure[^>]* aria-label="(.*?)"', shown):
        return f"(Figure: {html.unescape(figure[1])})"
    if printed := re.match(r"<pre[^>]*>(.*)</pre>$", shown, re.S):
        return f"```text\n{html.unescape(printed[1])}\n```"
    shown = re.sub(r"<(script|style|svg)\b.*?</\1>", "", shown, flags=re.S)
    shown = re.sub(r"</t[dh]>\s*(?=<t[dh]\b)", " | ", shown)
    shown = re.sub(r"</(?:tr|caption|p|div|li|pre|summary|details)>|<details\b[^>]*>|<br ?/?>", "\n", shown)
    lines = html.unescape(re.sub(r"<[^>]+>", "", shown)).splitlines()
    return "```text\n" + "\n".join(line.rstrip() for line in lines if line.strip()) + "\n```"
