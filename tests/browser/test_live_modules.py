"""What computes in the page: one plain script where pages are opened from a folder, and modules in themselves."""

import pytest
import scripts

from .conftest import SITE


@pytest.fixture
def from_folder(browser):
    """Open a page as a file; afterwards it may not have complained."""
    context = browser.new_context()
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))

    def opened(name):
        page.goto((SITE / name / "index.html").as_uri())
        return page

    yield opened
    context.close()
    assert complaints == []


@pytest.mark.parametrize("name", ["lab", "learn/masks"])
def test_a_page_opened_from_a_folder_has_its_lab(from_folder, name):
    cell = from_folder(name).locator("mask-lab [data-place='0,0']")
    assert "visible" in cell.get_attribute("aria-label")
    cell.click()
    assert "blocked (by a click)" in cell.get_attribute("aria-label")


@pytest.mark.parametrize("name", ["machine", "."])
def test_a_page_opened_from_a_folder_has_its_machine(from_folder, name):
    page = from_folder(name)
    page.get_by_label("A date, as you write it").fill("5 july 1969")
    page.wait_for_function("document.querySelector('date-machine').result?.answer === '1969-07-05'")


def test_a_page_opened_from_a_folder_has_its_head(from_folder):
    designer = from_folder("design_a_head").locator("head-designer")
    for place in ("0,1", "1,2", "2,3"):
        designer.locator(f"[data-place='{place}']").click()
    assert designer.locator(".says").inner_text().startswith("Solved: ")


def test_a_page_opened_from_a_folder_has_its_detective(from_folder):
    detective = from_folder("guides/detective").locator("bug-detective")
    detective.get_by_role("button", name="Show the answer").click()
    assert detective.locator(".says").inner_text().startswith("This is the answer.")


@pytest.mark.parametrize("element", sorted(scripts.ENTRIES))
def test_the_browser_takes_the_sources_as_modules(beside_modules, element):
    """On a page that has neither of them, so that no joined script has defined it."""
    assert beside_modules(f"await import('/modules/{element}.js');", "return !!customElements.get(given);", element)
