"""Dynamic graphs, where each operation runs at once. Here there is nothing else, so the switches only say so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inplacelab import devices, errors
from inplacelab.autograd.modes import no_grad

__all__ = ["disable_static", "enable_static", "guard", "in_dynamic_mode", "no_grad"]


@contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """Run the block with dynamic graphs, and make its tensors on `place` if that is given.

    >>> import inplacelab as paddle
    >>> with paddle.base.dygraph.guard(paddle.CPUPlace()):
    ...     paddle.in_dynamic_mode()
    True
    """
    before = devices.current()
    devices.set_device(place)
    try:
        yield
    finally:
        devices.set_device(before)


def in_dynamic_mode() -> bool:
    """True: operations always run at once."""
    return True


def disable_static(place: Any = None) -> None:
    """Have operations run at once, as they do; make tensors on `place` from now on if that is given."""
    devices.set_device(place)


def enable_static() -> None:
    """Static graphs, of which there are none here.

    Raises:
        StaticGraphError: always.
    """
    raise errors.no_static_graphs()
