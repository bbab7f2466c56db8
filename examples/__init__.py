"""Programs to copy: the Transformer on many machines. The guide "Train on many machines" explains them."""

TRY_AGAIN = 75  # the exit code of a worker that lost the others and asks to be started again, as in sysexits.h
