"""Detects which framework a program uses, and chooses the recorder for it.

A recorder is imported when a program uses its framework: PyTorch and PaddlePaddle are not imported otherwise.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import FunctionType, MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from inplacelab import installing
from inplacelab.language import Text, enumerated
from inplacelab.recorders.own_code import is_own, program_is
from inplacelab.recorders.static import class_name, message_of, module_name_of, mro_of, names_in, package_of
from inplacelab.supported import Framework, framework_named, frameworks, loaded

if TYPE_CHECKING:
    from inplacelab.recorders.main_module import Main
    from inplacelab.recorders.recorder import Recorder

MODULES = 200
"""So many modules of a script's folder are read."""
DEFAULT = installing.NAME
"""What a program is taken for that uses none of them: this package's engine."""
_TOOLS = {
    "advise",
    "explain",
    "last_recording",
    "load_ipython_extension",
    "record",
    "set_language",
    "shares_storage",
    "show",
}
"""What this package has for programs of every framework."""

_UNKNOWN = Text("no program of {0!r} can be recorded; there are: {1}", "不能记录 {0!r} 的程序；可以记录的有：{1}")
_MISSING = Text(
    "{0} is not installed in this Python ({1}). Install it there: {2}; or install inplacelab where {0} is: "
    "`python -m pip install {3}`, with that Python.",
    "当前的 Python（{1}）没有安装 {0}。请在这里安装：{2}；或者把 inplacelab 安装到已有 {0} 的环境中：用那里的 Python 运行 `python -m pip install {3}`。",
)
_BROKEN = Text(
    "{0} is installed in this Python, but `import {1}` fails there ({2}): nothing of it can be recorded or explained.",
    "当前的 Python 装有 {0}，但 `import {1}` 失败（{2}）：它的操作无法记录，也无法解释。",
)
_EMPTY = Text(
    "`{1}` is a folder without code here ({2}), and not {0}: nothing of it can be recorded or explained.",
    "这里的 `{1}` 是没有代码的文件夹（{2}），并不是 {0}：它的操作无法记录，也无法解释。",
)
_LACKS = Text(
    "Nothing of {0} can be recorded or explained: what inplacelab needs of it cannot be used there ({1}).",
    "{0} 的操作无法记录，也无法解释：其中缺少 inplacelab 需要的内容（{1}）。",
)
_TESTED = Text(" inplacelab was tested with version {0}.", "inplacelab 在 {0} 版上测试过。")
_UNTESTED = Text(
    "inplacelab was tested with {0} {1}; this is {0} {2}, of which some things may not be seen.",
    "inplacelab 在 {0} {1} 上测试过；这里是 {0} {2}，其中有些内容可能观察不到。",
)
_LEFT_OUT = Text(
    "This is about {0} alone: the program also uses {1}, and what it did there was left out.",
    "这里只包括 {0} 的操作：程序还用到 {1}，它的操作没有包括在内。",
)


class Use(NamedTuple):
    """What a program uses.

    Attributes:
        framework: the framework whose recorder records it.
        left_out: other frameworks that it uses, which are not recorded. (Arrays of NumPy are no other framework beside tensors.)
    """

    framework: str
    left_out: tuple[str, ...] = ()

    @property
    def remarks(self) -> list[Text]:
        """Says which of several frameworks is left out."""
        titles = [frameworks()[each].title or each for each in (self.framework, *self.left_out)]
        return [_LEFT_OUT.format(titles[0], enumerated(titles[1:]))] if self.left_out else []


def checked(framework: str) -> str:
    """Checks the name of a framework and returns it.

    Raises:
        ValueError: if there is no recorder for it, and the message lists `frameworks`; or if it is not installed, and the message
            says how to install it.
    """
    if framework not in frameworks():
        raise ValueError(str(_UNKNOWN.format(framework, ", ".join(frameworks()))))
    if not is_installed(framework):
        raise ValueError(str(not_installed(framework)))
    return framework


def is_installed(framework: str) -> bool:
    """Returns whether a framework can be imported."""
    known = framework_named(framework)
    return known is None or known.is_installed


def not_installed(framework: str) -> Text:
    """Returns a sentence that says so of a framework, and how to install it, or this package where the framework is."""
    known = frameworks()[framework]
    return _MISSING.format(
        known.title, installing.python(), installing.command(known.requires), installing.requirement()
    )


def not_installed_of(tree: ast.AST) -> str | None:
    """Returns a framework that a program imports and that is not installed; None if there is none."""
    imported = {*_imported(tree)}
    return next((each for each in frameworks() if each in imported and not is_installed(each)), None)


def import_engine(tree: ast.AST, missing: str) -> str:
    """Changes a program so that it imports this package's engine where it imports a framework.

    Args:
        tree: the program, in which the imports are replaced.
        missing: the framework.

    Returns:
        What is imported: the engine under the framework's names.
    """
    alias = frameworks()[missing].alias
    engine = next(each.name for each in frameworks().values() if each.is_ours and each.alias == alias)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and _top(node.module) == missing:
            node.module = engine + (node.module or "").removeprefix(missing)
        for each in node.names if isinstance(node, ast.Import) else ():
            if _top(each.name) == missing:
                each.name, each.asname = (
                    (engine + each.name.removeprefix(missing), each.asname) if each.asname else (engine, missing)
                )
    return engine


def recorder_of(framework: str) -> type[Recorder]:
    """Returns the recorder class of a framework.

    Raises:
        ValueError: as `checked`.
    """
    found: type[Recorder] = loaded(frameworks()[checked(framework)].recorder)
    return found


def unusable(framework: Framework, error: Exception) -> Text:
    """Returns a sentence that says why programs of an installed framework cannot be recorded or watched.

    Args:
        framework: the framework.
        error: what came of importing its recorder or its watch, or of beginning with it.
    """
    module = sys.modules.get(framework.name)
    said = f"{class_name(type(error))}: {message_of(error)}".splitlines()[0]
    if module is None:
        return _BROKEN.format(framework.title, framework.name, said)
    if getattr(module, "__file__", None) is None and (folders := [*getattr(module, "__path__", ())]):
        return _EMPTY.format(framework.title, framework.name, folders[0])
    lacks = _LACKS.format(f"{framework.title} {framework.version}".rstrip(), said)
    return lacks + _TESTED.format(framework.tested) if framework.tested else lacks


def untested(framework: Framework) -> list[Text]:
    """Says that a framework has been imported in another version than those with which this package was tested."""
    said = _UNTESTED.format(framework.title, framework.tested, framework.version)
    return [said] if framework.is_untested else []


def framework_of_object(value: object) -> str | None:
    """Returns the framework to which an object's class, or a base of it, belongs, such as that of a tensor or a layer; None if there is
    none. No framework is imported.
    """
    modules = [module_name_of(kind) for kind in mro_of(type(value))]
    tops = {_top(each) for each in modules if each}
    return next((each for each in frameworks() if each in tops), None)


def framework_used(tree: ast.AST, names: Mapping[str, Any]) -> Use:
    """Detects which framework a program uses, from its imports and from what its names refer to before it runs.

    Args:
        tree: the program.
        names: the names that are bound when it starts.

    Returns:
        The first of `frameworks` that it uses and that is installed; `DEFAULT` if there is none.
    """
    used = {*_imported(tree, names), *_referred(tree, names)}
    return _use_of(used)


def _use_of(used: Collection[str]) -> Use:
    found = [each for each in frameworks().values() if each.name in used and is_installed(each.name)]
    first = found[0] if found else frameworks()[DEFAULT]
    return Use(first.name, tuple(each.name for each in found if each.is_left_out_by(first)))


def framework_of_script(main: Main, tree: ast.AST) -> Use:
    """Detects which framework a program uses, itself or in modules of its folder that it imports.

    Args:
        main: the script or the module.
        tree: its program.

    Returns:
        As `framework_used`.
    """
    program_is(main.path)
    waiting, seen, used = [(tree, main.path.resolve())], set[Path](), set[str]()
    while waiting:
        found, where = waiting.pop()
        used |= set(_imported(found))
        for module in _modules(found, where, main.folder):
            files = [
                each
                for each in (module.with_suffix(".py"), module / "__init__.py")
                if each.is_file() and is_own(str(each))
            ]
            for each in files:
                if each not in seen and len(seen) < MODULES:
                    seen.add(each)
                    with suppress(OSError, SyntaxError, ValueError, RecursionError):
                        waiting.append((ast.parse(each.read_bytes()), each))
    return _use_of(used)


def _modules(tree: ast.AST, path: Path, folder: Path) -> Iterator[Path]:
    """Yields where the modules that a file imports would be, without a suffix, if they belong to the program.

    Args:
        tree: the program of the file.
        path: the file.
        folder: where imports begin that are not relative.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (Path(folder, *alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level < len(path.parents):
            base = Path(path.parents[node.level - 1] if node.level else folder, *(node.module or "").split("."))
            yield base
            yield from (base / alias.name for alias in node.names)


def _imported(tree: ast.AST, names: Mapping[str, Any] = MappingProxyType({})) -> Iterator[str]:
    """Yields the packages that a program imports: where it has replaced a framework in `sys.modules`, what it has put there instead."""
    earlier = {each.name: _framework_of(sys.modules.get(each.name)) for each in frameworks().values() if each.requires}
    ours = {each.name for each in frameworks().values() if each.is_ours}
    replaced: dict[str, tuple[int, str | None]] = {each: (0, by) for each, by in earlier.items() if by in ours}
    replaced |= {each: (line, _framework_named(tree, value, names)) for each, line, value in _replaced(tree)}
    for line, each in _imports(tree):
        since, instead = replaced.get(each, (0, each))
        found = each if line < since else instead
        if found is not None:
            yield found


def _imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yields the lines of imports, and the packages; not of those that only look at a program."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, _top(alias.name)) for alias in node.names if not _only_looks(tree, alias))
        elif isinstance(node, ast.ImportFrom):
            if node.module == DEFAULT and all(alias.name in _TOOLS for alias in node.names):
                continue
            # `from inplacelab import torch` imports a framework by its whole name
            named = (name for alias in node.names if (name := f"{node.module}.{alias.name}") in frameworks())
            yield node.lineno, next(named, _top(node.module))


def _only_looks(tree: ast.AST, alias: ast.alias) -> bool:
    """Whether a program imports the engine's package for what looks at tensors of any framework, and for nothing else."""
    name = alias.asname or alias.name
    owned = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)]
    taken = [node for node in owned if getattr(node.value, "id", "") == name]
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    return alias.name == DEFAULT and 0 < len(taken) == len(named) and all(node.attr in _TOOLS for node in taken)


def _replaced(tree: ast.AST) -> Iterator[tuple[str, int, ast.expr]]:
    """Yields what a program puts into `sys.modules` under the name of a framework, and on which line: `inplacelab` in
    `sys.modules["paddle"] = inplacelab`. A stub of another module, such as one for `torch.utils.tensorboard`, replaces no framework.
    """
    for node in ast.walk(tree):
        pairs: list[tuple[ast.expr | None, ast.expr]] = []
        if isinstance(node, ast.Assign):
            places = [each for each in node.targets if isinstance(each, ast.Subscript) and _is_modules(each.value)]
            pairs = [(place.slice, node.value) for place in places]
        elif isinstance(node, ast.Call) and any(map(_is_modules, (*node.args, getattr(node.func, "value", None)))):
            given = [each for each in node.args if isinstance(each, ast.Dict)]
            pairs = [pair for each in given for pair in zip(each.keys, each.values, strict=True)]
            pairs += [(node.args[0], node.args[1])] if len(node.args) == 2 else []  # `setdefault`
        for key, value in pairs:
            if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value in frameworks():
                yield key.value, value.lineno, value


def _is_modules(place: ast.AST | None) -> bool:
    return place is not None and ast.unparse(place) in ("sys.modules", "modules")


def _framework_named(tree: ast.AST, value: ast.expr, names: Mapping[str, Any]) -> str | None:
    """Returns the framework that an expression leads to; None if it leads to something else, such as a stub."""
    if isinstance(value, ast.Call | ast.Subscript):  # `import_module("inplacelab")`, `sys.modules["inplacelab"]`
        named = value.args[0] if isinstance(value, ast.Call) and value.args else getattr(value, "slice", None)
        is_import = isinstance(value, ast.Subscript) or ast.unparse(value.func).endswith(
            ("import_module", "__import__")
        )
        path = str(getattr(named, "value", "")) if is_import else ""
    else:
        name, dot, rest = ast.unparse(value).partition(".")
        bound = [_framework_named(tree, each, names) for each in _assigned(tree, name)]
        path = next((each for each in (*bound, _import_of(tree, name), _framework_of(names.get(name))) if each), "")
        path += dot + rest
    found = _top(path)
    return found if found in frameworks() else None


def _assigned(tree: ast.AST, name: str) -> list[ast.expr]:
    """Returns what a program assigns to a name: calls and items, which need no names of their own."""
    assigns = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call | ast.Subscript)
    ]
    return [node.value for node in assigns if any(ast.unparse(each) == name for each in node.targets)]


def _import_of(tree: ast.AST, name: str) -> str:
    """Returns the full name of the module that a program imports under a name; "" if there is none."""
    for node in ast.walk(tree):
        for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            whole = f"{node.module}.{alias.name}" if isinstance(node, ast.ImportFrom) else alias.name
            if name == alias.asname:
                return whole
            if alias.asname is None and name == alias.name.partition(".")[0]:
                return whole if isinstance(node, ast.ImportFrom) else name
    return ""


def _framework_of(value: Any) -> str:
    """Returns the framework that an object belongs to, or its package."""
    return _top(module_name_of(value))


def _referred(tree: ast.AST, names: Mapping[str, Any]) -> Iterator[str]:
    """Yields the packages that a program refers to, also through functions defined elsewhere, such as in an earlier cell."""
    waiting = [names.get(name) for name in dict.fromkeys(_from_before(getattr(tree, "body", ()), set()))]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        yield _framework_of(value)
        if type(value) is FunctionType and id(value) not in seen and package_of(value) not in frameworks():
            seen.add(id(value))
            waiting += [names_in(value.__globals__).get(name) for name in value.__code__.co_names]


def _from_before(body: Iterable[ast.AST], bound: set[str]) -> Iterator[str]:
    """Yields the names whose values from before the program it may read: of a name that it binds first, the old value does not matter.

    Args:
        body: statements that run one after the other.
        bound: the names that are bound before them, to which those that they bind are added.
    """
    for statement in body:
        inner = [each for field in _NESTED for each in getattr(statement, field, ())]
        header = [each for each in ast.iter_child_nodes(statement) if each not in inner]
        read, stored = _read_and_stored(header if inner else [statement])
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            read, own = _read_and_stored([statement])
            yield from (name for name in read if name not in bound | own)
            bound.add(statement.name)
            continue
        yield from (name for name in read if name not in bound)
        bound |= stored
        branch = {*bound}
        for each in inner:
            yield from _from_before(getattr(each, "body", ()) if isinstance(each, _BRANCHES) else [each], branch)
        if isinstance(statement, _ALWAYS_RUN):
            bound |= branch


_NESTED = ("body", "orelse", "finalbody", "handlers", "cases")
_BRANCHES = (ast.ExceptHandler, ast.match_case)
_ALWAYS_RUN = (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)
"""Statements whose bodies are taken to run: what these bind is bound afterwards."""


def _read_and_stored(nodes: Iterable[ast.AST]) -> tuple[list[str], set[str]]:
    """Returns the names that are read, but for those of comprehensions and parameters, and those that are bound."""
    read, stored, own = [], set[str](), set[str]()
    for node in (each for root in nodes for each in ast.walk(root)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                stored.add(name)
            case ast.Name(id=name):
                read.append(name)
            case ast.AugAssign(target=ast.Name(id=name)):
                read.append(name)
            case ast.alias(name=name, asname=given):
                stored.add(given or name.partition(".")[0])
            case ast.comprehension(target=target):
                own |= {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}
            case ast.arg(arg=name):
                own.add(name)
    return [name for name in read if name not in own], stored | own


def _top(module: Any) -> str:
    """Returns the framework that a module belongs to, or its package."""
    name = str(module)
    inside = (each for each in frameworks() if "." in each and f"{name}.".startswith(f"{each}."))
    return next(inside, name.partition(".")[0])
