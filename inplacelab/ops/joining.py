"""Joins several tensors into one: `concat` along an existing axis, `stack` along a new one. Always copies.

The operations of the table read a fixed number of tensors. Here the number is the length of a list; so there is a row for
each number of tensors, made on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import accumulate
from operator import index as as_integer
from typing import Any

import numpy as np

from inplacelab import errors, modes, observe
from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import OpNode, number
from inplacelab.dependence import Dependence
from inplacelab.language import Text
from inplacelab.layout import Shape, normal_axis
from inplacelab.ops.arguments import operands
from inplacelab.ops.results import destinations
from inplacelab.ops.table import as_function
from inplacelab.ops.table.row import Row, Rule
from inplacelab.tensor import Tensor, fresh, known_form

_SAYS = {
    "concat": Text("The tensors one after the other along an axis.", "把各张量沿一个轴依次拼接。"),
    "stack": Text("The tensors one beside the other along a new axis.", "把各张量沿一个新的轴并排叠放。"),
}


@cache
def _row(name: str, count: int) -> Row:
    """The row of `name` for `count` tensors."""
    rules = tuple(Rule(_piece(k) if name == "concat" else _layer(k)) for k in range(count))
    return Row(
        name=name, kind="join", inputs=tuple(f"x{k}" for k in range(count)), attrs="axis, starts", says=_SAYS[name],
        node=f"{name.capitalize()}GradNode", in_place=False, rules=rules,
    )  # fmt: skip


def _piece(k: int) -> Callable[..., Tensor]:
    def piece(g: Tensor, axis: int, starts: Sequence[int]) -> Tensor:
        return g._part(axis, starts[k], starts[k + 1])

    return piece


def _layer(k: int) -> Callable[..., Tensor]:
    return lambda g, axis: g._place(axis, k)


@as_function
def concat(x: Sequence[Tensor], axis: Any = 0, name: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Returns a copy of the tensors, one after the other along an axis.

    Args:
        x: the tensors, all of one dtype; their shapes may differ only in `axis`.
        axis: the axis; a negative one counts from the end.
        name: ignored.
        out: a tensor to write the result into.

    Raises:
        ShapeError: if their shapes differ in another axis.
        ArgumentError: if their dtypes differ, or the list is empty.

    >>> import inplacelab as paddle
    >>> paddle.concat([paddle.zeros([2]), paddle.ones([1])]).tolist()
    [0.0, 0.0, 1.0]
    """
    parts = _listed("concat", x)
    if out is not None:
        return destinations.into("concat", out, parts, lambda: concat(parts, axis))
    first = parts[0].array.shape
    at = normal_axis(as_integer(axis), len(first))
    for k, part in enumerate(parts):
        shape = part.array.shape
        if len(shape) != len(first) or shape[:at] != first[:at] or shape[at + 1 :] != first[at + 1 :]:
            raise _shapes_differ("concat", k, first, shape)
    starts = [0, *accumulate(part.array.shape[at] for part in parts)]
    joined = parts[0].storage.device.empty((*first[:at], starts[-1], *first[at + 1 :]), parts[0].array.dtype)
    np.concatenate([part.array for part in parts], at, out=joined)
    return _made("concat", parts, joined, {"axis": at, "starts": starts})


@as_function
def stack(x: Sequence[Tensor], axis: int = 0, name: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """Returns a copy of the tensors, side by side along a new axis.

    Args:
        x: the tensors, all of one dtype and shape.
        axis: the position of the new axis; a negative one counts from the end.
        name: ignored.
        out: a tensor to write the result into.

    Raises:
        ShapeError: if their shapes differ.
        ArgumentError: if their dtypes differ, or the list is empty.

    >>> import inplacelab as paddle
    >>> paddle.stack([paddle.zeros([2]), paddle.ones([2])], axis=1).tolist()
    [[0.0, 1.0], [0.0, 1.0]]
    """
    parts = _listed("stack", x)
    if out is not None:
        return destinations.into("stack", out, parts, lambda: stack(parts, axis))
    first = parts[0].array.shape
    at = normal_axis(axis, len(first) + 1)
    for k, part in enumerate(parts):
        if part.array.shape != first:
            raise _shapes_differ("stack", k, first, part.array.shape)
    joined = parts[0].storage.device.empty((*first[:at], len(parts), *first[at:]), parts[0].array.dtype)
    np.stack([part.array for part in parts], at, out=joined)
    return _made("stack", parts, joined, {"axis": at})


def _shapes_differ(op: str, position: int, first: Shape, other: Shape) -> Exception:
    """The refusal to join tensors of these shapes: it names the last axis whose sizes differ."""
    differing = [k for k, (n, m) in enumerate(zip(first, other, strict=False)) if n != m]
    what = f"The {differing[-1]}-th dimension" if len(first) == len(other) and differing else "The shape"
    return errors.shapes_to_join_differ(op=op, what=what, position=position, first=first, other=other)


def _listed(op: str, x: Any) -> list[Tensor]:
    """The tensors, if they can be joined."""
    if not isinstance(x, list | tuple) or not all(isinstance(part, Tensor) for part in x):
        raise errors.not_a_list_of_tensors(op=op, given=x)
    if not x:
        raise errors.nothing_to_join(op=op)
    for k, part in enumerate(x):
        if part.storage.device is not x[0].storage.device:
            operands.refuse_devices(op, x[0], part)
        if part.array.dtype != x[0].array.dtype:
            raise errors.dtypes_to_join_differ(first=x[0].dtype.name, position=k, other=part.dtype.name)
    return list(x)


def _made(op: str, parts: list[Tensor], joined: Any, facts: Mapping[str, Any]) -> Tensor:
    """The result, with its place in the history."""
    result = fresh(joined, parts[0].storage.device)
    edges = tuple(edge(part) for part in parts) if modes.current().recording_history else ()
    node = None
    if any(each is not None for each in edges):
        node = OpNode.__new__(OpNode)
        node.row, node.edges, node.kept, node.facts = _row(op, len(parts)), edges, (), facts
        node.forms = tuple(part.form or known_form(part) for part in parts)
        result.node, result._stop = number(node), False
    if modes.current().listeners:
        depends = Dependence("joined" if op == "concat" else "stacked", (facts["axis"],))
        observe.notify(op, "ordinary", tuple(parts), result, node, depends=depends)
    return result


@as_function
def hstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Returns the tensors joined along the second axis; vectors, and tensors without axes, along the only one."""
    parts = [part.reshape([1]) if part.ndim == 0 else part for part in _listed("hstack", x)]
    return concat(parts, 0 if parts[0].ndim == 1 else 1)


@as_function
def vstack(x: Sequence[Tensor], name: str | None = None) -> Tensor:
    """Returns the tensors joined along the first axis; vectors become rows."""
    return concat([part.reshape([1, -1]) if part.ndim < 2 else part for part in _listed("vstack", x)])


as_function(concat, "cat")
