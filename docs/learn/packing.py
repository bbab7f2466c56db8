# ---
# title: Packed documents
# description: How several short texts share one row without reading each other. Segment numbers, places that begin again, what the loss must not ask, and a recipe that packs a stream.
# ---

# %% [markdown]
# # How do several texts share a row?
#
# A batch is a rectangle: each text has a row, and all rows are equally long. So short texts are [filled up with
# padding](masks.py). The processor multiplies the padding like everything else. How much of its work is thrown away?
# Here are 1,000 dates, each in a row of its own, and the rows are as long as the longest date:

# %%
import numpy as np
from clear_attention import create_date_pairs, date_tokenizers

source, target = date_tokenizers()
texts, dates = create_date_pairs(1000, seed=1, split="test")
lengths = np.array([len(text) for text in texts])
padding = 1 - lengths.sum() / (len(lengths) * lengths.max())
print(f"lengths from {lengths.min()} to {lengths.max()}, mean {lengths.mean():.1f}")
print(f"padding: {padding:.0%} of all places")

# %% [markdown]
# Nearly half of the places are padding. Of the scores even more is thrown away, because their number grows with the
# square of the length. With other texts it can be as bad, because a few very long texts make all rows
# long. So why not put several texts into one row, one behind the other, until it is full? This is called **packing**.
# But attention does not know where one text ends and the next begins.
#
# Let us try it with a trained machine, the one with [positions that turn](turning_positions.py). It does not mind where
# in the row a text stands. First it *reads* two dates in one row, so that the letters of both look at each other. Then
# it *writes* the two answers, each in a row of its own, and each answer looks only at the letters of its own date. So
# nothing is mixed while it writes, and what goes wrong has gone wrong while it read:

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from clear_attention import create_document_mask, create_padding_mask
from date_machine import percent
from IPython.display import Markdown, display

model, _ = trained.load("today-rotary")


def packed_rows(texts, length=68):
    """Put texts in pairs: the ids, and which document each place belongs to, 0 for padding."""
    ids = np.zeros((len(texts) // 2, length), "int32")
    segments = np.zeros_like(ids)
    for row, pair in enumerate(zip(texts[::2], texts[1::2], strict=True)):
        place = 0
        for number, text in enumerate(pair, start=1):
            letters = source.encode([text])[0]
            ids[row, place : place + len(letters)] = letters
            segments[row, place : place + len(letters)] = number
            place += len(letters)
    return ids, segments


def read(ids, mask):
    """Return what the encoder makes of the letters."""
    return model.encoder(model.embed_source(ids) * 8.0, mask=mask)  # 8, root of 64


def right(context, others, dates):
    """Return the share of dates whose letters are all right, given those before."""
    answers, hidden = target.encode(dates), others[:, None, None].astype("float32")
    logits = model.decode(answers[:, :-1], context, hidden).output
    return np.mean((np.argmax(logits, axis=-1) == answers[:, 1:]).all(axis=1))


def of_both(context):
    return np.mean(
        [right(context, segments != n, dates[n - 1 :: 2]) for n in (1, 2)]
    )


ids, segments = packed_rows(texts)
single = source.encode(texts)
read_alone = read(single, create_padding_mask(single))
shares = {
    "in one row, not kept apart": of_both(read(ids, create_padding_mask(ids))),
    "in one row, kept apart": of_both(read(ids, create_document_mask(segments))),
    "a row for each": right(read_alone, single == 0, dates),
}
lines = ["| how two dates are read | all letters right |", "| --- | --- |"]
lines += [f"| {name} | {percent(share)} |" for name, share in shares.items()]
display(Markdown("\n".join(lines)))
assert 0.3 < padding < 0.7
mixed, apart, alone = shares.values()
assert mixed < 0.9 < 0.98 < apart
assert abs(apart - alone) < 0.02

# %% [markdown]
# There is no error and no warning, and yet most dates are wrong because of their neighbours. If the texts are kept
# apart, the machine reads them as well as if each had a row to itself.
#
# (To save time, the machine was not made to write here. For each letter it was given the right letters before it, as in
# a training, and its most probable letter was compared. The counts are the same. A date counts only if all of its
# letters are right, and as long as no letter is wrong, the letters that the machine would have written *are* the right
# ones.)
#
# ## A number for each document
#
# To keep the texts apart one has to know which letter belongs to which text. Call each text in a row a **document**,
# and give each place in the row the number of its document. In programs this number is called a *segment id*. The rule
# is short: a key is hidden if its number is not that of the query. So two documents of a row must not have the same
# number, because the mask would take them for one.
#
# Padding gets the number 0, which no document has. So padding sees only padding. That does no harm, because no letter
# looks at it. It even helps, because no query is left without any key.
#
# Here is what the letters of "3 may" and "7 june" look at if both texts stand in one row. Of the machine's four heads
# this is the one that gives most weight to the other date. Where does the 7 look?

# %% tags=["hide-input"] alt="Two heat maps of the weights for 3 may and 7 june in one row. Left, not kept apart: letters of each text look at letters of the other. Right, kept apart: two blocks on the diagonal, and the rest is hatched."
import matplotlib.pyplot as plt
from clear_attention import plot_weights

pair, numbers = packed_rows(["3 may", "7 june"], length=11)
x = model.embed_source(pair) * 8.0
letters = [*"3␣may7␣june"]
apart = create_document_mask(numbers)
maps = {
    "not kept apart": model.encoder(x, return_weights=True).weights["0"][0],
    "kept apart": model.encoder(x, mask=apart, return_weights=True).weights["0"][0],
}
across = np.where(apart[0], maps["not kept apart"], 0).sum(axis=(1, 2))
head = int(np.argmax(across))
figure, axes = plt.subplots(1, 2, figsize=(9.5, 4.6), layout="constrained")
for ax, (name, weights) in zip(axes, maps.items(), strict=True):
    mask = apart[0, 0] if name == "kept apart" else None
    plot_weights(weights[head], letters, mask=mask, ax=ax, colour_bar=False)
    ax.set_title(name)
plt.show()
mixed = maps["not kept apart"][head].numpy()
print(
    f"left, the 7 gives {mixed[5, 0]:.2f} of its weight to the 3 of the other date"
)
assert mixed[5].argmax() == 0
assert mixed[5, 0] > 0.4
assert across.max() > 1
assert not np.any(np.where(apart[0], maps["kept apart"], 0))

# %% [markdown]
# On the left, the 7 looks most at the day of the other date. On the right, all cells of the other date are hidden, and
# all its weight
# stays with "7 june".
#
# ## By hand
#
# A row holds a document of 3 letters, one of 2 letters, and a place of padding. A *place* is counted in the row, and a
# *position* in the document:
#
# | place | 0 | 1 | 2 | 3 | 4 | 5 |
# | --- | --- | --- | --- | --- | --- | --- |
# | document | 1 | 1 | 1 | 2 | 2 | 0 |
# | position | 0 | 1 | 2 | 0 | 1 | 0 |
#
# The letter at place 4 may look at the places 3 and 4. Say that its scores for all places are 2, 1, 0, 1, 1 and 3, and
# that the values are 10, 20, 30, 40, 50 and 60. Only the scores at places 3 and 4 count, and both are 1. So both keys
# get the weight 0.5, and the output is $0.5 \cdot 40 + 0.5 \cdot 50 = 45$.
#
# Why does the third line of the table begin again at 0 in each document? If positions are *added* to the letters, it
# must. Otherwise the second text would stand where no text of the training began, and [such a machine cannot read it
# there](turning_positions.py). If queries and keys *turn*, only distances count. Within a document these are the same,
# wherever the counting begins.

# %%
from clear_attention import create_document_positions

documents = np.array([[1, 1, 1, 2, 2, 0]])
print("positions:", create_document_positions(documents).numpy()[0])
mask = create_document_mask(documents).numpy()[0, 0]
print(mask)
scores, values = np.array([2, 1, 0, 1, 1, 3.0]), np.arange(10, 70, 10)
powers = np.where(mask[4] == 1, 0, np.exp(scores))
print("output of place 4:", powers @ values / powers.sum())

# %% [markdown]
# ## Other lengths
#
# Here is a row of 12 places with three texts. Change how long the texts are. (A slider goes no further than there is
# room in the row.) The square is the mask, with one line for each place that looks. Press a line to see whom this place
# may look at. Blue places may be seen, hatched ones are hidden, and grey is padding that sees padding. But predict
# first:
#
# 1. Text 1 gets one letter fewer, so text 2 begins a place earlier. Which positions do its letters have then?
# 2. Set the texts back to 5, 4 and 2 letters. Then make texts 2 and 3 one letter long, and text 1 nine. What becomes of
#    the padding: in this row, and with a row for each text?
# 3. Tick the look-ahead mask, too. Which cells are left?
# 4. Untick both boxes, so that the texts are not kept apart. Whom does the first letter of text 2 see then?

# %% tags=["live", "remove-input"]
from live import touch


def alone(*sizes):
    """Return the places, and how many are padding, with a row for each text."""
    places = len(sizes) * max(sizes)
    return places, places - sum(sizes)


np.testing.assert_allclose(powers @ values / powers.sum(), 45)
assert alone(5, 4, 2) == (15, 4)
assert alone(9, 1, 1) == (27, 16)
touch(
    "packed",
    "<p>Three texts of 5, 4 and 2 letters leave 1 of 12 places to padding in one row, and"
    " {1} of {0} with a row for each.</p>".format(*alone(5, 4, 2)),
    places=12,
    sizes=[5, 4, 2],
    query=6,
    apart=True,
    causal=False,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. The same as before: 0, 1, 2, 3. Where a text begins in the row does not matter to it.
# 2. In this row it stays at one place of 12. With a row for each text, the long one makes all rows long: 16 of 27
#    places are padding. The more the lengths differ, the more there is to win.
# 3. In the square of each document, the diagonal and what lies left of it.
# 4. All letters of all three texts, and no padding. Positions count through, 0 to 11. This is what the machine at the
#    top of this page was given.
#
# </details>
#
# ## The formula
#
# $$
# \text{mask}_{ij} = \begin{cases} 1 & \text{if } \text{document}_i \ne \text{document}_j \\
# 0 & \text{otherwise} \end{cases}
# $$
#
# Here $i$ is the place that looks, and $j$ the place of the key. It is a mask like any other. In a machine that writes
# it goes together with the look-ahead mask, and what one of the two hides is hidden.
#
# ## Your machine so far
#
# Your `attention` takes any mask. So your machine only needs the mask and the positions, made from the numbers of the
# documents. Write both functions. For the positions, ask yourself where each document begins.
#
# ```python
# def document_mask(documents):  # (letters, letters), 1 hides
#     return (... != ...).astype(int)
#
#
# def document_positions(documents):  # for each letter its place in its own document
#     return [... for place, number in enumerate(documents)]
# ```


# %% tags=["answer"]
def document_mask(documents):
    return (documents[:, np.newaxis] != documents).astype(int)


def document_positions(documents):
    return [
        place - list(documents).index(number)
        for place, number in enumerate(documents)
    ]


np.testing.assert_array_equal(document_mask(documents[0]), mask)
np.testing.assert_array_equal(document_positions(documents[0]), [0, 1, 2, 0, 1, 0])
print("your machine packs its texts")

# %% [markdown]
# ## What must not be asked
#
# So far only the texts that are *read* share a row. In the training the answers can share one, too. Then
# cross-attention needs such a mask as well, so that each answer looks only at its own text. An answer has the number of
# its text. In the formula, $i$ is then a place in the row of answers, and $j$ a place in the row of texts.
#
# And one more thing changes. In the training the half that writes gets [the right letters](training.py), and at each
# place it must say which letter comes next. Take the row of the example by hand, with the documents 1 1 1 2 2 0, and
# let it be a row of answers. At place 2 the next letter is the first one of the *next document*. It is no part of this
# answer. So the machine must not be asked there, nor where the next place is padding.
#
# For this, the loss of each place is multiplied by 1 if the next place belongs to the same document, and otherwise by
# 0. (Padding is no document, so there it is 0, too.) The last place of the row has no next one, so for our six places there are five numbers. Write them down first:

# %%
inside = (documents[:, 1:] == documents[:, :-1]) & (documents[:, 1:] != 0)
print("the loss counts:", inside.astype(int)[0])

# %% [markdown]
# The loss counts at the places 0, 1 and 3. After place 2 the next document begins, and after place 4 comes padding.
#
# <details class="lesson-more" markdown="1"><summary>How is a stream of texts packed?</summary>
#
# In a training the texts come one after the other, and there are more of them than fit into memory. So a few rows, here
# eight, are kept open while the texts come in. Each text goes into the first open row that has room for it. When none
# has room, the fullest row goes to the training, because it would hardly ever get another text, and a new row is opened
# instead. Here it is as a stream of `tf.data`, the part of TensorFlow that feeds a training:

# %% tags=["hide-input"]
import tensorflow as tf


def pack(texts, length, open_rows=8):
    """Yield rows of ids, and of which document each belongs to."""
    rows, sizes = [], []
    for text in texts:
        place = next(
            (i for i, n in enumerate(sizes) if n + len(text) <= length), None
        )
        if place is None and len(rows) == open_rows:
            place = int(np.argmax(sizes))  # the fullest row is handed on
            yield as_arrays(rows[place], length)
            rows[place], sizes[place] = [], 0
        if place is None:
            place = len(rows)
            rows.append([])
            sizes.append(0)
        rows[place].append(text)
        sizes[place] += len(text)
    for row in rows:
        yield as_arrays(row, length)


def as_arrays(row, length):
    ids = np.concatenate(row)
    numbers = np.repeat(np.arange(1, len(row) + 1), [len(text) for text in row])
    return tuple(
        np.pad(x, (0, length - len(x))).astype("int32") for x in (ids, numbers)
    )


stream = [source.encode([text])[0] for text in texts]
row = tf.TensorSpec(64, tf.int32)
dataset = tf.data.Dataset.from_generator(
    lambda: pack(stream, 64), output_signature=(row, row)
).batch(32)
np.testing.assert_array_equal(inside[0], [1, 1, 0, 1, 0])
filled = np.concatenate([numbers for _, numbers in dataset])
print(f"{len(texts)} texts in {len(filled)} rows of 64 places")
print(f"padding: {np.mean(filled == 0):.0%} of all places")
assert np.mean(filled == 0) < 0.15 < padding
assert (filled != 0).sum() == lengths.sum()

# %% [markdown]
# </details>
#
# <details class="lesson-more" markdown="1"><summary>What the package does, and what it promises</summary>
#
# As a matrix, the mask of a machine that writes is `combine_masks(create_document_mask(documents),
# create_look_ahead_mask(6))`. Layers also take the numbers themselves: `layer(x, causal=True, segment_ids=documents)`.
# With [attention by blocks](long_sequences.py) the mask is then never in memory as a whole, and keys that all belong to
# other documents need not even be read.
#
# The package makes two promises. A packed text gets the numbers that it gets alone. And whatever becomes of one
# document, the others do not change by a single bit, even if somebody fills it with NaN to try it. Your machine keeps
# the first promise, but not the second. What is hidden gets the weight 0, but 0 times NaN is NaN. So it would have to
# replace the NaN first. Here both promises are tried, with two layers that were not trained:

# %% tags=["hide-input"]
import keras
from clear_attention import Encoder, RotaryPositions

keras.utils.set_random_seed(0)
options = {"rotary": RotaryPositions()}
encoder = Encoder(2, 16, 4, 32, self_attention=options, dtype="float64")
x = np.random.default_rng(0).normal(size=(1, 6, 16))
together = encoder(x, causal=True, segment_ids=documents)
alone = encoder(x[:, 3:5], causal=True)
np.testing.assert_allclose(together[:, 3:5], alone, atol=1e-12)
x[:, :3] = np.nan
after = encoder(x, causal=True, segment_ids=documents)
np.testing.assert_array_equal(after[:, 3:5], together[:, 3:5])
print("packed or alone: the same numbers")
print("a neighbour full of NaN: not one bit has changed")

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# The first language models after the Transformer simply cut a long stream of text into rows, and let documents see
# their predecessors. BERT (2018) filled its rows up with padding. Krell and others (2021) counted that in common
# collections of texts up to half of all places are padding. One of these collections is Wikipedia in rows of 512
# places, from which BERT learns in the second phase of its training. With the texts packed, and kept apart by a mask,
# this phase became twice as fast. Llama 3 (2024) was trained with such a mask, too. Its authors write that the mask
# changed little with rows of the usual length, and was important with very long ones.
#
# ## Exercises
#
# ### Exercise 1
#
# How many scores are computed for 100 texts of 32 letters, one in each row of 64 places, and how many if two stand in
# each row? And how many of them are between letters of the same text?

# %% tags=["answer"]
print("one in each row: ", 100 * 64 * 64)
print("two in each row: ", 50 * 64 * 64)
print("of the same text:", 100 * 32 * 32)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What is left to win?</summary>
#
# There are half as many rows, so there are half as many scores. Half of these are still hidden by the mask, since they
# are between the two texts of a row. Attention by blocks can leave them out where whole blocks belong to other
# documents. Everything that is done to each letter by itself, as in the feed-forward part, has become half, too.
#
# </details>
#
# ### Exercise 2
#
# Somebody gives the padding the number of the last document, instead of 0. What goes wrong?
#
# <details class="lesson-answer" markdown="1"><summary>What goes wrong</summary>
#
# The letters of the last document look at the padding, as in [the lesson on masks](masks.py). In an encoder the last
# text of each row comes out wrong. In a causal machine the padding comes later and is hidden anyway, so no output of a
# letter changes. But if its loss is counted by these numbers, it is asked for the padding, too.
#
# </details>
#
# ### An open question
#
# Our stream puts each text into the *first* open row that has room for it. It could also take the fullest row that has
# room, or keep two open rows in place of eight, or twenty. How little padding can you reach? And does a training still
# see its texts in random order then? The function is in the fold [above](#what-must-not-be-asked), and needs no model.
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("packing")

# %% [markdown]
# ```self-check
# ? Somebody numbers the documents of a row 1, 2, 1: the third gets the number of the first again. What happens?
# - Nothing, since they do not stand side by side. | The mask compares numbers, and not places.
# + The first and the third read each other. | Equal numbers are one document for the mask.
# - The second can no longer be read. | Its number is still its own.
# ? A machine adds positions, and was trained with a row for each text. In a packed row they are counted through from 0 to 63. The mask keeps the texts apart. Which texts suffer?
# - None, since the mask is right. | The mask says who is seen. Where a letter stands is said by the positions.
# - All of them. | The first begins at 0, as it did in the training.
# + All but the first. | They begin at places where no text of the training began.
# ? The rows are packed, and the mask is right. Which work is still wasted in an attention that computes the whole matrix?
# + The scores between letters of different texts. | They are computed, and then hidden.
# - None, since there is hardly any padding. | Padding is not all: most cells of a row with many texts are hidden.
# - The scores between letters of the same text. | These are the ones that are needed.
# ```
#
# ## Where to go next
#
# **Your machine so far:** half of the Transformer of [lesson 9](recap.py#put-together-by-hand), with attention by blocks,
# the norm first, queries and keys that turn, heads that share their keys, scores with a cap, a bias and a sink, and now
# several texts in a row.
#
# So you know much of what the machines of today are made of. What do they *do* with it? In the [language
# model](language_model.py#how-surprised-is-it-by-hand), two layers were better than one. That may simply be because the
# machine with two is larger. But is there anything that two layers can do together and a single one can't, unless it is enormously
# larger?
#
# * [A head that copies](induction.py): it looks for what came next the last time.
# * [What does a model's configuration mean?](../guides/model_configuration.py) Every line of it, with the lesson that
#   explains it.
# * [Certify your layer](../guides/certify_your_layer.py): does a packed row of *your* model leak?
# * [Benchmarks](../about/benchmarks.py): packed rows against padded ones.
#
# Read on elsewhere: Devlin and others (2018), [BERT](https://arxiv.org/abs/1810.04805); Krell and others (2021),
# [Efficient Sequence Packing without Cross-contamination](https://arxiv.org/abs/2107.02027); Grattafiori and others
# (2024), [The Llama 3 Herd of Models](https://arxiv.org/abs/2407.21783), section 3.2.
