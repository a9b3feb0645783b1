"""Checks of derivatives: compares backward with finite differences, for first (`gradcheck`) and second derivatives.

A small step to either side of an input's element shows how every result changes. Backward, started from one element of a
result, computes the same for all inputs. Complex numbers, inputs and results, can change in two directions, 1 and i: for a
seed v, backward computes the gradient of Re(conj(v) · result), as in Paddle and PyTorch, and that is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from inplacelab import errors, modes
from inplacelab.autograd.grad_mode import recording
from inplacelab.autograd.gradients import grad
from inplacelab.language import Text
from inplacelab.tensor import Tensor, fresh

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]


class CheckedFunction:
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


def finite_differences(under_check: CheckedFunction, which: int, results: Sequence[Tensor], eps: float) -> list[Array]:
    """The finite differences of each result with respect to one input: [direction, the result's element, the input's element]."""
    value = under_check.values[which]
    ways = directions(value)
    found = [np.zeros((len(ways), each.size, value.size), each.array.dtype) for each in results]
    for row, way in enumerate(ways):
        for element in range(value.size):
            for slope, change in zip(found, _finite_difference(under_check, which, element, way * eps), strict=True):
                slope[row, :, element] = change / (2 * eps)
    return found


def _finite_difference(under_check: CheckedFunction, which: int, element: int, step: complex) -> list[Array]:
    """How much each result differs between a step forward and a step back."""
    ends = []
    for sign in (1, -1):
        values = [each.copy() for each in under_check.values]
        values[which].reshape(-1)[element] += sign * step
        ends.append([result.numpy().reshape(-1) for result in under_check.run(values)[1]])
    return [ahead - behind for ahead, behind in zip(*ends, strict=True)]


def gradients(under_check: CheckedFunction, result: int, seed: complex) -> list[Array]:
    """Backward's answer for one result: for each input an array [the result's element, the input's element]."""
    leaves, results = under_check.run(under_check.values)
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


def slopes(under_check: CheckedFunction, eps: float) -> Iterator[Slope]:
    """The slopes of every pair of an input and a result, computed in both ways."""
    results = under_check.run(under_check.values)[1]
    numeric = [finite_differences(under_check, which, results, eps) for which in range(len(under_check.values))]
    for result, value in enumerate(results):
        for seed in directions(value.array):
            for which, analytic in enumerate(gradients(under_check, result, seed)):
                ways = [(np.conj(seed) * way).real for way in numeric[which][result]]
                slope = ways[0] + 1j * ways[1] if len(ways) == 2 else ways[0]
                shape = under_check.values[which].shape
                yield Slope(under_check.checked[which], shape, result, value.array.shape, slope, analytic)


def _check_precise(under_check: CheckedFunction) -> None:
    if not under_check.checked:
        raise errors.no_input_needs_gradient()
    for position, values in zip(under_check.checked, under_check.values, strict=True):
        if values.dtype not in (np.float64, np.complex128):
            raise errors.dtype_too_coarse(position=position, dtype=values.dtype.name)


def _check_repeatable(under_check: CheckedFunction) -> None:
    """Checks that two runs from the same values give the same results and the same gradients."""
    (leaves, first), (others, second) = under_check.run(under_check.values), under_check.run(under_check.values)
    for k, (one, other) in enumerate(zip(first, second, strict=True)):
        if not np.array_equal(one.numpy(), other.numpy(), equal_nan=True):
            raise errors.function_not_deterministic(result=k, what=Text("the value", "值"))
        pairs = zip(sent_back(one, leaves, _ones(one)), sent_back(other, others, _ones(other)), strict=True)
        if not all(np.array_equal(a, b, equal_nan=True) for a, b in pairs):
            raise errors.function_not_deterministic(result=k, what=Text("the gradient", "梯度"))


def _ones(like: Tensor) -> Array:
    return np.ones(like.array.shape, like.array.dtype)


class Finding(NamedTuple):
    """The worst derivative of one slope: its error, the positions in input and result, and the two derivatives."""

    error: float
    input: int
    element: Sequence[int]
    result: int
    where: Sequence[int]
    numeric: complex
    analytic: complex


def _check_slopes(under_check: CheckedFunction, eps: float, atol: float, rtol: float) -> None:
    """Raises an error for the worst of the derivatives whose error is larger than allowed."""
    findings: list[Finding] = []
    wrong = compared = 0
    for slope in slopes(under_check, eps):
        error = np.abs(slope.analytic - slope.numeric)
        off = ~(error <= atol + rtol * np.abs(slope.numeric))  # also where one of them is nan
        wrong, compared = wrong + int(off.sum()), compared + off.size
        if off.any():
            findings.append(_worst(slope, np.where(off, np.nan_to_num(error, nan=np.inf), -1.0)))
    if findings:
        worst = max(findings, key=lambda each: each.error)
        raise _refused(worst, wrong, compared)


def _refused(worst: Finding, wrong: int, compared: int) -> Exception:
    error = abs(worst.analytic - worst.numeric)
    return errors.gradients_differ(
        input=worst.input,
        element=worst.element,
        result=worst.result,
        where=worst.where,
        numeric=worst.numeric,
        analytic=worst.analytic,
        error=error,
        relative=error / abs(worst.numeric) if worst.numeric else float("inf"),
        wrong=wrong,
        compared=compared,
    )


def _worst(slope: Slope, error: Array) -> Finding:
    row, column = np.unravel_index(np.argmax(error), error.shape)
    element = [int(n) for n in np.unravel_index(column, slope.input_shape)]
    where = [int(n) for n in np.unravel_index(row, slope.result_shape)]
    derivatives = slope.numeric[row, column], slope.analytic[row, column]
    return Finding(float(error[row, column]), slope.input, element, slope.result, where, *derivatives)


def _check(function: Function, inputs: Sequence[Any], eps: float, atol: float, rtol: float) -> None:
    under_check = CheckedFunction(function, inputs)
    _check_precise(under_check)
    _check_repeatable(under_check)
    _check_slopes(under_check, eps, atol, rtol)


def _verdict(check: Callable[[], None], raise_exception: bool) -> bool:
    """True if `check` passes. Otherwise raises its error, or returns False."""
    try:
        modes.run_inside(recording(True), check)
    except errors.GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradcheck(
    function: Function,
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Returns True if the gradients of `function` at `inputs` agree with finite differences.

    The function is called with copies of the inputs, so it may write to them in place; the inputs do not change.

    Args:
        function: takes the inputs, returns a tensor or several. It must give the same results for the same inputs.
        inputs: a tensor, or several tensors and other arguments. Tensors with `stop_gradient=False` are checked; they must be
            float64 or complex128. The check calls `function` twice for each of their elements.
        eps: the step to either side.
        atol: the absolute error that is allowed.
        rtol: the relative error that is allowed in addition, as a fraction of the slope.
        raise_exception: False to return False instead of raising GradcheckError.

    Raises:
        GradcheckError: if a gradient is wrong (the message names it); if the function is not deterministic; if there is nothing
            to check; or if an input is not precise enough.

    >>> import inplacelab as paddle
    >>> from inplacelab.autograd import gradcheck
    >>> x = paddle.to_tensor([0.5, 2.], dtype="float64", stop_gradient=False)
    >>> gradcheck(lambda x: x.sin_().multiply_(x), x)       # sin(x)², overwriting x twice
    True
    >>> gradcheck(lambda x: x * x.detach(), x, raise_exception=False)
    False

    Source: the name and the tolerances are those of `torch.autograd.gradcheck`.
    """
    return _verdict(lambda: _check(function, _listed(inputs), eps, atol, rtol), raise_exception)


def gradgradcheck(
    function: Function,
    inputs: Any,
    grad_outputs: Any = None,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
) -> bool:
    """Returns True if the second derivatives of `function` at `inputs` agree with finite differences.

    It checks backward as a function of the inputs and of the gradients that it starts with.

    Args:
        function: as for `gradcheck`.
        inputs: as for `gradcheck`.
        grad_outputs: the gradients to start with, one for each result that has a history; if None, random ones, the same
            in every call.
        eps: as for `gradcheck`.
        atol: as for `gradcheck`.
        rtol: as for `gradcheck`.
        raise_exception: as for `gradcheck`.

    Raises:
        GradcheckError: as for `gradcheck`; its message counts the inputs of `function`, then `grad_outputs`.

    >>> import inplacelab as paddle
    >>> from inplacelab.autograd import gradgradcheck
    >>> x = paddle.to_tensor([0.5, 2.], dtype="float64", stop_gradient=False)
    >>> gradgradcheck(lambda x: x.exp_() * x, x)
    True

    Source: the name is that of `torch.autograd.gradgradcheck`.
    """
    given = _listed(inputs)

    def check() -> None:
        under_check = CheckedFunction(function, given)
        _check_precise(under_check)
        starts = (
            _starts(under_check)
            if grad_outputs is None
            else [leaf(each.numpy(), each) for each in _listed(grad_outputs)]
        )
        _check(_derivative(function, under_check.checked, len(given)), [*given, *starts], eps, atol, rtol)

    return _verdict(check, raise_exception)


def _derivative(function: Function, checked: Sequence[int], count: int) -> Function:
    """Backward as a function of `count` inputs and of the gradients that it starts with."""

    def derivative(*arguments: Any) -> list[Tensor]:
        inputs, seeds = arguments[:count], arguments[count:]
        results = results_of(function, inputs)
        found = grad(results, [inputs[k] for k in checked], seeds, create_graph=True, allow_unused=True)
        return [each for each in found if each is not None]

    return derivative


def _starts(under_check: CheckedFunction) -> list[Tensor]:
    """Random gradients to start with, as leaves: one for each result."""
    stream = np.random.Generator(np.random.PCG64(0))
    return [leaf(_random(stream, each), each) for each in under_check.run(under_check.values)[1]]


def _random(stream: np.random.Generator, like: Tensor) -> Array:
    drawn: Array = stream.standard_normal(like.array.shape)
    if like.array.dtype.kind == "c":
        drawn = drawn + 1j * stream.standard_normal(like.array.shape)
    return np.asarray(drawn, like.array.dtype)


def _listed(tensors: Any) -> list[Any]:
    """One tensor or several arguments, as a list."""
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)
