"""Recognizes in an error's words what a framework refused at once, and finds in the text of a program which line bound a name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inplacelab.recording.facts import RefusalRule, SiteFacts
from inplacelab.recording.source_tree import SourceTree

_RULES: tuple[tuple[str, RefusalRule], ...] = (
    ("a leaf Variable that requires grad is being used in an in-place operation", "leaf"),  # PyTorch: also "a view of a leaf ..."
    ("that doesn't stop gradient can't use inplace strategy", "leaf"),  # Paddle
    ("such functions do not allow the output views to be modified inplace", "several"),
    ("a view was created in no_grad mode and is being modified inplace", "no_grad"),
    ("a view was created in inference mode and is being modified inplace", "inference"),
    ("inplace update to inference tensor outside inferencemode", "inference"),
    ("inference tensors cannot be saved for backward", "saved"),
)  # fmt: skip


def rule_in(message: str) -> RefusalRule | None:
    """Returns the rule that the message of an error is about; None if it is about none of them. Of a gradient that is None it tells nothing."""
    text = message.lower()
    if "view of a leaf variable" in text:
        return "view"
    return next((rule for words, rule in _RULES if words.lower() in text), None)


def is_of_none(error_type: str, message: str) -> bool:
    """Whether an error says that an operand, or what an attribute was asked of, is None."""
    return error_type in ("TypeError", "AttributeError", "ValueError") and "NoneType" in message


def binding(program: SourceTree, name: str, line: int) -> ast.stmt | None:
    """Returns the statement that has bound a name, seen from a line: the last one before it in the same function; for an attribute of `self` the
    only one in the file, in another function. None if it cannot be told.
    """
    if not name.isidentifier():
        if not re.fullmatch(r"self\.\w+", name):
            return None
        found = [
            each
            for each in _assignments(program.tree)
            if not isinstance(each, ast.AugAssign) and any(ast.unparse(one) == name for one in _targets(each))
        ]
        alone = len(found) == 1 and _owner(program, found[0]) is not _function_at(program, line)
        return found[0] if alone else None
    here = _function_at(program, line)
    mine = [each for each in _assignments(here) if _owner(program, each) is here and name in _bound(each)]
    before = [each for each in mine if each.lineno < line]
    return before[-1] if before else None


def rebinding(program: SourceTree, name: str, line: int) -> ast.stmt | None:
    """Returns the statement in the same function as a line that binds a name to what is computed from its old value, if it is the only one."""
    here = _function_at(program, line)
    found = [
        each
        for each in _assignments(here)
        if _owner(program, each) is here
        and any(ast.unparse(one) == name for one in _targets(each))
        and (
            isinstance(each, ast.AugAssign) or (each.value is not None and name in map(ast.unparse, _paths(each.value)))
        )
    ]
    return found[0] if len(found) == 1 else None


_Assignment = ast.Assign | ast.AugAssign | ast.AnnAssign


def _assignments(where: ast.AST) -> Iterator[_Assignment]:
    found = [each for each in ast.walk(where) if isinstance(each, _Assignment)]
    yield from sorted(found, key=lambda each: (each.lineno, each.col_offset))


def _targets(statement: _Assignment) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


def _bound(statement: _Assignment) -> set[str]:
    return {
        each.id
        for target in _targets(statement)
        for each in ast.walk(target)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _paths(value: ast.expr) -> Iterator[ast.expr]:
    return (each for each in ast.walk(value) if isinstance(each, ast.Name | ast.Attribute))


def _owner(program: SourceTree, node: ast.AST) -> ast.AST:
    """Returns the function in which a node runs; the module if it is in none."""
    inside = (
        each for each in program.around(node) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    )
    return next(inside, program.tree)


def _function_at(program: SourceTree, line: int) -> ast.AST:
    functions = [
        each
        for each in ast.walk(program.tree)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and each.body[0].lineno <= line <= (each.end_lineno or 0)
    ]
    return max(functions, key=lambda each: each.lineno, default=program.tree)


def paths_at(program: SourceTree, site: SiteFacts) -> list[str]:
    """Returns the names, and the paths such as `self.head.weight`, in the statement at a place: those in its innermost expression first."""
    within = [
        each
        for each in ast.walk(program.tree)
        if isinstance(each, ast.stmt)
        and not hasattr(each, "body")
        and each.lineno <= site.line <= (each.end_lineno or 0)
    ]
    heads = [
        each.iter if isinstance(each, ast.For) else each.test
        for each in ast.walk(program.tree)
        if isinstance(each, ast.For | ast.While | ast.If) and each.lineno == site.line
    ]
    roots: list[ast.AST] = [*within, *heads]
    found = [
        each
        for root in roots
        for each in ast.walk(root)
        if isinstance(each, ast.Name | ast.Attribute) and _is_path(each)
    ]

    def is_outside(node: ast.expr) -> bool:
        return (
            site.column >= 0
            and node.lineno == site.line
            and not (site.column <= node.col_offset < max(site.end_column, 1))
        )

    return [*dict.fromkeys(ast.unparse(each) for each in sorted(found, key=is_outside))]


def written_in(statement: ast.stmt, op: str) -> str:
    """Returns the name or path of the tensor that a statement writes in place with an operation, if that is known; "" if the text does not show it."""
    match statement:
        case ast.AugAssign(target=target) | ast.Assign(targets=[ast.Subscript() as target]):
            written: ast.expr = target
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=written, attr=attr))) if attr == (op or attr):
            if not attr.endswith("_") or attr.endswith("__"):
                return ""
        case _:
            return ""
    while isinstance(written, ast.Subscript):
        written = written.value
    return ast.unparse(written) if _is_path(written) else ""


def paths_in(statement: ast.stmt) -> list[str]:
    """Returns the names and paths in a statement, in the order in which they stand there."""
    found = [each for each in ast.walk(statement) if isinstance(each, ast.Name | ast.Attribute) and _is_path(each)]
    found.sort(key=lambda each: (each.lineno, each.col_offset))
    return [*dict.fromkeys(map(ast.unparse, found))]


def _is_path(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_path(node.value))


def called_in(text: str) -> str:
    """Returns the name of the outermost function that an expression calls: "split" for `torch.split(x, 1)`."""
    try:
        tree = ast.parse(text.strip()).body
    except SyntaxError:
        return ""
    calls = [each for one in tree for each in ast.walk(one) if isinstance(each, ast.Call)]
    name = calls[0].func if calls else None
    return name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
