"""Writes the files that are generated from the table, in a clone: the functions of the rows, and the type stub of `Tensor`.

    python -m inplacelab.ops.table.generate            write inplacelab/ops/generated/*.py and inplacelab/tensor.pyi
    python -m inplacelab.ops.table.generate --check    check that they are up to date

A file in `ops/generated/` holds what the template makes of the rows of one chapter, with the row's own objects under names that one can
follow: `ADD_KERNEL` where the template has `KERNEL`.
"""

from __future__ import annotations

import ast
import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Container, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from inplacelab import tensor as module
from inplacelab.ops import template
from inplacelab.ops.arguments.keywords import EXCHANGED, SEPARATE, Alias
from inplacelab.ops.table import ROWS, LazyMethod, variants
from inplacelab.ops.table.row import BUILT_IN, Row
from inplacelab.ops.template import name_of, source

STUB = Path(module.__file__).with_name("tensor.pyi")
FOLDER = Path(__file__).parents[1] / "generated"

# ---- the functions of the rows --------------------------------------------------------------------------------------------

_NAMES = {
    "inplacelab.autograd.history": ("accumulator", "check_leaf", "edge", "rebase", "refresh"),
    "inplacelab.autograd.nodes": ("NOTHING", "UNFINISHED", "OpNode", "meta", "new_node", "next_serial"),
    "inplacelab.autograd.saved": ("OUTPUT", "Saved", "save", "save_copy"),
    "inplacelab.dtypes": ("Form",),
    "inplacelab.layout": ("common_shape",),
    "inplacelab.ops.arguments": ("keywords", "operands"),
    "inplacelab.ops.arguments.keywords": ("ABSENT",),
    "inplacelab.ops.results.kernel_tools": ("launcher",),
    "inplacelab.ops.table.depends": ("dependence", "slots_read", "slots_touched"),
    "inplacelab.ops.table.row": ("required",),
    "inplacelab.ops.results": ("destinations", "metadata"),
    "inplacelab.tensor": ("Tensor", "fresh", "known_form"),
    "typing": ("Any",),
}
"""What the lines of the template name, and where it comes from. (`current_modes` and `np` have names of their own.)"""
_COLUMNS = {
    "KERNEL": "kernel", "PLAN": "plan", "UFUNC": "ufunc", "SHAPE": "shape", "LAYOUT": "layout", "SHORTCUT": "shortcut", "VALIDATE": "validate",
}  # fmt: skip
"""The template's names for parts of a row."""
_TUPLE = re.compile(r"(?m)^( *[\w.]+(?:, [\w.]+)+ = )\((.*)\)$")
"""An assignment of several values: `ast.unparse` puts them in parentheses."""


def files() -> dict[Path, str]:
    """Returns the generated files, not yet formatted: one for each chapter, and the one that says which row is in which."""
    chapters: dict[str, list[tuple[str, Row]]] = {}
    for row in BUILT_IN.values():
        chapter, name = _place(row)
        chapters.setdefault(chapter, []).append((name, row))
    made = {FOLDER / f"{chapter}.py": _chapter(chapter, rows) for chapter, rows in chapters.items()}
    made[FOLDER / "__init__.py"] = _index(
        {chapter: [row.name for _, row in rows] for chapter, rows in chapters.items()}
    )
    return made


def _index(chapters: Mapping[str, list[str]]) -> str:
    listed = "\n".join(f"    {chapter!r}: {' '.join(names)!r}," for chapter, names in sorted(chapters.items()))
    return f'''"""The functions of the rows, as the template makes them: a file for each chapter of `ops/`.

`python -m inplacelab.ops.table.generate` writes them. Do not edit them; but read them, and set breakpoints in them: they are what runs.
"""

_ROWS = {{
{listed}
}}
CHAPTER_OF = {{row: chapter for chapter, rows in _ROWS.items() for row in rows.split()}}
"""The file in which the functions of a row are."""
'''


@cache
def _assigned() -> Mapping[Row, tuple[str, str]]:
    """The chapter of each row, and its name there."""
    found = {}
    for path in sorted(FOLDER.parent.glob("*.py")):
        chapter = sys.modules.get(f"inplacelab.ops.{path.stem}")
        for statement in ast.parse(path.read_text(encoding="utf-8")).body if chapter else ():
            for name in ast.walk(statement) if isinstance(statement, ast.Assign) else ():
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    value = getattr(chapter, name.id, None)
                    if isinstance(value, Row):
                        found[value] = path.stem, name.id
    return found


def _place(row: Row) -> tuple[str, str]:
    if row not in _assigned():
        raise LookupError(f"give the row {row.name!r} a name in its chapter: {row.name.upper()} = ...")
    return _assigned()[row]


def _chapter(chapter: str, rows: list[tuple[str, Row]]) -> str:
    """The text of one file."""
    imports: dict[str, set[str]] = {}
    sections = [_section(chapter, name, row, imports) for name, row in rows]
    body = "\n\n".join(sections)
    words = set(re.findall(r"\w+", body))
    for home, names in _NAMES.items():
        imports.setdefault(home, set()).update(words.intersection(names))
    if "tensor_methods" in words:
        imports.setdefault("inplacelab.ops", set()).add("tensor_methods")
    if "current_modes" in words:
        imports.setdefault("inplacelab.modes", set()).add("current as current_modes")
    imports.setdefault("inplacelab.ops", set()).add(f"{chapter} as chapter")
    head = [f"from {home} import {', '.join(sorted(names))}" for home, names in sorted(imports.items()) if names]
    head += ["import numpy as np"] * ("np" in words)
    return f'''"""The functions of the rows in `inplacelab/ops/{chapter}.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""
from __future__ import annotations

{chr(10).join(head)}

{body}
'''


def _section(chapter: str, named: str, row: Row, imports: dict[str, set[str]]) -> str:
    """The functions of one row, after the row's own objects that they name."""
    prefix = row.name.upper()
    bound: dict[str, str] = {}
    texts = []
    for variant in (*variants(row), *["operator"] * bool(row.operator)):
        tree = ast.parse(source(row, variant))
        function = tree.body[0]
        assert isinstance(function, ast.FunctionDef)
        taken = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
        names = _Names(row, variant, prefix, taken)
        names.visit(function)
        for name, (column, value) in names.bound.items():
            known = column if value is None else _reference(value, chapter, imports)
            bound[name] = known or (f"{prefix}.{column}" if "[" in column else f"required({prefix}.{column})")
        _annotate(function, row)
        function.body.insert(0, ast.Expr(ast.Constant(row.says.en)))
        texts.append(_TUPLE.sub(r"\1\2", ast.unparse(function)))
        texts += [f"{new} = {old}" for new, old in names.later.items()]
    objects = [f"{prefix} = chapter.{named}", *(f"{name} = {value}" for name, value in bound.items())]
    rule = f"# ---- {row.name} ".ljust(100, "-")
    return "\n\n".join([rule, "\n".join(objects), *texts])


class _Names(ast.NodeTransformer):
    """Gives the row's own objects names of their own.

    Attributes:
        bound: the names of parts of the row, what they are as an expression, and the part.
        later: the names that stand for functions whose own name is that of a parameter.
    """

    def __init__(self, row: Row, variant: str, prefix: str, taken: set[str]) -> None:
        self._row, self._variant, self._prefix, self._taken = row, variant, prefix, taken
        self.bound: dict[str, tuple[str, Any]] = {}
        self.later: dict[str, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self._name(node.id), node.ctx)

    def _name(self, word: str) -> str:
        row, prefix = self._row, self._prefix
        part = f"{prefix}_{word.upper()}"
        if word == "ROW":
            return prefix
        if word in ("SELF", "ORDINARY"):
            return self._function(name_of(row, "ordinary"))
        if word == "DTYPE":
            special = self._variant in ("ordinary", "operator") and row.dtype_ordinary is not None
            part += "_ORDINARY" * special
            self.bound[part] = ("dtype_ordinary", row.dtype_ordinary) if special else ("dtype", row.dtype)
        elif word in _COLUMNS:
            self.bound[part] = _COLUMNS[word], getattr(row, _COLUMNS[word])
        elif word.startswith("PREPARE_"):
            attribute = word.removeprefix("PREPARE_")
            self.bound[part] = f"prepare[{attribute!r}]", row.prepare[attribute]
        elif word == "LAUNCHED":
            part += "_" + self._variant.upper().replace("-", "_")
            self.bound[part] = f"launcher({prefix}, {self._variant!r})", None
        elif word == "OTHERWISE":
            self.bound[part] = f"tensor_methods.OF_NUMBERS[{row.operator!r}]", None
        else:
            return word
        return part

    def _function(self, name: str) -> str:
        if name not in self._taken:
            return name
        stands_for = f"{self._prefix}_ORDINARY"
        if self._variant == "ordinary":
            self.later[stands_for] = name
        return stands_for


def _reference(value: Any, chapter: str, imports: dict[str, set[str]]) -> str:
    """The name of a function, with the import that it needs; "" if it has none, as a lambda."""
    if isinstance(value, np.ufunc):
        return f"np.{value.__name__}"
    home, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
    if home not in sys.modules or getattr(sys.modules[home], name, None) is not value:
        return ""
    if home == f"inplacelab.ops.{chapter}":
        return f"chapter.{name}"
    package, _, last = home.rpartition(".")
    imports.setdefault(package, set()).add(last)
    return f"{last}.{name}"


def _annotate(function: ast.FunctionDef, row: Row) -> None:
    """Adds types for readers and for mypy. Python does not evaluate them."""
    exchanged = EXCHANGED.get(function.name, ())[:2]
    types = {
        **dict.fromkeys({*row.inputs} - {*row.numbers, *exchanged}, "Tensor"),
        "name": "str | None",
        "out": "Tensor | None",
    }
    given = function.args
    for argument in (*given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if argument is not None:
            argument.annotation = ast.Name(types.get(argument.arg, "Any"))
    function.returns = ast.Name("Tensor")


def formatted(text: str) -> str:
    """Returns a text as ruff formats it, if ruff is installed."""
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if ruff is None:
        return text
    for command in (["check", "--fix-only", "--select", "I", "-q"], ["format", "-q"]):
        given = [ruff, *command, "--stdin-filename", str(FOLDER / "chapter.py"), "-"]
        text = subprocess.run(given, input=text, capture_output=True, text=True, encoding="utf-8", check=True).stdout
    return text


# ---- the stub of `Tensor` -------------------------------------------------------------------------------------------------

_HEADER = """\
# Made by `python -m inplacelab.ops.table.generate` from the table of operations. Do not edit.
import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from inplacelab.autograd.tensor_methods import GradFn, HookHandle
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


def stub() -> str:
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
    # By module, since modules add methods when they are imported, which may be in any order.
    for name, found in sorted(vars(owner).items(), key=lambda each: "" if each[0] in operators else _home(each[1])):
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


def _home(member: Any) -> str:
    """The module that has added a member to a class; "" for those of the class itself and of the table."""
    function = member.function() if isinstance(member, LazyMethod) else member
    found = str(getattr(getattr(function, "fget", function), "__module__", ""))
    return "" if found == module.__name__ else found


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
    signature = template.public(row, variant)
    parameters = _without_own(list(signature.parameters.values()), row.inputs[0])
    aliased = _optional(parameters)
    plain = [p for p in parameters if p.kind is not inspect.Parameter.KEYWORD_ONLY][1:]
    named = [p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
    words = ["self", *(_row_parameter(row, p, aliased) for p in plain), *["*"] * bool(named)]
    if template.op_of(row, variant) in SEPARATE:
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


def stale() -> list[Path]:
    """Returns the generated files that are not what the table would make of them, but for their layout."""
    wanted = files()
    others = [path for path in FOLDER.glob("*.py") if path not in wanted]
    differ = [
        path for path, text in wanted.items() if not path.exists() or _parsed(path.read_text("utf-8")) != _parsed(text)
    ]
    return [*differ, *others, *[STUB] * (STUB.read_text(encoding="utf-8") != stub())]


def _parsed(text: str) -> str:
    """What Python makes of a file, whatever the order of its imports."""
    tree = ast.parse(text)
    imports = [each for each in tree.body if isinstance(each, ast.ImportFrom | ast.Import)]
    rest = [ast.dump(each) for each in tree.body if each not in imports]
    return "\n".join(
        [
            *sorted(
                f"{each.module}.{name.name} {name.asname}"
                for each in imports
                if isinstance(each, ast.ImportFrom)
                for name in each.names
            ),
            *rest,
        ]
    )


def main(arguments: list[str]) -> int:
    """Writes the files, or checks them. Returns the exit status."""
    if "--check" in arguments:
        for path in (found := stale()):
            print(f"{path.name} is out of date: run `python -m inplacelab.ops.table.generate`")
        return bool(found)
    wanted = files()
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.py"):
        if path not in wanted:
            path.unlink()
    for path, text in wanted.items():
        path.write_text(formatted(text), encoding="utf-8")
    STUB.write_text(stub(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    import inplacelab.ops  # noqa: F401  # reads the table

    sys.exit(main(sys.argv[1:]))
