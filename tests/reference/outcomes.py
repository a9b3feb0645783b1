"""Runs a call on a package, PaddlePaddle or ours, and returns the outcome as plain data for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tests.reference.calls import CALLS, DRAWN, Call

DTYPES = ("float32", "float64", "int32", "int64", "bool", "complex64", "complex128", "float16")
DIFFERENTIABLE = ("float32", "float64", "complex128")
_SHAPES = {"0-d": (), "empty": (0, 3), "2x3": (2, 3), "strided": (2, 3), "1x2x3": (1, 2, 3), "5x2": (5, 2)}
_BASIC = ("2x3", "1x2x3")
_VALUES: dict[str, tuple[list[float], list[float]]] = {
    "any": ([0.6, -1.4, 2.2, 1.3, 0.7, -0.2], [2.0, 3.0, 1.5, 1.0, -2.0, 4.0]),
    "unit": ([0.6, -0.4, 0.2, 0.3, 0.7, -0.2], [0.2, 0.3, 0.5, 0.1, -0.2, 0.4]),
    "inside": ([0.6, 0.4, 0.2, 0.3, 0.7, 0.9], [0.2, 0.3, 0.5, 0.1, 0.2, 0.4]),
    "positive": ([0.6, 1.4, 2.2, 1.3, 0.7, 0.2], [2.0, 3.0, 1.5, 1.0, 2.5, 4.0]),
    "above one": ([1.6, 1.4, 2.2, 1.3, 3.7, 1.2], [2.0, 3.0, 1.5, 1.0, 2.5, 4.0]),
    "integers": ([6, -4, 12, 9, 7, -10], [2, 3, 8, -6, 14, 4]),
    "small integers": ([6, 4, 12, 9, 7, 10], [2, 3, 0, 1, 1, 4]),
}


class Question(NamedTuple):
    """A call with a dtype and a shape."""

    call: Call
    dtype: str
    shape: str
    variant: str

    @property
    def key(self) -> str:
        """One line that names it."""
        text = self.call.text if self.variant == "in-place" else self.call.ordinary
        return f"{self.call.name} | {text} | {self.dtype} | {self.shape} | {self.variant}"


def questions() -> Iterator[Question]:
    """All of them: every shape in single and double precision, the plain ones in the other dtypes."""
    for call in CALLS:
        for dtype in DTYPES:
            for shape in call.shapes:
                if dtype in ("float32", "float64") or shape in _BASIC:
                    yield Question(call, dtype, shape, "in-place")
                    if call not in DRAWN:
                        yield Question(call, dtype, shape, "ordinary")


def answer(paddle: Any, question: Question) -> dict[str, Any]:
    """The outcome: the value, dtype and shape of the result (and of `x`), the gradients, or the refusal."""
    try:
        found = _run(paddle, question)
    except Exception as error:  # noqa: BLE001  # any exception is the result
        return {"error": type(error).__mro__[0].__name__, "says": str(error).strip().split("\n")[0][:60]}
    if question.dtype in DIFFERENTIABLE and question.shape != "strided" and question.call not in DRAWN:
        found["gradients"] = _gradients(paddle, question)
    return found


def _run(paddle: Any, question: Question) -> dict[str, Any]:
    names = _names(paddle, question, grad=False)
    x = names["x"]
    before = x.inplace_version
    text = question.call.text if question.variant == "in-place" else question.call.ordinary
    result = eval(text, dict(names))
    drawn = question.call in DRAWN
    written = x if question.variant == "in-place" else result
    found = {"dtype": str(written.dtype), "shape": list(written.shape), "values": None if drawn else _plain(written)}
    if question.variant == "in-place":
        found["bump"] = x.inplace_version - before
        found["self"] = result is x
        if question.shape == "strided" and not drawn:
            found["base"] = _plain(names["base"])
    return found


def _gradients(paddle: Any, question: Question) -> list[Any] | str:
    """The gradients of `x` and `y` as they were before the call, of a weighted sum of the result."""
    names = _names(paddle, question, grad=True)
    text = question.call.text if question.variant == "in-place" else question.call.ordinary
    try:
        result = eval(text, dict(names))
        if result.stop_gradient:
            return "no history"
        weights = paddle.to_tensor(np.linspace(0.5, 1.5, result.size).reshape(list(result.shape)).astype(names["like"]))
        (result * weights.astype(result.dtype)).sum().backward()
    except Exception as error:  # noqa: BLE001
        return type(error).__mro__[0].__name__
    return [None if t.grad is None else _plain(t.grad) for t in (names["a"], names["b"])]


def _names(paddle: Any, question: Question, *, grad: bool) -> dict[str, Any]:
    """The names in the texts: see `calls.py`."""
    dtype, sizes = question.dtype, _SHAPES[question.shape]
    first, second = (_array(v, dtype, sizes) for v in _VALUES[question.call.domain])
    made = lambda values: paddle.to_tensor(values)  # noqa: E731
    names: dict[str, Any] = {
        "paddle": paddle, "F": paddle.nn.functional, "like": dtype if dtype != "float16" else "float32",
        "T": lambda values: made(np.array(values).astype(dtype)), "I": lambda values: made(np.array(values, dtype="int64")),
        "mask": made(np.resize([True, False, True, True, False, False], sizes)),
        "row": made(second[0].copy() if second.ndim else second.copy()),
        "wide": made(np.stack([second, second])),
    }  # fmt: skip
    if question.shape == "strided":
        names["base"] = made(np.ascontiguousarray(first.T))
        names["x"], names["y"] = names["base"].t(), made(second)
        return names
    a, b = made(first), made(second)
    names.update(a=a, b=b, x=a, y=b)
    if grad:
        a.stop_gradient = b.stop_gradient = False
        names["x"], names["y"] = a * 1, b * 1
    return names


def _array(values: list[float], dtype: str, sizes: tuple[int, ...]) -> np.ndarray[Any, Any]:
    numbers = np.array(values) + (0.5j * np.array(values[::-1]) if dtype.startswith("complex") else 0)
    chosen = np.resize(numbers, sizes)
    return (chosen > 0.5 if dtype == "bool" else chosen).astype(dtype)


def _plain(tensor: Any) -> Any:
    """Values in order, as JSON has them; complex numbers as pairs."""
    array = np.asarray(tensor.numpy()).reshape(-1)
    if array.dtype.kind == "c":
        return [_number(part) for value in array for part in (value.real, value.imag)]
    return [bool(v) if array.dtype.kind == "b" else _number(v) if array.dtype.kind == "f" else int(v) for v in array]


def _number(value: Any) -> float | str:
    number = float(value)
    return number if np.isfinite(number) else str(number)
