"""The site for programs that read: llms.txt, a list of the pages, and llms-full.txt, the lessons' text.

llms.txt follows the convention of that name: a title, a summary, and sections of links. llms-full.txt is the Markdown
of all lessons and guides in the order of the navigation, with what their code printed.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

from execute import write
from lessons import absolute
from mkdocs.utils.meta import get_data
from plain import described, to_text

FULL = ("learn/", "guides/")
MODULE = re.compile(r'class="doc doc-contents first">\s*<p>(.*?)</p>', re.S)


def write_lists(nav, files, config):
    write(Path(config.site_dir, "llms.txt"), overview(nav, config))
    pages = [p for p in nav.pages if p.file.src_uri.startswith(FULL)]
    texts = [page_text(p, lambda link, page=p: absolute(link, page.file, files, config)) for p in pages]
    head = f"# {config.site_name}: all lessons and guides\n\n> {config.site_description}\n"
    write(Path(config.site_dir, "llms-full.txt"), "\n\n---\n\n".join([head.strip(), *texts]) + "\n")


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
    lesson = getattr(page.file, "executed", None)
    text = to_text(lesson, resolve) if lesson else described(get_data(page.file.content_string)[0], resolve)
    text = re.sub(r"\n{3,}", "\n\n", text.strip())
    return f"Page: {page.canonical_url}\n\n{text}"
