"""The bundle, unpacked into a folder and opened without a server."""

import re
import zipfile
from urllib.parse import unquote, urljoin, urlsplit

import bundle
import pytest

from .conftest import SITE, Visitor
from .test_built import Page


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("bundle with a space")
    bundle.main(SITE, place / "dist" / "site.zip")
    with zipfile.ZipFile(place / "dist" / "site.zip") as archive:
        archive.extractall(place)
    return place / bundle.TOP


@pytest.fixture
def opened(browser, folder):
    """Open pages of the folder in one window; afterwards none may have complained or asked for anything outside."""
    visitor = Visitor(browser, folder.as_uri())

    def opened(name):
        visitor.open(f"/{name}")
        return visitor.page

    yield opened
    visitor.context.close()
    visitor.assert_calm()


def test_the_same_site_gives_the_same_bytes(folder, tmp_path):
    bundle.main(SITE, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (folder.parent / "dist" / "site.zip").read_bytes()


def test_it_holds_every_page_and_says_what_does_not_work(folder):
    wanted = {p.relative_to(SITE) for p in SITE.rglob("*.html")} - {(SITE / "404.html").relative_to(SITE)}
    assert {p.relative_to(folder) for p in folder.rglob("*.html")} == wanted
    assert "What does not work from a folder" in (folder / "README.txt").read_text(encoding="utf-8")


def test_every_link_names_a_file_and_a_place_in_it(folder):
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in folder.rglob("*.html")}
    for path, page in pages.items():
        for link in page.links:
            url = urlsplit(urljoin(path.as_uri(), link))
            if url.scheme != "file":
                continue
            target = folder.joinpath(unquote(url.path))
            assert target.is_file(), (path.name, link)
            assert folder in target.parents
            assert not url.fragment or target not in pages or unquote(url.fragment) in pages[target].anchors, link


@pytest.mark.parametrize("name", ["", "learn/causal/", "guides/museum/", "reference/masks/", "about/benchmarks/"])
def test_a_page_opens(opened, name):
    page = opened(f"{name}index.html")
    assert page.locator("h1").count() == 1
    assert page.locator("article").inner_text().count(" ") > 200


def test_a_reader_walks_from_page_to_page(opened):
    page = opened("index.html")
    page.locator("article a[href*='learn/reading_dates']").first.click()
    page.wait_for_url("**/learn/reading_dates/index.html")
    page.get_by_role("link", name="Next: Attention").click()
    page.wait_for_url("**/learn/attention/index.html")
    page.locator("article math").first.wait_for()
    assert page.evaluate("document.fonts.load('20px \"STIX Two Math Web\"').then(fonts => fonts.length)") == 1


def test_the_search_finds_and_leads_there(opened):
    page = opened("guides/museum/index.html")
    page.keyboard.press("/")
    page.keyboard.type("padding mask")  # no hyphen: of a word that ends in one the theme's search complains
    result = page.locator(".md-search-result__link").first
    result.wait_for()
    href = result.evaluate("link => link.href")
    assert re.search(r"/index\.html(\?|#|$)", href)
    result.click()
    page.wait_for_url(lambda url: url.split("?")[0] == href.split("?")[0].split("#")[0] or url == href)
    assert "padding" in page.locator("article").inner_text()


def test_the_mask_lab_computes(opened):
    lab = opened("lab/index.html").locator("mask-lab")
    assert lab.locator("tr.empty").count() == 0
    lab.locator("select").select_option(label="padding on the left, and look-ahead")
    assert lab.locator("tr.empty").count() == 3


def test_without_a_site_it_says_what_to_do(tmp_path):
    with pytest.raises(SystemExit, match=r"Expected: pages in .* Received: none; run `make site` first\."):
        bundle.main(tmp_path / "site", tmp_path / "site.zip")
