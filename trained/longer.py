"""The one query of trained/digits.py with 1 head, trained three times as long: does it then fetch a whole date?"""

from __future__ import annotations

from trained.digits import STEPS, reader

RECIPES = {"digits-1-longer": reader(1, steps=3 * STEPS)}
