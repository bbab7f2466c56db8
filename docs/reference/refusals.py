# ---
# title: Refusals
# description: Every bad call and the sentence it gets, function by function, each of them run while the site was built.
# ---

# %% [markdown]
# # Refusals
#
# A call that could only give wrong numbers is refused, with one sentence that says what to change. Below are the kinds
# of bad calls of every function and layer, and what they get. All of them were run while the site was built.
#
# ## How to read a refusal
#
# A sentence has three parts:
#
# 1. **The law**, in the words for [axes](../notation.md#axes) that the whole package uses.
# 2. **Expected:** what would have been right here.
# 3. **Received:** what came in, most often a shape or a dtype.
#
# A wrong type is a `TypeError`, a wrong shape or value is a `ValueError`. The exceptions are few:
#
# * A report or a certificate that is asked for a name it does not hold raises a `KeyError`, as a dictionary does.
# * A certificate in which no promise applies raises an `AssertionError`, as one with broken promises does.
# * In a graph, as in `fit` and `predict`, values can't be read beforehand. There an assertion checks ids and the room
#   in a cache, by the same law, and the error is TensorFlow's `InvalidArgumentError`.
#
# **To find yours,** search this page for the first words of its law, without numbers and names, which are those of the
# calls below. Or go to what you called. A layer's sentence stands inside Keras's own message, between *Exception
# encountered when calling* and *Arguments received by*.
#
# ## What all calls share
#
# Paste this first. After it every call below runs alone.

# %% tags=["remove-input"]
import html
import re
import tomllib
from pathlib import Path

from IPython.display import Markdown, display

table = tomllib.loads(Path("refusals.toml").read_text(encoding="utf-8"))
display(Markdown(f"```python\n{table['prepare']}```"))

# %% [markdown]
# This is how they are run. The repository holds a table of calls and sentences: a call that says anything else stops
# the build, and a test finds every refusal in the code that no call reaches.


# %% tags=["hide-input"]
def sentence_of(error):
    """Leave out what Keras (signs for bold letters) and TensorFlow (in a graph) write around a sentence."""
    text = str(error.args[0] if isinstance(error, KeyError) else error)
    around = r"\x1b\[1m(.*?)\x1b\[0m|assertion failed: \[(.*?)\]\n"
    found = re.search(around, text, re.DOTALL)
    return (found[1] or found[2]) if found else text


def outcome(call, names):
    """Return the type of the error that a call raises, and its sentence."""
    try:
        eval(call, dict(names))
    except Exception as error:
        return type(error).__name__, sentence_of(error)
    return "no error", ""


# %% [markdown]
# ## What is refused, name by name


# %% tags=["remove-input"]
def entry(row, names, anchor):
    """Run a call and write what came out; refuse what is not in the table."""
    found, wanted = outcome(row["call"], names), (row["error"], row["sentence"])
    assert found == wanted, f"{row['call']}\nraised: {found}\nrefusals.toml: {wanted}"
    call, error, words = (html.escape(text, quote=False) for text in (row["call"], *found))
    words = re.sub(r"\b(Expected|Received):", r"<i>\1:</i>", words).replace("\n\n", "<br>")
    return f'<dt id="{anchor}"><code>{call}</code></dt>\n<dd><strong>{error}</strong> {words}</dd>'


names = {}
exec(table["prepare"], names)
for name, rows in table["refused"].items():
    entries = "\n".join(entry(row, names, f"{name}-{n}") for n, row in enumerate(rows, 1))
    heading = f"### [`{name}`][clear_attention.{name}] {{ #{name} }}"
    display(Markdown(f"{heading}\n\n<dl>\n{entries}\n</dl>"))
