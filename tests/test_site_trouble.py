"""Builds under bad conditions: lessons that hang or die, a build that is killed, two at once, a disk that is full."""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mkdocs.exceptions import PluginError

HOOKS = Path(__file__).parents[1] / "docs" / "_site"
with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(HOOKS), *sys.path])
    import execute

# Lessons


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """Return a function that writes a lesson of a project of its own."""
    monkeypatch.setattr(execute, "ROOT", tmp_path)
    monkeypatch.setattr(execute, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(execute, "STYLE", "pass")
    monkeypatch.setattr(execute, "environment", bytes)

    def write(name, text):
        path = tmp_path / name
        path.write_text(f"# %%\n{text}\n", encoding="utf-8")
        return path

    return write


STUBBORN = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(600)"


def test_a_lesson_that_hangs_is_stopped_by_name_and_the_others_are_done(lesson, monkeypatch):
    monkeypatch.setattr(execute, "TIMEOUT", 4)
    lessons = [lesson("hangs.py", STUBBORN), lesson("good.py", "1 + 1")]
    with pytest.raises(PluginError) as caught:
        execute.execute(lessons)
    assert str(caught.value) == (
        "hangs.py ran for more than 4 seconds and was stopped, in the cell that begins with 'import signal, time'."
    )
    (kept,) = execute.CACHE.iterdir()
    assert kept.name.startswith("good-")


def test_a_lesson_that_kills_python_is_named(lesson):
    with pytest.raises(PluginError, match=r"^dies.py: Python itself died .* begins with 'import os; os._exit\(1\)'\.$"):
        execute.execute([lesson("dies.py", "import os; os._exit(1)")])


def test_what_another_build_deletes_or_leaves_behind_does_no_harm(lesson, monkeypatch):
    good = lesson("good.py", "1 + 1")
    first = execute.execute([good])
    (kept,) = execute.CACHE.iterdir()
    for name in ("good-of-another-build.json", "good.7.part"):
        (execute.CACHE / name).write_text("half", encoding="utf-8")
        os.utime(execute.CACHE / name, (time.time() - execute.DAY - 1,) * 2)
    (execute.CACHE / "young.8.part").write_text("half", encoding="utf-8")
    run = execute.execute_one

    async def other_build_tidies_up(source):
        kept.unlink(missing_ok=True)
        return await run(source)

    monkeypatch.setattr(execute, "execute_one", other_build_tidies_up)
    second = execute.execute([good, lesson("other.py", "2 + 2")])
    assert second[good] == first[good]
    assert [notebook["cells"][0]["source"] for notebook in second.values()] == ["1 + 1", "2 + 2"]
    assert sorted(p.name.partition("-")[0] for p in execute.CACHE.iterdir()) == ["other", "young.8.part"]


# Sites

SLOW = """
import pathlib, time
def on_post_build(config):
    pathlib.Path("started").touch()
    while not pathlib.Path("go").exists():
        time.sleep(0.02)
"""


@pytest.fixture
def project(tmp_path):
    """Make a small project with our way to build it; return a function that starts a build."""
    folder = tmp_path / "docs" / "_site"
    folder.mkdir(parents=True)
    for name in ("build.py", "trouble.py"):
        shutil.copy(HOOKS / name, folder)
    (folder / "slow.py").write_text(SLOW, encoding="utf-8")
    (tmp_path / "docs" / "index.md").write_text("first", encoding="utf-8")
    hooks = "[docs/_site/trouble.py, docs/_site/slow.py]"
    config = f"site_name: S\nsite_url: http://s/\nplugins: []\nexclude_docs: _site/\nhooks: {hooks}\n"
    (tmp_path / "mkdocs.yml").write_text(config, encoding="utf-8")
    (tmp_path / "go").touch()

    def build(**options):
        command = [sys.executable, "docs/_site/build.py", "site"]
        measured = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
        environment = {**measured, "NO_MKDOCS_2_WARNING": "1"}  # a killed process would leave half a file of coverage
        return subprocess.Popen(command, cwd=tmp_path, env=environment, **options)

    assert build().wait(60) == 0
    (tmp_path / "docs" / "index.md").write_text("second", encoding="utf-8")
    build.folder = tmp_path
    return build


def text_of(folder):
    return (folder / "site" / "index.html").read_text(encoding="utf-8")


def wait_for(path):
    end = time.monotonic() + 60
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert path.exists()


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_build_that_is_killed_leaves_the_last_good_site(project, by):
    folder = project.folder
    for name in ("go", "started"):
        (folder / name).unlink(missing_ok=True)
    build = project(start_new_session=True)
    wait_for(folder / "started")
    os.killpg(build.pid, by) if by == signal.SIGKILL else build.send_signal(by)
    assert build.wait(60) != 0
    assert "first" in text_of(folder)
    left = list(folder.glob("site.*"))
    assert len(left) == (by == signal.SIGKILL)
    (folder / "go").touch()
    assert project().wait(60) == 0
    assert "second" in text_of(folder)
    assert not list(folder.glob("site.*"))


def test_a_build_killed_while_it_exchanges_folders_loses_nothing(project):
    folder = project.folder
    (folder / "site").rename(folder / "site.old")  # the first of two steps
    (folder / "docs" / "index.md").write_text("[dead](dead.md)", encoding="utf-8")
    assert project().wait(60) == 1
    assert "first" in text_of(folder)


def test_builds_at_once_all_end_well(project):
    builds = [project() for _ in range(4)]
    assert [build.wait(120) for build in builds] == [0] * 4
    assert "second" in text_of(project.folder)
    assert not list((project.folder / "site").glob("site.*.*[0-9]"))  # no folder has come into another
    assert not list(project.folder.glob("site.*"))


def test_a_full_disk_gets_a_sentence(project):
    def almost_full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}  # the limit is for files
    with project(preexec_fn=almost_full, **pipes) as build:
        said = build.stdout.read()
    assert build.returncode == 1
    assert "Expected: room on the disk and the right to write there. Received: File too large" in said
    assert "Traceback" not in said
    assert "first" in text_of(project.folder)
