"""Runs PyTorch programs for the tests: recorded, and plain."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import pytest
import torch

from inplacelab.frameworks.torch.readings import SHOWS_SAVED
from inplacelab.recording import Recording
from tests.recorders import runs

needs_saved = pytest.mark.skipif(not SHOWS_SAVED, reason="this PyTorch does not show what nodes have saved")

run, plain = partial(runs.run, framework="torch"), partial(runs.plain, framework="torch")


def remarks(recording: Recording) -> list[str]:
    """What a recording says was left out, besides what it says of every program with this version of PyTorch."""
    return [note.en for note in recording.notes if torch.__version__ not in note.en]


def bits(names: dict[str, Any]) -> dict[str, Any]:
    """The version, shape, type and bytes of each tensor and of its gradient."""
    tensors = tensors_in(names)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of `.grad` of a tensor that is no leaf
        gradients = {f"{name}.grad": value.grad for name, value in tensors.items() if value.grad is not None}
    return {
        name: (value._version, tuple(value.shape), value.dtype, _bytes(value))
        for name, value in {**tensors, **gradients}.items()
    }


def tensors_in(names: dict[str, Any]) -> dict[str, Any]:
    """The names that are bound to tensors."""
    return {name: value for name, value in names.items() if isinstance(value, torch.Tensor)}


def _bytes(tensor: Any) -> bytes:
    whole = tensor.detach().reshape(-1).clone(memory_format=torch.contiguous_format)
    return bytes(whole.view(torch.uint8).numpy().tobytes())
