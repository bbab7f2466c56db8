"""Say what the results mean: each goal with what was measured, met or not. The site uses it too."""

from __future__ import annotations

import itertools
import statistics
from typing import NamedTuple

from benchmarks.texts import LENGTHS, ROW, rows_of

NAN = float("nan")


class Verdict(NamedTuple):
    """One goal: the ratio of ours to theirs (or a figure), what it should be at most, and where it was measured."""

    what: str
    measured: float
    goal: float
    why: str = ""  # what stands in the way, with the measurement that shows it

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
    of_blocks = (blocks_and_floor, long_sequences, groups_of_heads, memory)
    makers = (*of_blocks, plain_and_floor, small_sizes, auto, models, imports)
    return [v for make in makers for v in make(results) if v.measured == v.measured]


def blocks_and_floor(results):
    for length, passes in itertools.product((2048, 4096, 8192), ("forward", "both")):
        cell = times(results, "function", (1, 8, length, 64), "causal", passes)
        name = f"blockwise, causal, {length:,} tokens, {said(passes)}: time of its floor"
        kernel = ratio(cell, "torch", "floor of blocks graph")
        yield Verdict(
            name,
            ratio(cell, "blockwise graph", "floor of blocks graph"),
            1.08,
            f"The floor takes all heads at once. torch's kernel takes {kernel:.2f}.",
        )


def long_sequences(results):
    for passes, goal in {"forward": 0.55, "both": 0.7}.items():
        cell = times(results, "function", (1, 8, 4096, 64), "causal", passes)
        floor = ratio(cell, "floor of blocks graph", "keras.ops graph")
        yield Verdict(
            f"blockwise, causal, 4,096 tokens, {said(passes)}: time of keras.ops",
            ratio(cell, "blockwise graph", "keras.ops graph"),
            goal,
            f"Its floor takes {floor:.2f}.",
        )
    cell = times(results, "function", (1, 8, 16384, 64), "none", "forward")
    name = "blockwise, no mask, 16,384 tokens, forward: time of the plain function"
    yield Verdict(name, ratio(cell, "blockwise graph", "ours graph"), 1.02, "No key is skipped.")


BEFORE = {4096: 190.2, 8192: 330.1, 16384: 690.4, 32768: 1404.4}  # MB, when all heads attended at once
TIMES_BEFORE = {  # of torch, forward and with gradients, on the machine of 2026-11-23
    4096: (1.22, 1.177),
    8192: (1.33, 1.184),
    16384: (1.322, 1.221),
    32768: (1.267, 1.255),
}


def groups_of_heads(results):
    """Compare with the time that all heads at once took, by what torch takes in the same run."""
    for length, before in TIMES_BEFORE.items():
        for passes, ratio_before in zip(("forward", "both"), before, strict=True):
            cell = times(results, "function", (1, 8, length, 64), "causal", passes)
            value = ratio(cell, "blockwise graph", "torch") / ratio_before
            name = f"blockwise, causal, {length:,} tokens, {said(passes)}: time before heads had groups"
            yield Verdict(name, value, 1.03, by_floor(cell))


def by_floor(cell):
    """Say what is known of a time of blocks that is too long."""
    floor = ratio(cell, "blockwise graph", "floor of blocks graph")
    return f"It is {floor:.2f} of its floor." if floor == floor else "Its floor was not measured at this length."


def memory(results):
    def of(who, length, passes="both"):
        return megabytes(results, who, passes, length)

    held = "A few tensors as large as the scores of a block are held, and kernels that oneDNN keeps."
    for length, goal in {16384: 96, 32768: 128, 65536: 192}.items():
        name = f"blockwise, causal, {length:,} tokens, forward: MB"
        yield Verdict(name, of("blockwise", length, "forward"), goal, held)
    for length, before in BEFORE.items():
        name = f"blockwise, causal, {length:,} tokens, with gradients: memory before heads had groups"
        yield Verdict(name, of("blockwise", length) / before, 1 / 3, held)
    for peer in ("ours", "keras.ops"):
        name = f"blockwise, causal, 8,192 tokens, with gradients: memory of {plainly(peer)}"
        yield Verdict(name, of("blockwise", 8192) / of(peer, 8192), 1 / 40, held)


SMALL = ((64, 8, 5, 64), (64, 8, 64, 64), (64, 8, 128, 64), (8, 8, 512, 64))


def plain_and_floor(results):
    """Find for each size the worst of its cells against the floor."""
    for size in (*SMALL, (1, 8, 2048, 64), (1, 8, 4096, 64)):
        value, row = worst(results, "function", [size], "ours graph", "floor graph")
        if row:
            bare = ratio(row["times_ms"], "unchecked graph", "floor graph")
            looks = f"; without the search for NaN {bare:.2f}" if bare == bare else ""
            name = f"function, {size}, worst cell ({place(row)}): time of its floor"
            yield Verdict(name, value, 1.05, f"Two copies of one graph differ by a few per cent{looks}.")


def small_sizes(results):
    """Find for each way to run the worst cell of the small sizes against Keras."""
    for what, ours, theirs in (("function", "ours", "keras.ops"), ("layer", "auto", "keras layer")):
        for mode, goal in {"graph": 0.85 if what == "function" else 0.97, "eager": 1.0, "xla": 1.0}.items():
            value, row = worst(results, what, SMALL, f"{ours} {mode}", f"{theirs} {mode}")
            if not row:
                continue
            same = times(results, "function", tuple(row["size"]), row["mask"], row["passes"])
            bare = ratio(same, f"unchecked {mode}", f"keras.ops {mode}")
            checked = ratio(same, f"ours {mode}", f"keras.ops {mode}")
            name = f"{what}, {mode}, worst cell ({tuple(row['size'])}, {place(row)}): time of {plainly(theirs)}"
            why = "Ours are more operations, which look for NaN and refuse bad input."
            if bare == bare:
                why = f"The search for NaN: in this cell the function takes {checked:.2f}, without it {bare:.2f}."
            yield Verdict(name, value, goal, why)
    for passes, goal in {"forward": 0.75, "both": 0.7}.items():
        value, row = worst(results, "function", SMALL[:1], "ours graph", "keras.ops graph", passes)
        if row:
            few = "At this size every operation costs more than what it computes."
            yield Verdict(f"function, {SMALL[0]}, {said(passes)}, worst mask: time of keras.ops", value, goal, few)
    value, row = worst(results, "layer", SMALL[:1], "auto graph", "keras layer graph", "both")
    if row:
        inside, _ = worst(results, "function", SMALL[:1], "ours graph", "keras.ops graph", "both")
        why = f"The attention inside takes {inside:.2f} of keras.ops; the four projections are the same products."
        yield Verdict(f"layer, {SMALL[0]}, with gradients, worst mask: time of Keras's layer", value, 0.33, why)


def worst(results, what, sizes, ours, theirs, passes=None):
    """Return the largest ratio of some cells and its row; NaN and None if there are none."""
    found = [
        (ratio(row["times_ms"], ours, theirs), row)
        for row in results["attention"]
        if row["what"] == what and tuple(row["size"]) in sizes and passes in (None, row["passes"])
    ]
    return max((pair for pair in found if pair[0] == pair[0]), key=lambda pair: pair[0], default=(NAN, None))


def place(row):
    return f"{spoken(row['mask'])}, {said(row['passes'])}"


def auto(results):
    """Find the worst cell of blockwise="auto", against the better of the two paths."""
    value, where = NAN, ""
    for row in results["attention"]:
        for mode in ("graph", "eager", "xla"):
            cell = row["times_ms"]
            against = [ratio(cell, f"auto {mode}", f"{path} {mode}") for path in ("plain", "blockwise")]
            new = max((r for r in against if r == r), default=NAN)
            if new == new and not new <= value:
                value, where = new, f"{tuple(row['size'])}, {place(row)}, {mode}"
    why = (
        "Below 2,048 tokens it takes the plain path, the very same operations: two copies of one graph differ as much."
    )
    yield Verdict(f'layer, blockwise="auto", worst cell ({where}): time of the better path', value, 1.05, why)


def models(results):
    for row in results.get("training", ()):
        rest = ratio(row["times_ms"], "all but attention", "Keras layers")
        why = "Optimizer, norms, embeddings and loss are the same operations in both."
        if rest == rest:
            why = f"Without any attention Keras's model takes {rest:.2f}: only what lies above that is ours to win."
        yield Verdict(
            f"training step ({row['model']}): time of Keras's layers",
            ratio(row["times_ms"], "clear-attention", "Keras layers"),
            0.85,
            why,
        )
    for row in results.get("decoding", ()):
        value = ratio(row["times_ms"], "cache and XLA", "no cache")
        cached = ratio(row["times_ms"], "cache", "no cache")
        why = f"The cache alone takes {cached:.2f}."
        yield Verdict(f"decoding {row['tokens']} tokens, batch {row['batch']}: time without cache", value, 1 / 25, why)


def imports(results):
    for row in results.get("imports", ()):
        why = f"TensorFlow and Keras took {row['import tensorflow']:.1f} s in the same run."
        yield Verdict("import clear_attention: seconds above TensorFlow", row["import clear_attention"], 0.1, why)


def said(passes):
    return {"forward": "forward", "both": "with gradients"}[passes]


def spoken(mask):
    return {"none": "no mask"}.get(mask, mask)


def plainly(peer):
    names = {"ours graph": "the plain function", "ours": "the plain function", "keras.ops graph": "keras.ops"}
    return names.get(peer, {"keras layer": "Keras's layer"}.get(peer, peer))


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


def missed_table(found):
    """Show goals that are missed, each with what stands in the way."""
    return table(
        ("What, and against what", "measured", "goal", "What stands in the way"),
        [(v.what, f"{v.measured:.2f}", f"{v.goal:.2f}", v.why) for v in found],
    )


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
