"""The results as tables in Markdown, for the site."""

from __future__ import annotations

import statistics

from benchmarks.report import NAN, megabytes, said, spoken
from benchmarks.texts import LENGTHS, ROW, rows_of

LONGEST_NUMBER = 20  # characters, the unit counted


def table(header, rows):
    """Write a table; columns of numbers end at the right, those of words begin at the left."""
    rows = [[str(cell) for cell in row] for row in rows]
    words = [i == 0 or any(len(row[i]) > LONGEST_NUMBER for row in rows) for i in range(len(header))]
    lines = [header, ["---" if word else "---:" for word in words], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def verdict_table(found):
    return table(("What, and against what", "measured", "goal"), [(v.what, *figures(v)) for v in found])


def missed_table(found):
    """Show goals that are missed, each with what stands in the way."""
    return table(
        ("What, and against what", "measured", "goal", "What stands in the way"),
        [(v.what, *figures(v), v.why) for v in found],
    )


def figures(verdict):
    """Write what was measured and the goal with as many digits as tell them apart."""
    pairs = ((f"{verdict.measured:.{digits}f}", f"{verdict.goal:.{digits}f}") for digits in (2, 3, 4))
    return next((pair for pair in pairs if len(set(pair)) == 2), (f"{verdict.measured:.2f}", f"{verdict.goal:.2f}"))


def time_table(results, what, passes, contenders):
    """Show the median milliseconds of each cell, the quickest in bold."""
    rows = []
    for row in results["attention"]:
        if (row["what"], row["passes"]) == (what, passes):
            medians = [statistics.median(row["times_ms"][c]) if row["times_ms"].get(c) else NAN for c in contenders]
            best = min((m for m in medians if m == m), default=None)
            if best is not None:
                rows.append((f"{tuple(row['size'])}, {spoken(row['mask'])}", *(shown(m, best) for m in medians)))
    return table(("Size and mask", *contenders.values()), rows)


def shown(milliseconds, best):
    if milliseconds != milliseconds:
        return "-"
    digits = f"{milliseconds:,.0f}" if milliseconds >= 100 else f"{milliseconds:.3g}"
    return f"**{digits}**" if milliseconds == best else digits


def today_table(results):
    """Show attention as it is built today: the median milliseconds of all contenders, the quickest bold."""
    rows = []
    for row in results.get("today", ()):
        medians = {name: statistics.median(found) for name, found in row["times_ms"].items()}
        best = min(medians.values())
        cells = ", ".join(f"{name} {shown(ms, best)}" for name, ms in medians.items())
        rows.append((f"{row['what']}, {said(row['passes'])}", cells))
    return table(("What", "milliseconds"), rows)


def packing_said(results):
    """Say in a sentence how many tokens a second packed and padded rows bring."""
    (row,) = (row for row in results["today"] if "packed rows" in row["times_ms"])
    tokens, rows = int(LENGTHS.sum()), len(rows_of(LENGTHS, ROW))
    each = {name: 1000 * tokens / statistics.median(ms) for name, ms in row["times_ms"].items()}
    return (
        f"The {len(LENGTHS)} texts have {tokens:,} tokens. With padding they fill {len(LENGTHS)} rows of {ROW} places, "
        f"packed only {rows}. So {each['padded rows']:,.0f} tokens a second, forwards and backwards, become "
        f"{each['packed rows']:,.0f}."
    )


def memory_table(results, passes, who):
    lengths = sorted({r["length"] for r in results["memory"] if r["passes"] == passes and r["who"] in who})
    rows = []
    for length in lengths:
        tried = {r["who"] for r in results["memory"] if (r["passes"], r["length"]) == (passes, length)}
        figures = [(w in tried, megabytes(results, w, passes, length)) for w in who]
        cells = [f"{mb:,.0f}" if mb == mb else "does not fit" if was_tried else "-" for was_tried, mb in figures]
        rows.append((f"{length:,}", *cells))
    return table(("Tokens", *who.values()), rows)
