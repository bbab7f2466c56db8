# ---
# title: A machine that reads dates
# description: A trained Transformer to play with, what goes into it and what comes out, three dates that it gets wrong with confidence, and what is left of it when it may not choose where to look.
# ---

# %% [markdown]
# # A machine that reads dates
#
# People write dates as they please: "thursday 3rd of may 2018", "may 3rd, 2018", "3.5.'18", and in German "3. mai
# 2018". A computer wants `2018-05-03`. The machine below turns all of these into that, and nobody ever told it what a
# month is.
#
# Which days are `03.05.2018` and `3/5/2018`? The first is the 3rd of May, the second the 5th of March, because with
# slashes the month comes first. So how does a machine know whether the 3 is a day or a month? It must look at what
# stands beside it.
#
# Type both, or your own birthday. Then press a letter of the answer to see where the machine looked when it wrote that
# letter: the more a square of the picture stands out, the more the machine looked there. (In the row "reads" the letter
# that was looked at most always has the full colour, however little that was. ▪ is the end mark.) Looking in this way
# is what these lessons are about, and the chat programs of today work by it, too.

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
# Here is one of its looks, when it wrote the 5 of May. The taller a bar, the more it looked at this letter:

# %% tags=["hide-input"] alt="A bar for each letter of thursday 3rd of may 2018. Tall are the bars of the y and the m of may and of the f of of; those of all other letters are short."
import matplotlib.pyplot as plt
from clear_attention import date_tokenizers

source, target = date_tokenizers()  # from letters to numbers, and back
text, answer = "thursday 3rd of may 2018", "2018-05-03"
given = target.encode([answer])[:, :-1]  # what is written so far, at each step
maps = model(source.encode([text]), given, return_weights=True).weights
looked = maps["decoder.0.cross"][0].numpy().mean(axis=0)  # (answer, text)

figure, ax = plt.subplots(figsize=(4.8, 1.7), layout="constrained")
ax.bar(range(len(text)), looked[6], color="#0072b2")
ax.set_xticks(range(len(text)), [*text.replace(" ", "␣")])
ax.set(ylabel="weight", title="to write the 5 of 2018-05, it looked at")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

month = looked[6][16:19].sum()
print(f"the three letters of 'may' got {month:.0%} of the weight")
assert looked[6].argmax() in (16, 17, 18)
assert month > 0.5
assert text[looked[0].argmax()] == "0"

# %% [markdown]
# In these lessons you take this machine apart. Most lessons remove one part, watch what goes wrong, and then explain
# the part that was missing. At the end you could build it yourself. Some parts turn out not to be needed for dates. To
# see what such a part is good for, we then take a harder task, for example to write digits backwards. You need Python,
# NumPy, and the product of two matrices. Now and then it helps to know what a derivative is.
#
# ## It learnt from examples
#
# The machine is called a *Transformer*. It is a long calculation with numbers in it that can be changed. At first these
# numbers were random, and so was the answer. Then a program showed it dates together with the right answers, 64 at a
# time, and after every 64 it nudged each number a little, so that the right letters became more probable. One such
# nudge of all numbers is called a *step*; this machine took 1,000. That it is **trained** means just this, and no more.
#
# One date in five was kept out of the training. With these we can tell whether the machine has learnt to read, or has
# merely learnt its examples by heart.

# %%
# `model` and `record` come from the first cell, which is folded
print(f"numbers inside: {model.count_params():,}")
print(f"examples shown: {64 * 1000:,}")
print(f"unseen dates right, to the last letter: {record['exact']:.2%} of 2,000")

# %% [markdown]
# Here it reads four texts that all mean the same day. With dots the day comes first, with slashes the month. "do" is
# short for Donnerstag, German for Thursday. The last column says how sure the machine is: the probability that it gives
# to its answer as a whole, which is the product of the probabilities of its letters. The first line compares this with
# how many are right.

# %% tags=["hide-input"]
import numpy as np
from clear_attention import beam_search, create_date_pairs


def read(*texts):
    """Let the machine read texts; print what it writes, and how sure it is."""
    ids = source.encode(texts, length=34)
    # with a width of 1: the most probable letter, and then the next
    best = beam_search(model, ids, max_length=11, width=1, length_penalty=0.0)
    answers, sure = target.decode(best.ids[:, 0]), np.exp(best.scores[:, 0])
    for text, answer, share in zip(texts, answers, sure, strict=True):
        percent = np.floor(1000 * share) / 10  # rounded down
        print(f"{text:26} {answer}   {percent:.1f} % sure")
    return answers, sure


texts, right = create_date_pairs(2000, seed=1, split="test")
unseen = source.encode(texts, length=34)
best = beam_search(model, unseen, max_length=11, width=1, length_penalty=0.0)
mean = np.exp(best.scores[:, 0]).mean()
print(
    f"2,000 unseen dates: {record['exact']:.1%} right, {mean:.1%} sure on average\n"
)
assert abs(record["exact"] - mean) < 0.01
answers, _ = read("may 3rd, 2018", "3. mai '18", "do, 3.5.2018", "5/3/2018")
assert answers == ["2018-05-03"] * 4

# %% [markdown]
# ## Sure, and wrong
#
# Before you go on, make a guess. What will the machine do with the 30th of February? What will it do with Christmas?
# And with `31/12/2018`, where the month would be 31? (Type your first name at the top, too. It gets an answer as well.)

# %% tags=["answer"]
nonsense, sure = read("february 30th, 2018", "christmas 2018", "31/12/2018")
assert nonsense[0] == "2018-02-30"
assert sure[0] > 0.95
assert nonsense[1] != "2018-12-25"
assert len(nonsense[2]) != 10 or nonsense[2][5:7] > "12"

# %% [markdown]
# Look how sure it is of the 30th of February! It does not know Christmas, and what it made of `31/12/2018` is no date
# at all. Nobody ever taught it to say that a text is no date. **For real dates, being sure and being right agree.
# Outside them, how sure it is means nothing.** Remember this when a larger machine of the same kind sounds certain.
#
# ## What goes in
#
# The machine reads letter by letter. (Let us call every character a letter, digits, dots and spaces too.) A piece of
# text that is handled as one unit is called a **token**; here every letter is a token. A token is first turned into its
# number in a list, its **id**. Then each id is turned into a row of 64 numbers, a **vector**. The table that holds one
# vector for each id is called the **embedding**. Its numbers are among those that were trained.

# %%
ids = source.encode(["may"])[0]
table = model.embed_source.embeddings.numpy()
print("embedding:", table.shape, "one row for each id\n")
for letter, number in zip("may", ids, strict=True):
    vector = ", ".join(f"{x:.2f}" for x in table[number, :5])
    print(f"{letter!r} has the id {number:2} and the vector [{vector}, ...]")

# %% [markdown]
# A letter's row in this table is always the same, so a "3" that is a day and a "3" in a year look alike. Therefore
# something is added to each vector that says at which place its letter stands. ([A later lesson](positions.py) is about
# that.) But dates have many forms, so the place alone doesn't tell: in "03.05.2018" the day comes first, and in "may
# 3rd, 2018" it does not. Whether a 3 belongs to a day or to a year, the machine must find out from the letters around
# it.
#
# ## What comes out
#
# The machine has two halves. The **encoder** reads the text, and turns it into one vector for each letter. The
# **decoder** writes the answer, one letter after the other. For each place it gives every possible letter a
# probability. The most probable one is written, and the decoder goes on from there, until it writes an end mark (▪).
#
# ## The one idea: look at the right letters
#
# Say the decoder has written `2018-0` and must write the next digit. How would you do it? You look at "may". So does
# the machine. It has a weight of 1 to share out among the letters of the text. What it brings back is a mixture: the
# vector of each letter times its weight, all added up. From this mixture it computes a probability for each letter that
# it could write. The bars at the top are such weights. (In fact the machine looks in four ways at the same time. [A
# later lesson](multi_head.py) says why. The bars show the mean of the four.)
#
# Looking in this way, with a share of the weight for each letter, is called **attention**.
#
# To write the 5, more than half of the weight goes to "may". Some of it goes elsewhere, such as to the f of "of". The
# reason may be that the encoder has let the letters look at each other before, so the vector at this f knows by then that a
# month follows. In the same way, the first 2 of the answer is written with a look mostly at the *0* of 2018, whose
# vector may know of the 2 beside it.
#
# Each letter of the answer has weights of its own. Try it in the machine at the top: press a digit of the year, and
# then one of the day. Nobody said where to look. The machine found out in training, because looking there made the
# right letters more probable.
#
# ## Take it away
#
# How much does it matter? Here is a machine that was trained in the same way, but can't choose where to look. Let us
# call it **the averaging machine**. Wherever the whole machine looks at the text, this one takes the plain average of
# all letters: of 24 letters, each counts for 1/24. Where the letters of the text look at each other, it does the same.
# Only one choice is left to it: where to look among the letters that it has written itself. It was trained for 500
# steps, so the table also shows a whole machine that was trained for only 500. A date counts as right if it has no
# mistake at all. Try both on a date of your own.

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
# The averaging machine still gets nearly a quarter right. But its mistakes have something in common. Here are three.
# Can you see it?

# %% tags=["hide-input"]
from collections import Counter

from clear_attention import greedy_search

averages, _ = trained.load("dates-no-attention")
written = target.decode(greedy_search(averages, unseen, max_length=11))
wrong = [x for x in zip(texts, right, written, strict=True) if x[1] != x[2]]
shuffled = [x for x in wrong if sorted(x[1]) == sorted(x[2])]
in_digits = [x for x in shuffled if x[0].replace(".", "").isdigit()]
for text, meant, wrote in in_digits[:3]:
    print(f"{text:10} means {meant}, but it wrote {wrote}")
share = len(shuffled) / len(wrong)
print(f"\nwrong answers made of exactly the right digits: {share:.0%}")
assert share > 0.75

days = np.arange("1950-01-01", "2050-01-01", dtype="datetime64[D]").astype(str)
made_of = Counter("".join(sorted(day)) for day in days)
few = np.array([made_of["".join(sorted(day))] <= 6 for day in right])
hit = np.array(right) == np.array(written)
some, many = hit[few].mean(), hit[~few].mean()
print(
    f"right where the digits fit at most 6 dates: {some:.0%}, elsewhere: {many:.0%}"
)
assert some > 1.4 * many > 1.4 / 7

# %% [markdown]
# The digits are all there, but in the wrong places! The average of all letters still tells *which* letters occur, but
# hardly where each one stood, because a sum is the same in every order. It is like a puddle of mixed paint: the colour
# says what went in, and not where each drop fell. Some dates come out right all the same, and more often where the
# digits fit only a few dates, so that a guess may hit. Where they fit seven dates or more, a guess hits one in seven at best, and the
# machine still does better. A faint
# trace of the places may help: the encoder computes something from each letter *together with its place* before it is
# averaged.
#
# ## Who found this, and when
#
# In 2014, the new translation programs had a related trouble. They read a sentence word by word into one vector, and
# wrote the translation from that vector, which had too little room for a long sentence. Kyunghyun Cho and others
# measured that long sentences came out worse than short ones. In the same year Dzmitry Bahdanau, Cho and Yoshua Bengio
# let the writing half *look back* at every word of the sentence, with new weights for each word that it wrote. That was
# attention. In 2017 eight authors kept the attention, left out the reading of one word after the other, and called the
# result the Transformer.
#
# ## Exercises
#
# ### Exercise 1
#
# 3 May 2018 was a Thursday. What does the machine write if you tell it that it was a Monday? And what for "may 3rd,
# 1918"? All dates of its training lie between 1950 and 2049. Guess, then look.

# %% tags=["answer"]
answers, _ = read("monday 3rd of may 2018", "may 3rd, 1918")
assert answers[0] == "2018-05-03"
assert 1950 <= int(answers[1][:4]) <= 2049

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# No letter of the answer needs the weekday, so the machine learnt to look past it, and does not notice that it is
# wrong. The year is another matter. The machine has never seen a year before 1950, so here it writes one from the time
# that it knows.
#
# </details>
#
# ### Exercise 2
#
# In the machine at the top, press the dashes of the answer. Where does it look to write a dash? Why there?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Nowhere that matters: its weight is spread over several places, or rests on one that it does not need, and these
# change from date to date. A dash always stands at the fifth and the eighth place, so nothing in the text is needed to
# write it, and nothing in the training told the machine where to look.
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("reading_dates")

# %% [markdown]
# ```self-check
# ? The machine is 99 % sure of an answer. What do you know?
# - The answer is right in 99 of 100 cases, whatever the text is. | It was as sure about the 30th of February.
# + If the text is a date as in its training, it is very probably right. If not, nothing. | How sure it is says which answer it prefers, and for strange texts no more than that.
# - The text stood among its examples. | It was sure about unseen dates, too, and right.
# ? Which of these does "trained" mean here?
# - Somebody wrote rules for weekdays and months. | Nobody did. The machine was shown texts and answers, and nothing else.
# - The machine keeps a list of all dates it was shown. | Then it would fail on unseen dates. It reads nearly all of them.
# + The numbers inside were nudged until nearly all answers were right. | A little after each 64 examples, a thousand times.
# ? The machine was trained on four dates in five. Why not on all of them?
# - Fewer dates take less time. | The training is a thousand steps of 64 examples, however many dates there are to draw from.
# + With the rest we can see whether it reads, or only remembers. | Of a date that it was shown, it might know the answer by heart.
# - The rest has forms that it cannot read. | They are written in the same forms. It reads nearly all of them, though it never saw them.
# ```
#
# ## Where to go next
#
# You can now say what a token, an id, a vector and an embedding are, what "trained" means, and what attention is *for*.
# One question is open, and it is the best one: how does a letter of the answer *decide* where to look?
#
# * [How does attention decide where to look?](attention.py) is the next lesson.
# * [The date machine](../machine.py) can be taken apart further: heads, positions, masks, weights.
# * If you already know Transformers and want the overview, it is [here](recap.py).
#
# Read on elsewhere: Sutskever, Vinyals and Le (2014), [Sequence to Sequence Learning with Neural
# Networks](https://arxiv.org/abs/1409.3215), where the sentence becomes one vector; Bahdanau, Cho and Bengio (2014),
# [Neural Machine Translation by Jointly Learning to Align and Translate](https://arxiv.org/abs/1409.0473), where
# attention begins; Vaswani and others (2017), [Attention Is All You Need](https://arxiv.org/abs/1706.03762), where the
# Transformer begins.
