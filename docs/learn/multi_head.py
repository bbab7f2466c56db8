# ---
# title: Multi-head attention
# description: When one look is not enough. Four heads on one date, in four colours, what a single average loses, what more heads are good for, and a tug of war that shows how one look can hold a whole date.
# ---

# %% [markdown]
# # When is one look not enough?
#
# Our machine looks at the text anew for each letter of its answer. What if it could look only once, and had to know the
# whole date from what comes back? We built this *one-look machine*, and trained it for 700 steps. (Ours had 1,000.)
# **Try "tuesday 19th of march 1968" and "4 march 2043", and then dates of your own, between 1950 and 2049, whose year
# ends in two different digits. What becomes of the year?**

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import matplotlib.pyplot as plt
import numpy as np
import trained
from clear_attention import create_date_pairs, date_tokenizers
from date_machine import comparison, machine, tabled
from live import coded, touch
from trained.ablations import shares
from trained.digits import digits_of

tokenizer, target = date_tokenizers()
texts, dates = create_date_pairs(2000, seed=1, split="test")
names = ["dates", "digits-1"]
called = {
    "dates": ("our machine", ""),
    "digits-1": ("the one-look machine", "with one look for the whole date"),
}
machine(
    *names,
    piece="beside",
    sibling="digits-1",
    text="4 march 2044",
    called=called,
    without=comparison(*names, called=called).replace(">right<", ">whole date<"),
)

# %% [markdown]
# **The one-look machine often writes the last digit of the year twice.** From "tuesday 19th of march 1968" it reads the
# year 1988, and from "4 march 2043" the year 2033. It reads only half of the unseen dates, and more than half of its
# mistakes are of this kind: the third digit of the year is lost, and the fourth stands there a second time. It is as if
# the machine knew both, and had lost which of them comes first.
#
# How can one look lose just that?

# %% tags=["remove-input"]
one, _ = trained.load("digits-1")
right = digits_of(dates)
by_one = np.argmax(one(tokenizer.encode(texts)), axis=-1)
agree = by_one == right
BLUE, ORANGE = "#0072b2", "#d55e00"
year, last = by_one[:, :4], right[:, [0, 1, 3, 3]]
wrong = ~agree[:, :4].all(axis=1)
last_twice = wrong & (year == last).all(axis=1)  # 1977 for 1967
steps = {"digits-1": 700, "digits-1-longer": 2100}
assert {name: trained.kept(name)[1]["steps"] for name in steps} == steps
assert round(100 * sum(shares("1 head")) / 3) == 50
assert last_twice.sum() > 0.5 * (~agree).any(axis=1).sum()
examples = [
    "tuesday 19th of march 1968",
    "4 march 2043",
    "montag, den 14. august 1967",
]
assert all(last_twice[texts.index(each)] for each in examples)

# %% [markdown]
# ## What one average can lose { #what-one-average-cannot-carry }
#
# Here is the one-look machine, to be read from below. In the encoder the letters look at each other, as in ours. Then a
# single query asks them all. It comes from no letter, but is a trained vector, the same for every text. One average of
# their values comes back, and from this one vector a matrix reads all eight digits:
#
# --8<-- "diagrams/one_look.svg"
#
# What can an average lose? Say the text holds a 3 and a 5, and both matter equally, so each gets half of the weight. We
# begin with the simplest values: the value of a digit is the digit itself, wherever it stands. Then "3 5" brings
# $0.5 \cdot 3 + 0.5 \cdot 5 = 4$, and "5 3" brings 4, too. **What one average loses so easily is the order.**
#
# What would help? A second question, with weights of its own, which brings a second average. Attention that asks several
# questions at once has several **heads**. Here are two of them, on three texts that are all the same to the first:
#
# --8<-- "diagrams/same_average.svg"
#
# **One head brings back one average, and different texts can have the same one. The second head tells them apart.**
# Alone it is fooled, too, but by others: "4 2" and "3 5" both bring it 3.5. Only "3 5" brings 4 to the first head *and*
# 3.5 to the second.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: are two averages always enough?</summary>
#
# The square holds all hundred texts of two digits. Coloured are those that a head takes for "3 5", because they bring
# the same average or nearly so, to within 0.1. **Change the weights: can you make the second head useless?**

# %% tags=["live", "hide-input"]
import re
from pathlib import Path

# The numbers of the drawing.
drawn = Path("../diagrams/same_average.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number"[^>]*>([\d.]+)<', drawn)
brought = [[0.5, 0.5], [0.75, 0.25]] @ np.array([[3, 4, 5], [5, 4, 3]])
np.testing.assert_allclose(np.array(drawn, float), brought.ravel())
hundred = np.stack(np.meshgrid(range(10), range(10)), axis=-1).reshape(-1, 2)
same = np.isclose(hundred @ [[0.5, 0.75], [0.5, 0.25]], [4, 3.5])
assert hundred[same.all(axis=1)].tolist() == [[3, 5]]
assert same[:, 0].sum() == 9
assert [4, 2] in hundred[same[:, 1]].tolist()
touch(
    "crossing",
    "<p>From “3 5” a head that gives half of its weight to each digit brings 4. So do eight other texts, from “0 8” to"
    " “8 0”. A second head with other weights brings a second number, and only “3 5” has both.</p>",
    text=[3, 5],
    first=0.5,
    second=0.75,
    both=True,
)

# %% [markdown]
# **One head draws a line through the square, and all texts on this line are the same to it. Two heads draw two lines,
# which cross in one place.** The more alike the weights of the two heads are, the less the second one tells.
#
# </details>
#
# ## Four heads on one date
#
# Our machine has had four heads all along: each time it looks, it asks four questions, and what they bring back is laid
# side by side. Here it is writing the 1 of the 19th. Head 4 looks at this 1, and head 1 is already at the 9. **Switch on
# heads 2 and 3, and press other letters of the answer. What does each head look at?**

# %% tags=["live", "hide-input"]
whole, _ = trained.load("dates")
given = tokenizer.encode(texts), target.encode(dates)[:, :-1]
looked = whole(given, return_weights=True).weights["decoder.0.cross"].numpy()
# (texts, heads, letters of the answer, letters of the text)
looked = looked[:, :, :10]
places = [
    texts.index(text)
    for text in ("tuesday 19th of march 1968", "29. august '87", "24.02.2034")
]
cells = [
    "".join(f"<td>{texts[places[0]][row.argmax()]}</td>" for row in head)
    for head in looked[places[0]]
]
rows = [
    f'<tr><th scope="row">head {i}</th>{row}</tr>' for i, row in enumerate(cells, 1)
]
head = "".join(f'<th scope="col">{sign}</th>' for sign in dates[places[0]])
touch(
    "four_looks",
    f"<table class='mask-report'><caption>{texts[places[0]]}: where each head looks most, for each letter of the answer"
    f"</caption><thead><tr><td></td>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>",
    dates=[
        {
            "text": texts[i],
            "answer": dates[i],
            "weights": [coded(each[:, : len(texts[i])]) for each in looked[i]],
        }
        for i in places
    ],
    now=0,
    letter=8,
    seen=[True, False, False, True],
)

# %% [markdown]
# **Different heads look at different letters.** Head 3 mostly stands on the letter that is being written. Head 1 runs
# ahead: when the first digit of the day is written, it already looks at the second, while head 4 stands on the first
# with head 3. Head 2 is harder to read.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: read its eyes</summary>
#
# If the heads have such habits, you should be able to tell from their looks which letter is being written. On these
# dates, which we chose, you can. **Which letter are they writing?**

# %% tags=["live", "hide-input"]
import re

# What the heads do while one letter of the answer is written: this letter's place in the answer, a part of the text,
# where in this part the letter stands (None: nowhere), what must hold for the letters at which the four heads look
# most, also counted from the part's beginning, and what to say.
YEAR, DAY, MONTH = r"\d\d\d\d$", r"(?<!\d)[1-3]\d(?!\d)", r"(?<=\d\.)\d\."
ALL = "All four heads stand on it."
LOOKS = {
    "Y": (3, YEAR, 3, lambda *at: at == (3, 3, 3, 3), ALL),
    "D": (9, DAY, 1, lambda *at: at == (1, 1, 1, 1), ALL),
    "M": (6, MONTH, 0, lambda *at: at == (0, 0, 0, 0), ALL),
    "d": (
        8,
        DAY,
        0,
        lambda a, b, c, d: (a, c, d) == (1, 0, 0) and b not in (0, 1),
        "Heads 3 and 4 stand on it. Head 1 is one letter ahead, and head 2 somewhere else.",
    ),
    "y": (
        0,
        YEAR,
        0,
        lambda a, b, c, d: (a, c) == (1, 0) and min(b, d) > 1,
        "Only head 3 stands on it. The others are ahead.",
    ),
    "'": (
        0,
        r"'\d\d$",
        None,
        lambda a, b, c, d: (a, c, d) == (1, 0, 1),
        "Nobody wrote the century. So head 3 looks at the apostrophe.",
    ),
    "3": (
        2,
        YEAR,
        2,
        lambda a, b, c, d: (a, b, c) == (2, 2, 2) and d != 2,
        "Three heads stand on it, and head 4 does not.",
    ),
    "-": (
        4,
        YEAR,
        None,
        lambda a, b, c, d: d == 3 and 3 not in (a, b, c),
        "Head 4 is still on the last digit of the year, and the others have left it.",
    ),
    "0": (
        5,
        MONTH,
        None,
        lambda a, b, c, d: (b, c) == (1, 0),
        "Nobody wrote this 0. Head 3 is on the month, and head 2 on the dot after it.",
    ),
}
most = looked.argmax(axis=-1)  # where each head looks most
rounds, played = [], set(places)
for kind in "YdDyM'3d-0D'dMY-3y0D":  # two games
    place, part, own, holds, why = LOOKS[kind]
    for i, text in enumerate(texts):
        hits = list(re.finditer(part, text))
        if i in played or len(hits) != 1 or len(text) > 22 or "/" in text:
            continue
        begin = hits[0].start()
        if holds(*(int(x) - begin for x in most[i, :, place])):
            break
    else:
        raise AssertionError(kind)
    played.add(i)
    own = -1 if own is None else begin + own
    assert own < 0 or text[own] == dates[i][place]
    rounds.append(
        {
            "text": text,
            "answer": dates[i],
            "place": place,
            "weights": coded(looked[i, :, place, : len(text)]),
            "own": own,
            "why": why,
        }
    )
eyed = [
    (
        one["text"],
        *(
            one["text"][row.argmax()]
            for row in looked[texts.index(one["text"]), :, one["place"]]
        ),
    )
    for one in rounds[:10]
]
touch(
    "eyes",
    tabled(("the text", "head 1", "head 2", "head 3", "head 4"), eyed),
    rounds=rounds,
    game=0,
    guesses=[],
    open=True,
)

# %% [markdown]
# Together the four heads give the letter away.
#
# </details>
#
# Does our machine need all four? Hardly. Trained as long with one head, it also reads over 99 of 100 dates, because it
# may look again for each letter. But the one-look machine may not. Does it need a second head, or would more training
# do?

# %% tags=["remove-input"]
days = [
    (i, text.find(date[8:]))
    for i, (text, date) in enumerate(zip(texts, dates, strict=True))
    if date[8] != "0" and text.count(date[8:]) == 1
]
# for the first digit of the day
found = np.array([most[i, :, 8] - place for i, place in days])
assert (found[:, 0] == 1).mean() > 0.7  # head 1 looks at the letter after it
assert (found[:, 2] == 0).mean() > 0.7  # and head 3 at it
assert (found[:, 3] == 0).mean() > 0.9  # with head 4
# and for its last digit
found = np.array([most[i, :, 9] - place for i, place in days])
assert (found[:, 2] == 1).mean() > 0.7
# and head 3, over all digits of a year that is written out
begins = [text.find(date[:4]) for text, date in zip(texts, dates, strict=True)]
on_it = [
    most[i, 2, :4] == begin + np.arange(4)
    for i, begin in enumerate(begins)
    if begin >= 0
]
assert np.mean(on_it) > 0.7
# as the page begins
first, after_it = most[places[0], [3, 0], 8]
assert texts[places[0]][first : after_it + 1] == "19"

# %% [markdown]
# ## A second head, or more training? { #the-same-machine-trained-for-longer }
#
# We trained the one-look machine with one, two, four and eight heads, for 350 to 2,100 steps. Each dot is one training,
# and a line joins the means:

# %% tags=["hide-input"] alt="Dates right against steps of training, from 350 to 2,100, a line each for one look with 1, 2, 4 and 8 heads. After 1,050 steps 1 head reads about 63 %, 2 heads 94 %, 4 heads 94 % and 8 heads 97 %. After 2,100 steps all read over 99 %."
lengths = [350, 700, 1050, 1400, 2100]
_, ax = plt.subplots(figsize=(5, 2.5), layout="constrained")
curves = {}
for heads, colour in zip(
    (1, 2, 4, 8), (ORANGE, "#cc79a7", "#009e73", BLUE), strict=True
):
    name = f"{heads} head{'s' * (heads > 1)}"
    found = [shares(name if n == 700 else f"{name}, {n} steps") for n in lengths]
    curves[heads] = np.array(found).mean(axis=1)
    ax.plot(lengths, curves[heads], "-", color=colour, label=name)
    ax.plot(lengths, found, "o", color=colour, alpha=0.4, markersize=4)
ax.set(ylim=(0, 1.03), xlabel="steps of training", ylabel="unseen dates right")
ax.set_xticks(lengths)
ax.xaxis.set_major_formatter("{x:,.0f}")
ax.yaxis.set_major_formatter("{x:.0%}")
ax.legend(frameon=False, loc="lower right")
ax.spines[["top", "right"]].set_visible(False)
plt.show()
assert [round(100 * curve[2]) for curve in curves.values()] == [63, 94, 94, 97]
assert round(100 * sum(shares("8 looks, 1 head")) / 3) == 99
assert round(100 * sum(shares("1 head, twice as wide")) / 3) == 80
eight, wide = type(one)(8), type(one)(1, d_model=128)
for each in (eight, wide):
    each.build()
assert eight.count_params() == one.count_params()  # heads cost no numbers
assert wide.count_params() > 3 * one.count_params()
assert round(100 * curves[8][1]) == 72
assert min(shares("one head")) > 0.99
assert (
    min(min(shares(f"{n} head{'s' * (n > 1)}, 2100 steps")) for n in (1, 2, 4, 8))
    > 0.99
)

# %% [markdown]
# After 1,050 steps the machine reads 63 of 100 dates with one head, and 94 with two. **Two heads learn it sooner than
# one.**
#
# But at the right end all lines meet above 99. **One head gets there, too, so one average can hold a whole date.** The
# order, which was lost after 700 steps, must be in this average now. So the question has turned round: how can one look
# be enough?
#
# ## How does a whole date fit into one average?
#
# Let us watch the machine with one head decide about one digit. The third digit of 1967 should be a 6, and its rival is
# the 7. The last matrix gives points to both, and who has more points is written. What comes back is a sum over all
# letters, so the points are a sum, too, and each letter brings its own. A letter with the weight 0.5 that gives 4
# points to the 6 and 1 point to the 7 pulls for the 6, with $0.5 \cdot (4 - 1) = 1.5$. All letters pull, as in a tug of
# war, and the stronger side wins.
#
# A machine that knows the order must pull for the 6 at the third digit, and for the 7 at the fourth. The weights are
# the same at both, because there is only one look. But the last matrix has other numbers for the fourth digit than for
# the third, so a letter can give other points there. **Press "fourth digit": who changes sides? Then press "2,100
# steps", and try again.**

# %% tags=["live", "hide-input"]
from clear_attention import create_padding_mask

longer, longer_record = trained.load("digits-1-longer")
assert longer_record["exact"] > 0.99


def look_of(model, texts):
    """Return the weights of the one look, what each letter brings, the last matrix, and what it starts from."""
    ids = tokenizer.encode(texts)
    vectors = model.source_positions(model.embed_source(ids) * 8.0)
    context = model.encoder(vectors, mask=create_padding_mask(ids))
    logits, weights = model(ids, return_weights=True)
    kernel, bias = model.attention.project_output.weights
    brought = (model.attention.project_values(context) @ kernel).numpy()
    last, start = (each.numpy() for each in model.project_logits.weights)
    weights, start = weights[:, 0, 0].numpy(), start + bias.numpy() @ last
    points = (weights[..., None] * brought).sum(axis=1) @ last + start
    np.testing.assert_allclose(points, np.reshape(logits, points.shape), atol=1e-3)
    return weights, brought, last.reshape(-1, 8, 10), np.reshape(start, (8, 10))


def teams_of(model, texts, years, rivals):
    """Return how the year's letters and all else pull, for the third digit and the fourth: (texts, 2, 5)."""
    weights, brought, last, start = look_of(model, texts)
    found = np.zeros((len(texts), 2, 5))
    for i, (text, year) in enumerate(zip(texts, years, strict=True)):
        for place in (2, 3):
            digit, rival = int(year[place]), int(rivals[i][place - 2])
            towards = last[:, place, digit] - last[:, place, rival]
            each = weights[i] * (brought[i] @ towards)
            begin = text.rfind(year)
            found[i, place - 2, :4] = each[begin : begin + 4]
            rest = each.sum() - each[begin : begin + 4].sum()
            found[i, place - 2, 4] = (
                rest + start[place, digit] - start[place, rival]
            )
    return found


pulled = [examples[2], *examples[:2]]
pulled += [examples[0][:-2] + "62", examples[0][:-2] + "72"]
years = [text[-4:] for text in pulled]
rivals = ["76", "86", "34", "76", "67"]  # of the third digit and of the fourth
teams = [teams_of(model, pulled, years, rivals) for model in (one, longer)]
shown = np.round(teams, 2)  # what is shown adds up
shown[..., 4] = np.round(np.sum(teams, axis=-1), 2) - shown[..., :4].sum(axis=-1)
read = [
    np.argmax(model(tokenizer.encode(pulled)), axis=-1)[:, :4]
    for model in (one, longer)
]
read = [["".join(map(str, digits)) for digits in found] for found in read]
assert read[0] == ["1977", "1988", "2033", "1962", "1972"]
assert read[1] == years
names = ("the 1", "the 9", "the 6", "the 7", "all others")
told = ", ".join(
    f"{who} with {abs(p):.2f} for the {6 if p > 0 else 7}"
    for who, p in zip(names, shown[0][0, 0], strict=True)
)
rope = [
    {"text": text, "year": year, "read": both}
    for text, year, both in zip(pulled, years, zip(*read, strict=True), strict=True)
]
touch(
    "pulling",
    f"<p>After 700 steps, at the third digit of 1967 pull {told}, and the machine writes {read[0][0]}. After 2,100 steps"
    f" all letters pull for the 6, and it writes {read[1][0]}.</p>",
    texts=rope,
    rivals=rivals,
    steps=["700", "2,100"],
    pulls=np.round(shown, 2).tolist(),
    now=0,
    digit=0,
    longer=0,
)

# %% [markdown]
# **After 2,100 steps all letters walk to the other side at the fourth digit, even the 6 and the 7.** (Together they
# pull about six times as hard, so the boxes are drawn smaller.) After 700 steps only the 9 does, and it is too weak to
# matter. The 6 pulls for the 6 and the 7 for the 7, whichever digit is asked, and these two nearly balance. The 1 and
# the others pull for the 7 both times, so the machine writes 1977.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: is it so in every date? And what does the 9 know?</summary>
#
# Not all walk in every date. In 2043 the others, "…", stay with the 4. So in over 1,300 unseen dates we watched the
# letter that is the third digit of the year, like the 6 of 1967. After 700 steps it changes sides in 7 of 100 dates,
# and after 2,100 in 98.
#
# Can what one letter brings tell both digits, and their order? Stay at 2,100 steps and at the third digit, and press
# 1962, then 1972. (No 7 stands in 1962, and no 6 in 1972. We only ask which way the 9 pulls.) The same 9 pulls for the
# 6, and then for the 7. But a 9 alone can't know what comes after it. It has heard that in the encoder, where each
# letter has looked at the others. Now press "700 steps", and both years again. The 9 seems to know both digits here,
# too. But what it brings hardly tells yet which of them is the third, and which the fourth.
#
# </details>
#
# How can what one letter brings tell both digits, and their order? Go back to "3 5". There each digit spoke only for
# itself. But if the 3 and the 5 have heard of each other, and of where the other stands, both can bring the whole text,
# as two numbers: $0.5 \cdot (3, 5) + 0.5 \cdot (3, 5) = (3, 5)$. From "5 3" comes $(5, 3)$, and the order is safe. An
# average of letters that all say the same loses nothing.
#
# So one look is not enough as long as the letters know too little of each other. **As long as each letter says only
# which digit it is, one look loses the order. Once the letters have told each other what stands beside them, one look
# can hold a whole date.** Then why do nearly all machines have several heads? They learn sooner, and need no more
# numbers, as the next lesson shows.

# %% tags=["remove-input"]
np.testing.assert_allclose(shown[0][0, 0], [-0.27, -0.08, 0.75, -0.79, -0.18])
np.testing.assert_allclose(shown[0][0, 0].sum(), -0.57)
assert shown[0][0, :, 1].max() < 0  # the 9, each time for the wrong one
assert shown[0][0, 1, [0, 1, 4]].sum() > 0  # for the 7, which is now the right one
changed = shown[0][0, 0] * shown[0][0, 1] > 0  # for the 6 and then for the 7
assert changed.tolist() == [False, True, False, False, False]
assert abs(shown[0][0, :, 1]).max() <= 0.2
assert teams[1][0].min() > 0  # all on one side, and then on the other
harder = np.abs(teams[1][0]).sum(axis=1) / np.abs(teams[0][0]).sum(axis=1)
assert sorted(harder.round()) == [6, 7]
assert teams[1][2, 0, 4] > 0 > teams[1][2, 1, 4]  # the others, for the 4 of 2043
assert teams[1][2, :, :4].min() > 0
nines = [found[3:, 0, 1].round(2).tolist() for found in shown]  # 1962 and 1972
assert min(np.ravel(nines)) > 0  # for the 6, and for the 7
# years that stand in the text once: does their third digit change sides?
watched = [
    (text, date[:4], date[3] + date[2])
    for text, date in zip(texts, dates, strict=True)
    if text.count(date[:4]) == 1 and date[2] != date[3]
]
assert len(watched) > 1300
for model, of_100 in ((one, 7), (longer, 98)):
    sides = teams_of(model, *zip(*watched, strict=True))[:, :, 2] > 0
    assert round(100 * np.mean(sides[:, 0] == sides[:, 1])) == of_100
np.testing.assert_array_equal([0.5, 0.5] @ np.array([[3, 5], [3, 5]]), [3, 5])

# %% [markdown]
# ## Who found this, and when
#
# Lin and others tried several looks side by side early in 2017, and soon the Transformer of Vaswani and others made
# them the rule. Two years later Michel, Levy and Neubig switched off heads of a trained model. A fifth of them could go
# without noticeable harm.
#
# ## Exercises
#
# ### Exercise 1
#
# In [the date machine](../machine.py), under "Take it apart", switch off head 1 of "answer looks at text". Then choose
# the machine that was *trained* with one head. Why is it worse to lose a head than never to have had it?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Without head 1 in the look at the text, our machine reads only about 58 of 100 dates. A machine that was trained with
# one head reads 96 after 500 steps. After 1,000 steps, as many as ours had, it reads over 99. The four heads were
# trained together, and the matrix after them expects them all. So a head that is switched off leaves a hole. A machine
# that never had it has learnt to do without.

# %% tags=["hide-input"]
from clear_attention import greedy_search

without, _ = trained.load("dates")
mixed = without.decoder.layers[0].cross_attention.attention.project_output
kernel, bias = mixed.get_weights()
kernel[:16] = 0  # what head 1 brings is lost
mixed.set_weights([kernel, bias])
some = tokenizer.encode(texts[:500], length=34)
written = target.decode(greedy_search(without, some, max_length=11))
left = np.mean([a == b for a, b in zip(written, dates, strict=False)])
alone = trained.kept("dates-one-head")[2]["exact"]
print(f"without head 1: {left:.0%}, trained with one head: {alone:.0%}")
assert abs(left - 0.58) < 0.01
assert round(100 * alone) == 96
assert trained.kept("dates-one-head")[2]["steps"][-1] == 500
assert trained.kept("dates")[2]["steps"][-1] == 1000

# %% [markdown]
# </details>
#
# ### Exercise 2
#
# In a tug of war three letters pull for a 6 or for a 7. Below are their weights, and the points that they give to both.
# Write `pulls` in one line of NumPy: how hard does each letter pull for the 6, with a minus if it pulls for the 7? Who
# wins?

# %%
import numpy as np

weights = np.array([0.5, 0.3, 0.2])  # (letters,)
points = np.array([[4.0, 1.0], [1.0, 2.0], [0.0, 5.0]])  # (letters, 2): of 6, of 7


# %% tags=["answer"]
def pulls(weights, points):
    return weights * (points[:, 0] - points[:, 1])


found = pulls(weights, points)
print(found, "together", found.sum().round(2))
np.testing.assert_allclose(found, [1.5, -0.3, -1])

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Who wins?</summary>
#
# The 6 wins, by 0.2. Only the first letter pulls for it, but with 1.5. The other two pull for the 7, with 0.3 and 1.
#
# </details>

# %% [markdown]
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("multi_head")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? The value of each digit is the digit itself, and a head gives 0.8 to the first and 0.2 to the second. From "3 8" it brings 4. Which text can it not tell from "3 8"?
# + 4 4 | 0.8 · 4 + 0.2 · 4 = 4, and 0.8 · 3 + 0.2 · 8 = 4, too.
# - 8 3 | 0.8 · 8 + 0.2 · 3 = 7. With unequal weights the order counts.
# - 5 6 | 0.8 · 5 + 0.2 · 6 = 5.2. It would bring the same only with equal weights.
# ? After a long training the 9 of 1962 pulls for a 6 in the third place, and the 9 of 1972 for a 7. How can the same letter pull for different digits?
# - The last matrix knows which year it is. | It is the same matrix for all texts. What differs is what the letter brings.
# + In the encoder the 9 has looked at the letter after it. | So what it brings tells of its neighbour, too.
# - It has another weight in the two texts. | A weight makes a pull stronger or weaker, but never turns it round.
# ? After a short training one look with eight heads reads more dates than one look with one head. What does that prove?
# - One average can't carry a date. | Trained three times as long, one look with one head reads over 99 of 100.
# + That eight heads learn it sooner. | In the end both read nearly all dates.
# - Eight digits need eight heads. | After a longer training a single head reads them all, too.
# ```
#
# </details>
#
# ## Where to go next
#
# With two heads the drawing of attention has two maps of weights, and queries, keys and values are in two pieces:

# %% tags=["live", "remove-input"]
from drawing import attention_drawn

attention_drawn("multi_head")

# %% [markdown]
# Four heads have exactly as many numbers to train as one head has. How can that be?
#
# * [How heads share the numbers](split_heads.py): the cut, the formula, and your own heads.
#
# Read on elsewhere: Lin and others (2017), [A Structured Self-attentive Sentence
# Embedding](https://arxiv.org/abs/1703.03130); Michel, Levy and Neubig (2019), [Are Sixteen Heads Really Better than
# One?](https://arxiv.org/abs/1905.10650); Liu, Liu and Han (2021), [Multi-head or Single-head? An Empirical Comparison
# for Transformer Training](https://arxiv.org/abs/2106.09650).
