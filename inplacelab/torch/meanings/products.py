"""Products of matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import inplacelab as engine
from inplacelab.tensor import Tensor
from inplacelab.torch import grad_nodes
from inplacelab.torch.meanings.naming import named
from inplacelab.torch.meanings.operands import c_name
from inplacelab.torch.meanings.shapes import expanded, squeezed
from inplacelab.torch.refusals import refuse


def product(x: Tensor, y: Tensor, ranks: tuple[int, int] | None = None) -> Tensor:
    """Returns the product of matrices, vectors, or stacks of them."""
    given = (x.array.ndim, y.array.ndim)
    if ranks is not None and given != ranks:
        raise refuse("not_matrices", position=1 if given[0] != 2 else 2)
    if 0 in given:
        raise refuse("matmul_of_scalars", left=given[0], right=given[1])
    if x.array.dtype != y.array.dtype:
        raise refuse("matmul_dtypes_differ", left=c_name(x), right=c_name(y))
    left, right = x.array.shape[-1], y.array.shape[max(y.array.ndim - 2, 0)]
    if left != right and given == (2, 2):
        (a, b), (c, d) = x.array.shape, y.array.shape
        raise refuse("matrix_sizes_differ", left=f"{a}x{b}", right=f"{c}x{d}")
    if left != right and min(given) >= 2 and max(given) >= 3:
        batch = int(np.prod(max(x.array.shape[:-2], y.array.shape[:-2], key=len), dtype=int))
        raise refuse("batches_differ", wanted=[batch, left], got=[batch, right])
    if given == (1, 2):
        return named("SqueezeBackward4", squeezed(product(engine.unsqueeze(x, 0), y), 0))
    if given[0] > 2 and given[1] == 2 and x.is_contiguous():
        return _folded(x, lambda rows: product(rows, y))
    result: Tensor = engine.matmul(x, y)
    name = {(1, 1): "Dot", (2, 1): "Mv", (2, 2): "Mm"}.get(given, "UnsafeView")
    grad_nodes.call_node(result.node, f"{name}Backward0")
    return result


def _folded(x: Tensor, multiply: Callable[[Tensor], Tensor]) -> Tensor:
    """Multiplies a stack of matrices as one with all their rows, as PyTorch does."""
    *outer, last = x.array.shape
    rows = multiply(x.view([int(np.prod(outer, dtype=int)), last]))
    result: Tensor = rows.view([*outer, rows.array.shape[-1]])
    return named("UnsafeViewBackward0", result)


def linear(x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    """Returns `x @ weight.T + bias`: PyTorch's weights have a row for each output."""
    turned = engine.t(weight)
    if x.array.shape[-1:] != turned.array.shape[:1]:
        rows = int(np.prod(x.array.shape[:-1], dtype=int))
        raise refuse(
            "matrix_sizes_differ", left=f"{rows}x{x.array.shape[-1]}", right="x".join(map(str, turned.array.shape))
        )
    if bias is not None and x.array.ndim == 2:
        added: Tensor = engine.addmm(bias, x, turned)
        return added
    if bias is not None and x.array.ndim > 2 and x.is_contiguous():
        return named("ViewBackward0", _folded(x, lambda rows: linear(rows, weight, bias)))
    if bias is None:
        return product(x, turned)
    result: Tensor = engine.add(product(x, turned), bias)
    return result


def added_batches(x: Tensor, first: Tensor, second: Tensor, beta: Any, alpha: Any) -> Tensor:
    """Returns `beta * x + alpha * first @ second` for stacks of matrices; `x` may be broadcast."""
    shape = (first.array.shape[0], first.array.shape[1], second.array.shape[2])
    wide = x if x.array.shape == shape else expanded(x, list(shape), ())
    result: Tensor = engine.baddbmm(wide, first, second, beta, alpha)
    return result
