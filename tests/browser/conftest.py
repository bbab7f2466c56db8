"""The built site, served on this machine, in a real browser. `make test-site` builds it first."""

import functools
import re
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

NO_GUESS = "lesson-piece:not([piece=bet], [piece=sketch])"
SITE = Path(__file__).parents[2] / "site"
LIVE = Path(__file__).parents[2] / "docs" / "_site" / "live"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)


def pages():
    """Return the path of every page, as the site's own map lists them."""
    if not (SITE / "sitemap.xml").exists():
        raise pytest.UsageError("There is no built site in site/: run `make test-site`, or `make site` first.")
    import xml.etree.ElementTree as ElementTree

    locations = ElementTree.parse(SITE / "sitemap.xml").iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    return sorted(urlsplit(location.text).path for location in locations)


def pytest_generate_tests(metafunc):
    if "page_path" in metafunc.fixturenames:
        metafunc.parametrize("page_path", pages())


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def send_error(self, code, message=None, explain=None):
        if code != 404:
            return super().send_error(code, message, explain)
        body = (SITE / "404.html").read_bytes()  # as static hosts do
        self.send_response(404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="session")
def host():
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def browser():
    found = [p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p]
    if not found:
        pytest.fail("The site's tests need Chromium: apt-get install -y chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found[0], args=FLAGS.split())
        yield browser
        browser.close()


def copied_by(button):
    """Press a button that copies, and return the text when the clipboard has it: that happens after the click."""
    button.page.evaluate("navigator.clipboard.writeText('')")
    button.click()
    text = button.page.wait_for_function("async () => (await navigator.clipboard.readText()) || null")
    return text.json_value()


class Visitor:
    """A browser window that remembers what the page complained about and whom it asked."""

    def __init__(self, browser, host, **options):
        self.host, self.complaints, self.strangers = host, [], []
        self.scripts = options.get("java_script_enabled", True)
        self.context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        if host.startswith("http"):  # a file has no right to the clipboard that could be granted
            self.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=host)
        self.page = self.context.new_page()
        self.page.on("console", self.on_console)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.context.on("request", self.on_request)

    def on_console(self, message):
        self.complaints.append(message.text)

    def on_request(self, request):
        if not request.url.startswith((self.host, "data:", "blob:")):
            self.strangers.append(request.url)

    def open(self, path):
        response = self.page.goto(self.host + path)
        if self.scripts:  # the last of them names the quiz; it comes after the first frame
            self.page.wait_for_function("!!customElements.get('self-check')")
            self.page.wait_for_function("!document.querySelector(':not(:defined)')")  # a lab's script comes later still
            self.page.wait_for_function("[...document.querySelectorAll('lesson-piece')].every(one => one.shadowRoot)")
            self.page.wait_for_function("!document.querySelector('pre[id^=__code_]:not(:has(> nav))')")  # copy buttons
        self.page.evaluate("document.fonts.ready")
        return response

    def assert_calm(self):
        """Fail if a page complained or asked a stranger, and forget it."""
        found, self.complaints, self.strangers = (self.complaints, self.strangers), [], []
        assert found == ([], [])


@pytest.fixture
def visit(browser, host):
    """Open fresh windows with `visit(path, **options)`; afterwards no page may have complained or asked a stranger."""
    visitors = []

    def visit(path, **options):
        visitor = Visitor(browser, host, **options)
        visitors.append(visitor)
        visitor.response = visitor.open(path)
        return visitor

    yield visit
    for visitor in visitors:
        visitor.context.close()
    for visitor in visitors:
        visitor.assert_calm()


@pytest.fixture
def beside_modules(visit):
    """Run JavaScript after imports of modules of docs/_site/live, with `given`; what it returns comes back."""
    page = visit("/notation/").page
    page.route(
        "**/modules/**/*.js",
        lambda route: route.fulfill(path=LIVE / urlsplit(route.request.url).path.removeprefix("/modules/")),
    )
    part = """const partOf = (shape, numbers) => ({
        shape, data: Float64Array.from(numbers), slopes: new Float64Array(numbers.length),
    });"""
    return lambda modules, code, given=None: page.evaluate(f"async (given) => {{ {modules} {part} {code} }}", given)


@pytest.fixture(scope="session")
def window(browser, host):
    visitor = Visitor(browser, host)
    visitor.context.add_init_script("localStorage.clear()")  # each page is a first visit
    yield visitor
    visitor.context.close()


@pytest.fixture
def turn_to(window):
    """Turn one window to `turn_to(path, **media)`: as `visit`, and sooner, since a new window takes a second."""

    def turn_to(path, color_scheme="light", reduced_motion="no-preference"):
        window.page.set_viewport_size({"width": 1280, "height": 900})
        window.page.emulate_media(color_scheme=color_scheme, reduced_motion=reduced_motion)
        window.response = window.open(path)
        return window

    yield turn_to
    window.assert_calm()


class Piece:
    def __init__(self, page, kind):
        self.page = page
        self.element = page.locator(f"lesson-piece[piece={kind}]" if kind else NO_GUESS).first
        self.element.evaluate("one => { for (let f = one; (f = f.parentElement?.closest('details')); f.open = true); }")
        self.element.scroll_into_view_if_needed()

    def says(self):
        return re.sub(r"\s+", " ", self.element.locator(".says").inner_text()).replace("−", "-")

    def numbers(self):
        return [float(x) for x in re.findall(r"-?\d+\.?\d*", self.says())]

    def slide(self, label, value):
        self.slider(label).fill(str(value))

    def slider(self, label):
        return self.element.get_by_role("slider", name=label)

    def press(self, label):
        self.element.get_by_role("button", name=label, exact=True).click()


@pytest.fixture
def piece(visit):
    return lambda lesson, kind=None: Piece(visit(f"/learn/{lesson}/").page, kind)
