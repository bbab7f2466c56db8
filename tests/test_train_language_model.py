"""A language model on a folder of text: each byte once, and the same losses after a kill."""

import csv
import itertools
import json
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

from clear_attention import bits_per_byte
from examples import language_diary, text_rows, train_language_model
from examples.cluster import ClusterError
from examples.text_rows import FIRST, Document, Rows, decode, encode, find_documents, fingerprint, hold_out, size_of
from examples.train_language_model import arguments

ROOT = Path(__file__).parents[1]
OURS = {name: text for name, text in os.environ.items() if not name.startswith(("COVERAGE", "COV_"))}  # not watched
QUIET = OURS | {"TF_ENABLE_ONEDNN_OPTS": "0", "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
WORDS = ["one", "two", "three", "five", "seven", "eleven", "thirteen"]


def write_texts(folder, sizes, seed=0):
    """Write texts of known lengths, so many words each, in two folders."""
    rng = np.random.default_rng(seed)
    for number, size in enumerate(sizes):
        path = folder / ("inner" if number % 2 else ".") / f"{number:03}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(" ".join(rng.choice(WORDS, size)))
    return folder


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("text"), [2, 3, 5, 7, 11, 13, 200, 300, 500, 700])


def one_epoch(rows):
    return list(itertools.takewhile(lambda row: row[2][0] == 0, rows.stream()))


def texts_in(rows):
    """Return the texts, or the parts of texts, that stand in rows."""
    found = []
    for ids, segments, _ in rows:
        np.testing.assert_array_equal(ids == 0, segments == 0)
        assert sorted({*segments} - {0}) == list(range(1, segments.max() + 1))
        found += [ids[segments == n].tolist() for n in range(1, segments.max() + 1)]
    return found


# The text


def test_files_are_found_by_their_kind_and_neither_hidden_nor_empty_ones_nor_the_runs_own(tmp_path):
    for name in ("b.txt", "a/a.md", "a/b.png", ".git/c.txt", ".d.txt", "run/MODEL_CARD.md", "a/run/x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text("three")
    (tmp_path / "empty.txt").touch()
    found = find_documents(tmp_path, without=tmp_path / "run")
    assert [str(d.path.relative_to(tmp_path)) for d in found] == ["a/a.md", "a/run/x.txt", "b.txt"]
    assert [d[1:] for d in found] == [(0, 5)] * 3
    assert [d.path.name for d in find_documents(tmp_path, ["*.png"])] == ["b.png"]


def test_what_is_held_out_depends_on_names_alone(text):
    documents = find_documents(text)
    kept, held = hold_out(documents, text, 0.3)
    assert held
    assert sorted(kept + held) == documents
    assert hold_out(documents[::2], text, 0.3)[1] == [d for d in documents[::2] if d in held]
    assert set(held) <= set(hold_out(documents, text, 0.5)[1])


@pytest.mark.parametrize(("share", "files"), [(0.05, 1), (1e-9, 10), (1 - 1e-9, 10)])
def test_where_a_side_would_be_empty_the_end_of_the_longest_file_is_held_out(share, files, text):
    documents = find_documents(text)[-files:]
    kept, (held,) = hold_out(documents, text, share)
    longest = max(documents, key=size_of)
    assert held == Document(longest.path, longest.last - max(1, round(size_of(longest) * share)), longest.last)
    assert sum(map(size_of, [*kept, held])) == sum(map(size_of, documents))
    assert all(size_of(d) > 0 for d in kept)


def test_a_text_that_changes_has_another_fingerprint(tmp_path):
    write_texts(tmp_path, [5, 7])
    first = fingerprint(find_documents(tmp_path), tmp_path)
    assert re.fullmatch(r"2 files, \d+ bytes, names and sizes \w{8}", first)
    assert fingerprint(find_documents(tmp_path), tmp_path) == first
    (tmp_path / "000.txt").rename(tmp_path / "003.txt")
    assert fingerprint(find_documents(tmp_path), tmp_path) != first


# The rows


@pytest.mark.parametrize(("piece", "group"), [(2**18, 2**22), (64, 256), (1, 1)])
def test_every_byte_is_said_once_in_an_epoch_and_follows_the_byte_before_it(piece, group, text, monkeypatch):
    monkeypatch.setattr(text_rows, "PIECE", piece)
    monkeypatch.setattr(text_rows, "GROUP", group)
    documents = find_documents(text)
    rows = one_epoch(Rows(documents, context=16, seed=3))
    said = [pair for cut in texts_in(rows) for pair in itertools.pairwise(cut)]
    contents = [[1, *(byte + FIRST for byte in d.path.read_bytes()), 2] for d in documents]
    assert sorted(said) == sorted(pair for content in contents for pair in itertools.pairwise(content))


def test_short_texts_share_rows_and_long_ones_are_cut(text):
    cuts = texts_in(one_epoch(Rows(find_documents(text), context=64)))
    assert max(map(len, cuts)) == 65
    whole = {decode(cut) for cut in cuts if cut[0] == 1 and cut[-1] == 2}
    assert {d.path.read_text() for d in find_documents(text) if size_of(d) <= 63} <= whole


def test_hardly_a_place_is_left_empty(tmp_path):
    write_texts(tmp_path, [2, 3, 5, 7, 11] * 60)
    segments = np.stack([row[1] for row in one_epoch(Rows(find_documents(tmp_path), context=128))])
    assert np.mean(segments == 0) < 0.05
    assert segments.max() > 2


def test_a_stream_goes_on_wherever_it_was_left(text, monkeypatch):
    monkeypatch.setattr(text_rows, "PIECE", 64)
    monkeypatch.setattr(text_rows, "GROUP", 512)
    rows = Rows(find_documents(text), context=16)
    whole = list(itertools.islice(rows.stream(), 900))
    assert whole[-1][2][0] >= 1  # in its second epoch
    for number in (1, 7, 250, 899):
        ids, _, place = next(Rows(find_documents(text), context=16).stream(*whole[number - 1][2]))
        np.testing.assert_array_equal(ids, whole[number][0])
        assert place == whole[number][2]


@pytest.mark.parametrize("files", [10, 1])  # pieces are mixed, and the rows of a single piece
def test_each_epoch_and_each_seed_has_an_order_of_its_own(files, text):
    documents = find_documents(text)[-files:]
    streams = [Rows(documents, 16, seed).stream(epoch) for seed, epoch in ((0, 0), (0, 0), (1, 0), (0, 1))]
    first, again, seed, epoch = (np.stack([next(stream)[0] for _ in range(9)]) for stream in streams)
    assert (first == again).all()
    assert (first != seed).any()
    assert (first != epoch).any()


def test_a_file_is_read_piece_by_piece(tmp_path):
    path = tmp_path / "large.txt"
    with path.open("wb") as file:
        file.seek(2**36)  # of which the disk holds a few bytes
        file.write(b"end")
    rows = Rows([Document(path, 0, 2**36 + 3)], context=64)
    ids, _, place = next(rows.stream())
    assert set(ids) <= {1, FIRST}
    assert place == (0, 0, 1)
    pieces = rows.groups(0)[0]
    assert 2 <= len(pieces) <= 17


def test_bytes_are_ids():
    assert encode("né") == [1, ord("n") + 3, 0xC3 + 3, 0xA9 + 3]
    assert decode([*encode("né"), 2, 0]) == "né"
    assert decode([0xC3 + 3]) == "\N{REPLACEMENT CHARACTER}"


# Runs


SIZES = ["--layers", 1, "--d-model", 16, "--heads", 2, "--context", 32, "--batch", 4, "--dropout", 0.1, "--rate", 0.03]
EVERY = ["--steps", 45, "--save-every", 5, "--report-every", 5, "--sample-every", 20, "--measure-every", 20]


def command(text, folder, *more):
    given = ["--text", text, "--folder", folder, *SIZES, *EVERY, *more]
    return [sys.executable, "-m", "examples.train_language_model", *map(str, given)]


def run(*given, **environment):
    done = subprocess.run(
        command(*given), cwd=ROOT, env=QUIET | environment, capture_output=True, text=True, timeout=200
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def losses(folder):
    with (folder / "losses.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == list(range(1, len(rows) + 1))
    return [float(row["bits_per_byte"]) for row in rows]


@pytest.fixture(scope="module")
def whole(text, tmp_path_factory):
    """A run that nobody disturbed, and what it said."""
    folder = tmp_path_factory.mktemp("whole")
    done = run(text, folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_a_run_learns_and_says_how_it_goes(whole):
    folder, said = whole
    found = losses(folder)
    assert len(found) == 45
    assert np.mean(found[-5:]) < 0.6 * found[0]
    assert 6 < found[0] < 10  # near the 8 bits of one who guesses
    assert re.search(r"^text: 10 files, [\d,]+ bytes, .*; [\d,]+ bytes are held out$", said, re.MULTILINE)
    assert "0 of 45 steps are done; all of them read the text" in said
    assert len(re.findall(r"^step \d+ of 45: [\d.]+ bits a byte, [\d,]+ tokens a second, \d+ s left$", said, re.M)) == 9
    assert re.findall(r"^step (\d+), a sample:$", said, re.MULTILINE) == ["20", "40", "45"]
    assert re.findall(r"^step (\d+): [\d.]+ bits a byte on [\d,]+ bytes held out$", said, re.MULTILINE) == [
        "20",
        "40",
        "45",
    ]
    mean = float(re.search(r"step 5 of 45: ([\d.]+)", said)[1])
    assert mean == pytest.approx(np.mean(found[:5]), abs=6e-4)


def test_a_killed_run_goes_on_with_the_same_losses(text, whole, tmp_path):
    with subprocess.Popen(
        command(text, tmp_path), cwd=ROOT, env=QUIET, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        for line in process.stdout:
            if line.startswith("step 25 of"):
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    done = run(text, tmp_path)
    assert done.returncode == 0, done.stderr
    begun = int(re.search(r"^(\d+) of 45 steps are done", done.stdout, re.MULTILINE)[1])
    assert 20 <= begun < 45
    assert losses(tmp_path) == losses(whole[0])  # to the last digit, dropout and all
    first, second = (keras.saving.load_model(folder / "model.keras") for folder in (whole[0], tmp_path))
    for a, b in zip(first.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_model_that_is_kept_has_the_bits_that_its_card_says(text, whole):
    folder, _ = whole
    card = (folder / "MODEL_CARD.md").read_text()
    bits, num_bytes = re.search(r"\*\*([\d.]+)\*\*, measured on ([\d,]+) bytes", card).groups()
    options = arguments(["--text", str(text), "--folder", str(folder), "--context", "32"])
    (_, held), sizes, line = train_language_model.find_text(options)
    model = keras.saving.load_model(folder / "model.keras")
    found, count = language_diary.measure(model, held, options)
    assert float(bits) == pytest.approx(found, abs=6e-4)
    assert int(num_bytes.replace(",", "")) == count == sizes[1]  # all that was held out, each byte once
    assert f"| text | {line} |" in card
    assert f"{model.count_params():,} numbers" in card
    assert "--steps 45" in card
    assert "{" not in card


def test_the_logs_hold_what_tensorboard_shows(whole):
    (file,) = (whole[0] / "logs").iterdir()
    seen = {}
    for record in tf.data.TFRecordDataset(str(file)).as_numpy_iterator():
        event = tf.compat.v1.Event.FromString(record)
        for value in event.summary.value:
            seen.setdefault((value.tag, value.metadata.plugin_data.plugin_name), []).append((event.step, value.tensor))
    scalars = {
        tag: [(step, struct.unpack("f", x.tensor_content)[0]) for step, x in points]
        for (tag, kind), points in seen.items()
        if kind == "scalars"
    }
    assert sorted(scalars) == ["bits a byte, held out", "bits a byte, training", "learning rate", "tokens a second"]
    found = losses(whole[0])
    for step, bits in scalars["bits a byte, training"]:
        assert bits == pytest.approx(np.mean(found[step - 5 : step]), rel=1e-5)
    assert [step for step, _ in scalars["bits a byte, held out"]] == [20, 40, 45]
    assert [step for step, _ in seen["sample", "text"]] == [20, 40, 45]


WIDE = ["--steps", 6, "--dtype", "float64", "--dropout", 0]


@pytest.fixture(scope="module")
def alone(text, tmp_path_factory):
    """The losses of one device, in numbers so wide that only a mistake makes a visible difference."""
    folder = tmp_path_factory.mktemp("alone")
    assert run(text, folder, *WIDE).returncode == 0
    return losses(folder)


@pytest.mark.parametrize("pieces", [1, 2])
def test_a_step_costs_what_the_package_says_of_the_tokens_that_can_be_known(pieces, text):
    options = arguments(["--text", str(text), "--folder", "none", *map(str, [*SIZES, *WIDE, "--context", 64])])
    rows = one_epoch(Rows(find_documents(text), 64))
    rows = sorted(rows, key=lambda row: -row[1].max())[:4]  # those that hold most texts
    num_bytes = sum(token >= FIRST for cut in texts_in(rows) for token in cut[1:])
    ids, segments = (np.stack([row[i] for row in rows]) for i in (0, 1))
    assert segments.max() > 1
    assert segments.min() == 0
    model, optimizer = train_language_model.make_model(options)
    expected = bits_per_byte(model, ids, num_bytes, segments)
    step = train_language_model.make_step(tf.distribute.get_strategy(), model, optimizer, pieces)
    np.testing.assert_allclose(step(ids, segments), expected, rtol=1e-9)


def test_two_devices_and_pieces_give_the_losses_of_one(text, alone, tmp_path):
    done = run(text, tmp_path, *WIDE, "--devices", 2, "--accumulate", 2)
    assert done.returncode == 0, done.stderr
    assert "on 2 device(s)" in done.stdout
    np.testing.assert_allclose(losses(tmp_path), alone, rtol=1e-9)


def test_two_workers_give_the_losses_of_one_and_one_card(text, alone, tmp_path):
    given = command(text, tmp_path, *WIDE, "--patience", 60)
    given[2:3] = ["examples.start_workers", "2", "--restarts", "0", "--program", "train_language_model"]
    done = subprocess.run(given, cwd=ROOT, env=QUIET, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("on 2 device(s)") == done.stdout.count("Done in") == 1
    np.testing.assert_allclose(losses(tmp_path), alone, rtol=1e-9)
    assert "on 2 device(s)" in (tmp_path / "MODEL_CARD.md").read_text()


# Refusals


def call(monkeypatch, *given):
    """Run in this process; return the sentence that it ends with."""
    monkeypatch.setattr(sys, "argv", ["train_language_model", *map(str, given)])
    monkeypatch.delenv("TF_CONFIG", raising=False)
    monkeypatch.setattr(train_language_model, "leave", sys.exit)
    monkeypatch.setattr(tf.config.experimental, "enable_op_determinism", lambda: None)
    with pytest.raises(SystemExit) as exited:
        train_language_model.main()
    return exited.value.code


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (["--held-out", "1"], "argument --held-out: Expected: a number between 0 and 1. Received: 1."),
        (["--dropout", "1"], "argument --dropout: Expected: a number in [0, 1). Received: 1."),
        (["--rate", "inf"], "argument --rate: Expected: a number above 0. Received: inf."),
        (["--seed", "-1"], "argument --seed: Expected: an integer in [0, 2**32). Received: -1."),
        (["--context", "0"], "argument --context: Expected: an integer above 0. Received: 0."),
        (["--steps", "many"], "argument --steps: Expected: an integer above 0. Received: many."),
    ],
)
def test_bad_options_are_refused_in_words(bad, sentence, capsys):
    with pytest.raises(SystemExit):
        arguments(["--text", "text", "--folder", "run", *bad])
    assert sentence in capsys.readouterr().err


def test_text_that_is_not_there_or_too_short_is_refused(tmp_path, monkeypatch, capsys):
    (tmp_path / "text").mkdir()
    given = ["--folder", tmp_path / "run", "--text"]
    for make, folder, sentence in (
        (None, "no", r"The text lies in a folder\. Expected: a folder that is there\. Received: --text .*no\.\n"),
        (
            None,
            "text",
            r"There must be text to train on\. Expected: files like \*\.txt .* Received: none in .*text\.\n",
        ),
        ("x" * 200, "text", r"must fill a row\. Expected: --context 256 bytes or more\. Received: 190 in .*text\.\n"),
    ):
        if make:
            (tmp_path / "text" / "a.txt").write_text(make)
        assert call(monkeypatch, *given, tmp_path / folder) == 1
        assert re.search(sentence, capsys.readouterr().err)
    assert not (tmp_path / "run").exists()


def test_a_folder_holds_one_run(text, whole, tmp_path, monkeypatch, capsys):
    folder, _ = whole
    given = ["--text", text, "--folder", folder, *SIZES, *EVERY]
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for more, sentence in (
        (["--steps", 50], r"goes on with the settings and the text it began with\. Expected: --steps 45, or another "),
        (["--d-model", 32], r"Expected: --d-model 16, or another --folder\. Received: --d-model 32\."),
        (["--text", folder], r"Expected: --text 10 files, .* Received: --text \d+ files"),
    ):
        assert call(monkeypatch, *given, *more) == 1
        assert re.search(sentence, capsys.readouterr().err)
    assert {path: path.read_bytes() for path in before} == before
    (tmp_path / "letter").write_text("to keep")
    assert call(monkeypatch, "--text", text, "--folder", tmp_path) == 1
    assert re.search(r"A run has a folder of its own\. .* Received: .*, with letter in it\.", capsys.readouterr().err)


def test_a_batch_that_cannot_be_shared_out_and_sizes_that_do_not_fit_are_refused(text, tmp_path, monkeypatch, capsys):
    given = ["--text", text, "--folder", tmp_path / "run", *SIZES]
    assert call(monkeypatch, *given, "--accumulate", 3) == 1
    assert "Expected: --batch divisible by 1 devices x 3 pieces. Received: --batch 4." in capsys.readouterr().err
    assert call(monkeypatch, "--text", text, "--folder", tmp_path / "more", *SIZES, "--heads", 3) == 1
    said = capsys.readouterr().err
    assert "Expected: --d-model divisible by 2 x 3 heads. Received: --d-model 16." in said
    assert not (tmp_path / "more").exists()


def test_a_full_disk_stops_in_words_and_takes_nothing_away(text, tmp_path, monkeypatch, capsys):
    def save(manager):
        raise tf.errors.ResourceExhaustedError(None, None, "No space left on device")

    monkeypatch.setattr(tf.train.CheckpointManager, "save", save)
    assert call(monkeypatch, "--text", text, "--folder", tmp_path, *SIZES, "--steps", 2) == 1
    said = capsys.readouterr().err
    assert "all that was kept before is still there." in said
    assert "Received: step 2: No space left on device." in said


def test_one_training_at_a_time_writes_into_a_folder(text, tmp_path, monkeypatch, capsys):
    with train_language_model.lock(tmp_path):
        assert call(monkeypatch, "--text", text, "--folder", tmp_path, *SIZES) == 1
    assert "One training at a time writes into a folder." in capsys.readouterr().err


def test_settings_are_kept_by_the_chief_alone(text, tmp_path):
    options = arguments(["--text", str(text), "--folder", str(tmp_path)])
    train_language_model.remember_settings(options, "a text", chief=False)
    assert not list(tmp_path.iterdir())
    train_language_model.remember_settings(options, "a text", chief=True)
    assert json.loads((tmp_path / "run.json").read_text())["text"] == "a text"
    with pytest.raises(ClusterError, match=r"Expected: --text a text, or another --folder\. Received: --text another"):
        train_language_model.remember_settings(options, "another", chief=False)
