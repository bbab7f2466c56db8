"""Attention you can read, run and check.

The names in the order data flows: the definition, who may not look where, attention, pictures of it.

    by_hand      attention in plain Python lists: the definition
    masks        1 blocks a key, 0 leaves it visible: in every function, layer and page; what a mask does, in words
    attention    scores, softmax, weighted sum: the function and the layer
    blockwise    the same in memory that grows with the length, not with its square
    heads        split the width into heads, attend in each, merge them: the layer
    cache        what is kept of the tokens so far, so that a text can come in pieces
    positions    waves that say where a token stands
    rotary       positions as turns of queries and keys
    biases       numbers added to the scores because of how far a key stands from a query
    blocks       self-attention, cross-attention, feed-forward, each with its residual and its norm
    layers       one layer of the encoder, one of the decoder
    encoder_decoder  layers on top of each other: the encoder, the decoder
    transformer  the whole model, from ids to logits
    language_model  one text, from ids to logits for the next one; how well it says what comes
    generation   greedy and beam search over cached keys and values, and sampling
    certify      which promises about masks a layer keeps, whoever wrote it
    weights      carry weights to and from Keras's layers, torch's layout and checkpoints
    plots        heat maps of masks, weights, heads, positions and alignments
    dates        a translation task that trains within a minute
    programs     heads whose weights are written by hand: who looks at whom, and what is carried over
"""

from clear_attention.attention import Attention, DotProductAttention, scaled_dot_product_attention
from clear_attention.biases import (
    AlibiBias,
    DistanceBias,
    RelativePositionBias,
    alibi_bias,
    relative_position_buckets,
)
from clear_attention.blocks import CrossAttentionBlock, FeedForwardBlock, SelfAttentionBlock
from clear_attention.blockwise import blockwise_attention
from clear_attention.by_hand import attention_by_hand
from clear_attention.cache import ContextCache, KeyValueCache
from clear_attention.certify import Cause, Certificate, Row, certify
from clear_attention.dates import CharacterTokenizer, DatePairs, create_date_pairs, date_forms, date_tokenizers
from clear_attention.encoder_decoder import Decoder, Encoder
from clear_attention.generation import Beams, beam_search, greedy_search, sample, stream
from clear_attention.heads import MultiHeadAttention, merge_heads, split_heads
from clear_attention.language_model import LanguageModel, bits_per_byte, token_losses
from clear_attention.layers import DecoderLayer, EncoderLayer
from clear_attention.masks import (
    Finding,
    MaskReport,
    combine_masks,
    convert_mask,
    create_document_mask,
    create_document_positions,
    create_look_ahead_mask,
    create_padding_mask,
    create_prefix_mask,
    create_window_mask,
    describe_mask,
)
from clear_attention.plots import plot_alignment, plot_heads, plot_mask, plot_positions, plot_weights
from clear_attention.positions import PositionalEncoding, sinusoidal_encoding
from clear_attention.programs import aggregate, select
from clear_attention.rotary import RotaryPositions, convert_rotary
from clear_attention.transformer import Transformer
from clear_attention.weights import (
    weights_from_keras,
    weights_from_matrices,
    weights_from_torch,
    weights_to_keras,
    weights_to_matrices,
    weights_to_torch,
)

__all__ = [  # noqa: RUF022 - the order of data flow, which is the order of the site
    "attention_by_hand",
    "create_padding_mask",
    "create_look_ahead_mask",
    "create_prefix_mask",
    "create_window_mask",
    "create_document_mask",
    "create_document_positions",
    "combine_masks",
    "convert_mask",
    "describe_mask",
    "MaskReport",
    "Finding",
    "Attention",
    "scaled_dot_product_attention",
    "DotProductAttention",
    "blockwise_attention",
    "split_heads",
    "merge_heads",
    "MultiHeadAttention",
    "KeyValueCache",
    "ContextCache",
    "sinusoidal_encoding",
    "PositionalEncoding",
    "RotaryPositions",
    "convert_rotary",
    "alibi_bias",
    "relative_position_buckets",
    "DistanceBias",
    "AlibiBias",
    "RelativePositionBias",
    "SelfAttentionBlock",
    "CrossAttentionBlock",
    "FeedForwardBlock",
    "EncoderLayer",
    "DecoderLayer",
    "Encoder",
    "Decoder",
    "Transformer",
    "LanguageModel",
    "token_losses",
    "bits_per_byte",
    "greedy_search",
    "beam_search",
    "Beams",
    "sample",
    "stream",
    "certify",
    "Certificate",
    "Cause",
    "Row",
    "weights_from_keras",
    "weights_to_keras",
    "weights_from_torch",
    "weights_to_torch",
    "weights_from_matrices",
    "weights_to_matrices",
    "plot_mask",
    "plot_weights",
    "plot_heads",
    "plot_positions",
    "plot_alignment",
    "date_forms",
    "create_date_pairs",
    "DatePairs",
    "CharacterTokenizer",
    "date_tokenizers",
    "select",
    "aggregate",
]
