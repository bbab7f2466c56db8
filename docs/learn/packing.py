# ---
# title: Packed documents
# description: How several short texts share one row without reading each other. A number for each text, positions that begin again in each, and what the loss must not ask.
# ---

# %% [markdown]
# # How do several texts share a row?
#
# All rows of a batch are equally long, so short texts are [filled up with padding](masks.py). Why not put a second text
# there instead? The machine whose [positions turn](turning_positions.py) does not mind where in the row a text stands, if it stands alone.
# Here its encoder reads "3 may '18" and "7 june '24" in one row. Then each date is written by itself, and while it is
# written, the letters of the other are hidden. Is the 7 a day, a month or a part of a year? "june" tells you. The bars
# show how much weight the 7 gives to each letter, as a mean of its four heads:

# %% tags=["hide-input"] alt="A bar for each letter of 3 may '18 and, right behind it, 7 june '24. They show the weights that the 7 gives. Nearly all the weight lies on the letters of the first date, and hardly any on june."
import re
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import matplotlib.pyplot as plt
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
source, target = date_tokenizers()


def packed_rows(texts, length, gap=0):
    """Put texts in pairs: the ids, and for each place the number of its text, 0 for padding."""
    ids = np.zeros((len(texts) // 2, length), "int32")
    segments = np.zeros_like(ids)
    for row, pair in enumerate(zip(texts[::2], texts[1::2], strict=True)):
        place = 0
        for number, text in enumerate(pair, start=1):
            letters = source.encode([text])[0]
            ids[row, place : place + len(letters)] = letters
            segments[row, place : place + len(letters)] = number
            place += len(letters) + gap
    return ids, segments


def read(ids, mask, **options):
    """Return what the encoder makes of the letters."""
    x = model.embed_source(ids) * 8.0  # 8, root of 64
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
BLUE, ORANGE = "#0072b2", "#d55e00"
colours = [ORANGE] * seven + [BLUE] * len(pair[1])


def bars_of(weights, hidden=0):
    """Draw the weights of the 7 as bars, a colour for each date; the first `hidden` places are hatched."""
    _, ax = plt.subplots(figsize=(4.6, 1.9), layout="constrained")
    ax.bar(range(len(letters)), weights, color=colours)
    ax.set(ylabel="weight", xticks=range(len(letters)), ylim=(0, 0.35))
    ax.set_xticklabels(letters)
    for label, colour in zip(ax.get_xticklabels(), colours, strict=True):
        label.set_color(colour)
    ax.get_xticklabels()[seven].set_weight("bold")
    ax.axvline(seven - 0.5, color="0.6", linewidth=0.8)
    if hidden:
        ax.axvspan(
            -0.5, hidden - 0.5, facecolor="none", edgecolor="0.7", hatch="///"
        )
    ax.spines[["top", "right"]].set_visible(False)
    ax.margins(x=0.01)
    plt.show()


row, numbers = packed_rows(pair, length=len(letters))
apart = create_document_mask(numbers)
blind = read(row, None, return_weights=True)
weights = blind.weights["0"][0].numpy()  # (4 heads, 19 letters, 19 letters)
mean = weights[:, seven].mean(axis=0)
bars_of(mean)
wrong = [answer for (answer,) in write_both(blind.output, numbers)]
single = source.encode(pair)
own_row = write(read(single, create_padding_mask(single)), single == 0)
print(f"weight of the 7 on the other date: {mean[:seven].sum():.0%}")
lines = [["it reads", *pair], ["---"] * 3]
lines += [["a row for each", *own_row], ["one row for both", *wrong]]
display(Markdown("\n".join(f"| {' | '.join(line)} |" for line in lines)))
assert own_row == ["2018-05-03", "2024-06-07"]
assert wrong[0] != own_row[0]
assert wrong[1] != own_row[1]
assert mean[:seven].sum() > 0.8
assert wrong[0][8:] == "18"  # a year as a day
assert wrong[1] == "2024-06-09"

# %% [markdown]
# Nearly all the weight of this 7 goes to the *other* date, because nobody told the machine where one date ends and the
# next begins. Both answers are wrong, without an error or a warning. In the first, the 18 of the year has become the
# day, and the year is 2023. In the second, the 7th has become the 9th.
#
# Is this a rare accident? Take 1,000 unseen dates, two in each row. How many of 100 are read right? And how many if 40
# places of padding, which the mask hides, stand between the two?

# %% tags=["live", "hide-input"]
from live import bet

texts, dates = create_date_pairs(1000, seed=1, split="test")
together = np.ravel([dates[::2], dates[1::2]])


def right(answers, dates):
    return np.mean(np.array(answers) == dates)


def right_in_pairs(make_mask, gap=0):
    """Return the share of dates that are read right, two in a row; the mask is made of ids and segments."""
    ids, segments = packed_rows(texts, length=68 + gap, gap=gap)
    answers = write_both(read(ids, make_mask(ids, segments)), segments)
    return right(np.ravel(answers), together)


not_apart = right_in_pairs(lambda ids, segments: create_padding_mask(ids))
padded = right_in_pairs(lambda ids, segments: create_padding_mask(ids), gap=40)
bet(
    "packing/two-in-a-row",
    [
        (
            "with nothing between them",
            round(100 * not_apart, 1),
            "A neighbour spoils most dates, but not all of them.",
            "In its training each date had a row of its own, so it never learnt to leave letters out.",
        ),
        (
            "with 40 hidden places between them",
            round(100 * padded, 1),
            "Some dates do come out right that were spoilt without the padding.",
            "Hidden places are no wall. A letter does not see them, but it sees what stands behind them.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# Most are spoilt by their neighbours. With the padding in between about half are still spoilt:

# %% tags=["hide-input"] alt="Four bars: of the dates in one row 40 % are read right, with 40 hidden places in between 49 %, of those kept apart nearly 100 %, and as many with a row for each."
kept_apart = right_in_pairs(lambda ids, segments: create_document_mask(segments))
single = source.encode(texts)
own = right(write(read(single, create_padding_mask(single)), single == 0), dates)
shares = {
    "nothing between them": not_apart,
    "40 hidden places": padded,
    "kept apart by a mask": kept_apart,
    "a row for each": own,
}
_, ax = plt.subplots(figsize=(5.2, 1.8), layout="constrained")
ax.barh(range(4), shares.values(), color=["0.6", "0.6", BLUE, BLUE])
for y, share in enumerate(shares.values()):
    ax.text(share + 0.015, y, percent(share), va="center")
ax.set(xlim=(0, 1.25), ylim=(3.6, -0.6), xticks=[])
ax.set_yticks(range(4), shares)
ax.spines[["top", "right", "bottom"]].set_visible(False)
plt.show()
assert not_apart < 0.5 < 0.99 < kept_apart
assert abs(kept_apart - own) < 0.02
assert not_apart + 0.03 < padded
assert abs(padded - 0.5) < 0.1  # "about half"

# %% [markdown]
# Only the encoder is to blame, since each date is written with the other one hidden. Why a few more come right with the
# padding, we have not looked into.
#
# </details>
#
# Look at what goes wrong. Choose two dates, and press a letter to see where it looks. Which date of a row suffers more,
# the first or the second? Can you find an answer that is no date at all? Then tick the box: a mask now hides each date
# from the letters of the other.

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
# <details class="lesson-answer" markdown="1"><summary>What can be found</summary>

# %% tags=["live", "remove-input"]
fine = np.array(written[0]) == [np.repeat(answers[0], 5), np.tile(answers[1], 5)]
rows_of_two = [f"“{one}” and “{two}”" for one in firsts for two in seconds]
no_dates = [
    f"{date}, in the row of {names}"
    for each in written[0]
    for date, names in zip(each, rows_of_two, strict=True)
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", date)
]
first_right, second_right = fine.sum(axis=1)
assert second_right > 2 * first_right
assert no_dates
display(
    Markdown(
        f"Of the 5 · 5 = 25 rows the first date is right in {first_right}, and the second in {second_right}."
        f" No dates at all are {', and '.join(no_dates)}."
    )
)

# %% [markdown]
# </details>
#
# ## A number for each text { #a-number-for-each-document }
#
# How does the mask know which letters belong together? Give each place in the row the **number** of its text. Then the
# mask hides a key if its number is not that of the query. Padding gets the number 0, so padding sees only padding, and
# no query is left without any key. Programs call a text a *document*, and its number a *segment id*. Here are the bars
# of the 7 once more, now with such a mask:

# %% tags=["hide-input"] alt="The bars of the 7 again. The letters of the first date are hatched and have no weight. Of the second date, the 7 itself has most weight, then the spaces and the apostrophe, and the letters u, n and j of june."
masked = read(row, apart, return_weights=True).weights["0"][0].numpy()
kept = masked[:, seven].mean(axis=0)
bars_of(kept, hidden=seven)
june = slice(seven + 2, seven + 6)
head = int(masked[:, seven, june].sum(axis=-1).argmax())
print(
    f"weight of the 7 on june: {mean[june].sum():.0%} before, {kept[june].sum():.0%} now"
)
print(f"in the head that looks there most: {masked[head, seven, june].sum():.0%}")
others = np.delete(masked[:, seven], head, axis=0).mean(axis=0)
assert others[[seven, seven + 6, seven + 7]].sum() > 0.5
assert mean[june].sum() < 0.1
assert kept[june].sum() > 0.15
assert abs(masked[head, seven, june].sum() - 0.75) < 0.1
assert not np.any(np.where(apart[0], masked, 0))

# %% [markdown]
# Now all the weight stays within the date of the 7. In the mean of the heads the 7 looks most at itself, a blank and
# the apostrophe. But one head does what you did, and gives three quarters of its weight to "june". And of the 1,000
# dates nearly all are read right, as many as with a row for each.
#
# ## By hand
#
# A row holds a text of 3 letters, one of 2 letters, and a place of padding. A *place* is counted in the row, a
# *position* in the text:
#
# | place | 0 | 1 | 2 | 3 | 4 | 5 |
# | --- | --- | --- | --- | --- | --- | --- |
# | number | 1 | 1 | 1 | 2 | 2 | 0 |
# | position | 0 | 1 | 2 | 0 | 1 | 0 |
#
# The letter at place 4 may look at the places 3 and 4. Say that its scores are 2, 1, 0, 0, 1 and 3, and the values 10,
# 20, 30, 40, 50 and 60. Only the scores 0 and 1 at places 3 and 4 count. They become the weights 0.269 and 0.731, and
# the output is $0.269 \cdot 40 + 0.731 \cdot 50 = 47.31$.
#
# Why does the third line begin again at 0? If positions are *added* to the letters, each text must begin where those of
# the training did, because [such a machine reads it badly elsewhere](turning_positions.py). If queries and keys *turn*,
# only distances count, and it does not matter.
#
# <details class="lesson-more" markdown="1"><summary>What the package says</summary>

# %%
from clear_attention import create_document_mask, create_document_positions

documents = np.array([[1, 1, 1, 2, 2, 0]])
print("positions:", create_document_positions(documents).numpy()[0])
mask = create_document_mask(documents).numpy()[0, 0]
print(mask)
scores, values = np.array([2, 1, 0, 0, 1, 3.0]), np.arange(10, 70, 10)
powers = np.where(mask[4] == 1, 0, np.exp(scores))
print("output of place 4:", (powers @ values / powers.sum()).round(2))

# %% [markdown]
# </details>
#
# Here is a row of 12 places with texts of 5, 4 and 2 letters. The square is the mask, with a line for each place that
# looks. Blue places may be seen, hatched ones are hidden, and grey is padding that sees padding. Predict first, then
# press:
#
# 1. Text 1 gets one letter fewer. Which positions do the letters of text 2 have then?
# 2. Tick the look-ahead mask, too. Which cells are left? Then let the query walk, and see what each place may look at.


# %% tags=["live", "remove-input"]
def alone(*sizes):
    """Return the places, and how many are padding, with a row for each text."""
    places = len(sizes) * max(sizes)
    return places, places - sum(sizes)


np.testing.assert_allclose(powers @ values / powers.sum(), 47.31, atol=5e-3)
assert alone(5, 4, 2) == (15, 4)
touch(
    "packed",
    "<p>Three texts of 5, 4 and 2 letters leave 1 of 12 places to padding in one row, and"
    " {1} of {0} with a row for each.</p>".format(*alone(5, 4, 2)),
    places=12,
    sizes=[5, 4, 2],
    query=6,
    apart=True,
    causal=False,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# 1. The same as before: 0, 1, 2, 3. Where a text begins in the row does not matter to it.
# 2. In the square of each text, the diagonal and what lies left of it.
#
# </details>
#
# ## The formula
#
# $$
# \text{mask}_{ij} = \begin{cases} 1 & \text{if } \text{number}_i \ne \text{number}_j \\
# 0 & \text{otherwise} \end{cases}
# $$
#
# ## What is there to win?
#
# The processor multiplies padding like everything else. So let us count its multiplications in the encoder. First each
# of the 1,000 dates has a row as long as the longest date. Then they share rows of 64 places, and a new row begins when
# the next date does not fit. That is called **packing**:

# %%
lengths = np.array([len(text) for text in texts])  # without start and end
rows, room = 0, 0
for length in lengths:
    if length > room:  # a new row
        rows, room = rows + 1, 64
    room -= length
print(f"lengths from {lengths.min()} to {lengths.max()}, mean {lengths.mean():.1f}")
print(f"{len(lengths):,} rows with a date each, {rows} with several")

# %% tags=["hide-input"] alt="Two bars: the multiplications of the encoder. Several dates in a row take a third fewer than a row for each date. Blue is the part that is spent on letters, about half of the first bar and about three quarters of the second. The rest is hatched."
places = len(lengths) * lengths.max(), rows * 64
scores = len(lengths) * lengths.max() ** 2, rows * 64**2
useful = lengths.sum(), (lengths**2).sum()
of_a_place = (
    4 * 64**2 + 2 * 64 * 256
)  # multiplications: four matrices, feed-forward
of_a_score = 2 * 64  # query times key, weight times value
letters_work, scores_work = (
    np.array(counts) * each
    for counts, each in ((places, of_a_place), (scores, of_a_score))
)
work = letters_work + scores_work
needed = useful[0] * of_a_place + useful[1] * of_a_score
_, ax = plt.subplots(figsize=(4.6, 1.3), layout="constrained")
for y, count in enumerate(work):
    ax.barh(y, needed, color=BLUE)
    ax.barh(
        y, count - needed, left=needed, color="none", edgecolor="0.6", hatch="///"
    )
    ax.text(
        needed / 2,
        y,
        f"{needed / count:.0%}",
        color="white",
        ha="center",
        va="center",
    )
    ax.text(count, y, f"  {count / 1e6:,.0f} million", va="center")
ax.set(xlim=(0, 1.35 * max(work)), ylim=(1.6, -0.6), xticks=[])
ax.set_title("multiplications")
ax.set_yticks(range(2), ["a row for each", "several in a row"])
ax.spines[:].set_visible(False)
plt.show()
assert np.abs(needed / work - [0.5, 0.76]).max() < 0.05
assert 0.4 < 1 - useful[0] / places[0] < 0.5
assert 0.14 < 1 - useful[0] / places[1] < 0.19
assert 0.2 < useful[1] / scores[1] < 0.3
assert 0.55 < places[1] / places[0] < 0.65
assert 1.1 < scores[1] / scores[0] < 1.3
assert 11 < letters_work[0] / scores_work[0] < 13
assert 0.32 < 1 - work[1] / work[0] < 0.36

# %% [markdown]
# Blue is the work that is needed, and the percentage says how much of the whole bar it is. The hatched rest is spent on
# padding and on hidden scores, for nothing. Packing saves a third of all.
#
# <details class="lesson-more" markdown="1"><summary>But are there not more scores in longer rows?</summary>
#
# There are. A row is nearly twice as long now, so there are 1.3 million scores, and there were 1.1 million. What is
# done to each letter by itself becomes almost 40 % less: 20,000 places and no longer 33,000. And the scores are only a
# small part of the work.
#
# In the layer of our encoder, with 64 numbers a letter, a place costs $4 \cdot 64^2$ multiplications for the four
# matrices and $2 \cdot 64 \cdot 256$ for the network, together 49,152. A score costs only $2 \cdot 64 = 128$, for query
# times key and weight times value. So before packing the scores are about a thirteenth of the work. This is counted,
# and not timed. With longer rows the scores count for more, but [blocks of hidden ones](long_sequences.py) can be left
# out.
#
# </details>
#
# ## Your machine so far
#
# Your `attention` takes any mask. So your machine only needs the mask and the positions, made from the numbers in one
# row, which the program calls `documents`. `documents[:, np.newaxis]` makes a column of the row, and
# `list(documents).index(number)` finds the first place of a number, so each text needs a number of its own.
#
# ```python
# def document_mask(documents):  # (letters, letters), 1 hides
#     return (... != ...).astype(int)
#
# def document_positions(documents):  # for each letter its position in its own text
#     return [... for place, number in enumerate(documents)]
# ```


# %% tags=["answer"]
def document_mask(documents):
    return (documents[:, np.newaxis] != documents).astype(int)


def document_positions(documents):
    return [
        place - list(documents).index(number)
        for place, number in enumerate(documents)
    ]


np.testing.assert_array_equal(document_mask(documents[0]), mask)
np.testing.assert_array_equal(document_positions(documents[0]), [0, 1, 2, 0, 1, 0])
print("your machine packs its texts")

# %% [markdown]
# ## What must not be asked
#
# In a training the half that writes must say at each place [what comes next](training.py). If its answers share a row,
# too, behind the end of one stands the start of the *next*, which is no part of either answer. So what the machine says
# there should not count. A machine that reads [Roman numerals](roman.py) must write 40 for xl and 7 for vii, digit by
# digit. The two answers take seven places of a row, and at five of them the machine is asked:
#
# | place holds | start | 4 | 0 | end | start | 7 | end |
# | --- | --- | --- | --- | --- | --- | --- | --- |
# | next comes | 4 | 0 | end | start | 7 | end | padding |
# | asked | yes | yes | yes | no | yes | yes | no |
#
# The guide [Pack a stream of texts](../guides/pack_a_stream.py#a-training-packed-and-padded) trains with such rows.
#
# ## Who found this, and when
#
# GPT-3 (2020) packed its texts and hid nothing: a mark stands where a text ends, and from it the model was to learn
# that what comes before no longer matters. Krell and others (2021) did hide. They counted that up to half of the places
# in common collections are padding, packed the texts of Wikipedia for BERT, kept them apart by a mask, and trained
# twice as fast.
#
# The authors of Llama 3 (2024) write that such a mask changed little with rows of the usual length, and was important
# with very long ones.
#
# ## Exercises
#
# ### Exercise 1
#
# How many scores are computed for 100 texts of 32 letters, one in each row of 64 places, and how many if two stand in
# each row? And how many of them are between letters of the same text?

# %% tags=["answer"]
print("one in each row: ", 100 * 64 * 64)
print("two in each row: ", 50 * 64 * 64)
print("of the same text:", 100 * 32 * 32)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What is left to win?</summary>
#
# With half as many rows there are half as many scores. Half of these are still hidden, since they are between the two
# texts of a row.
#
# </details>
#
# ### Exercise 2
#
# Somebody gives the padding the number of the last text, instead of 0. What goes wrong?
#
# <details class="lesson-answer" markdown="1"><summary>What goes wrong</summary>
#
# The letters of the last text look at the padding, so in an encoder the last text of each row comes out wrong. In a
# causal machine the padding comes later and is hidden anyway. But if these numbers also say where the loss counts, the
# machine must learn to write padding.
#
# </details>
#
# <details class="lesson-more" markdown="1"><summary>How little padding can you reach?</summary>
#
# The [function of the guide](../guides/pack_a_stream.py#the-function) puts each text into the first of a few open rows
# that has room for it. It could also take the fullest of those, or look at the next ten texts before it chooses. Which
# leaves the least padding?
#
# </details>
#
# ## Check yourself
#
# Predict first, then press or type. The page knows the usual mistakes, and says which one it was.

# %% tags=["live", "remove-input"]
import exercises

exercises.show("packing")

# %% [markdown]
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
# ## Where to go next
#
# **Your machine so far:** half of [the whole Transformer](recap.py#put-together-by-hand), with most of what the
# machines of today are made of, and several texts in a row.
#
# In the [language model](language_model.py#how-surprised-is-it-by-hand), two layers were better than one. Is there
# anything that two layers can do together and a single one can't, unless it is enormously larger?
#
# * [A head that copies](induction.py): it looks for what came next the last time.
# * [Pack a stream of texts](../guides/pack_a_stream.py): a training on packed rows, with the losses of padded ones.
# * [Benchmarks](../about/benchmarks.py): packed rows against padded ones.
#
# Read on elsewhere: Brown and others (2020), [Language Models are Few-Shot Learners](https://arxiv.org/abs/2005.14165),
# appendix B; Krell and others (2021), [Efficient Sequence Packing without
# Cross-contamination](https://arxiv.org/abs/2107.02027); Grattafiori and others (2024), [The Llama 3 Herd of
# Models](https://arxiv.org/abs/2407.21783), section 3.2.
