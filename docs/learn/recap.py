# ---
# title: The whole Transformer, on a map
# description: The encoder and the decoder in one picture, each part with the lesson that explains it, the three places where attention is used, and a trained Transformer put together by hand from its parts.
# ---

# %% [markdown]
# # The whole Transformer, on a map
#
# You know the parts. Here they are in one picture. Then one letter walks through them, and the lines that you wrote on
# the way become a machine. (If you came for the map alone: every part has a link to the lesson that explains it, and
# [the first lesson](reading_dates.py) starts with no more than Python.)
#
# A Transformer turns one sequence into another: a sentence into its translation, or, on this site, a date as people
# write it into a date as computers do. The **encoder** (left) reads the source. The **decoder** (right) writes the
# target, one letter after the other.
#
# --8<-- "diagrams/encoder_decoder.svg"
#
# | part | what it does | lesson |
# | --- | --- | --- |
# | embedding | turns each letter into a vector | [A machine that reads dates](reading_dates.py#what-goes-in) |
# | positional encoding | adds where the letter stands | [Positions](positions.py) |
# | attention | lets letters look at letters | [Attention](attention.py), [with several heads](multi_head.py) |
# | the masks | hide the padding, and the future | [Masks](masks.py), [Causal attention](causal.py) |
# | add and norm | keeps what was there, at one size | [The Transformer layer](transformer_layer.py) |
# | feed-forward | works on each letter alone | [Feed-forward](feed_forward.py) |
# | linear and softmax | turns a vector into probabilities of letters | [Training and writing](transformer.py) |
#
# Older machines read one letter after the other (they were *recurrent*), or slid a small window over the text. Here
# attention is the only part in which letters meet, and it looks at the whole sequence at once. (Writing goes letter by
# letter all the same, because each letter must be chosen before the next.)
#
# ## The three places
#
# Attention stands in three places, and computes the same in all of them. They differ in where the queries come from,
# where the keys and values come from, and what is hidden.
#
# | where | queries from | keys and values from | hidden |
# | --- | --- | --- | --- |
# | encoder **self-attention** | the source | the same | padding |
# | decoder **masked self-attention** | the target so far | the same | padding and the future |
# | **cross-attention** | the decoder, after its self-attention and norm | the encoder's output | padding of the source |
#
# "The source" and "the target so far" are, in the first layer, its letters, embedded, with their positions. In every
# further layer they are what the layer below made of them. The encoder's output is that of its last layer.
#
# Here are all three in a trained machine. The buttons above the maps change the place:

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import machine, still

model, _ = trained.load("dates")
machine(
    "dates",
    piece="looks",
    at=6,
    without=still(model, "thursday 3rd of may 2018"),
)

# %% [markdown]
# ## One attention, and many
#
# In each of the three places stands *multi-head* attention. On the left is one attention, on the right several of them
# side by side:
#
# --8<-- "diagrams/attention_and_heads.svg"
#
# $$
# \operatorname{Attention}(Q, K, V) = \operatorname{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V
# $$
#
# $Q$ holds a query for each letter that looks, $K$ and $V$ a key and a value for each letter that is looked at, and
# $d_k$ is how many numbers a key has: the width, shared by the heads, which is 64 / 4 = 16 here.
#
# ## Put together by hand
#
# In the lessons you wrote `softmax`, `attention`, `look_ahead`, `split`, `merge` and `multi_head`, `positions`, `norm`
# and `feed_forward`. They are collected in one file. (There each product with a matrix also adds a bias, one more
# vector that was trained.) What is missing are the wires of the map:

# %% tags=["source", "hide-input"]
import inspect

# The file is in the repository and not in the package, so this cell needs a clone.
from examples import numpy_machine as own

for function in (own.enter, own.encode, own.decode, own.write):
    print(inspect.getsource(function))

# %% [markdown]
# `w` holds the trained numbers by name. (The factor √64 in `enter`, and the 14 *logits* that `decode` gives for each
# next letter, belong to the [next lesson](transformer.py).) Give it those of our machine, and let it read dates:

# %%
import numpy as np
from clear_attention import create_date_pairs, date_tokenizers, greedy_search

source, target = date_tokenizers()
w = own.weights_of(model)


def read(text):
    ids = own.write(source.encode([text])[0], w, target.start_id, target.end_id)
    return target.decode([ids])[0]


for text in ("thursday 3rd of may 2018", "3. mai '18", "christmas 2018"):
    print(f"{text:26} {read(text)}")

texts, _ = create_date_pairs(200, seed=1, split="test")
by_keras = greedy_search(model, source.encode(texts, length=34), max_length=11)
assert [read(text) for text in texts] == target.decode(by_keras)
print("the same answers as the package on 200 unseen dates")

# %% [markdown]
# That is the whole Transformer, in NumPy, and you can say what each line of it is for. A large one differs in size: the
# first one of 2017 stacked six encoder layers and six decoder layers, and was eight times as wide.
#
# <details class="lesson-more" markdown="1"><summary>The whole file, with the parts from the lessons</summary>

# %% tags=["source", "remove-input"]
print(inspect.getsource(own))

# %% [markdown]
# </details>
#
# ## One letter on its way
#
# What do these lines do to a letter? "may 5th, 1955" has a 5 that is a day, and two that belong to a year. Follow the
# first and the second of them through the encoder. Each strip shows the 64 numbers of a letter at one station: blue is
# positive, orange is negative.

# %% tags=["live", "hide-input"]
from live import journey

text = "may 5th, 1955"
ids = source.encode([text])[0]
embedded = w["source"][ids] * np.sqrt(64)
placed = own.enter(ids, w["source"])
found = own.multi_head(placed, placed, w, "encoder.self", mask=0)
added = own.norm(placed + found, *w["encoder.self.norm"])
thought = own.feed_forward(added, w, "encoder.forward")
left = own.encode(ids, w)
np.testing.assert_allclose(left, model.encode(ids[None]).output[0], atol=1e-4)
alike = []  # a 5 of the day and one of the year, the two of the year
for station in (embedded, placed, found, added, thought, left):
    directions = station / np.linalg.norm(station, axis=1, keepdims=True)
    alike.append((directions[4] @ directions[11], directions[11] @ directions[12]))
assert all(year > 0.7 for _, year in alike)
assert alike[2][0] < alike[3][0]
assert alike[-1][0] < 0.5 < 0.7 < alike[-1][1]
journey(
    text,
    {
        "The embedding": (embedded, "Only which letter it is."),
        "With its position": (placed, "Now also where it stands."),
        "What attention found": (found, "A mixture of the values of all letters."),
        "Added and normed": (added, "The letter, with what it found."),
        "What feed-forward says to that": (thought, "From these numbers alone."),
        "Added and normed again": (left, "This is what the decoder looks at."),
    },
    letter=4,
    other=11,
)

# %% [markdown]
# Both come in as the same 64 numbers, because a 5 is a 5. Attention finds different things for them, since one stands
# beside "may" and the other in "1955", and feed-forward works on that. (After "added and normed" they are more alike
# again than what was found: that is the residual, which brings the letter itself back.) At the end they have
# little in common, while the two of the year are still much alike. So what leaves the encoder says not only which
# letter it is, but what it means *here*: a 5 that is a day, or a 5 of a year.
#
# Now follow the two 5s of 1955: choose one of them in each row of letters. At which station do they part? Guess first.
#
# <details class="lesson-more" markdown="1"><summary>At which?</summary>
#
# At the second, where their positions are added, and never by much: every station from there on finds them much more
# alike than different. They mean nearly the same, a 5 of the year. But they must not become the same, or the decoder
# could not tell which comes first. (In "1955" that would do no harm. In "1945" it would.)
#
# </details>
#
# ## Where the numbers are
#
# Which part holds most of the trained numbers?

# %% tags=["hide-input"]
encoder, decoder = model.encoder.layers[0], model.decoder.layers[0]
parts = {
    "embeddings": [model.embed_source, model.embed_target],
    "encoder, attention": [encoder.self_attention],
    "encoder, feed-forward": [encoder.feed_forward],
    "decoder, self-attention": [decoder.self_attention],
    "decoder, cross-attention": [decoder.cross_attention],
    "decoder, feed-forward": [decoder.feed_forward],
    "the last projection": [model.project_logits],
}
counts = {
    name: sum(p.count_params() for p in group) for name, group in parts.items()
}
for name, count in counts.items():
    print(f"{name:25}{count:8,}  {count / model.count_params():4.0%}")
print(f"{'all':25}{model.count_params():8,}")
assert sum(counts.values()) == model.count_params()

# %% [markdown]
# More than half sits in the feed-forward parts, as in large machines. Positions and masks hold none: they are computed.
#
# ## Who found this, and when
#
# The whole design is from 2017, by Vaswani and seven others, and it was made for translation. A year later it was cut
# in half, and each half proved useful alone. An *encoder* without a decoder turns a text into vectors, for search or
# for classification; BERT (2018) is one. A *decoder* without an encoder has no cross-attention, and just goes on
# writing; GPT (2018) and most of today's language models are of this kind.
#
# ## Exercises
#
# ### Exercise 1
#
# The answer gets one letter longer. Which of the three matrices of attention weights grow, and by how much?

# %% tags=["answer"]
source_ids = source.encode(["thursday 3rd of may 2018"], length=34)
given = target.encode(["2018-05-03"])[:, :-1]
for letters in (10, 11):
    maps = model(source_ids, given[:, :letters], return_weights=True).weights
    shapes = [tuple(grid.shape[-2:]) for grid in maps.values()]
    print(letters, "letters: encoder {}, self {}, cross {}".format(*shapes))
assert shapes == [(34, 34), (11, 11), (11, 34)]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# The decoder's self-attention grows by a row and a column, since the new letter looks and is looked at. Cross-attention
# grows by a row: one more letter looks at the same text. The encoder's map does not change at all, so the text is read
# only once.
#
# </details>
#
# ### Exercise 2
#
# In `decode`, swap `y` and `context` in the line of the cross-attention. What comes out? Why does nothing complain?

# %% tags=["answer"]
ids = source.encode(["thursday 3rd of may 2018"])[0]
context, y = own.encode(ids, w), own.enter(given[0], w["target"])
looked = own.multi_head(y, context, w, "decoder.cross", mask=0)
swapped = own.multi_head(context, y, w, "decoder.cross", mask=0)
print("swapped:", swapped.shape, "instead of", looked.shape)
assert swapped.shape == (24, 64)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# Out comes a row for each letter of the *text*: now the text asks, and the answer is looked at. Lengths may differ in
# cross-attention, so no shape is wrong here. The sum with `y` in the next line would complain. If text and answer were
# equally long, not even that would give it away.
#
# </details>
#
# ## Check yourself
#
# ```self-check
# ? A source of 7 tokens, a target of 4, all of depth 8. What shape do the weights of cross-attention have, for one text and one head?
# - `(1, 7, 4)` | Rows are the tokens that look, and those are the target's. The 7 source tokens are the columns.
# - `(1, 4, 8)` | That is the shape of the output. The last axis of weights counts keys, not numbers of a vector.
# + `(1, 4, 7)` | A row for each target token that looks, a column for each source token that is looked at.
# - `(1, 4, 4)` | That is the decoder's self-attention. Here the keys are the source's.
# ? Source and target of a batch are both padded. Which mask does cross-attention need?
# + the padding of the source | Its keys are the source tokens, and a mask says which keys are blocked.
# - the padding of the target | A mask blocks keys, and the target's tokens are the queries here.
# - padding of the source and look-ahead | The whole source is there before the first word is written: nothing to hide.
# - none, since the encoder had its padding mask | It kept padding out of real tokens. Padded rows still hold numbers.
# ? Source: 6 tokens, target: 4. By mistake the encoder's output goes in as the queries, and the decoder's as keys and values. What comes out?
# - a `ValueError`, since 6 queries meet 4 keys | Lengths may differ. Only the depths of queries and keys have to agree.
# - 4 rows, with wrong numbers | There is one row for each query, and the queries are the source here.
# + 6 rows, where 4 are wanted | The output follows the queries. With equal lengths nothing would show.
# ```
#
# ## Where to go next
#
# You can now follow every number of a Transformer from the text to the answer. But there are 121,422 trained numbers in
# it, and nobody typed them in. Where do they come from?
#
# * [Training and writing](transformer.py): where all these numbers come from, and how an answer is written.
# * [Use it in a model of your own](../guides/use_it.py): the layers, ready made.
# * [Notation](../notation.md): every symbol and axis of this site.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), figures 1
# and 2; Devlin and others (2018), [BERT](https://arxiv.org/abs/1810.04805); Radford and others (2018), [Improving
# Language Understanding by Generative
# Pre-Training](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf).
