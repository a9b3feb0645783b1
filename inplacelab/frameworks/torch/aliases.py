"""Collects what a program reads under one name after it was written under another.

At each write the names are looked at that the program's functions have for the written storage. Those that the writing statement shows are as
meant; the others are suspects: what is later read under one of them, in the program's own code, is the new value under an old name.
Parameters are no suspects: that they are updated is meant.

Not seen: writes by the backward engine into `.grad`, writes and reads inside libraries, and NumPy's writes to more than `LARGEST` elements.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from types import CodeType, FrameType
from typing import Any
from weakref import ref

import torch

from inplacelab.diagnosis.places import Place, Places, Site, own_frames
from inplacelab.diagnosis.references import Reference
from inplacelab.frameworks.torch.readings import is_trained, storage_of
from inplacelab.recorders.static import attributes_of
from inplacelab.recording.facts import AliasFacts, AliasKind

MOST = 10
"""So many are listed."""
SUSPECTS = 4096
"""Of so many names it is remembered that others wrote what they stand for."""
FRAMES = 8
"""The names of so many frames are looked at, innermost first."""
ELEMENTS = 64
"""So many elements of a list are looked at."""
ARRAYS = 32
"""So many arrays that NumPy has got are watched."""
LARGEST = 1 << 20
"""The values of so many elements are compared that NumPy may write."""

_OVERWRITES = frozenset({
    "copy_", "fill_", "zero_", "setitem", "normal_", "uniform_", "random_", "bernoulli_", "set_", "resize_", "data", "full_", "exponential_",
})  # fmt: skip
"""Operations that write their first tensor without reading it."""
_NO_READS = frozenset(
    {
        "detach",
        "detach_",
        "data",
        "numpy",
        "requires_grad_",
        "grad",
        "size",
        "set_",
        "storage",
        "untyped_storage",
        "data_ptr",
        "array",
    }
)
"""Operations that do not read the elements of a tensor."""
_ARRAYS = frozenset({"numpy", "array"})

Key = tuple[int, Any]
"""The address of what holds a tensor, and its name or key there."""


@dataclass(frozen=True, slots=True)
class _Held:
    """A tensor that a name, an attribute or a container holds."""

    key: Key
    label: str
    tensor: Any
    is_element: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class _Suspect:
    """A name, or an element, that stands for what was written under another."""

    facts: AliasFacts
    tensor: ref[Any]
    frame: int
    instruction: int
    reference: Reference
    is_local: bool


@dataclass(slots=True, eq=False)
class _Array:
    """A storage that NumPy has, with its values."""

    tensor: Any
    values: Any
    facts: AliasFacts
    names: frozenset[str]
    stores: Sequence[Any]


class Aliases:
    """Collects them. What it does must not be seen by the watch.

    Args:
        places: finds the lines of the program.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._suspects: dict[Key, _Suspect] = {}
        self._arrays: dict[int, _Array] = {}
        self._references: dict[tuple[CodeType, int], Reference] = {}
        self._found: dict[object, AliasFacts] = {}

    @property
    def found(self) -> Sequence[AliasFacts]:
        """What was found, the least likely meant first."""
        return sorted(self._found.values(), key=lambda each: -each.weight)[:MOST]

    def note(self, op: str, frame: FrameType, tensors: Sequence[Any], written: Sequence[Any]) -> None:
        """Notes an operation that has run.

        Args:
            op: its name.
            frame: the frame that called it.
            tensors: its tensors.
            written: those of them that it has written.
        """
        if not (written or self._suspects or self._arrays or op in _ARRAYS):
            return
        frames = [*own_frames(frame)][:FRAMES]
        if not frames:
            return
        if self._arrays:
            self._compare(op, frame, frames[0], tensors, written)
        if self._suspects and op not in _NO_READS:
            self._read(frame, frames[0], tensors[1:] if written and op in _OVERWRITES else tensors)
        for address, each in {_address(each): each for each in written}.items():
            self._wrote(op, frame, frames, each, address)
        if op in _ARRAYS and tensors:
            reference = self._reference(frames[0])
            self._hand_over(frame, tensors[0], reference.through, reference.targets, reference)

    # ---- writes ----------------------------------------------------------------------------------------------------------

    def _wrote(self, op: str, frame: FrameType, frames: Sequence[FrameType], tensor: Any, address: int | None) -> None:
        known = self._arrays.get(address or 0)
        if known is not None:
            known.values = known.tensor.clone()
        place = self._places.of(frame)
        if address is None or place is None:
            return
        for number, own in enumerate(frames):
            reference = self._reference(own)
            for held in _held(own):
                if _address(held.tensor) == address:
                    self._suspect(op, place, number, own, reference, held, tensor)

    def _suspect(
        self, op: str, place: Place, number: int, frame: FrameType, reference: Reference, held: _Held, tensor: Any
    ) -> None:
        is_explicit = number == 0 and reference.is_explicit
        is_whole = tensor.numel() >= held.tensor.numel()
        weight = 3 if held.is_element or not is_explicit else 1 if op in _OVERWRITES else 2
        is_part = op == "setitem" or (op in _OVERWRITES and not is_whole)
        # A row that is scaled, though its name says that it is a part of that: `first = batch[0]`.
        shown = reference.through if is_explicit and not is_whole and held.label.isidentifier() else reference.written
        if (
            _is_same(held.label, shown)
            or is_trained(held.tensor)
            or held.label.endswith(".grad")
            or (is_explicit and is_part and not (held.is_element and is_whole))
            or not _overlap(held.tensor, tensor)
        ):
            self._suspects.pop(held.key, None)
            return
        if len(self._suspects) >= SUSPECTS:
            del self._suspects[next(iter(self._suspects))]
        sites = place.facts[min(number, len(place.facts) - 1) :] if not is_explicit and number else place.facts
        through = sites[0].expression if sites and not is_explicit else ", ".join(sorted(reference.through))
        kind: AliasKind = "container" if held.is_element else "name" if is_explicit else "library"
        facts = AliasFacts(kind, held.label, through, op, place.facts, (), weight)
        self._suspects[held.key] = _Suspect(
            facts, ref(held.tensor), id(frame), frame.f_lasti, reference, held.key[0] == id(frame)
        )

    # ---- reads -----------------------------------------------------------------------------------------------------------

    def _read(self, frame: FrameType, own: FrameType, tensors: Sequence[Any]) -> None:
        reference = self._reference(own)
        if not reference.containers:
            return
        for held in _reached(own, reference):
            suspect = self._suspects.get(held.key)
            if (
                suspect is None
                or suspect.tensor() is not held.tensor
                or not any(each is held.tensor for each in tensors)
            ):
                continue
            if (suspect.frame, suspect.instruction) == (id(own), own.f_lasti):
                continue  # inside the call that wrote
            if suspect.is_local and (
                not reference.is_after(suspect.reference) or reference.rebinds(held.label, suspect.reference)
            ):
                continue
            place = self._places.of(frame)
            if place is not None:
                self._find(replace(suspect.facts, read=place.facts))

    def _find(self, facts: AliasFacts) -> None:
        root = facts.name.partition("[")[0]
        key = facts.written[:1], root, facts.read[0].function if facts.read else ""
        self._found.setdefault(key, facts)

    # ---- arrays of NumPy -------------------------------------------------------------------------------------------------

    def shared(self, frame: FrameType, tensor: Any) -> None:
        """Notes that a tensor was made of an array of NumPy."""
        own = next(own_frames(frame), None)
        if own is not None:
            self._hand_over(frame, tensor, frozenset(), self._reference(own).operands, self._reference(own))

    def _hand_over(
        self, frame: FrameType, tensor: Any, names: frozenset[str], arrays: frozenset[str], reference: Reference
    ) -> None:
        address, place = _address(tensor), self._places.of(frame)
        if address is None or place is None or tensor.numel() > LARGEST or address in self._arrays:
            return
        stores = [each for name in arrays for each in reference.stores(name)]
        facts = AliasFacts("array", "", ", ".join(sorted(arrays)) or place.facts[0].expression, "", place.facts, (), 3)
        if len(self._arrays) >= ARRAYS:
            del self._arrays[next(iter(self._arrays))]
        # The tensor may be temporary, as that of `detach()` is.
        self._arrays[address] = _Array(tensor.detach(), tensor.detach().clone(), facts, names, stores)

    def _compare(
        self, op: str, frame: FrameType, own: FrameType, tensors: Sequence[Any], written: Sequence[Any]
    ) -> None:
        for tensor in tensors:
            known = self._arrays.get(_address(tensor) or 0)
            if known is None or op in _NO_READS or any(each is tensor for each in written):
                continue
            if torch.equal(known.tensor, known.values):
                continue
            known.values = known.tensor.clone()
            reference, place = self._reference(own), self._places.of(frame)
            names = [each.label for each in _reached(own, reference) if each.tensor is tensor]
            is_meant = not tensor.requires_grad and _is_same("".join(names[:1]), known.names)  # `t.numpy()[:] = 1`
            if not names or place is None or is_trained(tensor) or is_meant:
                continue
            sites = known.facts.written
            if len(known.stores) == 1:
                sites = (_at(sites[0], known.stores[0], self._places), *sites[1:])
            weight = 3 if tensor.requires_grad else 1
            self._find(replace(known.facts, name=names[0], written=sites, read=place.facts, weight=weight))

    def _reference(self, frame: FrameType) -> Reference:
        key = frame.f_code, frame.f_lasti
        known = self._references.get(key)
        if known is None:
            site = Site(frame.f_code, frame.f_lasti, self._places.sources)
            expressions = self._places.sources.expressions(site.filename)
            known = self._references[key] = Reference(expressions.module, expressions.around(site.position))
        return known


def _at(site: Any, statement: Any, places: Places) -> Any:
    """Returns the place of a statement in the file of another place."""
    lines = places.sources.lines(site.file)
    text = lines[statement.lineno - 1].rstrip("\n") if statement.lineno <= len(lines) else ""
    return replace(
        site, line=statement.lineno, end_line=statement.end_lineno, column=statement.col_offset,
        end_column=statement.end_col_offset, text=text, loops=(),
    )  # fmt: skip


def _names(frame: FrameType) -> Mapping[str, Any]:
    names = frame.f_locals
    return names if type(names) is dict else dict(names)


def _held(frame: FrameType) -> Iterator[_Held]:
    """Yields the tensors that a frame's names hold, and those in their containers and in the attributes of `self`."""
    for name, value in [*_names(frame).items()]:
        if name[:2] != "__":
            yield from _of((id(frame), name), name, value)
    for key, value in _attributes(_names(frame).get("self")):
        yield from _of(key, f"self.{key[1]}", value)


def _attributes(value: Any) -> Iterator[tuple[Key, Any]]:
    """Yields what an object's attributes hold."""
    if value is None:
        return
    held = attributes_of(value)
    for name, each in [*held.items()][:ELEMENTS]:
        if name == "_buffers" and type(each) is dict:
            yield from (((id(value), inner), one) for inner, one in [*each.items()])
        elif type(name) is str and name[:2] != "__" and name not in ("_parameters", "_modules"):
            yield (id(value), name), each


def _of(key: Key, label: str, value: Any) -> Iterator[_Held]:
    """Yields a tensor, or those in a container."""
    if issubclass(type(value), torch.Tensor):
        yield _Held(key, label, value)
    elif issubclass(type(value), list | tuple):
        elements = (
            list.__getitem__(value, slice(-ELEMENTS, None)) if issubclass(type(value), list) else value[-ELEMENTS:]
        )
        first = max(0, len(value) - ELEMENTS)
        for k, each in enumerate(elements, first):
            if issubclass(type(each), torch.Tensor):
                yield _Held((id(value), k), f"{label}[{k}]", each, is_element=True)
    elif issubclass(type(value), dict):
        for k, each in [*dict.items(value)][:ELEMENTS]:
            if issubclass(type(each), torch.Tensor):
                yield _Held((id(value), k), f"{label}[{k!r}]", each, is_element=True)


def _reached(frame: FrameType, reference: Reference) -> Iterator[_Held]:
    """Yields the tensors that an expression reaches."""
    names = _names(frame)
    for label in reference.containers:
        root, _, rest = label.partition(".")
        is_operand = label in reference.operands
        if root in names and not rest:
            found = _of((id(frame), root), root, names[root])
        elif root in names and "." not in rest and "[" not in label:
            value = names[root]
            found = (one for key, each in _attributes(value) if key[1] == rest for one in _of(key, label, each))
        else:
            continue
        yield from (each for each in found if each.is_element or is_operand)


def _address(tensor: Any) -> int | None:
    with suppress(RuntimeError):
        storage = storage_of(tensor)
        return None if storage is None else int(storage._cdata)
    return None


def _is_same(label: str, written: frozenset[str]) -> bool:
    """Whether a label, or what it is a part of, or a part of it, is among names."""
    return any(
        label == each or label.startswith((f"{each}.", f"{each}[")) or each.startswith((f"{label}.", f"{label}["))
        for each in written
    )


def _overlap(one: Any, other: Any) -> bool:
    """Whether two tensors on one storage have elements in common."""
    if one is other:
        return True
    if not one.numel() or not other.numel():
        return False
    size = 1 + max(_last(one), _last(other))
    if one.dtype != other.dtype or size > LARGEST:
        return True
    seen = torch.zeros(size, dtype=torch.bool)
    seen.as_strided(one.shape, one.stride(), one.storage_offset()).fill_(True)
    return bool(seen.as_strided(other.shape, other.stride(), other.storage_offset()).any())


def _last(tensor: Any) -> int:
    return int(tensor.storage_offset() + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True)))
