"""What the checks of several lessons share: answers of a recording, and reading a learner's answer in any sensible form."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from math import prod
from operator import index as whole
from typing import Any

from inplacelab.recording.origins import computed, contributions
from inplacelab.recording.origins.elements import index_of, number_of, slots_of_element
from inplacelab.recording.recording import Recording

Index = tuple[int, ...]


def as_elements(given: Iterable[Any], shape: tuple[int, ...]) -> set[Index]:
    """Returns the indices of elements, however they are written: 1, -4, (1,), [0, 1].

    Raises:
        IndexError: if there is no such element.
    """
    found = set()
    for each in given:
        place = tuple(each) if isinstance(each, list | tuple) else (each,)
        numbers = tuple(map(whole, place))
        if len(numbers) != len(shape) or not all(-size <= k < size for k, size in zip(numbers, shape, strict=True)):
            raise IndexError(str(each))
        found.add(tuple(k % size for k, size in zip(numbers, shape, strict=True)))
    return found


def goes_back_to(recording: Recording, name: str, index: Index, leaf: str) -> set[Index]:
    """Returns the elements of a tensor, as the line that made it filled them, that an element at the end goes back to."""
    state = recording.state(-1)
    facts, made = state.tensor(name), state.tensor(leaf)
    slot = slots_of_element(state, facts, number_of(state, facts, index))[0]
    waiting, seen, found = [(facts.storage, slot, state.step.index)], set(), set()
    slots = {slots_of_element(state, made, k)[0]: index_of(made.shape, k) for k in range(prod(made.shape))}
    while waiting:
        here = computed(recording, *waiting.pop())
        key = (here.storage, here.slot, here.step)
        if key in seen:
            continue
        seen.add(key)
        if here.how in ("made", "before") and here.storage == made.storage and here.slot in slots:
            found.add(slots[here.slot])
        waiting += [(each.storage, each.slot, each.step) for each in here.origins]
    return found


def ends_of_paths(recording: Recording, name: str) -> Mapping[Index, set[int | None]]:
    """Returns the elements of a leaf from which no path leads to the root of the last pass, with the lines where their paths end."""
    facts = recording.state(-1).tensor(name)
    found: dict[Index, set[int | None]] = {}
    for k in range(prod(facts.shape)):
        index = index_of(facts.shape, k)
        paths = contributions(recording, name, index).paths
        if all(path.end != "root" for path in paths):
            found[index] = {None if path.place is None else path.place.line for path in paths if path.end != "unused"}
    return found


def a_copy_was_kept(recording: Recording) -> bool:
    """Whether a grad node has kept a copy: at any step, since backward releases what it has used."""
    states = (recording.state(step) for step in range(len(recording)))
    return any(saved.copy for state in states for node in state.nodes.values() for saved in node.saved)


def names_in(source: str) -> set[str]:
    """The names and attributes that a program uses. Comments and strings do not count."""
    found = (getattr(node, "id", None) or getattr(node, "attr", None) for node in ast.walk(ast.parse(source)))
    return {name for name in found if name}
