"""Switches of dynamic graphs, in which each operation runs immediately. This package has no other mode."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from inplacelab import backends, errors
from inplacelab.autograd.grad_mode import no_grad

__all__ = ["disable_static", "enable_static", "guard", "in_dynamic_mode", "no_grad"]


@contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """Runs the block with dynamic graphs, and creates its tensors on `place` if that is given.

    >>> import inplacelab as paddle
    >>> with paddle.base.dygraph.guard(paddle.CPUPlace()):
    ...     paddle.in_dynamic_mode()
    True
    """
    before = backends.current()
    backends.set_device(place)
    try:
        yield
    finally:
        backends.set_device(before)


def in_dynamic_mode() -> bool:
    """Returns True: operations always run immediately."""
    return True


def disable_static(place: Any = None) -> None:
    """Switches to dynamic graphs, the only mode; creates tensors on `place` from now on if that is given."""
    backends.set_device(place)


def enable_static() -> None:
    """Raises an error: there are no static graphs here.

    Raises:
        StaticGraphError: always.
    """
    raise errors.no_static_graphs()
