"""What happens to the site while MkDocs builds it, in the order in which it happens.

Each step stands in the module that it calls. Where a number stands at a step, it must come before (100) or after (-100)
the same step of all plugins.
"""

from __future__ import annotations

import types
from pathlib import Path

import a11y
import card
import execute
import glossary
import lessons
import llms
import machine_files
import mathml
import next_lesson
import page_facts
import scripts
import search
import self_check
import small_map
import sooner
import xrefs
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File

build = types.SimpleNamespace(serving=False)  # what a later step needs of an earlier one


def on_startup(command, dirty):
    build.serving = command == "serve"


@event_priority(100)  # mkdocstrings copies the Markdown extensions
def on_config(config):
    mathml.add_extension(config)
    self_check.add_fence(config)
    config.extra["card"] = card.facts(config)


def on_pre_build(config):
    page_facts.history.cache_clear()  # `mkdocs serve` builds again and again


def on_files(files, config):
    for name, entry in scripts.ENTRIES.items():
        files.append(File.generated(config, f"assets/{name}.js", content=scripts.script(entry)))
    for name in scripts.PIECES:
        files.append(File.generated(config, f"assets/pieces/{name}.js", content=scripts.piece(name)))
    files.append(File.generated(config, card.PATH, content=card.picture(config.site_name, config.site_description)))
    lessons.add_lessons(files, config, build.serving)  # executes them, and trains what they show
    for name, script in machine_files.scripts():
        files.append(File.generated(config, name, content=script))
    build.glossary = files.get_file_from_path(glossary.PAGE).content_string


def on_serve(server, config, builder):
    execute.NOTEBOOKS.mkdir(parents=True, exist_ok=True)
    server.watch(str(execute.NOTEBOOKS))  # a lesson that has been executed fills its page


def on_nav(nav, config, files):
    build.nav, build.files = nav, files


# Each page as Markdown


def on_pre_page(page, config, files):
    lessons.take_back_render(page)


def on_page_read_source(page, config):
    return lessons.markdown_of(page)


def on_page_markdown(markdown, page, config, files):
    mathml.MathML.page = page.file.src_uri
    return glossary.with_tips(markdown, page, build.glossary)


# Each page as HTML


def on_page_content(html, page, config, files):
    mathml.refuse_left_overs(html, page)
    page_facts.add_facts(html, page)
    small_map.add_map(page)
    next_lesson.add_card(page)
    return glossary.first_tips(html, page)


@event_priority(100)  # autorefs looks the names up
def on_env(env, config, files):
    for name, url in xrefs.NAMES.items():
        config.plugins["autorefs"].register_url(name, url)


# Each page in the theme's template


@event_priority(-100)  # nobody else looks for what goes
def on_post_page(html, page, config):
    return sooner.sooner(a11y.named(html, page.file.src_uri))


@event_priority(-100)
def on_post_template(output, template_name, config):
    if template_name == "sitemap.xml":
        return page_facts.without_dates(output)
    if template_name == "404.html":
        return sooner.sooner(a11y.named(output, template_name))
    return output


@event_priority(100)  # the search plugin writes its index
def on_post_build(config):
    entries = config.plugins["material/search"].search_index.entries
    entries[:] = search.improved(entries, build.nav.pages)
    search.mend_worker(Path(config.site_dir))
    llms.write_lists(build.nav, build.files, config)
