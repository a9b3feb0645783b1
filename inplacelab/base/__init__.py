"""Paddle's older module `base`: the names that programs and Paddle's tests import from it."""

from __future__ import annotations

from inplacelab.base import dygraph

__all__ = ["dygraph"]
