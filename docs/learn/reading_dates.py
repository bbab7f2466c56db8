# ---
# title: A machine that reads dates
# description: A trained Transformer to play with, what goes into it and what comes out, how sure it is of texts that mean nothing to it, and what is left of it when it may not choose where to look.
# ---

# %% [markdown]
# # A machine that reads dates
#
# People write the same day in many ways: "thursday 3rd of may 2018", "may 3rd, 2018", "3.5.'18", or in German "3. mai
# 2018". A computer wants `2018-05-03`. The machine below translates, and nobody ever told it what a month is.
#
# Here it has read `03.05.2018`. **Now type `3/5/2018`: which day does it make of that? Then press a letter of its
# answer. The brighter a letter of the text, and the thicker its thread, the more the machine looked at it.** Then try
# your own birthday, with a year such as 1990 or '90.

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import comparison, machine, still, tabled

model, record = trained.load("dates")
machine(
    "dates",
    piece="small",
    page="../../machine/",
    text="03.05.2018",
    at=6,
    without=still(model, "03.05.2018", each_row=True),
)

# %% [markdown]
# **In `03.05.2018` the 3 is a day, and in `3/5/2018` the same 3 is a month**, because dates with slashes are American,
# month first. The 3 alone does not tell: one has to look at what stands beside it. The orange threads show such a look:
# the 3 of `3/5/2018` looked most at the slashes.
#
# ## It learnt from examples
#
# Nobody explained slashes to it. How does it know? The machine is a *Transformer*, like the far larger machines in chat
# programs. It writes its answer one letter after the other. (We call every character a letter, dots and spaces too.)
# Each time it gives every possible letter a probability, and writes the most probable one. It stops when that is the
# end mark ▪.
#
# The probabilities come out of a long calculation. Its numbers were random at first, and so was the answer. Then a
# program showed the machine dates with the right answers. After every 64 dates the program changed each number a
# little, so that the right letters became more probable. Such a change is one *step*. A machine is **trained** by many
# such steps, here 1,000.
#
# But has it learnt to read, or only learnt its examples by heart? To find out, we kept one date in five out of the
# training.

# %% tags=["live", "remove-input"]
import numpy as np
from clear_attention import beam_search, create_date_pairs, date_tokenizers
from IPython.display import Markdown
from trained.dates import BATCH

source, target = date_tokenizers()  # from letters to numbers, and back


def ask(texts):
    """Return what the machine writes for each text, and how sure it is."""
    ids = source.encode(texts, length=34)
    # with a width of 1: the most probable letter, and then the next
    best = beam_search(model, ids, max_length=11, width=1, length_penalty=0.0)
    return target.decode(best.ids[:, 0]), np.exp(best.scores[:, 0])


texts, right = create_date_pairs(2000, seed=1, split="test")
unseen = source.encode(texts, length=34)
assert ask(["03.05.2018", "3/5/2018"])[0] == ["2018-05-03", "2018-03-05"]
assert (record["steps"][-1], BATCH) == (1000, 64)
Markdown(
    f"**The machine reads {round(2000 * float(record['exact'])):,} of 2,000 such unseen dates right, to the last"
    " letter.** So it has learnt to read, at least in the forms that it knows."
)

# %% [markdown]
# ## What goes in
#
# How can a machine calculate with letters? Nobody can multiply an m. So each letter is turned into its number in a
# list, its **id**, and each id into a row of 64 numbers, a **vector**. The rows of all letters are a table, the
# **embedding**, which is trained, too.
#
# Then the 3 of `03.05.2018` gets the same row as the 3 of `3/5/2018`. So to each row something is added that [tells the
# place](positions.py) of its letter. But the place is not enough either: `3.5.2018` and `3/5/2018` both begin with a 3,
# one of a day and one of a month.
#
# ## The one idea: look at the right letters
#
# The machine is reading "thursday 3rd of may 2018", and has written `2018-0`. You would look at "may" now, and about
# half of the machine's look goes there, too. But how can a calculation look? It shares out a total of 1 among the
# letters of the text, and the share of a letter is its **weight**. Then it multiplies the vector of each letter by its
# weight, and adds them up. (Before that the letters have looked at each other. More of it below.) In this mixture a
# letter with a large weight is heard loudly, and the others hardly. (In the picture the weight is the width of a
# column.) From the mixture, and from what it has written so far, the machine computes the next letter. **Press "Let it
# look", and watch one look. Then press other letters of the answer: whose columns are wide?**

# %% tags=["live", "remove-input"]
from live import touch

text, answer = "thursday 3rd of may 2018", "2018-05-03"
ids, given = source.encode([text]), target.encode([answer])[:, :-1]
maps = model(ids, given, return_weights=True).weights
looked = maps["decoder.0.cross"][0].numpy().mean(axis=0)  # (answer, text)
share = looked[6]  # of four heads, for the 5
four = np.sort(looked[: len(answer)])[:, -4:]  # the widest columns
dash = np.array([*answer]) == "-"
assert (four[~dash].sum(axis=1) > 0.85).sum() == 6
assert four[dash].max() < 0.2
vectors = model.encode(ids).output[0, : len(text)].numpy()
parted = {"y": share[18], "r": share[10], "m": share[16]}
assert [text[i] for i in (18, 10, 16)] == [*parted]
mixed = share @ vectors
named = vectors[[18, 10, 16]]
left_over = 1 - sum(parted.values())
others = (mixed - np.array([*parted.values()]) @ named) / left_over
weights = [*parted.values(), left_over]
rows = [*zip([*parted, "others"], weights, [*named, others], strict=True)]
most, shown = np.abs(np.stack([*named, mixed])).max(), 32  # numbers of each vector


def strip_of(vector, y, high):
    """Return the squares of a vector, blue above 0 and orange below."""
    return "".join(
        f'<rect x="{94 + 9 * i}" y="{y:.1f}" width="8" height="{high:.1f}"'
        f' fill="var(--ca-{"queries" if x > 0 else "keys"})" fill-opacity="{abs(x) / most:.2f}"/>'
        for i, x in enumerate(vector[:shown])
    )


y, parts, said = 0, [], []
for letter, part, vector in rows:
    high = 130 * part
    parts.append(
        f'<text x="0" y="{y + high / 2 + 5:.1f}">{letter}</text>'
        f'<text x="48" y="{y + high / 2 + 5:.1f}">{part:.3f}</text>'
        + strip_of(vector, y, high - 1)
    )
    said.append(f"{letter} {part:.3f}")
    y += high
parts.append('<text x="0" y="163">mixture</text>' + strip_of(mixed, 145, 26))
for x, colour, meant in (94, "queries", "above 0"), (170, "keys", "below 0"):
    parts.append(
        f'<rect x="{x}" y="180" width="8" height="10" fill="var(--ca-{colour})"/>'
        f'<text x="{x + 13}" y="189" font-size="11">{meant}</text>'
    )
four_strips = (
    f'<svg class="still" role="img" aria-label="Four strips of coloured squares, each as high as a weight: {", ".join(said)}.'
    ' Below them one strip, the mixture, whose colours are paler." viewBox="0 0 382 194"'
    f' style="max-width:440px;width:100%" font-size="13" fill="currentColor">{"".join(parts)}</svg>'
)
touch(
    "mixing",
    four_strips,
    kind="letters",
    text=text,
    looks=[
        {
            "answer": answer,
            "vectors": vectors[:, :16].astype(float).round(2).tolist(),
            "weights": looked[: len(answer)].astype(float).round(4).tolist(),
        }
    ],
    look=0,
    numbers=64,
    chosen=6,
    stage=0,
)

# %% [markdown]
# **The machine looks by mixing all vectors, each with its weight, and this is called attention.** In 2014 Bahdanau, Cho
# and Bengio let a translation program *look back* at every word while it writes. Nobody says where to look. The machine
# finds out in training, because looking there makes the right letters more probable. For most digits one to four
# columns hold nearly all of the weight, and for a dash many letters share it. (It looks four times over, each time with
# weights of its own. The picture shows their mean, and [lesson 6](split_heads.py#how-the-numbers-are-shared) shows all
# four. We come back to the r.)
#
# The machine has two halves. The **encoder** reads the text: in it the letters of the text look at each other, and each
# gets a new vector. The **decoder** then mixes these vectors, as above, and writes.
#
# So what becomes of the two 3s from the top of the page? Here they are, with 120 other 3s from unseen dates. The 64
# numbers of each are a point in 64 directions. These can't be drawn, so we draw the two directions in which the 3s lie
# farthest apart after the encoder. (The bars are the 64 numbers of each of the two 3s.) **In the table all 3s are one
# point. Press "+ place", then "+ encoder": where do the two go?**

# %% tags=["live", "remove-input"]
import re

kinds = ["day", "month", "year"]
found = {kind: [] for kind in kinds}  # (text, place) of each 3
for one, date in zip(texts, right, strict=True):
    numbers = [*re.finditer(r"\d+", one)]  # the last is the year
    order = ["month", "day"] if "/" in one else ["day", "month"]
    meant = dict(
        zip(["year", "day", "month"], (date[2:4], date[8:], date[5:7]), strict=True)
    )
    for kind, number in zip(
        [*order[: len(numbers) - 1], "year"], numbers, strict=True
    ):
        assert int(number[0][-2:]) == int(meant[kind])
        at_3 = [
            (one, number.start() + i) for i, c in enumerate(number[0]) if c == "3"
        ]
        found[kind] += [three for three in at_3 if three not in found[kind]]
threes = [("03.05.2018", 1, 0), ("3/5/2018", 0, 1)]
threes += [(*found[kinds[k]][n], k) for n in range(40) for k in range(3)]
read_3 = source.encode([one for one, *_ in threes], length=34)
at = np.arange(len(threes)), [place for _, place, _ in threes]
kind_of = np.array([k for *_, k in threes])
row = model.embed_source(read_3) * 8  # as the machine does it: times the root of 64
ways = [row, model.source_positions(row), model.encode(read_3).output]
ways = np.array([way.numpy()[at] for way in ways])  # (steps, 3s, 64)
np.testing.assert_array_equal(ways[0], ways[0, [0] * len(threes)])  # one point
assert {k for _, place, k in threes if place == 0} == {0, 1}  # a day or a month
centre = ways[2, 2:].mean(axis=0)
_, spread, sides = np.linalg.svd(ways[2, 2:] - centre, full_matrices=False)
assert sum(spread[:2] ** 2) > 0.8 * sum(spread**2)
flat = (ways - centre) @ sides[:2].T
means = np.array([flat[2, kind_of == k].mean(axis=0) for k in range(3)])
flat *= np.sign(means[[2, 1], [0, 1]])  # years to the right, months above
apart = np.linalg.norm(ways[2, :, None] - ways[2], axis=-1) + 1e9 * np.eye(
    len(threes)
)
assert (kind_of[apart.argmin(axis=1)] == kind_of).all()  # in all 64 numbers
steps = {
    "table": "Every 3 has the same row, so all are one point.",
    "+ place": "The two have moved a little apart, because they stand at different places. At the same place, a 3 of a day and a 3 of a month are still one point.",
    "+ encoder": "In all 64 numbers, too, the nearest neighbour of each 3 is a 3 of its own kind.",
}
seen = [
    "One point, which is every 3.",
    "A short chain of points, in which days, months and years are mixed.",
]
seen.append(
    "Three groups of points, far apart: days on the left, months above, years on the right."
)
middle = (flat[2].min(axis=0) + flat[2].max(axis=0)) / 2
dots = "".join(
    f'<circle cx="{x:.0f}" cy="{y:.0f}" r="3.6" fill="var(--ca-{("queries", "keys", "values")[k]})"/>'
    for (x, y), k in zip(
        [150, 110] + [18, -18] * (flat[2] - middle), kind_of, strict=True
    )
)
touch(
    "meaning",
    f'<svg class="still" role="img" aria-label="{seen[2]}" viewBox="0 0 300 220" style="max-width:24em;width:100%">'
    f"{dots}</svg><p>The 3s after the encoder: days on the left, months above, years on the right.</p>",
    kinds=kinds,
    texts=[one for one, *_ in threes],
    places=at[1],
    kind=kind_of.tolist(),
    steps=[
        {
            "name": name,
            "says": says,
            "seen": seen[n],
            "points": flat[n].round(2).tolist(),
        }
        for n, (name, says) in enumerate(steps.items())
    ],
    rows=ways[:, :2].astype(float).round(2).tolist(),
    step=0,
    chosen=None,
)

# %% [markdown]
# **The encoder has given the 3 a meaning: the 3s of days, of months and of years lie apart.** And nobody ever told the
# machine what a month is.
#
# ## Take it away
#
# What is left if the machine can't choose where to look? We trained two machines for 500 steps, half as long as ours.
# One is whole, and reads 98 of 100 dates. It is our **yardstick**. The other, the **averaging machine**, gives every
# letter of the text the same weight, so it gets plain averages, in the encoder and again for the answer. **Try both on
# a date of your own. Where the averaging machine is wrong, are its digits wrong, too?**

# %% tags=["live", "hide-input"]
names = ["dates-brief", "dates-no-attention"]
called = {
    "dates-brief": ("the yardstick", ""),
    "dates-no-attention": ("averages the text", "with plain averages of the text"),
}
machine(
    *names,
    piece="beside",
    whole="dates-brief",
    sibling="dates-no-attention",
    called=called,
    without=comparison(*names, called=called),
)

# %% [markdown]
# **A machine that cannot choose where to look still reads more than a fifth of the dates.** What does it make of the
# others?

# %% tags=["hide-input"]
from clear_attention import greedy_search
from trained.ablations import shares

averages, averaging = trained.load("dates-no-attention")
written = target.decode(greedy_search(averages, unseen, max_length=11))
wrong = [x for x in zip(texts, right, written, strict=True) if x[1] != x[2]]
shuffled = [x for x in wrong if sorted(x[1]) == sorted(x[2])]
in_digits = [x for x in shuffled if x[0].replace(".", "").isdigit()]
print("text        means       it wrote")
for row in in_digits[:3]:
    print("  ".join(row))

# %% [markdown]
# **In most of its mistakes the digits are all there, but in the wrong places.** A plain average is like a puddle of
# mixed paint: the colour tells which paints went in, but not where each drop fell. The order is easily lost. But each
# letter carries its place, too, and in a longer training such a machine learns to use that.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: which mistakes it makes</summary>

# %% tags=["hide-input"]
share = len(shuffled) / len(wrong)
print("wrong answers made of exactly")
print(f"the right digits: {share:.0%}")
has_name = np.array([sum(map(str.isalpha, text)) > 2 for text in texts])
fits = np.array([a[5:7] == b[5:7] for a, b in zip(written, right, strict=True)])
by_name, by_number = fits[has_name].mean(), fits[~has_name].mean()
print(f"months right, by name:   {by_name:.0%}")
print(f"months right, by number: {by_number:.0%}")
assert share > 0.75
assert by_name > 0.85 > 0.6 > by_number
assert abs(has_name.mean() - 2 / 3) < 0.03
longer = shares("both average, three times as long")  # as the whole machine
assert round(100 * sum(longer) / 3) == 78
brief = trained.kept("dates-brief")[2]  # the whole machine, after 500 steps
assert brief["steps"][-1] == averaging["steps"][-1] == 500
assert round(100 * brief["exact"]) == 98
assert 0.2 < averaging["exact"] < 0.25

# %% [markdown]
# Most months are names, and the letters of a name give it away in any order. And even an average holds traces of the
# order, because each vector carries its place. After 3,000 steps such a machine reads 78 of 100 dates, in the mean of
# three.
#
# </details>
#
# ## Which letter told it the month?
#
# So our machine reads because it may choose where to look. Do its weights tell us, then, how it reads? For the 5 of
# May, the largest weight went to the y of "may". At least that belongs to the month. But next came the r of "3rd". What
# does an r know about May?
#
# Here the machine has read a second text, too, with **jun** in place of "may". Press a letter, and the vector that the
# encoder made of it is exchanged for that of the letter below. **Try the r. Then turn May into June with as few letters
# as you can.**

# %% tags=["live", "hide-input"]
import itertools

r, month = 10, [16, 17, 18]  # the places of the r and of may, counted from 0
assert 0.4 < looked[6, month].sum() < 0.6
assert looked[6].argsort()[-3:].tolist() == [16, r, 18]  # most at the y

names = ["jan", "feb", "mar", "apr", "may", "jun"]
names += ["jul", "aug", "sep", "oct", "nov", "dec"]
months = np.array([f"{number:02}" for number in range(1, 13)])
frame = "thursday 3rd of {} 2018"
answers, _ = ask([frame.format(name) for name in names])
well = [i for i, date in enumerate(answers) if date[5:7] == months[i]]
ids = source.encode([frame.format(names[i]) for i in well])
read_as = model.encode(ids).output.numpy()  # (month, letter, number)
written_as = months[well]
first, second = np.array([*itertools.permutations(range(len(well)), 2)]).T


def write(vectors, ids):
    """Let the decoder write from these vectors of the texts."""
    written = np.full((len(ids), 1), model.start_id)
    for _ in range(10):
        logits = model.decode(written, vectors, model.source_mask(ids)).output
        letters = np.argmax(logits[:, -1:], axis=-1)
        written = np.concatenate([written, letters], axis=1)
    return target.decode(written)


def exchanged(places):
    """Return what is written if the vectors at these places are those of the second text, for each pair."""
    mixed = read_as[first]
    mixed[:, places] = read_as[second][:, places]
    return np.array(write(mixed, ids[first]))


def followed(answers):
    """Return how many answers have the month of the second text."""
    return int(np.sum([x[5:7] for x in answers] == written_as[second]))


others = [i for i in range(len(text)) if i not in month]
tries = {"r of 3rd": [r], "last letter": [18], "first letter": [16]}
tries |= {"all three": month, "all others": others}
found = {name: exchanged(places) for name, places in tries.items()}
counts = {name: followed(answers) for name, answers in found.items()}
assert counts["r of 3rd"] == 0
june = frame.format("jun")
pair = [
    (names[well[i]], names[well[j]]) for i, j in zip(first, second, strict=True)
].index(("may", "jun"))
wrote = {name: answers[pair] for name, answers in found.items()}
assert [*wrote.values()] == [f"2018-{m}-03" for m in ("05", "05", "06", "06", "05")]
shown = [("no letter", answer), ("the r of 3rd", wrote["r of 3rd"])]
shown.append(("all three of the month", wrote["all three"]))
machine(
    "dates",
    piece="exchange",
    text=text,
    second=june,
    exchanged=[],
    without=tabled(("exchanged", "it writes"), shown),
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What we found</summary>
#
# The m alone does it, though the y got more weight. The r, for all its weight, changes nothing. We tried 42 such pairs
# of months: the r was never enough, the first letter alone was in 17 of them, and all three letters in every one.
#
# But how can a single letter hold a month? Like the 3s above, the m comes out of the encoder, where it has looked at its
# neighbours.
#
# </details>
#
# **A weight tells where the machine looked, and not what the look was good for.** For that you need a test such as
# this, called *patching*. In 2019 this was disputed: "Attention is not Explanation", wrote Jain and Wallace, and
# Wiegreffe and Pinter answered: "Attention is not not Explanation".
#
# <details class="lesson-more" markdown="1"><summary>For the curious: other months</summary>
#
# The 42 pairs are made of seven short names of months, those that the machine reads right behind an "of":

# %% tags=["hide-input"]
print(f"it writes the other month, of {len(first)} pairs:")
for name, count in counts.items():
    print(f"  {name:12} exchanged: {count}")
assert len(well) == 7
assert (counts["first letter"], counts["all three"]) == (17, 42)

# %% [markdown]
# And why does the machine look at the r at all? We do not know.
#
# </details>
#
# ## How sure is it of nonsense? { #sure-and-wrong }
#
# And what if a text is no date at all? The machine will write something, but how sure is it? All letters of its answer
# must be right, so multiply their probabilities, and you know. First a real date:


# %% tags=["hide-input"]
def read(*texts):
    """Let the machine read texts; print what it writes, and how sure it is."""
    answers, sure = ask(texts)
    for text, answer, share in zip(texts, answers, sure, strict=True):
        percent = np.floor(1000 * share) / 10  # rounded down
        print(f"{text:24} {answer} {percent:.1f} %")
    return answers, sure


answers, _ = read("may 3rd, 2018")
assert answers == ["2018-05-03"]
assert ask(["3. mai 2018", "3.5.'18"])[0] == ["2018-05-03"] * 2
nonsense, sure = ask(["february 30th, 2018"])
assert nonsense == ["2018-02-30"]
assert sure[0] > 0.99

# %% [markdown]
# **Now fool it. A banana leaves it in doubt. Find texts that are no dates, and for which it is over 99 % sure of its
# answer.** (The page can't tell whether a text is a date, so be honest. It helps to keep a day and a year.)

# %% tags=["live", "remove-input"]
begins = "banana"
answers, sure = ask([begins])
sure = f"{np.floor(1000 * sure[0]) / 10:.1f} %"
row = (begins, answers[0], sure)
machine(
    "dates",
    piece="fool",
    text=begins,
    without=tabled(("text", "it writes", "sure"), [row]),
)

# %% [markdown]
# **A machine can be sure and wrong when a text is unlike its examples.** Ours is nearly certain even of February 30th,
# because nobody taught it to say *no*. Remember this when a larger machine sounds sure.
#
# ## Exercises
#
# ### Exercise 1
#
# 3 May 2018 was a Thursday. What does the machine write if you tell it that it was a Monday? And what for "may 3rd,
# 1918", if all dates of its training lie between 1950 and 2049? Guess, then type both at the top.

# %% tags=["answer"]
answers, _ = read("monday 3rd of may 2018", "may 3rd, 1918")
assert answers[0] == "2018-05-03"
assert answers[1][:4] == "1981"
assert ask(["thursday 3rd of may 2918"])[0][0][:4] == "1981"

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# No letter of the answer depends on the weekday, so the machine does not notice that it is wrong. A year before 1950,
# though, it has never seen, so it writes one from the time that it knows. That 1981 has the digits of 1918 is perhaps
# chance.
#
# </details>
#
# ### Exercise 2
#
# What does the machine write for "thursday 3rd of may **1**018", and for "thursday 3rd of may 2**9**18"? Which of the
# first two digits of a year does it go by? And to write the first 2 of `2018-05-03`, at which of the two does it look
# in "thursday 3rd of may 2018"?

# %% tags=["answer"]
answers, sure = read("thursday 3rd of may 1018", "thursday 3rd of may 2918")
assert [answer[:2] for answer in answers] == ["20", "19"]
assert sure[1] < sure[0]
assert abs(sure[1] - 0.5) < 0.05
assert looked[0].argsort()[-2:].tolist() == [21, 20]  # the 2 and the 0 of 2018
assert looked[0, 20] - looked[0, 21] < 0.1

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# Every year of its training begins with 19 or 20, so the second digit gives the first one away. The machine has found
# this short cut: in both texts it writes a 2 before the 0, and a 1 before the 9. Yet to write the 2 of 2018 it looks at
# both digits, and even a little more at the first. Once more, a weight does not tell what the look was good for. The 2
# before the 9 does make it less sure of the whole date, about 50 %. Why it then writes 1981, we do not know.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("reading_dates")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? The machine is 99 % sure of an answer. What do you know?
# - The answer is right in 99 of 100 cases, whatever the text is. | It was just as sure about the 30th of February.
# + If the text is a date like those of its training, the answer is very probably right. If not, you cannot rely on it. | How sure it is says which answer it prefers, and for a strange text it says no more than that.
# - The text stood among its examples. | It was sure about unseen dates, too, and right.
# ? To write the 3 of a day, a machine gives 60 % of its weight to a comma. What do you know?
# - It found the 3 in the comma. | You cannot know that. The vector at the comma may hold something of its neighbours, or nothing of use.
# - It made a mistake, because a comma says nothing. | The vector of the comma comes out of the encoder, where the letters have looked at each other. It may say a lot.
# + Where it looked. What it got there, you would have to test. | You could, for example, exchange the comma's vector for that of another text.
# ? The machine was trained on four dates in five. Why not on all of them?
# - Fewer dates take less time. | The training is a thousand steps of 64 examples, however many dates there are to draw from.
# + With the rest we can see whether it reads, or only remembers. | Of a date that it was shown, it might know the answer by heart.
# - The rest has forms that it cannot read. | They are written in the same forms. It reads nearly all of them, though it never saw them.
# ```
#
# </details>
#
# ## Where to go next
#
# This machine reads because it can choose where to look. But who does the choosing? How does a letter of the answer
# *decide*?
#
# * [How does attention decide where to look?](attention.py) is the next lesson.
#
# Read on elsewhere: Sutskever, Vinyals and Le (2014), [Sequence to Sequence Learning with Neural
# Networks](https://arxiv.org/abs/1409.3215), where the sentence becomes one vector; Bahdanau, Cho and Bengio (2014),
# [Neural Machine Translation by Jointly Learning to Align and Translate](https://arxiv.org/abs/1409.0473); Vaswani and
# others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762).
