"""`torch.backends`: what programs ask or set there on a machine without a GPU."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from inplacelab.torch.refusals import missing

__all__ = ["cudnn", "mps"]

cudnn = SimpleNamespace(deterministic=False, benchmark=False, enabled=False, is_available=lambda: False)
"""Switches of a library for GPUs: a program may set them, and nothing changes."""
mps = SimpleNamespace(is_available=lambda: False, is_built=lambda: False)
"""GPUs of Apple: there is none."""


def __getattr__(name: str) -> Any:
    raise missing("torch.backends", name, __all__)
