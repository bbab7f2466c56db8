"""How readers install the package: the one place that the first release changes (docs/contributing.md says when).

PACKAGE is what pip is told in the notebooks, in README.md and on the home page; a test holds the three together.
"""

PACKAGE = "path/to/clear-attention[plots]"  # at the first release: "clear-attention[plots]"
CELL = f"""\
# %pip install "{PACKAGE}"
# If the package is not installed yet: write where your copy of the project lies, or the wheel that `make dist` builds,
# in the place of path/to/clear-attention, remove the first # of the first line, and run this cell."""
