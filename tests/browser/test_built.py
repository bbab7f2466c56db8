"""The built folder: links, sizes, what it says of itself to programs, and that it works under any base path."""

import datetime
import functools
import gzip
import html
import os
import re
import subprocess
import threading
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from .conftest import SITE, Quiet, Visitor

ROOT = SITE.parent
HTML = sorted(SITE.rglob("*.html"))
LESSONS = sorted((SITE / "learn").glob("*/index.html"))
WHERE = "/some/where"
KB = 1000
COMPRESSED = (".png", ".woff2")  # no server packs them again


class Page(HTMLParser):
    """The links and the anchors of a page, and what its head says of it."""

    def __init__(self, html):
        super().__init__()
        self.links, self.anchors, self.meta, self.canonical = [], set(), {}, None
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        links = [attributes[a] for a in ("href", "xlink:href", "src") if attributes.get(a) is not None]
        self.links += links
        self.anchors |= {attributes[a] for a in ("id", "name") if attributes.get(a)}
        if tag == "meta":
            self.meta[attributes.get("property") or attributes.get("name")] = attributes.get("content")
        if tag == "link" and attributes.get("rel") == "canonical":
            self.canonical = attributes["href"]


@functools.cache
def parsed(path):
    return Page(path.read_text(encoding="utf-8"))


@functools.cache
def base():
    """Return the address that the site was built for."""
    return parsed(SITE / "index.html").canonical


def address(path):
    """Return the address of a file of the site; a 404 page has none of its own, and its links must be absolute."""
    name = path.relative_to(SITE).as_posix()
    return base() + ("no/such/page/" if name == "404.html" else name.removesuffix("index.html"))


def file_at(url):
    path = unquote(urlsplit(url).path.removeprefix(urlsplit(base()).path))
    return SITE / path / "index.html" if path == "" or path.endswith("/") else SITE / path


def dead_links(path):
    dead = []
    for link in parsed(path).links:
        url = urljoin(address(path), link)
        url = base() if f"{url}/" == base() else url
        if not url.startswith(base()):  # another host's, or one that leaves the site's folder
            dead += [link] if urlsplit(url).netloc == urlsplit(base()).netloc else []
            continue
        target, anchor = file_at(url), unquote(urlsplit(url).fragment)
        if path.name == "404.html" and link.startswith("#"):
            target = path
        if not target.is_file() or (anchor and target.suffix == ".html" and anchor not in parsed(target).anchors):
            dead.append(link)
    return dead


@pytest.mark.parametrize("path", HTML, ids=lambda p: p.relative_to(SITE).as_posix())
def test_every_link_and_anchor_leads_somewhere(path):
    assert len(parsed(path).links) > 20
    assert dead_links(path) == []


def test_stylesheets_name_files_that_exist():
    for path in SITE.rglob("*.css"):
        for link in re.findall(r"url\(['\"]?([^'\")]+)['\"]?\)", path.read_text(encoding="utf-8")):
            assert link.startswith(("data:", "#")) or (path.parent / link).is_file(), (path.name, link)


@pytest.mark.parametrize("path", LESSONS, ids=lambda p: p.parent.name)
def test_a_lesson_without_its_figures_is_light(path):
    html = re.sub(r"<svg\b.*?</svg>", "", path.read_text(encoding="utf-8"), flags=re.S)
    assert len(html.encode()) <= 150 * KB


def packed(url):
    """Return how many bytes a server that compresses sends for a file."""
    path = file_at(url)
    body = path.read_bytes()
    return len(body) if path.suffix in COMPRESSED else len(gzip.compress(body, 6))


def italic(letter):
    """Return what a browser shows for a variable: mathematical italics for letters, as MathML Core says."""
    if "a" <= letter <= "z" or "A" <= letter <= "Z":
        return "\u210e" if letter == "h" else chr(0x1D434 + ord(letter) - ord("A") - 6 * letter.islower())
    return chr(0x1D6FC + ord(letter) - 0x3B1) if "\u03b1" <= letter <= "\u03c9" else letter


def test_the_math_font_has_every_sign_of_the_formulas():
    css = (SITE / "assets/site.css").read_text(encoding="utf-8")
    (ranges,) = re.findall(r"unicode-range:([^;}]*)", css)
    pairs = [[int(end, 16) for end in r.strip().removeprefix("U+").split("-")] for r in ranges.split(",")]
    signs = {chr(code) for pair in pairs for code in range(pair[0], pair[-1] + 1)}
    text = "".join(path.read_text(encoding="utf-8") for path in HTML)
    formulas = re.findall(r"<math.*?</math>", text, re.S)
    shown = {html.unescape(sign) for math in formulas for sign in re.findall(r">([^<]*)<", math)}
    variables = {html.unescape(v) for math in formulas for v in re.findall(r"<mi>([^<]*)</mi>", math)}
    assert len(shown) > 50
    assert set("".join(shown)) | {italic(v) for v in variables if len(v) == 1} <= signs


def test_each_piece_is_on_a_page():
    shown = {piece for path in HTML for piece in re.findall(r'<lesson-piece piece="(\w+)"', path.read_text("utf-8"))}
    assert shown == {path.stem for path in (SITE / "assets" / "pieces").glob("*.js")}


@pytest.mark.parametrize(("path", "most"), [("/", 200), ("/learn/attention/", 300), ("/machine/", 450)])
def test_a_first_visit_is_light(browser, host, path, most):
    visitor, asked = Visitor(browser, host), set()
    visitor.context.on("request", lambda request: asked.add(request.url))
    visitor.open(path)
    if path == "/machine/":
        visitor.page.wait_for_function("document.querySelector('date-machine').result")  # with one model
    visitor.context.close()
    sizes = {urlsplit(url).path: packed(base() + urlsplit(url).path[1:]) for url in asked if url.startswith(host)}
    assert len(sizes) > 5
    assert sum(sizes.values()) <= most * KB, sizes


class Elsewhere(Quiet):
    """The site in a folder of a bigger one."""

    def translate_path(self, path):
        return super().translate_path(path.removeprefix(WHERE) if path.startswith(f"{WHERE}/") else "/no/such/page")


def test_the_site_works_in_any_folder(browser):
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Elsewhere, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    visitor, failed = Visitor(browser, f"http://127.0.0.1:{server.server_port}"), []
    visitor.context.on("response", lambda r: failed.append(r.url) if r.status >= 400 else None)
    visitor.context.on("requestfailed", lambda r: r.failure == "net::ERR_ABORTED" or failed.append(r.url))
    try:
        visitor.open(f"{WHERE}/")
        visitor.page.locator("article a[href*='learn/recap']").first.click()
        visitor.page.wait_for_url(f"**{WHERE}/learn/recap/")
        visitor.page.locator("lesson-piece svg").first.wait_for()  # drawn by a script of the site
        visitor.page.keyboard.press("/")
        visitor.page.keyboard.type("look-ahead mask")
        result = visitor.page.locator(".md-search-result__link").first
        result.wait_for()
        assert urlsplit(result.evaluate("link => link.href")).path.startswith(f"{WHERE}/")
        result.click()
        visitor.page.wait_for_url(f"**{WHERE}/**")
        visitor.page.wait_for_load_state("networkidle")
        assert visitor.page.locator("h1").count() == 1
    finally:
        visitor.context.close()
        server.shutdown()
        server.server_close()
    assert (failed, visitor.complaints, visitor.strangers) == ([], [], [])


def sitemap():
    name = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    urls = ElementTree.parse(SITE / "sitemap.xml").iter(f"{name}url")
    return {u.find(f"{name}loc").text: getattr(u.find(f"{name}lastmod"), "text", None) for u in urls}


def git(*arguments):
    command = ["git", "-C", ROOT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TZ": "UTC"})
    return done.stdout.strip() if done.returncode == 0 else ""


def test_the_sitemap_has_the_dates_of_the_last_commits():
    if git("rev-parse", "--is-shallow-repository") != "false":
        pytest.skip("The dates can't be known here: no repository, or a shallow one.")
    dates = sitemap()
    for path in LESSONS:
        source = Path("docs", "learn", f"{path.parent.name}.py")
        committed = git("log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%d", "--", source)
        if committed:
            assert dates[address(path)] == committed, source
            assert f'<time datetime="{committed}">' in path.read_text(encoding="utf-8")
    latest = datetime.datetime.now(datetime.UTC).date().isoformat()
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", d) and d <= latest for d in dates.values())


def test_lessons_and_guides_say_how_long_they_take():
    for path in HTML:
        wanted = path.relative_to(SITE).parts[0] in ("learn", "guides")
        found = re.findall(r'<p class="page-facts">To read: about \d+ minutes?\b', path.read_text(encoding="utf-8"))
        assert len(found) == wanted, path


def test_the_list_of_lessons_adds_up_how_long_they_take():
    facts = [path.read_text(encoding="utf-8") for path in HTML if path.relative_to(SITE).parts[0] == "learn"]
    found = re.findall(r"To read: about (\d+) minutes, and (\d+) with all there is to do", " ".join(facts))
    read, done = zip(*[[int(number) for number in each] for each in found], strict=True)
    said = " ".join((SITE / "learn/index.html").read_text(encoding="utf-8").split())
    assert (min(read), max(read)) == (5, 8)
    assert "five to eight minutes each to read, which makes nearly three and a half hours" in said
    assert 3.25 < sum(read) / 60 < 3.5
    assert "about nineteen with all there is to do" in said
    assert round(sum(done) / 60) == 19


def test_llms_txt_lists_every_page():
    text = (SITE / "llms.txt").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0].startswith("# ")
    assert lines[2].startswith("> ")
    links = re.findall(r"^- \[[^\]]+\]\((\S+)\)(?:: \S.*)?$", text, re.M)
    assert len(links) == len([line for line in lines if line.startswith("-")]) == len(set(links))
    assert set(links) == set(sitemap()) | {f"{base()}llms-full.txt"}
    assert all(file_at(link).is_file() for link in links)


def test_llms_full_txt_has_the_lessons_with_their_outputs():
    text = (SITE / "llms-full.txt").read_text(encoding="utf-8")
    assert not re.search(r"lesson-output-\d|--8<--|\]\[clear_attention|<details|data:image", text)
    assert "0.428300" in text  # the seed-42 table of the lesson on attention
    for path in LESSONS:
        assert f"\nPage: {address(path)}\n" in text
    assert list(SITE.glob("*.part")) == []


def test_every_page_has_a_card():
    for path in HTML:
        meta = parsed(path).meta
        if path.name == "404.html":
            assert "og:title" not in meta
            continue
        assert meta["og:title"], path
        assert meta["og:description"], path
        assert meta["og:url"] == address(path)
        assert meta["twitter:card"] == "summary_large_image"
        assert meta["og:image"] == f"{base()}assets/card.png"
        assert len(meta["og:image:alt"]) > 20
    png = file_at(f"{base()}assets/card.png").read_bytes()
    assert png.startswith(b"\x89PNG")
    assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == (1200, 630)


def test_the_missing_page_leads_on():
    article = re.search("<article.*</article>", (SITE / "404.html").read_text(encoding="utf-8"), re.S)[0]
    links = Page(article).links
    assert all(link.startswith(urlsplit(base()).path) for link in links), links
    assert all(file_at(link).is_file() for link in links), links
    found = " ".join(links)
    assert all(place in found for place in ("/learn/", "/guides/", "/reference/", "/lab/", "/find/")), links


@pytest.mark.parametrize("scripts", [True, False])
def test_the_missing_page_says_what_was_asked(browser, host, scripts):
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto(f"{host}/no/such/<b>page")
    asked = page.locator("#asked").text_content()
    assert asked == ("/no/such/%3Cb%3Epage" if scripts else "this address")
    assert page.locator("h1").count() == 1
    context.close()


def test_what_computes_wakes_after_a_click_at_the_address_of_the_site(browser, host):
    """A theme that exchanges pages in place of loading them does so at the site's own address only."""
    address = re.search(r"<loc>(https?://[^/]+/)", (SITE / "sitemap.xml").read_text(encoding="utf-8"))[1]

    def from_here(route):
        route.fulfill(response=route.fetch(url=route.request.url.replace(address, f"{host}/", 1)))

    context = browser.new_context()
    context.route(f"{address}**", from_here)
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(f"{address}learn/")
    page.locator("article").get_by_role("link", name="Masks", exact=True).click()
    page.wait_for_url("**/learn/masks/")
    for piece in ("mask-lab", "page-exercise"):
        page.wait_for_function("name => document.querySelector(name)?.shadowRoot?.children.length", arg=piece)
    context.unroute_all(behavior="ignoreErrors")  # the page may still ask for something
    context.close()
    assert complaints == []
