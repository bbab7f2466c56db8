"""What a whole process takes: imports, and the site built cold and warm."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORT = "; ".join(
    ["import time, tensorflow, keras", "start = time.perf_counter()", "import {}", "print(time.perf_counter() - start)"]
)


def imports(repeats):
    """Return the seconds of `import clear_attention` above those of TensorFlow and Keras, and of TensorFlow alone."""
    above, whole = [], []
    for _ in range(repeats):
        above.append(float(python(IMPORT.format("clear_attention"))))
        start = time.perf_counter()
        python("import tensorflow")
        whole.append(time.perf_counter() - start)
    return {"import tensorflow": statistics.median(whole), "import clear_attention": statistics.median(above)}


def python(code):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()[-1] if done.stdout else ""


def site():
    """Return the seconds of a build that executes every lesson, and of one that finds all results; the kept stay."""
    lessons, kept = ROOT / ".cache/notebooks", ROOT / ".cache/notebooks.kept"
    if lessons.exists():
        lessons.rename(kept)
    try:
        return {"site, cold": build(), "site, warm": build()}
    finally:
        if kept.exists():
            shutil.rmtree(lessons, ignore_errors=True)
            kept.rename(lessons)


def build():
    start = time.perf_counter()
    done = subprocess.run(
        ["make", "site", "TF_ENABLE_ONEDNN_OPTS=0"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"The site could not be built:\n{done.stdout[-1000:]}{done.stderr[-3000:]}")
    return time.perf_counter() - start
