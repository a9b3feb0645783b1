"""Finds tensors that are taken apart, changed in one part, and joined again: `x = torch.cat([x[:, :1] * 2, x[:, 1:]], 1)` could write `x[:, :1]` alone.

This is decided from recorded facts: all other parts are views of one tensor, each at the place where it goes in the result, and the changed
part was computed from such a view.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from inplacelab.recording.facts import Step, TensorFacts
from inplacelab.recording.recording import Recording

_NEAR = 64
"""A part was computed at most so many steps before."""


@dataclass(frozen=True, slots=True)
class Join:
    """A tensor that is joined of parts of another one.

    Attributes:
        whole: the tensor that was taken apart.
        part: the position of the part that was changed.
        changed: the step that changed it.
    """

    whole: TensorFacts
    part: int
    changed: Step


def join(recording: Recording, step: Step, result: TensorFacts) -> Join | None:
    """Returns what a step has joined, if it is a tensor of which one part was changed.

    Args:
        recording: the recording.
        step: the step, which joins its inputs.
        result: its result.
    """
    tensors = recording.before(step.index).tensors
    parts = [tensors.get(each) for each in step.inputs]
    wholes = {each.base for each in parts if each is not None and each.base is not None}
    whole = tensors.get(next(iter(wholes))) if len(wholes) == 1 and len(parts) > 1 else None
    if whole is None or whole.shape != result.shape:
        return None
    shapes = [() if each is None else each.shape for each in parts]
    for places in _places(whole, shapes):
        others = [
            k for k, (each, place) in enumerate(zip(parts, places, strict=True)) if not _is_at(each, whole, place)
        ]
        if len(others) == 1:
            changed = _maker(recording, step, others[0])
            if changed is None or not changed.inputs:
                continue
            old = recording.before(changed.index).tensors.get(changed.inputs[0])
            if _is_at(old, whole, places[others[0]]):
                return Join(whole, others[0], changed)
    return None


@dataclass(frozen=True, slots=True)
class _Place:
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


def _places(whole: TensorFacts, shapes: Sequence[tuple[int, ...]]) -> Iterator[list[_Place]]:
    """Yields where parts of some shapes go in a tensor: joined along each axis, or each as one index of it."""
    for axis, (size, stride) in enumerate(zip(whole.shape, whole.strides, strict=True)):
        without = [values[:axis] + values[axis + 1 :] for values in (whole.shape, whole.strides)]
        if size == len(shapes) and all(each == without[0] for each in shapes):
            yield [_Place(whole.offset + k * stride, *without) for k in range(size)]
        if all(len(each) == len(whole.shape) and each[:axis] + each[axis + 1 :] == without[0] for each in shapes):
            ends = list(accumulate(each[axis] for each in shapes))
            if ends[-1] == size:
                starts = [0, *ends[:-1]]
                yield [
                    _Place(whole.offset + start * stride, shape, whole.strides)
                    for start, shape in zip(starts, shapes, strict=True)
                ]


def _is_at(tensor: TensorFacts | None, whole: TensorFacts, place: _Place) -> bool:
    """Whether a tensor is the view of another one at a place."""
    return (
        tensor is not None
        and tensor.storage == whole.storage
        and tensor.base == whole.id
        and (tensor.offset, tensor.shape) == (place.offset, place.shape)
        and all(
            size < 2 or one == other
            for size, one, other in zip(place.shape, tensor.strides, place.strides, strict=True)
        )
    )


def _maker(recording: Recording, step: Step, position: int) -> Step | None:
    """Returns the operation of the same statement that made an input of a step."""
    for each in reversed(recording.steps[max(step.index - _NEAR, 0) : step.index]):
        if each.output == step.inputs[position] and each.category == "ordinary":
            return each if each.place == step.place and each.turn == step.turn else None
    return None


def changed_part(around: ast.AST, call: ast.expr, part: int) -> ast.expr | None:
    """Returns the expression of the part that a statement changes, if the statement is `x = cat([..., f(x[...]), x[...], ...])`.

    Args:
        around: the statement.
        call: the call that joins.
        part: the position of the part.
    """
    match around, call:
        case (
            ast.Assign(targets=[ast.Name(id=name)], value=value),
            ast.Call(args=[ast.List(elts=parts) | ast.Tuple(elts=parts), *_]),
        ) if value is call and part < len(parts):
            others = [each for k, each in enumerate(parts) if k != part]
            if all(_is_part(each, name) for each in others) and _is_part(_first(parts[part]), name):
                return parts[part]
    return None


def _is_part(expression: ast.expr | None, name: str) -> bool:
    match expression:
        case ast.Subscript(value=ast.Name(id=of)):
            return of == name
    return False


def _first(expression: ast.expr) -> ast.expr | None:
    """Returns the operand that an operation would overwrite."""
    match expression:
        case ast.BinOp(left=left):
            return left
        case ast.UnaryOp(operand=operand):
            return operand
        case ast.Call(func=ast.Attribute(value=ast.Subscript() as receiver)):
            return receiver
        case ast.Call(args=[first, *_]):
            return first
    return None
