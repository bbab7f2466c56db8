# ---
# title: A softmax in pieces
# description: How a softmax can begin before its row is there. Two sums that are carried from piece to piece and mended, by hand and in NumPy, and what FlashAttention moves between two memories.
# ---

# %% [markdown]
# # How can a softmax begin before its row is there?
#
# What is the softmax of 1, 3, 2, and a score that you have not seen yet? Nobody can say, because a softmax divides by
# the sum of the *whole* row. So in [Long sequences](long_sequences.py) we cut the queries into blocks, but left every
# row whole.
#
# But a graphics processor has a small memory that is about ten times as fast as its large one. On the A100 of 2020,
# each of its small processors has 192 kilobytes of it, and a row of a million scores takes 4,000 kilobytes. So the row
# should come in **pieces**, each thrown away before the next is made.
#
# ## What goes wrong
#
# Let the missing score be 6, and let the four have the values 10, 20, 30 and 40. Their **powers**, $e^s$ for a score
# $s$, are 2.7, 20.1, 7.4 and 403.4, which make 433.6 together. So the output is
#
# $$
# \frac{2.7 \cdot 10 + 20.1 \cdot 20 + 7.4 \cdot 30 + 403.4 \cdot 40}{433.6} = 38.72
# $$
#
# Now cut the row into two pieces, let each do a softmax of its own, and take the average:
#
# | piece | powers | weights | its own output |
# | --- | --- | --- | --- |
# | scores 1, 3, values 10, 20 | 2.7, 20.1 | 0.119, 0.881 | 18.81 |
# | scores 2, 6, values 30, 40 | 7.4, 403.4 | 0.018, 0.982 | 39.82 |
# | their average | | | 29.31 |
#
# **The average of the two pieces is 29.31, far from 38.72.** It gives each piece half a say, but the second one holds
# the 6, and should have nearly all of it. Once a piece has divided by its own sum, nobody sees that. So do not divide
# yet.
#
# ## A bill with two pages
#
# You add up a long bill page by page. At the foot of a page you write its sum, begin the next page with it, and never
# turn back. Let each piece be such a page, and keep two sums on it: one of the powers, and one of the powers times
# their values. Only at the very end do you divide the second sum by the first.
#
# On paper this works. But in a computer powers grow too fast: for a score of 89 the power no longer fits into a number
# of four bytes. So a softmax first subtracts the largest score of its row. All powers shrink by the same factor, so no
# weight changes. **But the largest score may stand on the last page.**
#
# ## Measure from the largest so far
#
# So subtract the largest score *so far*. In the first piece that is 3, and the score 1 has the power $e^{1 - 3} =
# 0.1353$. We write both sums at the foot of the page, and throw the piece away.
#
# Then the second piece brings the 6. Measured from 6, the score 1 should have had the power $e^{1 - 6} = 0.0067$. But
# the score 1 is gone. Only the sums are left, and they were measured from the wrong score. Are they useless?
#
# No, because $e^{1 - 6} = e^{1 - 3} \cdot e^{3 - 6}$. Our sums contain $e^{1 - 3}$. Multiply by $e^{3 - 6} = 0.049787$,
# and they contain $e^{1 - 6}$. This factor knows nothing of the 1: it is the same for every power on the page. So
# multiply both sums by it, and they become what they would be if we had known of the 6 from the start. We call this
# **mending** (elsewhere: *rescaling*). Now the two pages can be added:
#
# --8<-- "diagrams/long_bill.svg"
#
# At last we divide: $41.6126 / 1.0748 = 38.72$. That is what the whole row gave, and nobody has turned back. **Of the
# first piece only three things were needed: its largest score and its two sums.** This is the **online softmax**.
# Milakov and Gimelshein published it in 2018, and Rabe and Staats found the same for attention in 2021.
#
# **Read the second piece, with the slider "Pieces read", and watch the two bars of the first. Then make the last score
# 2: is anything mended now?**

# %% tags=["live", "hide-input"]
import sys

# The machines are in the repository and not in the package, so this cell needs a clone.
sys.path += ["../_site", "../.."]
import numpy as np
from live import touch

scores, values = np.array([1.0, 3, 2, 6]), np.array([10.0, 20, 30, 40])
touch(
    "mending",
    "<p>After the first piece the sums are 1.1353 and 21.3534. The second piece brings a 6, so both are multiplied by"
    " 0.049787, and the new powers are added: 1.0748 and 41.6126. The bars of the first piece fall from 0.14 and 1 to"
    " 0.007 and 0.05. With a last score of 2 nothing is mended.</p>",
    scores=scores.tolist(),
    values=values.tolist(),
    size=2,
    step=1,
)

# %% tags=["live", "remove-input"]
import re
from pathlib import Path


def page(cut):
    """Both sums of a page of the bill, with nothing subtracted."""
    powers = np.exp(scores[cut])
    return np.array([powers.sum(), powers @ values[cut]])


sums = np.array([page(slice(2)), page(slice(2, 4)), page(slice(4))])
own_outputs = sums[:, 1] / sums[:, 0]
np.testing.assert_allclose(own_outputs, [18.81, 39.82, 38.72], atol=5e-3)
np.testing.assert_allclose(own_outputs[:2].mean(), 29.31, atol=5e-3)
np.testing.assert_allclose(np.log(sums[:2, 0]), [3.1269, 6.0181], atol=5.1e-5)
assert [*np.exp(scores).round(1)] == [2.7, 20.1, 7.4, 403.4]
assert [round(total, 1) for total in sums[:, 0]] == [22.8, 410.8, 433.6]
own_weights = [np.exp(scores[i : i + 2]) / sums[i // 2, 0] for i in (0, 2)]
np.testing.assert_allclose(own_weights, [[0.119, 0.881], [0.018, 0.982]], atol=5e-4)
np.testing.assert_allclose(np.exp([1 - 3, 1 - 6]), [0.1353, 0.0067], atol=5.1e-5)
assert np.exp(88.0) < np.finfo("float32").max < np.exp(89.0)
assert round(np.exp(-3), 6) == 0.049787

# The bill of the drawing: each score's power, and this times its value; and the sums, mended and added up.
drawn = Path("../diagrams/long_bill.svg").read_text(encoding="utf-8")
drawn = np.array(re.findall(r'class="number[^>]*>([^<]+)<', drawn), float)
lines = [
    np.exp(s - m) * np.array([1, v])
    for s, v, m in zip(scores, values, [3, 3, 6, 6], strict=True)
]
foot = lines[0] + lines[1]
mended = foot * np.exp(3 - 6)
bill = [*lines[:2], foot, mended, *lines[2:], mended + lines[2] + lines[3]]
np.testing.assert_allclose(drawn, np.ravel(bill), atol=5.1e-5)

# %% [markdown]
# **A larger score makes everything before it smaller, by one factor, and a smaller one mends nothing.** So no earlier
# piece has to come back, and of each row only one piece is there at a time.
#
# ## Who may be merged with whom?
#
# Must the pieces come in order? Let each hand over $m$, its largest score, and the two sums that are measured from it:
# $z$ of its powers, and $a$ of its powers times values. Two pieces, 1 and 2, are **merged** into one:
#
# $$
# m = \max(m_1, m_2) \qquad z = z_1\, e^{m_1 - m} + z_2\, e^{m_2 - m} \qquad a = a_1\, e^{m_1 - m} + a_2\,
# e^{m_2 - m}
# $$
#
# At the end the output is $a / z$.
#
# Whichever piece came first, all powers end up measured from the same largest score. **So pieces may be merged in any
# order, and nobody has to wait.** Many processors can share the keys of a very long text, and each hands over only $m$,
# $z$ and $a$.
#
# ## Your machine so far { #your-machine-so-far }
#
# `read` finds $m$, $z$ and $a$ of a piece of keys, for many queries at once, and `finish` makes the output. Write
# `merge_pieces`, which makes one piece of two.
#
# ```python
# def read(q, k, v):
#     scores = q @ k.T / np.sqrt(k.shape[-1])
#     largest = scores.max(axis=-1, keepdims=True)
#     powers = np.exp(scores - largest)
#     return largest, powers.sum(axis=-1, keepdims=True), powers @ v
#
# def merge_pieces(one, other):
#     (m1, z1, a1), (m2, z2, a2) = one, other
#     ...
#
# def finish(piece):
#     _, z, a = piece
#     return a / z
# ```
#
# (Our `read` has no [mask](masks.py), and needs none here.)


# %% tags=["answer"]
def read(q, k, v):
    scores = q @ k.T / np.sqrt(k.shape[-1])
    largest = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - largest)
    return largest, powers.sum(axis=-1, keepdims=True), powers @ v


def merge_pieces(one, other):
    (m1, z1, a1), (m2, z2, a2) = one, other
    m = np.maximum(m1, m2)
    mend1, mend2 = np.exp(m1 - m), np.exp(m2 - m)
    return m, z1 * mend1 + z2 * mend2, a1 * mend1 + a2 * mend2


def finish(piece):
    _, z, a = piece
    return a / z


# %%
# 100 letters in pieces of 16 keys. The last piece is read first:
from functools import reduce

from examples.numpy_machine import attention  # that of your machine

q, k, v = np.random.default_rng(1).normal(size=(3, 100, 8))
cuts = [slice(first, first + 16) for first in range(0, 100, 16)]
pieces = [read(q, k[cut], v[cut]) for cut in reversed(cuts)]
output = finish(
    reduce(merge_pieces, pieces)
)  # the first two, and the third to them, ...
np.testing.assert_allclose(output, attention(q, k, v, mask=0))
print(f"{len(pieces)} pieces, the last one first: the same numbers as all at once")

# %% tags=["live", "remove-input"]
from clear_attention import blockwise_attention

# Any order; what the package says; and the trap of a piece that is hidden.
rng = np.random.default_rng(2)
for _ in range(20):
    left = [pieces[i] for i in rng.permutation(len(pieces))]
    while len(left) > 1:
        left.append(merge_pieces(left.pop(0), left.pop(0)))
    np.testing.assert_allclose(finish(left[0]), output)
np.testing.assert_allclose(blockwise_attention(q, k, v), output)
with np.errstate(invalid="ignore"):
    assert np.isnan(np.subtract(-np.inf, -np.inf))
assert np.exp(-np.inf - 0) == 0
empty = (
    np.full((100, 1), -np.inf),
    np.zeros((100, 1)),
    np.zeros((100, v.shape[1])),
)
np.testing.assert_allclose(finish(merge_pieces(empty, left[0])), output)
assert 192_000 < 125 * 1000 * 4

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>For the curious: the trap of a piece that is hidden</summary>
#
# If a mask hides a whole piece, its largest score is minus infinity, and $-\infty - (-\infty)$ is *not a number*, a
# **NaN**. It spoils every sum that it enters. So measure the powers of such a piece from 0, which makes both sums 0.
# The piece still hands over minus infinity, and when two hidden pieces are merged, the result is measured from 0 again.
#
# </details>
#
# ## Is it faster? { #why-is-it-faster }
#
# Mending is extra arithmetic, though only a few products for each piece. What does one get for it?
#
# Take one head with 1,000 queries and 1,000 keys of 64 numbers, and watch what is carried to and fro between the two
# memories. Suppose the small memory holds 125 queries at a time. They stay, with their sums, while all keys and values
# pass by. (Their whole rows would take 125 · 1,000 · 4 bytes. That is half a million, and there is room for 192,000.
# Only in pieces do they fit.) So there are 8 such groups. **Look for the two large squares:**
#
# --8<-- "diagrams/two_memories.svg"
#
# **In pieces, scores and weights are never written, so 1.2 million numbers move in place of 4.3 million.** (For plain
# attention we even assume that K and V are read only once, though they would not fit into the small memory.) The price
# is that K and V are read for each of the 8 groups: 8 · 64,000 is 512,000.
#
# And in a real program? In 2022 Dao and others [measured](https://arxiv.org/abs/2205.14135) their *FlashAttention* on
# an A100. In training it computes 13 % more than plain attention, because on the way back it makes the weights [once
# more](long_sequences.py#how-much-memory-blocks-save). **If plain attention takes 100 % of the time, how much does
# FlashAttention take?**

# %% tags=["live", "hide-input"]
import json
import re
from pathlib import Path

from live import bet

n, d, blocks = 1000, 64, 8
drawn = Path("../diagrams/two_memories.svg").read_text(encoding="utf-8")
drawn = re.findall(r'class="number[^>]*>([\d,]+)<', drawn)
drawn = [int(number.replace(",", "")) for number in drawn]
plain_moves = [n * d, n * d, n * n, n * n, n * n, n * n, n * d, n * d]
piece_moves = [n * d, blocks * n * d, blocks * n * d, n * d]
assert drawn == [sum(plain_moves), *plain_moves, sum(piece_moves), *piece_moves]
assert [round(sum(moves) / 1e6, 1) for moves in (plain_moves, piece_moves)] == [
    4.3,
    1.2,
]
assert n / blocks == 125
assert round(sum(plain_moves) / sum(piece_moves), 1) == 3.7
assert round(40.3 / 4.4) == 9  # of the table of FlashAttention

# FlashAttention, figure 2, left: standard attention and FlashAttention
plain_ms, flash_ms = 41.7, 7.3
ours = json.loads(Path("../../benchmarks/softmax.json").read_text("utf-8"))
ours_ms = ours["with oneDNN"]  # TensorFlow's usual kernels
assert ours["machine"]["cores"] == 2
assert round(ours_ms["in_pieces"] / ours_ms["whole_rows"], 1) == 1.3
bet(
    "online_softmax/flash",
    [
        (
            "time of FlashAttention (plain: 100 %)",
            round(100 * flash_ms / plain_ms),
            "That would be faster still.",
            "It computes more, and takes much less time, because it moves less.",
        ),
    ],
    high=200,
)

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>What they measured</summary>
#
# | what | plain | FlashAttention |
# | --- | --- | --- |
# | arithmetic, in billion operations | 66.6 | 75.2 |
# | moved, in GB | 40.3 | 4.4 |
# | time, in ms | 41.7 | 7.3 |
#
# This is the attention of a middle-sized GPT-2, for 1,024 places. Our drawing saves a factor of 3.7, and this table a
# factor of nine. We suspect that the difference is mostly the way back: the table counts it, and there plain attention
# moves still more squares.
#
# </details>
#
# **FlashAttention computed more, and took only 18 % of the time.** On such a processor arithmetic is cheap, and
# carrying is dear. On our two cores arithmetic is dear, too, and there pieces [took 1.3 times as
# long](../about/benchmarks.py#pieces-of-keys-or-whole-rows) as whole rows.
#
# ## Exercises
#
# ### Exercise 1
#
# A colleague hands over only two things of each piece: its own finished output $o = a / z$, and $L = m + \ln z$. Is
# that enough to merge? Try it with our two pieces: the first has 18.81 and 3.1269, the second 39.82 and 6.0181.

# %% tags=["answer"]
o1, L1, o2, L2 = 18.81, 3.1269, 39.82, 6.0181
say = 1 / (1 + np.exp(L1 - L2))  # of the second piece: exp(L2) of both together
print(f"the second piece has a say of {say:.4f}")
print(f"together {(1 - say) * o1 + say * o2:.2f}")
assert round((1 - say) * o1 + say * o2, 2) == 38.72

# %% [markdown]
# <details class="lesson-answer" markdown="1"><summary>Why?</summary>
#
# $e^L$ is the sum of a piece's powers, with nothing subtracted. So the say of each piece is its $e^L$, divided by the
# sum of both. This is the average from the beginning of the page, but now each piece has the right say.
#
# </details>
#
# ### Exercise 2
#
# In the drawing 125 queries stay in the small memory at a time. How many numbers move if it holds only 50 queries?

# %% tags=["answer"]
for at_a_time in (125, 50):
    blocks = n // at_a_time
    moved = 2 * n * d + blocks * 2 * n * d  # queries, output; keys, values
    print(f"{at_a_time:3} queries at a time: {moved:,}")
assert moved == 2_688_000

# %% [markdown]
# The more queries stay, the less often keys and values must be fetched.
#
# ## Check yourself

# %% tags=["live", "remove-input"]
import exercises

exercises.show("online_softmax")

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>Three more questions</summary>
#
# ```self-check
# ? A new piece brings a score that is larger than all before. What happens to what is carried?
# + Both sums get smaller, by the same factor. | They were measured from a smaller score. The factor is e to the power of the old largest minus the new one.
# - The earlier pieces are read once more. | They have been thrown away. The factor is known without them.
# - Nothing, until all pieces are there. | Then the sums would be measured from two different scores, and could not be added.
# ? Why may two processors read two halves of the keys at the same time?
# - because the halves have the same number of keys | Pieces of any sizes can be merged.
# + because merging gives the same in any order | Each hands over its largest score and its two sums.
# - because each half is a softmax of its own | If each divides by its own sum and hands over nothing more, nobody knows how much say it has.
# ? Why does FlashAttention take less time than plain attention?
# - It computes fewer scores. | It computes all of them, and on the way back a second time.
# - It rounds more roughly. | Nothing is approximated.
# + It moves fewer numbers between the two memories. | Scores and weights never go to the large memory. That saves more than the extra arithmetic costs.
# ```
#
# </details>
#
# ## Where to go next
#
# A softmax can begin before its row is there, so not even a row of the map has to be kept. But as long as a machine
# writes, it must keep the keys and values of all that it has written. How much is that for a long chat?
#
# * [Fewer keys than queries](fewer_keys.py): what if the past does not fit?
# * [A window on the past](windows.py): how far must a letter see?
# * [Reference: blockwise](../reference/blockwise.md): what our package cuts.
#
# Read on elsewhere: Milakov and Gimelshein (2018), [Online normalizer calculation for
# softmax](https://arxiv.org/abs/1805.02867); Dao and others (2022), [FlashAttention](https://arxiv.org/abs/2205.14135);
# Liu, Zaharia and Abbeel (2023), [Ring Attention](https://arxiv.org/abs/2310.01889).
