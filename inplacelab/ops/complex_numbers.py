"""Complex numbers made of two real ones, and their angles; `views.py` has the views of them as pairs of numbers."""

from __future__ import annotations

from inplacelab import errors
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.table import as_function, as_method
from inplacelab.tensor import Tensor


@as_method
@as_function
def angle(x: Tensor, name: str | None = None) -> Tensor:
    """Returns the angle of each complex number, in radians; of real ones 0, or pi for negative ones.

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([1j, -1.], dtype="complex128").angle().numpy().round(3).tolist()
    [1.571, 3.142]
    """
    x = as_tensor("angle", "x", 0, x)
    if x.array.dtype.kind == "c":
        found: Tensor = x.imag().atan2(x.real())
        return found
    return x._zeros().atan2(x)


@as_function
def complex(real: Tensor, imag: Tensor, name: str | None = None) -> Tensor:
    """Returns the complex numbers with these real and imaginary parts.

    Args:
        real: float32 or float64.
        imag: of the same dtype; the shapes are broadcast.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        complex64 or complex128.

    Raises:
        DTypeError: if the dtypes differ, or are not float32 or float64.

    >>> import inplacelab as paddle
    >>> paddle.complex(paddle.to_tensor([1.]), paddle.to_tensor([2.])).tolist()
    [(1+2j)]
    """
    real, imag = as_tensor("complex", "real", 0, real), as_tensor("complex", "imag", 1, imag)
    both = real.array.dtype, imag.array.dtype
    if both[0] != both[1] or both[0] not in ("float32", "float64"):
        raise errors.cannot_promote(op="complex", x=both[0].name, y=both[1].name)
    kind = "complex64" if both[0] == "float32" else "complex128"
    found: Tensor = real.cast(kind) + imag.cast(kind) * 1j
    return found


@as_function
def polar(abs: Tensor, angle: Tensor, name: str | None = None) -> Tensor:
    """Returns the complex numbers with these lengths and angles in radians. The arguments are those of `complex`.

    >>> import inplacelab as paddle
    >>> paddle.polar(paddle.to_tensor([2.]), paddle.to_tensor([0.])).tolist()
    [(2+0j)]
    """
    abs, angle = as_tensor("polar", "abs", 0, abs), as_tensor("polar", "angle", 1, angle)
    return complex(abs * angle.cos(), abs * angle.sin())
