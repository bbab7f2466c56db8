"""How long a page takes to read, and when it last changed.

The date is that of the last commit of the page's file; a reference page changes with its module too. A file without a
commit has the date of the build (SOURCE_DATE_EPOCH, else today). A shallow clone knows the last commits only and would
give old files a young date: there the pages, and the sitemap, say nothing.
"""

from __future__ import annotations

import functools
import logging
import re
import subprocess
from datetime import UTC, date, datetime
from pathlib import Path, PurePosixPath

log = logging.getLogger("mkdocs.page_facts")
ROOT = Path(__file__).resolve().parents[2]
SHOWN = ("learn/", "guides/")
WORDS_A_MINUTE = 220
NOT_READ = re.compile(r"<(pre|svg|math|script|style|template|bug-detective|head-designer)\b.*?</\1>|<[^>]*>", re.S)
FOLD = re.compile(r"<details\b(?:(?!<details\b).)*?</details>", re.S)  # an innermost one
TO_DO = {  # minutes for each: an estimate
    r"<(lesson-piece|date-machine|mask-lab|text-machine)\b": 3,
    r'<h3 id="exercise-\d': 7,
    r"<page-exercise\b": 1,
    r'class="sc-question': 1,
}


def reading_time(content):
    """Say how long the text in sight takes, without code, formulas, pictures, and what stands in place of a game.

    What there is to do takes longer than that, and is told besides, in steps of five minutes.
    """
    doing = sum(each * len(re.findall(what, content)) for what, each in TO_DO.items())
    folds = 1
    while folds:
        content, folds = FOLD.subn(" ", content)
    words = len(re.findall(r"\w+(?:[.'\u2019_-]\w+)*", NOT_READ.sub(" ", content)))
    number = max(1, round(words / WORDS_A_MINUTE))
    told = f"about {number} minute{'s' * (number > 1)}"
    return f"{told}, and {5 * round((number + doing) / 5)} with all there is to do" if doing else told


def git(*arguments):
    """Return what git prints about this project, or None where there is no git or no repository."""
    command = ["git", "-C", str(ROOT), "-c", "core.quotePath=false", *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True, encoding="utf-8").stdout
    except (OSError, subprocess.CalledProcessError):
        return None


def newest(history):
    """Return the UTC date of the last commit of each file, from lines of `@seconds` followed by file names."""
    seconds, found = 0, {}
    for line in filter(None, history.splitlines()):
        if line.startswith("@"):
            seconds = int(line[1:])
        else:
            found[line] = max(seconds, found.get(line, 0))
    return {name: datetime.fromtimestamp(s, UTC).date().isoformat() for name, s in found.items()}


@functools.cache
def history():
    """Return the dates of all files by their path from the root; None where they can't be known."""
    if (git("rev-parse", "--is-shallow-repository") or "").strip() == "true":
        log.info("A shallow clone: pages get no date of change (git fetch --unshallow)")
        return None
    return newest(git("log", "--format=@%ct", "--name-only", "--no-renames", "--relative", "--", "docs", "src") or "")


def changed(src_uri, dates, today):
    """Return the date of a page: the youngest of its sources."""
    page = PurePosixPath(src_uri)
    module = f"src/clear_attention/{page.stem}" if page.parent.name == "reference" else None
    sources = [d for name, d in dates.items() if module and (name == f"{module}.py" or name.startswith(f"{module}/"))]
    return max([*sources, dates.get(f"docs/{src_uri}", today)])


def in_words(day):
    return f"{day.day} {day:%B %Y}"


def add_facts(content, page):
    dates, name = history(), page.file.src_uri
    if dates is not None:
        page.update_date = changed(name, dates, page.update_date)  # which the sitemap shows
    if name.startswith(SHOWN):
        page.meta["reading_time"] = reading_time(content)
        if dates is not None:
            day = date.fromisoformat(page.update_date)
            page.meta["changed"] = {"iso": page.update_date, "words": in_words(day)}


def without_dates(sitemap):
    return re.sub(r"\s*<lastmod>.*?</lastmod>", "", sitemap) if history() is None else sitemap
