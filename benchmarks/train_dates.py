"""Train the Transformer of the lesson from five seeds and translate dates it never saw: `make check-dates`.

The recipe is that of trained/dates.py. A seed fails below 99 % exact matches.
"""

import time

import keras
import numpy as np

from clear_attention import create_date_pairs, greedy_search
from trained import dates

SEEDS = range(5)


def main():
    start = time.monotonic()
    for seed in SEEDS:
        began = time.monotonic()
        keras.utils.set_random_seed(seed)
        model = dates.RECIPES["dates"].build()
        dates.train(model, seed=seed)
        seconds = time.monotonic() - began
        unseen, expected = create_date_pairs(5000, seed=seed, split="test")
        ids = greedy_search(model, dates.source_tokenizer.encode(unseen, length=dates.LENGTH), max_length=11)
        translated = dates.target_tokenizer.decode(ids)
        exact = np.mean([a == b for a, b in zip(translated, expected, strict=True)])
        left = (time.monotonic() - start) / (seed + 1) * (len(SEEDS) - seed - 1)
        print(f"seed {seed}: {exact:.2%} of 5,000 unseen dates exact, trained in {seconds:.0f} s, {left:.0f} s left")
        assert exact >= 0.99, f"seed {seed} reached {exact:.2%} only"


if __name__ == "__main__":
    main()
