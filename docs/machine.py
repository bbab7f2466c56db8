# ---
# title: The date machine
# description: A trained Transformer in the page. Type a date, see where every head looks, and take it apart.
# hide: [navigation, toc]
# ---

# %% [markdown]
# # A machine that reads dates
#
# Type a date as you write it. A small Transformer reads it and writes it as a computer would: year, month, day. It runs
# here, in your browser. Press a letter of the answer, and the letters that it looked at light up. It has learnt a dozen
# ways to write a date, which stand below the machine. At its end wait **seven dares**, such as to find a date that it
# reads wrong.
#
# Three words that you will meet: a **head** is one look at the letters, and the machine takes four at once, each in its
# own way. **Padding** is the blanks that are added behind a text so that all texts are equally long; a mask keeps the
# machine from looking at them. A **position** is the place at which a letter stands; the machine is told it, because
# attention by itself knows no order.

# %% tags=["live", "hide-input"]
import sys

import numpy as np
from IPython.display import HTML, Markdown, display

from clear_attention import date_forms

sys.path += ["_site", ".."]
from date_machine import comparison, machine, percent, still

import trained
from trained.ablations import shares

names = [
    "dates",
    "dates-brief",
    "dates-one-head",
    "dates-no-positions",
    "dates-no-attention",
    "dates-no-residual",
    "dates-forgetful",
    "dates-padding-seen",
    "digits-1",
    "digits-8",
    "digits-1-longer",
]
model, record = trained.load("dates")
machine(*names, without=still(model, "thursday 3rd of may 2018"))

# %% tags=["hide-input"]
forms = ", ".join(f"`{form}`" for form in date_forms("2018-05-03"))
display(Markdown(f"It has learnt to read 3 May 2018 in these forms, and no others: {forms}."))

# %% [markdown]
# ## Five things to find out
#
# 1. **Where does the year look?** Press the four digits of the year one after the other. Then type a date in German:
#    "donnerstag, den 3. mai 2018".
# 2. **What is it sure of?** Type "february 30th, 2018". No year has such a day. The machine writes it down, and is
#    nearly sure of it. It has learnt to look at the right letters. Nobody taught it to say "I don't know".
# 3. **What happens without positions?** Choose the machine that was trained without positions, and watch the digits
#    change places. For such a machine a text is a bag of letters.
# 4. **Who sees the padding?** Let the machine see the padding, and fill the text up to 60 places.
# 5. **What does one head do?** Switch off one head after the other. Sometimes nothing changes at all. Then switch off
#    two.
#
# ## What is each part worth?
#
# From the third row on, each machine below was trained without one part. All of them had to read 2,000 dates that
# they had never seen. "Right" means right to the last letter. Training takes time, so most were trained half as long
# as our machine. The second row is their yardstick, the whole machine after as short a training: compare with that
# one. (The look-ahead mask needs fewer steps to show what it is for. The last three machines are built otherwise;
# compare them with each other.)
#
# One part has no row, the *feed-forward network*, which works on each letter alone. A machine without it loses only a
# few dates in a thousand: reading dates is mostly finding and copying, which is what attention does. [Its
# lesson](learn/feed_forward.py) has a task at which a machine without it fails.

# %% tags=["hide-input"]
measured = {name: trained.kept(name)[2] for name in names}
display(HTML(comparison(*names)))

exact = {name: float(record["exact"]) for name, record in measured.items()}
assert exact["dates"] > 0.99
assert exact["dates-no-positions"] < 0.5
assert exact["dates-no-attention"] < 0.5
assert exact["dates-no-residual"] < exact["dates-brief"]
assert abs(exact["dates-one-head"] - exact["dates-brief"]) < 0.1
assert exact["dates-forgetful"] == 0
assert measured["dates-forgetful"]["letters"] > 0.99
assert exact["digits-1"] < exact["digits-8"] < exact["digits-1-longer"]
assert 0 < np.mean(shares("whole")) - np.mean(shares("no feed-forward")) < 0.005

# %% [markdown]
# So this machine lives by four things: it may choose where to look, it knows where each letter stands, each block
# keeps what it got (the residual), and its masks are right. **Several heads hardly matter here.** Each letter of the
# answer mostly needs one place of the text or a few that lie together, and one head can look there. Heads matter
# where one look must bring back many things at once. That is what the last three machines show: one single look at the
# text has to fetch all eight digits of the date. With eight heads that is learnt sooner, and with one head it takes
# [a longer training](learn/multi_head.py#the-same-machine-trained-for-longer).
#
# Two parts went wrong without a sound. The machine whose **look-ahead mask was forgotten** had nearly all letters
# right in training, because each of them could be copied from the place to its right. When it has to write by itself,
# there is nothing to copy. And the machine whose **padding mask was forgotten** is as good as the whole one, as long
# as the texts are as long as in training:

# %% tags=["hide-input"]
lengths = measured["dates"]["paddings"]
titles = {"dates": "whole", "dates-padding-seen": "padding mask forgotten"}
head = "| padded to | " + " | ".join(f"{n} places" for n in lengths) + " |"
rows = [
    f"| {title} | " + " | ".join(percent(share) for share in measured[name]["padded"]) + " |"
    for name, title in titles.items()
]
display(Markdown("\n".join([head, "| --- " * (len(lengths) + 1) + "|", *rows])))
assert np.ptp(measured["dates"]["padded"]) < 0.001
assert measured["dates-padding-seen"]["padded"][-1] < 0.5

# %% [markdown]
# ## Is this the machine of the package?
#
# Yes. The build of this site trains these models with [`Transformer`][clear_attention.Transformer], rounds their
# weights to 16 bits and writes them beside this page, a quarter of a megabyte each. The page computes with them in a
# few hundred lines of JavaScript, whose files and names are those of the package. The site's tests let both read
# 1,000 dates with each machine: the letters must be the same, the logits within 0.0001 and the attention maps within
# 0.00001.
#
# Switching a head off is not the same as training without it. A head that is switched off leaves a hole that the
# others did not expect; a machine that never had it has learnt to do without.
#
# How it all works is what [the lessons](learn/index.md) are about. They take this machine apart, one part a lesson.
