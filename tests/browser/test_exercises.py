"""The exercises of the lessons: each is answered rightly and with each mistake, and the page tells them apart."""

import json

import exercises
import pytest
from playwright.sync_api import expect

KEPT = "clear-attention exercises"
ANSWER = """
(element, typed) => {
  const root = element.shadowRoot;
  const press = (found) => found.click();
  const { kind } = element.exercise;
  if (kind === "cells") {
    typed.forEach((x, i) => {
      const cell = root.querySelector(`[data-do=cell][data-value="${i}"]`);
      if ((cell.getAttribute("aria-pressed") === "true") !== Boolean(x)) press(cell);
    });
  } else if (kind === "choice") {
    press([...root.querySelectorAll("[data-do=choose]")].find((one) => one.textContent === typed[0]));
  } else {
    [...root.querySelectorAll("input")].forEach((input, i) => {
      input.value = typed[i];
      input.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    });
  }
  if (kind !== "choice") press(root.querySelector("[data-do=check]"));
  return root.querySelector(".verdict").textContent;
}
"""


def written(exercise, answer):
    """Write an answer as a reader would."""
    asks = exercise["kind"]
    if asks == "numbers":
        return [f"{x:.{exercise['digits']}f}" for x in answer]
    return [", ".join(map(str, answer))] if asks == "shape" else answer


@pytest.mark.parametrize("lesson", exercises.lessons())
def test_each_exercise_knows_the_right_answer_and_every_mistake(turn_to, lesson):
    page = turn_to(f"/learn/{lesson}/").page
    expected = exercises.exercises_of(lesson)
    shown = page.locator("page-exercise")
    assert shown.count() == len(expected)
    for i, exercise in enumerate(expected):
        element = shown.nth(i)
        state = json.loads(element.evaluate("element => JSON.stringify(element.exercise)"))
        assert state == json.loads(json.dumps(exercise.state(lesson)))  # what the page has is what the module says
        for mistake in state["mistakes"]:
            said = element.evaluate(ANSWER, written(state, mistake["answer"]))
            assert said.startswith(f"Not yet: {mistake['name']}.")
        said = element.evaluate(ANSWER, written(state, state["right"]))
        assert said.startswith("Right. ")
    solved = page.evaluate(f"JSON.parse(localStorage.getItem('{KEPT}'))")
    assert {name for name, found in solved.items() if found["solved"]} == {f"{lesson}/{e.name}" for e in expected}
    first = solved[f"{lesson}/{expected[0].name}"]
    assert first["first"] == next(iter(expected[0].mistakes))
    assert first["tries"] == len(expected[0].mistakes) + 1


@pytest.fixture
def exercise(visit):
    """Open an exercise in a fresh window."""

    def open_exercise(lesson, name, **options):
        page = visit(f"/learn/{lesson}/", **options).page
        return page.locator(f"#exercise-{name}")

    return open_exercise


def test_cells_with_the_keyboard_alone(exercise):
    cells = exercise("masks", "cells-of-padding")
    cells.get_by_role("button", name="7, pad: visible").focus()
    keys = cells.page.keyboard
    for _ in range(4):  # the column of the padding, from top to bottom
        keys.press("Space")
        keys.press("ArrowDown")
    keys.press("ArrowRight")  # there is no cell behind the last one
    assert cells.page.evaluate("document.activeElement.shadowRoot.activeElement.ariaLabel") == "pad, pad: blocked"
    keys.press("Tab")
    keys.press("Enter")
    expect(cells.get_by_role("status")).to_contain_text("Right.")


def test_numbers_with_the_keyboard_and_a_comma(exercise):
    numbers = exercise("masks", "weights-behind-a-mask")
    keys = numbers.page.keyboard
    numbers.get_by_label("first").focus()
    keys.type("0,5")
    keys.press("Enter")
    expect(numbers.get_by_role("status")).to_contain_text("Fill in each field with a number")
    assert numbers.page.evaluate(f"localStorage.getItem('{KEPT}')") is None  # nothing was tried yet
    keys.press("Tab")
    keys.type(".50")
    keys.press("Tab")
    keys.type("0")
    keys.press("Enter")
    expect(numbers.get_by_role("status")).to_contain_text("Right.")


def test_what_is_none_of_the_mistakes_and_the_answer_shown(exercise):
    shape = exercise("masks", "shape-of-a-padding-mask")
    status = shape.get_by_role("status")
    assert shape.get_by_role("button", name="Show the answer").count() == 0  # first a try
    shape.get_by_label("The shape").fill("(9, 9)")
    shape.get_by_role("button", name="Check").click()
    expect(status).to_contain_text("Not yet. The shape has 4 axes. No usual mistake leads to this.")
    shape.get_by_label("The shape").fill("9, 9, 9, 9")
    shape.get_by_role("button", name="Check").click()
    expect(status).to_contain_text("Not yet. The number of axes is right.")
    shape.get_by_label("The shape").fill("no")
    shape.get_by_role("button", name="Check").click()
    expect(status).to_contain_text("Type the sizes")
    shape.get_by_role("button", name="Show the answer").click()
    expect(shape.get_by_label("The shape")).to_have_value("3, 1, 1, 7")
    expect(status).to_contain_text("The answer is shown above.")
    kept = json.loads(shape.page.evaluate(f"localStorage.getItem('{KEPT}')"))
    assert not kept["masks/shape-of-a-padding-mask"]["solved"]


def test_a_fraction_is_a_number(exercise):
    number = exercise("split_heads", "divided-by")
    for typed, said in (
        ("8/2", "Right."),
        ("4/0", "Fill in"),
        ("8/", "Fill in"),
        ("/2", "Fill in"),
        ("8/2/1", "Fill in"),
    ):
        number.get_by_role("textbox").fill(typed)
        number.get_by_role("button", name="Check").click()
        expect(number.get_by_role("status")).to_contain_text(said)


def test_cells_that_are_partly_right(exercise):
    cells = exercise("masks", "cells-of-padding")
    cells.get_by_role("button", name="7, pad: visible").click()
    cells.get_by_role("button", name="Check").click()
    expect(cells.get_by_role("status")).to_contain_text("13 of 16 cells are right.")


def test_an_answer_that_is_changed_is_not_checked_any_more(exercise):
    numbers = exercise("masks", "outvoted")
    numbers.get_by_role("textbox").fill("0.3")
    numbers.get_by_role("button", name="Check").click()
    expect(numbers.get_by_role("status")).to_contain_text("Right.")
    numbers.get_by_role("textbox").fill("0.7")
    expect(numbers.get_by_role("status")).to_have_text("")


def test_what_was_solved_is_there_again_listed_kept_in_a_file_and_erased(visit, tmp_path):
    visitor = visit("/learn/split_heads/")
    page = visitor.page
    number = page.locator("#exercise-divided-by")
    number.get_by_role("textbox").fill("16")
    number.get_by_role("button", name="Check").click()
    expect(number.get_by_role("status")).to_contain_text("no root")
    number.get_by_role("textbox").fill("4")
    number.get_by_role("button", name="Check").click()
    page.reload()
    expect(page.locator("#exercise-divided-by").get_by_role("textbox")).to_have_value("4")

    visitor.open("/exercises/")
    listed = page.locator("exercise-progress")
    total = sum(len(exercises.exercises_of(lesson)) for lesson in exercises.lessons())
    expect(listed).to_contain_text(f"1 of {total} solved. Of 1 that you tried, you had 0 right at once.")
    expect(listed.get_by_role("row", name="How heads share the numbers")).to_contain_text("1 of 4")
    with page.expect_download() as download:
        listed.get_by_role("button", name="Save it in a file").click()
    download.value.save_as(tmp_path / "kept.json")
    listed.get_by_role("button", name="Erase it").click()
    expect(listed).to_contain_text("Press once more to erase what you have solved and guessed, on all pages.")
    expect(listed).to_contain_text(f"1 of {total} solved.")
    listed.get_by_role("button", name="Yes, erase it all").click()
    expect(listed).to_contain_text(f"0 of {total} solved.")
    assert page.evaluate(f"localStorage.getItem('{KEPT}')") == "{}"
    (tmp_path / "other.json").write_text('{"a": 1}', encoding="utf-8")
    listed.locator("[type=file]").set_input_files(tmp_path / "other.json")
    expect(listed).to_contain_text("Nothing was changed.")
    listed.locator("[type=file]").set_input_files(tmp_path / "kept.json")
    expect(listed).to_contain_text(f"1 of {total} solved")
    listed.get_by_role("link", name="How heads share the numbers").click()
    page.wait_for_url("**/learn/split_heads/#exercise-shape-after-split")  # the first that is not solved


def test_storage_that_is_no_progress_is_as_if_empty(visit):
    visitor = visit("/exercises/")
    visitor.page.evaluate(f"localStorage.setItem('{KEPT}', 'no JSON')")
    visitor.page.reload()
    expect(visitor.page.locator("exercise-progress")).to_contain_text("0 of")


@pytest.mark.parametrize("options", [{"viewport": {"width": 390, "height": 844}}, {"color_scheme": "dark"}])
def test_on_a_phone_and_in_the_dark(visit, options):
    for lesson in ("masks", "packing", "score_rules", "turning_positions"):
        page = visit(f"/learn/{lesson}/", **options).page
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for element in page.locator("page-exercise").all():
            assert element.locator(".box").evaluate("box => box.scrollWidth <= box.clientWidth + 1")


def test_without_a_script_the_answers_are_folded(visit):
    page = visit("/learn/masks/", java_script_enabled=False).page
    element = page.locator("#exercise-outvoted")
    assert "what share of the weight goes to the padding?" in element.inner_text()
    element.locator("summary").click()
    assert "0.30. 24 letters bring 24 times 7.39" in element.inner_text()
