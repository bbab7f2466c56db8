"""The result of a certification: rows that can be printed, shown in a notebook, written as JSON, or raised."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple

from clear_attention._checks.sentence import refusal, shown
from clear_attention.certify import refusals

HELD: Final = "held"
BROKEN: Final = "broken"
NOT_APPLICABLE: Final = "not applicable"
MARKS = {HELD: "held  ", BROKEN: "BROKEN", NOT_APPLICABLE: "n/a   "}


class Row(NamedTuple):
    """Say whether one promise was held.

    Attributes:
        name: stable, for code, such as `"no_future_leak"`.
        promise: what is promised, in a sentence.
        verdict: `"held"`, `"broken"` or `"not applicable"`.
        detail: what was found, or why the promise does not apply.
        example: where it is broken, a snippet that fails when it is pasted below a line that makes `layer`.

    Examples:
        >>> from clear_attention import DotProductAttention, certify
        >>> row = certify(DotProductAttention(), only=["empty_query"])["empty_query"]
        >>> row.verdict, row.detail
        ('held', 'its output is 0')
    """

    name: str
    promise: str
    verdict: Literal["held", "broken", "not applicable"]
    detail: str = ""
    example: str = ""


class Certificate:
    """Hold what [`certify`][clear_attention.certify] found out: print it, ask it by name, or let it raise.

    `certificate["hidden_nan"]` gives the [`Row`][clear_attention.Row] of a promise. A notebook shows a table.

    Attributes:
        subject: the name of what was certified.
        rows: a tuple of rows, one for each promise.
        broken: the names of the broken promises.
        seed: the seed of the numbers it was tried with.
        versions: of Keras, TensorFlow and this package.

    Examples:
        >>> from clear_attention import DotProductAttention, certify
        >>> certificate = certify(DotProductAttention(), only=["weights_flag", "empty_query"])
        >>> print(certificate)
        Certificate of DotProductAttention
        <BLANKLINE>
        held    empty_query   A query with no key left is finite and sees nothing: its output is 0.
        held    weights_flag  Asking for the weights does not change the output.
        <BLANKLINE>
        2 held, 0 broken, 0 not applicable.
        >>> certificate.raise_for_failures()
    """

    def __init__(self, subject: str, rows: Iterable[Row], seed: int, versions: Mapping[str, str]) -> None:
        self.subject, self.rows, self.seed, self.versions = subject, tuple(rows), seed, versions

    @property
    def broken(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows if row.verdict == BROKEN)

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        law, names = f"{shown(name)} is no row of this certificate.", ", ".join(repr(row.name) for row in self.rows)
        raise KeyError(refusal(law, f"one of {names}", shown(name)))

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        lines = [f"Certificate of {self.subject}", ""]
        for row in self.rows:
            lines.append(f"{MARKS[row.verdict]}  {row.name:{width}}  {sentence(row)}")
            if row.example:
                lines += ["", *(f"    {line}" for line in row.example.splitlines()), ""]
        return "\n".join([*lines, "", self.summary()])

    __repr__ = __str__

    def summary(self) -> str:
        """Count the rows, in a sentence."""
        counts = (f"{sum(row.verdict == verdict for row in self.rows)} {verdict}" for verdict in MARKS)
        return ", ".join(counts) + "."

    def _repr_html_(self) -> str:
        body = []
        for row in self.rows:
            words = html.escape(sentence(row))
            if row.example:
                code = html.escape(row.example)
                words += f"<details><summary>smallest example</summary><pre><code>{code}</code></pre></details>"
            name = f"<th scope='row'><code>{row.name}</code></th>"
            kind = row.verdict.replace(" ", "-")
            body.append(f"<tr class='{kind}'><td>{html.escape(row.verdict)}</td>{name}<td>{words}</td></tr>")
        caption = f"Certificate of {html.escape(self.subject)}: {self.summary()}"
        return (
            f"<table class='certificate'><caption>{caption}</caption>"
            "<thead><tr><th scope='col'>Verdict</th><th scope='col'>Row</th><th scope='col'>Promise</th></tr></thead>"
            f"<tbody>{''.join(body)}</tbody></table>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as a dictionary that JSON can hold."""
        return {
            "subject": self.subject,
            "certified": not self.broken and any(row.verdict == HELD for row in self.rows),
            "seed": self.seed,
            "versions": dict(self.versions),
            "rows": [row._asdict() for row in self.rows],
        }

    def raise_for_failures(self, allow: Collection[str] = ()) -> None:
        """Raise an `AssertionError` that shows every broken promise, except those whose names are allowed.

        It raises too if no promise applied: then nothing was found out.
        """
        refusals.row_names("allow", allow, [row.name for row in self.rows])
        failures = [row for row in self.rows if row.verdict == BROKEN and row.name not in allow]
        if failures:
            raise AssertionError(str(Certificate(self.subject, failures, self.seed, self.versions)))
        if all(row.verdict == NOT_APPLICABLE for row in self.rows):
            raise AssertionError(f"No promise applies.\n\n{self}")


def sentence(row):
    """Join promise and detail; what does not apply only says why."""
    if row.verdict == NOT_APPLICABLE:
        return f"Does not apply: {row.detail}."
    if not row.detail:
        return row.promise + "."
    return f"{row.promise}: {row.detail.rstrip('.')}."
