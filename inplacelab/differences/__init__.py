"""Where inplacelab, PaddlePaddle 3.3.1 and PyTorch 2.13 differ: programs, the three answers, and the finite difference.

The entries are data (`chapters/`), the answers were recorded (`answers.json`), and `docs/DIFFERENCES.md` is written from
both. In a notebook:

>>> from inplacelab import differences
>>> entry = differences.find("row-scaled")
>>> print(entry.text)
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

from inplacelab.differences.answers import Answer as Answer
from inplacelab.differences.answers import Answers as Answers
from inplacelab.differences.answers import Verdict as Verdict
from inplacelab.differences.answers import recorded as recorded
from inplacelab.differences.asking import ours as ours
from inplacelab.differences.chapters import CHAPTERS as CHAPTERS
from inplacelab.differences.model import Chapter as Chapter
from inplacelab.differences.model import Difference as Difference
from inplacelab.differences.model import Kind as Kind
from inplacelab.differences.running import finite_difference as finite_difference
from inplacelab.differences.table import counts as counts
from inplacelab.differences.table import every as every
from inplacelab.differences.table import find as find
from inplacelab.differences.table import show as show
from inplacelab.differences.table import table as table
from inplacelab.differences.table import verdicts as verdicts
