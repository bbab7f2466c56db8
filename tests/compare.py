"""How tests compare numbers of any dtype, bfloat16 too: as NumPy's float64."""

import numpy as np
import tensorflow as tf


def close(actual, expected, tolerance=1e-6):
    np.testing.assert_allclose(np.asarray(actual, float), np.asarray(expected, float), rtol=tolerance, atol=tolerance)


def hidden_changes_nothing(layer, inputs, real, masks, mode=lambda f: f):
    """Put NaN and other vectors in the place of padding: outputs of real tokens stay to the bit, gradients nearly.
    Where masks is None, the inputs bring theirs along, as after an Embedding."""

    def step(*inputs):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            seen = tf.where(real[0][..., None], layer(*inputs, **(masks or {})), 0.0)
            loss = tf.reduce_sum(tf.sin(seen))
        return seen, tape.gradient(loss, [*inputs, *layer.trainable_variables])

    step, results = mode(step), []
    for strange in (0.5, np.nan, np.inf, 1e10):
        pairs = list(zip(inputs, real, strict=False))  # a layer without a context takes the first only
        filled = [tf.constant(np.where(r[..., None], x, np.float32(strange))) for x, r in pairs]
        for x, (_, r) in zip(filled, pairs, strict=True):
            x._keras_mask = tf.constant(r) if masks is None else None
        results.append(step(*filled))
    for seen, gradients in results[1:]:
        np.testing.assert_array_equal(seen, results[0][0])
        for before, after in zip(results[0][1], gradients, strict=True):
            assert np.all(np.isfinite(before))
            close(after, before, 1e-5)  # finite, as before is


def assert_padding_is_not_seen(model, tables, strange, real_logits):
    """Embed padding as strange numbers instead of usual ones: no real logit and no gradient may change."""
    results = []
    for filler in (0.5, strange):
        for embed in tables:
            table = np.array(embed.embeddings)
            table[0] = filler
            embed.embeddings.assign(table)
        with tf.GradientTape() as tape:
            logits = real_logits()
            loss = tf.reduce_sum(tf.sin(logits))
        results.append((logits, tape.gradient(loss, model.trainable_variables)))
    (logits, gradients), (others, other_gradients) = results
    np.testing.assert_array_equal(logits, others)
    for before, after in zip(gradients, other_gradients, strict=True):
        before, after = tf.convert_to_tensor(before), tf.convert_to_tensor(after)
        assert np.all(np.isfinite(after))
        close(after, before, 1e-5)
