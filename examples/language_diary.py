"""What a training says on the way, and what it leaves: losses, measurements, samples, logs, a model and its card."""

from __future__ import annotations

import itertools
import math
import os
import platform
import shlex
import sys
import textwrap
import time
from importlib.metadata import version

import numpy as np
import tensorflow as tf

from clear_attention import sample, token_losses
from examples.text_rows import decode, encode
from examples.train_workers import replace


class Diary:
    """What a run says on the way: every loss into losses.csv, and means of them onto the screen and into the logs."""

    def __init__(self, options, model, optimizer, held, done):
        self.options, self.model, self.optimizer, self.held = options, model, optimizer, held
        self.path = options.folder / "losses.csv"
        lines = self.path.read_text().splitlines()[1:] if self.path.exists() else []
        replace(self.path, "\n".join(["step,bits_per_byte", *lines[:done], ""]))  # the steps after these come again
        self.logs = tf.summary.create_file_writer(str(options.folder / "logs"))
        self.losses, self.unsaid, self.first, self.last = [], [], done + 1, None

    def step(self, number, loss):
        """Note a step, and say what is due after it."""
        self.losses.append(loss)
        self.unsaid.append(loss)
        if number == self.first:
            float(loss)  # wait for it: the first step is compiled, and its time says nothing of the others
            self.last = (number, time.monotonic())
        said = False
        if number % self.options.report_every == 0:
            said = self.report(number)
        last = number == self.options.steps  # then both come anyway
        if number % self.options.measure_every == 0 and not last:
            said = self.measure(number)
        if number % self.options.sample_every == 0 and not last:
            said = self.sample(number)
        if said:
            self.last = (number, time.monotonic())

    def report(self, number):
        bits = float(np.mean([float(loss) for loss in self.unsaid]))
        values = {"bits a byte, training": bits, "learning rate": float(self.optimizer.learning_rate)}
        line = f"step {number} of {self.options.steps}: {bits:.3f} bits a byte"
        if steps := number - self.last[0]:
            pace = (time.monotonic() - self.last[1]) / steps
            values["tokens a second"] = speed = self.options.batch * self.options.context / pace
            line += f", {speed:,.0f} tokens a second, {duration((self.options.steps - number) * pace)} left"
        print(line, flush=True)
        self.log(number, values)
        self.unsaid = []
        return True

    def measure(self, number):
        bits, num_bytes = measure(self.model, self.held, self.options)
        print(f"step {number}: {bits:.3f} bits a byte on {num_bytes:,} bytes held out", flush=True)
        self.log(number, {"bits a byte, held out": bits})
        return bits, num_bytes

    def sample(self, number):
        """Let the model write, up to as many bytes as it can see."""
        prompt = encode(self.options.prompt)[-self.options.context // 2 :]
        length = self.options.context - len(prompt) + 1
        ids = sample(self.model, [prompt], length, temperature=0.8, seed=number, jit_compile=False)[0].numpy()
        text = "".join(c if c.isprintable() or c == "\n" else " " for c in decode([*prompt, *ids]))
        print(f"step {number}, a sample:", textwrap.indent(text, "    | ", lambda line: True), sep="\n", flush=True)
        self.log(number, {"sample": textwrap.indent(text, "    ")})
        return text

    def log(self, number, values):
        """Write what TensorBoard shows; `tf.summary.scalar` and `text` would ask for TensorBoard to be installed."""
        with self.logs.as_default(number):
            for name, value in values.items():
                kind = "text" if isinstance(value, str) else "scalars"
                data_class = "DATA_CLASS_TENSOR" if isinstance(value, str) else "DATA_CLASS_SCALAR"
                plugin = tf.compat.v1.SummaryMetadata.PluginData(plugin_name=kind)
                metadata = tf.compat.v1.SummaryMetadata(plugin_data=plugin, data_class=data_class)
                tf.summary.write(name, value if isinstance(value, str) else np.float32(value), metadata=metadata)

    def keep(self, number):
        """Write the losses since the last time. If no checkpoint follows, the next run cuts them off."""
        first = number - len(self.losses) + 1
        with self.path.open("a") as file:
            file.writelines(f"{first + i},{float(loss)!r}\n" for i, loss in enumerate(self.losses))
        self.logs.flush()
        self.losses = []


def measure(model, rows, options):
    """Return the bits a byte of the held-out text, and how many bytes were read."""
    nats, num_bytes = 0.0, 0
    whole = itertools.takewhile(lambda row: row[2][0] == 0, rows.stream())
    stream = ((ids, segments) for ids, segments, _ in itertools.islice(whole, options.measure_rows))
    while batch := list(itertools.islice(stream, 32)):
        ids, segments = map(np.stack, zip(*batch, strict=True))
        nats += float(tf.reduce_sum(token_losses(model, ids, segments)))
        num_bytes += int(np.sum((ids[:, 1:] > model.end_id) & (segments[:, 1:] == segments[:, :-1])))
    return nats / math.log(2) / num_bytes, num_bytes


def finish(options, diary, text, sizes, spent, devices):
    """Keep the model as a file, measure it, and write its card."""
    part = options.folder / "part.keras"
    diary.model.save(part)
    part.replace(options.folder / "model.keras")
    bits, num_bytes = diary.measure(options.steps)
    written = diary.sample(options.steps)
    diary.logs.flush()
    lines = diary.path.read_text().splitlines()[1:]
    last = [float(line.partition(",")[2]) for line in lines[-100:]]
    found = {
        "numbers": diary.model.count_params(),
        "training": np.mean(last),
        "averaged": len(last),
        "bits": bits,
        "num_bytes": num_bytes,
        "text": text,
        "kept": sizes[0],
        "held": sizes[1],
        "times": options.steps * options.batch * options.context / sizes[0],
        "spent": duration(spent),
        "devices": devices,
        "machine": f"{platform.machine()}, {os.cpu_count()} processor cores",
        "versions": ", ".join(f"{name} {version(name)}" for name in ("clear-attention", "tensorflow", "keras")),
        "command": " ".join(["python -m examples.train_language_model", *map(shlex.quote, sys.argv[1:])]),
        "sample": textwrap.indent(written, "    ", lambda line: True),
    }
    replace(options.folder / "MODEL_CARD.md", CARD.format(**vars(options) | found))
    print(f"Done in {duration(spent)}: {options.folder / 'model.keras'} and MODEL_CARD.md beside it", flush=True)


def duration(seconds):
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


CARD = """# A language model of bytes

It says which byte comes next in a text like those that it was trained on.

| | |
| --- | --- |
| bits a byte of text that was held out | **{bits:.3f}**, measured on {num_bytes:,} bytes |
| bits a byte in training, mean of the last {averaged} steps | {training:.3f} |
| model | {layers} layer(s), d_model {d_model}, {heads} heads, {numbers:,} numbers, {dtype} |
| sees at most | {context} bytes |
| text | {text} |
| of it for training, held out | {kept:,} bytes, {held:,} bytes |
| training | {steps} steps of {batch} rows: {times:.2g} times through the text |
| learning rate, dropout, seed | {rate} at most, {dropout}, {seed} |
| time | {spent}, on {devices} device(s): {machine} |
| versions | {versions} |

The command was

    {command}

## Use it

    import keras
    import clear_attention
    model = keras.saving.load_model("model.keras")

Ids are bytes plus 3. 0 is padding, 1 the start of a text, 2 its end.

## Limits

* It knows no text but that above, and holds parts of it to the letter: hand it on only if you may hand on the text.
* What it writes sounds like the text, and need not be true.
* It was measured on text from the same folder. Other text costs it more bits.
* It sees {context} bytes. What stood before has no influence.

## A sample, not chosen

{sample}
"""
