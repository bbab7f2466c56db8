"""What a page tells below a piece waits until the reader has done what the page asks, or says "Just read on"."""

import re

import pytest
from playwright.sync_api import expect

from .conftest import LIVE
from .guesses import KEPT

VEILED = "p => p.inert && getComputedStyle(p).filter !== 'none'"
BELOW = """element => {
    let after = element.parentElement;
    while (!after.matches("button.lift")) after = after.nextElementSibling;
    return after.nextElementSibling;
}"""
WISHES = {"programs": (0, 1, 4, 6, 8, 11), "sorting": (1, 5, 6, 9, 10, 11)}  # that solve the piece
# lesson, piece, which of them on the page, and what the page asks for: the last step shows it
ASKED = [
    ("adam", "valley", 0, [("slide", "Learning rate", 2), ("slide", "Learning rate", 7)]),
    ("attention", "arrows", 0, [("slide", "Turn the query", 90), ("slide", "Its length", 1)]),
    ("attention", "coins", 0, [("press", "Toss 1,000 times"), ("tick", "divide each sum by the root")]),
    ("cache", "keeping", 0, [("slide", "Letters", 3), ("tick", "look-ahead mask")]),
    ("causal", "given", 0, [("slide", "Letters given", 9), ("slide", "Letters given", 10)]),
    ("feed_forward", "ringing", 0, [("press", "an 8")]),
    ("fewer_keys", "asking", 0, [("tick", "each head its own keys and values")]),
    ("fewer_keys", "sharing", 0, [("press", "8"), ("slide", "Pieces of words", 60)]),
    ("induction", "echo", 0, [("do", "place", 5), ("do", "place", 10)]),
    ("language_model", "diary", 0, [("press", "before the training")]),
    ("by_heart", "parrot", 0, [("press", "0"), ("press", "2"), ("press", "3")]),
    ("long_sequences", "wall", 0, [("slide", "Places", 10), ("slide", "Places", 30)]),
    ("long_sequences", "rows", 0, [("tick", "look-ahead mask")]),
    (
        "masks",
        "mixing",
        0,
        [("press", "Side by side"), *(("press", f"{who}, 100 places") for who in ("not told", "told"))],
    ),
    ("multi_head", "four_looks", 0, [("do", "seen", 1), ("do", "seen", 2), ("do", "letter", 9)]),
    ("multi_head", "pulling", 0, [("press", "fourth digit"), ("press", "2,100 steps")]),
    ("norm_first", "tower", 0, [("press", "One part higher"), ("press", "To the top")]),
    ("online_softmax", "mending", 0, [("slide", "Pieces read", 2), ("slide", "Last score", 2)]),
    ("packing", "neighbours", 0, [("do", "query", 3), ("tick", "keep the dates apart")]),
    ("pieces_of_words", "gluing", 0, [("do", "glue", 0), ("do", "glue", 0), ("do", "glue", 0)]),
    ("pieces_of_words", "cutting", 0, [("type", "Your text", "Ada Lovelace")]),
    ("positions", "bags", 0, [("type", "A date", "12.03.1999")]),
    ("positions", "clocks", 0, [("slide", "Letter", 2), ("slide", "Push it to the right", 7)]),
    ("positions", "dials", 0, [("tick", "move both together"), ("slide", "Place of the query", 15)]),
    ("programs", "wishes", 0, [("press", "place 0 looks at place 2"), ("press", "place 1 looks at place 0")]),
    ("programs", "looks", 0, [("do", "wish", wish) for wish in WISHES["programs"]]),
    ("reading_dates", "mixing", 0, [("press", name) for name in ("Weights", "Side by side", "Mixture")]),
    ("reading_dates", "meaning", 0, [("press", "+ place"), ("press", "+ encoder")]),
    ("recap", "journey", 0, [("slide", "Step", 3), ("slide", "Step", 6)]),
    ("recap", "journey", 1, [("slide", "Step", 8), ("slide", "Step", 9)]),
    ("recap", "parting", 0, [("slide", "Step", 5), ("do", "put", 0), ("slide", "Step", 6)]),
    ("roman", "numerals", 0, [("press", "One of its mistakes"), ("press", "One of its mistakes")]),
    ("score_rules", "cards", 0, [("do", "swap", 0), ("do", "swap", 0), ("do", "swap", 1)]),
    ("score_rules", "cards", 1, [("slide", "Price of a place", 0.5)]),
    ("sinks", "spare", 0, [("do", "query", 5)]),
    ("sinks", "mixing", 0, [("press", "Mixture"), ("press", "letter 12 of those that look, q")]),
    ("sinks", "spare", 1, [("do", "query", 5), ("slide", "Score of the sink", 0), ("slide", "Score of the sink", 12)]),
    ("sorting", "seats", 0, [("press", "Next place")] * 6),
    ("sorting", "looks", 0, [("do", "wish", wish) for wish in WISHES["sorting"]]),
    ("split_heads", "mixing", 0, [("press", name) for name in ("Weights", "Side by side", "Mixture")]),
    ("split_heads", "strips", 0, [("tick", "cut by a reshape alone")]),
    ("training", "growth", 0, [("slide", "Step", 10), ("slide", "Step", 20)]),
    ("training", "nudge", 0, [("press", "Nudge"), ("slide", "Learning rate", 0.5)]),
    ("training", "backwards", 0, [("press", name) for name in ("2r = 10", "1", "x = 3", "Nudge w and b")]),
    ("training", "pull", 0, [("press", "Nudge the scores")] * 3),
    ("transformer_layer", "paint", 0, [("press", "Add a layer"), ("tick", "residual")]),
    ("transformer_layer", "bursting", 0, [("press", "One layer higher"), ("tick", "norms")]),
    ("twins", "adding", 0, [("sum", "370", "639"), ("sum", "470", "539"), ("sum", "570", "439")]),
    ("turning_positions", "turning", 0, [("slide", "Move the text by", 20)]),
    ("windows", "seeing", 0, [("slide", "Window", 27), ("slide", "Window", 28)]),
    ("windows", "reaching", 0, [("slide", "Window", 5), ("slide", "Layers", 5)]),
    ("writing", "tree", 0, [("press", "two")]),
    ("writing", "hundred", 0, [("press", "Another rare one")]),
]


def take(element, step):
    kind, name, *value = step
    match kind:
        case "press":
            element.get_by_role("button", name=name, exact=True).click()
        case "do":
            element.locator(f'[data-do="{name}"][data-value="{value[0]}"]').first.click()
        case "tick":
            element.get_by_label(name).click()
        case "slide":
            element.get_by_role("slider", name=name).fill(str(value[0]))
        case "type":
            element.get_by_role("textbox", name=name).fill(value[0])
        case "sum":
            element.get_by_role("spinbutton", name="First number").fill(name)
            element.get_by_role("spinbutton", name="Second number").fill(*value)
            element.get_by_role("spinbutton", name="Second number").press("Enter")


@pytest.mark.parametrize(
    ("lesson", "kind", "number", "steps"), ASKED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_veil_is_lifted_by_what_the_page_asks(turn_to, lesson, kind, number, steps):
    page = turn_to(f"/learn/{lesson}/").page
    element = page.locator(f"lesson-piece[piece={kind}]").nth(number)
    below = element.evaluate_handle(BELOW).as_element()
    for step in steps:
        assert below.evaluate(VEILED), step
        take(element, step)
    page.wait_for_function("p => !p.inert && !p.classList.contains('veiled')", arg=below)
    assert len(page.evaluate(KEPT)["seen"]) == 1


def test_who_just_reads_on_is_not_asked_again(visit):
    visitor = visit("/learn/transformer_layer/")
    page = visitor.page
    below = page.locator("lesson-piece[piece=paint]").evaluate_handle(BELOW).as_element()
    buttons = page.get_by_role("button", name="Just read on")
    count = buttons.count()
    after = below.evaluate_handle("p => p.nextElementSibling").as_element()
    assert [one.evaluate(VEILED) for one in (below, after)] == [True, True]  # the second answers, too
    buttons.first.click()
    assert [one.evaluate(VEILED) for one in (below, after)] == [False, False]
    expect(buttons).to_have_count(count - 1)
    page.reload()
    expect(page.locator("lesson-piece[piece=bursting]").get_by_role("button", name="Climb")).to_be_visible()
    expect(buttons).to_have_count(count - 1)
    expect(page.locator("p.veiled")).to_have_count(count - 1)


MACHINES = [
    ("attention", "fits"),
    ("multi_head", "beside"),
    ("masks", "places"),
    ("positions", "beside"),
    ("recap", "looks"),
    *(("reading_dates", kind) for kind in ("small", "fool", "beside", "exchange")),
]


@pytest.mark.parametrize(("lesson", "kind"), MACHINES)
def test_the_veil_below_a_machine_is_lifted_by_its_first_use(visit, lesson, kind):
    page = visit(f"/learn/{lesson}/").page
    machine = page.locator(f"date-machine[piece={kind}]")
    below = machine.evaluate_handle(BELOW).as_element()
    machine.scroll_into_view_if_needed()
    page.mouse.move(300, 300)  # which wakes it
    page.wait_for_function("machine => machine.result", arg=machine.element_handle())  # the small one writes by itself
    assert below.evaluate(VEILED)
    field = machine.get_by_role("textbox")
    field.first.fill("4 july 1976") if field.count() else machine.locator("[data-do=swap]").first.click()
    assert not below.evaluate(VEILED)


def test_without_scripts_nothing_is_veiled(visit):
    page = visit("/learn/transformer_layer/", java_script_enabled=False).page
    assert page.locator("p.veiled, button.lift").count() == 0


def test_every_piece_that_asks_is_tried_here():
    """But those that are trained, wired or heard: their own tests see the veil lifted."""
    asks = {
        path.stem for path in (LIVE / "touch").glob("*.js") if re.search(r"^  seen: ", path.read_text("utf-8"), re.M)
    }
    assert asks - {kind for _, kind, _, _ in ASKED} == {"scribe", "teaching", "votes", "wiring"}
