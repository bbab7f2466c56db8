# ---
# title: Packed documents
# description: How several short texts share one row without reading each other. A number for each text, positions that begin again, what must not be asked, and a test for leaks.
# ---

# %% [markdown]
# # How do several texts share a row?
#
# When a machine learns, short texts often share a row, to save room: two chats, say, of people who never met. What can
# go wrong there? Here is a date machine whose [positions turn](turning_positions.py), and which in its training had
# each date in a row of its own. It reads two dates, first alone and then side by side in one row:

# %% tags=["hide-input"]
import re
import sys
from pathlib import Path

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
import trained
from clear_attention import (
    create_date_pairs,
    create_document_mask,
    create_padding_mask,
    date_tokenizers,
)
from date_machine import percent
from IPython.display import Markdown, display

model, _ = trained.load("today-rotary")
texts, dates = create_date_pairs(1000, seed=1, split="test")
source, target = date_tokenizers()


def packed_rows(texts, length):
    """Put texts in pairs: the ids, and for each place the number of its text, 0 for padding."""
    ids = np.zeros((len(texts) // 2, length), "int32")
    segments = np.zeros_like(ids)
    for row, pair in enumerate(zip(texts[::2], texts[1::2], strict=True)):
        place = 0
        for number, text in enumerate(pair, start=1):
            letters = source.encode([text])[0]
            ids[row, place : place + len(letters)] = letters
            segments[row, place : place + len(letters)] = number
            place += len(letters)
    return ids, segments


def read(ids, mask, **options):
    """Return what the encoder makes of the letters."""
    x = model.embed_source(ids) * model.d_model**0.5
    return model.encoder(x, mask=mask, **options)


def write(context, others):
    """Write an answer for each row, letter by letter, that does not look at the others."""
    hidden = others[:, None, None].astype("float32")
    answers = np.full((len(context), 1), target.start_id, "int32")
    for _ in range(len("2018-05-03")):
        logits = model.decode(answers, context, hidden).output
        answers = np.append(answers, np.argmax(logits[:, -1:], axis=-1), axis=1)
    return target.decode(answers)


def write_both(context, segments):
    """Write the first date of each row, and the second one."""
    return [write(context, segments != number) for number in (1, 2)]


pair = ["3 may '18", "7 june '24"]
letters, seven = [*"3␣may␣'187␣june␣'24"], len(pair[0])
row, numbers = packed_rows(pair, length=len(letters))
apart = create_document_mask(numbers)
blind = read(row, None, return_weights=True)
wrong = [answer for (answer,) in write_both(blind.output, numbers)]
single = source.encode(pair)
own_row = write(read(single, create_padding_mask(single)), single == 0)
lines = [["it reads", *pair], ["---"] * 3]
lines += [["a row for each", *own_row], ["one row for both", *wrong]]
display(Markdown("\n".join(f"| {' | '.join(line)} |" for line in lines)))
assert own_row == ["2018-05-03", "2024-06-07"]
weights = blind.weights["0"][0].numpy().mean(axis=0)  # (19 letters, 19 letters)
assert weights[seven, :seven].sum() > 0.8
assert wrong == ["2023-05-18", "2024-06-09"]  # first a year as a day
drawn = Path("../diagrams/shared_row.svg").read_text(encoding="utf-8")
drawn = "".join(re.findall(r">(.)</text>", drawn)).replace("␣", " ")
longest = "donnerstag, den 30. dezember 1999"
assert drawn == "".join([*pair, longest] * 2)

# %% [markdown]
# **Alone both dates are read right, and side by side both are read wrong.** In the first answer the 18 of the year has
# become the day, and the 9 of the second stands in neither text. How can that be? While an answer is written, we let it
# look only at the letters of its own date. But in the encoder, which makes the vectors of these letters, nothing was
# hidden, and there they have already looked at the neighbour. A vector that is misled like that can make the decoder
# write any digit.
#
# Then why put them there? A machine computes with whole rectangles. So short texts are [filled up with
# padding](masks.py), and a place of padding costs as much as a letter. Of 1,000 dates, each in a row of its own, nearly
# half of the places are empty. So people fill them with other dates, which is called **packing**:
#
# --8<-- "diagrams/shared_row.svg"
#
# The longest of our 1,000 dates has 33 letters, so alone they need 1,000 rows of 33. Packed into longer rows, of 64
# places, which leave fewer gaps at the end, they need 317. That makes 20,288 places instead of 33,000. (Longer rows
# have more scores: 317 · 64² are 1.3 million, and 1,000 · 33² are 1.1. But for texts this short the rest of the machine
# costs far more.)
#
# Were the two wrong answers a rare accident? We put the 1,000 dates in pairs, two in each row:

# %% tags=["hide-input"]
together = np.array([dates[::2], dates[1::2]])


def read_in_pairs(make_mask):
    """Return what is written for first and for second dates; the mask is made of ids and segments."""
    ids, segments = packed_rows(texts, length=68)
    return np.array(write_both(read(ids, make_mask(ids, segments)), segments))


def blindly(ids, segments):
    """Hide the padding alone."""
    return create_padding_mask(ids)


# of first dates, and of second ones
right = np.mean(read_in_pairs(blindly) == together, axis=1)
in_pairs = right.mean()
assert round(100 * in_pairs) == 40
assert [*np.round(100 * right)] == [15, 64]
print(f"dates read right, two in a row: {percent(in_pairs)}")

# %% [markdown]
# **Two in a row, only about 40 of 100 dates are read right,** because this machine never learnt to leave a text out.
#
# A machine can learn that: GPT-3 (Brown and others, 2020) was trained on packed rows with nothing hidden, and only a
# mark said where a text ends. But we know where each date ends. So why not tell the machine?
#
# ## A number for each text { #a-number-for-each-document }
#
# Take the 7 in "7 june '24". Is it a day or a month? Its neighbours in its own date can tell, and the other date can
# only mislead it. So we give each place of the row the **number** of its text, and we hide a key from every query that
# has another number.
#
# Now by hand. A row holds a text of 3 letters, one of 2 letters, and a place of padding. The letter at place 4 looks,
# and finds these scores:
#
# | place | 0 | 1 | 2 | 3 | 4 | 5 |
# | --- | --- | --- | --- | --- | --- | --- |
# | number of the text | 1 | 1 | 1 | 2 | 2 | 0 |
# | score | 3 | 1 | 2 | 0 | 1.5 | 4 |
# | weight | 0 | 0 | 0 | 0.182 | 0.818 | 0 |
#
# **The letter at place 4 sees only places 3 and 4, which have its number.** Their powers are $e^0 = 1$ and $e^{1.5} =
# 4.48$, and $1 / 5.48$ is 0.182. The high scores at places 0 and 5 have no say. Padding has a number, too, the 0. (A
# place of padding finds at least itself, so that not all of its keys are hidden.) Programs call a text a *document*,
# and the numbers *segment ids*.
#
# Back to the two dates, with nothing hidden yet. The bars show the mean of the four heads in the first layer. **Where
# does the 7 look? Then tick "keep the dates apart".**

# %% tags=["live", "remove-input"]
from live import coded, touch

firsts = [
    "3 may '18",
    "june 5th, 1999",
    "24.12.2001",
    "8. märz 1975",
    "11 november 2012",
]
seconds = [
    "7 june '24",
    "1 april 1987",
    "may 30th, 2044",
    "09.02.1963",
    "3/17/2031",
]
chosen = [date for one in firsts for two in seconds for date in (one, two)]
many, owners = packed_rows(chosen, length=32)
readings = [
    read(many, mask, return_weights=True)
    for mask in (create_padding_mask(many), create_document_mask(owners))
]
written = [write_both(reading.output, owners) for reading in readings]
averages = [reading.weights["0"].numpy().mean(axis=1) for reading in readings]


pairs = [
    {
        "maps": [coded(maps[i, :n, :n]) for maps in averages],
        "writes": [[first[i], second[i]] for first, second in written],
    }
    for i, n in enumerate((owners > 0).sum(axis=1))
]
answers = [written[1][0][::5], written[1][1][:5]]
assert answers[0] == [
    "2018-05-03",
    "1999-06-05",
    "2001-12-24",
    "1975-03-08",
    "2012-11-11",
]
assert answers[1] == [
    "2024-06-07",
    "1987-04-01",
    "2044-05-30",
    "1963-02-09",
    "2031-03-17",
]
assert all(
    each["writes"][1] == [answers[0][i // 5], answers[1][i % 5]]
    for i, each in enumerate(pairs)
)
touch(
    "neighbours",
    "<p>Read in one row and not kept apart, “3 may '18” and “7 june '24” come out as {} and {}.</p>".format(
        *pairs[0]["writes"][0]
    ),
    firsts=firsts,
    seconds=seconds,
    answers=answers,
    pick=[0, 0],
    pairs=[pairs[i : i + 5] for i in range(0, 25, 5)],
    query=seven,
    apart=False,
)

# %% [markdown]
# **Without the numbers the 7 looks mostly into the *other* date, and with them it stays in its own.**
#
# And the other dates? All 1,000 are now read as if each were alone:

# %% tags=["hide-input"]
masked = read(row, apart, return_weights=True).weights["0"][0].numpy()
kept_apart = read_in_pairs(lambda ids, segments: create_document_mask(segments))
kept_apart = np.mean(kept_apart == together, axis=1)
single = source.encode(texts)
own = write(read(single, create_padding_mask(single)), single == 0)
own = np.mean(np.array(own) == dates)
print(f"dates read right, two in a row: {percent(kept_apart.mean())}")
print(f"dates read right, one in a row: {percent(own)}")
assert not np.any(np.where(apart[0], masked, 0))

assert kept_apart.min() > 0.99
assert kept_apart.mean() == own
assert own > 0.99

# %% [markdown]
# ## Where does a text begin?
#
# The mask says who is seen, but not where a letter stands. Our machine doesn't mind, because its positions turn, and
# only distances count. A machine that adds positions does mind: in its training no text began at place 3, as the second
# one does in the table above. **So in each text the positions begin again at 0:**

# %% tags=["hide-input"]
from clear_attention import create_document_positions

documents = np.array([[1, 1, 1, 2, 2, 0]])
print("numbers:  ", documents[0])
print("positions:", create_document_positions(documents).numpy()[0])
mask = create_document_mask(documents).numpy()[0, 0]
powers = np.where(mask[4] == 1, 0, np.exp([3, 1, 2, 0, 1.5, 4]))
np.testing.assert_allclose(
    powers / powers.sum(), [0, 0, 0, 0.182, 0.818, 0], atol=5e-4
)

# %% [markdown]
# ## What must not be asked
#
# So far each answer had a row of its own. In training one packs the answers as well, and at each place the loss asks
# [what comes next](training.py). What comes after the end of an answer? The start of another, which has nothing to do
# with it, and after the last end nothing at all. **So at the end of an answer the loss asks nothing:**
#
# --8<-- "diagrams/packed_answers.svg"
#
# A dot is a start mark, a square is an end mark, and at a cross nothing is asked.

# %% tags=["live", "remove-input"]
drawn = Path("../diagrams/packed_answers.svg").read_text(encoding="utf-8")
drawn_letters = re.findall(r' letter".*?>(.)</text>', drawn)
given = "".join(f"•{answer}▪" for answer in own_row)
crossed_out = [i for i, letter in enumerate(given) if letter == "▪"]
asked = [x for i, x in enumerate(given[1:] + " ") if i not in crossed_out]
assert drawn_letters == [*letters, *given, *asked]
assert drawn.count('stroke-width="2"') == len(crossed_out) == 2
drawn_numbers = re.findall(r'class="number".*?>(.)</text>', drawn)
assert drawn_numbers == [*map(str, numbers[0]), *"1" * 12, *"2" * 12]

# %% [markdown]
# ## Not one bit
#
# The dates come out right. But is nothing left of the neighbour? We made the 3 of the first date an 8, and watched the
# second date. Without a mask, all 10 letters of "7 june '24" came out of the encoder differently. **With the mask, no
# letter of the second date changed by a single bit when we changed the first.** Every weight between the two is exactly
# 0.
#
# So the two chats may share a row: while they are read, nothing of one can leak into the other.
#
# <details class="lesson-more" markdown="1"><summary>The check in code</summary>

# %%
# the machine, the row and the mask come from cells above, which are folded
changed = row.copy()
changed[0, 0] = source.encode(["8"])[0, 0]


def moved(mask):
    """Count the letters of the second date that come out differently."""
    one, other = (read(ids, mask).numpy()[0, seven:] for ids in (row, changed))
    return int(np.any(one != other, axis=-1).sum())


print(f"without a mask: {moved(None)} of 10")
print(f"with the mask:  {moved(apart)} of 10")
assert (moved(None), moved(apart)) == (10, 0)

# %% [markdown]
# </details>
#
# In attention only the mask has changed. In this drawing later letters are hidden as well. Untick the box, and "cat"
# and "to" meet:

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("packing")

# %% [markdown]
# ## Your machine so far
#
# Your machine lacks only the mask, and the positions for a machine that adds them. The mask takes two rows of numbers,
# because an answer, too, may see only the text with its own number: `asking[:, np.newaxis]` makes a column of a row,
# and `list(documents).index(number)` finds the first place of a number.
#
# ```python
# def document_mask(asking, asked):
#     # the numbers of the places that ask, and of those that are asked; 1 hides
#     return (... != ...).astype(int)
#
# def document_positions(documents):  # for each letter its position in its own text
#     return [... for place, number in enumerate(documents)]
#
# numbers = np.array([1, 1, 1, 2, 2, 0])
# print(document_mask(numbers, numbers)[4])  # [1 1 1 0 0 1]
# print(document_positions(numbers))  # [0, 1, 2, 0, 1, 0]
# ```


# %% tags=["answer"]
def document_mask(asking, asked):
    return (asking[:, np.newaxis] != asked).astype(int)


def document_positions(documents):
    return [
        place - list(documents).index(number)
        for place, number in enumerate(documents)
    ]


numbers = np.array([1, 1, 1, 2, 2, 0])
print(document_mask(numbers, numbers)[4])
print(document_positions(numbers))
np.testing.assert_array_equal(document_mask(numbers, numbers), mask)
assert mask[4].tolist() == [1, 1, 1, 0, 0, 1]
of_answers, of_texts = np.array([1, 1, 2]), np.array([1, 2, 2, 2, 0])
crossed = [[0, 1, 1, 1, 1], [0, 1, 1, 1, 1], [1, 0, 0, 0, 1]]
np.testing.assert_array_equal(document_mask(of_answers, of_texts), crossed)
np.testing.assert_array_equal(document_positions(numbers), [0, 1, 2, 0, 1, 0])
print("your machine packs its texts")


# %% [markdown]
# ## Who found this, and when
#
# The library of [T5](https://arxiv.org/abs/1910.10683) (2020) gave each place the number of its text. The authors of
# Llama 3 (2024) kept texts apart as well. They write that this changed little in rows of the usual length, and was
# important in very long ones.
#
# ## Exercises
#
# ### Exercise 1
#
# A program has packed our 1,000 dates into 317 rows of 64 places. As soon as one date does not fit, it begins a new
# row, and never goes back. Can you do with fewer, if all rows stay open? The letters alone would fill 268. (The dates
# are `create_date_pairs(1000, seed=1, split="test")` of the package.)

# %% tags=["answer"]
lengths = np.array([len(text) for text in texts])

rows = [0]  # the program: how many places of each row are taken
for length in lengths:
    if rows[-1] + length > 64:
        rows.append(0)  # a new row
    rows[-1] += length

rooms = []  # how many places are left in each row
for length in lengths:
    fitting = [row for row, room in enumerate(rooms) if room >= length]
    if fitting:
        rooms[fitting[0]] -= length
    else:
        rooms.append(64 - length)
print(f"one open row: {len(rows)}, all rows open: {len(rooms)}")
assert (len(rows), len(rooms)) == (317, 278)
assert -(-lengths.sum() // 64) == 268
assert lengths.max() == len(longest) == 33
assert [round(n / 1e6, 1) for n in (317 * 64**2, 1000 * 33**2)] == [1.3, 1.1]
assert round(np.exp(1.5), 2) == 4.48
assert 0.37 < 1 - 317 * 64 / (33 * 1000) < 0.4  # nearly two fifths
assert 0.4 < 1 - lengths.sum() / (33 * 1000) < 0.5  # nearly half are empty

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What is left to win?</summary>
#
# Here each date goes into the first row that has room for it. That takes only ten rows more than the letters alone. But
# a stream of texts never ends, and not all rows can stay open. So [`pack` in our
# guide](../guides/pack_a_stream.py#the-function) keeps only a few.
#
# </details>
#
# ### Exercise 2
#
# Somebody gives the padding the number of the last text, instead of 0. What goes wrong?
#
# <details class="lesson-answer" markdown="1"><summary>What goes wrong</summary>
#
# The letters of the last text look at the padding, so in an encoder the last text of a row with padding can come out
# wrong. In a causal machine the padding comes later and is hidden anyway.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("packing")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A row of 100 places holds ten texts of 10 letters each. How many of its 10,000 scores are not hidden by the mask that keeps them apart?
# + 1,000 | Each text has 10 times 10, and there are ten texts.
# - 100 | That is one text. There are ten.
# - 5,000 | That would be about half, as with a look-ahead mask alone.
# ? Somebody numbers the texts of a row 1, 2, 1: the third gets the number of the first again. What happens?
# - Nothing, since they do not stand side by side. | The mask compares numbers, and not places.
# + The first and the third read each other. | Equal numbers are one text for the mask.
# - The second can no longer be read. | Its number is still its own.
# ? A machine adds positions, and was trained with a row for each text. In a packed row they are counted through from 0 to 63. The mask keeps the texts apart. Which texts suffer?
# - None, since the mask is right. | The mask says who is seen. Where a letter stands is said by the positions.
# - All of them. | The first begins at 0, as it did in the training.
# + All but the first. | They begin at places where no text of the training began.
# ```
#
# </details>
#
# ## Where to go next
#
# **Your machine so far:** [the whole Transformer](recap.py#put-together-by-hand) that reads dates. Several texts now
# share its rows, and none of them knows of the others. But what is left of such a machine if there is no text to read
# at all?
#
# * [From here to GPT](language_model.py): half of the machine, trained on nothing but text.
# * [Pack a stream of texts](../guides/pack_a_stream.py#a-training-packed-and-padded): a training on packed rows, with the
#   losses of padded ones.
#
# Read on elsewhere: Brown and others (2020), [Language Models are Few-Shot Learners](https://arxiv.org/abs/2005.14165),
# appendix B; Krell and others (2021), [Efficient Sequence Packing without
# Cross-contamination](https://arxiv.org/abs/2107.02027); Grattafiori and others (2024), [The Llama 3 Herd of
# Models](https://arxiv.org/abs/2407.21783), section 3.2.
