"""Join the parts of the Mask Lab into one script."""

from pathlib import Path

FOLDER = Path(__file__).parent / "lab"
ORDER = ["engine", "findings", "code", "morph", "words", "pieces", "style", "element", "view"]  # each after its needs


def script():
    return "".join((FOLDER / f"{part}.js").read_text(encoding="utf-8") for part in ORDER)
