"""Makes questions about a step before it is shown: what will change, and what will not?

The answers are computed from the recording. A question is asked only where it teaches something; the docstring of each
function that makes one says when. `writes`, `memory`, `history`, `origins` and `errors` make questions, `choosing` selects them,
and `question` says what a question is.

>>> import inplacelab as paddle
>>> with paddle.record() as rec:
...     b = paddle.zeros([2, 2])
...     v = b[0]
...     _ = v.fill_(1.0)
>>> [question.kind for question in questions_at(rec.recording, 2)]  # all questions about one step
['values', 'version', 'bytes']
>>> [(question.step, question.kind) for question in quiz(rec.recording)]  # a selection for the whole program
[(1, 'shares'), (2, 'values'), (2, 'version')]
>>> [question.kind for question in quiz(rec.recording, at="line:3", kinds="version")]  # an author's choice
['version']
"""

from __future__ import annotations

from inplacelab.recording.quiz.choosing import MOST_AT_ONCE, questions_at, quiz
from inplacelab.recording.quiz.question import KINDS, Kind, Question

__all__ = ["KINDS", "MOST_AT_ONCE", "Kind", "Question", "questions_at", "quiz"]
