# ---
# title: Learning by heart
# description: Two texts, of which the better one is worth less. How a machine comes to know its text by heart, how an unseen part of it gives that away, and what helps, tried in your browser on a text of your own.
# ---

# %% [markdown]
# # It writes without a mistake. Why is that a bad sign?
#
# Two language models wrote these lines, letter by letter. Each had been trained on a text of its own. **Which of the
# two has learnt more?**

# %% tags=["hide-input"]
import re
import sys
from pathlib import Path

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
from html import escape

import trained
from IPython.display import HTML, display
from trained.language import decode, texts

own_texts = Path("../_site/live/own-texts.js").read_text(encoding="utf-8")
story = re.search("STORY = `(.*?)`", own_texts, re.DOTALL)[1]
cut = int(0.9 * len(story))
shown, unseen = story[:cut], story[cut:]
manual = decode(texts()[0])

# the first machine that is trained in this page, with temperature 0.5
ONE = (
    "In the house there lived an old woman. When the moon comes, the sea wants to see it. So it goes out to the moon."
    " Woman, said the cat, where does the sea go when it goes away? I do not know, said the fish"
)
OTHER = str(trained.load("language")[1]["written"][-1])
OTHER = re.sub(r"\s+", " ", OTHER[: OTHER.index(".") + 1])
LONG = 20  # letters of a piece that is called taken over


def taken_over(written, text):
    """Tell of each letter whether it stands in a long piece that also stands in the text."""
    found = [False] * len(written)
    for i in range(len(written) - LONG + 1):
        if written[i : i + LONG] in text:
            found[i : i + LONG] = [True] * LONG
    return found


def page(title, written, found):
    letters = (
        f"<mark>{escape(c)}</mark>" if f else escape(c)
        for c, f in zip(written, found, strict=True)
    )
    told = "".join(letters).replace("</mark><mark>", "")
    return HTML(f"<blockquote><p><strong>{title}:</strong> {told}</p></blockquote>")


for title, written in (("One", ONE), ("The other", OTHER)):
    display(page(title, written, [False] * len(written)))

# %% [markdown]
# Perhaps they did not make all of it up. Let us call a piece taken over if it has 20 letters or more, and stands in the
# text of the training, letter by letter. **How much of each did the machines take over?**

# %% tags=["live", "remove-input"]
from live import bet

bet(
    "by_heart/taken-over",
    [
        (
            "One",
            round(100 * sum(taken_over(ONE, shown)) / len(ONE)),
            "It only looks like writing: it is put together from pieces of the text.",
        ),
        (
            "The other",
            round(100 * sum(taken_over(OTHER, manual)) / len(OTHER)),
            "",
            "Most of its words stand in the text, but hardly three of them in this order.",
        ),
    ],
    low=0,
    high=100,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was taken over, in colour</summary>

# %% tags=["hide-input"]
heart = {}
for title, written, text in (("One", ONE, shown), ("The other", OTHER, manual)):
    found = taken_over(written, text)
    display(page(title, written, found))
    heart[title] = sum(found) / len(found)
assert heart["One"] == 1
assert heart["The other"] == 0
assert len(shown) == 3157
assert round(len(manual), -4) == 420_000

# %% [markdown]
# </details>
#
# **The one that writes without a mistake took everything over.** It was trained on 3,157 letters of a story, which it
# knows by heart, and it puts pieces of them together. (Of twenty texts that it wrote we chose one without a mistake.
# But of each of the twenty more than three quarters were taken over.) The other is [the machine of the last
# lesson](language_model.py). It had a manual of 420,000 letters, and though it errs and invents words like "localled",
# it writes what nobody has written before. So it has learnt more.
#
# So good writing alone does not tell learning from learning by heart. What does?
#
# ## A table that knows too much, by hand
#
# Let us first take something so small that we can look inside: a table that counts letters, as in the
# [last lesson](language_model.py#is-counting-enough). It is shown one word, `banana`, and counts what came after each
# letter. After the n came an a, both times. So how probable is an a after an n?
#
# The table does not say 1, because something else might come one day. It gives 9/10 to what it has met, in the shares
# in which it met it, and spreads the last 1/10 equally over all 26 letters. So an a has $0.9 + 0.1 / 26 = 0.904$ after
# an n, which costs 0.15 [bits](language_model.py#how-surprised-is-it-by-hand). Each other letter has only $0.1 / 26 =
# 0.00385$ there, and costs 8.02 bits. After a letter that it has never met, all 26 are equal, so that any of them costs
# $\log_2 26 = 4.70$ bits.
#
# Now it reads a new word, `bandana`. The d after the n costs 8.02 bits, and the a after the d 4.70.
#
# Would it read better if it looked at more than one letter? **Let it look back no letter, and then 2 and 3. What
# becomes of the price of `banana`, and what of `bandana`?**

# %% tags=["hide-input"]
import math
from collections import Counter, defaultdict


def table_of(text, back):
    """Count what came after the last letters: so many of them, or all from the beginning."""
    table = defaultdict(Counter)
    for i, c in enumerate(text):
        table[("·" + text)[max(i + 1 - back, 0) : i + 1]][c] += 1
    return table


def bits_a_letter(text, table, back, letters):
    total = 0
    for i, c in enumerate(text):
        after = table.get(("·" + text)[max(i + 1 - back, 0) : i + 1])
        met = (
            0.9 * after[c] / after.total() + 0.1 / letters if after else 1 / letters
        )
        total -= math.log2(met)
    return total / len(text)


costs = {
    back: [
        bits_a_letter(word, table_of("banana", back), back, 26)
        for word in ("banana", "bandana")
    ]
    for back in range(4)
}
assert [round(banana, 2) for banana, _ in costs.values()] == [
    1.59,
    0.15,
    0.15,
    0.15,
]
assert [round(bandana, 2) for _, bandana in costs.values()] == [
    2.51,
    1.92,
    2.57,
    3.22,
]
assert round(-math.log2(0.9 + 0.1 / 26), 2) == 0.15
assert round(-math.log2(0.1 / 26), 2) == 8.02
assert round(math.log2(26), 2) == 4.70

# %% tags=["live", "remove-input"]
from live import touch

touch(
    "parrot",
    "<p>With no letter back, banana costs 1.59 bits a letter and bandana 2.51. With one they cost 0.15 and 1.92, and"
    " with three 0.15 and 3.22.</p>",
    shown="banana",
    unseen="bandana",
    back=1,
    tried=[1],
)

# %% [markdown]
# **The shown word gets cheaper and stays cheap. The new word is cheapest with one letter back, and then gets dearer
# again.** What the table has learnt of single letters is true elsewhere, too: after an n often comes an a. But what it
# has learnt of three letters is true of `banana` alone. After `and` it knows nothing at all.
#
# Both words are yours to change. The longer the pieces that two words have in common, the farther back it pays to look.
#
# ## The same with a whole story
#
# Such a table now gets the story of the first machine, without its last tenth. Then it reads both, the part that it was
# shown and the tenth that it was not. **With how many letters back will the unseen tenth cost least?**

# %% tags=["live", "remove-input"]
LETTERS = len({*shown})
BACKS = range(9)
tables = {back: table_of(shown, back) for back in BACKS}
known = [bits_a_letter(shown, tables[back], back, LETTERS) for back in BACKS]
fresh = [bits_a_letter(unseen, tables[back], back, LETTERS) for back in BACKS]

bet(
    "by_heart/how-far-back",
    [
        (
            "letters back",
            min(BACKS, key=fresh.__getitem__),
            "Longer pieces would say more, but the story is short. Most of its longer pieces come up only once.",
            "So much one can learn even from a short story: many of its words come up again and again.",
        )
    ],
    low=0,
    high=8,
    step=1,
    unit="",
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>

# %% tags=["hide-input"] alt="Bits a letter against the letters that the table looks back, from 0 to 8. The line of the shown part falls all the way, from about 4 to less than half a bit. The line of the unseen tenth falls with it to 1.7 bits at three letters, and then rises to more than 3."
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(4.8, 2.8), layout="constrained")
ax.plot(BACKS, known, "o-", ms=4, color="#0072b2")
ax.plot(BACKS, fresh, "o--", ms=4, color="#d55e00")
ax.text(8, known[-1] + 0.25, "shown part", color="#0072b2", ha="right")
ax.text(8, fresh[-1] + 0.3, "unseen tenth", color="#d55e00", ha="right")
ax.set(
    xlabel="letters that the table looks back", ylabel="bits a letter", ylim=(0, 5)
)
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert known == sorted(known, reverse=True)
assert min(BACKS, key=fresh.__getitem__) == 3
assert round(fresh[3], 1) == 1.7
assert fresh[3:] == sorted(fresh[3:])
assert known[8] < 0.5
assert fresh[8] > 3
assert abs(known[0] - fresh[0]) < 0.1

# %% [markdown]
# </details>
#
# **Up to three letters back, both parts get cheaper. From there on, the table still learns, but only its text by
# heart.** When a machine gets better on what it was shown, and worse on what it was not, this is called *overfitting*.
# The unseen tenth gives it away, because nobody can know by heart what he was never shown. So one always keeps a part
# of the text hidden.
#
# ## Train one yourself { #train-your-own }
#
# Does a machine do that, too? Here we do not set how far it looks back, but how long it is trained. In each step of its
# training it is shown 256 letters of the story, so after 1,000 steps it has seen every letter about 81 times.
#
# This is the machine of the first text: half a Transformer, two layers of four heads, with 32 numbers for each letter.
# (That text was drawn with a temperature of 0.5. The piece begins at 0.8, where it stumbles more.) **Press "Train it",
# and read what it writes.** Then look at its two curves, of the shown part and (dashed) of the unseen tenth. **When
# does the dashed curve stop falling?**

# %% tags=["live", "remove-input"]
from IPython.display import Markdown

COSTS = {  # letters, bits a letter in the shown part, in the unseen tenth, and there of the table
    "A small story": (3508, 0.2, 2.0, 1.4),
    "Bold sentences of these lessons": (16738, 1.9, 2.5, 2.5),
}
MEASURED = (
    "| text | letters | shown part | unseen tenth | the careful table there |\n"
    "| --- | --: | --: | --: | --: |\n"
    + "\n".join(
        f"| {name} | {letters:,} | {shown} | {unseen} | {table} |"
        for name, (letters, shown, unseen, table) in COSTS.items()
    )
)
touch(
    "scribe",
    "<p>After 1,000 steps with a small story, a letter costs 0.2 bits in the part that was shown, and 2.0 in the unseen"
    " tenth.</p>",
    moments=[0, 50, 300, 1000],
    seconds=30,
    temperature=0.8,
    share=1,
    draw=1,
    seed=0,
)

# %% [markdown]
# **First the machine learns letters and words, and then it learns its story by heart.** Words are useful in the unseen
# tenth, too, so at first both curves fall. After 200 steps the dashed curve hardly falls any more, and after 450 it
# creeps up again, while the other one goes on down to 0.2 bits. Whoever stops at the lowest point of the dashed curve
# keeps what is worth keeping. This is called *early stopping*.
#
# The dotted line in the piece is a more careful table than ours, the one of the last lesson. It looks four letters
# back, and where it has never met these four, it makes do with fewer. In so short a story even this table beats the
# machine.
#
# <details class="lesson-answer" markdown="1"><summary>What we measured</summary>
#
# After 1,000 steps a letter costs so many bits:

# %% tags=["live", "remove-input"]
Markdown(MEASURED)

# %% [markdown]
# (Bits of two different texts can't be compared: the bold sentences have many more words, and are harder to foresee.)
# These are means of three trainings with the program of this piece, measured in November 2026, each from other random
# numbers. In the story the dashed curve is lowest after 400 or 450 steps, at 1.6 bits on average, and from there on it
# rises.
#
# </details>
#
# ## Drawing a letter
#
# Is a daring machine less of a parrot? To write, yours [draws](writing.py#drawing) each letter by its probability. You
# know its **temperature** [from the dates](writing.py#drawing): below 1 the probable letters become more probable
# still, and above 1 the improbable ones gain. **Below the curves of your machine, set the temperature to 0.5, and then
# to 1.5. What becomes of the coloured pieces, which it took over from its story?**
#
# <details class="lesson-answer" markdown="1"><summary>What becomes of them</summary>
#
# At 0.5 it recites: of 100 letters 94 were coloured, in the mean of three machines. At 1.5 only 16 were (yours may
# differ much). But then three words in ten were words that its story does not have, and most of them nobody has.
#
# Each improbable letter is rare, but there are so many of them that one is drawn quite often. *Top-p* cuts them off: a
# top-p of 0.5 keeps the likeliest letters that reach 0.5 together. Leave the temperature at 1.5, and set top-p to 0.5.
# The words are back, and so is the story.
#
# So it is either the story or nonsense. No way of drawing makes a parrot say something new.
#
# </details>
#
# ## Give it more to read
#
# **Take the bold sentences of these lessons, nearly five times as many letters, and train another machine. Does its
# dashed curve stop falling, too?**
#
# <details class="lesson-answer" markdown="1"><summary>What we saw</summary>
#
# It falls to the end, and the two curves stay together much longer. In 1,000 steps each sentence comes up only 17
# times, so the machine hardly learns any by heart, and what it does learn is useful in the unseen tenth, too.
#
# </details>
#
# **The more there is to read, the less a machine can get by with repeating.** It has to make words out of what it knows
# of words. In 1,000 steps it can't do that well: a quarter of the words that it writes stand nowhere in its text. The
# manual's machine, too, invents some. That looks worse, and is the better sign.
#
# Now paste a text of your own, a few thousand letters or more. It is sent nowhere. **Which of its words does your
# machine find first?**
#
# ## Large machines do it, too
#
# Does reading half of the internet cure it? Not wholly. In 2020 Carlini and others let GPT-2 write hundreds of
# thousands of texts, and picked those that cost it suspiciously few bits. Among these they found hundreds that stood in
# its training word by word, with the names, telephone numbers and addresses of real people. Some of them had stood
# there in a single document.
#
# The measure was the one of this page: what a machine knows by heart costs it hardly anything.
#
# ## Exercises
#
# ### Exercise 1
#
# Write `longest_copy(written, text)`: the longest piece of one text that stands in another, letter by letter. How long
# is it in the two texts at the top of this page?


# %% tags=["answer"]
def longest_copy(written, text):
    longest = ""
    for i in range(len(written)):
        while (
            i + len(longest) < len(written)
            and written[i : i + len(longest) + 1] in text
        ):
            longest = written[i : i + len(longest) + 1]
    return longest


for written, text in ((ONE, shown), (OTHER, manual)):
    copy = longest_copy(written, text)
    print(f"{len(copy)} of {len(written)} letters: {copy!r}")

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>How it works, and what it shows</summary>
#
# At each place the piece grows by one letter for as long as it is found. It never has to shrink, because a shorter one
# would not be the longest any more. The first machine took over the better part of two sentences, and the second hardly
# more than two words.
#
# </details>
#
# ### Exercise 2
#
# Our table knows nothing after letters that it has never met. Let it make do with fewer letters there: with two if it
# has never met the last three, and so on. What becomes of the dashed line when the table looks far back?


# %% tags=["answer"]
def careful_bits(text, most):
    total = 0
    for i, c in enumerate(text):
        for back in range(most, -1, -1):
            key = ("·" + text)[max(i + 1 - back, 0) : i + 1]
            if after := tables[back].get(key):
                break
        total -= math.log2(0.9 * after[c] / after.total() + 0.1 / LETTERS)
    return total / len(text)


careful = [careful_bits(unseen, back) for back in BACKS]
for back in (1, 3, 5, 8):
    print(
        f"{back} back: {fresh[back]:.2f} bits before, and now {careful[back]:.2f}"
    )
assert careful[8] < fresh[8] - 0.5

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What helps, and what does not</summary>
#
# The dashed line rises far less, because a longer piece is only believed where it was met. But it still rises a little:
# a piece that was met once in the story went on in one way there, and the table is 9/10 sure of it.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("by_heart")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? In a training the shown part costs fewer bits each day. The unseen part has cost more since Tuesday. Which machine do you keep?
# + Tuesday's | There it was best at what it had never seen, and that is all that one will ask of it.
# - today's, which knows most | It knows most of what it was shown.
# - none, the training went wrong | Nearly every training on a small text looks like this. One only has to stop in time.
# ? Somebody trains ten machines, takes the one that does best in the unseen tenth, and reports this best result. Is that honest?
# - yes, no machine has seen that tenth | No machine has, but the choice has. The best of ten also had the most luck with this tenth.
# + not quite, the choice was made with it | So one keeps a third part, which is read only once, at the very end.
# - no, a tenth is too little | More would be surer. But the trouble is that it was used to choose.
# ? Five letters have the probabilities 0.4, 0.3, 0.15, 0.1 and 0.05. With a top-p of 0.8, how probable is the second?
# - 0.30 | What is kept is divided by its sum, so that it adds up to 1 again.
# + 0.35 | Two letters reach only 0.7, so three are kept, with 0.85 together. And 0.3 / 0.85 is 0.35.
# - 0.43 | That would be 0.3 / 0.7. Two letters do not reach 0.8.
# ```
#
# </details>
#
# ## Where to go next
#
# All our machines read one letter at a time. A chat program does not: what reaches it are pieces of words. Why?
#
# * [Pieces of words](pieces_of_words.py): what a piece saves, and what it hides.
# * [Train it on your own text](../guides/train_language_model.py): a program to copy, for texts of any length.
#
# Read on elsewhere: Holtzman and others (2020), [The Curious Case of Neural Text
# Degeneration](https://arxiv.org/abs/1904.09751), on top-p; Carlini and others (2021), [Extracting Training Data from
# Large Language Models](https://arxiv.org/abs/2012.07805); Hoffmann and others (2022), [Training Compute-Optimal Large
# Language Models](https://arxiv.org/abs/2203.15556), on how much a machine of some size should read.
