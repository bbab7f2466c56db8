"""Lay the site of every release beside that of `main`, each in a folder of its own: what is published.

    python docs/_site/versions.py public site releases

`site` is the built site of main; `releases` holds an archive for each release, site-0.1.0.tar.gz, which is the site as
it was tested then. `public` gets the folders main/, 0.1.0/, ..., the list versions.json that the theme makes a menu
from, and at the top a page that leads to the newest release, or to main before the first.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
import tarfile
from pathlib import Path

MAIN = "main"
ARCHIVE = re.compile(r"site-(\d+(?:\.\d+)*)\.tar\.gz")
AT_THE_TOP = ("404.html", "llms.txt", "sitemap.xml")  # where hosts and programs look; their links are absolute
MENU = ('"version": null}</script>', '"version": {"provider": "mike"}}</script>')  # the name of the list's format
PLACE = '<div data-md-component="announce">\n'
NOTICE = """\
<aside class="md-banner md-banner--warning"><div class="md-banner__inner md-grid md-typeset">\
This is version {}. <a href="{}">The newest is {}.</a></div></aside>
"""
LEAD = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>clear-attention</title>
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url={0}/">
</head>
<body><a href="{0}/">clear-attention</a></body>
</html>
"""


def main(public, site, releases):
    archives = archives_of(releases)
    shutil.rmtree(public, ignore_errors=True)
    shutil.copytree(site, public / MAIN)
    for version, archive in archives.items():
        with tarfile.open(archive) as packed:
            packed.extractall(public / version, filter="data")
    newest = next(iter(archives), MAIN)
    for version in [*archives, MAIN]:
        for page in (public / version).rglob("*.html"):
            add_menu(page, public / version, version, newest)
    entries = [{"version": v, "title": v, "aliases": ["latest"] * (v == newest != MAIN)} for v in [*archives, MAIN]]
    (public / "versions.json").write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    (public / "index.html").write_text(LEAD.format(newest), encoding="utf-8")
    for name in AT_THE_TOP:
        shutil.copy(public / newest / name, public / name)
    print(f"{public.name}/ holds {', '.join([*archives, MAIN])}; its first page leads to {newest}")


def archives_of(folder):
    """Return the archive of each release, the newest first."""
    found = {}
    for path in folder.glob("*") if folder.is_dir() else ():
        if not (name := ARCHIVE.fullmatch(path.name)):
            sys.exit(f"The folder of releases holds their sites. Expected: site-0.1.0.tar.gz. Received: {path.name}.")
        found[name[1]] = path
    return dict(sorted(found.items(), key=lambda item: [int(part) for part in item[0].split(".")], reverse=True))


def add_menu(page, folder, version, newest):
    """Let the theme offer the versions, and say on an old release's page that it is old."""
    text = page.read_text(encoding="utf-8")
    if not (MENU[0] in text and PLACE in text):
        sys.exit(f"The theme's pages have a place for the menu of versions. Expected: {MENU[0]}. Received: {page}.")
    text = text.replace(*MENU)
    if version not in (newest, MAIN):
        up = "../" * len(page.relative_to(folder).parts)
        text = text.replace(PLACE, PLACE + NOTICE.format(version, f"{up}{newest}/", newest), 1)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(*(Path(argument).resolve() for argument in sys.argv[1:4]))
