# ---
# title: Attention sinks
# description: Where a machine looks that needs nothing. A mark that takes the leftover weight, what happens if it is dropped, and a learnt sink that takes its place.
# ---

# %% [markdown]
# # Where does a machine look that needs nothing?
#
# Large models were seen to [write nonsense](windows.py#where-to-go-next) once the first pieces of a text were out of
# sight. What did the models need those pieces for?
#
# Here is a clue. The weights of a query add up to 1, so it must look somewhere, even if there is nothing to fetch. A
# shy speaker looks at the clock on the wall, only to look somewhere. Where does a machine look?
#
# To find out, we trained a small machine with one head on random letters. Under a vowel, which is a, e, i, o or u, it
# must write the letter just before it. Under any other letter it must write the next one of the alphabet (after z comes
# a):

# %% tags=["hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from date_machine import percent
from IPython.display import Markdown
from trained import spare

SIGNS = [*spare.LETTERS, "•"]
with_start, start_record = trained.load("spare-start")
with_sink, sink_record = trained.load("spare-sink")


def told(model, signs, dropped=False):
    """Return what a machine writes below the places of a text, and where each of them looks."""
    ids = np.array([[SIGNS.index(sign) for sign in signs]])
    logits, weights = model(ids, dropped=dropped, return_weights=True)
    written = "".join(SIGNS[i] for i in np.argmax(logits[0], axis=-1))
    return written, np.array(weights)[0, 0]


words = ["dokebxutpraqsimf", "jodxaqcturenbimk", "tgmunhorckwafeli"]
written, weights = told(with_start, "•" + words[0])
lines = ["| • | " + " | ".join(words[0][:8]) + " |", "| --- " * 9 + "|"]
lines += ["| | " + " | ".join(written[1:9]) + " |"]
assert written[1:9] == "edlkcyxu"
Markdown("\n".join(lines))

# %% [markdown]
# So only a vowel gives the head something to do. For a d the machine must write e, and for that it needs no look: the
# vector of the d is [added](transformer_layer.py) to what the head brings.
#
# Each text begins with the start mark •, and the head sees only what stands *before* its letter. After its training the
# machine gets all letters of 1,000 new texts right.
#
# **Press a vowel, then some other letters. Where does the head look when it needs nothing?**

# %% tags=["live", "hide-input"]
from live import bet, coded, touch


def reading(model, signs, dropped=False, healthy=True):
    """Return all that the piece shows of one text; in the maps the sink comes last."""
    written, weights = told(model, signs, dropped)
    if model.sink:
        weights = np.c_[weights, 1 - weights.sum(axis=1)]
    right = [
        signs[i - 1] if sign in "aeiou" else SIGNS[(SIGNS.index(sign) + 1) % 26]
        for i, sign in enumerate(signs)
    ]
    facts = {"signs": signs, "right": "".join(right), "written": written}
    assert dropped or not healthy or written[1:] == facts["right"][1:]
    return facts | {"maps": coded(weights)}


touch(
    "spare",
    f"<p>The b of “{words[0]}” gives {percent(weights[5, 0])} of its weight to the start mark, and the o"
    f" {percent(weights[2, 1])} to the d before it.</p>",
    names=["start mark"],
    texts=[{"readings": [reading(with_start, "•" + word)]} for word in words],
    chosen=0,
    text=0,
    query=2,
)

# %% [markdown]
# **A head that needs nothing looks at the start mark, which is the same in every text and says nothing.** That is what
# makes the mark so useful. What comes from there is always the same, so the rest of the machine can learn to subtract
# it. And the mark stands first, where every later letter can see it. (A vowel, too, leaves some weight there. But it
# gives enough to the letter before it.)
#
# (Usually a head also sees its own letter, and could leave weight there. We forbade that, so that the effect is plain.)
#
# Such a place, where leftover weight goes, is called an **attention sink**. Clark and others had seen one in 2019: many
# heads of BERT look at a mark between sentences. These heads, they argued, have nothing else to do there.
#
# ## What if the sink goes missing?
#
# The start mark says nothing, and soon it is long past. So somebody who wants to save memory drops it, and no later
# letter sees it any more. Is anything lost? Of 100 vowels, how many still get the right letter? And of 100 other
# letters?

# %% tags=["live", "remove-input"]
vowels, others = 100 * start_record["dropped"]
bet(
    "sinks/start-mark-dropped",
    [
        (
            "vowels, which need a look",
            round(float(vowels), 1),
            "They looked at the letter before, and it is still there.",
        ),
        (
            "other letters, which need none",
            round(float(others), 1),
            None,
            "They need no look. But they cannot help looking, and now their weight falls on letters.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What happened</summary>
#
# Of 100 vowels 96 get the right letter, and of 100 other letters only 34. The vowels still find the letter that they
# look at. The others must still look somewhere. So their weight now falls on some letters before them, which mix into
# the answer.
#
# </details>
#
# **Without the start mark, just those letters go wrong that needed no look.** In many such texts, two in three of those
# letters are lost, but hardly a vowel.
#
# Large models behave just like that. Many have no mark that says nothing. But the first place sees nobody but itself,
# so they can tell it from all others, whatever stands there, and its values turn out to be much smaller than those of
# other places (Guo and others, 2024). In 2023 Xiao and others, who gave *attention sinks* their name, dropped it, and
# the models wrote nonsense. Then they kept the first four [pieces](pieces_of_words.py) of a text along with the latest,
# and a model went on well for millions of pieces. Four line breaks in their place did nearly as well.
#
# ## A place of its own
#
# Also in 2023, Miller wrote that the softmax lacks a way to say "nothing". If leftover weight looks for a place, why
# not give it one on purpose? A **sink** is one more score in each row, without a key and without a value. It is a
# single number for each head, and is learnt. It takes part in the softmax, and the weight that it gets is thrown away.
#
# Try it by hand. Four keys have the score -5 each, and the sink has the score 0. The power of a key is $e^{-5} =
# 0.0067$, and the power of the sink is $e^0 = 1$. All five add up to $4 \cdot 0.0067 + 1 = 1.027$. So each key gets
# $0.0067 / 1.027$, which is 0.7 %, and the sink gets $1 / 1.027$, which is 97.4 %, both rounded. Here is this row, and
# below it two rows in which the keys have higher scores:
#
# --8<-- "diagrams/none_of_you.svg"
#
# **When all keys have low scores, the sink takes the weight, and the query has said: *none of you*.** Without a sink it
# had to borrow a place to say that.
#
# Can a machine learn to use a sink? We trained a second one for the same task. Its head has a sink, and its texts have
# no mark: in its place stands an ordinary letter, here a b. It gets all letters right, too. Here is one of its looks,
# from an a, which needs the letter before it. **Let it look. Then let it look from the q, which needs nothing. What
# does the head bring back?**

# %% tags=["live", "remove-input"]
signs = "b" + words[0]
written, weights = told(with_sink, signs)
ids = np.array([[SIGNS.index(sign) for sign in signs]])
vectors = with_sink.positions(with_sink.embed(ids))
values = np.zeros((len(signs) + 1, 16))  # what is drawn; the sink has none
values[:-1] = with_sink.attention.project_values(vectors)[0, :, :16]
weights = np.c_[weights, 1 - weights.sum(axis=1)].astype(float)
assert signs[11:13] == "aq"
assert weights[12, -1] > 0.9
assert weights[11, 10] > 0.5
touch(
    "mixing",
    f"<p>From the q the sink gets {percent(weights[12, -1])} of the weight.</p>",
    kind="sink",
    text=signs,
    looks=[
        {
            "answer": signs[1:],
            "vectors": values.round(2).tolist(),
            "weights": weights[1:].round(4).tolist(),
        }
    ],
    look=0,
    rest="sink",
    numbers=32,
    chosen=10,  # the a
    stage=0,
)

# %% [markdown]
# **A letter that needs nothing gets next to nothing.** Nearly all of its weight goes to the sink, which has no value.
# The q is still there, because what the head brings is only added to it, and the q alone says that r comes next. A
# vowel gets what it needs, only a little paler.
#
# What does the machine do if the sink gets too little, or too much? **Look at the q with each of the three buttons.
# Then move the score of the sink, and watch how many letters stay right. What goes wrong if the score is far too low,
# at the left end of the slider, and what if it is too high?**

# %% tags=["live", "hide-input"]
import re
from pathlib import Path

# The numbers of the calculation and of the drawing, and its bars.
drawn = Path("../diagrams/none_of_you.svg").read_text(encoding="utf-8")
shown, wide = [], []
for score, key, sink in ((-5, 0.7, 97.4), (0, 20.0, 20.0), (5, 25.0, 0.2)):
    powers = 1 + 4 * np.exp(score)
    np.testing.assert_allclose(100 / powers, sink, atol=0.05)
    np.testing.assert_allclose(100 * np.exp(score) / powers, key, atol=0.05)
    shown += [f"{key:.1f}", f"{sink:.1f}"]
    wide += [*[np.exp(score) / powers] * 4, 1 / powers]
assert round(np.exp(-5), 4) == 0.0067
assert round(1 + 4 * np.exp(-5), 3) == 1.027
assert re.findall(r'class="number">([\d.]+)<', drawn) == shown
bars = re.findall(
    r'class="(?:keys|sink)" x="[\d.]+" y="[\d.]+" width="([\d.]+)"', drawn
)
np.testing.assert_allclose(np.array(bars, float) / 320, wide, atol=1e-3)


def left_over(model):
    """Return what vowels and other letters give, as an average, to the start mark or to the sink."""
    ids, _ = spare.texts(1000, 2, start=not model.sink)
    weights = np.array(model(ids, return_weights=True)[1])[:, 0]
    asked = np.arange(ids.shape[1]) > 1
    vowel = np.isin(ids, spare.VOWELS)
    share = 1 - weights.sum(-1) if model.sink else weights[..., 0]
    return share[vowel & asked].mean(), share[~vowel & asked].mean()


sink = with_sink.attention.sink
learnt = sink.numpy()
PUSHES = range(-20, 5, 2)  # added to the learnt score; 0 is among them


def pushed(word):
    """Return the readings of one text by the machine with a sink, for each score of the sink."""
    found = []
    for push in PUSHES:
        sink.assign(learnt + push)
        found.append(reading(with_sink, "b" + word, healthy=push == 0))
    sink.assign(learnt)
    return found


def right_with(push):
    """Return the shares of vowels and of other letters that are right with another score of the sink."""
    sink.assign(learnt + push)
    found = spare.measure(with_sink)["right"]
    sink.assign(learnt)
    return found


def right_without(place):
    """Return what is right, (texts, places), if no later place sees this one in the machine with a sink."""
    ids, answers = spare.texts(1000, 2, start=False)
    mask = spare.hidden(ids.shape[1], dropped=False).numpy()
    mask[..., place + 1 :, place] = 1
    vectors = with_sink.positions(with_sink.embed(ids))
    found = with_sink.attention(vectors, mask=mask)
    right = np.argmax(with_sink.project_logits(vectors + found), axis=-1) == answers
    vowel_behind = np.arange(ids.shape[1]) == place + 1
    return right, np.isin(ids, spare.VOWELS) & vowel_behind


for place in range(15):
    is_right, needs_it = right_without(place)
    assert is_right[~needs_it].mean() > 0.999
    assert (
        place == 0 or is_right[needs_it].mean() < 0.2
    )  # at place 1 stands no vowel
to_start, to_sink = left_over(with_start), left_over(with_sink)
assert min(*start_record["right"], *sink_record["right"]) > 0.9999
assert to_start[1] > 0.9 > 0.6 > to_start[0]
assert to_sink[1] > 0.9 > 0.6 > to_sink[0]
assert start_record["dropped"][0] > 0.9 > 0.5 > start_record["dropped"][1]
assert [round(100 * share) for share in start_record["dropped"]] == [96, 34]
assert 0.28 < start_record["dropped"][1] < 0.39  # two of three are lost
assert min(sink_record["dropped"]) > 0.99
too_low, too_high = right_with(PUSHES[0]), right_with(PUSHES[-1])
assert too_low[0] > 0.9 > 0.5 > too_low[1]
assert 0.28 < too_low[1] < 0.39  # as with the start mark dropped
assert too_high[1] > 0.999 > 0.1 > too_high[0]
lowest = pushed(words[0])[0]
assert (lowest["signs"][12], lowest["written"][12]) == ("q", "d")

touch(
    "spare",
    f"<p>Letters that need no look give {percent(to_start[1])} of their weight to the start mark, and in the"
    f" machine with a sink {percent(to_sink[1])} to the sink.</p>",
    names=["start mark", "start mark dropped", "a learnt sink"],
    texts=[
        {
            "readings": [
                reading(with_start, "•" + word),
                reading(with_start, "•" + word, dropped=True),
                *pushed(word),
            ]
        }
        for word in words
    ],
    chosen=2,
    text=0,
    query=12,  # the q
    scores=[round(float(learnt[0]) + push, 1) for push in PUSHES],
    level=PUSHES.index(0),
)

# %% [markdown]
# **If the score is far too low, two in three of the letters that need nothing go wrong**, in the mean of many texts.
# These are as many as without the start mark, because they must look at others again. If it is too high, the sink takes
# the weight that the vowels need.
#
# **With a learnt sink, nearly all leftover weight goes there, and no place of the text becomes special.** (We checked
# it: if any one place is hidden, only a vowel right after it goes wrong.) In 2025 gpt-oss was trained with such a sink
# for each head.
#
# In the drawing the sink is a column that belongs to no letter. Untick the box, and its weight goes to the letters:

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("sinks")

# %% [markdown]
# ## Your machine so far { #your-machine-so-far }
#
# Your [`softmax`](split_heads.py#your-machine-so-far) knows the mask. Now it gets the sink:
#
# ```python
# def softmax(scores, mask, sink=-np.inf):
#     powers = np.where(mask == 1, 0, np.exp(scores))
#     # The sink has a power, and no value.
#     # Minus infinity stands for no sink, because its power is 0.
#     sums = powers.sum(axis=-1, keepdims=True) + ...
#     return powers / np.where(sums == 0, 1, sums)
# ```


# %% tags=["answer"]
def softmax(scores, mask, sink=-np.inf):
    powers = np.where(mask == 1, 0, np.exp(scores))
    sums = powers.sum(axis=-1, keepdims=True) + np.exp(sink)
    return powers / np.where(sums == 0, 1, sums)


# %% [markdown]
# With a sink of score 0 your weights must be those of the three rows drawn above. And without a sink, a row that may
# look nowhere stays empty:

# %%
from clear_attention import scaled_dot_product_attention

four = np.ones((4, 1))
for score in (5.0, 0.0, -5.0):
    yours = softmax(np.full((1, 4), score), mask=0, sink=0.0)
    ours = scaled_dot_product_attention(
        np.array([[score]]), four, four, sink=np.float64(0)
    ).weights
    np.testing.assert_allclose(yours, ours, atol=1e-6)
np.testing.assert_array_equal(softmax(np.zeros((1, 4)), mask=np.ones((1, 4))), 0)
print("your softmax has a sink")

# %% [markdown]
# ## Exercises
#
# ### Exercise 1
#
# To save memory, let the head see only the last four places before each letter. Then let it see the start mark as well.
# How many vowels, and how many other letters, does the machine read right with each mask? In the notebook of this page
# the small machine is `with_start`, and a mask has a 1 where nobody may look:
#
# ```python
# ids, answers = spare.texts(1000, seed=3, start=True)
# vectors = with_start.positions(with_start.embed(ids))
# mask = ...  # spare.hidden(17, dropped=False).numpy() hides what comes later
# found = with_start.attention(vectors, mask=mask)
# says = np.argmax(with_start.project_logits(vectors + found), axis=-1)
# ```

# %% tags=["answer"]
ids, answers = spare.texts(1000, seed=3, start=True)
vowel, later = np.isin(ids, spare.VOWELS), np.arange(17) > 5
vectors = with_start.positions(with_start.embed(ids))
# hidden: what does not stand before, and what is too far back
window = spare.hidden(17, dropped=False).numpy() + np.tri(17, k=-5)
kept = window.copy()
kept[..., 0] = 0

for name, mask in {"last four": window, "and the start mark": kept}.items():
    found = with_start.attention(vectors, mask=mask.astype("float32"))
    says = np.argmax(with_start.project_logits(vectors + found), axis=-1)
    shares = [(says == answers)[which & later].mean() for which in (vowel, ~vowel)]
    print(f"{name}: vowels {shares[0]:.0%}, other letters {shares[1]:.0%}")
    assert (min(shares) > 0.9) == (name != "last four")

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What does it need?</summary>
#
# For the vowels four places are more than enough. But without the start mark the other letters go wrong, as in the long
# texts of Xiao and others, and leftover weight spoils a few vowels, too. Set one column of the mask to 0, and all is
# well again. The machine then needs a memory of five places, however long the text is.
#
# </details>
#
# ### Exercise 2
#
# Four keys have the score 0 each. Which score must the sink have to get half of the weight? And against a thousand such
# keys?

# %% tags=["answer"]
for keys in (4, 1000):
    score = np.log(keys)
    share = np.exp(score) / (np.exp(score) + keys)
    print(f"{keys:4} keys: a sink of {score:.2f} gets {share:.0%}")
    assert np.isclose(share, 0.5)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why the logarithm?</summary>
#
# To get half, the sink needs as much power as all keys together. Each key has a power of 1, so they have as much as
# there are keys. The score of the sink is the logarithm of that number.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("sinks")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? The start mark is the same in every text, and says nothing. Why does the head look at it?
# - Because it stands first, and what is first matters most. | It says nothing of the text, and would do as well elsewhere, if all could see it.
# + Because what comes from there is always the same. | So the rest of the machine can allow for it, which it can't do with a letter that changes.
# - Because it stands nearest. | To most letters it is the farthest of all.
# ? To save memory, a chat program drops the oldest words. Its model has no learnt sink. What should it keep besides the last words?
# - The longest words, since they say most. | What says most is not what takes leftover weight.
# + The first few, whatever they are. | Every later word could see them, so the leftover weight probably goes there.
# - Nothing, since old words are hardly looked at. | The first ones often get most of the weight, and say nothing.
# ? A head has a sink. All of its keys have scores far above that of the sink. What does the sink do?
# + Next to nothing. | It gets next to no weight, and the keys share the rest as before.
# - It takes an equal share. | It takes part with its own score, which is far below theirs.
# - It lowers all scores. | It changes no score. It only adds its power to the sum.
# ```
#
# </details>
#
# ## Where to go next
#
# A query can now say *none of you*. But there are three more things that a score can't say. Which ones?
#
# * [What else goes into the scores](score_rules.py): far away, enough, and never.
# * [Reference: attention](../reference/attention.md): the argument `sink` of each function.
#
# Read on elsewhere: Xiao and others (2023), [Efficient Streaming Language Models with Attention
# Sinks](https://arxiv.org/abs/2309.17453); Guo and others (2024), [Active-Dormant Attention Heads: Mechanistically
# Demystifying Extreme-Token Phenomena in LLMs](https://arxiv.org/abs/2410.13835); Miller (2023), [Attention Is Off By
# One](https://www.evanmiller.org/attention-is-off-by-one.html).
