# ---
# title: A machine that reads dates
# description: A trained Transformer to play with, what goes into it and what comes out, how sure it is of texts that mean nothing to it, and what is left of it when it may not choose where to look.
# ---

# %% [markdown]
# # A machine that reads dates
#
# People write dates as they please: "thursday 3rd of may 2018", "may 3rd, 2018", "3.5.'18", and in German "3. mai
# 2018". A computer wants `2018-05-03`. The machine below turns all of these into that, and nobody ever told it what a
# month is.
#
# **It has read `03.05.2018`. Which day is `3/5/2018`? Type it, and your own birthday, too. Then press a letter of the
# answer: the brighter a letter of the text, the more the machine looked at it.**

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
# **The 3 of `03.05.2018` is a day, and the 3 of `3/5/2018` is a month**, because these slashes are American. One has to
# look at what stands beside it.
#
# ## It learnt from examples
#
# The machine is a *Transformer*, as are the far larger machines in chat programs. It writes its answer one letter after
# the other. (Let us call every character a letter, dots and spaces too.) Each time it gives every possible letter a
# probability, and writes the most probable one. It stops when that is the end mark ▪.
#
# Inside it is a long calculation with numbers, which were random at first, and so was the answer. Then a program showed
# it dates together with the right answers. After every 64 dates it nudged each number a little, so that the right
# letters became more probable. That is one *step*, and to be **trained** is to take many of them, here 1,000.
#
# Has it learnt to read, or merely learnt its examples by heart? To tell, one date in five was kept out of the training.

# %% tags=["live", "remove-input"]
from IPython.display import HTML, Markdown
from trained.dates import BATCH

assert (record["steps"][-1], BATCH) == (1000, 64)
Markdown(
    f"**The machine reads {round(2000 * float(record['exact'])):,} of 2,000 such unseen dates right, to the last"
    " letter.** So it has learnt to read, at least in the forms that it knows."
)

# %% [markdown]
# ## How sure is it of nonsense? { #sure-and-wrong }
#
# Each letter of an answer was written with a probability. Multiply them all, and you know how sure the machine is of
# the whole answer. First a real date:

# %% tags=["hide-input"]
import numpy as np
from clear_attention import beam_search, create_date_pairs, date_tokenizers

source, target = date_tokenizers()  # from letters to numbers, and back


def ask(texts):
    """Return what the machine writes for each text, and how sure it is."""
    ids = source.encode(texts, length=34)
    # with a width of 1: the most probable letter, and then the next
    best = beam_search(model, ids, max_length=11, width=1, length_penalty=0.0)
    return target.decode(best.ids[:, 0]), np.exp(best.scores[:, 0])


def read(*texts):
    """Let the machine read texts; print what it writes, and how sure it is."""
    answers, sure = ask(texts)
    for text, answer, share in zip(texts, answers, sure, strict=True):
        percent = np.floor(1000 * share) / 10  # rounded down
        print(f"{text:24} {answer} {percent:.1f} %")
    return answers, sure


texts, right = create_date_pairs(2000, seed=1, split="test")
unseen = source.encode(texts, length=34)
assert ask(["03.05.2018", "3/5/2018"])[0] == ["2018-05-03", "2018-03-05"]
answers, _ = read("may 3rd, 2018")
assert answers == ["2018-05-03"]
assert ask(["3. mai 2018", "3.5.'18"])[0] == ["2018-05-03"] * 2
nonsense, sure = ask(["february 30th, 2018"])
assert nonsense == ["2018-02-30"]
assert sure[0] > 0.99

# %% [markdown]
# **Fool it! Find texts that are no dates, and for which the machine is over 99 % sure of its answer.**

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
# **On texts unlike its examples a machine may be sure and wrong.** It is nearly certain even of February 30th, for
# nobody taught it to say *no*. Remember this of larger machines, too.
#
# ## What goes in
#
# How can it calculate with letters? Nobody can multiply an m. So each letter is turned into its number in a list, its
# **id**, and each id into a row of 64 numbers, a **vector**. Here are three of these rows:

# %% tags=["live", "remove-input"]
(ids,) = source.encode(["may"])
table = model.embed_source.embeddings.numpy()
most = float(np.abs(table[ids]).max())
parts = []
for row, (letter, number) in enumerate(zip("may", ids, strict=True)):
    parts.append(
        f'<text x="0" y="{24 * row + 16}">{letter}</text>'
        f'<text x="18" y="{24 * row + 16}" font-size="11">id {number}</text>'
    )
    for place, x in enumerate(table[number]):
        colour = "queries" if x > 0 else "keys"
        parts.append(
            f'<rect x="{56 + 9 * place}" y="{24 * row + 2}" width="8" height="20" fill="var(--ca-{colour})"'
            f' fill-opacity="{abs(x) / most:.2f}"/>'
        )
for x, colour, said in (56, "queries", "above 0"), (130, "keys", "below 0"):
    parts.append(
        f'<rect x="{x}" y="77" width="8" height="10" fill="var(--ca-{colour})"/>'
        f'<text x="{x + 13}" y="86" font-size="11">{said}</text>'
    )
HTML(
    '<svg class="still" role="img" aria-label="Three rows of 64 squares, the vectors of m, a and y: each row has a'
    ' pattern of colours of its own." viewBox="0 0 632 90" style="max-width:632px;width:100%" font-size="14"'
    f' fill="currentColor">{"".join(parts)}</svg>'
)

# %% [markdown]
# All rows together are a table, the **embedding**, which is trained, too. But the y of "thursday" and the y of "may"
# are the same row. That is why something is added to each vector that [says at which place](positions.py) its letter
# stands.
#
# ## The one idea: look at the right letters
#
# Say the text is "thursday 3rd of may 2018", and the machine has written `2018-0`. You would look at "may" now, and so,
# mostly, does the machine. But how can a calculation look? It shares out a total of 1 among the letters of the text,
# and a letter's share is its **weight**. Then it multiplies the vector of each letter by its weight, and adds them up.
# (These vectors are no longer the rows above, since another part of the machine has changed them first.) From this
# mixture, and from what it has written so far, it computes the next letter:

# %% tags=["live", "remove-input"]
text, answer = "thursday 3rd of may 2018", "2018-05-03"
ids, given = source.encode([text]), target.encode([answer])[:, :-1]
maps = model(ids, given, return_weights=True).weights
looked = maps["decoder.0.cross"][0].numpy().mean(axis=0)  # (answer, text)
share = looked[6]  # of four heads, for the 5
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
HTML(
    f'<svg class="still" role="img" aria-label="Four strips of coloured squares, each as high as a weight: {", ".join(said)}.'
    ' Below them one strip, the mixture, whose colours are paler." viewBox="0 0 382 172"'
    f' style="max-width:440px;width:100%" font-size="13" fill="currentColor">{"".join(parts)}</svg>'
)

# %% [markdown]
# **Looking in this way is called attention.** In 2014 Bahdanau, Cho and Bengio let a translation program *look back* at
# every word while it writes. Nobody says where to look. The machine finds out in training, because looking there makes
# the right letters more probable. (The machine looks in four ways at once, and the picture shows their mean. Of the 64
# numbers it shows half.)
#
# The half of the machine that looks and writes is the **decoder**. The vectors in its mixture come from the other half,
# the **encoder**, which reads the text first: it lets the letters look at each other, and turns each into a new vector.
#
# ## Take it away
#
# What is left if the machine can't choose where to look? **The averaging machine** takes plain averages, in which each
# letter of the text counts as much as any other. It does so in the encoder, and again for the answer. Its training had
# 500 steps, half as many as that of our machine, and that alone costs something. So beside it we lay a **yardstick**: a
# whole machine which was trained for 500 steps, too. It reads 98 of 100 dates. **Try both on a date of your own.**

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
# **It still gets more than a fifth of the dates right.** But look at its mistakes:

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
# **In most of them the digits are all there, but in the wrong places.** A plain average loses the order easily, like a
# puddle of mixed paint, whose colour does not say where each drop fell. Longer training wins much of it back.
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
# Most months are names, whose letters give them away in any order. Each vector carries its place, too, so that even an
# average holds traces of the order: after 3,000 steps such a machine reads 78 of 100 dates, in the mean of three.
#
# </details>
#
# ## Which letter told it the month?
#
# So our machine reads because it may choose where to look. Do its weights tell us, then, how it reads? For the 5 of
# May, the y of "may" has the largest weight, and next comes the r of "3rd". Did the month come from there?
#
# Here the machine has read a second text, too, with **jun** in place of "may". Press a letter, and its vector is
# exchanged for that of the letter below. **Turn May into June with as few letters as you can.**

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
# The m alone does it, though the y got more weight. The r, for all its weight, never does. Of 42 such pairs of months
# the first letter alone does it in 17, and all three letters in every one.
#
# How can one letter hold a month? Its vector comes out of the encoder, where the letters have already looked at each
# other.
#
# </details>
#
# **A weight says where the machine looked, and not what the look was good for.** That takes a test such as this one,
# called *patching*. In 2019 there was a dispute about it: "Attention is not Explanation", wrote Jain and Wallace, and
# Wiegreffe and Pinter answered: "Attention is not not Explanation".
#
# <details class="lesson-more" markdown="1"><summary>For the curious: other months</summary>
#
# The 42 pairs are of the seven short names that the machine reads right behind an "of":

# %% tags=["hide-input"]
print(f"it writes the other month, of {len(first)} pairs:")
for name, count in counts.items():
    print(f"  {name:12} exchanged: {count}")
assert len(well) == 7
assert (counts["first letter"], counts["all three"]) == (17, 42)

# %% [markdown]
# Why the machine looks at the r, we do not know.
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# 3 May 2018 was a Thursday. What does the machine write if you tell it that it was a Monday? And what for "may 3rd,
# 1918", if all dates of its training lie between 1950 and 2049?

# %% tags=["answer"]
answers, _ = read("monday 3rd of may 2018", "may 3rd, 1918")
assert answers[0] == "2018-05-03"
assert answers[1][:4] == "1981"
assert ask(["thursday 3rd of may 2918"])[0][0][:4] == "1981"

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# No letter of the answer needs the weekday, so the machine does not notice that it is wrong. But it has never seen a
# year before 1950, so it writes one from the time that it knows. That 1981 has the digits of 1918 is perhaps chance.
#
# </details>
#
# ### Exercise 2
#
# What does the machine write for "thursday 3rd of may **1**018", and for "thursday 3rd of may 2**9**18"? Which of the
# first two digits of a year does it go by? And at which does it look, to write the first digit of the 2018 of "thursday
# 3rd of may 2018"?

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
# this short cut: before the 0 it writes a 2, and before the 9 a 1, in both texts. And yet it looks at both digits, and
# even a little more at the first. Once more, a weight does not say what the look was good for. A 2 before the 9 makes
# it less sure of the whole date, about 50 %. Why it then writes 1981, we do not know.
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
# - The answer is right in 99 of 100 cases, whatever the text is. | It was as sure about the 30th of February.
# + If the text is a date as in its training, it is very probably right. If not, you cannot rely on it. | How sure it is says which answer it prefers, and for strange texts no more than that.
# - The text stood among its examples. | It was sure about unseen dates, too, and right.
# ? To write the 3 of a day, a machine gives 60 % of its weight to a comma. What do you know?
# - It found the 3 in the comma. | You cannot know that. The vector at the comma may hold something of its neighbours, or nothing of use.
# - It made a mistake, because a comma says nothing. | The vectors that it looks at are those that come out of the encoder, where the letters have looked at each other.
# + Where it looked. What it got there, you would have to test. | For example by an exchange of the comma's vector for that of another text.
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
# This machine reads because it can choose where to look. One question is open: how does a letter of the answer *decide*
# where to look?
#
# * [How does attention decide where to look?](attention.py) is the next lesson.
#
# Read on elsewhere: Sutskever, Vinyals and Le (2014), [Sequence to Sequence Learning with Neural
# Networks](https://arxiv.org/abs/1409.3215), where the sentence becomes one vector; Bahdanau, Cho and Bengio (2014),
# [Neural Machine Translation by Jointly Learning to Align and Translate](https://arxiv.org/abs/1409.0473); Vaswani and
# others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762).
