"""What is too slow for `make test`, and what came out when it was last run: the page "How it is tested" shows it."""
