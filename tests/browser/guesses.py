"""What the tests of bets and of curves share: where the lessons have them, their folds, and what is kept of them."""

import re
from pathlib import Path

LEARN = Path(__file__).parents[2] / "docs" / "learn"
KEPT = "JSON.parse(localStorage.getItem('clear-attention exercises'))"
BEHIND = """element => [...document.querySelectorAll("details:is(.lesson-answer, .lesson-more)")].find(
  (fold) => element.compareDocumentPosition(fold) & Node.DOCUMENT_POSITION_FOLLOWING)"""


def named(call):
    """Return the names of what the lessons show by this function of live.py, {lesson: names}."""
    sources = {path.stem: path.read_text(encoding="utf-8") for path in sorted(LEARN.glob("*.py"))}
    names = {lesson: re.findall(rf'^{call}\(\s*"([\w/-]+)"', source, re.M) for lesson, source in sources.items()}
    return {lesson: found for lesson, found in names.items() if found}


BETS, SKETCHES = named("bet"), named("sketch")
