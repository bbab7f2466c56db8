"""The bug detective: what the page says of each case is true, each bug can be told from the others, certify agrees."""

import dataclasses
import html
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
from bug_detective import CASES, PROBES, SUSPECTS, boxes, exhibits, facts, proven, still
from bug_detective.exhibits import certified, findings, numbers_of, ruled_out
from bug_detective.probes import Probe, ask, moved, named, words

from clear_attention import attention_by_hand
from clear_attention.certify.causes.words import SENTENCES

MUSEUM = (Path(__file__).parents[1] / "docs/guides/museum.py").read_text(encoding="utf-8")
HEALTHY = [case for case in CASES if case.suspect == "healthy"]
BROKEN = [case for case in CASES if case.suspect != "healthy"]
CASE = {case.name: case for case in CASES}


def ids(cases):
    return [case.name for case in cases]


@pytest.fixture(params=CASES, ids=ids(CASES))
def case(request):
    return request.param


@pytest.fixture(params=BROKEN, ids=ids(BROKEN))
def broken(request):
    return request.param


@pytest.fixture(scope="module")
def told():
    return facts()


def mended(case):
    """Return the box of a case with its line mended, compiled from its source."""
    assert case.code.count("# the bug") == 1
    source = re.sub(r"\S[^\n]*  # the bug", lambda _: case.mended, case.code)
    names = dict(vars(boxes))
    exec(compile(source, case.name, "exec"), names)
    return names[case.box.__name__]


class TestBank:
    def test_there_are_enough_cases_and_healthy_ones_and_no_name_twice(self):
        assert len(CASES) >= 14
        assert len(HEALTHY) >= 2
        assert len(set(ids(CASES))) == len(CASES)
        assert {case.suspect for case in CASES} == set(SUSPECTS)
        assert not any(case.bug or case.mended for case in HEALTHY)

    def test_every_room_is_in_the_museum(self):
        for name, suspect in SUSPECTS.items():
            assert (f"{{ #{suspect.room} }}" in MUSEUM) == (name != "healthy"), name

    def test_every_cause_leads_to_this_room_or_says_why_not(self):
        elsewhere = {name for name, s in SUSPECTS.items() if s.cause and SENTENCES[s.cause][1] != s.room}
        assert elsewhere == {"backwards"}  # certify links to a mask that is transposed by its shape

    def test_the_mended_line_makes_the_box_healthy_at_every_probe(self, broken):
        healthy = [finding.key for finding in findings(HEALTHY[0])]
        assert [finding.key for finding in findings(broken)] != healthy
        x = words(3)
        assert [probe(mended(broken), x).key for probe in PROBES] == healthy

    def test_a_box_that_is_mended_keeps_the_promise_that_it_broke(self, broken):
        row = SUSPECTS[broken.suspect].row
        if row:
            assert certified(mended(broken), row)[row].verdict == "held"

    def test_healthy_boxes_compute_attention_as_written_out_by_hand(self):
        x = numbers_of(HEALTHY[0])[:, :3].astype("float64")
        mask = np.triu(np.ones((5, 5)), 1)
        mask[:, 0] = 1
        padding = tf.constant([[1.0, 0, 0, 0, 0]], "float64")
        expected = attention_by_hand(x.tolist(), x.tolist(), x.tolist(), mask.tolist())[0]
        for case in HEALTHY:
            given = tf.constant(x[None].astype("float32"))
            output = case.box(given, given, given, tf.cast(padding, "float32"))
            np.testing.assert_allclose(output[0], expected, atol=1e-5)


class TestCertify:
    def test_a_broken_box_breaks_its_row_and_the_cause_is_named(self, broken):
        suspect = SUSPECTS[broken.suspect]
        certificate = certified(broken.box, suspect.row)
        if suspect.row:
            assert certificate.broken == (suspect.row,)
        else:
            assert broken.suspect == "root"  # which no promise forbids
            assert certificate.broken == ()
        assert not suspect.cause or certificate.cause.name == suspect.cause

    @pytest.mark.parametrize("case", HEALTHY, ids=ids(HEALTHY))
    def test_a_healthy_box_keeps_every_promise(self, case):
        certificate = certified(case.box)
        certificate.raise_for_failures()
        assert sum(row.verdict == "held" for row in certificate.rows) >= 13


class TestProbes:
    def test_what_is_moved(self):
        before = np.zeros((5, 2))
        after = np.array([[0, 0], [0, 5e-5], [0, 0.5], [np.nan, 0], [0, 0]])
        found = moved(before, after)
        np.testing.assert_allclose(found.numbers, [0, 5e-5, 0.5, np.nan, 0])
        assert found.key == "ssmns"
        assert found.says == "Word 3 changes. Words 1, 2 and 5 stay. Word 4 gives NaN."
        assert moved(before, before + np.nan, [2, 3]).says == "Words 3 and 4 give NaN."
        assert moved(before, before, [4]).numbers == [None] * 4 + [0]

    def test_names_of_words(self):
        assert [named(places) for places in ([0], [0, 4], range(5))] == ["Word 1", "Words 1 and 5", "All words"]

    def test_an_error_is_a_finding_and_only_that_of_shapes(self):
        def bad(error):
            def box(*inputs):
                raise error

            return box

        assert PROBES[0](bad(ValueError("shape")), words(1)).key == "error"
        with pytest.raises(KeyError):
            PROBES[0](bad(KeyError("no")), words(1))

    def test_a_healthy_box_at_every_probe(self):
        for case in HEALTHY:
            found = {probe.name: finding for probe, finding in zip(PROBES, findings(case), strict=True)}
            assert {name: finding.key for name, finding in found.items()} == {
                "again": "sssss",
                "future": "sssmm",
                "padding": "sss",
                "nan": "sss",
                "empty": "0",
                "order": "s",
                "equal": "sssss",
                "double": "Word 1 stays, change clearly",
                "batch": "sssss",
                "last": "s",
            }

    @pytest.mark.parametrize(
        ("name", "probe", "key"),
        [
            ("no-look-ahead", "future", "mmmmm"),
            ("one-step-ahead", "future", "ssmmm"),
            ("backwards", "future", "mmmms"),
            ("without-itself", "equal", "mssss"),
            ("first-on-first", "last", "m"),
            ("padding-lost", "padding", "mmm"),
            ("padding-lost", "empty", "the same as if nothing were padding"),
            ("padding-from-padding", "empty", "0"),
            ("one-padding-for-all", "batch", "mmmmm"),
            ("nan-gets-through", "nan", "nan"),
            ("mean-of-the-hidden", "empty", "the mean of all words"),
            ("masked-after", "equal", "mmmms"),
            ("not-divided", "double", "Word 1 stays, hardly change"),
            ("heads-reshaped", "order", "m"),
            ("length-before-batch", "future", "sssms"),
            ("length-before-batch", "last", "error"),
            ("infinity-times-mask", "again", "nan"),
        ],
    )
    def test_a_bug_shows_at_the_probe_made_for_it(self, name, probe, key):
        found = dict(zip([p.name for p in PROBES], findings(CASE[name]), strict=True))
        assert found[probe].key == key

    def test_what_hangs_on_a_throw_rules_nothing_out(self):
        for name, probes in proven()["drops-weights"].items():
            assert probes == [0], name
        assert all(found["dropout"] == [0] for name, found in proven().items() if name != "drops-weights")

    def test_dropout_gives_other_numbers_when_asked_twice(self):
        key = findings(CASE["drops-weights"])[0].key
        assert "m" in key

    def test_numbers_of_the_future_probe_are_those_of_the_box(self):
        case = CASE["one-step-ahead"]
        x = numbers_of(case)
        changed = x.copy()
        changed[3] = exhibits.words(int(1e4 * abs(x[0, 0])))[3]
        gap = np.abs(ask(case.box, changed) - ask(case.box, x)).max(axis=-1)
        np.testing.assert_allclose(findings(case)[1].numbers, gap, atol=1e-6)


class TestProof:
    def test_every_two_suspects_are_told_apart_in_every_case(self):
        for one, other in combinations(CASES, 2):
            if one.suspect != other.suspect:
                keys = zip(findings(one), findings(other), strict=True)
                assert any(a.key != b.key for a, b in keys), (one.name, other.name)
        found = proven()
        for case in CASES:
            assert set(found[case.name]) == set(SUSPECTS) - {case.suspect}
            assert all(found[case.name].values())
            assert ruled_out(case, case.suspect) == []

    def test_two_bugs_that_look_alike_are_refused(self):
        twin = dataclasses.replace(CASE["no-look-ahead"], suspect="ahead")
        message = "can be told from every other bug. .* Received: 'no-look-ahead' and 'ahead' look alike"
        with pytest.raises(ValueError, match=message):
            proven((CASE["no-look-ahead"], twin))

    def test_a_number_near_the_border_is_refused(self, monkeypatch):
        shaken = Probe("again", "", "", "", lambda box, x: moved(np.zeros((5, 8)), np.full((5, 8), 9e-5)))
        monkeypatch.setattr(exhibits, "PROBES", [shaken])
        exhibits.findings.cache_clear()
        try:
            with pytest.raises(ValueError, match=r"must not hang on rounding\..* probe 'again'\. Received: 9e-05"):
                exhibits.clear(HEALTHY[0])
        finally:
            exhibits.findings.cache_clear()

    def test_two_findings_have_the_same_words_just_if_they_are_the_same(self):
        for probe, found in zip(PROBES, zip(*map(findings, CASES), strict=True), strict=True):
            for one, other in combinations(found, 2):
                assert (one.key == other.key) == (one.says == other.says), probe.name


class TestFacts:
    def test_every_finding_is_what_the_probe_finds_now(self, told, case):
        (shown,) = [one for one in told["cases"] if one["name"] == case.name]
        x = numbers_of(case)
        for probe, finding in zip(PROBES, shown["findings"], strict=True):
            again = probe(case.box, x)
            assert finding == {"numbers": exhibits.shown(again.numbers), "says": again.says}
        assert shown["suspect"] == case.suspect
        assert shown["ruled"] == proven()[case.name]
        assert len(shown["words"]) == 5
        assert shown["bug"] in shown["code"]

    def test_what_certify_would_have_asked(self, told):
        said = {one["name"]: one["certify"] for one in told["cases"]}
        assert said["no-look-ahead"] == (
            "certify would have asked whether this holds: “No query is changed by a later key” (row no_future_leak). "
            "It does not: query 0 changes with key 1, which is hidden from it. (certify counts from 0.)"
        )
        healthy = "certify would have asked all that it knows: 13 promises are held, and none is broken."
        assert [said[case.name] for case in HEALTHY] == [healthy] * len(HEALTHY)
        assert said["not-divided"].endswith("none is broken, so it does not see this bug.")

    def test_numbers_as_they_are_shown(self):
        assert exhibits.shown([None, np.nan, 0.0, 1e-7, 0.004, 0.016, 2.5]) == [
            *(None, "NaN", "0", "0", "< 0.01", "0.02", "2.50")
        ]

    def test_a_suspect_shows_what_its_first_case_does(self, told):
        for suspect in told["suspects"]:
            first = next(case for case in CASES if case.suspect == suspect["name"])
            assert suspect["shows"] == [finding.says for finding in findings(first)]

    def test_without_scripts_each_case_is_folded_with_its_answer(self):
        text = still()
        assert text.count("<details>") == 2 * len(CASES)
        for case in CASES:
            assert html.escape(SUSPECTS[case.suspect].title) in text
            assert not case.mended or html.escape(case.mended) in text
