"""Go on from the newest whole checkpoint of a folder, and keep what can't be read: nothing is ever overwritten.

TensorFlow looks at the newest checkpoint alone: if a file of it is missing, it says nothing and all begins anew.
"""

from __future__ import annotations

import fcntl
import json
import re

import tensorflow as tf

from examples.cluster import ClusterError


def restore(checkpoint, folder, chief):
    """Restore from the newest checkpoint that can be read whole; return what stood in the way of newer ones."""
    reasons = {}
    if chief:
        set_aside_a_bad_list(folder)
    for number in sorted(numbers_in(folder), reverse=True):
        try:
            checkpoint.restore(str(folder / f"ckpt-{number}")).assert_consumed()
        except Exception as error:  # a damaged file may raise anything
            reasons[number] = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        else:
            break
    else:
        if reasons:  # to begin anew would write over them
            newest = max(reasons)
            law = f"No checkpoint in {folder} fits this model and can be read."
            expected = "the options it was trained with, a whole checkpoint, or another --folder"
            raise ClusterError(law, expected, f"ckpt-{newest}: {reasons[newest]}")
    for number in reasons if chief else ():
        for path in folder.glob(f"ckpt-{number}.*"):
            path.replace(path.with_name(f"unreadable-{path.name}"))
    note = "ckpt-{0} can't be read, and is kept as unreadable-ckpt-{0}: {1}"
    return [note.format(*reason) for reason in reasons.items()]


def set_aside_a_bad_list(folder):
    """Put away TensorFlow's list of checkpoints if it can't be read: the names of the files say as much."""
    try:
        tf.train.get_checkpoint_state(folder)
    except ValueError:
        (folder / "checkpoint").replace(folder / "unreadable-checkpoint")


def numbers_in(folder):
    found = (re.fullmatch(r"ckpt-(\d+)\.(index|data-\d+-of-\d+)", path.name) for path in folder.glob("ckpt-*"))
    return {int(match[1]) for match in found if match}


def read_losses(path, epochs):
    """Return the losses of the epochs that are done; those that can't be read are empty, and their file is kept."""
    try:
        done = json.loads(path.read_text()) if path.exists() else []
        kept = [{"losses": list(map(float, e["losses"])), "seconds": e["seconds"]} for e in done][:epochs]
    except (ValueError, TypeError, KeyError):
        path.replace(path.with_name(f"unreadable-{path.name}"))
        kept = []
    return kept + [{"losses": [], "seconds": 0}] * (epochs - len(kept))


def lock(folder):
    """Return a file that keeps others out of a folder until this process ends, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / ".lock").open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        law = "One training at a time writes into a folder."
        raise ClusterError(law, "another --folder, or the end of the other training", f"--folder {folder}") from None
    return file
