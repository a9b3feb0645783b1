"""Runs a program in a framework, and reads its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import inplacelab
from inplacelab.lessons.differences.entries import Answer, Difference

OPENINGS = {
    "paddle": """\
paddle.set_default_dtype("float64")
a = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
""",
    "torch": """\
torch.set_default_dtype(torch.float64)
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
""",
}
"""What every program begins with, by the name under which it uses the framework."""

REFUSALS = (RuntimeError, ValueError, TypeError, SystemError, IndexError, AssertionError, AttributeError)
"""What may be a refusal. (Paddle refuses a number by an AttributeError: it asks the number for its shape.)"""

_NOT_THERE = re.compile(r"^(module|type object|'\w*Tensor' object).* has no attribute")
"""The message of an AttributeError that is a mistake in the entry: a name that the framework does not have."""

_SERIAL_NUMBER = re.compile(r"generated_tensor_\d+")


def ours(difference: Difference) -> Answer:
    """The answer of inplacelab, here and now."""
    return run(difference.program, inplacelab)


def run(program: str, module: Any, name: str = "paddle") -> Answer:
    """Run a program in a framework.

    Args:
        program: its text, without the opening.
        module: the framework: inplacelab, or the real Paddle or PyTorch. So none of them has to be installed here.
        name: the name under which the program uses the framework: "paddle" or "torch".
    """
    scope: dict[str, Any] = {name: module, "np": np}
    with default_dtype_restored(module):
        try:
            exec(OPENINGS[name] + program, scope)
            if "loss" not in scope:
                return Answer(value=_rounded(scope["answer"]))
            scope["loss"].backward()
        except REFUSALS as error:
            if _NOT_THERE.search(str(error)):
                raise
            return Answer(refused=(type(error).__name__, _first_line(error)))
    gradient = scope["a"].grad
    return Answer(gradient=None if gradient is None else _rounded(gradient.tolist()))


@contextmanager
def default_dtype_restored(module: Any) -> Iterator[None]:
    """Restore the framework's default dtype after the block."""
    before = module.get_default_dtype()
    try:
        yield
    finally:
        module.set_default_dtype(before)


def _rounded(value: Any) -> Any:
    """Numbers as they are recorded: eight decimals, and no negative zero."""
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, 8) + 0.0 if isinstance(value, float) else value


def _first_line(error: BaseException) -> str:
    """The line of an error's message that says what happened, without numbers that change from run to run."""
    lines = [line.strip() for line in str(error).splitlines()]
    found = [line for line in lines if line and not line.startswith("---") and "Traceback" not in line]
    return _SERIAL_NUMBER.sub("generated_tensor", found[0] if found else "")
