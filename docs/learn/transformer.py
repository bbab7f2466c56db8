# ---
# title: The whole Transformer
# description: A Transformer, trained in half a minute to translate dates as people write them; what the shift and a leak are, greedy and beam search, and what a cache saves.
# slow: true
# ---

# %% [markdown]
# # How does a Transformer learn to translate?
#
# **In one sentence:** it is given the right translation, shifted by one token, and has to say at every place what comes
# next; afterwards it is given its own words instead.
#
# ## The formula
#
# $$
# z_t = \operatorname{Decoder}(y_{<t},\, \operatorname{Encoder}(x))
# $$
#
# $$
# p(y_t \mid y_{<t}, x) = \operatorname{softmax}(z_t W + b)
# $$
#
# | symbol | what it is | shape |
# | --- | --- | --- |
# | $x$ | the source: here a date as people write it, letter by letter | `(batch, source_length)` |
# | $t$ | the place of the letter to predict, counted from 1 | a number |
# | $y_{<t}$ | the target so far: a start token, then the letters of the ISO date up to letter $t - 1$ | `(batch, t)` |
# | $z_t$ | what the decoder returns for the last token of $y_{<t}$ | `(batch, d_model)` |
# | $W$, $b$ | one more projection: from a vector of the decoder to one number for each id it may say, the *logits* | `(d_model, target_vocab)`, `(target_vocab,)` |
# | $p$ | the probability of each id at place $t$ | `(batch, target_vocab)` |
#
# ## Tiny numbers: one date, and the shift
#
# "thursday 3rd of may 2018" shall become "2018-05-03". Letters become ids; 0 is padding, 1 start, 2 end.

# %%
import numpy as np
from clear_attention import Transformer, create_date_pairs, date_tokenizers

source_tokenizer, target_tokenizer = date_tokenizers()
source_ids = source_tokenizer.encode(["thursday 3rd of may 2018"])
target_ids = target_tokenizer.encode(["2018-05-03"])
print("source    ", source_ids[0, :8], "...")
print("given     ", target_ids[0, :-1])
print("to predict", target_ids[0, 1:])
assert target_tokenizer.decode(target_ids) == ["2018-05-03"]

# %% [markdown]
# The decoder is *given* the target without its end and has to *predict* the target without its start:
#
# --8<-- "diagrams/shift.svg"
#
# In training all places are computed at once, each with the right letters before it. That is called **teacher forcing**.
# It works only because of the look-ahead mask: without it, the letter to predict lies one step to the right, in plain
# view. The mask is forgotten on purpose below.
#
# ## The model
#
# [`Transformer`][clear_attention.Transformer] takes ids and makes the masks itself. This is its own source: encode, then
# decode with the encoder's output as context.

# %% tags=["source"]
import inspect
import re

docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)  # left out here
masks = (Transformer.source_mask, Transformer.target_mask)
for method in (Transformer.encode, Transformer.decode, *masks):
    print(docstring.sub("", inspect.getsource(method)))

# %% [markdown]
# * `vocabulary_ids` refuses ids that are not in the vocabulary. `begins_with` refuses a target that does not begin with
#   the start token.
# * The embedded ids are multiplied by the root of `d_model`, as in the paper. The embeddings start with numbers of
#   about one over this root. Multiplied, they are about as large as the waves of the positions that are added to them.
# * `source_mask` blocks padding in the source, for the encoder and for the decoder's look at the context. `target_mask`
#   blocks padding in the target, and the future.
# * With `return_weights=True` the encoder and the decoder also return maps: the attention weights of their layers by
#   name. `unpacked` takes apart what they returned, with `None` in the place of maps that nobody asked for.
# * `to_logits` is the last projection of the formula.
#
# ## Training
#
# The model learns from dates in a dozen forms, English and German. Every text has one right answer: with slashes the
# month comes first, with dots the day, and all years lie from 1950 to 2049, so that '00 is 2000. One date in five is kept away from training, in all its forms. `STEPS` times the
# model sees `BATCH` texts drawn at random, each padded to `LENGTH` letters, which is the length of the longest text. The recipe
# below takes about half a minute.
#
# The training ran before this page was built, in a program with a fixed seed. During the training the program recorded
# the share of wrong letters, as an average over all steps so far. The bad beginning counts in this average to the end.
# So the curve ends well above the share that the trained model gets wrong.

# %% tags=["source"] alt="Training curve: the share of wrong letters since the start falls from over one half to a few per cent."
import sys
from pathlib import Path

import clear_attention
import matplotlib.pyplot as plt

# The recipes are in the repository and not in the package, so this cell needs a clone.
root = Path(clear_attention.__file__).parents[2]
sys.path.insert(0, str(root))
import trained
from trained import dates

for name in ("BATCH", "STEPS", "LENGTH"):
    print(f"{name} = {getattr(dates, name)}")
print(f"# {dates.BATCH * dates.STEPS:,} texts in all\n")
for name, size in dates.SIZES.items():
    print(f"{name} = {size}")
assert len("donnerstag, den 20. september 2018") == dates.LENGTH

print("\n" + inspect.getsource(dates.train))
model, record = trained.load("dates")  # trains the model if that was not yet done


def draw(record):
    _, ax = plt.subplots(figsize=(7, 2.6), layout="constrained")
    ax.plot(record["steps"], record["wrong"], color="#0072b2")
    last = record["steps"][-1]
    ax.set(xlabel="step", ylabel="wrong letters, so far", xlim=(0, last), ylim=0)
    ax.spines[["top", "right"]].set_visible(False)
    plt.show()


draw(record)

# %% [markdown]
# ## Unseen dates, greedy and by beam
#
# Now nobody gives it the right letters. [`greedy_search`][clear_attention.greedy_search] begins with the start token,
# takes the most probable letter, gives it back, and goes on until the end token. It never takes a letter back.
# [`beam_search`][clear_attention.beam_search] keeps several beginnings, and returns all of them with their scores. The
# sources are padded to 34 letters, as in training. At most 11 tokens are written: the ten letters of an ISO date and
# the end.

# %%
import datetime

from clear_attention import beam_search, greedy_search

unseen, expected = create_date_pairs(2000, seed=dates.SEED, split="test")
unseen_ids = source_tokenizer.encode(unseen, length=34)
translated = target_tokenizer.decode(
    greedy_search(model, unseen_ids, max_length=11)
)
exact = np.mean([a == b for a, b in zip(translated, expected, strict=True)])
beams = beam_search(model, unseen_ids, max_length=11, width=4)
best = target_tokenizer.decode(beams.ids[:, 0])
exact_beam = np.mean([a == b for a, b in zip(best, expected, strict=True)])
print(f"{model.count_params():,} parameters")
print(
    f"unseen dates right to the last letter: {exact:.2%}, by beam {exact_beam:.2%}\n"
)
assert exact >= 0.99
assert exact_beam >= 0.99


def in_brackets(text, p):
    """The probability of a text, and whether the text is a date at all."""
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return f"{text} ({p:.2f}, no date)"
    return f"{text} ({p:.2f})"


# six texts chosen by hand, some of which may stand among those of the training
hard = ["29. februar '00", "12/11/2010", "12.11.2010", "do, 1.1.1970", "31/12/2018"]
hard += ["sunday, march 14, 1954"]  # write your own; the page needs a clone to run
hard_ids = source_tokenizer.encode(hard, length=34)
beams = beam_search(model, hard_ids, max_length=11, width=3, length_penalty=0.0)
for text, ids, scores in zip(hard, beams.ids, np.exp(beams.scores), strict=True):
    guesses = zip(target_tokenizer.decode(ids), scores, strict=True)
    print(f"{text:22} ->", "  ".join(in_brackets(*guess) for guess in guesses))

# %% [markdown]
# In brackets stands the probability of the whole text. It is `exp` of the score, because with `length_penalty=0.0` the
# score is the logarithm of this probability. Otherwise `beam_search` divides it by a number that grows with the length.
#
# With slashes the month comes first, so "31/12/2018" is no date at all. The model answers nevertheless, and what it
# writes there is marked. A high probability is not a right answer: it says how much the model prefers a text to all
# others, and not that the text is right.
#
# ## Where it looks
#
# Cross-attention says, for each letter of the translation, where in the source the decoder looked. Asked for its weights,
# the model names every map: `encoder.0`, `decoder.0.self`, `decoder.0.cross`. Framed is the place each query looks at
# most. A row is named after the letter that is predicted there; its query is made from the letter before it.

# %% alt="Four heat maps, one for each head. Rows are the letters of 2018-05-03 and the end, columns the letters of thursday 3rd of may 2018. The year's digits look at 2018, the month's at of may, the day's at the 3; dashes and the end look nowhere in particular."
from clear_attention import plot_alignment

text, answer = "thursday 3rd of may 2018", "2018-05-03"
source_ids, target_ids = (
    source_tokenizer.encode([text]),
    target_tokenizer.encode([answer]),
)
logits, maps = model(source_ids, target_ids[:, :-1], return_weights=True)
cross = maps["decoder.0.cross"][0].numpy()  # (heads, target_length, source_length)
figure, axes = plt.subplots(2, 2, figsize=(10, 5.4), layout="constrained")
for head, ax in enumerate(axes.flat):
    plot_alignment(cross[head], text, [*answer, "end"], ax=ax, colour_bar=False)
    ax.set_title(f"head {head}")
    ax.label_outer()
plt.show()

print(f"Share of the weight in {text!r}, mean over the {len(cross)} heads:")
parts = {"weekday": (0, 8), "day": (8, 12), "month": (12, 19), "year": (19, 24)}
for name, rows in {"year": [0, 1, 2, 3], "month": [5, 6], "day": [8, 9]}.items():
    share = {p: cross[:, rows, a:b].sum(-1).mean() for p, (a, b) in parts.items()}
    print(f"{name:5} looks at", ", ".join(f"{p} {w:.0%}" for p, w in share.items()))
    assert max(share, key=share.get) == name

# %% tags=["live", "hide-input"]
sys.path.append("../_site")
from date_machine import machine, still

machine(
    "dates",
    piece="looks",
    text="monday, july 21, 1969",
    without=still(model, "monday, july 21, 1969"),
    title="Here is the same for a date of yours. Press a letter of the answer, or a row of "
    "a map.",
)

# %% [markdown]
# ## A trap: the look-ahead mask forgotten
#
# Many a model that "reaches 100 %" has this bug. One method, `target_mask`, joins the two masks of the decoder's
# self-attention, so one of them is easily lost. Here the padding mask is still there, and the look-ahead mask was
# forgotten. The model is otherwise the same, and a third of the training is enough.

# %% tags=["source"] alt="Training curve of the model without a look-ahead mask: the share of wrong letters falls faster than before."
print(inspect.getsource(dates.Forgetful))

forgetful, record = trained.load("dates-forgetful")
draw(record)

y = target_tokenizer.encode(expected)
print("                        letters, teacher forced   dates, decoded")
for name, candidate in {
    "with look-ahead mask": model,
    "mask forgotten": forgetful,
}.items():
    logits = candidate.predict((unseen_ids, y[:, :-1]), batch_size=500, verbose=0)
    letters = np.mean(logits.argmax(-1) == y[:, 1:])
    decoded = target_tokenizer.decode(greedy_search(candidate, unseen_ids, 11))
    exact = np.mean([a == b for a, b in zip(decoded, expected, strict=True)])
    print(f"{name:24}{letters:23.2%}{exact:17.2%}")
assert letters > 0.99
assert exact == 0

# %% tags=["live", "hide-input"]
from date_machine import comparison

machine(
    "dates",
    "dates-forgetful",
    piece="beside",
    sibling="dates-forgetful",
    without=comparison("dates", "dates-forgetful"),
    title="Both on a date of yours:",
)

# %% [markdown]
# It learned to copy the letter to its right. The accuracy on unseen dates is near-perfect *as long as the answer is
# handed in*. When it has to write by itself there is nothing to its right, and not one date is right. So never believe
# an accuracy that was measured under teacher forcing: decode.
#
# ## What a cache saves
#
# The keys and values of a token do not change when later tokens come, because a token does not see later tokens. So
# keys and values are computed once and kept: in a *cache*, as `greedy_search` has one. Below, an untrained model that
# never says "end" writes 64 tokens with it, and once more with the whole prefix given to the model at each step. The
# tokens must be the same.
#
# How long both take was measured beforehand, with a larger model, for one sentence and for 64 at once. The last number of
# each line is the cached search compiled by XLA, TensorFlow's compiler, which is what `greedy_search` does by itself.
# [Benchmarks](../about/benchmarks.py) names the machine.

# %%
import json
import statistics

writer = Transformer(**dates.SIZES)
writer.build()
silence = np.zeros(writer.target_vocab)
silence[writer.end_id] = -1e9
writer.project_logits.bias.assign(silence)
one = unseen_ids[:1]


def without_cache(model, sources, length):
    """Give the whole prefix to the model at every step."""
    ids = np.full((1, 1), model.start_id, "int32")
    for _ in range(length):
        logits = np.array(model((sources, ids)))[:, -1]
        logits[:, [model.pad_id, model.start_id]] = -np.inf  # never said
        ids = np.append(ids, logits.argmax(-1)[:, None].astype("int32"), axis=1)
    return ids[:, 1:]


written = greedy_search(writer, one, max_length=64)
np.testing.assert_array_equal(written, without_cache(writer, one, 64))
print("the same 64 tokens from both")

results = json.loads((root / "benchmarks/results.json").read_text("utf-8"))
for row in results["decoding"]:
    ms = {way: statistics.median(times) for way, times in row["times_ms"].items()}
    print(
        f"{row['batch']:2} at once: without a cache {ms['no cache']:5.0f} ms,",
        end="",
    )
    print(
        f" with it {ms['cache']:3.0f}, compiled by XLA {ms['cache and XLA']:3.0f}"
    )

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# The model was trained on sources padded to 34 letters. Does the padding matter? Compare with a source that is not padded.

# %% tags=["answer"]
short = source_tokenizer.encode(["3 may 2018"])
padded = source_tokenizer.encode(["3 may 2018"], length=34)
given = target_ids[:, :-1]
np.testing.assert_allclose(model(short, given), model(padded, given), atol=1e-4)
print(short.shape, padded.shape, "the same logits")  # the mask hides all padding

# %% [markdown]
# ### Exercise 2
#
# Hand the model the target without its start token. What does it say?

# %% tags=["answer", "wrap"]
try:
    model(source_ids, target_ids[:, 1:])
except ValueError as error:
    sentence = str(error).split("Arguments")[0]
    # Keras colours its words for a terminal
    print(re.sub(r"\x1b\[\d*m", "", sentence))
else:
    raise AssertionError("a target without a start token was accepted")

# %% [markdown]
# ## Check yourself
#
# ```self-check
# ? The target's ids are `[1, 7, 8, 9, 2]`: start, three letters, end. What is given, and what is to be predicted?
# - given `[1, 7, 8, 9]`, to predict `[1, 7, 8, 9]` | Each token sees itself, so it would only have to be copied.
# - given `[7, 8, 9, 2]`, to predict `[1, 7, 8, 9]` | Backwards: it would say what came before.
# + given `[1, 7, 8, 9]`, to predict `[7, 8, 9, 2]` | At every place the next token, and after the last letter the end.
# ? On unseen dates 99.9 % of the letters are right, teacher forced; by greedy search no date is. Where do you look?
# + at the look-ahead mask | Missing or inverted, it lets the model copy the next letter. When it writes, there is none.
# - at overfitting | That would show under teacher forcing as well, since the dates are unseen.
# - at greedy search: a beam may find the dates | It searches the same probabilities, and these are no use.
# - at the source's padding mask | Without it the source is noisier. That is no reason for near-perfect letters.
# ? Over a cache, ten tokens are done and kept. The eleventh is computed. What happens in self-attention?
# - 11 queries see up to 11 keys | That is without a cache: ten of these rows were computed before.
# - 1 query sees 10 keys | It sees its own token, too: its key is made and kept first.
# - 1 query sees 1 key | That happens if the mask takes the new query for the first token. It is the eleventh, and sees all.
# + 1 query sees 11 keys | Ten that were kept, and its own.
# ```
#
# ## Where to go next
#
# * [The Transformer layer](transformer_layer.py): what happens inside one layer.
# * [Positions](positions.py): why the model knows which letter comes first.
# * [Reference: transformer](../reference/transformer.md) and [generation](../reference/generation.md): every argument.
