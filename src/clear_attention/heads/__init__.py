"""Multi-head attention: split the width into heads, attend in each, merge them again.

`split_heads` and `merge_heads` move numbers and change none. The layer holds four projections; its arithmetic is theirs
and that of [`scaled_dot_product_attention`][clear_attention.scaled_dot_product_attention].
"""

from clear_attention.heads.layer import MultiHeadAttention
from clear_attention.heads.splitting import merge_heads, split_heads

__all__ = ["MultiHeadAttention", "merge_heads", "split_heads"]
