"""One look that moves: columns as wide as the weights of the trained machine fill one vector, and mix.

It returns with padding, with four heads and with a sink.
"""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

import trained
from clear_attention import date_tokenizers

TEXT, ANSWER = "thursday 3rd of may 2018", "2018-05-03"
TOLD = {"told": "dates-brief", "not told": "dates-padding-seen"}
PLACED = "all => all.map((one) => one.style.transform.match(/-?[\\d.]+/g).map(Number))"  # x, y and how wide


@pytest.fixture(scope="module")
def looked():
    """Return where the machine looks for each letter of the answer, and the vectors of the text."""
    model, _ = trained.load("dates")
    source, target = date_tokenizers()
    ids, given = source.encode([TEXT]), target.encode([ANSWER])[:, :-1]
    maps = model(ids, given, return_weights=True).weights
    return maps["decoder.0.cross"][0].numpy().mean(axis=0), model.encode(ids).output[0].numpy()


def columns(mixing):
    return np.array(mixing.element.locator("g.column").evaluate_all(PLACED))


@pytest.mark.parametrize("letter", [6, 2])
def test_the_columns_are_as_wide_as_the_weights_and_fill_one_vector(piece, looked, letter):
    mixing = piece("reading_dates", "mixing")
    assert len({*columns(mixing)[:, 2]}) == 1  # at first all are alike
    mixing.press(f"letter {letter + 1} of the answer, {ANSWER[letter]}")
    shares = looked[0][letter, : len(TEXT)]
    mixing.press("Weights")
    wide = columns(mixing)[:, 2]
    np.testing.assert_allclose(wide / 15, shares, atol=1e-3)
    most = sorted(shares)[::-1][:3]
    assert [float(x) for x in re.findall(r"0\.\d{3}", mixing.says())[:3]] == pytest.approx(most, abs=6e-4)
    mixing.press("Side by side")
    x, _, wide, _ = columns(mixing).T
    np.testing.assert_allclose(wide / 240, shares, atol=2e-3)
    np.testing.assert_allclose(x, 112 + np.cumsum(wide) - wide, atol=0.1)  # none overlaps another
    assert wide.sum() == pytest.approx(240, abs=0.2)


def test_another_letter_shows_its_weights(piece):
    mixing = piece("reading_dates", "mixing")
    mixing.press("Mixture")
    mixing.press("letter 10 of the answer, 3")
    assert mixing.says().startswith("It is about to write the 3. Each column shrinks to its weight. The 3 gets 0.9")


def test_the_mixture_is_their_average(piece, looked):
    mixing = piece("reading_dates", "mixing")
    assert not mixing.page.locator("p.unveiled").count()
    mixing.press("Mixture")
    weights, vectors = looked
    mixture = weights[6, : len(TEXT)] @ vectors[: len(TEXT), :16]
    squares = mixing.element.locator("g.mixed rect")
    assert [
        ("queries" in fill) for fill in squares.evaluate_all("all => all.map((one) => one.getAttribute('fill'))")
    ] == (mixture > 0).tolist()
    most = np.abs(vectors[: len(TEXT), :16]).max()
    strong = squares.evaluate_all("all => all.map((one) => +one.getAttribute('fill-opacity'))")
    np.testing.assert_allclose(strong, (np.abs(mixture) / most) ** 0.7, atol=0.02)
    assert "is-there" in mixing.element.locator("g.mixed").get_attribute("class")


def test_it_goes_on_by_itself_to_the_mixture(piece):
    mixing = piece("reading_dates", "mixing")
    mixing.press("Let it look")
    expect(mixing.element.get_by_role("button", name="Mixture")).to_have_attribute(
        "aria-pressed", "true", timeout=30_000
    )
    expect(mixing.element.get_by_role("button", name="Let it look")).to_be_visible()


def test_padding_fills_the_mixture_until_it_is_hidden(piece):
    mixing = piece("masks", "mixing")
    mixing.press("Side by side")
    source, target = date_tokenizers()
    given = target.encode(["1960-"])[:, :-1]  # both months begin behind it
    machines = {told: trained.load(name)[0] for told, name in TOLD.items()}
    for told, places, month in (("not told", 34, "12"), ("not told", 100, "01")):
        mixing.press(f"{told}, {places} places")
        assert mixing.says().startswith(f"It is about to write the {month[0]}.")
        ids = source.encode(["22.12.1960"], length=places)
        maps = machines[told](ids, given, return_weights=True).weights["decoder.0.cross"]
        expected = maps[0].numpy().mean(axis=0)[5]
        _, _, wide, _ = columns(mixing).T
        np.testing.assert_allclose(wide / 240, expected, atol=2e-3)
        frame = mixing.element.locator("rect.dashed")
        assert float(frame.get_attribute("width")) == pytest.approx(240 * expected[10:].sum(), abs=0.5)
        assert f"The padding takes {expected[10:].sum():.2f} of the weight" in mixing.says()
    mixing.press("told, 100 places")
    _, _, wide, _ = columns(mixing).T
    assert not wide[10:].any()
    maps = machines["told"](ids, given, return_weights=True).weights["decoder.0.cross"]
    np.testing.assert_allclose(wide / 240, maps[0].numpy().mean(axis=0)[5], atol=2e-3)
    assert not mixing.element.locator("rect.dashed").count()


def test_each_head_gives_the_pieces_of_a_letter_a_width_of_its_own(piece, looked):
    model, _ = trained.load("dates")
    source, target = date_tokenizers()
    ids, given = source.encode([TEXT]), target.encode([ANSWER])[:, :-1]
    maps = model(ids, given, return_weights=True).weights["decoder.0.cross"][0].numpy()
    mixing = piece("split_heads", "mixing")
    mixing.press("Side by side")
    _x, y, wide, _ = columns(mixing).T
    length = len(TEXT)
    np.testing.assert_allclose(wide.reshape(4, length) / 240, maps[:, 6, :length], atol=2e-3)
    assert [*np.diff(np.unique(y))] == [50] * 3  # four numbers of each head, and a gap
    mixing.press("Mixture")
    _, tops, _, _ = np.array(mixing.element.locator("g.mixed > g").evaluate_all(PLACED)).T
    assert [*np.diff(tops)] == [28] * 3  # one vector, without gaps
    cross = model.decoder.layers[0].cross_attention.attention
    values = cross.project_values(model.encode(ids).output)[0, :length].numpy().reshape(length, 4, 16)
    mixtures = np.einsum("hj,jhd->hd", maps[:, 6, :length], values)[:, :4].ravel()
    fills = mixing.element.locator("g.mixed rect").evaluate_all("all => all.map((one) => one.getAttribute('fill'))")
    clear = np.abs(mixtures) > 0.02  # the values are rounded
    assert clear.sum() > 10
    assert [("queries" in fill) for fill in np.array(fills)[clear]] == (mixtures > 0)[clear].tolist()


def test_what_goes_to_the_sink_leaves_no_colour(piece):
    mixing = piece("sinks", "mixing")
    mixing.press("Mixture")
    strongest = "all => Math.max(...all.map((one) => +one.getAttribute('fill-opacity')))"
    mixed = mixing.element.locator("g.mixed rect")
    from_a = mixed.evaluate_all(strongest)
    assert "0.34 of the weight is thrown away, so the mixture is paler than the r" in mixing.says()
    mixing.press("letter 12 of those that look, q")
    assert "The sink gets nearly all of the weight, and the letters hardly anything." in mixing.says()
    mixing.press("Mixture")
    assert "hardly said anything" in mixing.says()
    assert from_a > 0.4 > 0.05 > mixed.evaluate_all(strongest)


def test_without_scripts_the_strips_stand_there(visit):
    page = visit("/learn/reading_dates/", java_script_enabled=False).page
    strips = page.locator("lesson-piece[piece=mixing] svg.still")
    assert strips.is_visible()
    assert "y 0.295, r 0.233, m 0.197" in strips.get_attribute("aria-label")
