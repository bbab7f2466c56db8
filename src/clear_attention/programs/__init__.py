"""Programs with attention: heads whose weights somebody has written, and not learnt.

[`select`][clear_attention.select] says who looks at whom, [`aggregate`][clear_attention.aggregate] what is carried
over, and what comes out is a real `MultiHeadAttention`. Eight small programs are made of them.
"""

from clear_attention.programs.parts import Selector, aggregate, features, look_up, select
from clear_attention.programs.program import Program
from clear_attention.programs.texts import columns, rows
from clear_attention.programs.written import (
    addition,
    balanced,
    histogram,
    induction,
    reverse,
    running_average,
    shift,
    sort,
)

__all__ = [  # noqa: RUF022 - the parts first, then what is made of them
    "features",
    "select",
    "Selector",
    "aggregate",
    "look_up",
    "Program",
    "rows",
    "columns",
    "shift",
    "reverse",
    "running_average",
    "histogram",
    "sort",
    "balanced",
    "induction",
    "addition",
]
