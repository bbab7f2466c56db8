"""MkDocs hook: what the theme leaves unsaid to a screen reader, checked so that a new theme cannot lose it."""

import logging

log = logging.getLogger("mkdocs.a11y")
SEARCH = 'data-md-component="search" role="dialog"'


def on_post_page(output, page, config):
    return named(output, page.file.src_uri)


def on_post_template(output, template_name, config):
    return named(output, template_name) if template_name == "404.html" else output


def named(output, where):
    """Name the search dialog."""
    if SEARCH not in output:
        log.warning("%s: the theme's search dialog has changed; a11y.py must name it anew", where)
    return output.replace(SEARCH, f'{SEARCH} aria-label="Search"', 1)
