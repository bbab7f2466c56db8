"""The pictures of lessons that readers can touch: they say what Python computes, by mouse and by keyboard."""

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from clear_attention import MultiHeadAttention, scaled_dot_product_attention, sinusoidal_encoding


@pytest.mark.parametrize(("angle", "length"), [(45, 2), (135, 0.5), (290, 4), (0, 0)])
def test_the_arrows_attend_as_the_function_does(piece, angle, length):
    arrows = piece("attention")
    arrows.slide("Turn the query", angle)
    arrows.slide("Its length", length)
    query = length * np.array([[np.cos(np.deg2rad(angle)), np.sin(np.deg2rad(angle))]])
    keys, values = np.array([[2, 0.5], [-1, 1.5], [0.5, -1.5]]), np.array([[10.0, 0], [0, 10], [10, 10]])
    output, weights = scaled_dot_product_attention(query, keys, values)
    cells = arrows.element.locator(".box tbody td:last-child").all_inner_texts()
    np.testing.assert_allclose([float(x) for x in cells], weights[0], atol=0.00501)
    np.testing.assert_allclose(arrows.numbers()[-2:], output[0], atol=0.00501)


def test_the_query_can_be_dragged(piece):
    arrows = piece("attention")
    arrows.element.locator("[data-handle] circle").hover()  # waits until the page above it stands still
    middle = arrows.element.locator("svg").first.bounding_box()
    arrows.page.mouse.down()
    arrows.page.mouse.move(middle["x"] + middle["width"] * 0.2, middle["y"] + middle["height"] * 0.2, steps=4)
    arrows.page.mouse.up()
    assert "along “B”" in arrows.says()
    assert arrows.slider("Turn the query").input_value() == "135"
    arrows.page.mouse.move(middle["x"] + middle["width"] * 0.9, middle["y"] + middle["height"] * 0.5)
    assert "along “B”" in arrows.says()  # it was let go


def test_the_square_counts_the_texts_that_a_head_takes_for_one(piece):
    square = piece("multi_head", "crossing")
    assert square.says().startswith("From “3 5” head 1 brings 4.00, and head 2 brings 3.50. No other text")
    square.element.get_by_label("a second head").uncheck()
    assert square.says().startswith("From “3 5” head 1 brings 4.00. 9 texts")
    square.slide("Weights of head 1", 0.9)
    brought = np.array([[0.9 * a + 0.1 * b for b in range(10)] for a in range(10)])
    alike = np.abs(brought - brought[3, 5]) < 0.12
    assert f"{alike.sum()} texts bring the same" in square.says()
    square.element.get_by_label("a second head").check()
    assert "No other text brings the same" in square.says()
    square.slide("Weights of head 2", 0.9)  # the same look twice
    assert f"{alike.sum()} texts bring the same" in square.says()
    square.element.locator("g[data-value='80']").click()
    assert "From “8 0”" in square.says()


def test_the_dials_give_the_dot_product_of_two_encodings(piece):
    dials = piece("positions", "dials")
    encoding = sinusoidal_encoding(61, 6, n=1000).numpy()
    assert dials.numbers()[1] == pytest.approx(encoding[12] @ encoding[20], abs=0.006)
    # how far up a tip is, the sine, and how far to the right, the cosine
    tip = "({x1, x2, y1, y2}) => [y1.baseVal.value - y2.baseVal.value, x2.baseVal.value - x1.baseVal.value]"
    hands = f"lines => lines.map({tip}).map(tip => tip.map(x => x / Math.hypot(...tip)))"
    for kind, place in ("q", 12), ("k", 20):
        tips = dials.element.locator(f"svg circle.axis ~ line.{kind}").evaluate_all(hands)
        np.testing.assert_allclose(np.ravel(tips), encoding[place], atol=0.01)
    dials.slide("Place of the key", 30)
    assert "18 places after" in dials.says()
    assert dials.numbers()[1] == pytest.approx(encoding[12] @ encoding[30], abs=0.006)
    said = dials.says()
    dials.element.get_by_label("move both together").check()
    dials.slide("Place of the query", 40)
    assert dials.slider("Place of the key").input_value() == "58"
    assert dials.says() == said
    dials.slide("Place of the query", 60)  # the key would leave the text
    assert dials.slider("Place of the query").input_value() == "40"
    dials.element.get_by_label("move both together").uncheck()
    dials.element.get_by_label("turn the query's hands back by 3").check()
    dials.slide("Place of the key", 37)
    assert dials.says() == "The key stands 3 places before the query. The dot product is 3.000; 3.000 is the most."
    dials.element.get_by_label("turn the query's hands back by 3").uncheck()
    dials.slide("Dials", 32)
    many = sinusoidal_encoding(61, 64).numpy()
    assert dials.numbers()[1] == pytest.approx(many[40] @ many[37], abs=0.02)


def test_a_nudge_goes_down_the_slope(piece):
    nudge = piece("training", "nudge")
    for w in (1, 5, 1):  # it opens with a learning rate that leads nowhere
        assert nudge.numbers()[1] == w
        nudge.press("Nudge")
    nudge.press("Start again")
    nudge.slide("Learning rate", 0.1)
    w = 1.0
    for _ in range(3):
        assert nudge.numbers()[:4] == pytest.approx([nudge.numbers()[0], w, (w - 3) ** 2, 2 * (w - 3)], abs=1e-3)
        nudge.press("Nudge")
        w -= 0.1 * 2 * (w - 3)
    nudge.slide("Learning rate", 1.1)
    nudge.press("Ten nudges")
    assert "never ends well" in nudge.says()
    assert nudge.numbers()[0] == 13
    assert "← outside" in nudge.element.locator("svg").text_content()
    nudge.press("Start again")
    assert "outside" not in nudge.element.locator("svg").text_content()
    assert "After 0 nudges, w = 1.000" in nudge.says()


def test_adam_crosses_a_valley_that_plain_nudges_do_not(piece):
    valley = piece("adam", "valley")

    def loss(how, rate, steep, turn):
        """Of sixty nudges, as the lesson says; `turn` says how far x and y point aslant."""
        angle, mean, square = np.radians(turn), 0.0, 0.0
        along = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        slopes, w = along.T @ np.diag([1.0, steep]) @ along, along.T @ [-4.0, 1.2]
        for step in range(1, 61):
            slope = slopes @ w
            mean, square = 0.9 * mean + 0.1 * slope, 0.98 * square + 0.02 * slope**2
            usual = np.sqrt(square / (1 - 0.98**step))
            w = w - rate * (slope if how == "plain nudges" else mean / (1 - 0.9**step) / usual)
        return w @ slopes @ w / 2

    def ends(how, rate, steep, turn=0, seen=valley):
        name = how[0].upper() + how[1:]
        assert seen.says().startswith(f"{name} with a learning rate of {rate}:")
        assert seen.numbers()[-1] == pytest.approx(loss(how, rate, steep, turn), abs=1e-3)

    assert valley.element.locator("polyline").count() == 1
    ends("plain nudges", 0.005, 100)
    valley.slide("Learning rate", 3)
    ends("plain nudges", 0.019, 100)
    valley.slide("Learning rate", 5)
    assert valley.says().endswith("they have flown out of the valley.")
    valley.press("Adam")
    assert valley.element.locator("polyline").count() == 2
    ends("Adam", 0.2, 100)
    assert valley.slider("x and y turned").count() == 0
    folded = piece("adam", "valley")
    folded.element = folded.page.locator("details lesson-piece[piece=valley]")
    folded.page.locator("details:has(lesson-piece[piece=valley])").evaluate("one => { one.open = true; }")
    for turn in (15, 45):
        folded.slide("x and y turned", turn)
        ends("Adam", 0.2, 100, turn, folded)
    assert loss("Adam", 0.2, 100, 45) > 10 * loss("Adam", 0.2, 100, 0)
    folded.press("plain nudges")
    folded.slide("Learning rate", 3)
    ends("plain nudges", 0.019, 100, 0, folded)  # plain nudges know nothing of x and y
    for steep in (3, 0):
        valley.slide("Steeper across", steep)
        ends("Adam", 0.2, [1, 4, 25, 100][steep])
    valley.press("plain nudges")
    valley.slide("Learning rate", 9)
    ends("plain nudges", 0.5, 1)
    valley.press("Start again")
    assert valley.element.locator("polyline").count() == 1


def test_the_blocks_hold_what_they_say(piece):
    rows = piece("long_sequences", "rows")
    assert "128 weights of 1,024" in rows.says()
    rows.element.get_by_label("look-ahead mask").check()
    assert "48 weights of 1,024" in rows.says()  # 4 queries, the 12 keys up to the last of them
    rows.slide("Queries in a block", 5)
    assert "the whole matrix" in rows.says()
    rows.slide("Queries in a block", 0)
    rows.slide("Block 1 of", 31)
    assert "32 weights of 1,024" in rows.says()
    assert "hatched" not in rows.says()


def test_a_letter_can_be_followed(piece):
    journey = piece("recap")
    assert "“5” at place 5 and “5” at place 12 have a similarity of 1.00 at step 1" in journey.says()
    assert journey.element.locator(".station").count() == 6
    group = journey.element.get_by_role("group", name="The letter to compare it with")
    group.get_by_role("button", name="5, place 13").focus()
    journey.page.keyboard.press("Enter")
    assert "“5” at place 13" in journey.says()
    group.get_by_role("button", name="5, place 5").click()
    assert "of 1.00 at step 6" in journey.says()


def test_a_letter_of_the_answer_goes_on_where_the_text_ended(visit):
    page = visit("/learn/recap/").page
    titles = page.locator("lesson-piece").nth(1).locator(".station .title").all_text_contents()
    assert [title.partition(".")[0] for title in titles] == ["7", "8", "9"]


@pytest.mark.parametrize(
    "lesson", ["attention", "recap", "long_sequences", "online_softmax", "turning_positions", "fewer_keys"]
)
def test_without_scripts_a_sentence_or_a_table_stands_there(visit, lesson):
    page = visit(f"/learn/{lesson}/", java_script_enabled=False).page
    assert re.search(r"\d\.?\d*", page.locator("lesson-piece:not([piece=bet])").first.inner_text())


def test_the_training_can_be_watched(piece):
    growth = piece("training", "growth")
    growth.slide("Step", 0)
    assert "0 of these 5 dates are right" in growth.says()
    assert growth.element.locator(".box td.written .off").count() > 10
    growth.slide("Step", 20)
    assert growth.says().startswith("After 1,000 steps, 5 of these 5 dates are right.")
    assert growth.element.locator(".box td.written").first.inner_text() == "2018-05-03"
    assert growth.element.locator(".box td.written .off").count() == 0


@pytest.mark.parametrize(
    ("lesson", "name", "begins", "press", "near", "end"),
    [
        ("long_sequences", "rows", "Block", "Let it run", 5, "In memory now: 128 weights of 1,024"),
        ("turning_positions", "turning", "Move the", "Let the text walk", 22, "The query is at 29, the key at 27"),
        ("pieces_of_words", "cutting", "Rules", "Let it glue", 3, "43 letters, "),
    ],
)
def test_what_has_steps_goes_on_by_itself(visit, piece, lesson, name, begins, press, near, end):
    moving = piece(lesson, name)
    slider = moving.slider(re.compile(f"^{begins}"))
    last = slider.get_attribute("max")
    slider.fill(str(near))
    moving.press(press)
    expect(slider).to_have_value(last)
    assert end in moving.says()
    moving.press(press)  # it stands still at the end, and begins again
    expect(slider).not_to_have_value(last)
    moving.press("Stop")
    before = slider.input_value()
    moving.page.wait_for_timeout(700)
    assert slider.input_value() == before
    still = visit(f"/learn/{lesson}/", reduced_motion="reduce").page.locator(f"lesson-piece[piece={name}]")
    expect(still.get_by_role("slider").first).to_be_visible()
    assert still.get_by_role("button", name=press).count() == 0


def test_the_training_goes_on_by_itself(visit, piece):
    growth = piece("training", "growth")
    growth.slide("Step", 18)
    growth.press("Let it learn")
    expect(growth.element.locator(".says")).to_contain_text("After 1,000 steps")
    growth.press("Let it learn")  # it stands still at the end, and begins again
    expect(growth.element.locator(".says")).not_to_contain_text("After 1,000 steps")
    growth.press("Stop")
    before = growth.says()
    growth.page.wait_for_timeout(700)
    assert growth.says() == before
    still = visit("/learn/training/", reduced_motion="reduce").page.locator("lesson-piece[piece=growth]")
    expect(still.get_by_role("slider")).to_be_visible()
    assert still.get_by_role("button").count() == 0


def test_a_turn_keeps_the_product_and_a_sum_does_not(piece):
    turning = piece("turning_positions")

    def product(query, key, added):
        own, hands = np.array([2, 1]), np.exp(1j * np.deg2rad(30 * np.array([query, key])))
        a, b = own + hands if added else own * hands
        return (a * b.conjugate()).real

    def assert_says(query, key, added):
        assert turning.says().startswith(f"The query is at {query}, the key at {key}: ")
        assert turning.numbers()[-1] == pytest.approx(product(query, key, added), abs=0.00501)

    assert "2 places before the query. The angle between them is 60°. The product is 1.00." in turning.says()
    turning.slide("Move the text by", 20)
    assert_says(25, 23, added=False)
    assert "The angle between them is 60°. The product is 1.00." in turning.says()
    turning.slide("Place of the key", 17)
    assert_says(25, 37, added=False)
    assert "12 places after the query. The angle between them is 0°. The product is 2.00." in turning.says()
    turning.element.get_by_role("button", name="is added to it").focus()
    turning.page.keyboard.press("Enter")
    turning.slider("Place of the query").focus()
    turning.page.keyboard.press("ArrowRight")
    for moved in (0, 24, 7):
        turning.slide("Move the text by", moved)
        assert_says(6 + moved, 17 + moved, added=True)
        assert "angle" not in turning.says()
    heights = [float(bar.get_attribute("height")) for bar in turning.element.locator("rect.k.fill").all()[:24]]
    np.testing.assert_allclose(heights, [11 * abs(product(13, 7 + i, added=True)) for i in range(24)], atol=0.00501)


def test_shared_heads_leave_room_on_the_card(piece):
    sharing = piece("fewer_keys", "sharing")
    for keys in (32, 16, 8, 4, 2, 1):
        sharing.press(str(keys))
        cache = MultiHeadAttention(32 * 128, 32, num_key_value_heads=keys).create_cache(1, 1)
        each = 32 * 2 * int(np.prod(cache.keys.shape) + np.prod(cache.values.shape))  # layers, bytes
        for step, length in ((0, 1_000), (60, 61_000), (129, 130_000)):
            sharing.slide("Pieces of words", step)
            kept = each * length / 1e9
            said = re.search(r"Kept: (.+) GB\. With the model that makes (.+) GB, (.+?) a card", sharing.says())
            speeds = re.findall(
                r"So a card that reads 1,000 GB a second writes at most (.+) pieces a second\.$", sharing.says()
            )
            fits = kept + 16 <= 24  # only then it can write at all
            assert [float(x) for x in speeds] == pytest.approx([1000 / (kept + 16)] * fits, abs=0.0501)
            error = 0.0501 if kept >= 1 else 0.00501
            assert [float(x) for x in said.groups()[:2]] == pytest.approx([kept, kept + 16], abs=error)
            assert said[3] == ("which fits on" if fits else "too much for")
            assert sharing.element.get_by_text("the bar would run on").count() == (kept > 28.6)  # as far as it can
        zeros = [np.zeros((heads, 1, 1)) for heads in (32, keys)]
        met = scaled_dot_product_attention(
            *zeros, np.arange(keys, dtype=float).reshape(keys, 1, 1), grouped=True
        ).output
        for head in (1, 14, 32):
            sharing.slide("Query head", head)
            assert sharing.says().startswith(f"Query head {head} meets key head {met[head - 1, 0, 0] + 1:.0f}, ")
    sharing.slide("Chats at once", 4)  # with one key head, and 130,000 pieces of each chat
    assert f"Kept: {16 * kept:.1f} GB." in sharing.says()
    assert sharing.says().endswith("too much for a card of 24 GB.")
    sharing.slide("Chats at once", 1)
    assert sharing.says().endswith(f"at most {1000 / (2 * kept + 16):.1f} pieces a second for each chat.")
    sharing.slide("Chats at once", 0)
    sharing.element.get_by_role("button", name="8", exact=True).focus()
    sharing.page.keyboard.press("Enter")
    assert sharing.element.get_by_text("kept: 8 key heads and their values, as in Llama 3.1").count() == 1
    sharing.element.locator("g[data-value='14']").click()
    assert "Query head 14 meets key head 4, as do all from 13 to 16." in sharing.says()
    assert sharing.element.locator("rect.k.fill").count() == 8 + 1  # and the bar


def test_heads_that_ask_the_same_keys_bring_back_what_the_function_does(piece):
    asking = piece("fewer_keys", "asking")
    keys, values = np.array([[[3.0], [6]], [[2], [0]]]), np.array([[[10.0], [20]], [[30], [50]]])

    owned_keys = np.array([[[3.0], [6]], [[1], [5]], [[2], [0]], [[1], [3]]])
    owned_values = np.array([[[10.0], [20]], [[20], [40]], [[30], [50]], [[0], [40]]])

    def assert_brings(*queries, own=False):
        met = (owned_keys, owned_values) if own else (keys, values)
        output = scaled_dot_product_attention(np.reshape(queries, (4, 1, 1)), *met, grouped=True).output
        np.testing.assert_allclose(asking.numbers()[1::2], output[:, 0, 0], atol=0.00501)

    assert_brings(1.0, -1.0, 1.0, 0.0)
    for head in range(1, 5):
        asking.slide(f"Query of head {head}", 2)
    assert_brings(2.0, 2.0, 2.0, 2.0)
    assert asking.numbers()[1] == asking.numbers()[3]  # the same question
    points = asking.element.locator("circle").all()
    assert points[0].get_attribute("cx") == points[1].get_attribute("cx") != points[2].get_attribute("cx")
    asking.slider("Query of head 3").focus()
    asking.page.keyboard.press("ArrowLeft")
    assert_brings(2.0, 2.0, 1.75, 2.0)
    asking.element.get_by_label("each head its own keys and values").check()
    asking.slide("Query of head 2", 0.25)
    assert_brings(2.0, 0.25, 1.75, 2.0, own=True)
    assert round(asking.numbers()[3]) == 35
    asking.press("Start again")
    assert_brings(1.0, -1.0, 1.0, 0.0)
