"""Two chapters of the book, as they are laid out for paper and as they are printed."""

import re
import shutil

import book
import pytest

from .conftest import SITE

KEYS = ["learn-masks", "guides-certify_your_layer"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return a site whose list of pages names two of them."""
    place = tmp_path_factory.mktemp("site")
    for path in SITE.iterdir():
        (place / path.name).symlink_to(path)
    lines = (SITE / "llms.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [
        line
        for line in lines
        if "](" not in line or "[Home]" in line or re.search("/(masks|certify_your_layer)/", line)
    ]
    (place / "llms.txt").unlink()
    (place / "llms.txt").write_text("".join(kept).replace("\n\n\n", "\n\n"), encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def opened(browser, site):
    page, keys = book.open_book(browser, site)
    assert keys == KEYS
    yield page
    page.close()


def test_nothing_is_cut_or_left_folded(opened):
    assert opened.evaluate("document.documentElement.scrollWidth") <= book.WIDTH
    assert opened.locator("details, summary, mask-lab, .lesson-download, .headerlink").count() == 0
    assert opened.locator(".chapter math").count() > 5
    assert opened.evaluate("document.fonts.check('20px \"STIX Two Math Web\"')")


def test_what_would_be_cut_is_named(opened):
    assert opened.evaluate("tooWide()") is None
    opened.evaluate("document.querySelector('#learn-masks pre').style.width = '700px'")
    assert opened.evaluate("tooWide()") == "pre in /learn/masks/"
    opened.evaluate("document.querySelector('#learn-masks pre').style.width = ''")


def test_every_link_leads_to_a_place_in_the_book_or_to_the_published_site(opened):
    links = opened.locator("a").evaluate_all("links => links.map(link => link.href)")
    places = set(opened.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)"))
    inside = [link.partition("#")[2] for link in links if link.startswith(book.ORIGIN)]
    assert len(inside) > 5
    assert set(inside) <= places
    assert not [link for link in links if "127.0.0.1" in link]


def test_no_two_places_have_the_same_name(opened):
    ids = opened.evaluate("[...document.querySelectorAll('[id]')].map(element => element.id)")
    assert len(ids) == len(set(ids))


def test_answers_stand_at_the_end_of_a_lesson(opened):
    lesson = opened.locator("#learn-masks")
    assert lesson.locator("> :last-child").get_attribute("class") == "answers"
    assert lesson.locator(".answers h3").all_inner_texts() == [
        "A row with nothing left",
        "Exercise 1",
        "Exercise 2",
        "Check yourself",
    ]
    questions = lesson.locator(".sc-question")
    assert questions.count() == 3
    assert "Right." not in questions.nth(0).inner_text()
    assert questions.nth(0).locator("li").count() == lesson.locator(".answers ol").nth(0).locator("li").count() == 3
    assert lesson.locator(".answers li.sc-right").count() == 3


def test_hatches_are_lines(opened):
    assert opened.locator("[style*='fill: url']").count() == 0
    assert opened.locator("#learn-masks g[clip-path] path").count() > 5


def test_the_print_is_the_same_each_time_and_counts_its_pages(opened, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    once = book.print_book(opened, KEYS)
    numbers = opened.locator(".contents .page").all_inner_texts()
    assert once == book.print_book(opened, KEYS)
    assert b"/CreationDate (D:20231114" in once
    assert numbers[0] == "3"
    assert 8 < int(numbers[1]) < 20


def test_without_a_site_or_a_browser_it_says_what_is_missing(tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match=r"Expected: pages in .* Received: none; run `make site` first\."):
        book.main(tmp_path / "site", tmp_path / "book.pdf")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(SystemExit, match=r"Expected: Chromium on the PATH\. Received: none\."):
        book.main(SITE, tmp_path / "book.pdf")


def test_an_answer_before_the_first_heading_belongs_to_the_lesson(opened):
    found = opened.evaluate(
        """() => {
            const lesson = document.createElement("div");
            lesson.innerHTML = '<h1>Packing¶</h1><p>Guess.</p><details class="lesson-answer"></details>';
            return exerciseOf(lesson.lastChild);
        }"""
    )
    assert found == "Packing"
