# ---
# title: Causal attention
# description: Writing without peeking. What a machine learns that could see the next letter in training, the look-ahead mask to click and by hand, and both masks together.
# ---

# %% [markdown]
# # Writing without peeking
#
# In its training a machine is given the right letters, and says at each which one comes next. This machine gets 100 of
# 100 letters right when it is asked like that. Yet it cannot write a single date.

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
from date_machine import machine, percent, picture, strip

model, record = trained.load("dates")
forgetful, forgetful_record = trained.load("dates-forgetful")
source, target = date_tokenizers()
text, answer = "thursday 3rd of may 2018", "2018-05-03"
source_ids, target_ids = source.encode([text]), target.encode([answer])
assert forgetful_record["letters"] > 0.99
assert forgetful_record["exact"] == 0
assert forgetful_record["steps"][-1] == 333

kinds = (
    "machine",
    "next letters right, given the right answer",
    "dates right, alone",
)
rows = [f'<th scope="col">{kind}</th>' for kind in (*kinds, "it writes")]
rows = [f"<thead><tr>{''.join(rows)}</tr></thead>"]
for name, reader in {"whole": model, "this machine": forgetful}.items():
    found = record if reader is model else forgetful_record
    (wrote,) = target.decode(greedy_search(reader, source_ids, max_length=11))
    cells = percent(found["letters"]), percent(found["exact"]), wrote or "nothing"
    cells = "".join(f"<td>{cell}</td>" for cell in cells)
    rows.append(f'<tr><th scope="row">{name}</th>{cells}</tr>')
machine(
    "dates",
    "dates-forgetful",
    piece="beside",
    sibling="dates-forgetful",
    called={  # the reader is about to find out
        "dates": ("whole", ""),
        "dates-forgetful": ("this machine", "trained in another way"),
    },
    without=f'<table class="comparison">{"".join(rows)}</table>',
)

# %% [markdown]
# Given the right letters, it says the right ones. Alone, it writes nothing. What happened?
#
# ## One date is eleven examples
#
# The decoder writes one letter after the other. In training there is no need to wait: the decoder is *given* the whole
# right answer, and at each place it has to say the letter that comes next. To ask for the very first letter, a **start
# mark** is put in front, so that everything moves one place to the right:
#
# --8<-- "diagrams/shift.svg"
#
# One date gives eleven examples in one go: given the start, say 2; given the start and 2, say 0; and so on to the end
# mark. The eleven letters that are given are the start mark and the ten of the date, and those that are asked for are
# the ten and the end mark. This is called **teacher forcing**, because the machine always goes on from the teacher's
# letters and never from its own.
#
# And here is the danger. The place that is given 2 must say 0, and 0 is what the next place is given. So attention only
# has to look one place to the right. When the machine above was trained, somebody forgot to prevent that: it is **the
# forgetful machine**. After 333 steps it got every letter right by copying, and there was nothing left to learn.
#
# When it writes for itself, there is nothing to its right yet. It writes the end mark at once. **Why the end mark?
# Guess first.** A hint: one place of the answer had nothing to its right in the training, either. Which one, and what
# had to be said there?
#
# <details class="lesson-answer" markdown="1"><summary>An answer, and a test of it</summary>
#
# In training the last place has no letter to its right, and there the right answer *is* the end mark. One head of that
# place looks back at the start mark. Does this look mean "end"? We give the machine 200 unseen dates with their right
# answers, hide the start mark from the last place only, and count what it says there:

# %% tags=["hide-input"]
from clear_attention import create_date_pairs

texts, dates = create_date_pairs(200, seed=1, split="test")
ids, letters = source.encode(texts), target.encode(dates)[:, :-1]
blinded, _ = trained.load("dates-forgetful")
start_hidden = np.zeros((1, 1, 11, 11), "float32")
start_hidden[..., -1, 0] = 1  # only from the last place
blinded.target_mask = lambda target_ids: start_hidden

maps = forgetful((ids, letters), return_weights=True).weights["decoder.0.self"]
back = maps.numpy()[:, :, -1, 0].mean(axis=0).max()
print(f"one head of the last place gives {back:.0%}")
print("of its weight to the start mark")
for name, reader in {"seen": forgetful, "hidden": blinded}.items():
    says = np.argmax(reader((ids, letters))[:, -1], axis=-1)
    share = np.mean(says == target.end_id)
    digits = np.mean([x.isdigit() for x in target.decode(says[:, None])])
    print(f"start mark {name}:")
    print(f"  end mark in {share:.0%}, digit in {digits:.0%}")
    assert share + digits > 0.97
    assert share > 0.98 if name == "seen" else share < 0.5
assert back > 0.5

# %% [markdown]
# Without the look it mostly goes on with a digit. So to this machine the look means "end". And when it writes for
# itself, the start mark is all that it can look at.
#
# </details>
#
# How do we keep it from copying? We hide the future: **no letter may look at a later one.** It may look at itself,
# because what is asked for is the letter *after* it. The mask for this is the *look-ahead mask*, and attention with it
# is called *causal*, because what comes later cannot be a cause. Only the decoder's self-attention needs it; its look
# at the text needs no such mask, because the whole text is there from the start.
#
# ## Try it yourself
#
# Here you see the forgetful machine peeking. Each letter looks in four ways at once, and its row shows the head that
# peeks most. The rows are letters that look, and the columns those that are looked at: the first five that are *given*.
# In the row "start" it looks at the 2, which is what it has to say, and in the row "2" at the 0. The last row cannot
# peek, because its next letter is not shown.
#
# **Stop it!** Press the cells that must be blocked, until no letter sees a later one. Leave the line "padding" alone.
# How many cells are there?

# %% tags=["live", "hide-input"]
from live import grid, lab, situation

letters = ["start", *"2018"]
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
            paddingOnly=True,  # no box that hides the triangle at once
        )
    ],
    grid("Weights of the forgetful machine", weights, letters, letters),
    piece="mask",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Ten: four in the first row, three in the second, two, one, and none in the last.
#
# </details>
#
# ## By hand
#
# Take the three letters of [attention by hand](attention.py#by-hand-to-the-last-digit). "y" comes last, so the mask
# hides nothing from it. "a" may see "m" and itself, and "m" only itself. The queries of "m" and "a" are the rows of
# $W_Q$: $q_m = (1, 0, 0, 1)$ and $q_a = (1, 0, 1, -1)$.
#
# | who looks | score of m | score of a | score of y | weights | output |
# | --- | --- | --- | --- | --- | --- |
# | m | 1 | hidden | hidden | 1, 0, 0 | (10, 0) |
# | a | 2 | -2.5 | hidden | 0.989, 0.011, 0 | (9.890, 0.110) |
# | y | 3 | -2 | 1 | 0.876, 0.006, 0.118 | (9.941, 1.244) |
#
# The second row in full: $e^2 = 7.389$ and $e^{-2.5} = 0.082$ add up to 7.471, and $7.389 / 7.471 = 0.989$. The values
# of m and a are $(10, 0)$ and $(0, 10)$. Here is all of it, with the softmax that you mended:


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
print(mask)
print(weights.round(3))
print(output.round(3))

# %% tags=["live", "remove-input"]
# The package's functions give the same.
np.testing.assert_array_equal(mask, create_look_ahead_mask(3))
np.testing.assert_allclose(output, scaled_dot_product_attention(q, k, v, mask)[0])
np.testing.assert_array_equal(mask, [[0, 1, 1], [0, 0, 1], [0, 0, 0]])
by_hand = [[10, 0], [9.890, 0.110], [9.941, 1.244]]
np.testing.assert_allclose(output, by_hand, atol=5e-4)

# %% [markdown]
# ## The formula
#
# $$
# \text{mask}_{ij} = \begin{cases} 1 & j > i \\ 0 & j \le i \end{cases}
# \qquad
# \text{output}_i = \sum_{j \le i} w_{ij}\, v_j
# $$
#
# Here $i$ is the row, the place of the letter that looks, $j$ the column, the place of one that is looked at, $w_{ij}$
# the weight and $v_j$ the value.
#
# ## The trained machine's own look back
#
# Here is how the whole machine, which had the mask, looks at what it has written, in its four heads. The dot • is the
# start mark. Press a letter of the answer, and a frame marks the row of the letter *before* it, which looks when this
# one is written. (The text and the lines under it show its other look, the one at the text.) Now press the first
# letter. **Why is the framed row the same in all four maps?**

# %% tags=["live", "hide-input"]
given = target_ids[:, :-1]
looks = model((source_ids, given), return_weights=True).weights["decoder.0.self"][0]
columns = "display:grid;grid-template-columns:repeat(auto-fit,minmax(140px,1fr))"
maps = [
    picture(
        look, "•" + answer, "•" + answer, f"Head {number}: the answer at itself"
    )
    for number, look in enumerate(looks.numpy(), start=1)
]
machine(
    "dates",
    piece="looks",
    map="self",
    at=6,
    without=strip("writes", answer, chosen=6)
    + f'<div style="{columns}">{"".join(maps)}</div>',
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# The start mark can see nothing but itself, so it gets all of its own weight.
#
# </details>
#
# ## A check: change the future
#
# How do you find a peeking machine before it fails? Change the last of the eleven letters that are given, and compare
# all that it says:

# %%
# the machines, the ids and the answer come from cells above, which are folded
changed = given.copy()
changed[0, -1] = target.encode(["7"])[0, 1]  # 2018-05-07 instead of 2018-05-03


def moved(reader):
    """Return the places at which a prediction moves, if only by one bit."""
    one, other = (reader((source_ids, x))[0].numpy() for x in (given, changed))
    return np.flatnonzero(np.any(one != other, axis=-1))


# %% [markdown]
# **At how many of the eleven places does anything move?**

# %% tags=["live", "remove-input"]
from live import bet

far = "A softmax gives every letter some weight, so a change at one place can reach every other."
bet(
    "causal/moved",
    [
        (
            "the whole machine",
            len(moved(model)),
            "The last place sees the changed letter itself, so there something moves.",
            "What comes later is hidden: only the last place sees the letter that was changed.",
        ),
        ("the forgetful machine", len(moved(forgetful)), far),
    ],
    high=11,
    unit=" of 11",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# In the whole machine only the last place moves, and in the forgetful one all eleven do:

# %%
for name, candidate in {"whole": model, "forgetful": forgetful}.items():
    print(f"{name:9} moved: {' '.join(map(str, moved(candidate)))}")
    assert (moved(candidate).min() == len(answer)) == (name == "whole")

# %% [markdown]
# So it is not only the place just before that sees the change: a softmax gives every letter some weight.
#
# **What comes later must move nothing before it.**
#
# </details>
#
# Any machine that writes can be tested like this, and in a second.
#
# <details class="lesson-more" markdown="1" id="exercise-1"><summary>Two outputs are equal: is it the mask?</summary>
#
# In a tutorial three tokens are queries, keys and values, and two of the three outputs are equal. Did the mask do it?

# %%
tokens = np.array([[1, 2, 3, 4], [5, 6, 7, 8], [2, 3, 4, 5]], "float32")
output, weights = scaled_dot_product_attention(tokens, tokens, tokens, mask)
small = scaled_dot_product_attention(*[tokens / 10] * 3, mask).output
print("scores")
print(tokens @ tokens.T / 2)
print("weights")
print(weights.numpy())
with np.printoptions(precision=2, suppress=True):
    print(f"outputs\n{output.numpy()}\ndivided by 10\n{small.numpy()}")
np.testing.assert_allclose(weights[1, 0], np.exp(-52), rtol=1e-5)
np.testing.assert_allclose(weights[2], np.exp([-28.0, 0, -21]), rtol=1e-5)
np.testing.assert_allclose(output, tokens[[0, 1, 1]], rtol=1e-6)

# %% [markdown]
# It is not the mask. Row 1 may see 35 and 87, row 2 may see 20, 48 and 27. In both the second token leads by 21 or
# more, and takes all: the softmax is *saturated*. With tokens ten times as small all scores are a hundred times as
# small, and the outputs differ.
#
# </details>
#
# ## Both masks at once { #both-at-once }
#
# In a batch of answers, a key must be blocked if it is padding *or* in the future.
# [`combine_masks`][clear_attention.combine_masks] joins the two masks, here for three texts in which 0 is padding.
# **One of them will make trouble. Which?**

# %% alt="The three combined masks. In that of text 0, columns 2 and 3 and everything above the diagonal are hatched. In that of text 1, columns 3 and 4 and everything above the diagonal. In that of text 2, the first three rows are hatched completely."
import matplotlib.pyplot as plt
from clear_attention import combine_masks, create_padding_mask, plot_mask

ids = [[7, 6, 0, 0, 1], [1, 2, 3, 0, 0], [0, 0, 0, 4, 5]]
both = combine_masks(create_padding_mask(ids), create_look_ahead_mask(5))
figure, axes = plt.subplots(1, 3, figsize=(4.8, 1.8), layout="constrained")
for number, ax in enumerate(axes):
    plot_mask(both[number], tokens=[str(token) for token in ids[number]], ax=ax)
    ax.set_title(f"text {number}", fontsize=10)
plt.show()

# %% tags=["live", "remove-input"]
assert both.shape == (3, 1, 5, 5)
assert np.all(both[2, 0, :3] == 1)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Text 2. Its first three rows are hatched from end to end: what stands before the first real letter is padding, and
# what comes after is future. So each text that is padded on the left has [rows with nothing
# left](masks.py#queries-with-no-key-left), although no text is empty.
#
# </details>
#
# <details class="lesson-more" markdown="1" id="what-the-first-letters-never-learn"><summary>May a question look ahead?</summary>
#
# A chat program gets a question, and writes an answer behind it, in one row. The question is there from the start, so
# with a **prefix mask** its letters see each other in both directions, and only the answer is causal. Here two letters
# are given, and two are written:

# %%
from clear_attention import create_prefix_mask

prefix = create_prefix_mask(4, prefix_length=2)
print(prefix.numpy())
np.testing.assert_array_equal(prefix[:, 0], [0, 0, 0, 0])
np.testing.assert_array_equal(prefix[0], [0, 0, 1, 1])

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# Williams and Zipser named teacher forcing in 1989. Their machines read one symbol after the other and could not peek.
# Attention sees everything at once, so the first Transformer (2017) needed the mask. In GPT (2018) all attention is
# causal.
#
# ## Exercises
#
# ### Exercise 1 { #three-triangles }
#
# Here are three masks for four letters, in which 1 blocks: `np.triu(ones, k=1)`, `np.triu(ones, k=0)` and
# `np.tril(ones, k=-1)`. `triu` keeps what lies on the diagonal or above, `tril` what lies on it or below, and `k` moves
# the diagonal to the right. One mask is right. Which of the other two is worse, because you would not notice it in
# training?

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
# The first is right. The second hides the diagonal, too, so that the start mark sees nothing at all: without a mended
# softmax you would get NaN at once. The third hides the past and shows the future. In training all looks perfect,
# because the next letter is there to be copied.
#
# </details>
#
# ### Exercise 2
#
# With the mask, keys and values of earlier letters never change, so a machine that writes may keep them. Then it asks
# with *one* new query for ten old letters and a new one. Which mask does this query need?

# %% tags=["answer"]
print(create_look_ahead_mask(1, key_length=11).numpy())

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# None. Nothing later exists, and it may see everything that came before. A library in [the
# museum](../guides/museum.py#alignment) lines up the *first* query with the first key, and hides all but key 0.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("causal")

# %% [markdown]
# ```self-check
# ? In training, one date is eleven examples at once. What makes that possible?
# - The machine writes eleven letters, and each is compared with the right one. | In training it writes nothing. All letters are given.
# + All letters are given at once, and the mask lets each place see only those up to itself. | So each place stands where a machine stands that has written so far.
# - Eleven dates fit into one batch. | Each date of a batch is eleven examples.
# ? On unseen dates nearly all letters are right when the right answer is given. When the machine writes alone, no date is right. Where do you look for the mistake?
# + at the look-ahead mask | Missing or inverted, it lets the machine copy the next letter. When it writes, there is none.
# - at the training examples, which it knows by heart | Then the letters of unseen dates would not be right.
# - at the padding mask of the text | That would show when the right answer is given, too.
# ? Does the encoder, which reads the text, need a look-ahead mask?
# - Yes, or it would copy the next letter. | It is not asked for the next letter.
# + No: it may look at the whole text, except at padding. | Nothing in the text is to be predicted, so nothing of it has to be hidden.
# - Yes, because all attention in a Transformer is causal. | Here only the decoder's self-attention is causal.
# ```
#
# ## Where to go next
#
# By now you have met four maps for one answer. Why does the machine look in four ways?
#
# * [Multi-head attention](multi_head.py): when one look is not enough.
# * [Reference: masks](../reference/masks.md): windows, prefixes, and fewer queries than keys.
# * [In the museum of bugs](../guides/museum.py#star): a model that is better than possible.
#
# Read on elsewhere: Williams and Zipser (1989), [A Learning Algorithm for Continually Running Fully Recurrent Neural
# Networks](https://doi.org/10.1162/neco.1989.1.2.270), which names teacher forcing; Vaswani and others (2017),
# [Attention Is All You Need](https://arxiv.org/abs/1706.03762), section 3.2.3; Radford and others (2018), [Improving
# Language Understanding by Generative
# Pre-Training](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf).
