"""The hooks that tell the site's facts: reading time, dates, the list for programs, the card; and the templates."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import jinja2
import numpy as np
import pytest
import yaml
from mkdocs.exceptions import PluginError
from mkdocs.utils.templates import url_filter

ROOT = Path(__file__).parents[1]
HOOKS = ROOT / "docs" / "_site"
with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(HOOKS), *sys.path])
    import card
    import execute
    import llms
    import page_facts
    import plain
    import search


def page(src_uri="learn/a.py", **facts):
    url = "" if src_uri == "index.py" else src_uri.rsplit(".", 1)[0] + "/"
    file = SimpleNamespace(src_uri=src_uri, url=url or "./", notebook=None)
    plain = {"title": "A", "meta": {}, "content": "", "markdown": "", "update_date": "2030-01-01", "url": url}
    plain |= {"is_page": True, "is_section": False, "is_homepage": not url, "canonical_url": f"https://a.org/b/{url}"}
    return SimpleNamespace(**plain | {"file": file} | facts)


class TestReadingTime:
    def test_counts_words_and_not_code_formulas_or_pictures(self):
        text = "<h1>It doesn't <code>mask</code></h1><p>or so<svg><text>no</text></svg> look-ahead</p>" + "word " * 323
        hidden = "<pre>x = <b>1</b></pre><math><mi>n</mi></math><script>1 + 1</script>" * 100
        assert page_facts.reading_time(text + hidden) == "about 1 minute"  # 329 words
        assert page_facts.reading_time(f"{text} and more{hidden}") == "about 2 minutes"  # 331

    def test_what_is_folded_is_not_counted_but_what_there_is_to_do_is(self):
        text = "word " * 440
        fold = f"<details><summary>More</summary>{text}<details>{text}</details> {text}</details>"
        assert page_facts.reading_time(text + fold) == "about 2 minutes"
        pieces = '<lesson-piece piece="bet"></lesson-piece><date-machine></date-machine>'
        exercises = '<h3 id="exercise-1">E</h3><h3 id="exercise-2">E</h3>'
        questions = '<page-exercise></page-exercise><details><p class="sc-question">Q</p></details>'
        for more, minutes in ((pieces, 10), (pieces + exercises, 20), (pieces + exercises + 4 * questions, 30)):
            told = page_facts.reading_time(text + more + fold)
            assert told == f"about 2 minutes, and {minutes} with all there is to do"

    @pytest.mark.parametrize(
        ("count", "text"), [(1, "about 1 minute"), (440, "about 2 minutes"), (1540, "about 7 minutes")]
    )
    def test_is_said_in_words(self, count, text):
        assert page_facts.reading_time("<p>" + "word " * count + "</p>") == text


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a repository of two commits on two days; history() looks into it, or into what ROOT is set to."""
    for name in [n for n in os.environ if n.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    place = tmp_path / "project"
    for number, day in enumerate(("2024-03-01T23:30:00-05:00", "2025-01-02T12:00:00+00:00")):
        for name in ("docs/learn/a.py", "docs/reference/m.md") if number == 0 else ("src/clear_attention/m.py",):
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(name)
        run = ["git", "-C", str(place), "-c", "user.name=a", "-c", "user.email=a@example.org"]
        if number == 0:
            subprocess.run([*run, "init", "--quiet"], check=True)
        subprocess.run([*run, "add", "."], check=True)
        dates = {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day}
        subprocess.run([*run, "commit", "--quiet", "--message", "."], check=True, env={**os.environ, **dates})
    monkeypatch.setattr(page_facts, "ROOT", place)
    page_facts.history.cache_clear()
    yield place
    page_facts.history.cache_clear()


class TestDates:
    def test_are_those_of_the_last_commit_in_utc(self, project):
        dates = page_facts.history()
        assert dates["docs/learn/a.py"] == "2024-03-02"  # half past eleven at night, five hours west of Greenwich
        assert page_facts.changed("learn/a.py", dates, "2030-01-01") == "2024-03-02"

    def test_a_reference_page_changes_with_its_module(self, project):
        assert page_facts.changed("reference/m.md", page_facts.history(), "2030-01-01") == "2025-01-02"

    def test_a_file_without_a_commit_has_the_date_of_the_build(self, project):
        assert page_facts.changed("learn/new.py", page_facts.history(), "2030-01-01") == "2030-01-01"

    def test_the_latest_commit_counts_whatever_the_order(self):
        assert page_facts.newest("@86400\na\n\n@259200\na\nb c\n@0\na\n") == {"a": "1970-01-04", "b c": "1970-01-04"}

    def test_a_shallow_clone_says_nothing(self, project, monkeypatch):
        clone = project.with_name("clone")
        subprocess.run(["git", "clone", "--quiet", "--depth=1", project.as_uri(), clone], check=True)
        monkeypatch.setattr(page_facts, "ROOT", clone)
        assert page_facts.history() is None
        shown = page()
        page_facts.add_facts("<p>word</p>", shown)
        assert shown.meta == {"reading_time": "about 1 minute"}
        url = "<url>\n  <loc>x</loc>\n  <lastmod>2030-01-01</lastmod>\n</url>"
        assert page_facts.without_dates(url) == "<url>\n  <loc>x</loc>\n</url>"

    def test_without_git_the_build_counts(self, project, monkeypatch):
        monkeypatch.setenv("PATH", "")
        assert page_facts.history() == {}

    def test_lessons_and_guides_show_them_and_the_sitemap_gets_them(self, project):
        lesson, home = page(), page("index.py")
        for each in (lesson, home):
            page_facts.add_facts("<p>word</p>", each)
        assert lesson.update_date == "2024-03-02"
        assert lesson.meta["changed"] == {"iso": "2024-03-02", "words": "2 March 2024"}
        assert home.meta == {}


class TestLlms:
    def nav(self):
        deep = SimpleNamespace(is_page=False, is_section=True, title="Deep", children=[page("guides/deep.py")])
        pages = [page(meta={"description": "What\nit is."}), page("reference/m.md", content=REFERENCE), deep]
        section = SimpleNamespace(is_page=False, is_section=True, title="Learn", children=pages)
        return SimpleNamespace(items=[page("index.py", title="Home &amp; <b>more</b>"), section])

    def test_overview_follows_the_convention(self):
        config = SimpleNamespace(site_name="name", site_description="Sentence.", site_url="https://a.org/b/")
        assert llms.overview(self.nav(), config) == OVERVIEW

    def test_a_lesson_is_what_readers_see(self):
        lesson = page()
        lesson.file.executed = {"cells": LESSON}
        assert llms.page_text(lesson, "https://a.org/b/".__add__) == TEXT

    def test_a_page_of_markdown_has_its_drawings_described(self):
        written = page("guides/a.md")
        written.file.content_string = '---\ntitle: A\n---\n--8<-- "diagrams/shift.svg"\n'
        text = llms.page_text(written, str)
        assert re.search(r"\A\S+ \S+\n\n\(Drawing: [^<>]{20,}\)\Z", text)

    def test_a_table_becomes_rows(self):
        table = "<caption>C</caption><tr><th>a</th><th>b</th></tr><tr><td>1</td> <td>&lt;2</td></tr>"
        assert plain.rows(f"<div><table>{table}</table></div>") == "C\na | b\n1 | <2"

    def test_is_written_in_one_go(self, tmp_path):
        execute.write(tmp_path / "new" / "llms.txt", "é\n")
        assert [p.name for p in (tmp_path / "new").iterdir()] == ["llms.txt"]
        assert (tmp_path / "new" / "llms.txt").read_bytes() == "é\n".encode()


class TestCard:
    def test_weights_are_causal_and_those_of_the_home_page(self):
        weights = card.causal_weights()
        np.testing.assert_allclose(weights.sum(axis=1), 1)
        assert (np.triu(weights, 1) == 0).all()
        home = (ROOT / "docs" / "index.py").read_text(encoding="utf-8")
        assert "np.random.default_rng(3).normal(size=(4, 8))" in home
        assert 'tokens=["the", "cat", "sat", "down"]' in home

    def test_has_its_size_no_date_and_the_same_bytes_each_time(self):
        png = card.picture("name", "A sentence.")
        assert (int.from_bytes(png[16:20]), int.from_bytes(png[20:24])) == card.SIZE == (1200, 630)
        assert not re.search(rb"tIME|tEXt|iTXt|zTXt|Software", png)
        card.picture.cache_clear()
        assert card.picture("name", "A sentence.") == png

    def test_does_not_import_tensorflow(self):
        code = "import sys, card; card.causal_weights(); sys.exit('tensorflow' in sys.modules)"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=HOOKS)

    @pytest.mark.parametrize(("weight", "text"), [(0, "0"), (1, "1"), (0.001, "<.01"), (0.999, ">.99"), (0.25, "0.25")])
    def test_no_weight_is_rounded_to_none_or_all(self, weight, text):
        assert card.short(weight) == text


class TestTemplates:
    """Our templates, on a base that has no more than their blocks."""

    def render(self, name, page, base_url, urls=()):
        base = "{% block htmltitle %}{% endblock %}{% block extrahead %}{% endblock %}"
        base += "{% block content %}<h1>A</h1><p>text</p><h1>B</h1>{% endblock %}"
        ours = jinja2.FileSystemLoader(HOOKS / "theme")
        env = jinja2.Environment(loader=jinja2.ChoiceLoader([ours, jinja2.DictLoader({"base.html": base})]))
        env.filters["url"] = url_filter
        config = SimpleNamespace(site_name="name", site_description="Sentence.", site_url="https://a.org/b/")
        config.extra = {"card": card.facts(config)}
        pages = [SimpleNamespace(url=url) for url in urls]
        return env.get_template(name).render(page=page, config=config, base_url=base_url, pages=pages)

    def test_a_page_says_what_a_link_to_it_shows(self):
        html = self.render("main.html", page(meta={"title": 'A "b" & c', "description": "<x>"}), "../..")
        assert '<meta property="og:title" content="A &#34;b&#34; &amp; c">' in html
        assert '<meta property="og:description" content="&lt;x&gt;">' in html
        assert '<meta property="og:image" content="https://a.org/b/assets/card.png">' in html
        assert '<meta name="twitter:card" content="summary_large_image">' in html
        assert "page-facts" not in html

    def test_the_facts_stand_under_the_first_title(self):
        meta = {"reading_time": "about 2 minutes", "changed": {"iso": "2024-03-02", "words": "2 March 2024"}}
        html = self.render("main.html", page(meta=meta), "../..")
        line = 'To read: about 2 minutes · changed <time datetime="2024-03-02">2 March 2024</time></p>'
        assert re.sub(r"\s*\n\s*", "", html).count(f'<h1>A</h1><p class="page-facts">{line}') == 1
        assert html.count("page-facts") == 1
        assert "<time" not in self.render("main.html", page(meta={"reading_time": "about 1 minute"}), "../..")

    @pytest.mark.parametrize("base", ["/", "/some/where/"])
    def test_the_missing_page_links_under_the_base_path_to_what_is_there(self, base):
        html = self.render("404.html", None, base, ["./", "learn/", "reference/", "find/"])
        wanted = [base, f"{base}learn/", f"{base}reference/", f"{base}find/"]
        assert re.findall('href="(.*?)"', html) == wanted
        assert html.count("<h1>") == 1
        assert "og:" not in html


REFERENCE = '<h1>M</h1><div class="doc doc-contents first">\n <p>Who may\n<em>not</em> look.</p><p>More.</p></div>'
OVERVIEW = """\
# name

> Sentence.

## Start here

- [Home & more](https://a.org/b/)
- [All lessons and guides](https://a.org/b/llms-full.txt): one Markdown text, with what the code printed

## Learn

- [A](https://a.org/b/learn/a/): What it is.
- [A](https://a.org/b/reference/m/): Who may not look.
- [A](https://a.org/b/guides/deep/)
"""


def cell(kind, source, outputs=(), **metadata):
    return {"cell_type": kind, "source": source, "outputs": list(outputs), "metadata": metadata}


FIGURE = {"metadata": {"alt": "A > b"}, "data": {"image/svg+xml": "<svg/>"}}
CHECK = "```self-check\n? Q\n- a | Why\n+ b | So\n- c | No\n```"
LESSON = [
    cell("raw", "---\ntitle: A\n---"),
    cell("markdown", "# A\n\nSee [masks](masks.py) and [`f`][clear_attention.masks.f]."),
    cell("code", "print(1)", [{"text": "1 < 2\n"}, {"data": {"text/plain": "<Axes: >"}}]),
    cell("code", "draw()", [FIGURE], tags=["answer", "remove-input"]),
    cell("markdown", CHECK),
]
TEXT = """\
Page: https://a.org/b/learn/a/

# A

See [masks](https://a.org/b/masks.py) and `f`.

```python
print(1)
```

```text
1 < 2
```

Answer:

(Figure: A > b)

**Q**

* (a) a
* (b) b
* (c) c

* (a) No. Why
* (b) Right. So
* (c) No. No"""


class TestResultsAreKept:
    """A lesson is executed anew when something that it uses changes, and only then."""

    @pytest.mark.parametrize(
        ("text", "anew"),
        [("x = 1", False), ("from benchmarks import report", True), ("from live import lab", False)],
    )
    def test_what_a_lesson_uses_is_in_its_key(self, tmp_path, monkeypatch, text, anew):
        results, lesson = tmp_path / "results.json", tmp_path / "lesson.py"
        monkeypatch.setitem(execute.USED, b"from benchmarks import", [results])
        lesson.write_text(text, encoding="utf-8")
        keys = []
        for content in ("1", "2"):
            results.write_text(content, encoding="utf-8")
            keys.append(execute.key_of("", lesson))
        assert (keys[0] != keys[1]) == anew


PROGRAMS = sorted(path for path in (ROOT / "docs").rglob("*.py") if path.read_text("utf-8").startswith("# ---\n"))


@pytest.mark.parametrize("page", PROGRAMS, ids=lambda path: path.stem)
def test_the_head_of_a_page_can_be_read(page):
    """If it can't, as with a colon too many, the generator takes it for text and shows it."""
    head = page.read_text(encoding="utf-8").split("# ---\n")[1]
    said = yaml.safe_load(head.replace("# ", ""))
    assert {"title", "description"} <= set(said)
    assert all(isinstance(said[key], str) for key in ("title", "description"))


class TestSearchWorker:
    def test_is_mended_once_and_ends_the_build_where_nothing_is_to_mend(self, tmp_path):
        worker = tmp_path / search.WORKER.replace("*", "a1b2")
        worker.parent.mkdir(parents=True)
        worker.write_text("for(;i<n;i++){var s=r[i];e=e+s+o.id}return e")
        for _ in range(2):
            search.mend_worker(tmp_path)
            assert worker.read_text() == 'for(;i<n;i++){var s=r[i];e=e+s+o.id+","}return e'
        worker.write_text("return this.edges")
        with pytest.raises(PluginError, match="lunr has no"):
            search.mend_worker(tmp_path)
