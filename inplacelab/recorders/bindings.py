"""Finds out which of the program's names refer to which tensors, or lead to them through containers and objects.

A name leads on through

- a list, a tuple, a dictionary: to their first elements (`xs[0]`, `known['x']`; of a dictionary, those with a text or a whole number
  for a key);
- an object of the program's own classes: to its attributes (`self.w`), which are the entries of its `__dict__`;
- an object of one of the framework's classes that hold tensors for a program, such as layers: to its attributes and to those of such
  objects inside (`net.0.weight`);

and no further: not through a list in a list, or an object in an object. Names are looked at again and again, so there are limits: a
look takes the same time whether a dictionary has 20 entries or 10,000, and no object is gone through twice. And a look must change
nothing: nothing that the program defines is called, neither properties nor `__getattr__`, `__getitem__` or `__class__`.
"""

from __future__ import annotations

import ast
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import BuiltinFunctionType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, NamedTuple

from inplacelab.recorders.program import Scope

FIRST = 16
"""So many elements of a list, a tuple or a dictionary are looked at."""
ATTRIBUTES = 1024
"""So many attributes of an object are looked at, and of a layer together with those inside it."""

_PLAIN = frozenset({int, float, str, bool, type(None), ModuleType, FunctionType})
"""What most other names refer to: nothing through which they could lead on."""


@dataclass(frozen=True)
class Watched:
    """What names are followed to, and through which objects of the framework.

    Attributes:
        tensors: the class of the tensors.
        holders: classes whose objects hold tensors for a program, such as layers: their attributes are looked at.
        nested: those of them that may hold each other.
        further: tensors that an object of a holder's class holds elsewhere than in its attributes, as pairs of what is written after the
            object's name, and the tensor.
    """

    tensors: type
    holders: tuple[type, ...] = ()
    nested: tuple[type, ...] = ()
    further: Callable[[Any], Iterable[tuple[str, Any]]] = lambda _: ()


class Path(NamedTuple):
    """A name, or a path from one, that leads to a tensor."""

    function: str
    name: str
    label: str
    tensor: Any


class Bindings:
    """Looks at the names of a program, again and again.

    Args:
        names: the names to look at among the program's globals.
        watched: what to look for.

    Attributes:
        own_module: the module of the program's own classes: what a class statement there puts into `__module__`.
    """

    def __init__(self, names: Iterable[str], watched: Watched) -> None:
        self._wanted, self._watched, self.own_module = frozenset(names), watched, "__main__"
        self._found: dict[int, tuple[weakref.ref[Any], tuple[str, ...]]] = {}
        self._seen: object = None  # what the last look saw, if nothing that it found has died since
        self._leads_on = (
            True  # a name leads to a container or an object: what is inside may change although no name does
        )

    def look(self, scopes: Sequence[Scope], *, done: bool) -> list[tuple[Any, tuple[str, ...]]] | None:
        """Look at the names in these scopes, the outermost first.

        Args:
            scopes: the names of the frames that run the program.
            done: whether a statement is over. In the middle of one, a tensor may be on its way out of a function whose names are gone.

        Returns:
            Each tensor that has names, with its names; None if nothing has changed since the last look.
        """
        seen: list[object] = []
        for names, function in scopes:
            values = names.values() if function else map(names.get, self._wanted)
            seen += [None if type(value) in _PLAIN else id(value) for value in values]
            seen.append(function)
        if not self._leads_on and seen == self._seen:
            return None
        self._leads_on = False
        paths = list(self._paths(scopes))
        seen += [(path.function, path.label, id(path.tensor)) for path in paths if path.label != path.name]
        if seen == self._seen:
            return None
        self._seen = seen if done else None
        named = _named(paths)
        self._found = {id(tensor): (weakref.ref(tensor, self._one_died), names) for tensor, names in named}
        return named

    def names_of(self, tensor: Any) -> tuple[str, ...]:
        """The names of a tensor at the last look."""
        reference, names = self._found.get(id(tensor), (None, ()))
        return names if reference is not None and reference() is tensor else ()

    def forget(self) -> None:
        """Let go of everything."""
        self._found, self._seen, self._leads_on = {}, None, True

    def _one_died(self, _: object) -> None:
        self._seen = None  # another object may lie at its address

    # ---- paths -----------------------------------------------------------------------------------------------------------

    def _paths(self, scopes: Iterable[Scope]) -> Iterator[Path]:
        """All paths to tensors. Notes whether some name leads on."""
        kind = self._watched.tensors
        for scope in scopes:
            function, known = scope.function, scope.names
            for name in list(known) if function else [name for name in known if name in self._wanted]:
                value = known[name]
                if type(value) in _PLAIN:
                    continue
                if issubclass(type(value), kind):  # (`isinstance` would ask the object for its `__class__`)
                    yield Path(function, name, name, value)
                elif self._holds_others(value):
                    self._leads_on = True
                    for label, inside in self._inside(name, value):
                        if issubclass(type(inside), kind):
                            yield Path(function, name, label, inside)

    def _holds_others(self, value: object) -> bool:
        kind = type(value)
        if kind is list or kind is tuple or kind is dict or issubclass(kind, self._watched.holders):
            return True
        return bool(_members(kind).get("__module__") == self.own_module) and _place_of_attributes(kind) is not None

    def _inside(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        """What an object holds, with the path to it."""
        kind = type(value)
        if kind is dict:
            some = islice(list(value.items()), FIRST)
            yield from ((f"{name}[{key!r}]", each) for key, each in some if type(key) in (str, int))
        elif kind is list or kind is tuple:
            yield from ((f"{name}[{k}]", each) for k, each in enumerate(value[:FIRST]))
        else:
            if issubclass(kind, self._watched.holders):
                yield from ((name + label, each) for label, each in self._watched.further(value))
            yield from self._attributes(name, value)

    def _attributes(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        """The attributes of an object; if such objects hold each other, then also those of the objects inside, each once."""
        waiting, met, left = [(name, value)], set(), ATTRIBUTES
        while waiting and left > 0:
            path, thing = waiting.pop()
            if id(thing) in met:
                continue
            met.add(id(thing))
            some = list(islice(attributes_of(thing).items(), left))
            left -= len(some)
            inside = [pair for pair in some if type(pair[1]) not in _PLAIN and type(pair[0]) is str]
            yield from ((f"{path}.{key}", each) for key, each in inside)
            if issubclass(type(thing), self._watched.nested):
                held = [pair for pair in inside if issubclass(type(pair[1]), self._watched.nested)]
                waiting += [(f"{path}.{key}", each) for key, each in reversed(held)]


def _named(paths: Iterable[Path]) -> list[tuple[Any, tuple[str, ...]]]:
    """The tensors to which paths lead, with their names.

    A local name that an outer scope uses for something else is written with its function's name before it, once more for each call in
    which the function calls itself. A path to something that has a name already says nothing new, until there are two from one name: a
    list that holds one tensor several times.
    """
    found: dict[int, tuple[Any, dict[str, None]]] = {}  # the names in their order
    taken: dict[str, int] = {}
    through: dict[tuple[int, str, str], list[str]] = {}
    for function, name, label, tensor in paths:
        _, names = found.setdefault(id(tensor), (tensor, {}))
        labels = through.setdefault((id(tensor), function, name), [])
        labels.append(label)
        if label != name and names and len(labels) == 1:
            continue
        for each in labels if len(labels) == 2 else (label,):  # with the second, the first has something to say, too
            shown = each
            while function and taken.get(shown, id(tensor)) != id(tensor):
                shown = f"{function}.{shown}"
            taken[shown] = id(tensor)
            names[shown] = None
    return [(tensor, tuple(names)) for tensor, names in found.values()]


def value_of(place: ast.AST, names: Mapping[str, Any]) -> Any:
    """What a name, an attribute (`self.w`) or an item (`xs[0]`) refers to; None if that cannot be found without running code."""
    match place:
        case ast.Name(id=name):
            return names.get(name)
        case ast.Attribute(value=inner, attr=name):
            return attributes_of(value_of(inner, names)).get(name)
        case ast.Subscript(value=inner, slice=ast.Constant(value=key)):
            holder: Any = value_of(inner, names)
            if type(holder) is dict and type(key) in (str, int):
                return holder.get(key)
            if (type(holder) is list or type(holder) is tuple) and type(key) is int:
                return holder[key] if key < len(holder) else None
    return None


def package_of(value: Any) -> str:
    """The package of a module, of a class or a function, and of any other object the package of its class: "numpy"."""
    kind = type(value)
    if issubclass(kind, ModuleType):
        module = value.__name__
    elif issubclass(kind, FunctionType | BuiltinFunctionType):
        module = value.__module__
    else:
        module = _module(value if issubclass(kind, type) else kind)
    return str(module).partition(".")[0]


_members: Any = type.__dict__["__dict__"].__get__
"""What stands in a class itself. (To ask the class would be to ask its metaclass, which may be the program's own.)"""
_module: Any = type.__dict__["__module__"].__get__
_bases: Any = type.__dict__["__mro__"].__get__


def attributes_of(value: object) -> Mapping[Any, Any]:
    """The `__dict__` of an object, which is not asked for it, since its class may answer what it likes; empty if it has none."""
    place = _place_of_attributes(type(value))
    found = None if place is None else place.__get__(value)
    return found if type(found) is dict else {}


def _place_of_attributes(kind: type) -> Any:
    """Where a class keeps the attributes of its objects; None if they have none."""
    for each in _bases(kind):
        place = _members(each).get("__dict__")
        if type(place) is GetSetDescriptorType:
            return place
    return None
