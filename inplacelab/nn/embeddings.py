"""Embeddings: tables that store a vector for each integer, such as the number of a token or a category."""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.autograd.grad_mode import without_history
from inplacelab.nn.layer import Layer
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.tensor import Tensor


def embedding(
    x: Tensor, weight: Tensor, padding_idx: int | None = None, name: str | None = None, *, sparse: bool = False
) -> Tensor:
    """Copies a row of `weight` for each number in `x`. The gradients of a row that is copied several times are added.

    Args:
        x: row numbers (int32 or int64), of shape [*].
        weight: the table, of shape [n, d].
        padding_idx: this row is read as zeros and gets no gradient; counted from the end if negative.
        name: accepted for compatibility with Paddle; ignored.
        sparse: the same; gradients are dense.

    Returns:
        A new tensor of shape [*, d], of the dtype of `weight`.

    Raises:
        ArgumentError: if a row number or `padding_idx` is out of range. (PaddlePaddle 3.3.1 returns zeros for -1.)
        UnsupportedError: if `x` is not int32 or int64.

    >>> import inplacelab as paddle
    >>> table = paddle.to_tensor([[1., 2.], [3., 4.]])
    >>> paddle.nn.functional.embedding(paddle.to_tensor([1, 1, 0]), table).tolist()
    [[3.0, 4.0], [3.0, 4.0], [1.0, 2.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/embedding_en.html
    """
    x, weight = as_tensor("embedding", "x", 0, x), as_tensor("embedding", "weight", 1, weight)
    rows = weight.shape[0]
    padding = _row(padding_idx, rows)
    if x.dtype.name not in ("int32", "int64"):
        raise errors.ids_not_integers(dtype=x.dtype.name)
    for extreme in (x.min().item(), x.max().item()) if x.size else ():
        if not 0 <= extreme < rows:
            raise errors.id_out_of_range(rows=rows, number=extreme, last=max(rows - 1, 0))
    taken = weight.gather_nd(x.unsqueeze(-1))
    return taken if padding is None else taken.masked_fill((x == padding).unsqueeze(-1), 0.0)


def _row(padding_idx: int | None, rows: int) -> int | None:
    if padding_idx is None:
        return None
    if not -rows <= padding_idx < rows:
        raise errors.padding_out_of_range(rows=rows, padding=padding_idx)
    return padding_idx % rows


class Embedding(Layer):
    """A trainable table of vectors: `nn.functional.embedding` as a layer.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: the length of a row.
        padding_idx: this row is filled with zeros and gets no gradient; None for no such row.
        weight_attr: a `ParamAttr`, a name or an initializer for the table.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `padding_idx` is out of range.

    >>> import inplacelab as paddle
    >>> table = paddle.nn.Embedding(3, 2, padding_idx=0)
    >>> table(paddle.to_tensor([0])).tolist()
    [[0.0, 0.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Embedding_en.html
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        padding = _row(padding_idx, num_embeddings)
        self.weight = self.create_parameter([num_embeddings, embedding_dim], weight_attr)
        self._given_padding_idx, self.padding_idx = padding_idx, padding
        if padding is not None:
            without_history(self.weight.__setitem__, padding, 0.0)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the rows for the numbers in `x`, of shape [*]; a tensor of shape [*, embedding_dim]."""
        return embedding(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        rows, length = self.weight.shape
        padding = f", padding_idx={self._given_padding_idx}" if self._given_padding_idx is not None else ""
        return f"{rows}, {length}{padding}, sparse=False, scale_grad_by_freq=False"
