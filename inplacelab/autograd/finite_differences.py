"""Slopes of a function, computed in two ways: by finite differences, and by backward.

A small step to either side of an input's element shows how every result changes. Backward, started from one element of a
result, computes the same for all inputs. Complex numbers, inputs and results, can change in two directions, 1 and i: for a
seed v, backward computes the gradient of Re(conj(v) · result), as in Paddle and PyTorch, and that is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors
from inplacelab.autograd.grad_function import grad
from inplacelab.tensor import Tensor, fresh

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]


class Program:
    """A function and the point at which it is checked. Every run has new inputs, so the function may write them.

    Attributes:
        checked: the positions of the inputs with respect to which derivatives are checked.
        values: their values.
    """

    def __init__(self, function: Function, inputs: Sequence[Any]) -> None:
        self._function, self._inputs = function, inputs
        self.checked = [k for k, each in enumerate(inputs) if isinstance(each, Tensor) and not each.stop_gradient]
        self.values: list[Array] = [inputs[k].numpy() for k in self.checked]

    def run(self, values: Sequence[Array]) -> tuple[list[Tensor], list[Tensor]]:
        """Returns the leaves, with these values, and the results that have a history."""
        given = list(self._inputs)
        leaves = []
        for k, value in zip(self.checked, values, strict=True):
            given[k] = leaf(value, self._inputs[k])
            leaves.append(given[k])
        return leaves, results_of(self._function, given)


def leaf(values: Array, like: Tensor) -> Tensor:
    """A leaf with a copy of these values that needs a gradient, on the device of `like`."""
    device = like.storage.device
    made = fresh(device.from_host(values), device)
    made._stop = False
    return made


def results_of(function: Function, inputs: Sequence[Any]) -> list[Tensor]:
    """The results of the function for copies of the inputs: those whose derivatives can be checked."""
    returned = function(*(each.clone() if isinstance(each, Tensor) else each for each in inputs))
    results = returned if isinstance(returned, tuple | list) else [returned]
    found = [r for r in results if isinstance(r, Tensor) and not r.stop_gradient and r.array.dtype.kind in "fc"]
    if not found:
        raise errors.results_without_history()
    return found


class Slope(NamedTuple):
    """The slope of one result by one input, for a seed of 1 or i: rows for the result's elements, columns for the input's."""

    input: int
    input_shape: tuple[int, ...]
    result: int
    result_shape: tuple[int, ...]
    numeric: Array
    analytic: Array


def directions(values: Array) -> tuple[complex, ...]:
    """The directions in which a number can change: 1, and i for complex numbers."""
    return (1, 1j) if values.dtype.kind == "c" else (1,)


def differences(program: Program, which: int, results: Sequence[Tensor], eps: float) -> list[Array]:
    """The finite differences of each result with respect to one input: [direction, the result's element, the input's element]."""
    value = program.values[which]
    ways = directions(value)
    found = [np.zeros((len(ways), each.size, value.size), each.array.dtype) for each in results]
    for row, way in enumerate(ways):
        for element in range(value.size):
            for slope, change in zip(found, _difference(program, which, element, way * eps), strict=True):
                slope[row, :, element] = change / (2 * eps)
    return found


def _difference(program: Program, which: int, element: int, step: complex) -> list[Array]:
    """How much each result differs between a step forward and a step back."""
    ends = []
    for sign in (1, -1):
        values = [each.copy() for each in program.values]
        values[which].reshape(-1)[element] += sign * step
        ends.append([result.numpy().reshape(-1) for result in program.run(values)[1]])
    return [ahead - behind for ahead, behind in zip(*ends, strict=True)]


def gradients(program: Program, result: int, seed: complex) -> list[Array]:
    """Backward's answer for one result: for each input an array [the result's element, the input's element]."""
    leaves, results = program.run(program.values)
    rows = []
    for k in range(results[result].size):
        start = np.zeros(results[result].array.shape, results[result].array.dtype)
        start.reshape(-1)[k] = seed
        rows.append(sent_back(results[result], leaves, start))
    return [np.array([row[k] for row in rows]).reshape(len(rows), each.size) for k, each in enumerate(leaves)]


def sent_back(result: Tensor, leaves: Sequence[Tensor], start: Array) -> list[Array]:
    """The gradient that arrives at each leaf if backward starts with these numbers: flat; zeros where none arrives."""
    seed = leaf(start, result).detach()
    found = grad(result, leaves, [seed], retain_graph=True, allow_unused=True)
    return [
        np.zeros(each.size, each.array.dtype) if gradient is None else gradient.numpy().reshape(-1)
        for each, gradient in zip(leaves, found, strict=True)
    ]


def slopes(program: Program, eps: float) -> Iterator[Slope]:
    """The slopes of every pair of an input and a result, computed in both ways."""
    results = program.run(program.values)[1]
    numeric = [differences(program, which, results, eps) for which in range(len(program.values))]
    for result, value in enumerate(results):
        for seed in directions(value.array):
            for which, analytic in enumerate(gradients(program, result, seed)):
                ways = [(np.conj(seed) * way).real for way in numeric[which][result]]
                slope = ways[0] + 1j * ways[1] if len(ways) == 2 else ways[0]
                shape = program.values[which].shape
                yield Slope(program.checked[which], shape, result, value.array.shape, slope, analytic)
