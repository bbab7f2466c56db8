"""Join the modules of what computes in the page, such as the Mask Lab and the machines, into one script each.

A browser refuses modules on a page that was opened from a folder (file://). So each module becomes a function, called
after those that it imports: its names stay its own, as in a module. The modules in live/ use two statements for this,
each at the start of a line, `import { a, b } from "./file.js";` and `export` before a function, a class or a const; any
other is refused.
"""

import re
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mkdocs.exceptions import PluginError

LIVE = Path(__file__).parent / "live"
ENTRIES = {
    name: LIVE / f"{name}.js"
    for name in (
        "mask-lab",
        "date-machine",
        "text-machine",
        "lesson-piece",
        "page-exercise",
        "exercise-progress",
        "head-designer",
        "bug-detective",
    )
}  # by the element that each one defines
HELPERS = ("answer", "draw", "touch-style")
PIECES = {path.stem: path for path in sorted((LIVE / "touch").glob("*.js")) if path.stem not in HELPERS}  # by name
IMPORT = re.compile(r'^import \{\s*(\w+(?:,\s*\w+)*),?\s*\} from "(\.\.?/(?:[\w-]+/)?[\w-]+\.js)";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.M)
DECLARED = re.compile(r"^(?:async function|function|class|const|let|var) (\w+)", re.M)
REST = re.compile(r"^\s*(?:import|export)\b.*|\bimport(?:\(|\.meta\b).*", re.M)


@dataclass
class Module:
    imports: dict[str, list[str]]  # names, by the name of the file that they come from
    places: dict[str, str]  # where each of them lies, as the import says it
    exports: list[str]
    code: str


def script(entry, *last):
    """Return a module, after all that it needs, as one classic script; `last` are lines at its end."""
    parts = [as_function(name, module) for name, module in in_order(entry).items()]
    return "\n".join(["(() => {", '"use strict";', "const $modules = {};", *parts, *last, "})();\n"])


def piece(name):
    """Return a piece of lessons as a script, which hands it to the element `lesson-piece` by its name."""
    kept = f'(globalThis.lessonPieces ??= {{}}).{name} = $modules["{name}.js"].{name};'
    return script(PIECES[name], kept, 'dispatchEvent(new Event("lesson-piece"));')


def as_function(name, module):
    needs = [f'const {{ {", ".join(names)} }} = $modules["{file}"];' for file, names in module.imports.items()]
    result = f"return {{ {', '.join(module.exports)} }};"
    return "\n".join([f'\n$modules["{name}"] = (() => {{', *needs, module.code.rstrip(), result, "})();"])


def in_order(path, above=()):
    """Return the modules that `path` needs and itself, by name: each after those that it imports."""
    if path.name in above:
        raise refusal(above[-1], f"modules import each other in a circle: {' → '.join([*above, path.name])}")
    if not path.exists():
        raise refusal(above[-1], f"there is no file {path.name} to import from")
    module, found = read(path), {}
    for file, names in module.imports.items():
        found |= in_order(path.parent / module.places[file], (*above, path.name))
        if missing := set(names) - set(found[file].exports):
            raise refusal(path.name, f"{file} does not export {', '.join(sorted(missing))}")
    return found | {path.name: module}


def read(path):
    text, imports, places = path.read_text(encoding="utf-8"), {}, {}
    for names, place in IMPORT.findall(text):
        file = Path(place).name
        places[file] = place
        imports.setdefault(file, []).extend(re.findall(r"\w+", names))
    code = EXPORT.sub("", IMPORT.sub("", text))
    own = [*chain(*imports.values()), *DECLARED.findall(code)]
    if twice := sorted({name for name in own if own.count(name) > 1}):
        raise refusal(path.name, f"it declares a name twice: {', '.join(twice)}")
    if strange := REST.search(code):
        raise refusal(path.name, f"it can't be joined: {strange[0].strip()}")
    return Module(imports, places, EXPORT.findall(text), code)


def refusal(name, what):
    return PluginError(f"docs/_site/live/{name}: {what}.")
