"""Paddle's older module `base`, from which Paddle's own tests of in-place operations take `base.dygraph.guard()`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from inplacelab import devices, errors

__all__ = ["dygraph"]


@contextmanager
def _guard(place: Any = None) -> Iterator[None]:
    """Runs the block with dynamic graphs, the only ones here, and creates its tensors on `place` if that is given."""
    before = devices.current()
    devices.set_device(place)
    try:
        yield
    finally:
        devices.set_device(before)


dygraph = SimpleNamespace(guard=_guard)
"""Dynamic graphs.

>>> import inplacelab as paddle
>>> with paddle.base.dygraph.guard(paddle.CPUPlace()):
...     paddle.in_dynamic_mode()
True
"""


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
