"""The harness of the benchmarks: turns, medians, ratios, verdicts and tables, on numbers made up for it."""

import datetime
import json
import math
import re
import time

import matplotlib.pyplot as plt

from benchmarks import check_peers, machine, pictures, report, tables, timing


def cell(size=(1, 8, 4096, 64), mask="causal", passes="forward", what="function", **times_ms):
    times_ms = {name.replace("_", " ").replace("keras ops", "keras.ops"): ms for name, ms in times_ms.items()}
    return {"what": what, "size": list(size), "mask": mask, "passes": passes, "times_ms": times_ms, "thrown": 0}


def results(*cells, **groups):
    empty = dict.fromkeys(("memory", "training", "decoding", "imports"), ())
    return {"attention": cells, **empty, **groups}


def test_contenders_take_turns_and_each_gets_its_time():
    turns = []

    def sleeper(name, seconds):
        def call():
            turns.append(name)
            time.sleep(seconds)

        return call

    times, thrown = timing.by_turns({"a": sleeper("a", 0.03), "b": sleeper("b", 0.06)}, seconds=0, fewest=4, most=4)
    assert [len(ms) for ms in times.values()] == [4, 4]
    rounds = [turns[i : i + 4] for i in range(4, len(turns), 4)]  # after two calls each to see how long they take
    assert len(rounds) == 4 + thrown
    assert {tuple(r) for r in rounds} == {("a", "a", "b", "b"), ("b", "b", "a", "a")}  # one not counted, one counted
    assert min(times["a"]) >= 30
    assert min(times["b"]) >= 60


def test_what_is_short_is_repeated():
    calls = []
    times, _ = timing.by_turns({"a": lambda: calls.append(1)}, seconds=0, fewest=1, most=1)
    assert len(calls) > 100
    assert times["a"][0] < 1


def test_what_is_slow_is_called_once_a_round():
    calls = []
    slow = lambda: (calls.append(1), time.sleep(0.51))  # noqa: E731
    _, thrown = timing.by_turns({"a": slow}, seconds=0, fewest=1, most=1)
    assert len(calls) == 3 + thrown  # two to see that it is slow


def test_a_contender_may_time_itself():
    times, _ = timing.by_turns({"a": lambda: 0.5}, seconds=0, fewest=2, most=2, timed_within=True)
    assert times == {"a": [500.0, 500.0]}


def test_busy_rounds_are_thrown_away_but_not_for_ever(monkeypatch):
    clock = iter(range(10**6))
    monkeypatch.setattr(timing, "other_work", lambda: next(clock))  # others always use a second
    times, thrown = timing.by_turns({"a": lambda: 0.1}, seconds=0, fewest=2, most=2, timed_within=True)
    assert thrown == 6
    assert len(times["a"]) == 2


def test_ratios_are_medians_of_rounds():
    assert report.ratio({"a": [1, 4, 9], "b": [2, 2, 3]}, "a", "b") == 2
    assert math.isnan(report.ratio({"a": [1]}, "a", "b"))


def test_verdicts_of_what_was_measured_and_of_nothing_else():
    measured = cell(blockwise_graph=[60], keras_ops_graph=[100])
    (found,) = report.verdicts(results(measured))
    assert (found.measured, found.goal, found.met) == (0.6, 0.55, False)
    assert "4,096 tokens, forward: time of keras.ops" in found.what


def test_a_goal_is_a_ratio_to_its_floor_and_says_what_stands_in_the_way():
    times = {"blockwise_graph": [60], "torch": [30], "ours_graph": [44], "floor_graph": [40], "unchecked_graph": [42]}
    floors = {"floor of blocks graph": [50]}
    row = cell(**times)
    row["times_ms"] |= floors
    blocks, groups, plain = report.verdicts(results(row))
    assert (blocks.measured, blocks.goal, blocks.met) == (1.2, 1.08, False)
    assert blocks.why == "The floor takes all heads at once. torch's kernel takes 0.60."
    row["times_ms"]["floor of blocks again graph"] = [45]
    blocks, *_ = report.verdicts(results(row))
    assert blocks.why == "The floor takes all heads at once; its second copy takes 0.90. torch's kernel takes 0.60."
    assert (plain.measured, plain.goal, plain.met) == (1.1, 1.05, False)
    assert plain.why == "Without the search for NaN it is 1.05."
    row["times_ms"]["floor again graph"] = [43]
    *_, plain = report.verdicts(results(row))
    assert plain.why == "A second copy of the floor takes 1.07 of the first; without the search for NaN it is 1.05."
    assert "before heads had groups" in groups.what
    assert "| 1.20 | 1.08 | The floor takes" in tables.missed_table([blocks])


def test_the_worst_cell_of_the_small_sizes_counts():
    quick = cell(size=(64, 8, 5, 64), what="layer", auto_eager=[1], keras_layer_eager=[2])
    slow = cell(size=(64, 8, 5, 64), what="layer", passes="both", auto_eager=[3], keras_layer_eager=[2])
    long = cell(what="layer", auto_eager=[9], keras_layer_eager=[2])
    (found,) = report.verdicts(results(quick, slow, long))
    assert (found.measured, found.met) == (1.5, False)
    assert "(64, 8, 5, 64), causal, with gradients" in found.what
    assert found.why == "Ours are more operations, which look for NaN and refuse bad input."


def test_what_a_small_cell_takes_with_nothing_checked_is_said():
    layer = cell(size=(64, 8, 5, 64), what="layer", auto_eager=[12], keras_layer_eager=[10])
    layer["times_ms"]["floor eager"] = [11]
    function = cell(size=(64, 8, 5, 64), ours_eager=[12], unchecked_eager=[8], keras_ops_eager=[10])
    first, second = report.verdicts(results(layer, function))
    assert first.why == "The search for NaN: without it the function takes 0.80 here."
    assert second.why == "Four products and an attention that checks nothing take 1.10 here; the rest is what we check."


def test_a_training_step_is_held_against_one_without_attention():
    times = {"clear-attention": [90], "Keras layers": [100], "all but attention": [70]}
    (found,) = report.verdicts(results(training=[{"model": "lesson", "times_ms": times}]))
    assert (found.measured, found.met) == (0.9, False)
    assert "takes 0.70" in found.why


def test_the_price_of_groups_is_measured_by_what_torch_takes():
    quick = cell(size=(1, 8, 4096, 64), blockwise_graph=[110, 110], torch=[100, 100])
    slow = cell(size=(1, 8, 8192, 64), passes="both", blockwise_graph=[200, 200], torch=[100, 100])
    found = {v.what.split(": ")[0]: v for v in report.verdicts(results(quick, slow)) if "groups" in v.what}
    first = found["blockwise, causal, 4,096 tokens, forward"]
    assert (round(first.measured, 3), first.met) == (0.902, True)
    second = found["blockwise, causal, 8,192 tokens, with gradients"]
    assert (round(second.measured, 3), second.met) == (1.689, False)
    assert second.why == "Its floor was not measured at this length."


def test_a_goal_that_is_missed_by_little_is_shown_with_digits_that_tell():
    assert tables.figures(report.Verdict("x", 1.2, 1.08)) == ("1.20", "1.08")
    assert tables.figures(report.Verdict("x", 0.8634, 0.86)) == ("0.863", "0.860")
    assert tables.figures(report.Verdict("x", 0.86004, 0.86)) == ("0.86", "0.86")


def test_what_more_memory_would_buy_is_said():
    row = cell(blockwise_graph=[60], halves_graph=[52])
    row["times_ms"]["floor of blocks graph"] = [50]
    kept = [
        {"who": who, "passes": "both", "length": 4096, "megabytes": mb}
        for who, mb in (("halves", 120), ("blockwise", 60))
    ]
    blocks, *_ = report.verdicts(results(row, memory=kept))
    assert blocks.why.endswith("take 1.04 of the floor, but with gradients 120 MB instead of 60.")
    assert report.by_halves(results(row), row["times_ms"]) == ""


def test_what_the_allocator_keeps_is_said_beside_the_memory():
    kept = [
        {"who": who, "passes": "both", "length": 4096, "megabytes": mb}
        for who, mb in (("blockwise", 81.5), ("given back", 70))
    ]
    (found,) = report.verdicts(results(memory=kept))
    assert (found.measured, found.met) == (0.5, False)
    assert found.why.endswith("Without oneDNN, and with freed memory given back at once, it is 70 MB.")
    kept += [{"who": "short", "passes": "both", "length": 512, "megabytes": 28}]
    (found,) = report.verdicts(results(memory=kept))
    assert found.why.endswith(
        "70 MB. A first call with 512 tokens, nearly all of it for making the graph, takes 28 MB already."
    )


def test_lines_that_end_together_are_all_named_inside_of_the_picture():
    ax = plt.figure().subplots()
    lines = {"ours": {4096: 2815, 8192: 8855}, "keras.ops": {4096: 2350, 8192: 8983}, "torch": {4096: 21, 16384: 71}}
    pictures.draw(ax, lines, "memory")
    named = {text.get_text(): text.xy[1] for text in ax.texts}
    assert named.keys() == {"plain", "keras.ops", "torch"}
    assert max(named.values()) < ax.get_ylim()[1]
    assert named["keras.ops"] > 1.1 * named["plain"]
    plt.close("all")


def test_the_widest_vectors_of_a_processor():
    assert machine.vector_bits("fpu sse sse2 avx avx2 fma avx512f avx512vl") == 512
    assert machine.vector_bits("fpu sse sse2 avx avx2") == 256
    assert machine.vector_bits("fp asimd evtstrm") == 128
    assert machine.vector_bits("") is None
    assert machine.processor()


def test_verdicts_of_memory():
    rows = [
        {"who": who, "passes": "both", "length": n, "megabytes": mb}
        for who, n, mb in (
            ("blockwise", 4096, 100),
            ("blockwise", 8192, 230),
            ("ours", 8192, 4000),
            ("ours", 16384, None),
        )
    ]
    found = report.verdicts(results(memory=rows))
    assert [(v.what.split(": ")[1], round(v.measured, 3), v.met) for v in found] == [
        ("memory before heads had groups", 0.613, False),
        ("memory before heads had groups", 0.697, False),
        ("memory of the plain function", 0.058, False),
    ]
    assert tables.memory_table(results(memory=rows), "both", {"blockwise": "B", "ours": "O"}).splitlines()[2:] == [
        "| 4,096 | 100 | - |",
        "| 8,192 | 230 | 4,000 |",
        "| 16,384 | - | does not fit |",
    ]


def test_auto_is_judged_by_its_worst_cell():
    layer = {"what": "layer", "auto_graph": [10], "plain_graph": [10]}
    found = report.verdicts(
        results(cell(**layer, blockwise_graph=[30]), cell(**layer, blockwise_graph=[8], passes="both"))
    )
    assert [(v.measured, v.met) for v in found] == [(1.25, False)]
    assert "with gradients, graph" in found[0].what
    assert "takes the blockwise path here" in found[0].why  # 4,096 tokens, later keys hidden
    short = cell(size=(8, 8, 512, 64), **layer, blockwise_graph=[8])
    (found,) = report.verdicts(results(short))
    assert found.why == "Blocks would pay here already; it goes by the length alone, and takes the plain path."


def test_tables_show_the_quickest_in_bold():
    text = tables.time_table(
        results(cell(torch=[123.4], JAX=[0.5678])), "function", "forward", {"torch": "t", "JAX": "j", "x": "x"}
    )
    assert text.splitlines()[0] == "| Size and mask | t | j | x |"
    assert text.splitlines()[2] == "| (1, 8, 4096, 64), causal | 123 | **0.568** | - |"


def test_the_masks_of_every_library_that_the_guide_names_were_checked():
    """With the versions that are pinned now, so that a new pin asks for `make check-peers`."""
    kept = json.loads(check_peers.RESULTS.read_text(encoding="utf-8"))
    datetime.date.fromisoformat(kept["date"])
    rows, folder = kept["rows"], check_peers.RESULTS.parent
    found = {row["library"]: row["version"].partition("+")[0] for row in rows}
    pins = dict(re.findall(r"^(\S+)==(\S+)$", (folder / "requirements.txt").read_text(encoding="utf-8"), re.M))
    assert found == {name: pins[name] for name in ("jax", "flax", "torch", "equinox", "x-transformers", "transformers")}
    guide = (folder.parent / "docs/guides/mask_conventions.py").read_text(encoding="utf-8")
    names = ("JAX", "Flax", "torch", "Equinox", "x-transformers", "Hugging Face")
    assert all(f" {name}" in guide for name in names)
    assert "not run" not in guide
    assert {row["call"] for row in rows} == {call.__doc__ for call in check_peers.CALLS if "`" in (call.__doc__ or "")}
    assert all(row["converted"] <= check_peers.ROUNDING for row in rows)
    assert all(row["opposite"] > check_peers.WRONG for row in rows)
