"""How the modules of the Mask Lab and the date machine become scripts, and that they are good modules before that."""

import re
import sys
from itertools import chain
from pathlib import Path

import pytest
from mkdocs.exceptions import PluginError

with pytest.MonkeyPatch.context() as patch:
    patch.setattr(sys, "path", [str(Path(__file__).parents[1] / "docs" / "_site"), *sys.path])
    import scripts

SOURCES = sorted(scripts.LIVE.rglob("*.js"))
SCRIPT = """\
(() => {
"use strict";
const $modules = {};

$modules["b.js"] = (() => {
const h = 1;
const f = (x) => x + h;
async function g() {}
return { f, g };
})();

$modules["a.js"] = (() => {
const { f, g } = $modules["b.js"];
const h = f(g);
return {  };
})();
})();
"""


@pytest.fixture
def modules(tmp_path):
    """Write modules with `modules(a="text")`; the first is the entry."""

    def write(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
        return tmp_path / f"{next(iter(texts))}.js"

    return write


class TestJoining:
    def test_each_comes_once_and_after_what_it_imports(self, modules):
        entry = modules(
            a='import { b } from "./b.js";\nimport { c } from "./c.js";\nb(c);\n',
            b='import { c } from "./c.js";\nexport const b = c;\n',
            c="export function c() {}\n",
            unused="export const d = 1;\n",
        )
        assert list(scripts.in_order(entry)) == ["c.js", "b.js", "a.js"]

    def test_a_module_is_a_function_and_keeps_its_other_names(self, modules):
        entry = modules(
            a='import {\n  f,\n  g,\n} from "./b.js";\nconst h = f(g);\n',
            b="const h = 1;\nexport const f = (x) => x + h;\nexport async function g() {}\n",
        )
        assert scripts.script(entry) == SCRIPT

    @pytest.mark.parametrize("what", ["function f() {}", "async function f() {}", "class f {}", "const f = 1;"])
    def test_what_can_be_exported(self, modules, what):
        module = scripts.read(modules(a=f"export {what}\n"))
        assert (module.exports, module.code) == (["f"], f"{what}\n")


class TestRefusals:
    @pytest.mark.parametrize(
        "line",
        [
            "export default function f() {}",
            "export { f };",
            'export { f } from "./b.js";',
            'export * from "./b.js";',
            "export let f = 1;",
            "export const { f } = {};",
            'import f from "./b.js";',
            'import * as b from "./b.js";',
            'import { f as g } from "./b.js";',
            'import "./b.js";',
            'import { f } from "elsewhere";',
            '  import { f } from "./b.js";',
        ],
    )
    def test_a_statement_that_it_does_not_know(self, modules, line):
        entry = modules(a=f"const x = 1;\n{line}\n", b="export const f = 1;\n")
        with pytest.raises(PluginError, match=rf"live/a\.js: it can't be joined: {re.escape(line.strip())}\.$"):
            scripts.script(entry)

    @pytest.mark.parametrize("line", ['const b = import("./b.js");', "const here = import.meta.url;"])
    def test_what_only_a_module_can_do(self, modules, line):
        with pytest.raises(PluginError, match="can't be joined: import"):
            scripts.script(modules(a=f"{line}\n"))

    @pytest.mark.parametrize(
        "text",
        [
            'import { f } from "./b.js";\nfunction f() {}\n',
            'import { f } from "./b.js";\nimport { f } from "./b.js";\n',
            "const f = 1;\nexport class f {}\n",
        ],
    )
    def test_a_name_that_is_declared_twice(self, modules, text):
        with pytest.raises(PluginError, match=r"live/a\.js: it declares a name twice: f\."):
            scripts.script(modules(a=text, b="export const f = 1;\n"))

    def test_a_circle(self, modules):
        needs = {"a": "b", "b": "c", "c": "b"}
        texts = {m: f'import {{ {n} }} from "./{n}.js";\nexport const {m} = {n};\n' for m, n in needs.items()}
        with pytest.raises(PluginError, match=r"live/c\.js: .* in a circle: a\.js → b\.js → c\.js → b\.js"):
            scripts.script(modules(**texts))

    def test_a_name_that_is_not_exported(self, modules):
        entry = modules(a='import { f, g } from "./b.js";\n', b="export const g = 1;\nconst f = 2;\n")
        with pytest.raises(PluginError, match=r"live/a\.js: b\.js does not export f\."):
            scripts.script(entry)

    def test_a_file_that_is_not_there(self, modules):
        with pytest.raises(PluginError, match=r"live/a\.js: there is no file b\.js"):
            scripts.script(modules(a='import { f } from "./b.js";\n'))


@pytest.fixture(scope="module")
def joined():
    """Return all modules by name: those of the lab, of the machine and of the pieces to touch."""
    entries = [*scripts.ENTRIES.values(), *scripts.PIECES.values()]
    return {name: module for entry in entries for name, module in scripts.in_order(entry).items()}


def code(module):
    return re.sub(r"//.*", "", re.sub(r"/\*.*?\*/", "", module.code, flags=re.S))


class TestOurModules:
    def test_every_file_is_used_and_has_a_name_of_its_own(self, joined):
        assert sorted(joined) == sorted(path.name for path in SOURCES)

    def test_all_compute_with_one_engine(self):
        for name in scripts.ENTRIES.keys() - {
            "page-exercise",
            "exercise-progress",
            "bug-detective",
            "lesson-piece",
        }:  # these compare what Python computed, or show what a piece computes
            assert "attention.js" in scripts.in_order(scripts.ENTRIES[name])

    def test_what_is_imported_is_used(self, joined):
        for file, module in joined.items():
            for name in chain(*module.imports.values()):
                assert re.search(rf"\b{name}\b", code(module)), f"{file} imports {name} and does not use it"

    def test_what_is_exported_is_imported_somewhere(self, joined):
        imported = {(file, name) for m in joined.values() for file, names in m.imports.items() for name in names}
        imported |= {(f"{name}.js", name) for name in scripts.PIECES}  # by the element, when it needs one
        assert imported == {(file, name) for file, module in joined.items() for name in module.exports}

    @pytest.mark.parametrize("entry", [*scripts.ENTRIES.values(), *scripts.PIECES.values()], ids=lambda path: path.stem)
    def test_what_another_file_exports_is_imported_before_it_is_called(self, entry):
        modules = scripts.in_order(entry)
        exported = {name for module in modules.values() for name in module.exports}
        for file, module in modules.items():
            own = {*chain(*module.imports.values()), *scripts.DECLARED.findall(module.code)}
            for name in exported - own:
                assert not re.search(rf"(?<![\w.\"]){name}[(\[]", code(module)), f"{file} uses {name} without an import"

    def test_only_the_entries_write_a_global(self, joined):
        """The tests in the browser call them. What models call is shared by all elements of a page."""
        name = r"\b(?:window|globalThis)\.\w+ (?:\?\?)?= "
        writes = {file for file, module in joined.items() if re.search(name, module.code)}
        elements = {"mask-lab.js", "date-machine.js", "text-machine.js", "head-designer.js", "lesson-piece.js"}
        assert writes == elements | {"machine-files.js"}

    def test_a_piece_hands_itself_over_by_its_name(self):
        script = scripts.piece("bet")
        assert script.endswith(
            '(globalThis.lessonPieces ??= {}).bet = $modules["bet.js"].bet;\n'
            'dispatchEvent(new Event("lesson-piece"));\n})();\n'
        )
        assert all(name in scripts.read(path).exports for name, path in scripts.PIECES.items())

    def test_each_piece_is_in_a_lesson(self):
        lessons = "".join(path.read_text() for path in (scripts.LIVE.parents[1] / "learn").glob("*.py"))
        lessons += (scripts.LIVE.parent / "live.py").read_text()
        assert [name for name in scripts.PIECES if f'"{name}"' not in lessons] == []
