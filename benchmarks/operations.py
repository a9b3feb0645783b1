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
    "scale_": Operation(
        "np.multiply(x, one, out=x)", "x.scale_(1.0)", chain=True, torch="x.mul_(1.0)", mygrad="x *= one"
    ),
    "getitem": Operation("x[0]", "x[0]", mygrad="x[0]", autograd="x[0]"),
    "transpose": Operation(
        "x.transpose(1, 0)", "x.transpose([1, 0])", torch="x.transpose(1, 0)", mygrad="x.transpose(1, 0)",
        autograd="lib.transpose(x, (1, 0))",
    ),
    "relu_": Operation(
        "np.maximum(x, zero, out=x)", "x.relu_()", chain=True, paddle="functional.relu_(x)",
        mygrad="lib.maximum(x, zero, out=x)",
    ),
}  # fmt: skip
"""All are measured on small tensors."""

SMALL = (2, 3)
LARGE = (4096, 4096)
"""64 MiB in single precision."""

IN_PLACE_LARGE = ("add_", "scale_", "relu_")
"""The rows of the table of large tensors."""
