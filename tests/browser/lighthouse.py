"""Measure the built site with Lighthouse, compressed as hosts serve it: `make lighthouse` (needs Node.js)."""

import functools
import gzip
import io
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SITE = Path(__file__).parents[2] / "site"
PAGES = ("/", "/learn/masks/", "/lab/", "/machine/")
VERSION = "13.5.0"
RUNS = 5
FLAGS = "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
WANTED = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 100}
TEXT = (".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", "/")


class Compressed(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # a connection serves more than one file, as everywhere

    def log_message(self, *args):
        pass

    def send_head(self):
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.exists() or not self.path.split("?")[0].endswith(TEXT):
            return super().send_head()
        body = gzip.compress(path.read_bytes(), 6)
        self.send_response(200)
        self.send_header("Content-Type", f"{self.guess_type(path)}; charset=utf-8")
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")  # as GitHub Pages does
        self.end_headers()
        return io.BytesIO(body)


def scores(url, form):
    """Return the scores of a page, in per cent, the median of some runs, since they vary; and what cost points."""
    runs = [run(url, form) for _ in range(RUNS)]
    found = {name: statistics.median(scores[name] for scores, _ in runs) for name in WANTED}
    return found, sorted({reason for _, lost in runs for reason in lost})


def run(url, form):
    command = ["npx", "--yes", f"lighthouse@{VERSION}", url, "--output=json", "--quiet", f"--chrome-flags={FLAGS}"]
    command += ["--preset=desktop"] if form == "desktop" else []
    report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    categories = report["categories"]
    lost = [
        f"{name}: {report['audits'][ref['id']]['title']}"
        for name, category in categories.items()
        for ref in category["auditRefs"]
        if ref["weight"]
        and (report["audits"][ref["id"]]["score"] or 0) < 0.9
        and report["audits"][ref["id"]]["scoreDisplayMode"] in ("binary", "numeric", "metricSavings")
    ]
    return {name: round(100 * categories[name]["score"]) for name in WANTED}, lost


def main():
    if not shutil.which("npx"):
        sys.exit("make lighthouse needs Node.js, which brings npx.")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        sys.exit("make lighthouse needs Chromium: apt-get install -y chromium")
    os.environ.setdefault("CHROME_PATH", chromium)
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Compressed, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    missed = 0
    for page in PAGES:
        for form in ("mobile", "desktop"):
            found, lost = scores(f"http://127.0.0.1:{server.server_port}{page}", form)
            missed += any(found[name] < wanted for name, wanted in WANTED.items())
            print(f"{page:16} {form:8}", ", ".join(f"{name} {score}" for name, score in found.items()), flush=True)
            for reason in lost:
                print("    lost:", reason)
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
