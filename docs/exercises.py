# ---
# title: Your exercises
# description: Every exercise of the lessons, which of them you solved, and your guesses. It stays in your browser only.
# hide: [toc]
# search: { boost: 0.5 }
# ---

# %% [markdown]
# # Your exercises
#
# Each lesson ends with exercises that the page checks. You predict which cells of a mask are blocked, which weights
# come out, or which shape a result has. If you are wrong, the page says which mistake leads to your answer. Below you
# see what you have solved. A lesson's name leads to its first exercise that you have not solved yet.
#
# Some lessons let you bet: you guess a number before the page tells what was measured. Your guesses stand below, too.

# %% tags=["live", "remove-input"]
import re
import sys
from pathlib import Path

sys.path.insert(0, "_site")  # before this page, whose file has the name of the package
import exercises

order = re.findall(r"learn/(\w+)\.py", Path("../mkdocs.yml").read_text(encoding="utf-8"))
sources = {name: Path(f"learn/{name}.py").read_text(encoding="utf-8") for name in order}
titles = {name: re.search(r'^# title: "?(.+?)"?$', source, re.M)[1] for name, source in sources.items()}
bets = {name: re.findall(rf'\b(?:bet|sketch)\(\s*"({name}/[\w-]+)"', source) for name, source in sources.items()}
exercises.progress({name: title for name, title in titles.items() if name in exercises.lessons()}, bets)

# %% [markdown]
# What you have solved and guessed stays in this browser, and is sent nowhere. Erase it here, or take it with you in a
# file.
