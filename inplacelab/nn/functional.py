"""Functions that Paddle keeps in `nn.functional`: the rows of the table that say so."""

from __future__ import annotations

from typing import Any

from inplacelab.ops.table import FUNCTIONAL


def __getattr__(name: str) -> Any:
    """Functions of the table are written out when first asked for."""
    if name not in FUNCTIONAL:
        raise AttributeError(f"module 'inplacelab.nn.functional' has no attribute {name!r}")
    return FUNCTIONAL.give(name, globals())


def __dir__() -> list[str]:
    return sorted({*globals(), *FUNCTIONAL})
