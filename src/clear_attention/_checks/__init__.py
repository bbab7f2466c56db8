"""Every refusal of the package, in one voice. The rooms are named after what is checked.

    sentence   the form of every refusal
    lists      the rows of numbers of attention_by_hand
    tensors    shapes and types
    numbers    sizes, counts, rates
    options    switches, names, functions, labels
    masks      which numbers a mask holds, and what it fits
    attention  q, k, v and a mask that fit together
    caches     kept keys and values
    ids        numbers that stand for words
    texts      dates, characters, sentences
    weights    layers and arrays that weights are carried between

A refusal is built of three parts, `refusal(law, expected, received)`: the law in axis words, what would have been
right here, what came in. Wrong types raise `TypeError`, wrong shapes and values `ValueError`. Inside a graph values
can't be read and some lengths may be unknown: there the known shapes are checked, and the rest is trusted.

A check is named after what is right, and returns it, where it had to be converted. What only `certify` or the plots
refuse stands in their own rooms `refusals`.
"""

import keras

from clear_attention._checks.sentence import refusal

if keras.backend.backend() != "tensorflow":
    law = "clear_attention computes with TensorFlow, so its layers are layers of Keras on TensorFlow."
    raise ImportError(refusal(law, "KERAS_BACKEND=tensorflow, set before Keras is imported", keras.backend.backend()))
