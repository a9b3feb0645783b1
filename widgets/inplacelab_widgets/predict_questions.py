"""Chooses the questions of predict mode for a stepper or a page."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.language import Text
from inplacelab.recording.quiz import Question, quiz
from inplacelab.recording.recording import Recording

_STRAY = Text(
    "a question is about step {0}, but this recording has {1} steps",
    "有一个问题问的是第 {0} 步，而这份记录共有 {1} 步",
)


def questions_for(recording: Recording, predict: bool | Iterable[Question]) -> tuple[Question, ...]:
    """Returns an author's questions, or those that `quiz` chooses. They are included also while predict mode is off.

    Args:
        recording: the recording that the questions are about.
        predict: whether predict mode starts switched on, or the questions to ask.

    Raises:
        ValueError: if a question is about a step that the recording does not have.
    """
    if isinstance(predict, bool):
        return quiz(recording)
    questions = tuple(predict)
    strays = [question.step for question in questions if question.step >= len(recording)]
    if strays:
        raise ValueError(str(_STRAY.format(strays[0], len(recording))))
    return questions
