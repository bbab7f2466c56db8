"""From executed notebooks to pages, through mkdocs-jupyter; and to the notebooks that readers download.

mkdocs-jupyter converts a notebook with our template, `notebook/mkdocs_html/notebook.html.j2`, which writes Markdown
with the outputs as HTML in it. So MkDocs' own renderer sees every link, cross-reference and formula of a lesson.
"""

from __future__ import annotations

import os
import posixpath
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urljoin

import execute
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File
from mkdocs_jupyter import convert
from mkdocs_jupyter.config import settings
from plain import to_notebook
from waiting import Waiting

convert.logger.setLevel("WARNING")  # a line for each lesson, at each build
settings.templates_dir = str(Path(__file__).with_name("notebook"))  # version 0.26 has no option for it
waiting = Waiting()


class Lesson(File):
    """A Python file that MkDocs takes for a page, and mkdocs-jupyter for the notebook at its abs_src_path."""

    def is_documentation_page(self):
        return True


def add_lessons(files, config, serving):
    """Make every Python file a page, and a lesson a notebook to download too.

    While the site is served, a page does not wait: it says that its lesson is not yet executed.
    """
    lessons = {}
    for file in [f for f in files if f.src_uri.endswith(".py") and f.inclusion.is_included()]:
        files.remove(file)
        lesson = Lesson(file.src_uri, file.src_dir, file.dest_dir, file.use_directory_urls, inclusion=file.inclusion)
        lessons[Path(file.abs_src_path)] = lesson
        files.append(lesson)
    for source, notebook in notebooks_of(sorted(lessons), serving).items():
        lesson = lessons[source]
        lesson.executed, lesson.abs_src_path = notebook, str(execute.path_of(source))
        if serving and (said := waiting.says(source)):
            lesson.waiting, lesson.abs_src_path = said, str(waiting.path_of(source))
        if lesson.src_uri.startswith("learn/"):
            lesson.notebook = posixpath.splitext(lesson.src_uri)[0] + ".ipynb"
            content = to_notebook(notebook, lambda link, lesson=lesson: absolute(link, lesson, files, config))
            files.append(File.generated(config, lesson.notebook, content=content))


def notebooks_of(sources, serving):
    if serving:
        return waiting.notebooks(sources)
    try:
        return execute.execute(sources)
    except execute.LessonError as error:
        raise PluginError(str(error)) from None


def absolute(link, lesson, files, config):
    """Make a link that is relative to the lesson's source one that works in a notebook on any machine."""
    path, _, anchor = link.partition("#")
    target = files.get_file_from_path(posixpath.normpath(posixpath.join(posixpath.dirname(lesson.src_uri), path)))
    if target is None:  # MkDocs names the dead link when it renders the page
        return link
    return urljoin(config.site_url, target.url) + (f"#{anchor}" if anchor else "")


def take_back_render(page):
    """Take mkdocs-jupyter's way to render from a page: MkDocs' own knows cross-references, and names dead links."""
    if isinstance(page.file, Lesson):
        del page.render


def markdown_of(page):
    """Return the Markdown of a lesson; None for the other pages, which MkDocs reads itself."""
    return markdown_at(page.file.abs_src_path) if isinstance(page.file, Lesson) else None


def markdown_at(path):
    """Return the Markdown of a notebook: what the template wrote, taken out of what nbconvert made of it.

    nbconvert takes it for HTML and adds a style sheet.
    """
    html = convert.nb2html(str(path), remove_tag_config={"remove_input_tags": ["remove-input"]})
    return unquote(html.split("<", 1)[0]).strip() + "\n"


def export(folder):
    """Write every page as Markdown with its outputs, for a generator that reads nothing else."""
    executed = {source: execute.path_of(source) for source in execute.execute(execute.lessons())}
    texts = {source: markdown_at(path) for source, path in executed.items()}
    texts |= {source: source.read_text(encoding="utf-8") for source in execute.DOCS.rglob("*.md")}
    for source, text in texts.items():
        linked = re.sub(r"(?<=\]\()(?!\w+:)([^)\s]+)\.py\b", r"\1.md", text)
        execute.write(folder / source.relative_to(execute.DOCS).with_suffix(".md"), linked)
    print(f"{len(texts)} pages are in {os.path.relpath(folder)}")


if __name__ == "__main__":
    export(Path(sys.argv[1]).resolve())
