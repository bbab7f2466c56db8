"""Pack the built site for readers without a server, or without a network: `make bundle`.

    python docs/_site/bundle.py site dist/clear-attention-site.zip

The pages are those of the site. Only what needs a server differs: a link to a folder names its index.html, the search's
index and the math font come as text inside other files, and the search runs without a worker. The same site and the
same SOURCE_DATE_EPOCH give the same bytes.
"""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import time
import zipfile
from pathlib import Path

TOP = "clear-attention"  # the folder that the archive unpacks into
SCRIPT = Path(__file__).with_suffix(".js")
FOR_SERVERS = ("404.html", "llms.txt", "sitemap.xml", "sitemap.xml.gz", "objects.inv", "search/search_index.json")
LINK = re.compile(r'(?<=\bhref=")([^"#?:]+)((?:#[^"]*)?)(?=")')
FONT = re.compile(r'url\("([^")]+\.woff2)"\)')
README = """\
The site of clear-attention, to be read without a server.

Unpack all of it and open index.html in a browser. Nothing is fetched from the network.

What does not work from a folder:

* An address that the Mask Lab copies leads to a folder on this computer: other people can't open it.
* A page loads as a whole when you turn to it; the site on a server changes only what differs.
* Dark mode is kept from page to page only where the browser lets files keep settings.
* The notebooks run in Jupyter, not in the browser. Their links lead to the published site.

To read it with a server all the same: python -m http.server in this folder.
"""


def main(site, archive):
    if not (site / "index.html").is_file():
        sys.exit(f"A bundle holds the built site. Expected: pages in {site}. Received: none; run `make site` first.")
    archive.parent.mkdir(parents=True, exist_ok=True)
    pack(files_without_server(site), archive, TOP)
    print(f"The bundle is in {os.path.relpath(archive)}")


def files_without_server(site):
    """Return the content of each file of the bundle."""
    files = {name: content for name, content in files_of(site).items() if name not in FOR_SERVERS}
    for name, content in files.items():
        if name.endswith(".html"):
            files[name] = for_folder(content.decode(), site / name, site).encode()
    css = files["assets/site.css"].decode()
    files["assets/site.css"] = FONT.sub(lambda m: f"url({as_data(site / 'assets' / m[1])})", css).encode()
    files["assets/bundle.js"] = SCRIPT.read_bytes()
    files["search/search_index.js"] = search_index(site).encode()
    return files | {"README.txt": README.encode()}


def files_of(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def for_folder(page, path, site):
    """Name the file behind each link, and load what stands in for a worker."""

    def name_file(link):
        folder = (path.parent / link[1]).is_dir()
        return f"{link[1].rstrip('/')}/index.html{link[2]}" if folder else link[0]

    up = "../" * len(path.relative_to(site).parent.parts)
    script = f'<script src="{up}assets/bundle.js"></script>\n'
    return LINK.sub(name_file, page).replace("</head>", f"{script}</head>", 1)


def as_data(font):
    """Return a font as an address: some browsers take no font from another folder."""
    return "data:font/woff2;base64," + base64.b64encode(font.read_bytes()).decode()


def search_index(site):
    """Return the search's index as a script: the theme's search reads that from a folder, where no page may fetch."""
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    for entry in index["docs"]:
        page, mark, anchor = entry["location"].partition("#")
        entry["location"] = f"{page}index.html{mark}{anchor}"
    return f"var __index = {json.dumps(index, ensure_ascii=False, separators=(',', ':'))}\n"


def pack(files, archive, top):
    """Write files, by name, into an archive whose bytes depend on nothing else but SOURCE_DATE_EPOCH."""
    date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", 0)))[:6]
    part = archive.with_name(f"{archive.name}.{os.getpid()}.part")
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name in sorted(files):
            entry = zipfile.ZipInfo(f"{top}/{name}", max(date, (1980, 1, 1, 0, 0, 0)))  # no archive can say less
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # as on Unix, whatever this system is
            packed.writestr(entry, files[name])
    part.replace(archive)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
