"""Say what the results mean: each goal with what was measured, met or not. The site uses it too."""

from __future__ import annotations

import statistics
from typing import NamedTuple

from benchmarks.texts import LENGTHS, ROW, rows_of

NAN = float("nan")


class Verdict(NamedTuple):
    """One goal: the ratio of ours to theirs (or a figure), what it should be at most, and where it was measured."""

    what: str
    measured: float
    goal: float

    @property
    def met(self):
        return self.measured <= self.goal


def ratio(times, ours, theirs):
    """Return the median of the ratios round by round; NaN where one of them did not run."""
    pairs = list(zip(times.get(ours, ()), times.get(theirs, ()), strict=False))
    return statistics.median(a / b for a, b in pairs) if pairs else NAN


def times(results, what, size, mask, passes):
    for row in results["attention"]:
        if (row["what"], tuple(row["size"]), row["mask"], row["passes"]) == (what, size, mask, passes):
            return row["times_ms"]
    return {}


def megabytes(results, who, passes, length):
    wanted = {"who": who, "passes": passes, "length": length}
    found = [r["megabytes"] for r in results["memory"] if all(r[name] == value for name, value in wanted.items())]
    return NAN if not found or found[0] is None else found[0]


def verdicts(results):
    """Compare with the goals; those that were not measured are left out."""
    return [
        v
        for make in (long_causal, long_open, memory, functions, layers, auto, models, imports)
        for v in make(results)
        if v.measured == v.measured
    ]


def long_causal(results):
    for length, peers in {
        4096: {"keras.ops graph": (0.55, 0.65), "torch": (0.75, 0.75)},
        16384: {"torch": (0.75, 0.78)},
    }.items():
        for peer, goals in peers.items():
            for passes, goal in zip(("forward", "both"), goals, strict=True):
                cell = times(results, "function", (1, 8, length, 64), "causal", passes)
                name = f"blockwise, causal, {length:,} tokens, {said(passes)}: time of {plainly(peer)}"
                yield Verdict(name, ratio(cell, "blockwise graph", peer), goal)


def long_open(results):
    for length, peer, goal in ((8192, "torch", 0.65), (16384, "torch", 0.65), (16384, "ours graph", 1.05)):
        cell = times(results, "function", (1, 8, length, 64), "none", "forward")
        name = f"blockwise, no mask, {length:,} tokens, forward: time of {plainly(peer)}"
        yield Verdict(name, ratio(cell, "blockwise graph", peer), goal)


def memory(results):
    def of(who, length, passes="both"):
        return megabytes(results, who, passes, length)

    for peer in ("ours", "keras.ops"):
        name = f"blockwise, causal, 8,192 tokens, with gradients: memory of {plainly(peer)}"
        yield Verdict(name, of("blockwise", 8192) / of(peer, 8192), 1 / 20)
    for length in (8192, 16384, 32768):
        name = f"blockwise, causal, with gradients: memory at {length:,} tokens against half as many"
        yield Verdict(name, of("blockwise", length) / of("blockwise", length // 2), 2.2)
    yield Verdict(
        "blockwise, causal, 65,536 tokens, forward: memory in GB", of("blockwise", 65536, "forward") / 1000, 1.0
    )


SHORT = ((64, 8, 5, 64), (64, 8, 64, 64), (64, 8, 128, 64), (8, 8, 512, 64))


def functions(results):
    for size in SHORT:
        for passes in ("forward", "both"):
            for mask in ("none", "padding", "causal"):
                value = ratio(times(results, "function", size, mask, passes), "ours graph", "keras.ops graph")
                yield Verdict(f"function, {size}, {spoken(mask)}, {said(passes)}: time of keras.ops", value, 0.75)
    for mask in ("none", "padding", "causal"):
        cell = times(results, "function", SHORT[0], mask, "forward")
        name = f"function under XLA, {SHORT[0]}, {spoken(mask)}, forward: time of"
        yield Verdict(f"{name} keras.ops in a graph", ratio(cell, "ours xla", "keras.ops graph"), 0.5)
        yield Verdict(f"{name} torch", ratio(cell, "ours xla", "torch"), 1.6)


def layers(results):
    for size in SHORT:
        for mode, goal in {"graph": 0.25 if size[2] == 5 else 0.85, "eager": 0.4}.items():
            if mode == "eager" and size[2] != 5:
                continue
            for mask in ("none", "padding", "causal"):
                value = ratio(times(results, "layer", size, mask, "both"), f"auto {mode}", f"keras layer {mode}")
                name = f"layer, {size}, {spoken(mask)}, with gradients, {mode}: time of Keras's layer"
                yield Verdict(name, value, goal)


def auto(results):
    """Find the worst cell of blockwise="auto", against the better of the two paths."""
    worst, where = NAN, ""
    for row in results["attention"]:
        for mode in ("graph", "eager", "xla"):
            cell = row["times_ms"]
            against = [ratio(cell, f"auto {mode}", f"{path} {mode}") for path in ("plain", "blockwise")]
            value = max((r for r in against if r == r), default=NAN)
            if value == value and not value <= worst:
                worst, where = value, f"{tuple(row['size'])}, {spoken(row['mask'])}, {said(row['passes'])}, {mode}"
    yield Verdict(f'layer, blockwise="auto", worst cell ({where}): time of the better path', worst, 1.05)


def models(results):
    for row in results["training"]:
        value = ratio(row["times_ms"], "clear-attention", "Keras layers")
        yield Verdict(f"training step of the date Transformer ({row['model']}): time of Keras's layers", value, 0.8)
    for row in results["decoding"]:
        value = ratio(row["times_ms"], "cache and XLA", "no cache")
        yield Verdict(f"decoding {row['tokens']} tokens, batch {row['batch']}: time without cache", value, 1 / 20)


def imports(results):
    for row in results["imports"]:
        yield Verdict("import clear_attention: seconds above TensorFlow", row["import clear_attention"], 0.15)


def said(passes):
    return {"forward": "forward", "both": "with gradients"}[passes]


def spoken(mask):
    return {"none": "no mask"}.get(mask, mask)


def plainly(peer):
    return {"ours graph": "the plain function", "ours": "the plain function", "keras.ops graph": "keras.ops"}.get(
        peer, peer
    )


def text(results):
    found = verdicts(results)
    lines = [f"{'met ' if v.met else 'MISS'}  {v.measured:6.3f} (goal {v.goal:.3f})  {v.what}" for v in found]
    return "\n".join([*lines, f"{sum(v.met for v in found)} of {len(found)} goals met"])


# Markdown for the site


def table(header, rows):
    lines = [header, ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def verdict_table(found):
    rows = [(v.what, f"{v.measured:.2f}", f"{v.goal:.2f}") for v in found]
    return table(("What, and against what", "measured", "goal"), rows)


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
    header = ("What", "milliseconds")
    return "\n".join("| " + " | ".join(line) + " |" for line in [header, ("---", "---"), *rows])


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
    lengths = sorted({r["length"] for r in results["memory"] if r["passes"] == passes})
    rows = []
    for length in lengths:
        tried = {r["who"] for r in results["memory"] if (r["passes"], r["length"]) == (passes, length)}
        figures = [(w in tried, megabytes(results, w, passes, length)) for w in who]
        cells = [f"{mb:,.0f}" if mb == mb else "does not fit" if was_tried else "-" for was_tried, mb in figures]
        rows.append((f"{length:,}", *cells))
    return table(("Tokens", *who.values()), rows)
