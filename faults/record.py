"""Keep what a check found, with its date, commit and versions, in faults/results.json.

`python -m faults.record coverage` and `... oldest` read what pytest has left in .cache.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "faults" / "results.json"
PACKAGES = ("tensorflow", "keras", "numpy", "matplotlib")


def record(name, **found):
    """Replace what the last run of a check found."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results[name] = facts() | found
    part = RESULTS.with_suffix(".part")
    part.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    part.replace(RESULTS)
    print(f"Kept in {RESULTS.relative_to(ROOT)}; the page about/tests shows it")


def facts():
    """Say when a check was run, and with what."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "commit": commit.stdout.strip(),
        "cores": os.cpu_count(),
        "versions": {"python": platform.python_version(), **{package: version(package) for package in PACKAGES}},
    }


def coverage():
    found = json.loads((ROOT / ".cache" / "coverage.json").read_text(encoding="utf-8"))
    modules = {
        Path(path).relative_to("src").with_suffix("").as_posix(): [file["summary"][key] for key in COUNTED]
        for path, file in found["files"].items()
        if file["summary"]["num_statements"]
    }
    return {"modules": modules, "total": [found["totals"][key] for key in COUNTED]}


COUNTED = ("covered_lines", "num_statements", "covered_branches", "num_branches")


def oldest():
    (suite,) = ET.parse(ROOT / ".cache" / "oldest.xml").getroot().iter("testsuite")
    return {key: int(suite.get(key)) for key in ("tests", "failures", "errors", "skipped")}


if __name__ == "__main__":
    record(sys.argv[1], **{"coverage": coverage, "oldest": oldest}[sys.argv[1]]())
