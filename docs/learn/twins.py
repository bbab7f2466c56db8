# ---
# title: What training finds
# description: Machines that were trained to do what a written program does. One looks hardly farther than a shortcut, one needs the places that our program needs, and one works in another way.
# ---

# %% [markdown]
# # Would training have written the same heads?
#
# You have written heads that [count](programs.py) and heads that [sort](sorting.py), and you know why they are right.
# Training knows no reasons. It only changes its numbers until the answers fit. Does it end up with the program that you
# would have written?
#
# For each of our [eight programs](../reference/programs.md) we made a *twin*: a machine with the same parts, trained to
# give the program's answers. Here are four sums of the program that adds numbers up to 4,999, and of its twin. The twin
# gets the last three wrong. We chose three of one kind. (Both get a sum as nine tokens, with the lowest digits first:
# 270 + 739 is `^ 0720 9370`.)

# %% tags=["hide-input"]
import sys

import numpy as np

# The twins are in the repository and not in the package, so this page needs a clone.
sys.path += ["../_site", "../.."]
import trained
from trained.ablations import shares as shares_of
from trained.programs import BATCH, TASKS, all_inputs, answers_of, tokens_of

twin, record = trained.load("twin-addition")
program = TASKS["addition"].make()


def sums(logits):
    """Read each sum twice, as the first number says it and as the second: digits, of which the lowest comes first."""
    said = np.argmax(logits, axis=-1)
    return np.stack([said[:, 1:5], said[:, 5:9]], axis=1) @ [1, 10, 100, 1000]


def by_column(pairs):
    """Add the digits of each column, the lowest column first."""
    return (pairs[..., None] // 10 ** np.arange(4) % 10).sum(axis=1)


def shortcut(columns):
    """Return the digits that a shortcut says, of which more below."""
    lower = np.pad(columns[:, :3] > 9, [(0, 0), (1, 0)])
    return (columns + lower) % 10


pairs = all_inputs("addition")  # 5,000 of them, drawn at random
tokens, mask = tokens_of("addition", pairs)
learnt, written = sums(twin(tokens)), sums(program(tokens, mask=mask))
true = pairs.sum(axis=1)
right = [(said == true[:, None]).all(axis=1) for said in (written, learnt)]
columns = by_column(pairs)
shortly = shortcut(columns) @ 10 ** np.arange(4)
nine = (columns[:, 1:3] == 9).any(axis=1)
typical = nine & ~right[1] & (learnt == shortly[:, None]).all(axis=1)
print(f"{'':14} {'program':>8} {'twin':>8}")
for i in (np.flatnonzero(right[1])[0], *np.flatnonzero(typical)[:3]):
    a, b = pairs[i]
    print(f"{f'{a} + {b}':14} {true[i]:8} {learnt[i, 0]:8}")
right = [share.mean() for share in right]
print(f"right of 5,000 {right[0]:8.0%} {right[1]:8.0%}")
named, _ = tokens_of("addition", np.array([[270, 739], [297, 303]]))
assert sums(twin(named)).tolist() == [[9, 9], [500, 500]]
assert right[1] < 1 == right[0]
assert len(TASKS) == 8
assert round(BATCH * TASKS["addition"].steps, -4) == 90_000
nine_tokens = np.argmax(named[0], axis=-1)
assert nine_tokens.tolist() == [10, 0, 7, 2, 0, 9, 3, 7, 0]
assert abs(record["texts"] - 0.91) < 0.03

# %% [markdown]
# **The trained twin gets nine of ten sums right, and it says that 270 + 739 is 9.** If you know how to add, you don't
# miss by a thousand. So what has the twin learnt?
#
# **Change both hundreds, the 2 and the 7, and find three more sums that the twin gets wrong. What do your hundreds have
# in common?** (Few pairs fail. If you find none, look at what 2 and 7 make together.)

# %% tags=["live", "remove-input"]
from live import touch
from machine_files import twin as weights_of

hundreds = np.stack(np.meshgrid(range(10), range(10)), axis=-1).reshape(-1, 2)
its_pairs = 100 * hundreds + [70, 39]
its_sums = sums(twin(tokens_of("addition", its_pairs)[0]))
wrong = (its_sums != its_pairs.sum(axis=1, keepdims=True)).any(axis=1)
assert sorted(hundreds[wrong].sum(axis=1)) == [0, *[9] * 6]
touch(
    "adding",
    "<p>270 + 739 is 1009, and the twin says 9.</p>",
    a=270,
    b=739,
    model=weights_of("twin-addition"),
    given="270 + 739",
    found=[],
    drawn=None,
)

# %% [markdown]
# **In most of your sums the hundreds add up to 9**, as 2 and 7 do. (Not every such pair fails.) What could be so hard
# about a 9?
#
# ## Where does a carry come from?
#
# Add 297 and 303 on paper. The lowest column makes 10, so you carry a 1. The next column has 9 and 0, and with this 1
# it makes 10 as well, so you carry a 1 again. **A column with the sum 9 only hands on what it gets.** So our program,
# which no lesson has built, looks past it:
#
# 1. The first head brings the two digits of a column together, and a network notes their sum, here 5, 9 and 10.
# 2. The second head looks for the nearest lower column whose sum is *not* 9.
# 3. If the column that it finds has 10 or more, a 1 comes, and otherwise none.
# 4. A second network adds this 1, and says the digit.
#
# And the twin? To 297 + 303 it says 500, and right is 600. Here it has lost the 1 that comes through the 9, as with 270
# + 739. It does not always lose it. But of 100 columns left of a 9 it gets only 73 right, and of 100 other columns 99.
# **In six of ten wrong sums a digit is wrong left of a column with the sum 9.** Either a 1 comes through the 9 and is
# lost, or none comes and the twin adds a 1 that isn't there. The other mistakes we cannot explain.
#
# <details class="lesson-more" markdown="1"><summary>For the curious: all its wrong sums, by what goes wrong</summary>
#
# Of the 5,000 sums, these are the wrong ones. (The twin says each sum twice, once for each number, and the sum counts as
# right only if both are.)

# %% tags=["hide-input"]
digits = true[:, None] // 10 ** np.arange(4) % 10
off = (learnt[..., None] // 10 ** np.arange(4) % 10 != digits[:, None]).any(axis=1)
left = np.pad(columns[:, 1:3] == 9, [(0, 0), (2, 0)])  # of a 9 in column 2 or 3
comes = digits != columns % 10
lost = (off & left & comes).any(axis=1)
added = (off & left & ~comes).any(axis=1) & ~lost
others = off.any(axis=1) & ~lost & ~added
for what, which in {
    "a 1 comes through a 9, and is lost": lost,
    "no 1 comes through a 9, and one is added": added,
    "only elsewhere": others,
    "together": off.any(axis=1),
}.items():
    print(f"{what:42} {which.sum():3}")
assert lost[list(np.flatnonzero(typical)[:3])].all()  # the chosen ones
assert abs((lost | added).sum() / off.any(axis=1).sum() - 0.62) < 0.02
assert not (off[:, 0] | (learnt > 9999).any(axis=1)).any()

# %% [markdown]
# The 9 is in column 2 or 3, counted from the right, because nothing comes into column 1, and column 4 hands on to
# nobody.
#
# </details>
#
# Does the twin look past a 9, too? In the program the second head does that. The twin's second head gives over 90 % of
# its weight to its own column, so if the twin looks at lower columns at all, its *first* head does. (It also brings the
# two digits of a column together, so it must share its weight.) Here is where it looks, from the two highest columns:

# %% tags=["hide-input"] alt="Two rows of four boxes, for the columns 4, 3, 2 and 1. Arcs show where head 1 of the twin looks, as an average, and a disc is a look at itself; what is missing to 100 percent goes mostly to the sign ^. Column 4 gives 66 percent to itself, 25 percent to column 3, 2 percent to column 2 and 1 percent to column 1. Column 3 gives 74 percent to itself, 17 percent to column 2 and 1 percent to column 1. The arcs to the columns farther down are as thin as a hair."
import matplotlib.pyplot as plt

pairs = np.random.default_rng(5).integers(0, 5000, size=(20000, 2))
tokens, mask = tokens_of("addition", pairs)
logits, maps = twin(tokens, return_weights=True)
columns = np.array([-1, *range(4), *range(4)])  # of each token; ^ stands in none
is_digit = columns >= 0
farther = (columns[:, None] - columns > 1) & is_digit  # than the next lower column
means = [weights.numpy()[:, 0].mean(axis=0) for weights in maps]


def looks(head, start):
    """Return what the digits of one column give to each column, as an average."""
    rows = means[head][columns == start].mean(axis=0)
    return np.array([rows[columns == column].sum() for column in range(4)])


figure, axes = plt.subplots(2, 1, figsize=(4.8, 3.9), layout="constrained")
for ax, start in zip(axes, (3, 2), strict=True):
    for column, share in enumerate(looks(0, start)):
        x = 3 - column  # the lowest column stands on the right
        face = "#cfe3f1" if column == start else "none"
        box = plt.Rectangle(
            (x - 0.32, 0), 0.64, 0.6, facecolor=face, edgecolor="0.4"
        )
        ax.add_patch(box)
        ax.text(x, 0.3, f"column {column + 1}", size=9, ha="center", va="center")
        if column > start:
            continue
        far = start - column
        colour = "#d55e00" if far > 1 else "#0072b2"
        if far == 0:  # a disc is a look at itself
            ax.plot(x - 0.16, 0.9, "o", ms=20 * share, color=colour, mew=0)
        t = np.linspace(0, np.pi, 50)
        middle, wide = (x + 3 - start) / 2, far / 2
        high = (0.75 + 0.35 * far) * (far > 0)
        ax.plot(
            middle - wide * np.cos(t),
            0.64 + high * np.sin(t),
            color=colour,
            lw=max(14 * share, 0.4) * (far > 0),
        )
        side, align = (-0.3, "right") if column == start else (0.07, "left")
        ax.text(x + side, 0.82, f"{share:.0%}", color=colour, ha=align)
    ax.set(xlim=(-0.7, 3.5), ylim=(-0.05, 2.8 if start == 3 else 2.5))
    ax.set_axis_off()
figure.supxlabel(
    "disc: a look at its own column · the rest of the weight goes mostly to ^",
    size=9,
)
plt.show()
assert [round(100 * x) for x in looks(0, 3)[::-1]] == [66, 25, 2, 1]
assert [round(100 * x) for x in looks(0, 2)[2::-1]] == [74, 17, 1]
for start in (3, 2):
    to_begin = means[0][columns == start][:, 0].mean()
    assert to_begin > 0.75 * (1 - looks(0, start)[: start + 1].sum())
assert [round(100 * looks(0, top)[: top - 1].sum()) for top in (3, 2)] == [3, 1]
assert min(looks(1, start)[start] for start in (1, 2, 3)) > 0.9
far = [(mean * farther).sum(axis=1)[columns > 1] for mean in means]
assert np.max(far) < 0.05
sums_below = by_column(pairs)
for start in (3, 2):  # the same, if the next lower column has the sum 9
    nine_below = sums_below[:, start - 1] == 9
    rows = maps[0].numpy()[nine_below, 0][:, columns == start].mean(axis=(0, 1))
    for column in range(4):
        there = rows[columns == column].sum()
        assert abs(there - looks(0, start)[column]) < 0.01

# %% [markdown]
# **The twin hardly looks farther down than the next column,** not even if that has the sum 9. (With a 9 there, these
# weights are as in the picture, to within 1 %.) So it could take a **shortcut**: add a 1 if the *next* lower column has
# the sum 10 or more, and otherwise none. Where a 1 should pass through a 9, the shortcut loses it:
#
# --8<-- "diagrams/carry.svg"
#
# ## Is the shortcut all that it knows?
#
# The shortcut explains the lost 1s, but it can't be all. Of 100 columns left of a 9, 52 get no 1. The shortcut never
# adds a 1 there, so it gets just these 52 right. The twin gets 73. Does the twin look farther down after all? In the
# picture the farther columns get 3 % of the weight from column 4 and 1 % from column 3, by arcs as thin as a hair. Can
# so little matter? We hide the farther columns from both heads with a mask. Of 100 columns left of a 9, how many will
# the twin still get right?

# %% tags=["hide-input"]
added = by_column(pairs)
nines = added == 9
comes = (pairs[..., None] % 10 ** np.arange(4)).sum(axis=1) >= 10 ** np.arange(4)
left_of_nine = np.pad(nines[:, 1:3], [(0, 0), (2, 0)])


def run(model, tokens, *masks):
    """Let a twin answer, with a mask for each of its heads."""
    x, masks = model.widen(tokens), iter(masks)
    for step in model.steps:
        if hasattr(step, "project_queries"):
            x = x + step(x, mask=next(masks), causal=model.causal)
        else:
            x = x + step(x)
    return model.project_logits(x)


def both_right(answers):
    """Tell for each column whether both of its digits are those of the sum."""
    said = np.argmax(answers, axis=-1)
    return (said[:, 1:5] == true) & (said[:, 5:9] == true)


def added_one(answers):
    """Tell for each column in how many of its two digits a 1 was added: none, half or all."""
    said = np.argmax(answers, axis=-1)
    halves = np.stack([said[:, 1:5], said[:, 5:9]])
    return (halves == (added + 1) % 10).mean(axis=0)


true = pairs.sum(axis=1)[:, None] // 10 ** np.arange(4) % 10
far_hidden = farther.astype("float32")
blinded = run(twin, tokens, far_hidden, far_hidden)
right = {
    "the twin": both_right(logits),
    "the shortcut": shortcut(added) == true,
    "far hidden": both_right(blinded),
}
twin_, short, hidden = [which[left_of_nine].mean() for which in right.values()]

# %% tags=["live", "remove-input"]
from live import bet

bet(
    "twins/left-of-a-nine",
    [
        (
            "the twin, farther columns hidden",
            round(100 * float(hidden), 1),
            "The shortcut is left to it, and that gets about half.",
            "What lay farther down had hardly any weight. And yet it was just what lifted the twin above the shortcut.",
        ),
    ],
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What was measured</summary>
#
# First come three sums in which a 1 passes through a 9, chosen from those that the twin gets right. Below them are all
# columns left of a 9 in 20,000 random pairs: how many of them are right, and how many where a 1 comes, and where none
# does.

# %% tags=["hide-input"]
some = np.array([[149, 2058], [1689, 3361], [4837, 1180]])
its_tokens, _ = tokens_of("addition", some)
said = sums(twin(its_tokens))
blind = sums(run(twin, its_tokens, far_hidden, far_hidden))
print(f"{'':17} {'twin':>6} {'far hidden':>11}")
for (a, b), one, other in zip(some, said, blind, strict=True):
    print(f"{a:4} + {b:4}       {one[0]:6} {other[0]:11}")
answers_right = [right["the twin"], right["far hidden"]]
shares = {
    words: [each[which].mean() for each in answers_right]
    for words, which in {
        "left of a 9": left_of_nine,
        "a 1 comes": left_of_nine & comes,
        "no 1 comes": left_of_nine & ~comes,
    }.items()
}
for words, (seeing, blind_) in shares.items():
    print(f"{words:17} {seeing:6.0%} {blind_:11.0%}")
adds = [  # to how many digits, where a 1 comes and where none does
    [
        added_one(answers)[left_of_nine & which].mean()
        for answers in (logits, blinded)
    ]
    for which in (comes, ~comes)
]
np.testing.assert_allclose(adds, [[0.75, 0.33], [0.16, 0.24]], atol=0.03)
assert (said == some.sum(axis=1)[:, None]).all()
assert (blind == some.sum(axis=1)[:, None] - [[100], [1000], [1000]]).all()
assert [round(100 * share) for share in (twin_, short, hidden)] == [73, 52, 49]
assert shares["left of a 9"] == [twin_, hidden]
assert shares["a 1 comes"][1] < 0.3
passes = comes[:, 1:3] & nines[:, 1:3]
assert np.array_equal(  # the shortcut fails just where a 1 comes through
    ~right["the shortcut"], np.pad(passes, [(0, 0), (2, 0)])
)
elsewhere = ~left_of_nine
elsewhere[:, 0] = False  # nothing comes to the lowest column
assert round(100 * right["the twin"][~left_of_nine].mean()) == 99
assert right["far hidden"][elsewhere].mean() > right["the twin"][elsewhere].mean()
whole, passing = right["the twin"].all(axis=1), passes.any(axis=1)
assert abs(passing.mean() - 0.09) < 0.005
assert abs(whole.mean() - 0.91) < 0.005
assert passing[~whole].mean() < 0.4
assert abs(whole[passing].mean() - 0.65) < 0.005
beside = np.hstack([np.zeros((len(pairs), 1), bool), left_of_nine, left_of_nine])
far_there = [  # as little as on average
    (w.numpy()[:, 0] * farther).sum(axis=2)[beside].mean() for w in maps
]
assert abs(far_there[0] - 0.02) < 0.005 > far_there[1]

# %% [markdown]
# </details>
#
# Without these hairs the twin gets only 49 of 100 columns right, no more than the shortcut with its 52. In all the
# other columns the mask does no harm. Where a 1 comes, the twin mostly loses it. Where none comes, it more often adds
# one wrongly than before. So it can hardly tell any longer whether a 1 comes. **An arc as thin as a hair can decide
# whether an answer is right.**
#
# So would training have written our program? This one, trained on about 90,000 sums, has not. It has found something
# like the shortcut, and a faint look beyond it. With ten times as many sums, two of three twins answered nearly as well
# as the program, as the second fold below shows.
#
# The answers told us how often the twin is wrong, and the map where it mostly looks. What it needs came out only when
# we took it away.
#
# Other machines have found stranger ways to add. In 2023 Neel Nanda and others took apart a small Transformer that had
# learnt to add as one adds hours on a clock. It has no digits and no carry. It turns the numbers into angles, and adds
# those.
#
# <details class="lesson-more" markdown="1" id="does-head-1-only-average"><summary>For the curious: a twin that sorts, and answers as its program does</summary>
#
# Do all twins take shortcuts? The twin of `sort` gets all 9,840 texts right, as the program does. So let us lay their
# first heads side by side. You know the head of the program: it counts how many letters are smaller.

# %% tags=["hide-input"] alt="Two maps of weights for the first head of sort on ^cabacb. The written head has darker cells in the columns of ^ and of smaller letters. The twin's head has nearly the same colour everywhere, except in the row of place 1, which is marked."
from clear_attention import plot_weights

names = ("induction", "sort", "histogram", "reverse")
twins = {name: trained.load(f"twin-{name}") for name in names}

text = "^cabacb"
n = len(text)
tokens, mask = tokens_of("sort", [text])
maps = {
    "written": TASKS["sort"].make()(tokens, mask=mask, return_weights=True).weights,
    "trained": twins["sort"][0](tokens, return_weights=True)[1],
}
maps = {kind: np.asarray(found[0])[0, 0, :n, :n] for kind, found in maps.items()}
_, axes = plt.subplots(1, 2, figsize=(5.2, 2.7), layout="constrained")
for ax, (kind, found) in zip(axes, maps.items(), strict=True):
    shown = found.round(6)
    plot_weights(shown, [*text], [*text], ax=ax, colour_bar=False)
    for cell, weight in zip(ax.texts, shown.ravel(), strict=True):
        number = f"{weight:.2f}".lstrip("0") if weight < 0.995 else "1"
        cell.set_text(number if weight >= 0.005 else "")
        cell.set_color("white" if weight > 0.5 else "black")
    ax.collections[0].set(cmap="Blues", edgecolor="0.85")
    ax.set_title(f"head 1, {kind}")
frame = {"fill": False, "edgecolor": "#d55e00", "linewidth": 2}
axes[1].add_patch(plt.Rectangle((0, 1), n, 1, clip_on=False, zorder=3, **frame))
plt.show()
assert twins["sort"][1]["texts"] == 1
pale = np.delete(maps["trained"], 1, axis=0)
assert (pale.min().round(2), pale.max().round(2)) == (0.09, 0.19)
assert maps["trained"][1, 2] + maps["trained"][1, 4] > 0.7

# %% [markdown]
# **Outside the marked row all weights lie between 0.09 and 0.19,** where even ones would be 1/7, or 0.14. So these rows
# seem to take little more than the average of the text. One can build a program on that, too, because the average says
# how much of the text is a, b and c.
#
# If the head does no more than that, we lose little when we make it *even*: we set its queries to 0, so that all
# letters get exactly the same weight. Then 81 of 100 texts stay right. Here are four that the twin now gets wrong.
# Which letter is lost in each?


# %% tags=["live", "remove-input"]
def what_it_says(name, even=None):
    """Letters that a twin says with one head's weights made even, the right ones, and those that it was asked for."""
    model, inputs = twins[name][0], all_inputs(name)
    heads = [step for step in model.steps if hasattr(step, "project_queries")]
    kept = None if even is None else heads[even].project_queries.get_weights()
    if kept:
        heads[even].project_queries.set_weights([0 * w for w in kept])
    tokens, mask = tokens_of(name, inputs)
    answers = answers_of(name, tokens, mask)
    asked = answers.sum(axis=-1) > 0.5
    said = model(tokens).numpy().argmax(axis=-1)
    if kept:
        heads[even].project_queries.set_weights(kept)
    return said, answers.argmax(axis=-1), asked


def texts_right(name, even=None):
    """Share of texts that come out right."""
    said, right, asked = what_it_says(name, even)
    return np.mean(((said == right) | ~asked).all(axis=1))


without_choice = texts_right("sort", 0)

# %% tags=["hide-input"]
said, answer, asked = what_it_says("sort", even=0)
wrong = (said != answer) & asked
lost = wrong.any(axis=1)
inputs = all_inputs("sort")
for text in ("^bca", "^acb", "^bbac", "^cabcb"):
    i = list(inputs).index(text)
    print(text[1:], "comes out as", "".join("^abc"[n] for n in said[i][asked[i]]))
    assert lost[i]
alone = np.array([text.count(min(text[1:])) == 1 for text in inputs])
assert wrong[lost, 1].mean() > 0.8
assert lost[alone].mean() > 0.8 > 0.1 > lost[~alone].mean()
assert texts_right("sort") == 1
assert abs(without_choice - 0.81) < 0.02  # as the text says

# %% [markdown]
# It is the a, the smallest letter, where there is only one of it. Now look at the marked row of the map: place 1, which
# must say the smallest letter, gives most of its weight to the two a's. So the head mostly averages, but this one place
# looks out for its letter.
#
# **Two machines can give the same answers and work in different ways.**
#
# </details>
#
# <details class="lesson-more" markdown="1" id="a-twin-that-found-our-two-steps"><summary>For the curious: a twin that copies, and more time to add</summary>
#
# The program `induction` copies: if a letter has stood in the text before, it says what came next. Its twin copies all
# texts, too. Does it look at the same places? We hide a place from one of its heads, and count the texts that it still
# copies:

# %% tags=["hide-input"]
assert twins["induction"][1]["texts"] == 1


def copied_without(*hidden):
    """Share of texts that the twin copies rightly, with masks that hide keys from its heads, a mask for each."""
    masks = [np.maximum(padding, which) for which in hidden]
    said = run(twins["induction"][0], every, *masks).numpy().argmax(axis=-1)
    return np.mean(((said == to_copy) | ~asked).all(axis=1))


every, every_mask = tokens_of("induction", all_inputs("induction"))
padding = np.all(every == 0, axis=-1)[:, None, None].astype("float32")
to_copy = answers_of("induction", every, every_mask)
asked, to_copy = to_copy.sum(axis=-1) > 0.5, to_copy.argmax(axis=-1)
place = np.arange(every.shape[1])
back = place[:, None] - place
ours = np.asarray(
    TASKS["induction"]
    .make()(every, mask=every_mask, return_weights=True)
    .weights[1]
)
found = (ours > 0.9).astype("float32")  # where our second head looks,
found[..., 0] = 0  # if the letter has stood before
next_to_it = np.roll(found, 1, axis=-1)
kept = {
    "head 1, the place before": copied_without(back == 1, 0),
    "head 1, two places before": copied_without(back == 2, 0),
    "head 2, where ours looks": copied_without(0, found),
    "head 2, one place further": copied_without(0, next_to_it),
}
for hides, share in kept.items():
    print(f"{hides + ':':28} {share:4.0%}")
assert copied_without(0, 0) == 1
assert [round(100 * share) for share in kept.values()] == [0, 76, 0, 100]

# %% [markdown]
# **Without the places where our two heads look, the twin copies hardly any text.** So this twin needs the two places
# that our program uses, and in some texts one more.
#
# And the twin that adds: would it need better examples, or just more time? We trained nine new ones. Three were trained
# as before. Three got as many sums, but half of these were made so that a column has the sum 9. And three got ten times
# as many sums. Each dot is one twin, and shows how many of 100 columns left of a 9 it gets right:

# %% tags=["hide-input"] alt="Three rows of three dots, one for each twin. As before: 72, 80 and 84 of 100 columns. With more 9s: all three at 91. With ten times as many sums: two at nearly 100, and one at 84."
kinds = {
    "as before": "adds",
    "with more 9s": "adds, more 9s",
    "ten times as many sums": "adds, ten times as many sums",
}
_, ax = plt.subplots(figsize=(5.2, 1.5), layout="constrained")
for y, name in enumerate(kinds.values()):
    ax.scatter(100 * np.array(shares_of(name)), [y] * 3, 60, "#0072b2", alpha=0.7)
ax.set(xlim=(50, 101.5), ylim=(2.5, -0.5), xlabel="of 100 columns left of a 9")
ax.set_yticks(range(3), kinds)
ax.tick_params(axis="y", length=0)
ax.grid(axis="x", color="#808080", alpha=0.3)
ax.spines[["top", "right", "left"]].set_visible(False)
plt.show()
before, nines, longer = (
    shares_of(f"adds{how}") for how in ("", ", more 9s", ", ten times as many sums")
)
rounded = [
    sorted(round(100 * x) for x in found) for found in (before, nines, longer)
]
assert rounded == [[72, 80, 84], [91, 91, 91], [84, 100, 100]]

# %% [markdown]
# More 9s helped all three. With ten times as many sums, two twins come close to the program, but the third is no better
# than the best of those that were trained as before.
#
# </details>
#
# ## Exercises
#
# ### Exercise 1
#
# Make a head *even*: set its queries to 0, so that all letters get exactly the same weight. The program `histogram`
# says for each letter how often it stands in the text, and counts with a single head, by the share of `^`. How many of
# the 9,840 texts will its twin still get right without this choice? Then ask the twin of `reverse`, which turns a text
# around and has two heads.

# %% tags=["answer"]
for name, heads in (("histogram", 1), ("reverse", 2)):
    shares = [texts_right(name, even) for even in range(heads)]
    print(
        name, ", ".join(f"head {i} even {s:.0%}" for i, s in enumerate(shares, 1))
    )
    assert max(shares) < 0.05
assert twins["histogram"][1]["alike"][0] > 0.7
first, second = twins["reverse"][1]["alike"]
assert second > 0.8 > 0.25 > first

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# Nearly all texts are lost, whichever of the three heads is made even. So these twins need to choose where they look.
# The head of `histogram` and the second head of `reverse` choose much as ours do. The first head of `reverse` looks
# elsewhere than ours, and we do not know what for.
#
# </details>
#
# ### Exercise 2
#
# In about how many of 100 random pairs of numbers up to 4,999 does a 1 pass through a column with the sum 9? Two digits
# add up to 9 in 10 of 100 cases, and to 10 or more in 45. The highest column hands on to nobody. Then press "Draw 1,000
# random pairs" in the first piece. Are these the pairs that the twin gets wrong?
#
# <details class="lesson-answer" markdown="1"><summary>An answer</summary>
#
# Call the columns 1 to 4 from the right. Of 100 pairs, column 1 carries a 1 in 45, and column 2 has the sum 9 in ten.
# Both happen in 4.5. For column 3 it is 4.95, because column 2 carries a 1 in 49.5 of 100: it may also have got one
# itself. Together that is 9.45. But in 45 / 10 / 10 = 0.45 of 100 pairs a 1 passes both, and these are counted twice.
# So it is 9 of 100.
#
# The twin gets about as many wrong, 90 of 1,000. But these are only partly the same sums, because it gets most of the
# sums right in which a 1 passes through a 9. So random sums tell us how often a machine is wrong, and hardly where.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("twins")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A twin answers as its program does, on every text. What follows for its heads?
# - they look where those of the program look | The twin that sorts does not.
# + nothing yet | One must change the heads, and see what breaks.
# - they are sharper than those of the program | The first head of the twin that sorts is nearly even.
# ? A head is made even, and all answers stay right. What do you know?
# + the machine needs no more of this head than the average | It may use this average, or nothing of the head at all.
# - the head looked at all letters alike before | It may have looked sharply, and nobody needed what it brought.
# - the head can be taken out | Its average may still be needed, and even weights bring the average.
# ? The twin that adds gets nine of ten random pairs right. Why did that not show what it lacks?
# - because it was tested on pairs that it had been trained on | These pairs were drawn anew.
# + because few columns of random pairs depend on more than their neighbour | One must ask for such sums.
# - because the program makes the same mistakes | The program adds every pair right.
# ```
#
# </details>
#
# ## The last question
#
# This was the last lesson. In [the first one](reading_dates.py) a machine wrote a 5, and the y of "may" was the
# brightest letter, though the letter m, exchanged alone, [turned May into
# June](reading_dates.py#which-letter-told-it-the-month). Is the y needed at all? By now you have built all parts of
# that machine by hand. What a *trained* machine does with them is another question, and now you know how to ask it.
#
# Take ten dates that are written with "may". In [the whole machine](../machine.py), under "Hide letters of the text",
# press the y of "may", and it is hidden from every look. Write down first in how many dates the month will still be
# right. Then count. If most are right, the machine can do without the y, however brightly it shone. If not, you have
# found out what no picture could tell you.
#
# <details class="lesson-answer" markdown="1"><summary>What we counted</summary>

# %% tags=["hide-input"]
from collections import Counter

from clear_attention import create_date_pairs, date_tokenizers

model, _ = trained.load("dates")
source, target = date_tokenizers()
pairs = zip(*create_date_pairs(20_000, seed=1, split="test"), strict=True)
of_may = [(text, answer) for text, answer in pairs if "may" in text]
ids = source.encode([text for text, _ in of_may])


def months(hidden):
    """Let the machine write as far as the month, with letters hidden from every look."""
    mask = np.maximum(hidden, ids == 0)[:, None, None].astype("float32")
    x = model.source_positions(model.embed_source(ids) * 8.0)  # root of 64
    context = model.encoder(x, blocked_mask=mask)
    written = target.encode([answer for _, answer in of_may])[
        :, :1
    ]  # the start mark
    for _ in range(7):
        y = model.target_positions(model.embed_target(written) * 8.0)
        y = model.decoder(y, context, cross_mask=mask, causal=True)
        newest = np.argmax(model.to_logits(y)[:, -1:], axis=-1)
        written = np.concatenate([written, newest], axis=1)
    return [text[5:7] for text in target.decode(written)]


hidden = np.zeros(ids.shape)
for row, (text, _) in zip(hidden, of_may, strict=True):
    row[text.index("may") + 2] = 1
seen, unseen = Counter(months(0 * hidden)), Counter(months(hidden))
print("dates of May: ", seen.total())
print("y in sight:   ", dict(seen))
print("y hidden:     ", dict(unseen.most_common()))
assert seen["05"] == seen.total()
assert abs(unseen["05"] / unseen.total() - 0.86) < 0.02
assert unseen["03"] > 0.8 * (unseen.total() - unseen["05"])

# %% [markdown]
# Of 100 months 86 stay right without the y. In most of the others the machine writes March, which begins with "ma",
# too. So it mostly does without the letter that shone brightest, but in one date of seven it needs it.
#
# </details>
#
# ## Where to go next
#
# * [The whole machine](../machine.py): switch off one of its heads. How many dates will it still read?
# * [Use it in your model](../guides/use_it.py): what you have learnt, in your own code.
#
# Read on elsewhere: Zhou and others (2023), [What Algorithms can Transformers Learn? A Study in Length
# Generalization](https://arxiv.org/abs/2310.16028); Friedman, Wettig and Chen (2023), [Learning Transformer
# Programs](https://arxiv.org/abs/2306.01128); Nanda and others (2023), [Progress measures for grokking via mechanistic
# interpretability](https://arxiv.org/abs/2301.05217).
