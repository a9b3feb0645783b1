"""Random PyTorch programs with views, writes and backward passes, and what PyTorch itself says after each of their lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import torch

MAKES = (
    "{new} = {x} * 2.0", "{new} = {x} + {y}", "{new} = {x} * {y}", "{new} = {x}.sin()", "{new} = {x}.clone()", "{new} = {x}.sum()",
    "{new} = torch.exp({x})", "{new} = {x}.detach()", "{new} = {x} @ {x}.T if {x}.dim() == 2 else {x} - 1",
    "{new} = torch.cat([{x}.reshape(-1), {y}.reshape(-1)])", "{new} = torch.ones(2, 3)", "{new} = torch.relu({x})",
)  # fmt: skip
VIEWS = (
    "{new} = {x}[0] if {x}.dim() else {x}.view(1)", "{new} = {x}.T if {x}.dim() == 2 else {x}.unsqueeze(0)", "{new} = {x}.reshape(-1)",
    "{new} = {x}[..., :1] if {x}.dim() else {x}.view(1)", "{new} = {x}.unsqueeze(0)", "{new} = {x}.data", "{new} = {x}.view(-1) if {x}.is_contiguous() else {x}",
)  # fmt: skip
WRITES = (
    "{x}.add_(1.0)", "{x}.mul_({y})", "{x}.zero_()", "{x}.relu_()", "{x}[..., 0] = 5.0", "{x} += {y}", "{x}.copy_({y})", "{x}.sigmoid_()",
    "{x}.clamp_(-1.0, 1.0)", "torch.add({x}, 1.0, out={x})", "torch._foreach_add_([{x}], 1.0)",
)  # fmt: skip
FIRST = (
    "a = torch.tensor([[0.5, 1.5, -1.0], [2.0, 0.25, 1.0]], requires_grad=True)", "b = torch.arange(6.0).reshape(2, 3) + 1", "x = a * 1.0",
)  # fmt: skip
ENDS = (
    "{x}.sum().backward(retain_graph=True)",
    "{x}.sum().backward()",
    "{new} = torch.autograd.grad({x}.sum(), a, allow_unused=True)[0]",
)


def program(seed: int) -> list[str]:
    """The lines of a program that runs, or ends with an error: of a value that backward needed, or, seldom, another one."""
    draw = Random(seed)
    lines = list(FIRST)
    tensors: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines), tensors)
    many = draw.randint(4, 12)
    for k in range(many + 3):
        form = draw.choice(draw.choice((MAKES, MAKES, VIEWS, WRITES, WRITES, ENDS)) if k < many else ENDS)
        names = [
            name
            for name, each in tensors.items()
            if isinstance(each, torch.Tensor) and (k < many or each.requires_grad)
        ]
        line = form.format(x=draw.choice(names), y=draw.choice(names), new=f"t{k}")
        if draw.random() < 0.1:
            line = f"with torch.no_grad(): {line}"
        try:
            exec(line, tensors)
        except Exception as error:  # noqa: BLE001  # whatever PyTorch raises
            if "modified by an inplace" in str(error) or draw.random() < 0.02:
                return [*lines, line]
            continue  # the line did nothing
        lines.append(line)
    return lines


@dataclass
class Told:
    """What PyTorch says of a tensor."""

    version: int
    storage: int
    layout: tuple[Any, ...]
    values: list[float]
    bytes: bytes
    needs: bool
    leaf: bool | None
    view_of: int | None
    node: str | None
    edges: list[str | None]


@dataclass
class Truth:
    """What happened, without a recorder: after each line the tensors by name, and the error that ended the program."""

    after: list[dict[str, Told]] = field(default_factory=list)
    error: str = ""
    results: dict[str, Any] = field(default_factory=dict)


def run_plainly(lines: list[str]) -> Truth:
    """Runs a program line by line, and asks PyTorch after each."""
    truth, names = Truth(), {"torch": torch}
    for line in lines:
        try:
            exec(line, names)
        except Exception as error:  # noqa: BLE001  # whatever PyTorch raises
            truth.error = f"{type(error).__name__}: {error}"
            break
        truth.after.append({n: told(t) for n, t in names.items() if isinstance(t, torch.Tensor)})
    truth.results = results_in(names)
    return truth


def told(tensor: Any) -> Told:
    """What PyTorch says of a tensor, without looking at a history that it would have to make first."""
    storage = tensor.untyped_storage()
    return Told(
        tensor._version, storage._cdata, (tuple(tensor.shape), tuple(tensor.stride()), tensor.storage_offset()),
        tensor.detach().reshape(-1).tolist(), bytes(storage), tensor.requires_grad,
        tensor.is_leaf if tensor._base is None else None,
        None if tensor._base is None else id(tensor._base), None, [],
    )  # fmt: skip


def results_in(names: dict[str, Any]) -> dict[str, Any]:
    """The bits of every tensor, and of its gradient."""
    found = {}
    for name, each in names.items():
        if isinstance(each, torch.Tensor):
            found[name] = each.detach().clone().numpy().tobytes()
            if each._base is None and each.is_leaf and each.grad is not None:
                found[f"{name}.grad"] = each.grad.detach().clone().numpy().tobytes()
    return found
