"""Generates the type stub of `Tensor`, with its methods from the table, the operators and autograd, for editors and checkers.

python -m inplacelab.ops.table.stub            write inplacelab/tensor.pyi
python -m inplacelab.ops.table.stub --check    check that it is up to date
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from inplacelab import tensor as module
from inplacelab.ops.arguments.keywords import SEPARATE, Alias
from inplacelab.ops.table import ROWS, variants
from inplacelab.ops.table.exports import LazyMethod
from inplacelab.ops.table.row import Row
from inplacelab.ops.template import name_of, spelling

TARGET = Path(module.__file__).with_name("tensor.pyi")

_HEADER = """\
# Made by `python -m inplacelab.ops.table.stub` from the table of operations. Do not edit.
import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from inplacelab.autograd.grad_fn import GradFn, HookHandle
from inplacelab.backends.base import Device, Place
from inplacelab.dtypes import DType, Form
from inplacelab.layout import Layout, Shape
from inplacelab.storage import Storage

"""
_TYPES = {"dtypes.DType": "DType"}
_BUILTINS = re.compile(r"(?<![\w.])(bool|float|int)\b")
"""Types with the same name as a method of `Tensor`: in its body they need their qualified names."""
_ATTRIBUTES = {
    "array": "Any", "storage": "Storage", "base": "Tensor | None", "form": "Form | None", "node": "Any", "overlaps": "bool", "untracked": "str",
    "_accumulator": "Any", "_grad": "Tensor | None", "_hooks": "dict[int, Any] | None", "_name": "str | None", "_seen": "int",
    "_stop": "bool",
    "_views": "Any",
}  # fmt: skip


def text() -> str:
    """Returns the text of the stub."""
    parts = [
        _HEADER,
        *_class(module.Size, "list[int]"),
        "\n",
        *_tensor(),
        "\n",
        "class TopKRetType(NamedTuple):\n",
        *(f"    {name}: Tensor\n" for name in module.TopKRetType._fields),
        "\n",
        *_class(module.Parameter, "Tensor"),
        "\n",
    ]
    return "".join([*parts, *_functions()])


def _tensor() -> Iterator[str]:
    yield "class Tensor:\n"
    for name, kind in _ATTRIBUTES.items():
        yield f"    {name}: {_qualified(kind)}\n"
    yield from _members(module.Tensor)
    for row in ROWS.values():
        for variant in variants(row) if row.method else ():
            for name in (row.name, *row.aliases):
                yield _row_method(row, variant, name + "_" * (name_of(row, variant) != row.name))


def _class(owner: type, base: str) -> Iterator[str]:
    yield f"class {owner.__name__}({base}):\n"
    yield from _members(owner)


def _members(owner: type) -> Iterator[str]:
    operators = {row.operator for row in ROWS.values() if row.operator}
    for name, found in tuple(vars(owner).items()):
        if name in operators:  # the same, whether it has been generated or not
            yield f"    def {name}(self, other: Any) -> Tensor: ...\n"
            continue
        member = found.function() if isinstance(found, LazyMethod) else found
        if (
            name in ("__slots__", "__doc__", "__module__", "__dict__", "__weakref__", "__annotations__")
            or name in _ATTRIBUTES
        ):
            continue
        if isinstance(member, property):
            yield from _property(name, member)
        elif inspect.isfunction(member) and not _is_row(name):
            yield _method(name, member)


def _is_row(name: str) -> bool:
    plain = name.rstrip("_") if not name.startswith("__") else name
    return any(row.method and (plain == row.name or plain in row.aliases) for row in ROWS.values()) and name != "matmul"


def _property(name: str, member: property) -> Iterator[str]:
    result = _type(inspect.signature(member.fget).return_annotation)  # type: ignore[arg-type]  # every property has a getter
    yield f"    @property\n    def {name}(self) -> {result}: ...\n"
    if member.fset is not None:
        value = list(inspect.signature(member.fset).parameters.values())[1]
        yield f"    @{name}.setter\n    def {name}(self, {value.name}: {_type(value.annotation)}) -> None: ...\n"


def _method(name: str, member: Any) -> str:
    signature = inspect.signature(member)
    given = list(signature.parameters.values())
    given = _without_own(given, given[0].name)
    aliased = _optional(given)
    words = [_parameter(p, aliased) for p in given]
    starred = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in given)
    if not starred and (named := [p for p in given if p.kind is inspect.Parameter.KEYWORD_ONLY]):
        words.insert(given.index(named[0]), "*")
    parameters = ", ".join(words)
    note = "  # type: ignore[override]" if name in ("__eq__", "__ne__") else ""
    return f"    def {name}({parameters}) -> {_type(signature.return_annotation)}: ...{note}\n"


def _parameter(parameter: inspect.Parameter, aliased: Container[str] = ()) -> str:
    prefix = "*" * (parameter.kind is inspect.Parameter.VAR_POSITIONAL) + "**" * (
        parameter.kind is inspect.Parameter.VAR_KEYWORD
    )
    if parameter.name == "self":
        return "self"
    return f"{prefix}{parameter.name}: {_type(parameter.annotation)}{_default(parameter, aliased)}"


def _type(annotation: Any) -> str:
    if annotation is inspect.Signature.empty:
        return "Any"
    words = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "Any")
    return _qualified(_TYPES.get(words, words))


def _qualified(words: str) -> str:
    return _BUILTINS.sub(r"builtins.\1", words)


def _row_method(row: Row, variant: str, name: str) -> str:
    signature = spelling.public(row, variant)
    parameters = _without_own(list(signature.parameters.values()), row.inputs[0])
    aliased = _optional(parameters)
    plain = [p for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY][1:]
    named = [p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
    words = ["self", *(_row_parameter(row, p, aliased) for p in plain), *["*"] * bool(named)]
    if spelling.op_of(row, variant) in SEPARATE:
        words[words.index("name: str | None = None") :] = ["*more: Any", "name: str | None = None"]
    return f"    def {name}({', '.join([*words, *(_row_parameter(row, p, aliased) for p in named)])}) -> Tensor: ...\n"


def _without_own(parameters: list[inspect.Parameter], own: str) -> list[inspect.Parameter]:
    """Without the alternative keywords of the tensor itself, which is `self`."""
    return [p for p in parameters if not (isinstance(p.default, Alias) and p.default.parameter == own)]


def _optional(parameters: list[inspect.Parameter]) -> set[str]:
    """The parameters that may be given under another name and so left out; and, by Python's grammar, those after them."""
    aliased = {p.default.parameter for p in parameters if isinstance(p.default, Alias)}
    names = [p.name for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    return aliased | set(names[min((names.index(n) for n in aliased if n in names), default=len(names)) :])


def _row_parameter(row: Row, parameter: inspect.Parameter, aliased: set[str]) -> str:
    types = {
        "name": "str | None",
        "out": "Tensor | None",
        **dict.fromkeys(set(row.inputs) - set(row.numbers), "Tensor"),
    }
    meant = parameter.default.parameter if isinstance(parameter.default, Alias) else parameter.name
    return f"{parameter.name}: {types.get(meant, 'Any')}{_default(parameter, aliased)}"


def _default(parameter: inspect.Parameter, aliased: Container[str]) -> str:
    """The default, if any: "..." for an alternative keyword, and for a parameter that has one."""
    if isinstance(parameter.default, Alias):
        return " = ..."
    if parameter.default is inspect.Parameter.empty:
        return " = ..." if parameter.name in aliased else ""
    return f" = {parameter.default!r}"


def _functions() -> Iterator[str]:
    for name in ("over", "fresh", "known_form", "show", "look", "adopt"):
        signature = inspect.signature(getattr(module, name))
        parameters = ", ".join(_parameter(p) for p in signature.parameters.values())
        yield f"def {name}({parameters}) -> {_type(signature.return_annotation)}: ...\n"


def main(arguments: list[str]) -> int:
    """Writes the stub, or checks it. Returns the exit status."""
    wanted = text()
    if "--check" in arguments:
        if TARGET.read_text(encoding="utf-8") == wanted:
            return 0
        print(f"{TARGET.name} is out of date: run `python -m inplacelab.ops.table.stub`")
        return 1
    TARGET.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    import inplacelab.ops  # noqa: F401  # reads the table

    sys.exit(main(sys.argv[1:]))
