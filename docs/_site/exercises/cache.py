"""Exercises of the lesson "The cache"."""

import numpy as np

from exercises import Choice, Exercise, Numbers, Shape, softmax

KEPT = np.array([[1.0], [0.0]]), np.array([[10.0], [20.0]])  # keys and values, a row for each letter
NEWEST = (1.0, 1.0, 40.0)  # its query, key and value
ANSWERS = {
    "none": "None: all that is kept stays true.",
    "first": "Those of the first layer.",
    "later": "Those of all layers but the first.",
    "all": "Those of all layers.",
}


def finds(kept, newest):
    query, key, value = newest
    keys, values = np.append(kept[0], key), np.append(kept[1], value)
    return softmax(query * keys) @ values


EXERCISES = [
    Exercise(
        name="shape-with-a-cache",
        question="There is one text and one head. A decoder was given the start mark and has written nine letters. Its"
        " cache holds the keys of all these except the last letter, and now that letter goes in. What shape do the"
        " weights of its self-attention have in this step?",
        asks=Shape(),
        given=(10,),
        right=lambda n: (1, n),
        because="Only the last letter asks. It sees itself and the nine before it, whose keys were kept.",
        mistakes={
            "no cache": (lambda n: (n, n), "That is so without a cache, where all letters ask again."),
            "the letter that is not yet written": (
                lambda n: (1, n + 1),
                "The next letter is not there yet, so it has no key. There are ten keys, for the start mark and nine"
                " letters.",
            ),
            "only itself": (
                lambda n: (1, 1),
                "The letter looks at all that was kept: keys and values of all letters so far.",
            ),
            "its own key forgotten": (lambda n: (1, n - 1), "The last letter also sees itself."),
        },
    ),
    Exercise(
        name="the-newest-letter",
        question="Two letters are kept: their keys are 1 and 0, their values 10 and 20. A third letter comes, with the"
        " query 1, the key 1 and the value 40. All are single numbers, so no score is divided. What does it find? (e is"
        " about 2.718.)",
        asks=Numbers(("",), digits=2),
        given=(KEPT, NEWEST),
        right=finds,
        because="The scores are 1, 0 and 1, so the powers are 2.718, 1 and 2.718, and (27.18 + 20 + 108.73) / 6.437"
        " = 24.22.",
        mistakes={
            "only what is kept": (
                lambda kept, newest: softmax(newest[0] * kept[0][:, 0]) @ kept[1][:, 0],
                "The newest letter sees itself, too: its own key and value go into the cache first.",
            ),
            "even weights": (
                lambda kept, newest: np.append(kept[1], newest[2]).mean(),
                "That is the mean of the values. The scores are not all equal.",
            ),
            "weights not divided by their sum": (
                lambda kept, newest: np.exp(np.append(kept[0], newest[1])) @ np.append(kept[1], newest[2]),
                "These are powers times values. They must still be divided by the sum of the powers.",
            ),
        },
    ),
    Exercise(
        name="without-a-mask",
        question="Somebody takes the look-ahead mask out of a machine of six layers, but the machine keeps keys and"
        " values as before. A new letter comes. Which of the keys that were kept are out of date?",
        asks=Choice(tuple(ANSWERS.values())),
        given=(6, True),
        right=lambda layers, sees_later: ANSWERS["later" if sees_later and layers > 1 else "none"],
        because="In the first layer a key is made of its letter and its place, which stay. In each higher layer a key"
        " is made of what was found below, which changes.",
        mistakes={
            "as with the mask": (
                lambda layers, sees_later: ANSWERS["none"],
                "That would be so with the mask. Without it the earlier letters see the new one, and find something"
                " else.",
            ),
            "the first layer": (
                lambda layers, sees_later: ANSWERS["first"],
                "There a key is made before anybody has looked at anything.",
            ),
            "every layer": (
                lambda layers, sees_later: ANSWERS["all"],
                "Nearly. But in the first layer a key is made before anybody has looked at anything.",
            ),
        },
    ),
]
