"""Programs to which inplacelab, PaddlePaddle and PyTorch give different answers: read, run and shown.

The programs and the recorded answers are data (`data.json`). `python docs/write_differences.py` generates the data from
`docs/differences/`, and writes `docs/DIFFERENCES.md` from it. In a lesson:

>>> from inplacelab.lessons import differences
>>> entry = differences.find("row-scaled")
>>> print(entry.program)
b = a * 2
v = b[0]
v.scale_(3.)
loss = b.sum()
<BLANKLINE>
>>> answers = differences.recorded()["row-scaled"]
>>> answers.finite_difference
[[6.0, 6.0], [2.0, 2.0]]
>>> answers.inplacelab.gradient, answers.paddle.gradient
([[6.0, 6.0], [2.0, 2.0]], [[2.0, 2.0], [2.0, 2.0]])
>>> differences.ours(entry).gradient                   # run here and now
[[6.0, 6.0], [2.0, 2.0]]
>>> print(differences.table(chapter="escapes"))        # in a notebook: a table; ListView sorts and filters it
program  ...  finite difference  inplacelab  ...
...
"""

from __future__ import annotations

from inplacelab.lessons.differences.entries import (
    FRAMEWORKS,
    Answer,
    Answers,
    Chapter,
    Data,
    Difference,
    Kind,
    Verdict,
    close,
    every,
    find,
    load,
    recorded,
)
from inplacelab.lessons.differences.running import OPENINGS, REFUSALS, default_dtype_restored, ours, run
from inplacelab.lessons.differences.showing import (
    TITLE,
    Shown,
    answer_in_words,
    block,
    counts,
    names,
    show,
    table,
    verdicts,
)

__all__ = [
    "FRAMEWORKS",
    "OPENINGS",
    "REFUSALS",
    "TITLE",
    "Answer",
    "Answers",
    "Chapter",
    "Data",
    "Difference",
    "Kind",
    "Shown",
    "Verdict",
    "answer_in_words",
    "block",
    "close",
    "counts",
    "default_dtype_restored",
    "every",
    "find",
    "load",
    "names",
    "ours",
    "recorded",
    "run",
    "show",
    "table",
    "verdicts",
]
