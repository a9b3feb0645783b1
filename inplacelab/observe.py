"""Notifies observers of what the engine does. Without observers, an operation pays for one test.

The observers belong to a thread or coroutine (see `modes.py`): what other threads do is not reported.

A recorder subclasses `Observer`, overrides the methods it needs, and is registered with `listening`. Observers receive
live objects and must copy what they need immediately, because in-place operations overwrite it. They must not write to
tensors or keep them alive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from inplacelab import modes
from inplacelab.dependence import Dependence

_R = TypeVar("_R")


class Observer:
    """Receives everything that the engine reports. All methods do nothing by default."""

    def operation(
        self, name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, *, written: Any = None,
        exact: bool = True, read: Sequence[int] | None = None, copied: int | None = None,
        depends: Dependence | None = None,
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
            exact: False if `written` is only where it may have written: it is not known which of these slots it wrote.
            read: the slots of the first input that were read, if not all of them: those that an index selected, in the order of
                the result; none of a tensor that was only overwritten.
            copied: the position of the input whose elements were written as they are, but for their dtype; None if no input's were.
            depends: how the elements of the result depend on those of the inputs; None if it is not known, or a view.
        """

    def launched(self, launch: Any, storages: Sequence[Any]) -> None:
        """Called after a kernel launch, before the operation that it belongs to; also in `silently`.

        Args:
            launch: a `kernels.launch.Launch`, which is plain data.
            storages: the storage of each operand; None for an operand without one, such as a result that is not a tensor yet.
        """

    def communicated(self, name: str, number: int, rank: int, ranks: int, *, alone: bool) -> None:
        """Called after a collective, before the operation that it belongs to.

        Args:
            name: what it is called: "all_reduce".
            number: which collective of the program it is, from 1: the same on all ranks.
            rank: the number of this rank.
            ranks: how many ranks there are.
            alone: whether no operation follows, as for a barrier.
        """

    def flagged(self, tensor: Any) -> None:
        """Called when `stop_gradient` or `.grad` of a tensor was set, or it left the history, without an operation."""

    def tensors_returned(self, tensors: Sequence[Any]) -> None:
        """Called when the program receives tensors that no operation reports: results of `paddle.grad`, a `deepcopy`."""

    def constructed(self, module: Any) -> None:
        """Called when a module of `nn` is constructed, in its `__init__`."""

    def unreported_code_ran(self) -> None:
        """Called after the program's code ran in `silently`: its operations were not reported, but may have written to tensors."""

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


def notify(name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, **details: Any) -> None:
    """Reports an operation to the observers of this thread or coroutine."""
    modes.current().notify(name, category, inputs, output, node, **details)


class listening(modes.Block):  # noqa: N801  # used like a function
    """Registers `observer` inside a `with` block, for the thread or coroutine that runs it.

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

    def __init__(self, observer: Observer) -> None:
        self._observer = observer

    def change(self, modes: modes.Modes) -> None:
        modes.listen((*modes.listeners, self._observer))
        modes.launch_listeners = (*modes.launch_listeners, self._observer)


class _Silenced(modes.Block):
    """Ends at the latest with the `listening` block around it, if an interrupt prevents that it is left."""

    open_ended = True

    def change(self, modes: modes.Modes) -> None:
        modes.listen(())


def silently(function: Callable[..., _R], *args: Any, **kwargs: Any) -> _R:
    """Calls a function without reports of its operations: a composite operation is reported once, under its own name. Launches
    are still reported.

    Args:
        function: the function.
        *args: its arguments.
        **kwargs: its keyword arguments.

    Returns:
        Its result.
    """
    if not modes.current().listeners:
        return function(*args, **kwargs)
    return modes.run_inside(_Silenced(), function, *args, **kwargs)
