"""Packs the data with which the player follows an element to its slot and back: layouts, saved tensors and writes.

Layouts repeat, so each is stored once and referred to by its position; `player/linking.js` does the arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from inplacelab.recording.facts import NodeFacts, SavedFacts, Step, StorageFacts
from inplacelab.recording.naming import node_label
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.touched import Touched, touched
from inplacelab.recording.values_read import bytes_of
from inplacelab_widgets.scene.measure import Words
from inplacelab_widgets.scene.names import tensor_name, unquoted

Json = dict[str, Any]
_GONE = -1


def links(recording: Recording, position_of: Callable[[Words], int]) -> Json:
    """Returns the tensors' layouts over the steps, the saved tensors, and every write. `position_of` gives the position of words.

    `layouts`: [storage, shape, strides, offset, name], and if the tensor's dtype is not the storage's, the bytes of an element
    and of a slot. `tensors`: [number, [step, layout, ...]]. `kept`: [key, node, [step, layout, ...]] for each saved tensor. `writes`: [step, line, storage, [start, stop, ...]].
    """
    return _Links(recording, position_of).packed()


class _Links:
    def __init__(self, recording: Recording, position_of: Callable[[Words], int]) -> None:
        self.recording, self.position_of = recording, position_of
        self.layouts: dict[tuple[Any, ...], int] = {}
        self.tensors: dict[int, list[int]] = {}
        self.kept: dict[int, dict[tuple[str, str], tuple[int, list[int]]]] = {}

    def packed(self) -> Json:
        for state in self.recording.states():
            for key in (*(key for key, _ in state.step.tensors), *state.awaited):
                self._follow(self.tensors.setdefault(key, []), state, self._of_tensor(state, key))
            for number, node in state.step.nodes:
                self._follow_node(state, number, node)
        return {
            "layouts": [_without_nothing(layout) for layout in self.layouts],
            "tensors": list(map(list, self.tensors.items())),
            "kept": [[key, *rest] for kept in self.kept.values() for (key, _), rest in kept.items()],
            "writes": [[step.index, step.line, storage, runs] for step, storage, runs in _writes(self.recording)],
        }

    def _follow_node(self, state: State, number: int, node: NodeFacts | None) -> None:
        now = {} if node is None or node.released else {_saved_key(number, saved): saved for saved in node.saved}
        kept = self.kept.setdefault(number, {})
        for key, saved in now.items():
            if node is not None and key not in kept:
                kept[key] = (self.position_of(unquoted(node_label(state, node))), [])
            layout = (saved.storage, saved.shape, saved.strides, saved.offset, saved.name, None)
            self._follow(kept[key][1], state, layout)
        for key in kept.keys() - now.keys():
            self._follow(kept[key][1], state, None)

    def _of_tensor(self, state: State, key: int) -> tuple[Any, ...] | None:
        tensor = state.tensors.get(key)
        if tensor is None:
            return None
        storage = state.storages.get(tensor.storage)
        bytes_each = None
        if storage is not None and tensor.dtype != storage.dtype:
            bytes_each = (bytes_of(tensor.dtype, storage), bytes_of(storage.dtype, storage))
        name = tensor_name(key, state)
        return tensor.storage, tensor.shape, tensor.strides, tensor.offset, name, bytes_each

    def _follow(self, runs: list[int], state: State, layout: tuple[Any, ...] | None) -> None:
        """Adds a layout, or its end, if it differs from the one before."""
        position = _GONE if layout is None else self.layouts.setdefault(layout, len(self.layouts))
        if position != (runs[-1] if runs else _GONE):
            runs += [state.step.index, position]


def _saved_key(node: int, saved: SavedFacts) -> tuple[str, str]:
    """The key of a saved tensor's pin, and its name there."""
    return f"p{node}:{saved.storage}:{saved.version}", saved.name


def _without_nothing(layout: tuple[Any, ...]) -> list[Any]:
    return list(layout if layout[-1] is not None else layout[:-1])


def _writes(recording: Recording) -> Iterator[tuple[Step, int, list[int]]]:
    """Every write: those that raised a version, and the first one, by the operation that made the storage."""
    met: set[int] = set()
    done = touched(recording)
    for state in recording.states():
        step = state.step
        for key, facts in step.storages:
            if key not in met and facts is not None and _made_it(state, facts):
                yield step, key, [0, facts.slots]
            met.add(key)
        for storage in dict.fromkeys(write.storage for write in step.writes):
            now = done.get(storage, {}).get(step.index, Touched())
            if runs := now.written or now.around:
                yield step, storage, [edge for run in runs for edge in run]


def _made_it(state: State, storage: StorageFacts) -> bool:
    """Whether a step made a storage and filled it. An older storage first appears as an input or through a name."""
    step = state.step
    if step.kind == "line" or storage.values is None:
        return False
    return step.category == "reallocated" or all(
        state.tensors[key].storage != storage.id for key in step.inputs if key in state.tensors
    )
