"""Train the Transformer of the lesson on as many machines as TF_CONFIG names: run this on each of them.

    python -m examples.train_workers --data data/dates --folder runs/dates

Without TF_CONFIG one process does it all. Both folders must be the same for all workers, so on many machines they lie
on a file system that all of them see. A run that was broken off goes on after its last complete epoch.

Keras's `fit` (3.15) doesn't train under MultiWorkerMirroredStrategy, so the loop stands here.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path

import keras
import tensorflow as tf

from clear_attention import Transformer, date_tokenizers
from examples import TRY_AGAIN
from examples.checkpoints import lock, read_losses, restore
from examples.cluster import ClusterError, join, read_cluster
from examples.date_records import worker_batches

HEADS = 4
LOST = (  # what a sum over workers raises when one of them is gone
    tf.errors.UnavailableError,
    tf.errors.DeadlineExceededError,
    tf.errors.AbortedError,
    tf.errors.CancelledError,
    tf.errors.InternalError,
    tf.errors.FailedPreconditionError,
)


def arguments():
    parser = argparse.ArgumentParser(description="Train the date model, here or with the workers of TF_CONFIG.")
    parser.add_argument("--data", type=Path, required=True, help="the folder with the records")
    parser.add_argument("--folder", type=Path, required=True, help="where checkpoints and losses go")
    parser.add_argument("--epochs", type=positive, default=5)
    parser.add_argument("--steps", type=positive, default=200, help="steps an epoch, at most")
    parser.add_argument("--batch", type=positive, default=64, help="pairs a step, of all workers together")
    parser.add_argument("--accumulate", type=positive, default=1, help="pieces of a worker's part of a batch")
    parser.add_argument("--d-model", type=of_heads, default=64)
    parser.add_argument("--dtype", choices=["float32", "float64", "mixed_bfloat16"], default="float32")
    parser.add_argument("--patience", type=seconds, default=60, help="seconds to wait for the other workers")
    return parser.parse_args()


def positive(text):
    return wanted(text, int, lambda number: number > 0, "an integer above 0")


def of_heads(text):
    return wanted(text, int, lambda number: number > 0 and number % HEADS == 0, f"a multiple of {HEADS}, the heads")


def seconds(text):
    return wanted(text, float, lambda number: 0 < number < float("inf"), "a number of seconds above 0")


def wanted(text, kind, fits, expected):
    try:
        number = kind(text)
    except ValueError:
        number = None
    if number is None or not fits(number):
        raise argparse.ArgumentTypeError(f"Expected: {expected}. Received: {text}.")
    return number


def make_model(options):
    keras.utils.set_random_seed(0)
    source, target = (tokenizer.vocab_size for tokenizer in date_tokenizers())
    sizes = {
        "num_layers": 1,
        "d_model": options.d_model,
        "num_heads": HEADS,
        "d_ff": 4 * options.d_model,
        "dropout": 0.0,
    }
    model = Transformer(**sizes, source_vocab=source, target_vocab=target, dtype=options.dtype)
    model.build()  # in the strategy's scope: here the weights become those of all workers
    optimizer = keras.optimizers.Adam(1e-3)
    optimizer.build(model.trainable_variables)
    return model, optimizer


def make_step(strategy, model, optimizer, pieces):
    """Return a function that makes one step with one global batch, and returns its loss."""
    cross_entropy = functools.partial(keras.losses.sparse_categorical_crossentropy, from_logits=True)

    def replica_step(source, target, expected):
        real = tf.cast(expected != model.pad_id, model.project_logits.compute_dtype)
        tokens = tf.distribute.get_replica_context().all_reduce("sum", tf.reduce_sum(real))
        loss, gradients = 0.0, None
        for i in range(pieces):  # their gradients add up to that of the whole: less memory, the same step
            cut = tf.shape(source)[0] * tf.range(i, i + 2) // pieces
            part = slice(cut[0], cut[1])
            with tf.GradientTape() as tape:
                logits = model((source[part], target[part]), training=True)
                # divided by the tokens of all workers, so that the sum over workers is the mean of the global batch
                piece = tf.reduce_sum(cross_entropy(expected[part], logits) * real[part]) / tokens
            found = [tf.convert_to_tensor(g) for g in tape.gradient(piece, model.trainable_variables)]
            gradients = found if gradients is None else [a + b for a, b in zip(gradients, found, strict=True)]
            loss += piece
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))  # summed over all workers
        return loss

    @tf.function
    def step(batch):
        return strategy.reduce("sum", strategy.run(replica_step, args=batch), axis=None)

    return step


def same_everywhere(strategy, number):
    """Say whether all workers hold the same number."""

    def spread(mine):  # n times the sum of squares, less the square of the sum
        context, mine = tf.distribute.get_replica_context(), tf.cast(mine, tf.float64)
        one, square = context.all_reduce("sum", [mine, mine**2])
        return context.num_replicas_in_sync * square - one**2

    found = strategy.experimental_local_results(strategy.run(tf.function(spread), args=(number,)))
    return all(float(x) == 0 for x in found)


def train(options, cluster, strategy, own):
    with strategy.scope():
        model, optimizer = make_model(options)
        epoch = tf.Variable(0, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer, epoch=epoch)
    options.folder.mkdir(parents=True, exist_ok=True)
    shared = options.folder / "checkpoints"
    chief = cluster.index == 0
    for sentence in restore(checkpoint, shared, chief):
        say(chief, sentence)
    first = int(epoch.numpy())
    if not same_everywhere(strategy, first):
        law = "All workers go on from the same checkpoint, so --folder must be one that all of them see."
        raise ClusterError(law, "the same epoch on all workers", f"{first} on worker {cluster.index}")
    # every worker takes part in saving, and one copy is kept
    manager = tf.train.CheckpointManager(checkpoint, shared if chief else own, max_to_keep=2)
    log = options.folder / "losses.json"
    epochs = read_losses(log, first) if chief else []
    done = f"{min(first, options.epochs)} of {options.epochs} epochs are done"
    say(chief, f"{len(cluster.workers)} worker(s), {done}")

    step = make_step(strategy, model, optimizer, options.accumulate)
    begin = time.monotonic()
    for number in range(first, options.epochs):
        start = time.monotonic()
        dataset = strategy.distribute_datasets_from_function(
            lambda _, number=number: worker_batches(
                options.data, options.batch, number, len(cluster.workers), cluster.index
            ).take(options.steps)
        )
        losses = [step(batch) for batch in dataset]
        if not losses:
            law, expected = "An epoch has at least one step.", f"{options.batch} records or more in {options.data}"
            raise ClusterError(law, expected, "fewer")
        losses = [float(loss) for loss in losses]  # read at the end: nobody waits for a number in between
        epochs.append({"losses": losses, "seconds": time.monotonic() - start})
        epoch.assign(number + 1)
        try:
            if chief:
                replace(log, json.dumps(epochs))
            manager.save()  # written beside the last one, and named the latest when it is complete
        except (OSError, tf.errors.ResourceExhaustedError, tf.errors.PermissionDeniedError) as error:
            law = "What was learnt could not be kept: all that was kept before is still there."
            received = f"epoch {number + 1}: {str(error).splitlines()[0][:200]}"
            raise ClusterError(law, f"room, and leave to write, in {options.folder}", received) from None
        left = (time.monotonic() - begin) / (number + 1 - first) * (options.epochs - number - 1)
        say(chief, f"epoch {number + 1} of {options.epochs}: loss {losses[-1]:.4f}, {left:.0f} s left")
    say(chief, f"Done: {shared} and {log}")


def say(chief, text):
    if chief:
        print(text, flush=True)


def replace(path, text):
    part = path.with_suffix(".part")
    part.write_text(text)
    part.replace(path)


def main():
    options = arguments()
    try:
        cluster = read_cluster(os.environ.get("TF_CONFIG"))
        if options.batch % (len(cluster.workers) * options.accumulate):
            law = "Each worker takes an equal part of each batch, in equal pieces."
            parts = f"{len(cluster.workers)} workers x {options.accumulate} pieces"
            raise ClusterError(law, f"--batch divisible by {parts}", f"--batch {options.batch}")
        with lock(options.folder) if cluster.index == 0 else contextlib.nullcontext():
            strategy = join(cluster, options.patience)
            with tempfile.TemporaryDirectory() as own:
                train(options, cluster, strategy, own)
    except ClusterError as error:
        print(error, file=sys.stderr)
        leave(1)
    except Exception as error:
        if len(cluster.workers) == 1 or not isinstance(error, LOST):
            traceback.print_exc()
            leave(1)
        print(
            f"Worker {cluster.index} lost the others ({type(error).__name__}). "
            "Start all workers again: they go on after the last complete epoch.",
            file=sys.stderr,
        )
        leave(TRY_AGAIN)
    leave(0)


def leave(code):
    """End at once: on its way out TensorFlow would wait for workers that are gone."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
