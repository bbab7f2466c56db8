"""The piece in which the reader trains a language model: what it says, by keyboard, on a phone, without scripts."""

import json
import re

import pytest
from playwright.sync_api import expect

from .conftest import Piece
from .test_pages import violations

DRAWN = """(one, [temperature, share]) => {
    const { writer, beginning } = one.state;
    const known = new Set(writer.text.toLowerCase().match(/[a-z']+/g));
    let [heart, letters, found, words, least] = [0, 0, 0, 0, 1];
    for (let seed = 1; seed <= 20; seed++) {
        const text = writer.write({ beginning, number: 200, temperature, share, seed });
        const own = text.toLowerCase().match(/[a-z']+/g);
        const taken = writer.byHeart(beginning, text).filter(Boolean).length;
        least = Math.min(least, taken / text.length);
        heart += taken;
        letters += text.length;
        found += own.filter((word) => known.has(word)).length;
        words += own.length;
    }
    return [heart / letters, found / words, least];
}"""  # which shares of the letters and words of 20 texts stand in what it was shown; the least share of letters in one
OWN = "Once there was a goat that ate a shoe, and the shoe was blue. " * 12  # a reader's own text


@pytest.fixture
def scribe(visit):
    """Return the piece, told to train for so many steps only."""

    def scribe(steps=60, **options):
        page = visit("/notation/", **options).page

        def shorter(route):
            response = route.fetch()
            body, found = re.subn(
                r'("moments": \[0, )50, 300, 1000\]', rf"\g<1>{steps // 2}, {steps}]", response.text()
            )
            assert found == 1
            route.fulfill(response=response, body=body)

        page.route("**/learn/by_heart/", shorter)
        page.goto(page.url.replace("/notation/", "/learn/by_heart/"))
        page.wait_for_function("document.querySelector('lesson-piece[piece=scribe]')?.shadowRoot")
        return Piece(page, "scribe")

    return scribe


def button(piece):
    return piece.element.locator("[data-do=train], [data-do=halt]")


def trained(piece):
    """Press the button and wait for the end of the training."""
    button(piece).click()
    expect(button(piece)).to_have_text("Train another one", timeout=120_000)
    return looks(piece)


def looks(piece):
    return piece.element.evaluate("one => one.state.writer.looks")


def written(piece):
    return piece.element.locator("p.written").inner_text()


def test_before_it_is_trained_it_says_what_will_come(scribe):
    piece = scribe()
    assert piece.says() == (
        "The text has 3,508 letters, and the last tenth is put away. The machine has learnt nothing yet."
    )
    piece.press("Bold sentences of these lessons")
    assert piece.says().startswith("The text has 16,738 letters")
    assert piece.element.locator("svg").count() == 0


def test_it_trains_on_what_the_reader_pastes_and_writes_from_it(scribe):
    piece = scribe(steps=150)
    piece.element.get_by_role("textbox", name="The text").fill(OWN)
    assert piece.says().startswith(f"The text has {len(OWN)} letters")
    assert piece.element.get_by_role("button", name="A small story").get_attribute("aria-pressed") == "false"
    assert not piece.page.locator("p.unveiled").count()
    found = trained(piece)
    assert piece.page.locator("p.unveiled").count() == 1  # what the page tells of it waited
    assert found[-1][1] < 1 < found[0][1]
    rows = piece.element.locator("dt").all_inner_texts()
    assert rows == ["before the training", "after 75 steps", "after 150 steps"]
    assert written(piece).startswith("Once ")
    assert len(written(piece)) >= 5 + 200 - 2  # a space at the end is not seen
    words = re.findall(r"[a-z]+", written(piece).lower())[1:]
    known = sum(word in OWN.lower().split() or word in ("shoe", "blue") for word in words)
    said = [int(x) for x in re.findall(r"\d+", piece.says())]
    assert said[0] == pytest.approx(known, abs=2)
    assert said[1] == pytest.approx(len(words), abs=1)
    assert len("".join(piece.element.locator("p.written mark").all_inner_texts())) == pytest.approx(said[2], abs=2)


def test_temperature_top_p_and_beginning_change_what_it_writes(scribe):
    piece = scribe(steps=150)
    trained(piece)
    first = written(piece)
    heart = {}
    for label in ("0.5", "1.5", "0.8"):
        piece.element.locator("[data-do=temperature]").get_by_text(label, exact=True).press("Enter")
        heart[label] = written(piece)
    assert heart["0.8"] == first
    assert len({*heart.values()}) == 3
    piece.press("Write once more")
    assert written(piece) != first
    piece.element.get_by_label("It begins with").fill("The moon")
    assert written(piece).startswith("The moon")
    careless = written(piece)
    piece.element.locator("[data-do=share]").get_by_text("0.5", exact=True).click()
    assert written(piece) != careless


def test_a_text_that_is_too_short_says_so_and_markup_is_text(scribe):
    piece = scribe()
    field = piece.element.get_by_role("textbox", name="The text")
    field.fill("<img src=x onerror=alert(1)>")
    assert piece.says() == "A text must have 500 letters or more. This one has 28."
    expect(button(piece)).to_be_disabled()
    field.fill("\n" + "<b>&amp;\n\n" * 100)
    assert field.input_value() == "\n" + "<b>&amp;\n\n" * 100
    trained(piece)
    assert piece.element.locator("img").count() == 0
    piece.press("A small story")
    assert field.input_value().startswith("In an old house by the sea")


def test_it_stops_and_goes_on_by_the_keyboard(scribe):
    piece = scribe(steps=5000)
    button(piece).focus()
    button(piece).press("Enter")
    expect(button(piece)).to_have_text("Stop")
    assert piece.says() == "It is trained on 3,157 letters."
    expect(piece.element.get_by_role("textbox", name="The text")).to_be_disabled()
    piece.page.wait_for_function("document.querySelector('lesson-piece[piece=scribe]').state.writer.step > 5")
    button(piece).press("Enter")
    expect(button(piece)).to_have_text("Go on")
    expect(button(piece)).to_be_focused()
    steps = piece.element.evaluate("one => one.state.writer.step")
    assert piece.says().startswith(f"Stopped after {steps} steps. ")
    assert len(piece.element.locator(".page").inner_text()) > 100  # so young a machine may write, too
    piece.page.wait_for_timeout(200)
    assert piece.element.evaluate("one => one.state.writer.step") == steps
    button(piece).press("Enter")
    piece.page.wait_for_function(f"document.querySelector('lesson-piece[piece=scribe]').state.writer.step > {steps}")
    button(piece).press("Enter")
    piece.element.get_by_role("textbox", name="The text").fill(OWN)  # another text begins anew
    expect(button(piece)).to_have_text("Train it")


def test_the_page_can_be_used_while_it_trains(scribe):
    """Training has its turn for moments only."""
    piece = scribe(steps=5000)
    button(piece).click()
    turns = piece.page.evaluate(
        """() => new Promise((resolve) => {
          let turns = 0;
          const count = () => { turns += 1; if (turns < 20) requestAnimationFrame(count); else resolve(turns); };
          count();
        })"""
    )
    assert turns == 20
    assert piece.element.evaluate("one => one.state.writer.step") < 200
    piece.press("Stop")


def test_a_run_can_be_repeated_and_another_one_begins_otherwise(scribe):
    first = scribe()
    one = trained(first)
    assert trained(first) != one
    assert trained(scribe()) == one


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_can_be_read(scribe, scheme):
    piece = scribe(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    trained(piece)
    assert piece.page.evaluate("document.documentElement.scrollWidth") == 390
    assert [found for found in violations(piece.page) if "lesson-piece" in str(found)] == []


def test_without_scripts_what_was_measured_stands_there(visit):
    element = visit("/learn/by_heart/", java_script_enabled=False).page.locator("lesson-piece[piece=scribe]")
    assert re.search(r"a letter costs [\d.]+ bits in the part that was shown, and [\d.]+", element.inner_text())
    assert json.loads(element.locator("script").text_content())["moments"] == [0, 50, 300, 1000]


@pytest.mark.parametrize("name", ["A small story", "Bold sentences of these lessons"])
def test_what_the_page_calls_measured_is_what_a_whole_training_gives(visit, name):
    piece = Piece(visit("/learn/by_heart/").page, "scribe")
    piece.press(name)
    _, shown, unseen = trained(piece)[-1]
    table = piece.element.evaluate("one => one.state.writer.table")
    line = piece.page.locator("details table").filter(has_text="unseen tenth").locator("tr").filter(has_text=name)
    said = [float(cell.replace(",", "")) for cell in line.locator("td").all_text_contents()[1:]]
    assert piece.element.evaluate("one => [...one.state.text].length") == said[0]
    assert [shown, unseen, table] == pytest.approx(said[1:], abs=0.2)
    letters = piece.element.evaluate("one => one.state.writer.known.length")
    times = {"A small story": 81, "Bold sentences of these lessons": 17}[name]
    assert round(1000 * 8 * 32 / letters) == times
    found = [piece.element.evaluate(DRAWN, knobs) for knobs in ([0.5, 1], [0.8, 1], [1.5, 1], [1.5, 0.5])]
    (careful, _, least), (_, usual_words, _), (daring, daring_words, _), (cut, cut_words, _) = found
    if name == "A small story":
        assert [careful, daring] == pytest.approx([0.94, 0.16], abs=0.08)
        assert least > 0.75
        assert daring_words == pytest.approx(0.7, abs=0.06)
        assert cut > 0.85
        assert cut_words > 0.95
    else:
        assert careful < 0.05
        assert usual_words == pytest.approx(0.75, abs=0.06)
