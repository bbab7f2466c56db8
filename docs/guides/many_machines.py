# ---
# title: Train on many machines
# description: Train the Transformer under tf.distribute on several devices and in several worker processes, with the same losses, checkpoints, accumulation, streamed files and an estimate of when the network limits.
# slow: true
# ---

# %% [markdown]
# # How do I train on more than one machine?
#
# **In one sentence:** TensorFlow's own engine, `tf.distribute`, copies the model to every device, gives each copy a part
# of the batch, and adds up the gradients; our layers need nothing special for it.
#
# | You have | Use | The loop |
# | --- | --- | --- |
# | several devices in one machine | `tf.distribute.MirroredStrategy` | Keras's `fit` |
# | several machines | `tf.distribute.MultiWorkerMirroredStrategy` | your own, as below: `fit` of Keras 3.15 doesn't train under this strategy |
#
# ## Several devices, with fit
#
# Make the model and compile it inside the strategy's scope. The batch is that of all devices together. Here two logical
# devices stand for two graphics cards: TensorFlow splits the processor in two.

# %%
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from clear_attention import (
    Transformer,
    create_date_pairs,
    date_tokenizers,
)

tf.get_logger().setLevel("ERROR")  # or each sum over devices is logged
cpu = tf.config.list_physical_devices("CPU")[0]
halves = [tf.config.LogicalDeviceConfiguration()] * 2
tf.config.set_logical_device_configuration(cpu, halves)

source_tokenizer, target_tokenizer = date_tokenizers()
sources, targets = create_date_pairs(512, seed=1)
x = source_tokenizer.encode(sources, length=34)
y = target_tokenizer.encode(targets)


def make(strategy, dtype="float32", pieces=None):
    keras.utils.set_random_seed(0)
    with strategy.scope():
        model = Transformer(
            num_layers=1,
            d_model=32,
            num_heads=4,
            d_ff=64,
            source_vocab=source_tokenizer.vocab_size,
            target_vocab=target_tokenizer.vocab_size,
            dropout=0.0,
            dtype=dtype,
        )
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        adam = keras.optimizers.Adam(1e-3, gradient_accumulation_steps=pieces)
        model.build()
        model.compile(adam, loss, jit_compile=False)
    return model


def losses_of(model, batch=64):
    data = ((x, y[:, :-1]), y[:, 1:])
    batches = tf.data.Dataset.from_tensor_slices(data).batch(batch)
    history = model.fit(batches, epochs=3, verbose=0, shuffle=False)
    return np.array(history.history["loss"])


here = tf.distribute.get_strategy()
one = losses_of(make(here))
two = losses_of(make(tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])))
print("one device: ", one.round(4))
print("two devices:", two.round(4))
assert np.allclose(one, two, rtol=1e-3)

# %% [markdown]
# The losses agree but for rounding: the same gradients are added in another order. Two things to know:
#
# * `fit` divides each device's loss by the tokens of *that device*. If your targets have different lengths, the mean over
#   devices is not the mean over tokens. All our targets here are equally long. The loop below divides by all tokens.
# * A run that is broken off goes on with `keras.callbacks.BackupAndRestore(folder)` among the callbacks of `fit`.
#
# ## Several machines
#
# Each machine runs the same program. The environment variable `TF_CONFIG` tells it who the others are and which one it
# is. Three small programs in the folder `examples/` of the repository do it: `date_records.py` writes the dates into
# files, `train_workers.py` is what each worker runs, and `start_workers.py` starts several workers on one machine, to
# try it out.
#
# ```console
# $ python -m examples.date_records data/dates --pairs 64000
# $ python -m examples.start_workers 2 --data data/dates --folder runs/dates
# ```
#
# On real machines start one program on each, with a folder that all of them see:
#
# ```console
# host0$ export TF_CONFIG='{"cluster": {"worker": ["host0:2222", "host1:2222"]},
#                           "task": {"type": "worker", "index": 0}}'
# host0$ python -m examples.train_workers --data /shared/dates --folder /shared/run
#
# host1$ export TF_CONFIG='{"cluster": {"worker": ["host0:2222", "host1:2222"]},
#                           "task": {"type": "worker", "index": 1}}'
# host1$ python -m examples.train_workers --data /shared/dates --folder /shared/run
# ```
#
# The port must be open between them, and only between them: whoever reaches it can run code there. On a cluster with a
# scheduler (Kubernetes, Slurm) the scheduler's template writes `TF_CONFIG`.
#
# This is one step of the loop:

# %% tags=["source", "hide-input"]
import inspect

sys.path.insert(0, str(Path.cwd().parents[1]))
from examples import date_records, train_workers

print(inspect.getsource(train_workers.make_step))

# %% [markdown]
# `all_reduce` counts the tokens of all workers. `apply_gradients` adds up the gradients of all workers before it uses
# them. So each worker makes the same update, and the copies stay equal.
#
# Does it give the same losses? Here one process trains alone, taking each batch in four pieces. Then two processes train,
# each with its half of each batch. Both compute in float64, so that only a mistake could make a visible difference.

# %% tags=["hide-input"]
import json
import os
import subprocess
import tempfile

folder = tempfile.TemporaryDirectory()
data = f"{folder.name}/dates"
environment = os.environ | {"PYTHONPATH": str(Path.cwd().parents[1])}


def run(program, *arguments):
    command = [sys.executable, "-m", f"examples.{program}", *map(str, arguments)]
    subprocess.run(command, env=environment, check=True, capture_output=True)


def losses(name, program, *arguments):
    at = f"{folder.name}/{name}"
    sizes = ["--data", data, "--folder", at, "--epochs", 2, "--steps", 20]
    run(program, *arguments, *sizes, "--d-model", 32)
    epochs = json.loads(Path(at, "losses.json").read_text())
    return np.concatenate([epoch["losses"] for epoch in epochs])


date_records.write_records(data, num_pairs=1280)
wide = ["--dtype", "float64"]
alone = losses("alone", "train_workers", "--accumulate", 4, *wide)
both = losses("both", "start_workers", 2, *wide)
for step in (0, 10, 20, 39):
    print(f"step {step:2}: alone {alone[step]:.10f}, two workers {both[step]:.10f}")
assert len(alone) == len(both) == 40
assert np.abs(alone / both - 1).max() < 1e-9

# %% [markdown]
# The largest relative difference stays below $10^{-9}$, and the page would not build otherwise. In float32 the curves part
# sooner, since each step builds on the rounding of the one before. Neither is better.
#
# ## What if a worker dies?
#
# The others notice: the sum they wait for fails, or, if a worker hangs, doesn't come within `--patience` seconds (60, if you
# don't say it). They stop with exit code 75 and print what went wrong. Start all workers again, and they go on from the last complete epoch. A
# checkpoint is written beside the one before, and becomes the newest only when it is complete, so that a crash while
# saving costs nothing. If the newest one can't be read, they say so, keep its files under another name and go on from
# the one before. If none can be read, they refuse to begin anew over them. `start_workers.py` starts them again by
# itself, and so does a scheduler that restarts what fails. The test `tests/test_many_machines.py` kills a worker in
# its second epoch and compares the whole curve with that of a run alone: here too the relative difference stays below
# $10^{-9}$.
#
# TensorFlow itself waits without end for a worker that never comes. `train_workers.py` waits for `--patience` seconds and
# then says who is missing. What it refuses, in its own words:

# %% tags=["hide-input", "wrap"]
from examples.cluster import ClusterError, read_cluster

good = '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 0}}'
for text in (
    "host0,host1",
    good.replace('"index": 0', '"index": 2'),
    good.replace("b:2", "b"),
    good.replace('"type": "worker"', '"type": "ps"'),
):
    try:
        read_cluster(text)
    except ClusterError as error:
        print(error, end="\n\n")

# %% [markdown]
# ## Less memory: 16 bits and pieces
#
# With `dtype="mixed_bfloat16"` the layers compute in 16 bits and keep their weights in 32. Our softmax and its sums
# stay in float32. (In float16 small gradients become 0. The remedy is to multiply the loss by a large number, and to
# divide the gradients by it again. `fit` does that by itself, and a loop of your own must do it. bfloat16 does not
# need it.)
#
# With `gradient_accumulation_steps=4` the optimizer waits for four small batches and takes one step with their mean: the
# memory of 16 pairs, the step of 64.

# %%
half = losses_of(make(here, dtype="mixed_bfloat16"))
pieces = losses_of(make(here, pieces=4), batch=16)
print("float32:       ", one.round(3))
print("mixed_bfloat16:", half.round(3))
print("four pieces:   ", pieces.round(3))
assert np.abs(half - one).max() < 0.02

# %% [markdown]
# Why do the pieces differ? Not because of rounding. Look at the largest change that one step makes to an embedding.
# By its formula Adam should move no weight by more than the learning rate in its first step, here 0.001. Without
# pieces it moves one further:

# %%
batch = ((x[:64], y[:64, :-1]), y[:64, 1:])
occurrences = np.bincount(x[:64].ravel())
moved = {}
for count in (None, 4):
    model = make(here, pieces=count)
    model.run_eagerly = True
    before = model.embed_source.embeddings.numpy()
    model.fit(*batch, batch_size=64 // (count or 1), shuffle=False, verbose=0)
    after = model.embed_source.embeddings.numpy()
    moved[count] = np.abs(after - before).max(axis=1)
    row = moved[count].argmax()
    print(
        f"{'one piece' if count is None else 'in pieces':9}: {moved[count][row]:.4f}, "
        f"of a token that occurs {occurrences[row]} times"
    )
assert moved[4].max() < 0.00101
assert moved[None].max() > 0.002
assert np.all(moved[None] <= 0.00101 * occurrences**0.5)

# %% [markdown]
# ### Keras's Adam moves frequent tokens too far
#
# The run in pieces is right. It is the ordinary run, in one piece, that moves some embeddings too far. TensorFlow
# gives the gradient of an embedding as a list of rows, one for each time that a token occurs. Adam divides the mean
# gradient by the root of the mean square. Keras 3.15 adds the rows up for the first, but squares each row by itself
# for the second. So a token that occurs $n$ times may move up to $\sqrt n$ times too far. That is so for every
# `keras.layers.Embedding` on TensorFlow, on one machine too. Accumulation adds the rows first, and so does the loop
# above, with `tf.convert_to_tensor`.
#
# In the loop for many machines, `--accumulate 4` cuts each worker's part into four, as it did above in the run alone, and
# `--dtype mixed_bfloat16` is there too.
#
# ## Files larger than memory
#
# `tf.data` reads as it goes. The records are one byte an id, 46 bytes a pair, so that a file needs no parsing. Each
# worker reads all records, shuffles them with the epoch's seed, makes the global batches and decodes its own part of each:
# so the batches are the same, however many workers there are.

# %% tags=["source", "hide-input"]
print(inspect.getsource(date_records.worker_batches))

# %% tags=["remove-input"]
from IPython.display import Markdown, display

root = Path.cwd().parents[1]
measured = json.loads((root / "benchmarks/workers.json").read_text())
stream = measured["streaming"]


def said(part):
    machine = part["machine"]
    versions = ", ".join(f"{k} {v}" for k, v in part["versions"].items())
    return (
        f"*Measured {part['date']} with `make bench-workers` on {machine['cores']} cores "
        f"({machine['processor']}), {machine['memory_gigabytes']} GB of memory, {versions}.*"
    )


resident = np.array(stream["resident"]) / 2**20
files, machine = stream["bytes"] / 2**30, stream["machine_bytes"] / 2**30
assert files > machine
assert date_records.SOURCE + date_records.TARGET == 46
text = f"""The whole memory of the machine was {machine:.1f} GB, the files were {files:.1f} GB. The process that streamed
all of it through this pipeline held {resident[0]:.0f} MB after the first batch, most of it TensorFlow itself, and
{resident[-1]:.0f} MB at the end; {resident.max():.0f} MB at most.

{said(stream)}"""
assert resident.max() < resident[0] + 100
display(Markdown(text))

# %% [markdown]
# Reading everything and keeping a part is simple and wasteful. When reading limits you, give each worker its own files:
# `tf.data.Dataset.list_files(...).shard(workers, index)`. Then the batches depend on the number of workers.
#
# ## What do more workers bring?
#
# Two workers on one machine, with one core each, against one worker on one core:


# %% tags=["remove-input"]
scaling = measured["scaling"]
rows = {(r["d_model"], r["batch"], r["workers"]): r for r in scaling["rows"]}
lines = [
    "| `d_model` | Parameters | Pairs a step | One worker | Two workers | Times as fast |",
    "| ---: | ---: | ---: | ---: | ---: | ---: |",
]
for d_model, batch in dict.fromkeys((d, b) for d, b, _ in rows):
    first, second = rows[d_model, batch, 1], rows[d_model, batch, 2]
    times = first["milliseconds"], second["milliseconds"]
    lines.append(
        f"| {d_model} | {first['parameters']:,} | {batch} | {times[0]:.0f} ms "
        f"| {times[1]:.0f} ms | {times[0] / times[1]:.2f} |"
    )
    assert times[1] > times[0]
    assert abs(times[1] / 43 - round(times[1] / 43)) < 0.1
display(Markdown("\n".join(lines) + f"\n\n{said(scaling)}"))

# %% [markdown]
# **Here two workers lose.** Their times are close to multiples of 43 ms, and two are the same for models of different
# size. So much of this time is not computing but waiting: several times a step one worker waits for a message of the
# other. Why a message between two processes takes so long on this machine, we have not found out.
#
# What scales is the work on tokens: twice the workers, half the tokens each. What doesn't is the sum of the
# gradients. Its size is that of the model and has nothing to do with the batch. So the larger the batch, the less the
# sum weighs: in the table 512 pairs lose less than 64. Where messages are quicker, a large batch can gain. Measure
# one worker and two of yours before you add more: `make bench-workers`.
#
# ## When does the network limit?
#
# **An estimate, not a measurement.** In a ring of $n$ workers each one sends and receives
# $2 \frac{n-1}{n} \cdot 4$ bytes a parameter and step, in float32 (Patarasuk and Yuan 2009). A step computes about $6$
# operations a parameter and token: 2 forwards, 4 backwards (Kaplan et al. 2020, section 2.1). With $P$ parameters, a network of $b$ bytes a second and a device that really does $f$ operations a second, sending
# takes as long as computing when a worker has
#
# $$ \text{tokens} = \frac{8 P (n - 1) / (n b)}{6 P / f} = \frac{4 (n - 1) f}{3 n b} $$
#
# tokens a step. The size of the model cancels. With fewer tokens a worker, the network limits. What is sent while the device
# still computes is hidden, so that the truth is somewhat better.

# %% tags=["hide-input"]
devices = {"2 processor cores": 1e11, "a small GPU": 1e13, "a large GPU": 2e14}
networks = {"1 Gbit/s": 1.25e8, "10 Gbit/s": 1.25e9, "100 Gbit/s": 1.25e10}
workers = 8
print(f"tokens a worker and step at which sending takes as long, {workers} workers")
print(f"{'':20}" + "".join(f"{name:>12}" for name in networks))
for device, f in devices.items():
    tokens = [4 * (workers - 1) * f / (3 * workers * b) for b in networks.values()]
    print(f"{device:20}" + "".join(f"{float(f'{n:.2g}'):12,.0f}" for n in tokens))

parameters = 65e6
sent = 2 * (workers - 1) / workers * 4 * parameters
print(
    f"\nthe base model, 65 million parameters: {sent / 1e6:.0f} MB a worker and step"
)

# %% [markdown]
# The speeds of the devices are round numbers that stand for what a model reaches in practice. Measure yours: the
# seconds of a step with one worker give $f$. Vaswani et al. (2017, section 5) trained their base model with about 25,000
# tokens of each language a step, on 8 devices of one machine.
#
# ## What to remember
#
# * Several devices: `MirroredStrategy`, model and compile in its scope, `fit` as ever.
# * Several machines: `MultiWorkerMirroredStrategy`, a loop of your own, `TF_CONFIG` on each, a folder that all see.
# * Divide the loss by the tokens of all workers, not of one.
# * A lost worker costs the epoch in flight, if everything is started again.
# * The gradient's size is the model's. Few tokens a worker and a slow network make more workers useless.
#
# Next: [Use it in your model](use_it.py); how fast one machine is, in [Benchmarks](../about/benchmarks.py).
