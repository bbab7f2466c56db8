"""Measure what it costs to train a language model on your own text: `make bench-language-model`.

Two sizes are trained by `examples.train_language_model` on the modules that come with Python, each twice, in turns. The
quicker run of each is kept in benchmarks/language_model.json, which the guide shows.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.machine import facts, keep

RESULTS = Path(__file__).with_name("language_model.json")
SIZES = {
    "small": {"layers": 4, "d-model": 128, "heads": 4, "rate": 3e-3, "steps": 600},
    "larger": {"layers": 6, "d-model": 256, "heads": 8, "rate": 1e-3, "steps": 150},
}
TURNS = 2
PATTERNS = {
    "parameters": r"^model: ([\d,]+) numbers",
    "held_out_bits": r"^step \d+: ([\d.]+) bits a byte on",
    "held_out_bytes": r"^step \d+: [\d.]+ bits a byte on ([\d,]+)",
    "text_bytes": r"^text: [\d,]+ files, ([\d,]+) bytes",
}


def copy_modules(folder):
    """Copy Python's own modules, without what was installed later."""
    later = shutil.ignore_patterns("site-packages", "__pycache__", "*.so", "*.pyc")
    return shutil.copytree(Path(os.__file__).parent, folder, ignore=later)


def train(text, folder, size):
    """Train one model; return what it said and took."""
    options = [f"--{name}={value}" for name, value in size.items()]
    options += ["--kinds", "*.py", "--report-every", "20", "--sample-every", "10000", "--measure-every", "10000"]
    command = [sys.executable, "-m", "examples.train_language_model", "--text", text, "--folder", folder, *options]
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"The training ended with {status}: {said}")
    numbers = {name: re.findall(pattern, said, re.MULTILINE)[-1] for name, pattern in PATTERNS.items()}
    found = {name: float(text.replace(",", "")) for name, text in numbers.items()}
    speeds = [float(text.replace(",", "")) for text in re.findall(r"([\d,]+) tokens a second", said)]
    seconds = re.search(r"^Done in (.*):", said, re.MULTILINE)[1]
    sample = (folder / "MODEL_CARD.md").read_text().partition("not chosen\n\n")[2]
    found |= {"tokens_per_second": statistics.median(speeds), "time": seconds, "sample": sample}
    return size | found | {"memory_megabytes": round(usage.ru_maxrss / 1024)}


def main():
    found = facts(("tensorflow", "keras"))
    with tempfile.TemporaryDirectory() as folder:
        text = copy_modules(Path(folder, "text"))
        turns = {name: [] for name in SIZES}
        for turn in range(TURNS):
            for name, size in SIZES.items():
                run = train(text, Path(folder, f"{name}-{turn}"), size)
                print(f"{name}: {run['tokens_per_second']:,.0f} tokens a second, {run['time']}", flush=True)
                turns[name].append(run)
    for name, runs in turns.items():
        found[name] = max(runs, key=lambda run: run["tokens_per_second"])
    keep(found, RESULTS, "the guide")


if __name__ == "__main__":
    main()
