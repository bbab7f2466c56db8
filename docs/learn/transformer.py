# ---
# title: Training and writing
# description: How a Transformer is trained, line by line of the recipe, each line tried by leaving it out; how it then writes, greedily and by beam; why it can be sure and wrong; and what a cache saves.
# slow: true
# ---

# %% [markdown]
# # How is it trained, and how does it write?
#
# Before its first step of training, the machine of all these lessons has every part in its place, and every matrix in
# it is random. A thousand steps later it reads 999 dates in a thousand. Watch it learn: here are its answers to six
# texts, kept at every 50th step.

# %% tags=["live", "hide-input"]
import re
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from live import touch

model, record = trained.load("dates")
wanted = ["2018-05-03", "2018-05-03", "2018-05-03", "1960-12-22", "2001-03-09", ""]
first, early, last = (record["written"][i].tolist() for i in (0, 4, -1))
assert last[:5] == wanted[:5]
assert not {*first} & {*wanted}
at_50, at_100 = (record["written"][i].tolist() for i in (1, 2))
assert all(answer.startswith(("19", "20")) and "-" in answer for answer in at_50)
assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", answer) for answer in at_100)
assert sum(a == b for a, b in zip(at_100, wanted, strict=True)) == 1
touch(
    "growth",
    f"<p>“5/3/2018” gives {first[1]} at the start, {early[1]} after 200 steps, and {last[1]} after 1,000.</p>",
    texts=record["diary"].tolist(),
    right=wanted,
    steps=[0, *record["steps"].tolist()],
    written=record["written"].tolist(),
    wrong=[round(float(share), 4) for share in record["wrong"]],
    now=0,
)

# %% [markdown]
# Move to 50, then to 100, then on. At 50 it has learnt that an answer begins with 19 or 20, and that there are dashes
# in it. At 100 every answer has the form of a date, but only one of the five is right. So what an answer looks like
# comes first; to find the right letters in the text takes longer. Each step is a *nudge* of all its numbers. What is a
# nudge?

# %% tags=["hide-input"]
import keras
import numpy as np
from clear_attention import (
    Transformer,
    beam_search,
    create_date_pairs,
    date_tokenizers,
    greedy_search,
)
from trained import dates

source, target = date_tokenizers()
keras.utils.set_random_seed(0)
untrained = Transformer(**dates.SIZES)
untrained.build()

# %% [markdown]
# ## How wrong is it? By hand
#
# To make a machine less wrong, we need a number that says *how* wrong it is. At each place the machine gives a
# probability to each letter that could come next. Only one of them matters: the probability $p$ of the right letter.
# The **loss** is $-\ln p$, the negative logarithm:
#
# | probability of the right letter | loss |
# | --- | --- |
# | 1 | 0 |
# | 0.9 | 0.105 |
# | 0.5 | 0.693 |
# | 1/14: all equally probable | 2.639 |
# | 0.001 | 6.908 |
#
# Certain and right costs nothing, certain and wrong costs a lot. The mean over all places is called the
# *cross-entropy*. There are 14 ids that get a probability: ten digits, the dash, and the marks for padding, start and
# end. So an untrained machine should have a loss near 2.6, or somewhat more, because what it prefers by chance is
# mostly wrong:

# %%
unseen, right = create_date_pairs(2000, seed=1, split="test")
unseen_ids, right_ids = source.encode(unseen, length=34), target.encode(right)
loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
for name, candidate in {"untrained": untrained, "trained": model}.items():
    logits = candidate.predict(
        (unseen_ids, right_ids[:, :-1]), batch_size=500, verbose=0
    )
    print(f"{name:10} loss {loss(right_ids[:, 1:], logits):.4f}")
print(f"all equally probable: {-np.log(1 / 14):.4f}")
assert loss(right_ids[:, 1:], logits) < 0.01

# %% [markdown]
# The machine's last step gives 14 numbers of any size, the *logits*. The softmax that makes probabilities of them is
# part of the loss (`from_logits=True`).
#
# ## A nudge
#
# Now take one number somewhere in the machine, make it a tiny bit larger, and see whether the loss grows or falls. If
# it falls, that was the right way; if it grows, go the other way. Doing this for 121,422 numbers one by one would take
# far too long. The *gradient* gives all the answers in one go, by going backwards through the calculation: for each
# number the slope of the loss.
#
# Backwards goes like this. Let a number $w$ be multiplied by 3, and let the loss be the square of the result: $y = 3w$,
# and the loss is $y^2$. A small change of $y$ changes the loss by $2y$ times as much. (That is the slope of a square.)
# A small change of $w$ changes $y$ by 3 times as much. So a small change of $w$ changes the loss by $3 \cdot 2y$ times
# as much: that is its slope. For $w = 2$ we have $y = 6$ and a loss of 36, and the slope is 36, too. Try it: $w = 2.01$
# gives $6.03^2 = 36.36$, which is 0.36 more for a change of 0.01. However long the calculation is, going backwards
# means multiplying such factors, one for each step on the way; this is the *chain rule*. TensorFlow does it for us.
#
# A nudge uses a *batch* of 64 dates: the loss is their mean, and all numbers are nudged at once. By hand, with one
# number $w$ and a loss of $(w - 3)^2$: at $w = 1$ the loss is 4, and its slope is $2 (w - 3) = -4$. A negative slope
# says "larger is better". So $w$ is nudged against the slope, by a small share of it, say a tenth: $1 + 0.1 \cdot 4 =
# 1.4$. There the loss is 2.56. The next nudge starts from 1.4. The share is called the *learning rate*. Train it
# yourself. Which learning rate is the fastest, and which is too large?

# %% tags=["live", "hide-input"]
from live import touch

assert round((3 * 2.01) ** 2, 2) == 36.36  # the nudge of 0.01 above
w = [1.0]
for _ in range(10):
    w.append(w[-1] - 0.1 * 2 * (w[-1] - 3))
touch(
    "nudge",
    f"<p>With a learning rate of 0.1, w goes {', '.join(f'{x:.2f}' for x in w[:4])} and so on; after ten nudges it is"
    f" {w[-1]:.2f}, and the loss is {(w[-1] - 3) ** 2:.3f}. With 1.1 it goes farther away each time.</p>",
    best=3,
    path=[1],
    rate=0.1,
)

# %% [markdown]
# With 0.5 one nudge is enough here, because the slope of this valley changes by 2 for each step of 1. Above 0.5 each
# nudge jumps across to the other side, and above 1 it lands higher than it was. Real valleys are less kind. They are
# narrow in one direction and wide in another, so that no learning rate suits all numbers of a machine at once.
#
# These are the lines that matter of the program that trained the machine before this page was built. `x` holds the texts
# and, for the decoder, the right answers without their last letter. `y` holds the right answers without their first one,
# [one place further](causal.py#one-date-is-eleven-examples).

# %% tags=["source"]
import inspect

from trained import recipes

recipe, inside = inspect.getsource(dates.train), inspect.getsource(recipes.fit)
for start in ("rate =", "adam =", "loss =", "model.compile", "model.fit"):
    (line,) = re.findall(rf"^    ({re.escape(start)}.*)", inside, re.M)
    print(line.replace(", warmup_target", ",\n    warmup_target"))  # a long line
assert "fit(model, (x, y[:, :-1]), y[:, 1:], " in recipe  # as the text says

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>The two whole functions, which also keep what is drawn above</summary>

# %% tags=["source", "remove-input"]
print(recipe, inside, sep="\n")

# %% [markdown]
# </details>
#
# Three choices in it need an explanation. Does this small machine need them? Each was changed to what is usual or left
# out, and the machine trained again, three times from different random numbers. Guess before you look.
#
# * **`beta_2=0.98`**. Adam keeps two running means for each number of the machine, of its gradient and of the
#   gradient's square, and nudges by the first, divided by the root of the second. So every number gets a nudge of about
#   the same size, whether its gradients are small or large. `beta_2` says how long the second mean remembers. With 0.98
#   it remembers about 1 / (1 - 0.98) = 50 steps, with the usual 0.999 about 1,000.
# * **Warm-up**: the first 150 nudges are small and grow. At the start the means have seen little. `peak` is the largest
#   learning rate, and after it they shrink again to 0 (`CosineDecay`), so that the machine can settle.
# * **The factor** √64 = 8, by which the model itself multiplies its embeddings. They start small, and the positions
#   that are added are about 1 large.

# %% tags=["hide-input"]
from trained.ablations import shares

for name in (
    "whole",
    "beta_2 of 0.999",
    "no warm-up",
    "no factor",
    "larger nudges",
    "larger nudges, no warm-up",
):
    print(f"{name:26}", "   ".join(f"{share:.2%}" for share in shares(name)))
assert max(shares("larger nudges, no warm-up")) < min(shares("larger nudges"))

# %% [markdown]
# Two of the three make no difference here. They may in larger machines; this one is too small to show it. Warm-up
# matters a little. But with nudges two and a half times as large, it decides between a good machine and a bad one. That
# is its use: it lets one take larger steps, and large machines are trained with steps as large as they can bear.
#
# ## Writing, greedy and by beam { #unseen-dates-greedy-and-by-beam }
#
# Now nobody gives it the right letters. The simplest way to write is **greedy search**: take the most probable letter,
# hand it back to the machine, and go on until the end mark. It never takes a letter back. So it can walk into a dead
# end: a first letter that looks best, and then nothing good to go on with.
#
# Say the first letter is A with 0.6 or B with 0.4, the best that can follow A has 0.3, and the best that can follow B
# has 0.9. Greedy search takes A and ends with $0.6 \cdot 0.3 = 0.18$. With B it could have had $0.4 \cdot 0.9 = 0.36$.
#
# **Beam search** keeps several beginnings at once, here four, and at each step the four best of all their
# continuations. So it would have found B. At the end it has four whole answers, each with its probability.

# %%
written = target.decode(greedy_search(model, unseen_ids, max_length=11))
beams = beam_search(model, unseen_ids, max_length=11, width=4)
best = target.decode(beams.ids[:, 0])
for name, answers in {"greedy": written, "by beam": best}.items():
    exact = np.mean([a == b for a, b in zip(answers, right, strict=True)])
    print(f"{name:8} {exact:.2%} of 2,000 unseen dates right")
    assert exact > 0.99

# %% [markdown]
# Here it makes no difference: the machine is so sure of each letter that there is no dead end to avoid. In translation
# a small beam finds somewhat better sentences, and a very wide one worse ones (Koehn and Knowles, 2017).
#
# Machines that chat do neither. They *draw* the next letter, or piece of a word, each with its probability, so that
# they do not always say the same. How daring they are is set by a number, the **temperature**: the logits are divided
# by it before the softmax. Take the text "3 may", which has no year, and an answer that begins with 1. What comes
# second?

# %% tags=["hide-input"]
begun = np.array([[target.start_id, target.encode(["1"])[0, 1]]])
logits = np.array(model((source.encode(["3 may"], length=34), begun)))[0, -1]
nine, zero = target.encode(["90"])[0, 1:3]
drawn = {}
for temperature in (0.5, 1.0, 2.0):
    powers = np.exp((logits - logits.max()) / temperature)
    p = drawn[temperature] = powers / powers.sum()
    print(
        f"temperature {temperature}: a 9 with {p[nine]:.2f}, a 0 with {p[zero]:.2f}, "
        f"anything else with {1 - p[nine] - p[zero]:.2f}"
    )
assert drawn[0.5][nine] > drawn[1.0][nine] > drawn[2.0][nine] > 0.5
assert 1 - drawn[2.0][nine] - drawn[2.0][zero] > 0.04

# %% [markdown]
# A low temperature makes the likely likelier, and a high one gives the unlikely a chance: the softmax gets sharper or
# flatter, as it did with the length of a query in [attention](attention.py). Near 0 it is greedy search.
#
# Does a beam at least show what the machine is torn between? Here are its three best answers to texts unlike those it
# learnt from:

# %%
strange = ["31/12/2018", "february 30th, 2018", "3 may", "hello"]
strange_ids = source.encode(strange, length=34)
beams = beam_search(model, strange_ids, max_length=11, width=3, length_penalty=0.0)
for text, answers, scores in zip(strange, beams.ids, beams.scores, strict=True):
    pairs = zip(target.decode(answers), np.exp(scores), strict=True)
    print(f"{text:20}", "   ".join(f"{answer} ({p:.2f})" for answer, p in pairs))
sure = np.exp(beams.scores[:, 0])
assert sure[0] > 0.8
assert sure[2] < 0.8

# %% [markdown]
# Sometimes. "3 may" has no year, and the machine spreads its bets, even on years that it was never shown. But month 13
# comes with a high probability, as you saw on [the first page](reading_dates.py#sure-and-wrong). A probability says how
# much the machine prefers an answer to other answers. It does not say that the answer is right, and nothing in the
# training taught the machine that a text could be no date.
#
# ## What a cache saves
#
# To write the tenth letter, the decoder looks back at the start mark and nine letters. Their keys and values are the
# same as one step before, because no letter sees a later one, and so nothing that comes later can change them. So
# `greedy_search` computes them once and keeps them: this is the *cache*. Its letters are the same with and without (the
# folded code compares 64 of them).
#
# And the time? Two things make `greedy_search` fast, and they are easily mixed up: the cache, and *XLA*, a compiler
# that turns the whole loop into one program. Here is what the cache saves alone, and what both save together, measured
# with a larger machine on the computer that [Benchmarks](../about/benchmarks.py) names:

# %% tags=["hide-input"]
import json
import statistics
from pathlib import Path

from IPython.display import Markdown

silence = np.zeros(untrained.target_vocab)
silence[untrained.end_id] = -1e9
untrained.project_logits.bias.assign(silence)
one = unseen_ids[:1]

ids = np.full((1, 1), untrained.start_id, "int32")
for _ in range(64):  # without a cache: the whole answer so far, at every step
    logits = np.array(untrained((one, ids)))[:, -1]
    logits[:, [untrained.pad_id, untrained.start_id]] = -np.inf  # never written
    ids = np.append(ids, logits.argmax(-1)[:, None].astype("int32"), axis=1)
np.testing.assert_array_equal(
    greedy_search(untrained, one, max_length=64), ids[:, 1:]
)
print("the same 64 letters")

results = json.loads(Path("../../benchmarks/results.json").read_text("utf-8"))
lines = [
    "| texts at once | without a cache | with it | compiled, too |",
    "| --- " * 4 + "|",
]
for row in results["decoding"]:
    ms = {way: statistics.median(times) for way, times in row["times_ms"].items()}
    slow, kept, compiled = ms["no cache"], ms["cache"], ms["cache and XLA"]
    lines.append(
        f"| {row['batch']} | {slow:,.0f} ms | {kept:,.0f} ms, {slow / kept:.1f} times as fast "
        f"| {compiled:,.0f} ms, {slow / compiled:.0f} times |"
    )
Markdown("\n".join(lines))

# %% [markdown]
# ## Reading the function { #the-function-read }
#
# The model itself takes ids, and makes its masks by itself. Encode the source, decode the target with what was encoded,
# project to logits: there is nothing in it that the [map](recap.py) does not show.
#
# <details class="lesson-more" markdown="1"><summary>The model's own source</summary>

# %% tags=["source"]
docstring = re.compile(r' *r?""".*?"""\n', re.DOTALL)  # left out here
masks = (Transformer.source_mask, Transformer.target_mask)
for method in (Transformer.encode, Transformer.decode, *masks):
    print(docstring.sub("", inspect.getsource(method)))

# %% [markdown]
# `vocabulary_ids` and `begins_with` refuse ids that are not in the vocabulary, and answers that do not begin with the
# start mark. `source_mask` hides padding, `target_mask` padding and the future. With `return_weights=True` the encoder
# and the decoder also return their maps, and `unpacked` takes apart what they returned. `to_logits` is the last
# projection.
#
# </details>
#
# ## Who found this, and when
#
# Adam is by Kingma and Ba (2014). Warm-up for it, a `beta_2` of 0.98 and the factor √d_model are in the first
# Transformer (2017), with hardly a word about why. Beam search is from speech recognition in the 1970s. That trained
# networks tend to be too sure of themselves was measured by Guo and others in 2017.
#
# ## Exercises
#
# ### Exercise 1
#
# The machine was trained on texts padded to 34 letters. Does the padding matter? Compare with a text that is not
# padded.

# %% tags=["answer"]
given = target.encode(["2018-05-03"])[:, :-1]
short, padded = (source.encode(["3 may 2018"], length=n) for n in (None, 34))
np.testing.assert_allclose(model(short, given), model(padded, given), atol=1e-4)
print(short.shape, padded.shape, "the same logits: the mask hides all padding")

# %% [markdown]
# ### Exercise 2
#
# The loss of the trained machine is printed above. If every letter had that loss, how probable would a right letter be?
# And eleven in a row?

# %% tags=["answer"]
logits = model.predict((unseen_ids, right_ids[:, :-1]), batch_size=500, verbose=0)
mean = float(loss(right_ids[:, 1:], logits))
print(f"one letter: {np.exp(-mean):.4f}, eleven: {np.exp(-11 * mean):.4f}")

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Is that the share of right dates?</summary>
#
# Not quite: more dates are right. A letter is written if it is the *most* probable one, and for that 0.6 is as good as
# 0.999.
#
# </details>
#
# ## Check yourself
#
# ```self-check
# ? The target's ids are `[1, 7, 8, 9, 2]`: start, three letters, end. What is given, and what is to be predicted?
# - given `[1, 7, 8, 9]`, to predict `[1, 7, 8, 9]` | Each token sees itself, so it would only have to be copied.
# - given `[7, 8, 9, 2]`, to predict `[1, 7, 8, 9]` | Backwards: it would say what came before.
# + given `[1, 7, 8, 9]`, to predict `[7, 8, 9, 2]` | At every place the next token, and after the last letter the end.
# ? One machine always gives the right letter a probability of 0.9, another 0.999 and 0.5 alternately. Whose mean loss is larger?
# - the first's, since it is never sure | Its loss is 0.105 everywhere. The other's is 0.001 and 0.693 alternately.
# + the second's | Its mean is 0.347. The loss punishes one bad doubt more than it rewards certainty.
# - both are equal | Not even the mean probabilities are: 0.9 and 0.75.
# ? With a cache, ten tokens are done and kept. The eleventh is computed. What happens in self-attention?
# - 11 queries see up to 11 keys | That is without a cache: ten of these rows were computed before.
# - 1 query sees 10 keys | It sees its own token, too: its key is made and kept first.
# - 1 query sees 1 key | That happens if the mask takes the new query for the first token. It is the eleventh, and sees all.
# + 1 query sees 11 keys | Ten that were kept, and its own.
# ```
#
# ## Where to go next
#
# You can now build this machine, train it, let it write, and say how far to trust it. One thing should bother you: our
# texts have 34 letters. A book has a million, and each of them would look at each of the others.
#
# * [Long sequences](long_sequences.py): the matrix that does not fit.
# * [Use it in a model of your own](../guides/use_it.py).
# * [Reference: transformer](../reference/transformer.md) and [generation](../reference/generation.md): every argument.
#
# Read on elsewhere: Kingma and Ba (2014), [Adam](https://arxiv.org/abs/1412.6980); Vaswani and others (2017),
# [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 5; Guo and others (2017), [On Calibration of
# Modern Neural Networks](https://arxiv.org/abs/1706.04599).
