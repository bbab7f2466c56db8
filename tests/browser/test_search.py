"""What the search finds: questions as people type them, the errors they paste, and all questions of the page `find`.

The right page comes first or second, and a link to its right section is there to be clicked, not folded away.
"""

import re
import tomllib
from urllib.parse import quote, urlsplit

import pytest

from .conftest import SITE, Visitor

QUESTIONS = {  # -> the section that answers; two, where either does
    "-1e9": "guides/hiding_scores/",
    "-inf": "guides/hiding_scores/",
    "0 * -inf": "guides/museum/#infinity",
    "float16 -1e9": "guides/museum/#float16",
    "how do I combine padding and look-ahead mask": "learn/causal/#both-at-once",
    "attention output is nan": "guides/questions/#why-is-my-attention-output-nan",
    "loss becomes nan with mask": "guides/museum/#infinity",
    "nan only in mixed precision": "guides/museum/#float16",
    "combine causal mask and padding mask keras": (
        "guides/questions/#how-do-i-combine-a-padding-mask-and-a-causal-mask-in-keras"
    ),
    "is my mask inverted?": "guides/questions/#is-my-attention-mask-the-wrong-way-round",
    "True means attend or masked": "guides/mask_conventions/",
    "mask shape (batch, 1, 1, seq_len)": "notation/#the-mask-convention",
    "all keys masked row": "learn/masks/#queries-with-no-key-left",
    "hugging face attention_mask": "guides/museum/#real",
    "mask_zero embedding": "guides/use_it/#two-masks-two-conventions",
    "ignore padding in loss": "guides/questions/#why-are-the-outputs-of-padded-tokens-not-zero",
    "what is the formula of attention": "learn/attention/#the-formula",
    "why divide by sqrt(d_k)": "learn/attention/#why-divide-by-the-root-of-d_k",
    "query key value meaning": "learn/attention/",
    "softmax wrong axis": "guides/museum/#softmax",
    "cross attention": "learn/recap/#the-three-places",
    "what is teacher forcing": "glossary/#teacher-forcing",
    "what do multiple heads do": "learn/multi_head/",
    "split heads reshape transpose": "learn/split_heads/#a-published-trap-reshape-without-transpose",
    "key_dim": "guides/questions/#what-is-key_dim-and-how-many-parameters-does-attention-have",
    "how many parameters does multi-head attention have": (
        "guides/questions/#what-is-key_dim-and-how-many-parameters-does-attention-have"
    ),
    "return attention scores weights keras": "guides/museum/#flag",
    "why positional encoding": "learn/positions/",
    "positional encoding left padding": "guides/questions/#how-do-i-use-left-padding-with-positional-encoding",
    "sine cosine interleaved": "guides/questions/#are-the-sines-and-cosines-interleaved-or-concatenated",
    "residual connection layer norm why": "learn/transformer_layer/#back-to-size",
    "pre-norm vs post-norm": "guides/questions/#what-is-the-difference-between-pre-norm-and-post-norm",
    "my model gets 100% accuracy": "guides/questions/#why-does-my-causal-model-reach-100-accuracy",
    "does my decoder leak the future": "guides/certify_your_layer/#a-language-model",
    "beam search": "learn/writing/#a-dead-end-by-hand",
    "kv cache": "learn/cache/",
    "long sequences out of memory": "learn/long_sequences/",
    "flash attention memory": "learn/long_sequences/",
    "how fast is it compared to pytorch": "about/benchmarks/#how-long-does-attention-take",
    "load pytorch weights": "guides/carry_weights/#from-torch",
    "convert torch MultiheadAttention weights to keras": (
        "guides/questions/#how-do-i-convert-attention-weights-from-torch-to-keras"
    ),
    "save and load custom layer": "guides/questions/#how-do-i-save-and-load-a-custom-keras-layer",
    "export to tflite": "guides/use_it/#litert-on-a-phone-or-a-small-board",
    "train on multiple gpus": "guides/many_machines/#several-devices-with-fit",
    "gradient accumulation": "guides/many_machines/#less-memory-16-bits-and-pieces",
    "how is gpt different from the transformer": "learn/language_model/",
    "temperature or top p": "guides/questions/#temperature-or-top-p",
    "language model repeats itself": "guides/questions/#why-does-my-language-model-repeat-itself",
    "induction head": "learn/induction/",
    "grouped query attention": "learn/fewer_keys/",
    "rotary positions rope": "learn/turning_positions/",
    "pack documents segment ids": "guides/pack_a_stream/",
    "pytest test for attention layer": "guides/certify_your_layer/#in-your-test-suite",
}
ERRORS = {  # as they are pasted
    "ImportError: cannot import name 'softmax' from 'keras.backend'": "guides/museum/#import",
    "TypeError: Dot.__init__() missing 1 required positional argument: 'axes'": "guides/museum/#dot",
    "TypeError: softmax() missing 1 required positional argument: 'x'": "guides/museum/#dot",
    "TypeError: DotProductAttention.__init__() takes 1 positional argument but 5 were given": "guides/museum/#data",
    "ValueError: Only input tensors may be passed as positional arguments. The following argument value should be "
    "passed as a keyword argument: 8 (of type <class 'int'>)": "guides/museum/#d_k",
    "UserWarning: Layer 'masked' (of type Masked) was passed an input with a mask attached to it. However, this layer "
    "does not support masking and will therefore destroy the mask information.": "guides/museum/#warning",
    "InvalidArgumentError: Incompatible shapes: [2,9,9] vs. [2,9,8]": "guides/museum/#elementwise",
    "TypeError: 'NoneType' object cannot be interpreted as an integer": "guides/museum/#loop",
    "TypeError: MyLayer.__init__() got an unexpected keyword argument 'trainable'": "guides/museum/#config",
    "TypeError: Could not locate class 'Looking'. Make sure custom classes and functions are decorated with "
    "`@keras.saving.register_keras_serializable()`": "guides/questions/#how-do-i-save-and-load-a-custom-keras-layer",
    "RuntimeError: Select TensorFlow op(s), included in the given model, is(are) not supported by this interpreter. "
    "Node number 5 (FlexSin) failed to prepare.": "guides/use_it/#litert-on-a-phone-or-a-small-board",
    "Masked scores print -9.9999994e+08": "guides/museum/#step",
}
ASK = """async ([box, list], question) => {
    const done = new Promise((resolve) => {
        const answer = new MutationObserver(() => list.children.length && resolve(answer.disconnect()));
        answer.observe(list, { childList: true });
        setTimeout(resolve, 5000);
    });
    box.value = question;
    box.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
    await done;
    const seen = (link) => link.checkVisibility() && !link.closest("details:not([open])");
    return [...list.children].slice(0, 2).map((page) => [...page.querySelectorAll("a")].filter(seen)
        .map((link) => [link.href, link.querySelector("h1, h2").textContent]));
}"""


class Box:
    """The search box of a page."""

    def __init__(self, visitor):
        self.page = visitor.page
        self.page.locator(".md-search__input").click()
        self.parts = self.page.evaluate_handle(
            "['.md-search__input', '.md-search-result__list'].map(name => document.querySelector(name))"
        )

    def ask(self, question):
        """Return the links and titles that can be seen of the first page found, and of the second."""
        found = self.parts.evaluate(ASK, question)
        return [[(place(link), title) for link, title in page] for page in found]

    def misses(self, questions):
        """Return what is shown instead, for each question whose section is not."""
        asked = {question: self.ask(question) for question in questions}
        return {q: found for q, found in asked.items() if questions[q] not in [at for page in found for at, _ in page]}


def place(url):
    parts = urlsplit(url)
    return parts.path.removeprefix("/") + (f"#{parts.fragment}" if parts.fragment else "")


def target(url):
    """Return the place that a link leads to, without the anchor of a page's own title."""
    path, _, anchor = place(url).partition("#")
    html = (SITE / path / "index.html").read_text(encoding="utf-8")
    return path if not anchor or re.search(f'<h1 id="{re.escape(anchor)}"', html) else f"{path}#{anchor}"


@pytest.fixture(scope="module")
def box(browser, host):
    visitor = Visitor(browser, host)
    visitor.open("/find/")
    yield Box(visitor)
    visitor.context.close()
    visitor.assert_calm()


def test_questions_as_people_type_them(box):
    assert len(QUESTIONS) > 40
    assert box.misses(QUESTIONS) == {}


def test_errors_as_people_paste_them(box):
    assert box.misses(ERRORS) == {}


def test_every_question_of_the_page_of_questions(box):
    links = box.page.eval_on_selector_all("article li a", "links => links.map(a => [a.textContent, a.href])")
    questions = {text: target(url) for text, url in links}
    assert len(questions) > 70
    assert box.misses(questions) == {}


def test_every_refusal_of_the_package(box):
    """A few laws have nearly the words of another, for a call of another kind: then that one may be shown."""
    table = tomllib.loads((SITE.parent / "docs/reference/refusals.toml").read_text(encoding="utf-8"))
    laws = {row["sentence"].split(" Expected:")[0] for rows in table["refused"].values() for row in rows}
    assert len(laws) > 150
    assert {law: found for law in laws if not explained(law, found := box.ask(law))} == {}


def explained(law, found):
    shown = [title for page in found for at, title in page if at.startswith("reference/refusals/#")]
    return any(len(words(law) & words(title)) >= 0.6 * len(words(law)) for title in shown)


def words(text):
    return set(re.findall(r"\w+", text.lower()))


def test_the_box_keeps_what_was_typed(visit):
    page = visit("/").page
    page.keyboard.press("/")
    page.keyboard.type("what is -inf")
    first = page.locator(".md-search-result__link[href*='#']").first
    first.wait_for()
    assert page.locator(".md-search__input").input_value() == "what is -inf"
    first.click()
    page.wait_for_url("**h=inf**")
    assert page.locator("article mark").first.inner_text() == "inf"


def test_a_link_can_hold_a_question(visit):
    page = visit(f"/?q={quote('0 * -inf')}").page
    page.locator(".md-search-result__link[href*='museum']").first.wait_for()
    assert page.locator(".md-search__input").input_value() == "0 * -inf"
    assert page.locator(".md-search-result__item").count() > 2


def test_words_that_say_little_are_searched_if_there_are_no_others(box):
    assert any(box.ask("what is this"))


@pytest.mark.parametrize("section", ["learn", "guides", "about"])
def test_the_page_of_a_section_leads_to_all_its_pages(turn_to, section):
    window = turn_to(f"/{section}/")
    assert window.response.status == 200
    inside = window.page.eval_on_selector_all(
        ".md-nav__item--active.md-nav__item--section a.md-nav__link", "links => links.map(a => a.href)"
    )
    linked = window.page.eval_on_selector_all("article li a", "links => links.map(a => a.href.split('#')[0])")
    pages = [url for url in inside if not url.split("#")[0].endswith(f"/{section}/")]
    assert len(pages) > 1
    assert [*dict.fromkeys(reversed(linked))][::-1] == pages  # some stand above their list, too
