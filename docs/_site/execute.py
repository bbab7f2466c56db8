"""Executes the lessons, and remembers the results until something they depend on changes.

The key of a result covers the lesson and what it uses of this project, the libraries' versions, and this file with the
kernel's environment in it: what the site shows is what the code does now. (mkdocs-jupyter's own cache knows only the
notebook, and its execution publishes tracebacks with exit code 0.)
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import os
import re
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from mkdocs.exceptions import PluginError

log = logging.getLogger("mkdocs.lessons")
ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "lessons"
USED = {  # by the lessons that say so
    b"from benchmarks import": [ROOT / "benchmarks" / name for name in ("results.json", "report.py", "pictures.py")],
    b"from examples": [*sorted((ROOT / "examples").glob("*.py")), ROOT / "benchmarks" / "workers.json"],
    b"from live import": [ROOT / "docs/_site/live.py"],
    b"faults/results.json": [
        ROOT / "faults" / name for name in ("results.json", "survivors.toml", "laws.toml", "mutate.py")
    ],
    b"refusals.toml": [ROOT / "docs/reference/refusals.toml"],
}
WORKERS = 2
TIMEOUT = 300  # seconds for a whole lesson
DAY = 86_400
INK = "#010203"  # what figures draw text and axes in; render.py makes it follow the theme
VERSIONS = ("tensorflow", "keras", "numpy", "matplotlib", "ipykernel", "nbclient", "jupytext")
KERNEL_ENV = {
    "CUDA_VISIBLE_DEVICES": "-1",
    "IPYTHONDIR": str(ROOT / ".cache" / "ipython"),  # nobody's personal start-up files
    "KERAS_BACKEND": "tensorflow",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",  # whatever the builder's shell says
    "MPLCONFIGDIR": str(ROOT / ".cache" / "matplotlib"),  # nor settings and list of fonts
    "PYTHONDONTWRITEBYTECODE": "1",  # new files in src/ would make `mkdocs serve` build once more
    "PYTHONHASHSEED": "0",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",  # these kernels round differently from machine to machine
    "TF_NUM_INTEROP_THREADS": "1",  # so does a sum that is cut into as many parts as there are cores; and two
    "TF_NUM_INTRAOP_THREADS": "1",  # lessons at a time with one thread each are sooner done than with all cores each
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


def execute(sources):
    """Return the executed notebook, as a dict, of each lesson; run those that are new or stale."""
    shared = environment()
    targets = {s: CACHE / f"{s.stem}-{key(shared, s)}.json" for s in sources}
    kept = {s: json.loads(targets[s].read_text(encoding="utf-8")) for s in sources if targets[s].exists()}
    stale = [s for s in sources if s not in kept]
    if not stale:
        return kept
    CACHE.mkdir(parents=True, exist_ok=True)
    executed = asyncio.run(execute_all(stale, targets))
    for old in {*CACHE.glob("*.json"), *CACHE.glob("*.part")} - set(targets.values()):
        with contextlib.suppress(FileNotFoundError):  # another build may tidy up at the same time
            if time.time() - old.stat().st_mtime > DAY:  # younger ones may be another build's
                old.unlink()
    return {s: (kept | executed)[s] for s in sources}


def environment():
    digest = hashlib.sha256(sys.version.encode())
    for name in VERSIONS:
        digest.update(f"{name}={version(name)}\n".encode())
    for path in [Path(__file__), *sorted((ROOT / "src").rglob("*.py"))]:
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.digest()


def key(shared, source):
    text = source.read_bytes()
    used = [path.read_bytes() for said, paths in USED.items() if said in text for path in paths]
    return hashlib.sha256(b"\0".join([shared, text, *used])).hexdigest()[:16]


async def execute_all(sources, targets):
    """Run every lesson even if one fails: the others are then done, and all failures are reported at once. Return each
    notebook, whatever another build does to the files.

    A lesson with `slow: true` in its header is begun before the others: at the end no core shall wait for the last one.
    """
    log.info("Executing %d lessons, %d at a time", len(sources), WORKERS)
    gate, start, done = asyncio.Semaphore(WORKERS), time.monotonic(), []

    async def one(source):
        async with gate:
            log.info("Executing %s", source.name)
            notebook = await execute_one(source)
        done.append(source)
        left, seconds = len(sources) - len(done), time.monotonic() - start
        log.info("Executed %s: %d left, %.0f s so far", source.name, left, seconds)
        part = targets[source].with_suffix(f".{os.getpid()}.part")
        text = json.dumps(notebook)
        part.write_text(text, encoding="utf-8")
        part.replace(targets[source])
        return json.loads(text)

    sources = sorted(sources, key=lambda s: not re.search(r"^# slow: true$", s.read_text(encoding="utf-8"), re.M))
    results = await asyncio.gather(*map(one, sources), return_exceptions=True)
    failures = [r for r in results if isinstance(r, BaseException)]
    if unexpected := [f for f in failures if not isinstance(f, PluginError)]:
        raise unexpected[0]
    if failures:
        raise PluginError("\n\n".join(map(str, failures)))
    return dict(zip(sources, results, strict=True))


async def execute_one(source):
    import jupytext  # slow to import, and not needed when all results are cached
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    name = source.relative_to(ROOT).as_posix()
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
        raise PluginError(
            f"{name} ran for more than {TIMEOUT} seconds and was stopped, {in_cell(running['cell'])}."
        ) from None
    except CellExecutionError as error:
        raise PluginError(f"{name}: a cell failed.\n{plain(str(error))}") from None
    except DeadKernelError:
        where = in_cell(running["cell"]) if running else "before its first cell"
        raise PluginError(f"{name}: Python itself died (out of memory, or a crash in a library), {where}.") from None
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
            raise PluginError(f"{where}: a lesson may not print to stderr.\n{plain(output.text)}")
    text = output.get("text", "") + output.get("data", {}).get("text/plain", "")
    if address := re.search(r"\bat 0x[0-9a-f]+", text):
        raise PluginError(f"{where}: the output shows a memory address ({address[0]}), which changes on every run.")
    if "image/svg+xml" in output.get("data", {}):
        svg = output.data["image/svg+xml"]
        output.data["image/svg+xml"] = re.sub(
            r"<\?xml.*?\?>|<!DOCTYPE[^>]*>|<metadata>.*?</metadata>", "", svg, flags=re.S
        ).strip()
