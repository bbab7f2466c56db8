"""Exercises of the lesson "Norm first or norm last?"."""

from exercises import Choice, Exercise, Numbers

LINES = {
    "norm first": "x + f(norm(x))",
    "norm last": "norm(x + f(x))",
    "no residual": "norm(f(x))",
    "norm of what was found": "x + norm(f(x))",
}

EXERCISES = [
    Exercise(
        name="which-line-is-pre-norm",
        question="`f` is a part such as attention. Which line is a block with the norm first?",
        asks=Choice(),
        given=(LINES,),
        right=lambda lines: lines["norm first"],
        because="The part reads the normed letter, and the letter itself goes on as it is.",
        mistakes={
            "post-norm": (
                lambda lines: lines["norm last"],
                "That is the norm last, as in the first Transformer: it divides the letter on its way, too.",
            ),
            "residual forgotten": (
                lambda lines: lines["no residual"],
                "The letter itself is gone: nothing is added to it.",
            ),
            "the norm after the part": (
                lambda lines: lines["norm of what was found"],
                "Here the part reads numbers of any size, and only what it found is normed.",
            ),
        },
    ),
    Exercise(
        name="left-of-the-letter",
        question="In a tower with the norm last, each part leaves 0.8 of the letter. How much of it is left after two"
        " layers of an encoder?",
        asks=Numbers(("",), digits=2),
        given=(0.8, 2),
        right=lambda share, layers: share ** (2 * layers),
        because="There are four parts: 0.8 times 0.8 times 0.8 times 0.8.",
        mistakes={
            "one part a layer": (
                lambda share, layers: share**layers,
                "A layer has two parts, attention and the feed-forward network, and each has a norm after it.",
            ),
            "added, not multiplied": (
                lambda share, layers: 1 - 2 * layers * (1 - share),
                "Each part leaves 0.8 of what it gets, so the shares multiply.",
            ),
            "only the last norm counts": (
                lambda share, layers: share,
                "Every norm on the way divides the letter once more.",
            ),
        },
    ),
    Exercise(
        name="left-with-the-norm-first",
        question="In a tower with the norm first, each of eight parts adds numbers of size 1 to a letter of size 1."
        " Then comes the norm at the top. How much of the letter is left?",
        asks=Numbers(("",), digits=2),
        given=(8, 1.0),
        right=lambda parts, adds: (1 + parts * adds**2) ** -0.5,
        because="The squares add up to 1 + 8 = 9, so the sum has size 3. The norm divides by 3, once.",
        mistakes={
            "norm last": (
                lambda parts, adds: (1 + adds**2) ** (-parts / 2),
                "That would be so with the norm last, which divides the letter after every part.",
            ),
            "sizes added": (
                lambda parts, adds: 1 / (1 + parts * adds),
                "The squares add up, not the sizes, because what is added has nothing to do with the letter.",
            ),
            "norm at the top forgotten": (
                lambda parts, adds: 1.0,
                "The letter goes up as it is. But at the top the sum is divided by its size.",
            ),
        },
    ),
]
