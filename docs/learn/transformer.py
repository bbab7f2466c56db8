# ---
# title: Training and writing
# description: How a Transformer is trained, from a valley and one nudge to the lines of the program; how it then writes, greedily, by beam or by drawing; why it can be sure and wrong; and what a cache saves.
# slow: true
# ---

# %% [markdown]
# # How is it trained, and how does it write?
#
# Before its training, the machine of all these lessons has every part in its place, and every matrix in it is random. A
# thousand steps later it reads nearly every date. Watch it learn: here are its answers to six texts, kept at every 50th
# step.

# %% tags=["live", "hide-input"]
import re
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from live import touch

model, record = trained.load("dates")
wanted = ["2018-05-03", "2018-05-03", "2018-05-03", "1960-12-22", "2001-03-09", ""]
diary = [answers.tolist() for answers in record["written"]]
first, early, last = (diary[i] for i in (0, 4, -1))
form = re.compile(r"(19|20)\d\d-\d\d-\d\d")
in_form = [all(form.fullmatch(answer) for answer in row[:5]) for row in diary]
good = [sum(a == b for a, b in zip(row, wanted, strict=True)) for row in diary]
assert good[0] == 0
assert good[-1] >= 4
assert good[in_form.index(True)] < good[-1]  # the form comes before the letters
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
# Go slowly through the first 200 steps. Soon its answers begin with 19 or 20, have dashes, and look like dates, and
# most of them are wrong. So what an answer looks like comes first. To find the right letters in the text takes longer.
# Each of these steps is a *nudge* of all its numbers. What is a nudge?
#
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
# end. So an untrained machine should have a loss near 2.6. (Or somewhat more, because it prefers some ids by chance,
# and a preference costs more where it is wrong than it gains where it is right.) The machine itself gives a number of
# any size for each id, a **logit**, of which the softmax makes a probability.

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
# ## A nudge
#
# Now take a single number $w$ of a machine, and let the loss be $(w - 3)^2$. Drawn, this is a valley whose floor is at 3.
# Now $w$ is 1. There the loss is 4, and the slope of the valley is $2 (w - 3) = -4$. It goes down to the right. So $w$
# is nudged against the slope, by a small share of it, say a tenth: $1 + 0.1 \cdot 4 = 1.4$. There the loss is only
# 2.56. The next nudge starts from 1.4. The share is called the *learning rate*. Which learning rate is the fastest, and
# which is too large?

# %% tags=["live", "hide-input"]
from live import touch

assert round((3 * 1.01) ** 2, 2) == 9.18  # the nudge of 0.01 above
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
# With 0.5 one nudge is enough, because this valley is so simple. Above 0.5 each nudge jumps across to the other side,
# and above 1 it lands higher than it was.
#
# Our machine has 121,422 such numbers, and one loss: the mean over a *batch* of 64 dates. Each number has a slope of
# its own. All the slopes together are called the *gradient*, and TensorFlow finds them in one go, by walking backwards
# through the calculation. Then all numbers are nudged at once. That is one step of the thousand.
#
# <details class="lesson-more" markdown="1"><summary>How does one find a slope by walking backwards?</summary>
#
# Let a number $w$ be multiplied by 3, and let the loss be the square of the result: $r = 3w$, and the loss is $r^2$. A
# small change of $r$ changes the loss by $2r$ times as much. (That is the slope of a square.) A small change of $w$
# changes $r$ by 3 times as much. So a small change of $w$ changes the loss by $3 \cdot 2r$ times as much: that is its
# slope. For $w = 1$ we have $r = 3$, a loss of 9 and a slope of 18. Try it: $w = 1.01$ gives $3.03^2 = 9.18$, which is
# 0.18 more for a change of 0.01. However long the calculation is, going backwards means multiplying such factors, one
# for each step on the way. This is the *chain rule*.
#
# </details>
#
# ## Adam
#
# Real valleys are less kind. They are narrow in one direction and wide in another, so that no learning rate suits all
# numbers of a machine at once. **Adam** helps: for each number it remembers how large its slopes usually are, and
# divides its nudge by that. So every number gets a nudge of about the same size, whether its slopes are small or large,
# and the learning rate now *is* that size. Nearly all Transformers are trained with it or with a relative of it.
#
# ## The program
#
# That is all we need for the program that trained our machine. Here are its five lines. `compile` tells the model what
# to make small, the loss, and how, with Adam. `fit` hands it one batch after the other. (What else stands there only
# keeps count.) `x` holds the texts and, for the decoder, the right answers without their last letter. `y` holds the
# right answers without their first one, [one place further](causal.py#one-date-is-eleven-examples).

# %% tags=["source", "hide-input"]
import inspect

from trained import recipes

recipe, inside = inspect.getsource(dates.train), inspect.getsource(recipes.fit)
for start in ("rate =", "adam =", "loss =", "model.compile", "model.fit"):
    (line,) = re.findall(rf"^    ({re.escape(start)}.*)", inside, re.M)
    print(line.replace(", warmup_target", ",\n    warmup_target"))  # a long line
assert "fit(model, (x, y[:, :-1]), y[:, 1:], " in recipe  # as the text says

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>What from_logits means, and the two whole functions</summary>
#
# With `from_logits=True` the loss takes the logits, and does the softmax itself. The functions also keep what is drawn
# above.

# %% tags=["source", "remove-input"]
print(recipe, inside, sep="\n")

# %% [markdown]
# </details>
#
# The first line is strange. The learning rate is not a number but a curve, and it begins at 0. It grows for 150 steps,
# up to `peak`, and then shrinks again to 0, so that the machine can settle. The growing is called **warm-up**. The
# reason given for it is that at first Adam has seen few slopes and judges badly how large they are. Does our machine
# need it? It was trained again without, and then with nudges two and a half times as large, three times each. ("Whole"
# are three more trainings of our machine.) Guess before you look.

# %% tags=["hide-input"]
from trained.ablations import shares

for name in ("whole", "no warm-up", "larger nudges", "larger nudges, no warm-up"):
    print(f"{name:26}", "   ".join(f"{share:.2%}" for share in shares(name)))
assert max(shares("larger nudges, no warm-up")) < min(shares("larger nudges"))

# %% [markdown]
# With small nudges a few more dates are lost without it. With large ones it decides between a good machine and a bad
# one. That is its use: it lets one take larger steps, and large machines are trained with steps as large as they can
# bear.
#
# <details class="lesson-more" markdown="1"><summary>Two more choices: beta_2, and a factor of 8</summary>
#
# * **`beta_2=0.98`**. Adam keeps two running means for each number of the machine, of its slope and of the slope's
#   square, and nudges by the first, divided by the root of the second. `beta_2` says how long the second mean
#   remembers. With 0.98 it remembers about 1 / (1 - 0.98) = 50 steps, with the usual 0.999 about 1,000.
# * **The factor** $\sqrt{d_{\text{model}}}$, here √64 = 8, by which the model itself multiplies its embeddings. They
#   start small, and the positions that are added are about 1 large.
#
# Each was left out, and the machine trained three times:

# %% tags=["hide-input"]
for name in ("whole", "beta_2 of 0.999", "no factor"):
    print(f"{name:26}", "   ".join(f"{share:.2%}" for share in shares(name)))
    assert min(shares(name)) > 0.99

# %% [markdown]
# Neither makes a difference here. They may in larger machines; this one is too small to show it.
#
# </details>
#
# ## Writing, greedy and by beam { #unseen-dates-greedy-and-by-beam }
#
# The machine is trained. Now nobody gives it the right letters. The simplest way to write is **greedy search**: take
# the most probable letter, hand it back to the machine, and go on until the end mark. It never takes a letter back. So
# it can walk into a dead end: a first letter that looks best, and then nothing good to go on with.
#
# Say the first letter is A with 0.6 or B with 0.4, the best that can follow A has 0.3, and the best that can follow B
# has 0.9. Greedy search takes A and ends with $0.6 \cdot 0.3 = 0.18$. With B it could have had $0.4 \cdot 0.9 = 0.36$.
#
# **Beam search** keeps several beginnings at once, here three, and at each step the three best of all their
# continuations. So it would have found B. At the end it has three whole answers, each with its probability.

# %%
written = target.decode(greedy_search(model, unseen_ids, max_length=11))
beams = beam_search(model, unseen_ids, max_length=11, width=3, length_penalty=0.0)
best = target.decode(beams.ids[:, 0])
for name, answers in {"greedy": written, "by beam": best}.items():
    exact = np.mean([a == b for a, b in zip(answers, right, strict=True)])
    print(f"{name:8} {exact:.2%} of 2,000 unseen dates right")
    assert exact > 0.99

# %% [markdown]
# (With `length_penalty=0.0` the probabilities are compared as they are. Otherwise longer answers are helped a little,
# because each letter more makes an answer less probable.)
#
# Here the beam makes no difference: the machine is so sure of each letter that there is no dead end to avoid. In
# translation a small beam finds somewhat better sentences, and a very wide one worse ones (Koehn and Knowles, 2017).
#
# Machines that chat do neither. They *draw* the next letter, or piece of a word, each with its probability, so that
# they do not always say the same. How daring they are is set by a number, the **temperature**: the logits, from which
# the softmax makes the probabilities, are divided by it first. Take the text "3 may". It has no year, so the machine
# has to make one up. At one letter of its answer it is the least sure, and there we let it draw:

# %% tags=["hide-input"]
no_year = source.encode(["3 may"], length=34)
whole_answer = greedy_search(model, no_year, max_length=11)
begun = np.append([[target.start_id]], np.array(whole_answer)[:, :-1], axis=1)
logits = np.array(model((no_year, begun)))[0].astype("float64")  # (11, 14)


def at_temperature(temperature):
    powers = np.exp((logits - logits.max(axis=-1, keepdims=True)) / temperature)
    return powers / powers.sum(axis=-1, keepdims=True)


place = at_temperature(1)[:10].max(axis=-1).argmin()  # the least sure letter
best, second = logits[place].argsort()[:-3:-1]
one, other = (target.decode([[letter]])[0] for letter in (best, second))
print(f"from '3 may' it writes {target.decode(whole_answer)[0]!r}")
print(f"the least sure after {target.decode(begun[:, 1 : place + 1])[0]!r}:")
for temperature in (0.5, 1.0, 2.0):
    p = at_temperature(temperature)[place]
    rest = np.delete(p, [best, second]).sum()
    print(
        f"temperature {temperature}: {one!r} with {p[best]:.2f}, {other!r} with {p[second]:.2f}, "
        f"anything else with {rest:.2f}"
    )
top = [at_temperature(temperature)[place, best] for temperature in (0.5, 1, 2)]
assert top[0] > top[1] > top[2]

# %% [markdown]
# A low temperature makes the likely likelier, and a high one gives the unlikely a chance. Near 0 it is greedy search.
#
# ## Sure and wrong
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
assert sure[1] > 0.8 > sure[2]

# %% [markdown]
# Sometimes. "3 may" has no year, and the machine spreads its bets. But there is no February 30th, and of that it is
# nearly certain. (All years of its training lie between 1950 and 2049. Where a text makes no sense to it, it may leave
# even these.) A probability says how much it [prefers an answer](reading_dates.py#sure-and-wrong), and not whether the
# answer is right.
#
# ## What a cache saves
#
# The look-ahead mask was made for the training. Now it makes us a present. When the machine writes its tenth letter, it
# looks back at the start mark and nine letters. None of these ever saw a later one. So nothing that comes later can
# change what was computed for them, and their keys and values are the same as one step before. Then why compute them
# again, as your `write` of the [last lesson](recap.py#put-together-by-hand) does for each letter? `greedy_search` keeps
# them: this is the **cache**. It writes the same letters with and without (the folded code compares 64 of them). This
# much time it saves for 64 letters:

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
lines = ["| texts at once | without a cache | with it |", "| --- " * 3 + "|"]
for row in results["decoding"]:
    ms = {way: statistics.median(times) for way, times in row["times_ms"].items()}
    slow, kept = ms["no cache"], ms["cache"]
    lines.append(
        f"| {row['batch']} | {slow:,.0f} ms | {kept:,.0f} ms, {slow / kept:.1f} times as fast |"
    )
    assert kept < slow
Markdown("\n".join(lines))

# %% [markdown]
# (Measured with a machine of two layers in each half, twice as wide as ours, on the computer that
# [Benchmarks](../about/benchmarks.py) names.)
#
# <details class="lesson-more" markdown="1"><summary>And XLA?</summary>
#
# Two things make `greedy_search` fast, and they are easily mixed up: the cache, and *XLA*, a compiler that turns the
# whole loop into one program. The table shows the cache alone. [Benchmarks](../about/benchmarks.py) has what both save
# together.
#
# </details>
#
# ## Reading the function { #the-function-read }
#
# The model itself takes ids, and makes its masks by itself. There is nothing in it that the [map](recap.py) does not
# show.
#
# <details class="lesson-more" markdown="1"><summary>The model's own source</summary>
#
# Encode the source, decode the target with what was encoded, project to logits:

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
# Adam is by Kingma and Ba (2014). Warm-up for it, and the two choices in the fold above, are in the first Transformer
# (2017), with hardly a word about why. Beam search is from speech recognition in the 1970s. That trained networks tend
# to be too sure of themselves was measured by Guo and others in 2017.
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
# texts fill 34 places. A book has a million, and each of them would look at each of the others.
#
# * [Long sequences](long_sequences.py): the matrix that does not fit.
# * [Use it in a model of your own](../guides/use_it.py).
# * [Reference: transformer](../reference/transformer.md) and [generation](../reference/generation.md): every argument.
#
# Read on elsewhere: Kingma and Ba (2014), [Adam](https://arxiv.org/abs/1412.6980); Vaswani and others (2017),
# [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 5; Guo and others (2017), [On Calibration of
# Modern Neural Networks](https://arxiv.org/abs/1706.04599).
