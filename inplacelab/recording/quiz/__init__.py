"""Questions about a step before it is shown: what will change, and what will not?

The answers are computed from the recording, so they cannot be wrong. A question is asked only where there is something
to learn from it; each function that makes one says when.

>>> from inplacelab.recording.quiz import questions_at, quiz  # doctest: +SKIP
>>> questions_at(recording, 5)                                   # all that can be asked of step 5  # doctest: +SKIP
>>> quiz(recording)                                              # a choice for the whole program   # doctest: +SKIP
>>> quiz(recording, at=("line:5", 7), kinds=("values", "stale")) # an author's choice               # doctest: +SKIP
"""

from __future__ import annotations

from inplacelab.recording.quiz.choosing import MOST_AT_ONCE, questions_at, quiz
from inplacelab.recording.quiz.question import KINDS, Kind, Question

__all__ = ["KINDS", "MOST_AT_ONCE", "Kind", "Question", "questions_at", "quiz"]
