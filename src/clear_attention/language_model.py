"""The language model: one text, from ids to logits for the next one, and how well it says what comes.

Only this model knows ids, and says what each token may see; its layers are those of an encoder, which never look ahead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import keras
import tensorflow as tf

from clear_attention._checks import ids as of_ids
from clear_attention._checks import numbers, tensors
from clear_attention._checks.caches import caches_by_name, known_cache
from clear_attention._checks.options import flag
from clear_attention._checks.rotary import known_positions
from clear_attention._nonfinite import Tokens
from clear_attention._token_layer import TracedOutputs, with_keras_mask
from clear_attention._types import Activation, LayerInput, Output, Shape, Size, TensorLike
from clear_attention.attention import full_shape, packed, unpacked
from clear_attention.cache import KeyValueCache
from clear_attention.encoder_decoder import Encoder
from clear_attention.heads.steps import described
from clear_attention.layers import arguments_of
from clear_attention.masks import create_document_positions
from clear_attention.positions import PositionalEncoding
from clear_attention.rotary import RotaryPositions


@keras.saving.register_keras_serializable(package="clear_attention")
class LanguageModel(TracedOutputs, keras.Model):
    r"""Go from the ids of a text so far to logits for the next id, at every place of the text.

    $$ \text{logits}_t = E \operatorname{Layers}(x_1, \dots, x_t)_t, \qquad x_i = \sqrt{d}\, E_{\text{id}_i} $$

    No token sees a later one, nor padding, nor another document. Padding on the left shifts nothing: a token's position
    is the number of real tokens before it in its document. With tied embeddings the table $E$ that turns ids into
    vectors turns vectors into logits too; otherwise the logits have a table of their own. `fit` leaves padded targets
    out of the loss and the metrics.

    Args:
        num_layers: number of layers.
        d_model: depth of the tokens.
        num_heads: number of heads of each layer; must divide `d_model`.
        d_ff: depth inside the feed-forward blocks.
        vocab: number of ids, padding, start and end counted.
        positions: how tokens know where they stand: `"rotary"` or a
            [`RotaryPositions`][clear_attention.RotaryPositions] turns queries and keys, `"sinusoidal"` adds waves,
            `"learned"` adds vectors that are learned, None adds nothing. A bias by distance goes into `self_attention`.
        max_length: how many positions are learned, if they are.
        tie_embeddings: use the table of the embeddings for the logits too.
        dropout: share of each sub-layer's output, and of the embeddings, that is dropped in training, in [0, 1).
        activation: of the feed-forward blocks: a name that Keras knows, or a function.
        norm_first: norm before each sub-layer (pre-norm) instead of after the sum (post-norm).
        epsilon: what the norms add to the variance.
        pad_id: the id that stands for padding.
        start_id: the id that a text may begin with; generation never says it.
        end_id: the id that ends a text, where generation stops; None if texts do not end.
        self_attention: options of the attention inside each layer, by name, as
            [`MultiHeadAttention`][clear_attention.MultiHeadAttention] takes them: `num_key_value_heads`,
            `position_bias`, `softcap`, `sink`, `blockwise`, `dropout` (of the weights) and so on.
        **kwargs: what every `keras.Model` takes, such as `name` and `dtype`.

    Call arguments:
        ids: `(batch, length)`, integers.
        positions: integers `(length,)` or `(batch, length)`, instead of those that are counted.
        segment_ids: `(batch, length)`, integers: which document each token belongs to, if several are packed in a row.
        return_weights: return every attention map too: a dict of `"0"`, `"1"`, ..., each
            `(batch, heads, length, length)`.
        training: whether dropout is active.
        cache: what `create_cache` made, or what the last call returned: the tokens look back at those of the calls
            before.

    Returns:
        The logits `(batch, length, vocab)`, in float32 under mixed precision; with `return_weights=True` an
            [`Attention`][clear_attention.Attention] of logits and weights. With a cache a pair of this and the cache
            with the new tokens in it.

    Raises:
        TypeError: a size that is not an integer, a flag that is not a bool, ids that are not integers.
        ValueError: a size below 1, heads that do not divide `d_model`, special ids that are equal or not in the
            vocabulary, positions that are not known, a `max_length` without learned positions or none with them, ids of
            shape other than `(batch, length)`, of length 0 or not in the vocabulary, a text that is longer than the
            positions that were learned. In a graph, as in `fit`, values are checked by an assertion with the same
            sentence; under XLA they are not.

    Examples:
        >>> from clear_attention import LanguageModel
        >>> model = LanguageModel(num_layers=2, d_model=8, num_heads=2, d_ff=32, vocab=20)
        >>> model([[1, 7, 8, 0], [1, 5, 6, 9]]).shape
        TensorShape([2, 4, 20])
        >>> cache = model.create_cache(batch=1, capacity=3)
        >>> logits, cache = model([[1, 7]], cache=cache)
        >>> logits, cache = model([[8]], cache=cache)  # sees all three

    References:
        Radford et al. (2019), *Language Models are Unsupervised Multitask Learners*, section 2.3; Press and Wolf
        (2017), *Using the Output Embedding to Improve Language Models*, for tied embeddings.
    """

    def __init__(
        self,
        num_layers: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        vocab: int,
        positions: Literal["rotary", "sinusoidal", "learned"] | RotaryPositions | None = "rotary",
        max_length: int | None = None,
        tie_embeddings: bool = True,
        dropout: float = 0.1,
        activation: Activation = "gelu",
        norm_first: bool = True,
        epsilon: float = 1e-6,
        pad_id: int = 0,
        start_id: int = 1,
        end_id: int | None = 2,
        self_attention: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        policy = self.dtype_policy
        self.vocab = numbers.size("vocab", vocab)
        self.pad_id, self.start_id, self.end_id = of_ids.special_ids_of_one(
            self.vocab, pad_id=pad_id, start_id=start_id, end_id=end_id
        )
        self.d_model = numbers.size("d_model", d_model)
        self.tie_embeddings = flag("tie_embeddings", tie_embeddings)
        self.positions, self.max_length = known_positions(positions, max_length, self_attention, RotaryPositions)
        rotary = RotaryPositions(name="rotary") if self.positions == "rotary" else self.positions
        if isinstance(rotary, RotaryPositions) and isinstance(
            self_attention, Mapping | None
        ):  # else a block refuses it
            self_attention = {**(self_attention or {}), "rotary": rotary}
        options = (num_layers, d_model, num_heads, d_ff, dropout, activation, norm_first, epsilon, self_attention)
        self.stack = Encoder(*options, name="stack", dtype=policy)
        # ids and logits in 32 bits at least, so that the loss keeps its digits
        logits_dtype = "float32" if tf.as_dtype(policy.compute_dtype).size < 4 else policy
        self.embed = keras.layers.ReversibleEmbedding(
            self.vocab,
            self.d_model,
            tie_weights=self.tie_embeddings,
            embeddings_initializer=keras.initializers.RandomNormal(stddev=self.d_model**-0.5),
            name="embed",
            dtype=logits_dtype,
        )
        self.waves = PositionalEncoding(name="waves", dtype=policy) if self.positions == "sinusoidal" else None
        self.learned = None
        if self.positions == "learned":
            start = keras.initializers.RandomNormal(stddev=0.02)
            self.learned = keras.layers.Embedding(
                self.max_length, self.d_model, embeddings_initializer=start, name="learned", dtype=policy
            )
        self.drop = keras.layers.Dropout(dropout, name="drop", dtype=policy)

    @property
    def rotary(self) -> RotaryPositions | None:
        """What turns queries and keys in all layers, or None."""
        return self.stack.layers[0].self_attention.attention.rotary

    def build(self, ids_shape: Shape | None = None) -> None:
        self.embed.build()
        if self.learned is not None:
            self.learned.build()
        self.stack.build((None, None, self.d_model))
        self.built = True

    def __call__(
        self,
        ids: LayerInput,
        positions: LayerInput | None = None,
        segment_ids: LayerInput | None = None,
        **kwargs: Any,
    ) -> Output:
        ids, positions, segment_ids = tensors.from_lists(ids=ids, positions=positions, segment_ids=segment_ids)
        given = {"positions": positions, "segment_ids": segment_ids}
        return super().__call__(ids, **{name: x for name, x in given.items() if x is not None}, **kwargs)

    def call(
        self,
        ids: tf.Tensor,
        positions: TensorLike | None = None,
        segment_ids: TensorLike | None = None,
        return_weights: bool = False,
        training: bool | None = None,
        cache: dict[str, KeyValueCache] | None = None,
    ) -> Output:
        ids = of_ids.vocabulary_ids("ids", of_ids.whole_in_graphs("ids", ids), self.vocab)
        return_weights = flag("return_weights", return_weights)
        real = ~of_ids.equal_to(self.pad_id, ids)
        options: dict[str, Any] = {"return_weights": return_weights, "training": training, "cache": cache}
        if segment_ids is not None:
            segment_ids = options["segment_ids"] = of_ids.of_the_same_tokens(segment_ids, ids)
        counted = self.counted(real, segment_ids, cache)
        x = tf.cast(self.embed(ids) * self.d_model**0.5, self.compute_dtype)  # (batch, length, d_model)
        if self.waves is not None:
            x = self.waves(x, positions=counted if positions is None else positions)
        elif self.learned is not None:
            places = counted if positions is None else tensors.positions(positions, x)
            places = of_ids.learned_positions(places, real, self.max_length)
            x = x + self.learned(places)
        elif self.rotary is not None or positions is not None:
            options["positions"] = counted if positions is None else positions
        x = with_keras_mask(self.drop(x, training=training), real)
        result = self.stack(x, causal=True, **options)
        x, maps, cache = unpacked(result, return_weights, cache is not None)
        return packed(self.to_logits(x), maps, cache)

    def counted(
        self, real: tf.Tensor, segment_ids: tf.Tensor | None, cache: dict[str, KeyValueCache] | None
    ) -> tf.Tensor:
        """Return how many real tokens stand before each token in its document, int32 `(batch, length)`."""
        before = tf.cumsum(tf.cast(real, tf.int32), axis=1, exclusive=True)
        if segment_ids is not None:
            begins = tf.range(full_shape(real)[1]) - create_document_positions(segment_ids)
            before -= tf.gather(before, begins, batch_dims=1)
        if cache is not None:
            first, *_ = caches_by_name(cache, self.stack.named_layers()).values()
            kept = known_cache(first, KeyValueCache)
            before += tf.reduce_sum(tf.cast(~kept.blocked, tf.int32), axis=1, keepdims=True)
        return before

    def to_logits(self, x: tf.Tensor) -> tf.Tensor:
        tokens = Tokens.of(x)
        rows = self.embed(tf.reshape(tokens.finite, (-1, self.d_model)), reverse=True)
        logits = tf.reshape(rows, (*full_shape(x)[:-1], self.vocab))
        return tokens.marked(logits)

    def create_cache(self, batch: Size, capacity: Size) -> dict[str, KeyValueCache]:
        """Return an empty cache for `batch` texts of at most `capacity` tokens: one of each layer, `"0"`, `"1"`, ..."""
        return self.stack.create_cache(batch, capacity)

    def compute_output_shape(self, ids_shape: Shape) -> Shape:
        return (*ids_shape, self.vocab)

    def compute_mask(self, inputs: tf.Tensor, previous_mask: Any) -> tf.Tensor:
        return keras.ops.not_equal(inputs, self.pad_id)

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: bool = True
    ) -> Any:
        """Leave padded targets out of the loss, as Keras leaves out tokens that are masked."""
        # the last token of a text is real, and what follows it is padding; the metrics read this mask, too
        mask = getattr(y_pred, "_keras_mask", None)
        if mask is not None and getattr(y, "shape", None) is not None and y.shape.rank == 2:
            y_pred._keras_mask = mask & (tf.cast(y, tf.int64) != self.pad_id)
        return super().compute_loss(x, y, y_pred, sample_weight, training)

    def export(self, filepath: str | Path, *args: Any, input_signature: list | None = None, **kwargs: Any) -> None:
        """Export as every `keras.Model` does; unless `input_signature` says otherwise, ids of any length go in."""
        ids = keras.InputSpec(shape=(None, None), dtype="int32")  # Keras would guess float32
        return super().export(filepath, *args, input_signature=input_signature or [ids], **kwargs)

    def get_config(self) -> dict[str, Any]:
        names = ("vocab", "positions", "max_length", "tie_embeddings", "pad_id", "start_id", "end_id")
        config = {**super().get_config(), **arguments_of(self.stack), **{name: getattr(self, name) for name in names}}
        if self.positions is not None:  # else what turns was given as an option of attention, and stays there
            config["self_attention"] = {k: v for k, v in config["self_attention"].items() if k != "rotary"}
        if isinstance(self.positions, RotaryPositions):
            config["positions"] = described(self.positions)
        return config


def token_losses(model: LanguageModel, ids: TensorLike, segment_ids: TensorLike | None = None) -> tf.Tensor:
    r"""Return how surprised a language model is by each token that follows another one.

    $$ \text{loss}_t = -\ln p(\text{id}_{t+1} \mid \text{id}_1, \dots, \text{id}_t) $$

    It is 0 where there is nothing to predict: at padding, at the first token after padding, and at the first token of a
    document that is packed behind another one.

    Args:
        model: a [`LanguageModel`][clear_attention.LanguageModel].
        ids: `(batch, length)`, integers, with a length of at least 2.
        segment_ids: `(batch, length)`, integers: which document each token belongs to, if several are packed in a row.

    Returns:
        `(batch, length - 1)`, in nats, at least 0, in the dtype of the logits.

    Raises:
        TypeError: `model` is not one, `ids` are not integers.
        ValueError: `ids` that are not in the vocabulary or hold one token only, `segment_ids` of another shape.

    Examples:
        >>> from clear_attention import LanguageModel, token_losses
        >>> model = LanguageModel(1, d_model=8, num_heads=2, d_ff=32, vocab=20)
        >>> token_losses(model, [[1, 7, 8, 2, 0]]).shape
        TensorShape([1, 4])

    References:
        Shannon (1951), *Prediction and Entropy of Printed English*, for the idea.
    """
    of_ids.is_language_model(model)
    tokens = of_ids.two_tokens("ids", of_ids.vocabulary_ids("ids", ids, model.vocab))
    real = ~of_ids.equal_to(model.pad_id, tokens)
    counts = real[:, 1:] & real[:, :-1]
    if segment_ids is not None:
        documents = of_ids.of_the_same_tokens(segment_ids, tokens)
        counts &= documents[:, 1:] == documents[:, :-1]
    logits = model(tokens, segment_ids=segment_ids, training=False)[:, :-1]
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.cast(tokens[:, 1:], tf.int32), logits)
    return tf.where(counts, losses, tf.zeros_like(losses))


def bits_per_byte(
    model: LanguageModel, ids: TensorLike, num_bytes: int, segment_ids: TensorLike | None = None
) -> tf.Tensor:
    r"""Return how many bits a language model needs for each byte of texts: the number that tokenizers can't change.

    $$ \frac{1}{\text{bytes}} \sum_{b, t} \frac{\text{loss}_{b,t}}{\ln 2} $$

    A loss for each token depends on how long tokens are. Bits for each byte can be compared between models with other
    vocabularies. Begin each text with the start id, or its first token is not predicted and costs nothing.

    Args:
        model: a [`LanguageModel`][clear_attention.LanguageModel].
        ids: `(batch, length)`, integers, with a length of at least 2.
        num_bytes: how many bytes all the texts have together, before they became ids:
            `sum(len(text.encode()) for text in texts)`.
        segment_ids: `(batch, length)`, integers: which document each token belongs to, if several are packed in a row.

    Returns:
        A scalar, at least 0, in the dtype of the logits.

    Raises:
        TypeError: `model` is not one, `ids` or `num_bytes` are not integers.
        ValueError: `ids` that are not in the vocabulary or hold one token only, `num_bytes` below 1.

    Examples:
        >>> from clear_attention import LanguageModel, bits_per_byte
        >>> model = LanguageModel(1, d_model=8, num_heads=2, d_ff=32, vocab=259)
        >>> ids = [[1, *(byte + 3 for byte in "café".encode())]]
        >>> bool(bits_per_byte(model, ids, num_bytes=5) > 0)
        True

    References:
        Gao et al. (2020), *The Pile*, section 3.1.
    """
    num_bytes = numbers.size("num_bytes", num_bytes)
    return tf.reduce_sum(token_losses(model, ids, segment_ids)) / (math.log(2) * num_bytes)
