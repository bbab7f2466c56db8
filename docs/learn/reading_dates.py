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
# Which days are `03.05.2018` and `3/5/2018`? The first is the 3rd of May, the second the 5th of March, because with
# slashes the month comes first. So whether the 3 is a day or a month, a machine must find out by looking at what stands
# beside it.
#
# Type both, or your own birthday. Then press a letter of the answer to see where the machine looked when it wrote it:
# the brighter, the more. ▪ is the end mark.

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import trained
from date_machine import comparison, machine, still

model, record = trained.load("dates")
machine(
    "dates",
    piece="small",
    page="../../machine/",
    at=6,
    without=still(model, "thursday 3rd of may 2018"),
)

# %% [markdown]
# In the line "reads" the letter that it looked at most is always yellow. In the picture under that line, a letter is
# yellow only if the machine looked at nothing else.
#
# ## It learnt from examples
#
# The machine is called a *Transformer*. It is a long calculation with numbers in it that can be changed. At first these
# numbers were random, and so was the answer. Then a program showed it dates together with the right answers, and after
# every 64 it nudged each number a little, so that the right letters became more probable. That is one *step*, and this
# machine took 1,000. Being **trained** means just this.
#
# One date in five was kept out of the training, to tell whether the machine has learnt to read, or has merely learnt
# its examples by heart.

# %%
# `model` and `record` come from the first cell, which is folded
print(f"numbers inside: {model.count_params():,}")
print(f"examples shown: {64 * 1000:,}")
print("unseen dates right, to the last letter:")
print(f"{round(2000 * float(record['exact'])):,} of 2,000")

# %% [markdown]
# How sure is it? It gives its answer a probability, the product of the probabilities of its letters. First comes the
# mean over the 2,000 dates, and then four dates, each with its answer and the probability of that. ("do" is short for
# Donnerstag, German for Thursday.)

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
mean = ask(texts)[1].mean()
print(f"sure of the 2,000 dates, on average: {mean:.1%}\n")
assert abs(record["exact"] - mean) < 0.01
answers, _ = read("may 3rd, 2018", "3. mai '18", "do, 3.5.2018", "5/3/2018")
assert answers == ["2018-05-03"] * 4

# %% [markdown]
# ## How sure is it of nonsense? { #sure-and-wrong }
#
# Now three texts of a kind that it has never seen: the 30th of February, Christmas, and `31/12/2018`, where the month
# would be 31. **How sure is it of what it writes?**

# %% tags=["live", "remove-input"]
from live import bet

strange = "february 30th, 2018", "christmas 2018", "31/12/2018"
_, sure = ask(strange)
percents = [round(float(np.floor(1000 * share)) / 10, 1) for share in sure]
bet(
    "reading_dates/sure",
    [
        (
            strange[0],
            percents[0],
            "You would doubt such a day. The machine has only ever seen days that exist, and nobody taught it to"
            " say no.",
        ),
        (
            strange[1],
            percents[1],
            "That it has never met a word need not make it less sure: it was never trained to doubt one.",
        ),
        (
            strange[2],
            percents[2],
            "There is no such month, but what is possible nobody told it: it only prefers one letter to the others.",
            "Strange texts do not all leave it equally sure. But you cannot rely on that.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What it wrote, and how sure it was</summary>

# %% tags=["hide-input"]
nonsense, sure = read(*strange)
assert nonsense[0] == "2018-02-30"
assert sure[0] > 0.95
assert nonsense[1] != "2018-12-25"
assert len(nonsense[2]) != 10 or nonsense[2][5:7] > "12"

# %% [markdown]
# It writes the 30th of February, and is nearly certain of it.
#
# It has no word for *no*.
#
# </details>
#
# Type your first name at the top, too.
#
# **For dates as in its training, being sure and being right agree on average. Outside them it may be sure and wrong.
# Sometimes it wavers, but you cannot rely on that.** Remember this when a larger machine sounds certain.
#
# ## What goes in
#
# The machine reads letter by letter, and let us call every character a letter, digits, dots and spaces too. A piece of
# text that is handled as one unit is called a **token**; here every letter is a token. A token is first turned into its
# number in a list, its **id**, and each id into a row of 64 numbers, a **vector**. The table that holds one vector for
# each id is called the **embedding**. Its numbers are trained, too.

# %%
(ids,) = source.encode(["may"])
table = model.embed_source.embeddings.numpy()
for letter, number in zip("may", ids, strict=True):
    vector = table[number, :3].round(2)
    print(letter, "has the id", number, "and the vector", vector, "...")

# %% [markdown]
# In this table a "3" that is a day and a "3" in a year are the same row. So something is added to each vector that
# [says at which place](positions.py) its letter stands.
#
# ## What comes out
#
# The machine has two halves. The **encoder** reads the text: it lets its letters look at each other, and turns each
# letter into a new vector. The **decoder** writes the answer, one letter after the other. Each time it gives every
# possible letter a probability, and the most probable one is written, until that is an end mark (▪).
#
# ## The one idea: look at the right letters
#
# Say the decoder has written `2018-0` and must write the next digit. You would look at "may". So does the machine. It
# has a weight of 1 to share out among the letters of the text. What it brings back is a mixture: the vector of each
# letter times its weight, all added up. From this mixture it computes the probability of each letter that it could
# write.
#
# Looking in this way is called **attention**. Nobody said where to look. The machine found out in training, because
# looking there made the right letters more probable.
#
# ## Which letter told it the month?
#
# Here is where it looked when it wrote the 5 of May. It looks in four ways at once for each letter, and [the lesson on
# heads](multi_head.py) says why. The picture shows the mean:

# %% tags=["hide-input"] alt="A bar for each letter of thursday 3rd of may 2018. The three bars of may, in orange, have about half of the weight together; that of the y is the tallest. The r of 3rd has a tall bar, too, the f of of a lower one, and those of all other letters are short."
import matplotlib.pyplot as plt

text, answer = "thursday 3rd of may 2018", "2018-05-03"
given = target.encode([answer])[:, :-1]  # what is written so far, at each step
maps = model(source.encode([text]), given, return_weights=True).weights
looked = maps["decoder.0.cross"][0].numpy().mean(axis=0)  # (answer, text)
r, month = 10, [16, 17, 18]  # the places of the r and of may, counted from 0
share = looked[6, month].sum()

figure, ax = plt.subplots(figsize=(4.8, 1.8), layout="constrained")
colours = ["#d55e00" if i in month else "#0072b2" for i in range(len(text))]
ax.bar(range(len(text)), looked[6], color=colours)
ax.text(19.6, 0.2, f"may: {share:.0%}\nof the weight", color="#d55e00", va="center")
ax.set_xticks(range(len(text)), [*text.replace(" ", "␣")])
ax.set(ylabel="weight", title="to write the 5 of 2018-05, it looked at")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

assert 0.4 < share < 0.6
assert looked[6].argsort()[-3:].tolist() == [16, r, 18]  # most at the y

# %% [markdown]
# The y is the tallest bar, and next comes the r of "3rd", in which a human sees nothing of May. Did the month come from
# there?
#
# The encoder reads a second text, "thursday 3rd of **jun** 2018". Then a vector of the first text is exchanged for one
# of the second: the y gets the vector that the n of "jun" has. All others stay as they were, and the decoder writes.
# Does it write 05, or 06?
#
# Now do the same with all twelve months, jan to dec. In its training such short names never follow an "of", and five of
# them it does not read right here, so they are left out. Each of the other seven is the first text once with each of
# the other six as the second: 7 · 6 = 42 pairs. **In how many of them does it write the month of the second text?**

# %% tags=["live", "hide-input"]
import itertools

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


assert 6 < len(well) < 12
assert {4, 5} < {*well}  # may and jun are shown below
others = [i for i in range(len(text)) if i not in month]
tries = {"r of 3rd": [r], "last letter": [18], "first letter": [16]}
tries |= {"all three": month, "all others": others}
found = {name: exchanged(places) for name, places in tries.items()}
counts = {name: followed(answers) for name, answers in found.items()}
assert counts["r of 3rd"] + counts["all others"] < 0.1 * len(first)
assert 0 < counts["last letter"] < 0.4 * len(first)
assert counts["all three"] > 0.9 * len(first)
bet(
    "reading_dates/exchanged",
    [
        (
            "only the r of 3rd is exchanged",
            counts["r of 3rd"],
            "",
            "A look may fetch something else than the month, or nothing that changes the answer.",
        ),
        (
            "only the last letter: y of may, n of jun …",
            counts["last letter"],
            "In the encoder it has looked at the other two letters, so it can hold something of the whole name.",
            "It is looked at, but so are the other two letters, and these still come from the first text.",
        ),
        (
            "all three letters of the month",
            counts["all three"],
            "The month comes from the letters of its name, wherever else the machine looks.",
        ),
    ],
    high=len(first),
    unit=f" of {len(first)}",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What it wrote</summary>
#
# Here are the answers for May and June. Orange letters have their vectors from the June text:

# %% tags=["hide-input"] alt="Five rows, each the text thursday 3rd of may 2018 with some letters in orange, and the answer beside it. Exchanged are the r of 3rd: the answer is May. The y: May. The m: June. All three letters of the month: June. All letters but these three: May."
june = frame.format("jun")
pair = [
    (names[well[i]], names[well[j]]) for i, j in zip(first, second, strict=True)
].index(("may", "jun"))
wrote = [answers[pair] for answers in found.values()]
figure, ax = plt.subplots(figsize=(4.8, 2.1), layout="constrained")
for y, (places, date) in enumerate(zip(tries.values(), wrote, strict=True)):
    for x, letter in enumerate(text):
        new = x in places
        box = {"facecolor": "#d55e00", "alpha": 0.35, "edgecolor": "none"}
        if new:
            ax.add_patch(plt.Rectangle((x - 0.5, y - 0.4), 0.94, 0.8, **box))
        shown = june[x] if new else letter
        ax.text(x, y, shown, ha="center", va="center", fontsize=9)
    colour = {"color": "#d55e00", "weight": "bold"} if date[5:7] == "06" else {}
    ax.text(24.6, y, f"→ {date}", va="center", fontsize=9, **colour)
ax.set(xlim=(-0.6, 33), ylim=(4.6, -0.6))
ax.axis("off")
plt.show()

assert wrote == [f"2018-{m}-03" for m in ("05", "05", "06", "06", "05")]
print(f"the month of the second text, of {len(first)} pairs:")
for name, count in counts.items():
    print(f"  {name:12} exchanged: {count}")

# %% [markdown]
# Look at the third row: exchanging the vector of the m alone turns May into June, though the y, which stays, got more
# weight. The vectors come out of the encoder, where the j that takes the place of the m has already looked at "un".
#
# The r got much weight, and had no say. Why the machine looks at it, we do not know.
#
# </details>
#
# **A weight says where the machine looked, and not what the look was good for.** That needs a test such as this one,
# which is called *patching*.
#
# ## Take it away
#
# Here is **the averaging machine**. It was trained in the same way, but can't choose where to look: it always takes the
# plain average of the text. In "thursday 3rd of may 2018" each of the 24 letters counts for 1/24. It had 500 steps, so
# the table also shows a whole machine with 500. A date counts as right if it has no mistake at all. Try both on a date
# of your own.

# %% tags=["live", "hide-input"]
names = ["dates", "dates-brief", "dates-no-attention"]
called = {
    "dates": ("whole", ""),
    "dates-no-attention": ("averages the text", "with plain averages of the text"),
}
machine(
    *names,
    piece="beside",
    sibling="dates-no-attention",
    called=called,
    without=comparison(*names, called=called),
)

# %% [markdown]
# It still gets nearly a quarter of the dates right, and three months in four, because most months are names, whose
# letters give them away in any order. But its mistakes have something in common. Can you see it?

# %% tags=["hide-input"]
from clear_attention import greedy_search
from trained.ablations import shares

averages, _ = trained.load("dates-no-attention")
written = target.decode(greedy_search(averages, unseen, max_length=11))
wrong = [x for x in zip(texts, right, written, strict=True) if x[1] != x[2]]
shuffled = [x for x in wrong if sorted(x[1]) == sorted(x[2])]
in_digits = [x for x in shuffled if x[0].replace(".", "").isdigit()]
print("text        means       it wrote")
for row in in_digits[:3]:
    print("  ".join(row))
share = len(shuffled) / len(wrong)
print("\nwrong answers made of exactly")
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
assert min(shares("whole")) > 0.99

# %% [markdown]
# **In most mistakes the digits are all there, but in the wrong places.**
#
# The average still tells *which* letters occur. But all letters and their places go into one sum, which hardly says
# which letter stood where. It is like a puddle of mixed paint: the colour says what went in, not where each drop fell.
# (With patience something can be made out all the same: trained for 3,000 steps, such a machine reads 78 of 100 dates.
# The whole one reads over 99 after 1,000.)
#
# ## Who found this, and when
#
# In 2014, the new translation programs read a sentence word by word into one vector, and wrote the translation from it.
# Cho and others measured that long sentences came out worse than short ones. In the same year Bahdanau, Cho and Bengio
# let the writing half *look back* at every word, with new weights for each word that it wrote. That was attention. In
# 2017 eight authors left out the reading of one word after the other, and called what remained the Transformer. Do the
# weights explain what such a machine does? In 2019 Jain and Wallace wrote "Attention is not Explanation", and Wiegreffe
# and Pinter answered "Attention is not not Explanation".
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
assert 1950 <= int(answers[1][:4]) <= 2049

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# No letter of the answer needs the weekday, so the machine does not notice that it is wrong. But it has never seen a
# year before 1950, so it writes one from the time that it knows.
#
# </details>
#
# ### Exercise 2
#
# What does the machine write for "thursday 3rd of may **1**018", and for "thursday 3rd of may 2**9**18"? Type both at
# the top. Which of the two first digits of a year does the machine go by? And at which does it look, when it writes the
# first digit of 2018? Press it.

# %% tags=["answer"]
answers, sure = read("thursday 3rd of may 1018", "thursday 3rd of may 2918")
assert [answer[:2] for answer in answers] == ["20", "19"]
assert sure[1] < sure[0]
assert looked[0].argsort()[-2:].tolist() == [21, 20]  # the 2 and the 0 of 2018
assert looked[0, 20] - looked[0, 21] < 0.1

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# Every year of its training begins with 19 or 20, so the second digit gives the first one away. The machine has found
# this short cut: before the 0 it writes a 2, and before the 9 a 1, in both texts. And yet it looks at both digits, and
# even a little more at the first. Once more, a weight does not say what the look was good for. A 2 before the 9 makes
# it less sure of the whole date, about 50 %. Why it then writes this year of all years, we do not know.
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
# ```self-check
# ? The machine is 99 % sure of an answer. What do you know?
# - The answer is right in 99 of 100 cases, whatever the text is. | It was as sure about the 30th of February.
# + If the text is a date as in its training, it is very probably right. If not, you cannot rely on it. | How sure it is says which answer it prefers, and for strange texts no more than that.
# - The text stood among its examples. | It was sure about unseen dates, too, and right.
# ? To write the 3 of a day, a machine gives 60 % of its weight to a comma. What do you know?
# - It found the 3 in the comma. | You cannot know that. The vector at the comma may hold something of its neighbours, or nothing of use.
# - It made a mistake, because a comma says nothing. | The vectors that it looks at are those behind the encoder, where the letters have looked at each other.
# + Where it looked. What it got there, you would have to test. | For example by an exchange of the comma's vector for that of another text.
# ? The machine was trained on four dates in five. Why not on all of them?
# - Fewer dates take less time. | The training is a thousand steps of 64 examples, however many dates there are to draw from.
# + With the rest we can see whether it reads, or only remembers. | Of a date that it was shown, it might know the answer by heart.
# - The rest has forms that it cannot read. | They are written in the same forms. It reads nearly all of them, though it never saw them.
# ```
#
# ## Where to go next
#
# One question is open, and it is the best one: how does a letter of the answer *decide* where to look?
#
# * [How does attention decide where to look?](attention.py) is the next lesson.
# * [The date machine](../machine.py) can be taken apart further.
# * For readers who know Transformers there is [an overview](recap.py).
#
# Read on elsewhere: Sutskever, Vinyals and Le (2014), [Sequence to Sequence Learning with Neural
# Networks](https://arxiv.org/abs/1409.3215), where the sentence becomes one vector; Bahdanau, Cho and Bengio (2014),
# [Neural Machine Translation by Jointly Learning to Align and Translate](https://arxiv.org/abs/1409.0473); Vaswani and
# others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762).
