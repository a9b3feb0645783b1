"""Notifies observers of what the engine does. Without observers, an operation pays for one test.

A recorder subclasses `Observer`, overrides the methods it needs, and is registered with `listening`. Observers receive
live objects and must copy what they need immediately, because in-place operations overwrite it. They must not write to
tensors or keep them alive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

NO_ATTRIBUTES: Mapping[str, Any] = MappingProxyType({})


class Observer:
    """Receives everything that the engine reports. All methods do nothing by default."""

    def operation(
        self, name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, *, written: Any = None,
        read: Sequence[int] | None = None, attributes: Mapping[str, Any] = NO_ATTRIBUTES,
    ) -> None:  # fmt: skip
        """Called after an operation.

        Args:
            name: the operation as the program wrote it, such as "add_".
            category: "create", "ordinary", "view", "in-place", "relayout" (own metadata only) or "reallocated" (in place
                in name only).
            inputs: the tensors read.
            output: the result; for an in-place operation the tensor that was written, which is also the first input.
            node: the grad node made, or None.
            written: what was written, if that is not all of the output: a tensor on the written part (`x[0] = 5`) or a list
                of slots (`x[[0]] = 5`).
            read: the slots of the first input that an index selected, in the order of the result; None if all of it was read.
            attributes: its other arguments, by name.
        """

    def launched(self, launch: Any, storages: Sequence[Any]) -> None:
        """Called after a kernel launch, before the operation that it belongs to; also in `silence`.

        Args:
            launch: a `devices.kernels.launch.Launch`, which is plain data.
            storages: the storage of each operand; None for an operand without one, such as a result that is not a tensor yet.
        """

    def flagged(self, tensor: Any) -> None:
        """Called when `stop_gradient` or `.grad` of a tensor was set, or it left the history, without an operation."""

    def tensors_returned(self, tensors: Sequence[Any]) -> None:
        """Called when the program receives tensors that no operation reports: results of `paddle.grad`, a `deepcopy`."""

    def unreported_code_ran(self) -> None:
        """Called after the program's code ran in `silence`: its operations were not reported, but may have written to tensors."""

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        """Called when backward starts, with pairs of a node and its gradient."""

    def gradient_arrives(self, node: Any, gradient: Any) -> None:
        """Called when `node` receives a gradient: the first, or a further part of a sum."""

    def node_begins(self, node: Any, gradient: Any) -> None:
        """Called when the gradient of `node` is complete, before the node computes the gradients of its inputs."""

    def unpacks(self, node: Any, saved: Any) -> None:
        """Called before `node` checks the version of a saved tensor and uses it."""

    def hook_begins(self, node: Any, hook: Any, gradient: Any) -> None:
        """Called before a hook of the program runs, with the complete gradient of `node`."""

    def hook_ends(self, node: Any, gradient: Any) -> None:
        """Called after a hook returned, with the gradient that continues. If a hook raises, `backward_fails` is called instead."""

    def custom_begins(self, node: Any, function: Any, gradients: Sequence[Any]) -> None:
        """Called before the `backward` of a `PyLayer` runs.

        Args:
            node: the operation's node, which has begun.
            function: the program's function.
            gradients: its arguments: a gradient for each result, None where no gradient arrived.
        """

    def custom_ends(self, node: Any) -> None:
        """Called after the `backward` of a `PyLayer` returned. If it raises, `backward_fails` is called instead."""

    def node_ends(self, node: Any) -> None:
        """Called when a node has passed its gradients on."""

    def backward_ends(self) -> None:
        """Called when backward has finished."""

    def backward_fails(self) -> None:
        """Called when an error stopped backward."""


listeners: tuple[Observer, ...] = ()
"""The observers of operations; empty in `silence`. The engine tests `if observe.listeners:` before it prepares a report."""

launch_listeners: tuple[Observer, ...] = ()
"""The observers of launches, also in `silence`: a composite operation is reported once, but each of its kernel launches is reported."""


def _notify_all(name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, **details: Any) -> None:
    for each in listeners:
        each.operation(name, category, inputs, output, node, **details)


notify: Callable[..., None] = _notify_all
"""Reports an operation to all listeners. With one listener, the usual case, this *is* its `operation` method, which saves a
call for each recorded operation."""


def _set_listeners(observers: tuple[Observer, ...]) -> None:
    global listeners, notify
    listeners = observers
    notify = observers[0].operation if len(observers) == 1 else _notify_all


def _set_launch_listeners(observers: tuple[Observer, ...]) -> None:
    global launch_listeners
    launch_listeners = observers


@contextmanager
def listening(observer: Observer) -> Iterator[None]:
    """Registers `observer` inside a `with` block.

    Args:
        observer: the observer.

    >>> class Names(Observer):
    ...     def operation(self, name, *args, **details):
    ...         print(name)
    >>> import inplacelab as paddle
    >>> with listening(Names()):
    ...     x = paddle.ones([2]).scale_(3.0)
    ones
    scale_
    """
    _set_listeners((*listeners, observer))
    _set_launch_listeners((*launch_listeners, observer))
    try:
        yield
    finally:
        _set_listeners(tuple(each for each in listeners if each is not observer))
        _set_launch_listeners(tuple(each for each in launch_listeners if each is not observer))


class silence:  # noqa: N801  # used like a function; a generator would take longer than a small operation
    """Suppresses reports of the operations inside a `with` block: a composite operation is reported once, under its own name."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = listeners
        if listeners:
            _set_listeners(())

    def __exit__(self, *_: object) -> None:
        if self._before:
            _set_listeners(self._before)
