"""MkDocs hook: every Python file in docs/ is executed and becomes a page; a lesson gets a notebook to download."""

from __future__ import annotations

import posixpath
from pathlib import Path
from urllib.parse import urljoin

from execute import execute
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File
from render import LessonPage, to_notebook


class Lesson(File):
    """A Python file that MkDocs takes for a page."""

    def is_documentation_page(self):
        return True


def on_files(files, config):
    found = [f for f in files if f.src_uri.endswith(".py") and f.inclusion.is_included()]
    lessons = {}
    for file in found:
        files.remove(file)
        lesson = Lesson(file.src_uri, file.src_dir, file.dest_dir, file.use_directory_urls, inclusion=file.inclusion)
        lessons[Path(file.abs_src_path)] = lesson
        files.append(lesson)
    for source, notebook in execute(sorted(lessons)).items():
        lesson = lessons[source]
        lesson.lesson_page = LessonPage(notebook, lesson.src_uri)
        lesson.content_string = lesson.lesson_page.markdown
        if not lesson.src_uri.startswith("learn/"):
            continue
        lesson.notebook = posixpath.splitext(lesson.src_uri)[0] + ".ipynb"
        content = to_notebook(notebook, lambda link, lesson=lesson: absolute(link, lesson, files, config))
        files.append(File.generated(config, lesson.notebook, content=content))
    return files


def absolute(link, lesson, files, config):
    """Make a link that is relative to the lesson's source one that works in a notebook on any machine."""
    path, _, anchor = link.partition("#")
    target = files.get_file_from_path(posixpath.normpath(posixpath.join(posixpath.dirname(lesson.src_uri), path)))
    if target is None:  # MkDocs names the dead link when it renders the page
        return link
    return urljoin(config.site_url, target.url) + (f"#{anchor}" if anchor else "")


@event_priority(100)  # before the other hooks and plugins see the content
def on_page_content(content, page, config, files):
    if isinstance(page.file, Lesson):
        return page.file.lesson_page.put_back(content)
