"""The text machine: its engine against Keras on the same weights, its draws, and every control."""

import re

import numpy as np
import pytest
import tensorflow as tf
from playwright.sync_api import expect

import trained
from clear_attention import greedy_search, token_losses
from clear_attention.generation.chances import Rules, candidates
from trained.language import decode, encode, texts

LOAD = "() => textMachine.load('language').then(kept => { window.model = textMachine.build(kept); })"
READ = """([ids, pieces]) => {
    let pasts = [], at = 0;
    const [logits, weights] = [[], []];
    for (const n of pieces) {
        const result = model.call(ids.slice(at, at += n), pasts);
        pasts = result.pasts;
        logits.push(...result.logits.map((row) => [...row]));
        weights.push(result.weights);
    }
    return { logits, weights };
}"""
WRITE = """([ids, number]) => {
    const said = [];
    let { logits, pasts } = model.call(ids);
    while (said.length < number) {
        said.push(textMachine.candidates(logits.at(-1), 0, 1)[0].id);
        ({ logits, pasts } = model.call(said.slice(-1), pasts));
    }
    return said;
}"""
KNOBS = [(1, 1), (0.5, 0.9), (1.5, 0.9), (0.8, 0.5), (1.5, 0.05), (0, 0.9)]


@pytest.fixture
def page(visit):
    return opened(visit("/learn/language_model/").page)


def opened(page):
    page.locator("text-machine").evaluate("one => { one.closest('details').open = true; }")
    return page


@pytest.fixture
def machine(page):
    machine = page.locator("text-machine")
    machine.get_by_role("button", name="Fetch the machine").click()
    done(machine)
    return machine


def done(machine):
    """Wait until all is written, and return it."""
    page, whole = machine.page, "128 - m.state.text.length"
    page.wait_for_function(f"(m => m.steps?.length === {whole})(document.querySelector('text-machine'))")
    expect(machine.locator(".written span[data-value]")).to_have_count(int(machine.evaluate(f"m => {whole}")))
    return machine.locator(".written").inner_text()


def says(machine):
    return machine.locator(".says").inner_text()


class TestEngine:
    @pytest.mark.parametrize("pieces", [[60], [1] * 60, [20, 1, 39]], ids=["at once", "one by one", "in pieces"])
    def test_its_logits_and_maps_are_those_of_keras(self, page, pieces):
        model, _ = trained.load("language")
        ids = texts()[1][5000:5060]
        logits, maps = model(ids[np.newaxis], return_weights=True)
        page.evaluate(LOAD)
        found = page.evaluate(READ, [ids.tolist(), pieces])
        np.testing.assert_allclose(found["logits"], logits[0], atol=1e-4, rtol=0)
        for layer in (0, 1):
            row = 0
            for weights in (np.array(piece[layer]) for piece in found["weights"]):  # (heads, queries, keys)
                rows, keys = weights.shape[1:]
                expected = maps[str(layer)][0, :, row : row + rows, :keys]
                np.testing.assert_allclose(weights, expected, atol=1e-5, rtol=0)
                row += rows
            assert row == 60

    @pytest.mark.parametrize("beginning", ["The ", "import", "\n\n   x = [", "é"])
    def test_it_writes_what_greedy_search_writes(self, page, beginning):
        model, _ = trained.load("language")
        page.evaluate(LOAD)
        expected = greedy_search(model, encode(beginning)[np.newaxis], 100, jit_compile=False)[0].numpy()
        assert page.evaluate("text => textMachine.idsOf(text)", beginning) == encode(beginning).tolist()
        assert page.evaluate(WRITE, [encode(beginning).tolist(), 100]) == expected.tolist()

    @pytest.mark.parametrize(("temperature", "share"), KNOBS)
    def test_what_may_be_drawn_is_what_the_package_draws(self, page, temperature, share):
        logits = np.random.default_rng(0).normal(size=40) * 3
        logits[[7, 8]] = logits.max()  # equal ones
        rules = Rules(temperature or 1e-9, None, share, None, None)
        allowed = np.where(np.arange(40) < 2, -np.inf, logits)
        expected, ids = (x[0].numpy() for x in candidates(tf.constant(allowed[np.newaxis]), rules))
        found = page.evaluate(f"logits => textMachine.candidates(logits, {temperature}, {share})", logits.tolist())
        if temperature == 0:  # of equal ones the lowest
            expected = np.eye(40)[0]
        np.testing.assert_allclose([one["chance"] for one in found], expected, atol=1e-12)
        drawable = int(np.count_nonzero(expected))
        assert [one["id"] for one in found][:drawable] == ids[:drawable].tolist()


class TestControls:
    def test_nothing_is_fetched_before_a_reader_asks(self, page):
        assert page.locator("text-machine p").inner_text().startswith("“if x is not None” surprises it by")
        assert not page.evaluate(
            "performance.getEntriesByType('resource').some(r => r.name.includes('machine/language'))"
        )

    def test_it_goes_on_with_what_one_types(self, machine):
        assert done(machine).startswith("The value of the ")
        field = machine.get_by_label("Your beginning")
        expect(field).to_be_focused()
        field.fill("import mod")
        text = done(machine)
        assert text.startswith("import mod")
        assert len(text) == 128
        machine.get_by_role("button", name="raises a").click()
        assert done(machine).startswith("raises a ")
        assert field.input_value() == "raises a "

    def test_it_says_how_surprised_it_was_by_each_letter_that_one_types(self, machine):
        model, _ = trained.load("language")
        for text in ("for x in range(3):", "Ada Lovelace"):
            machine.get_by_label("Your beginning").fill(text)
            done(machine)
            bits = token_losses(model, encode(text)[np.newaxis])[0].numpy() / np.log(2)
            boxes = machine.locator(".surprise small").all_inner_texts()
            np.testing.assert_allclose([float(x) for x in boxes], bits, atol=0.0501)
            assert machine.locator(".surprise b").all_inner_texts() == [*text[1:].replace(" ", "␣")]
        machine.get_by_label("Your beginning").fill("A")  # nothing comes after it that could surprise
        done(machine)
        expect(machine.locator(".surprise")).to_have_count(0)

    def test_temperature_0_writes_what_the_package_writes(self, machine):
        model, _ = trained.load("language")
        machine.locator("button[data-do=temperature]").get_by_text("0", exact=True).click()
        ids = greedy_search(model, encode("The value of the ")[np.newaxis], 111, jit_compile=False)[0]
        assert done(machine) == "The value of the " + decode(ids)
        assert says(machine).startswith("One letter can be drawn.")
        assert "in 100 of 100 cases" in says(machine)

    def test_the_same_draw_comes_again_and_another_when_asked(self, machine):
        first = done(machine)
        for label, same in (("1.5", False), ("0.8", True)):
            machine.locator("button[data-do=temperature]").get_by_text(label, exact=True).click()
            assert (done(machine) == first) == same
        machine.get_by_role("button", name="Draw once more").click()
        assert done(machine) != first

    def test_a_letter_is_looked_at_with_keys_and_by_a_click(self, machine):
        text = done(machine)
        slider = machine.get_by_role("slider", name="Look at letter")
        slider.focus()
        for _ in range(4):
            machine.page.keyboard.press("ArrowRight")
        letter = text[17 + 4]
        expect(machine.locator("mark")).to_have_text(letter)
        assert slider.get_attribute("aria-valuetext") == f"5: {'space' if letter == ' ' else letter}"
        share = machine.evaluate("m => m.steps[4].found.find(({ id }) => id === m.steps[4].id).chance")
        assert f"in {'less than 1' if share < 0.005 else f'{100 * share:.0f}'} of 100" in says(machine)
        machine.locator(".written span[data-value='9']").click()
        expect(slider).to_have_value("10")

    def test_top_p_leaves_fewer_letters(self, machine):
        machine.get_by_role("button", name="The value of the").click()
        counts = []
        for label in ("off", "0.9", "0.5"):
            machine.locator("button[data-do=share]").get_by_text(label, exact=True).click()
            done(machine)
            counts.append(int(re.match(r"(\d+|One)", says(machine))[0].replace("One", "1")))
        assert counts == sorted(counts, reverse=True)
        assert counts[0] > counts[1]

    def test_what_a_reader_types_is_text_and_never_markup(self, machine):
        field = machine.get_by_label("Your beginning")
        for text in ("<img src=x onerror=alert(1)>", "“é” 漢字 😀", ""):
            field.fill(text)
            expect(machine.locator(".given")).to_have_text(text)
        assert machine.locator("img").count() == 0
        machine.page.wait_for_function("document.querySelector('text-machine').steps.length === 127")

    def test_a_machine_that_does_not_come_says_so_and_can_be_asked_again(self, visit):
        visitor = visit("/learn/language_model/")
        visitor.page.route("**/machine/language.js*", lambda route: route.abort())
        machine = opened(visitor.page).locator("text-machine")
        machine.get_by_role("button", name="Fetch the machine").click()
        expect(machine.get_by_role("alert")).to_contain_text("could not be fetched")
        visitor.complaints.remove("Failed to load resource: net::ERR_FAILED")
        visitor.page.unroute("**/machine/language.js*")
        machine.get_by_role("button", name="Try again").click()
        done(machine)

    def test_without_scripts_a_sentence_stands_there(self, visit):
        page = visit("/learn/language_model/", java_script_enabled=False).page
        assert "bits a letter" in page.locator("text-machine").text_content()
