"""Prints a statement as a line of Paddle code and as a line of PyTorch code. The printed code is the code that runs.

`{0}`, `{1}` are the inputs, `{a}`, `{b}` the constants. Where the names are the same in both frameworks,
they share a template.
"""

from __future__ import annotations

from types import EllipsisType
from typing import Any

from .functions import FUNCTIONS
from .program import Item, Key, Program, Statement
from .tables import TABLES


class NotExpressibleError(Exception):
    """A statement that this framework cannot express."""


SAME = {
    "add": "{0}.add({1}, alpha={a})",
    "add_": "{0}.add_({1}, alpha={a})",
    "subtract": "{0} - {1}",
    "multiply": "{0} * {1}",
    "divide": "{0} / {1}",
    "pow": "{0} ** {a}",
    "pow_": "{0}.pow_({a})",
    "matmul": "{0} @ {1}",
    "greater": "{0} > {a}",
    "zero_": "{0}.zero_()",
    "fill_": "{0}.fill_({a})",
    "clone": "{0}.clone()",
    "detach": "{0}.detach()",
    "detach_": "{0}.detach_()",
    "tripled_": "tripled_({0})",
    "alias": "{0}",
    "getitem": "{0}[{a}]",
    "reshape": "{0}.reshape({a})",
    "flatten": "{0}.flatten({a}, {b})",
    "t": "{0}.t()",
    "t_": "{0}.t_()",
    "unsqueeze": "{0}.unsqueeze({a})",
    "unsqueeze_": "{0}.unsqueeze_({a})",
    "hook": "{0}.register_hook(lambda g: g * {a})",
    **{name: f"{{0}}.{name}()" for name in FUNCTIONS},
    **{f"{name}_": f"{{0}}.{name}_()" for name in FUNCTIONS},
}

PADDLE = SAME | {
    "leaf": "paddle.to_tensor({a}, dtype='{b}', stop_gradient=False)",
    "buffer": "paddle.to_tensor({a}, dtype='{b}')",
    "integers": "paddle.to_tensor({a}, dtype='int64')",
    "mask": "paddle.to_tensor({a}, dtype='bool')",
    "subtract_": "{0}.subtract_({1})",
    "multiply_": "{0}.multiply_({1})",
    "divide_": "{0}.divide_({1})",
    "scale": "{0}.scale({a}, {b})",
    "scale_": "{0}.scale_({a}, {b})",
    "copy_": "{0}.copy_({1}, True)",
    "cast": "{0}.astype('{a}')",
    "sum": "{0}.sum({a})",
    "mean": "{0}.mean({a})",
    "expand": "{0}.expand({a})",
    "transpose": "{0}.transpose({a})",
    "squeeze": "{0}.squeeze({a})",
    "iadd": "{0} += {1}",
    "reshape_": "{0}.reshape_({a})",
    "flatten_": "{0}.flatten_({a}, {b})",
    "transpose_": "{0}.transpose_({a})",
    "squeeze_": "{0}.squeeze_({a})",
    "retain": "{0}.retain_grads()",
    "backward": "{0}.backward(retain_graph={a})",
    "clear_grad": "{0}.clear_grad()",
    "stop": "{0}.stop_gradient = {a}",
    "leave": "{0}.stop_gradient = True",
    "set_": "{0}.set_({1})",
}

TORCH = SAME | {
    "leaf": "torch.tensor({a}, dtype=torch.{b}, requires_grad=True)",
    "buffer": "torch.tensor({a}, dtype=torch.{b})",
    "integers": "torch.tensor({a}, dtype=torch.int64)",
    "mask": "torch.tensor({a}, dtype=torch.bool)",
    "subtract_": "{0}.sub_({1})",
    "multiply_": "{0}.mul_({1})",
    "divide_": "{0}.div_({1})",
    "scale": "{0} * {a} + {b}",
    "scale_": "{0}.mul_({a}).add_({b})",
    "copy_": "{0}.copy_({1})",
    "cast": "{0}.to(torch.{a}, copy=True)",
    "sum": "{0}.sum({a})",
    "mean": "{0}.mean({a})",
    "expand": "{0}.expand({a}).clone()",
    "transpose": "{0}.permute({a})",
    "squeeze": "{0}.squeeze({a})",
    "iadd": "{0} = {0} + {1}",
    "reshape_": "relayout_({0}, {0}.detach().reshape({a}))",
    "flatten_": "relayout_({0}, {0}.detach().flatten({a}, {b}))",
    "transpose_": "relayout_({0}, {0}.detach().permute({a}))",
    "squeeze_": "{0}.squeeze_({a})",
    "retain": "{0}.retain_grad()",
    "backward": "{0}.backward(torch.ones_like({0}), retain_graph={a})",
    "clear_grad": "{0}.grad = None",
    "stop": "{0}.requires_grad_(not {a})",
    "leave": "{0}.detach_()",
}


def paddle_line(statement: Statement) -> str:
    """One line of Paddle code."""
    return _line(statement, PADDLE, "paddle")


def torch_line(statement: Statement) -> str:
    """One line of PyTorch code.

    Raises:
        NotExpressibleError: for steps backwards, which PyTorch's tensors do not have; for another layout under
            `no_grad`, after which PyTorch's history no longer fits the tensor; and for `set_`, which PyTorch does not differentiate.
    """
    if statement.op == "set_":
        raise NotExpressibleError("another storage, which the history does not follow")
    if statement.quiet and statement.op.removesuffix("_") in TABLES and statement.op.endswith("_"):
        raise NotExpressibleError("another layout, which the history does not follow")
    if any(isinstance(item, slice) and (item.step or 1) < 0 for item in statement.key):
        raise NotExpressibleError("a slice with a negative step")
    return _line(statement, TORCH, "torch")


def paddle_code(program: Program) -> str:
    """The whole program, for bug reports."""
    return "\n".join(map(paddle_line, program))


def _line(statement: Statement, words: dict[str, str], module: str) -> str:
    if statement.op == "setitem":
        value = statement.inputs[1] if len(statement.inputs) > 1 else repr(statement.args[1])
        line = f"{statement.inputs[0]}[{_key(statement.key)}] = {value}"
    else:
        names = dict(zip("ab", (_constant(statement.op, each) for each in statement.args), strict=False))
        line = words[statement.op].format(*statement.inputs, **names)
    if statement.out and statement.op != "iadd":
        line = f"{statement.out} = {line}"
    return f"with {module}.no_grad(): {line}" if statement.quiet else line


def _constant(op: str, value: Any) -> str:
    if op == "getitem":
        return _key(value)
    if isinstance(value, str):
        return value
    return "" if value is None else repr(_listed(value))


def _listed(value: Any) -> Any:
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


def _key(key: Key) -> str:
    return ", ".join(_item(item) for item in key)


def _item(item: Item) -> str:
    if isinstance(item, slice):
        parts = ["" if part is None else str(part) for part in (item.start, item.stop, item.step)]
        return ":".join(parts if item.step is not None else parts[:2])
    if isinstance(item, EllipsisType):
        return "..."
    return item if isinstance(item, str) else repr(_listed(item))
