"""Carry the weights of multi-head attention to and from Keras's layers, torch's layout and that of today's checkpoints.

All hold the same numbers in other shapes. Ours are four Dense layers: kernels `(depth, heads * d_k)`, in which
head 0 owns the first `d_k` columns. Nothing here computes; a wrong shape is refused before anything is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import keras
import numpy as np
import numpy.typing as npt

from clear_attention._checks import weights
from clear_attention.heads import MultiHeadAttention

KERAS_NAMES = {
    "project_queries": "query_dense",
    "project_keys": "key_dense",
    "project_values": "value_dense",
    "project_output": "output_dense",
}
MATRICES = {
    "project_queries": "q_proj",
    "project_keys": "k_proj",
    "project_values": "v_proj",
    "project_output": "o_proj",
}
KerasAttention: TypeAlias = keras.layers.MultiHeadAttention | keras.layers.GroupQueryAttention


def weights_from_keras(layer: MultiHeadAttention, keras_layer: KerasAttention) -> MultiHeadAttention:
    """Copy the weights of Keras's multi-head or grouped-query attention into ours.

    Args:
        layer: a [`MultiHeadAttention`][clear_attention.MultiHeadAttention]; it is built if it is not yet.
        keras_layer: a `keras.layers.MultiHeadAttention` or `keras.layers.GroupQueryAttention` that has been built, with
            the same numbers of heads and the same depths.

    Returns:
        `layer`, with the weights in place.

    Raises:
        TypeError: `layer` is not one of ours, or `keras_layer` is not one of Keras.
        ValueError: a layer is not built, is quantized or would be written to under LoRA, or an array has another shape
            than its counterpart, Keras's layer has a gate; nothing is changed then.

    Examples:
        >>> import keras, numpy as np
        >>> from clear_attention import MultiHeadAttention, weights_from_keras
        >>> x = np.ones((1, 3, 8), "float32")
        >>> theirs = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
        >>> expected = theirs(x, x)
        >>> ours = weights_from_keras(MultiHeadAttention(d_model=8, num_heads=2), theirs)
        >>> bool(np.allclose(ours(x), expected, atol=1e-6))
        True
    """
    are_both_kinds(layer, keras_layer)
    weights.is_built("keras_layer", keras_layer)
    weights.are_plain(projections_of(keras_layer), written=False)
    weights.are_plain(projections(layer), written=True)
    if not layer.built:
        depths = [part_of(keras_layer, f"{name}_dense").kernel.shape[0] for name in ("query", "key", "value")]
        layer.build(*((None, None, depth) for depth in depths))
    values = {}
    for ours, theirs in KERAS_NAMES.items():
        source = part_of(keras_layer, theirs)
        shapes = keras_shapes(layer, ours)
        for kind in kinds(layer, source, theirs):
            array = np.asarray(getattr(source, kind))
            weights.same_shape(f"keras_layer.{theirs}.{kind}", array.shape, shapes[kind])
            target = getattr(getattr(layer, ours), kind)
            values[ours, kind] = array.reshape(target.shape)
    return assign(layer, values)


def weights_to_keras(layer: MultiHeadAttention, keras_layer: KerasAttention) -> KerasAttention:
    """Copy our weights into Keras's multi-head or grouped-query attention.

    Args:
        layer: a [`MultiHeadAttention`][clear_attention.MultiHeadAttention] that has been built.
        keras_layer: a `keras.layers.MultiHeadAttention` or `keras.layers.GroupQueryAttention` that has been built, with
            the same numbers of heads and the same depths.

    Returns:
        `keras_layer`, with the weights in place.

    Raises:
        TypeError: `layer` is not one of ours, or `keras_layer` is not one of Keras.
        ValueError: a layer is not built, is quantized or would be written to under LoRA, or an array has another shape
            than its counterpart, Keras's layer has a gate; nothing is changed then.

    Examples:
        >>> import keras, numpy as np
        >>> from clear_attention import MultiHeadAttention, weights_to_keras
        >>> x = np.ones((1, 3, 8), "float32")
        >>> ours, theirs = MultiHeadAttention(8, 2), keras.layers.MultiHeadAttention(2, 4)
        >>> expected, _ = ours(x), theirs(x, x)
        >>> bool(np.allclose(weights_to_keras(ours, theirs)(x, x), expected, atol=1e-6))
        True
    """
    are_both_kinds(layer, keras_layer)
    weights.is_built("layer", layer)
    weights.is_built("keras_layer", keras_layer)
    weights.are_plain(projections(layer), written=False)
    weights.are_plain(projections_of(keras_layer), written=True)
    moves = []
    for ours, theirs in KERAS_NAMES.items():
        target = part_of(keras_layer, theirs)
        shapes = keras_shapes(layer, ours)
        for kind in kinds(layer, target, theirs):
            variable = getattr(target, kind)
            weights.same_shape(f"keras_layer.{theirs}.{kind}", variable.shape, shapes[kind])
            moves.append((variable, np.asarray(getattr(getattr(layer, ours), kind)).reshape(shapes[kind])))
    for variable, array in moves:
        variable.assign(array)
    return keras_layer


def weights_from_torch(layer: MultiHeadAttention, state_dict: Mapping[str, npt.ArrayLike]) -> MultiHeadAttention:
    """Copy weights in the layout of `torch.nn.MultiheadAttention` into ours.

    Args:
        layer: a [`MultiHeadAttention`][clear_attention.MultiHeadAttention] with `d_k = d_v = d_model / num_heads`; it
            is built if it is not yet.
        state_dict: NumPy arrays by name: `in_proj_weight` `(3 * d_model, d_model)`, `out_proj.weight`
            `(d_model, d_model)` and, if the layer has a bias, `in_proj_bias` `(3 * d_model,)` and `out_proj.bias`
            `(d_model,)`. Queries, keys and values lie one below the other.

    Returns:
        `layer`, with the weights in place.

    Raises:
        TypeError: `layer` is not one of ours, or `state_dict` holds no arrays by name.
        ValueError: an array is missing, unknown or of another shape, the layer is quantized or has LoRA, or it has
            depths that torch does not know; nothing is changed then.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import MultiHeadAttention, weights_from_torch
        >>> arrays = {"in_proj_weight": np.ones((12, 4)), "out_proj.weight": np.eye(4)}
        >>> layer = weights_from_torch(MultiHeadAttention(4, 2, use_bias=False), arrays)
        >>> layer(np.ones((1, 1, 4))).numpy()
        array([[[4., 4., 4., 4.]]], dtype=float32)
    """
    is_ours(layer)
    weights.are_plain(projections(layer), written=True)
    shapes = torch_shapes(layer)
    weights.same_names("state_dict", state_dict, shapes)
    arrays = {name: np.asarray(array) for name, array in state_dict.items()}
    for name, shape in shapes.items():
        weights.same_shape(name, arrays[name].shape, shape)
    if not layer.built:
        layer.build((None, None, layer.d_model))
    values = {("project_output", "kernel"): arrays["out_proj.weight"].T}
    rows = np.split(arrays["in_proj_weight"], 3)
    for name, kernel in zip(list(KERAS_NAMES)[:3], rows, strict=True):
        values[name, "kernel"] = kernel.T
    if layer.use_bias:
        values["project_output", "bias"] = arrays["out_proj.bias"]
        for name, bias in zip(list(KERAS_NAMES)[:3], np.split(arrays["in_proj_bias"], 3), strict=True):
            values[name, "bias"] = bias
    return assign(layer, values)


def weights_to_torch(layer: MultiHeadAttention) -> dict[str, np.ndarray]:
    """Write our weights in the layout of `torch.nn.MultiheadAttention`.

    Args:
        layer: a [`MultiHeadAttention`][clear_attention.MultiHeadAttention] that has been built, with
            `d_k = d_v = d_model / num_heads`.

    Returns:
        NumPy arrays by name, as [`weights_from_torch`][clear_attention.weights_from_torch] takes them.

    Raises:
        TypeError: `layer` is not one of ours.
        ValueError: the layer is not built, is quantized, or has depths that torch does not know.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import MultiHeadAttention, weights_to_torch
        >>> layer = MultiHeadAttention(4, 2)
        >>> output = layer(np.ones((1, 1, 4)))
        >>> {name: array.shape for name, array in weights_to_torch(layer).items()}
        {'in_proj_weight': (12, 4), 'out_proj.weight': (4, 4), 'in_proj_bias': (12,), 'out_proj.bias': (4,)}
    """
    is_ours(layer)
    weights.is_built("layer", layer)
    weights.are_plain(projections(layer), written=False)
    shapes = torch_shapes(layer)
    *inputs, output = (getattr(layer, name) for name in KERAS_NAMES)
    arrays = {
        "in_proj_weight": np.concatenate([np.asarray(dense.kernel).T for dense in inputs]),
        "out_proj.weight": np.asarray(output.kernel).T,
    }
    if layer.use_bias:
        arrays["in_proj_bias"] = np.concatenate([np.asarray(dense.bias) for dense in inputs])
        arrays["out_proj.bias"] = np.asarray(output.bias)
    for name, shape in shapes.items():
        weights.same_shape(name, arrays[name].shape, shape)
    return arrays


def weights_from_matrices(layer: MultiHeadAttention, arrays: Mapping[str, npt.ArrayLike]) -> MultiHeadAttention:
    """Copy four matrices, as the checkpoints of today's decoders hold them, into ours.

    Such a matrix is the transpose of a kernel: its rows are the channels of all heads, head 0 first, and heads of keys
    and values may be fewer. Rotary layouts are not changed: see [`convert_rotary`][clear_attention.convert_rotary].

    Args:
        layer: a [`MultiHeadAttention`][clear_attention.MultiHeadAttention]; it is built if it is not yet.
        arrays: NumPy arrays by name: `q_proj.weight` `(num_heads * d_k, depth)`, `k_proj.weight`
            `(num_key_value_heads * d_k, depth)`, `v_proj.weight` `(num_key_value_heads * d_v, depth)`, `o_proj.weight`
            `(d_model, num_heads * d_v)` and, if the layer has biases, `q_proj.bias` and so on.

    Returns:
        `layer`, with the weights in place.

    Raises:
        TypeError: `layer` is not one of ours, or `arrays` holds no arrays by name.
        ValueError: an array is missing, unknown or of another shape, or the layer is quantized or has LoRA; nothing is
            changed then.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import MultiHeadAttention, weights_from_matrices
        >>> layer = MultiHeadAttention(4, num_heads=2, num_key_value_heads=1, use_bias=False)
        >>> sizes = {"q_proj": (4, 4), "k_proj": (2, 4), "v_proj": (2, 4), "o_proj": (4, 4)}
        >>> arrays = {f"{name}.weight": np.ones(size) for name, size in sizes.items()}
        >>> weights_from_matrices(layer, arrays)(np.ones((1, 1, 4))).numpy()
        array([[[16., 16., 16., 16.]]], dtype=float32)
    """
    is_ours(layer)
    weights.are_plain(projections(layer), written=True)
    kinds = ("weight", "bias") if layer.use_bias else ("weight",)
    names = [f"{name}.{kind}" for kind in kinds for name in MATRICES.values()]
    weights.same_names("arrays", arrays, names, "the four matrices of an attention layer")
    given = {name: np.asarray(array) for name, array in arrays.items()}
    depths = {name: given[f"{name}.weight"].shape[-1:] for name in MATRICES.values()}
    for name, shape in matrix_shapes(layer, depths).items():
        weights.same_shape(name, given[name].shape, shape)
    if not layer.built:
        layer.build(*((None, None, *depths[name]) for name in ("q_proj", "k_proj", "v_proj")))
    values = {}
    for ours, theirs in MATRICES.items():
        values[ours, "kernel"] = given[f"{theirs}.weight"].T
        if layer.use_bias:
            values[ours, "bias"] = given[f"{theirs}.bias"]
    return assign(layer, values)


def weights_to_matrices(layer: MultiHeadAttention) -> dict[str, np.ndarray]:
    """Write our weights as four matrices, as the checkpoints of today's decoders hold them.

    Args:
        layer: a [`MultiHeadAttention`][clear_attention.MultiHeadAttention] that has been built.

    Returns:
        NumPy arrays by name, as [`weights_from_matrices`][clear_attention.weights_from_matrices] takes them.

    Raises:
        TypeError: `layer` is not one of ours.
        ValueError: the layer is not built, or is quantized.

    Examples:
        >>> import numpy as np
        >>> from clear_attention import MultiHeadAttention, weights_to_matrices
        >>> layer = MultiHeadAttention(4, num_heads=2, num_key_value_heads=1, use_bias=False)
        >>> output = layer(np.ones((1, 1, 4)))
        >>> {name: array.shape for name, array in weights_to_matrices(layer).items()}
        {'q_proj.weight': (4, 4), 'k_proj.weight': (2, 4), 'v_proj.weight': (2, 4), 'o_proj.weight': (4, 4)}
    """
    is_ours(layer)
    weights.is_built("layer", layer)
    weights.are_plain(projections(layer), written=False)
    arrays = {f"{theirs}.weight": np.asarray(getattr(layer, ours).kernel).T for ours, theirs in MATRICES.items()}
    if layer.use_bias:
        arrays |= {f"{theirs}.bias": np.asarray(getattr(layer, ours).bias) for ours, theirs in MATRICES.items()}
    return arrays


def is_ours(layer):
    weights.is_a(MultiHeadAttention, "clear_attention.MultiHeadAttention", layer=layer)


def are_both_kinds(layer, keras_layer):
    is_ours(layer)
    kinds = (keras.layers.MultiHeadAttention, keras.layers.GroupQueryAttention)
    weights.is_a(kinds, "keras.layers.MultiHeadAttention or GroupQueryAttention", keras_layer=keras_layer)
    weights.has_no_gate(keras_layer)


def projections(layer):
    return {f"layer.{name}": getattr(layer, name) for name in KERAS_NAMES}


def projections_of(keras_layer):
    return {f"keras_layer.{name}": part_of(keras_layer, name) for name in KERAS_NAMES.values()}


def part_of(keras_layer, name):
    """Return a projection of Keras's layer; grouped-query attention gives them to nobody, and has them all the same."""
    return getattr(keras_layer, name if hasattr(keras_layer, name) else f"_{name}")


def assign(layer, values):
    for (name, kind), array in values.items():
        getattr(getattr(layer, name), kind).assign(array)
    return layer


def kinds(layer, keras_dense, name):
    """List what is to be copied, and refuse a bias that only one side has."""
    weights.same_bias(f"keras_layer.{name}", layer.use_bias, keras_dense.bias is not None)
    return ("kernel", "bias") if layer.use_bias else ("kernel",)


def keras_shapes(layer, name):
    """Return the shapes in which Keras holds one of our projections."""
    dense = getattr(layer, name)
    depth = layer.d_k if name in ("project_queries", "project_keys") else layer.d_v
    if name == "project_output":
        return {"kernel": (layer.num_heads, layer.d_v, layer.d_model), "bias": (layer.d_model,)}
    heads = layer.num_heads if name == "project_queries" else layer.num_key_value_heads
    return {"kernel": (dense.kernel.shape[0], heads, depth), "bias": (heads, depth)}


def matrix_shapes(layer, depths):
    """Return the shapes of the four matrices: their last axis is what they multiply, which is free where nothing is."""
    channels = {
        "q_proj": layer.num_heads * layer.d_k,
        "k_proj": layer.num_key_value_heads * layer.d_k,
        "v_proj": layer.num_key_value_heads * layer.d_v,
        "o_proj": layer.d_model,
    }
    depths = {**depths, "o_proj": (layer.num_heads * layer.d_v,)}
    if layer.built:
        depths |= {MATRICES[n]: getattr(layer, n).kernel.shape[:1] for n in list(MATRICES)[:3]}
    shapes = {f"{name}.weight": (number, *depths[name]) for name, number in channels.items()}
    return shapes | ({f"{name}.bias": (number,) for name, number in channels.items()} if layer.use_bias else {})


def torch_shapes(layer):
    weights.torch_depths(layer)
    d = layer.d_model
    shapes: dict[str, tuple[int, ...]] = {"in_proj_weight": (3 * d, d), "out_proj.weight": (d, d)}
    if layer.use_bias:
        shapes |= {"in_proj_bias": (3 * d,), "out_proj.bias": (d,)}
    return shapes
