"""Check that the tree is ready to be released as a version, and print what CHANGELOG.md says about it.

python .ci/release_notes.py v0.1.0
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main(tag, root=ROOT):
    version = tag.removeprefix("v")
    said = {
        "pyproject.toml": tomllib.loads(read(root, "pyproject.toml"))["project"]["version"],
        "CITATION.cff": re.search(r"^version: (.+)$", read(root, "CITATION.cff"), re.M)[1],
    }
    for name, other in said.items():
        if other != version:
            sys.exit(f"A tag names the version of the tree. Expected: version {version} in {name}. Received: {other}.")
    package = re.search(r'^PACKAGE = "(.+?)"', read(root, "docs/_site/install.py"), re.M)[1]
    if package != "clear-attention[plots]":
        sys.exit(
            "The pages of a release say how to install it. Expected: PACKAGE in docs/_site/install.py is "
            f"clear-attention[plots]. Received: {package}."
        )
    section = re.search(rf"^## \[?{re.escape(version)}\b.*\n((?:(?!## ).*\n)*)", read(root, "CHANGELOG.md"), re.M)
    if not section:
        sys.exit(f"CHANGELOG.md says what a version brings. Expected: a section {version}. Received: none.")
    return section[1].strip()


def read(root, name):
    return (root / name).read_text(encoding="utf-8")


if __name__ == "__main__":
    print(main(sys.argv[1]))
