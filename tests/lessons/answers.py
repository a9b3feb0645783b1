"""Runs a learner's answer as a cell `%%stepper --name NAME` does, and asks the check about it."""

from __future__ import annotations

import ast
from textwrap import dedent
from typing import Any

import inplacelab as paddle
from inplacelab.lessons.exercise import Exercise, Verdict
from inplacelab.recorders import instrument
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recording import Recording


def verdict_on(check: Exercise, name: str, text: str, **answers: Any) -> Verdict:
    """What a check says to a program.

    Args:
        check: the check of the exercise.
        name: the name of the exercise's recording.
        text: the program. It may raise, as a learner's may.
        answers: further names that the check asks for; those that the program binds are found.
    """
    text = dedent(text).strip() + "\n"
    tree = ast.parse(text)
    session = Session(Program.of(tree, text, "<answer>"))
    names = {"__name__": "__main__", "paddle": paddle}
    session.run([compile(instrument.instrumented(tree), "<answer>", "exec")], names)
    return check(**{**names, name: session.recording(), **answers})


def is_solved(check: Exercise, name: str, text: str, **answers: Any) -> bool:
    """Whether a check accepts a program."""
    return verdict_on(check, name, text, **answers).solved


def said(check: Exercise, name: str, text: str) -> str:
    """The hint that a check gives to a program."""
    return verdict_on(check, name, text).words.en


def ran(text: str, **names: Any) -> tuple[Recording, dict[str, Any]]:
    """Records a program as `%%stepper` does. Returns the recording, and the program's names afterwards."""
    session = Session(Program.of(ast.parse(text), text, "<answer>"))
    names |= {"paddle": paddle}
    session.run([compile(text, "<answer>", "exec")], names)
    return session.recording(), names


def first_words(check: Exercise, **answers: Any) -> str:
    """What a check says to a learner who asks it for the first time."""
    return Exercise(check._steps)(**answers).words.en
