"""The operations that `compare.py` measures, spelled for each framework. Data only; `python -m benchmarks.compare` runs it.

A spelling is one statement, written as a user of the framework writes it. `x` is the tensor that is read or written, and the other
names are those of `NAMES`. A framework without a spelling is not measured.
"""

from __future__ import annotations

from typing import NamedTuple

NAMES = {
    "x": "the tensor, all ones",
    "y": "zeros of the same shape",
    "w": "a matrix that `x` is multiplied by",
    "row": "the first row's shape, all ones",
    "one": "1 as an array of NumPy without dimensions",
    "zero": "0 as an array of NumPy without dimensions",
    "np": "NumPy",
    "lib": "the framework's module of functions",
    "functional": "its `nn.functional`",
}
"""What a spelling may name. Values stay finite and the same, however often an operation runs."""


class Operation(NamedTuple):
    """One operation in each framework.

    Attributes:
        numpy: by hand, with `out=` where it is in place.
        ours: in this package.
        chain: whether it writes to `x`. With a graph it then runs on a copy of a leaf, many times, before the copy is dropped.
        paddle: in PaddlePaddle; None if it is spelled as in this package.
        torch: in PyTorch; None if it is spelled as in this package.
        mygrad: in MyGrad, where a Python number would make the result double precision.
        autograd: in HIPS autograd, which has no operations in place.
    """

    numpy: str
    ours: str
    chain: bool = False
    paddle: str | None = None
    torch: str | None = None
    mygrad: str | None = None
    autograd: str | None = None

    def spelling(self, framework: str) -> str | None:
        """The statement in a framework; None if it has none."""
        if framework in ("paddle", "torch"):
            return (self.paddle if framework == "paddle" else self.torch) or self.ours
        return {"numpy": self.numpy, "mygrad": self.mygrad, "autograd": self.autograd}.get(framework, self.ours)


OPERATIONS = {
    "add": Operation("np.add(x, y)", "x + y", mygrad="x + y", autograd="x + y"),
    "add_": Operation("np.add(x, y, out=x)", "x.add_(y)", chain=True, mygrad="x += y"),
    "subtract": Operation("np.subtract(x, y)", "x - y", mygrad="x - y", autograd="x - y"),
    "subtract_": Operation(
        "np.subtract(x, y, out=x)", "x.subtract_(y)", chain=True, torch="x.sub_(y)", mygrad="x -= y"
    ),
    "multiply": Operation("np.multiply(x, y)", "x * y", mygrad="x * y", autograd="x * y"),
    "scale": Operation("np.multiply(x, one)", "x.scale(1.0)", torch="x.mul(1.0)", mygrad="x * one", autograd="x * 1.0"),
    "scale_": Operation(
        "np.multiply(x, one, out=x)", "x.scale_(1.0)", chain=True, torch="x.mul_(1.0)", mygrad="x *= one"
    ),
    "relu": Operation(
        "np.maximum(x, zero)", "functional.relu(x)", mygrad="lib.maximum(x, zero)", autograd="lib.maximum(x, 0.0)"
    ),
    "relu_": Operation(
        "np.maximum(x, zero, out=x)", "x.relu_()", chain=True, paddle="functional.relu_(x)",
        mygrad="lib.maximum(x, zero, out=x)",
    ),
    "zero_": Operation("x.fill(0.0)", "x.zero_()", chain=True, mygrad="x[...] = 0.0"),
    "set_value": Operation("np.copyto(x, y)", "x.set_value(y)", torch="x.data.copy_(y)"),
    "setitem": Operation("x[0] = row", "x[0] = row", chain=True, mygrad="x[0] = row"),
    "getitem": Operation("x[0]", "x[0]", mygrad="x[0]", autograd="x[0]"),
    "transpose": Operation(
        "x.transpose(1, 0)", "x.transpose([1, 0])", torch="x.transpose(1, 0)", mygrad="x.transpose(1, 0)",
        autograd="lib.transpose(x, (1, 0))",
    ),
    "reshape": Operation(
        "x.reshape(3, 2)", "x.reshape([3, 2])", torch="x.view(3, 2)", mygrad="x.reshape(3, 2)", autograd="x.reshape(3, 2)"
    ),
    "detach": Operation("x.view()", "x.detach()"),
    "clone": Operation("x.copy()", "x.clone()", mygrad="+x"),
    "sum": Operation("x.sum()", "x.sum()", mygrad="x.sum()", autograd="lib.sum(x)"),
    "mean": Operation("x.mean()", "x.mean()", mygrad="x.mean()", autograd="lib.mean(x)"),
    "logsumexp": Operation(
        "np.log(np.exp(x - (m := x.max())).sum()) + m", "x.logsumexp()", torch="x.logsumexp((0, 1))",
        autograd="functional.logsumexp(x)",
    ),
    "matmul": Operation("np.matmul(x, w)", "lib.matmul(x, w)", mygrad="lib.matmul(x, w)", autograd="lib.matmul(x, w)"),
}  # fmt: skip

SMALL = (2, 3)
LARGE = (4096, 4096)
"""64 MiB in single precision."""

LATENCY = ("add", "add_", "scale_", "getitem", "transpose", "relu_")
"""The rows of the latency table."""
IN_PLACE_LARGE = ("add_", "scale_", "relu_")
"""The rows of the table of large tensors."""

LESSON_COUNTS = {
    "scale": 3621,
    "zero_": 3519,
    "add": 2698,
    "matmul": 2267,
    "add_": 2060,
    "subtract": 1640,
    "scale_": 1568,
    "subtract_": 1383,
    "getitem": 1335,
    "set_value": 1278,
    "relu_": 1030,
    "relu": 991,
    "sum": 899,
    "clone": 603,
    "multiply": 568,
    "mean": 411,
    "logsumexp": 360,
    "reshape": 327,
    "setitem": 265,
    "detach": 152,
}
"""The twenty operations most used in the lessons, and how often their programs run them, as counted by
`python -m benchmarks.lesson_operations`. What creates a tensor, what backward computes and what a lesson defines itself is not counted."""
