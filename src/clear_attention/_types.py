"""Names for what goes in and what comes out; they can be read at run time, with `typing.get_type_hints`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import keras
import numpy as np
import numpy.typing as npt
import tensorflow as tf

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
else:
    Axes = Any  # matplotlib is optional, and not imported before a picture is asked for

TensorLike: TypeAlias = tf.Tensor | npt.ArrayLike  # a tensor, a NumPy array, nested lists
Mask: TypeAlias = TensorLike | None
Bias: TypeAlias = Any  # TensorLike, a DistanceBias, or None
LayerInput: TypeAlias = TensorLike | keras.KerasTensor  # in a functional model, which holds no numbers
Output: TypeAlias = tf.Tensor | Any  # Attention with return_weights=True, KerasTensor in a functional model
Weights: TypeAlias = tf.Tensor | Any  # a dict of them where a layer holds several, None where nobody asked
Size: TypeAlias = int | tf.Tensor  # a tensor is a scalar of a graph
Shape: TypeAlias = tuple[int | None, ...]  # None where a length is not known yet
Labels: TypeAlias = Sequence[object] | np.ndarray  # whatever `str` can write
Activation: TypeAlias = str | Callable[[tf.Tensor], tf.Tensor]  # a name that Keras knows, or a function
Convention: TypeAlias = Literal["blocked", "torch_mha", "keras", "torch_sdpa", "jax", "huggingface", "additive"]
MaskAxes: TypeAlias = Literal["batch keys", "queries keys"]
