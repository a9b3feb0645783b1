"""Supports lessons: questions before a program runs, exercises that answer with hints, plots that are also text, delivery of the notebooks.

The check of an exercise is a function that yields conditions with their hints. Its parameters are the learner's
names:

>>> from inplacelab.language import Text
>>> from inplacelab.lessons import exercise
>>> @exercise
... def second_name(x, y):
...     yield y is x, Text("`y` must be the same object as `x`.", "`y` 应当就是 `x` 那个对象。")
>>> x, y = [1.0], ...
>>> second_name()
○ Not yet. `y` is still `...`: put your answer in its place and run both cells again.
>>> y = x
>>> second_name()
✓ Solved.

    exercise.py      exercises and their hints      checks/          the checks of the lessons, one module each
    failed_cells.py  what a failed cell would have assigned     folded.py    what is shown only if it is asked for
    predictions.py   predictions before a program   differences/     programs to which the frameworks give different answers
    recorded.py      recordings that come along     recordings/      these recordings
    ranks.py         programs for several ranks     delivery.py      copies the lessons to a learner's folder
    plots.py         plots                          jupyter/         settings of JupyterLab
"""

from __future__ import annotations

from inplacelab.lessons.exercise import Exercise, Verdict, exercise
from inplacelab.lessons.plots import figure
from inplacelab.lessons.predictions import reveal
from inplacelab.lessons.recorded import recorded

__all__ = ["Exercise", "Verdict", "exercise", "figure", "recorded", "reveal"]
