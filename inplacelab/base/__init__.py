"""Paddle's older name for its foundations: what programs import from it, and what its own tests do."""

from __future__ import annotations

from inplacelab.base import dygraph

__all__ = ["dygraph"]
