"""Scans the names of a program for tensors.

A name leads to tensors through

- a list, a tuple, a dictionary: its first elements (`xs[0]`, `known['x']`; in a dictionary, those with a string or an integer
  as key);
- an object of the program's classes: its attributes (`self.w`), which are the entries of its `__dict__`, and those of such
  objects inside, to a certain depth (`trainer.agent.w`);
- an object of one of the framework's classes that hold tensors, such as layers: its attributes and those of such
  objects inside (`net.0.weight`);

and no further: not through a list in a list, or in an object. The scan runs often, so it is limited: it takes the same
time for a dictionary with 20 or 10,000 entries, and visits no object twice. It must have no effect, so it calls nothing that the
program defines (see `static.py`).

A tensor has all names that lead to it. There is one exception, since every call of a method would bind new names otherwise: in a
function, a path through an object (`self.w`), or through a container that an outer name leads to, is no name of a tensor that has
another one, unless the tensor had this name already. So no name is taken for unbound that is still there.
"""

from __future__ import annotations

import ast
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from inplacelab.recorders.own_code import is_own
from inplacelab.recorders.program import Scope
from inplacelab.recorders.static import attributes_of, first_items, members_of, place_of_attributes

FIRST = 16
"""So many elements of a list, a tuple or a dictionary are looked at."""
ATTRIBUTES = 1024
"""So many attributes of an object are looked at, and of a layer together with those inside it."""
DEEPEST = 3
"""Objects of the program in objects, and layers in those, are looked at to this depth: `trainer.agent.actor`."""
LONGEST_KEY = 64
"""Keys with more characters, or more bits, are not looked at."""

Called = Callable[[Any], str]
"""Returns the first name of a tensor; "" if none is known."""

_PLAIN = frozenset(map(id, (int, float, str, bool, type(None), ModuleType, FunctionType)))
"""The classes that most other names refer to, which lead nowhere: by address, since a metaclass may define `__hash__`."""


def _is_container(kind: type) -> bool:
    return kind is list or kind is tuple or kind is dict


@dataclass(frozen=True)
class Watched:
    """The classes of a framework that the scan looks for.

    Attributes:
        tensors: the class of the tensors.
        holders: classes whose objects hold tensors, such as layers: their attributes are scanned.
        nested: the holders that may contain other holders.
        further: returns the tensors that a holder keeps outside its attributes, as pairs of a suffix for the object's name and the
            tensor; given the holder, and a function that returns the name of a tensor.
        tensor_of: returns the tensor that an object of this class stands for: itself, unless it is another name for one.
    """

    tensors: type
    holders: tuple[type, ...] = ()
    nested: tuple[type, ...] = ()
    further: Callable[[Any, Called], Iterable[tuple[str, Any]]] = lambda *_: ()
    tensor_of: Callable[[Any], Any] = lambda tensor: tensor
    marks: Callable[[Any], list[object]] | None = None
    """Returns what is the same as long as `further` would return the same of a holder, in less time."""


class Path(NamedTuple):
    """A name, or a path that begins with one, of a tensor; `again` if it leads through what another name may lead through."""

    scope: int
    """The position of its scope."""
    function: str
    name: str
    label: str
    tensor: Any
    again: bool = False


class Bindings:
    """Scans the names of a program and reports changes since the last scan.

    Args:
        names: the globals to scan.
        watched: the classes to look for.

    Attributes:
        own_module: the module that was started. Classes of it and of other modules of the program are its own.
    """

    def __init__(self, names: Iterable[str], watched: Watched) -> None:
        self._wanted, self._watched, self.own_module = frozenset(names), watched, "__main__"
        self._bound, self._unbound = list[str](), list(self._wanted)  # those that were globals so far, and the others
        self._found: dict[int, tuple[weakref.ref[Any], tuple[str, ...]]] = {}
        self._modules: dict[str, bool] = {}  # by name, whether they are the program's own
        self._labels: dict[int, str] = {}  # the first path to each tensor in this scan, by address
        self._seen: object = None  # the result of the last scan, if no tensor in it has been freed since
        self._marks: list[object] | None = None  # what it has seen of the objects that names refer to
        self._leads_on = (
            True  # some name refers to a container or an object, whose contents may change although no name does
        )

    def look(self, scopes: Sequence[Scope], *, done: bool) -> list[tuple[Any, tuple[str, ...]]] | None:
        """Scans the names in scopes.

        Args:
            scopes: the names of the frames that run the program, the outermost first.
            done: whether a statement has finished. Inside a statement, a function may be returning a tensor whose names are gone.

        Returns:
            Each tensor that has names, with its names; None if nothing has changed since the last scan.
        """
        seen: list[object] = []
        for names, function, module in scopes:
            if not (function or module) and any(map(names.__contains__, self._unbound)):
                self._bound += [each for each in self._unbound if each in names]
                self._unbound = [each for each in self._unbound if each not in names]
            values = list(names.values()) if function or module else map(names.get, self._bound)
            seen += [None if id(type(value)) in _PLAIN else id(value) for value in values]
            seen.append(function)
        if not self._leads_on and seen == self._seen:
            return None
        marks = self._marks_of(scopes, seen)
        if marks is not None and marks == self._marks and self._seen is not None:
            return None
        self._marks = marks
        self._leads_on = False
        self._labels = {}
        paths = []
        for path in self._paths(scopes):
            paths.append(path)
            self._labels.setdefault(id(path.tensor), path.label)
        seen += [(path.function, path.label, id(path.tensor)) for path in paths if path.label != path.name]
        if seen == self._seen:
            return None
        self._seen = seen if done else None
        named = _named(paths, self.names_of)
        self._found = {id(tensor): (weakref.ref(tensor, self._one_died), names) for tensor, names in named}
        return named

    def _marks_of(self, scopes: Sequence[Scope], seen: list[object]) -> list[object] | None:
        """Returns what is the same as long as a scan would find the same; None if only a scan can tell."""
        found, watched = [*seen], self._watched
        if watched.marks is None or watched.nested:
            return None
        for names, function, module in scopes:
            for _, value in self._values(names, module, every=bool(function or module)):
                kind = type(value)
                if issubclass(kind, watched.holders):
                    found += watched.marks(value)
                    found += _marked(items(attributes_of(value), ATTRIBUTES), watched.tensors)
                elif _is_container(kind):
                    some = first_items(value, FIRST) if kind is dict else list(enumerate(value[:FIRST]))
                    found += _marked(some, watched.tensors)
                elif not issubclass(kind, watched.tensors) and self._holds_others(value):
                    return None
        return found

    def names_of(self, tensor: Any) -> tuple[str, ...]:
        """Returns the names of a tensor at the last scan."""
        reference, names = self._found.get(id(tensor), (None, ()))
        return names if reference is not None and reference() is tensor else ()

    def _called(self, tensor: Any) -> str:
        known = self.names_of(tensor)
        return self._labels.get(id(tensor)) or (known[0] if known else "")

    def name_of_holder(self, holder: Any) -> str:
        """Returns what the program calls an object that holds tensors: `net.layers.0`, if that one's `lin.weight` is `net.layers.0.lin.weight`;
        "" if it has no name.
        """
        if id(type(holder)) in _PLAIN or _is_container(type(holder)) or not self._holds_others(holder):
            return ""
        for suffix, tensor in islice(self._tensors_inside("", holder), FIRST):
            for name in self.names_of(tensor):
                if name.endswith(suffix) and name != f"self{suffix}":
                    return name.removesuffix(suffix)
        return ""

    def name_of_module(self, modules: Sequence[Any]) -> str:
        """Returns what the program calls a module, which need not hold tensors: `net.2`, if it is the module `2` in `net`; "" if it has no name.

        Args:
            modules: the module, and those that have called it, the innermost first.
        """
        for each in modules:
            name = self.name_of_holder(each)
            if name:
                return next((name + path for path, inside in self._modules_in(each) if inside is modules[0]), "")
        return ""

    def _modules_in(self, module: Any) -> Iterator[tuple[str, Any]]:
        """Yields a module and those inside it, with their paths."""
        waiting, left = [("", module)], ATTRIBUTES
        while waiting and left > 0:
            path, holder = waiting.pop()
            yield path, holder
            inside = attributes_of(holder)
            some = items(inside.get("_modules", inside.get("_sub_layers", inside)), left)
            left -= len(some)
            held = [pair for pair in some if issubclass(type(pair[1]), self._watched.holders) and _is_short(pair[0])]
            waiting += [(f"{path}.{key}", each) for key, each in reversed(held)]

    def drop_reference(self, tensor: Any) -> None:
        """Drops the weak reference to a tensor. The next scan makes another one."""
        self._found.pop(id(tensor), None)
        self._seen = None

    def forget(self) -> None:
        """Drops all references."""
        self._found, self._seen, self._leads_on = {}, None, True

    def _one_died(self, _: object) -> None:
        self._seen = None  # its address may be used by another object now

    # ---- paths -----------------------------------------------------------------------------------------------------------

    def _paths(self, scopes: Iterable[Scope]) -> Iterator[Path]:
        """Returns all paths to tensors. Notes whether some name refers to a container or an object."""
        kind, tensor_of = self._watched.tensors, self._watched.tensor_of
        containers: set[int] = set()
        reached: set[int] = set()  # tensors in objects, by their addresses
        for scope, (known, function, module) in enumerate(scopes):
            for name, value in self._values(known, module, every=bool(function or module)):
                if issubclass(type(value), kind):  # (`isinstance` would read the object's `__class__`)
                    yield Path(scope, function, name, name, tensor_of(value))
                elif self._holds_others(value):
                    self._leads_on = True
                    again = bool(function) and (id(value) in containers or not _is_container(type(value)))
                    containers.add(id(value))
                    for label, tensor in self._tensors_inside(name, value):
                        if again and id(tensor) in reached and label not in self.names_of(tensor):
                            break  # an outer name leads to all that is in this object
                        if not again:
                            reached.add(id(tensor))
                        yield Path(scope, function, name, label, tensor, again)

    def _values(self, known: dict[str, Any], module: str, *, every: bool) -> Iterator[tuple[str, Any]]:
        """Yields the values in a scope that may lead to tensors, with their names."""
        for variable in [each for each in list(known) if type(each) is str and (every or each in self._wanted)]:
            value = known.get(variable)
            if id(type(value)) not in _PLAIN:
                yield f"{module}.{variable}" if module else variable, value

    def _holds_others(self, value: object) -> bool:
        kind = type(value)
        if _is_container(kind) or issubclass(kind, self._watched.holders):
            return True
        module = members_of(kind).get("__module__")
        return type(module) is str and self._is_own(module) and place_of_attributes(kind) is not None

    def _is_own(self, module: str) -> bool:
        """Whether a module, by its name, is one of the program."""
        if module == self.own_module:
            return True
        known = self._modules.get(module)
        if known is None:
            loaded: Any = sys.modules.get(module)
            file = vars(loaded).get("__file__") if type(loaded) is ModuleType else None
            known = self._modules[module] = type(file) is str and is_own(file)
        return known

    def _tensors_inside(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        tensors, tensor_of = self._watched.tensors, self._watched.tensor_of
        for label, each in self._inside(name, value):
            if issubclass(type(each), tensors):
                yield label, tensor_of(each)

    def _inside(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        """Yields the contents of an object, with their paths."""
        kind = type(value)
        if kind is dict:
            some = first_items(value, FIRST)
            yield from ((f"{name}[{key!r}]", each) for key, each in some if _is_short(key))
        elif kind is list or kind is tuple:
            yield from ((f"{name}[{k}]", each) for k, each in enumerate(value[:FIRST]))
        else:
            if issubclass(kind, self._watched.holders):
                for label, each in self._watched.further(value, self._called):
                    yield name + label, each
            yield from self._attributes(name, value)

    def _attributes(self, name: str, value: Any) -> Iterator[tuple[str, Any]]:
        """Yields the attributes of an object, and of the objects inside it, each once."""
        waiting, seen, left = [(name, value, 0)], set(), ATTRIBUTES
        while waiting and left > 0:
            path, holder, depth = waiting.pop()
            if id(holder) in seen:
                continue
            seen.add(id(holder))
            if depth and depth <= DEEPEST and issubclass(type(holder), self._watched.holders):
                yield from ((path + label, each) for label, each in self._watched.further(holder, self._called))
            some = first_items(attributes_of(holder), left)
            left -= len(some)
            inside = [
                pair for pair in some if id(type(pair[1])) not in _PLAIN and type(pair[0]) is str and _is_short(pair[0])
            ]
            yield from ((f"{path}.{key}", each) for key, each in inside)
            if issubclass(type(holder), self._watched.nested):  # whose `further` also has what is in those inside it
                held = [pair for pair in inside if issubclass(type(pair[1]), self._watched.nested)]
                waiting += [(f"{path}.{key}", each, DEEPEST + 1) for key, each in reversed(held)]
            elif depth < DEEPEST and not issubclass(type(holder), self._watched.holders):
                held = [pair for pair in inside if not _is_container(type(pair[1])) and self._holds_others(pair[1])]
                waiting += [(f"{path}.{key}", each, depth + 1) for key, each in reversed(held)]


def _marked(some: Iterable[tuple[Any, Any]], kind: type) -> list[object]:
    """Returns the keys and the addresses of the objects of a class among items. Keys are compared only if they are strings or numbers."""
    return [
        mark
        for key, each in some
        if issubclass(type(each), kind)
        for mark in (key if type(key) is str or type(key) is int else id(key), id(each))
    ]


def _is_short(key: object) -> bool:
    """Whether a key can be shown in a path: a number or a text of moderate length, without characters that cannot be printed."""
    if type(key) is str:
        return len(key) <= LONGEST_KEY and key.isprintable()
    return type(key) is int and key.bit_length() <= LONGEST_KEY


def _named(paths: Iterable[Path], names_before: Callable[[Any], tuple[str, ...]]) -> list[tuple[Any, tuple[str, ...]]]:
    """Returns the tensors at the ends of paths, with their names.

    A local name that shadows a name of an outer scope has its function before it, with a number for further calls: `f: x`, `f#2: x`.
    """
    found: dict[int, tuple[Any, dict[str, tuple[int, str]]]] = {}  # the names in their order, and where each begins
    taken: dict[str, int] = {}
    for scope, function, name, label, tensor, again in paths:
        _, names = found.setdefault(id(tensor), (tensor, {}))
        shown, call = label, 1
        while function and taken.get(shown, id(tensor)) != id(tensor):
            shown, call = f"{function}: {label}" if call == 1 else f"{function}#{call}: {label}", call + 1
        has_another = any(begins != (scope, name) for begins in names.values())
        if again and has_another and shown not in names_before(tensor):
            continue
        taken[shown] = id(tensor)
        names[shown] = scope, name
    return [(tensor, tuple(names)) for tensor, names in found.values()]


def value_of(place: ast.AST, names: Mapping[str, Any]) -> Any:
    """Returns the value of a name, an attribute (`self.w`) or an item (`xs[0]`); None if that needs running code."""
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


def parts_of(module_class: type) -> Callable[[Any, Called], Iterator[tuple[str, Any]]]:
    """Returns a function for `Watched.further` with PyTorch's names: the tensors of a module and those inside it, or of an optimizer's state."""
    place = place_of_attributes(module_class)  # it is that of all modules, so it need not be looked for at each of them

    def attributes(module: Any) -> dict[Any, Any]:
        return place.__get__(module) if issubclass(type(module), module_class) else attributes_of(module)

    def further(holder: Any, called: Called) -> Iterator[tuple[str, Any]]:
        is_module = issubclass(type(holder), module_class)
        return of_module(holder, "_modules", attributes) if is_module else _of_optimizer(holder, called)

    return further


def marks_of(module_class: type, tensors: type) -> Callable[[Any], list[object]]:
    """Returns a function for `Watched.marks` with PyTorch's names."""
    place = place_of_attributes(module_class)

    def marks(holder: Any) -> list[object]:
        if not issubclass(type(holder), module_class):
            state = items(attributes_of(holder).get("state"), ATTRIBUTES)
            return [mark for of, kept in state for mark in (id(of), *_marked(items(kept, ATTRIBUTES), tensors))]
        found, waiting, left = list[object](), [holder], ATTRIBUTES
        while waiting and left > 0:
            module = waiting.pop()
            inside = place.__get__(module) if issubclass(type(module), module_class) else attributes_of(module)
            for kind in ("_parameters", "_buffers"):
                some = items(inside.get(kind), left)
                left -= len(some)
                found += _marked(some, tensors)
            some = items(inside.get("_modules"), left)
            left -= len(some)
            found += [key if type(key) is str else id(key) for key, _ in some]
            waiting += [each for _, each in reversed(some)]
        return found

    return marks


def of_module(
    holder: Any, modules: str, attributes: Callable[[Any], dict[Any, Any]] = attributes_of
) -> Iterator[tuple[str, Any]]:
    """Yields the tensors of a module and of those inside it, with their paths.

    Args:
        holder: the module.
        modules: the attribute that holds the modules inside.
        attributes: returns the attributes of a module.
    """
    waiting, left = [("", holder)], ATTRIBUTES
    while waiting and left > 0:
        path, module = waiting.pop()
        inside = attributes(module)
        for kind in ("_parameters", "_buffers"):
            some = items(inside.get(kind), left)
            left -= len(some)
            for name, each in some:
                yield f"{path}.{name}", each
        some = items(inside.get(modules), left)
        if some:
            waiting += [(f"{path}.{name}", each) for name, each in reversed(some)]
            left -= len(some)


def _of_optimizer(holder: Any, called: Called) -> Iterator[tuple[str, Any]]:
    """Yields the state of each parameter: `.state[net.0.weight]['exp_avg']`, with its place for a parameter without a name."""
    for place, (parameter, kept) in enumerate(items(attributes_of(holder).get("state"), ATTRIBUTES)):
        of, some = called(parameter) or place, items(kept, ATTRIBUTES)
        yield from ((f".state[{of}][{name!r}]", each) for name, each in some if type(name) is str)


def items(held: Any, most: int) -> list[tuple[Any, Any]]:
    """Returns the first items of a dictionary; none of anything else."""
    if type(held) is dict and not held:
        return []
    return first_items(held, most) if issubclass(type(held), dict) else []
