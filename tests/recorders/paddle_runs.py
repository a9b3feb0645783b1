"""Runs PaddlePaddle programs for the tests: recorded, and plain."""

from __future__ import annotations

from functools import partial
from typing import Any

import paddle

from inplacelab.recording import Recording
from tests.recorders import runs

run, plain = partial(runs.run, framework="paddle"), partial(runs.plain, framework="paddle")


def remarks(recording: Recording) -> list[str]:
    """What a recording says was left out, besides that saved tensors are inferred."""
    return [note.en for note in recording.notes if "is marked as inferred" not in note.en]


def bits(names: dict[str, Any]) -> dict[str, Any]:
    """The versions, values and gradients of all tensors, as they print exactly."""
    tensors = {name: value for name, value in names.items() if isinstance(value, paddle.Tensor)}
    gradients = {f"{name}.grad": value.grad for name, value in tensors.items() if value.grad is not None}
    return {name: (value.inplace_version, repr(flat(value))) for name, value in {**tensors, **gradients}.items()}


def flat(tensor: Any) -> tuple[Any, ...]:
    """The elements of a tensor, in order."""
    return tuple(tensor.numpy().reshape(-1).tolist())
