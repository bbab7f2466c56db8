"""Every page: loads cleanly, shows its math and figures, fits a phone, in light and dark."""

import re

import pytest

from .conftest import SITE

SVG = "figure.lesson-figure, svg.diagram"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_loads_without_a_complaint_or_an_outside_request(visit, page_path, scheme):
    visitor = visit(page_path, color_scheme=scheme)
    assert visitor.response.status == 200
    assert visitor.page.locator("h1").count() == 1
    assert visitor.page.locator("meta[name=description]").get_attribute("content")


def test_math_is_mathml_and_visible(visit, page_path):
    page = visit(page_path).page
    text = page.locator("article").inner_text()
    assert not re.search(r"\$\$|\\frac|\\operatorname|\\text\b|\\\(", text)
    for math in page.locator("article math").all():
        box = math.bounding_box()
        assert box, math.inner_html()
        assert box["width"] > 2, math.inner_html()
        assert box["height"] > 5, math.inner_html()


def test_figures_are_there_and_labelled(visit, page_path):
    page = visit(page_path).page
    for figure in page.locator(SVG).all():
        assert figure.get_attribute("role") == "img"
        assert len(figure.get_attribute("aria-label")) > 20
        box = figure.bounding_box()
        assert box["width"] > 100
        assert box["height"] > 50
    for image in page.locator("article img").all():
        assert image.get_attribute("alt")
        assert image.evaluate("image => image.naturalWidth") > 0
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids)), {i for i in ids if ids.count(i) > 1}


def test_fits_a_phone(visit, page_path):
    page = visit(page_path, viewport={"width": 390, "height": 844}).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for figure in page.locator(SVG).all():
        assert figure.bounding_box()["width"] <= 390


def test_lessons_have_formulas_figures_and_outputs(visit):
    for lesson in ("recap", "attention", "masks", "causal"):
        page = visit(f"/learn/{lesson}/").page
        assert page.locator("article math").count() >= 1, lesson
        assert page.locator(SVG).count() >= 1, lesson
        assert page.locator(".lesson-output").count() >= 4, lesson
        assert page.locator("details.lesson-answer").count() == 2, lesson


def test_the_published_numbers_are_on_the_site(visit):
    text = visit("/learn/attention/").page.locator("article").inner_text()
    for number in ("0.428300", "0.367965", "0.610515", "0.561710"):  # the seed-42 table
        assert number in text
    text = visit("/learn/causal/").page.locator("article").inner_text()
    for number in ("2.6102792e-23", "6.9143996e-13", "7.5825607e-10"):
        assert number in text
    text = visit("/learn/masks/").page.locator("article").inner_text()
    assert "[[0. 0. 1. 1. 0.]\n [0. 0. 0. 1. 1.]\n [1. 1. 1. 0. 0.]]" in text
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
