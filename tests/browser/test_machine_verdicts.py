"""What the date machine says of its answer: a text may mean a date that is written in no form of its training."""

import pytest

from clear_attention import create_date_pairs

PLAIN = {
    "monday 3rd of may 2018": "2018-05-03",  # it was a Thursday
    "3. mai 2018": "2018-05-03",
    "3 mai 2018": "2018-05-03",
    "14. märz 2004": "2004-03-14",
    "mo, den 3. mai '18": "2018-05-03",
    "14.2.2003": "2003-02-14",
    "14. 2. 2003": "2003-02-14",
    "07/04/2004": "2004-07-04",
    "may 3, 1918": "1918-05-03",
    "29 february 2004": "2004-02-29",
}
NONE = ["banana", "february 30th, 2018", "29 february 2003", "4/31/2019", "13/1/2018", "3 hello 2018", "may 2018"]
NONE += ["3 may", "3 may 18", "thursday 3rd of banana 2018", "3 may 2018 2018", "may 3.", "33.5.2018", "0/5/2018"]


@pytest.fixture
def page(visit):
    page = visit("/machine/").page
    page.wait_for_function("document.querySelector('date-machine').result")
    return page


def test_every_form_of_the_task_is_read(page):
    texts, dates = create_date_pairs(500, seed=3)
    names = "document.querySelector('date-machine').names"
    found = page.evaluate(f"texts => texts.map((text) => dateMachine.plainMeaningOf(text, {names}))", list(texts))
    assert found == list(dates)


def test_other_forms_are_read_and_what_is_no_date_is_not(page):
    texts = [*PLAIN, *NONE]
    names = "document.querySelector('date-machine').names"
    found = page.evaluate(f"texts => texts.map((text) => dateMachine.plainMeaningOf(text, {names}))", texts)
    assert dict(zip(texts, found, strict=True)) == PLAIN | dict.fromkeys(NONE)


@pytest.mark.parametrize(
    ("text", "said", "kind"),
    [
        ("thursday 3rd of may 2018", "Right. The machine is", "right"),
        ("monday 3rd of may 2018", "Right, though no date of its training was written like this.", "right"),
        ("03/05/2018", "Wrong: the text means 2018-03-05. But no date of its training", "wrong"),
        ("thursday 3rd of banana 2018", "This page cannot read this text as a date", ""),
        ("february 30th, 2018", "That month has no day 30.", "wrong"),
    ],
)
def test_a_verdict_says_how_far_it_goes(page, text, said, kind):
    field = page.locator("date-machine .text").first
    field.fill(text)
    verdict = page.locator("date-machine .verdict").first
    page.wait_for_function("text => document.querySelector('date-machine').text === text", arg=text)
    assert verdict.inner_text().startswith(said)
    assert verdict.get_attribute("class").split() == ["verdict", *([kind] if kind else [])]
