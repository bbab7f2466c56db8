"""Time and memory against the length, drawn from the results: the page Benchmarks and a lesson show it."""

from __future__ import annotations

import math
import statistics

import matplotlib.pyplot as plt

STYLES = {  # name in the results: label, colour, marker
    "blockwise": ("blockwise", "#0072b2", "o"),
    "ours": ("plain", "#d55e00", "s"),
    "keras.ops": ("keras.ops", "#cc79a7", "^"),
    "torch": ("torch", "#009e73", "D"),
}


def lines(results):
    """Return seconds and MB, causal, forward and backward, 8 heads, one text: `{who: {length: value}}` each."""
    times, memory = ({who: {} for who in STYLES} for _ in range(2))
    for row in results["attention"]:
        if (row["what"], row["mask"], row["passes"], row["size"][:2]) == ("function", "causal", "both", [1, 8]):
            for who, line in times.items():
                if found := row["times_ms"].get(who if who == "torch" else f"{who} graph"):
                    line[row["size"][2]] = statistics.median(found) / 1000
    for row in results["memory"]:
        if row["who"] in memory and row["passes"] == "both" and row["megabytes"] and row["megabytes"] > 0:
            memory[row["who"]][row["length"]] = row["megabytes"]
    return times, memory


def limit(results, length):
    """Return the seconds of six matrix products and one exponential for each visible weight, at the machine's best."""
    weights = 8 * length * (length + 1) / 2
    products = 6 * 2 * 64 * weights / (results["limits"]["gemm_gflops"] * 1e9)
    return products + weights / results["limits"]["exp_per_second"]


def against_length(results):
    """Draw both, with the limit of the arithmetic as a dashed line, and return the lines."""
    times, memory = lines(results)
    _, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    draw(left, times, "time, in seconds")
    lengths = sorted({n for line in times.values() for n in line})
    left.plot(lengths, [limit(results, n) for n in lengths], "--", color="#808080")
    left.annotate(
        "limit", (lengths[-1], limit(results, lengths[-1])), (5, -4), textcoords="offset points", color="#808080"
    )
    draw(right, memory, "memory, in MB")
    plt.show()
    return times, memory


def draw(ax, lines, title):
    lengths = sorted({n for line in lines.values() for n in line})
    every = [value for line in lines.values() for value in line.values()]
    room = 0.07 * math.log(max(every) / min(every))  # the height of a label
    ends = {who: max(line) for who, line in lines.items() if line}
    floor = {}
    for who in sorted(ends, key=lambda who: lines[who][ends[who]]):
        (label, colour, marker), end = STYLES[who], ends[who]
        ax.plot(*zip(*sorted(lines[who].items()), strict=True), color=colour, marker=marker)
        y = max(math.log(lines[who][end]), floor.get(end, -math.inf))
        floor[end] = y + room
        if end < lengths[-1]:  # a line that stops early gets its name above its end, the others beside it
            place = {"xytext": (-7, 3), "ha": "right", "va": "bottom"}
        else:
            place = {"xytext": (8, 0), "ha": "left", "va": "center"}
        ax.annotate(label, (end, math.exp(y)), textcoords="offset points", color=colour, **place)
    ax.set(xscale="log", yscale="log", xlabel="length", title=title)
    ax.set_xticks(lengths, [f"{n:,}" for n in lengths])
    ax.set_xlim(lengths[0] / 1.2, lengths[-1] * 2)
    ax.set_ylim(top=max(ax.get_ylim()[1], math.exp(max(floor.values()))))  # no name is drawn outside
    ax.minorticks_off()
    ax.spines[["top", "right"]].set_visible(False)
