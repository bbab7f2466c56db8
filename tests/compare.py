"""How tests compare numbers of any dtype, bfloat16 too: as NumPy's float64."""

import numpy as np


def close(actual, expected, tolerance=1e-6):
    np.testing.assert_allclose(np.asarray(actual, float), np.asarray(expected, float), rtol=tolerance, atol=tolerance)
