"""What a reader does with a page: search, dark mode, copy, download, walk on, the keyboard."""

import json

import install
import nbformat
import pytest
from playwright.sync_api import expect

from .conftest import copied_by

LESSONS = ["reading_dates", "attention", "multi_head", "causal"]


def test_search_finds_the_look_ahead_mask(visit):
    page = visit("/").page
    page.keyboard.press("/")
    page.keyboard.type("look-ahead mask")
    results = page.locator(".md-search-result__link")
    results.first.wait_for()
    links = " ".join(r.get_attribute("href") for r in results.all())
    assert "learn/causal" in links
    assert "reference/masks" in links


def test_dark_mode_turns_page_and_figures(visit):
    page = visit("/learn/masks/").page

    def colours():
        return page.evaluate(
            "[getComputedStyle(document.body).backgroundColor,"
            " getComputedStyle(document.querySelector('.lesson-figure svg text')).fill]"
        )

    light = colours()
    page.locator("label[title='Switch to dark mode']").click()
    page.wait_for_function("document.body.dataset.mdColorScheme === 'slate'")
    dark = colours()
    assert sum(map(int, light[0][4:-1].split(","))) > 600 > 200 > sum(map(int, dark[0][4:-1].split(",")))
    assert sum(map(int, light[1][4:-1].split(","))) < 300 < 500 < sum(map(int, dark[1][4:-1].split(",")))
    page.reload()
    assert page.evaluate("document.body.dataset.mdColorScheme") == "slate"


def test_a_snippet_is_copied_as_it_stands(visit):
    page = visit("/").page
    block = page.locator("article .highlight:visible").first  # the machine's own code is folded away above it
    block.hover()
    copied = copied_by(block.locator("button").first)
    assert copied.startswith("import numpy as np\n")
    assert "plot_weights(weights" in copied
    compile(copied, "snippet", "exec")


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_can_be_downloaded_as_a_notebook(visit, lesson):
    page = visit(f"/learn/{lesson}/").page
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as a notebook").click()
    with open(download.value.path(), encoding="utf-8") as file:
        text = file.read()
    nbformat.validate(nbformat.reads(text, as_version=4))
    notebook = json.loads(text)
    assert notebook["cells"][0]["source"] == install.CELL
    assert "--8<--" not in text
    assert "][clear_attention" not in text
    figures = [
        output
        for c in notebook["cells"]
        for output in c.get("outputs", [])
        if "image/svg+xml" in output.get("data", {})
    ]
    assert figures or lesson == "reading_dates"  # all its pictures are pieces


def test_walking_on_keeps_math_and_figures(visit):
    page = visit("/learn/reading_dates/").page
    page.get_by_role("link", name="Next: Attention").click()
    page.wait_for_url("**/learn/attention/")
    page.locator("article math").first.wait_for()
    assert page.locator("figure.lesson-figure svg").first.bounding_box()["height"] > 50


def test_an_answer_unfolds_by_keyboard(visit):
    page = visit("/learn/attention/").page
    answer = page.locator("details.lesson-answer:has(.lesson-output)").first
    output = answer.locator(".lesson-output").first
    assert not output.is_visible()
    answer.locator("> summary").focus()
    page.keyboard.press("Enter")
    assert output.is_visible()


def test_keyboard_reaches_content_search_and_navigation(visit):
    page = visit("/learn/masks/").page
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        for part in ("header", ".md-tabs", "nav.md-nav", "article"):
            if page.evaluate(f"document.activeElement.closest('{part}') !== null"):
                reached.add(part)
    assert reached == {"header", ".md-tabs", "nav.md-nav", "article"}


def test_a_self_check_explains_mistakes_by_keyboard(visit):
    page = visit("/learn/masks/").page
    page.get_by_text("Three more questions").click()
    questions = page.locator("self-check .sc-question")
    assert questions.count() == 3
    wrong, right = questions.nth(0).locator(".sc-wrong").first, questions.nth(0).locator(".sc-right")
    assert not wrong.locator("p").is_visible()
    wrong.locator("summary").focus()
    page.keyboard.press("Enter")
    assert wrong.locator("p").inner_text().startswith("No. ")
    right.locator("summary").focus()
    page.keyboard.press("Space")
    assert right.locator("p").inner_text().startswith("Right. ")
    assert not wrong.locator("p").is_visible()
    score = page.locator("self-check [role=status]")
    expect(score).to_have_text("0 of 3 answered right at the first try.")
    questions.nth(1).locator(".sc-right summary").click()
    expect(score).to_have_text("1 of 3 answered right at the first try.")


def test_a_self_check_works_without_javascript(visit):
    page = visit("/learn/masks/", java_script_enabled=False).page
    page.get_by_text("Three more questions").click()
    answer = page.locator("self-check .sc-right").first
    answer.locator("summary").click()
    assert answer.locator("p").is_visible()


def test_a_rare_word_explains_itself(visit):
    page = visit("/learn/writing/").page
    word = page.locator("article abbr:visible").first
    word.focus()
    tooltip = page.locator(".md-tooltip2")
    tooltip.wait_for()
    assert len(tooltip.inner_text()) > 20


def test_a_lesson_says_how_long_it_takes(visit):
    facts = visit("/learn/masks/").page.locator(".page-facts")
    assert "minutes" in facts.inner_text()
