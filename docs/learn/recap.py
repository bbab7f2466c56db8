# ---
# title: The whole Transformer, on a map
# description: The encoder and the decoder in one picture, one letter that walks through all parts, the three places where attention is used, and a trained Transformer put together by hand.
# ---

# %% [markdown]
# # The whole Transformer, on a map
#
# Three letters of "june 5th, 1955" are a 5, and all three go into the machine as the same 64 numbers. Yet it writes
# `1955-06-05`. How does it know which 5 is the day?
#
# You have met every part, so now we can find out. Here is the map of the whole machine:
#
# --8<-- "diagrams/encoder_decoder.svg"
#
# Read it from below. Steps 1 to 6 of our walk are on the left, in the **encoder**, which reads the text. Steps 7 to 11
# are on the right, in the **decoder**, which writes the answer, one letter after the other. (Each letter is a *token*,
# and of the N layers our machine has one on each side.) The lines around the parts are the residuals.
#
# <details class="lesson-more" markdown="1"><summary>If you come straight from lesson 4: five parts in five lines</summary>
#
# * **[Heads](multi_head.py):** an attention looks in several ways at once, and what it finds is laid side by side.
# * **[Positions](positions.py):** a pattern that depends on the place is added to each letter's vector.
# * **[Residual](transformer_layer.py):** what a part finds is added to the letter, so that the letter is not lost.
# * **Norm:** then the sum is brought back to one size.
# * **[Feed-forward network](feed_forward.py):** two more matrices work on each letter alone, and can hold a table.
#
# </details>
#
# ## One letter on its way
#
# First we climb the left side with the 5 of the day, and beside it the first 5 of the year. At each step their
# *similarity* says how alike the two are: 1 if their vectors have the same direction, 0 if they have nothing in common,
# and below 0 if they point away from each other. (Steps 3 and 5 show only what a part has found, before it is added to
# the letter at 4 and 6.)
#
# **Walk with the 5, step by step. At which of the steps 2, 4 and 6 do the two 5s part most?**

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import date_tokenizers
from date_machine import machine, still
from examples import numpy_machine as own
from live import grid, journey, touch

model, _ = trained.load("dates")
source, target = date_tokenizers()
w = own.weights_of(model)  # the trained numbers, by name
text = "june 5th, 1955"
ids = source.encode([text])[0]
embedded = w["source"][ids] * np.sqrt(64)
placed = own.enter(ids, w["source"])
found = own.multi_head(placed, placed, w, "encoder.self", mask=0)
added = own.norm(placed + found, *w["encoder.self.norm"])
thought = own.feed_forward(added, w, "encoder.forward")
left = own.encode(ids, w)
np.testing.assert_allclose(left, model.encode(ids[None]).output[0], atol=1e-4)
stations = (embedded, placed, found, added, thought, left)
units = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in stations]
day_and_year = [unit[5] @ unit[12] for unit in units]
assert day_and_year[0] > 0.99 > 0.5 > day_and_year[-1]
of_letters = np.delete(day_and_year, [0, 4])  # without what feed-forward says
np.testing.assert_allclose(of_letters, [0.85, 0.22, 0.62, 0.09], atol=0.006)
assert round(float(day_and_year[0]), 4) == 1

# and its way through the decoder, when 1955-06-0 is written
begun = target.encode(["1955-06-05"])[:, :10]
step = model(ids[None], begun, return_weights=True)
looked = step.weights["decoder.0.cross"].numpy()[0, :, -2:, 5].mean(axis=0)
assert looked.min() > 0.5  # when the 0 is written, and when the 5 is
at_the_j = step.weights["decoder.0.cross"].numpy()[0, :, 6, 0].mean()
assert 0.8 < at_the_j < 0.95  # when the 6 is written
assert looked[-1] > 0.9
assert step.output.shape[-1] == 14
journey(
    text,
    {
        "Embedding": (embedded, "The letter becomes a vector of 64 numbers."),
        "Positions": (placed, "Its place is added, counted from 0."),
        "What attention adds": (
            found,
            "The letter looks at all letters. What it finds depends on what stands around it.",
        ),
        "Added and normed": (added, "What was found is added to the letter."),
        "What feed-forward adds": (
            thought,
            "Each letter is worked on by itself.",
        ),
        "Added and normed again": (
            left,
            "All letters go this way, at the same time. The decoder looks at what they are here.",
        ),
    },
    letter=5,
    other=12,
)

# %% [markdown]
# **Both 5s come in as the same 64 numbers, and leave the encoder with hardly anything in common.** They part a little
# at steps 2 and 4, and most at step 6: their places bring the similarity down from 1.00 to 0.85, attention to 0.62, and
# the network to 0.09. (The network looks at nobody. It only makes larger what places and looks have made different.)
# But here the places differ, too. Would neighbours alone be enough? Soon a j will tell.
#
# ## From the text into the answer
#
# Now the day's 5 is no longer just any 5. But how does it get to the right side, into the answer? We join the decoder
# when it has written `1955-06-0`. What comes out above a letter is its successor, so what comes out above the last one
# is written next. The last letter is the 0, and so it is this 0 that must ask the text for the day. Beside it walks the
# first 0, which had to ask for the month. (The • is the start mark.) At steps 7 and 8 the piece shows the two 0s, and
# at step 9 what they have fetched from the text.
#
# **Walk up the right side, as far as step 9. How alike are the two 0s, and how alike is what they fetch?**

# %% tags=["live", "hide-input"]
given = begun[0]
entered = own.enter(given, w["target"])
back = own.multi_head(entered, entered, w, "decoder.self", own.look_ahead(10))
behind_it = own.norm(entered + back, *w["decoder.self.norm"])
fetched = own.multi_head(behind_it, left, w, "decoder.cross", mask=0)
logits = own.decode(given, left, w)
np.testing.assert_allclose(logits, step.output[0], atol=1e-4)
said = target.decode([[x] for x in logits.argmax(axis=1)])
assert (said[6], said[9]) == ("6", "5")
stations = (entered, behind_it, fetched)
units = [x / np.linalg.norm(x, axis=1, keepdims=True) for x in stations]
alike = [unit[6] @ unit[9] for unit in units]
np.testing.assert_allclose(alike, [0.9, 0.51, 0.08], atol=0.006)
journey(
    "•1955-06-0",
    {
        "Embedding and positions": (
            entered,
            "As in the text, but now a letter of the answer.",
        ),
        "Masked self-attention, added and normed": (
            behind_it,
            "The letter looks at what is written so far.",
        ),
        "What cross-attention adds": (
            fetched,
            "It asks the text what comes next. The better a key fits, the more of its value comes over.",
        ),
    },
    letter=9,
    other=6,
    first=7,
)

# %% [markdown]
# **The two 0s of the answer still look alike at step 7, half as alike at step 8, and at step 9 they fetch almost
# unrelated things from the text.** They stand at different places, behind different letters, so they ask different
# questions. The first 0 gives most of its weight to the j of "june". Our 0 gives nearly all its weight to the day's 5.
#
# So the day has come across. What was fetched is added to our 0, and in step 10 the network works on the sum. Now a
# letter must be chosen. In step 11 one more matrix makes 14 numbers of the 64, the *logits*, one for each letter or
# mark that could be written next:

# %% tags=["hide-input"] alt="Fourteen bars, the logits of the ten digits, the hyphen, and the three marks pad, • and end. The bar of the 5 reaches 13.05. The next is the 3, with 3.01. All others are smaller."
import matplotlib.pyplot as plt

marks = {target.pad_id: "pad", target.start_id: "•", target.end_id: "end"}
names = [marks.get(i) or target.decode([[i]])[0] for i in range(14)]
_, ax = plt.subplots(figsize=(4.8, 1.8), layout="constrained")
colours = ["#d55e00" if name == "5" else "#0072b2" for name in names]
ax.bar(range(14), logits[-1], color=colours)
ax.axhline(0, color="0.5", lw=0.8)
ax.set(xticks=range(14), xticklabels=names, ylabel="logit")
ax.tick_params(axis="x", length=0)
ax.spines[["top", "right", "bottom"]].set_visible(False)
plt.show()
second, most = np.argsort(logits[-1])[-2:]
assert (names[second], names[most]) == ("3", "5")
np.testing.assert_allclose(logits[-1, [second, most]], [3.01, 13.05], atol=0.005)
likely = np.exp(logits[-1]) / np.exp(logits[-1]).sum()
assert round(float(likely[most]), 4) == 0.9999

# %% [markdown]
# The softmax turns the logits into probabilities, and the 5 is so far ahead that it gets 0.9999 and is written.
#
# **This is how the machine knows which 5 is the day: the encoder makes equal 5s different, and the decoder's query fits
# the day's 5 best.** Then the decoder starts again, with `1955-06-05`, until it writes the end mark. And that is all
# that happens when a Transformer writes.
#
# ## How can a j say June?
#
# To write the 6 of June, the decoder looks mostly at the j. But january and july begin with a j, too, at the same
# place. So how can a j say June?
#
# Here each j is a point: its 64 numbers, projected on a plane. **Let the three js walk up to step 6. Then put the j of
# "january 5th, 1955" into our text: which month will the machine write?**

# %% tags=["live", "hide-input"]
months, ways = {"01": "january", "06": "june", "07": "july"}, []
for month in months.values():
    its_ids = source.encode([f"{month} 5th, 1955"])[0]
    x = own.enter(its_ids, w["source"])
    looked = own.multi_head(x, x, w, "encoder.self", mask=0)
    behind = own.norm(x + looked, *w["encoder.self.norm"])
    said = own.feed_forward(behind, w, "encoder.forward")
    way = (w["source"][its_ids] * 8, x, x + looked, behind, behind + said)
    ways.append([at[0] for at in (*way, own.encode(its_ids, w))])
ways = np.swapaxes(ways, 0, 1)  # (steps, months, d_model)
for one_point in ways[:2]:
    np.testing.assert_array_equal(one_point, one_point[[0, 0, 0]])


def with_the_j(vector):
    """What is written if this vector takes the place of the j."""
    swapped, written = left.copy(), [target.start_id]
    swapped[0] = vector
    for _ in range(10):
        written.append(int(np.argmax(own.decode(written, swapped, w)[-1])))
    return target.decode([written[1:]])[0]


written = [[with_the_j(j) for j in step] for step in ways]
assert written[:2] == [["1955-06-05"] * 3] * 2
assert written[2:] == [["1955-01-05", "1955-06-05", "1955-07-05"]] * 4
ends = ways[-1]
# the plane through the three ends: from january to june, and across to july
across = np.linalg.qr((ends[1:] - ends[0]).T)[0]
across *= np.sign(np.sum(across * (ends[1:] - ends[0]).T, axis=0))
flat = (ways - ends.mean(axis=0)) @ across
sides = [
    np.linalg.norm(x - np.roll(x, 1, axis=0), axis=1) for x in (ends, flat[-1])
]
np.testing.assert_allclose(*sides, rtol=1e-4)  # there, nothing is lost
touch(
    "parting",
    grid(
        "The month that is written in place of 06, with the j of each word after so many steps",
        [[int(date[5:7]) for date in row] for row in written],
        [f"step {n}" for n in range(1, 7)],
        list(months.values()),
    ),
    months=list(months.values()),
    named=months,
    text=text,
    points=np.round(flat, 2).tolist(),
    written=written,
    says=[
        "Embedding: all three js are one point, in all 64 numbers.",
        "Positions: each j stands at place 0, so they are still one point.",
        "Self-attention: each j looks at its own word, and finds something else there. The arrow shows it.",
        "Add and norm: the norm draws the three in again, but they stay apart.",
        "Feed-forward: it adds an arrow to each j by itself.",
        "Add and norm: this is how the three js leave the encoder.",
    ],
    step=1,
    put=None,
)

# %% [markdown]
# It writes January, although all other letters still say June. Only the neighbours can have told the j: **a j that has
# looked around carries its month with it.** At step 2, where no j has looked around yet, january's j changes nothing:
# all three are the same there, and the machine writes June, from the other letters.
#
# ## The three attentions { #the-three-places }
#
# In steps 3, 8 and 9 letters looked at letters, with the same attention each time. What differs is who asks, who is
# asked, and what is hidden:
#
# | attention | queries from | keys and values from | hidden |
# | --- | --- | --- | --- |
# | encoder **self-attention** | the text | the text | [padding](masks.py) |
# | decoder **masked self-attention** | the answer so far | the same | padding and [the future](causal.py) |
# | **cross-attention** | the answer so far | the encoder's output | padding of the text |
#
# And here is where they looked, for our date or for yours. Once the machine has loaded, each has a button above the
# maps. Step 9 is "answer looks at text". Each row is named after the letter that comes *out*. Our 0 is in the row that
# writes the day's 5. **Where did it look?**

# %% tags=["live", "hide-input"]
machine(
    "dates",
    piece="looks",
    text="june 5th, 1955",
    at=6,
    without=still(model, "june 5th, 1955", at=6),
)

# %% [markdown]
# **Our 0 is in the last row called 5, because a 5 comes out there.** Most of its weight is on the 5 of "5th". There the
# machine found the day.
#
# ## Put together by hand
#
# Now you build it. You have written a function for each part, and they are collected in one file, `own`, where each
# product with a matrix also gets its bias. Only their order is missing, and the arrows of the map show it.
#
# Here is the left side, the encoder. `w` holds all trained numbers, so `multi_head` and `feed_forward` are told the
# name of their part in it. In `multi_head` the first argument asks, and the second is asked. In `enter` the square root
# makes the embedding about as large as the positions. **Can you find the first six steps of the walk?**

# %% tags=["source", "hide-input"]
import inspect

for function in (own.enter, own.encode):
    print(inspect.getsource(function))

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Where are the six?</summary>
#
# Steps 1 and 2, embedding and positions, are in `enter`. Step 3 is `multi_head`, and step 5 is `feed_forward`. Steps 4
# and 6 are the two lines with `norm`: the plus inside adds what was found, and the norm follows.
#
# </details>
#
# The right side, the decoder, is yours. Five places are open. (`linear` multiplies by a matrix, and adds a bias.)
#
# ```python
# def decode(ids, context, w):  # context: what the encoder has made of the text
#     y = enter(ids, w["target"])
#     found = multi_head(y, y, w, "decoder.self", ...)
#     y = norm(..., *w["decoder.self.norm"])
#     found = multi_head(y, ..., w, "decoder.cross", mask=0)
#     y = norm(..., *w["decoder.cross.norm"])
#     found = feed_forward(y, w, "decoder.forward")
#     y = norm(y + found, *w["decoder.forward.norm"])
#     return linear(..., w["logits"])
# ```
#
# Here is ours, and the function that writes one letter after the other:

# %% tags=["answer"]
for function in (own.decode, own.write):
    print(inspect.getsource(function))

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why <code>mask=0</code>? And where is the softmax?</summary>
#
# The `mask=0` hides nothing, because a text that is read alone needs no padding. And `write` takes the largest logit.
# It needs no softmax, unlike step 11, because a softmax leaves the order as it is.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>The whole file, with the parts from the lessons</summary>
#
# Each product with a matrix also adds a bias here, `positions` has `n = 10000` inside, and `softmax` first subtracts
# the largest score, against overflow.

# %% tags=["source", "remove-input"]
print(inspect.getsource(own))

# %% [markdown]
# </details>
#
# The moment of truth: do these functions read? (`source` and `target` turn letters into ids and back. If you write
# `own.decode = decode` as a first line, your own `decode` runs.)


# %%
def read(text):
    ids = own.write(source.encode([text])[0], w, target.start_id, target.end_id)
    return target.decode([ids])[0]


for text in ("thursday 3rd of may 2018", "3. mai '18", "june 5th, 1955"):
    print(f"{text:26} {read(text)}")

# %% tags=["hide-input"]
from clear_attention import create_date_pairs, greedy_search

texts, _ = create_date_pairs(200, seed=1, split="test")
by_keras = greedy_search(model, source.encode(texts, length=34), max_length=11)
assert [read(text) for text in texts] == target.decode(by_keras)
print("200 unseen dates: read just as the package reads them")

# %% [markdown]
# Nothing went into these answers but the trained numbers and the functions in `own`, our versions of those that you
# wrote, one lesson at a time. **That is the whole Transformer, in NumPy, and you have built it.**
#
# <details class="lesson-more" markdown="1"><summary>For the curious: where the numbers are</summary>
#
# Here is the map once more. The more trained numbers a part has, the higher it is drawn. (Its norm is counted with it.)

# %% tags=["hide-input"] alt="Two stacks of boxes, as high as a part has trained numbers. Left the encoder, from below: embedding 2,880, self-attention 16,768, feed-forward 33,216. Right the decoder: embedding 896, masked self-attention 16,768, cross-attention 16,768, feed-forward 33,216, and at the top linear with 910. The two boxes of feed-forward are twice as high as an attention."
encoder, decoder = model.encoder.layers[0], model.decoder.layers[0]
stacks = {
    "encoder": {
        "embedding": model.embed_source,
        "self-attention": encoder.self_attention,
        "feed-forward": encoder.feed_forward,
    },
    "decoder": {
        "embedding": model.embed_target,
        "masked self-attention": decoder.self_attention,
        "cross-attention": decoder.cross_attention,
        "feed-forward": decoder.feed_forward,
        "linear": model.project_logits,
    },
}
_, ax = plt.subplots(figsize=(4.8, 3.8), layout="constrained")
forward = whole = 0
for left_edge, (title, parts) in zip((0, 1.15), stacks.items(), strict=True):
    bottom = 0
    for name, part in parts.items():
        count = part.count_params()
        large = count > 5000
        colour = "#d55e00" if "feed" in name else "#0072b2" if large else "0.5"
        ax.bar(
            left_edge + 0.5,
            count,
            0.96,
            bottom,
            color=colour,
            alpha=0.3,
            edgecolor="0.5",
        )
        ax.text(
            left_edge + 0.5,
            bottom + (count / 2 if large else -500 if bottom == 0 else count + 500),
            f"{name}\n{count:,}" if large else f"{name} {count:,}",
            ha="center",
            va="center" if large else "top" if bottom == 0 else "bottom",
        )
        bottom += count
        whole += count
        forward += count * ("feed" in name)
    ax.text(left_edge + 0.5, -8000, title, ha="center", va="top", weight="bold")
ax.set(xlim=(0, 2.15), ylim=(-13_000, 74_000))
ax.axis("off")
plt.show()
assert whole == model.count_params() == 121_422
assert 0.5 < forward / whole < 0.6
sizes = [
    part.count_params() for parts in stacks.values() for part in parts.values()
]
assert sizes == [2880, 16768, 33216, 896, 16768, 16768, 33216, 910]

# %% [markdown]
# More than half of our machine's 121,422 numbers are in the two networks. In the first Transformer (2017, the smaller
# of its two sizes) it is 40 %, because much went into the table, a vector for each of 37,000 pieces of words. In GPT-3
# (2020) it is 66 %, because in so wide a machine the table hardly counts. **So two thirds of the numbers of GPT-3 look
# nowhere.** They work as in [the last lesson](feed_forward.py), on each token by itself.


# %% tags=["live", "remove-input"]
def share_of_forward(width, layers, of_attention, embeddings):
    """The share of the feed-forward parts in a machine, from its sizes."""
    network = layers * (8 * width**2 + 5 * width)
    looking = of_attention * (4 * width**2 + 4 * width)
    return network / (network + looking + embeddings * width)


first = share_of_forward(512, 12, 18, embeddings=37_000)
gpt_3 = share_of_forward(12_288, 96, 96, embeddings=50_257 + 2_048)
assert (round(first, 2), round(gpt_3, 2)) == (0.4, 0.66)

# %% [markdown]
# </details>
#
# ## Who found this, and when
#
# In 2017 Vaswani and seven others put known parts together, for translation, which needs one half to read and one to
# write. A year later each half proved useful alone. An *encoder* such as BERT turns a text into vectors. A *decoder*
# without cross-attention just goes on writing, as GPT does, and nearly every chat program.
#
# ## Exercises
#
# ### Exercise 1
#
# The answer gets one letter longer. Which of the three maps of weights grow, and by how much?

# %% tags=["answer"]
source_ids = source.encode(["thursday 3rd of may 2018"], length=34)
given = target.encode(["2018-05-03"])[:, :-1]
for letters in (10, 11):
    maps = model(source_ids, given[:, :letters], return_weights=True).weights
    shapes = [tuple(grid.shape[-2:]) for grid in maps.values()]
    print(letters, "letters:")
    print("  encoder {}\n  self {}\n  cross {}".format(*shapes))
assert shapes == [(34, 34), (11, 11), (11, 34)]

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# The map of the decoder's self-attention grows by a row and a column, because the new letter looks and is looked at.
# Cross-attention gets one more row: one more letter looks at the same text. The encoder's map stays as it is, because
# nothing of the answer goes into the encoder.
#
# </details>
#
# ### Exercise 2
#
# In `decode`, swap `y` and `context` in the line of the cross-attention. What comes out? Why does the attention itself
# not complain?

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
# Out comes a row for each letter of the *text*, because now the text asks, and the answer is looked at. The attention
# has no reason to complain: a query and a key must only be equally long, and all vectors here have 64 numbers. Only the
# next line does, because it adds these rows to `y`, which has fewer. If text and answer were equally long, nobody would
# notice.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("recap")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? The machine writes an answer of eleven letters. How often does the encoder read the text?
# + once | Its output does not depend on the answer, so it is kept, and every letter of the answer looks at it.
# - eleven times, once for each letter | Nothing that the decoder writes goes back into the encoder.
# - once for each head | All heads of a layer look at the same vectors, at the same time.
# ? Two letters of the text are both a 5. In which part can a 5 find out what stands around it?
# - in the embedding | It knows only which letter it is, so both get the same vector.
# - in the feed-forward network | It works on each letter by itself, and sees nothing of the others.
# + in self-attention | It is the only part of the encoder in which letters meet.
# ? `write` takes the largest of the 14 logits, without a softmax. What would change with one?
# - Another letter might be chosen. | The softmax leaves the order as it is, so the largest stays the largest.
# - The numbers would no longer add up to one. | With a softmax they do. Without it they need not.
# + Nothing in the answer. | The softmax makes probabilities of the logits, which only say how sure the machine is.
# ```
#
# </details>
#
# ## Where to go next
#
# You can now follow every number of a Transformer, from the text to the answer. But nobody typed the 121,422 trained
# numbers in. Where do they come from?
#
# * [Training](training.py) finds them.
# * [Use it in a model of your own](../guides/use_it.py): the layers, ready made.
# * [Notation](../notation.md): every symbol and axis of this site.
#
# Read on elsewhere: Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), figures 1
# and 2; Devlin and others (2018), [BERT](https://arxiv.org/abs/1810.04805); Radford and others (2018), [Improving
# Language Understanding by Generative
# Pre-Training](https://cdn.openai.com/research-covers/language-unsupervised/language_understanding_paper.pdf).
