"""The Mask Lab: its arithmetic against by_hand and NumPy, its findings against describe_mask, and every control."""

import base64
import json
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from clear_attention import attention_by_hand, describe_mask

from .conftest import copied_by

STATES = 300
TOKENS = ["the", "cat", "sat", "<pad>", "on", "", "[PAD]", "mat"]
STEPS = ("scores", "scaled", "masked", "weights", "output")
HOWS = ("select", "add", "infinity", "after")


def random_state(rng, how="select", dtype="float32"):
    n, depth, value_depth = rng.integers(1, 9), rng.integers(1, 9), rng.integers(1, 5)
    q, k, v = (np.round(rng.normal(size=(n, d)) * 2, 2).tolist() for d in (depth, depth, value_depth))
    padding = sorted(int(j) for j in rng.choice(n, size=rng.integers(0, n + 1), replace=False))
    flips = (
        sorted(int(c) for c in rng.choice(n * n, size=rng.integers(0, n), replace=False)) if rng.random() < 0.5 else []
    )
    if padding and not flips and how == "select":  # what is hidden does not matter
        k[padding[0]], v[padding[0]] = ["NaN"] * int(depth), ["Infinity"] * int(value_depth)
    return {
        "tokens": [str(t) for t in rng.choice(TOKENS, n)],
        **{"q": q, "k": k, "v": v, "how": how, "dtype": dtype, "step": str(rng.choice(STEPS))},
        "padding": padding,
        "lookAhead": bool(rng.random() < 0.5),
        "prefix": int(rng.integers(0, n + 1)),
        "window": int(rng.integers(0, n + 1)),
        "flipped": flips,
    }


def numbers(rows):
    return [[float(x) for x in row] for row in rows]


def mask_of(state):
    """Build the mask as the words beside the controls say."""
    n = len(state["tokens"])
    i, j = np.indices((n, n))
    blocked = np.isin(j, state["padding"])
    if state["lookAhead"]:
        blocked |= (j > i) & (j >= state["prefix"])
    if state["window"]:
        blocked |= np.abs(i - j) >= state["window"]
    return (blocked ^ np.isin(i * n + j, state["flipped"])).astype(int)


def by_numpy(state):
    """Compute all steps, rounding after every operation; ours computes float16 in float32 and rounds the results."""
    given, mask = np.dtype(state["dtype"]).type, mask_of(state)
    kind = np.float32 if state["how"] == "select" else given
    q, k, v = (np.array(numbers(state[name]), given).astype(kind) for name in "qkv")

    def dot(xs, ys):
        total = kind(0)
        for x, y in zip(xs, ys, strict=True):
            total = kind(total + kind(x * y))
        return total

    def softmax(row):
        terms = np.exp(row - row.max())
        total = kind(0)
        for term in terms:
            total = kind(total + term)
        return terms / total

    with np.errstate(all="ignore"):
        scores = np.array([[dot(a, b) for b in k] for a in q], kind)
        scaled = scores / kind(np.sqrt(q.shape[1]))
        blocked = mask.astype(kind)
        masked = {
            "select": np.where(mask, kind(-np.inf), scaled),
            "add": scaled + blocked * kind(-1e9),
            "infinity": scaled + blocked * kind(-np.inf),
            "after": scaled,
        }[state["how"]]
        weights = np.array([softmax(row) for row in masked])
        if state["how"] == "select":
            weights[mask == 1] = 0
        if state["how"] == "after":
            weights = weights * (1 - blocked)
        read = (mask == 0) | (state["how"] != "select")  # ours never reads what is hidden
        output = np.array([[dot(w[r], column[r]) for column in v.T] for w, r in zip(weights, read, strict=True)])
    steps = zip(STEPS, (scores, scaled, masked, weights, output), strict=True)
    return {name: rows.astype(given).astype(float) for name, rows in steps}


def in_the_browser(page, states):
    """Let the page compute; JSON knows no NaN, so numbers travel as text."""
    code = """states => states.map(s => {
        const [q, k, v] = [s.q, s.k, s.v].map(rows => rows.map(row => row.map(Number)));
        const mask = maskLab.buildMask(s);
        const steps = Object.entries(maskLab.scaledDotProductAttention({...s, q, k, v, mask}));
        const texts = steps.map(([name, rows]) => [name, rows.map(row => row.map(String))]);
        return {...Object.fromEntries(texts), mask, found: maskLab.describe(mask, s.tokens)};
    })"""
    return page.evaluate(code, states)


@pytest.fixture
def page(visit):
    return visit("/lab/").page


@pytest.fixture
def lab(page):
    return page.locator("mask-lab")


def address(state):
    text = base64.urlsafe_b64encode(json.dumps(state).encode()).decode().rstrip("=")
    return f"/lab/#lab={text}"


def test_300_random_states_are_as_by_hand(page):
    rng = np.random.default_rng(1)
    states = [random_state(rng) for _ in range(STATES)]
    for state, got in zip(states, in_the_browser(page, states), strict=True):
        mask = mask_of(state)
        np.testing.assert_array_equal(got["mask"], mask)
        output, weights = attention_by_hand(*(numbers(state[name]) for name in "qkv"), mask.tolist())
        np.testing.assert_allclose(np.array(got["weights"], float), weights, atol=1e-5)
        np.testing.assert_allclose(np.array(got["output"], float), output, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("how", HOWS)
def test_every_way_and_dtype_is_as_numpy_rounds(page, how, dtype):
    rng = np.random.default_rng(2)
    states = [random_state(rng, how, dtype) for _ in range(STATES)]
    exp = 1e-5 if dtype == "float32" else 1e-3  # NumPy's exp may differ in the last bit
    for state, got in zip(states, in_the_browser(page, states), strict=True):
        for step, expected in by_numpy(state).items():
            near = exp if step in ("weights", "output") else 0
            np.testing.assert_allclose(np.array(got[step], float), expected, atol=near, rtol=near, err_msg=step)


def test_rounding_to_float16_is_numpys(page):
    bits = np.arange(0, 2**16, 7, dtype=np.uint16).view(np.float16).astype(float)
    halves = bits[np.isfinite(bits)]
    between = np.concatenate([halves * (1 + 2.0**-12), halves + 2.0**-26, [65519.99, 65520.0, -65520.0, 2.0**-25]])
    numbers = np.concatenate([halves, between])
    got = page.evaluate("xs => xs.map(x => String(maskLab.float16(x)))", numbers.tolist())
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(np.array(got, float), numbers.astype(np.float16).astype(float))


def drawn_state(rng):
    """Return a state with a mask of documents or of a window beside first keys, cell by cell; one may be wrong."""
    state = random_state(rng)
    n = len(state["tokens"])
    i, j = np.indices((n, n))
    documents = np.sort(rng.integers(0, 3, size=n))
    blocked = documents[i] != documents[j]
    if rng.random() < 0.5:
        blocked = (np.abs(i - j) >= rng.integers(1, 4)) & (j >= rng.integers(1, 4))
    blocked |= (rng.random() < 0.5) & (j > i)
    if rng.random() < 0.3:
        blocked.flat[rng.integers(0, n * n)] ^= True
    cells = [int(cell) for cell in np.flatnonzero(blocked)]
    return {**state, "padding": [], "lookAhead": False, "prefix": 0, "window": 0, "flipped": cells}


def test_findings_are_those_of_describe_mask(page):
    rng = np.random.default_rng(3)
    states = [f(rng) for f in (random_state, drawn_state) for _ in range(STATES)]
    for state, got in zip(states, in_the_browser(page, states), strict=True):
        found = describe_mask(mask_of(state), state["tokens"]).findings
        assert [(f["name"], f["sentence"]) for f in got["found"]] == [(f.name, f.sentence) for f in found], state


def test_an_address_opens_its_view(visit, host):
    rng = np.random.default_rng(4)
    visitor = visit("/lab/")
    for how in HOWS:
        state = random_state(rng, how)
        visitor.page.goto(host + "/?")  # so that the next address is loaded, not only its fragment
        visitor.open(address(state))
        lab = visitor.page.locator("mask-lab")
        expected = by_numpy(state)[state["step"]]
        cells = lab.locator("[role=gridcell]").all_inner_texts()
        assert len(cells) == expected.size
        for text, x in zip(cells, expected.ravel(), strict=True):
            plain = text.replace("−", "-").replace("∞", "inf").replace("–", "-inf")
            assert np.isnan(x) == (plain == "NaN")
            assert np.isnan(x) or np.isclose(float(plain), x, atol=0.006, rtol=0.06), (text, x)
        assert lab.locator(f"input[value={how}]").is_checked()


OF_THE_PROTOTYPE = [{"step": "toString"}, {"step": "__proto__"}, {"how": "constructor"}, {"how": "valueOf"}]


@pytest.mark.parametrize(
    "wrong",
    [
        *("#lab=", "#lab=abc", "#lab=" + base64.b64encode(b'{"tokens": []}').decode()),
        *(address(random_state(np.random.default_rng(4)) | names)[5:] for names in OF_THE_PROTOTYPE),
    ],
)
def test_a_broken_address_opens_the_first_example(visit, wrong):
    lab = visit("/lab/" + wrong).page.locator("mask-lab")
    assert lab.locator("[role=rowheader]").all_inner_texts() == ["the", "cat", "sat", "<pad>"]


def test_infinity_times_the_mask_explains_its_nan(lab):
    lab.locator("input[value=infinity]").check()
    lab.locator("button", has_text="Masked").click()
    assert lab.locator("td.nan").count() == 12
    assert "−∞ × 0 is NaN" in lab.locator(".loud").inner_text()
    lab.locator("[data-place='0,1']").click()
    lab.locator("[data-place='0,1']").click()
    assert "+ −∞ × 0 = NaN" in lab.locator(".sum").inner_text()


def test_the_third_sentence_explains_its_empty_rows(lab):
    lab.locator("select").select_option(label="padding on the left, and look-ahead")
    assert lab.locator("tr.empty").count() == 3
    assert "Queries 0, 1, 2 see no key at all: each is padding or later" in lab.locator(".loud").inner_text()
    assert "empty_rows" in lab.locator(".findings").inner_text()
    assert "sees 0 of 5 keys" in lab.locator(".says").inner_text()
    lab.locator("input[value=add]").check()
    assert "Yet the weights are not 0" in lab.locator(".loud").inner_text()
    lab.locator("input[value=float16]").check()
    assert "65,504" in lab.locator(".loud").inner_text()
    lab.locator("input[value=after]").check()
    assert "All weights were cut to 0" in lab.locator(".loud").inner_text()


def test_weights_cut_after_the_softmax_no_longer_sum_to_1(lab):
    assert lab.locator(".loud").count() == 0
    lab.locator("input[value=after]").check()
    assert "no longer sum to 1" in lab.locator(".loud").inner_text()


def blocked(lab):
    return [
        tuple(map(int, c.split(",")))
        for c in lab.locator("td.blocked").evaluate_all("cells => cells.map(c => c.dataset.place)")
    ]


def test_every_way_to_hide_a_key(lab):
    assert blocked(lab) == [(i, 3) for i in range(4)]
    pads = lab.locator("[data-do=pad]")
    pads.nth(3).click()
    assert blocked(lab) == []
    lab.get_by_label("later tokens").check()
    assert blocked(lab) == [(i, j) for i in range(4) for j in range(4) if j > i]
    lab.get_by_label("except a prefix of").fill("2")
    lab.get_by_label("except a prefix of").press("Tab")
    assert blocked(lab) == [(i, j) for i in range(4) for j in range(4) if j > i and j >= 2]
    lab.get_by_label("later tokens").uncheck()
    lab.get_by_label("this far away").fill("99")
    lab.get_by_label("this far away").press("Tab")
    assert lab.get_by_label("this far away").input_value() == "4"
    lab.get_by_label("this far away").fill("1")
    lab.locator("button", has_text="Scaled").click()  # a click that ends an edit counts
    assert lab.locator("[aria-current=step]").inner_text() == "2 Scaled"
    assert blocked(lab) == [(i, j) for i in range(4) for j in range(4) if j != i]
    lab.locator("[data-place='1,1']").click()
    assert (1, 1) in blocked(lab)
    assert "by a click" in lab.locator("[data-place='1,1']").get_attribute("aria-label")


def test_undo_and_redo(page, lab):
    assert lab.locator("[data-do=undo]").is_disabled()
    lab.locator("[data-place='0,0']").click()
    lab.locator("button", has_text="Output").click()
    lab.locator("[data-do=undo]").click()
    assert lab.locator("[aria-current=step]").inner_text() == "4 Weights"
    page.keyboard.press("Control+z")
    assert (0, 0) not in blocked(lab)
    page.keyboard.press("Control+Shift+z")
    assert (0, 0) in blocked(lab)
    lab.locator("[data-do=redo]").click()
    assert lab.locator("[aria-current=step]").inner_text() == "5 Output"


def test_the_keyboard_alone(page, lab):
    lab.locator("[data-place='0,0']").focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp", "End", "Home", "ArrowUp"):
        page.keyboard.press(key)
    place = "() => document.querySelector('mask-lab').shadowRoot.activeElement.dataset.place"
    assert page.evaluate(place) == "0,0"
    page.keyboard.press("Space")
    assert (0, 0) in blocked(lab)
    assert page.evaluate(place) == "0,0"
    assert (
        "sees 2 of 4 keys: “cat”, “sat”. Hidden: “the” (by a click); “<pad>” (padding)."
        in lab.locator(".says").inner_text()
    )
    page.keyboard.press("Enter")
    assert (0, 0) not in blocked(lab)
    assert lab.locator("td[tabindex='0']").count() == 1


def test_tokens_and_numbers_can_be_changed(lab):
    lab.locator("summary", has_text="Change the tokens").click()
    lab.get_by_label("token 1", exact=True).fill("<b>a</b>")
    lab.get_by_label("token 1", exact=True).press("Tab")
    assert lab.locator("[role=rowheader]").first.inner_text() == "<b>a</b>"
    field = lab.get_by_label("queries of cat, number 1")
    field.fill("nan")
    field.press("Tab")
    assert lab.locator("tr:nth-child(2) td.nan").count() == 3  # the hidden key gets exactly 0
    field.fill("much")
    field.press("Tab")
    expect(lab.locator("[role=status]")).to_contain_text("“much” is no number")
    assert field.input_value() == "NaN"
    for _ in range(4):
        lab.locator("[data-do=longer]").click()
    assert lab.locator("[data-do=longer]").is_disabled()
    assert lab.locator("[role=gridcell]").count() == 64
    for _ in range(7):
        lab.locator("[data-do=shorter]").click()
    assert lab.locator("[data-do=shorter]").is_disabled()
    assert lab.locator("[role=gridcell]").count() == 1
    assert lab.locator("details[open]").count() == 1


def test_each_step_lights_its_part_of_the_formula(lab):
    parts = {"Scores": "Q Kᵀ", "Scaled": "/ √d", "Masked": "hidden by the mask", "Weights": "softmax( )", "Output": "V"}
    for step, lit in parts.items():
        lab.locator("button", has_text=step).click()
        assert " ".join(lab.locator(".lit").all_inner_texts()) == lit
        assert lab.locator("[role=grid] caption").inner_text().startswith(step)


def test_a_view_can_be_shared(page, lab, visit):
    lab.locator("select").select_option(label="the published causal prefix")
    copied = copied_by(lab.locator("[data-do=share]"))
    expect(lab.locator("[role=status]")).to_have_text("Copied.")
    assert copied == page.url
    other = visit("/lab/" + copied[copied.index("#") :]).page.locator("mask-lab")
    assert other.locator("[role=rowheader]").all_inner_texts() == ["first", "second", "third"]
    assert other.locator("[role=gridcell]").first.inner_text() == "1.00"
    assert blocked(other) == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize("library", ["clear-attention", "keras MultiHeadAttention", "torch SDPA", "JAX"])
def test_code_can_be_copied_and_says_the_same(page, lab, library):
    lab.locator("select").select_option(label="a sentence with padding")
    lab.locator("summary", has_text=library).click()
    code = copied_by(lab.get_by_label(f"Copy the code for {library}"))
    compile(code, library, "exec")
    assert re.search(r"mask = (np\.array|torch\.tensor)\(  # (1 blocks a key|True: may be attended to)", code)
    if library in ("torch SDPA", "JAX"):
        return  # they are not installed here
    names = {}
    exec(code, names)
    state = page.evaluate("document.querySelector('mask-lab').state")
    np.testing.assert_allclose(np.squeeze(names["output"]), by_numpy(state)["output"], atol=1e-5)


@pytest.mark.parametrize(
    ("example", "says"), [("a sentence with padding", 0), ("padding on the left, and look-ahead", 1)]
)
def test_the_code_says_where_a_library_has_no_rule_for_empty_rows(lab, example, says):
    lab.locator("select").select_option(label=example)
    codes = lab.evaluate("m => Object.values(maskLab.code).map((f) => f({ ...m.state, ...m.numbers, mask: m.mask }))")
    assert [code.count("gets the mean of all values") for code in codes] == [0, 0, 0, says]


def test_without_javascript_there_are_tables(visit):
    page = visit("/lab/", java_script_enabled=False).page
    text = page.locator("mask-lab").inner_text()
    assert "runs no JavaScript" in text
    assert "0.25" in text
    assert page.locator("mask-lab table").count() == 2


def test_a_lesson_lets_readers_hide_tokens(visit):
    piece = visit("/learn/masks/").page.locator("mask-lab[piece=mask]")
    assert len(blocked(piece)) == 14  # two places of padding, for seven queries
    assert piece.get_by_label("later tokens").count() == 0  # that is for the next lesson
    for letter in range(5):
        assert piece.locator("tr.empty").count() == 0
        piece.locator("[data-do=pad]").nth(letter).click()
    assert piece.locator("tr.empty").count() == 7
    assert "sees 0 of 7 keys" in piece.locator(".says").inner_text()
    assert "Here it becomes zeros" in piece.locator(".won").inner_text()
    piece.locator("[data-do=undo]").click()
    assert piece.locator("tr.empty").count() == 0
    assert piece.locator(".won").inner_text() == ""


def test_a_lesson_says_when_no_letter_sees_a_later_one(visit):
    piece = visit("/learn/causal/").page.locator("mask-lab[piece=mask]")
    later = [(i, j) for i in range(5) for j in range(i + 1, 5)]
    for i, j in later:
        assert piece.locator(".won").inner_text() == ""
        piece.locator(f"[data-cell='{i},{j}']").click()
    assert piece.locator(".won").inner_text().startswith("✓ Stopped, with ten cells.")


def test_a_lesson_shares_numbers_among_heads(visit):
    piece = visit("/learn/split_heads/").page.locator("mask-lab[piece=heads]")
    piece.locator("select").select_option("4")
    assert "(4, 3, 2)" in piece.locator(".says").inner_text()
    assert piece.locator(".heads table").count() == 5
    assert piece.locator("table", has_text="head 4").locator("tr").last.inner_text().split()[1:] == ["22", "23"]


def test_a_walk_through_the_site_keeps_the_lab_alive(visit):
    page = visit("/learn/masks/").page
    page.get_by_role("link", name="Mask Lab").first.click()
    page.wait_for_url("**/lab/**")
    page.locator("mask-lab td.blocked").first.wait_for()
    page.go_back()
    page.locator("mask-lab[piece=mask] td.blocked").first.wait_for()
