# ---
# title: Train it on your own text
# description: Train a language model on a folder of your own text, of any size, on a laptop or on many machines. What to type, what happens, how a run goes on after a crash with the same losses, and what it costs, measured and estimated.
# slow: true
# ---

# %% [markdown]
# # How do I train a language model on my own text?
#
# **In one sentence:** put the text into a folder, start one program of the repository, and stop it whenever you like:
# the same command goes on where it was.
#
# ```console
# $ python -m examples.train_language_model --text my/notes --folder runs/notes
# ```
#
# The program is made to be copied. It runs in a clone of the repository with TensorFlow installed, and needs nothing else: no
# tokenizer, no list of words, no service. How well it predicts is said in *bits a byte*: lower is better, and blind guessing
# costs 8. The tokens are bytes, so that every language and every file goes in as it is. If bits,
# temperature and sampling are new to you, read [From here to GPT](../learn/language_model.py) first.
#
# ## A small run
#
# Here is one that takes seconds, while this page is built. The text is the reference that comes with Python, a file for
# each topic:

# %% tags=["hide-input"]
import pydoc_data.topics
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

root = Path.cwd().parents[1]
place = tempfile.TemporaryDirectory()
text = Path(place.name, "text")
text.mkdir()
for name, topic in pydoc_data.topics.topics.items():
    (text / f"{name}.txt").write_text(topic)

tiny = "--layers 1 --d-model 64 --context 64 --steps 120 --rate 0.01 --dropout 0.1"
every = "--report-every 30 --save-every 30 --sample-every 60 --measure-rows 100"
program = [
    sys.executable,
    "-m",
    "examples.train_language_model",
    "--text",
    str(text),
]


def command(folder):
    return [*program, *f"--folder {place.name}/{folder} {tiny} {every}".split()]


def run(folder):
    """Run the program to its end; return what it says."""
    done = subprocess.run(command(folder), cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(said):
    """Leave out what differs from one build to the next."""
    said = said.replace(place.name + "/", "runs/")
    return re.sub(r"(, [\d,]+ tokens a second, .* left)|( in \d+ s)", "", said)


print(
    "$ python -m examples.train_language_model --text text --folder runs/whole \\"
)
print(f"    {tiny} \\\n    {every}\n")
said = run("whole")
for line in shown(said).splitlines():
    print(textwrap.fill(line, 82, subsequent_indent="    ", drop_whitespace=False))
assert "120 of 120" in said

# %% [markdown]
# On your screen each line of progress also says how many tokens a second are read, and how much time is left. With so
# short a training it writes no words yet. What lies in the folder now:

# %% tags=["hide-input"]
whole = Path(place.name, "whole")
meaning = {
    "MODEL_CARD.md": "what it was trained on, how well it does, how it was made",
    "model.keras": "the model",
    "losses.csv": "the bits a byte of every step",
    "logs": "the curves, for TensorBoard: tensorboard --logdir runs/whole/logs",
    "checkpoints": "the last three states, to go on from",
    "run.json": "the settings: a folder holds one run",
}
for name, what in meaning.items():
    assert (whole / name).exists()
    print(f"{name:14} {what}")
assert {p.name for p in whole.iterdir() if p.name != ".lock"} == set(meaning)

# %% [markdown]
# Load it anywhere, without the program:

# %%
import clear_attention
import keras

model = keras.saving.load_model(whole / "model.keras")
ids = [[1, *(byte + 3 for byte in b"The value")]]  # 1 begins a text
new = clear_attention.sample(
    model, ids, 20, temperature=0.5, seed=0, jit_compile=False
)
print(bytes(int(i) - 3 for i in new[0] if i > 2))

# %% [markdown]
# <details class="lesson-more" markdown="1"><summary>The model card</summary>

# %% tags=["hide-input", "wrap"]
card = (whole / "MODEL_CARD.md").read_text()
lines = [
    line
    for line in card.split("## A sample")[0].splitlines()
    if "| time" not in line
]
print(
    "\n".join(lines).replace(sys.executable, "python").replace(place.name + "/", "")
)
assert "Limits" in card

# %% [markdown]
# </details>
#
# ## What if it is killed?
#
# Give the same command again. Here the run is killed, not gently, and started once more. Then all its losses are
# compared with those of the run that nobody disturbed:

# %% tags=["hide-input"]
quiet = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, "text": True}
with subprocess.Popen(command("killed"), cwd=root, **quiet) as process:
    for line in process.stdout:
        if line.startswith("step 90"):
            process.send_signal(signal.SIGKILL)
            break
assert process.returncode == -signal.SIGKILL
again = run("killed")
begun = int(re.search(r"^(\d+) of 120 steps are done", again, re.M)[1])
losses = [
    Path(place.name, name, "losses.csv").read_text() for name in ("whole", "killed")
]
same = sum(a == b for a, b in zip(*map(str.splitlines, losses), strict=True)) - 1
print(f"lines of losses.csv that are equal, to the last digit: {same} of 120")
assert 60 <= begun < 120
assert same == 120

# %% [markdown]
# It went on from the last checkpoint. A crash costs the steps since then, `--save-every` of them at most, and they come
# out as before: a checkpoint holds the weights, the state of Adam, the random numbers of the dropout, and the place in
# the text. The next checkpoint is written beside the last one, and takes its place only when it is complete.
#
# With another setting, or with text that was changed, the losses would not be those of one run. So the program refuses,
# and says what differs:

# %% tags=["hide-input", "wrap"]
changed = [*command("whole"), "--steps", "200"]
refused = subprocess.run(changed, cwd=root, capture_output=True, text=True)
sentence = refused.stderr.splitlines()[-1].replace(place.name + "/", "runs/")
print(sentence)
assert refused.returncode == 1
assert "Expected: --steps 120" in sentence

# %% [markdown]
# Choose `--steps` before you begin, since the learning rate falls to 0 with the last of them.
#
# ## How is the text read?
#
# * **Which files?** All `.txt`, `.md`, `.py` and the like in the folder and the folders inside it; `--kinds "*.tex"`
#   names others. Hidden ones are left out.
# * **Held out** are 5 % of the files (`--held-out`), chosen by their names. So a file stays on its side, even if others
#   are added. Where that would choose none, as with a single file, the end of the longest one is held out.
# * **Any size.** The names of the files are in memory, and 4 MB of text at a time. Every epoch takes pieces of
#   256 kB in a new order, reads some of them, packs them and mixes their rows.
# * **A file is a document.** It gets a start and an end. Short ones share a row, without [seeing each
#   other](../learn/packing.py). Long ones are cut into rows.
#
# This loop is all of it. It can begin at any row: it reads one group again, and nothing of what was before.

# %% tags=["source", "hide-input"]
import inspect

sys.path.insert(0, str(root))
from examples.text_rows import Rows

print(inspect.getsource(Rows.stream))

# %% [markdown]
# Wherever a row is cut, the model has to predict each byte exactly once in an epoch, and it always sees the byte before it. The
# tests count them (`tests/test_train_language_model.py`).
#
# ## What does it cost?
#
# Two sizes, trained on the modules that come with Python, on the processor of one machine:

# %% tags=["remove-input"]
import json

from IPython.display import Markdown, display


def rounded(number):
    return float(f"{number:.2g}")


measured = json.loads((root / "benchmarks/language_model.json").read_text())
runs = [measured["small"], measured["larger"]]
rows = {
    "layers, `d_model`": lambda r: f"{r['layers']}, {r['d-model']}",
    "numbers in the model": lambda r: f"{r['parameters'] / 1e6:.1f} million",
    "steps of 16 rows of 256 bytes": lambda r: f"{r['steps']:,}",
    "tokens a second": lambda r: f"**{rounded(r['tokens_per_second']):,.0f}**",
    "time in all": lambda r: r["time"],
    "bits a byte, held out": lambda r: f"**{r['held_out_bits']:.2f}**",
    "memory at most": lambda r: f"{r['memory_megabytes'] / 1024:.1f} GB",
}
lines = [
    "| what | small (the sizes without options) | larger |",
    "| --- | ---: | ---: |",
]
for name, cell in rows.items():
    lines.append(f"| {name} | " + " | ".join(cell(run) for run in runs) + " |")
machine = measured["machine"]
versions = ", ".join(f"{k} {v}" for k, v in measured["versions"].items())
note = (
    f"*Measured {measured['date']} with `make bench-language-model` on {machine['cores']} cores "
    f"({machine['processor']}), {versions}, each twice, of which the quicker run is shown; others used the machine, too. "
    f"The text has {runs[0]['text_bytes'] / 1e6:.0f} MB.*"
)
display(Markdown("\n".join(lines) + "\n\n" + note))
assert runs[0]["tokens_per_second"] > runs[1]["tokens_per_second"]
assert runs[0]["parameters"] < runs[1]["parameters"]

# %% [markdown]
# If you have minutes, take the smaller model: in half the time it has seen four times as much text, and needs fewer
# bits. With a night and enough text a larger one usually wins; that we have not measured. This is what the small one
# wrote at its end. It has seen less than a tenth of the text:

# %% tags=["remove-input"]
sample = textwrap.dedent(runs[0]["sample"]).strip()
print(sample)
seen = runs[0]["steps"] * 16 * 256 / runs[0]["text_bytes"]
assert seen < 0.1
assert runs[0]["held_out_bits"] < runs[1]["held_out_bits"]
assert runs[0]["steps"] == 4 * runs[1]["steps"]

# %% [markdown]
# ### Beyond a laptop
#
# **Estimates, not measurements.** A step computes about $6$ operations for each number in the model and each token
# (Kaplan and others 2020, section 2.1). What attention adds for its scores is left out: at a context of 256 it is
# little. How many tokens should a model see? Hoffmann and others (2022) found that about 20 for each number is a good use of
# a given time. Their tokens were pieces of words. For bytes it is a rough guide, and the table takes it as it is. So
#
# $$ \text{seconds} = \frac{6 \cdot N \cdot 20 N}{\text{operations a second}} $$
#
# and a model that is ten times as large takes a hundred times as long:

# %% tags=["hide-input"]
import math


def said_time(seconds):
    units = {"s": 60, "min": 60, "hours": 24, "days": 365, "years": math.inf}
    for unit, most in units.items():
        if seconds < 2 * most:
            return (
                f"{rounded(seconds):,.0f} {unit}" if seconds >= 1 else "< 1 " + unit
            )
        seconds /= most


laptop = 6 * runs[1]["parameters"] * runs[1]["tokens_per_second"]
devices = {"the machine above": laptop, "a small GPU": 1e13, "a large GPU": 2e14}
lines = [
    "| numbers in the model | tokens | text to read once | "
    + " | ".join(devices)
    + " |"
]
lines += ["| ---: " * (3 + len(devices)) + "|"]
for n in (1e6, 1e7, 1e8, 1e9):
    times = [said_time(6 * n * 20 * n / speed) for speed in devices.values()]
    lines.append(
        f"| {n / 1e6:,.0f} million | {20 * n / 1e6:,.0f} million | {20 * n / 1e9:g} GB | "
        + " | ".join(times)
        + " |"
    )
display(Markdown("\n".join(lines)))
print(
    f"operations a second: {rounded(laptop) / 1e9:,.0f} billion, from the table above,"
)
print("10,000 billion and 200,000 billion: round numbers for what training reaches")
assert 1e9 < laptop < 1e12

# %% [markdown]
# Measure yours: the line of progress says how many tokens a second you train, and `6 · numbers in the model · tokens a
# second` is how many operations a second your machine reaches.
# If you have less text than the third column says, read it several times. Four times are nearly as good as new text
# (Muennighoff and others 2023). After that a model learns it by heart: then the bits held out rise again, while those in training go
# on falling. Take a smaller model, or `--dropout 0.1`.
#
# ## Larger, and on many machines
#
# * `--layers 6 --d-model 256 --heads 8 --rate 1e-3`: a larger model wants a smaller rate.
# * `--context 1024` lets it see more, and costs memory. `--accumulate 4` takes each batch in four pieces: the same
#   step, a quarter of the memory for what lies between the layers.
# * `--dtype mixed_bfloat16` computes in 16 bits, which pays on a GPU.
# * Several GPUs of one machine are all used. `--devices` says how many. Without a GPU the processor is split, to try it
#   out.
# * Several machines: start the program on each of them, with `TF_CONFIG` and with folders that all of them see, as in
#   [Train on many machines](many_machines.py). To try that on one:
#
# ```console
# $ python -m examples.start_workers 2 --program train_language_model \
#     --text my/notes --folder runs/two
# ```
#
# One device, two devices and two workers give the same losses but for rounding. The tests compare them in float64, to
# a relative difference of $10^{-9}$.
#
# ## What it does not do
#
# * No tokenizer. Bytes make rows four times as long as pieces of English words would, and a model for other scripts sees even
#   less of its text. In return nothing has to be made before you begin, and bits a byte can be compared with anybody's.
# * It reads the names and the sizes of the files when it goes on, and not what is in them. If you change a file and
#   keep its size, nobody notices.
# * The same losses after a crash: on the same machine, with the same versions. Another processor rounds differently.
#   The tests run on processors. For GPUs the program asks TensorFlow for operations that are the same each time, but we had
#   none to test it on.
# * A model keeps parts of its text to the letter. Who has the model may get them out. The card says so too.
#
# Next: [Pack a stream of texts](pack_a_stream.py) for a training loop of your own, [use it in your model](use_it.py), or
# [draw from it](../reference/generation.md) with other knobs.
#
# Read on elsewhere: Kaplan and others (2020), [Scaling Laws for Neural Language
# Models](https://arxiv.org/abs/2001.08361); Hoffmann and others (2022), [Training Compute-Optimal Large Language
# Models](https://arxiv.org/abs/2203.15556); Muennighoff and others (2023), [Scaling Data-Constrained Language
# Models](https://arxiv.org/abs/2305.16264).
