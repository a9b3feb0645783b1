"""Random programs on NaN, infinity and zeros, with passes that add up: retained gradients, custom functions, views by strides, numbers.

`test_programs.py` compares what views and in-place writes do to each other; here are the operands and passes that it leaves out.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib import import_module
from random import Random
from typing import Any

import numpy as np
import pytest

from inplacelab.errors import Refusal
from tests.tiers import choose
from tests.torch_names.test_short_programs import FUNCTIONS

names: Any = import_module("inplacelab.torch")

NUMBERS = ("float('nan')", "float('inf')", "-float('inf')", "-0.0", "0.0", "1.0", "-1.0", "3.0", "0.25", "-2.5")
NEW = (
    "{a}.relu()", "{a}.sign()", "{a}.abs()", "{a}.sigmoid()", "{a}.tanh()", "{a}.square()", "-{a}", "{a}.clone()", "{a} * 2", "2 - {a}", "{a} * {b}",
    "{a} + {b}", "{a} - {b}", "{a} / 2", "torch.maximum({a}, {b})", "torch.minimum({a}, {b})", "torch.atan2({a}, {b})", "{a}.lerp({b}, 0.75)",
    "{a}.clamp(-1, 1)", "{a}.clamp(max={b})", "torch.where({a} > 0, {a}, {b})", "F.leaky_relu({a})", "F.hardtanh({a})", "F.relu6({a})", "F.hardswish({a})",
    "F.smooth_l1_loss({a}, {b}, reduction='none')", "F.l1_loss({a}, {b}, reduction='none')", "{a}.log_softmax(0)", "{a}.softmax(axis=0)",
    "{a} - {a}.max()", "{a} * {b}.std()", "{a}.view({n})", "torch.fmax({a}, {b})", "{a}.masked_fill({b} > 0, 1)",
)  # fmt: skip
WRITTEN = (
    "{a}.relu_()", "{a}.sign_()", "{a}.abs_()", "{a}.sigmoid_()", "{a}.mul_({b})", "{a} *= 2", "{a}.add_(1)", "{a}.sub_({b})", "{a}.clamp_(-1, 1)",
    "{a}.clamp_(max={b})", "{a}.copy_(2)", "{a}.copy_({b})", "{a}.fill_(float('nan'))", "{a}.zero_()", "{a}[0] = 3.0", "{a}[0] = {b}[1]", "F.leaky_relu_({a})",
    "{a}.lerp_({b}, 0.5)", "F.relu({a}, inplace=True)", "{a}.masked_fill_({b} > 0, float('inf'))", "{a}.as_strided((1,), (1,)).mul_(2)",
)  # fmt: skip
VIEWS = (
    "{f}[1:3]",
    "{f}[2:].as_strided((2,), (1,))",
    "{f}[::2]",
    "{f}.as_strided((2,), (2,))",
    "{f}.as_strided((2,), (1,), 1)",
)
PASSES = (
    "{a}.sum().backward(retain_graph=True)", "({a} * {b}).sum().backward(retain_graph=True)", "({a} * {a}).sum().backward(create_graph=True)",
    "{a}.sum().backward(inputs=[w], retain_graph=True)", "found = torch.autograd.grad({a}.sum(), [w], retain_graph=True, allow_unused=True)",
    "found = torch.autograd.grad({a}.sum(), [{b}], retain_graph=True, allow_unused=True)",
    "found = torch.autograd.grad(({a} * {a}).sum(), [w], create_graph=True, allow_unused=True)",
    "w.grad is None or w.grad.sum().backward()", "w.grad = None", "{a}.grad is None or {a}.grad.sum().backward(retain_graph=True)",
)  # fmt: skip
MARKS = (
    "{a}.retain_grad()",
    "{a}.retain_grad()",
    "{a}.grad_fn and {a}.register_hook(lambda g: g * 2)",
    "Times.apply({a})",
    "{new} = Sigmoid.apply({a})",
    "Marked.apply({a})",
)


def program(number: int) -> list[str]:
    """A program of a start and some lines."""
    draw = Random(number)
    values = ", ".join(draw.choice(NUMBERS) for _ in range(4))
    lines = [f"w = torch.tensor([{values}], dtype=torch.float64, requires_grad=True)", "t0 = w * 1"]
    sizes = {"t0": 4}
    for k in range(1, draw.randint(5, 14)):
        kind = draw.choices(("new", "written", "view", "pass", "mark"), (4, 4, 2, 3, 2))[0]
        a = draw.choice(list(sizes))
        b = draw.choice([each for each, size in sizes.items() if size == sizes[a]])
        new, size = f"t{k}", sizes[a]
        if kind == "view":
            a, size = draw.choice([each for each, size in sizes.items() if size == 4]), 2
        text = draw.choice({"new": NEW, "written": WRITTEN, "view": VIEWS, "pass": PASSES, "mark": MARKS}[kind])
        operand = (
            f"({b} * 1)" if kind == "written" else b
        )  # with parts in common PyTorch may compute anything, or crash
        line = text.format(a=a, b=operand, f=a, n=size, new=new)
        lines.append(f"{new} = {line}" if kind in {"new", "view"} else line)
        if kind in {"new", "view"} or "{new}" in text:
            sizes[new] = size
    return [*lines, *(f"{name}.sum().backward(retain_graph=True)" for name in list(sizes)[-2:])]


def states(torch: Any, lines: list[str], looking: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """After each line, the error that ended it, and the tensors if somebody looks: they may know more then. Nothing after the first error."""
    space: dict[str, Any] = {"torch": torch, "F": torch.nn.functional}
    exec(FUNCTIONS, space)
    for line in lines:
        error = ""
        try:
            exec(line, space)
        except Exception as raised:  # noqa: BLE001  # any: it is compared
            error = type(raised).__name__
            if torch is names and not isinstance(raised, Refusal):
                error = f"not a refusal, but {raised!r}"
        yield error, dict(tensors(torch, space)) if looking or line is lines[-1] else {}
        if error:
            return


def tensors(torch: Any, space: dict[str, Any]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The tensors under the names of a program, and their gradients."""
    for name, each in space.items():
        several = each if name == "found" else (each,)
        for k, x in enumerate(several):
            if isinstance(x, torch.Tensor):
                version = x._version if name != "found" else 0  # passes add up in place, which no program can have seen
                yield f"{name}[{k}]", (np.array(x.tolist()), version, x.requires_grad, x.is_leaf)
                if x.grad is not None:
                    yield f"{name}[{k}].grad", (np.array(x.grad.tolist()), x.grad.requires_grad)


def differences(lines: list[str], looking: bool) -> list[str]:
    """What a program does otherwise here than in PyTorch; `looking`: after each line, else only at the end."""
    torch = import_module("torch")
    for line, (ours, mine), (theirs, other) in zip(
        lines, states(names, lines, looking), states(torch, lines, looking), strict=False
    ):
        if ours != theirs:
            return [f"{line}: {ours or 'no error'}, in PyTorch {theirs or 'none'}"]
        if ours and (".backward" in line or ".grad(" in line):
            return []  # PyTorch has added some gradients by then
        found = [f"{line}: there is no {name}" for name in mine.keys() ^ other.keys()]
        found += [
            f"{line}: {name} is {mine[name]}, in PyTorch {other[name]}"
            for name in mine.keys() & other.keys()
            if mine[name][1:] != other[name][1:]
            or not np.allclose(mine[name][0], other[name][0], rtol=1e-7, atol=1e-9, equal_nan=True)
        ]
        if found:
            return found
    return []


PER_TEST = 40
COUNT = choose(40, 400, 20000)


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, COUNT, PER_TEST))
def test_a_program_fares_as_in_pytorch(first: int) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    found = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(first, first + PER_TEST):
            lines = program(number)
            other = differences(lines, looking=number % 2 == 0)
            if other:
                found.append("\n".join((f"# {number}", *lines, *(f"  -> {each}" for each in other))))
    assert not found, "\n\n".join(found)
