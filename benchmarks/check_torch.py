"""Compare MultiHeadAttention, EncoderLayer and DecoderLayer with a real torch on the same weights: `make check-torch`.

torch is no dependency of the package or its tests, which check torch's layout with arrays.
"""

import itertools

import keras
import numpy as np
import tensorflow as tf
import torch

from clear_attention import (
    DecoderLayer,
    EncoderLayer,
    MultiHeadAttention,
    combine_masks,
    convert_mask,
    create_look_ahead_mask,
    create_padding_mask,
    weights_from_torch,
    weights_to_torch,
)

IDS = np.array([[7, 6, 2, 0, 0, 0], [1, 2, 3, 4, 5, 0]])
CONTEXT_IDS = np.array([[5, 0, 0, 2], [3, 2, 1, 0]])
KINDS = ("none", "look-ahead", "padding")


def torch_mask(mask):
    return torch.tensor(convert_mask(mask, "blocked", "torch_mha").numpy())


def compare(heads, use_bias, kind):
    """Return the largest difference between our output and torch's, in float64, after moving weights both ways."""
    torch.manual_seed(heads)
    theirs = torch.nn.MultiheadAttention(24, heads, bias=use_bias, batch_first=True, dtype=torch.float64)
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    state = {name: tensor.detach().numpy() for name, tensor in theirs.state_dict().items()}
    ours = weights_from_torch(MultiHeadAttention(24, heads, use_bias=use_bias, dtype="float64"), state)
    back = weights_to_torch(ours)
    assert all(np.array_equal(back[name], array) for name, array in state.items())

    x = np.random.default_rng(heads).normal(size=(2, 6, 24))
    mask, options = None, {}
    if kind == "look-ahead":
        mask = create_look_ahead_mask(6)
        options["attn_mask"] = torch_mask(mask)
    elif kind == "padding":
        mask = create_padding_mask(IDS)
        options["key_padding_mask"] = torch_mask(mask)
    with torch.no_grad():
        expected, weights = theirs(*[torch.tensor(x)] * 3, average_attn_weights=False, **options)
    output, our_weights = ours(x, mask=mask, return_weights=True)
    return max(np.max(np.abs(output - expected.numpy())), np.max(np.abs(our_weights - weights.numpy())))


def exact_gelu(x):
    """Return x times the normal distribution: Keras's own up to float32, since it rounds the root of 2 to that."""
    if x.dtype == tf.float64:
        return x * (1 + tf.math.erf(x / 2**0.5)) / 2
    return keras.activations.gelu(x, approximate=False)


def arrays_of(module):
    return {name: tensor.detach().numpy() for name, tensor in module.state_dict().items()}


def give_weights(ours, theirs):
    """Carry the weights of a torch layer, block by block, into a layer of ours that has been built."""
    attentions = {"self_attention": theirs.self_attn}
    if isinstance(ours, DecoderLayer):
        attentions["cross_attention"] = theirs.multihead_attn
    for name, attention in attentions.items():
        weights_from_torch(getattr(ours, name).attention, arrays_of(attention))
    for dense, linear in ((ours.feed_forward.widen, theirs.linear1), (ours.feed_forward.narrow, theirs.linear2)):
        dense.set_weights([linear.weight.detach().numpy().T, linear.bias.detach().numpy()])
    for place, name in enumerate([*attentions, "feed_forward"], start=1):
        norm = getattr(theirs, f"norm{place}")
        getattr(ours, name).norm.set_weights([norm.weight.detach().numpy(), norm.bias.detach().numpy()])


def compare_layers(side, norm_first, activation, kind, dtype):
    """Return the largest difference between the outputs of a layer of ours and torch's, and between the gradients of x.

    Tokens of x that the mask blocks are compared too: as queries they see what the others see.
    """
    torch.manual_seed(1)
    options = {"norm_first": norm_first, "layer_norm_eps": 1e-5, "dtype": getattr(torch, dtype)}
    cls = {"encoder": torch.nn.TransformerEncoderLayer, "decoder": torch.nn.TransformerDecoderLayer}[side]
    theirs = cls(24, 4, 13, dropout=0.0, activation=activation, batch_first=True, **options)
    for parameter in theirs.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    bend = {"relu": "relu", "gelu": exact_gelu}[activation]
    cls = {"encoder": EncoderLayer, "decoder": DecoderLayer}[side]
    ours = cls(24, 4, 13, dropout=0.0, activation=bend, norm_first=norm_first, epsilon=1e-5, dtype=dtype)

    rng = np.random.default_rng(1)
    inputs = [rng.normal(size=(2, 6, 24)).astype(dtype), rng.normal(size=(2, 4, 24)).astype(dtype)]
    inputs = inputs if side == "decoder" else inputs[:1]
    ours(*inputs)
    give_weights(ours, theirs)
    padding, cross_padding, later = (
        create_padding_mask(IDS),
        create_padding_mask(CONTEXT_IDS),
        create_look_ahead_mask(6),
    )
    masks, torch_masks, prefix = {}, {}, "tgt" if side == "decoder" else "src"
    if kind in ("look-ahead", "both"):
        masks["mask"] = later
        torch_masks[f"{prefix}_mask"] = torch_mask(later)
    if kind in ("padding", "both"):
        masks["mask"] = combine_masks(masks.get("mask"), padding)
        torch_masks[f"{prefix}_key_padding_mask"] = torch_mask(padding)
        if side == "decoder":
            masks["cross_mask"] = cross_padding
            torch_masks["memory_key_padding_mask"] = torch_mask(cross_padding)

    tensors = [torch.tensor(x, requires_grad=True) for x in inputs]
    expected = theirs(*tensors, **torch_masks)
    torch.sin(expected).sum().backward()
    variables = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(variables)
        output = ours(*variables, **masks)
        loss = tf.reduce_sum(tf.sin(output))
    pairs = zip([output, *tape.gradient(loss, variables)], [expected, *(t.grad for t in tensors)], strict=True)
    output, *gradients = (np.max(np.abs(a - b.detach().numpy())) for a, b in pairs)
    return output, max(gradients)


def main():
    worst = 0.0
    for heads, use_bias, kind in itertools.product((1, 2, 3, 8), (True, False), KINDS):
        difference = compare(heads, use_bias, kind)
        worst = max(worst, difference)
        print(f"heads {heads}  bias {use_bias!s:5}  mask {kind:10}  largest difference {difference:.1e}")
    assert worst < 1e-12, worst
    found = {"float32": 0.0, "float64": 0.0}
    for case in itertools.product(("encoder", "decoder"), (False, True), ("relu", "gelu"), (*KINDS, "both"), found):
        output, gradient = compare_layers(*case)
        side, norm_first, activation, kind, dtype = case
        found[dtype] = max(found[dtype], output, gradient)
        print(
            f"{side}  norm_first {norm_first!s:5}  {activation}  mask {kind:10}  {dtype}"
            f"  largest difference {output:.1e}, of gradients {gradient:.1e}"
        )
    assert found["float32"] < 1e-5, found
    assert found["float64"] < 1e-12, found
    print(f"torch {torch.__version__}: attention equal to {worst:.1e}, layers to {found['float64']:.1e} in float64")
    print(f"and to {found['float32']:.1e} in float32")


if __name__ == "__main__":
    main()
