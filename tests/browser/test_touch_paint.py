"""The piece of the lesson on the layer in which digits are drops of paint, which the attention of a tower mixes."""

import json

import numpy as np
import pytest
from playwright.sync_api import expect


@pytest.fixture
def drops(piece):
    drops = piece("transformer_layer", "paint")
    assert drops.says().startswith("Without the residual, after layer 1: ")  # something is seen at once
    drops.press("Start again")
    return drops


def mixed(drops, residual, layers):
    """Return which share of each paint is in each drop, from what the page was told."""
    told = json.loads(drops.element.locator("script").text_content())["towers"][str(residual)]
    shares = np.eye(8)
    for layer in told[:layers]:
        weights = np.array([[ord(sign) - 256 for sign in row] for row in layer["weights"]], float)
        weights /= weights.sum(axis=1, keepdims=True)
        shares = layer["keeps"] * shares + (1 - layer["keeps"]) * weights @ shares
    return shares, np.prod([layer["keeps"] for layer in told[:layers]])


def test_without_the_residual_all_drops_become_one_brown(drops):
    colours = "all => all.map((one) => one.style.getPropertyValue('--around'))"
    top = drops.element.locator("button.drop")
    assert drops.numbers() == [0]
    for layers in (1, 2, 3, 4):
        drops.press("Add a layer")
        shares, _ = mixed(drops, 0, layers)
        both = np.minimum(shares[:, None], shares[None]).sum(axis=-1)[~np.eye(8, dtype=bool)].mean()
        assert drops.numbers() == [layers, pytest.approx(100 * both, abs=0.51)]
        assert top.count() == 8 * (layers + 1)
    expect(drops.element.get_by_role("button", name="Add a layer")).to_be_disabled()
    found = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in top.evaluate_all(colours)[:8]]
    assert np.ptp(found, axis=0).max() <= 2  # nobody can see that


def test_with_the_residual_each_drop_keeps_its_own_paint(drops):
    drops.element.get_by_label("residual", exact=True).press("Space")
    for layers in (1, 2, 3, 4):
        drops.press("Add a layer")
        shares, carried = mixed(drops, 1, layers)
        assert drops.numbers() == [layers, pytest.approx(100 * carried, abs=0.51)]
        drop = drops.element.locator("button.drop").nth(5)  # the newest row stands first
        assert f"layer {layers}: {100 * shares[5, 5]:.0f} % its own paint" in drop.get_attribute("aria-label")
        reach = drop.evaluate("one => parseFloat(one.style.getPropertyValue('--reach'))")
        assert reach == pytest.approx(100 * np.sqrt(carried), abs=0.01)  # the area is the share


def test_a_drop_that_is_pressed_shows_from_whom_it_was_mixed(drops):
    drops.element.get_by_label("residual", exact=True).check()
    for _ in range(2):
        drops.press("Add a layer")
    lines = drops.element.locator(".threads line")
    widths = "all => all.map((one) => parseFloat(one.style.strokeWidth))"
    for row, place in ((2, 6), (1, 3)):
        drop = drops.element.locator(f"button.drop[data-value='{8 * row + place}']")
        drop.press("Enter")
        expect(drop).to_have_attribute("aria-pressed", "true")
        found = np.array(lines.evaluate_all(widths))
        assert len(found) == 9  # eight digits and the residual
        assert found.sum() == pytest.approx(22, abs=0.1)
        told = json.loads(drops.element.locator("script").text_content())["towers"]["1"][row - 1]
        assert found[8] == pytest.approx(22 * told["keeps"], abs=0.01)
    drops.element.locator("button.drop[data-value='0']").click()
    assert lines.count() == 0  # a digit was not mixed


def test_it_climbs_by_itself_and_begins_again(drops):
    drops.press("Climb")
    expect(drops.element.get_by_role("button", name="Add a layer")).to_be_disabled(timeout=10_000)
    assert "after layer 4" in drops.says()
    drops.press("Start again")
    none = "two drops have on average 0 % of their paint in common."
    assert drops.says() == f"Without the residual, before the layers: {none}"
    drops.element.get_by_label("residual", exact=True).check()
    drops.press("Add a layer")
    drops.press("Start again")
    assert drops.says().startswith("With the residual, before the layers")  # the tick stays


def test_without_scripts_a_table_of_shares_stands_there(visit):
    page = visit("/learn/transformer_layer/", java_script_enabled=False).page
    assert page.locator("lesson-piece[piece=paint] tbody tr").count() == 8
