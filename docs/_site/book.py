"""Print the lessons, the guides, the notation and the glossary into one PDF: `make book`.

    python docs/_site/book.py site dist/clear-attention.pdf

The chapters are the pages of the built site, in the order of its llms.txt, printed by Chromium twice: the second time
the contents know the pages' numbers. The same site, browser, fonts and SOURCE_DATE_EPOCH give the same book.
"""

from __future__ import annotations

import html
import mimetypes
import os
import re
import shutil
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

from execute import write
from playwright.sync_api import sync_playwright

HERE = Path(__file__).resolve().parent
ORIGIN = "http://book.invalid"  # nobody's: every request is answered from the site's folder
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH = 642  # pixels that are as wide as a page without its margins, at 96 an inch
PARTS = {"Learn": "Lessons", "Guides": "Guides", "Reference": "Words and symbols"}
LEFT_OUT = ("find/", "reference/")  # answers with links; a book has an index of neither
SECTION = re.compile(r"^## (.+)\n\n((?:- .+\n)+)", re.M)
LINK = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\)", re.M)
OWN_IDS = re.compile(r'(\b(?:id|for|aria-labelledby)="|href="#|url\(#)')


def main(site, pdf):
    if not (site / "llms.txt").is_file():
        sys.exit(f"A book holds the built site. Expected: pages in {site}. Received: none; run `make site` first.")
    found = [path for path in map(shutil.which, BROWSERS) if path]
    if not found:
        sys.exit("A book is printed by a browser. Expected: Chromium on the PATH. Received: none.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found[0], args=["--no-sandbox", "--disable-gpu"])
        printed = print_book(*open_book(browser, site))
        browser.close()
    write(pdf, printed)
    print(f"The book is in {os.path.relpath(pdf)}")


def open_book(browser, site):
    """Return a browser's page that holds the whole book, and the keys of its chapters."""
    address, parts = read_order(site)
    homes = {f"/{path}": key_of(path) for _, part in parts for _, path in part}
    page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
    page.emulate_media(media="print")
    page.route("**/*", lambda route: answer(route, site, parts))
    page.goto(f"{ORIGIN}/book.html")
    page.add_script_tag(content=(HERE / "book.js").read_text(encoding="utf-8"))
    page.evaluate("document.fonts.ready")
    page.evaluate("([homes, site]) => toBook(homes, site)", [homes, address])
    if wide := page.evaluate("tooWide()"):
        sys.exit(f"Paper does not scroll. Expected: nothing wider than a page. Received: {wide}.")
    return page, list(homes.values())


def print_book(page, keys):
    numbers = page_numbers(to_pdf(page), keys)
    page.evaluate("numbers => nameNumbers(numbers)", numbers)
    return without_clock(to_pdf(page))


def read_order(site):
    """Return the published address, if there is one, and for each part its title and its pages, (title, path)."""
    text = (site / "llms.txt").read_text(encoding="utf-8")
    base = LINK.search(text)[2]  # of the first page, which is the home page
    parts = []
    for title, lines in SECTION.findall(text):
        pages = [(name, url.removeprefix(base)) for name, url in LINK.findall(lines)]
        if title in PARTS:
            parts.append((PARTS[title], [(name, path) for name, path in pages if not path.startswith(LEFT_OUT)]))
    return None if urlsplit(base).hostname in ("127.0.0.1", "localhost") else base, parts


def key_of(path):
    return path.strip("/").replace("/", "-")


def answer(route, site, parts):
    path = urlsplit(route.request.url).path
    if not route.request.url.startswith(ORIGIN):
        route.abort()
    elif path == "/book.html":
        route.fulfill(body=print_page(site, parts), content_type="text/html; charset=utf-8")
    else:
        file = site / path.lstrip("/")
        route.fulfill(body=file.read_bytes(), content_type=mimetypes.guess_type(file)[0])


def print_page(site, parts):
    home = (site / "index.html").read_text(encoding="utf-8")
    styles = re.findall(r'<link rel="stylesheet" href="([^"]+)">', home)
    links = "".join(f'<link rel="stylesheet" href="/{style}">' for style in styles)
    about = re.search(r'<meta name="description" content="([^"]*)"', home)[1]
    body = [front(site, about), contents(parts)]
    chapters = [chapter for _, part in parts for chapter in part]
    body += [chapter(site, number, *named) for number, named in enumerate(chapters, 1)]
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>clear-attention</title>{links}'
        f"<style>{(HERE / 'book.css').read_text(encoding='utf-8')}</style></head>"
        '<body data-md-color-scheme="default" data-md-color-primary="custom" data-md-color-accent="custom">'
        f'<main class="md-typeset">{"".join(body)}</main></body></html>'
    )


def front(site, about):
    logo = (site / "assets/logo.svg").read_text(encoding="utf-8")
    date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    return (
        f'<section class="front">{logo}<h1>clear-attention</h1><p class="about">{about}</p>'
        f'<p class="small">The lessons and guides of the site, as of {date.tm_mday} {time.strftime("%B %Y", date)}. '
        "Answers stand at the end of each lesson. The site also has what paper can't show: notebooks, the Mask Lab, "
        "the code that draws the pictures, and the reference of every function. MIT licence.</p></section>"
    )


def contents(parts):
    text, number = "", 0
    for title, chapters in parts:
        text += f"<h3>{title}</h3><ol>"
        for name, path in chapters:
            number += 1
            text += f'<li><a href="#{key_of(path)}"><span>{number}</span><span>{html.escape(name)}</span>'
            text += '<span class="dots"></span><span class="page"></span></a></li>'
        text += "</ol>"
    return f'<section class="contents"><h2>Contents</h2>{text}</section>'


def chapter(site, number, name, path):
    """Return the article of a page, whose ids begin with its own key: no two chapters share one."""
    page = (site / path / "index.html").read_text(encoding="utf-8")
    article = re.search(r"<article[^>]*>(.*)</article>", page, re.S)[1]
    article = OWN_IDS.sub(rf"\g<1>{key_of(path)}--", article)
    head = f'<section class="chapter" id="{key_of(path)}" data-path="/{path}">'
    return f'{head}<p class="number">{number} · {html.escape(name)}</p>{article}</section>'


def to_pdf(page):
    return page.pdf(prefer_css_page_size=True, print_background=True, outline=True, tagged=True)


def page_numbers(pdf, keys):
    """Return the number of the page that each chapter begins on."""
    pages = [*re.findall(rb"\n(\d+) 0 obj\n<</Type /Page\n", pdf)]  # which are written in their order
    places = dict(re.findall(rb"/([\w-]+) \[(\d+) 0 R /XYZ", pdf))
    return {key: pages.index(places[key.encode()]) + 1 for key in keys}


def without_clock(pdf):
    """Put the date of the sources in the place of the time of printing."""
    date = time.strftime("%Y%m%d%H%M%S", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", 0))))
    return re.sub(rb"(/(?:CreationDate|ModDate) \(D:)\d{14}", rb"\g<1>" + date.encode(), pdf)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
