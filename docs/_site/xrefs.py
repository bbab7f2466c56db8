"""The outside names that pages may link to, since a build must not need the network."""

KERAS = "https://keras.io/api/"
NUMPY = "https://numpy.org/doc/stable/reference/generated/"
TENSORFLOW = "https://www.tensorflow.org/api_docs/python/tf/"
NAMES = {
    "keras.Layer": KERAS + "layers/base_layer/#layer-class",
    "keras.layers.Embedding": KERAS + "layers/core_layers/embedding/",
    "keras.layers.Layer": KERAS + "layers/base_layer/#layer-class",
    "keras.layers.MultiHeadAttention": KERAS + "layers/attention_layers/multi_head_attention/",
    "matplotlib.axes.Axes": "https://matplotlib.org/stable/api/_as_gen/matplotlib.axes.Axes.html",
    "numpy.ndarray": NUMPY + "numpy.ndarray.html",
    "tf.Tensor": TENSORFLOW + "Tensor",
    "tf.function": TENSORFLOW + "function",
    "tensorflow.Tensor": TENSORFLOW + "Tensor",
}
