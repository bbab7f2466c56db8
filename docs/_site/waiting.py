"""Pages of lessons that are not yet executed, while the site is served: they fill in by themselves."""

from __future__ import annotations

import ast
import atexit
import html
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import execute

PLACEHOLDER = '<p class="lesson-waiting">What this code shows will stand here.</p>'


class Run(NamedTuple):
    """One process that executes lessons, and the keys that they had when it began."""

    process: subprocess.Popen
    since: float
    keys: dict[Path, str]

    def executes(self, source, key):
        return self.keys.get(source) == key and self.process.poll() is None


class Waiting:
    """Executes lessons in a process beside the server, and tells how far it is."""

    def __init__(self):
        self.runs, self.keys, self.notebook_of = [], {}, {}

    def notebooks(self, sources):
        """Return a notebook of each lesson, without outputs if it is not yet executed; begin to execute these."""
        self.keys = execute.keys_of(sources)
        self.notebook_of = {source: execute.kept(source, key) for source, key in self.keys.items()}
        missing = [source for source, notebook in self.notebook_of.items() if notebook is None]
        self.end_what_nobody_needs(missing)
        if todo := [s for s in missing if not self.run_of(s) and not execute.failure(s, self.keys[s])]:
            self.begin(todo)
        for source in missing:
            self.notebook_of[source] = bare(source)
            execute.write(self.path_of(source), json.dumps(self.notebook_of[source]))
        return self.notebook_of

    def run_of(self, source):
        """Return the process that executes a lesson as it is now, if there is one."""
        return next((run for run in self.runs if run.executes(source, self.keys[source])), None)

    def end_what_nobody_needs(self, missing):
        """End processes whose lessons have all changed since they began, as they do when the package changes."""
        needed = [run for run in self.runs if any(run.executes(source, self.keys[source]) for source in missing)]
        for run in self.runs:
            if run not in needed:
                run.process.terminate()
        self.runs = needed

    def begin(self, sources):
        process = subprocess.Popen([sys.executable, execute.__file__, *sources])
        atexit.register(process.terminate)
        self.runs.append(Run(process, time.monotonic(), {source: self.keys[source] for source in sources}))

    def path_of(self, source):
        """Return where the notebook without outputs lies: outside the folder whose changes begin a new build."""
        return execute.NOTEBOOKS.with_name("waiting") / source.relative_to(execute.DOCS).with_suffix(".ipynb")

    def says(self, source):
        """Return what the page of a lesson without outputs says, as HTML; None if the lesson is executed."""
        key = self.keys[source]
        if "key" in self.notebook_of[source]["metadata"]:
            return None
        if error := execute.failure(source, key):
            return f"This lesson can't be executed. Mend it, and the page follows.<pre>{html.escape(error)}</pre>"
        if (run := self.run_of(source)) is None:
            return "This lesson was changed, and will be executed."
        number = len(run.keys)
        left = sum(not self.is_done(begun) for begun in run.keys)
        done = number - left
        to_go = execute.to_go(time.monotonic() - run.since, done, left)
        return (
            f"This lesson is being executed: {done} of {number} are done{to_go}. The page fills in by itself."
            f'<progress max="{number}" value="{done}">{done} of {number}</progress>'
        )

    def is_done(self, source):
        return bool("key" in self.notebook_of[source]["metadata"] or execute.failure(source, self.keys[source]))


def bare(source):
    """Return the notebook of a lesson as it is before its execution, with a word where outputs will stand."""
    import jupytext

    notebook = jupytext.read(source)
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{source.stem}-{number}"
        if cell.cell_type == "code" and shows_something(cell.source):
            cell.outputs = [{"output_type": "display_data", "metadata": {}, "data": {"text/html": PLACEHOLDER}}]
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.loads(json.dumps(notebook))


def shows_something(code):
    """Tell whether a cell ends in an expression or prints: a guess that is good enough for a placeholder."""
    last = ast.parse(code).body[-1:]
    return "print(" in code or any(isinstance(statement, ast.Expr) for statement in last)
