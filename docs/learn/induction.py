# ---
# title: A head that copies
# description: What two layers can do and one cannot. Random letters that come again, the two steps of an induction head, by hand and in a trained machine, and what becomes of it when one of its two heads is switched off.
# ---

# %% [markdown]
# # What can two layers do that one can't?
#
# Go on with this text: `qzxkwv qzxkw`. You need no English for it. The text comes again, so the next letter is a v.
#
# Two small machines learnt just this task, from texts in which a piece of 5 to 25 random letters is repeated again and
# again. One machine has one layer and the other has two, with one head in each layer. Both were then asked about texts
# that repeat every 20 places. Right of the grey line, whoever looks back can nearly always know the next letter. Do
# they look back?

# %% tags=["hide-input"] alt="Share of letters that are right, against the place from 1 to 59. Up to place 19 both machines are near 0. After place 20 the machine with two layers jumps to nearly 100 percent and stays there. The machine with one layer never gets above about 30 percent."
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import matplotlib.pyplot as plt
import numpy as np
import trained
from trained.language import FIRST

PERIOD = 20
BLUE, ORANGE = "#0072b2", "#d55e00"
model, record = trained.load("repeats")
shallow, shallow_record = trained.load("repeats-one-layer")
figure, ax = plt.subplots(figsize=(5, 3), layout="constrained")
for label, found, style, colour in (
    ("two layers", record, "-", BLUE),
    ("one layer", shallow_record, "--", ORANGE),
):
    right = found["right_by_place"]
    ax.plot(np.arange(1, len(right) + 1), right, style, color=colour, label=label)
ax.axvline(PERIOD, color="0.6", linewidth=0.8)
ax.set(xlabel="letters seen before", ylabel="right", ylim=(0, 1))
ax.yaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
assert abs(record["right_by_place"][PERIOD:].mean() - 0.98) < 0.02
assert abs(shallow_record["right_by_place"][PERIOD:].mean() - 0.16) < 0.05
assert abs(shallow_record["right_by_place"][PERIOD - 1] - 0.25) < 0.1
assert record["right_by_place"][PERIOD - 1] < 0.12
assert shallow_record["right_by_place"][PERIOD - 1] > 0.14  # ahead at the line

# %% [markdown]
# The machine with two layers does, and the one with one layer hardly. Yet at the grey line itself the one with one
# layer is ahead. Why? Exercise 1 finds out.
#
# Is this machine only too small? We trained a third one for as many steps. Its one layer holds everything twice, two
# heads side by side and a network twice as wide, so that it has as many numbers as the machine with two layers. The
# list counts once 21 letters have been seen. The curves count all letters, also those of the first piece, where nobody
# can know the next. So only luck can lift a machine above the dotted line.

# %% tags=["hide-input"] alt="Share of all letters that are right in training against the step, from 0 to 500. The machine with one layer creeps up to less than 20 percent, and so does the one with two heads side by side in one layer. The machine with two layers is no better for 200 steps, and then rises within about 150 steps to above 60 percent. It ends just below a dotted line at 77 percent."
import contextlib
import io

import keras
from clear_attention import LanguageModel
from trained.language import SMALL, measure_repeats, repeats, train

keras.utils.set_random_seed(0)
twice = SMALL | {"num_layers": 1, "num_heads": 2, "d_ff": 2 * SMALL["d_ff"]}
head = {"d_k": SMALL["d_model"], "d_v": SMALL["d_model"]}  # as wide as a single one
beside = LanguageModel(**twice, self_attention=head, end_id=None)
beside.build()
with contextlib.redirect_stdout(io.StringIO()):
    beside_record = train(beside, repeats, steps=500, batch=32, peak=5e-3)
beside_record |= measure_repeats(beside)

machines = {
    "two layers": (model, record, "o-", BLUE),
    "one layer, all twice": (beside, beside_record, "^:", "0.4"),
    "one layer": (shallow, shallow_record, "s--", ORANGE),
}
figure, ax = plt.subplots(figsize=(5, 3), layout="constrained")
print("numbers, and right from 21 letters on:")
for label, (machine_, found, style, colour) in machines.items():
    ax.plot(found["steps"], 1 - found["wrong"], style, color=colour, label=label)
    later = found["right_by_place"][PERIOD:].mean()
    print(f"{label:20} {machine_.count_params():,}   {later:.0%}")
best = 1 - np.mean(range(5, 26)) / 64  # on average 15 of 64 come for the first time
ax.axhline(best, color="0.5", linestyle=":")
ax.text(50, best + 0.03, "all that can be known", size=9)
ax.set(xlabel="step of the training", ylabel="right, of all letters", ylim=(0, 1))
ax.yaxis.set_major_formatter("{x:.0%}")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()
gains = -np.diff(record["wrong"])
assert gains.max() > 0.15  # within 50 steps
assert (1 - shallow_record["wrong"]).max() < 0.3
assert best == 49 / 64 > 1 - record["wrong"][-1] > 0.68
assert abs(beside.count_params() / model.count_params() - 1) < 0.01
assert beside_record["right_by_place"][PERIOD:].mean() < 0.4

# %% [markdown]
# As many numbers side by side hardly help. With two layers little seems to happen for 200 steps, and then, within 150
# more, the machine can do it. What has it found?
#
# ## Why one look is not enough
#
# You stand at the second w. You look for a w further back, and say the letter that comes *after* it.
#
# A head can look for letters that are like its own. So it finds the first w. But it brings back what stands *there*,
# and that is a w. It would have to find the v. And the v does not know that a w stands before it, because in one layer
# each letter knows only itself and its place.
#
# So somebody must tell it first. That takes two steps:
#
# 1. **In the first layer each letter [looks one place back](positions.py#distance-is-a-turn)** and writes down what it
#    finds: "before me stood a w".
# 2. **In the second layer** the w asks: who has written down "before me stood a w"? The v has. The head goes there,
#    brings back the v, and the v is said.
#
# --8<-- "diagrams/two_steps.svg"
#
# The second head is called an **induction head**. It needs the note of the first one. A head beside it, in the same
# layer, would write that too late.
#
# ## By hand
#
# Let us build it. The text is "a b c a", and after the second `a` must come `b`. Three numbers say which letter it is,
# and the residual keeps them. Another three have room for the note:
#
# | place | letter | note after layer 1 |
# | --- | --- | --- |
# | 0 | a = (1, 0, 0) | (0, 0, 0), nobody stood before |
# | 1 | b = (0, 1, 0) | (1, 0, 0), an a |
# | 2 | c = (0, 0, 1) | (0, 1, 0), a b |
# | 3 | a = (1, 0, 0) | (0, 0, 1), a c |
#
# Now layer 2: its $W_Q$ picks the letter, $W_K$ picks the *note*, and $W_V$ picks the letter again. This is what three
# matrices are good for: a letter is compared with notes. Let a score be 5 times the dot product, so that the choice is
# clear. For place 3 the scores are 0, 5, 0, 0, and the weights are $e^5 / (e^5 + 3) = 0.9802$ for place 1, and 0.0066
# for each of the others, two of which are a's. The output is
#
# $$
# 0.9802 \cdot (0, 1, 0) + 2 \cdot 0.0066 \cdot (1, 0, 0) + 0.0066 \cdot (0, 0, 1) = (0.0132, 0.9802, 0.0066)
# $$
#
# so it says b. In NumPy `letters` are the queries and the values of layer 2, and `note` holds its keys. The first note
# is emptied, because the first letter sees only itself and would note an a.


# %%
def softmax(scores, mask):
    powers = np.where(mask == 1, 0, np.exp(scores))
    return powers / powers.sum(axis=-1, keepdims=True)


letters = np.eye(3)[[0, 1, 2, 0]]  # a b c a
hide_the_future = np.triu(np.ones((4, 4)), k=1)

places = np.arange(4)
looks_back = 50.0 * (places == places[:, None] - 1)  # scores: one place back
note = softmax(looks_back, hide_the_future) @ letters
note[0] = 0  # nobody stood before the first
weights = softmax(5.0 * letters @ note.T, hide_the_future)
print("weights:    ", weights[3].round(4))  # of place 3
print("brings back:", (weights @ letters)[3].round(4))

# %% [markdown]
# ## Did the training find the same?
#
# Here are the trained machine's two heads on a text that comes again after seven places. A row is a letter that looks.
# The cells with a red outline are those where our two steps would look: two slanting lines, in layer 1 over the whole
# map, and in layer 2 over the lower half.

# %% tags=["hide-input"] alt="Two maps of 14 by 14 letters. Above, layer 1: the outlined cells directly left of the diagonal are the brightest of their rows, with weaker ones beside them. Below, layer 2: in the rows of the second half the outlined cells are six places to the left of the diagonal, one place after the letter's first occurrence. They are bright in four rows, weaker in two and dark in the first. In most rows of the first half the first column is brightest."
from clear_attention import plot_weights

seven = np.random.default_rng(35).choice(26, size=7, replace=False)
ids = np.tile(seven, 2)[None] + FIRST
names = [chr(ord("a") + n) for n in ids[0] - FIRST]
maps = model(ids, return_weights=True).weights
figure, axes = plt.subplots(2, 1, figsize=(4.4, 7.6), layout="constrained")
for ax, layer, title in zip(axes, ("0", "1"), ("layer 1", "layer 2"), strict=True):
    plot_weights(maps[layer][0, 0], tokens=names, ax=ax, colour_bar=False)
    ax.set_title(title)
    for row in range(1, 14) if layer == "0" else range(7, 14):
        expected = row - 1 if layer == "0" else row - 6
        ax.add_patch(
            plt.Rectangle(
                (expected, row),
                1,
                1,
                fill=False,
                edgecolor="red",
                lw=1.5,
                clip_on=False,
            )
        )
plt.show()
np.testing.assert_allclose(
    (weights @ letters)[3], [0.0132, 0.9802, 0.0066], atol=1e-4
)
most = maps["1"][0, 0].numpy().argmax(axis=1)  # where each letter looks most
assert (most[7:] == np.arange(1, 8)).tolist() == [False] + [True] * 6
assert (maps["0"][0, 0].numpy().argmax(axis=1)[1:] == np.arange(13)).all()

others = np.random.default_rng(3)
others = [np.tile(others.choice(26, size=7, replace=False), 2) for _ in range(500)]
others = np.stack(others) + FIRST
said_rightly = model(others).numpy().argmax(axis=-1)[:, 7:13] == others[:, 8:]
assert said_rightly[:, 0].mean() < 0.05
assert abs(said_rightly[:, 1:].mean() - 0.7) < 0.12
assert (maps["1"][0, 0].numpy()[1:7].argmax(axis=1) == 0).sum() >= 4

# %% [markdown]
# In layer 1 each letter but the first looks most at the one before, though the map is blurred. In layer 2 the letters
# of the first half have nothing to find, and most of them look at place 0, the bright first column. But in the second
# half six of the seven look most at the place just *after* the one where they stood the last time: w, s, x and c
# clearly, and k and g weakly. Only the h is misled.
#
# The text was chosen. In others of seven letters the first is nearly always misled, too, and after the others the
# machine says the right letter in only about 70 of 100 cases.
#
# So the training found our two steps, and all that it was ever told is which letter comes next. In texts of 20 letters,
# where many a letter stands twice, these two steps alone would give only about 70 of 100, and not 98. But the machine
# notes the letter two back, too. So the s can ask: who has noted an s just before, and a w two back?
#
# ## Follow one letter
#
# Here are the same weights as arcs. Choose a letter, or press "Read on". Above, the letter looks back in layer 2.
# Below, you see where the letter that it found had looked in layer 1: that is the note by which it was found. Predict
# first:
#
# 1. Where will the last letter but one look?
# 2. What had been noted there?
# 3. Can the machine know what comes after the x of the first half?

# %% tags=["live", "remove-input"]
from live import touch

logits = model(ids)[0].numpy()
powers = np.exp(logits - logits.max(axis=1, keepdims=True))
chances = powers / powers.sum(axis=1, keepdims=True)
said = [chr(ord("a") + n - FIRST) for n in chances.argmax(axis=1)]
sure = chances.max(axis=1)
second = maps["1"][0, 0].numpy()
for asks in (10, 12):
    assert second[asks].argmax() == asks - 7 + 1
    assert maps["0"][0, 0].numpy()[asks - 7 + 1].argmax() == asks - 7
    assert said[asks] == names[asks - 7 + 1]
assert (second[1:7].argmax(axis=1) == 0).sum() >= 4  # the first half: the beginning
assert (second[4].argmax(), said[4]) == (4, names[4])
touch(
    "echo",
    f"<p>In layer 2 the {names[10]} at place 10 looks most at the {names[4]} at place 4, which had looked in layer 1 at"
    f" the {names[3]} at place 3. The machine says {said[10]}.</p>",
    text="".join(names),
    period=7,
    place=10,
    layers=[np.round(maps[layer][0, 0], 3).tolist() for layer in ("0", "1")],
    said=said,
    sure=np.round(sure, 3).tolist(),
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. The last letter but one, a c, finds the g, which came after it the last time.
# 2. The g had noted the c.
# 3. No. No x has come before, so it can only guess. This x looks mostly at itself, and says x.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>Is it so in other texts, too?</summary>
#
# Here are the means over 200 texts, which come again after 20 letters:

# %% tags=["hide-input"] alt="Dots: shares of the weight. With two layers, the head of layer 1 gives about 46 percent to the place before and nothing to the letter that followed last time. The head of layer 2 gives about 77 percent to that letter. The machine with one layer gives little to either."
rng = np.random.default_rng(3)
texts = np.tile(rng.integers(0, 26, size=(200, PERIOD)), (1, 3)) + FIRST
places = np.arange(3 * PERIOD)
later = places[PERIOD:]
maps = {
    "two layers": model(texts, return_weights=True).weights,
    "one layer": shallow(texts, return_weights=True).weights,
}
found = {}
for machine_, heads in maps.items():
    for layer, weights in heads.items():
        weights = weights.numpy()[:, 0]
        back = weights[:, places[1:], places[:-1]].mean()
        behind = weights[:, later, later - PERIOD + 1].mean()
        found[machine_, layer] = back, behind
equal = np.mean(1 / (places[1:] + 1)), np.mean(1 / (later + 1))
figure, ax = plt.subplots(figsize=(5.4, 2.4), layout="constrained")
names = [f"{machine_}, layer {int(layer) + 1}" for machine_, layer in found]
rows_ = [*names, "if all got the same"]
back, behind = np.transpose([*found.values(), equal])
ax.scatter(
    back, rows_, 45, color=ORANGE, marker="s", label="one place back", zorder=2
)
ax.scatter(
    behind, rows_, 45, color=BLUE, label="to what followed last time", zorder=2
)
ax.set(xlim=(-0.02, 1), xlabel="share of the weight")
ax.xaxis.set_major_formatter("{x:.0%}")
ax.invert_yaxis()
ax.grid(axis="y", linewidth=0.5)
ax.spines[["top", "right", "left"]].set_visible(False)
figure.legend(loc="outside upper right", ncols=2, frameon=False, handletextpad=0.2)
plt.show()
assert found["two layers", "0"][0] > 0.3
notes = maps["two layers"]["0"].numpy()[:, 0]
assert np.mean(notes.argmax(axis=-1)[:, 1:] == places[:-1]) > 0.9
assert found["two layers", "0"][0] > notes[:, places[2:], places[:-2]].mean() > 0.08
fit = (texts[:, :PERIOD, None] == texts[:, None, :PERIOD]).sum(axis=-1)
by_lot = np.mean(1 / fit)  # one of the notes that fit
assert round(26 * (1 - (25 / 26) ** 20)) == 14
assert 0.68 < by_lot < 0.74 < 0.85 < record["right_by_place"][PERIOD:].mean()
assert found["two layers", "1"][1] > 0.5
assert found["one layer", "0"][1] < 0.2

# %% [markdown]
# The second head gives most of its weight to the letter that followed the last time, and the first head about half of
# its own to the letter before.
#
# Why the h is misled in the text with seven letters we have not tested. Place 0 had seen only itself, and so noted an
# h. But letters that find nothing look mostly at place 0, too.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>Can these two steps alone give 98 %?</summary>
#
# No. Of 20 random letters only about $26 \cdot (1 - (25/26)^{20}) = 14$ are different, because each of the 26 is
# missing with the chance $(25/26)^{20} = 0.46$. Where a letter stands at two places, whoever knows only the letter
# before must choose between them. A letter that stands at $k$ places is asked about $k$ times, and each choice is right
# with chance $1/k$. So each different letter brings one right answer, which makes 14 of 20, or 70 %.
#
# Does a note hold the letter *two* back as well? Let us hide that place from the first head:

# %% tags=["hide-input"]


def right_without(back):
    """Share of right letters from 21 letters on, if the first head can't see the place so far back."""
    ids = texts[:, :-1]
    place = np.arange(ids.shape[1])
    hidden = place[:, None] - place == back
    first_layer, second_layer = model.stack.layers
    options = {"causal": True, "positions": place}
    x = model.embed(ids) * SMALL["d_model"] ** 0.5
    x = second_layer(first_layer(x, mask=hidden, **options), **options)
    said = np.argmax(model.to_logits(model.stack.final_norm(x)), axis=-1)
    return np.mean(said[:, PERIOD:] == texts[:, PERIOD + 1 :])


for back, words in ((2, "two back"), (3, "three back")):
    weight = notes[:, places[back:], places[:-back]].mean()
    print(f"{words}: it gets {weight:.0%} of the weight,")
    print(f"    without it {right_without(back):.0%} are right")
assert abs(right_without(2) - by_lot) < 0.08
assert abs(record["right_by_place"][PERIOD] - 0.78) < 0.1
assert right_without(3) > 0.9

# %% [markdown]
# Without it the machine is no better than somebody who knows only the letter before. So its notes do hold both.
#
# </details>
#
# ## A check: switch one off
#
# A picture shows where a head looks, and not whether it matters. So switch the heads off, one at a time, by setting to
# zero what the head hands on. Then count how often the machine is right, and how often the letter that it says stands
# in the text at all.


# %% tags=["hide-input"]
def measured(model):
    said = np.argmax(model(texts[:, :-1]), axis=-1)[:, PERIOD:]
    in_text = (said[..., np.newaxis] == texts[:, np.newaxis, :PERIOD]).any(axis=-1)
    return np.mean(said == texts[:, PERIOD + 1 :]), np.mean(in_text)


shares = {"both heads": measured(model)}
for number, layer in enumerate(model.stack.layers, start=1):
    hands_on = layer.self_attention.attention.project_output.kernel
    kept = hands_on.numpy()
    hands_on.assign(np.zeros_like(kept))
    shares[f"without the head of layer {number}"] = measured(model)
    hands_on.assign(kept)

# %% [markdown]
# How many of 100 letters will still be right? With both heads it is about 98.

# %% tags=["live", "remove-input"]
from live import bet

bet(
    "induction/switched-off",
    [
        (
            "without the head of layer 1",
            round(100 * shares["without the head of layer 1"][0], 1),
            "The second head still brings back letters of the text, and some of them are right by luck.",
            "The second head still brings back letters of the text. But without notes it can't tell which.",
        ),
        (
            "without the head of layer 2",
            round(100 * shares["without the head of layer 2"][0], 1),
            None,
            "The notes are still written. But nobody reads them, so they are worth nothing.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured, and what it says instead</summary>
#
# Next to nothing is left, whichever head is missing:

# %% tags=["hide-input"] alt="Dots for four cases. With both heads about 98 percent of the letters are right, and all stand in the text. Without the head of layer 1 about 10 percent are right, and 95 percent stand in the text. Without the head of layer 2 about 4 percent are right, and 50 percent stand in the text, as with somebody who guesses."
shares["who guesses"] = 1 / 26, 1 - (25 / 26) ** PERIOD
right, in_text = np.transpose([*shares.values()])
figure, ax = plt.subplots(figsize=(5.4, 2.4), layout="constrained")
ax.scatter(right, [*shares], 45, color=BLUE, label="right", zorder=2)
ax.scatter(
    in_text, [*shares], 45, color=ORANGE, marker="s", label="in the text", zorder=2
)
for name, values in shares.items():
    if values[1] - values[0] > 0.1:
        for share in values:
            ax.annotate(
                f"{share:.0%}",
                (share, name),
                (0, 6),
                textcoords="offset points",
                ha="center",
                size=9,
            )
ax.set(
    xlim=(-0.02, 1.05), ylim=(3.3, -0.7), xlabel="share of the letters that it says"
)
ax.xaxis.set_major_formatter("{x:.0%}")
ax.grid(axis="y", linewidth=0.5)
ax.spines[["top", "right", "left"]].set_visible(False)
figure.legend(loc="outside upper right", ncols=2, frameon=False, handletextpad=0.2)
plt.show()

# %% [markdown]
# Without the second head nothing is brought back, and the machine is right as often as somebody who guesses blindly, in
# 4 of 100. That is even less than the 16 of the machine with one layer, which has learnt to look back in a way of its
# own, as exercise 1 shows. Without the first, the second head still brings back letters of the text, but no note tells
# it which. Whoever says the letter of a random place is right in $1/20 + 19/20 \cdot 1/26 = 9\,\%$ of all cases,
# because a wrong place holds the right letter once in 26 times.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>And the machine that read Python's manual?</summary>
#
# Our [language model](language_model.py) has two layers as well. Is there an induction head among its eight heads? Give
# it random letters that come again: if it had one, it would be less surprised the second time.

# %% tags=["hide-input"]
from clear_attention import token_losses
from trained.language import encode

language, _ = trained.load("language")
first_letter = int(encode("a")[0])
foreign = texts - FIRST + first_letter
bits = token_losses(language, foreign).numpy() / np.log(2)
first, again = bits[:, 5 : PERIOD - 1].mean(), bits[:, PERIOD + 5 :].mean()
heads = language(foreign, return_weights=True).weights
most = max(
    w.numpy()[:, :, later, later - PERIOD + 1].mean(axis=(0, 2)).max()
    for w in heads.values()
)
print(f"bits a letter, the first time: {first:.1f}")
print(f"bits a letter, again:          {again:.1f}")
print("(a blind guess: 8.0)")
print(f"best head, on what followed: {most:.0%}")
(whole, _), *without, _ = shares.values()
assert whole > 0.85 > 0.3 > max(share for share, _ in without)
assert without[0][1] > 0.8  # letters of the text
assert 0.06 < without[0][0] < 0.15
assert round(1 / 20 + 19 / 20 / 26, 3) == 0.087
assert again > 0.8 * first  # no head of this kind, after so short a training
assert first > np.log2(26) + 2

# %% [markdown]
# No. It even needs more bits than a blind guess, because it is sure of letters that the manual would have. There random
# letters hardly ever come again, so it had little reason to learn this. But that is our guess, and not tested.
#
# Olsson and others report that in large models such heads do more than copy letters: a head that finds "what came after
# something *like* this" can go on with a list, a rhyme, or a question and its answer.
#
# </details>
#
# ## Who found this, and when
#
# Nelson Elhage, Catherine Olsson and others took models of nothing but attention apart in 2021, and found pairs of
# heads like ours. In 2022 they saw such heads appear in larger models at the same moment at which these become better
# at using what stands far back. They suspect that this is how a large model can do a task that it has only been shown
# in its prompt.
#
# <details class="lesson-more" markdown="1"><summary>Is one layer not enough, however large?</summary>
#
# In 2024 Sanford, Hsu and Telgarsky [proved](https://arxiv.org/abs/2408.14332) what it takes: more heads, wider heads
# or more bits in each number. In one layer the product of the three must grow in proportion to the length of the text.
# In two layers it is enough if it grows like the logarithm of the length.
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# The machine with one layer is right more often than once in 26. What may it have learnt instead? Give it 2,000 texts
# of random letters that do *not* come again. Which of the earlier letters does it say?

# %% tags=["answer"]
seen = rng.integers(0, 26, size=(2000, 40))
said = np.argmax(shallow(seen + FIRST), axis=-1) - FIRST
hits = {}
fits = {back: sum(back % p == 0 for p in range(5, 26)) for back in range(5, 26)}
for length in (10, 20, 40):
    same = np.mean(seen[:, :length] == said[:, length - 1 : length], axis=0)
    hits[length] = int(same.argmax()), same.max()
    place, share = hits[length]
    print(
        f"{length} letters: it says place {place:2}, {length - place:2} back, {share:.0%}"
    )
    if length >= 20:  # as far back as the texts of the first picture come again
        says_20_back = same[length - 20]
        print(
            f"                    place {length - 20:2}, 20 back, {says_20_back:.0%}"
        )
    if length == 20:
        begins_again = says_20_back  # at the grey line, about a quarter
print(f"                    place {40 - 24:2}, 24 back, {same[40 - 24]:.0%}")
assert abs(says_20_back - shallow_record["right_by_place"][PERIOD:].mean()) < 0.06
assert hits[10][0] == 0
assert abs(begins_again - shallow_record["right_by_place"][PERIOD - 1]) < 0.07
assert 22 < 40 - hits[40][0] < 26
assert same[40 - 24] > 0.8 * same.max()
assert max(fits, key=fits.get) == 24
assert (fits[24], sorted(fits.values())[-2]) == (4, 3)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What has it learnt?</summary>
#
# It has learnt at which distance texts most often come again, and for that it needs no note, only positions. So after
# 40 letters it most often says the one 23 or 24 back. 24 back is right for pieces of 24, 12, 8 and 6 letters, more than
# any other distance. In only about 16 % of the texts it says the one 20 back, as in the first picture.
#
# And at the grey line? Only 20 letters stand there, so it looks mostly near the beginning, and in about a quarter of
# the texts it says the first letter, with which the piece begins again.
#
# </details>
#
# ### Exercise 2
#
# What if a letter stands twice in what comes again, as the k in "k m a z b k w"? What does an induction head say after
# the next k? Guess. The answer tries it with 500 texts of ten random letters, in which the first and the sixth are the
# same.

# %% tags=["answer"]
pieces = np.array([rng.permutation(26)[:10] for _ in range(500)])
pieces[:, 5] = pieces[:, 0]
every = np.arange(500)


def given_to(columns, after):
    """Mean probability of the letters in these columns, after two rounds and the beginning of a third."""
    begun = np.concatenate([pieces, pieces, pieces[:, :after]], axis=1) + FIRST
    logits = model(begun)[:, -1].numpy()
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = powers / powers.sum(axis=1, keepdims=True)
    return [shares[every, pieces[:, c] + FIRST].mean() for c in columns]


(only_one,) = given_to([4], after=4)
first, k, second, *others = given_to([1, 0, 6, 2, 3, 4, 7, 8, 9], after=1)
elsewhere = 1 - first - second - k - sum(others)
print(f"one letter can follow:   {only_one:.0%}")
print(f"two can, the first:      {first:.0%}")
print(f"         the second:     {second:.0%}")
print(f"the k itself:            {k:.0%}")
print(f"six more of the piece:   {sum(others):.0%}")
print(f"17 that are not in it:   {elsewhere:.0%}")
assert only_one > 0.8 > first + second
assert first > second
assert 0.1 < elsewhere < 0.5

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# Both have stood after a k, so the notes of both fit, and the weight is shared between them. But this k begins a new
# round, as the letter before it says. So only the first of the two is right, and it does get more, probably because a
# note also holds the letter two back. And about half of the probability goes to others, probably because a mixture of
# two letters is like neither.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("induction")

# %% [markdown]
# ```self-check
# ? In the machine built by hand, somebody changes W_K: it picks the letter, and no longer the note. What does it say after "a b c a"?
# + a | It now looks for letters like its own, finds both a's, and brings back an a.
# - b | The b was found by its note, and nobody asks for notes any more.
# - c | Only the head of the first layer looks one place back.
# ? The head of the first layer is switched off. What does the head of the second layer find?
# + next to nothing that fits | There are no notes to find, so it can't tell the letter that came after from any other.
# - still the right place | It looks for notes, and nobody has written any.
# - the place of the letter itself | Its keys are not the letters but the notes.
# ? Why can't a machine with one layer and two heads do it?
# - because two heads can't look at different places | They can.
# + because both heads of a layer read what came in, and neither reads the other's note | The note must be there before the second head looks.
# - because it has fewer numbers | As many numbers side by side hardly helped. What is missing is the order of the two steps.
# ```
#
# ## Where to go next
#
# **Your machine so far:** the half of a Transformer that writes, as [before](language_model.py). Now you can say what
# its depth is for: a later layer asks about what an earlier one has written down.
#
# * [Programs with attention](programs.py): what would you have to write into W_Q and W_K?
# * [What does the machine look at?](../machine.py): the date machine's heads, to be switched off.
#
# Read on elsewhere: Elhage and others (2021), [A Mathematical Framework for Transformer
# Circuits](https://transformer-circuits.pub/2021/framework/index.html); Olsson and others (2022), [In-context Learning
# and Induction Heads](https://arxiv.org/abs/2209.11895); Brown and others (2020), [Language Models are Few-Shot
# Learners](https://arxiv.org/abs/2005.14165).
