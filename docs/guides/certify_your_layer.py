# ---
# title: Certify your layer
# description: One call finds out which promises about masks a Keras layer keeps, with the smallest example of each broken one; in your test suite too, and the certificates of our layers and of Keras's.
# slow: true
# ---

# %% [markdown]
# # Does my layer keep its promises about masks?
#
# A mask that is the wrong way round, one step off or forgotten raises no error. Only the numbers are
# wrong. [`certify`][clear_attention.certify] calls a layer with small inputs, changes what should not matter, and looks
# whether anything happens. If something is wrong, it looks for the bug by further experiments, and names the one that it
# can prove. It knows our layers, the attention layers of Keras, and every layer of one tensor; of any other you say in
# one line how it is called.
#
# ## One call

# %%
import keras
from clear_attention import certify

keras.utils.set_random_seed(0)
layer = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
of_multi_head = certify(layer)
assert len(of_multi_head.broken) == 4
of_multi_head

# %% [markdown]
# One row for each promise, and three verdicts:
#
# * **held**: no input that was tried broke it.
# * **broken**: one did. The row says what was seen, and unfolds to the smallest example. Printed as text, the row begins
#   with `BROKEN`.
# * **not applicable**: the promise says nothing about this layer, or you have not said that the layer makes it. The row
#   gives the reason.
#
# The first line names a cause that could be proved; other broken rows may have other causes. The end of a row says which
# mask was handed over: none ("with nothing hidden"), one for the future, one for padding, or one that hides all keys. The rows about leaks and numbers come first. The last four *harden* a layer: against NaN
# under the mask, against queries without keys, for 16 bits and for files. Keras's own layers break two of these. If you
# can live with that, ask for `level="correct"`, which leaves the four out.
#
# A broken row is a claim, so it comes with its proof: code that fails when you paste it below the line that makes your
# layer. Here is one, with vectors of 2 numbers (`depth=2`) to make it short.

# %% tags=["source"]
row = certify(layer, depth=2, only=["empty_query"])["empty_query"]
print(row.example)

# %% [markdown]
# Pasted, it fails. Query 0 may see no key, so other keys and values should change nothing. They do:

# %% tags=["wrap"]
try:
    exec(row.example, {"layer": layer})
except AssertionError as error:
    lines = str(error).strip().splitlines()
    print(lines[0], *(x for x in lines if "Max absolute" in x), sep="\n")
else:
    raise RuntimeError("the example should have failed")

# %% [markdown]
# ## Your own layer, in one line
#
# This layer attends from each token to all real tokens of its sentence. Its mask is that of a tokenizer: 1 is a real
# token, 0 is padding. It runs without an error, and it has a bug.

# %%
from keras import ops


class TokenAttention(keras.Layer):
    def __init__(self, width, **kwargs):
        super().__init__(**kwargs)
        self.width = width
        self.project = keras.layers.Dense(3 * width)

    def call(self, x, real):
        q, k, v = ops.split(self.project(x), 3, axis=-1)
        scores = ops.matmul(q, ops.swapaxes(k, 1, 2)) / self.width**0.5
        scores -= 1e9 * ops.cast(real[:, None], scores.dtype)
        return ops.matmul(ops.softmax(scores), v)


# %% [markdown]
# To certify it, say how it is called and what its mask means.

# %% tags=["wrap"]
described = {
    "call": lambda layer, x, padding: layer(x, padding),
    "convention": "huggingface",  # 1 is a real token
}
certificate = certify(TokenAttention(8), **described)
print(certificate.headline)
for row in certificate.first:
    if row.verdict == "broken":
        print(f"{row.name}: {row.detail}")
assert certificate.cause.name == "mask_inverted"
assert {"padding_invariance", "visible_keys_count"} < set(certificate.broken)

# %% [markdown]
# Two promises are broken, and the first line says why, with what proves it: the mask is the wrong way round. The line
# must subtract `1 - real`.

# %% tags=["wrap"]


class Corrected(TokenAttention):
    def call(self, x, real):
        q, k, v = ops.split(self.project(x), 3, axis=-1)
        scores = ops.matmul(q, ops.swapaxes(k, 1, 2)) / self.width**0.5
        scores -= 1e9 * ops.cast(1 - real[:, None], scores.dtype)
        return ops.matmul(ops.softmax(scores), v)


certificate = certify(Corrected(8), **described)
for row in certificate.rows:
    if row.verdict == "broken":
        print(f"{row.name}: {row.detail}")
assert certificate.broken == ("hidden_nan", "empty_query", "float16")
assert certify(Corrected(8), level="correct", **described).broken == ()

# %% [markdown]
# Now the padding is hidden, and the real tokens are not: every row of `level="correct"` is held. What is left is
# hardening, and it is what subtracting cannot do: a NaN minus 1e9
# is still a NaN, a sentence that is all padding attends to its padding, and float16 has no 1e9. So the scores of
# hidden keys must be replaced and not changed.
# [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention] does that:

# %% tags=["wrap"]
from clear_attention import scaled_dot_product_attention


class Replaced(TokenAttention):
    def call(self, x, real):
        q, k, v = ops.split(self.project(x), 3, axis=-1)
        return scaled_dot_product_attention(q, k, v, 1 - real[:, None]).output


certificate = certify(Replaced(8), **described)
for name in certificate.broken:
    print(f"{name}: {certificate[name].detail}")
assert certificate.broken == ("hidden_nan",)
assert "spoils the gradient" in certificate["hidden_nan"].detail

# %% [markdown]
# All outputs are right. The NaN is left in one place: the gradient of a Dense kernel is a sum over all tokens, padding
# among them, and there 0 times NaN is NaN again. So fill padding with zeros before the projection.

# %%


class Mended(Replaced):
    def call(self, x, real):
        return super().call(ops.where(real[..., None] == 1, x, 0), real)


certificate = certify(Mended(8), **described)
certificate.raise_for_failures()  # AssertionError if a promise is broken
print(certificate.summary())

# %% [markdown]
# ### The line, word by word
#
# `call` is a function of the layer and of what it needs. The *names* of its arguments say what it gets:
#
# | argument | what it gets | shape | dtype |
# | --- | --- | --- | --- |
# | `x` | tokens that are queries, keys and values at once | `(batch, length, depth)` | float32 |
# | `q` | queries | `(batch, query_length, depth)` | float32 |
# | `k`, `v` | keys and values; leave out `v` if the layer takes none | `(batch, key_length, depth)` | float32 |
# | `ids` | token ids | `(batch, length)` | int32 |
# | `position_ids` | where each token stands | `(batch, length)` | int32 |
# | `segment_ids` | which text of a packed row a token belongs to | `(batch, length)` | int32 |
# | `mask` | which key is hidden from which query | `(batch, query_length, key_length)` | by `convention` |
# | `padding` | which keys are padding | `(batch, key_length)` | by `convention` |
# | `causal` | whether the layer is to hide the future | no axes | `bool` |
# | `return_weights` | whether to return `(output, weights)` instead of the output | no axes | `bool` |
#
# Take `x`, or `q` with `k`, or `ids`; of the others, what your layer knows. The output is `(batch, query_length, ...)`, or
# one answer for each text, `(batch, features)`: then the rows speak of "the answer". `depth` is read from the layer where
# it can be, else 8; or say it: `certify(layer, ..., depth=64)`. A layer that takes its mask only with one or two more
# axes gets it so, and a note in the certificate says which.
#
# `convention` says what `mask` and `padding` hold. `"blocked"` is the convention of this package: 1 hides a key. These
# are the values that a layer is given:

# %% tags=["hide-input"]
import numpy as np
import tensorflow as tf

received = {}


def spy(layer, q, k, v, mask, causal, return_weights):
    """Note what certify hands over."""
    received.update(q=q, k=k, v=v, mask=mask, causal=causal)
    return (q, mask) if return_weights else q


nothing, conventions = keras.layers.Identity(), ["blocked", "keras", "torch_sdpa"]
conventions += ["torch_mha", "jax", "huggingface", "additive"]
print("convention    visible  hidden  dtype")
for convention in conventions:
    certify(nothing, spy, convention, only=["no_future_leak"], lengths=(3,))
    mask = np.array(received["mask"])[0]
    visible, hidden = mask[-1, 0], mask[0, -1]  # the last query; the first query
    print(f"{convention:12}  {visible!s:7}  {hidden!s:6}  {mask.dtype}")

certify(nothing, spy, "keras", only=["no_future_leak"], lengths=(2, 3))
batch, queries, keys = received["mask"].shape
assert received["q"].shape == (batch, queries, 8)
assert received["k"].shape == received["v"].shape == (batch, keys, 8)
assert received["causal"] is False
assert {received[name].dtype for name in "qkv"} == {tf.float32}


def spy_on_ids(layer, ids, padding):
    received.update(ids=ids, padding=padding)
    return ops.one_hot(ids, 10)


certify(nothing, spy_on_ids, "blocked", only=["batch_independence"])
assert received["ids"].dtype == tf.int32
assert received["ids"].shape == received["padding"].shape

wrong_way_round = {**described, "convention": "blocked"}
assert "visible_keys_count" in certify(Mended(8), **wrong_way_round).broken

# %% [markdown]
# If you don't know which one is yours, see [Which way round is this mask?](mask_conventions.py), or try both ways round: the
# wrong one breaks `visible_keys_count`.
#
# ### My layer looks like this { #which-call }

# %% tags=["remove-input"]
import clear_attention
from IPython.display import Markdown, display


def attend(q, k, v, mask=None):
    return scaled_dot_product_attention(q, k, v, mask).output


def on_itself(x, mask=None):
    return attend(x, x, x, mask)


def only_the_past(x):
    return on_itself(x, clear_attention.create_look_ahead_mask(x.shape[1]))


def only_the_past_of_two(q, k, v):
    return attend(
        q, k, v, clear_attention.create_look_ahead_mask(q.shape[1], k.shape[1])
    )


def pooled(x, real):
    real = ops.cast(real, x.dtype)[..., None]
    return ops.sum(x * real, axis=1) / ops.sum(real, axis=1)


def of_ids(vocab):
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(vocab, 8, mask_zero=True)(ids)
    return keras.Model(ids, keras.layers.MultiHeadAttention(2, 4)(x, x))


LOOKS = [
    ("one tensor in, nothing hidden", on_itself, "certify(layer)"),
    (
        "one tensor in, hides the future by itself",
        only_the_past,
        "certify(layer, causal=True)",
    ),
    (
        "queries, keys and values, a mask with 1 for hidden",
        attend,
        'certify(layer, lambda layer, q, k, v, mask: layer(q, k, v, mask), "blocked")',
    ),
    (
        "queries, keys and values, hides the future by itself",
        only_the_past_of_two,
        "certify(layer, lambda layer, q, k, v: layer(q, k, v), causal=True)",
    ),
    (
        "Keras's `attention_mask`, `True` for visible",
        lambda x, attention_mask: on_itself(x, ~attention_mask),
        'certify(layer, lambda layer, x, mask: layer(x, attention_mask=mask), "keras")',
    ),
    (
        "a tokenizer's mask, 1 for real, and one answer for each text",
        pooled,
        'certify(layer, lambda layer, x, padding: layer(x, padding), "huggingface")',
    ),
    ("token ids, 0 is padding", of_ids(20), "certify(model, pad_id=0, vocab=20)"),
    (
        "token ids, a causal language model",
        lambda ids: only_the_past(ops.one_hot(ops.cast(ids, "int32"), 20)),
        "certify(model, causal=True, vocab=20)",
    ),
    (
        "adds positions",
        lambda x: x + clear_attention.sinusoidal_encoding(x.shape[1], x.shape[2]),
        "certify(layer, positions=True)",
    ),
    (
        "a function that should be attention, and nothing else",
        attend,
        'certify(layer, lambda layer, q, k, v, mask: layer(q, k, v, mask), "blocked", like=scaled_dot_product_attention)',
    ),
]
rows = ["| your layer takes | call |", "| --- | --- |"]
for words, layer, code in LOOKS:
    names = {
        "layer": layer,
        "model": layer,
        "certify": certify,
        "scaled_dot_product_attention": scaled_dot_product_attention,
    }
    quick = f"{code[:-1]}, only={['padding_invariance', 'no_future_leak', 'batch_independence', 'positions', 'like']})"
    tried = eval(quick, names)
    assert not tried.broken, (words, tried)
    assert any(row.verdict == "held" for row in tried.rows)
    rows.append(f"| {words} | `{code}` |")
display(Markdown("\n".join(rows)))

# %% [markdown]
# Each of these calls ran while this page was built, on a layer that is right, and broke nothing.
#
# ### This row is broken: which bug is it? { #which-bug }
#
# Usually the first line of the certificate tells you. If no experiment proves a cause, it says "cause not found" and
# which causes were ruled out; these are the usual bugs behind each row, with their rooms in the museum.

# %% tags=["remove-input"]
from clear_attention.certify import PROMISES
from clear_attention.certify.causes import SENTENCES, rows_of

behind = {}
for name, (sentence, room) in SENTENCES.items():
    for row in rows_of(name):
        behind.setdefault(row, []).append(
            f"[{sentence[0].lower()}{sentence[1:]}](museum.py#{room})"
        )
MORE = {
    "weights_flag": ["[a query without keys gets something else](museum.py#flag)"],
    "hidden_nan": ["[0 times NaN is NaN](museum.py#nan)"],
    "empty_query": [
        "[all scores equal, so the mean of everything](museum.py#empty)"
    ],
    "float16": [
        "[-1e9 is too large a number](museum.py#float16)",
        "[scores overflow](museum.py#overflow)",
    ],
    "save_load": ["[`get_config` is missing or wrong](museum.py#config)"],
    "lengths": [
        "[the length is read from another axis](museum.py#length)",
        "[the output is weights times values, elementwise](museum.py#elementwise)",
    ],
    "window_extent": ["[the window is one token too wide](museum.py#window)"],
    "cache_equals_full": [
        "[the cache forgets its positions](museum.py#cache-positions)"
    ],
    "head_groups": [
        "[shared heads are tiled, not repeated](museum.py#tiled-groups)"
    ],
    "position_shift": ["[the values are turned, too](museum.py#rotated-values)"],
    "like": ["[rotary layouts are mixed](museum.py#rotary-layout)"],
    "modes_agree": [
        "Python's `if` on a tensor, or a number that is drawn while the graph is traced"
    ],
}
for row, words in MORE.items():
    behind.setdefault(row, []).extend(words)
rows = ["| broken row | usual bugs |", "| --- | --- |"]
rows += [
    f"| `{row}` | {'; '.join(behind[row])} |" for row in PROMISES if row in behind
]
display(Markdown("\n".join(rows)))

# %% [markdown]
# ### Promises that only some layers make { #claims }
#
# Say what else your layer is built to do, and it is held to it.
#
# | you say | the row | what is tried |
# | --- | --- | --- |
# | `window=3` | `window_extent` | a query notices exactly the keys of its window, its own position counted |
# | `cache=` a function of the layer, the tokens and what was kept | `cache_equals_full` | token by token, in chunks and at once the outputs are those of one call |
# | `grouped=` a function of 4 heads of queries and 2 of keys, `groups="repeat"` or `"tile"` | `head_groups` | each head of keys serves the right heads of queries |
# | `relative=True`, and `position_ids` in the call | `position_shift` | shifting all positions changes nothing |
# | `segment_ids` in the call | `packing_isolation` | texts packed in one row do not see each other |
# | `recompute=True`, or another call that computes again | `checkpointing` | outputs and gradients are the same when they are computed again on the way back |


# %% tags=["wrap"]
from clear_attention import MultiHeadAttention


def cache(layer, x, kept):
    """Call the layer with what it kept: None for the first tokens."""
    return layer(
        x, causal=True, cache=layer.create_cache(2, 6) if kept is None else kept
    )


layer = MultiHeadAttention(8, 2)
layer(ops.ones((1, 2, 8)))
certificate = certify(
    layer,
    lambda layer, x: layer(x, causal=True),
    causal=True,
    cache=cache,
    recompute=True,
    only=["cache_equals_full", "checkpointing"],
)
for row in certificate.rows:
    print(f"{row.name}: {row.verdict}, {row.detail}".rstrip(", "))
    assert row.verdict == "held"

# %% [markdown]
# ## A language model
#
# A causal model takes ids and no mask: it hides the future by itself. Tell `certify` so with its own argument
# `causal=True`. (The `causal` in the table above is another one, a switch that a layer is handed.) `vocab=20` says how
# many ids the model knows: `certify` draws ids below it. A Keras model with one input needs no `call`. In this one the
# switch `use_causal_mask` was forgotten:


# %% tags=["wrap"]
def language_model(vocab, hide_the_future):
    ids = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(vocab, 8)(ids)
    attend = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
    x = keras.layers.Add()([x, attend(x, x, use_causal_mask=hide_the_future)])
    return keras.Model(ids, keras.layers.Dense(vocab)(x))


forgotten = certify(language_model(20, False), causal=True, vocab=20)
right = certify(language_model(20, True), causal=True, vocab=20)
print("forgotten:", forgotten.summary())
print(forgotten["no_future_leak"].detail)
print("with the switch:", right.summary())
assert forgotten.broken == ("no_future_leak",)
assert right.broken == ()

# %% [markdown]
# In training, query 0 has to predict token 1. If it changes with key 1, it can copy the answer. That is where an
# accuracy that is too good to be true comes from.
#
# ## In your test suite
#
# With clear-attention installed, pytest knows the fixture `assert_certified`. It takes what `certify` takes, and
# `allow`: the promises that you know to be broken and accept. This is a whole project. `my_layers.py`:

# %% tags=["remove-input"]
LAYERS = """\
import keras


def attention():
    return {"layer": keras.layers.Attention(), "lengths": (2, 3)}
"""
TESTS = """\
from my_layers import attention


def test_all_promises_but_two(assert_certified):
    assert_certified(**attention(), allow=["hidden_nan", "alignment"])


def test_the_two_we_rely_on(assert_certified):
    assert_certified(**attention(), only=["no_future_leak", "float16"])
"""
display(Markdown(f"```python\n{LAYERS}```"))

# %% [markdown]
# And `test_my_layers.py`:

# %% tags=["remove-input"]
display(Markdown(f"```python\n{TESTS}```"))

# %% [markdown]
# `pytest` fails, and shows the broken promise. Below its line, left out here, stands the example to paste.

# %% tags=["remove-input", "wrap"]
import re
import subprocess
import sys
import tempfile
from pathlib import Path

project = tempfile.TemporaryDirectory()
folder = Path(project.name)
(folder / "my_layers.py").write_text(LAYERS)
(folder / "test_my_layers.py").write_text(TESTS)


def run(*command):
    """Run `python -m command` in the project."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


tested = run("pytest", "-q", "-p", "no:cacheprovider", "--color=no")
shown = re.findall(
    r"^(?:E .*BROKEN .*|FAILED [^ ]*|\d+ failed.*(?= in ))", tested.stdout, re.M
)
print("\n".join(shown))
assert tested.returncode == 1, tested.stdout + tested.stderr
assert shown[-1] == "1 failed, 1 passed"
assert len(shown) == 3
assert "empty_query" in shown[0]
assert "np.testing.assert_allclose(after[0, 0], before[0, 0]" in tested.stdout

# %% [markdown]
# Without a test suite there is a command. It takes a function that returns the layer, or a dictionary of the
# arguments of `certify`, as ours does. It writes the certificate as JSON, and its exit code is 0 if no promise is
# broken, 1 if one is, 2 if no certificate could be made.
#
# ```sh
# python -m clear_attention.certify my_layers:attention --json certificate.json
# ```

# %% tags=["remove-input", "wrap"]
import json

arguments = ("clear_attention.certify", "my_layers:attention")
commanded = run(*arguments, "--json", "certificate.json")
saved = json.loads((folder / "certificate.json").read_text())
project.cleanup()
print("...")
print("\n".join(commanded.stdout.splitlines()[-2:]))
print("exit code", commanded.returncode)
print("certified in the JSON file:", saved["certified"])
broken = [row["name"] for row in saved["rows"] if row["verdict"] == "broken"]
assert commanded.returncode == 1, commanded.stderr
assert broken == ["alignment", "hidden_nan", "empty_query"]

# %% [markdown]
# ## Our certificates
#
# These certificates were made while this page was built, with `lengths=(2, 3)`: on texts of two and three tokens.
# Keras's layers below were certified with the default lengths 2, 3 and 5, and then the row `lengths` also tries 1, 8
# and 9.

# %% tags=["hide-input"]
from clear_attention import (
    CrossAttentionBlock,
    Decoder,
    DecoderLayer,
    DotProductAttention,
    Encoder,
    EncoderLayer,
    FeedForwardBlock,
    PositionalEncoding,
    SelfAttentionBlock,
    Transformer,
)

CELLS = {
    "held": "<td>held</td>",
    "broken": "<td class='broken'><strong>BROKEN</strong></td>",
    "not applicable": "<td aria-label='does not apply'>-</td>",
}


class Verdicts:
    """A table: a row for each promise, a column for each certificate."""

    def __init__(self, caption, certificates):
        self.caption, self.certificates = caption, certificates

    def __repr__(self):
        return self.caption

    def _repr_html_(self):
        turned = "style='writing-mode: vertical-rl; text-align: end'"
        head = "".join(
            f"<th scope='col' {turned}><code>{name}</code></th>"
            for name in self.certificates
        )
        rows = zip(*(c.rows for c in self.certificates.values()), strict=True)
        body = "".join(
            f"<tr><th scope='row'><code>{row[0].name}</code></th>"
            + "".join(CELLS[cell.verdict] for cell in row)
            + "</tr>"
            for row in rows
        )
        return (
            f"<table class='verdicts'><caption>{self.caption}</caption><thead>"
            f"<tr><th scope='col'>Promise</th>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )


ours = {
    "scaled_dot_product_attention": scaled_dot_product_attention,
    "DotProductAttention": DotProductAttention(),
    "MultiHeadAttention": MultiHeadAttention(8, 2),
    "PositionalEncoding": PositionalEncoding(),
    "SelfAttentionBlock": SelfAttentionBlock(8, 2),
    "CrossAttentionBlock": CrossAttentionBlock(8, 2),
    "FeedForwardBlock": FeedForwardBlock(8, 16),
    "EncoderLayer": EncoderLayer(8, 2, 16),
    "DecoderLayer": DecoderLayer(8, 2, 16),
    "Encoder": Encoder(1, 8, 2, 16),
    "Decoder": Decoder(1, 8, 2, 16),
    "Transformer": Transformer(1, 8, 2, 16, 11, 12),
}
assert set(ours) <= set(clear_attention.__all__)
ours = {name: certify(layer, lengths=(2, 3)) for name, layer in ours.items()}
assert not any(certificate.broken for certificate in ours.values())
assert {certificate["lengths"].detail for certificate in ours.values()} == {
    "lengths 2, 3"
}
Verdicts("clear-attention's layers and its function", ours)

# %% [markdown]
# A dash means that the promise does not apply, and the row's `detail` gives the reason:

# %% tags=["wrap"]
for name, row in [
    ("FeedForwardBlock", "no_future_leak"),
    ("Encoder", "positions"),
    ("PositionalEncoding", "key_permutation"),
    ("Transformer", "weights_flag"),
    ("FeedForwardBlock", "key_permutation"),
]:
    print(f"{name}, {row}: {ours[name][row].verdict}, {ours[name][row].detail}")
dashes = {
    n: {r.name for r in c.rows if r.verdict == "not applicable"}
    for n, c in ours.items()
}
assert [name for name in ours if "positions" not in dashes[name]] == [
    "PositionalEncoding",
    "Transformer",
]
assert [name for name in ours if "key_permutation" in dashes[name]] == [
    "PositionalEncoding",
    "Transformer",
]
assert {"hidden_nan", "weights_sum_to_one", "weights_flag"} <= dashes["Transformer"]
assert [name for name in ours if "save_load" in dashes[name]] == [
    "scaled_dot_product_attention"
]
assert [name for name in ours if "alignment" not in dashes[name]] == [
    "MultiHeadAttention"
]

# %% [markdown]
# The commonest reasons, in words:
#
# * **Masks.** `FeedForwardBlock` and `PositionalEncoding` take no mask, so they have nothing to hide.
# * **`positions`.** Encoders, decoders and attention add no positions of their own. `PositionalEncoding` and
#   `Transformer` do.
# * **`key_permutation`.** A layer that knows positions notices when keys are moved. `FeedForwardBlock` has no keys, and
#   still holds the promise: where queries and keys are the same tokens, the row moves the tokens, and asks whether the
#   outputs move with them.
# * **Ids.** `certify` calls the `Transformer` with ids, which cannot be NaN, and does not ask it for weights.
# * **`alignment`** is about the causal switch of a layer whose queries and keys may differ in number. Of these layers
#   only `MultiHeadAttention` has both such keys and such a switch.
# * **`save_load`.** A function has nothing to save.
#
# ## Keras's certificates
#
# These are good layers, and many models use them. No broken row makes them useless. But each broken row is a case in
# which they raise no error, and their answer is not the one you would expect.

# %% tags=["hide-input"]
theirs = {
    "MultiHeadAttention": of_multi_head,
    "GroupQueryAttention": certify(keras.layers.GroupQueryAttention(4, 4, 2)),
    "Attention": certify(keras.layers.Attention()),
    "AdditiveAttention": certify(keras.layers.AdditiveAttention()),
}
in_all = {"hidden_nan", "empty_query", "alignment"}
for name, certificate in theirs.items():
    two = name in ("MultiHeadAttention", "GroupQueryAttention")
    assert set(certificate.broken) == in_all | ({"weights_flag"} if two else set())
    assert certificate["lengths"].detail == "lengths 1, 2, 3, 5, 8, 9"
    assert certificate["weights_sum_to_one"].verdict == "held"
Verdicts(f"Keras {keras.__version__}: keras.layers", theirs)

# %% [markdown]
# * **`hidden_nan`**: a NaN or an infinity in a hidden token reaches the outputs that should not see it, because 0 times
#   NaN is NaN. Fill padding with zeros before the layer; in a real token, find out where the NaN comes from.
# * **`empty_query`**: a query with no key left gets the mean of all values, hidden ones among them. Set its output to 0
#   yourself. (`weights_sum_to_one` is held all the same: it judges the queries that see a key.)
# * **`weights_flag`**: for such a query `MultiHeadAttention` and `GroupQueryAttention` give another output when you ask
#   for the scores. The same remedy serves.
# * **`alignment`**: with fewer queries than keys, as with cached keys, the last query has the position of the last key.
#   `use_causal_mask` gives the first query the position of the first key instead, so the newest query does not see the
#   newest keys. The certificate calls that "upper left", after the corner of the mask. Hand over a mask made by
#   [`create_look_ahead_mask(queries, keys)`][clear_attention.create_look_ahead_mask] instead.
#
# The remedies, certified:

# %%
from clear_attention import create_look_ahead_mask


def with_care(layer, q, k, v, padding, return_weights):
    """certify hands Keras's kind of mask to the argument padding: True is a real token."""
    k, v = (ops.where(padding[..., None], x, 0) for x in (k, v))
    output, weights = layer(
        q, v, k, attention_mask=padding[:, None], return_attention_scores=True
    )
    output = ops.where(ops.any(padding, axis=-1)[:, None, None], output, 0)
    return (output, weights) if return_weights else output


def with_a_cache(layer, q, k, v):
    blocked = create_look_ahead_mask(q.shape[1], k.shape[1])
    return layer(q, v, k, attention_mask=blocked[None] == 0)


layer = keras.layers.MultiHeadAttention(2, 4)
padded = certify(
    layer, with_care, "keras", only=["hidden_nan", "empty_query", "weights_flag"]
)
cached = certify(layer, with_a_cache, causal=True, only=["alignment"])
for row in padded.rows + cached.rows:
    print(f"{row.name}: {row.verdict}")
    assert row.verdict == "held"

# %% [markdown]
# The certificate of `keras.layers.MultiHeadAttention` stands [at the top](#one-call). These are the other three, each
# with its examples.

# %%
theirs["GroupQueryAttention"]

# %%
theirs["Attention"]

# %%
theirs["AdditiveAttention"]

# %% [markdown]
# ## What a certificate does not prove
#
# It is a finite number of tests with random inputs from one seed: "held" means that no counterexample was found. The
# sizes are small, by default at most nine tokens and two sentences, so a fault that needs a long text or a large batch
# is not seen. A change below `1e-5` of the largest output counts as none, and some rows allow more, up to `1e-3`
# for the sum of the weights.

# %% [markdown]
# ## Where to go next
#
# * [Reference: certify](../reference/certify.md): every argument.
# * [Which way round is this mask?](mask_conventions.py): the conventions side by side.
# * [Masks](../learn/masks.py): why a query with no key left gets 0.
