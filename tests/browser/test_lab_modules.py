"""The Mask Lab's modules: one plain script where pages are opened from a folder, and modules in themselves."""

from pathlib import Path

import pytest

from .conftest import SITE

SOURCES = Path(__file__).parents[2] / "docs" / "_site" / "lab"


@pytest.mark.parametrize("name", ["lab", "learn/masks"])
def test_a_page_opened_from_a_folder_has_its_lab(browser, name):
    context = browser.new_context()
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((SITE / name / "index.html").as_uri())
    cell = page.locator("mask-lab [data-place='0,0']")
    assert "visible" in cell.get_attribute("aria-label")
    cell.click()
    assert "blocked (by a click)" in cell.get_attribute("aria-label")
    context.close()
    assert complaints == []


def test_the_browser_takes_the_sources_as_modules(visit):
    page = visit("/notation/").page  # it has no lab, so no joined script
    page.route("**/modules/*.js", lambda route: route.fulfill(path=SOURCES / Path(route.request.url).name))
    page.evaluate("import('/modules/mask-lab.js')")
    assert page.evaluate("!!customElements.get('mask-lab')")
