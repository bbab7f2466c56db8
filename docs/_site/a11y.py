"""What the theme leaves unsaid to a screen reader, checked so that a new theme cannot lose it."""

import logging
import re

log = logging.getLogger("mkdocs.a11y")
SECTION = re.compile(
    r'(<span class="md-ellipsis">\s*([^<]+?)\s*</span>\s*</a>\s*'
    r'<label class="md-nav__link[^"]*" for="__nav_\d+" id="__nav_\d+_label"[^>]*>)'
)
SEARCH = 'data-md-component="search" role="dialog"'


def named(output, where):
    """Name the search dialog, and the button that opens a section with a page of its own."""
    if SEARCH not in output:
        log.warning("%s: the theme's search dialog has changed; a11y.py must name it anew", where)
    output = SECTION.sub(r'\1<span class="unseen">Pages of \2</span>', output)
    return output.replace(SEARCH, f'{SEARCH} aria-label="Search"', 1)
