"""Finds what the reader calls a saved tensor: the names that it has where backward was called, or those that it had where it was saved."""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import FrameType, FunctionType, ModuleType
from typing import Any

import torch

from inplacelab.diagnosis.places import own_frames
from inplacelab.frameworks.torch.readings import WATCHED, layout_of, storage_of
from inplacelab.layout import Layout
from inplacelab.recorders.bindings import Bindings
from inplacelab.recorders.own_code import is_own
from inplacelab.recorders.program import scopes_of
from inplacelab.recorders.static import attributes_of, first_items, module_name_of
from inplacelab.recording.facts import Sites

OBJECTS = 20_000
"""So many objects are looked at for one that holds a tensor."""
DEEPEST = 8
"""A name leads through so many objects at most."""
FIRST = 64
"""So many elements of a list or a dictionary are looked at."""

_Tensor: Any = torch.Tensor
_base_of: Callable[[Any], Any] = _Tensor._base.__get__
_OUTPUTS = frozenset({"In", "Out"})
"""Names of IPython, in which the values of cells are kept."""
_HELD = ("_parameters", "_buffers", "_modules")
"""Where a module keeps what its attributes give."""


@dataclass(frozen=True)
class Named:
    """What the program calls a tensor, and others on its storage.

    Attributes:
        names: its names; or those of one of which it is a view.
        is_view: whether they are those.
        base: the name of the tensor of which the others are views; "" if it has none.
        views: the layouts of the others, with their names.
    """

    names: tuple[str, ...] = ()
    is_view: bool = False
    base: str = ""
    views: Sequence[tuple[Layout, tuple[str, ...]]] = ()

    def of_view(self, layout: Layout, made: Sites, written: Sites) -> tuple[str, ...]:
        """Returns the names of a view, if it had them when it was written: the line that made it binds them, and the one that wrote it has them."""
        names = (name for each, of_each in self.views if each == layout for name in of_each)
        words = ((name, re.escape(name.rpartition(".")[2])) for name in names if made and written)
        return tuple(
            name for name, word in words
            if re.match(rf"\s*{word}\s*=[^=]", made[0].text) and re.search(rf"(?<![\w.]){word}\b", written[0].expression)
        )  # fmt: skip


def names_of(data: Any, frame: Any) -> Named:
    """Returns the program's names for a tensor, and for others on its storage, where backward was called."""
    frames = list(own_frames(frame))
    address = address_of(data)
    if address is None:
        return Named()
    wanted = frozenset(name for each in frames for name in _wanted(each))
    bindings = Bindings(wanted, WATCHED)
    if frames:
        bindings.own_module = str(frames[-1].f_globals.get("__name__", "__main__"))
    named = bindings.look(scopes_of(frames), done=True) or ()
    sharing = [(tensor, names) for tensor, names in named if address_of(tensor) == address]
    if not sharing:
        sharing = [(tensor, (name,)) for tensor, name in _held(frames, address)]
    layout = layout_of(data)
    same = tuple(name for tensor, names in sharing if layout_of(tensor) == layout for name in names)
    whole = tuple(name for tensor, names in sharing if _base_of(tensor) is None for name in names)
    views = [(layout_of(tensor), names) for tensor, names in sharing if _base_of(tensor) is not None]
    return Named(same or whole, not same and bool(whole), whole[0] if whole else "", views)


def _wanted(frame: Any) -> Iterable[str]:
    """Returns the names by which a frame may call tensors; those of a notebook are in the code of other statements and other cells, too."""
    names: tuple[str, ...] = frame.f_code.co_names
    if frame.f_code.co_name != "<module>":
        return names
    return [*names, *(name for name in tuple(frame.f_globals) if name[:1] != "_" and name not in _OUTPUTS)]


def address_of(tensor: Any) -> int | None:
    """Returns the address of a tensor's storage; None if it has none."""
    storage = storage_of(tensor)
    return None if storage is None else storage._cdata


def _held(frames: Sequence[FrameType], address: int) -> list[tuple[Any, str]]:
    """Returns the tensors on a storage that objects of the program hold, each with the shortest way that leads to it."""
    waiting = deque((name, value, 0) for name, value in _known_in(frames))
    found, seen = list[tuple[Any, str]](), set[int]()
    while waiting and len(seen) < OBJECTS:
        path, value, depth = waiting.popleft()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if issubclass(type(value), torch.Tensor):
            if address_of(value) == address:
                found.append((value, path))
        elif depth < DEEPEST:
            waiting += [(path + label, each, depth + 1) for label, each in _inside(value)]
    return found


def _known_in(frames: Sequence[FrameType]) -> Iterator[tuple[str, Any]]:
    """Yields the names of frames and their values: those of the innermost frame first, so that of two ways as long this is found."""
    for scope in reversed(scopes_of(frames)):
        yield from (
            pair
            for pair in first_items(scope.names, OBJECTS)
            if type(pair[0]) is str and pair[0][:2] != "__" and pair[0] not in _OUTPUTS
        )
    for frame in frames:  # functions of other modules have globals of their own
        known = frame.f_globals
        yield from ((name, known[name]) for name in frame.f_code.co_names if name in known)


def _inside(value: Any) -> Iterator[tuple[str, Any]]:
    """Yields what an object holds, with how one gets there from it."""
    kind = type(value)
    if kind is dict:
        yield from ((f"[{key!r}]", each) for key, each in first_items(value, FIRST) if type(key) in (str, int))
    elif kind is list or kind is tuple:
        yield from ((f"[{k}]", each) for k, each in enumerate(value[:FIRST]))
    elif issubclass(kind, torch.nn.Module) or _is_of_program(value):
        held = attributes_of(value)
        for key, each in first_items(held, OBJECTS):
            if key in _HELD and type(each) is dict:
                yield from ((f".{name}", inner) for name, inner in first_items(each, OBJECTS))
            elif type(key) is str and key[:1] != "_":
                yield f".{key}", each


def _is_of_program(value: Any) -> bool:
    """Whether an object is of one of the program's classes."""
    if issubclass(type(value), type | ModuleType | FunctionType):
        return False
    module = module_name_of(value)
    if module == "__main__":
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return isinstance(file, str) and is_own(file)
