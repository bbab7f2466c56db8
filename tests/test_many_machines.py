"""The Transformer on several devices and in several processes: the same losses, and nothing lost but an epoch."""

import argparse
import itertools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf

from examples import train_workers
from examples.checkpoints import lock, read_losses, restore
from examples.cluster import ClusterError, read_cluster
from examples.date_records import read_records, worker_batches, write_records
from examples.start_workers import free_ports
from examples.train_workers import make_model, make_step

ROOT = Path(__file__).parents[1]
TWO = '{"cluster": {"worker": ["a:1", "b:2"]}, "task": {"type": "worker", "index": 1}}'
OURS = {name: text for name, text in os.environ.items() if not name.startswith(("COVERAGE", "COV_"))}  # not watched
QUIET = OURS | {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dates")
    write_records(folder, 1203)
    return folder


# The records


def test_records_hold_the_pairs_and_no_unfinished_file_stays(records):
    names = sorted(path.name for path in records.iterdir())
    assert names == ["000.ids", "001.ids", "002.ids", "003.ids"]
    assert sum(1 for _ in read_records(records)) == 1203
    source, target, expected = next(iter(worker_batches(records, 64, epoch=0)))
    assert (source.shape, target.shape, expected.shape) == ((64, 34), (64, 11), (64, 11))
    np.testing.assert_array_equal(target[:, 1:], expected[:, :-1])
    assert set(target[:, 0].numpy()) == {1}


@pytest.mark.parametrize("workers", [2, 4])
def test_workers_share_each_global_batch_between_them(records, workers):
    def rows(batches):
        return [sorted(map(tuple, batch[0].numpy())) for batch in batches]

    whole = rows(worker_batches(records, 64, epoch=3))
    parts = [rows(worker_batches(records, 64, 3, workers, index)) for index in range(workers)]
    assert [len(part[0]) for part in parts] == [64 // workers] * workers
    assert [sorted(itertools.chain(*pieces)) for pieces in zip(*parts, strict=True)] == whole
    assert len(whole) == 18


def test_each_epoch_has_an_order_of_its_own(records):
    first, again, second = (next(iter(worker_batches(records, 8, epoch)))[0].numpy() for epoch in (0, 0, 1))
    assert (first == again).all()
    assert (first != second).any()


def test_a_folder_without_records_says_how_to_make_some(tmp_path):
    with pytest.raises(SystemExit, match=r"There are no records in .*: python -m examples\.date_records"):
        read_records(tmp_path)


# TF_CONFIG


def test_tf_config_is_read():
    assert read_cluster(TWO) == (["a:1", "b:2"], 1)
    assert read_cluster(None) == read_cluster("") == (["localhost:0"], 0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("nonsense", r"must be a JSON object .* Received: TF_CONFIG=nonsense\."),
        ("[1]", r"must be a JSON object .* Received: TF_CONFIG=\[1\]\."),
        (TWO.replace('"task"', '"tasks"'), "must be a JSON object that names all workers"),
        (TWO.replace('"type": "worker"', '"type": "ps"'), r"knows workers only.* Received: \['worker'\], type 'ps'\."),
        (TWO.replace('"b:2"]', '"b:2"], "ps": ["c:3"]'), r"knows workers only.* Received: \['ps', 'worker'\]"),
        (TWO.replace("b:2", "b"), r'list of addresses.* Received: \["a:1", "b"\]\.'),
        (TWO.replace("b:2", "b:70000"), r"list of addresses"),
        (TWO.replace('["a:1", "b:2"]', '"a:1"'), r'list of addresses.* Received: "a:1"\.'),
        (TWO.replace("b:2", "a:1"), r"an address of its own.* Received: .*a:1.*a:1"),
        (TWO.replace("1}}", "2}}"), r"Expected: an integer in \[0, 2\)\. Received: index 2\."),
        (TWO.replace("1}}", '"0"}}'), r"Received: index '0'\."),
        (TWO.replace("1}}", "true}}"), r"Received: index True\."),
    ],
)
def test_a_bad_tf_config_gets_a_sentence(text, sentence):
    with pytest.raises(ClusterError, match=sentence):
        read_cluster(text)


# Processes


def run(module, *arguments, seconds=200, **environment):
    command = [sys.executable, "-m", f"examples.{module}", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, env=QUIET | environment, capture_output=True, text=True, timeout=seconds)


def worker_options(records, folder, *more):
    sizes = ["--epochs", 3, "--steps", 15, "--d-model", 16, "--dtype", "float64"]
    return ["--data", records, "--folder", folder, *sizes, *more]


def losses(folder):
    epochs = json.loads((folder / "losses.json").read_text())
    return np.array([loss for epoch in epochs for loss in epoch["losses"]])


@pytest.fixture(scope="module")
def alone(records, tmp_path_factory):
    """What one process leaves, which takes each batch in two pieces."""
    folder = tmp_path_factory.mktemp("alone")
    done = run("train_workers", *worker_options(records, folder, "--accumulate", 2))
    assert done.returncode == 0, done.stderr
    return folder


def test_a_killed_worker_costs_an_epoch_at_most_and_changes_no_loss(records, alone, tmp_path):
    arguments = ["start_workers", 2, "--restarts", 1, *worker_options(records, tmp_path, "--patience", 60)]
    command = [sys.executable, "-m", *map(str, ["examples." + arguments[0], *arguments[1:]])]
    seen, errors = [], tmp_path / "errors"
    with (
        errors.open("w") as file,
        subprocess.Popen(command, cwd=ROOT, env=QUIET, stdout=subprocess.PIPE, stderr=file, text=True) as workers,
    ):
        for line in workers.stdout:
            seen.append(line)
            if line.startswith("epoch 1 of 3") and sum(line.startswith("epoch 1") for line in seen) == 1:
                (second,) = re.findall(r"worker 1: process (\d+)", "".join(seen))
                os.kill(int(second), signal.SIGKILL)
    assert workers.returncode == 0, errors.read_text()
    assert "Worker 0 lost the others" in errors.read_text()
    assert re.search(r"\(exit codes \[75, -9\]\): all are started again", "".join(seen))
    assert "2 worker(s), 1 of 3 epochs are done\n" in seen
    found = losses(tmp_path)
    assert found.shape == losses(alone).shape == (45,)
    assert found[-1] < found[0] - 0.3
    np.testing.assert_allclose(found, losses(alone), rtol=1e-9)  # the same sums in another order, in float64


def test_a_checkpoint_that_was_not_completed_is_not_taken(records, alone, tmp_path):
    folder = shutil.copytree(alone, tmp_path / "again")
    for name in ("ckpt-4.index", "ckpt-4.data-00000-of-00001", "ckpt-5_temp"):
        (folder / "checkpoints" / name).write_bytes(b"broken off")
    done = run("train_workers", *worker_options(records, folder, "--accumulate", 2, "--epochs", 4))
    assert done.returncode == 0, done.stderr
    assert "1 worker(s), 3 of 4 epochs are done" in done.stdout
    assert losses(folder).shape == (60,)
    np.testing.assert_array_equal(losses(folder)[:45], losses(alone))


def checkpoint_of(folder, epoch):
    """Return a checkpoint of three numbers, as the training makes one of a whole model."""
    counter = tf.Variable(epoch, dtype=tf.int64)
    checkpoint = tf.train.Checkpoint(model=tf.Variable([1.0, 2.0, 3.0]), epoch=counter)
    return lambda: tf.train.CheckpointManager(checkpoint, folder, max_to_keep=9).save(), checkpoint, counter


@pytest.fixture
def kept(tmp_path):
    """A folder with three checkpoints, made after epochs 1, 2 and 3."""
    save, _, counter = checkpoint_of(tmp_path, 0)
    for epoch in (1, 2, 3):
        counter.assign(epoch)
        save()
    return tmp_path


def cut(path):
    path.write_bytes(path.read_bytes()[:-3])


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)


DAMAGE = {
    "the index is gone": lambda folder: (folder / "ckpt-3.index").unlink(),
    "the data are gone": lambda folder: next(folder.glob("ckpt-3.data*")).unlink(),
    "the index is cut": lambda folder: cut(folder / "ckpt-3.index"),
    "the data are cut": lambda folder: cut(next(folder.glob("ckpt-3.data*"))),
    "the index is empty": lambda folder: (folder / "ckpt-3.index").write_bytes(b""),
    "a byte of the data is another": lambda folder: flip(next(folder.glob("ckpt-3.data*"))),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_newest_whole_checkpoint_is_taken_and_a_damaged_one_kept(damage, kept):
    DAMAGE[damage](kept)
    bytes_before = {path.name: path.read_bytes() for path in kept.glob("ckpt-3.*")}
    save, checkpoint, counter = checkpoint_of(kept, 0)
    (sentence,) = restore(checkpoint, kept, chief=True)
    assert sentence.startswith("ckpt-3 can't be read, and is kept as unreadable-ckpt-3: ")
    assert counter.numpy() == 2
    save()  # takes the number of the damaged one
    assert {path.name: path.read_bytes() for path in kept.glob("unreadable-*")} == {
        f"unreadable-{name}": data for name, data in bytes_before.items()
    }
    _, again, counter = checkpoint_of(kept, 0)
    assert restore(again, kept, chief=True) == []
    assert counter.numpy() == 2


@pytest.mark.parametrize("text", ["", "nothing", 'model_checkpoint_path: "ckpt-9"'])
def test_it_does_not_matter_what_the_list_of_checkpoints_says(text, kept):
    (kept / "checkpoint").write_text(text)
    save, checkpoint, counter = checkpoint_of(kept, 0)
    assert restore(checkpoint, kept, chief=True) == []
    assert counter.numpy() == 3
    save()
    assert (kept / "ckpt-4.index").exists()


def test_nothing_begins_anew_over_checkpoints_that_cannot_be_read(kept):
    other = tf.train.Checkpoint(model=tf.Variable([1.0, 2.0]), epoch=tf.Variable(0, dtype=tf.int64))  # of another size
    before = sorted(path.name for path in kept.iterdir())
    with pytest.raises(ClusterError, match=r"No checkpoint in .* fits this model.* Received: ckpt-3: .*[Ss]hape"):
        restore(other, kept, chief=True)
    other = tf.train.Checkpoint(model=tf.Variable([1, 2, 3], dtype=tf.float64), epoch=tf.Variable(0, dtype=tf.int64))
    with pytest.raises(ClusterError, match=r"No checkpoint in .* fits this model.* Received: ckpt-3: .*dtype"):
        restore(other, kept, chief=True)
    assert sorted(path.name for path in kept.iterdir()) == before


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '[{"losses": "many"}]', '{"losses": []}'])
def test_losses_that_cannot_be_read_are_kept_aside(text, tmp_path):
    log = tmp_path / "losses.json"
    log.write_text(text)
    assert read_losses(log, 2) == [{"losses": [], "seconds": 0}] * 2
    assert (tmp_path / "unreadable-losses.json").read_text() == text


def test_losses_are_read_for_as_many_epochs_as_are_done(tmp_path):
    log, one = tmp_path / "losses.json", {"losses": [1.0], "seconds": 2.0}
    assert read_losses(log, 0) == []
    log.write_text(json.dumps([one, one]))
    assert read_losses(log, 1) == [one]
    assert read_losses(log, 3) == [one, one, {"losses": [], "seconds": 0}]


def test_one_training_at_a_time_writes_into_a_folder(tmp_path):
    with lock(tmp_path):
        with pytest.raises(ClusterError, match=r"One training at a time .* Received: --folder "):
            lock(tmp_path)
        (tmp_path / "other").mkdir()
        lock(tmp_path / "other").close()
    lock(tmp_path).close()


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (["--epochs", "0"], "argument --epochs: Expected: an integer above 0. Received: 0."),
        (["--steps", "-1"], "argument --steps: Expected: an integer above 0. Received: -1."),
        (["--batch", "2.5"], "argument --batch: Expected: an integer above 0. Received: 2.5."),
        (["--accumulate", "no"], "argument --accumulate: Expected: an integer above 0. Received: no."),
        (["--d-model", "18"], "argument --d-model: Expected: a multiple of 4, the heads. Received: 18."),
        (["--patience", "nan"], "argument --patience: Expected: a number of seconds above 0. Received: nan."),
    ],
)
def test_bad_options_are_refused_in_words(bad, sentence, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["train_workers", "--data", "data", "--folder", "runs", *bad])
    with pytest.raises(SystemExit) as exited:
        train_workers.arguments()
    assert exited.value.code == 2
    assert sentence in capsys.readouterr().err


def test_a_full_disk_stops_in_words_and_takes_nothing_away(records, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["train_workers", *map(str, worker_options(records, tmp_path, "--steps", 1))])
    monkeypatch.delenv("TF_CONFIG", raising=False)
    monkeypatch.setattr(train_workers, "leave", sys.exit)
    saved = []

    def save(manager):
        if saved:
            raise tf.errors.ResourceExhaustedError(None, None, "No space left on device")
        saved.append(manager)

    monkeypatch.setattr(tf.train.CheckpointManager, "save", save)
    with pytest.raises(SystemExit) as exited:
        train_workers.main()
    assert exited.value.code == 1
    said = capsys.readouterr()
    assert "all that was kept before is still there." in said.err
    assert "Received: epoch 2: No space left on device." in said.err
    assert "epoch 1 of 3" in said.out


def test_a_launcher_that_is_ended_ends_its_workers(records, tmp_path):
    arguments = ["start_workers", 2, *worker_options(records, tmp_path, "--patience", 60, "--epochs", 1000)]
    command = [sys.executable, "-m", *map(str, ["examples." + arguments[0], *arguments[1:]])]
    with subprocess.Popen(command, cwd=ROOT, env=QUIET, stdout=subprocess.PIPE, text=True) as launcher:
        workers = [int(re.search(r"process (\d+)", launcher.stdout.readline())[1]) for _ in range(2)]
        os.kill(launcher.pid, signal.SIGTERM)
    assert launcher.returncode == 143
    for worker in workers:
        with pytest.raises(ProcessLookupError):
            os.kill(worker, 0)


def test_in_16_bits_and_pieces_the_losses_are_nearly_those(records):
    batches, found = list(worker_batches(records, 64, 0).take(15)), []
    for dtype, pieces in (("float32", 1), ("mixed_bfloat16", 2)):
        model, optimizer = make_model(argparse.Namespace(d_model=16, dtype=dtype))
        step = make_step(tf.distribute.get_strategy(), model, optimizer, pieces)
        found.append([float(step(batch)) for batch in batches])
    np.testing.assert_allclose(*found, atol=0.02)
    assert found[0] != found[1]


def test_a_missing_worker_is_named_in_time(records, tmp_path):
    ports = free_ports(2)
    config = {"cluster": {"worker": [f"127.0.0.1:{p}" for p in ports]}, "task": {"type": "worker", "index": 0}}
    start = time.monotonic()
    done = run("train_workers", *worker_options(records, tmp_path, "--patience", 3), TF_CONFIG=json.dumps(config))
    assert done.returncode != 0
    assert f"Expected: all within 3 seconds. Received: no answer from worker 1 at 127.0.0.1:{ports[1]}." in done.stderr
    assert time.monotonic() - start < 90


def test_a_port_in_use_is_named(records, tmp_path):
    with socket.socket() as taken:
        taken.bind(("", 0))
        taken.listen()
        port = taken.getsockname()[1]
        config = {"cluster": {"worker": [f"127.0.0.1:{port}", "b:2"]}, "task": {"type": "worker", "index": 0}}
        done = run("train_workers", *worker_options(records, tmp_path), TF_CONFIG=json.dumps(config))
    assert done.returncode == 1
    assert f"Worker 0 listens on port {port}, so nothing else may." in done.stderr
    assert f"Received: 127.0.0.1:{port}: Address already in use." in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("batch", "sentence"),
    [
        (10, r"Expected: --batch divisible by 1 workers x 4 pieces\. Received: --batch 10\."),
        (2000, r"An epoch has at least one step\. Expected: 2000 records or more in .*\. Received: fewer\."),
    ],
)
def test_a_batch_that_cannot_be_shared_out_or_filled_is_refused(records, tmp_path, batch, sentence):
    done = run("train_workers", *worker_options(records, tmp_path, "--batch", batch, "--accumulate", 4))
    assert done.returncode == 1
    assert re.search(sentence, done.stderr), done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "losses.json").exists()


MIRRORED = """
    import json, sys
    import keras
    import numpy as np
    import tensorflow as tf
    from clear_attention import Transformer
    from examples.date_records import worker_batches
    from examples.train_workers import make_step, same_everywhere

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    records, folder = sys.argv[1:]


    class Stop(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            if len(self.model.history.epoch) == 1 and batch == 3:  # in the second epoch
                found["stopped"] = self.model.history.history["loss"]
                raise KeyboardInterrupt


    def make(strategy):
        keras.utils.set_random_seed(0)
        with strategy.scope():
            model = Transformer(1, 16, 2, 32, 45, 14, dropout=0.0, dtype="float64")
            model.build()
            optimizer = keras.optimizers.Adam(1e-3)
            optimizer.build(model.trainable_variables)
        return model, optimizer


    def fit(strategy, *callbacks):
        model, optimizer = make(strategy)
        with strategy.scope():
            loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            model.compile(optimizer, loss, jit_compile=False)
        batches = worker_batches(records, 64, 0).take(8).map(lambda *ids: (ids[:2], ids[2]))
        return model.fit(batches, epochs=3, verbose=0, shuffle=False, callbacks=list(callbacks)).history["loss"]


    def loop(strategy):
        '''The loop of the workers, with targets of unequal lengths: the first device gets more tokens.'''
        source, target, expected = next(iter(worker_batches(records, 64, 0)))
        keep = tf.sequence_mask(np.linspace(11, 2, 64).astype(int), 11, tf.int32)
        size = 64 // strategy.num_replicas_in_sync

        def share(x):
            place = lambda context: size * context.replica_id_in_sync_group
            return strategy.experimental_distribute_values_from_function(lambda context: x[place(context):][:size])

        batch = source, target * keep, expected * keep
        batch = tuple(map(share, batch)) if size < 64 else batch
        step = make_step(strategy, *make(strategy), pieces=1)
        return [float(step(batch)) for _ in range(4)]


    one, two, found = tf.distribute.get_strategy(), tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), {}
    found["one"] = fit(one)
    try:
        fit(two, keras.callbacks.BackupAndRestore(folder), Stop())
    except KeyboardInterrupt:
        found["restored"] = fit(two, keras.callbacks.BackupAndRestore(folder))
    found["loops"] = [loop(one), loop(two)]
    own = two.experimental_distribute_values_from_function(lambda context: context.replica_id_in_sync_group)
    found["same"] = [same_everywhere(two, 3), same_everywhere(two, own)]
    print(json.dumps(found))
"""


def test_two_devices_give_the_losses_of_one_and_go_on_from_their_backup(records, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(MIRRORED), records, tmp_path / "backup"],
        cwd=ROOT,
        env=QUIET | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert (len(found["stopped"]), len(found["restored"])) == (1, 2)  # only the second epoch was repeated, whole
    two = found["stopped"] + found["restored"]
    np.testing.assert_allclose(two, found["one"], rtol=1e-6)  # Keras's mean of the losses is in float32
    np.testing.assert_allclose(*found["loops"], rtol=1e-12)
    assert found["same"] == [True, False]
