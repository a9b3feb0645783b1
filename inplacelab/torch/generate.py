"""Makes functions and methods of the lines of the table."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial, wraps
from inspect import signature
from typing import Any, NamedTuple

import inplacelab
from inplacelab import modes
from inplacelab.errors import Refusal
from inplacelab.errors.catalogue import SPEAKER
from inplacelab.tensor import Tensor as Engine
from inplacelab.torch import grad_nodes, meanings
from inplacelab.torch.calls import Shown, inward, outward
from inplacelab.torch.described import check_device
from inplacelab.torch.names import FUNCTIONAL, FUNCTIONS, INTEGERS_TOO, LATER, SAME, UNARY
from inplacelab.torch.refusals import MISUSES, misused, refusal, refuse


class Line(NamedTuple):
    """A line of the table.

    Attributes:
        name: the name of the function.
        signature: its parameters, as they are written.
        expression: what is computed.
        function, method: whether there is a function and a method of this name.
        chapter: what it belongs to.
    """

    name: str
    signature: str
    expression: str
    function: bool
    method: bool
    chapter: str

    @property
    def in_place(self) -> bool:
        """Whether it writes its first argument."""
        return self.name.endswith("_")


_LINE = re.compile(r"(?P<where>\.|torch\.)?(?P<name>\w+)\((?P<signature>.*?)\) = (?P<expression>.*)")


def read(chapter: str, text: str) -> Iterator[Line]:
    """Yields the lines of a chapter."""
    for line in text.strip().splitlines():
        found = _LINE.fullmatch(line)
        assert found is not None, line
        where, name, signature, expression = found.group("where", "name", "signature", "expression")
        yield Line(name, signature, expression, where != ".", where != "torch.", chapter)


def _all_lines() -> Iterator[Line]:
    for name in UNARY.split():
        yield Line(name, "input", f"P.{name}(input)", True, True, "one tensor")
        target = "input" if name in INTEGERS_TOO else "m.floating(input)"
        yield Line(f"{name}_", "input", f"P.{name}_({target})", True, True, "one tensor")
    for chapter, text in FUNCTIONS.items():
        yield from read(chapter, text)


LINES = tuple(_all_lines())
"""The table of functions and methods."""
LINES_OF_FUNCTIONAL: Mapping[str, Line] = {line.name: line for line in read("nn.functional", FUNCTIONAL)}
"""The table of `nn.functional`, by name."""
_FUNCTIONS = {line.name: line for line in LINES if line.function}
_METHODS = {line.name: line for line in LINES if line.method}


def line_named(name: str, *, method: bool) -> Line | None:
    """Returns the line of a function or method, also by another name of it."""
    lines, known = _METHODS if method else _FUNCTIONS, SAME.get(name.removesuffix("_"))
    return lines.get(name) or (lines.get(known + "_" * name.endswith("_")) if known else None)


def names(*, methods: bool) -> list[str]:
    """Returns the names of all functions, or of all methods."""
    others = [name + end for name in SAME for end in ("", "_") if line_named(name + end, method=methods)]
    return [*(_METHODS if methods else _FUNCTIONS), *others]


def made(line: Line, name: str = "") -> Callable[..., Any]:
    """Returns the function of a line, for programs."""
    text = f"def {line.name}({line.signature}):\n    return {line.expression}\n"
    filename = f"<inplacelab torch.{line.name}>"
    scope: dict[str, Any] = {
        "P": inplacelab,
        "F": inplacelab.nn.functional,
        "m": meanings,
        "__name__": "inplacelab.torch",
    }
    exec(compile(text, filename, "exec"), scope)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    function = scope[line.name]
    later = LATER.get(line.name)
    if later:
        code = function.__code__
        function.__code__ = code.replace(co_varnames=tuple(later.get(each, each) for each in code.co_varnames))
    function.__name__ = function.__qualname__ = name or line.name
    function.__doc__ = (
        f"PyTorch's `{function.__name__}({line.signature})`: `{line.expression}` in the words of the engine."
    )
    if line.in_place:
        return _called(function, _write)
    return _perhaps_writing(function) if "inplace=" in line.signature else _called(function, _compute)


def _called(function: Callable[..., Any], run: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a line for programs: takes their tensors and NumPy's keywords, and refuses in PyTorch's words."""
    name = function.__name__
    speaker = partial(refusal, called=name)
    code = function.__code__
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    renamed = {theirs: ours for theirs, ours in NUMPY.items() if ours in parameters and theirs not in parameters}

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        token = SPEAKER.set(speaker)
        try:
            named = {renamed.get(each, each): inward(value) for each, value in kwargs.items()} if kwargs else kwargs
            return outward(run(function, [inward(each) for each in args], named))
        except MISUSES as error:
            if isinstance(error, Refusal):
                raise
            raise misused(name, (*args, *kwargs.values()), error) from error
        finally:
            SPEAKER.reset(token)

    return call


NUMPY = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
"""Keywords of NumPy's, and PyTorch's for the same, which accepts both."""


def _compute(function: Callable[..., Any], given: list[Any], named: dict[str, Any]) -> Any:
    """Calls a function that makes new tensors or views; it takes `out=`, too."""
    check_device(named.get("device"))
    out = named.pop("out", None) if named else None
    if out is not None:
        return meanings.written_into(out, lambda: function(*given, **named), *given, *named.values())
    result = function(*given, **named)
    if isinstance(result, Engine) and result.base is not None:
        _inherit(result, given)
    return result


def _write(function: Callable[..., Any], given: list[Any], named: dict[str, Any]) -> Any:
    """Calls a function that writes its first argument."""
    target = given.pop(0) if given else named.pop("input")
    return write(target, function, given, named)


def _perhaps_writing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that writes its first argument if the program passes `inplace=True`."""
    place = list(signature(function).parameters).index("inplace")
    computing, writing = _called(function, _compute), _called(function, _write)

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        wanted = args[place] if len(args) > place else kwargs.get("inplace", False)
        return (writing if isinstance(wanted, int) and wanted else computing)(*args, **kwargs)

    return call


def _inherit(view: Engine, given: list[Any]) -> None:
    """Marks a view of one of several views as one of them."""
    first = given[0] if given else None
    if isinstance(first, Engine) and first is not view and "_several" in first.__dict__:
        view.__dict__["_several"] = first.__dict__["_several"]


def write(target: Any, function: Callable[..., Any], given: list[Any], named: Mapping[str, Any]) -> Any:
    """Writes a tensor in place by a function, as PyTorch does: not one of several views."""
    if not isinstance(target, Engine):
        return function(target, *given, **named)
    if "_several" in target.__dict__:
        check_single(target, [*given, *named.values()])
    beside = [each for each in given if isinstance(each, Engine) and each.storage is target.storage]
    for each in beside:
        meanings.check_overlap(getattr(function, "__name__", "setitem"), target, each)
    version, array = target.storage.version, target.array
    result = function(target, *given, **named)
    if target.array is not array:
        grad_nodes.note_window(target, array)
    for each in beside:
        expect_old_value(target, each, version)
    grad_nodes.note_written(target)
    return result


def expect_old_value(target: Engine, operand: Engine, version: int) -> None:
    """Makes backward expect an operand on the written storage (`x.mul_(x)`) as it was, and so refuse it, as PyTorch does.

    The engine has copied the operand and could go on.
    """
    node: Any = target.node if target.base is None else target.base.node
    node = getattr(node, "inner", node)
    row = getattr(node, "row", None)
    if row is None or target.storage.version == version or modes.current().keeper is not None:
        return
    for saved in node.saved:
        if saved.name in row.inputs[1:] and saved.is_copy:
            saved.array, saved.storage, saved.version, saved.is_copy = operand.array, operand.storage, version, False


def check_single(target: Engine, others: list[Any]) -> None:
    """Refuses to write one of several views that one function returned, or what a `Function` returned as it was, if a gradient is wanted."""
    tensors = [target, *(each for each in others if isinstance(each, Engine))]
    if inplacelab.is_grad_enabled() and any(not each.stop_gradient for each in tensors):
        why, name, output = target.__dict__["_several"]
        node = name if why == "returned_as_is" else grad_nodes.name_in_errors(target.node) or name
        raise refuse(why, tensor=target, node=node, output=output)


__all__ = ["LINES", "LINES_OF_FUNCTIONAL", "Line", "Shown", "grad_nodes", "line_named", "made", "names", "write"]
