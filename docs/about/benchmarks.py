# ---
# title: Benchmarks
# description: Time and memory of our attention against keras.ops, Keras's layer, torch and JAX, from one committed run, with what we lose.
# ---

# %% [markdown]
# # How fast is it, and against what?
#
# **In short:** on this CPU our function and layer are nearly always quicker than Keras's own in graphs. In eager
# execution and under XLA they lose more often, above all the layer. For long texts blockwise attention needs a small
# share of the plain function's memory. torch's attention is one fused kernel: it needs less memory still, and is often
# quicker than all that is built from TensorFlow's operations.
#
# Nearly every number here was measured by `make bench` on the machine below, and is kept in the repository. The page is
# made from that file, and shows as lost what we lose.

# %% tags=["hide-input"]
import json
import statistics
import sys
from pathlib import Path

from IPython.display import Markdown, display

root = Path.cwd().parents[1]
sys.path.insert(0, str(root))
from benchmarks import report, tables

results = json.loads((root / "benchmarks/results.json").read_text(encoding="utf-8"))
machine, limits = results["machine"], results["limits"]
facts = {
    "date": results["date"],
    "processor": f"{machine['processor']}, {machine['cores']} cores, no GPU used",
    "vectors": f"{machine['vector_bits'] or 'an unknown number of'} bits wide",
    "memory": f"{machine['memory_gigabytes']:.0f} GB",
    "versions": ", ".join(
        f"{name} {number}" for name, number in results["versions"].items()
    ),
    "matrix products": f"{limits['gemm_gflops']:.0f} GFLOP/s large and square, "
    f"{limits['scores_gflops']:.0f} at attention's depth of 64 (TensorFlow, float32)",
    "exponentials": f"{limits['exp_per_second'] / 1e9:.1f} billion a second",
}
display(Markdown(tables.table(("What", "in this run"), facts.items())))

# %% [markdown]
# On another machine only ratios can be expected to be similar. They are medians: the contenders took turns, round after
# round, and rounds in which other processes were busy were thrown away.
#
# ??? note "Freed memory is kept during these measurements, and why you may want that too"
#
#     Memory that a program gives back can go to the system, or stay with the program for the next time. Memory that
#     comes from the system again has to be filled with zeros first, page by page, which costs time. The C library of
#     Linux decides between the two by what was freed before, so the same call can take 39 ms in one process and 66 in
#     another: that was measured here for blockwise attention on (1, 8, 2048, 64), causal, forward. All contenders are
#     measured with freed memory kept. Your own program keeps it too if it is started with
#     `MALLOC_MMAP_THRESHOLD_=33554432 MALLOC_TRIM_THRESHOLD_=67108864` before the command.
#
# ## What did we want, and what came out?
#
# A cell is one size with one mask, forward or with gradients. "Median" and "worst" are our time divided by theirs:
# below 1 we are ahead.

# %% tags=["hide-input"]
rows = []
for what, ours, keras in (
    ("function", "ours", "keras.ops"),
    ("layer", "auto", "keras layer"),
):
    for mode in ("graph", "eager", "xla"):
        pairs = [
            report.ratio(row["times_ms"], f"{ours} {mode}", f"{keras} {mode}")
            for row in results["attention"]
            if row["what"] == what
        ]
        ratios = sorted(ratio for ratio in pairs if ratio == ratio)
        quicker = sum(ratio < 1 for ratio in ratios)
        rows.append(
            (
                f"{what}, {mode}",
                f"{quicker} of {len(ratios)}",
                f"{statistics.median(ratios):.2f}",
                f"{ratios[-1]:.2f}",
            )
        )
from clear_attention.blockwise import BLOCK
from clear_attention.blockwise.blocks import LENGTHS
from clear_attention.blockwise.groups import (
    LARGEST_BLOCK,
    LARGEST_OF_A_HEAD,
    queries_at_once,
)

assert (queries_at_once(BLOCK, lambda size: 4 * 32768), LENGTHS) == (256, 48)
assert queries_at_once(BLOCK, lambda size: 4 * 65536) == 128
assert (LARGEST_BLOCK, LARGEST_OF_A_HEAD) == (16 * 2**20, 32 * 2**20)
won = [of.split() for what, of, *_ in rows if "graph" in what]
assert all(int(of[0]) > 0.85 * int(of[-1]) for of in won)
head = ("Against keras.ops and Keras's layer", "cells won", "median", "worst")
display(Markdown(tables.table(head, rows)))

# %% [markdown]
# We set goals, too. Most are ratios to Keras, to our own earlier code ("before heads had groups"), or to a *floor* that
# is measured in the same run: the same matrix products, one selection for the mask, and one softmax, with nothing
# checked and nothing promised (`benchmarks/floor.py`). No composition of TensorFlow's operations can do much less.
# Where a floor stands twice in the same run, its second copy shows how far chance alone goes.

# %% tags=["remove-input"]
found = report.verdicts(results)
missed = [v for v in found if not v.met]
assert all(v.why for v in missed), [v.what for v in missed if not v.why]
display(
    Markdown(
        f"**{len(found) - len(missed)} of {len(found)} goals are met.** The ones that are missed:"
    )
)
display(Markdown(tables.missed_table(missed)))

# %% tags=["remove-input"]
rows = tables.verdict_table([v for v in found if v.met]).replace("\n", "\n    ")
display(Markdown(f'??? note "The goals that are met"\n\n    {rows}'))

# %% [markdown]
# ### What stops us?
#
# * **torch.** Its attention is one fused kernel: scores, softmax and sum stay in the cache. We compose TensorFlow's
#   operations, each of which reads and writes memory. So no goal is set against torch.
# * **Long sequences.** Under a causal mask a block overwrites the scores at the end of its rows and leaves the others
#   as they are. So it can take less time than its floor, in which a selection copies all of them. But its scores are
#   written to memory, and read again by the softmax and by the product with the values. torch's are not.
# * **The layer from length 128 up.** The products and the softmax are the same as Keras's, and they take nearly all of
#   the time. What we save is the rest.
# * **A training step.** Optimizer, norms, embeddings and loss are the same operations in both models. In a model this
#   small they take most of the time.
# * **Eager execution and XLA.** In eager execution every operation costs Python time, and under XLA it is one more pass
#   that the compiler must join to the others. We have more operations, because we look for NaN and refuse bad input.
# * **Blockwise attention with gradients.** The backward pass computes the scores a second time. Where no key is skipped
#   that is work for nothing, so `blockwise="auto"` waits until the weights would take 2 GiB.
#
# ## How long does attention take?
#
# These are milliseconds of the function in a graph (torch has none, and JAX is compiled). A size is (batch, heads,
# tokens, depth of a head), and the quickest is in bold. "ours" is
# [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention]. Everyone gets the inputs in the layout
# it likes best. A dash means that it was not measured. Forward:

# %% tags=["remove-input"]
GRAPH = {
    "ours graph": "ours",
    "blockwise graph": "blockwise",
    "keras.ops graph": "keras.ops",
}
GRAPH |= {"torch": "torch SDPA", "JAX": "JAX (XLA)"}
display(Markdown(tables.time_table(results, "function", "forward", GRAPH)))

# %% [markdown]
# Forward and backward:

# %% tags=["remove-input"]
display(Markdown(tables.time_table(results, "function", "both", GRAPH)))

# %% [markdown]
# Here is the same under XLA and in eager execution, forward and backward. Against a plain graph, XLA makes ours slower
# at every size here. Forward alone, which is not shown, it makes ours quicker at length 5.

# %% tags=["remove-input"]
OTHERS = {
    f"{who} {mode}": f"{who}, {mode}"
    for mode in ("xla", "eager")
    for who in ("ours", "blockwise", "keras.ops")
}
display(Markdown(tables.time_table(results, "function", "both", OTHERS)))

# %% [markdown]
# ## And a whole layer?
#
# Here [`MultiHeadAttention`][clear_attention.MultiHeadAttention] stands against `keras.layers.MultiHeadAttention` and
# `torch.nn.MultiheadAttention`, in milliseconds, forward and backward with the gradients of all weights. "ours" chooses
# by itself between "plain" (`blockwise=False`) and "blockwise" (`True`).

# %% tags=["hide-input"]
LAYERS = {
    "auto graph": "ours",
    "plain graph": "plain",
    "blockwise graph": "blockwise",
    "keras layer graph": "Keras",
    "torch layer": "torch",
}
EAGER = {"auto eager": "ours", "keras layer eager": "Keras"}
display(Markdown(tables.time_table(results, "layer", "both", LAYERS)))

# %% [markdown]
# The same in eager execution:

# %% tags=["remove-input"]
display(Markdown(tables.time_table(results, "layer", "both", EAGER)))

# %% [markdown]
# ## Attention as it is built today
#
# We compare [shared heads](../learn/fewer_keys.py), taken in groups, with the same heads repeated,
# [a bias](../learn/score_rules.py), given as an array or by distance, with a mask,
# [rotary positions](../learn/turning_positions.py) with none, and [packed rows](../learn/packing.py) with padded ones.
# There are eight heads of depth 64 in float32, and all but torch runs in a graph. The quickest is in bold.

# %% tags=["remove-input"]
display(Markdown(tables.today_table(results)))
display(Markdown(tables.packing_said(results)))

# %% [markdown]
# How large is a cache of 4,096 tokens, for one text and one layer with eight heads of queries of depth 64, in float32?
# These bytes are counted, not measured:

# %% tags=["remove-input"]
from clear_attention import MultiHeadAttention

rows = []
for heads in (8, 2, 1):
    layer = MultiHeadAttention(512, 8, num_key_value_heads=heads)
    cache = layer.create_cache(batch=1, capacity=4096)
    kept = cache.keys.numpy().nbytes + cache.values.numpy().nbytes
    rows.append((heads, f"{kept / 2**20:.0f} MiB", f"{kept // 4096:,}"))
display(Markdown(tables.table(("Heads of keys", "cache", "bytes a token"), rows)))

# %% [markdown]
# ## How much memory?
#
# These are the MB that a first call needs above its inputs and results, causal, on (1, 8, tokens, 64). Each figure is
# the median of up to three processes. Forward and backward, where the gradient of the output is an input, too:

# %% tags=["remove-input"]
WHO = {
    "blockwise": "blockwise",
    "ours": "ours, plain",
    "keras.ops": "keras.ops",
    "torch": "torch SDPA",
}
display(Markdown(tables.memory_table(results, "both", WHO)))

# %% [markdown]
# Forward alone:

# %% tags=["remove-input"]
display(Markdown(tables.memory_table(results, "forward", WHO)))

# %% [markdown]
# Heads attend in groups: as many as have 16 MB of scores together in one block of their queries, or, where that is not
# even five, one at a time, whose block may have 32 MB. A few tensors of that size are held at once: scores and weights,
# and on the way back their gradients. torch's kernel holds none of them: it keeps a few rows in the processor's cache.
# Besides, oneDNN compiles kernels for each length of rows that it meets, and keeps them. That alone took 300 MB at
# 32,768 tokens, until the blocks were made to read rows of at most 48 different lengths.

# %% tags=["remove-input"] alt="Two charts against the length, both axes logarithmic. Left, time: one rising line for each contender, about equally steep, above a dashed line, the limit of the arithmetic; plain attention and keras.ops end where memory ends. Right, memory: plain attention and keras.ops rise three to four times at each doubling, blockwise attention and torch twice."
from benchmarks import pictures

_ = pictures.against_length(results)

# %% [markdown]
# The dashed line is what the arithmetic alone would take: the six matrix products that forward and backward need at
# least, and an exponential for each weight, at the speeds that the machine reached in the same run.
#
# ## Pieces of keys, or whole rows?
#
# [Attention by blocks](../learn/long_sequences.py) could cut the keys as well as the queries, with an online softmax.
# In plain TensorFlow each step of it is a *kernel* of its own, a compiled routine that reads from memory and writes
# back: find the largest score, subtract it, exponentiate, sum, mend what was there. TensorFlow's usual kernels on x86
# processors, oneDNN, have one that does the first four and the division at once. Measured with `make bench-softmax`,
# where one block of 256 queries meets 1,024 keys:

# %% tags=["hide-input"]
from benchmarks.softmax import RESULTS

kept = json.loads(RESULTS.read_text("utf-8"))
print(
    f"{kept['machine']['processor']}, {kept['machine']['cores']} cores, {kept['date']}"
)
for name in ("with oneDNN", "without"):
    ms = kept[name]
    pieces = ms["in_pieces"] / ms["whole_rows"]
    steps = ms["separate_steps"] / ms["softmax"]
    print(
        f"{name:11}  pieces take {pieces:.1f} times as long as whole rows,"
        f" separate steps {steps:.1f} times as long as one softmax"
    )

# %% [markdown]
# So whole rows suit the kernels that TensorFlow uses by itself on these processors, and this package cuts the queries
# only.

# %% [markdown]
# ## And on a GPU?
#
# A card computes quickly and is told slowly what to do. Each operation has to be sent to it, which takes some
# microseconds, and where the next step depends on a result, as at the end of each step of a loop, the processor has to
# wait for the card. So many small steps, which are good for a processor's cache, are bad for a card. Milliseconds of a
# call, forward, with float32 products:

# %% tags=["hide-input"]
kept = root / "benchmarks/gpu.json"
card = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else None


def on_the_card(passes, tf32=False):
    """Show what was measured on a GPU, if it was."""
    if card is None:
        return display(Markdown("*Not yet measured.*"))
    cells = [cell for cell in card["cells"] if cell["tf32"] == tf32]
    who = GRAPH if tf32 else {"unchecked graph": "ours, unchecked"} | GRAPH
    shown = tables.time_table({"attention": cells}, "function", passes, who)
    return display(Markdown(shown))


if card:
    versions = ", ".join(
        f"{name} {number}" for name, number in card["versions"].items()
    )
    print(f"{card['card']} (driver), {card['date']}; {versions}")
on_the_card("forward")

# %% [markdown]
# Forward and backward:

# %% tags=["remove-input"]
on_the_card("both")

# %% [markdown]
# Forward, torch's fused kernel is far ahead. With gradients torch and JAX share the lead, and our function takes about as
# long as keras.ops. Forward alone it takes longer than keras.ops, and at short lengths the reason is the search for NaN:
# "unchecked" is our function with `check_finite=False`, and keeps pace.
#
# The first measurement, earlier on the same day, found something worse. Attention by blocks cut queries and heads for a
# processor's cache on the card as well, and one causal forward pass over 4,096 tokens took 74 ms. Now a block on a GPU has
# up to 1,024 queries and 512 MiB of scores, and it takes the milliseconds in the table. So `blockwise="auto"` goes by
# memory alone there. At 8,192 tokens blocks take about as long as all weights at once, and at 4,096 they need a third of
# the memory:

# %% tags=["remove-input"]
if card:
    long = [
        cell
        for cell in card["cells"]
        if cell["size"][2] >= 4096 and cell["mask"] == "causal" and not cell["tf32"]
    ]
    rows = []
    for cell in long:
        used = [
            cell["megabytes"].get(f"{who} graph") for who in ("blockwise", "ours")
        ]
        shown = [f"{mb:,.0f}" if mb else "-" for mb in used]
        rows.append((f"{cell['size'][2]:,}", report.said(cell["passes"]), *shown))
        if all(used):
            assert used[0] < 0.35 * used[1]  # as the text says
    head = ("Tokens, causal", "passes", "MB by blocks", "all at once")
    display(Markdown(tables.table(head, rows)))

# %% [markdown]
# A GPU can also make its products with *TF32*: each factor keeps 10 bits of its fraction, where float32 has 23.
# TensorFlow does so by itself. With the same cells, forward and backward, in TF32:

# %% tags=["remove-input"]
on_the_card("both", tf32=True)

# %% [markdown]
# The numbers of 8,192 and 16,384 tokens, and those of "unchecked", come from a second program in the same hour. With
# all weights at once, 16,384 tokens in eight heads ended in an error of the card: they have 2³¹ weights. How the tests
# fared there stands on [How it is tested](tests.py#where-were-the-tests-run).

# %% [markdown]
# ## Training, decoding, starting
#
# First comes a training step with the default `fit`: the date Transformer of the [lesson](../learn/training.py), a
# larger one, and the language model of [its lesson](../learn/language_model.py), each against the same model from
# Keras's layers. "All but attention" is Keras's model with its attention taken out. Then comes decoding, with the cache
# and XLA, with the cache alone, and with neither, where everything is computed anew for each token. The tokens that
# come out are the same. Last stand the seconds that you wait for an import, and for the building of this site:

# %% tags=["hide-input"]
rows = []
for row in results["training"]:
    medians = {
        name: statistics.median(times) for name, times in row["times_ms"].items()
    }
    rows += [
        (
            f"training step, {row['model'].removesuffix(' model')} model, {name}",
            f"{ms:.1f} ms",
        )
        for name, ms in medians.items()
    ]
for row in results["decoding"]:
    for name, times in row["times_ms"].items():
        rows.append(
            (
                f"a token, batch {row['batch']}, {name}",
                f"{statistics.median(times) / row['tokens']:.2f} ms",
            )
        )
for row in results.get("writing", ()):
    for name, times in row["times_ms"].items():
        rows.append(
            (
                f"a token of the language model, batch {row['batch']}, {name}",
                f"{statistics.median(times) / row['tokens']:.2f} ms",
            )
        )
for seconds in (*results["imports"], *results.get("site", ())):
    rows += [(name, f"{value:.2f} s") for name, value in seconds.items()]
display(Markdown(tables.table(("What", "median"), rows)))

# %% [markdown]
# The import of clear_attention comes on top of those of TensorFlow and Keras.
#
# ## Measure it on your machine
#
# `make bench QUICK=1` takes two minutes. `make bench` takes about 70 and rewrites `benchmarks/results.json`, from which
# this page is made. Where there is a GPU it also measures the second table, as `make bench-gpu` does alone. Both make an
# environment of their own with torch and JAX beside the locked packages. Keep the machine quiet meanwhile.
