"""The date machine: its engine against Keras on the same weights, and every control."""

import base64
import json
import re

import numpy as np
import pytest

import trained
from clear_attention import Transformer, beam_search, create_date_pairs, date_tokenizers, greedy_search

from .conftest import copied_by

DATES, AT_ONCE = 1000, 250
LENGTH, LETTERS = 34, 12
SOURCE, TARGET = date_tokenizers()
WRITERS = [name for name in trained.PROGRAMS if name.startswith("dates") and name != "dates-wrong-reshape"]
READERS = [name for name in trained.PROGRAMS if name.startswith("digits")]
LOAD = "name => dateMachine.load(name).then(kept => { window.model = dateMachine.build(kept); })"
PACK = """const pack = (numbers) => {
    const bytes = new Uint8Array(Float32Array.from(numbers).buffer);
    const parts = [];
    for (let i = 0; i < bytes.length; i += 12000) parts.push(btoa(String.fromCharCode(...bytes.slice(i, i + 12000))));
    return parts;
};"""
WRITE = f"""sources => {{ {PACK} return sources.map((ids) => {{
    const {{ ids: written, steps, encoded }} = dateMachine.greedySearch(model, ids, {LETTERS});
    const rows = (name) => steps.flatMap(({{ weights }}) => weights[name].flat(2));
    const maps = [encoded.weights["encoder.0"].flat(2), rows("decoder.0.self"), rows("decoder.0.cross")];
    return {{ written, logits: pack(steps.flatMap(({{ logits }}) => [...logits])), maps: pack(maps.flat()) }};
}}); }}"""
READ = f"""sources => {{ {PACK} return sources.map((ids) => {{
    const {{ logits, weights }} = model.call(ids);
    return {{ logits: pack([...logits]), maps: pack(weights.query.flat(2)) }};
}}); }}"""


@pytest.fixture
def page(visit):
    page = visit("/machine/").page
    page.wait_for_function("document.querySelector('date-machine').result")
    return page


@pytest.fixture
def machine(page):
    return page.locator("date-machine")


def numbers(parts):
    return np.frombuffer(b"".join(map(base64.b64decode, parts)), np.float32)


def in_the_browser(page, name, code, rows):
    page.evaluate(LOAD, name)
    return [result for i in range(0, len(rows), AT_ONCE) for result in page.evaluate(code, rows[i : i + AT_ONCE])]


def letters_of(x, name):
    """Return the ids of each text; only one machine takes the padding for letters, too."""
    lengths = [LENGTH if name == "dates-padding-seen" else np.count_nonzero(row) for row in x]
    return [row[:n].tolist() for row, n in zip(x, lengths, strict=True)]


def steps_of(model, x, given):
    """Return logits and maps as greedy search computes them, which never asks what a subclass lets a token see."""
    context, encoder = model.encode(x, return_weights=True)
    model.target_mask = lambda ids: Transformer.target_mask(model, ids)
    logits, decoder = model.decode(given, context, model.source_mask(x), return_weights=True)
    return logits.numpy(), encoder["0"].numpy(), decoder["0.self"].numpy(), decoder["0.cross"].numpy()


class TestEngine:
    """Equal to the package, on the very same weights."""

    @pytest.mark.parametrize("name", WRITERS)
    def test_it_writes_what_keras_writes(self, page, name):
        model, _ = trained.load(name)
        x = SOURCE.encode(create_date_pairs(DATES, seed=3, split="test").sources, length=LENGTH)
        written = greedy_search(model, x, LETTERS, jit_compile=False).numpy()
        given = np.concatenate([np.full((DATES, 1), model.start_id), written[:, :-1]], axis=1)
        logits, own, self_maps, cross_maps = steps_of(model, x, given)
        rows = letters_of(x, name)
        for i, result in enumerate(in_the_browser(page, name, WRITE, rows)):
            n, steps = len(rows[i]), len(result["written"])
            assert result["written"] == written[i, :steps].tolist()
            assert not written[i, steps:].any()
            np.testing.assert_allclose(numbers(result["logits"]), logits[i, :steps].ravel(), atol=1e-4, rtol=0)
            maps = [own[i, :, :n, :n].ravel()]
            maps += [self_maps[i, :, t, : t + 1].ravel() for t in range(steps)]
            maps += [cross_maps[i, :, t, :n].ravel() for t in range(steps)]
            np.testing.assert_allclose(numbers(result["maps"]), np.concatenate(maps), atol=1e-5, rtol=0)

    @pytest.mark.parametrize("name", READERS)
    def test_it_reads_all_digits_as_keras_does(self, page, name):
        model, _ = trained.load(name)
        x = SOURCE.encode(create_date_pairs(DATES, seed=3, split="test").sources, length=LENGTH)
        logits, weights = (np.array(result) for result in model(x, return_weights=True))
        rows = letters_of(x, name)
        for i, result in enumerate(in_the_browser(page, name, READ, rows)):
            np.testing.assert_allclose(numbers(result["logits"]), logits[i].ravel(), atol=1e-4, rtol=0)
            maps = weights[i, :, 0, : len(rows[i])].ravel()
            np.testing.assert_allclose(numbers(result["maps"]), maps, atol=1e-5, rtol=0)

    @pytest.mark.parametrize("width", [1, 4])
    def test_beams_are_those_of_keras(self, page, width):
        model, _ = trained.load("dates")
        x = SOURCE.encode(create_date_pairs(100, seed=4, split="test").sources, length=LENGTH)
        ids, scores = beam_search(model, x, LETTERS, width=width, jit_compile=False)
        code = f"sources => sources.map(ids => dateMachine.beamSearch(model, ids, {LETTERS}, {width}))"
        for i, beams in enumerate(in_the_browser(page, "dates", code, letters_of(x, "dates"))):
            for beam, expected, score in zip(beams, ids[i].numpy(), scores[i].numpy(), strict=True):
                assert beam["ids"] == expected[: len(beam["ids"])].tolist()
                assert beam["score"] == pytest.approx(score, abs=1e-4)


def result(machine, what):
    return machine.evaluate(f"machine => machine.result.{what}")


def strip(machine, name):
    """Return the letters of a strip, and how each is said aloud."""
    letters = machine.get_by_role("group", name=name).locator("button.letter")
    return letters.all_inner_texts(), [letter.get_attribute("aria-label") for letter in letters.all()]


def field(machine):
    return machine.get_by_label("A date, as you write it")


class TestReading:
    def test_it_answers_while_one_types(self, machine):
        field(machine).fill("December 24th, 1999")
        assert strip(machine, "The answer")[0] == [*"1999-12-24", "▪"]
        assert "Right." in machine.locator(".verdict").inner_text()
        assert field(machine).input_value() == "december 24th, 1999"

    def test_confident_nonsense_is_called_so(self, machine):
        field(machine).fill("february 30th, 2018")
        said = machine.locator(".verdict.wrong").inner_text()
        assert re.search(r"That month has no day 30. Yet the machine is .+ sure", said)

    def test_a_text_in_no_known_form_is_not_judged(self, machine):
        field(machine).fill("3rd day of may in 2018")
        assert "This page cannot say" in machine.locator(".verdict").inner_text() or machine.locator(".wrong").count()

    @pytest.mark.parametrize(
        ("text", "said"),
        [("", "Type a date."), ("3 mai 2018?", "does not know “?”"), ("ß$", "“ß” and “$”")],
    )
    def test_what_it_cannot_read_is_said_and_the_last_answer_stays(self, machine, text, said):
        before = result(machine, "answer")
        field(machine).fill(text)
        assert said in machine.get_by_role("alert").inner_text()
        assert "the last text that it could read: “thursday 3rd of may 2018”" in machine.locator(".says").inner_text()
        assert strip(machine, "The answer")[0] == [*before, "▪"]

    def test_pointing_at_a_letter_shows_where_it_looked(self, machine):
        letters = machine.get_by_role("group", name="The answer").locator("button.letter")
        letters.nth(3).click()
        assert "“2018”" in machine.locator(".says").inner_text()
        letters.nth(9).click()
        assert "“3rd”" in machine.locator(".says").inner_text()
        assert "written after it, the end looked back at it most (" in machine.locator(".says").inner_text()
        weights = [float(re.search(r"weight ([\d.]+) %", label)[1]) for label in strip(machine, "The text it reads")[1]]
        assert sum(weights) == pytest.approx(100, abs=2)

    def test_pointing_at_the_text_shows_who_looks_at_it(self, machine):
        machine.get_by_role("group", name="The text it reads").locator("button.letter").last.click()
        assert re.search(
            r"“8” is looked at most by “\S+” at place \d+ of the answer",
            machine.locator(".says").inner_text(),
        )

    def test_it_writes_step_by_step_and_back(self, machine):
        machine.get_by_role("button", name="Back").click()
        assert strip(machine, "The answer")[0] == [*"2018-05-03"]
        for _ in range(9):
            machine.get_by_role("button", name="Back").click()
        assert strip(machine, "The answer")[0] == ["2"]
        machine.get_by_role("button", name="Next letter").click()
        assert strip(machine, "The answer")[0] == ["2", "0"]

    def test_it_writes_again_by_itself(self, machine):
        machine.get_by_role("button", name="Write it again").click()
        assert len(strip(machine, "The answer")[0]) < 11
        machine.page.wait_for_function(
            "document.querySelector('date-machine').shown === 11 && !document.querySelector('date-machine').running"
        )
        assert machine.get_by_role("button", name="Write it again").is_visible()

    def test_the_maps_have_readable_tables(self, machine):
        machine.get_by_text("These numbers as a table").click()
        table = machine.locator("details table.plain")
        table.wait_for()
        assert table.locator("tbody tr").count() == 11
        row = [float(text) for text in table.locator("tbody tr").first.locator("td").all_inner_texts()]
        assert sum(row) == pytest.approx(1, abs=0.15)  # two digits of each

    def test_a_map_can_be_pressed(self, machine):
        machine.locator("canvas").nth(1).click(position={"x": 40, "y": 17 + 12 * 9.5})
        assert machine.evaluate("m => [m.state.side, m.state.at, m.state.head]") == ["answer", 9, 1]
        assert "Head 2" in machine.locator(".says").inner_text()

    def test_arrows_walk_through_the_letters(self, machine):
        machine.get_by_role("group", name="The answer").locator("button.letter").first.focus()
        for _ in range(3):
            machine.page.keyboard.press("ArrowRight")
        assert machine.evaluate("m => [m.state.side, m.state.at]") == ["answer", 3]


class TestTakenApart:
    def test_without_positions_the_answer_is_wrong_and_the_numbers_say_so(self, machine):
        machine.locator("[data-field=sibling]").select_option(label="without positions")
        machine.page.wait_for_function("document.querySelector('date-machine').model.config.lacks.length")
        field(machine).fill("thursday 3rd of may 2018")
        said = machine.locator(".effect").inner_text()
        assert said.startswith("Without positions, it writes ")
        assert re.search(r"(year|month|day) 1\.00 → 0\.\d\d", said)

    def test_a_head_that_is_off_is_named_and_undone(self, machine):
        before = result(machine, "steps[9].chance")
        heads = machine.get_by_role("group", name="Heads, answer looks at text").get_by_role("button")
        for i in range(4):
            heads.nth(i).click()
        assert "without heads 1, 2, 3 and 4" in machine.locator(".effect").inner_text().lower()
        assert result(machine, "steps[9].chance") != before
        for _ in range(4):
            machine.get_by_role("button", name="Undo").click()
        assert machine.locator(".effect").inner_text() == ""
        assert result(machine, "steps[9].chance") == before
        machine.get_by_role("button", name="Redo").click()
        assert "head 1" in machine.locator(".effect").inner_text()

    def test_hidden_letters_get_no_weight(self, machine):
        for place in (17, 18, 19):  # may
            machine.get_by_role("button", name=f"hide letter {place}:").click()
        assert "with “m”, “a” and “y” hidden" in machine.locator(".effect").inner_text().lower()
        for weights in ('steps[0].weights["decoder.0.cross"]', 'encoded.weights["encoder.0"]'):
            assert np.all(np.array(result(machine, weights))[..., 16:19] == 0)

    def test_a_text_of_which_all_is_hidden(self, machine, visit):
        field(machine).fill("3 may 2018")
        for place in range(1, 11):
            machine.get_by_role("button", name=f"hide letter {place}:").click()
        assert "Every letter is hidden" in machine.locator(".says").inner_text()
        page = visit("/machine/" + machine.page.evaluate("location.hash")).page
        page.wait_for_function("document.querySelector('date-machine').result")
        assert "Every letter is hidden" in page.locator("date-machine .says").inner_text()

    def test_heads_that_are_off_look_at_nothing(self, machine):
        heads = machine.get_by_role("group", name="Heads, answer looks at text").get_by_role("button")
        heads.nth(0).click()
        assert machine.get_by_role("button", name="Head 1, off").is_visible()
        for i in (1, 2, 3):
            heads.nth(i).click()
        assert "All heads that look at the text are off" in machine.locator(".says").inner_text()

    def test_padding_that_is_seen_does_harm(self, machine):
        machine.get_by_label("let it see the padding").check()
        machine.locator("[data-field=places]").fill("100")
        assert result(machine, "padded.length") == 100
        assert "with the padding seen, filled up to 100 places" in machine.locator(".effect").inner_text().lower()

    def test_the_look_ahead_mask_forgotten_shows_both(self, machine):
        machine.locator("[data-field=sibling]").select_option(label="look-ahead mask forgotten")
        machine.page.wait_for_function("document.querySelector('date-machine').model.config.lacks.length")
        said = machine.locator(".effect").inner_text()
        assert "Given the right letters, as in training, it says 2018-05-03" in said
        assert "instead of 2018-05-03" in said

    def test_what_cannot_be_judged_is_only_compared(self, machine):
        machine.locator("[data-field=sibling]").select_option(label="without positions")
        machine.page.wait_for_function("document.querySelector('date-machine').model.config.lacks.length")
        for text in ("banana", "8102.50.30", "3rd day of may in 2018"):
            field(machine).fill(text)
            assert "instead of" not in machine.locator(".effect").inner_text()
        assert machine.evaluate("m => m.plain") is None

    def test_all_digits_at_once(self, machine):
        machine.locator("[data-field=sibling]").select_option(label="all digits at once, 8 heads")
        machine.page.wait_for_function("document.querySelector('date-machine').result.atOnce")
        assert len(strip(machine, "The answer")[0]) == 8
        assert machine.locator("canvas").count() == 8

    def test_a_row_of_weights_can_be_written_anew(self, machine):
        machine.get_by_text("Write a row of weights anew").click()
        machine.locator("[data-field=path]").select_option("project_logits/kernel")
        machine.get_by_role("button", name="Make the row 0").click()
        assert "one row of weights written anew" in machine.locator(".effect").inner_text()
        assert machine.get_by_label("number 1 of row 1").input_value() == "0"
        machine.get_by_label("number 1 of row 1").fill("7.5")
        machine.get_by_label("number 1 of row 1").press("Enter")
        assert machine.evaluate("m => m.state.edits[0].numbers[0]") == 7.5
        machine.get_by_label("number 2 of row 1").fill("much")
        machine.get_by_label("number 2 of row 1").press("Enter")
        assert "“much” is no number" in machine.get_by_role("status").inner_text()
        machine.get_by_label("number 2 of row 1").fill("1e39")
        machine.get_by_label("number 2 of row 1").press("Enter")
        assert "“1e39” is too large" in machine.get_by_role("status").inner_text()
        machine.get_by_role("button", name="As trained").click()
        assert machine.locator(".effect").inner_text() == ""

    def test_it_is_put_together_again(self, machine):
        machine.get_by_role("button", name="hide letter 1:").click()
        machine.get_by_role("group", name="Heads, text looks at text").get_by_role("button").first.click()
        machine.get_by_role("button", name="Put it together again").click()
        assert machine.locator(".effect").inner_text() == ""
        assert field(machine).input_value() == "thursday 3rd of may 2018"


class TestAddress:
    def test_a_machine_can_be_sent(self, machine, visit):
        field(machine).fill("5 july 1969")
        machine.get_by_role("button", name="hide letter 3:").click()
        link = copied_by(machine.get_by_role("button", name="Copy a link to this machine"))
        page = visit("/machine/" + link[link.index("#") :]).page
        page.wait_for_function("document.querySelector('date-machine').result")
        other = page.locator("date-machine")
        assert field(other).input_value() == "5 july 1969"
        assert other.evaluate("m => m.state") == machine.evaluate("m => m.state")

    @pytest.mark.parametrize(
        "state",
        [
            {"sibling": "toString"},
            {"text": "x" * 99},
            {"text": 5},
            {"off": ["decoder.0.cross toString"]},
            {"hidden": [-1]},
            {"places": 10**9},
            {"edits": [{"path": "a", "row": 0, "numbers": [None]}]},
            {"edits": [{"path": "project_logits/kernel", "row": 0, "numbers": [1e38] * 14}]},
            {"at": 0.5},
            {"unknown": 1},
        ],
    )
    def test_an_address_that_is_none_starts_anew(self, visit, state):
        text = base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")
        page = visit(f"/machine/#machine={text}").page
        page.wait_for_function("document.querySelector('date-machine').result")
        assert field(page.locator("date-machine")).input_value() == "thursday 3rd of may 2018"

    def test_weights_of_an_address_that_fit_nowhere_change_nothing(self, visit):
        edits = [{"path": "no/such/weights", "row": 0, "numbers": [1]}]
        edits += [{"path": "project_logits/kernel", "row": 10**6, "numbers": [0] * 14}]
        text = base64.urlsafe_b64encode(json.dumps({"edits": edits}).encode()).decode().rstrip("=")
        page = visit(f"/machine/#machine={text}").page
        page.wait_for_function("document.querySelector('date-machine').result")
        assert page.evaluate("document.querySelector('date-machine').result.answer") == "2018-05-03"


def test_without_javascript_there_is_a_picture(visit):
    page = visit("/machine/", java_script_enabled=False).page
    assert page.locator("date-machine svg.still").is_visible()
    assert "a letter of the answer 2018-05-03" in page.locator("date-machine").inner_text()
    assert page.locator("date-machine .still-strip .chosen").inner_text() == "5"


def test_home_has_a_small_one_that_leads_on(visit):
    page = visit("/").page
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    machine = page.locator("date-machine")
    assert machine.locator("svg.still").is_visible()  # whoever only reads fetches no weights
    field(machine).focus()
    page.wait_for_function("document.querySelector('date-machine').result")
    assert [url.rsplit("/")[-1] for url in asked] == ["dates.js"]
    assert len(strip(machine, "The answer")[0]) < 11  # letter by letter
    assert machine.evaluate("m => m.shadowRoot.activeElement?.dataset.field") == "text"
    field(machine).fill("5 july 1969")
    assert strip(machine, "The answer")[0] == [*"1969-07-05", "▪"]
    machine.get_by_role("link", name="Take it apart").click()
    page.wait_for_url("**/machine/**")
    page.wait_for_function("document.querySelector('date-machine[shared]')?.result")
    assert field(page.locator("date-machine")).input_value() == "5 july 1969"


def test_nothing_moves_where_the_reader_wants_no_motion(visit):
    page = visit("/", reduced_motion="reduce").page
    field(page.locator("date-machine")).focus()
    page.wait_for_function("document.querySelector('date-machine').result")
    assert strip(page.locator("date-machine"), "The answer")[0] == [*"2018-03-05", "▪"]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("positions", "Without positions, it writes"),
        ("causal", "Given the right letters, as in training, it says"),
    ],
)
def test_a_lesson_shows_a_sibling_beside_the_whole(visit, path, said):
    page = visit(f"/learn/{path}/").page
    machine = page.locator("date-machine[piece=beside]")
    field(machine).fill("5 july 1969")
    page.wait_for_function("document.querySelector('date-machine[piece=beside]').result")
    assert machine.locator("td.said").first.inner_text() == "1969-07-05"
    text = machine.locator(".says").inner_text()
    if path == "causal":  # where what it could see in training stands beside
        assert machine.locator(".box tbody td").all_inner_texts()[0::3] == ["100.0 %", "100.0 %"]
        assert machine.locator("td.said").last.inner_text() == "(nothing)"
    assert said in text.replace("it still writes", "it writes")  # after some trainings it knows this date


def test_a_lesson_shows_the_numbers_behind_a_weight(visit):
    page = visit("/learn/attention/").page
    machine = page.locator("date-machine[piece=fits]")
    field(machine).fill("5 july 1969")
    page.wait_for_function("document.querySelector('date-machine[piece=fits]').result?.answer === '1969-07-05'")
    for place in (3, 9):
        machine.get_by_role("group", name="The answer").locator("button.letter").nth(place).click()
        rows = machine.locator("table.fits tbody tr")
        cells = [[float(x) for x in rows.nth(i).locator("td").all_inner_texts() if x] for i in range(4)]
        (*best, (rest,)) = cells
        for product, score, weight in best:
            assert score == pytest.approx(product / 4, abs=0.01)
            # softmax: the ratio of two weights is e to the difference of their scores
            assert weight / best[0][2] == pytest.approx(np.exp(score - best[0][1]), rel=0.05, abs=0.005)
        assert rest + sum(weight for *_, weight in best) == pytest.approx(1, abs=0.003)
        looked = machine.evaluate(f"m => m.result.steps[{place}].weights['decoder.0.cross'][0][0]")
        assert best[0][2] == pytest.approx(max(looked), abs=6e-4)


def test_a_lesson_shows_who_looks_where(visit):
    page = visit("/learn/recap/").page
    machine = page.locator("date-machine[piece=looks]")
    field(machine).fill("5 july 1969")
    page.wait_for_function("document.querySelector('date-machine[piece=looks]').result?.answer")
    assert machine.locator("canvas").count() == 4
    machine.get_by_role("button", name="text looks at text").click()
    assert machine.locator("canvas").count() == 4


def test_weights_that_do_not_come_are_missed_in_words(visit):
    visitor = visit("/notation/")
    page = visitor.page
    page.route("**/machine/dates.js", lambda route: route.abort())
    page.goto(page.url.replace("/notation/", "/machine/"))
    page.get_by_text("The weights of this machine could not be fetched").wait_for()
    visitor.complaints.remove("Failed to load resource: net::ERR_FAILED")
