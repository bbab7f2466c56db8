"""MkDocs hook: join the parts of the Mask Lab into one script."""

from pathlib import Path

from mkdocs.structure.files import File

FOLDER = Path(__file__).parent / "lab"
ORDER = ["engine", "findings", "code", "morph", "words", "pieces", "style", "element", "view"]  # each after its needs


def on_files(files, config):
    script = "".join((FOLDER / f"{part}.js").read_text(encoding="utf-8") for part in ORDER)
    files.append(File.generated(config, "assets/mask-lab.js", content=script))
    return files
