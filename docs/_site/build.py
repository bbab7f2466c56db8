"""Build the site beside the last good one, and put it in its place when it is done: `make site`.

A build that fails or is killed leaves the last good site as it was. Builds at the same time each have a folder of their
own, and take turns to put it in place.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main(site):
    new = site.with_name(f"{site.name}.new.{os.getpid()}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was begun is deleted then, too
    try:
        with alone():
            tidy(site)
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(new)]
        if code := subprocess.run(command, cwd=ROOT).returncode:
            sys.exit(code)
        with alone():
            put_in_place(new, site)
    except OSError as error:
        sys.exit(
            f"The site can't be put in place. Received: {error.strerror} at {error.filename}. {site} is as it was."
        )
    except KeyboardInterrupt:
        sys.exit(130)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    print(f"The site is in {os.path.relpath(site / 'index.html')}")


@contextlib.contextmanager
def alone():
    """Keep other builds away."""
    lock = ROOT / ".cache" / "site.lock"
    lock.parent.mkdir(exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def tidy(site):
    """Mend what builds left behind that were killed."""
    if not site.exists() and folder_of_old(site).exists():
        folder_of_old(site).rename(site)  # between the two steps of put_in_place
    shutil.rmtree(folder_of_old(site), ignore_errors=True)
    for left in site.parent.glob(f"{site.name}.new.*"):
        if not is_running(int(left.suffix[1:])):
            shutil.rmtree(left, ignore_errors=True)


def put_in_place(new, site):
    """Exchange two folders, for which not every system has one step."""
    if site.exists():
        site.rename(folder_of_old(site))
    new.rename(site)
    shutil.rmtree(folder_of_old(site), ignore_errors=True)


def folder_of_old(site):
    return site.with_name(f"{site.name}.old")


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
