"""Every page, light and dark, wide and as narrow as a phone: clean, accessible, complete."""

import itertools
import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from .conftest import SITE

# not what stands there without scripts, nor what lies under a drawing until its box is unticked
SVG = "figure.lesson-figure, svg.diagram:not(lesson-piece svg, .drawn [aria-hidden])"
FOCUSABLE = """[...document.querySelectorAll("pre > code")]
    .every((code) => code.scrollWidth <= code.clientWidth || code.tabIndex >= 0 || !code.checkVisibility())"""
SCHEMES = {"light": "default", "dark": "slate"}
COLOURS = ["color-contrast", "link-in-text-block"]  # what axe asks of colours: the rest is the same in the dark


@pytest.mark.parametrize("scheme", SCHEMES)
def test_looks_right_and_is_accessible(turn_to, page_path, scheme):
    visitor = turn_to(page_path, color_scheme=scheme, reduced_motion="reduce")
    page = visitor.page
    assert visitor.response.status == 200
    assert page.locator("h1").count() == 1
    assert page.locator("meta[name=description]").get_attribute("content")
    assert page.evaluate("document.body.dataset.mdColorScheme") == SCHEMES[scheme]
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.wait_for_function(FOCUSABLE)  # the theme sees to it a moment after the width has changed
        assert violations(page, None if scheme == "light" else COLOURS) == [], width
        while page.locator("button.lift").count():  # what waits for a guess is not there before
            page.locator("button.lift").first.click()
        for figure in page.locator(SVG).all():
            assert figure.bounding_box()["width"] <= width


def violations(page, rules=None):
    """Return what axe complains of, in our parts and in the theme's."""
    options = {"resultTypes": ["violations"], **({"runOnly": rules} if rules else {})}
    found = Axe().run(page, options=options).response["violations"]
    return [(rule["id"], node["target"], node["failureSummary"]) for rule in found for node in rule["nodes"]]


UNFOLDED = """elements => elements
    .filter(e => !e.closest('details:not([open])'))  // not in an answer that is still folded
    .map(e => ({width: e.getBoundingClientRect().width, height: e.getBoundingClientRect().height,
                html: e.outerHTML.slice(0, 300)}))"""


def test_math_and_figures_are_there_and_labelled(turn_to, page_path):
    page = turn_to(page_path).page
    text = page.locator("article").inner_text()
    assert not re.search(r"\$\$|\\frac|\\operatorname|\\text\b|\\\(", text)
    for math in page.locator("article math").evaluate_all(UNFOLDED):
        assert math["width"] > 2, math["html"]
        assert math["height"] > 5, math["html"]
    facts = "figures => figures.map((e) => [e.role, e.ariaLabel, e.querySelector('a') !== null])"
    for role, label, leads_on in page.locator(SVG).evaluate_all(facts):
        assert role == ("group" if leads_on else "img")  # links in an image would be hidden
        assert len(label) > 20
    for figure in page.locator(SVG).evaluate_all(UNFOLDED):
        assert figure["width"] > 100, figure["html"]
        assert figure["height"] > 50, figure["html"]
    for image in page.locator("article img").all():
        assert image.get_attribute("alt")
        assert image.evaluate("image => image.naturalWidth") > 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids)), {i for i in ids if ids.count(i) > 1}
    levels = page.evaluate("[...document.querySelectorAll('article :is(h1,h2,h3,h4,h5,h6)')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), levels


LISTEN = """() => {
    const all = root => [...root.querySelectorAll('*')].flatMap(e => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
    const elements = all(document);
    const wanted = elements.filter(e =>
        e.matches('a[href],button,input,select,textarea,summary,[tabindex="0"]') && e.tabIndex >= 0 && !e.disabled &&
        !e.matches('[type=radio]:not(:checked)') && !e.closest('[inert]') &&
        e.checkVisibility({visibilityProperty: true, opacityProperty: true}) && e.getClientRects().length);
    window.notReached = new Set(wanted);
    const reached = event => notReached.delete(event.composedPath()[0]);
    for (const root of [document, ...elements.map(e => e.shadowRoot).filter(Boolean)])
        root.addEventListener('focusin', reached, true);
    return wanted.length;
}"""


def test_the_keyboard_reaches_everything(turn_to, page_path):
    page = turn_to(page_path, reduced_motion="reduce").page
    presses = page.evaluate(LISTEN) + 150  # a machine that wakes has letters to press
    while presses > 0 and page.evaluate("notReached.size"):
        presses -= 20
        for _ in range(20):
            page.keyboard.press("Tab")
    assert page.evaluate("[...notReached].map(e => e.outerHTML.slice(0, 150))") == []


def test_lessons_have_formulas_figures_and_outputs(turn_to):
    for lesson in ("split_heads", "positions", "transformer_layer", "causal"):
        page = turn_to(f"/learn/{lesson}/").page
        assert page.locator("article math").count() >= 1, lesson
        assert page.locator(SVG).count() >= 1, lesson
        assert page.locator(".lesson-output").count() >= 4, lesson
        assert page.locator("details.lesson-answer").count() >= 1, lesson


def test_the_published_numbers_are_on_the_site(turn_to):
    text = turn_to("/learn/attention/").page.locator("article").text_content()
    for number in ("0.428300", "0.367965", "0.610515", "0.561710"):  # the seed-42 table
        assert number in text
    text = turn_to("/learn/causal/").page.locator("article").text_content()  # an answer is folded
    for number in ("2.6102792e-23", "6.9143996e-13", "7.5825607e-10"):
        assert number in text
    text = turn_to("/learn/masks/").page.locator("article").text_content()  # it is folded
    assert "[[0. 0. 1. 1. 0.]\n [0. 0. 0. 1. 1.]\n [1. 1. 1. 0. 0.]]" in text
    text = turn_to("/learn/causal/").page.locator("article").inner_text()
    assert "[[0. 1. 1.]\n [0. 0. 1.]\n [0. 0. 0.]]" in text


def test_the_page_that_is_not_there_helps(browser, host):
    context = browser.new_context()
    page = context.new_page()
    assert page.goto(f"{host}/no/such/page").status == 404
    assert page.locator("h1").count() == 1
    context.close()


@pytest.mark.parametrize("path", sorted(SITE.rglob("*.html")), ids=lambda p: p.relative_to(SITE).as_posix())
def test_no_page_loads_from_another_host(path):
    html = re.sub(r'<link[^>]*rel="(?:canonical|prev|next|alternate)"[^>]*>', "", path.read_text(encoding="utf-8"))
    loads = re.findall(r'<(?:script|img|iframe|source|link)\b[^>]*?(?:src|href)="((?:https?:)?//[^"]*)"', html)
    assert loads == []


def test_no_stylesheet_loads_from_another_host():
    for path in SITE.rglob("*.css"):
        css = path.read_text(encoding="utf-8")
        assert re.findall(r"(?:url\(|@import\s)\s*['\"]?(?:https?:)?//[^'\")]+", css) == [], path.name


@pytest.mark.parametrize("width", [1000, 1280])
def test_the_contents_of_a_page_are_seen_beside_it(visit, width):
    page = visit("/learn/masks/", viewport={"width": width, "height": 900}).page
    first = page.locator(".md-sidebar--secondary .md-nav__item > a").first
    box = first.bounding_box()
    at = [box["x"] + 5, box["y"] + 5]
    assert first.evaluate("(e, [x, y]) => e.contains(document.elementFromPoint(x, y))", at)
