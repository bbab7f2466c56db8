# ---
# title: How do I read the configuration of a current model?
# description: Every line of a typical decoder's config.json explained, from heads and rotary positions to windows, sinks, soft caps, norms and tied embeddings, each executed on a small file of our own, with the number of weights and the bytes of the cache computed from it.
# ---

# %% [markdown]
# # How do I read the configuration of a current model?
#
# A published language model comes as a large file of weights and a small text file, `config.json`. The small one says what
# machine the weights belong to. Its lines have names like `num_key_value_heads` and `rope_theta`, and nobody explains them
# there. Which of them can you leave alone, and which one makes the model write nonsense if you misread it?
#
# Below is such a file. We made it up and made it small, so that all of it can be executed here, but each line (except
# `attention_sinks`) has the name that it has in the files of today's models. The model is a **decoder** without an encoder: it reads the tokens so far and
# says which one comes next.

# %%
import json

config = json.loads("""{
  "model_type": "our-own",
  "vocab_size": 320,
  "hidden_size": 48,
  "num_hidden_layers": 4,
  "intermediate_size": 128,
  "hidden_act": "silu",
  "num_attention_heads": 4,
  "num_key_value_heads": 2,
  "head_dim": 16,
  "attention_bias": false,
  "max_position_embeddings": 1024,
  "rope_theta": 500000.0,
  "rope_scaling": {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 128
  },
  "sliding_window": 32,
  "layer_types": ["sliding_attention", "full_attention",
                  "sliding_attention", "full_attention"],
  "attention_sinks": true,
  "attn_logit_softcapping": 50.0,
  "final_logit_softcapping": 30.0,
  "rms_norm_eps": 1e-6,
  "tie_word_embeddings": true,
  "torch_dtype": "bfloat16",
  "bos_token_id": 1,
  "eos_token_id": 2,
  "pad_token_id": 0
}""")
print(len(config), "lines, a mapping and a list counted as one")
assert len(config) == 24

# %% [markdown]
# ## Sizes
#
# * `vocab_size`: how many different tokens there are. Each has a row in the table of
#   [embeddings](../learn/reading_dates.py#what-goes-in).
# * `hidden_size`: how many numbers describe one token between the layers. Here and in the paper of 2017 it is called
#   `d_model`.
# * `num_hidden_layers`: how many layers stand on top of each other. Each is attention and then feed-forward, both with a
#   norm and a residual: [the Transformer layer](../learn/transformer_layer.py).
# * `intermediate_size`: how wide the [feed-forward](../learn/feed_forward.py) block is inside. Here it is called `d_ff`.
#
# ## Heads
#
# * `num_attention_heads`: how many [heads](../learn/multi_head.py) of queries look side by side. Here: `num_heads`.
# * `num_key_value_heads`: how many heads of keys and values there are. If they are fewer, each serves several heads of
#   queries, so that less has to be kept while writing: [Fewer keys than queries](../learn/fewer_keys.py).
# * `head_dim`: how many numbers a query or a key of one head has. Here: `d_k`. If the line is missing, it is
#   `hidden_size` / `num_attention_heads`. In this file that would be 12, and the line says 16. So all heads together are
#   wider (4 times 16 = 64) than a token (48). The last projection leads back to 48.
# * `attention_bias`: whether the projections add a number to each output. Here: `use_bias`.
#
# These four lines decide the shapes of the weights:

# %%
from clear_attention import MultiHeadAttention

heads = {
    "d_model": config["hidden_size"],
    "num_heads": config["num_attention_heads"],
    "num_key_value_heads": config["num_key_value_heads"],
    "d_k": config["head_dim"],
    "use_bias": config["attention_bias"],
}
attention = MultiHeadAttention(**heads)
attention.build((None, None, config["hidden_size"]))
for part in ("queries", "keys", "values", "output"):
    dense = getattr(attention, f"project_{part}")
    print(f"{part:8}", tuple(dense.kernel.shape), "no bias" * (dense.bias is None))
assert config["hidden_size"] // config["num_attention_heads"] == 12
assert attention.project_queries.kernel.shape == (48, 64)
assert attention.project_keys.kernel.shape == (48, 32)
assert attention.project_output.kernel.shape == (64, 48)

# %% [markdown]
# ## Positions
#
# * `rope_theta`: positions are not added to the tokens. Queries and keys are turned by them, pair of numbers by pair, each
#   pair at a speed of its own, like the hands of a clock: [Positions that turn](../learn/turning_positions.py). The larger
#   this number, the slower the slowest hand. Here: `base`.
# * `max_position_embeddings`: the longest text that the authors vouch for, in tokens. Nothing in the weights has this size
#   if positions are turned; it is a promise, and often the room that a program sets aside.
# * `rope_scaling`: the model was first trained on texts of `original_max_position_embeddings` tokens, and then made fit for
#   texts that are `factor` times as long: its slow hands were slowed down. `rope_type` (in older files `type`) says how.
#   Newer files put `rope_theta` and these numbers together, under the name `rope_parameters`.
#
# | `rope_type` | here: `scaling=` |
# | --- | --- |
# | missing, `default` | `None` |
# | `linear` | `"interpolation"` |
# | `llama3` | `"by_parts"`; `high_freq_factor` is `fast`, `low_freq_factor` is `slow` |
# | `yarn` | `"yarn"`; `beta_fast` is `fast`, `beta_slow` is `slow` |
# | `dynamic` | `"ntk"`, with another factor for each length: `factor * length / max_position_embeddings - (factor - 1)` |
#
# The cell makes the turns from the file, and prints, for the first four of the eight hands, how many tokens each needs to go round once. Hands that turn more
# than 4 times in the original 128 tokens stay as they are, and hands that turn less than once become 8 times as slow.

# %%
import numpy as np
from clear_attention import RotaryPositions


def rotary_from(config):
    """Make rotary positions from the lines of a configuration."""
    given = config.get("rope_scaling") or {}
    kind = given.get("rope_type", given.get("type", "default"))
    told = {"base": config["rope_theta"], "factor": given.get("factor", 1.0)}
    if kind == "linear":
        told |= {"scaling": "interpolation"}
    elif kind in ("llama3", "yarn"):
        llama = kind == "llama3"
        fast, slow = ("high_freq_factor", "low_freq_factor")
        fast, slow = (fast, slow) if llama else ("beta_fast", "beta_slow")
        told |= {
            "scaling": "by_parts" if llama else "yarn",
            "original_length": given.get(
                "original_max_position_embeddings",
                config["max_position_embeddings"],
            ),
            "fast": given.get(fast, 32.0),
            "slow": given.get(slow, 1.0),
        }
    elif kind != "default":
        raise ValueError(f"rope_type {kind!r} needs more than this function knows")
    return RotaryPositions(**told)


rotary = rotary_from(config)
before = RotaryPositions(base=config["rope_theta"]).speeds(config["head_dim"])
after = rotary.speeds(config["head_dim"])
print("hand  turns in 128  tokens a round  after scaling")
for hand in range(4):
    rounds = [2 * np.pi / speeds[hand] for speeds in (before, after)]
    print(
        f"{hand:4}  {128 / rounds[0]:12.2f}  {rounds[0]:14.1f}  {rounds[1]:13.1f}"
    )

by_hand = before.copy()  # what llama3 says, in three lines
turns = 128 * before / (2 * np.pi)
part = np.clip((turns - 1.0) / (4.0 - 1.0), 0, 1)
by_hand = part * before + (1 - part) * before / 8.0
np.testing.assert_allclose(after, by_hand)
assert before[0] == after[0]
for kind, expected in {"linear": "interpolation", "yarn": "yarn"}.items():
    other = {**config["rope_scaling"], "rope_type": kind}
    assert rotary_from({**config, "rope_scaling": other}).scaling == expected
np.testing.assert_allclose(after[2:], before[2:] / 8)

# %% [markdown]
# ## Who sees whom
#
# * `sliding_window`: how far back a query looks, in tokens, where a layer has a window. Here 32 means its own token and the
#   31 before it.
# * `layer_types`: which layers have the window. The others see everything before them. What a windowed layer does not see
#   can still reach it in steps, through the layers below: [windows](../learn/windows.py#but-layers-stack).
# * `attention_sinks`: a query that needs nothing from anybody must give its weight to something. A sink is one more score,
#   with no value behind it, which takes this weight: [Attention sinks](../learn/sinks.py). Few files have
#   such a line, and its name is ours. In the models of gpt-oss (2025) the sinks are found among the weights, one number
#   for each head of queries.
#   Something else has the same name: the first tokens of a text, which many models use for this and which must not leave a
#   window. Here that is `window=32, first_keys=4` when the layer is made.
#
# The mask of a windowed layer, for a short text and a window of 3, with and without a first key that stays visible:

# %%
from clear_attention import (
    combine_masks,
    create_look_ahead_mask,
    create_window_mask,
)

small = combine_masks(create_window_mask(6, window=3), create_look_ahead_mask(6))
kept = combine_masks(
    create_window_mask(6, window=3, first_keys=1), create_look_ahead_mask(6)
)
for row, with_first in zip(small.numpy(), kept.numpy(), strict=True):
    print(*(".#"[int(n)] for n in row), "  ", *(".#"[int(n)] for n in with_first))
np.testing.assert_array_equal(small[5], [1, 1, 1, 0, 0, 0])
np.testing.assert_array_equal(kept[5], [0, 1, 1, 0, 0, 0])

# %% [markdown]
# (`#` is a blocked key. A row is a query.)
#
# ## Caps
#
# A soft cap c makes of each number s the number c tanh(s / c). Small numbers stay nearly what they are, and none is ever
# larger than c.
#
# * `attn_logit_softcapping`: the cap of the scores, before the mask and before the softmax. Here: `softcap`. [Why it must
#   come before the mask](museum.py#softcap).
# * `final_logit_softcapping`: the cap of the logits, the numbers that say which token comes next. It lies behind all
#   attention, so it is one line of your own. Since tanh keeps the order of numbers, the most probable token stays the same;
#   only the probabilities come closer together.


# %%
def cap(x, most):
    return most * np.tanh(x / most)


for score in (1.0, 20.0, 100.0, 1000.0):
    capped = float(cap(score, config["attn_logit_softcapping"]))
    print(f"score {score:6.0f}, capped {capped:6.2f}")
assert cap(1.0, 50.0) > 0.999
assert cap(1000.0, 50.0) <= 50
logits = np.array([40.0, 10.0, -5.0])
assert np.argmax(cap(logits, 30.0)) == np.argmax(logits)

# %% [markdown]
# ## Norm and feed-forward
#
# Two parts of such a model are not in this package, because they are three lines each.
#
# * `rms_norm_eps`: the norm is an [**RMS norm**](../learn/norm_first.py#the-norm-of-today). Unlike the layer norm it does not
#   subtract the mean. It divides a token by the root of the mean of its squares, and multiplies by a learned number for each
#   channel. This line is added to the mean, so that a token of zeros is not divided by 0. Zhang and Sennrich (2019) found that
#   the mean can be left out.
# * `hidden_act`: the function inside the feed-forward block. `silu` is x / (1 + e<sup>-x</sup>). The block is **gated**: one
#   projection goes through this function and is then multiplied, number by number, with a second projection. So there are
#   three matrices in place of two, and no biases. That is from Shazeer (2020).


# %%
def rms_norm(x, weight, epsilon):
    mean_square = np.mean(x**2, axis=-1, keepdims=True)
    return x / np.sqrt(mean_square + epsilon) * weight


def silu(x):
    return x / (1 + np.exp(-x))


def gated_feed_forward(x, gate, up, down):
    return (silu(x @ gate) * (x @ up)) @ down


normed = rms_norm(np.array([3.0, -4.0]), np.ones(2), config["rms_norm_eps"])
print("(3, -4) normed:", normed.round(4))  # the root of (9 + 16) / 2 is 3.5355
np.testing.assert_allclose(normed, np.array([3, -4]) / np.sqrt(12.5), atol=1e-6)
np.testing.assert_allclose(np.mean(normed**2), 1, atol=1e-6)
assert silu(0.0) == 0.0

# %% [markdown]
# ## The rest
#
# * `tie_word_embeddings`: whether the table that turns ids into vectors also turns the last vectors into logits. If so, there
#   is one such table in the file of weights, and not two.
# * `torch_dtype` (in newer files `dtype`): the type in which the weights are kept. bfloat16 takes 2 bytes for each number.
# * `bos_token_id`, `eos_token_id`, `pad_token_id`: the ids that begin a text, end it, and fill it up. Here they are called
#   `start_id`, `end_id` and `pad_id`. Some files have several ends, in a list.
# * `model_type`: which program knows the rest. There is a rest: see [below](#what-the-file-does-not-say).
#
# ## The whole file, executed
#
# Now the model is built from the file. The weights are random, so it writes nonsense, but it has the right shapes and the
# right rules. Everything except attention is NumPy. `read` goes through the model once: embed the ids, add what each layer
# finds, normalise, compare with the table of embeddings, cap.


# %%
def build(config, seed=0):
    rng = np.random.default_rng(seed)
    width, inside = config["hidden_size"], config["intermediate_size"]

    def matrix(*shape):
        return rng.normal(size=shape) / np.sqrt(shape[0])

    layers = []
    for kind in config["layer_types"]:
        attention = MultiHeadAttention(
            **heads,
            rotary=rotary,
            softcap=config["attn_logit_softcapping"],
            sink=config["attention_sinks"],
            window=config["sliding_window"]
            if kind == "sliding_attention"
            else None,
        )
        attention.build((None, None, width))
        norms = [np.ones(width), np.ones(width)]
        feed_forward = [matrix(width, inside), matrix(width, inside)]
        feed_forward.append(matrix(inside, width))
        layers.append((attention, norms, feed_forward))
    embeddings = rng.normal(size=(config["vocab_size"], width))
    return {"embeddings": embeddings, "layers": layers, "norm": np.ones(width)}


def read(model, config, ids):
    epsilon = config["rms_norm_eps"]
    x = model["embeddings"][ids][None]  # (batch, length, hidden_size)
    for attention, norms, feed_forward in model["layers"]:
        tokens = rms_norm(x, norms[0], epsilon).astype("float32")
        x = x + np.array(attention(tokens, causal=True))
        x = x + gated_feed_forward(rms_norm(x, norms[1], epsilon), *feed_forward)
    logits = rms_norm(x, model["norm"], epsilon) @ model["embeddings"].T
    return cap(logits, config["final_logit_softcapping"])[0]  # (length, vocab)


import keras

keras.utils.set_random_seed(0)
model = build(config)
ids = np.random.default_rng(1).integers(3, config["vocab_size"], size=100)
logits = read(model, config, ids)
print("logits:", logits.shape, " largest:", round(float(np.max(np.abs(logits))), 1))
assert logits.shape == (100, 320)
assert np.max(np.abs(logits)) <= 30

others = ids.copy()
others[60] = 5 if ids[60] != 5 else 6
moved = np.abs(read(model, config, others) - logits).max(axis=-1)
print(
    "another token at place 60 is noticed first at:", int(np.argmax(moved > 1e-4))
)
print("and still noticed at place 99:", bool(moved[99] > 1e-4))
assert np.all(moved[:60] < 1e-4)
assert moved[60] > 1e-4
assert moved[99] > 1e-4

# %% [markdown]
# Place 99 is 39 places behind place 60, farther than a window. It notices the other token all the same, because two of the
# four layers have no window.
#
# ## How many weights, and how much memory?
#
# Both follow from the file alone. The weights are counted part by part, and the sum is compared with the model that was
# built. The cache keeps a key and a value of each token, for each head of keys, in each layer. A layer with a window needs no
# more than its last 32.


# %%
from IPython.display import Markdown

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}


def weights_of(config):
    """Count the weights of each part, from the lines of the file."""
    width, depth = config["hidden_size"], config["head_dim"]
    queries = config["num_attention_heads"] * depth
    keys = config["num_key_value_heads"] * depth
    layers = config["num_hidden_layers"]
    biases = queries + 2 * keys + width if config["attention_bias"] else 0
    sinks = config["num_attention_heads"] if config["attention_sinks"] else 0
    tables = 1 if config["tie_word_embeddings"] else 2
    projections = width * queries + 2 * width * keys + queries * width
    return {
        "embeddings": tables * config["vocab_size"] * width,
        "attention": layers * (projections + biases + sinks),
        "feed-forward": layers * 3 * width * config["intermediate_size"],
        "norms": (2 * layers + 1) * width,
    }


def cache_bytes(config, length):
    """Bytes of the keys and values that are kept of a text, in the type of the file."""
    numbers = 2 * config["num_key_value_heads"] * config["head_dim"]
    kept = 0
    for kind in config["layer_types"]:
        windowed = kind == "sliding_attention"
        kept += min(length, config["sliding_window"]) if windowed else length
    return kept * numbers * BYTES[config["torch_dtype"]]


counted = weights_of(config)
total = sum(counted.values())
built = model["embeddings"].size + model["norm"].size
for attention, norms, feed_forward in model["layers"]:
    built += attention.count_params() + sum(a.size for a in norms + feed_forward)
assert total == built

full = {**config, "num_key_value_heads": config["num_attention_heads"]}
one_layer = attention.create_cache(batch=1, capacity=1)
assert one_layer.keys.shape == (1, 2, 1, 16)
assert cache_bytes(config, 1) == 4 * 2 * (2 * 16) * 2 == 512
assert cache_bytes(full, 1) == 2 * cache_bytes(config, 1)
assert cache_bytes(config, 1024) - cache_bytes(config, 1023) == 256
rows = ["| part | weights |", "| --- | --- |"]
rows += [f"| {name} | {number:,} |" for name, number in counted.items()]
rows.append(f"| together | {total:,} |")
rows.append(f"| in {config['torch_dtype']} | {2 * total:,} bytes |")
cached = [
    "| cache of a text | bytes | with 4 heads of keys |",
    "| --- | --- | --- |",
]
for length in (1, 32, 1024):
    sizes = [f"{cache_bytes(c, length):,}" for c in (config, full)]
    cached.append(f"| {length:,} token{'s' * (length > 1)} | {' | '.join(sizes)} |")
Markdown("\n".join([*rows, "", *cached]))

# %% [markdown]
# In short, for layers without a window: bytes per token = 2 · layers · `num_key_value_heads` · `head_dim` · bytes of a number.
# The number of *query* heads is not in it. Each token costs 512 bytes here at first, and 256 from the 33rd token on, when two
# of the four layers have a full window. (Our own cache is simpler: it keeps all tokens in every layer, and the mask hides
# those outside of the window. So it gives the same numbers and saves nothing.)
#
# ## Lines that are often misread
#
# | line | it is not |
# | --- | --- |
# | `head_dim` | always `hidden_size` / heads. If the line is there, it counts. |
# | `num_key_value_heads` | how many heads of queries share one head of keys. That is `num_attention_heads` / this number. |
# | `sliding_window` | the same in every library: some count the query's own token, some don't. [The table](mask_conventions.py#where-a-window-ends). |
# | `sliding_window` | in every layer. See `layer_types`, or its rule in the program. |
# | `rope_theta` | an angle. It is the base of which the speeds are powers. |
# | `rope_scaling` | something to switch on for long texts only. If the model was trained with it last, it holds for short texts too. |
# | `max_position_embeddings` | the length that the model was first trained with. That is `original_max_position_embeddings`. |
# | `attn_logit_softcapping` | a clipping of the weights. It bends scores, before the mask. |
# | `torch_dtype` | the type of every computation. Our softmax, for one, is computed in float32 for 16-bit numbers. |
# | `tie_word_embeddings` | harmless to get wrong: with `true`, a second table of your own would be random. |
#
# ## What the file does not say
#
# Two models can have the same lines and differ. The program that `model_type` names knows:
#
# * **Which channels are a pair** in rotary positions. Weights that were converted may have another order than those of the
#   authors. If only the first word comes out right, [it is this](museum.py#rotary-layout).
# * **Where the norms stand**: before each part, as above, after it, or both.
# * **Whether the embeddings are multiplied** before the first layer, for example by the root of `hidden_size`.
# * **What a norm's weights mean.** In Gemma 2's program (2024) the factor is 1 + weight, so a weight of 0 changes nothing.
# * **By what the scores are divided.** Nearly always the root of `head_dim`. Gemma 2 has a line of its own for it,
#   `query_pre_attn_scalar`.
#
# So never trust a model that you built from a file before you have compared its numbers with those of the authors' program on
# one text. [`certify`][clear_attention.certify] does that for one layer, with `like=`:
# [Certify your layer](certify_your_layer.py).
