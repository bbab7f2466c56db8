"""The piece in which a text is written by looking for its last two letters elsewhere in a book."""

import re


def written(element):
    return element.locator(".so-far").text_content()


def test_each_letter_follows_the_last_two_somewhere_in_the_book(piece):
    shannon = piece("language_model", "shannon")
    assert written(shannon.element) == "Th"
    shannon.element.get_by_role("button", name="Twenty").press("Enter")
    book = shannon.element.evaluate("element => element.state.book")
    text = written(shannon.element)
    assert len(text) == 22
    for i in range(20):
        assert text[i : i + 3] in book


def test_the_page_shows_where_the_letter_was_found(piece):
    shannon = piece("language_model", "shannon")
    for length in (3, 4, 5):
        shannon.element.get_by_role("button", name="One letter").click()
        text = written(shannon.element)
        assert len(text) == length
        assert shannon.element.locator("mark").text_content() == text[-3:-1]
        assert shannon.element.locator(".book b").text_content() == text[-1]
        assert re.sub("␣", " ", shannon.says()) == f"“{text[-3:-1]}” was found, and “{text[-1]}” follows."
    shannon.element.get_by_role("button", name="Begin again").click()
    assert written(shannon.element) == "Th"
    assert shannon.element.locator(".book").count() == 0


def test_each_game_is_another(piece):
    shannon = piece("language_model", "shannon")
    texts = set()
    for _ in range(4):
        shannon.element.get_by_role("button", name="Begin again").click()
        shannon.element.get_by_role("button", name="Twenty").click()
        texts.add(written(shannon.element))
    assert len(texts) > 1
