"""What the page is told of each case, all of it computed here, and the proof that each case can be solved."""

from __future__ import annotations

import functools
import html
import zlib

import numpy as np

from bug_detective.boxes import one_function
from bug_detective.cases import CASES, SUSPECTS
from bug_detective.probes import CLEAR, PROBES, SEEN, words
from clear_attention import certify
from clear_attention._checks.sentence import refusal

MUSEUM = "../museum/"
SENTENCES = [
    "the cat sat down here",
    "a bird sang all day",
    "we read books at night",
    "rain fell on the roof",
    "she wrote him a letter",
]  # of five words each
NOISE = 2e-6  # a change that is rounding
DOUBT = 5  # how far from the border a number must be, so that another machine sees the same


def numbers_of(case):
    return words(zlib.crc32(case.name.encode()) % 1000 + 1000 * case.seed)


def sentence_of(case):
    return SENTENCES[zlib.crc32(case.name.encode()) % len(SENTENCES)].split()


@functools.cache
def findings(case):
    """Return what each probe finds at a case, in the order of the probes."""
    x = numbers_of(case)
    return [probe(case.box, x) for probe in PROBES]


def shown_by(suspect, cases=tuple(CASES)):
    """Return for each probe the findings of all cases of a suspect."""
    return list(zip(*(findings(case) for case in cases if case.suspect == suspect), strict=True))


def ruled_out(case, suspect, cases=tuple(CASES)):
    """Return the numbers of the probes at which no box with this bug shows what this case shows.

    If one of the two gives other outputs at each call, only the first probe tells them apart, which asks twice: what
    the others find hangs on the throw.
    """
    pairs = list(zip(findings(case), shown_by(suspect, cases), strict=True))
    own, theirs = pairs[0]
    pairs = pairs[:1] if any("m" in finding.key for finding in (own, *theirs)) else pairs
    return [i for i, (own, theirs) in enumerate(pairs) if own.key not in [finding.key for finding in theirs]]


def proven(cases=tuple(CASES)):
    """Return which probes rule out which suspect at each case; refuse cases that cannot be solved or are in doubt."""
    found = {}
    for case in cases:
        clear(case)
        others = {c.suspect for c in cases} - {case.suspect}
        found[case.name] = {name: ruled_out(case, name, cases) for name in SUSPECTS if name in others}
        for name, probes in found[case.name].items():
            if not probes:
                law = "Each case of the bug detective can be told from every other bug."
                alike = f"{case.name!r} and {name!r} look alike"
                raise ValueError(refusal(law, "a probe that tells them apart", alike))
    return found


def clear(case):
    """Refuse a case at which a number lies so near to a border that another machine could see something else."""
    for probe, finding in zip(PROBES, findings(case), strict=True):
        numbers = [n for n in finding.numbers if n is not None and not np.isnan(n)]
        near = [n for n in numbers if NOISE < n < DOUBT * SEEN] if probe.name != "double" else []
        if probe.name == "double" and numbers and CLEAR / 2 < max(numbers) < 2 * CLEAR:
            near = [max(numbers)]
        if near:
            law = "What a probe finds must not hang on rounding."
            what = f"a number that is clearly large or small at {case.name!r}, probe {probe.name!r}"
            raise ValueError(refusal(law, what, f"{near[0]:.2g}"))


def as_called(box, q, k, v, padding):
    return box(q, k, v, padding)


def certified(box, row=""):
    """Certify a box: one row, or all that apply."""
    return certify(box, as_called, "blocked", causal=True, only=[row] if row else None, progress=False)


@functools.cache
def verdict(case):
    """Return what certify says of a case, in words: the row that it asks, and what it finds."""
    suspect = SUSPECTS[case.suspect]
    certificate = certified(case.box, suspect.row)
    if not suspect.row:
        held = sum(row.verdict == "held" for row in certificate.rows)
        unseen = "" if case.suspect == "healthy" else ", so it does not see this bug"
        return {"row": "", "asked": "", "found": f"{held} promises are held, and none is broken{unseen}"}
    row = certificate[suspect.row]
    return {"row": row.name, "asked": row.promise, "found": row.detail}


def facts():
    """Return all that the page needs."""
    proof = proven()
    healthy = findings(next(case for case in CASES if case.box is one_function))
    probes = [
        {"name": p.name, "title": p.title, "does": p.does, "measures": p.measures, "healthy": h.says}
        for p, h in zip(PROBES, healthy, strict=True)
    ]
    suspects = [
        {
            "name": name,
            "title": suspect.title,
            "group": suspect.group,
            "wrong": suspect.wrong,
            "room": f"{MUSEUM}#{suspect.room}" if suspect.room else "",
            "shows": [theirs[0].says for theirs in shown_by(name)],
        }
        for name, suspect in SUSPECTS.items()
    ]
    return {"probes": probes, "suspects": suspects, "cases": [told(case, proof[case.name]) for case in CASES]}


def told(case, ruled):
    return {
        "name": case.name,
        "suspect": case.suspect,
        "words": sentence_of(case),
        "findings": [{"numbers": shown(finding.numbers), "says": finding.says} for finding in findings(case)],
        "ruled": ruled,
        "code": case.code,
        "bug": case.bug,
        "mended": case.mended,
        "certify": asked(verdict(case)),
    }


def shown(numbers):
    """Return numbers as a reader sees them: not asked is null, and NaN is a word."""
    return [None if n is None else "NaN" if np.isnan(n) else written(n) for n in numbers]


def written(number):
    if number <= NOISE:
        return "0"
    return f"{number:.2f}" if number >= 0.01 else "< 0.01"


# What stands in the page without JavaScript.


def still():
    """Return the cases, folded: the table of the probes is the question, and the answer is folded once more."""
    proven()
    items = [folded(number, case) for number, case in enumerate(CASES, 1)]
    begin = "<p>Here you could press probes, but this browser runs no JavaScript. These are the cases, each with what"
    return f"{begin} all the probes show. Name the bug, and unfold the answer.</p>" + "".join(items)


def folded(number, case):
    suspect, certificate = SUSPECTS[case.suspect], verdict(case)
    rows = "".join(
        f'<tr><th scope="row">{html.escape(probe.title)}</th><td>{html.escape(finding.says)}</td></tr>'
        for probe, finding in zip(PROBES, findings(case), strict=True)
    )
    head = '<thead><tr><th scope="col">probe</th><th scope="col">what happens</th></tr></thead>'
    room = f' <a href="{MUSEUM}#{suspect.room}">Its room in the museum</a>.' if suspect.room else ""
    lines = f"{html.escape(case.bug)}\n{html.escape(case.mended)}"
    mended = f"<p>The line with the bug, and the mended one:</p><pre><code>{lines}</code></pre>"
    return (
        f"<details><summary>Case {number}</summary><table>{head}<tbody>{rows}</tbody></table>"
        f"<details><summary>The answer</summary><p>{html.escape(suspect.title)}. {html.escape(suspect.wrong)}{room}</p>"
        f"{mended if case.bug else ''}<p>{html.escape(asked(certificate))}</p></details></details>"
    )


def asked(certificate):
    """Say what certify would have asked."""
    if not certificate["row"]:
        return f"certify would have asked all that it knows: {certificate['found']}."
    question = f"certify would have asked whether this holds: “{certificate['asked']}” (row {certificate['row']})."
    return f"{question} It does not: {certificate['found']}. (certify counts from 0.)"
