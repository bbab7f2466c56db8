"""How fast it is, how much memory it takes, and against whom: `make bench`."""
