"""Finds the operation whose own gradient is wrong: makes the calls on the way one by one, in the framework and on the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import Context
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from inplacelab import observe
from inplacelab.autograd import grad
from inplacelab.autograd.nodes import AccumulateNode
from inplacelab.ops.creation import to_tensor
from inplacelab.recorders.judging.judgment import Cause, Engine, Replayed
from inplacelab.recorders.judging.twins import doubt, filled_in, is_near, kept, nodes_from, tensors_in, tolerance
from inplacelab.tensor import Tensor

Calls = WeakKeyDictionary[Any, tuple[Replayed, int]]
"""The call that made each node of the engine, and which of its results."""


class Causes:
    """Tries the calls of one pass.

    Args:
        calls: the calls.
        engine: makes them in the framework.
        context: that of the engine.
        walks: has the engine go through the history once more.
    """

    def __init__(self, calls: Calls, engine: Engine, context: Context, walks: Callable[[], object]) -> None:
        self._calls, self._engine, self._context = calls, engine, context
        self._arrived = _Arrived(calls)
        self._tried: dict[int, list[Cause]] = {}
        context.run(self._listens, walks)

    def _listens(self, walks: Callable[[], object]) -> None:
        with observe.listening(self._arrived):
            walks()

    def calls_before(self, number: int) -> list[Any]:
        """Returns the nodes of calls on the way to the leaf with a number, the last one first."""
        nodes = sorted(self._arrived.gradients, key=lambda each: -each.serial)
        return [each for each in nodes if _leads_to(each, number)]

    def of(self, node: Any) -> list[Cause]:
        """Returns the operands of the call that made a node to which the framework itself gives a wrong gradient."""
        if id(node) not in self._tried:
            call, position = self._calls[node]
            self._tried[id(node)] = list(self._wrong_operands(call, position, self._arrived.gradients[node]))
        return self._tried[id(node)]

    def _wrong_operands(self, call: Replayed, position: int, gradient: Any) -> Iterator[Cause]:
        def filled(tensors: Sequence[Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
            return filled_in(call.args, tensors), filled_in(call.kwargs, tensors)

        try:
            meant = self._context.run(_slopes, call, filled, position, gradient)
            found = self._engine.gradients(call.function, filled, call.values, call.needs, position, gradient)
            noise = 1 + tolerance(str(gradient.dtype)) / 100 * np.random.default_rng(0).choice(
                [-1.0, 1.0], gradient.shape
            )
            moved = self._context.run(_slopes, call, filled, position, (gradient * noise).astype(gradient.dtype))
        except Exception:  # noqa: BLE001  # a call that cannot be made alone is not to blame
            return
        for k, (mine, theirs, others) in enumerate(zip(meant, found, moved, strict=True)):
            dtype = str(call.values[k].dtype)
            if not call.needs[k] or mine is None:
                continue
            nothing = np.zeros_like(mine)
            if not is_near(nothing if theirs is None else theirs, mine, dtype, doubt(others, mine)):
                yield Cause(call.name, call.place, call.names[k], dtype, kept(theirs), kept(mine))


def _leads_to(node: Any, number: int) -> bool:
    return any(
        isinstance(each, AccumulateNode) and vars(each.leaf).get("number") == number for each in nodes_from([node])
    )


class _Arrived(observe.Observer):
    """Collects the gradients that arrive at the nodes of replayed calls."""

    def __init__(self, calls: WeakKeyDictionary[Any, tuple[Replayed, int]]) -> None:
        self._calls = calls
        self.gradients: dict[Any, Any] = {}

    def node_begins(self, node: Any, gradient: Any) -> None:
        if node in self._calls and isinstance(gradient, Tensor):
            self.gradients[node] = gradient.array.copy()


def _slopes(call: Replayed, filled: Callable[..., Any], position: int, gradient: Any) -> list[Any]:
    """Returns the gradients of the tensors of a call that is made on new ones."""
    leaves = []
    for values, needs in zip(call.values, call.needs, strict=True):
        leaf = to_tensor(values.copy())
        leaf.stop_gradient = not needs
        leaves.append(leaf)
    operands = [each.clone() if needs else each for each, needs in zip(leaves, call.needs, strict=True)]
    args, kwargs = filled(operands)
    results = list(tensors_in(call.engine(*args, **kwargs)))
    result = results[position] if results else operands[0]
    asked = [each for each, needs in zip(leaves, call.needs, strict=True) if needs]
    found = iter(grad([result], asked, [to_tensor(gradient)], allow_unused=True))
    slopes = [next(found) if needs else None for needs in call.needs]
    return [None if each is None else each.array for each in slopes]
