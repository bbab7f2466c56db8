# ---
# title: Four ways to hide a score
# description: Adding -1e9, adding minus infinity times the mask, filling with minus infinity, and selecting. What each does in an ordinary row and in an empty one, in 32 and in 16 bits, executed.
# ---

# %% [markdown]
# # Four ways to hide a score
#
# A model is trained every night on the day's new sentences. One night the file has an empty line, and in the morning
# every number of the model is NaN. Another program meets the same line, and does not complain at all. It has read the
# padding. For in a batch the empty line is a text of nothing but padding, so that every key of its rows is hidden.
#
# The two differ in how they hide a key. The softmax of most libraries knows nothing of masks, so a program changes the
# *scores* before it: a hidden score becomes so low that its weight is 0. Here are four ways to do this. The first one
# is a trap. The table tries each of them in an ordinary row, in which two of three keys are visible, and in an **empty
# row**, in which every key is hidden. A 1 in the mask hides a key. The numbers have 32 bits. Where the shorter numbers
# of 16 bits (float16) give something else, the table says so:

# %% tags=["hide-input"]
import numpy as np
import tensorflow as tf
from clear_attention.attention import softmax_of_visible
from IPython.display import Markdown, display


def add_a_billion(scores, mask):
    return tf.nn.softmax(scores + mask * tf.cast(-1e9, scores.dtype))


def add_infinity(scores, mask):
    return tf.nn.softmax(scores + mask * tf.constant(-np.inf, scores.dtype))


def fill_infinity(scores, mask):
    return tf.nn.softmax(
        tf.where(mask == 1, tf.cast(-np.inf, scores.dtype), scores)
    )


def select_visible(scores, mask):
    return softmax_of_visible(scores, mask == 1)  # ours: its source is below


found = {}
for way in (add_infinity, add_a_billion, fill_infinity, select_visible):
    for dtype in ("float32", "float16"):
        scores = tf.constant([[2, 1, 3], [2, 1, 3]], dtype)
        mask = tf.constant([[0, 0, 1], [1, 1, 1]], dtype)
        full, empty = found[way.__name__, dtype] = way(scores, mask).numpy()


def said(row):
    if np.isnan(row).any():
        return "NaN"
    return "reads what is hidden" if row[2] else "right"


def both(whole, half):
    """What comes out in 32 bits and in 16."""
    return whole if whole == half else f"{whole}; in 16 bits {half}"


lines = ["| way | ordinary row | empty row |", "| --- " * 3 + "|"]
for way, words in {
    "add_infinity": "add minus infinity times the mask",
    "add_a_billion": "add -1,000,000,000 times the mask",
    "fill_infinity": "fill with minus infinity",
    "select_visible": "select",
}.items():
    rows = zip(found[way, "float32"], found[way, "float16"], strict=True)
    cells = [both(said(whole), said(half)) for whole, half in rows]
    lines.append(f"| {words} | " + " | ".join(cells) + " |")
display(Markdown("\n".join(lines)))

np.testing.assert_allclose(
    found["select_visible", "float16"], [[0.731, 0.269, 0], [0, 0, 0]], atol=1e-3
)
np.testing.assert_allclose(
    found["fill_infinity", "float32"][0], [0.731, 0.269, 0], atol=1e-3
)
assert np.isnan(found["fill_infinity", "float32"][1]).all()
assert np.isnan(found["add_infinity", "float32"]).any(axis=1).all()
np.testing.assert_allclose(found["add_a_billion", "float32"][1], 1 / 3, atol=1e-6)
assert np.isnan(found["add_a_billion", "float16"]).all()
assert (tf.float16.max, float(tf.bfloat16.max) > 3e38) == (65504, True)
brief = add_a_billion(*(tf.cast(x, tf.bfloat16) for x in (scores, mask)))
np.testing.assert_allclose(
    tf.cast(brief, "float32"), found["add_a_billion", "float32"], atol=5e-3
)

# %% [markdown]
# Only the last line is right everywhere. Here is what happens in the others.
#
# ## Add minus infinity times the mask
#
# `scores + mask * -inf` comes to mind first: where the mask is 1, the score becomes minus infinity. But where the mask
# is 0, 0 is multiplied with infinity, and that is NaN. So each key that may be seen spoils its whole row. (In the empty
# row there is no such key. It fails for the reason of the third way.)
#
# ## Add minus a billion times the mask
#
# `scores + mask * -1e9` is the way of the authors of the first Transformer, and of many programs since. 0 times a
# billion is 0, so the visible scores stay as they are. A hidden score is lower by a billion, and its power is too small
# for 32 bits, so that it becomes exactly 0.
#
# In an empty row *every* score is lower by a billion. Next to a billion, scores such as 2, 1 and 3 are rounded away, so
# that all keys get the same weight. The row reads the plain average of what should be hidden, and no error tells you.
#
# In float16 the largest number is 65,504. There -1e9 becomes minus infinity, minus infinity times 0 is NaN, and even
# the ordinary row is lost. The other usual kind with 16 bits, bfloat16, has fewer digits but reaches $3 \cdot 10^{38}$.
# In it -1e9 still fits, and all is as in 32 bits. A mask that is made in 32 bits, -1e9 and 0, and *then* turned to
# float16 holds minus infinity and 0. It is only added, so that visible scores get + 0 and no NaN arises: an ordinary
# row comes out right. An empty row of such numbers is NaN.
#
# ## Fill with minus infinity
#
# `where(mask == 1, -inf, scores)` replaces the hidden scores, and leaves the others alone, whatever they are. Since $e$
# to the power of minus infinity is 0, a hidden key leaves the sum. An ordinary row comes out right, in 16 bits, too.
# But in an empty row the sum is 0, and 0 divided by 0 is NaN.
#
# ## Select { #how-the-package-selects }
#
# So a program must ask whether anything is left in a row. This package fills with minus infinity, too, but it looks for
# empty rows first. It fills these with 0, and selects 0 for their weights afterwards. In NumPy:


# %%
def softmax_of_visible_only(scores, blocked):
    """Return weights that are 0 wherever `blocked` is True, in empty rows too."""
    empty = blocked.all(axis=-1, keepdims=True)
    fill = np.where(empty, 0, -np.inf)  # a row of minus infinity would become NaN
    scores = np.where(blocked, fill, scores)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))  # no overflow
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return np.where(empty, 0, weights)


two_rows = np.array([[2.0, 1, 3], [2, 1, 3]])
hidden = np.array([[False, False, True], [True, True, True]])
print(softmax_of_visible_only(two_rows, hidden).round(3))
np.testing.assert_allclose(
    softmax_of_visible_only(two_rows, hidden),
    select_visible(tf.constant(two_rows), hidden.astype(float)),
    atol=1e-6,
)

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>The function of the package</summary>
#
# `blocked` is the mask as `True` and `False`, and `fill` is minus infinity, or 0 in an empty row. `tf.cond` saves time,
# because only a batch that has an empty row pays for the second `tf.where`. `backward` computes the gradient, which
# follows the same rule: what is hidden changes nothing. (`sink` belongs to [another lesson](../learn/sinks.py).)

# %% tags=["source", "hide-input"]
import inspect

print(inspect.getsource(softmax_of_visible))

# %% [markdown]
# </details>
#
# So the two programs of the beginning did this: the one filled with minus infinity, and the other added a billion. And
# why not *fill* with -1e9? In an empty row all scores become equal, so that the row reads the plain average of what
# should be hidden. In float16 the number becomes minus infinity, and the empty row NaN.
#
# One more rule holds for all four: hide last. If a [soft cap](../learn/score_rules.py#a-limit-the-soft-cap), which
# keeps scores below a limit, comes after the hiding, it turns even minus infinity into an ordinary score.
#
# ## Where to go next
#
# * [Masks](../learn/masks.py): the lesson, with padding, empty rows and the rule for them.
# * [The museum of bugs](museum.py#masks): more than ten ways to get a mask wrong, each as code that runs.
# * [Why is my attention output NaN?](questions.py#why-is-my-attention-output-nan) Four causes, each in a snippet.
# * [Certify your layer](certify_your_layer.py): does yours read a row in which nothing is left?
