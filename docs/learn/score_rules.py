# ---
# title: What else goes into the scores
# description: Where does a dash look that needs nothing? Sink, bias by distance, soft cap and mask, and their order.
# ---

# %% [markdown]
# # What can a score not say?
#
# The date machine writes 2026-05-14. In every answer the fifth letter is a dash, and so is the eighth. So to write a
# dash, it needs nothing from the text. Where does it look, then? Below, the first dash is chosen, and the letters that
# it looked at stand out. Press the other dash, and then some digits:

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import machine, still

model, _ = trained.load("dates")
text, answer = "thursday 14th of may 2026", "2026-05-14"
machine(
    "dates",
    piece="looks",
    text=text,
    at=4,
    without=still(model, text, at=4),
)

# %% [markdown]
# Most digits pick a few letters, and the dashes spread their weight over more. Do the dashes need any of them? We gave
# the machine the text of *another* date. (It is told the right letters so far, as in its training.) The last pair of
# bars is about texts that begin with a whole weekday, which nobody needs:

# %% tags=["hide-input"] alt="Three pairs of bars. Right with the right text: all dashes, and nearly all digits. Right with the text of another date: all dashes, and about a third of the digits. Weight on the weekday: dashes over a quarter, digits about 5 %."
import matplotlib.pyplot as plt
import numpy as np
from clear_attention import create_date_pairs, date_tokenizers
from date_machine import NAMES, percent
from IPython.display import Markdown, display

source, target = date_tokenizers()
texts, dates = create_date_pairs(200, seed=1, split="test")
ids, answers = source.encode(texts, length=34), target.encode(dates)
given, asked = answers[:, :-1], answers[:, 1:]
dash = np.isin(np.arange(11), (4, 7))  # places of the answer
digit = np.arange(11) < 10  # and no end mark
digit[dash] = False


def right(reader, ids):
    """Return the shares of dashes and digits that are right."""
    found = np.argmax(reader((ids, given)), axis=-1) == asked
    return found[:, dash].mean(), found[:, digit].mean()


def looks(reader, name, ids=ids, given=given):
    """Return the weights of one attention, (texts, heads, queries, keys)."""
    return reader((ids, given), return_weights=True).weights[name].numpy()


own, wrong = right(model, ids), right(model, np.roll(ids, 1, axis=0))
days = (*NAMES["days"], *NAMES["tage"])
on_weekday = []
for one, weights in zip(texts, looks(model, "decoder.0.cross"), strict=True):
    for day in days:
        if one.startswith(day):
            there = weights[..., : len(day)].sum(axis=-1).mean(axis=0)
            on_weekday.append((there[dash].mean(), there[digit].mean()))
assert len(on_weekday) > 50
on_weekday = np.mean(on_weekday, axis=0)
evenly = [
    len(day) / len(one) for one in texts for day in days if one.startswith(day)
]
BLUE, ORANGE = "#0072b2", "#d55e00"
shown = {
    "right with\nits own text": own,
    "right with\nanother text": wrong,
    "weight on\nthe weekday": on_weekday,
}
figure, ax = plt.subplots(figsize=(4.6, 2.6), layout="constrained")
for y, each in enumerate(shown.values()):
    for shift, share, colour, kind in zip(
        (-0.2, 0.2), each, (ORANGE, BLUE), ("dashes", "digits"), strict=True
    ):
        ax.barh(y + shift, share, 0.36, color=colour)
        words = f"{share:.0%} of {kind}" if y < 2 else f"{share:.0%}, {kind}"
        ax.text(share + 0.02, y + shift, words, va="center")
ax.set(xlim=(0, 1.55), ylim=(2.6, -0.6), xticks=[])
ax.set_yticks(range(3), shown)
ax.spines[["top", "right", "bottom"]].set_visible(False)
plt.show()
print(f"weight on the weekday if it were spread evenly: {percent(np.mean(evenly))}")
assert own[0] == 1
assert wrong[0] > 0.99 > 0.5 > wrong[1] > 0.25
assert on_weekday[0] > max(0.1, 1.5 * on_weekday[1])

# %% [markdown]
# With a wrong text all dashes are still right, and only about one digit in three. (A digit can be guessed from those
# before it.) And yet a dash looks. It must, because the weights of a query add up to 1. So a weekday gets about as much
# of its weight as if it chose nothing, and clearly more than from a digit.
#
# So a query may want to say: **none of them**. There is more that a score cannot say by itself: how **far** away a key
# is, that it fits **well enough** and more should not count, or that it must **never** be read. A machine could learn
# much of this, at the cost of numbers in its queries and keys. But for each of the four there is a rule that says it
# for nothing, between the product and the softmax. Each one begins with a question.
#
# ## None of them: the sink
#
# The failure you have seen: weights that must go somewhere. A **sink** is one more score in each row, without a key or
# a value, learnt for each head. It takes part in the softmax, and the weight that it gets is thrown away. Say that four
# keys have the same score, and the sink has the score 0. Then it gets $1 / (1 + 4 e^{\text{score}})$ of the weight:
#
# | all four scores | each key gets | the sink gets |
# | --- | --- | --- |
# | 5 | 25.0 % | 0.2 % |
# | 0 | 20.0 % | 20.0 % |
# | -5 | 0.7 % | 97.4 % |
#
# If no key fits, the sink gets nearly all, and the output is nearly 0. Without a sink each key would get 25 % in all
# three cases, because the softmax sees only differences.
#
# That seems to be made for our dash. So another machine was trained, with a sink in every head. What will a dash give
# to the sink: nearly all its weight, a half, or next to nothing? Guess! The bars are means over 200 texts. The dashed
# line says what a letter would give if all scores were 0:

# %% tags=["hide-input"] alt="Eleven bars, what each place of the answer gives to the sink. The first digits of year, month and day have the highest bars, which hardly reach the dashed line. Those of the two dashes are far below it."
plain, plain_record = trained.load("today-buckets")
sister, sister_record = trained.load("today-sinks")
to_sink = 1 - looks(sister, "decoder.0.cross").sum(axis=-1)  # texts, heads, queries
shares = to_sink.mean(axis=(0, 1))
untrained = np.mean([1 / (len(each) + 1) for each in texts])
figure, ax = plt.subplots(figsize=(4.6, 2.5), layout="constrained")
ax.bar(range(11), shares, color=np.where(dash, ORANGE, BLUE))
ax.axhline(untrained, color="0.4", linestyle="--", linewidth=1)
ax.set_xticks(range(11), [*answer, "end"])
ax.set(ylabel="to the sink", xlabel=f"written, as in {answer}")
ax.text(10.6, untrained, "all scores 0", ha="right", va="bottom")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
print(f"a dash gives its sink {percent(shares[dash].mean())}", end=" ")
print(f"(with all scores 0: {percent(untrained)})")

weights = looks(sister, "decoder.0.cross")[:, :, dash]
sinks = sister.decoder.layers[0].cross_attention.attention.sink
kept = sinks.numpy()
ahead = np.log(weights.max(axis=-1) / np.maximum(to_sink[:, :, dash], 1e-6))
best = np.mean(ahead + kept[:, np.newaxis])  # a difference of scores, and a score
print(f"scores: the sink {kept.mean():.1f},", end=" ")
print(f"the letter that fits a dash best {best:.1f}")
sinks.assign(kept + 10)
pushed = 1 - looks(sister, "decoder.0.cross").sum(axis=-1).mean(axis=(0, 1))
with_push = right(sister, ids)
sinks.assign(kept)
print(f"10 more for the sinks: a dash gives {pushed[dash].mean():.0%};", end=" ")
print(f"right: {with_push[0]:.0%} of dashes, {with_push[1]:.0%} of digits")
itself = looks(sister, "decoder.0.self")[
    0, :, 0, 0
]  # in each head, whatever the text
of_start = sister.decoder.layers[0].self_attention.attention.sink.numpy()
at_start, own_score = (
    1 - itself.mean(),
    np.mean(of_start + np.log(itself / (1 - itself))),
)
print(f"the start mark gives its sink {at_start:.0%}; scores: the sink", end=" ")
print(
    f"{of_start.mean():.1f}, the start mark itself {own_score:.1f}".replace(
        "-", "−"
    )
)

assert abs(plain_record["exact"] - sister_record["exact"]) < 0.02
assert shares[dash].max() < 0.5 * untrained
assert shares.max() < 1.3 * untrained
assert {*np.argsort(shares)[-3:]} == {0, 5, 8}
assert 4 < best < 7  # about 5
assert np.abs(kept).max() < 1
assert pushed[dash].min() > 0.85
assert with_push[0] > 0.98 > 0.85 > with_push[1]
assert at_start > 0.65
assert own_score < of_start.mean() - 0.5
assert right(sister, np.roll(ids, 1, axis=0))[0] > 0.99  # whatever it fetches
for score, key, sink in ((5, 25.0, 0.2), (0, 20.0, 20.0), (-5, 0.7, 97.4)):
    powers = 1 + 4 * np.exp(score)
    np.testing.assert_allclose(100 / powers, sink, atol=0.05)
    np.testing.assert_allclose(100 * np.exp(score) / powers, key, atol=0.05)

# %% [markdown]
# Next to nothing! The dash, which needs no letter, gives its sink even less than if all scores were 0. (The first
# digits of year, month and day give it most. Why, we do not know.) Can't a dash use its sink? It can: add 10 to the
# scores of these sinks, and the dashes give them nearly all of their weight, and are still right. (For the digits that
# is too much.)
#
# So the training probably had no reason to use it. It changes a number if this makes the right letter more probable,
# and a dash is right anyway. In the meantime the scores have grown, and against a letter with a score of about 5 a sink
# near 0 gets little.
#
# Elsewhere this machine *does* use a sink. When the answer looks at itself, the start mark has only itself to look at,
# and what it would fetch there it already has. With scores of 0 the sink would get a half. It gets clearly more,
# because the machine has learnt a lower score for the start mark. A sink is an offer and no command.
#
# ## By distance: a bias
#
# The next failure you know: a machine [without positions](positions.py) reads a text as a bag of letters. One remedy
# was to turn queries and keys. Here is a simpler one, which the machine with the sinks has, too. To each score of
# self-attention a number is added that depends only on *how far* the key stands from the query, and on which side. It
# is called a **bias**. (The vector that is added after a product with a matrix only has the same name.) All three
# machines were trained equally long, and the last one has two lines:

# %% tags=["hide-input"]
_, bag_record = trained.load("dates-no-positions")
_, added_record = trained.load("dates-brief")
lines = [
    "| machine | dates right |",
    "| --- | --- |",
    f"| without positions | {percent(bag_record['exact'])} |",
    f"| with positions that are added | {percent(added_record['exact'])} |",
    f"| with a number by distance | {percent(plain_record['exact'])} |",
    f"| the same, and texts 40 places further right | {percent(plain_record['shifted'][-1])} |",
]
display(Markdown("\n".join(lines)))
for record in (added_record, plain_record):
    assert bag_record["steps"][-1] == record["steps"][-1]
assert bag_record["exact"] < 0.3 < 0.95 < added_record["exact"]
assert min(plain_record["exact"], *plain_record["shifted"]) > 0.97

# %% [markdown]
# Because only distances count, it does not matter where in the row a text begins. Here is what each head of the encoder
# has learnt to add. Where its line is high, a head likes to look. So head 4 likes best to look four to six places to
# the right, and likes least the letter on its left:

# %% tags=["hide-input"] alt="Four small pictures, one for each head of the encoder: what is added to a score, against the distance of the key from -24 to 24. The lines differ much from head to head, and change most near 0."
from clear_attention import alibi_bias

bias = plain.encoder.layers[0].self_attention.attention.position_bias
distances = np.arange(-24, 25)
added = bias(distances).numpy()
figure, axes = plt.subplots(
    2, 2, figsize=(4.6, 3.2), layout="constrained", sharex=True, sharey=True
)
for number, (ax, line) in enumerate(zip(axes.flat, added, strict=True), start=1):
    ax.plot(distances, line, ".-", color=BLUE, markersize=3)
    ax.axvline(0, linewidth=0.8, color="0.5")
    ax.axhline(0, linewidth=0.8, color="0.8")
    ax.set_title(f"head {number}", size=10)
    ax.spines[["top", "right"]].set_visible(False)
figure.supxlabel("distance of the key: left before, right after", size=10)
figure.supylabel("added to the score", size=10)
plt.show()
assert np.ptp(added, axis=1).max() > 0.5
assert distances[added[3].argmin()] == -1
assert distances[added[3] == added[3].max()].tolist() == [4, 5, 6]
buckets = [0, 1, 2, 3, *[4] * 3, *[5] * 5, *[6] * 8, *[7] * 20]
for side in (1, -1):
    along = bias(side * np.arange(40)).numpy()[0]
    same = along[:, None] == along
    np.testing.assert_array_equal(same, np.equal.outer(buckets, buckets))
np.testing.assert_allclose(
    alibi_bias(4, 2)[:, 1, 0], [-1 / 4, -1 / 16, -1 / 64, -1 / 256]
)

# %% [markdown]
# There are two ways to such numbers:
#
# * **Learnt buckets**, as here and in T5, a Transformer of 2020. Near distances have a learnt number each. Far ones
#   share one, a *bucket*, since it hardly matters whether a letter is 20 or 22 places away. There the lines are flat.
#   Each head has 15 numbers: one for distance 0, and seven for each side.
# * **A straight line**, called **ALiBi**. Each place of distance costs the same price. With four heads the prices are
#   1/4, 1/16, 1/64 and 1/256, so that some heads look near and others far. Nothing is learnt.
#
# ## Well enough: the soft cap { #a-limit-the-soft-cap }
#
# In a training scores grow, because the further the right key is ahead, the more probable is the right letter. How far
# is the highest score ahead of the middle one, when each of three machines looks at the text?

# %% tags=["hide-input"]
import keras
from clear_attention import Transformer

keras.utils.set_random_seed(0)
fresh = Transformer(1, 64, 4, 256, source_vocab=45, target_vocab=14)
largest = []
for reader, steps in (
    (fresh, 0),
    (trained.load("dates-brief")[0], 500),
    (model, 1000),
):
    found = looks(reader, "decoder.0.cross")
    found = np.where(found > 0, found, np.nan)  # without padding
    lead = np.log(np.nanmax(found, axis=-1) / np.nanmedian(found, axis=-1))
    largest.append(lead.max())
    print(
        f"after {steps:4} steps: by {lead.mean():.1f} on average, {lead.max():.1f} at most"
    )
assert largest[0] < 5 < 15 < min(largest[1:])

# %% [markdown]
# And what if one key is ahead by 50, and that was a mistake? The training tries another one, key 2, and raises its
# score by 1. How much does its weight grow? (The second line has a rule that comes next.)


# %%
def softmax(scores):
    powers = np.exp(scores - np.max(scores))
    return powers / powers.sum()


def capped(scores, c=2.0):
    return c * np.tanh(np.array(scores) / c)


for name, rule in {
    "no cap": np.array,
    "a cap of 5": lambda s: capped(s, 5.0),
}.items():
    before, after = softmax(rule([50.0, 0]))[1], softmax(rule([50.0, 1]))[1]
    print(f"{name:10}  weight of key 2: from {before:.2g} to {after:.2g}")
    assert 2.5 < after / before < 2.8
assert softmax(capped([50.0, 1], 5.0))[1] > 0.01 > 1e-20 > softmax([50.0, 1])[1]
assert capped(50.0, 5.0) - capped(49.0, 5.0) < 1e-7

# %% [markdown]
# Both weights become 2.7 times as large. But without a cap the gain is too small to count. (And what would a bias of 2
# change about a lead of 50?) With no score above 5, the same step gains one part in a hundred. A **soft cap** $c$ lets
# no score be larger than $c$ or smaller than $-c$, and leaves small scores nearly as they are:
#
# $$
# \text{score} \;\to\; c \, \tanh\left(\frac{\text{score}}{c}\right)
# $$
#
# The function $\tanh$ runs from -1 to 1, and near 0 it is nearly a straight line. With a cap of 2, a score of 4 becomes
# $2 \cdot \tanh(4/2) = 1.928$, and a score of 1 becomes 0.924. The dashed line shows scores without a cap:

# %% tags=["hide-input"] alt="Score after the cap against the score before it, from -10 to 10, for a cap of 2. Between -1 and 1 the line runs along the diagonal. Then it bends, and it never goes above 2 or below -2. Two dots mark the scores 1 and 4, which become 0.92 and 1.93."
before = np.linspace(-10, 10, 201)
figure, ax = plt.subplots(figsize=(4.6, 2.4), layout="constrained")
ax.plot(before, before, "--", color="0.5", linewidth=1)
ax.plot(before, 2 * np.tanh(before / 2), color=BLUE, linewidth=2)
for height in (-2, 2):
    ax.axhline(height, color="0.7", linewidth=0.8)
for score in (1, 4):
    after = 2 * np.tanh(score / 2)
    ax.plot(score, after, "o", color=BLUE)
    ax.annotate(f"{after:.2f}", (score, after), (score + 0.4, after - 0.9))
ax.set(xlabel="score", ylabel="after a cap of 2", xlim=(-10, 10), ylim=(-4, 4))
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %% [markdown]
# The price: far out the curve is flat. A key at 50 cannot be pushed down, since at 49 its capped score is the same.
# Only the others can catch up.
#
# ## Never: the mask has the last word
#
# The fourth rule you know: a mask forbids a key. One way is to set its score to [minus infinity](masks.py). Some
# programs have applied the cap *after* the mask. What becomes of minus infinity then, if the cap is 2 and the third of
# three keys is hidden? Guess before you read on.

# %%
scores, hidden = np.array([1.0, 0.0, 3.0]), np.array([False, False, True])
capped_first = softmax(np.where(hidden, -np.inf, capped(scores)))
masked_first = softmax(capped(np.where(hidden, -np.inf, scores)))
print("cap, then mask:", capped_first.round(3))
print("mask, then cap:", masked_first.round(3))
assert capped_first[2] == 0 < 0.02 < masked_first[2]

# %% [markdown]
# Minus infinity comes back as -2, a score like any other, and the hidden key is read, without an error. So the mask
# must come after the cap.
#
# ## All four, by hand
#
# In this package the order is: divide by the root, **cap, bias, mask, sink**, softmax. The cap comes before the bias,
# so that it does not make the bias smaller.
#
# Here is a query at the third of four places in a machine that writes, so the fourth key is hidden. A key has four
# numbers, so the root is 2. The cap is 2, each place of distance costs 0.5, and the sink has the score 0:
#
# | step | key 1 | key 2 | key 3 | key 4 | sink |
# | --- | --- | --- | --- | --- | --- |
# | query · key | 8 | 2 | 0 | 18 | |
# | divided by 2 | 4 | 1 | 0 | 9 | |
# | capped | 1.928 | 0.924 | 0 | 2.000 | |
# | bias | -1 | -0.5 | 0 | -0.5 | |
# | sum | 0.928 | 0.424 | 0 | hidden | 0 |
# | $e^{\text{sum}}$ | 2.530 | 1.528 | 1 | 0 | 1 |
# | weight | 0.418 | 0.252 | 0.165 | 0 | 0.165 |
#
# The powers add up to 6.058, by which each is divided. With the values 10, 20, 30 and 40 the output is $4.176 +
# 5.046 + 4.952 = 14.174$. The package says:

# %%
from clear_attention import scaled_dot_product_attention

q = np.array([[2.0, 2, 2, 2]])
k = np.array([[1.0, 1, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0], [3, 2, 2, 2]])
v = np.array([[10.0], [20.0], [30.0], [40.0]])
output, weights = scaled_dot_product_attention(
    q,
    k,
    v,
    mask=np.array([[0, 0, 0, 1]]),
    bias=np.array([[-1, -0.5, 0, -0.5]]),
    softcap=2.0,
    sink=np.float64(0),
)
print("products", (q @ k.T)[0])
print("weights", weights[0].numpy().round(3), " output", output[0].numpy().round(3))

# %% [markdown]
# ## One rule after the other
#
# Here is the same query. At first only the root is ticked, the division by 2. Tick the other rules, and look at the
# weights. But predict first:
#
# 1. Key 4 gets nearly everything. Tick the cap, and move it. Can a cap, however small, make another key win?
# 2. Set the cap back to 2, and tick the bias. At which price does the query look most at its own place, key 3? Untick
#    the cap. Does the slider still reach such a price?
# 3. Set the price back to 0.5. Tick the cap again, the mask, and then the sink. What does the sink do to the output?
# 4. Tick "mask before the cap". What becomes of key 4?

# %% tags=["live", "remove-input"]
from live import touch

np.testing.assert_array_equal((q @ k.T)[0], [8, 2, 0, 18])
np.testing.assert_allclose(weights[0], [0.418, 0.252, 0.165, 0], atol=5e-4)
np.testing.assert_allclose(output[0], [14.174], atol=5e-4)
np.testing.assert_allclose(capped(np.array([4.0, 1.0])), [1.928, 0.924], atol=5e-4)
place_costs = np.abs(np.arange(4) - 2)


def wins(price=0.0, **options):
    bias = -price * place_costs[np.newaxis]
    found = scaled_dot_product_attention(q, k, v, bias=bias, **options).weights
    return 1 + int(np.argmax(found))


assert {wins(softcap=cap) for cap in (1.0, 2.0, 5.0, 10.0)} == {4}
assert wins(1.75, softcap=2.0) == 4 != wins(2.0, softcap=2.0) == 3
assert wins(8.75) == 4 != wins(9.25) == 3
touch(
    "rules",
    "<p>With a root of 2, a cap of 2, a price of 0.5 for each place, a mask and a sink, the keys get "
    + ", ".join(f"{weight:.2f}" for weight in weights[0].numpy())
    + f" of the weight, and the output is {output[0, 0]:.2f}.</p>",
    products=[8, 2, 0, 18],
    values=[10, 20, 30, 40],
    place=2,
    hidden=3,
    root=2,
    cap=2,
    price=0.5,
    sink=0,
    scaled=True,
    capped=False,
    biased=False,
    masked=False,
    sunk=False,
    early=False,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. No. A larger score stays larger under the cap. The scores only come nearer to each other.
# 2. With the cap, key 4 is ahead of key 3 by a little less than 2, so a price of 2 is just enough. Without it key 4 is
#    ahead by 9, and the slider does not go so far. Under a cap a bias still counts.
# 3. The sink makes it smaller, because now the weights of the keys add up to less than 1.
# 4. It is read again, if only a little, because the cap has made -2 of minus infinity. (With the bias it is -2.5.)
#
# </details>
#
# ## Your machine so far
#
# Your [`softmax`](multi_head.py#your-machine-so-far), which knows the mask, as the one above does not, gets the sink,
# and your `attention` the cap and the bias. Fill in the three places:
#
# ```python
# def softmax(scores, mask, sink=-np.inf):
#     powers = np.where(mask == 1, 0, np.exp(scores))
#     # The sink has a power, and no value:
#     sums = powers.sum(axis=-1, keepdims=True) + ...
#     return powers / np.where(sums == 0, 1, sums)
#
#
# def attention(q, k, v, mask=0, bias=0.0, cap=None, sink=-np.inf):
#     scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
#     if cap is not None:
#         scores = ...
#     return softmax(..., mask, sink) @ v
# ```


# %% tags=["answer"]
def softmax(scores, mask, sink=-np.inf):
    powers = np.where(mask == 1, 0, np.exp(scores))
    sums = powers.sum(axis=-1, keepdims=True) + np.exp(sink)
    return powers / np.where(sums == 0, 1, sums)


def attention(q, k, v, mask=0, bias=0.0, cap=None, sink=-np.inf):
    scores = q @ np.swapaxes(k, -1, -2) / np.sqrt(k.shape[-1])
    if cap is not None:
        scores = cap * np.tanh(scores / cap)
    return softmax(scores + bias, mask, sink) @ v


yours = attention(
    q,
    k,
    v,
    mask=np.array([[0, 0, 0, 1]]),
    bias=np.array([[-1, -0.5, 0, -0.5]]),
    cap=2.0,
    sink=0.0,
)
np.testing.assert_allclose(yours, output, atol=1e-6)
nothing_left = attention(q, k, v, mask=np.ones((1, 4)))  # without a sink
np.testing.assert_array_equal(nothing_left, [[0.0]])
print("your attention has a cap, a bias and a sink")

# %% [markdown]
# Minus infinity stands for no sink, because its power is 0.
#
# ## Who found this, and when
#
# Xiao and others (2023) wanted a language model to chat without end, and let it forget the oldest letters. As soon as
# the very first ones were gone, it wrote nonsense. They found that large models put much weight on the first words of a
# text, whatever these are, and called these *attention sinks*. With four of them kept, the model went on for millions
# of words. In 2025 gpt-oss was trained with a learnt sink for each head.
#
# T5 (Raffel and others, 2020) learnt its bias in buckets. Press and others (2022) found that a straight line, which
# learns nothing, reads texts longer than those of the training. Still, most models of today turn queries and keys,
# before a fast program for attention begins. A bias must be added to every score inside it. Gemma 2 (2024) had a soft
# cap to keep its training stable. Gemma 3 (2025) normalizes queries and keys instead.
#
# ## Exercises
#
# ### Exercise 1
#
# Somebody hides keys with a bias of -1,000,000,000 in place of a mask. There are two queries and three keys, and all
# products are equal. For the first query the last key is hidden, and for the second all three are. Which of the two
# rows of weights differs from that with a mask, and how?

# %% tags=["answer"]
hide = np.array([[0, 0, -1e9], [-1e9, -1e9, -1e9]])
three = np.ones((3, 1))
by_bias = scaled_dot_product_attention(three[:2], three, three, bias=hide).weights
by_mask = scaled_dot_product_attention(three[:2], three, three, hide < 0).weights
print("bias:", by_bias.numpy().round(3).tolist())
print("mask:", by_mask.numpy().round(3).tolist())
np.testing.assert_allclose(by_bias[1], 1 / 3, atol=1e-6)
assert not np.any(by_mask[1])

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Which?</summary>
#
# The second, which is an [empty row](masks.py#queries-with-no-key-left). All its scores are equally low, so all its
# keys get the same weight, and what should be hidden is read. Only a mask says no.
#
# </details>
#
# ### Exercise 2
#
# Four keys have the score 0 each. Which score must the sink have to get half of the weight? And with a thousand such
# keys? Guess first.

# %% tags=["answer"]
for keys in (4, 1000):
    score = np.log(keys)
    share = np.exp(score) / (np.exp(score) + keys)
    print(f"{keys:4} keys: a sink of {score:.2f} gets {share:.0%}")
    assert np.isclose(share, 0.5)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why the logarithm?</summary>
#
# The power of the sink must be as large as those of the keys together, which are 1 each. So its score is the logarithm
# of their number.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("score_rules")

# %% [markdown]
# ```self-check
# ? A machine has a sink of score 0. Somebody adds 3 to the bias of every key, near or far. What happens?
# - Nothing, since the softmax sees only differences. | Among the keys nothing changes. But the sink does not get the 3.
# + The sink gets less. | All keys move away from it by 3.
# - The far keys catch up with the near ones. | Then the far ones would have to get more than the near ones.
# ? The cap is 50, and all scores lie between -3 and 3. What does the cap do?
# - It divides all scores by 50. | Inside the tanh it does. But the result is multiplied by 50 again.
# + Next to nothing. | Near 0 the tanh is nearly a straight line, so small scores stay nearly as they are.
# - It makes all scores equal to 50. | 50 is the most that a score can become, and these are far from it.
# ? A machine has a straight line as its bias, and no positions. Its text is moved 100 places to the right, behind padding that is hidden. What becomes of its weights?
# + They stay as they are. | All distances between letters are the same as before.
# - The letters at the right get less, since they are far away. | Far from the beginning, but not from each other.
# - It reads a bag of letters. | It would without the bias. Distances are what tells it the order.
# ```
#
# ## Where to go next
#
# *None of them* is the sink, *by distance* the bias, *well enough* the cap, and *never* the mask, which alone has the
# last word about a key.
#
# **Your machine so far:** half of [the whole Transformer](recap.py#put-together-by-hand), with heads that share their
# keys, and now scores with a sink, a bias and a cap.
#
# With short texts much of a batch is padding. Could several short texts stand in one row?
#
# * [Packed documents](packing.py): several texts in one row that do not read each other.
# * [The museum of bugs](../guides/museum.py#softcap): the cap that lifts the mask.
#
# Read on elsewhere: Raffel and others (2020), [Exploring the Limits of Transfer
# Learning](https://arxiv.org/abs/1910.10683), section 2.1; Press and others (2022), [Train Short, Test
# Long](https://arxiv.org/abs/2108.12409); Xiao and others (2023), [Efficient Streaming Language Models with Attention
# Sinks](https://arxiv.org/abs/2309.17453).
