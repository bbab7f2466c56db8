"""The Transformer: from ids to logits.

Only this model knows ids, and makes the masks; the encoder, the decoder and their layers take vectors.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import keras
import tensorflow as tf

from clear_attention._checks import ids, numbers, tensors
from clear_attention._nonfinite import Tokens
from clear_attention._token_layer import TracedOutputs
from clear_attention._types import Activation, LayerInput, Mask, Output, Shape, TensorLike
from clear_attention.attention import Attention, unpacked
from clear_attention.encoder_decoder import Decoder, Encoder
from clear_attention.heads.steps import project_rows
from clear_attention.layers import arguments_of
from clear_attention.masks import combine_masks, create_look_ahead_mask, create_padding_mask
from clear_attention.positions import PositionalEncoding


@keras.saving.register_keras_serializable(package="clear_attention")
class Transformer(TracedOutputs, keras.Model):
    r"""Go from source ids and the target ids so far to logits for the next one: the whole encoder-decoder.

    $$ \text{logits}_t = W \operatorname{Decoder}(\text{target}_{\le t}, \operatorname{Encoder}(\text{source}))_t + b $$

    It makes the masks from the ids: padding is blocked everywhere, and no target token sees a later one. The two
    embeddings and the last projection share nothing. Padded targets are masked for Keras: `fit` leaves them out of the
    loss and the metrics.

    Args:
        num_layers: number of layers of the encoder, and of the decoder.
        d_model: depth of the tokens.
        num_heads: number of heads of each layer; must divide `d_model`.
        d_ff: depth inside the feed-forward blocks.
        source_vocab: number of source ids, padding counted.
        target_vocab: number of target ids, padding, start and end counted.
        dropout: share of each sub-layer's output, and of the embeddings, that is dropped in training, in [0, 1).
        activation: of the feed-forward blocks: a name that Keras knows, or a function.
        norm_first: norm before each sub-layer (pre-norm) instead of after the sum (post-norm, as in the paper).
        epsilon: what the norms add to the variance.
        pad_id: the id that stands for padding, in source and target.
        start_id: the id every target begins with.
        end_id: the id every target ends with; only generation reads it.
        self_attention: options of the self-attention of each layer, in encoder and decoder, by name, as
            [`MultiHeadAttention`][clear_attention.MultiHeadAttention] takes them, such as `d_k`, `dropout` (of the
            weights), `num_key_value_heads`, `blockwise`.
        cross_attention: likewise for the decoder's attention to the encoder's output.
        **kwargs: what every `keras.Model` takes, such as `name` and `dtype`.

    Call arguments:
        source_ids: `(batch, source_length)`, integers.
        target_ids: `(batch, target_length)`, integers: the start id and the target shifted by it. `fit` takes both as
            one pair.
        return_weights: return every attention map too: a dict of `"encoder.0"`, `"decoder.0.self"`,
            `"decoder.0.cross"`, ..., each `(batch, heads, query_length, key_length)`.
        training: whether dropout is active.

    Returns:
        The logits `(batch, target_length, target_vocab)`, in float32 under mixed precision; with `return_weights=True`
            an [`Attention`][clear_attention.Attention] of logits and weights.

    Raises:
        TypeError: a size that is not an integer, a flag that is not a bool, ids that are not integers.
        ValueError: a size below 1, heads that do not divide `d_model`, special ids that are equal or not in the
            vocabulary, ids of shape other than `(batch, length)`, of different batches, of length 0 or not in the
            vocabulary, a target that does not begin with `start_id`. In a graph, as in `fit`, values are checked by an
            assertion with the same sentence; under XLA they are not.

    Examples:
        >>> from clear_attention import Transformer
        >>> model = Transformer(1, d_model=8, num_heads=2, d_ff=32, source_vocab=20, target_vocab=30)
        >>> source_ids, target_ids = [[5, 6, 7, 0]], [[1, 8, 9]]
        >>> model(source_ids, target_ids).shape
        TensorShape([1, 3, 30])
        >>> list(model(source_ids, target_ids, return_weights=True).weights)
        ['encoder.0', 'decoder.0.self', 'decoder.0.cross']

    References:
        Vaswani et al. (2017), *Attention Is All You Need*, section 3.
    """

    def __init__(
        self,
        num_layers: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        source_vocab: int,
        target_vocab: int,
        dropout: float = 0.1,
        activation: Activation = "relu",
        norm_first: bool = False,
        epsilon: float = 1e-6,
        pad_id: int = 0,
        start_id: int = 1,
        end_id: int = 2,
        self_attention: Mapping[str, Any] | None = None,
        cross_attention: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        policy = self.dtype_policy
        options = (num_layers, d_model, num_heads, d_ff, dropout, activation, norm_first, epsilon, self_attention)
        self.encoder = Encoder(*options, name="encoder", dtype=policy)
        self.decoder = Decoder(*options, cross_attention=cross_attention, name="decoder", dtype=policy)
        self.source_vocab = numbers.size("source_vocab", source_vocab)
        self.target_vocab = numbers.size("target_vocab", target_vocab)
        self.pad_id, self.start_id, self.end_id = ids.special_ids(
            self.source_vocab, self.target_vocab, pad_id=pad_id, start_id=start_id, end_id=end_id
        )
        self.d_model = numbers.size("d_model", d_model)
        self.embed_source = embedding(self.source_vocab, self.d_model, "embed_source", policy)
        self.embed_target = embedding(self.target_vocab, self.d_model, "embed_target", policy)
        self.source_positions = PositionalEncoding(dropout=dropout, name="source_positions", dtype=policy)
        self.target_positions = PositionalEncoding(dropout=dropout, name="target_positions", dtype=policy)
        logits_dtype = "float32" if tf.as_dtype(policy.compute_dtype).size < 4 else policy
        self.project_logits = keras.layers.Dense(self.target_vocab, name="project_logits", dtype=logits_dtype)

    def build(self, input_shape: tuple[Shape, Shape] | None = None) -> None:
        tokens = (None, None, self.d_model)
        self.embed_source.build()
        self.embed_target.build()
        self.encoder.build(tokens)
        self.decoder.build(tokens, tokens)
        self.project_logits.build((None, self.d_model))
        self.built = True

    def __call__(
        self,
        source_ids: LayerInput | tuple[LayerInput, LayerInput],
        target_ids: LayerInput | None = None,
        **kwargs: Any,
    ) -> Output:
        source_ids, target_ids = ids.source_and_target("Transformer", source_ids, target_ids)
        return super().__call__(tuple(tensors.from_lists(source_ids=source_ids, target_ids=target_ids)), **kwargs)

    def call(
        self, inputs: tuple[tf.Tensor, tf.Tensor], return_weights: bool = False, training: bool | None = None
    ) -> tf.Tensor | Attention:
        source_ids, target_ids = map(ids.whole_in_graphs, ("source_ids", "target_ids"), inputs)
        tensors.same_number(0, source_ids=source_ids, target_ids=target_ids)
        options: dict[str, Any] = {"return_weights": return_weights, "training": training}
        context, encoder_maps = self.encode(source_ids, **options)
        logits, decoder_maps = self.decode(target_ids, context, self.source_mask(source_ids), **options)
        if not return_weights:
            return logits
        maps = {f"encoder.{name}": w for name, w in encoder_maps.items()}
        return Attention(logits, maps | {f"decoder.{name}": w for name, w in decoder_maps.items()})

    def encode(self, source_ids: TensorLike, return_weights: bool = False, training: bool | None = None) -> Attention:
        """Return the context `(batch, source_length, d_model)` and the encoder's weights, or None."""
        source_ids = ids.vocabulary_ids("source_ids", source_ids, self.source_vocab)
        x = self.source_positions(self.embed_source(source_ids) * self.d_model**0.5, training=training)
        options = {"return_weights": return_weights, "training": training}
        result = self.encoder(x, mask=self.source_mask(source_ids), **options)
        return Attention(*unpacked(result, return_weights, False)[:2])

    def decode(
        self,
        target_ids: TensorLike,
        context: TensorLike,
        source_mask: Mask,
        return_weights: bool = False,
        training: bool | None = None,
    ) -> Attention:
        """Return the logits `(batch, target_length, target_vocab)` and the decoder's weights, or None."""
        target_ids = ids.vocabulary_ids("target_ids", target_ids, self.target_vocab)
        target_ids = ids.begins_with(self.start_id, target_ids)
        x = self.target_positions(self.embed_target(target_ids) * self.d_model**0.5, training=training)
        masks = {"mask": self.target_mask(target_ids), "cross_mask": source_mask}
        options = {"return_weights": return_weights, "training": training}
        x, maps, _ = unpacked(self.decoder(x, context, **masks, **options), return_weights, has_cache=False)
        return Attention(self.to_logits(x), maps)

    def to_logits(self, x: tf.Tensor) -> tf.Tensor:
        tokens = Tokens.of(x)
        return tokens.marked(project_rows(self.project_logits, tokens.finite))

    def source_mask(self, source_ids: TensorLike) -> tf.Tensor:
        """Block padding: `(batch, 1, 1, source_length)`."""
        return create_padding_mask(source_ids, self.pad_id)

    def target_mask(self, target_ids: tf.Tensor) -> tf.Tensor:
        """Block padding and the future: `(batch, 1, target_length, target_length)`."""
        length = target_ids.shape[1] or tf.shape(target_ids)[1]
        return combine_masks(create_padding_mask(target_ids, self.pad_id), create_look_ahead_mask(length))

    def compute_output_shape(self, input_shape: tuple[Shape, Shape]) -> Shape:
        _, target_shape = input_shape
        return (*target_shape, self.target_vocab)

    def compute_mask(self, inputs: tuple[tf.Tensor, tf.Tensor], previous_mask: Any) -> tf.Tensor:
        return keras.ops.not_equal(inputs[1], self.pad_id)

    def export(self, filepath: str | Path, *args: Any, input_signature: list | None = None, **kwargs: Any) -> None:
        """Export as every `keras.Model` does; unless `input_signature` says otherwise, ids of any length go in."""
        ids = keras.InputSpec(shape=(None, None), dtype="int32")  # Keras would guess float32
        return super().export(filepath, *args, input_signature=input_signature or [(ids, ids)], **kwargs)

    def get_config(self) -> dict[str, Any]:
        names = ("source_vocab", "target_vocab", "pad_id", "start_id", "end_id")
        config = {**super().get_config(), **arguments_of(self.decoder)}
        return {**config, **{name: getattr(self, name) for name in names}}


def embedding(vocab, d_model, name, policy):
    """Embed so that, after the paper's factor of sqrt(d_model), a vector's numbers are about as large as its waves."""
    start = keras.initializers.RandomNormal(stddev=d_model**-0.5)
    return keras.layers.Embedding(vocab, d_model, embeddings_initializer=start, name=name, dtype=policy)
