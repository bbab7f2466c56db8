"""Programs written by hand: exact on all inputs, against plain Python; certified; what they refuse."""

import itertools

import keras
import numpy as np
import pytest

from clear_attention import aggregate, certify, select
from clear_attention.programs import (
    addition,
    balanced,
    columns,
    features,
    histogram,
    induction,
    look_up,
    parts,
    reverse,
    rows,
    running_average,
    shift,
    sort,
)

# Keras saves through NumPy's old __array__ protocol, which NumPy 2 warns about; nothing of ours is involved.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")
LONGEST = 8  # letters of a text, without the sign ^ at its beginning


def all_texts(letters, longest=LONGEST, begin=""):
    """Return all texts of one to `longest` letters."""
    counted = range(1, longest + 1)
    return [begin + "".join(text) for n in counted for text in itertools.product(letters, repeat=n)]


def what_came_behind(text, i):
    earlier = [j for j in range(1, i + 1) if text[j - 1] == text[i]]
    return text[earlier[-1]] if earlier else "^"


def is_balanced(text):
    heights = list(itertools.accumulate({"(": 1, ")": -1, "^": 0}[letter] for letter in text))
    return min(heights) >= 0 and heights[-1] == 0


def one_hot(kinds, number):
    return np.eye(number)[[*kinds]]


def letters_of(answers, alphabet):
    return one_hot([alphabet.index(letter) for letter in answers], len(alphabet))


LETTERS, WITH_BEGIN, BRACKETS = "abc", "^abc", "^()"
TASKS = {  # program, alphabet, texts, the answer for each token in plain Python
    "shift": (shift, WITH_BEGIN, lambda text: letters_of("^" + text[:-1], WITH_BEGIN)),
    "reverse": (reverse, LETTERS, lambda text: letters_of(text[::-1], LETTERS)),
    "running_average": (
        running_average,
        LETTERS,
        lambda text: [[text[: i + 1].count(letter) / (i + 1) for letter in LETTERS] for i in range(len(text))],
    ),
    "histogram": (
        histogram,
        WITH_BEGIN,
        lambda text: one_hot([text.count(letter) if letter != "^" else 0 for letter in text], 9),
    ),
    "sort": (sort, WITH_BEGIN, lambda text: letters_of(sorted(text, key=WITH_BEGIN.index), WITH_BEGIN)),
    "balanced": (balanced, BRACKETS, lambda text: [[is_balanced(text[: i + 1])] for i in range(len(text))]),
    "induction": (
        induction,
        WITH_BEGIN,
        lambda text: letters_of((what_came_behind(text, i) for i in range(len(text))), WITH_BEGIN),
    ),
}


def depth_of(program):
    return program.heads[0].project_queries.kernel.shape[0]


def places_of(name):
    """Return the number of places, and the first one whose answer counts."""
    return (9, int(name == "sort")) if "^" in TASKS[name][1] else (8, 0)


@pytest.mark.parametrize("name", TASKS)
def test_is_exact_on_all_texts_up_to_eight_letters(name):
    make, alphabet, in_python = TASKS[name]
    length, first = places_of(name)
    texts = all_texts(alphabet.strip("^"), begin="^" if "^" in alphabet else "")
    program = make()
    tokens, mask = rows(texts, alphabet, length, depth_of(program))
    answers = program(tokens, mask=mask).numpy()
    for text, answer in zip(texts, answers, strict=True):
        wrong = np.abs(answer[first : len(text)] - np.array(in_python(text))[first:])
        assert wrong.max(initial=0) < 1e-4, text


@pytest.mark.parametrize(("base", "digits"), [(10, 2), (2, 6)])
def test_adds_all_pairs(base, digits):
    """All pairs of numbers of three decimal digits are right, too, but take more than a minute."""
    pairs = np.array([*itertools.product(range(base**digits), repeat=2)])
    right_sums(addition(base, digits + 2), pairs, base, digits + 2)


def test_a_carry_runs_through_all_columns():
    rng = np.random.default_rng(0)
    numbers = rng.integers(0, 10**6, size=500)
    right_sums(addition(10, 8), np.stack([numbers, 10**6 - numbers], axis=1), 10, 8)


def right_sums(program, pairs, base, number):
    tokens, mask = columns(pairs, base, number, depth_of(program))
    answers = program(tokens, mask=mask).numpy()
    digits = pairs.sum(axis=1)[:, None] // base ** np.arange(number - 1) % base
    for of_one_number in (answers[:, 1:number], answers[:, number:]):  # both tokens of a column give its digit
        np.testing.assert_allclose(of_one_number, np.eye(base)[digits], atol=1e-4)


CAUSAL = ("running_average", "balanced", "induction")
SMALL = {name: task[0](2, 3) if name != "balanced" else balanced(3) for name, task in TASKS.items()}
SMALL["addition"] = addition(2, 3)
HEADS = [(name, number) for name, program in SMALL.items() for number in range(len(program.heads))]


def softened(head):
    """Return the head with scores that are 128 times as small.

    Who looks at one key only is not changed by any other, so a certificate would overlook most leaks. And
    promises about masks are those of the layer, not of its numbers.
    """
    soft = type(head).from_config(head.get_config())
    soft.build((None, None, head.project_queries.kernel.shape[0]))
    queries, *others = head.get_weights()
    soft.set_weights([queries / parts.GAP, *others])
    return soft


def certificate_of(name, number, causal, **options):
    def call(layer, x, padding, return_weights=False):
        return layer(x, mask=padding[:, None, None], causal=causal, return_weights=return_weights)

    head = softened(SMALL[name].heads[number])
    options = {"causal": name in CAUSAL, "depth": depth_of(SMALL[name]), "progress": False, **options}
    return certify(head, call, "blocked", **options)


@pytest.mark.parametrize(("name", "number"), HEADS)
def test_each_head_is_certified(name, number):
    certificate = certificate_of(name, number, causal=name in CAUSAL)
    assert certificate.broken == ()
    assert sum(row.verdict == "held" for row in certificate.rows) >= 12


@pytest.mark.parametrize(("name", "number"), [each for each in HEADS if each[0] in CAUSAL])
def test_a_causal_head_without_its_flag_is_found_out(name, number):
    certificate = certificate_of(name, number, causal=False, only=["no_future_leak"])
    assert certificate.broken == ("no_future_leak",)


@pytest.mark.parametrize("name", ["sort", "induction", "balanced"])
def test_a_whole_program_is_certified(name):
    options = {"causal": name in CAUSAL, "depth": depth_of(SMALL[name]), "progress": False}
    certificate = certify(
        SMALL[name], lambda layer, x, padding: layer(x, mask=padding[:, None, None]), "blocked", **options
    )
    assert certificate.broken == ()


@pytest.mark.parametrize("name", TASKS)
def test_what_padding_holds_changes_nothing(name):
    make, alphabet, _ = TASKS[name]
    length, _ = places_of(name)
    program = make()
    text = alphabet[0] + alphabet[1:3] * 2
    tokens, mask = rows([text], alphabet, length, depth_of(program))
    other = tokens.copy()
    other[:, len(text) :] = 1e3
    one, two = (program(x, mask=mask).numpy()[:, : len(text)] for x in (tokens, other))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("name", ["sort", "induction"])
def test_a_saved_program_is_the_same(name, tmp_path):
    make, alphabet, _ = TASKS[name]
    program = make()
    tokens, mask = rows(["^cabac"], alphabet, 9, depth_of(program))
    x = keras.Input(tokens.shape[1:])
    keras.Model(x, program(x)).save(tmp_path / "program.keras")
    again = keras.models.load_model(tmp_path / "program.keras").layers[-1]
    np.testing.assert_array_equal(program(tokens, mask=mask), again(tokens, mask=mask))


def test_weights_are_those_of_the_heads():
    program = reverse()
    tokens, mask = rows(["abca"], LETTERS, 8, depth_of(program))
    _, (latest, mirrored) = program(tokens, mask=mask, return_weights=True)
    np.testing.assert_allclose(latest[0, 0, :4], np.eye(8)[[3] * 4], atol=1e-6)
    np.testing.assert_allclose(mirrored[0, 0, :4], np.eye(8)[[3, 2, 1, 0]], atol=1e-6)


def test_chosen_keys_share_the_weight_and_others_get_none():
    letter, place = features(3, 5)
    head = aggregate(select(letter, letter, lambda query, key: key == query), place)
    tokens, mask = rows(["abaa"], LETTERS, 5)
    third = np.float32(1 / 3)
    np.testing.assert_array_equal(head(tokens, mask=mask)[0, 0], [third, 0, third, third, 0])


def test_who_chooses_nobody_gets_the_average_of_all():
    letter, place = features(3, 4)
    head = aggregate(select(letter, letter, lambda query, key: False), place)
    tokens, mask = rows(["abca"], LETTERS, 4)
    np.testing.assert_array_equal(head(tokens, mask=mask)[0, 0], [0.25] * 4)


def test_the_most_wanted_key_wins_and_scores_add_up():
    letter, place = features(3, 5)
    same = select(letter, letter, lambda query, key: 5 * (key == query))
    latest = select(place, place, lambda query, key: key)
    tokens, mask = rows(["abacb"], LETTERS, 5)
    found = aggregate(same + latest, place)(tokens, mask=mask)[0].numpy()
    np.testing.assert_array_equal(found, np.eye(5)[[2, 4, 2, 3, 4]])


def test_a_note_is_written_into_its_place():
    letter, place, note = features(3, 5, 3)
    head = aggregate(select(place, place, lambda query, key: key == 0), letter, into=note)
    tokens, mask = rows(["cab"], LETTERS, 5, depth=11)
    np.testing.assert_array_equal(head(tokens, mask=mask)[0, 1], [0] * 8 + [0, 0, 1])


def test_a_table_is_exact_at_its_points_straight_between_them_and_flat_outside():
    points, values = [0.25, 0.5, 2.0], np.array([[1, 0], [3, 4], [0, 1]])
    table = look_up(np.eye(1), points, values, into=np.eye(2))
    x = np.array([[[0.25], [0.5], [2.0], [1.25], [-9], [9]]], "float32")
    np.testing.assert_allclose(table(x)[0], [*values, [1.5, 2.5], values[0], values[-1]], atol=1e-6)
