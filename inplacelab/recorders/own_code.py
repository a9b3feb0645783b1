"""Decides which code is the program's own: explanations and recordings name its lines, and fixes edit its files.

All other code is a library's: Python's, that of an installed package, of a framework wherever it lives, or of this package.
"""

from __future__ import annotations

import csv
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from types import ModuleType
from typing import Any

from inplacelab.supported import frameworks

__all__ = ["OWNS", "is_own", "program_is"]

_CELLS = ("<ipython-input", "<python-input", "<stdin>", "<pyshell#", "<doctest ")
"""The beginnings of names of code that is the program's, though it is in no file."""
_INSTALLED = frozenset({"site-packages", "dist-packages"})
"""The names of folders that hold installed packages, of whichever environment."""
OWNS: dict[str, bool] = {}
"""What is known of file names: it is looked up at every operation."""


def is_own(filename: str) -> bool:
    """Whether a file or a folder belongs to the program."""
    known = OWNS.get(filename)
    if known is None:
        known = OWNS[filename] = _is_own(filename)
    return known


def program_is(path: str | os.PathLike[str]) -> None:
    """Declares that a file is the program's, since its user has named it: also where it is installed, with the package that it is part of."""
    global _folder
    given = os.path.abspath(path)
    _folder = os.path.dirname(given)
    _named.update(top for each in _spellings(given) if not _is_framework(each) and (top := _top(each)) is not None)
    OWNS.clear()


_named = set[str]()
"""Installed packages, modules and commands that the user has named."""
_folder: str | None = None
"""The folder of the program, where Python looks for modules, too."""


def _is_own(filename: str) -> bool:
    if filename.startswith("<"):
        return filename.startswith(_CELLS)
    try:
        spellings = _spellings(os.path.abspath(filename))
    except (OSError, ValueError):  # the current folder is gone, or no file can have this name
        return True
    if any(map(_is_framework, spellings)):
        return False
    for each in spellings:
        top = _top(each)
        if top in _named:
            return True
        if _is_python(each) if top is None else not _leads_on(top, each):
            return False
    return True


def _leads_on(top: str, path: str) -> bool:
    """Whether an installed package is a link to the folder where it is written, which decides whose it is."""
    return path != top and os.path.islink(top) and os.path.isdir(top)


def _spellings(path: str) -> tuple[str, ...]:
    """Returns an absolute path as it is given, and without symbolic links."""
    return tuple(dict.fromkeys(map(os.path.normcase, (path, os.path.realpath(path)))))


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _below(folder: str, path: str) -> str:
    """Returns the file or folder in a folder that is a path, or that leads to it."""
    rest = path[len(folder) :].lstrip(os.sep)
    return os.path.join(folder, rest.partition(os.sep)[0]) if rest else folder


# --- Python -----------------------------------------------------------------------------------------------------------


def _python_folders(*names: str) -> tuple[str, ...]:
    found = [each for each in map(sysconfig.get_path, names) if each]
    return tuple(spelling for each in found for spelling in _spellings(os.path.abspath(each)))


_ZIPPED = "python{}{}.zip".format(*sys.version_info)
_STANDARD = (
    *_python_folders("stdlib", "platstdlib"),
    *_spellings(os.path.dirname(os.path.abspath(os.__file__))),
    *(os.path.normcase(each) for each in sys.path if os.path.basename(each) == _ZIPPED),
)
"""Python's own modules. `platstdlib` is inside a virtual environment, and `stdlib` is not."""
_SCHEME = _python_folders("purelib", "platlib", "scripts")
"""Where this Python installs packages and commands; some systems give these folders other names."""


def _is_python(path: str) -> bool:
    return any(_within(path, each) for each in _STANDARD)


# --- installed packages -----------------------------------------------------------------------------------------------


def _top(path: str) -> str | None:
    """Returns the installed package, or the installed module or command, that a path is part of; None if it is not installed."""
    parts = path.split(os.sep)
    at = max((k for k, part in enumerate(parts) if part in _INSTALLED), default=None)
    if at is not None:
        return _below(os.sep.join(parts[: at + 1]), path)
    for folder in _SCHEME:
        if _within(path, folder):
            return _below(folder, path)
    for folder in _searched():
        if _within(path, folder) and os.path.basename(top := _below(folder, path)) in _distributed(folder):
            return top
    return None


def _searched() -> Iterator[str]:
    """Yields the folders where Python looks for modules."""
    for entry in (*sys.path, _folder):
        if isinstance(entry, str):
            with suppress(OSError):  # the current folder is gone
                yield from _known_spellings(os.path.abspath(entry))


_known_spellings = lru_cache(maxsize=256)(_spellings)


def _distributed(folder: str) -> frozenset[str]:
    """Returns what distributions have put into a folder, such as `pip install --target` does; a program may stand beside it."""
    try:
        return _records(folder, os.stat(folder).st_mtime_ns)
    except OSError:
        return frozenset()


@lru_cache(maxsize=256)
def _records(folder: str, _changed: int) -> frozenset[str]:
    with os.scandir(folder) as entries:
        distributions = [each.path for each in entries if each.name.endswith(".dist-info")]
    return frozenset(os.path.normcase(name) for each in distributions for name in _recorded(each))


def _recorded(distribution: str) -> Iterator[str]:
    """Yields the names of the files and folders that a distribution has put beside its own folder."""
    yield os.path.basename(distribution)
    with (
        suppress(OSError, csv.Error),
        open(os.path.join(distribution, "RECORD"), encoding="utf-8", errors="replace", newline="") as file,
    ):
        yield from (row[0].partition("/")[0] for row in csv.reader(file) if row)


# --- frameworks, and this package -------------------------------------------------------------------------------------


def _is_framework(path: str) -> bool:
    names = (name for known in frameworks().values() for name in (*known.imports, known.recorder.rpartition(".")[0]))
    searched = tuple(_searched())
    return any(_within(path, folder) for name in names for folder in _package(name, searched))


def _package(name: str, searched: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the folder of a package, imported or not, which may be in one of the folders where Python looks for modules."""
    module: Any = sys.modules.get(name)
    names = vars(module) if isinstance(module, ModuleType) else {}
    file = names.get("__file__") if "__path__" in names else None
    if isinstance(file, str):
        return _known_spellings(os.path.dirname(os.path.abspath(file)))
    return _found(name, searched)


@lru_cache(maxsize=64)
def _found(name: str, folders: tuple[str, ...]) -> tuple[str, ...]:
    # Not a folder of that name without `__init__.py`: the user may keep her programs for a framework there.
    found = (
        each
        for each in (os.path.join(one, name) for one in folders)
        if os.path.isfile(os.path.join(each, "__init__.py"))
    )
    return next(map(_known_spellings, found), ())
