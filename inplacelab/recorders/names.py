"""Which names the learner's program has given to which tensors, noticed at little cost.

No operation says when a name is bound, so the names must be looked at again and again. Most of them lead where they led before,
and that is found by comparing addresses (`id`): two different tensors cannot have had one address at two looks with nothing
heard in between, because the second one was made by an operation while the name still led to the first.

So there are two ways of looking: at everything (`_look_everywhere`), and, as long as there is only one scope and no list or
layer through which names could lead on, at the names that have changed (`_look_again`).
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from types import FrameType

from inplacelab.recorders import source
from inplacelab.recorders.journal import Journal
from inplacelab.tensor import Tensor

_PLAIN = (int, float, str, bool, type(None))
"""What loops count with, most of the time: nothing that a name could lead on from."""


class Names:
    """Looks at the names of a program and writes changes into the journal.

    Attributes:
        deep: True if a name leads to a list or a layer: what is inside may change although no name does.
    """

    def __init__(self, program: source.Program, journal: Journal) -> None:
        self._wanted, self._journal = program.wanted, journal
        self._stored = tuple(sorted(program.stored))
        self._before: list[int] = []  # where the stored names led in the one scope there was; empty if there were more
        self.deep = True

    def look(self, frames: Sequence[FrameType], *, done: bool) -> None:
        """Look at the names in these frames of the program, the innermost first.

        In the middle of a statement (not `done`) a tensor may be on its way out of a function, whose names are gone: it keeps
        the last ones.
        """
        self.look_into(source.scopes_of(frames), done=done)

    def look_into(self, scopes: Sequence[source.Scope], *, done: bool) -> None:
        """As `look`, with the scopes at hand, the outermost first."""
        alone = scopes[0].names.get if len(scopes) == 1 else None
        now = [] if alone is None else list(map(id, map(alone, self._stored)))
        before, self._before = self._before, now
        if not done and before != now:
            self._before = []  # what has lost its name must be found at the next look
        elif before and now and not self.deep and (before == now or self._look_again(scopes[0], before, now)):
            return
        self._look_everywhere(scopes, done)

    # ---- what has changed ------------------------------------------------------------------------------------------------

    def _look_again(self, scope: source.Scope, before: list[int], now: list[int]) -> bool:
        """Look at the names that lead elsewhere; False if it is not as simple as that."""
        bound = self._journal.bound
        lost: dict[int, tuple[str, ...]] = {}
        found: dict[int, tuple[Tensor, str]] = {}
        for name, old, new in [each for each in zip(self._stored, before, now, strict=True) if each[1] != each[2]]:
            if old in bound:
                lost[old] = (*lost.get(old, ()), name)
            thing = scope.names.get(name)
            if type(thing) in _PLAIN:
                continue
            if isinstance(thing, Tensor):
                if new in found or (new in bound and bound[new][0]() is thing):
                    return False  # another name leads to it, too
                found[new] = (thing, name)
            elif source.holds_others(thing):
                return False
        if any(bound[address][1] != names for address, names in lost.items()):
            return False  # it keeps some of several names
        self._rename(lost, found)
        return True

    def _rename(self, lost: dict[int, tuple[str, ...]], found: dict[int, tuple[Tensor, str]]) -> None:
        journal = self._journal
        changed: list[tuple[int, tuple[str, ...]]] = []
        for address in lost:
            reference, _ = journal.bound.pop(address)
            seen = journal.tensors.get(address)
            if seen is not None and seen.ref() is not None and seen.ref() is reference():
                seen.names = ()
                changed.append((seen.serial, ()))
        for address, (thing, name) in found.items():
            journal.bound[address] = (weakref.ref(thing), (name,))
            seen = journal.tensors.get(address)
            if seen is not None and seen.ref() is thing:
                seen.names = (name,)
                changed.append((seen.serial, seen.names))
        if changed:
            journal.entries.append(("names", changed))

    # ---- everything ------------------------------------------------------------------------------------------------------

    def _look_everywhere(self, scopes: Sequence[source.Scope], done: bool) -> None:
        journal = self._journal
        bound = source.bindings(scopes, self._wanted, Tensor)
        self.deep = any(source.holds_others(value) for scope in scopes for value in self._values(scope))
        journal.bound = {address: (weakref.ref(thing), names) for address, (thing, names) in bound.items()}
        changed = []
        for seen, tensor in journal.living():
            found = bound.get(id(tensor))
            names = found.names if found else () if done else seen.names
            if names != seen.names:
                seen.names = names
                changed.append((seen.serial, names))
        if changed:
            journal.entries.append(("names", changed))

    def _values(self, scope: source.Scope) -> list[object]:
        return [value for name, value in list(scope.names.items()) if scope.function or name in self._wanted]
