"""The main program of this process: a script, or a module as `python -m` runs it."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.machinery import SOURCE_SUFFIXES, ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from inplacelab.language import Text
from inplacelab.recorders.own_code import program_is
from inplacelab.recorders.static import class_name, message_of

__all__ = ["Main", "NoModuleError", "folder_of", "main_module"]

_NO_MODULE = Text(
    "No module named {0}: it is neither in this folder nor installed; run this in the folder that holds {1!r}, or install that",
    "没有名为 {0} 的模块：当前文件夹中没有，也没有安装；请在 {1!r} 所在的文件夹中运行，或先安装它",
)
_NOT_THERE = Text(
    "No module named {0}: the package {1!r} has no module of that name; it is in {2}",
    "没有名为 {0} 的模块：包 {1!r} 中没有这个模块；它位于 {2}",
)
_NO_PACKAGE = Text(
    "No module named {0}: {1!r} is a module, not a package, and has no modules in it; to run it: -m {1}",
    "没有名为 {0} 的模块：{1!r} 是模块，不是包，其中没有别的模块；要运行它：-m {1}",
)
_FILE = Text(
    "No module named {0}: that is a file; run it without -m, or write the name of the module with dots and without .py",
    "没有名为 {0} 的模块：它是文件；请去掉 -m 直接运行，或写模块名：用点分隔，不加 .py",
)
_NO_MAIN = Text(
    "No module named {0}.__main__; {0!r} is a package and cannot be directly executed: name one of its modules, or give it a __main__.py",
    "没有名为 {0}.__main__ 的模块；{0!r} 是包，不能直接运行：请指定其中的某个模块，或为它编写 __main__.py",
)
_RELATIVE = Text(
    "Relative module names not supported: {0}; give the full name, from the outermost package on",
    "不支持相对模块名：{0}；请从最外层的包开始写出全名",
)
_PARENT = Text(
    'Error while finding module specification for {0!r}: its package {1!r} cannot be imported ({2}); correct that first: `python -c "import {1}"` '
    "shows the whole error",
    '查找模块 {0!r} 时出错：无法导入它所在的包 {1!r}（{2}）；请先改正，`python -c "import {1}"` 会显示完整的错误',
)
_RAISED = Text("{0}, in line {1} of {2}", "{0}，位于 {2} 第 {1} 行")
_BUILT_IN = Text(
    "No code object available for {0}: it is built into Python; name a module that has a source file",
    "没有 {0} 可运行的代码：它内置于 Python；请指定有源文件的模块",
)
_ARCHIVE = Text(
    "the source of {0} is inside an archive ({1}), where no line of it can be shown or edited: unpack the archive first",
    "{0} 的源码在归档文件（{1}）中，其中的代码行无法显示，也无法修改：请先解包",
)
_NO_SOURCE = Text(
    "No source available for {0}: {1} is compiled; name a module that is a .py file",
    "没有 {0} 的源码：{1} 是编译后的文件；请指定 .py 文件形式的模块",
)
_FOUND_BEFORE = "{0!r} found in sys.modules after import of package {1!r}, but prior to execution of {0!r}; this may result in unpredictable behaviour"


class NoModuleError(Exception):
    """Raised if a module cannot be run. `why` says why not, in Python's words, and what to do."""

    def __init__(self, why: Text) -> None:
        super().__init__(str(why))
        self.why = why


@dataclass(frozen=True)
class Main:
    """A main program.

    Attributes:
        path: its file: of a script as it was named, of a module with its full path.
        spec: of a module, where Python found it; None for a script.
    """

    path: Path
    spec: ModuleSpec | None = None

    @property
    def title(self) -> str:
        """Its name in a title: that of the file, or of the module."""
        return self.path.name if self.spec is None else self.spec.name.removesuffix(".__main__")

    @property
    def module(self) -> str | None:
        """The full name of a module, with `__main__` if it is a package; None for a script."""
        return None if self.spec is None else self.spec.name

    @property
    def folder(self) -> Path:
        """The folder from which its own modules are imported."""
        return folder_of(self.path, self.module)

    @classmethod
    def of_module(cls, name: str, arguments: Sequence[str]) -> Main:
        """Finds a module as `python -m` does. The packages around it are imported for that, with the current folder first on `sys.path`.

        Raises:
            NoModuleError: if there is no such module, or it cannot be run.
        """
        before = sys.argv, sys.path
        sys.argv, sys.path = ["-m", *arguments], _searched(os.getcwd())
        try:
            spec = _found(name)
        finally:
            sys.argv, sys.path = before
        path, package = _source_of(spec), spec.name.rpartition(".")[0]
        if package and spec.name in sys.modules:
            warnings.warn_explicit(_FOUND_BEFORE.format(spec.name, package), RuntimeWarning, path, 1, module="runpy")
        return cls(Path(path), spec)


def folder_of(path: Path, module: str | None) -> Path:
    """Returns the folder of a script, or the one that holds a module's outermost package."""
    around = path.resolve().parents
    return around[min(module.count(".") if module else 0, len(around) - 1)]


def _found(name: str) -> ModuleSpec:
    if os.path.isfile(name):
        raise NoModuleError(_FILE.format(name))
    if not all(name.split(".")):
        raise NoModuleError(_RELATIVE.format(name))
    spec = _spec(name, name)
    if spec.submodule_search_locations is None:
        return spec
    try:
        return _spec(f"{name}.__main__", name)
    except _MissingError:
        raise NoModuleError(_NO_MAIN.format(name)) from None


class _MissingError(NoModuleError):
    """Raised if a module does not exist."""


def _spec(name: str, asked: str) -> ModuleSpec:
    """Returns where a module is. Nothing is imported but the packages around it.

    Raises:
        NoModuleError: if it is nowhere, or one of them cannot be imported.
    """
    package = name.rpartition(".")[0]
    around = _spec(package, asked) if package else None
    if around is not None and around.submodule_search_locations is None:
        raise NoModuleError(_NO_PACKAGE.format(asked, package))
    try:
        spec = find_spec(name) if name != "__main__" else None  # which is running
    except Exception as error:  # noqa: BLE001  # whatever the package raises
        raise NoModuleError(_PARENT.format(asked, package, _told(error))) from None
    if spec is not None:
        return spec
    if around is None:
        raise _MissingError(_NO_MODULE.format(asked, name))
    raise _MissingError(_NOT_THERE.format(asked, package, ", ".join(around.submodule_search_locations or ())))


def _told(error: Exception) -> Text | str:
    """Returns what a package raised, and where, in one line."""
    said = f"{class_name(type(error))}: {message_of(error)}".splitlines()[0]
    last = traceback.extract_tb(error.__traceback__)[-1]
    return said if last.filename.startswith("<") else _RAISED.format(said, last.lineno, last.filename)


def _source_of(spec: ModuleSpec) -> str:
    """Returns the path of a module's source.

    Raises:
        NoModuleError: if it has none.
    """
    origin = spec.origin or ""
    if not spec.has_location:
        raise NoModuleError(_BUILT_IN.format(spec.name))
    if not os.path.isfile(origin):
        raise NoModuleError(_ARCHIVE.format(spec.name, getattr(spec.loader, "archive", origin)))
    if not origin.endswith(tuple(SOURCE_SUFFIXES)):
        raise NoModuleError(_NO_SOURCE.format(spec.name, origin))
    return origin


def _searched(folder: str) -> list[str]:
    """Returns the module search path with a folder before it, unless Python was told not to add one."""
    return sys.path if sys.flags.safe_path else [folder, *sys.path]


@contextmanager
def main_module(main: Main, arguments: Sequence[str]) -> Iterator[ModuleType]:
    """Sets up a new `__main__` for a program, with its `sys.argv`, and its folder first on `sys.path`: for a module, the current one."""
    program_is(main.path)
    module = ModuleType("__main__")
    module.__file__ = os.path.abspath(main.path)  # also where the program goes to another folder
    if main.spec is not None:
        spec = main.spec
        vars(module).update(__spec__=spec, __loader__=spec.loader, __package__=spec.parent, __cached__=spec.cached)
    before = sys.modules["__main__"], sys.argv, sys.path
    sys.modules["__main__"], sys.argv = module, [str(main.path), *arguments]
    sys.path = _searched(str(main.path.resolve().parent) if main.spec is None else os.getcwd())
    try:
        yield module
    finally:
        sys.modules["__main__"], sys.argv, sys.path = before
