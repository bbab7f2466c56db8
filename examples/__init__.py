"""Programs to copy: the Transformer on many machines, a language model on your own text. Two guides explain them."""

TRY_AGAIN = 75  # the exit code of a worker that lost the others and asks to be started again, as in sysexits.h
