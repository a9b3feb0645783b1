"""Which names the learner's program has given to which tensors, noticed at little cost.

No operation says when a name is bound, so the names must be looked at again and again. Most of them lead where they led before,
and that is found by comparing addresses (`id`): two different tensors cannot have had one address at two looks with nothing
heard in between, because the second one was made by an operation while the name still led to the first.

So there are two ways of looking: at everything (`_look_everywhere`), and, as long as there is only one scope and no list,
dictionary, layer or object of the program's own through which names could lead on (`paths`), at the names that have changed
(`_look_again`).
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from inplacelab.recorders import paths, source
from inplacelab.recorders.journal import Journal
from inplacelab.tensor import Tensor


class Names:
    """Looks at the names of a program and writes changes into the journal.

    Attributes:
        deep: True if a name leads to a list, a layer or the like: what is inside may change although no name does.
        own: the module that the program's own classes are in.
    """

    def __init__(self, program: source.Program, journal: Journal) -> None:
        self._wanted, self._journal, self._counters = program.wanted, journal, program.counters
        self._stored = tuple(sorted(program.stored))
        self._globals: Mapping[
            str, Any
        ] = {}  # if they were the one scope there was (locals are not kept: they may hold tensors)
        self._before: dict[str, int] = {}  # where the stored names led in the one scope; empty if there were more
        self._led: dict[str, weakref.ref[Tensor] | None] = {}  # and the tensors among these
        self._looked: tuple[list[object], list[weakref.ref[Tensor]]] | None = None  # what was there, and the tensors
        self._alone = {name: (name,) for name in self._stored}
        self._append = journal.entries.append
        self.deep, self.own = True, "__main__"

    def look(self, frames: Sequence[FrameType], *, done: bool) -> None:
        """Look at the names in these frames of the program, the innermost first.

        In the middle of a statement (not `done`) a tensor may be on its way out of a function, whose names are gone: it keeps
        the last ones.
        """
        self.look_into(source.scopes_of(frames), done=done)

    def look_into(self, scopes: Sequence[source.Scope], *, done: bool) -> None:
        """As `look`, with the scopes at hand, the outermost first."""
        before, self._before = self._before, {}
        now: dict[str, int] = {}
        names = scopes[0].names
        if len(scopes) == 1:
            self._globals = {} if scopes[0].function else names
            now = dict(zip(self._stored, self._addresses(names), strict=True))
        if done or before == now:
            self._before = now  # else what has lost its name must be found at the next look
            if before and now and not self.deep and self._look_again(names, self._stored, before):
                return
        self._look_everywhere(scopes, done)

    def _addresses(self, names: Mapping[str, Any]) -> Iterator[int]:
        return map(id, map(names.get, self._stored))

    def forget(self) -> None:
        """The program is over: let go of its names."""
        self._globals, self._before, self._led, self._looked = {}, {}, {}, None

    # ---- what has changed ------------------------------------------------------------------------------------------------

    def still(self, frame: FrameType) -> bool:
        """True if all names in this frame, whose scope was the only one at the last look, surely lead where they led then."""
        if self.deep or not self._before:
            return False
        if frame.f_locals is self._globals:
            return list(self._addresses(self._globals)) == list(self._before.values())
        with source.names_of(frame) as names:
            return list(self._addresses(names)) == list(self._before.values())

    @property
    def certain(self) -> bool:
        """True if names cannot change without being bound: there is one scope, and nothing in it that they could lead on through."""
        return bool(self._before) and not self.deep

    def worth(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Those of these names that need to be looked at: not what was found to count in a loop."""
        return tuple(name for name in names if name in self._stored)

    def look_in(self, frame: FrameType, names: tuple[str, ...]) -> bool:
        """As `look_at`, in this frame, whose scope is the one there is."""
        if self._globals:
            return self.look_at(names)
        with source.names_of(frame) as scope:
            return bool(self._before) and self._look_again(scope, names, self._before)

    def look_at(self, names: tuple[str, ...]) -> bool:
        """Look at nothing but these names in the one scope there is; False if it is not as simple as that, and everything
        must be looked at.
        """
        before, scope = self._before, self._globals
        if not before:
            return False
        for name in names:
            thing = scope.get(name)
            address = id(thing)
            if before.get(name) == address:
                continue
            seen, left = thing._told if type(thing) is Tensor else None, self._led.get(name)
            if (
                seen is not None
                and seen.journal is self._journal
                and not seen.names
                and (left is None or left() is None)
            ):  # `_moved` of the result of an operation that nothing else is called by; what the name led to is gone
                names_now = seen.names = self._alone[name]
                self._led[name] = seen
                self._append(("name", seen.serial, names_now))
            elif not self._moved(name, thing):
                return False
            before[name] = address
        return True

    def _look_again(self, scope: Mapping[str, Any], names: Iterable[str], before: dict[str, int]) -> bool:
        """Look at these names, and note in `before` where they lead; False if it is not as simple as that."""
        for name in names:
            thing = scope.get(name)
            if id(thing) != before.get(name):
                if not self._moved(name, thing):
                    return False
                before[name] = id(thing)
        return True

    def _moved(self, name: str, thing: Any) -> bool:
        """A name leads to this thing now. False if it has other names, or if what the name has led to had others."""
        left = self._led.get(name)
        old = None if left is None else left()
        if old is not None and self._names_of(old) != (name,):
            return False
        if issubclass(type(thing), Tensor):
            if self._names_of(thing):
                return False
        elif type(thing) not in paths.PLAIN and paths.holds_others(thing, self.own):
            return False
        elif name in self._counters and type(thing) is int:
            self._drop(name)
        if old is not None:
            self._name(old, ())
        self._led[name] = self._name(thing, self._alone[name]) if issubclass(type(thing), Tensor) else None
        return True

    def _names_of(self, tensor: Tensor) -> tuple[str, ...]:
        """The names of a living tensor when they were last looked at."""
        seen = self._journal.known(tensor)
        if seen is not None:
            return seen.names
        reference, names = self._journal.bound.get(id(tensor), (None, ()))
        return names if reference is not None and reference() is tensor else ()

    def _name(self, tensor: Tensor, names: tuple[str, ...]) -> weakref.ref[Tensor]:
        """A tensor has other names. Returns what refers to it."""
        seen = self._journal.known(tensor)
        if seen is not None:
            seen.names = names
            self._append(("name", seen.serial, names))
            return seen
        reference = weakref.ref(tensor)
        self._journal.bound[id(tensor)] = (reference, names)
        return reference

    # ---- everything ------------------------------------------------------------------------------------------------------

    def _look_everywhere(self, scopes: Sequence[source.Scope], done: bool) -> None:
        journal, outline = self._journal, paths.outline(scopes, self._wanted, self.own) if self.deep else []
        if self._all_as_before(outline):
            return
        led = paths.things(scopes, self._wanted, Tensor, self.own)
        bound = paths.bindings(led)
        self.deep = any(paths.holds_others(value, self.own) for scope in scopes for value in self._values(scope))
        journal.bound = {address: (weakref.ref(thing), names) for address, (thing, names) in bound.items()}
        for seen, tensor in journal.living():
            found = bound.get(id(tensor))
            names = found.names if found else () if done else seen.names
            if names != seen.names:
                seen.names = names
                self._append(("name", seen.serial, names))
        self._looked = (
            (outline, [journal.bound[id(each.thing)][0] for each in led]) if self.deep and outline and done else None
        )
        self._led.clear()
        for name in self._before:
            thing = scopes[0].names.get(name)
            if issubclass(type(thing), Tensor) and id(thing) in bound:
                self._led[name] = journal.bound[id(thing)][0]
            elif name in self._counters and type(thing) is int:
                self._drop(name)
        self._before = {name: address for name, address in self._before.items() if name in self._stored}

    def _all_as_before(self, outline: list[object]) -> bool:
        """True if all names lead where the last look everywhere has found them to lead, and they were not looked at since in
        another way, which is only done while nothing is there that a name could lead on through.
        """
        looked = self._looked
        return looked is not None and looked[0] == outline and all(reference() is not None for reference in looked[1])

    def _drop(self, name: str) -> None:
        """A name counts in a loop: it need not be looked at again."""
        self._stored = tuple(each for each in self._stored if each != name)

    def _values(self, scope: source.Scope) -> list[object]:
        return [value for name, value in list(scope.names.items()) if scope.function or name in self._wanted]
