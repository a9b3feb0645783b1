"""Run a program of the page in one of the frameworks, and differentiate it by finite differences.

No framework is imported here: the module that a program is to run in is an argument, so inplacelab needs none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

import inplacelab
from inplacelab.differences.answers import Answer
from inplacelab.differences.model import OPENING, OPENING_IN_TORCH, Difference, plain

LEAF = ((1.0, 2.0), (3.0, 4.0))
"""The values of `a`, as the opening says them."""

REFUSALS = (RuntimeError, ValueError, TypeError, SystemError, IndexError, AssertionError, AttributeError)
"""What may be a refusal. (Paddle refuses a number by an AttributeError: it asks the number for its shape.)"""

_NOT_THERE = re.compile(r"^(module|type object|'\w*Tensor' object).* has no attribute")
"""The text of an AttributeError that is a mistake in the entry: a name that the framework has not got."""

_STEP = 1e-6
_SERIAL_NUMBER = re.compile(r"generated_tensor_\d+")


def run(program: str, module: Any) -> Answer:
    """What `program` gives in `module` (inplacelab or the real Paddle, under the name `paddle`)."""
    return _answer(OPENING + program, {"paddle": module, "np": np}, module)


def run_in_torch(twin: str, module: Any) -> Answer:
    """What a twin gives in PyTorch."""
    return _answer(OPENING_IN_TORCH + twin, {"torch": module, "np": np}, module)


def _answer(text: str, scope: dict[str, Any], module: Any) -> Answer:
    with _default_dtype_put_back(module):
        try:
            exec(text, scope)
            if "loss" not in scope:
                return Answer(value=_rounded(scope["answer"]))
            scope["loss"].backward()
        except REFUSALS as error:
            if _NOT_THERE.search(str(error)):
                raise
            return Answer(refused=(type(error).__name__, first_line(error)))
    gradient = scope["a"].grad
    return Answer(gradient=None if gradient is None else _rounded(gradient.tolist()))


@contextmanager
def _default_dtype_put_back(module: Any) -> Iterator[None]:
    before = module.get_default_dtype()
    try:
        yield
    finally:
        module.set_default_dtype(before)


def _rounded(value: Any) -> Any:
    """Numbers as the page keeps them: eight decimals, and no negative zero."""
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, 8) + 0.0 if isinstance(value, float) else value


def first_line(error: BaseException) -> str:
    """The line of an error's text that says what happened, without numbers that change from run to run."""
    lines = [line.strip() for line in str(error).splitlines()]
    said = [line for line in lines if line and not line.startswith("---") and "Traceback" not in line]
    return _SERIAL_NUMBER.sub("generated_tensor", said[0] if said else "")


# ---- finite differences ---------------------------------------------------------------------------------------------


def finite_difference(difference: Difference) -> list[list[float]]:
    """The derivative of the program's `loss`, from its values alone: central differences in double precision.

    The program is run with `a` as a constant, so no history takes part, and what a history would refuse is computed.
    If it cannot be run so because it asks for derivatives itself, `a` is a leaf; if it is refused all the same, its
    fixed form is run.
    """
    gradient = np.empty(np.shape(LEAF))
    for place in np.ndindex(gradient.shape):
        step = np.zeros(gradient.shape)
        step[place] = _STEP
        gradient[place] = (_loss(difference, LEAF + step) - _loss(difference, LEAF - step)) / (2 * _STEP)
    return [[round(float(each), 6) + 0.0 for each in row] for row in gradient]


def _loss(difference: Difference, leaf: Any) -> float:
    ways = [(difference.text, True), (difference.text, False)]
    if difference.fixed is not None:
        ways.append((plain(difference.fixed), False))
    *others, last = ways
    for text, constant in others:
        with suppress(*REFUSALS):
            return _evaluate(text, leaf, constant=constant)
    return _evaluate(last[0], leaf, constant=last[1])


def _evaluate(text: str, leaf: Any, *, constant: bool) -> float:
    with _default_dtype_put_back(inplacelab):
        inplacelab.set_default_dtype("float64")
        scope = {"paddle": inplacelab, "np": np, "a": inplacelab.to_tensor(leaf, stop_gradient=constant)}
        exec(text, scope)
        return float(scope["loss"])
