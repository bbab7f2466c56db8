# ---
# title: The cache
# description: Why a machine that writes computes most letters again and again, which keys and values it may keep, and why. By hand and to touch, with the time that it saves, measured.
# ---

# %% [markdown]
# # What need not be computed twice?
#
# Think of a writer who, before each new letter, copies out all that he has written so far. Nobody would work like that,
# but our machine does. For each new letter, the program of [Writing](writing.py) takes the start mark and the whole
# answer so far, and sends them once more through the decoder, the half that writes. **Read down the staircase, and
# watch how the grey grows:**

# %% tags=["hide-input"] alt="A staircase of letters. Its top row is the start mark alone, and each row below has one letter more, down to the eleventh row: start, 2018-05-03. The last letter of each row is blue: it is new. All others are grey: they went in before."
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import matplotlib.pyplot as plt
import numpy as np
import trained
from clear_attention import date_tokenizers, greedy_search
from examples import numpy_machine as own

BLUE = "#0072b2"
model, _ = trained.load("dates")
source, target = date_tokenizers()
text = source.encode(["3 may '18"], length=34)
written = greedy_search(model, text, max_length=11)[0].numpy()
assert target.decode([written]) == ["2018-05-03"]
letters = ["start", *"2018-05-03"]
sent = [range(step) for step in range(1, 12)]
_, ax = plt.subplots(figsize=(4.6, 3.1), layout="constrained")
for step, places in enumerate(sent, start=1):
    for place in places:
        new = place == step - 1
        ax.text(
            place,
            step,
            letters[place],
            ha="center",
            va="center",
            color=BLUE if new else "0.6",
            weight="bold" if new else "normal",
        )
ax.text(4.6, 2, "goes in for the first time", color=BLUE, weight="bold")
ax.text(4.6, 3, "went in before", color="0.5")
ax.set(xlim=(-0.8, 10.6), ylim=(11.7, 0.3), xticks=[], ylabel="step")
ax.set_yticks(range(1, 12))
ax.spines[:].set_visible(False)
ax.tick_params(length=0)
plt.show()
all_of_them = sum(map(len, sent))
print(f"{all_of_them} letters go in, and {len(sent)} of them for the first time")
assert all_of_them == 66
assert (all_of_them - len(sent)) * 6 == all_of_them * 5  # grey

# %% [markdown]
# **If the machine finds the same again for all that is grey, then five sixths of its work is wasted.** Does it?
#
# ## What does the newest letter need?
#
# In [Attention](attention.py) you computed by hand what y finds in "may". Now imagine that a machine *writes* "may":
# the m and the a are there, and the y has just come. Here is all that you need:
#
# | letter | query | key | value |
# | --- | --- | --- | --- |
# | m | | (2, 0, 2, 0) | (10, 0) |
# | a | | (-2, 1, 0, 3) | (0, 10) |
# | y | (2, 0, 1, 0) | (0, 1, 2, 3) | (10, 10) |
#
# Two fields of the table are empty, and yet nothing is missing: y finds (9.941, 1.244), as in
# [Attention](attention.py). **Nobody needs the queries of earlier letters any more**, because the m and the a asked
# long ago.
#
# Their keys and values *are* needed. But must they be made again? The key of the m is made of the m and its place, and
# neither of these changes when a y comes. So the machine can keep it, as on a shelf. For a new letter it makes one
# query, one key and one value, and takes all other keys and values from the shelf. What is kept there is called the
# **cache** of keys and values, or *KV cache*.
#
# ## A second layer
#
# That was easy, because in layer 1 keys and values are made before anybody looks. In a second layer a key is made of
# what the first layer has *found* for the letter, and to find something, a letter looks at others. Does what the first
# layer found stay the same, too?
#
# For a moment we need an old query once more: that of the m was (1, 0, 0, 1). The [look-ahead mask](causal.py) hides
# later letters from it, so it finds its own value, (10, 0), before the y comes and after it. Without the mask it would
# see the others as well:
#
# | the m sees | it finds |
# | --- | --- |
# | with the mask: m | (10, 0) |
# | without it: m, a | (6.22, 3.78) |
# | without it: m, a, y | (8.14, 6.93) |
#
# **Without the mask, the m finds something else as soon as the y is there.** What does that do to its key in the second
# layer? **Let this machine of two layers write. Then take the look-ahead mask away, and watch which of the kept keys
# and values are no longer true.**

# %% tags=["live", "hide-input"]
from live import touch

k = np.array([[2, 0, 2, 0], [-2, 1, 0, 3], [0, 1, 2, 3]])  # m, a, y
v = 10 * np.array([[1, 0], [0, 1], [1, 1]])
y_asks, m_asks = np.array([[2, 0, 1, 0], [1, 0, 0, 1]])
weights = own.softmax(y_asks @ k.T / 2, 0)
np.testing.assert_allclose(weights @ v, [9.941, 1.244], atol=5e-4)
for seen, finds in ((2, [6.22, 3.78]), (3, [8.14, 6.93])):
    weights = own.softmax(m_asks @ k[:seen].T / 2, 0)
    np.testing.assert_allclose(weights @ v[:seen], finds, atol=5.1e-3)
touch(
    "keeping",
    "<p>For the start mark and ten letters, 66 letters go through the machine if it keeps nothing, and 11 if it keeps"
    " keys and values.</p>",
    letters=letters,
    count=6,
    keep=True,
    masked=True,
)

# %% [markdown]
# **Keys and values may be kept, because no letter sees a later one.** Without the mask, each letter that comes spoils
# what layer 2 has kept. The mask was made for the training, so that nobody peeks. Here it pays a second time.
#
# The text that the decoder reads is there from the start. So in cross-attention keys and values are made only once,
# before the first letter is written.
#
# ## What it saves, and what it costs { #what-a-cache-saves }
#
# So how much time does a cache save? We timed a program that writes 64 letters. Without a cache it wastes even more
# than our staircase: in each step it sends all 65 places, start mark and letters, even those that are still empty, so
# that every step has the same shape, and the program is compiled only once. With a cache it sends one. **How many times
# as fast does a cache make the writing of a single text?**

# %% tags=["live", "hide-input"]
import json
import statistics
from pathlib import Path

from live import bet

results = json.loads(Path("../../benchmarks/results.json").read_text("utf-8"))
ms = {  # for 64 letters, by how many texts are written at once
    row["batch"]: {
        way: statistics.median(times) for way, times in row["times_ms"].items()
    }
    for row in results["decoding"]
}
faster = {batch: row["no cache"] / row["cache"] for batch, row in ms.items()}
assert {row["tokens"] for row in results["decoding"]} == {64}
assert results["machine"]["cores"] == 2
bet(
    "cache/times-as-fast",
    [
        (
            "one text, with a cache",
            round(faster[1], 1),
            "The work that is saved counts for something even here.",
            "A step has costs that do not depend on how many letters go in.",
        ),
    ],
    low=1,
    high=70,
    step=0.5,
    unit=" times",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>

# %% tags=["hide-input"]
from IPython.display import Markdown

lines = [
    "| texts at once | without a cache | with it | speed |",
    "| --- " * 4 + "|",
]
for batch, row in ms.items():
    slow, kept = row["no cache"], row["cache"]
    lines.append(
        f"| {batch} | {slow:,.0f} ms | {kept:,.0f} ms | {slow / kept:.1f} times as fast |"
    )
assert (round(faster[1]), round(faster[64])) == (2, 9)
Markdown("\n".join(lines))

# %% [markdown]
# We measured this on two cores, with the machine of our
# [benchmarks](../about/benchmarks.py#training-decoding-starting).
#
# </details>
#
# **On our two cores, a cache made the writing of a single text about twice as fast.** By the places, it should have
# been 65 times. But each step must still call every operation of the machine once, however few letters go in. With 64
# texts at once it was about nine times: the more there is to compute, the more the cache pays.
#
# A chat program is [half a Transformer](language_model.py#half-a-transformer): question and answer are one text, and
# the cache holds both. All letters of your question go in at once, so you wait for the first word. Then the others come
# quickly.
#
# But the cache has a price. All that is kept must be fetched from memory for each new letter, and Shazeer (2019)
# pointed out that this is what makes a step slow.
#
# And the cache takes room. Nobody knows how long an answer will be. So Kwon and others (2023) hand out the room in
# pages of a few places, as an answer grows. How much room a cache takes, a [later lesson](fewer_keys.py) computes.
#
# This is one step with a cache: keys and values stand on their shelf, and of all else only the row of the newest letter
# is left. **Take the tick away, and the rows that the cache saves come back:**

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("cache")

# %% [markdown]
# ## Your machine so far
#
# Give your machine a cache: `x` is the vector of the newest letter alone, as a matrix of one row, and `cache` holds the
# keys and values so far. It needs no mask, because no later letter is there to be hidden:
#
# ```python
# def look_back(x, cache, W_Q, W_K, W_V):
#     keys, values = cache
#     keys = ...  # with the key of x below
#     values = ...
#     return attention(x @ W_Q, keys, values, mask=0), (keys, values)
# ```


# %% tags=["answer"]
attention, look_ahead = own.attention, own.look_ahead  # those of your machine


def look_back(x, cache, W_Q, W_K, W_V):
    keys, values = cache
    keys = np.vstack([keys, x @ W_K])
    values = np.vstack([values, x @ W_V])
    return attention(x @ W_Q, keys, values, mask=0), (keys, values)


# %%
rng = np.random.default_rng(0)
x = rng.normal(size=(6, 8))  # six letters of eight numbers
W_Q, W_K, W_V = rng.normal(size=(3, 8, 4))
cache, outputs = (np.zeros((0, 4)), np.zeros((0, 4))), []  # nothing is kept yet
for place in range(6):
    output, cache = look_back(x[[place]], cache, W_Q, W_K, W_V)
    outputs.append(output)
at_once = attention(x @ W_Q, x @ W_K, x @ W_V, look_ahead(6))
np.testing.assert_allclose(np.vstack(outputs), at_once)
print("letter by letter, your machine finds what it finds at once")

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# A machine of two layers has written 2018-05-03, and kept everything. Now you change the 8 into a 9. Which keys must it
# compute anew in layer 1, and which in layer 2?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# In layer 1 only the key of the 9, because a key there is made of the letter and its place. In layer 2 the key of the 9
# and those of the six letters after it, because each of them has looked at the 8. The keys of start, 2, 0 and 1 stay.
#
# </details>
#
# ### Exercise 2
#
# You ask a chat program something in 1,000 letters. It reads them in one step, and then it writes 100 letters. How many
# letters go in with a cache, and how many without?

# %% tags=["answer"]
with_cache = 1000 + 99  # the last letter that it writes need not go in
without = sum(1000 + written for written in range(100))
print(f"with a cache {with_cache:,}, without {without:,}")
print(f"that is {without / with_cache:.0f} times as many")
assert (with_cache, without) == (1099, 104_950)

# %% [markdown]
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("cache")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? Why may keys and values be kept while the answer grows?
# - because the matrices that make them no longer change | That is not enough. Without a mask the letters' vectors would change as soon as a letter is added.
# + because no letter of the answer sees a later one | So nothing that is written later changes what was computed for the earlier letters.
# - because the text does not change | That is why the keys of cross-attention can be kept. The answer grows with each step.
# ? Why are queries not kept?
# - They take too much memory. | They would take as much as the keys. But there is no use for them.
# + Only the newest letter asks, and it asks once. | What an earlier letter asked has been answered, and the answer does not change.
# - They change with each new letter. | Those of earlier letters don't.
# ? With a cache your machine hands no look-ahead mask to `attention`. Why does nothing go wrong?
# + When a letter asks, the later ones are not there yet. | The cache holds this letter and the earlier ones. The order of time does what the mask did.
# - The mask is in the cache. | The cache holds keys and values, and nothing else is needed.
# - The weights of later letters are small anyway. | Without a mask a letter would look at later ones, as far as there are any.
# ```
#
# </details>
#
# ## Where to go next
#
# Your machine no longer makes a key or a value twice. But each new letter still looks along the whole shelf. What if a
# novel stands there, with a million letters?
#
# * [Long sequences](long_sequences.py): the matrix that does not fit.
# * [Fewer keys than queries](fewer_keys.py): what if the shelf is too long?
# * [Reference: generation](../reference/generation.md): searches with a cache.
#
# Read on elsewhere: Shazeer (2019), [Fast Transformer Decoding: One Write-Head is All You
# Need](https://arxiv.org/abs/1911.02150); Pope and others (2022), [Efficiently Scaling Transformer
# Inference](https://arxiv.org/abs/2211.05102); Kwon and others (2023), [Efficient Memory Management for Large Language
# Model Serving with PagedAttention](https://arxiv.org/abs/2309.06180).
