"""What is not here: refused with the nearest names that are."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib.abc import MetaPathFinder
from typing import Any

from inplacelab.errors.computed import MissingName
from inplacelab.language import Text


def missing(holder: str, name: str, known: Iterable[str] | type) -> AttributeError:
    """Returns what to raise for a name of PyTorch's that is not here.

    Args:
        holder: the module or class that was asked.
        name: the name.
        known: the names that it has, or the class that has them.
    """
    return AttributeError(MissingName(holder, name, known, _NOT_ALL, _ELSEWHERE), name=name)


class _Modules(MetaPathFinder):
    """Refuses to import a module of PyTorch's that is not here, with the words of `missing`. It is asked last, so the module is not there."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        parent, _, name = fullname.rpartition(".")
        if not parent.startswith(str(__package__)):
            return
        holder = parent.removeprefix("inplacelab.")
        said = missing(holder, name, dir(sys.modules[parent]))
        raise ModuleNotFoundError(f"No module named '{holder}.{name}'\n" + str(said).partition("\n")[2], name=fullname)


if not any(isinstance(each, _Modules) for each in sys.meta_path):
    sys.meta_path.append(_Modules())

_NOT_ALL = Text(
    "inplacelab.torch has only the part of PyTorch that programs with in-place operations need; `python -m inplacelab.torch` lists it.",
    "inplacelab.torch 只有原地操作程序所需的那部分 PyTorch：`python -m inplacelab.torch` 可列出。",
)
_ELSEWHERE = Text(
    "write this with the functions that exist here, or run the program with PyTorch itself, which is recorded as it is.",
    "用这里已有的函数来写；或用 PyTorch 本身运行：程序会照原样被记录。",
)
