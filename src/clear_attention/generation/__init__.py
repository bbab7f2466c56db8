"""Generate text, one token after the other, over cached keys and values.

A token's keys and values do not change when later tokens come, since no token sees a later one. So each step computes
those of one token, and looks back at the kept ones: its cost grows with the length, not with its square. A
[`Transformer`][clear_attention.Transformer] translates sources, a [`LanguageModel`][clear_attention.LanguageModel] goes
on with prompts.
"""

# The rooms:
#
#     steps      what one step of either model is, and what is made before the first
#     graphs     the graphs that a model keeps
#     searches   greedy and beam search
#     chances    which ids may be drawn, and drawing one
#     sampling   sample and stream

from clear_attention.generation.sampling import sample, stream
from clear_attention.generation.searches import Beams, beam_search, greedy_search

__all__ = ["greedy_search", "beam_search", "Beams", "sample", "stream"]  # noqa: RUF022 - the most probable, then chance
