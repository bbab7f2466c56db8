"""Texts of different lengths, one in each row or packed: what is measured of packing, and what its page counts."""

from __future__ import annotations

import numpy as np

ROW = 128  # tokens
LENGTHS = np.random.default_rng(5).integers(16, ROW + 1, size=64)


def rows_of(lengths, size):
    """Put each text in the first row that has room for it: `(rows, size)`, 0 where nothing stands."""
    rows: list[list[int]] = []
    for number, length in enumerate(lengths, start=1):
        row = next((row for row in rows if len(row) + length <= size), None)
        if row is None:
            rows.append(row := [])
        row += [number] * int(length)
    return np.array([row + [0] * (size - len(row)) for row in rows], "int32")
