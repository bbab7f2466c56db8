"""Compare MultiHeadAttention with a real torch on the same weights: `make check-torch`.

torch is no dependency of the package or its tests, which check torch's layout with arrays.
"""

import itertools

import numpy as np
import torch

from clear_attention import (
    MultiHeadAttention,
    convert_mask,
    create_look_ahead_mask,
    create_padding_mask,
    weights_from_torch,
    weights_to_torch,
)

IDS = np.array([[7, 6, 2, 0, 0, 0], [1, 2, 3, 4, 5, 0]])
KINDS = ("none", "look-ahead", "padding")


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
        options["attn_mask"] = torch.tensor(convert_mask(mask, "blocked", "torch_mha").numpy())
    elif kind == "padding":
        mask = create_padding_mask(IDS)
        options["key_padding_mask"] = torch.tensor(convert_mask(mask, "blocked", "torch_mha").numpy())
    with torch.no_grad():
        expected, weights = theirs(*[torch.tensor(x)] * 3, average_attn_weights=False, **options)
    output, our_weights = ours(x, mask=mask, return_weights=True)
    return max(np.max(np.abs(output - expected.numpy())), np.max(np.abs(our_weights - weights.numpy())))


def main():
    worst = 0.0
    for heads, use_bias, kind in itertools.product((1, 2, 3, 8), (True, False), KINDS):
        difference = compare(heads, use_bias, kind)
        worst = max(worst, difference)
        print(f"heads {heads}  bias {use_bias!s:5}  mask {kind:10}  largest difference {difference:.1e}")
    assert worst < 1e-12, worst
    print(f"torch {torch.__version__}: equal to {worst:.1e}")


if __name__ == "__main__":
    main()
