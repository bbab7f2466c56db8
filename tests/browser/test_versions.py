"""The site of main beside those of two releases, as it is published."""

import functools
import json
import tarfile
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
import versions

from .conftest import SITE, Visitor


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def public(tmp_path_factory):
    """Publish today's site as main and as two releases."""
    place = tmp_path_factory.mktemp("versions")
    (place / "releases").mkdir()
    for version in ("0.9.0", "0.10.0"):
        with tarfile.open(place / "releases" / f"site-{version}.tar.gz", "w:gz", compresslevel=1) as archive:
            archive.add(SITE, ".")
    versions.main(place / "public", SITE, place / "releases")
    return place / "public"


@pytest.fixture
def visitor(browser, public):
    """Open the published folder in a folder of a host, as a project's pages are."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=public.parent))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    visitor = Visitor(browser, f"http://127.0.0.1:{server.server_port}")
    yield visitor
    visitor.context.close()
    server.shutdown()
    server.server_close()
    visitor.assert_calm()


def test_the_list_begins_with_the_newest_release(public):
    entries = json.loads((public / "versions.json").read_text(encoding="utf-8"))
    assert [entry["version"] for entry in entries] == ["0.10.0", "0.9.0", "main"]
    assert [entry["aliases"] for entry in entries] == [["latest"], [], []]
    for name in versions.AT_THE_TOP:
        assert (public / name).read_bytes() == (public / "0.10.0" / name).read_bytes()


def test_the_first_page_leads_to_the_newest_release(visitor):
    visitor.page.goto(f"{visitor.host}/public/")
    visitor.page.wait_for_url("**/public/0.10.0/")
    visitor.page.locator(".md-version__current", has_text="0.10.0").wait_for()
    assert visitor.page.locator(".md-banner").count() == 0


def test_the_menu_leads_to_the_same_page_of_another_version(visitor):
    visitor.open("/public/0.10.0/learn/masks/")
    menu = visitor.page.locator(".md-version")
    menu.locator(".md-version__current").focus()
    assert menu.locator(".md-version__link").all_inner_texts() == ["0.10.0", "0.9.0", "main"]
    menu.get_by_text("0.9.0", exact=True).click()
    visitor.page.wait_for_url("**/public/0.9.0/learn/masks/")
    notice = visitor.page.locator(".md-banner")
    assert notice.inner_text() == "This is version 0.9.0. The newest is 0.10.0."
    notice.locator("a").click()
    visitor.page.wait_for_url("**/public/0.10.0/learn/masks/")


def test_before_the_first_release_there_is_main_alone(tmp_path, public):
    versions.main(tmp_path / "public", SITE, tmp_path / "none")
    assert "url=main/" in (tmp_path / "public" / "index.html").read_text(encoding="utf-8")
    assert [path.name for path in (tmp_path / "public").iterdir() if path.is_dir()] == ["main"]
    page = (tmp_path / "public/main/index.html").read_text(encoding="utf-8")
    assert "md-banner" not in page
    assert '"provider": "mike"' in page


def test_a_stranger_among_the_releases_is_refused(tmp_path):
    (tmp_path / "releases").mkdir()
    (tmp_path / "releases" / "site-next.tar.gz").touch()
    with pytest.raises(SystemExit, match=r"Expected: site-0\.1\.0\.tar\.gz\. Received: site-next\.tar\.gz\."):
        versions.main(tmp_path / "public", SITE, tmp_path / "releases")
    assert not (tmp_path / "public").exists()
