"""Say what the results mean: each goal with what was measured, met or not. The site uses it too."""

from __future__ import annotations

import itertools
import math
import statistics
from typing import NamedTuple

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
    for (length, goal), passes in itertools.product({2048: 1.08, 4096: 1.08, 8192: 1.0}.items(), ("forward", "both")):
        cell = times(results, "function", (1, 8, length, 64), "causal", passes)
        name = f"blockwise, causal, {length:,} tokens, {said(passes)}: time of its floor"
        chance = ratio(cell, "floor of blocks again graph", "floor of blocks graph")
        kernel = ratio(cell, "torch", "floor of blocks graph")
        again = f"; its second copy takes {chance:.2f}" if chance == chance else ""
        why = f"The floor takes all heads at once{again}. torch's kernel takes {kernel:.2f}.{by_halves(results, cell)}"
        yield Verdict(name, ratio(cell, "blockwise graph", "floor of blocks graph"), goal, why)


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


BEFORE = {4096: 163.0, 8192: 330.1, 16384: 659.8, 32768: 1346.9}  # MB, when all heads attended at once, measured as now
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
            yield Verdict(name, value, 1.0, by_floor(cell) + by_halves(results, cell))


def by_floor(cell):
    """Say what is known of a time of blocks that is too long."""
    floor = ratio(cell, "blockwise graph", "floor of blocks graph")
    return f"It is {floor:.2f} of its floor." if floor == floor else "Its floor was not measured at this length."


def by_halves(results, cell):
    """Say what it would cost to let all heads attend together, with half as many queries in a block."""
    halves = ratio(cell, "halves graph", "floor of blocks graph")
    theirs, ours = (megabytes(results, who, "both", 4096) for who in ("halves", "blockwise"))
    if not halves + theirs + ours < math.inf:
        return ""
    return (
        f" Blocks of half as many queries, in all heads at once, take {halves:.2f} of the floor, but with gradients "
        f"{theirs:.0f} MB instead of {ours:.0f}."
    )


def memory(results):
    def of(who, length, passes="both"):
        return megabytes(results, who, passes, length)

    held = "A few tensors as large as the scores of a block are held, and kernels that oneDNN keeps."
    for length, goal in {16384: 64, 32768: 96, 65536: 128}.items():
        name = f"blockwise, causal, {length:,} tokens, forward: MB"
        yield Verdict(name, of("blockwise", length, "forward"), goal, held)
    for length, before in BEFORE.items():
        name = f"blockwise, causal, {length:,} tokens, with gradients: memory before heads had groups"
        given_back = of("given back", length)
        less = f" Without oneDNN, and with freed memory given back at once, it is {given_back:.0f} MB."
        short = of("short", 512)
        fixed = f" A first call with 512 tokens, nearly all of it for making the graph, takes {short:.0f} MB already."
        why = held + (less if given_back == given_back else "") + (fixed if short == short else "")
        yield Verdict(name, of("blockwise", length) / before, 1 / 3, why)
    for peer in ("ours", "keras.ops"):
        name = f"blockwise, causal, 8,192 tokens, with gradients: memory of {plainly(peer)}"
        yield Verdict(name, of("blockwise", 8192) / of(peer, 8192), 1 / 60, held)


SMALL = ((64, 8, 5, 64), (64, 8, 64, 64), (64, 8, 128, 64), (8, 8, 512, 64))


def plain_and_floor(results):
    """Find for each size the worst of its cells against the floor."""
    for size in (*SMALL, (1, 8, 2048, 64), (1, 8, 4096, 64)):
        value, row = worst(results, "function", [size], "ours graph", "floor graph")
        if row:
            chance = ratio(row["times_ms"], "floor again graph", "floor graph")
            bare = ratio(row["times_ms"], "unchecked graph", "floor graph")
            known = [f"a second copy of the floor takes {chance:.2f} of the first"] if chance == chance else []
            known += [f"without the search for NaN it is {bare:.2f}"] if bare == bare else []
            name = f"function, {size}, worst cell ({place(row)}): time of its floor"
            yield Verdict(name, value, 1.05, "; ".join(known).capitalize().replace("nan", "NaN") + ".")


def small_sizes(results):
    """Find for each way to run the worst cell of the small sizes against Keras."""
    for what, ours, theirs in (("function", "ours", "keras.ops"), ("layer", "auto", "keras layer")):
        for mode, goal in {"graph": 0.85 if what == "function" else 0.97, "eager": 1.0, "xla": 1.0}.items():
            value, row = worst(results, what, SMALL, f"{ours} {mode}", f"{theirs} {mode}")
            if not row:
                continue
            name = f"{what}, {mode}, worst cell ({tuple(row['size'])}, {place(row)}): time of {plainly(theirs)}"
            yield Verdict(name, value, goal, small_why(row, mode, theirs))
    for passes, goal in {"forward": 0.75, "both": 0.7}.items():
        value, row = worst(results, "function", SMALL[:1], "ours graph", "keras.ops graph", passes)
        if row:
            why = small_why(row, "graph", "keras.ops")
            yield Verdict(f"function, {SMALL[0]}, {said(passes)}, worst mask: time of keras.ops", value, goal, why)
    value, row = worst(results, "layer", SMALL[:1], "auto graph", "keras layer graph", "both")
    if row:
        inside, _ = worst(results, "function", SMALL[:1], "ours graph", "keras.ops graph", "both")
        why = f"The attention inside takes {inside:.2f} of keras.ops; the four projections are the same products."
        yield Verdict(f"layer, {SMALL[0]}, with gradients, worst mask: time of Keras's layer", value, 0.33, why)


def small_why(row, mode, theirs):
    """Say what the same cell takes with nothing checked."""
    bare = ratio(row["times_ms"], f"unchecked {mode}", f"{theirs} {mode}")
    if bare == bare:
        return f"The search for NaN: without it the function takes {bare:.2f} here."
    bare = ratio(row["times_ms"], f"floor {mode}", f"{theirs} {mode}")
    if bare == bare:
        return f"Four products and an attention that checks nothing take {bare:.2f} here; the rest is what we check."
    return "Ours are more operations, which look for NaN and refuse bad input."


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


FROM = {"graph": 2048, "eager": 4096}  # tokens: where `blockwise="auto"` begins with blocks, if later keys are hidden


def auto(results):
    """Find the worst cell of blockwise="auto", against the better of the two paths."""
    value, where, why = NAN, "", ""
    for row, mode, better in itertools.product(results["attention"], ("graph", "eager", "xla"), ("plain", "blockwise")):
        new = ratio(row["times_ms"], f"auto {mode}", f"{better} {mode}")
        if new == new and not new <= value:
            value, where = new, f"{tuple(row['size'])}, {place(row)}, {mode}"
            taken = "blockwise" if row["mask"] == "causal" and row["size"][2] >= FROM.get(mode, math.inf) else "plain"
            why = f"Blocks would pay here already; it goes by the length alone, and takes the {taken} path."
            if taken == better:
                why = f"It takes the {taken} path here, the very same operations: chance goes as far."
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
