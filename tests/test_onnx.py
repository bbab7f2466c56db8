"""The operator tests of ONNX's Attention, for bias, mask, soft cap and shared heads: our numbers are theirs.

saved/onnx_attention.npz holds inputs and outputs of the tests of ONNX 1.23 (commit f754691, August 2026), made with its
reference implementation. In its first release the soft cap came after the mask; it was moved in onnx#7867.
"""

from pathlib import Path

import numpy as np
import pytest

from clear_attention import blockwise_attention, convert_mask, scaled_dot_product_attention

with np.load(Path(__file__).parent / "saved/onnx_attention.npz") as arrays:
    ARRAYS = dict(arrays)
CASES = sorted({name.partition("/")[0] for name in ARRAYS})


def given(case):
    """Return a test's inputs as our arguments, and its output: true means visible there, minus infinity hidden."""
    inputs = {name.partition("/")[2]: x for name, x in ARRAYS.items() if name.partition("/")[0] == case}
    arguments = {"grouped": inputs["Q"].shape[1] != inputs["K"].shape[1]}
    if "softcap" in inputs:
        arguments["softcap"] = float(inputs["softcap"])
    mask = inputs.get("attn_mask")
    if mask is not None and mask.dtype == bool:
        arguments["mask"] = convert_mask(mask, source="torch_sdpa", target="blocked")
    elif mask is not None and np.isinf(mask).any():
        arguments["mask"] = convert_mask(mask, source="additive", target="blocked")
    elif mask is not None:
        arguments["bias"] = mask
    return [inputs[name] for name in "QKV"], arguments, inputs["Y"]


@pytest.mark.parametrize("function", [scaled_dot_product_attention, blockwise_attention])
@pytest.mark.parametrize("case", CASES)
def test_our_numbers_are_theirs(case, function):
    tensors, arguments, expected = given(case)
    found = function(*tensors, **arguments)
    np.testing.assert_allclose(getattr(found, "output", found), expected, atol=1e-6)


def test_the_cases_hold_every_rule():
    arguments = [given(case)[1] for case in CASES]
    assert len(CASES) >= 16
    for rule in ("mask", "bias", "softcap"):
        assert any(rule in a for a in arguments), rule
    assert any(a["grouped"] for a in arguments)
    assert any("softcap" in a and "mask" in a for a in arguments)  # where the order shows
    assert any(not ARRAYS[f"{case}/Y"].any(axis=-1).all() for case in CASES)  # a query with no key: 0 there, too
