"""The bug detective: boxes that hold attention, most of them broken, and the probes that tell which is which.

boxes.py holds the code in the boxes, cases.py what is wrong with each, probes.py what a reader can do to a box, and
exhibits.py what the page is told. There the build proves that every bug can be told from every other.
"""

from bug_detective.cases import CASES, SUSPECTS
from bug_detective.exhibits import facts, proven, still
from bug_detective.probes import PROBES

__all__ = ["CASES", "PROBES", "SUSPECTS", "facts", "proven", "still"]
