# ---
# title: Writing
# description: How the probabilities of a Transformer become an answer. Greedy search and its dead end, a beam search that you write, drawing with a temperature, and why a machine can be sure and wrong.
# slow: true
# ---

# %% [markdown]
# # How does it write?
#
# Our machine gives a probability to each letter that could come next, *if the letters before it are given*. In its
# training these were the right letters. Now it goes on from the letters that it has written itself, right or wrong.
# Here it answers "5 june", a text that names no year, and it has begun with 000:
#
# --8<-- "diagrams/writing_loop.svg"
#
# To take the most probable letter each time, as in the drawing, is called **greedy search**. Once a letter is chosen,
# nothing takes it back. So is the answer of greedy search the most probable one of all?
#
# ## A dead end, by hand { #a-dead-end-by-hand }
#
# How probable is a whole answer? The probabilities of its letters multiply. If half of all answers begin with one
# letter, and a fifth *of these* go on with another, then $0.5 \cdot 0.2 = 0.1$ of all answers begin with these two.
#
# Now let the first letter be A with 0.6 or B with 0.4. The best letter that can follow A has 0.3, and the best that can
# follow B has 0.9. Greedy search takes A and ends with $0.6 \cdot 0.3 = 0.18$. With B it could have had
# $0.4 \cdot 0.9 = 0.36$, twice as much.
#
# It took the best letter each time, and walked into a dead end.
#
# **Beam search** keeps several beginnings at once. How many it keeps is called its *width*. At each step it goes on
# from each beginning with each letter, and of all these longer beginnings it keeps the most probable ones. Try it out:
# for which probabilities of A does greedy search miss the best answer?

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
from live import touch

assert round(0.6 * 0.3, 3) < round(0.4 * 0.9, 3)
assert round(0.7 * 0.3, 3) < round(0.3 * 0.9, 3)
assert round(0.75 * 0.3, 3) == round(0.25 * 0.9, 3)
touch(
    "tree",
    "<p>Greedy search takes A with 0.6 and ends with 0.18. A beam of two keeps B as well, and ends with 0.36.</p>",
    first=0.6,
    best=[0.3, 0.9],
    width=1,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# On the slider, from 0.5 to 0.7. At 0.75 both answers are equally probable, $0.75 \cdot 0.3 = 0.25 \cdot 0.9 = 0.225$, and above it
# the answer with A is the best.
#
# </details>
#
# ## The same dead end, in our machine
#
# Let our machine read "31/12/2018", where 31 stands in the place of the month. It writes "2018-" without any doubt. But
# how does the month begin?
#
# --8<-- "diagrams/two_ends.svg"
#
# Greedy search begins the month with the 3, meets a second doubt, and ends with $0.59 \cdot 0.55 = 0.32$. A beam keeps
# the 1 as well. After the 1 the machine is sure of every letter, so this answer ends with 0.40.
#
# Neither answer is right: 2018-3-1-1 is no date at all, and there is no 13th month. But the answer of the beam has at
# least the form of a date.
#
# ## Your machine so far
#
# Now write the beam. For each beginning it keeps a pair: its ids, and its probability. The function `next_letters` gets
# the ids, and returns a probability for each letter that could come next. What is missing?
#
# ```python
# def beam(next_letters, start, end, width, most=11):
#     beams = [([start], 1.0)]  # one beginning, and its probability
#     for _ in range(most):
#         longer = []
#         for ids, probability in beams:
#             if ids[-1] == end:  # it has ended, and is kept as it is
#                 longer.append((ids, probability))
#                 continue
#             for letter, p in enumerate(next_letters(ids)):
#                 longer.append(...)
#         longer.sort(key=lambda pair: pair[1], reverse=True)
#         beams = ...
#     return beams
# ```
#
# The probabilities come from your machine, with our trained numbers. Let it read both texts, with a width of 1, which
# is greedy search, and with a width of 3. Does the beam find a better answer to "5 june", too?


# %% tags=["answer"]
import numpy as np
import trained
from clear_attention import date_tokenizers
from examples import numpy_machine as yours  # your machine

model, _ = trained.load("dates")
source, target = date_tokenizers()
w = yours.weights_of(model)  # our trained numbers


def beam(next_letters, start, end, width, most=11):
    beams = [([start], 1.0)]  # one beginning, and its probability
    for _ in range(most):
        longer = []
        for ids, probability in beams:
            if ids[-1] == end:  # it has ended, and is kept as it is
                longer.append((ids, probability))
                continue
            for letter, p in enumerate(next_letters(ids)):
                longer.append(([*ids, letter], probability * p))
        longer.sort(key=lambda pair: pair[1], reverse=True)
        beams = longer[:width]
    return beams


def reader(text):
    context = yours.encode(source.encode([text])[0], w)

    def next_letters(ids):
        logits = yours.decode(ids, context, w)[-1]
        logits[
            [target.pad_id, target.start_id]
        ] = -np.inf  # these are never written
        return yours.softmax(logits, mask=0)

    return next_letters


for text in ("31/12/2018", "5 june"):
    for width in (1, 3):
        found = beam(reader(text), target.start_id, target.end_id, width)
        ids, probability = found[0]
        answer = target.decode([ids])[0]
        print(f"{text:10} width {width}: {answer} with {probability:.2f}")

# %% tags=["remove-input"]
import re
from pathlib import Path

from clear_attention import beam_search, create_date_pairs, greedy_search


def text_of(ids):
    return target.decode([ids])[0]


def best_two(chances):
    return [(text_of([i]), chances[i]) for i in chances.argsort()[:-3:-1]]


def numbers_of(name):
    drawn = Path(f"../diagrams/{name}.svg").read_text(encoding="utf-8")
    return np.array(re.findall(r'class="number"[^>]*>([^<]+)<', drawn), float)


june, strange = reader("5 june"), reader("31/12/2018")
ends = target.start_id, target.end_id
# Your beam finds what the package finds, and your machine is as sure as ours.
for text in ("5 june", "31/12/2018"):
    beams = beam_search(
        model, source.encode([text]), max_length=11, width=3, length_penalty=0.0
    )
    ours = beam(reader(text), *ends, width=3)
    for (ids, p), theirs, score in zip(
        ours, beams.ids[0], beams.scores[0], strict=True
    ):
        assert ids[1:] == theirs[: len(ids) - 1].numpy().tolist()
        np.testing.assert_allclose(np.log(p), score, atol=1e-4)
# The drawing of the loop: what comes after 000.
zeros = target.encode(["000"])[0, :4].tolist()
(zero, p), (six, other) = best_two(june(zeros))
assert (zero, six) == ("0", "6")
assert np.count_nonzero(june(zeros)) == 12  # with ten others
np.testing.assert_allclose(numbers_of("writing_loop"), [p, other], atol=0.01)
# The drawing of the two ends: both forks, and what the answers have.
begin = target.encode(["2018-"])[0, :6].tolist()
assert min(strange(begin[:n]).max() for n in range(1, 6)) > 0.99
(three, p_three), (one, p_one) = best_two(strange(begin))
again = target.encode(["2018-3-1"])[0, :9].tolist()
(dash, p_dash), (two, p_two) = best_two(strange(again))
assert (three, one, dash, two) == ("3", "1", "-", "2")
(greedy_ids, greedy_p), (beam_ids, beam_p) = (
    beam(strange, *ends, width)[0] for width in (1, 3)
)
assert (text_of(greedy_ids), text_of(beam_ids)) == ("2018-3-1-1", "2018-13-12")
assert min(strange(beam_ids[:n]).max() for n in range(7, 12)) > 0.99
np.testing.assert_allclose(
    numbers_of("two_ends"),
    [p_three, p_one, p_dash, p_two, greedy_p, p_three * p_two, beam_p],
    atol=0.005,
)
assert round(0.59 * 0.55, 2) == 0.32
# What the text and the fold below say of 5 june.
(june_ids, whole), (second_ids, second) = beam(june, *ends, width=3)[:2]
assert (
    june_ids[1:]
    == greedy_search(model, source.encode(["5 june"]), 11)[0].numpy().tolist()
)
assert (text_of(june_ids), text_of(second_ids)) == ("0000-06-05", "0006-06-05")
np.testing.assert_allclose([whole, second], [0.51, 0.35], atol=0.005)
taken, left = zip(
    *(
        [chance for _, chance in best_two(june(june_ids[:n]))]
        for n in range(1, len(june_ids))
    ),
    strict=True,
)
np.testing.assert_allclose(taken[0], 0.88, atol=0.005)
np.testing.assert_allclose(taken[3], 0.58, atol=0.005)
np.testing.assert_allclose([left[0], left[3]], [0.12, 0.40], atol=0.01)
assert min(p for n, p in enumerate(taken) if n not in (0, 3)) > 0.99
bounds = np.cumprod([1.0, *taken[:-1]]) * left
np.testing.assert_allclose(bounds.max(), 0.35, atol=0.01)
assert bounds.argmax() == 3
assert np.delete(bounds, [0, 3]).max() < 0.01

# %% [markdown]
# For "5 june" there is no better answer than 0000-06-05. (Every year of the training began with 19 or 20. But here the
# machine seems to take the digits of the month, 06, for the year.)
#
# <details class="lesson-more" markdown="1"><summary>Could the beam have missed a better one?</summary>
#
# No. Any other answer differs from this one somewhere for the first time, and there has at best the second choice. At
# the first letter the second choice has 0.12. At the fourth it has 0.40, behind a first letter of 0.88, which makes
# $0.88 \cdot 0.40 = 0.35$. Anywhere else it comes to less than 0.01. Each further letter multiplies by at most 1, so no
# other answer has more than 0.35. And 0000-06-05 has $0.88 \cdot 0.58 = 0.51$.
#
# (In long answers such products become too small for a computer. So most programs add up logarithms.)
#
# </details>
#
# But both texts are of a kind that was not in its training. Now take 2,000 unseen dates in forms that it knows. For how
# many of them does a beam give another answer than greedy search?
#
# <details class="lesson-answer" markdown="1"><summary>How many</summary>

# %%
unseen, right = create_date_pairs(2000, seed=1, split="test")
unseen_ids = source.encode(unseen, length=34)
written = target.decode(greedy_search(model, unseen_ids, max_length=11))
best = beam_search(model, unseen_ids, max_length=11, width=3, length_penalty=0.0)
by_beams = target.decode(best.ids[:, 0])
for name, answers in {"greedy": written, "by beam": by_beams}.items():
    exact = np.mean([a == b for a, b in zip(answers, right, strict=True)])
    print(f"{name:8} {exact:.2%} of 2,000 dates right")
    assert exact > 0.99
different = sum(a != b for a, b in zip(written, by_beams, strict=True))
print(f"different answers to {different} of them")
assert different < 5

# %% [markdown]
# None: it is so sure of each letter that there is hardly a dead end to avoid. A machine that was trained half as long
# met a single one among 5,792 texts (in November 2026): for "8/1/2029" greedy search wrote 2029-08-11, and the beam
# 2029-08-01, which is right. [In translation](#who-found-this-and-when) a beam gains more.
#
# </details>
#
# ## Drawing by lot { #drawing }
#
# Ask for "5 june" a hundred times, and you get 0000-06-05 a hundred times. But the machine gives this answer only 0.51.
# Another one, 0006-06-05, has 0.35, and nobody will ever see it.
#
# So most chat machines [*draw*](language_model.py#drawing-a-letter) the next letter, or piece of a word: the more
# probable it is, the more often. How daring they are is set by the **temperature**: all
# [logits](training.py#how-wrong-is-it-by-hand) are divided by it, before the softmax makes probabilities of them. Let
# two letters have the logits 3 and 0:
#
# | temperature | logits, divided | $e$ to this power | probabilities |
# | --- | --- | --- | --- |
# | 0.5 | 6 and 0 | 403.4 and 1 | 0.998 and 0.002 |
# | 1 | 3 and 0 | 20.09 and 1 | 0.953 and 0.047 |
# | 2 | 1.5 and 0 | 4.48 and 1 | 0.818 and 0.182 |
#
# With $z_i$ for the logit of letter $i$ and $T$ for the temperature, its probability is
#
# $$
# p_i = \frac{e^{z_i / T}}{\sum_j e^{z_j / T}}
# $$
#
# Here is the fourth letter of the answer to "5 june". At which end of the slider is drawing nearly greedy search? Does
# any letter ever overtake the likeliest?

# %% tags=["live", "remove-input"]
for heat, powers, shares in (
    (0.5, 403.4, [0.998, 0.002]),
    (1, 20.09, [0.953, 0.047]),
    (2, 4.48, [0.818, 0.182]),
):
    np.testing.assert_allclose(np.exp(3 / heat), powers, atol=0.05)
    found = yours.softmax(np.array([3.0, 0.0]) / heat, mask=0)
    np.testing.assert_allclose(found, shares, atol=5e-4)
# these differ from the logits by one number, which cancels in the softmax
with np.errstate(divide="ignore"):
    logits = np.log(june(zeros))


def at_temperature(temperature):
    return yours.softmax(logits / temperature, mask=0)


ranked = [i for i in logits.argsort()[::-1] if np.isfinite(logits[i])]
cold, cool, usual, warm, hot = (
    at_temperature(temperature)[ranked[0]] for temperature in (0.1, 0.5, 1, 2, 5)
)
names = {"": "the end", "-": "dash"}
assert cold > 0.9
assert cool > usual > warm > hot > 1 / len(ranked)
assert hot < 0.6
likeliest = text_of([ranked[0]])
touch(
    "temperature",
    f"<p>At temperature 0.1, “{likeliest}” gets {cold:.2f}, which is nearly greedy search. At 1 it gets {usual:.2f}, so"
    f" that of 100 letters drawn about {100 * (1 - usual):.0f} would be another letter. At 5 it gets {hot:.2f}, still the most.</p>",
    letters=[names.get(text_of([i]), text_of([i])) for i in ranked],
    logits=[round(float(logits[i]), 4) for i in ranked],
    temperature=1,
    seed=0,
)

# %% [markdown]
# A low temperature makes the likely likelier, and a high one gives the unlikely a chance. But no letter overtakes
# another. Here are whole answers to "5 june", a hundred drawn at each of three temperatures. A square is an answer:

# %% tags=["hide-input"] alt="Three large squares of a hundred small ones each, for answers to 5 june drawn at the temperatures 0.3, 1 and 2. Blue stands for 0000-06-05, orange for 0006-06-05, and grey for all others. At 0.3 about three quarters are blue, and the rest is orange. At 1 more than half are blue, a third is orange and a tenth grey. At 2 about half are grey."
from collections import Counter

import matplotlib.pyplot as plt
from clear_attention import sample

hundred = source.encode(["5 june"] * 100, length=34)
shown = {"0000-06-05": "#0072b2", "0006-06-05": "#e69f00"}
drawn_at = {}
figure, axes = plt.subplots(1, 3, figsize=(5, 2.3), layout="constrained")
for ax, t in zip(axes, (0.3, 1.0, 2.0), strict=True):
    ids = sample(model, hundred, max_length=11, temperature=t, seed=1)
    drawn_at[t] = Counter(target.decode(ids))
    counts = [drawn_at[t][answer] for answer in shown]
    colours = np.repeat([*shown.values(), "#a0a0a0"], [*counts, 100 - sum(counts)])
    for place, colour in enumerate(colours):
        row, column = divmod(place, 10)
        ax.add_patch(plt.Rectangle((column, row), 0.86, 0.86, color=colour, lw=0))
    ax.set(xlim=(0, 10), ylim=(10, 0), aspect="equal")
    ax.set_title(f"temperature {t:g}", fontsize=10)
    ax.axis("off")
figure.supxlabel("blue 0000-06-05, orange 0006-06-05, grey any other", fontsize=10)
plt.show()
rare = [said for said, n in drawn_at[2.0].items() if n == 1][:4]
print("some that came once at 2:", ", ".join(rare))
counts = [drawn_at[t]["0000-06-05"] for t in drawn_at]
assert counts == sorted(counts, reverse=True)
assert len(drawn_at[0.3]) < len(drawn_at[1.0]) < len(drawn_at[2.0])
blue, orange = ([drawn_at[t][answer] for t in drawn_at] for answer in shown)
assert 70 < blue[0] < 85
assert blue[0] + orange[0] == 100
assert 50 < blue[1] < 60
assert 28 < orange[1] < 38
assert 40 < 100 - blue[2] - orange[2] < 60

# %% [markdown]
# ## Does it know when it is unsure? { #sure-and-wrong }
#
# Searched or drawn, some answer is always written. Does its probability at least show when the machine doesn't know?
# You have [seen it](reading_dates.py#sure-and-wrong) nearly certain of February 30th. Does it waver at "hello", and at
# a text of nothing but ten dots? What probability does it give to the answer that it finds best?

# %% tags=["live", "hide-input"]
from live import bet

asked = ["february 30th, 2018", "31/12/2018", "hello", ".........."]
asked_ids = source.encode(asked, length=34)
beams = beam_search(model, asked_ids, max_length=11, width=3, length_penalty=0.0)
sure = np.exp(beams.scores[:, 0])
bet(
    "writing/sure",
    [
        (
            "hello",
            round(100 * float(sure[2]), 1),
            "Some answer has to come first, even here.",
            "Here no answer gets nearly all, and so the probability shows that the machine is unsure.",
        ),
        (
            "ten dots",
            round(100 * float(sure[3]), 1),
            "A text that says nothing does not make it unsure. It prefers one answer all the same.",
            "It is far surer than at “hello”, and yet a little is left for other answers.",
        ),
    ],
    low=0,
    high=100,
    step=1,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# At "hello" it wavers, as at 31/12/2018, and at ten dots hardly. Each bar is divided among the three answers that a
# beam finds:

# %% tags=["hide-input"] alt="Four bars of probabilities. For february 30th, 2018, and for ten dots one answer takes most of the bar: 2018-02-30 and 0000-00-00. For 31/12/2018 and for hello the best answer takes less than half: 2018-13-12 and 1904-07-00."
figure, ax = plt.subplots(figsize=(4.8, 3), layout="constrained")
for row, (words, answers, scores) in enumerate(
    zip(asked, beams.ids, np.exp(beams.scores), strict=True)
):
    ax.text(0, row - 0.38, words, va="bottom")
    second = f"second: {target.decode(answers)[1] or 'nothing'}, {scores[1]:.2f}"
    ax.text(1, row - 0.38, second, va="bottom", ha="right", fontsize=9)
    ax.barh(row, 1, height=0.6, color="#80808030")
    left = 0
    for found, p, colour in zip(
        target.decode(answers),
        scores,
        ("#0072b2", "#56b4e9", "#b3dcf5"),
        strict=True,
    ):
        ax.barh(row, p, left=left, height=0.6, color=colour)
        if p > 0.25:
            said = f"{found}: {p:.2f}" if p > 0.4 else found
            shade = "black" if left else "white"
            ax.text(left + p / 2, row, said, color=shade, ha="center", va="center")
        left += p
ax.set(xlim=(0, 1), ylim=(3.5, -0.9), yticks=[], xlabel="probability")
ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()

# %% tags=["remove-input"]
assert max(sure[1:3]) < 0.5 < 0.85 < sure[3] < 0.95 < sure[0]
assert target.decode(beams.ids[:, 0])[1:3] == ["2018-13-12", "1904-07-00"]

# %% [markdown]
# So the probabilities warn us of "hello" and of 31/12/2018, but not of February 30th, and hardly of the dots.
#
# </details>
#
# A probability says how much the machine [prefers an answer](reading_dates.py#sure-and-wrong), and not whether the
# answer is right.
#
# ## Who found this, and when
#
# Beam search was first used in a speech recogniser (Lowerre, 1976). In translation a small beam finds somewhat better
# sentences than greedy search. One would think that a wider beam can only help. But a very wide one does harm, as Koehn
# and Knowles (2017) measured: it finds more probable sentences, and yet worse ones, above all shorter, because each
# further word makes a sentence less probable. Stahlberg and Byrne (2019) searched all there was, and for more than half
# of the sentences the most probable translation was the empty one.
#
# Hinton and Sejnowski made the temperature of physics known in networks in 1983. To draw only among the likeliest words
# came with machines that tell stories: Fan and others (2018) took a fixed number of them, *top-k*, and Holtzman and
# others (2019) as few as together have a given probability, *top-p*, which you will [try
# out](language_model.py#drawing-a-letter). And Guo and others (2017) found that trained networks tend to be too sure of
# themselves.
#
# ## Exercises
#
# ### Exercise 1
#
# A beam misses answers, too. Choose probabilities for three first letters, A, B and C, and for the best letter after
# each, so that even a beam of width 2 misses the best answer. With which width can it not happen?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Let A have 0.4, B 0.35 and C 0.25, and the best after them 0.3, 0.3 and 0.9. The beam keeps A and B, and finds $0.4
# \cdot 0.3 = 0.12$. The answer with C would have had $0.25 \cdot 0.9 = 0.225$. It cannot happen if no beginning is
# dropped, here with a width of 3.
#
# </details>
#
# ### Exercise 2
#
# Let the machine draw 200 answers to "5 june" at temperature 1. The package draws with
# [`sample`][clear_attention.sample]. Which years does the machine make up? Are there answers that do not have the form
# of a date?

# %% tags=["answer"]
two_hundred = source.encode(["5 june"] * 200, length=34)
drawn = sample(
    model,
    two_hundred,
    11,
    temperature=1.0,
    seed=0,
    jit_compile=False,  # a loop that runs once is not worth compiling
)
years = Counter(answer[:4] for answer in target.decode(drawn))
print("first four signs, the most frequent:")
print(*(f"{year} ({n})" for year, n in years.most_common(4)))
print(f"different ones: {len(years)}, from {min(years)} to {max(years)}")
answers = target.decode(drawn)
dates_drawn = [re.fullmatch(r"\d{4}-\d\d-\d\d", answer) for answer in answers]
broken = dates_drawn.count(None)
digits = "".join(years.elements())
assert digits.count("0") + digits.count("6") > 0.8 * len(digits)
assert "000" in answers
assert years["1006"] > 5
print(f"without the form of a date: {broken} of {len(answers)}")

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# More than four in five years are made of 0 and 6. Each letter is likely *after the letters before it*: a 1 may come
# first, and once it is there, mostly 1006 follows, and less often 1950. But nothing makes sure that the whole is a
# year, or has four digits. By a rare chance the machine once even ended after "000".
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("writing")

# %% [markdown]
# ```self-check
# ? Greedy search finds an answer with a probability of 0.2. What does a beam of width 5 find?
# - the most probable answer of all | It keeps five beginnings at each step. What it drops never comes back, and may have been the start of the best.
# - always one with at least 0.2 | Even greedy search's own beginning can be pushed out, by five that look better for a while and end worse.
# + mostly one that is at least as probable, but nothing is certain | Only looking at every answer would be certain.
# ? Letters are drawn at temperature 2, and no longer at 1. What is the likeliest letter now?
# + the same as before, but with a smaller probability | The logits keep their order. Only the distances between them are halved.
# - the letter that was second | No temperature lets one letter overtake another.
# - none, because all are equally likely | That is what a very high temperature comes near to.
# ? A machine finds its answer 97 % probable. When is that a reason to trust it?
# - always | It was even surer of February 30th.
# - never | Of 2,000 unseen texts like those of its training, it read more than 99 in 100 right.
# + more of a reason if the text is like those it was trained on, and even then it may be too sure | A probability says which answer it prefers. For a text unlike its training it may be high all the same.
# ```
#
# ## Where to go next
#
# For each new letter our program sends the whole answer so far through the machine once more. How much of that has it
# computed before?
#
# * [The cache](cache.py): what need not be computed twice.
# * [Use it in a model of your own](../guides/use_it.py).
# * [Reference: generation](../reference/generation.md): every argument of the searches.
#
# Read on elsewhere: Koehn and Knowles (2017), [Six Challenges for Neural Machine
# Translation](https://arxiv.org/abs/1706.03872); Guo and others (2017), [On Calibration of Modern Neural
# Networks](https://arxiv.org/abs/1706.04599); Ackley, Hinton and Sejnowski (1985), [A Learning Algorithm for
# Boltzmann Machines](https://doi.org/10.1207/s15516709cog0901_7).
