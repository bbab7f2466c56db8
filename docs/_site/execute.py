"""Execute the lessons, and keep the notebooks until something they depend on changes.

    python docs/_site/execute.py                     # all of them
    python docs/_site/execute.py docs/learn/masks.py

This program knows nothing of the site's generator. It leaves in .cache/notebooks a notebook for each Python file in
docs/, under the same name. The key in its metadata covers the lesson and what it uses of this project, the libraries'
versions, and this file with the kernel's environment in it: what the site shows is what the code does now.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import os
import re
import subprocess
import sys
import time
from pathlib import Path

log = logging.getLogger("mkdocs.lessons")  # which a build shows
ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT))
import trained  # noqa: E402 - beside docs/

DOCS = ROOT / "docs"
NOTEBOOKS = ROOT / ".cache" / "notebooks"
EXERCISES = DOCS / "_site" / "exercises"
ASKED = [EXERCISES / name for name in ("__init__.py", "asks.py")]
USED = {  # by the lessons that say so
    b"from benchmarks import": [ROOT / "benchmarks" / name for name in ("report.py", "pictures.py", "texts.py")],
    b"from benchmarks.softmax": [ROOT / "benchmarks" / name for name in ("softmax.py", "softmax.json")],
    b"from benchmarks import check_peers": [ROOT / "benchmarks" / name for name in ("check_peers.py", "peers.json")],
    b"benchmarks/results.json": [ROOT / "benchmarks" / name for name in ("results.json", "tables.py")],
    b"benchmarks/gpu.json": [ROOT / "benchmarks" / "gpu.json"],
    b"from examples": [*sorted((ROOT / "examples").glob("*.py")), ROOT / "benchmarks" / "workers.json"],
    b"benchmarks/language_model.json": [ROOT / "benchmarks" / "language_model.json"],
    b"import trained": sorted((ROOT / "trained").glob("*.py")),
    b"from trained.ablations import": [ROOT / "trained/ablations.json"],
    b"own-texts.js": [ROOT / "docs/_site/live/own-texts.js"],
    b"from live import": [ROOT / "docs/_site/live.py"],
    b"from drawing import": [ROOT / "docs/_site/drawing.py"],
    b"import drawing_by_hand": [ROOT / "docs/_site/drawing.py", ROOT / "docs/_site/drawing_by_hand.py"],
    b"from head_puzzles import": [ROOT / "docs/_site/head_puzzles.py"],
    b"from bug_detective import": sorted((ROOT / "docs/_site/bug_detective").glob("*.py")),
    b"from date_machine import": [ROOT / "docs/_site/date_machine.py", *sorted((ROOT / "trained").glob("*.py"))],
    b"faults/results.json": [
        ROOT / "faults" / name for name in ("results.json", "survivors.toml", "laws.toml", "mutate.py")
    ],
    b"refusals.toml": [ROOT / "docs/reference/refusals.toml"],
    **{f'exercises.show("{path.stem}")'.encode(): [*ASKED, path] for path in EXERCISES.glob("*.py")},
    b"exercises.progress(": [*sorted(EXERCISES.glob("*.py")), *sorted((DOCS / "learn").glob("*.py"))],
}
WORKERS = 2
TIMEOUT = 300  # seconds for a whole lesson
LOADED = re.compile(r'\btrained\.load\("([\w-]+)"\)')
INK = "#010203"  # what figures draw text and axes in; notebook.html.j2 makes it follow the theme
VERSIONS = ("tensorflow", "keras", "numpy", "matplotlib", "ipykernel", "nbclient", "jupytext")
KERNEL_ENV = {
    **trained.ENVIRONMENT,
    "IPYTHONDIR": str(ROOT / ".cache" / "ipython"),  # nobody's personal start-up files
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # whatever the builder's shell says
    "MPLCONFIGDIR": str(ROOT / ".cache" / "matplotlib"),  # nor settings and list of fonts
    "OPENBLAS_NUM_THREADS": "1",  # two lessons at once: NumPy's threads would wait for each other, ten times as long
    "PYTHONDONTWRITEBYTECODE": "1",  # new files in src/ would make `mkdocs serve` build once more
}
NOISE = re.compile(  # lines that TensorFlow and matplotlib write on some machines, whatever the lesson does
    r"^(WARNING: All log messages before absl::InitializeLog|I0000 |Matplotlib (is building|created)).*\n?", re.M
)
STYLE = f"""
import matplotlib as _matplotlib
from matplotlib_inline.backend_inline import set_matplotlib_formats as _formats
_formats("svg")
_matplotlib.rcParams.update({{
    "svg.fonttype": "none", "svg.hashsalt": "lesson", "font.family": "sans-serif",
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none",
    **dict.fromkeys(("text.color", "axes.labelcolor", "axes.edgecolor", "axes.titlecolor", "patch.edgecolor",
                     "xtick.color", "ytick.color", "legend.labelcolor"), "{INK}"),
}})
del _matplotlib, _formats
"""


class LessonError(Exception):
    """Say which lesson can't be published, and why."""


def lessons():
    """Return every Python file in docs/ that becomes a page."""
    return sorted(path for path in DOCS.rglob("*.py") if "_site" not in path.parts)


def execute(sources):
    """Return the executed notebook, as a dict, of each lesson; run those that are new or stale."""
    keys = keys_of(sources)
    notebooks = {source: kept(source, key) for source, key in keys.items()}
    stale = {source: keys[source] for source, notebook in notebooks.items() if notebook is None}
    return notebooks | (asyncio.run(execute_all(stale)) if stale else {})


def kept(source, key):
    """Return the notebook that was executed with this key, or None."""
    try:
        notebook = json.loads(path_of(source).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return notebook if notebook["metadata"].get("key") == key else None


def failure(source, key):
    """Return what was wrong when the lesson was executed with this key, or None."""
    try:
        found, _, error = path_of(source).with_suffix(".failed").read_text(encoding="utf-8").partition("\n")
    except FileNotFoundError:
        return None
    return error if found == key else None


def path_of(source):
    return NOTEBOOKS / source.relative_to(DOCS).with_suffix(".ipynb")


def write(path, content):
    """Write text or bytes in one go: whoever reads the file meanwhile sees the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(content.encode() if isinstance(content, str) else content)
    part.replace(path)


def keys_of(sources):
    shared = trained.digest_of(VERSIONS, [Path(__file__)])
    return {source: key_of(shared, source) for source in sources}


def key_of(shared, source):
    text = source.read_bytes()
    models = [trained.path_of(name) for name in sorted(models_of(text.decode()))]
    used = [path.read_bytes() for said, paths in USED.items() if said in text for path in paths]
    used += [path.read_bytes() for path in models if path.exists()]
    return hashlib.sha256(b"\0".join([shared.encode(), text, *used])).hexdigest()[:16]


def models_of(text):
    """Return the names of the models that a lesson shows, which `python -m trained` makes."""
    return {*LOADED.findall(text), *(name for name in trained.PROGRAMS if f'"{name}"' in text)}


async def execute_all(keys):
    """Run every lesson even if one fails: the others are then done, and all failures are reported at once.

    One worker begins with the models that lessons show, the others with the lessons that need none, so that a newcomer
    soon has pages to read. Lessons with `slow: true` in their header come before the quick ones, so that at the end no
    core waits for the last one. A lesson whose models are not yet trained lets the next one go before it.
    """
    log.info("Executing %d lessons, %d at a time", len(keys), WORKERS)
    texts = {source: source.read_text(encoding="utf-8") for source in keys}
    shown = {source: models_of(text) for source, text in texts.items()}
    models = sorted(set().union(*shown.values()))
    todo = [*models, *sorted(keys, key=lambda source: not re.search(r"^# slow: true$", texts[source], re.M))]
    start, one_more, ready, done, failures = time.monotonic(), asyncio.Event(), set(), {}, []

    async def worker(trains):
        while todo:
            jobs = [job for job in todo if shown.get(job, set()) <= ready]
            if not jobs:
                await one_more.wait()
                one_more.clear()
                continue
            job = next((job for job in jobs if (job in models) == trains), jobs[0])
            todo.remove(job)
            try:
                await (train(job) if job in models else one(job))
            except LessonError as error:
                failures.append(error)

    async def train(name):
        try:
            await run_training(name)
        finally:
            ready.add(name)
            one_more.set()

    async def one(source):
        log.info("Executing %s", source.name)
        failed = path_of(source).with_suffix(".failed")
        (key,) = keys_of([source]).values()  # now: if it is edited while it runs, it stays stale
        try:
            notebook = await execute_one(source)
        except LessonError as error:
            write(failed, f"{key}\n{error}")
            raise
        notebook["metadata"]["key"] = key
        write(path_of(source), json.dumps(notebook))
        failed.unlink(missing_ok=True)
        done[source] = notebook
        left, seconds = len(keys) - len(done), time.monotonic() - start
        log.info("Executed %s: %d left, %.0f s so far%s", source.name, left, seconds, to_go(seconds, len(done), left))

    await asyncio.gather(*(worker(trains=number == 0) for number in range(WORKERS)))
    if failures:
        raise LessonError("\n\n".join(map(str, failures)))
    return done


def to_go(seconds, done, left):
    """Estimate the time that is left, once enough is done to tell: the slow lessons come first."""
    return f", about {seconds / done * left / 60:.1f} min to go" if done > 2 * left / 3 > 0 else ""


async def run_training(name):
    """Have a model trained, unless it is."""
    process = await asyncio.create_subprocess_exec(sys.executable, "-m", "trained", name, cwd=ROOT)
    if await process.wait():
        raise LessonError(f"The model {name!r} can't be trained: see python -m trained {name}.")


async def execute_one(source):
    import jupytext  # slow to import, and not needed when all results are cached
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    name = source.relative_to(DOCS.parent).as_posix()
    notebook = jupytext.read(source)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(STYLE))
    end, running = time.monotonic() + TIMEOUT, {}
    client = NotebookClient(
        notebook,
        timeout_func=lambda cell: max(1, int(end - time.monotonic())),  # what is left for this cell
        on_cell_execute=lambda cell, cell_index: running.update(cell=cell),
        kernel_name="python3",
        coalesce_streams=True,
        extra_arguments=["--log-level=ERROR", "--HistoryManager.enabled=False"],
        resources={"metadata": {"path": str(source.parent)}},
    )
    try:
        # What a lesson writes to sys.stderr arrives as an output; this silences TensorFlow's own chatter.
        await client.async_execute(env={**os.environ, **KERNEL_ENV}, stderr=subprocess.DEVNULL)
    except CellTimeoutError:
        raise LessonError(
            f"{name} ran for more than {TIMEOUT} seconds and was stopped, {in_cell(running['cell'])}."
        ) from None
    except CellExecutionError as error:
        raise LessonError(f"{name}: a cell failed.\n{plain(str(error))}") from None
    except DeadKernelError:
        where = in_cell(running["cell"]) if running else "before its first cell"
        raise LessonError(f"{name}: Python itself died (out of memory, or a crash in a library), {where}.") from None
    del notebook.cells[0]
    return tidy(notebook, source.stem, name)


def in_cell(cell):
    return f"in the cell that begins with {cell.source.splitlines()[0]!r}"


def plain(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def tidy(notebook, stem, name):
    """Make the result the same on every run, and refuse what must not be published."""
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{stem}-{number}"
        cell.metadata = {k: v for k, v in cell.metadata.items() if k in ("tags", "alt")}
        if cell.cell_type == "code":
            cell.execution_count -= 1  # the style cell was the first
            for output in cell.outputs:
                tidy_output(output, cell, name)
            cell.outputs = [o for o in cell.outputs if o.output_type != "stream" or o.text]
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def tidy_output(output, cell, name):
    where = f"{name}, {in_cell(cell)}"
    if output.output_type == "execute_result":
        output.execution_count = cell.execution_count
    if output.get("name") == "stderr":
        output.text = NOISE.sub("", output.text)
        if output.text.strip():
            raise LessonError(f"{where}: a lesson may not print to stderr.\n{plain(output.text)}")
    text = output.get("text", "") + output.get("data", {}).get("text/plain", "")
    if address := re.search(r"\bat 0x[0-9a-f]+", text):
        raise LessonError(f"{where}: the output shows a memory address ({address[0]}), which changes on every run.")
    data = output.get("data", {})
    if pictures := [kind for kind in data if kind.startswith("image/") and kind != "image/svg+xml"]:
        raise LessonError(f"{where}: a figure is {pictures[0]}; only SVG can follow the theme.")
    if data and not data.keys() & {"image/svg+xml", "text/html", "text/markdown", "text/latex", "text/plain"}:
        raise LessonError(f"{where}: there is no way to show {', '.join(data)}.")
    if "image/svg+xml" in data:
        if not cell.metadata.get("alt"):
            raise LessonError(f'{where}: a figure has no alt text; write # %% alt="..." above the cell.')
        output.metadata["alt"] = cell.metadata.alt
        svg = output.data["image/svg+xml"]
        output.data["image/svg+xml"] = re.sub(
            r"<\?xml.*?\?>|<!DOCTYPE[^>]*>|<metadata>.*?</metadata>", "", svg, flags=re.S
        ).strip()


def main():
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        execute([Path(name).resolve() for name in sys.argv[1:]] or lessons())
    except LessonError as error:
        sys.exit(str(error))
    print(f"The executed notebooks are in {os.path.relpath(NOTEBOOKS)}")


if __name__ == "__main__":
    main()
