"""New tensors, and whether they need a gradient."""

from __future__ import annotations

from typing import Any

import inplacelab as engine
from inplacelab.tensor import Tensor
from inplacelab.torch.refusals import refuse


def created(made: Tensor, requires_grad: bool) -> Tensor:
    """Returns a new tensor, which may need a gradient."""
    if requires_grad:
        require(made, True)
    return made


def require(x: Tensor, wanted: bool) -> Tensor:
    """Sets whether a tensor needs a gradient."""
    if wanted and x.array.dtype.kind not in "fc":
        raise refuse("only_floats_need_gradients")
    if not wanted and not x.is_leaf:
        raise refuse("flag_of_a_result", tensor=x)
    x.stop_gradient = not wanted
    return x


def leave(x: Tensor) -> Tensor:
    """Takes a tensor out of the history; a view is refused."""
    if x.base is not None:
        raise refuse("view_detached", tensor=x)
    return x.detach_()


def full(size: list[int], value: Any, dtype: Any) -> Tensor:
    """Returns a tensor of one number, of the number's kind."""
    if dtype is None:
        dtype = {bool: "bool", int: "int64", complex: "complex64"}.get(type(value))
    result: Tensor = engine.full(size, value, dtype)
    return result


def integers(low: int, high: Any, size: Any, dtype: Any) -> Tensor:
    """Returns random integers: `randint(high, size)` or `randint(low, high, size)`."""
    if isinstance(high, list | tuple):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    result: Tensor = engine.randint(low, high, list(size), dtype or "int64")
    return result
