"""Recognizes updates of parameters among writes: the steps of optimizers, with the names that the program gives them, and updates that a program writes out.

13 | optim.step()         `optim.step()`, here `opt_c.step()`, changed `critic.2.weight` after line 18 used it
19 | update(opt_c, loss_c)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from inplacelab.recording.facts import OverwriteFacts, SiteFacts, Sites

Read = Callable[[str], str]

_STEPS = ("step", "minimize")
"""Methods with which optimizers change parameters."""
_USES_GRADIENT = re.compile(r"\.grad\b|\bgrads?\b|\bgradients?\b|\blr\b|learning_rate|\bclamp_?\b|\bclip_?\b")
"""What tells that a line updates a parameter, and does not normalize one."""
_UPDATES = re.compile(r"update|step|init|clip|sgd|descend|optim", re.IGNORECASE)
"""What names of functions that update parameters have in them."""
_COMPUTES = ("forward", "__call__")
"""Functions that compute with parameters. What they write is no update unless it uses a gradient."""


def calls_of_optimizer(sites: Sites, read: Read) -> tuple[str, ...]:
    """Returns the call with which an optimizer ran, as the line has it, and then as the callers of the line name it: "optim.step", "opt_c.step".

    Args:
        sites: where it wrote, and the calls that led there.
        read: returns the text of a file; it may raise `OSError`.

    Returns:
        The calls, without their arguments; () if no line calls an optimizer.
    """
    for number, site in enumerate(sites):
        found = _stepping(site.expression) or _stepping(site.text)
        if found is not None:
            name, method = found
            named = [name, *_outside(name, sites[number:], read)]
            return tuple(f"{each}.{method}" for each in dict.fromkeys(named))
    return ()


@lru_cache(maxsize=256)
def stepped(text: str) -> str:
    """Returns the name of the optimizer that a line calls, or of anything else with a method of that name; "" if there is none."""
    found = _stepping(text)
    return "" if found is None else found[0]


def as_update(write: OverwriteFacts, by: Literal["", "step", "own"], read: Read) -> OverwriteFacts:
    """Returns a write to a parameter as the update that it was; as it is, if it is not certain that it was one.

    Args:
        write: the write.
        by: what has written, where autograd records nothing; "" for any other write.
        read: returns the text of a file.
    """
    calls = calls_of_optimizer(write.sites, read) if by else ()
    if by == "step" or calls:
        return replace(write, op=_STEPS[0], update="step", optimizer=calls)
    return replace(write, update="own") if by and is_update(write.sites) else write


def is_update(sites: Sites) -> bool:
    """Whether a write to a parameter, at a place where nothing is recorded by autograd, is certainly an update of it."""
    if not sites:
        return False
    site = sites[0]
    if ".grad" in site.text:
        return True
    if any(each.function.rpartition(".")[2] in _COMPUTES for each in sites):
        return False
    return not site.function or bool(_USES_GRADIENT.search(site.text) or _UPDATES.search(site.function))


def _stepping(text: str) -> tuple[str, str] | None:
    """Returns the optimizer's name in a text that calls one, and the method."""
    expression = _parsed(text)
    for node in ast.walk(expression) if expression is not None else ():
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name() | ast.Attribute() | ast.Subscript() as owner, attr=attr)
            ) if attr in _STEPS:
                scaled = "scaler" in ast.unparse(owner).lower() and node.args
                return ast.unparse(node.args[0] if scaled else owner), attr
    return None


def _outside(name: str, sites: Sites, read: Read) -> list[str]:
    """Returns what the callers of a function call what is `name` in it, from the inside out."""
    found: list[str] = []
    for site, caller in pairwise(sites):
        root = re.split(r"[.\[]", name, maxsplit=1)[0]
        given = _argument(root, site, caller, read)
        if given is None:
            break
        name = given + name[len(root) :]
        found.append(name)
    return found


def _argument(parameter: str, site: SiteFacts, caller: SiteFacts, read: Read) -> str | None:
    """Returns what a call passes for a parameter of the function that it leads to; None if the texts do not tell."""
    try:
        tree = ast.parse(read(site.file))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    functions = [
        each
        for each in ast.walk(tree)
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        and each.lineno <= site.line <= (each.end_lineno or 0)
    ]
    statement = _parsed(caller.text)
    if not functions or statement is None:
        return None
    function = max(functions, key=lambda each: each.lineno)
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    for call in (each for each in ast.walk(statement) if isinstance(each, ast.Call)):
        called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        if called != function.name:
            continue
        for keyword in call.keywords:
            if keyword.arg == parameter:
                return _name_of(keyword.value)
        if parameter not in names:
            return None
        bound = isinstance(call.func, ast.Attribute) and names[:1] in (["self"], ["cls"])
        place = names.index(parameter) - bound
        return _name_of(call.args[place]) if 0 <= place < len(call.args) else None
    return None


def _name_of(expression: ast.expr) -> str | None:
    return ast.unparse(expression) if isinstance(expression, ast.Name | ast.Attribute | ast.Subscript) else None


def _parsed(text: str) -> ast.AST | None:
    """Returns a line as a tree; None if it is not a statement of its own, such as the head of a block."""
    line = text.strip()
    for shown in (line, f"{line} pass", f"{line})"):
        try:
            return ast.parse(shown)
        except (SyntaxError, ValueError):
            continue
    return None
