"""The trained machine that adds, in the lesson on what training finds: it answers what Python computes."""

import re

import numpy as np

import trained
from trained.programs import all_inputs, tokens_of

PAIRS = [[297, 303], [370, 639], [299, 301], [1234, 2345], [0, 0], [4999, 4999], [4095, 905], [190, 10], [1990, 10]]

# The pause after which a sum counts is held until the test lets it pass; all other clocks of the page go on.
HOLD = """() => {
    const [wait, forget, held] = [window.setTimeout, window.clearTimeout, (window.held = new Map())];
    window.setTimeout = (call, ms, ...rest) =>
        ms === 1500 ? (held.set(-1 - held.size, call), -held.size) : wait(call, ms, ...rest);
    window.clearTimeout = (id) => held.delete(id) || forget(id);
}"""
PASS = "() => { const calls = [...held.values()]; held.clear(); for (const call of calls) call(); }"


def test_the_twin_adds_as_the_trained_model_does(piece):
    adding = piece("twins", "adding")
    twin, some = trained.load("twin-addition")[0], all_inputs("addition")
    said = twin(tokens_of("addition", some)[0]).numpy().argmax(axis=-1)[:, 1:5] @ [1, 10, 100, 1000]
    pairs = [*some[said != some.sum(axis=1)][:3].tolist(), *PAIRS]
    said = twin(tokens_of("addition", np.array(pairs))[0]).numpy().argmax(axis=-1)[:, 1:].reshape(-1, 2, 4)
    wrong = set()
    adding.page.evaluate(HOLD)
    for (a, b), halves in zip(pairs, said, strict=True):
        for label, number in (("First number", a), ("Second number", b)):
            adding.element.get_by_role("spinbutton", name=label).fill(str(number))
        assert adding.numbers()[-1] == len(wrong)  # not yet: a sum counts when the reader pauses
        adding.page.evaluate(PASS)
        cells = adding.element.locator("tbody tr").nth(2).locator("td").all_inner_texts()
        assert cells == [f"{x}" if x == y else f"{x} or {y}" for x, y in halves.T[::-1]]
        assert ("disagree" in adding.says()) == (halves[0] != halves[1]).any()
        right = all((half == (a + b) // 10 ** np.arange(4) % 10).all() for half in halves)
        assert adding.says().startswith(f"{a} + {b}: the twin is {'right' if right else 'wrong'}.")
        sums, got, over = [a // 10**c % 10 + b // 10**c % 10 for c in range(3)], 0, []
        for c, total in enumerate(sums):
            over += [f"column {c + 1}"] * (total == 9 and got)
            got = int(total + got > 9)
        nines = " and in ".join(f"column {c + 1}" for c, total in enumerate(sums) if total == 9 and c > 0)
        passes = f"A carry passes in {' and in '.join(over)}." if over else "No carry passes there."
        carry = f"add up to 9 in {nines}. {passes}" if nines else "do the digits add up to 9."
        # what the sums have in common is not said at once
        assert (carry in adding.says()) == (adding.numbers()[-1] >= 3)
        assert ("sum 9" in adding.says() or "add up" in adding.says()) == (carry in adding.says())
        wrong |= set() if right else {(a, b)}
        assert adding.numbers()[-1] == len(wrong)
    assert len(wrong) >= 3


def test_a_sum_counts_at_once_when_the_reader_is_done_with_it(piece):
    adding = piece("twins", "adding")
    adding.page.evaluate(HOLD)  # so nothing counts by waiting
    first, second = (adding.element.get_by_role("spinbutton", name=f"{each} number") for each in ("First", "Second"))
    first.fill("370")
    second.fill("639")  # 370 + 739 was only on the way
    assert adding.numbers()[-1] == 0
    second.press("Enter")
    assert adding.numbers()[-1] == 1
    second.press("Enter")  # once only
    assert adding.numbers()[-1] == 1
    second.press("ArrowDown")
    assert adding.says().startswith("370 + 638: the twin is wrong.")
    assert adding.numbers()[-1] == 2
    first.fill("470")
    second.fill("539")
    assert adding.numbers()[-1] == 2
    second.press("Tab")
    assert adding.numbers()[-1] == 3


def test_random_pairs_are_counted_and_bad_numbers_are_brought_into_range(piece):
    adding = piece("twins", "adding")
    adding.press("Draw 1,000 random pairs")
    text = re.sub(r"\s+", " ", adding.element.locator(".box > p").last.inner_text())
    shown = re.search(r"added (\d+) .* In (\d+) pairs .* got (\d+) .* others (\d+)\.", text)
    well, passing, kept, others = (int(x) for x in shown.groups())
    assert well == kept + others
    assert kept <= passing
    assert 700 < well <= 1000
    field = adding.element.get_by_role("spinbutton", name="First number")
    for typed, means in (("70000", "4999"), ("-3", "0"), ("", "0")):
        field.fill(typed)
        assert adding.says().startswith(f"{means} + 739")
        assert field.input_value() == means
        assert ("The largest number is 4999" in adding.says()) == (typed == "70000")
    adding.press("Start again")
    assert adding.says().startswith("270 + 739")
    assert adding.element.locator(".box > p").count() == 1
