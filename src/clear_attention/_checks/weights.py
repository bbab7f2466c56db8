"""What weights are carried between: layers that are built, arrays of the right names and shapes."""

from __future__ import annotations

from collections.abc import Mapping

from clear_attention._checks.sentence import refusal, shown


def is_a(kind, written, **values):
    for name, value in values.items():
        if not isinstance(value, kind):
            law = "Weights are carried between layers of multi-head attention."
            raise TypeError(refusal(law, f"{name} as a {written}", f"{name}={shown(value, with_type=True)}"))


def is_built(name, layer):
    if not layer.built:
        law = f"{name} has no weights before it is built: call it once on data first."
        raise ValueError(refusal(law, f"{name} built", f"{name} {layer.name!r}, not built"))


def are_plain(projections, written):
    """Refuse projections whose kernel is not the matrix that they multiply by, or can't be written."""
    for name, dense in projections.items():
        if mode := getattr(dense, "quantization_mode", None):
            law = f"A quantized layer holds codes, not weights: carry weights first, then call quantize({mode!r})."
            raise ValueError(refusal(law, f"{name} not quantized", f"{name} with quantization_mode={mode!r}"))
        if written and getattr(dense, "lora_enabled", False):
            law = "With LoRA a kernel is a sum of two, which can be read but not written: call enable_lora afterwards."
            raise ValueError(refusal(law, f"{name} without LoRA", f"{name} with lora_rank={dense.lora_rank}"))


def same_shape(name, shape, expected):
    if tuple(shape) != tuple(expected):
        law = f"{name} must have the shape of its counterpart."
        raise ValueError(refusal(law, f"{name} of shape {tuple(expected)}", f"{name}.shape={tuple(shape)}"))


def same_names(name, given, expected, what="the arrays of torch's MultiheadAttention"):
    law = f"{name} must hold {what}, with a bias if the layer has one."
    if not isinstance(given, Mapping):
        raise TypeError(refusal(law, f"a dict of {', '.join(expected)}", f"{name}={shown(given, with_type=True)}"))
    if set(given) != set(expected):
        raise ValueError(refusal(law, ", ".join(expected), ", ".join(map(str, given)) or "nothing"))


def same_bias(name, ours, theirs):
    if ours != theirs:
        law = "Both layers must have a bias, or neither: use_bias says so."
        raise ValueError(refusal(law, f"{name} with use_bias={ours}", f"{name} with use_bias={theirs}"))


def has_no_gate(keras_layer):
    if getattr(keras_layer, "use_gate", False):
        law = "A gate multiplies what comes out of the heads, and ours has none."
        raise ValueError(refusal(law, "keras_layer with use_gate=False", "keras_layer with use_gate=True"))


def torch_depths(layer):
    if layer.num_key_value_heads != layer.num_heads:
        law = "torch's MultiheadAttention has as many heads of keys as of queries; weights_to_matrices knows fewer."
        received = f"num_heads={layer.num_heads}, num_key_value_heads={layer.num_key_value_heads}"
        raise ValueError(refusal(law, "num_key_value_heads = num_heads", received))
    if not layer.num_heads * layer.d_k == layer.num_heads * layer.d_v == layer.d_model:
        law = "torch's MultiheadAttention knows only heads that share d_model equally."
        received = f"d_model={layer.d_model}, num_heads={layer.num_heads}, d_k={layer.d_k}, d_v={layer.d_v}"
        raise ValueError(refusal(law, "num_heads * d_k = num_heads * d_v = d_model", received))
