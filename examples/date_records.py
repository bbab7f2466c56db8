"""Keep date pairs in files of equal records, and stream them: the files may be larger than the memory.

python -m examples.date_records data/dates --pairs 100000
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

from clear_attention import create_date_pairs, date_tokenizers

SOURCE, TARGET = 34, 12  # ids a pair, one byte each
CHUNK = 50_000  # pairs in memory at once


def write_records(folder, num_pairs, seed=0, files=4):
    """Write pairs into files, each under another name until it is complete."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    source_tokenizer, target_tokenizer = date_tokenizers()
    sizes = [num_pairs // files + (i < num_pairs % files) for i in range(files)]
    written = 0
    for number, size in enumerate(sizes):
        part = folder / f"{number:03}.part"
        with part.open("wb") as file:
            for start in range(0, size, CHUNK):
                count = min(CHUNK, size - start)
                sources, targets = create_date_pairs(count, seed=(seed * files + number) * 10_000 + start // CHUNK)
                ids = [source_tokenizer.encode(sources, SOURCE), target_tokenizer.encode(targets, TARGET)]
                np.concatenate(ids, axis=1).astype(np.uint8).tofile(file)
                written += count
                if sys.stderr.isatty():
                    print(f"\r{written / num_pairs:4.0%} written", end="", file=sys.stderr)
        part.replace(part.with_suffix(".ids"))


def read_records(folder):
    """Stream the records, one after the other, as they stand in the files."""
    files = sorted(map(str, Path(folder).glob("*.ids")))
    if not files:
        sys.exit(f"There are no records in {folder}: python -m examples.date_records {folder} writes some.")
    return tf.data.FixedLengthRecordDataset(files, SOURCE + TARGET, buffer_size=2**20)


def decode(records):
    """Make ids of a batch of records: source, target up to its last id, target from its second."""
    ids = tf.cast(tf.io.decode_raw(records, tf.uint8), tf.int32)
    source, target = ids[:, :SOURCE], ids[:, SOURCE:]
    return source, target[:, :-1], target[:, 1:]


def worker_batches(folder, batch, epoch, workers=1, index=0):
    """Return a worker's part of each global batch, which holds the same pairs however many workers there are."""
    records = read_records(folder).shuffle(10_000, seed=epoch, reshuffle_each_iteration=False)
    batches = records.batch(batch, drop_remainder=True)  # so that all workers make equally many steps
    return batches.map(lambda whole: decode(whole[index::workers]), num_parallel_calls=tf.data.AUTOTUNE).prefetch(2)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write date pairs as records.")
    parser.add_argument("folder")
    parser.add_argument("--pairs", type=int, default=64_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    write_records(options.folder, options.pairs, options.seed)
    print(f"{options.pairs:,} pairs: {options.folder}")
