"""Pieces to touch in the lessons on sharing a vector among heads and on sinks: they say what Python computes."""

import numpy as np
import pytest
from playwright.sync_api import expect

import trained
from trained import spare

PLACES = 34


def in_no_cell(text, heads):
    """Return which letters are seen nowhere, if all pieces of a row are dealt out in the order of memory."""
    pieces = np.repeat(np.arange(PLACES), heads)
    seen = pieces.reshape(heads, PLACES)[:, : len(text)]
    return "".join(letter for place, letter in enumerate(text) if place not in seen)


@pytest.mark.parametrize(
    ("text", "heads"), [("30.11.1999", 4), ("thursday 3rd of may 2018", 4), ("3 may 2018", 8), ("3 may", 2)]
)
def test_a_reshape_alone_loses_letters(piece, text, heads):
    strips = piece("split_heads", "strips")
    strips.element.get_by_role("textbox").fill(text)
    strips.press(str(heads))
    lost = strips.element.locator(".written .off")
    assert lost.count() == 0
    assert "gets a piece of every letter" in strips.says()
    strips.element.get_by_role("checkbox").focus()
    strips.page.keyboard.press("Space")
    missing = in_no_cell(text, heads)
    assert "".join(lost.all_inner_texts()).replace("␣", " ") == missing
    assert missing
    assert f"{len(missing)} of the {len(text)} letters" in strips.says()
    strips.press("1")
    assert lost.count() == 0
    assert "nothing to cut" in strips.says()


def test_a_text_without_letters_and_one_with_signs_of_html(piece):
    strips = piece("split_heads", "strips")
    box = strips.element.get_by_role("textbox")
    box.fill("")
    assert "gets a piece" in strips.says()
    box.fill("<b>&")
    assert strips.element.locator(".written").inner_text() == "<b>&"


@pytest.mark.parametrize(
    ("name", "model", "first", "dropped"),
    [
        ("start mark", "spare-start", "•", False),
        ("start mark dropped", "spare-start", "•", True),
        ("a learnt sink", "spare-sink", "b", False),
    ],
)
def test_leftover_weight_goes_where_the_machine_sends_it(piece, name, model, first, dropped):
    page = piece("sinks", "spare").page
    element = page.locator("lesson-piece[piece=spare]").last
    model, _ = trained.load(model)
    element.get_by_role("button", name=name, exact=True).click()
    word = element.get_by_role("group", name="Text").get_by_role("button").nth(1).inner_text()
    element.get_by_role("button", name=word, exact=True).click()
    signs = first + word
    ids = np.array([[(*spare.LETTERS, "•").index(sign) for sign in signs]])
    logits, weights = model(ids, dropped=dropped, return_weights=True)
    written = "".join(spare.LETTERS[i] for i in np.argmax(logits[0], axis=-1))
    weights = np.array(weights)[0, 0]
    shares = np.c_[weights, 1 - weights.sum(axis=1)]
    right = [spare.LETTERS[(ids[0, i] + 1) % 26] if signs[i] not in "aeiou" else signs[i - 1] for i in range(1, 17)]
    good = sum(a == b for a, b in zip(written[1:], right, strict=True))
    for query in (2, 5, 11):
        element.get_by_role("slider", name="Letter that looks").fill(str(query))
        says = element.locator(".says").inner_text()
        most = int(np.argmax(shares[query]))
        whom = (
            "the sink"
            if most == 17
            else "the start mark"
            if signs[most] == "•"
            else f"the {signs[most]} at place {most}"
        )
        said = int(says.split(" gives ")[1].split()[0])
        assert abs(said - 100 * shares[query, most]) < 2
        assert f"of its weight to {whom}. Below it stands {written[query]}," in says
        assert says.endswith(f"In this text {good} of 16 are right.")
    if not dropped:
        assert good == 16
    element.locator("svg [data-do=query]").nth(3).click()
    expect(element.get_by_role("slider", name="Letter that looks")).to_have_value("4")


def test_who_sees_nobody_has_no_weight_to_give(piece):
    element = piece("sinks", "spare").page.locator("lesson-piece[piece=spare]").last
    element.get_by_role("button", name="start mark dropped", exact=True).click()
    element.get_by_role("slider", name="Letter that looks").fill("1")
    assert " sees nobody, because nothing that it may see stands before it. " in element.locator(".says").inner_text()
    assert "NaN" not in element.evaluate("one => one.shadowRoot.innerHTML")


def test_a_sink_that_is_too_low_or_too_high_spoils_the_answers_of_some(piece):
    element = piece("sinks", "spare").page.locator("lesson-piece[piece=spare]").last
    score = element.get_by_role("slider", name="Score of the sink")
    assert score.count() == 1
    element.get_by_role("button", name="start mark", exact=True).click()
    assert score.count() == 0  # the machine with the start mark has no sink
    element.get_by_role("button", name="a learnt sink", exact=True).click()
    model, _ = trained.load("spare-sink")
    learnt = model.attention.sink.numpy()
    word = element.get_by_role("group", name="Text").get_by_role("button").first.inner_text()
    ids = np.array([[spare.LETTERS.index(sign) for sign in "b" + word]])
    right = [spare.LETTERS[ids[0, i - 1] if sign in "aeiou" else ids[0, i] + 1] for i, sign in enumerate(word, 1)]
    for level, push in ((0, -20), (10, 0), (12, 4)):
        score.fill(str(level))
        model.attention.sink.assign(learnt + push)
        written = [spare.LETTERS[i] for i in np.argmax(model(ids)[0], axis=-1)][1:]
        good = sum(a == b for a, b in zip(written, right, strict=True))
        assert element.locator(".says").inner_text().endswith(f"In this text {good} of 16 are right.")
        assert (good == 16) == (push == 0)


def kinds(element):
    """Return for each layer, the lower one first, what the keys and values of each letter are."""
    found = element.locator("[data-kind]").evaluate_all("all => all.map((one) => one.dataset.kind)")
    return found[: len(found) // 2], found[len(found) // 2 :]


def test_what_is_kept_stays_true_only_while_no_letter_sees_a_later_one(piece):
    keeping = piece("cache", "keeping")
    element, says = keeping.element, keeping.says
    none, new, kept, old = ["none", "new", "kept", "old"]
    assert kinds(element) == ([kept] * 5 + [new] + [none] * 5,) * 2
    assert "that makes 6, in place of 21." in says()
    element.get_by_label("keep keys and values").press("Space")
    assert kinds(element) == ([new] * 6 + [none] * 5,) * 2
    assert "6 letters go through the machine, and 5 of them had gone before" in says()
    assert f"that makes {1 + 2 + 3 + 4 + 5 + 6}." in says()
    count = element.get_by_role("slider")
    count.focus()
    count.press("End")
    assert "that makes 66." in says()
    element.get_by_label("keep keys and values").press("Space")
    assert kinds(element) == ([kept] * 10 + [new],) * 2
    assert "looks back at 10 letters" in says()
    assert "that makes 11, in place of 66." in says()
    element.get_by_label("look-ahead mask").press("Space")
    assert kinds(element) == ([kept] * 10 + [new], [old] * 10 + [new])
    assert "The first 10 letters would now see the newest one" in says()
    count.press("Home")
    assert kinds(element) == ([new] + [none] * 10,) * 2
    assert "1 letter goes through" in says()


def test_a_machine_writes_by_itself_and_stops_at_the_end(piece):
    keeping = piece("cache", "keeping")
    keeping.press("Write")
    expect(keeping.element.get_by_role("slider")).to_have_value("11", timeout=10_000)
    expect(keeping.element.get_by_role("button", name="Write")).to_be_visible()
    keeping.press("Write")  # once more, from the start
    expect(keeping.element.get_by_role("slider")).not_to_have_value("11")
    keeping.press("Stop")
    assert int(keeping.element.get_by_role("slider").input_value()) < 11
