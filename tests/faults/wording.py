"""The code of a statement: that of the oracle, with hooks and custom operations that can fail."""

from __future__ import annotations

from tests.oracle.program import Statement
from tests.oracle.wording import paddle_line

from .layers import SLOPES


def line(statement: Statement, *, custom: bool) -> str:
    """One line of code. With `custom`, functions that have a custom operation are called as one."""
    if statement.op == "hook":
        return f"{statement.inputs[0]}.register_hook(hook({statement.args[0]!r}))"
    name = statement.op.removesuffix("_")
    if not custom or name not in SLOPES:
        return paddle_line(statement)
    function = "Custom.apply" if statement.op == name else "in_place"
    code = f"{function}({statement.inputs[0]}, {name!r})"
    code = f"{statement.out} = {code}" if statement.out else code
    return f"with paddle.no_grad(): {code}" if statement.quiet else code
