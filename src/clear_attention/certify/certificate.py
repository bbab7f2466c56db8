"""The result of a certification: rows that can be printed, shown in a notebook, written as JSON, or raised."""

from __future__ import annotations

import html
import warnings
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple

from clear_attention._checks.sentence import refusal, shown
from clear_attention.certify import refusals
from clear_attention.certify.causes.words import SENTENCES, Cause

HELD: Final = "held"
BROKEN: Final = "broken"
NOT_APPLICABLE: Final = "not applicable"
MARKS = {HELD: "held  ", BROKEN: "BROKEN", NOT_APPLICABLE: "n/a   "}
HARDENING = ("hidden_nan", "empty_query", "float16", "save_load")  # what may be borne where it never happens
KERAS_TOO = ("hidden_nan", "empty_query")  # which Keras's own attention layers break


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

    It begins with the cause of what is broken, if an experiment proved one. Then come the promises about leaks and
    numbers, then those that harden a layer against NaN, queries without keys, 16 bits and files.

    Attributes:
        subject: the name of what was certified.
        rows: a tuple of rows, one for each promise.
        broken: the names of the broken promises.
        cause: a [`Cause`][clear_attention.Cause], or None if nothing is broken or no experiment proved one.
        ruled_out: the names of the causes that experiments ruled out, where none was found.
        notes: a tuple of sentences about what is no broken promise, such as scores that are not scaled.
        seed: the seed of the numbers it was tried with.
        versions: of Keras, TensorFlow and this package.

    Examples:
        >>> from clear_attention import DotProductAttention, certify
        >>> certificate = certify(DotProductAttention(), only=["weights_flag", "empty_query"])
        >>> print(certificate)
        Certificate of DotProductAttention
        <BLANKLINE>
        held    weights_flag  Asking for the weights does not change the output.
        <BLANKLINE>
        Hardening
        held    empty_query   A query with no key left is finite and sees nothing: its output is 0.
        <BLANKLINE>
        2 held, 0 broken, 0 not applicable.
        >>> certificate.raise_for_failures()
    """

    def __init__(
        self,
        subject: str,
        rows: Iterable[Row],
        seed: int,
        versions: Mapping[str, str],
        cause: Cause | None = None,
        ruled_out: Iterable[str] = (),
        notes: Iterable[str] = (),
    ) -> None:
        self.subject, self.rows, self.seed, self.versions = subject, tuple(rows), seed, versions
        self.cause, self.ruled_out, self.notes = cause, tuple(ruled_out), tuple(notes)

    @property
    def broken(self) -> tuple[str, ...]:
        return tuple(row.name for row in self.rows if row.verdict == BROKEN)

    @property
    def headline(self) -> str:
        """What is wrong, in a line: the cause, or that none was found; empty if no number is wrong."""
        if self.cause is not None:
            proof = f" Proof: {self.cause.evidence}." if self.cause.evidence else ""
            return f"Cause: {begun_small(self.cause.sentence)}.{proof} Museum of bugs: {self.cause.link}"
        if not set(self.broken) - {*HARDENING}:
            return ""
        words = "; ".join(f"not {begun_small(SENTENCES[name][0])}" for name in self.ruled_out)
        return f"Cause not found{f'; ruled out: {words}' if words else ''}."

    def __getitem__(self, name: str) -> Row:
        for row in self.rows:
            if row.name == name:
                return row
        law, names = f"{shown(name)} is no row of this certificate.", ", ".join(repr(row.name) for row in self.rows)
        raise KeyError(refusal(law, f"one of {names}", shown(name)))

    def __str__(self) -> str:
        width = max(len(row.name) for row in self.rows)
        lines = [f"Certificate of {self.subject}", ""]
        lines += [self.headline, ""] if self.headline else []
        for rows, title in ((self.first, ""), (self.hardening, "Hardening")):
            if rows and title:
                lines += ["", title] if self.first else [title]
            for row in rows:
                lines.append(f"{MARKS[row.verdict]}  {row.name:{width}}  {sentence(row)}")
                if row.example:
                    lines += ["", *(f"    {line}" for line in row.example.splitlines()), ""]
        lines += ["", *(f"Note: {note}." for note in self.notes)] if self.notes else []
        return "\n".join([*lines, "", self.summary()])

    __repr__ = __str__

    @property
    def first(self) -> tuple[Row, ...]:
        """The rows about leaks and numbers."""
        return tuple(row for row in self.rows if row.name not in HARDENING)

    @property
    def hardening(self) -> tuple[Row, ...]:
        """The rows about NaN under the mask, queries without keys, 16 bits and files."""
        return tuple(row for row in self.rows if row.name in HARDENING)

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
        caption += f"<br>{html.escape(self.headline)}" if self.headline else ""
        caption += "".join(f"<br>Note: {html.escape(note)}." for note in self.notes)
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
            "cause": None if self.cause is None else {**self.cause._asdict(), "sentence": self.cause.sentence},
            "ruled_out": list(self.ruled_out),
            "notes": list(self.notes),
            "seed": self.seed,
            "versions": dict(self.versions),
            "rows": [row._asdict() for row in self.rows],
        }

    def raise_for_failures(self, allow: Collection[str] = ()) -> None:
        """Raise an `AssertionError` that shows every broken promise, except those whose names are allowed.

        It raises too if no promise was held: then nothing was found out. A name in `allow` that nothing broken needs is
        reported by a warning.
        """
        refusals.row_names("allow", allow, [row.name for row in self.rows])
        if unused := [name for name in allow if name not in self.broken]:
            warnings.warn(f"{self.subject}: allow names {', '.join(unused)}, not broken any more.", stacklevel=2)
        failures = [row for row in self.rows if row.verdict == BROKEN and row.name not in allow]
        if failures:
            names = ", ".join(row.name for row in failures)
            shown = Certificate(
                self.subject, failures, self.seed, self.versions, self.cause, self.ruled_out, self.notes
            )
            raise AssertionError(f"{self.subject} breaks {names}\n\n{shown}")
        if not any(row.verdict == HELD for row in self.rows):
            raise AssertionError(f"{self.subject}: no promise was held, so nothing was found out.\n\n{self}")


def begun_small(words):
    return words[0].lower() + words[1:]


def sentence(row):
    """Join promise and detail; what does not apply only says why."""
    if row.verdict == NOT_APPLICABLE:
        return f"Does not apply: {row.detail}."
    too = " Keras's own attention layers break this, too." if row.verdict == BROKEN and row.name in KERAS_TOO else ""
    if not row.detail:
        return f"{row.promise}.{too}"
    return f"{row.promise}: {row.detail.rstrip('.')}.{too}"
