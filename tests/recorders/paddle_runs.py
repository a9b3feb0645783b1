"""Runs PaddlePaddle programs for the tests: recorded, and plain."""

from __future__ import annotations

import ast
import textwrap
from typing import Any, NamedTuple

import paddle

from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import LIMIT, Session
from inplacelab.recording import Recording


class Run(NamedTuple):
    recording: Recording
    names: dict[str, Any]
    failure: BaseException | None


def run(text: str, *, limit: int = LIMIT, **names: Any) -> Run:
    """Run a program under the recorder, as `%%stepper` does."""
    text = textwrap.dedent(text)
    tree, known = ast.parse(text), {"paddle": paddle, "__name__": "__main__", **names}
    session = Session(Program.of(tree, text, "<paddle>"), limit=limit, use=Use("paddle"))
    failure = session.run([compile(instrument.instrumented(tree), "<paddle>", "exec")], known)
    return Run(session.recording(), known, failure)


def remarks(recording: Recording) -> list[str]:
    """What a recording says was left out, besides that saved tensors are inferred."""
    return [note.en for note in recording.notes if "is marked so" not in note.en]


def plain(text: str, **names: Any) -> tuple[dict[str, Any], BaseException | None]:
    """Run it without a recorder; returns its names and its error."""
    known: dict[str, Any] = {"paddle": paddle, "__name__": "__main__", **names}
    try:
        exec(compile(text, "<plain>", "exec"), known)
    except Exception as error:  # noqa: BLE001
        return known, error
    return known, None


def bits(names: dict[str, Any]) -> dict[str, Any]:
    """The versions, values and gradients of all tensors, as they print exactly."""
    tensors = {name: value for name, value in names.items() if isinstance(value, paddle.Tensor)}
    gradients = {f"{name}.grad": value.grad for name, value in tensors.items() if value.grad is not None}
    return {name: (value.inplace_version, repr(flat(value))) for name, value in {**tensors, **gradients}.items()}


def flat(tensor: Any) -> tuple[Any, ...]:
    """The elements of a tensor, in order."""
    return tuple(tensor.numpy().reshape(-1).tolist())
