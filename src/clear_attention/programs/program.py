"""Steps after each other: each writes its note beside what a token already holds, and the last one gives the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import keras
import tensorflow as tf

from clear_attention._checks.programs import nothing_else
from clear_attention._nonfinite import Tokens
from clear_attention._types import Mask, Shape, Weights
from clear_attention.attention import unpacked
from clear_attention.blocks import SelfAttending
from clear_attention.heads import MultiHeadAttention


@keras.saving.register_keras_serializable(package="clear_attention")
class Program(SelfAttending):
    """Go through steps: attention and feed-forwards whose weights somebody has written.

    Every step but the last adds its output to the tokens, as the residual connection of a Transformer does. A token
    has free places for it, so adding is writing. The output of the last step is the answer.

    Args:
        steps: what [`aggregate`][clear_attention.aggregate] and [`look_up`][clear_attention.programs.look_up] return.
        causal: whether each token sees only itself and those before it.
        **kwargs: what every `keras.Layer` takes, such as `name` and `dtype`.

    Call arguments:
        x: `(batch, length, depth)`.
        mask: broadcasts to `(batch, heads, length, length)`; 1 blocks a key.
        return_weights: return the weights `(batch, 1, length, length)` of each attention too, as a list.

    Returns:
        The answer for each token, `(batch, length, width)`; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of answer and weights.

    Raises:
        ValueError: a cache, positions or segment ids, or what its attention refuses.

    Examples:
        >>> from clear_attention.programs import rows, shift
        >>> tokens, mask = rows(["^bca"], "^abc", length=9)
        >>> shift()(tokens, mask=mask)[0, :4].numpy().argmax(axis=-1)  # before the ^ stands nobody
        array([0, 0, 2, 3])
    """

    def __init__(self, steps: Sequence[keras.Layer], causal: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True
        self.steps, self.causal = list(steps), causal

    @property
    def heads(self) -> list[MultiHeadAttention]:
        """The attention layers among the steps."""
        return [step for step in self.steps if isinstance(step, MultiHeadAttention)]

    def build(self, x_shape: Shape) -> None:
        for step in self.steps:
            if not step.built:  # it comes from a file
                step.build(x_shape)
        self.built = True

    def attend(
        self, x: tf.Tensor, mask: Mask, causal: bool, return_weights: bool, training: bool | None, **others: Any
    ) -> tuple[tf.Tensor, Weights, None]:
        """Return the answer and the weights of all steps, None if they were not asked for."""
        nothing_else(**others)
        weights, last = [], len(self.steps) - 1
        for number, step in enumerate(self.steps):
            if step in self.heads:
                options = {"causal": self.causal or causal, "return_weights": return_weights}
                note, found, _ = unpacked(step(x, mask=mask, **options), return_weights, False)
                weights.append(found)
            else:
                tokens = Tokens.of(x)
                note = tokens.marked(step(tokens.finite))
            note = tf.cast(note, x.dtype)
            x = note if number == last else x + note
        return x, weights if return_weights else None, None

    def get_config(self) -> dict[str, Any]:
        steps = [keras.saving.serialize_keras_object(step) for step in self.steps]
        return {**super().get_config(), "steps": steps, "causal": self.causal}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Program:
        """Make the program again; its weights come from the file."""
        steps = [keras.saving.deserialize_keras_object(step) for step in config["steps"]]
        return cls(**{**config, "steps": steps})
