# ---
# title: Causal attention
# description: Writing without peeking. What a machine learns that could see the next letter in training, the look-ahead mask to click and by hand, and both masks together.
# ---

# %% [markdown]
# # Writing without peeking
#
# While a machine is trained, it is given the right letters, and after each of them it must say the next one. The second
# machine below gets 100 of 100 right, as our own does. Yet by itself it cannot write a single date. **Type a date: what
# does each of them write?**

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import (
    create_look_ahead_mask,
    date_tokenizers,
    greedy_search,
    scaled_dot_product_attention,
)
from date_machine import machine, percent, tabled

model, record = trained.load("dates")
forgetful, forgetful_record = trained.load("dates-forgetful")
source, target = date_tokenizers()
text, answer = "thursday 3rd of may 2018", "2018-05-03"
source_ids, target_ids = source.encode([text]), target.encode([answer])
assert forgetful_record["letters"] > 0.995  # 100 of 100
assert forgetful_record["exact"] == 0

kinds = (
    "machine",
    "next letters right, if given those before",
    "writes",
    "unseen dates right",
)
rows = []
for name, reader in {"our machine": model, "second machine": forgetful}.items():
    found = record if reader is model else forgetful_record
    (wrote,) = target.decode(greedy_search(reader, source_ids, max_length=11))
    letters, exact = percent(found["letters"]), percent(found["exact"])
    rows.append((name, letters, wrote or "(nothing)", exact))
machine(
    "dates",
    "dates-forgetful",
    piece="beside",
    sibling="dates-forgetful",
    called={  # the reader is about to find out
        "dates": ("our machine", ""),
        "dates-forgetful": (
            "second machine",
            "something was left out in the training of the second machine",
        ),
    },
    given={"dates": rows[0][1], "dates-forgetful": rows[1][1]},
    without=tabled(kinds, rows),
)

# %% [markdown]
# The second machine writes nothing at all. What happened?
#
# ## One date is eleven examples
#
# In training the decoder is *given* the whole right answer. Nothing comes before the first letter, so a **start mark**
# • is put in front, and everything moves one place to the right:
#
# --8<-- "diagrams/shift.svg"
#
# So one date makes eleven examples at once. This is **teacher forcing**: the machine always goes on from the teacher's
# letters, never from its own.
#
# But look again: what a place must say stands in the lower row, one place to its right. A machine that can look there
# need not read the date. It can copy. The second machine could, because nobody hid that place. So we call it **the
# peeking machine**.
#
# Our machine, beside it, could never peek. **Give both machines the letters of an answer, one by one, up to all ten.
# Watch the last letter that each one says.**

# %% tags=["live", "hide-input"]
from live import touch


def spoken(logits):
    letters = np.argmax(logits, axis=-1)
    return "".join(
        "▪" if x == target.end_id else target.decode([[x]])[0] for x in letters
    )


def said(reader, text, given):
    """Return what a machine says at each place, and how much each looks at the next."""
    result = reader((source.encode([text]), given), return_weights=True)
    peeks = np.diagonal(result.weights["decoder.0.self"][0], 1, 1, 2).max(axis=0)
    return spoken(result.output[0]), peeks.astype(float).round(2).tolist()


known = {
    text: answer,
    "22.12.1960": "1960-12-22",
    "den 7. august 1999": "1999-08-07",
}
states = []
for asked, right in known.items():
    given = target.encode([right])
    lines = {
        name: [said(reader, asked, given[:, : n + 1]) for n in range(11)]
        for name, reader in {"whole": model, "forgetful": forgetful}.items()
    }
    state = {name: [letters for letters, _ in line] for name, line in lines.items()}
    assert [line[-1] for line in state["whole"]] == [*right, "▪"]
    at_last = "".join(letters[-1] for letters in state["forgetful"])
    assert at_last[0] == at_last[10] == "▪"
    assert "▪" not in at_last[1:10]
    assert state["forgetful"][10] == right + "▪"
    peeks = [weights for _, weights in lines["forgetful"]]
    states.append({"text": asked, "answer": right + "▪", **state, "peeks": peeks})

ends = [
    (
        "•" + answer[:n],
        states[0]["whole"][n][-1],
        states[0]["forgetful"][n][-1],
    )
    for n in range(11)
]
touch(
    "given",
    f"<p>What two machines say next, of “{text}”:</p>"
    + tabled(("given", "ours", "peeking"), ends),
    dates=states,
    date=0,
    letters=3,
)

# %% [markdown]
# **The peeking machine cheated: in its training it got every letter right by reading it off at the next place.** Only
# behind all ten letters is there no next place, and there ▪, the end, is always right. So it never had to find any
# other letter that it could not see. Given one to nine letters, it guesses, and half of the time it repeats the last
# one. Given only the start mark, it says ▪. **But a machine that writes never has a next place.** It starts with the
# start mark alone, so it is finished before it has begun.
#
# ## Hide the future
#
# How do we keep a machine from copying? By one rule: **no letter may look at a later one.** It may look at itself,
# because what is asked for is the letter *after* it. The mask for this rule is the *look-ahead mask*. Attention with it
# is called *causal*, because what comes later cannot be a cause.
#
# Here the peeking machine is given the start mark and four letters. (It has four heads, of which the next lesson tells.
# Each row shows the one that peeks most.) In the row • it looks at the 2, and 2 is exactly what • has to say. **Stop
# that: press the cells that must be blocked, until no letter sees a later one.**

# %% tags=["live", "hide-input"]
from live import grid, lab, situation

letters = ["•", *"2018"]
x = forgetful.target_positions(forgetful.embed_target(target_ids[:, :5]) * 8.0)
attention = forgetful.decoder.layers[0].self_attention.attention
q, k, v = (
    project(x)[0].numpy().reshape(5, 4, 16)  # (letters, heads, numbers of a head)
    for project in (
        attention.project_queries,
        attention.project_keys,
        attention.project_values,
    )
)
scores = np.einsum("ihd,jhd->hij", q, k) / 4
weights = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
peeks = np.diagonal(weights, 1, 1, 2).argmax(axis=0)  # for each row, which head
peeks = [*peeks, peeks[-1]]
# A row's query is that of one head, so it stands among zeros; √64 is twice √16.
only = np.zeros_like(q)
only[range(5), peeks] = 2 * q[range(5), peeks]
weights = weights[peeks, range(5)]
assert np.diag(weights, 1).min() > 0.5  # as the text says
lab(
    [
        situation(
            "2018",
            letters,
            only.reshape(5, 64),
            k.reshape(5, 64),
            v[:, 0],
            cellsOnly=True,  # no box that hides the triangle at once
            dare={
                "goal": "causal",
                "says": "Stopped, with ten cells. Now it cannot see what it must say.",
            },
        )
    ],
    grid("Weights of the peeking machine", weights, letters, letters),
    piece="mask",
)

# %% [markdown]
# **The ten blocked cells form a triangle: each letter sees itself and all that came before it.**
#
# Can we now heal the peeking machine, by putting this triangle on it? No. When it writes, nothing stands to its right
# anyway, so the mask has nothing to hide. It has learnt to copy, and hardly to read, and it still writes nothing. **The
# look-ahead mask must be there in the training.**
#
# <details class="lesson-more" markdown="1"><summary>For the curious: what it says with the mask put on</summary>

# %% tags=["hide-input"]
from clear_attention import create_date_pairs

texts, dates = create_date_pairs(200, seed=1, split="test")
ids, wanted = source.encode(texts), target.encode(dates)
masked, _ = trained.load("dates-forgetful")
masked.target_mask = model.target_mask  # which hides what comes later
written = target.decode(
    greedy_search(masked, ids, max_length=11, jit_compile=False)
)
alone = np.mean(np.equal(written, dates))
found = np.argmax(masked((ids, wanted[:, :-1])), axis=-1) == wanted[:, 1:]
assert set(written) == {""}
assert round(100 * found.mean()) == 37
for reader, share in (forgetful, 0.31), (model, 1):  # at the last place, as above
    last = [reader((ids, wanted[:, : n + 1]))[:, -1] for n in range(10)]
    last = wanted[:, 1:11] == np.argmax(last, axis=-1).T
    assert abs(last.mean() - share) < 0.005
    if reader is forgetful:  # half of the time it repeats what it was given last
        again = [reader((ids, wanted[:, : n + 1]))[:, -1] for n in range(1, 10)]
        again = wanted[:, 1:10] == np.argmax(again, axis=-1).T
        assert abs(again.mean() - 0.5) < 0.01
        # place by place it is as blind as at the last one
        np.testing.assert_array_equal(last, found[:, :10])
assert found[:, 10].all()  # the end mark

# %% [markdown]
# We gave it the right letters of 200 unseen dates. With the mask every place is as blind as the last place was before,
# and says what it said when it was the last one. That is right for about 3 of the ten letters of a date, and always
# right for the end mark. So it gets (10 · 0.31 + 1) / 11 = 37 % of the places right.
#
# </details>
#
# ## By hand
#
# What does the mask do to the weights? Take the letters of [attention by hand](attention.py#by-hand-to-the-last-digit).
# The last one, "y", sees everything, so nothing changes for it. The first, "m", sees only itself, and keeps all of its
# weight.
#
# And "a"? It gives "m" the score 2, and itself −2.5. The powers $e^2 = 7.389$ and $e^{-2.5} = 0.082$ add up to 7.471,
# so "m" gets $7.389 / 7.471 = 0.989$. Here are all three, with the softmax that you mended:


# %%
def softmax(scores, mask):
    powers = np.where(mask == 1, 0, np.exp(scores))
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)


x = np.array([[1.0, 0], [0, 1], [1, 1]])  # m, a, y
W_Q = np.array([[1, 0, 0, 1], [1, 0, 1, -1]])
W_K = np.array([[2, 0, 2, 0], [-2, 1, 0, 3]])
W_V = np.array([[10, 0], [0, 10]])


def look_ahead(length):
    return np.triu(np.ones((length, length)), k=1)  # 1 above the diagonal


mask = look_ahead(3)
q, k, v = x @ W_Q, x @ W_K, x @ W_V
weights = softmax(q @ k.T / 2, mask)
output = weights @ v
for name, found in {"mask": mask, "weights": weights, "output": output}.items():
    print(f"{name}\n{found.round(3)}")

# %% tags=["live", "remove-input"]
# The package's functions give the same.
np.testing.assert_array_equal(mask, create_look_ahead_mask(3))
np.testing.assert_allclose(output, scaled_dot_product_attention(q, k, v, mask)[0])
np.testing.assert_array_equal((q @ k.T / 2)[1, :2], [2, -2.5])
powers = np.exp([2, -2.5])
np.testing.assert_allclose([*powers, sum(powers)], [7.389, 0.082, 7.471], atol=5e-4)
np.testing.assert_allclose(weights[:2], [[1, 0, 0], [0.989, 0.011, 0]], atol=5e-4)

# %% [markdown]
# ## The formula
#
# Place $i$ looks at place $j$ with the weight $w_{ij}$, and gets its value $v_j$. The mask is 1 where $j>i$, so the
# output of $i$ is a sum over the places up to $i$: $\sum_{j \le i} w_{ij}\, v_j$.
#
# ## Both masks at once { #both-at-once }
#
# If answers differ in length, the short ones are padded. Then [`combine_masks`][clear_attention.combine_masks] joins
# padding mask and look-ahead mask: it blocks each key that is padding *or* lies in the future:

# %% tags=["hide-input"] alt="A grid with a row for each letter that looks, for 7, 6, 3 and two places of padding. The two columns of the padding are hatched, and everything above the diagonal."
import matplotlib.pyplot as plt
from clear_attention import (
    combine_masks,
    create_padding_mask,
    plot_mask,
)

batch = [[7, 6, 3, 0, 0]]
both = combine_masks(create_padding_mask(batch), create_look_ahead_mask(5))
_, ax = plt.subplots(figsize=(2.5, 2.5), layout="constrained")
plot_mask(both[0], tokens=[str(token or "pad") for token in batch[0]], ax=ax)
for written in list(ax.texts):
    written.remove()  # the picture says it without 0 and 1
plt.show()

# %% tags=["live", "remove-input"]
above = np.triu(np.ones((5, 5)), 1)
padded = np.tile([0, 0, 0, 1, 1], (5, 1))
np.testing.assert_array_equal(both[0, 0], np.maximum(above, padded))

# %% [markdown]
# <details class="lesson-more" markdown="1" id="what-the-first-letters-never-learn"><summary>A question in both directions: the prefix mask</summary>
#
# A chat program gets a question, and writes an answer behind it, all in one row. The question is known from the start,
# so its letters could see each other in both directions. The mask for this is a **prefix mask**, and some models used
# one. Most chat programs do not, and treat the question as causal, too. Here is the prefix mask for a question of two
# letters and an answer of two, so that you can test your own:

# %%
from clear_attention import create_prefix_mask

prefix = create_prefix_mask(4, prefix_length=2)
print(prefix.numpy())

# %% tags=["live", "remove-input"]
np.testing.assert_array_equal(
    prefix[:3], [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1]]
)
np.testing.assert_array_equal(prefix[3], [0, 0, 0, 0])

# %% [markdown]
# </details>
#
# ## A check: change the future
#
# How do you catch a peeking machine before it fails? Change one given letter, and compare what the machine says. **When
# a given letter changes, everything that was said at the places before it must stay.**
#
# <details class="lesson-more" markdown="1"><summary>Test your own</summary>
#
# We change the last given letter, and print the places at which any probability moves, even by a trace. Only the last
# place may move:

# %%
given = target_ids[:, :-1]
changed = given.copy()
changed[0, -1] = target.encode(["7"])[0, 1]  # 2018-05-07 instead of 2018-05-03


def moved(reader):
    """Return the places at which a prediction moves, if only by one bit."""
    one, other = (reader((source_ids, x))[0].numpy() for x in (given, changed))
    return np.flatnonzero(np.any(one != other, axis=-1))


for name, candidate in {"ours": model, "peeking": forgetful}.items():
    print(f"{name:9} moved: {' '.join(map(str, moved(candidate)))}")

# %% tags=["live", "remove-input"]
np.testing.assert_array_equal(moved(model), [10])
np.testing.assert_array_equal(moved(forgetful), range(11))

# %% [markdown]
# </details>
#
# <details class="lesson-more" markdown="1" id="exercise-1"><summary>Two outputs are equal: is it the mask?</summary>
#
# Here three letters are queries, keys and values at once, and two of the three outputs come out equal:

# %%
tokens = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [2, 3, 4, 5]], "float32")
output, weights = scaled_dot_product_attention(tokens, tokens, tokens, mask)
small = scaled_dot_product_attention(*[tokens / 10] * 3, mask).output
print("weights")
print(weights.numpy())
with np.printoptions(precision=2, suppress=True):
    print(f"outputs\n{output.numpy()}\ndivided by 10\n{small.numpy()}")
np.testing.assert_allclose(weights[1, 0], np.exp(-52), rtol=1e-5)
np.testing.assert_allclose(weights[2], np.exp([-28.0, 0, -21]), rtol=1e-5)
np.testing.assert_allclose(output, tokens[[0, 1, 1]], rtol=1e-6)

# %% [markdown]
# No, the mask is not to blame. In both rows the score of the second letter leads by 21 or more, and so this letter
# takes all the weight: the softmax is *saturated*. With numbers ten times as small, the two outputs differ.
#
# </details>
#
# ## Who found this, and when
#
# Williams and Zipser named teacher forcing in 1989. Their machines read one symbol after the other, and could not peek.
# Attention sees everything at once, so the first Transformer (2017) needed the mask. In GPT (2018) all attention is
# causal, and in most chat programs since.
#
# ## Exercises
#
# ### Exercise 1 { #three-triangles }
#
# Here are three masks for four letters, in which 1 blocks: `np.triu(ones, k=1)`, `np.triu(ones, k=0)` and
# `np.tril(ones, k=-1)`. `triu` keeps what lies on the diagonal or above, `tril` what lies on it or below. A positive
# `k` moves the diagonal to the right, a negative one to the left. One mask is right. Which of the other two is worse,
# because in training all would look perfect?

# %% tags=["answer"]
ones = np.ones((4, 4))
triangles = {
    "np.triu(ones, k=1)": np.triu(ones, k=1),
    "np.triu(ones, k=0)": np.triu(ones, k=0),
    "np.tril(ones, k=-1)": np.tril(ones, k=-1),
}
for name, triangle in triangles.items():
    print(name)
    for letter, row in zip(letters, triangle, strict=False):
        seen = [letters[j] for j in np.flatnonzero(row == 0)]
        print(f"    {letter:5} sees {', '.join(seen) or 'nothing'}")
np.testing.assert_array_equal(triangles["np.triu(ones, k=1)"], look_ahead(4))
assert triangles["np.triu(ones, k=0)"][0].all()

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# The first mask is right. The second hides the diagonal, too, so the start mark sees nothing at all. Without a mended
# softmax you would notice at once, because you would get NaN. The third is the worse one. It hides the past and shows
# the future, so in training all looks perfect: the next letter is there to be copied.
#
# </details>
#
# ### Exercise 2
#
# With the mask, no later letter changes the key and the value of a letter, so a machine that writes can keep them. Then
# only the newest letter asks, and eleven keys answer: ten old ones and its own. Which mask does its query need?

# %% tags=["answer"]
print(create_look_ahead_mask(1, key_length=11).numpy())

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# It needs none. Nothing later exists yet, and it may see everything that came before. [In the
# museum](../guides/museum.py#alignment) stands a library that gets this wrong: it takes the only query for the first
# letter of the text, and hides all keys but the first.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("causal")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? In training, one date is eleven examples at once. What makes that possible?
# - The machine writes eleven letters, and each is compared with the right one. | In training it writes nothing. All letters are given.
# + All letters are given at once, and the mask lets each place see only those up to itself. | So each place is in the same position as a machine that has written so far and goes on from there.
# - Eleven dates fit into one batch. | However many dates are in a batch, each of them is eleven examples.
# ? Given the right answers of unseen dates, a machine gets nearly all letters right. When it writes alone, no date is right. Where do you look for the mistake?
# + at the look-ahead mask | If it is missing or inverted, the machine can copy the next letter. When it writes, there is no next letter to copy.
# - at the training examples, which it knows by heart | Then the letters of unseen dates would be wrong, too.
# - at the padding mask of the text | A mistake there would show when the right answer is given, too.
# ? Does the encoder, which reads the text, need a look-ahead mask?
# - Yes, or it would copy the next letter. | Nobody asks the encoder for the next letter.
# + No: it may look at the whole text, except at padding. | Nothing in the text has to be predicted, so nothing in it has to be hidden.
# - Yes, because all attention in a Transformer is causal. | Here only the decoder's self-attention is causal.
# ```
#
# </details>
#
# ## Where to go next
#
# Now your attention can learn to write, because a triangle is cut out of its scores and its weights:

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("causal")

# %% [markdown]
# But the machine has four heads, and mostly we showed you one. Why four?
#
# * [Multi-head attention](multi_head.py): when one look is not enough.
# * [In the museum of bugs](../guides/museum.py#star): a model that is better than possible.
#
# Read on elsewhere: Williams and Zipser (1989), [A Learning Algorithm for Continually Running Fully Recurrent Neural
# Networks](https://doi.org/10.1162/neco.1989.1.2.270), which names teacher forcing; Vaswani and others (2017),
# [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.2.3; Radford and others (2018), [Improving
# Language Understanding by Generative
# Pre-Training](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf).
