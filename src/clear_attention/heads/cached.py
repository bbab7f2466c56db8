"""Steps of the layer when it is called with a cache: new tokens are kept, and queries look back at all that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import tensorflow as tf

from clear_attention._checks import tensors
from clear_attention._checks.biases import one_sequence
from clear_attention._checks.weights import is_built
from clear_attention._nonfinite import Tokens, marked, without_nonfinite
from clear_attention._types import TensorLike
from clear_attention.attention import Attention, full_shape
from clear_attention.cache import ContextCache, KeyValueCache, SeenInCache
from clear_attention.heads.steps import blocked_by_keras, later_keys
from clear_attention.masks.create import blocked_by_any

if TYPE_CHECKING:
    from clear_attention.heads.layer import MultiHeadAttention


def write_down(
    layer: MultiHeadAttention,
    queries: tf.Tensor,
    keys: tf.Tensor,
    values: tf.Tensor,
    cache: KeyValueCache,
    blocked: tf.Tensor | None,
    positions: TensorLike | None,
) -> tuple[tf.Tensor, KeyValueCache, tf.Tensor]:
    """Return the queries of new tokens, the cache with these tokens in it, and what lies in their future."""
    queries, keys, values = map(Tokens.unchecked, (queries, keys, values))  # what is kept is finite all the same
    where = {} if positions is None else {"positions": positions}
    q = layer.to_queries(queries, cache.length, **where)
    k, v = layer.to_keys_and_values(keys, values, cache.length, **where)
    cache = cache.extended(ContextCache.of(k, v, blocked))
    return q, cache, cache.future_of(full_shape(q)[2])


def look_back(layer, q, cache, mask, causal, return_weights, dropout, **rules):
    """Attend to what a cache keeps, all of which is finite: nobody has to look for NaN at every step again."""
    # a query that is NaN itself has a NaN output anyhow, but its weights must stay 0 where it may not look
    (safe_q,), strange = without_nonfinite(q) if return_weights else ((q,), None)
    result = layer.attend(safe_q, cache.keys, cache.values, mask, causal, return_weights, dropout, False, **rules)
    known = [x for x in result if x is not None]  # by blocks there are no weights
    strange = tf.reduce_any(cache.strange) if strange is None else strange | tf.reduce_any(cache.strange)
    if tf.executing_eagerly() and not strange:
        return result
    mask = blocked_by_any(mask, later_keys(q, cache.keys) if causal else None)
    output, *weights = marked(known, strange, SeenInCache(q if return_weights else None, cache.strange, mask))
    return Attention(output, weights[0] if weights else None)


def projected_context(layer, keys, values):
    """Return the keys and values of a context as the layer projects them, with the masks that Keras attached."""
    is_built("layer", layer)
    one_sequence(layer)
    given = {"keys": keys, "values": keys if values is None else values}
    masks = [getattr(x, "_keras_mask", None) for x in given.values()]
    keys, values = (tf.cast(tensors.float_tensor(name, x), layer.compute_dtype) for name, x in given.items())
    tensors.as_built(layer.project_keys.kernel, keys=keys)
    tensors.as_built(layer.project_values.kernel, values=values)
    tensors.same_number(1, keys=keys, values=values)
    k, v = layer.to_keys_and_values(*Tokens.of_each(keys, values))
    return ContextCache.of(k, v, blocked_by_keras(*masks))
