"""What one step of either model is: the tokens said last go in, the logits of the next come out, and the past grows.

A Transformer reads its source once, and begins with the start id. A language model reads its prompt but for the last
token, with which it begins.
"""

from __future__ import annotations

import tensorflow as tf

from clear_attention._checks.ids import has_one_text

CHUNK = 128  # tokens of a prompt that are read at once, at most


def vocab_of(model):
    return model.vocab if has_one_text(model) else model.target_vocab


def logits_dtype(model):
    return tf.float64 if model.compute_dtype == "float64" else tf.float32


def first_tokens(model, ids):
    """Return the token of each text that goes in first, `(batch,)`."""
    return ids[:, -1] if has_one_text(model) else tf.fill(tf.shape(ids)[:1], model.start_id)


def prepare(model, ids, max_length, width=1):
    """Return what `step` needs, the pasts of all hypotheses last."""
    if has_one_text(model):
        return (read_prompts(model, ids, max_length, width),)
    return read_sources(model, ids, max_length, width)


def read_sources(transformer, source_ids, max_length, width):
    """Encode once; return the context, its mask, and for every decoder layer what it keeps of the context and an empty
    past."""
    context = transformer.encode(source_ids, training=False).output
    layers, rows = transformer.decoder.layers, tf.shape(source_ids)[0] * width
    contexts = [layer.cross_attention.create_cache(context) for layer in layers]
    pasts = [layer.self_attention.create_cache(rows, max_length) for layer in layers]
    return context, transformer.source_mask(source_ids), contexts, pasts


def read_prompts(model, ids, max_length, width):
    """Return a cache with all tokens but the last in it: chunk by chunk, since what is held grows with a chunk."""
    batch, length = tf.shape(ids)[0], tf.shape(ids)[1] - 1
    chunks = tf.maximum(1, (length + CHUNK - 1) // CHUNK)
    size = tf.maximum(1, (length + chunks - 1) // chunks)
    longer = tf.pad(ids[:, :-1], [[0, 0], [chunks * size - length, 0]], constant_values=model.pad_id)
    in_chunks = tf.reshape(longer, (batch, chunks, size))

    def read(i, cache):
        _, cache = model(in_chunks[:, i], cache=cache, training=False)
        return i + 1, cache

    cache = model.create_cache(batch, chunks * size + max_length)
    _, cache = tf.while_loop(lambda i, _: i < chunks, read, (0, cache), parallel_iterations=1)
    if width == 1:
        return cache
    return tf.nest.map_structure(lambda x: tf.repeat(x, width, axis=0) if x.shape.rank else x, cache)


def step(model, tokens, position, *kept):
    """Return the logits `(batch, width, vocab)` that follow `tokens` `(batch, width)`, and the longer pasts."""
    if has_one_text(model):
        (cache,) = kept
        logits, cache = model(tf.reshape(tokens, (-1, 1)), cache=cache, training=False)
        return tf.reshape(logits, (*tf.unstack(tf.shape(tokens)), model.vocab)), cache
    return step_of_decoder(model, tokens, position, *kept)


def step_of_decoder(transformer, tokens, position, context, source_mask, contexts, pasts):
    batch, width = tf.shape(tokens)[0], tokens.shape[1]
    x = transformer.embed_target(tokens) * transformer.d_model**0.5  # (batch, width, d_model)
    x = transformer.target_positions(x, positions=tf.fill([width], position), training=False)
    longer = []
    for layer, kept, past in zip(transformer.decoder.layers, contexts, pasts, strict=True):
        x = tf.reshape(x, (-1, 1, transformer.d_model))  # a hypothesis sees its own past only
        x, past = layer.self_attention(x, cache=past, training=False)
        x = tf.reshape(x, (batch, width, transformer.d_model))  # and all of them one context
        x, _ = layer.cross_attention(x, context, mask=source_mask, cache=kept, training=False)
        x = layer.feed_forward(x, training=False)
        longer.append(past)
    return transformer.to_logits(transformer.decoder.final_norm(x)), longer


def sayable(model, logits):
    """Forbid what is never said: padding and the start id."""
    ids = tf.range(vocab_of(model))
    never = (ids == model.pad_id) | (ids == model.start_id)
    return tf.where(never, tf.constant(float("-inf"), logits.dtype), logits)


def log_probabilities(model, logits):
    return tf.nn.log_softmax(sayable(model, logits))
