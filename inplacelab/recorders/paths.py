"""What names lead to: tensors themselves, and those inside the containers and objects that names lead to.

A name leads on through

- a list, a tuple, a dictionary: to their first elements (`xs[0]`, `known['x']`; of a dictionary, those with a text or a whole number
  for a key);
- an object of the program's own classes: to its attributes (`self.w`), which are the entries of its `__dict__`;
- a layer: to its attributes and to those of the layers inside (`net.0.weight`);
- an optimizer: to what it remembers of its parameters, counted in their order (`opt.velocity[0]`);

and no further: not through a list in a list, or an object in an object. This is gone through at every look, so there are limits: a
look takes the same time whether a dictionary has 20 entries or 10,000, and no object is gone through twice. And it must change nothing:
nothing that the program defines is called, neither properties nor `__getattr__`, `__getitem__` or `__class__`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, NamedTuple

from inplacelab.nn import Layer
from inplacelab.optimizer.base import Optimizer, remembered
from inplacelab.recorders.source import Scope
from inplacelab.tensor import Tensor

FIRST = 16
"""So many elements of a list, a tuple or a dictionary are looked at."""
ATTRIBUTES = 1024
"""So many attributes of an object are looked at, and of a layer together with those inside it."""

PLAIN = frozenset({int, float, str, bool, type(None), ModuleType, FunctionType})
"""What most other names lead to: nothing that a name could lead on from."""


_LEADS_NOWHERE = PLAIN | {list, tuple, dict}
"""What attributes may lead to without leading on: names lead through no list in an object."""


class Led(NamedTuple):
    """That a name, or a path from one, leads to an object."""

    function: str
    name: str
    label: str
    thing: Any


class Bound(NamedTuple):
    """An object, and the names that lead to it."""

    thing: Any
    names: tuple[str, ...]


def things(scopes: Iterable[Scope], wanted: frozenset[str], kind: type, own: str) -> list[Led]:
    """All objects of `kind` that names lead to. Of the globals only the names in `wanted` count; `own` is the module that the
    program's own classes are in.
    """
    found = []
    for function, name, value in _values(scopes, wanted):
        if issubclass(type(value), kind):  # (`isinstance` would ask the object for its `__class__`)
            found.append(Led(function, name, name, value))
        elif holds_others(value, own):
            for path, written, inside in _inside(name, value):
                some = [(key, each) for key, each in inside if issubclass(type(each), kind)]
                found += [Led(function, name, path + written.format(key), each) for key, each in some]
    return found


def outline(scopes: Iterable[Scope], wanted: frozenset[str], own: str) -> list[object]:
    """All that `things` goes by: names, and addresses of objects and of their classes (what comes after an object that has died may lie
    where that lay). While it is the same and nothing that was found has died, the same would be found; and to see that takes a
    fraction of the time, since no path has to be written for it.

    A block is looked at again at nearly every operation, so this goes through the same things as `_inside` in fewer steps.
    """
    found: list[object] = []
    for function, name, value in _values(scopes, wanted):
        kind = type(value)
        found += (function, name, id(value), id(kind))
        if kind is list or kind is tuple:
            found.append([(id(each), id(type(each))) for each in value[:FIRST]])
        elif kind is dict:
            some = islice(list(value.items()), FIRST)
            found.append([(key, id(each), id(type(each))) for key, each in some if type(key) in (str, int)])
        elif not issubclass(kind, Tensor) and holds_others(value, own):
            if issubclass(kind, Optimizer):
                states = remembered(_attributes_at(_PLACE_IN_OPTIMIZERS, value) or {})[:ATTRIBUTES]
                found.append([(place, what, id(tensor)) for place, state in states for what, tensor in state.items()])
            _outline_objects(value, found)
    return found


def _outline_objects(value: object, found: list[object]) -> None:
    """What `_of_objects` goes by."""
    waiting, met, left = [value], set(), ATTRIBUTES
    while waiting and left > 0:
        thing = waiting.pop()
        if id(thing) in met:
            continue
        met.add(id(thing))
        place = _PLACE_IN_LAYERS if issubclass(type(thing), Layer) else _place(type(thing))
        some = list((_attributes_at(place, thing) or {}).items())[:left]
        left -= len(some)
        found.append([
            (key, id(each), id(kind)) for key, each in some if (kind := type(each)) not in _LEADS_NOWHERE and type(key) is str
        ])  # fmt: skip
        if place is _PLACE_IN_LAYERS:
            waiting += [each for key, each in reversed(some) if issubclass(type(each), Layer) and type(key) is str]


def _values(scopes: Iterable[Scope], wanted: frozenset[str]) -> Iterator[tuple[str, str, Any]]:
    """The names that count, with their function and what they lead to, unless that is plain."""
    for names, function in scopes:
        for name, value in list(names.items()):
            if (function or name in wanted) and type(value) not in PLAIN:
                yield function, name, value


def bindings(led: Iterable[Led]) -> dict[int, Bound]:
    """The objects (by `id`) that names lead to. A local name that an outer scope uses for something else is written with its
    function's name before it, once more for each call in which the function calls itself.

    A path to something that has a name already says nothing new, until there are two from one name: a list that holds one
    tensor several times.
    """
    found: dict[int, tuple[Any, dict[str, None]]] = {}  # (the names in their order)
    taken: dict[str, int] = {}
    through: dict[tuple[int, str, str], list[str]] = {}
    for function, name, label, thing in led:
        _, names = found.setdefault(id(thing), (thing, {}))
        paths = through.setdefault((id(thing), function, name), [])
        paths.append(label)
        if label != name and names and len(paths) == 1:
            continue
        for each in paths if len(paths) == 2 else (label,):  # with the second, the first has something to say, too
            shown = each
            while function and taken.get(shown, id(thing)) != id(thing):
                shown = f"{function}.{shown}"
            taken[shown] = id(thing)
            names[shown] = None
    return {address: Bound(thing, tuple(names)) for address, (thing, names) in found.items()}


def holds_others(value: object, own: str) -> bool:
    """Whether names may lead through this object to others, so that they can change without being bound anew."""
    kind = type(value)
    if kind is list or kind is tuple or kind is dict or issubclass(kind, _OURS):
        return True
    return _members(kind).get("__module__") == own and _attributes(value) is not None


_OURS = (Layer, Optimizer)
"""Classes of this package whose objects hold tensors for a program."""

_Inside = tuple[str, str, list[tuple[Any, Any]]]
"""The path to an object, how what it holds is written after it, and what it holds, by keys."""


def _inside(name: str, value: Any) -> Iterator[_Inside]:
    """What an object holds; of a layer also what the layers inside hold."""
    kind = type(value)
    if kind is dict:
        some = list(islice(value.items(), FIRST))
        yield name, "[{!r}]", [(key, each) for key, each in some if type(key) in (str, int)]
    elif kind is list or kind is tuple:
        yield name, "[{}]", list(enumerate(value[:FIRST]))
    else:
        if issubclass(kind, Optimizer):
            yield from _of_optimizers(name, value)
        yield from _of_objects(name, value)


def _of_optimizers(name: str, value: Optimizer) -> Iterator[_Inside]:
    """What an optimizer remembers, by what it is, of each parameter."""
    by_kind: dict[str, list[tuple[Any, Any]]] = {}
    for place, state in remembered(_attributes(value) or {})[:ATTRIBUTES]:
        for what, tensor in state.items():
            by_kind.setdefault(what, []).append((place, tensor))
    for what, found in by_kind.items():
        yield f"{name}.{what}", "[{}]", found


def _of_objects(name: str, value: Any) -> Iterator[_Inside]:
    """The attributes of an object that may be of interest; of a layer, then those of the layers inside, each layer once."""
    waiting, met, left = [(name, value)], set(), ATTRIBUTES
    places: dict[type, Any] = {}  # where each class keeps the attributes of its objects
    while waiting and left > 0:
        path, thing = waiting.pop()
        if id(thing) in met:
            continue
        met.add(id(thing))
        kind = type(thing)
        if kind not in places:
            places[kind] = _place(kind)
        attributes = _attributes_at(places[kind], thing) or {}
        some = list(attributes.items()) if len(attributes) <= left else list(islice(attributes.items(), left))
        left -= len(some)
        inside = [pair for pair in some if type(pair[1]) not in PLAIN and type(pair[0]) is str]
        yield path, ".{}", inside
        if issubclass(kind, Layer):
            waiting += [(f"{path}.{key}", each) for key, each in reversed(inside) if issubclass(type(each), Layer)]


_members: Any = type.__dict__["__dict__"].__get__
"""What stands in a class itself. (To ask the class would be to ask its metaclass, which may be the program's own.)"""
_line_of_classes: Any = type.__dict__["__mro__"].__get__


def _attributes(value: object) -> Mapping[Any, Any] | None:
    """The `__dict__` of an object, which is not asked for it, since its class may answer what it likes; None if it has none."""
    return _attributes_at(_place(type(value)), value)


def _place(kind: type) -> Any:
    """Where a class keeps the attributes of its objects; None if they have none."""
    for each in _line_of_classes(kind):
        place = _members(each).get("__dict__")
        if type(place) is GetSetDescriptorType:
            return place
    return None


def _attributes_at(place: Any, value: object) -> Mapping[Any, Any] | None:
    found = None if place is None else place.__get__(value)
    return found if type(found) is dict else None


_PLACE_IN_LAYERS, _PLACE_IN_OPTIMIZERS = map(_place, _OURS)
"""Layers and optimizers of the program's own classes keep them there, too."""
