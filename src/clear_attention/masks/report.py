"""What `describe_mask` says of a mask: in text, and as HTML in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from clear_attention._checks.sentence import refusal, shown
from clear_attention._types import Labels

SHOWN = 16  # rows and columns of a drawn matrix
JOINERS = "\u200c\u200d"  # which some scripts and emoji need; all else that can't be seen is written out
MATRICES = 3  # and how many of them


class Finding(NamedTuple):
    """Say one thing about a mask: a stable name for code, a sentence for people, and where it is.

    Attributes:
        name: such as `"causal"` or `"empty_rows"`.
        sentence: what it means, in plain words.
        where: indices, each with one number for each axis it tells apart; empty where the whole mask is meant.

    Examples:
        >>> from clear_attention import describe_mask
        >>> describe_mask([[0, 1], [1, 1]])["empty_rows"].where
        ((1,),)
    """

    name: str
    sentence: str
    where: tuple[tuple[int, ...], ...] = ()


class MaskReport:
    """Hold what [`describe_mask`][clear_attention.describe_mask] found: print it, or ask it by name.

    `"causal" in report` tells whether something was found, `report["empty_rows"]` gives the
    [`Finding`][clear_attention.Finding]. A notebook shows it as a table.

    Attributes:
        mask: the mask as a bool NumPy array, `True` where a key is blocked.
        findings: a tuple of findings.
        names: their names, in the same order.

    Examples:
        >>> from clear_attention import create_look_ahead_mask, describe_mask
        >>> report = describe_mask(create_look_ahead_mask(3))
        >>> report.names
        ('causal',)
        >>> "padding" in report
        False
    """

    def __init__(
        self, mask: np.ndarray, tokens: Labels | None, findings: Iterable[Finding], unclear: np.ndarray | None = None
    ) -> None:
        self.mask, self.findings = mask, tuple(findings)
        self.tokens = None if tokens is None else [printable(token) for token in tokens]
        self.unclear = np.zeros(mask.shape, bool) if unclear is None else unclear  # neither 0 nor 1

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(finding.name for finding in self.findings)

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> Finding:
        for finding in self.findings:
            if finding.name == name:
                return finding
        law, names = f"{shown(name)} was not found in this mask.", ", ".join(map(repr, self.names))
        raise KeyError(refusal(law, f"one of {names or 'no names, since nothing was found'}", shown(name)))

    def __str__(self) -> str:
        parts = [f"{label}{drawn}" for label, drawn in map(self.as_text, range(min(MATRICES, len(self.matrices()))))]
        if len(self.matrices()) > MATRICES:
            parts.append(f"... and {len(self.matrices()) - MATRICES} more matrices")
        parts.append("\n".join(f"{f.name}: {f.sentence}" for f in self.findings) or "nothing to report")
        return "\n\n".join(parts)

    __repr__ = __str__

    def matrices(self) -> list[tuple[tuple[int, ...], np.ndarray]]:
        """Return every matrix of queries and keys, with its index."""
        leading = self.mask.shape[:-2]
        return [(index, self.mask[index]) for index in np.ndindex(*leading)]

    def labels(self, matrix: np.ndarray) -> tuple[list[str], list[str]]:
        rows, columns = matrix.shape
        tokens = list(map(str, range(columns))) if self.tokens is None else self.tokens
        queries = tokens[columns - rows :] if rows <= columns else list(map(str, range(rows)))
        if rows == 1:
            queries = ["any query"] if self.mask.ndim > 2 else ["0"]
        return queries[:SHOWN], tokens[:SHOWN]

    def as_text(self, number: int) -> tuple[str, str]:
        index, matrix = self.matrices()[number]
        queries, keys = self.labels(matrix)
        width = [max(len(key), 1) for key in keys]
        side = max(map(len, ["query \\ key", *queries]))
        more = " ..." if matrix.shape[1] > SHOWN else ""
        lines = [" ".join(["query \\ key".ljust(side), *(k.rjust(w) for k, w in zip(keys, width, strict=True))]) + more]
        signs = np.where(self.unclear[index], "?", np.where(matrix, "#", "."))[: len(queries), : len(keys)]
        for query, row in zip(queries, signs, strict=True):
            cells = [sign.rjust(w) for sign, w in zip(row, width, strict=True)]
            lines.append(" ".join([query.ljust(side), *cells]) + more)
        if matrix.shape[0] > SHOWN:
            lines.append("...")
        return title(index), "\n".join(lines)

    def _repr_html_(self) -> str:
        parts = []
        for number in range(min(MATRICES, len(self.matrices()))):
            index, matrix = self.matrices()[number]
            queries, keys = self.labels(matrix)
            head = "".join(f"<th scope='col'>{html.escape(key)}</th>" for key in keys)
            body = []
            signs = np.where(self.unclear[index], "?", np.where(matrix, "1", "0"))[: len(queries), : len(keys)]
            for query, row in zip(queries, signs, strict=True):
                cells = "".join(cell(sign) for sign in row)
                body.append(f"<tr><th scope='row'>{html.escape(query)}</th>{cells}</tr>")
            caption = html.escape(title(index).strip().rstrip(":")) or "mask"
            if max(matrix.shape) > SHOWN:
                caption += (
                    f": the first {len(queries)} of {matrix.shape[0]} queries, {len(keys)} of {matrix.shape[1]} keys"
                )
            parts.append(
                f"<table class='mask-report'><caption>{caption}</caption>"
                f"<thead><tr><th scope='col'>query \\ key</th>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"
            )
        if len(self.matrices()) > MATRICES:
            parts.append(f"<p>and {len(self.matrices()) - MATRICES} more matrices</p>")
        items = (f"<li><code>{f.name}</code>: {html.escape(f.sentence)}</li>" for f in self.findings)
        return "".join(parts) + f"<ul>{''.join(items) or '<li>nothing to report</li>'}</ul>"


def title(index):
    return f"matrix {', '.join(map(str, index))}:\n" if any(index) or len(index) > 0 else ""


def cell(sign):
    if sign == "1":
        stripes = "background:repeating-linear-gradient(45deg,#808080 0 1px,transparent 1px 5px)"
        return f"<td style='{stripes}' aria-label='blocked'>1</td>"
    return f"<td aria-label='{'visible' if sign == '0' else 'unclear'}'>{sign}</td>"


def printable(token):
    token = token.decode(errors="replace") if isinstance(token, bytes) else str(token)
    return "".join(c if c.isprintable() or c in JOINERS else c.encode("unicode_escape").decode() for c in token)
