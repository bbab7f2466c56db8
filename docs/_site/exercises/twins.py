"""Exercises of the lesson "What training finds"."""

from exercises import Cells, Choice, Exercise, Numbers, table

EVEN = "^cabb"
SUMS = (3, 12, 9, 9, 5)  # of columns 1 to 5
OTHERS = (12, 9, 4, 9, 3)


def column(number):
    return f"column {number}"


def decides(sums, asking):
    """Return the nearest lower column whose sum is not 9; columns are counted from 1."""
    return max(c for c in range(1, asking) if sums[c - 1] != 9)


def carries(sums):
    """Tell for each column whether it gets a 1 from below."""
    got = [0]
    for total in sums[:-1]:
        got.append(int(total + got[-1] > 9))
    return got


def shortcut(sums):
    """Tell what a column takes for its carry that looks at its neighbour's sum only."""
    return [0, *(int(total > 9) for total in sums[:-1])]


EXERCISES = [
    Exercise(
        name="made-even",
        question="A head is made even, so that each sign of a text gives the same weight to each sign. The text is"
        " `^cabb`, and each sign hands over itself. What share of the average that comes back is b?",
        asks=Numbers(("b",), digits=2),
        given=(EVEN, "b"),
        right=lambda text, letter: [text.count(letter) / len(text)],
        because="There are five signs, so each gets the weight 0.2. Two of them are a b, and 0.2 + 0.2 = 0.4.",
        mistakes={
            "counted": (
                lambda text, letter: [text.count(letter)],
                "That is how many there are. But the weights add up to 1, so what comes back is a share.",
            ),
            "without ^": (
                lambda text, letter: [text.count(letter) / (len(text) - 1)],
                "`^` is a sign of the text as well, and gets its weight, too.",
            ),
            "one b": (
                lambda text, letter: [1 / len(text)],
                "That is the weight of one b. There are two of them.",
            ),
        },
    ),
    Exercise(
        name="where-the-carry-comes-from",
        question="The digits of two numbers were added in each column. These are the sums. Column 1 is the lowest, on"
        " the right. Where does column 5 look to find out whether it gets a carry, if it works like our program?",
        shown=table([SUMS[::-1]], head=[*"54321"], side=["sum"]),
        asks=Choice(tuple(column(c) for c in range(1, 6))),
        given=(SUMS, 5),
        right=lambda sums, asking: column(decides(sums, asking)),
        because="Columns 4 and 3 have 9, so they hand on what they get. Column 2 has 12, so a carry comes from there,"
        " whatever column 1 does.",
        mistakes={
            "the neighbour": (
                lambda sums, asking: column(asking - 1),
                "Its sum is 9, so the column below it decides whether it carries.",
            ),
            "the lowest": (
                lambda sums, asking: column(1),
                "What happens there makes no difference after column 2, whose 12 carries in any case.",
            ),
            "the first that is not decided": (
                lambda sums, asking: column(decides(sums, asking) + 1),
                "Its sum is 9, too, so it only hands on what it gets.",
            ),
            "itself": (lambda sums, asking: column(asking), "Its own sum says what it hands on, not what it gets."),
        },
    ),
    Exercise(
        name="what-the-shortcut-gets-wrong",
        question="A machine takes a shortcut: a column gets a carry if the sum of its right neighbour is 10 or more,"
        " and otherwise it gets none. These are the sums of the columns. Mark each column that gets the wrong digit.",
        shown=table([OTHERS[::-1]], head=[*"54321"], side=["sum"]),
        asks=Cells(("digit",), tuple(column(c) for c in range(5, 0, -1)), on="wrong", off="right"),
        given=(OTHERS,),
        right=lambda sums: [[int(a != b) for a, b in zip(carries(sums), shortcut(sums), strict=True)][::-1]],
        because="Column 2 has 9 and gets a 1 from column 1, so it hands this on to column 3, which misses it. Column 4"
        " has 9, too, but gets nothing that it could hand on.",
        mistakes={
            "each column left of a 9": (
                lambda sums: [[int(total == 9) for total in (0, *sums[:-1])][::-1]],
                "A 9 hands on only what it gets, and column 4 gets nothing: column 3 has 4, and 5 with the carry.",
            ),
            "the columns with a 9": (
                lambda sums: [[int(total == 9) for total in sums][::-1]],
                "These look at their own neighbours, 12 and 4, and are right. The mistake shows one column farther"
                " left.",
            ),
            "all from the first mistake on": (
                lambda sums: [[0, 0, 1, 1, 1][::-1]],
                "Column 4 asks its neighbour, whose sum is 4 or 5. Neither carries.",
            ),
        },
    ),
]
