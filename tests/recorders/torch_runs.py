"""Runs PyTorch programs for the tests: recorded, and plain."""

from __future__ import annotations

import ast
import textwrap
import warnings
from typing import Any, NamedTuple

import pytest
import torch

from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import LIMIT, Session
from inplacelab.recorders.torch_objects import SHOWS_SAVED
from inplacelab.recording import Recording

needs_saved = pytest.mark.skipif(not SHOWS_SAVED, reason="this PyTorch does not show what nodes have saved")


class Run(NamedTuple):
    recording: Recording
    names: dict[str, Any]
    failure: BaseException | None


def run(text: str, *, limit: int = LIMIT, **names: Any) -> Run:
    """Run a program under the recorder, as `%%stepper` does."""
    text = textwrap.dedent(text)
    tree, known = ast.parse(text), {"torch": torch, "__name__": "__main__", **names}
    session = Session(Program.of(tree, text, "<torch>"), limit=limit, use=Use("torch"))
    failure = session.run([compile(instrument.instrumented(tree), "<torch>", "exec")], known)
    return Run(session.recording(), known, failure)


def remarks(recording: Recording) -> list[str]:
    """What a recording says was left out, besides what it says of every program with this version of PyTorch."""
    return [note.en for note in recording.notes if torch.__version__ not in note.en]


def plain(text: str, **names: Any) -> tuple[dict[str, Any], BaseException | None]:
    """Run it without a recorder; returns its names and its error."""
    known: dict[str, Any] = {"torch": torch, "__name__": "__main__", **names}
    try:
        exec(compile(text, "<plain>", "exec"), known)
    except Exception as error:  # noqa: BLE001
        return known, error
    return known, None


def bits(names: dict[str, Any]) -> dict[str, Any]:
    """The versions, values and gradients of all tensors, as they print exactly."""
    tensors = {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of `.grad` of a tensor that is no leaf
        gradients = {f"{name}.grad": value.grad for name, value in tensors.items() if value.grad is not None}
    return {name: (value._version, repr(flat(value))) for name, value in {**tensors, **gradients}.items()}


def flat(tensor: Any) -> tuple[Any, ...]:
    """The elements of a tensor, in order."""
    return tuple(tensor.detach().reshape(-1).tolist())
