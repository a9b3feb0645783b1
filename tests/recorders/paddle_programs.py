"""Random PaddlePaddle programs with views, writes and backward passes, and what Paddle itself says after each of their lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import paddle

MAKES = (
    "{new} = {x} * 2.0", "{new} = {x} + {y}", "{new} = {x} * {y}", "{new} = {x}.sin()", "{new} = {x}.clone()", "{new} = {x}.sum()",
    "{new} = paddle.exp({x})", "{new} = {x}.detach()", "{new} = {x} @ {x}.T if {x}.ndim == 2 else {x} - 1", "{new} = 2.0 / {x}",
    "{new} = paddle.concat([{x}.reshape([-1]), {y}.reshape([-1])])", "{new} = paddle.ones([2, 3])",
    "{new} = paddle.nn.functional.relu({x})", "{new} = {x} ** 2", "{new} = {x}.tanh()", "{new} = paddle.empty([2])",
    "{new} = paddle.to_tensor([1.0, 2.0])", "{new} = {x}.astype('int32') + 1", "{new} = paddle.where({x} > 0, {x}, {x} * 3)",
)  # fmt: skip
VIEWS = (
    "{new} = {x}[0] if {x}.ndim else {x}.reshape([1])", "{new} = {x}.T if {x}.ndim == 2 else {x}.unsqueeze(0)",
    "{new} = {x}.reshape([-1])", "{new} = {x}[..., :1] if {x}.ndim else {x}.reshape([1])", "{new} = {x}.unsqueeze(0)",
    "{new} = {x}.data", "{new} = {x}.flatten()",
)  # fmt: skip
WRITES = (
    "{x}.add_({x})", "{x}.multiply_({y})", "{x}.zero_()", "paddle.nn.functional.relu_({x})", "{x}[..., 0] = 5.0", "{x}.subtract_({y})",
    "{x}.copy_({y}, True) if {x}.shape == {y}.shape else None", "{x}.sigmoid_()", "{x}.clip_(-1.0, 1.0)", "{x}.scale_(0.5)", "{x}.exp_()", "{x}[0] = {y}[0]",
    "paddle.assign({y}, {x})", "{x}.set_value({y})", "{x}.fill_(3.0)", "{x}.unsqueeze_(0)", "{x}.stop_gradient = True",
    "{x}.stop_gradient = False", "{x}.clear_grad()", "{x}.retain_grads()",
)  # fmt: skip
FIRST = (
    "a = paddle.to_tensor([[0.5, 1.5, -1.0], [2.0, 0.25, 1.0]], stop_gradient=False)",
    "b = paddle.arange(6.0).reshape([2, 3]) + 1", "x = a * 1.0",
)  # fmt: skip
ENDS = (
    "{x}.sum().backward(retain_graph=True)", "{x}.sum().backward()", "{x}.backward()",
    "{new} = paddle.grad({x}.sum(), a, allow_unused=True)[0]",
)  # fmt: skip
REFUSED = 0.1
"""The chance that a line that Paddle refuses stays in the program, inside `try`."""


def program(seed: int) -> list[str]:
    """The lines of a program that runs, or ends with an error: of a value that backward needed, or, seldom, another one."""
    draw = Random(seed)
    lines = list(FIRST)
    tensors: dict[str, Any] = {"paddle": paddle}
    exec("\n".join(lines), tensors)
    many = draw.randint(4, 12)
    for k in range(many + 3):
        form = draw.choice(draw.choice((MAKES, MAKES, VIEWS, WRITES, WRITES, ENDS)) if k < many else ENDS)
        names = [
            name
            for name, each in tensors.items()
            if isinstance(each, paddle.Tensor) and (k < many or each.grad_fn is not None) and each.size
        ]
        line = form.format(x=draw.choice(names), y=draw.choice(names), new=f"t{k}")
        if draw.random() < 0.1:
            line = f"with paddle.no_grad(): {line}"
        try:
            exec(line, tensors)
        except Exception as error:  # noqa: BLE001  # whatever Paddle raises
            if "expected version" in str(error):
                return [*lines, line]
            if draw.random() < REFUSED:
                lines.append(_in_try(line))
        else:
            lines.append(line)
    return lines


def _in_try(line: str) -> str:
    return f"exec('try:\\n    {line}\\nexcept Exception as error: said = str(error)')" if "'" not in line else "pass"


@dataclass(frozen=True)
class Said:
    """What Paddle says of one tensor."""

    version: int
    layout: tuple[tuple[int, ...], tuple[int, ...], int]
    dtype: str
    storage: Any
    needs: bool
    node: str
    edges: tuple[str, ...]
    values: tuple[Any, ...]
    grad: tuple[Any, ...] | None


@dataclass
class Truth:
    """What Paddle says after each line of a program, and its error at the end."""

    after: list[dict[str, Said]] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    error: str = ""


def run_plainly(lines: list[str]) -> Truth:
    """Run a program without a recorder. After the whole run, run each beginning of it, and ask: asking may change what comes after."""
    truth = Truth()
    for last in range(1, len(lines) + 1):
        tensors: dict[str, Any] = {"paddle": paddle}
        try:
            exec("\n".join(lines[:last]), tensors)
        except Exception as error:  # noqa: BLE001
            truth.error = f"{type(error).__name__}: {error}"
        truth.results = results_in(tensors)
        if truth.error:
            break
        truth.after.append(said_of(tensors))
    return truth


def results_in(names: dict[str, Any]) -> dict[str, Any]:
    """The versions and values of a program's tensors, and their gradients."""
    tensors = {name: each for name, each in names.items() if isinstance(each, paddle.Tensor)}
    return {
        name: (each.inplace_version, repr(flat(each)), None if each.grad is None else repr(flat(each.grad)))
        for name, each in tensors.items()
        if "empty" not in name
    } | {"said": names.get("said", "")}


def said_of(names: dict[str, Any]) -> dict[str, Said]:
    """What Paddle says of the tensors with names."""
    return {name: _said(each) for name, each in names.items() if isinstance(each, paddle.Tensor)}


def _said(tensor: Any) -> Said:
    node = tensor.grad_fn
    leaf = node is None or node.name() == "GradNodeAccumulation"
    item, grad = tensor.element_size(), tensor.grad
    return Said(
        tensor.inplace_version, (tuple(tensor.shape), tuple(tensor.strides), tensor.offset // item),
        str(tensor.dtype).removeprefix("paddle."), tensor.data_ptr() - tensor.offset, not tensor.stop_gradient,
        "" if leaf else node.name(), () if leaf else tuple(each.name() for each in node.next_functions if each is not None),
        flat(tensor), None if grad is None else flat(grad),
    )  # fmt: skip


def flat(tensor: Any) -> tuple[Any, ...]:
    """The elements of a tensor, in order."""
    return tuple(tensor.numpy().reshape(-1).tolist())
