"""Reports what the engine does to observers, at the cost of one test per operation when there are none.

A recorder subclasses `Observer`, overrides the methods for the events that it needs, and is registered with `listening`.
Observers get live objects and must copy at once what they need: in-place operations overwrite old values. They must not
write to tensors, nor keep them alive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

NO_ATTRIBUTES: Mapping[str, Any] = MappingProxyType({})


class Observer:
    """The interface of observers: one method for each event. All methods do nothing here."""

    def operation(
        self, name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, *, written: Any = None,
        read: Sequence[int] | None = None, attributes: Mapping[str, Any] = NO_ATTRIBUTES,
    ) -> None:  # fmt: skip
        """An operation has run.

        Args:
            name: the name that the program called: "add_".
            category: "create", "ordinary", "view", "in-place", "relayout" (own metadata only) or "reallocated" (in place
                in name only).
            inputs: the tensors read.
            output: the result; for an in-place operation the tensor that was written, which is also the first input.
            node: the grad node made, or None.
            written: the part of the output that was written, if not all of it: a view of it (`x[0] = 5`) or a list of
                slots (`x[[0]] = 5`).
            read: the slots of the first input that an index selected, in the order of the result; None if all were read.
            attributes: the other arguments, by name.
        """

    def launched(self, launch: Any, storages: Sequence[Any]) -> None:
        """A kernel was launched. Reported before its operation, and also in `silence`, since the kernel did run.

        Args:
            launch: a `devices.kernels.launch.Launch`, which is plain data.
            storages: the storage of each operand; None for an operand without one (a result that has no storage yet).
        """

    def flagged(self, tensor: Any) -> None:
        """A tensor's `stop_gradient` or `.grad` changed, or it left the history, without an operation that reports it."""

    def tensors_returned(self, tensors: Sequence[Any]) -> None:
        """The program gets tensors that no operation reports: gradients that `paddle.grad` found, a `deepcopy`."""

    def unreported_code_ran(self) -> None:
        """Code of the program has run whose operations were not reported: they may have written known storages."""

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        """Backward starts at these nodes, with these gradients: pairs (node, gradient)."""

    def gradient_arrives(self, node: Any, gradient: Any) -> None:
        """`node` receives a gradient: the first, or a further part of a sum."""

    def node_begins(self, node: Any, gradient: Any) -> None:
        """The node's gradient is complete; the node computes those of its inputs next."""

    def unpacks(self, node: Any, saved: Any) -> None:
        """`node` is about to compare and use a saved tensor."""

    def hook_begins(self, node: Any, hook: Any, gradient: Any) -> None:
        """A hook of the program is called with the complete gradient of `node`."""

    def hook_ends(self, node: Any, gradient: Any) -> None:
        """The hook has returned; `gradient` is the gradient from now on. A hook that raises has no end: backward fails."""

    def custom_begins(self, node: Any, function: Any, gradients: Sequence[Any]) -> None:
        """The `backward` of a custom operation is called.

        Args:
            node: the node of the operation; `node_begins` was reported before.
            function: the program's function.
            gradients: its arguments: a gradient for each result, None for one that did not arrive.
        """

    def custom_ends(self, node: Any) -> None:
        """The custom operation's `backward` has returned. One that raises has no end: backward fails."""

    def node_ends(self, node: Any) -> None:
        """The node has passed its gradients on."""

    def backward_ends(self) -> None:
        """Backward ended without an error."""

    def backward_fails(self) -> None:
        """Backward was stopped by an error."""


listeners: tuple[Observer, ...] = ()
"""The observers of operations. The engine tests `if observe.listeners:` before it prepares a report."""

launch_listeners: tuple[Observer, ...] = ()
"""The observers of launches, also in `silence`: a composite operation is reported once, but each of its kernels runs."""


def _tell_everyone(name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, **details: Any) -> None:
    for each in listeners:
        each.operation(name, category, inputs, output, node, **details)


tell: Callable[..., None] = _tell_everyone
"""Reports an operation to the observers. With one observer, the usual case, this *is* its method, which saves a call for
each recorded operation."""


def _set_listeners(observers: tuple[Observer, ...]) -> None:
    global listeners, tell
    listeners = observers
    tell = observers[0].operation if len(observers) == 1 else _tell_everyone


def _set_launch_listeners(observers: tuple[Observer, ...]) -> None:
    global launch_listeners
    launch_listeners = observers


@contextmanager
def listening(observer: Observer) -> Iterator[None]:
    """Reports everything inside a `with` block to `observer`."""
    _set_listeners((*listeners, observer))
    _set_launch_listeners((*launch_listeners, observer))
    try:
        yield
    finally:
        _set_listeners(tuple(each for each in listeners if each is not observer))
        _set_launch_listeners(tuple(each for each in launch_listeners if each is not observer))


class silence:  # noqa: N801  # used like a function; a generator would take longer than a small operation
    """Reports no operations inside a `with` block, so that a composite operation is reported once, under its own name."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = listeners
        if listeners:
            _set_listeners(())

    def __exit__(self, *_: object) -> None:
        if self._before:
            _set_listeners(self._before)
