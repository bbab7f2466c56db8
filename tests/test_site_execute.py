"""The program that executes the lessons: those that hang or die, what is kept, and what is shown meanwhile."""

import asyncio
import json
import re
import sys
from pathlib import Path

import pytest
from markdown.extensions.toc import slugify

HOOKS = Path(__file__).parents[1] / "docs" / "_site"
with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(HOOKS), *sys.path])
    import execute
    import waiting


@pytest.fixture
def lesson(tmp_path, monkeypatch):
    """Return a function that writes a lesson of a project of its own."""
    monkeypatch.setattr(execute, "DOCS", tmp_path / "docs")
    monkeypatch.setattr(execute, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(execute, "STYLE", "pass")
    monkeypatch.setattr(execute.trained, "digest_of", lambda libraries, programs: "")

    def write(name, text):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# %%\n{text}\n", encoding="utf-8")
        return path

    return write


STUBBORN = "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(600)"


def test_a_lesson_that_hangs_is_stopped_by_name_and_the_others_are_done(lesson, monkeypatch):
    monkeypatch.setattr(execute, "TIMEOUT", 4)
    lessons = [lesson("hangs.py", STUBBORN), lesson("good.py", "1 + 1")]
    with pytest.raises(execute.LessonError) as caught:
        execute.execute(lessons)
    assert str(caught.value) == (
        "docs/hangs.py ran for more than 4 seconds and was stopped, in the cell that begins with 'import signal, time'."
    )
    assert [path.name for path in sorted(execute.NOTEBOOKS.iterdir())] == ["good.ipynb", "hangs.failed"]


def test_a_lesson_that_kills_python_is_named(lesson):
    with pytest.raises(
        execute.LessonError, match=r"^docs/dies.py: Python itself died .* begins with 'import os; os._exit\(1\)'\.$"
    ):
        execute.execute([lesson("dies.py", "import os; os._exit(1)")])


def test_a_lesson_is_executed_once_and_anew_when_it_changes(lesson, monkeypatch):
    runs, run = [], execute.execute_one

    async def counted(source):
        runs.append(source.name)
        return await run(source)

    monkeypatch.setattr(execute, "execute_one", counted)
    good, other = lesson("learn/good.py", "1 + 1"), lesson("other.py", "2 + 2")
    first = execute.execute([good, other])
    assert execute.execute([good, other]) == first
    assert sorted(runs) == ["good.py", "other.py"]
    lesson("learn/good.py", "1 + 2")
    second = execute.execute([good, other])
    assert runs[2:] == ["good.py"]
    assert second[other] == first[other]
    assert [second[good]["cells"][0]["outputs"][0]["data"]["text/plain"]] == ["3"]
    execute.path_of(other).write_text("half", encoding="utf-8")  # a disk was full, say
    assert execute.execute([good, other]) == second


def test_a_lesson_that_is_edited_while_it_is_executed_is_executed_again(lesson):
    edits = (
        'from pathlib import Path\npath = Path("edited.py")\n_ = path.write_text(path.read_text() + "1 + 2\\n")\n1 + 1'
    )
    edited = lesson("edited.py", edits)
    (first,) = execute.execute([edited]).values()
    assert first["cells"][0]["outputs"][0]["data"]["text/plain"] == "2"
    assert execute.kept(edited, *execute.keys_of([edited]).values()) is None
    (second,) = execute.execute([edited]).values()
    assert second["cells"][0]["outputs"][0]["data"]["text/plain"] == "3"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("1 / 0", "a cell failed"),
        ("import sys; print('oh', file=sys.stderr)", "may not print to stderr"),
        ("object()", "shows a memory address"),
        ("from IPython.display import Image; Image(b'', format='png')", "only SVG can follow the theme"),
        ("from IPython.display import SVG; SVG('<svg/>')", "has no alt text"),
        ("from IPython.display import display; display({'a/b': '1'}, raw=True)", "there is no way to show"),
    ],
)
def test_what_must_not_be_published_is_refused_and_remembered(lesson, code, words):
    bad = lesson("bad.py", code)
    with pytest.raises(execute.LessonError, match=words):
        execute.execute([bad])
    (key,) = execute.keys_of([bad]).values()
    assert words in execute.failure(bad, key)
    assert execute.failure(bad, "another") is None
    lesson("bad.py", "1")
    execute.execute([bad])
    assert not list(execute.NOTEBOOKS.glob("*.failed"))


def test_one_worker_trains_and_the_other_executes_the_slow_lessons_first_and_none_before_its_model(lesson, monkeypatch):
    order, lasts_until = [], {"m": "b.py", "b.py": "m is trained", "n": "e.py"}

    async def last(name):
        order.append(name)
        while lasts_until.get(name) not in (None, *order):
            await asyncio.sleep(0)

    async def run_training(name):
        await last(name)
        order.append(f"{name} is trained")

    async def execute_one(source):
        await last(source.name)
        return {"metadata": {}}

    monkeypatch.setattr(execute, "run_training", run_training)
    monkeypatch.setattr(execute, "execute_one", execute_one)
    texts = {"a.py": 'trained.load("n")', "b.py": "1", "c.py": "2", "d.py": "# ---\n# slow: true\n# ---"}
    texts["e.py"] = 'trained.load("m")'
    execute.execute([lesson(name, text) for name, text in texts.items()])
    assert order == ["m", "d.py", "b.py", "m is trained", "n", "c.py", "e.py", "n is trained", "a.py"]


def test_a_model_that_cannot_be_trained_is_named(lesson, monkeypatch, tmp_path):
    monkeypatch.setattr(execute, "ROOT", tmp_path)
    with pytest.raises(execute.LessonError, match="The model 'no-such' can't be trained"):
        execute.execute([lesson("a.py", '# trained.load("no-such")')])


# While the site is served


def test_a_page_does_not_wait_for_its_lesson(lesson, monkeypatch):
    started = []
    monkeypatch.setattr(waiting.subprocess, "Popen", lambda command: started.append(command) or Running())
    done, slow, bad = lesson("done.py", "1"), lesson("slow.py", "x = 1\nx"), lesson("bad.py", "1 / 0")
    quiet = lesson("quiet.py", "x = 1")
    execute.execute([done])
    with pytest.raises(execute.LessonError):
        execute.execute([bad])
    pages = waiting.Waiting()
    for _ in range(2):  # the second build begins nothing anew
        found = pages.notebooks([done, slow, bad, quiet])
        assert found[done] == execute.execute([done])[done]
        (output,) = found[slow]["cells"][0]["outputs"]
        assert "will stand here" in output["data"]["text/html"]
        assert found[quiet]["cells"][0]["outputs"] == []
        assert json.loads(pages.path_of(slow).read_text(encoding="utf-8")) == found[slow]
        assert pages.says(done) is None
        assert "being executed: 0 of 2 are done." in pages.says(slow)
        assert "can't be executed" in pages.says(bad)
        assert "ZeroDivisionError" in pages.says(bad)
    (command,) = started
    assert command[1:] == [execute.__file__, slow, quiet]
    execute.execute([slow])
    pages.notebooks([done, slow, bad, quiet])
    assert pages.says(slow) is None
    assert re.search(r"1 of 2 are done, about \d\.\d min to go\.", pages.says(quiet))


class Running:
    ended = None

    def poll(self):
        return self.ended

    def terminate(self):
        self.ended = -15


def test_one_process_executes_a_lesson(lesson, monkeypatch):
    """If all lessons of a process have changed, it ends; else it goes on, and what is new has a process of its own."""
    runs, commands = [], []

    def begin(command):
        runs.append(Running())
        commands.append([path.name for path in command[2:]])
        return runs[-1]

    monkeypatch.setattr(waiting.subprocess, "Popen", begin)
    pages, a, b = waiting.Waiting(), lesson("a.py", "1"), lesson("b.py", "2")
    pages.notebooks([a, b])
    lesson("a.py", "3")
    pages.notebooks([a, b])
    assert commands == [["a.py", "b.py"], ["a.py"]]
    assert [run.ended for run in runs] == [None, None]
    assert "0 of 1 are done" in pages.says(a)
    assert "0 of 2 are done" in pages.says(b)
    lesson("a.py", "4")
    lesson("b.py", "5")
    pages.notebooks([a, b])
    assert commands[2:] == [["a.py", "b.py"]]
    assert [run.ended for run in runs] == [-15, -15, None]
    runs[-1].ended = 0
    assert "will be executed" in pages.says(a)


def test_the_time_left_is_said_when_enough_is_done_to_tell():
    assert execute.to_go(60, 1, 20) == ""
    assert execute.to_go(120, 10, 10) == ", about 2.0 min to go"
    assert execute.to_go(120, 10, 0) == ""


def anchors(page):
    """Return the places of a page that is not yet executed: those of its text, and none of its outputs."""
    cells = re.split(r"^# %%", page.read_text(encoding="utf-8"), flags=re.M)
    text = "\n".join(re.sub("^# ?", "", cell, flags=re.M) for cell in cells if cell.startswith(" [markdown]"))
    named = re.findall(r'\{[^}\n]*#([\w-]+)[^}\n]*\}|\bid="([\w-]+)"', text)
    titles = [re.sub(r"\{.*\}|[`*$]", "", title).strip() for title in re.findall("^#{1,6} (.*)$", text, re.M)]
    return {name for pair in named for name in pair} | {slugify(title, "-") for title in titles}


def test_links_lead_to_places_that_are_there_before_a_lesson_is_executed():
    docs = HOOKS.parent
    pages = [path for path in (*docs.rglob("*.md"), *docs.rglob("*.py")) if HOOKS not in path.parents]
    links = [
        (path, path.parent / link, anchor)
        for path in pages
        for link, anchor in re.findall(r"\]\(([\w./-]+\.py)#([\w-]+)\)", path.read_text(encoding="utf-8"))
    ]
    assert len(links) > 100
    assert [(path.name, to.name, anchor) for path, to, anchor in links if anchor not in anchors(to)] == []
