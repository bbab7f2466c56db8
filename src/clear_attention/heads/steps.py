"""Small steps of the layer: projections of rows, and masks and positions as it needs them."""

from __future__ import annotations

import keras
import tensorflow as tf

from clear_attention._token_layer import padding_of
from clear_attention.attention import full_shape
from clear_attention.masks import create_document_mask
from clear_attention.masks.create import look_ahead


def project_rows(dense, x):
    """Apply a Dense layer to all tokens as the rows of one matrix.

    On three axes its gradient would be formed once for each sentence and summed, which is several times slower.
    """
    rows = dense(tf.reshape(x, (-1, x.shape[-1])))
    return tf.reshape(rows, (*full_shape(x)[:-1], dense.units))


def described(part):
    """Return what a part is made again from; it is built when the layer is."""
    if part is None:
        return None
    return {k: v for k, v in keras.saving.serialize_keras_object(part).items() if k != "build_config"}


def last(positions, queries):
    """Return the positions of the queries by name, which stand at the last places of all."""
    return {} if positions is None else {"positions": tf.convert_to_tensor(positions)[..., -full_shape(queries)[1] :]}


def hidden_by(q, k, causal, segment_ids, window, first_keys):
    """Return the masks of the future, of other documents and of keys outside a window, None for what is not asked."""
    return (
        later_keys(q, k) if causal else None,
        None if segment_ids is None else of_documents(segment_ids, q),
        None if window is None else outside(window, first_keys, q, k),
    )


def of_documents(segment_ids, q):
    """Return the mask of documents for the queries, which are the last tokens."""
    return create_document_mask(segment_ids)[..., -full_shape(q)[2] :, :]


def outside(window, first_keys, q, k, behind=0):
    """Return the mask of keys outside a window `(query_length, key_length)`; the last query stands `behind` the last
    key."""
    queries, keys = full_shape(q)[2], full_shape(k)[2]
    stands = tf.range(queries)[:, tf.newaxis] + (keys - queries - behind)
    place = tf.range(keys)
    return (abs(stands - place) >= window) & (place >= first_keys)


def later_keys(q, k):
    return look_ahead(full_shape(q)[-2], full_shape(k)[-2])


def blocked_by_keras(*masks):
    """Tell which tokens are blocked by masks that Keras attached, `(batch, length)`, or None if there are no masks."""
    blocked = [padding_of(mask) for mask in masks if mask is not None]
    return blocked[0] | blocked[-1] if blocked else None


def for_all_heads(*masks):
    """Yield masks of tokens `(batch, length)` with an axis for the heads."""
    return (None if mask is None else tf.expand_dims(mask, axis=1) for mask in masks)
