"""The puzzles of the head designer: what is wanted, the fewest switches, hints, a solution; and the head in Python.

A head here is a string, as in the links of the page: what it hands over, and its switches, each with a strength:
"letter/a-a:1,b-b:1,c-c:1". A switch is named after what a query reads and what a key reads. `always` is read by every
query; a key may be the start sign. Digits are places: the start sign stands at place 0.
"""

from __future__ import annotations

import html
from itertools import product

import numpy as np

from clear_attention import create_look_ahead_mask, scaled_dot_product_attention

LETTERS, LONGEST = "abc", 5
ROWS = ["always", *LETTERS, *"12345"]  # what a query may read
COLUMNS = ["start", *LETTERS, *"012345"]  # what a key may read
POINTS = 10  # a switch of strength 1 adds so much to a score

PUZZLES = [
    {
        "id": "copy",
        "title": "Copy myself",
        "task": "Every letter writes itself.",
        "wants": "letter",
        "par": 3,
        "solution": "letter/a-a:1,b-b:1,c-c:1",
        "hints": [
            "A letter may also look at another letter that is the same: what comes in does not differ.",
            "A query that reads its letter can ask for a key with this letter.",
            "Press the switch in which a meets a. Two more are of the same kind.",
        ],
    },
    {
        "id": "first",
        "title": "The first letter",
        "task": "Every letter writes the first letter of the text.",
        "wants": "letter",
        "par": 1,
        "solution": "letter/always-1:1",
        "hints": [
            "All queries want the same, so that it does not matter who asks.",
            "Let the query read “always”. Let the key read its place.",
            "The start sign stands at place 0, so the first letter stands at place 1.",
        ],
    },
    {
        "id": "before",
        "title": "The letter before me",
        "task": "Every letter writes its neighbour on the left. The first letter writes the start sign.",
        "wants": "letter",
        "par": 5,
        "solution": "letter/1-0:1,2-1:1,3-2:1,4-3:1,5-4:1",
        "hints": [
            "Which letter it is does not matter. Where it stands does.",
            "Let query and key both read their place.",
            "Place 1 looks at place 0, place 2 looks at place 1. Five switches lie on one slanting line.",
        ],
    },
    {
        "id": "reverse",
        "title": "Reverse",
        "task": "The text is written backwards: the first letter writes the last one. All texts have five letters.",
        "wants": "letter",
        "shortest": 5,
        "par": 5,
        "solution": "letter/1-5:1,2-4:1,3-3:1,4-2:1,5-1:1",
        "hints": [
            "All texts are equally long, so that each place always looks at the same place.",
            "Let query and key both read their place.",
            "Place 1 looks at place 5, place 2 at place 4. The letter in the middle looks at itself.",
        ],
    },
    {
        "id": "bees",
        "title": "How many b?",
        "task": "Every letter writes how many b stand in the text.",
        "wants": "count",
        "par": 2,
        "solution": "start/always-start:1,always-b:1",
        "hints": [
            "The weights of a row sum to 1. If the start sign and n letters get equal weights, each gets 1 / (n + 1).",
            "Let the head hand over “I am the start sign”. Its output is then the weight on the start sign.",
            "Every query looks at two kinds of keys, equally strongly: the start sign, and each b.",
        ],
    },
    {
        "id": "count",
        "title": "How often do I occur?",
        "task": "Every letter writes how often it occurs in the text, itself included.",
        "wants": "count",
        "par": 4,
        "solution": "start/always-start:1,a-a:1,b-b:1,c-c:1",
        "hints": [
            "This is the puzzle before, except that each letter counts its own kind.",
            "Let the query read “always” and its letter.",
            "All look at the start sign, which takes one switch. Three more let each letter look at its own kind.",
        ],
    },
    {
        "id": "seen",
        "title": "Was I here before?",
        "task": "Does the same letter stand further left? Write yes or no. A mask hides what stands further right.",
        "wants": "seen",
        "causal": True,
        "par": 4,
        "solution": "start/always-start:1,a-a:1,b-b:1,c-c:1",
        "hints": [
            "A letter sees itself. So was it here before if it counts two or more?",
            "The start sign gets half of the weight beside one letter, a third beside two. Below 0.4 means yes.",
            "What counted a letter before counts it again. The mask does the rest.",
        ],
    },
    {
        "id": "unlike",
        "title": "How many are unlike me?",
        "task": "Every letter writes how many letters of the text are not the same as itself.",
        "wants": "count",
        "par": 3,
        "solution": "start/a-a:-1,b-b:-1,c-c:-1",
        "hints": [
            "Without a switch, a query looks at all keys equally. Which of them should it not look at?",
            "A switch can have a strength below 0: then the query looks away.",
            "Each letter looks away from its own kind. This leaves the start sign and the letters that are unlike it.",
        ],
    },
    {
        "id": "last",
        "title": "The last letter",
        "task": "Every letter writes the last letter of the text, which may have one letter or five.",
        "wants": "letter",
        "par": 5,
        "solution": "letter/always-1:1,always-2:2,always-3:3,always-4:4,always-5:5",
        "hints": [
            "It can't be said by one place. But of the places that are there, the last one has the largest number.",
            "Let the query read “always”, the key its place, and use the strengths.",
            "A later place gets a higher strength, from 1 to 5. What is not there can't win.",
        ],
    },
    {
        "id": "next",
        "title": "The next letter, or myself",
        "task": "Every letter writes its neighbour on the right. The last letter has none, so it writes itself.",
        "wants": "letter",
        "par": 7,
        "solution": "letter/a-a:1,b-b:1,c-c:1,1-2:3,2-3:3,3-4:3,4-5:3",
        "hints": [
            "Two wishes, one stronger than the other: my neighbour if there is one, and otherwise me.",
            "Let query and key both read the letter and the place. The weak wish is the first puzzle.",
            "Strength 1 for the own letter, strength 3 for the place after mine: three switches, and four more.",
        ],
    },
]


def texts(puzzle):
    """Return every text on which a head is checked, the shortest first."""
    lengths = range(puzzle.get("shortest", 1), LONGEST + 1)
    return ["".join(letters) for n in lengths for letters in product(LETTERS, repeat=n)]


def wanted(name, text):
    """Return what each letter of a text should write."""
    places = range(len(text))
    return {
        "copy": lambda: list(text),
        "first": lambda: [text[0] for _ in places],
        "before": lambda: ["^", *text[:-1]],
        "reverse": lambda: list(text[::-1]),
        "bees": lambda: [str(text.count("b")) for _ in places],
        "count": lambda: [str(text.count(letter)) for letter in text],
        "seen": lambda: ["yes" if text[i] in text[:i] else "no" for i in places],
        "unlike": lambda: [str(len(text) - text.count(letter)) for letter in text],
        "last": lambda: [text[-1] for _ in places],
        "next": lambda: [*text[1:], text[-1]],
    }[name]()


def parse(head):
    """Return what a head hands over, and its switches as a table of strengths, `ROWS` by `COLUMNS`."""
    hands, _, listed = head.partition("/")
    table = np.zeros((len(ROWS), len(COLUMNS)))
    for switch in filter(None, listed.split(",")):
        cell, strength = switch.split(":")
        row, column = cell.split("-")
        table[ROWS.index(row), COLUMNS.index(column)] = int(strength)
    return hands, table


def features(text):
    """Return what queries and what keys read in each sign of `^text`: 1 for yes, 0 for no."""
    places = np.eye(LONGEST + 1)[: len(text) + 1]
    letters = np.array([[sign == other for other in "^" + LETTERS] for sign in "^" + text], float)
    always = np.ones((len(text) + 1, 1))
    return np.hstack([always, letters[:, 1:], places[:, 1:]]), np.hstack([letters, places])


def attend(head, text, causal=False):
    """Return output and weights of a head at `^text`: queries read the table of switches, keys what they are."""
    hands, table = parse(head)
    asked, keys = features(text)
    root = len(COLUMNS) ** 0.5  # by which the scores will be divided
    values = keys[:, :4] if hands == "letter" else keys[:, :1]
    mask = create_look_ahead_mask(len(text) + 1) if causal else None
    return scaled_dot_product_attention(asked @ table * POINTS * root, keys, values, mask)


def read(wants, output):
    """Read what a letter writes from the numbers that came in."""
    if wants == "letter":
        best = int(np.argmax(output))
        return ("^" + LETTERS)[best] if len(output) == 4 and output[best] >= 0.9 else "a mixture"
    if len(output) != 1:
        return "a letter"
    if wants == "seen":
        return "yes" if output[0] < 0.4 else "no"
    near = [n for n in range(LONGEST + 1) if abs(output[0] - 1 / (n + 1)) < 0.01]
    return str(near[0]) if near else "no count"


def written(puzzle, head, text):
    """Return what each letter of a text writes with a head."""
    output = np.asarray(attend(head, text, puzzle.get("causal", False)).output)
    return [read(puzzle["wants"], row) for row in output[1:]]


def right(puzzle, head):
    """Count the texts at which all letters write what they should."""
    return sum(written(puzzle, head, text) == wanted(puzzle["id"], text) for text in texts(puzzle))


def still():
    """Return what stands in the page without JavaScript: the puzzles, folded, each with a solution."""
    items = []
    for puzzle in PUZZLES:
        hands, _, listed = puzzle["solution"].partition("/")
        switches = "".join(f"<li>{said(switch)}</li>" for switch in listed.split(","))
        hands = "its letter" if hands == "letter" else "1 if it is the start sign, and 0 if not"
        items.append(
            f"<details><summary>{html.escape(puzzle['title'])}</summary><p>{html.escape(puzzle['task'])}</p>"
            f"<p>A solution with {puzzle['par']} switch{'es' if puzzle['par'] > 1 else ''}. Each key hands over"
            f" {hands}.</p><ul>{switches}</ul></details>"
        )
    return (
        "<p>Here you could design a head, but this browser runs no JavaScript. These are the puzzles. Think of a head"
        " for each, and unfold it to see a solution.</p>" + "".join(items)
    )


def said(switch):
    """Say a switch in words."""
    cell, strength = switch.split(":")
    row, column = cell.split("-")
    query = {"always": "every query"}.get(row) or (f"place {row}" if row.isdigit() else f"a query {row}")
    key = {"start": "the start sign"}.get(column) or (f"place {column}" if column.isdigit() else f"a key {column}")
    verb = "looks at" if int(strength) > 0 else "looks away from"
    more = "" if abs(int(strength)) == 1 else f", with strength {abs(int(strength))}"
    return f"{query} {verb} {key}{more}"
