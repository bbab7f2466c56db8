"""The HTML of the date machine, or of a piece of it, in a lesson: what it must know, and a still picture without it."""

from __future__ import annotations

import html
import json
import math
import sys
from pathlib import Path

import numpy as np
from IPython.display import HTML

from clear_attention import date_tokenizers, greedy_search
from clear_attention import dates as task

sys.path.append(str(Path(__file__).resolve().parents[2]))
import trained

NAMES = {
    "forms": task.FORMS,
    "months": task.ENGLISH_MONTHS,
    "monate": task.GERMAN_MONTHS,
    "days": task.ENGLISH_DAYS,
    "tage": task.GERMAN_DAYS,
}
SIBLINGS = {  # a title, what a sentence says of it, and what it is
    "dates": ("our machine", "", "Nothing is missing: it has four heads, and was trained for 1,000 steps."),
    "dates-brief": (
        "the yardstick: whole, after 500 steps",
        "trained half as long",
        "Nothing is missing, but it was trained as briefly as those that lack a part.",
    ),
    "dates-one-head": (
        "with one head",
        "with one head in place of four",
        "Each attention has a single head, of full width.",
    ),
    "dates-no-positions": (
        "without positions",
        "without positions",
        "Nobody tells it where a letter stands, so it sees a bag of letters.",
    ),
    "dates-no-attention": (
        "averaging, without attention",
        "with plain averages in place of attention",
        "The text is averaged twice, in the encoder and for the answer. Only the answer still looks at itself.",
    ),
    "dates-no-residual": (
        "without the residual",
        "without the residual",
        "Each block passes on only what it found, and nothing of what it got.",
    ),
    "dates-forgetful": (
        "look-ahead mask forgotten",
        "trained without the look-ahead mask",
        "In training each letter of the answer could see the next one.",
    ),
    "dates-padding-seen": (
        "padding mask forgotten",
        "trained without the padding mask",
        "It takes the padding behind the text for letters.",
    ),
} | {
    f"digits-{heads}": (
        f"all digits at once, {heads} head{'s' * (heads > 1)}",
        f"with one look for all digits, in {heads} head{'s' * (heads > 1)}",
        "It does not write: one look at the text must bring back all eight digits.",
    )
    for heads in (1, 8)
}
SIBLINGS["digits-1-longer"] = (
    "all digits at once, 1 head, trained for longer",
    "with one look for all digits, in 1 head, trained three times as long",
    "One look with one head must bring back all eight digits, after a training three times as long.",
)
EXAMPLES = {  # a title, and what differs from the start
    "a German date": {"text": "donnerstag, den 3. mai 2018"},
    "a 30th of February": {"text": "february 30th, 2018", "at": 8},
    "what do zeros look at?": {"text": "february 3rd, 2001", "at": 5},
    "no positions": {"sibling": "dates-no-positions"},
    "padding seen, 60 places": {"seesPadding": True, "places": 60},
    "look-ahead mask forgotten": {"sibling": "dates-forgetful"},
    "one look for the whole date": {"sibling": "digits-1"},
}


def machine(*names, piece=None, without="", page="", title="", called=(), **state):
    """Show the machine with these models, the whole one among them; `state` says how it stands at first.

    A piece is "small" (the beginning, with a link to `page`), "looks" (who looks where), "fits" (the numbers behind the
    weights of one head), "beside" (a sibling beside the machine `whole`), "fool" (a game of texts that are no dates),
    "exchange" (letters of a text take their vectors from a `second`) or "places" (more and more padding, for a sibling
    beside the machine `whole`); `title` stands above it. `called` is what a page calls a model, {name: (title, what a
    sentence says of it)}. `without` is the HTML that stands there without JavaScript, and until the models have come.
    """
    source, target = date_tokenizers()
    examples = EXAMPLES if piece is None else {k: v for k, v in EXAMPLES.items() if v.keys() <= {"text", "at"}}
    data = {
        "tokenizers": {"source": source.characters, "target": target.characters},
        "names": NAMES,
        "siblings": [about(name, state.get("places"), called) for name in names],
        "examples": [{"title": title, "state": differs} for title, differs in examples.items()],
        "state": state,
        "page": page,
    }
    kind = "shared" if piece is None else f'piece="{piece}"'
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")  # "</script>" would end it
    head = f"<p>{title}</p>" if title else ""
    return HTML(f'{head}<date-machine {kind}><script type="application/json">{text}</script>{without}</date-machine>')


def about(name, places=None, called=()):
    """Say what a model is, and what it does with unseen dates, if so many places are filled."""
    _, config, record = trained.kept(name)
    title, how, sentence = SIBLINGS[name]
    title, how = dict(called).get(name, (title, how))
    shares = {part: float(record[part]) for part in ("exact", "year", "month", "day")}
    if places:
        shares["exact"] = float(dict(zip(record["paddings"], record["padded"], strict=True))[places])
    return {"name": name, "title": title, "with": how, "about": sentence, "measured": shares, "config": config}


def comparison(*names, called=()):
    """Return a table of models and how many of 2,000 unseen dates they read right, as HTML."""
    titles = ("machine", "right", "year", "month", "day", "steps of training")
    found = [about(name, called=called) for name in names]
    rows = [(x["title"], *map(percent, x["measured"].values()), f"{x['config']['steps']:,}") for x in found]
    return tabled(titles, rows)


def tabled(titles, rows):
    """Return rows of texts under their titles as an HTML table; the first of each row names it."""
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    body = "".join(
        f'<tr><th scope="row">{html.escape(name)}</th>' + "".join(f"<td>{x}</td>" for x in cells) + "</tr>"
        for name, *cells in rows
    )
    return f'<table class="comparison"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def percent(share):
    """Round a half up, as the page does."""
    return f"{math.floor(1000 * share + 0.5) / 10:.1f} %"


def still(model, text, at=6, each_row=False):
    """Let the model read a text; return a picture of where its answer looked, and a sentence, as HTML.

    The picture shows the mean of all heads; above it stands where letter `at` of the answer looked. There the largest
    weight is the brightest, and with `each_row` it is so in each row of the picture, as in the small machine. That one
    also tells where the letter that was looked at most had looked.
    """
    source, target = date_tokenizers()
    ids = source.encode([text])
    written = greedy_search(model, ids, max_length=11, jit_compile=False).numpy()
    given = np.concatenate([np.full((1, 1), model.start_id), written[:, :-1]], axis=1)
    maps = model(ids, given, return_weights=True).weights
    maps = {name: heads[0].numpy().mean(axis=0) for name, heads in maps.items()}
    weights = maps["decoder.0.cross"]
    answer = target.decode(written)[0]
    rows = [*answer, "▪"][: len(weights)]
    alt = f"The answer {answer} beside the text {text}: each letter of the answer is bright where it looked."
    most = int(np.argmax(weights[at]))
    within = maps["encoder.0"][most] if each_row else ()
    shades = weights / weights.max(axis=1, keepdims=True) if each_row else weights
    return (
        f"{strip('writes', rows, chosen=at)}{strip('reads', text, weights[at] / weights[at].max(), within=within)}"
        f"<p>The machine wrote “{rows[at]}”. For this letter it looked most at “{html.escape(text[most])}”. Below, "
        f"each row is a letter of the answer {answer}, and the letters of the text that it looked at stand out."
        f"<noscript> With JavaScript you could type your own date here.</noscript></p>"
        f"{picture(shades, rows, text, alt)}"
    )


def strip(name, letters, shades=(), chosen=None, within=()):
    """Return letters in boxes, shaded by numbers up to 1, or one of them marked; threads below show `within`."""
    boxes = []
    for i, letter in enumerate(letters):
        style = f' style="--shade:{shades[i]:.2f}"' if len(shades) else ""
        mark = ' class="chosen"' if i == chosen else ""
        boxes.append(f"<b{mark}{style}>{html.escape(letter).replace(' ', '␣')}</b>")
    looked = f' data-within="{" ".join(f"{share:.3f}" for share in within)}"' if len(within) else ""
    return f'<p class="still-strip"{looked}><span>{name}</span>{"".join(boxes)}</p>'


def picture(weights, rows, columns, alt):
    """Draw weights between 0 and 1 as squares of one colour, more of it for more weight."""
    size, edge = 18, 20
    width, height = edge + size * len(columns), edge + size * len(rows)
    parts = [
        f'<svg class="still" role="img" aria-label="{html.escape(alt)}" viewBox="0 0 {width} {height}" '
        f'style="max-width:{width}px" font-size="12" text-anchor="middle" fill="currentColor">'
    ]
    parts += [
        f'<rect x="{edge + size * j}" y="{edge + size * i}" width="{size - 1}" height="{size - 1}" '
        f'fill="var(--ca-visible)" fill-opacity="{weight:.2f}"/>'
        for i, row in enumerate(weights)
        for j, weight in enumerate(row)
    ]
    names = [(edge / 2, edge + size * (i + 0.7), x) for i, x in enumerate(rows)]
    names += [(edge + size * (j + 0.5), edge * 0.7, x) for j, x in enumerate(columns)]
    parts += [f'<text x="{x:g}" y="{y:g}">{html.escape(letter)}</text>' for x, y, letter in names]
    return "".join(parts) + "</svg>"
