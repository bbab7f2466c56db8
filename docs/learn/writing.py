# ---
# title: Writing
# description: How the probabilities of a Transformer become an answer. Greedy search and its dead end, beam search in a few lines, drawing with a temperature, and why a machine can be sure and wrong.
# slow: true
# ---

# %% [markdown]
# # How does it write?
#
# Our machine gives a probability to each letter that could come next, *if the letters before it are given*. In its
# training these letters were right. Now the letters that it has written itself take their place, right or wrong. Here
# it answers "5 june", a text that names no year, and it has begun with 000:
#
# --8<-- "diagrams/writing_loop.svg"
#
# Once a letter is chosen, nothing takes it back. To take the most probable letter each time, as in the drawing, is
# called **greedy search**. Is its answer the most probable one of all?
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
touch(
    "tree",
    "<p>Greedy search takes A with 0.6 and ends with 0.18. A beam of two keeps B as well, and ends with 0.36.</p>",
    first=0.6,
    best=[0.3, 0.9],
    width=1,
)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>And exactly?</summary>
#
# With $a$ for the probability of A, the two answers have $0.3\, a$ and $0.9\, (1 - a)$, which are equal at $a = 0.75$.
# So between 0.5 and 0.75 greedy search misses the better answer.
#
# </details>
#
# ## Our machine, asked what it cannot know
#
# Where a date has a form that it knows, our machine is so sure of each letter that there is hardly anything to choose.
# But "5 june" names no year. Which one does it make up? Each bar is a digit of the year, with the two letters that the
# machine found most probable:

# %% tags=["hide-input"] alt="Four bars, one for each digit of the year in the answer to 5 june. In each the most probable letter is a 0. In the first bar it has 0.88, and a 1 has 0.12. In the second and third it has nearly everything. In the fourth it has 0.58, and a 6 has 0.40."
import matplotlib.pyplot as plt
import numpy as np
import trained
from clear_attention import (
    beam_search,
    create_date_pairs,
    date_tokenizers,
    greedy_search,
)

model, record = trained.load("dates")
source, target = date_tokenizers()
text = source.encode(["5 june"], length=34)


def log_probabilities(text, answers):
    """For the letter after each answer: (answers, 14). Padding and start are never written."""
    texts = np.repeat(text, len(answers), axis=0)
    logits = np.array(model((texts, np.array(answers))))[:, -1].astype("float64")
    logits[:, [target.pad_id, target.start_id]] = -np.inf
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def letter(number):
    return target.decode([[number]])[0]


answer, whole, least, left_behind, year = [target.start_id], 1.0, 1.0, 0.0, []
while answer[-1] != target.end_id and len(answer) < 12:
    p = np.exp(log_probabilities(text, [answer])[0])
    one, two = p.argsort()[:-3:-1]
    if len(year) < 4:
        begun = target.decode([answer])[0]
        year.append((begun, letter(one), p[one], letter(two), p[two]))
    else:
        assert p[one] > 0.99  # as the cell says
    left_behind = max(left_behind, whole * p[two])
    whole *= p[one]
    if answer[1:] and p.max() < least:
        least, place = p.max(), len(answer)
    answer.append(int(one))
figure, ax = plt.subplots(figsize=(4.8, 2.4), layout="constrained")
for row, (_, one, p_one, two, p_two) in enumerate(year):
    ax.barh(row, p_one, color="#0072b2")
    ax.barh(row, p_two, left=p_one, color="#e69f00")
    ax.barh(row, 1 - p_one - p_two, left=p_one + p_two, color="#80808040")
    ax.text(
        p_one / 2,
        row,
        f"{one}: {p_one:.2f}",
        color="white",
        ha="center",
        va="center",
    )
    said = f"{two}: {p_two:.2f}" if p_two > 0.05 else ""
    ax.text(p_one + p_two / 2, row, said, color="black", ha="center", va="center")
ax.set_yticks(
    range(len(year)),
    [f"after {begun}" if begun else "first" for begun, *_ in year],
)
ax.set(xlim=(0, 1), xticks=[], xlabel="blue: written, orange: the second choice")
ax.invert_yaxis()
ax.spines[:].set_visible(False)
ax.tick_params(length=0)
plt.show()
print(f"after {target.decode([answer[:5]])[0]} each letter has over 0.99")
print(f"written: {target.decode([answer])[0]}, with {whole:.2f}")
assert answer[1:] == greedy_search(model, text, 11)[0].numpy().tolist()

# %% [markdown]
# Every year of its training began with 19 or 20. But what it writes are zeros, and what it nearly writes is a 6, as if
# it took the digits of the month, 06, for the year. (Only the 1, with 0.12, could begin a year that it knows.) And once
# a letter is written, the machine goes on as if somebody had told it this letter.
#
# ## Beam search
#
# Does a beam find a better answer to "5 june"? And to "31/12/2018", where 31 stands in the place of the month? The
# program is folded here. Each round of its loop keeps the answers that have ended, makes all longer beginnings of the others,
# and of all these keeps the `width` most probable ones:


# %% tags=["hide-input"]
def by_beam(text, width, length=11):
    # a beginning is a list of ids, and the logarithm of its probability, because
    # logarithms add up where probabilities multiply
    beams = [([target.start_id], 0.0)]
    for _ in range(length):
        longer = []
        for ids, total in beams:
            if ids[-1] == target.end_id:  # it has ended, and is kept as it is
                longer.append((ids, total))
                continue
            found = log_probabilities(text, [ids])[0]  # padding and start have -inf
            for i in range(14):
                longer.append(([*ids, i], total + found[i]))
        # of all these, only the most probable ones live on
        beams = sorted(longer, key=lambda beam: -beam[1])[:width]
    return beams


for words in ("5 june", "31/12/2018"):
    for width in (1, 3):  # with a width of 1 it is greedy search
        ids, total = by_beam(source.encode([words], length=34), width)[0]
        found = target.decode([ids])[0]
        print(f"{words:10} width {width}: {found} with {np.exp(total):.2f}")

# %% tags=["remove-input"]
import re
from pathlib import Path

# The drawing shows what this machine found.
drawn = Path("../diagrams/writing_loop.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([^<]+)<', drawn)
p = np.exp(log_probabilities(text, [answer[:4]])[0])
likely = p.argsort()[:-3:-1]
assert target.decode([answer[:4]])[0] == "000"
assert [letter(each) for each in likely] == ["0", "6"]
assert np.count_nonzero(p) == 12  # with ten others
np.testing.assert_allclose(np.array(drawn, float), p[likely], atol=0.01)
ours = by_beam(text, width=3)
beams = beam_search(model, text, max_length=11, width=3, length_penalty=0.0)
for (ids, total), theirs, score in zip(
    ours, beams.ids[0], beams.scores[0], strict=True
):
    assert ids[1:] == theirs[: len(ids) - 1].numpy().tolist()
    np.testing.assert_allclose(total, score, atol=1e-4)
assert ours[0][0] == answer
np.testing.assert_allclose(left_behind, 0.35, atol=0.01)  # as the text says
np.testing.assert_allclose(whole, 0.51, atol=0.01)
assert place == 4
off, others = ([each[i] for each in year] for i in (2, 4))
np.testing.assert_allclose(off, [0.88, 1, 1, 0.58], atol=0.01)
np.testing.assert_allclose([others[0], others[3]], [0.12, 0.40], atol=0.01)
strange = source.encode(["31/12/2018"], length=34)
(greedy_ids, greedily), (beam_ids, beamed) = (
    by_beam(strange, n)[0] for n in (1, 3)
)
assert target.decode([greedy_ids, beam_ids]) == ["2018-3-1-1", "2018-13-12"]
np.testing.assert_allclose(np.exp([greedily, beamed]), [0.32, 0.40], atol=0.01)
begin = np.exp(log_probabilities(strange, [greedy_ids[:6]])[0])
one, two = begin.argsort()[:-3:-1]
assert (letter(one), letter(two)) == ("3", "1")
np.testing.assert_allclose(begin[[one, two]], [0.59, 0.40], atol=0.01)

# %% [markdown]
# With "31/12/2018" greedy search walks into the dead end that you know. It begins the month with a 3, which has 0.59,
# and after another doubt it ends with 0.32. The beam keeps the 1 as well, which has only 0.40, but after it the machine
# is sure of every letter, so it ends with 0.40. Neither answer is right. But that of the beam at least has the form of
# a date, though there is no 13th month.
#
# For "5 june" there is no dead end. The answer of greedy search has about $0.88 \cdot 0.58 = 0.51$, since all its other
# letters are nearly certain. Any other answer must differ from it somewhere for the first time, and there has at best
# the second choice. In the first bar that has 0.12. In the fourth it comes to $0.88 \cdot 0.40 = 0.35$. Anywhere else
# it is less than 0.01. Each further letter multiplies by at most 1, so no other answer can have more than 0.35.
#
# But dates such as 31/12/2018 were not in its training. With dates of a known form a beam has little to gain. (It gains
# more [in translation](#who-found-this-and-when).) For how many of 2,000 unseen dates does the beam give another answer
# than greedy search?
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
# None, for there is hardly a dead end to avoid. In November 2026 we searched 23,988 different texts, and a beam of 3
# gave no other answer to any of them. With a machine that was trained half as long it gave another answer to one of
# 5,792, and was right: for "8/1/2029" greedy search wrote 2029-08-11, and the beam 2029-08-01.
#
# </details>
#
# ## Drawing by lot { #drawing }
#
# Machines that chat mostly do neither. They [*draw*](language_model.py#drawing-a-letter) the next letter, or piece of a
# word, each with its probability, often only among the likeliest, so that they do not always say the same. How daring
# they are is set by the **temperature**. All [logits](training.py#how-wrong-is-it-by-hand) are divided by it, before
# the softmax makes probabilities of them.
#
# Here are those for the fourth letter of the answer to "5 june". At which end of the slider is drawing nearly greedy
# search? Does any letter ever overtake the likeliest?

# %% tags=["live", "remove-input"]
# these differ from the logits by one number, which cancels in the softmax
(logits,) = log_probabilities(text, [answer[:place]])


def at_temperature(temperature):
    powers = np.exp((logits - logits.max()) / temperature)
    return powers / powers.sum()


first, second = logits.argsort()[:-3:-1]
cold, cool, usual, warm, hot = (
    at_temperature(temperature)[first] for temperature in (0.1, 0.5, 1, 2, 5)
)
ranked = [i for i in logits.argsort()[::-1] if np.isfinite(logits[i])]
names = {"": "the end", "-": "dash"}
assert cold > 0.9
assert cool > usual > warm > hot > 1 / len(ranked)
assert hot < 0.6
touch(
    "temperature",
    f"<p>At temperature 0.1, “{letter(first)}” gets {cold:.2f}, which is nearly greedy search. At 1 it gets {usual:.2f}, so"
    f" that of 100 letters drawn about {100 * (1 - usual):.0f} would be another letter. At 5 it gets {hot:.2f}, still the most.</p>",
    letters=[names.get(letter(i), letter(i)) for i in ranked],
    logits=[round(float(logits[i]), 4) for i in ranked],
    temperature=1,
    seed=0,
)

# %% [markdown]
# A low temperature makes the likely likelier, and a high one gives the unlikely a chance. But no letter overtakes
# another. Here are whole answers to "5 june", 100 drawn at each of three temperatures:

# %% tags=["hide-input"]
from collections import Counter

from clear_attention import sample

hundred = source.encode(["5 june"] * 100, length=34)
drawn_at = {}
for t in (0.3, 1.0, 2.0):
    ids = sample(model, hundred, max_length=11, temperature=t, seed=1)
    drawn_at[t] = Counter(target.decode(ids))
    often = [f"{n} times {said}" for said, n in drawn_at[t].most_common(2)]
    others = 100 - sum(n for _, n in drawn_at[t].most_common(2))
    kinds = len(drawn_at[t]) - 2
    often += [f"{others} others, of {kinds} kinds"] if others else []
    print(f"at {t:g}:", ", ".join(often))
counts = [drawn_at[t]["0000-06-05"] for t in drawn_at]
assert counts == sorted(counts, reverse=True)
assert len(drawn_at[0.3]) < len(drawn_at[1.0]) < len(drawn_at[2.0])

# %% [markdown]
# ## Does it know when it is unsure? { #sure-and-wrong }
#
# Do these probabilities at least show when the machine doesn't know? You have [seen
# it](reading_dates.py#sure-and-wrong) nearly certain of February 30th. Does it at least waver at "hello", and at a text
# of nothing but ten dots? What probability does it give to the answer that it finds best?

# %% tags=["live", "hide-input"]
from live import bet

strange = ["february 30th, 2018", "31/12/2018", "hello", ".........."]
strange_ids = source.encode(strange, length=34)
beams = beam_search(model, strange_ids, max_length=11, width=3, length_penalty=0.0)
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
# At "hello" it wavers, as at 31/12/2018, and at ten dots hardly. Each bar holds the three answers that a beam finds:

# %% tags=["hide-input"] alt="Four bars of probabilities. For february 30th, 2018, and for ten dots one answer takes most of the bar: 2018-02-30 and 0000-00-00. For 31/12/2018 and for hello the best answer takes less than half: 2018-13-12 and 1904-07-00."
figure, ax = plt.subplots(figsize=(4.8, 3), layout="constrained")
for row, (words, answers, scores) in enumerate(
    zip(strange, beams.ids, np.exp(beams.scores), strict=True)
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
            ax.text(
                left + p / 2, row, said, color="white", ha="center", va="center"
            )
        left += p
ax.set(xlim=(0, 1), ylim=(3.5, -0.9), yticks=[], xlabel="probability")
ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()

# %% tags=["remove-input"]
assert max(sure[1:3]) < 0.5 < 0.85 < sure[3] < 0.95 < sure[0]
assert target.decode(beams.ids[:, 0])[1:3] == ["2018-13-12", "1904-07-00"]

# %% [markdown]
# In 31/12/2018 it looks for a month in the 31, where there is none, and wavers between its two digits.
#
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
# of the sentences the most probable translation was the empty one. Guo and others (2017) found that trained networks
# tend to be too sure of themselves. Hinton and Sejnowski brought the temperature from physics to networks in 1983. To
# draw only among the likeliest came with machines that tell stories: Fan and others (2018) took a fixed number of them,
# *top-k*, and Holtzman and others (2019) as few as together have a given probability, *top-p*, which you will [try
# out](language_model.py#drawing-a-letter).
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
import re
from collections import Counter

from clear_attention import sample

drawn = sample(
    model,
    np.repeat(text, 200, axis=0),
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
# year, or has four digits. Once the machine even ended after "000".
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
# For each new letter our program sends the whole answer so far through the machine once more. What of that has it
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
