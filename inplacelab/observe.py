"""How the engine tells what it does to those who listen, at the cost of one test per operation when nobody does.

A recorder subclasses `Observer`, overrides what it wants to hear, and is put in place with `listening`. Observers get
live objects and must copy at once what they need: in-place operations destroy the past. They must not write to tensors,
nor keep them alive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

NO_ATTRIBUTES: Mapping[str, Any] = MappingProxyType({})


class Observer:
    """Everything that can be heard. All methods do nothing here."""

    def operation(
        self, name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, *, written: Any = None,
        read: Sequence[int] | None = None, attributes: Mapping[str, Any] = NO_ATTRIBUTES,
    ) -> None:  # fmt: skip
        """An operation was done.

        Args:
            name: as the learner wrote it: "add_".
            category: "create", "ordinary", "view", "in-place", "relayout" (own metadata only) or "reallocated" (in place
                in name only).
            inputs: the tensors read.
            output: the result; for an in-place operation the tensor that was written, which is also the first input.
            node: the grad node made, or None.
            written: what was written, if it is not all of the output: the tensor that shows it (`x[0] = 5`) or a list of
                slots (`x[[0]] = 5`).
            read: the slots of the first input that an index selected, in the order of the result; None if all of it was read.
            attributes: its other arguments, by name.
        """

    def launched(self, launch: Any, storages: Sequence[Any]) -> None:
        """A kernel was launched: told before the operation that it is of, and also in `silence`, for it did run.

        Args:
            launch: a `devices.kernels.launch.Launch`, which is plain data.
            storages: for each operand the storage that it lies in; None for one that has none yet (a result), or none of its own.
        """

    def flagged(self, tensor: Any) -> None:
        """A tensor has another `stop_gradient` or `.grad`, or left the history, and no operation will tell of it."""

    def handed(self, tensors: Sequence[Any]) -> None:
        """The program is given tensors that no operation tells of: gradients that `paddle.grad` has found, a `deepcopy`."""

    def unheard(self) -> None:
        """Code of the program's own has run, and nobody was told of its operations: they may have written what is known."""

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        """Backward starts at these nodes, with these gradients."""

    def gradient_arrives(self, node: Any, gradient: Any) -> None:
        """A gradient (the first or a further part of a sum) was handed to `node`."""

    def node_begins(self, node: Any, gradient: Any) -> None:
        """The whole gradient is there; the node will now compute those of its inputs."""

    def unpacks(self, node: Any, saved: Any) -> None:
        """`node` is about to compare and use a saved tensor."""

    def hook_begins(self, node: Any, hook: Any, gradient: Any) -> None:
        """The program's own code runs now: a hook is called with the whole gradient that came to `node`."""

    def hook_ends(self, node: Any, gradient: Any) -> None:
        """It is over, and this is the gradient from now on. A hook that raises does not end: backward fails."""

    def custom_begins(self, node: Any, function: Any, gradients: Sequence[Any]) -> None:
        """The program's own code runs now: the `backward` of an operation of its own, which `node` is the node of.

        Args:
            node: the node, which has begun.
            function: the program's function.
            gradients: what it is given: a gradient for each result, None for one that did not come.
        """

    def custom_ends(self, node: Any) -> None:
        """It is over, and has returned. One that raises does not end: backward fails."""

    def node_ends(self, node: Any) -> None:
        """The node has handed its gradients on."""

    def backward_ends(self) -> None:
        """Backward came to its end without an error."""

    def backward_fails(self) -> None:
        """Backward was stopped by an error."""


listeners: tuple[Observer, ...] = ()
"""Who listens. The engine tests `if observe.listeners:` before it prepares anything to say."""

everyone: tuple[Observer, ...] = ()
"""Who listens, in `silence` too: of operations made of others only one is told, but each of their kernels runs."""


def _tell_everyone(name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, **details: Any) -> None:
    for each in listeners:
        each.operation(name, category, inputs, output, node, **details)


tell: Callable[..., None] = _tell_everyone
"""Tells those who listen of an operation. With one listener, the usual case, this *is* its method: a call less for each
operation that is recorded."""


def _set_listeners(them: tuple[Observer, ...]) -> None:
    global listeners, tell
    listeners = them
    tell = them[0].operation if len(them) == 1 else _tell_everyone


def _set_everyone(them: tuple[Observer, ...]) -> None:
    global everyone
    everyone = them


@contextmanager
def listening(observer: Observer) -> Iterator[None]:
    """Have `observer` hear everything inside a `with` block."""
    _set_listeners((*listeners, observer))
    _set_everyone((*everyone, observer))
    try:
        yield
    finally:
        _set_listeners(tuple(each for each in listeners if each is not observer))
        _set_everyone(tuple(each for each in everyone if each is not observer))


class silence:  # noqa: N801  # used as a function is; a generator would take longer than a small operation does
    """Have nobody hear of the operations inside: one that is made of others is told once, as the learner wrote it."""

    __slots__ = ("_before",)

    def __enter__(self) -> None:
        self._before = listeners
        if listeners:
            _set_listeners(())

    def __exit__(self, *_: object) -> None:
        if self._before:
            _set_listeners(self._before)
