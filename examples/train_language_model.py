"""Train a language model on a folder of text, here or on as many machines as TF_CONFIG names.

    python -m examples.train_language_model --text my/notes --folder runs/notes

A run that was broken off goes on from its last checkpoint when the same command is given again, with the losses of a
run that was not. The text is streamed (`text_rows.py`), its bytes are the tokens. What is learnt lies in `--folder`:
checkpoints, logs for TensorBoard, losses.csv, and at the end model.keras and MODEL_CARD.md.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import math
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from clear_attention import LanguageModel
from examples import TRY_AGAIN
from examples.checkpoints import lock, restore
from examples.cluster import ClusterError, join, read_cluster
from examples.language_diary import Diary, finish
from examples.text_rows import KINDS, VOCAB, Rows, find_documents, fingerprint, hold_out, size_of
from examples.train_workers import LOST, leave, positive, replace, same_everywhere, seconds, wanted

SETTINGS = ["layers", "d_model", "heads", "context", "batch", "steps", "rate", "dropout", "dtype", "seed", "held_out"]


def arguments(given=None):
    parser = argparse.ArgumentParser(
        description="Train a language model on the bytes of a folder of text.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--text", type=Path, required=True, help="the folder with the text, of any size")
    parser.add_argument("--folder", type=Path, required=True, help="where all goes that is learnt; of one run only")
    parser.add_argument("--kinds", nargs="+", default=KINDS, help="which files are text")
    parser.add_argument("--held-out", type=share, default=0.05, help="share of the files to measure with")
    parser.add_argument("--layers", type=positive, default=4)
    parser.add_argument("--d-model", type=positive, default=128)
    parser.add_argument("--heads", type=positive, default=4)
    parser.add_argument("--context", type=positive, default=256, help="how many bytes the model sees at most")
    parser.add_argument("--batch", type=positive, default=16, help="rows a step, of all devices together")
    parser.add_argument("--accumulate", type=positive, default=1, help="pieces of a device's part: less memory")
    parser.add_argument(
        "--steps", type=positive, default=2000, help="the learning rate falls to 0 with the last of them"
    )
    parser.add_argument(
        "--rate", type=above_zero, default=3e-3, help="the largest learning rate; less if d_model grows"
    )
    parser.add_argument("--dropout", type=dropout, default=0.0)
    parser.add_argument("--dtype", choices=["float32", "float64", "mixed_bfloat16"], default="float32")
    parser.add_argument("--seed", type=natural, default=0)
    parser.add_argument("--report-every", type=positive, default=50, help="steps")
    parser.add_argument("--sample-every", type=positive, default=500, help="steps")
    parser.add_argument("--measure-every", type=positive, default=500, help="steps")
    parser.add_argument("--save-every", type=positive, default=200, help="steps; what a crash costs at most")
    parser.add_argument("--keep", type=positive, default=3, help="checkpoints")
    parser.add_argument(
        "--measure-rows", type=positive, default=512, help="how much of the held-out text is read, at most"
    )
    parser.add_argument("--prompt", default="", help="how samples begin")
    parser.add_argument("--devices", type=positive, help="of this machine; without GPUs the processor is split")
    parser.add_argument("--patience", type=seconds, default=300, help="seconds to wait for other workers")
    return parser.parse_args(given)


def share(text):
    return wanted(text, float, lambda x: 0 < x < 1, "a number between 0 and 1")


def dropout(text):
    return wanted(text, float, lambda x: 0 <= x < 1, "a number in [0, 1)")


def above_zero(text):
    return wanted(text, float, lambda x: 0 < x < float("inf"), "a number above 0")


def natural(text):
    return wanted(text, int, lambda x: 0 <= x < 2**32, "an integer in [0, 2**32)")


def find_text(options):
    """Return the rows to train on, those to measure with, their sizes in bytes, and what the text is."""
    documents = find_documents(options.text, options.kinds, without=options.folder)
    kept, held = hold_out(documents, options.text, options.held_out)
    sizes = [sum(map(size_of, part)) for part in (kept, held)]
    if sizes[0] < options.context:
        law, expected = "The text to train on must fill a row.", f"--context {options.context} bytes or more"
        raise ClusterError(law, expected, f"{sizes[0]} in {options.text}")
    rows = [Rows(part, options.context, options.seed) for part in (kept, held)]
    return rows, sizes, fingerprint(documents, options.text)


def remember_settings(options, text, chief):
    """Keep what the run was begun with, and refuse to go on with anything else."""
    record = options.folder / "run.json"
    settings = {name: getattr(options, name) for name in SETTINGS} | {"text": text}
    if record.exists():
        began = json.loads(record.read_text())
        for name in settings:
            if began[name] != settings[name]:
                law = f"{options.folder} holds a run, which goes on with the settings and the text it began with."
                option = f"--{name.replace('_', '-')}"
                raise ClusterError(law, f"{option} {began[name]}, or another --folder", f"{option} {settings[name]}")
    elif chief:
        others = [path.name for path in options.folder.iterdir() if path.name != ".lock"]
        if others:
            law = "A run has a folder of its own."
            raise ClusterError(law, "an empty --folder, or one with a run", f"{options.folder}, with {others[0]} in it")
        replace(record, json.dumps(settings, indent=1))


def choose_strategy(cluster, options):
    """Return what spreads a batch: over the workers of TF_CONFIG, else over the devices of this machine."""
    if options.devices and not tf.config.list_physical_devices("GPU"):
        (processor,) = tf.config.list_physical_devices("CPU")
        parts = [tf.config.LogicalDeviceConfiguration()] * options.devices
        tf.config.set_logical_device_configuration(processor, parts)
    if len(cluster.workers) > 1:
        return join(cluster, options.patience)
    kind = "GPU" if tf.config.list_physical_devices("GPU") else "CPU"
    devices = [device.name for device in tf.config.list_logical_devices(kind)][: options.devices]
    return tf.distribute.MirroredStrategy(devices) if len(devices) > 1 else tf.distribute.get_strategy()


def make_model(options):
    model = LanguageModel(
        options.layers,
        options.d_model,
        options.heads,
        4 * options.d_model,
        VOCAB,
        dropout=options.dropout,
        dtype=options.dtype,
        name="language_model",
    )
    model.build()  # in the strategy's scope: here the weights become those of all devices
    warmup = max(1, options.steps // 10)
    decay = max(1, options.steps - warmup)
    rate = keras.optimizers.schedules.CosineDecay(0.0, decay, warmup_target=options.rate, warmup_steps=warmup)
    optimizer = keras.optimizers.Adam(rate, beta_2=0.98)
    optimizer.build(model.trainable_variables)
    return model, optimizer


def share_out(rows, options, position, strategy):
    """Return the batches after a position, each device's part of it, and where the next one begins."""
    row = tf.TensorSpec((None, options.context + 1), tf.int32)

    def parts(context):
        devices = context.num_replicas_in_sync // context.num_input_pipelines
        first, size = context.input_pipeline_id * devices, options.batch // context.num_replicas_in_sync

        def generate():
            stream = rows.stream(*position)
            while True:
                ids, segments, places = zip(*itertools.islice(stream, options.batch), strict=True)
                for device in range(first, first + devices):
                    part = slice(device * size, (device + 1) * size)
                    yield np.stack(ids[part]), np.stack(segments[part]), places[-1]

        place = tf.TensorSpec(3, tf.int64)
        return tf.data.Dataset.from_generator(generate, output_signature=(row, row, place)).prefetch(2 * devices)

    return strategy.distribute_datasets_from_function(parts)


def make_step(strategy, model, optimizer, pieces):
    """Return a function that makes one step with one global batch, and returns its bits a byte."""

    def piece_of_loss(ids, segments, total):
        with tf.GradientTape() as tape:
            logits = model(ids[:, :-1], segment_ids=segments[:, :-1], training=True)
            nats = tf.nn.sparse_softmax_cross_entropy_with_logits(ids[:, 1:], logits)
            loss = tf.reduce_sum(nats * asked(segments, nats.dtype)) / total
        return loss, [tf.convert_to_tensor(g) for g in tape.gradient(loss, model.trainable_variables)]

    def replica_step(ids, segments):
        count = asked(segments, tf.as_dtype(model.embed.compute_dtype))
        is_byte = tf.cast(ids[:, 1:] > model.end_id, count.dtype)
        sums = [tf.reduce_sum(count), tf.reduce_sum(count * is_byte)]
        total, num_bytes = tf.distribute.get_replica_context().all_reduce("sum", sums)
        loss, gradients = 0.0, None
        for i in range(pieces):  # their gradients add up to that of the whole
            cut = tf.shape(ids)[0] * tf.range(i, i + 2) // pieces
            part = slice(cut[0], cut[1])
            # divided by the tokens of all devices, so that the sum over devices is the mean of the global batch
            piece, found = piece_of_loss(ids[part], segments[part], total)
            gradients = found if gradients is None else [a + b for a, b in zip(gradients, found, strict=True)]
            loss += piece
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))  # summed over all devices
        return loss * total / num_bytes / math.log(2)

    @tf.function
    def step(ids, segments):
        return strategy.reduce("sum", strategy.run(replica_step, args=(ids, segments)), axis=None)

    return step


def asked(segments, dtype):
    """Mark where the next id belongs to the same document: nobody can know how the next one begins."""
    return tf.cast((segments[:, 1:] == segments[:, :-1]) & (segments[:, 1:] > 0), dtype)


def train(options, found, cluster, strategy, own):
    (rows, held), sizes, text = found
    chief = cluster.index == 0
    with strategy.scope():
        keras.utils.set_random_seed(options.seed)
        model, optimizer = make_model(options)
        position = tf.Variable([0, 0, 0], dtype=tf.int64)  # epoch, group of pieces, row
        spent = tf.Variable(0.0, dtype=tf.float64)  # seconds
    weights = {id(weight) for weight in model.weights}
    seeds = [
        v.value for v in model.variables if id(v) not in weights
    ]  # of the dropout; no checkpoint has them by itself
    state = {"model": model, "optimizer": optimizer, "seeds": seeds, "position": position, "spent": spent}
    checkpoint = tf.train.Checkpoint(**state)
    shared = options.folder / "checkpoints"
    notes = restore(checkpoint, shared, chief)
    done = int(optimizer.iterations.numpy())
    if not same_everywhere(strategy, done):
        law = "All workers go on from the same checkpoint, so --folder must be one that all of them see."
        raise ClusterError(law, "the same step on all workers", f"{done} on worker {cluster.index}")
    manager = tf.train.CheckpointManager(checkpoint, shared if chief else own, max_to_keep=options.keep)
    if chief:
        epochs = options.steps * options.batch * options.context / sizes[0]
        print(*notes, f"text: {text}; {sizes[1]:,} bytes are held out", sep="\n")
        print(f"model: {model.count_params():,} numbers, on {strategy.num_replicas_in_sync} device(s)")
        print(f"{done} of {options.steps} steps are done; all of them read the text {epochs:.2g} times", flush=True)
        diary = Diary(options, model, optimizer, held, done)

    step = make_step(strategy, model, optimizer, options.accumulate)
    batches = iter(share_out(rows, options, position.numpy().tolist(), strategy))
    begin = time.monotonic() - float(spent.numpy())
    for number in range(done + 1, options.steps + 1):
        ids, segments, places = next(batches)
        loss = step(ids, segments)
        if chief:
            diary.step(number, loss)
        if number % options.save_every == 0 or number == options.steps:
            position.assign(strategy.experimental_local_results(places)[-1])
            spent.assign(time.monotonic() - begin)
            try:
                if chief:
                    diary.keep(number)
                manager.save()  # written beside the last one, and named the latest when it is complete
            except (OSError, tf.errors.ResourceExhaustedError, tf.errors.PermissionDeniedError) as error:
                law = "What was learnt could not be kept: all that was kept before is still there."
                received = f"step {number}: {str(error).splitlines()[0][:200]}"
                raise ClusterError(law, f"room, and leave to write, in {options.folder}", received) from None
    if chief:
        finish(options, diary, text, sizes, float(spent.numpy()), strategy.num_replicas_in_sync)
    same_everywhere(strategy, 0)  # nobody leaves before the chief is ready


def main():
    options = arguments()
    tf.config.experimental.enable_op_determinism()  # on a GPU, too, the same steps give the same losses
    cluster = None
    try:
        cluster = read_cluster(os.environ.get("TF_CONFIG"))
        if options.d_model % (2 * options.heads):
            law = "Heads share the numbers of a token equally, and positions turn them in pairs."
            raise ClusterError(law, f"--d-model divisible by 2 x {options.heads} heads", f"--d-model {options.d_model}")
        found = find_text(options)
        with lock(options.folder) if cluster.index == 0 else contextlib.nullcontext():
            options.folder.mkdir(parents=True, exist_ok=True)
            remember_settings(options, found[-1], cluster.index == 0)
            strategy = choose_strategy(cluster, options)
            refuse_uneven_parts(options, strategy.num_replicas_in_sync)
            with tempfile.TemporaryDirectory() as own:
                train(options, found, cluster, strategy, own)
    except ClusterError as error:
        print(error, file=sys.stderr)
        leave(1)
    except KeyboardInterrupt:
        print("Stopped. The same command goes on from the last checkpoint.", file=sys.stderr)
        leave(130)
    except Exception as error:
        if not cluster or len(cluster.workers) == 1 or not isinstance(error, LOST):
            traceback.print_exc()
            leave(1)
        print(
            f"Worker {cluster.index} lost the others ({type(error).__name__}). "
            "Start all workers again: they go on from the last checkpoint.",
            file=sys.stderr,
        )
        leave(TRY_AGAIN)
    leave(0)


def refuse_uneven_parts(options, devices):
    if options.batch % (devices * options.accumulate):
        law = "Each device takes an equal part of each batch, in equal pieces."
        expected = f"--batch divisible by {devices} devices x {options.accumulate} pieces"
        raise ClusterError(law, expected, f"--batch {options.batch}")


if __name__ == "__main__":
    main()
