"""The bug detective: every bug named rightly and wrongly, its probes, links, the score, what is kept, and its looks."""

import json
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from .conftest import copied_by

PLACE = "/guides/detective/"
KEPT = "clear-attention: bug detective"
GAME = 7


@pytest.fixture
def page(turn_to):
    turn_to("/?")  # so that the address is loaded, not only its fragment
    return turn_to(f"{PLACE}#detective={GAME}").page


@pytest.fixture
def detective(page):
    return page.locator("bug-detective")


@pytest.fixture
def facts(detective):
    return facts_of(detective)


def facts_of(detective):
    return json.loads(detective.locator("script").text_content())


def says(detective):
    return re.sub(r"\s+", " ", detective.locator(".says").inner_text()).strip()


def button(detective, name):
    return detective.get_by_role("button", name=name, exact=True)


def drawn(detective):
    """Return the names of the cases of the game."""
    return detective.evaluate("d => d.state.cases.map((one) => one.name)")


def case_of(detective, facts):
    """Return what is known of the case that is shown."""
    name = detective.evaluate("d => d.current.name")
    return next(case for case in facts["cases"] if case["name"] == name)


def name_it(detective, suspect):
    detective.get_by_label("The box").select_option(suspect)
    button(detective, "Name it").click()


def turn_to_case(detective, name):
    """Put a case in the place of the one that is shown: any number of games would have to be tried otherwise."""
    detective.evaluate(
        """(d, name) => {
            Object.assign(d.current, { name, pressed: [], named: [], done: false, choice: "" });
            d.wrong = null;
            d.render();
        }""",
        name,
    )


ANSWERS = """(detective, wrong) => wrong.map(name => {  // in the page, since a thousand answers by mouse take a minute
    const root = detective.shadowRoot, list = root.querySelector('select');
    list.value = name;
    list.dispatchEvent(new Event('change', {bubbles: true}));
    [...root.querySelectorAll('button')].find(b => b.innerText === 'Name it').click();
    return {says: root.querySelector('.says').innerText.replace(/\\s+/g, ' ').trim(), probe: detective.wrong.probe,
            shown: [...root.querySelectorAll('.finding .name')].map(e => e.innerText)};
})"""

PRESS_ALL = """detective => {
    const probes = () => [...detective.shadowRoot.querySelectorAll('[data-do=probe]')];
    probes().forEach((_, i) => probes()[i].click());  // each click draws them anew
}"""


class TestCases:
    def test_every_case_named_rightly_is_recognised(self, detective, facts):
        titles = {suspect["name"]: suspect for suspect in facts["suspects"]}
        for case in facts["cases"]:
            turn_to_case(detective, case["name"])
            name_it(detective, case["suspect"])
            suspect = titles[case["suspect"]]
            assert says(detective) == f"Right. {suspect['title']}."
            answer = detective.locator(".answer")
            assert suspect["wrong"] in answer.inner_text()
            assert case["certify"] in answer.inner_text()
            assert answer.locator("pre").first.text_content() == case["code"]
            if case["bug"]:
                assert answer.locator("mark").text_content().strip() == case["bug"]
                assert answer.locator("pre").last.text_content() == case["mended"]
                assert answer.locator("a").get_attribute("href") == suspect["room"]
            else:
                assert answer.locator("mark, a").count() == 0

    def test_every_wrong_answer_meets_the_probe_that_rules_it_out(self, detective, facts):
        suspects = {suspect["name"]: suspect for suspect in facts["suspects"]}
        for case in facts["cases"]:
            turn_to_case(detective, case["name"])
            found = detective.evaluate(ANSWERS, list(case["ruled"]))
            for (wrong, probes), answer in zip(case["ruled"].items(), found, strict=True):
                title, number = suspects[wrong]["title"], answer["probe"]
                assert number in probes
                assert answer["says"] == (
                    f"Not “{title}”. The probe “{facts['probes'][number]['title']}” rules it out. "
                    f"With that bug one would see, for example: {suspects[wrong]['shows'][number]} "
                    f"Here one sees: {case['findings'][number]['says']}"
                )
                assert facts["probes"][number]["title"] in answer["shown"]
            name_it(detective, case["suspect"])
            assert says(detective).startswith("Right, but not at once.")

    def test_a_probe_that_was_seen_is_named_before_others(self, detective):
        turn_to_case(detective, "masked-after")
        button(detective, "Make all words equal").click()
        name_it(detective, "healthy")
        assert "The probe “Make all words equal” rules it out." in says(detective)

    def test_every_probe_shows_what_was_computed(self, detective, facts):
        for case in facts["cases"]:
            turn_to_case(detective, case["name"])
            for probe, finding in zip(facts["probes"], case["findings"], strict=True):
                button(detective, probe["title"]).click()
                newest = detective.locator(".finding").first
                assert newest.locator("th").all_inner_texts() == [f"{w}{i}" for i, w in enumerate(case["words"], 1)]
                cells = [text.split("\n")[-1] for text in newest.locator("td").all_inner_texts()]
                shown = ["–" if x is None else x for x in finding["numbers"]]
                assert [cell.removeprefix("not asked") for cell in cells] == shown
                text = newest.inner_text()
                assert finding["says"] in text
                assert ("A healthy box does the same." in text) == (finding["says"] == probe["healthy"])
                expect(detective.get_by_role("status")).to_have_text(f"{probe['title']}: {finding['says']}")
            assert detective.locator(".left").inner_text() == "1 of 21 suspects fits what you have seen."

    def test_suspects_that_are_left_are_counted(self, detective):
        assert detective.locator(".left").inner_text() == "21 of 21 suspects fit what you have seen."
        turn_to_case(detective, "infinity-times-mask")
        button(detective, "Ask twice").click()
        assert detective.locator(".left").inner_text() == "1 of 21 suspects fits what you have seen."

    def test_what_is_chosen_is_explained(self, detective, facts):
        for suspect in facts["suspects"]:
            detective.get_by_label("The box:").select_option(suspect["name"])
            assert detective.locator(".means").inner_text() == suspect["wrong"]

    def test_nothing_chosen_is_no_answer(self, detective):
        button(detective, "Name it").click()
        expect(detective.get_by_role("status")).to_have_text("Choose from the list what it is.")
        assert detective.locator(".score").count() == 0


class TestGame:
    def test_ten_cases_and_the_score_counts_first_answers(self, detective, facts):
        for number in range(10):
            expect(detective.locator(".title").first).to_contain_text(f"Case {number + 1} of 10")
            case = case_of(detective, facts)
            if number == 0:
                name_it(detective, next(iter(case["ruled"])))
            if number == 1:
                button(detective, "Show the answer").click()
                assert says(detective).startswith("This is the answer.")
            else:
                name_it(detective, case["suspect"])
            assert detective.locator(".score").inner_text() == f"Score: {max(number - 1, 0)} of {number + 1}"
            assert detective.locator(".end").count() == (number == 9)
            if number < 9:
                button(detective, "Next case").click()
        assert button(detective, "Next case").count() == 0
        assert detective.locator(".end").inner_text().startswith("Your score: 8 of 10, with 1 probes.")
        lines = detective.locator(".end li").all_inner_texts()
        assert [line.split(": ")[1][0] for line in lines] == [*"✗✗", *"✓✓✓✓✓✓✓✓"]
        assert lines[1].endswith("Your first answer: not named")
        button(detective, "New game").click()
        expect(detective.locator(".title")).to_have_text("Case 1 of 10")
        assert detective.locator(".score").count() == 0

    def test_the_cases_of_a_game_are_ten_different_ones_and_games_differ(self, page, detective):
        games = []
        for number in (1, 2, 3, 999999):
            page.evaluate("n => { location.hash = `#detective=${n}`; }", number)
            page.wait_for_function("n => document.querySelector('bug-detective').state.game === n", arg=number)
            games.append(drawn(detective))
            assert len(set(games[-1])) == 10
        assert len({tuple(game) for game in games}) == 4


class TestLinks:
    def test_a_link_shares_a_game(self, detective, visit):
        button(detective, "Ask twice").click()
        copied = copied_by(button(detective, "Copy a link to this game"))
        assert copied.endswith(f"{PLACE}#detective={GAME}")
        expect(detective.get_by_role("status")).to_have_text("Copied.")
        other = visit(f"{PLACE}#detective={GAME}").page.locator("bug-detective")
        assert drawn(other) == drawn(detective)
        assert other.locator(".finding").count() == 0

    def test_a_new_game_is_in_the_address(self, page, detective):
        button(detective, "New game").click()
        number = detective.evaluate("d => d.state.game")
        assert page.url.endswith(f"#detective={number}")
        again = drawn(detective)
        page.reload()
        assert drawn(detective) == again

    @pytest.mark.parametrize("wrong", ["", "0", "07", "1000000", "x", "-1", "1.5", "<img src=x onerror=alert(1)>"])
    def test_a_bad_link_begins_another_game_and_says_so(self, visit, wrong):
        detective = visit(f"{PLACE}#detective={wrong}").page.locator("bug-detective")
        expect(detective.get_by_role("status")).to_contain_text("This link holds no game that this page can read")
        assert len(set(drawn(detective))) == 10

    def test_other_addresses_are_not_its_business(self, page, detective):
        before = drawn(detective)
        page.evaluate("location.hash = '#now-you'")
        expect(detective.get_by_role("status")).to_have_text("")
        assert drawn(detective) == before


class TestControls:
    def test_the_keyboard_alone(self, page, detective, facts):
        active = "() => document.querySelector('bug-detective').shadowRoot.activeElement"
        detective.locator("[data-do=probe]").first.focus()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert detective.locator(".finding .name").all_inner_texts() == ["Change a later word", "Ask twice"]
        assert page.evaluate(f"({active})().innerText") == "Change a later word"
        suspect = case_of(detective, facts)["suspect"]
        for _ in range(20):
            page.keyboard.press("Tab")
            if page.evaluate(f"({active})().nodeName") == "SELECT":
                break
        title = next(one["title"] for one in facts["suspects"] if one["name"] == suspect)
        page.keyboard.type(title)
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        assert says(detective) == f"Right. {title}."
        assert "says" in page.evaluate(f"({active})().className")  # a screen reader reads the answer
        for _ in range(6):
            if page.evaluate(f"({active})()?.dataset?.do") == "next":
                break
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(detective.locator(".title")).to_contain_text("Case 2 of 10")
        assert page.evaluate(f"({active})().className") == "title"

    def test_what_changes_is_announced(self, detective):
        assert detective.locator(".says").get_attribute("aria-live") == "polite"
        assert detective.get_by_role("group", name="Probes").get_by_role("button").count() == 10
        probe = button(detective, "Double the queries")
        assert probe.get_attribute("aria-pressed") == "false"
        probe.click()
        assert probe.get_attribute("aria-pressed") == "true"


class TestKept:
    def test_what_was_named_at_once_is_kept_and_can_be_erased(self, visit):
        page = visit(f"{PLACE}#detective={GAME}").page
        detective = page.locator("bug-detective")
        case = case_of(detective, facts_of(detective))
        assert button(detective, "Erase it").get_attribute("aria-disabled") == "true"
        name_it(detective, case["suspect"])
        assert json.loads(page.evaluate("name => localStorage.getItem(name)", KEPT)) == [case["name"]]
        button(detective, "Next case").click()
        name_it(detective, next(iter(case_of(detective, facts_of(detective))["ruled"])))
        page.reload()
        expect(detective.get_by_text("Named at once so far: 1 of 24 cases")).to_be_visible()
        button(detective, "Erase it").click()
        expect(detective.get_by_role("status")).to_have_text("Erased. Nothing of it is left.")
        assert page.evaluate("name => localStorage.getItem(name)", KEPT) is None
        expect(detective.get_by_text("Named at once so far: 0 of 24 cases")).to_be_visible()

    @pytest.mark.parametrize("kept", ["{", "null", '{"a": 1}', '["<b>", "no-look-ahead", 1]'])
    def test_what_somebody_else_wrote_there_does_no_harm(self, visit, kept):
        page = visit(PLACE).page
        detective = page.locator("bug-detective")
        page.evaluate("([name, kept]) => localStorage.setItem(name, kept)", [KEPT, kept])
        page.reload()
        number = 1 if "no-look-ahead" in kept else 0
        expect(detective.get_by_text(f"Named at once so far: {number} of 24 cases")).to_be_visible()


class TestLooks:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_every_case_fits_a_phone_and_some_are_accessible(self, visit, scheme):
        page = visit(
            f"{PLACE}#detective={GAME}",
            color_scheme=scheme,
            reduced_motion="reduce",
            viewport={"width": 390, "height": 800},
        ).page
        detective = page.locator("bug-detective")
        facts = facts_of(detective)
        for number, case in enumerate(facts["cases"]):
            turn_to_case(detective, case["name"])
            detective.evaluate(PRESS_ALL)
            assert detective.locator(".finding").count() == len(facts["probes"])
            assert detective.locator(".scroll").evaluate_all("all => all.every(e => e.scrollWidth <= e.clientWidth)"), (
                case["name"]
            )
            name_it(detective, next(iter(case["ruled"])))
            if number % 12 == 0:
                assert_accessible(page)
            name_it(detective, case["suspect"])
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, case["name"]
            if number % 12 == 3:
                assert_accessible(page)

    def test_without_scripts_the_cases_are_folded_there(self, visit):
        detective = visit(PLACE, java_script_enabled=False).page.locator("bug-detective")
        assert detective.locator("> details").count() == 24
        assert detective.locator("details[open]").count() == 0
        detective.locator("summary", has_text="Case 4").click()
        assert "All words change." in detective.inner_text()
        assert "The future is open" not in detective.inner_text()
        detective.locator("details[open] summary", has_text="The answer").click()
        assert "The future is open" in detective.inner_text()


def assert_accessible(page):
    found = Axe().run(page, context="bug-detective", options={"resultTypes": ["violations"]}).response
    assert [(rule["id"], rule["nodes"]) for rule in found["violations"]] == []
