"""What predict mode asks: the questions that a stepper or a page is given."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.recording.predict import Question, quiz
from inplacelab.recording.recording import Recording


def questions_for(recording: Recording, predict: bool | Iterable[Question]) -> tuple[Question, ...]:
    """An author's questions, or those that are chosen by rule: they are also there while predict mode is off.

    Raises:
        ValueError: if the recording has not the step that a question is about.
    """
    if isinstance(predict, bool):
        return quiz(recording)
    questions = tuple(predict)
    strays = [question.step for question in questions if question.step >= len(recording)]
    if strays:
        raise ValueError(f"there is a question about step {strays[0]}: this recording has {len(recording)} steps")
    return questions
