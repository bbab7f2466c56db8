# ---
# title: Writing
# description: How the probabilities of a Transformer become an answer. Greedy search and its dead end, a beam search that you write, and drawing with a temperature.
# slow: true
# ---

# %% [markdown]
# # How does it write?
#
# Ask our machine for "5 june", which names no year, and it answers 0000-06-05. In its training every year began with 19
# or 20. **Did it search badly, or does it mean those zeros?**
#
# It gives a probability to each letter that could come next, and goes on from the letters that it has written itself,
# here from 000:
#
# --8<-- "diagrams/writing_loop.svg"
#
# It takes the most probable letter each time, which is called **greedy search**. Then its answer must be the most
# probable one of all. Must it?
#
# ## A dead end, by hand { #a-dead-end-by-hand }
#
# Play it with answers of two letters. The first letter may be A with a probability of 0.5, B with 0.3, or C with 0.2.
# **Which one do you take?**
#
# Most people take A, and so does greedy search. But after A the machine is in doubt, and its best second letter has
# only 0.2. The probabilities multiply, so your answer has $0.5 \cdot 0.2 = 0.10$. And poor C? After C one letter is
# nearly certain, with 0.9. That answer has $0.2 \cdot 0.9 = 0.18$. **The likeliest letters do not always make the
# likeliest answer.**
#
# What if we had kept C, too? **Beam search** keeps several beginnings at once, and their number is called its *width*.
# At each step it tries every letter after every beginning. Of these longer beginnings it keeps the most probable, and
# cuts off the others. **Keep two: does that find the answer with C?**

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
from live import touch

first, best = [0.5, 0.3, 0.2], [0.2, 0.5, 0.9]
assert round(0.5 * 0.2, 3) < round(0.3 * 0.5, 3) < round(0.2 * 0.9, 3)
touch(
    "tree",
    "<p>Greedy search keeps A and ends with 0.10. A beam of two keeps B as well, and ends with 0.15. A beam of three keeps C,"
    " too, and ends with 0.18.</p>",
    first=first,
    best=best,
    width=1,
)

# %% [markdown]
# **A beam of two finds the answer with B, which is better than A's. Only a beam of three finds C's, the best of all.**
# With two, C is cut off too early.
#
# Lowerre's speech recogniser was the first to use beam search, in 1976. In translation a small beam finds somewhat
# better sentences than greedy search. What does it find in our machine?
#
# ## The same dead end, in our machine
#
# Let our machine read "31/12/2018", where 31 stands in the place of the month. It writes "2018-" without any doubt. But
# how does the month begin?
#
# --8<-- "diagrams/two_ends.svg"
#
# Greedy search begins the month with the likelier letter, 3. Then it meets a second doubt, and ends with 2018-3-1-1,
# which is not even the form of a date. Its probability is $0.59 \cdot 0.55 = 0.32$. A beam keeps the 1 as well. After
# the 1 the machine is sure of every letter, so this answer ends with 0.40.
#
# **So the beam found the more probable answer, 2018-13-12, and that is nonsense, too: it names a 13th month.**
#
# In translation a perfect search can even be worse. In 2019 Stahlberg and Byrne searched all there was. For more than
# half of the sentences, the most probable translation was the empty one.
#
# And the zeros of "5 june"? Let your own beam decide.
#
# ## Your machine so far
#
# Now write beam search yourself. `reader("5 june")` returns a function, `next_letters`, that gets the ids so far, and
# returns a probability for each letter that could come next:

# %%
import numpy as np
import trained
from clear_attention import date_tokenizers
from examples import numpy_machine as own  # your machine

model, _ = trained.load("dates")
source, target = date_tokenizers()
w = own.weights_of(model)  # our trained numbers


def reader(text):
    context = own.encode(source.encode([text])[0], w)

    def next_letters(ids):
        logits = own.decode(ids, context, w)[-1]
        never = [target.pad_id, target.start_id]
        logits[never] = -np.inf  # these are not written
        return own.softmax(logits, mask=0)

    return next_letters


# %% [markdown]
# For dates we can simply multiply. A real program adds logarithms, because long products come to nearly 0. It also
# divides the sum by the number of letters, or something like it, because each further factor makes a product smaller,
# and short answers would win too often. **Fill the two gaps:**
#
# ```python
# def beam(next_letters, start, end, width, most=11):
#     beams = [([start], 1.0)]  # each beginning, and its probability
#     for _ in range(most):
#         longer = []
#         for ids, probability in beams:
#             if ids[-1] == end:  # it has ended, and is kept as it is
#                 longer.append((ids, probability))
#                 continue
#             for letter, p in enumerate(next_letters(ids)):
#                 longer.append(...)
#         longer.sort(key=lambda pair: pair[1], reverse=True)
#         beams = ...
#     return beams
# ```
#
# Let it read "31/12/2018" and "5 june", first with a width of 1, which is greedy search, and then with a width of 3.
# Does the beam find a better answer both times?


# %% tags=["answer"]
def beam(next_letters, start, end, width, most=11):
    beams = [([start], 1.0)]  # each beginning, and its probability
    for _ in range(most):
        longer = []
        for ids, probability in beams:
            if ids[-1] == end:  # it has ended, and is kept as it is
                longer.append((ids, probability))
                continue
            for letter, p in enumerate(next_letters(ids)):
                longer.append(([*ids, letter], probability * p))
        longer.sort(key=lambda pair: pair[1], reverse=True)
        beams = longer[:width]
    return beams


for text in ("31/12/2018", "5 june"):
    for width in (1, 3):
        found = beam(reader(text), target.start_id, target.end_id, width)
        ids, probability = found[0]
        answer = target.decode([ids])[0]
        print(f"{text:10} width {width}: {answer} with {probability:.2f}")

# %% tags=["remove-input"]
import re
from pathlib import Path

from clear_attention import beam_search, create_date_pairs, greedy_search

zeros = target.encode(["000"])[0, :4].tolist()  # with the start mark


def text_of(ids):
    return target.decode([ids])[0]


def best_two(chances):
    return [(text_of([i]), chances[i]) for i in chances.argsort()[:-3:-1]]


def numbers_of(name):
    drawn = Path(f"../diagrams/{name}.svg").read_text(encoding="utf-8")
    return np.array(re.findall(r'class="number"[^>]*>([^<]+)<', drawn), float)


june, strange = reader("5 june"), reader("31/12/2018")
ends = target.start_id, target.end_id
of_three = {
    name: beam(reader(name), *ends, width=3) for name in ("5 june", "31/12/2018")
}
# Your beam finds what the package finds, and your machine is as sure as ours.
for text, ours in of_three.items():
    beams = beam_search(
        model, source.encode([text]), max_length=11, width=3, length_penalty=0.0
    )
    for (ids, p), theirs, score in zip(
        ours, beams.ids[0], beams.scores[0], strict=True
    ):
        assert ids[1:] == theirs[: len(ids) - 1].numpy().tolist()
        np.testing.assert_allclose(np.log(p), score, atol=1e-4)
# The drawing of the loop: what comes after 000.
(zero, p), (six, other) = best_two(june(zeros))
assert (zero, six) == ("0", "6")
assert np.count_nonzero(june(zeros)) == 12  # with ten others
assert p < 0.9 < p + other  # a top-p of 0.9 keeps these two
np.testing.assert_allclose(numbers_of("writing_loop"), [p, other], atol=0.01)
# The drawing of the two ends: both forks, and what the answers have.
begin = target.encode(["2018-"])[0, :6].tolist()
assert min(strange(begin[:n]).max() for n in range(1, 6)) > 0.99
(three, p_three), (one, p_one) = best_two(strange(begin))
again = target.encode(["2018-3-1"])[0, :9].tolist()
(dash, p_dash), (two, p_two) = best_two(strange(again))
assert (three, one, dash, two) == ("3", "1", "-", "2")
greedy_ids, greedy_p = beam(strange, *ends, width=1)[0]
beam_ids, beam_p = of_three["31/12/2018"][0]
assert (text_of(greedy_ids), text_of(beam_ids)) == ("2018-3-1-1", "2018-13-12")
assert min(strange(beam_ids[:n]).max() for n in range(7, 12)) > 0.99
np.testing.assert_allclose(
    numbers_of("two_ends"),
    [p_three, p_one, p_dash, p_two, greedy_p, p_three * p_two, beam_p],
    atol=0.005,
)
# What the text below says of 5 june.
(best_ids, whole), (second_ids, second) = of_three["5 june"][:2]
assert (
    best_ids[1:]
    == greedy_search(model, source.encode(["5 june"]), 11)[0].numpy().tolist()
)
assert (text_of(best_ids), text_of(second_ids)) == ("0000-06-05", "0006-06-05")
np.testing.assert_allclose([whole, second], [0.51, 0.35], atol=0.005)
taken, left = zip(
    *(
        [chance for _, chance in best_two(june(best_ids[:n]))]
        for n in range(1, len(best_ids))
    ),
    strict=True,
)
np.testing.assert_allclose(taken[0], 0.88, atol=0.005)
np.testing.assert_allclose(taken[3], 0.58, atol=0.005)
np.testing.assert_allclose([left[0], left[3]], [0.12, 0.40], atol=0.01)
assert min(p for n, p in enumerate(taken) if n not in (0, 3)) > 0.99
before = np.cumprod([1.0, *taken[:-1]])
np.testing.assert_allclose(before[:5], [1, 0.88, 0.88, 0.87, 0.51], atol=0.006)
np.testing.assert_allclose(before[5:], 0.51, atol=0.006)
bounds = before * left
np.testing.assert_allclose(bounds[[0, 3]], [0.12, 0.35], atol=0.006)
assert bounds.argmax() == 3
assert np.delete(left, [0, 3]).max() < 0.005
assert before[1:].max() < 0.885

# %% [markdown]
# ## Does it mean the zeros?
#
# For "5 june" the beam, too, finds 0000-06-05, with 0.51. But even a beam of three may have cut off the best answer.
# Can we be sure, without trying all there are?
#
# We can. Take any other answer, and go along it to the first letter that differs from 0000-06-05. This letter is the
# machine's second choice there, at best. The letters after it can only make the product smaller. So such an answer has
# at most:
#
# | the first letter that differs | probability before it | second choice there | product |
# | --- | --- | --- | --- |
# | the first of all | 1 | 0.12 | 0.12 |
# | the fourth | 0.87 | 0.40 | 0.35 |
# | any other | at most 0.88, as the first digit took 0.12 | under 0.005 | under 0.005 |
#
# Each product is less than 0.51, by far more than we have rounded.
#
# **So the search is not to blame: no answer is more probable than the zeros, and the machine means them.** Why it
# prefers them, we do not know.
#
# And if a date has one of the forms that it knows? On 2,000 unseen ones a beam of three gives the answers of greedy
# search, and not one is different.

# %% tags=["remove-input"]
unseen, right = create_date_pairs(2000, seed=1, split="test")
unseen_ids = source.encode(unseen, length=34)
written = target.decode(greedy_search(model, unseen_ids, max_length=11))
best = beam_search(model, unseen_ids, max_length=11, width=3, length_penalty=0.0)
by_beams = target.decode(best.ids[:, 0])
for name, answers in {"greedy": written, "by beam": by_beams}.items():
    exact = np.mean([a == b for a, b in zip(answers, right, strict=True)])
    assert exact > 0.99, name
assert sum(a != b for a, b in zip(written, by_beams, strict=True)) == 0  # as said
trained_with = create_date_pairs(64_000)[1]
assert {answer[:2] for answer in trained_with} == {"19", "20"}

# %% [markdown]
# ## Drawing by lot { #drawing }
#
# Greedy search and a beam answer "5 june" a hundred times with 0000-06-05. But who wants the same story a hundred
# times?
#
# So most chat machines [*draw*](by_heart.py#drawing-a-letter) the next letter, or piece of a word: the more
# probable it is, the more often it comes. The **temperature** sets how daring they are. All
# [logits](training.py#how-wrong-is-it-by-hand) are divided by it, before the softmax makes probabilities of them. Let
# two letters have the logits 3 and 0:
#
# | temperature | logits, divided | $e$ to this power | probabilities |
# | --- | --- | --- | --- |
# | 0.5 | 6 and 0 | 403.4 and 1 | 0.998 and 0.002 |
# | 1 | 3 and 0 | 20.09 and 1 | 0.953 and 0.047 |
# | 2 | 1.5 and 0 | 4.48 and 1 | 0.818 and 0.182 |
#
# **A temperature changes the distances, and never the order.** And what becomes of whole answers? Here are a hundred at
# each of three temperatures. **Press some rare ones, grey or framed: what do they say?**

# %% tags=["live", "hide-input"]
from clear_attention import sample

for heat, powers, shares in (
    (0.5, 403.4, [0.998, 0.002]),
    (1, 20.09, [0.953, 0.047]),
    (2, 4.48, [0.818, 0.182]),
):
    np.testing.assert_allclose(np.exp(3 / heat), powers, atol=0.05)
    found = own.softmax(np.array([3.0, 0.0]) / heat, mask=0)
    np.testing.assert_allclose(found, shares, atol=5e-4)
hundred = source.encode(["5 june"] * 100, length=34)
common = ["0000-06-05", "0006-06-05"]
panels, counted = [], []


def formless(answers):
    return [one for one in answers if not re.fullmatch(r"\d{4}-\d\d-\d\d", one)]


for heat in (0.3, 1.0, 2.0):
    said = target.decode(
        sample(model, hundred, max_length=11, temperature=heat, seed=1)
    )
    said.sort(
        key=lambda one: (bool(formless([one])), *(one != two for two in common))
    )
    panels.append({"heat": f"{heat:g}", "answers": said})
    counted.append([said.count(common[0]), said.count(common[1])])
(blue_cold, orange_cold), (blue, orange), (blue_hot, orange_hot) = counted
assert blue_cold > blue > blue_hot
assert 70 < blue_cold < 85
assert blue_cold + orange_cold == 100
assert 50 < blue < 60
assert 28 < orange < 38
assert 40 < 100 - blue_hot - orange_hot < 60
others = [one for one in panels[2]["answers"] if one not in common]
broken = formless(others)
assert abs(len(broken) / len(others) - 0.4) < 0.05  # as the text says
touch(
    "hundred",
    f"<p>At temperature 0.3, {blue_cold} of 100 answers are {common[0]}, at 1 there are {blue}, and at 2 only {blue_hot}. Among the"
    f" others at 2 are “{broken[0]}” and “{broken[-1]}”.</p>",
    common=common,
    panels=panels,
    chosen=None,
)

# %% [markdown]
# **At temperature 2 about half of the answers are rare ones, and two in five of these don't even have the form of a
# date.** Once a rare letter is drawn, the machine must go on from it.
#
# So many machines cut off the rare letters before they draw. **Nucleus sampling**, or **top-p**, keeps the likeliest
# letters until together they have the probability `p`, and divides what it keeps by its sum. Of 0.58, 0.40 and the
# rest, a top-p of 0.9 keeps the first two.
#
# ## Exercises
#
# ### Exercise 1
#
# Can a beam of two even find a *worse* answer than greedy search? Choose probabilities for answers of three letters
# with which it does. (Two beginnings with B must push out the one with A.)

# %% tags=["answer"]
START, A, B, C, END = range(5)


def invented(ids):
    if len(ids) == 4:
        return [0, 0, 0, 0, 1]
    if len(ids) == 1:
        shares = [0.4, 0.35, 0.25]
    elif len(ids) == 2:
        shares = [0.5, 0.5, 0] if ids[1] == B else [0.4, 0.3, 0.3]
    else:
        shares = [0.4, 0.3, 0.3] if ids[1] == B else [1, 0, 0]
    return [0, *shares, 0]


for width in (1, 2, 3):
    ids, probability = beam(invented, START, END, width, most=4)[0]
    letters = "".join(".ABC."[i] for i in ids[1:4])
    print(f"width {width}: {letters} with {probability:.2f}")
    assert round(probability, 2) == (0.07 if width == 2 else 0.16)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What happened?</summary>
#
# BA and BB have $0.35 \cdot 0.5 = 0.175$ each. So they push out AA, which has only $0.4 \cdot 0.4 = 0.16$. But after AA
# an A is certain, and after BA and BB nothing is. The two that pushed it out have nothing good to go on with.
#
# </details>
#
# ### Exercise 2
#
# Does top-p help? Draw a hundred answers to "5 june" at temperature 2 with [`sample`][clear_attention.sample], first
# with `top_p=1.0`, then with 0.9 and 0.7. How many different ones come each time, and how many of the hundred don't
# have the form of a date? Guess first.

# %% tags=["answer"]
asked_100_times = source.encode(["5 june"] * 100, length=34)
different_ones, broken_ones = [], []
for top_p in (1.0, 0.9, 0.7):
    drawn = target.decode(
        sample(model, asked_100_times, 11, temperature=2.0, top_p=top_p, seed=1)
    )
    shapeless = [one for one in drawn if not re.fullmatch(r"\d{4}-\d\d-\d\d", one)]
    different_ones.append(len(set(drawn)))
    broken_ones.append(len(shapeless))
    print(
        f"top_p {top_p}: {different_ones[-1]} different, {broken_ones[-1]} broken"
    )
print(sorted(set(drawn)))
assert different_ones[0] > different_ones[1] > different_ones[2] == 4
assert broken_ones[0] > 2 * broken_ones[1] > broken_ones[2] == 0

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What came out</summary>
#
# With 0.7 only four different answers are left, and all of them have the form of a date. That is the price: fewer
# broken answers, and fewer different ones, too.
#
# </details>
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("writing")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? Greedy search finds an answer with a probability of 0.2. What does a beam of width 5 find?
# - the most probable answer of all | It keeps five beginnings at each step. What it drops never comes back, and may have been the start of the best.
# - always one with at least 0.2 | Even greedy search's own beginning can be pushed out, by five that look better for a while and end worse.
# + mostly one that is at least as probable, but nothing is certain | Only looking at every answer would be certain.
# ? Letters are drawn at temperature 2, and no longer at 1. What is the likeliest letter now?
# + the same as before, but with a smaller probability | The logits keep their order. Only the distances between them are halved.
# - the letter that was second | No temperature lets one letter overtake another.
# - none, because all are equally likely | A very high temperature comes near to that. 2 is not so high.
# ? A beam has found a more probable answer than greedy search. Is it the right one?
# - Yes, because the right answer is always the most probable one. | For 31/12/2018 the more probable answer named a 13th month.
# - No, because a beam finds only strange answers. | To 2,000 dates in forms that our machine knows, it gave the same answers as greedy search.
# + It may be, if the machine gives the right answer a high probability. | A search finds what the machine prefers. If the machine prefers zeros, no search mends that.
# ```
#
# </details>
#
# ## Where to go next
#
# The machine means its zeros, and no search mends that. You have now seen how it learns and how it writes. Could you
# teach it something else than dates?
#
# * [Now you: Roman numerals](roman.py): train a machine of your own.
# * [The cache](cache.py), a later lesson: what the program computes anew for each letter.
#
# Read on elsewhere: Koehn and Knowles (2017), [Six Challenges for Neural Machine
# Translation](https://arxiv.org/abs/1706.03872); Stahlberg and Byrne (2019), [On NMT Search Errors and Model
# Errors](https://arxiv.org/abs/1908.10090); Ackley, Hinton and Sejnowski (1985), [A Learning Algorithm for Boltzmann
# Machines](https://doi.org/10.1207/s15516709cog0901_7).
