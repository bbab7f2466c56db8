"""The piece of the lesson on language models: what the machine wrote at four moments of its training."""

import re

from playwright.sync_api import expect

import trained


def test_each_button_shows_what_was_written_then(piece):
    diary = piece("language_model", "diary")
    _, record = trained.load("language")
    page = diary.element.locator(".page")
    buttons = diary.element.locator("[data-do=show]")
    assert buttons.count() == len(record["written"])
    for i, (step, written) in enumerate(zip(record["written_at"], record["written"], strict=True)):
        buttons.nth(i).press("Enter")
        expect(buttons.nth(i)).to_have_attribute("aria-pressed", "true")
        assert buttons.nth(i).inner_text() == (f"after {step:,} steps" if step else "before the training")
        letters = re.sub(r"[^a-zA-Z]", "", str(written)[:160])
        assert re.sub(r"[^a-zA-Z]", "", page.inner_text()) == letters


def test_it_learns_by_itself_and_stands_still_for_who_wants_it(piece, visit):
    diary = piece("language_model", "diary")
    expect(diary.element.locator("[data-do=show]").last).to_have_attribute("aria-pressed", "true")  # where it rests
    diary.press("Let it learn")
    expect(diary.element.locator("[data-do=show]").first).to_have_attribute("aria-pressed", "true")
    expect(diary.element.locator("[data-do=show]").last).to_have_attribute("aria-pressed", "true")
    expect(diary.element.get_by_role("button", name="Let it learn")).to_be_visible()
    still = visit("/learn/language_model/", reduced_motion="reduce").page.locator("lesson-piece[piece=diary]")
    assert still.get_by_role("button", name="Let it learn").count() == 0
