"""Tabulates a state, for screen readers and where no picture can be shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from typing import TypeVar

from inplacelab.language import Text, enumerated
from inplacelab.recording.facts import NodeFacts, Step, StorageFacts, Summary, TensorFacts
from inplacelab.recording.naming import edge_names, is_constant, storage_label
from inplacelab.recording.numerals import whole
from inplacelab.recording.recording import Recording, State
from inplacelab.supported import Terms, terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.names import (
    dimensions,
    extremes,
    has_sources,
    kind,
    line_of,
    maker,
    node_name,
    not_yet,
    passed_name,
)
from inplacelab_widgets.scene.saved_tensors import Key, PinContent, pin_changes, pins_at
from inplacelab_widgets.scene.text_layout import Words, size_in_bytes
from inplacelab_widgets.scene.timeline import step_changes

_MOST_VALUES = 16
_MOST_ENDS = 4

_TELL = {
    "storages": ("storages", "tensors", "saved"),
    "elements": ("tensors",),
    "graph": ("saved", "nodes"),
    "lanes": ("storages", "saved"),
    "memory": ("memory",),
}
"""The tables with the content of each panel."""

_Facts = TypeVar("_Facts", StorageFacts, TensorFacts, NodeFacts)

Row = tuple[str, tuple[Words, ...]]
"""(key, cells): the key is the one that the object's marks have in the picture."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a state."""

    name: str
    title: Text
    columns: tuple[Words, ...]
    rows: tuple[Row, ...]


def tables(recording: Recording, state: State) -> tuple[Table, ...]:
    """Returns the tables of one state: storages, tensors, saved tensors, grad nodes, bytes."""
    framework = terms_of(recording)
    found = {
        "storages": map(partial(_storage, state, framework), state.storages.values()),
        "tensors": map(partial(_tensor, recording, state), state.tensors.values()),
        "saved": starmap(_pin, pins_at(recording, state).items()),
        "nodes": map(partial(_node, recording, state), state.nodes.values()),
        "memory": _bytes(state.step),
    }
    return tuple(
        Table(name, framework.in_framework_words(words.TABLES[name]), _columns(name, framework), tuple(rows))
        for name, rows in found.items()
        if framework.has_gradients or name not in _OF_GRADIENTS
    )


_OF_GRADIENTS = ("saved", "nodes")


def _columns(table: str, framework: Terms) -> tuple[Words, ...]:
    columns = (each for each in words.COLUMNS[table] if framework.has_gradients or each not in words.OF_GRADIENTS)
    return tuple(
        framework.in_framework_words(column).format(flag=framework.flag, version=framework.version)
        for column in columns
    )


def tables_of_panels(panels: Iterable[str], found: Iterable[Table]) -> tuple[Table, ...]:
    """Returns the tables with the content of these panels."""
    wanted = {name for panel in panels for name in _TELL.get(panel, ())}
    return tuple(table for table in found if table.name in wanted)


def table_changes(recording: Recording) -> dict[str, list[tuple[int, str, tuple[Words, ...] | None]]]:
    """Returns for each table (step, key, cells) wherever a step may change a row; None where the row ends."""
    changes: dict[str, list[tuple[int, str, tuple[Words, ...] | None]]] = {name: [] for name in words.TABLES}
    for touch in step_changes(recording):
        state, framework = touch.state, terms_of(recording)
        rows: dict[str, Iterable[tuple[str, Row | None]]] = {
            "storages": _rows("s", touch.storages, state.storages, partial(_storage, state, framework)),
            "tensors": _rows("t", touch.tensors, state.tensors, partial(_tensor, recording, state)),
            "nodes": _rows("n", touch.nodes, state.nodes, partial(_node, recording, state)),
        }
        for name, found in rows.items():
            changes[name] += [(state.step.index, key, row[1] if row else None) for key, row in found]
    changes["saved"] = [
        (index, _pin_key(pin), None if face is None else _pin(pin, face)[1])
        for index, pin, face in pin_changes(recording)
    ]
    changes["memory"] = [(step.index, key, cells) for step in recording.steps for key, cells in _bytes(step)]
    return changes


def _rows(
    letter: str, keys: Iterable[int], found: Mapping[int, _Facts], row: Callable[[_Facts], Row]
) -> Iterable[tuple[str, Row | None]]:
    return ((f"{letter}{key}", row(found[key]) if key in found else None) for key in keys)


def _storage(state: State, framework: Terms, storage: StorageFacts) -> Row:
    size = words.CONSTANT if is_constant(storage) else f"{storage.bytes:,}"
    cells = (size, storage.dtype, storage.device, framework.label(*state.versions(storage.id)), _values(storage))
    return f"s{storage.id}", (storage_label(storage.id), *cells)


def _values(storage: StorageFacts) -> Words:
    if storage.values is None:
        return words.NOT_RECORDED
    if isinstance(storage.values, Summary):
        return extremes(storage) if storage.values.minimum is not None else _ends(storage.values)
    shown = [whole(value) for value in storage.values[:_MOST_VALUES]]
    return ", ".join([*shown, "…"] if len(storage.values) > _MOST_VALUES else shown)


def _ends(values: Summary) -> Words:
    """The first and the last values of a large storage whose extremes were not measured."""
    if not values.head:
        return words.NOT_RECORDED
    return ", ".join([*map(whole, values.head[:_MOST_ENDS]), "…", *map(whole, values.tail[-_MOST_ENDS:])])


def _tensor(recording: Recording, state: State, tensor: TensorFacts) -> Row:
    called, framework = state.called(tensor.id), terms_of(recording)
    name: Words = enumerated([Text(name, name) for name in called.shown])
    if not called.bound:
        name = Text("{0} ({1})", "{0}（{1}）").format(name, not_yet(recording, called) or words.UNNAMED)
    what = kind(recording, tensor, state) or ""
    cells: tuple[Words, ...] = (name, *_layout(tensor), what, maker(recording, tensor.id))
    if framework.has_gradients:
        cells += framework.flagged(asks=tensor.needs_gradient).partition("=")[2], _node_of(recording, state, tensor)
    return f"t{tensor.id}", cells


def _layout(tensor: TensorFacts) -> tuple[str, ...]:
    where = storage_label(tensor.storage)
    return where, dimensions(tensor.shape), dimensions(tensor.strides), str(tensor.offset), tensor.dtype


def _node_of(recording: Recording, state: State, tensor: TensorFacts) -> Words:
    return _called(recording, state, tensor.node) if tensor.node is not None else ""


def _pin_key(pin: Key) -> str:
    return "p{}:{}:{}".format(*pin)


def _pin(pin: Key, face: PinContent) -> Row:
    saved = Text("{0} ({1})", "{0}（{1}）").format(face.saved, face.attributes) if face.attributes else face.saved
    return _pin_key(pin), (face.owner, saved, storage_label(pin[1]), face.state)


def _node(recording: Recording, state: State, node: NodeFacts) -> Row:
    ways = Counter(edge.to for edge in node.edges)
    targets = enumerated([_way(recording, state, node.id, to, several) for to, several in ways.items()])
    line: Words = (
        "" if node.place is None else line_of(recording, node.place) if has_sources(recording) else str(node.line)
    )
    name = f"{node.name} #{node.id}" if state.has_namesake(node) else node.name
    return f"n{node.id}", (name, line, targets, _status(node))


def _way(recording: Recording, state: State, node: int, to: int, several: int) -> Text:
    """The node that gradients go to, and the tensors they belong to: "ScaleGradNode (line 3): h ×2" if `h` was both operands."""
    passed = edge_names(recording).get((node, to))
    parts = [passed_name(passed, state)] if passed else []
    parts += [f"×{several}"] if several > 1 else []
    target = _called(recording, state, to)
    return Text("{0}: {1}", "{0}：{1}").format(target, " ".join(parts)) if parts else target


def _bytes(step: Step) -> tuple[Row, ...]:
    counts = {"live": step.live, "peak": step.peak}
    return tuple((f"b:{name}", (words.BYTES[name], size_in_bytes(count))) for name, count in counts.items())


def _called(recording: Recording, state: State, node: int) -> Text:
    return node_name(recording, state, state.nodes[node]) if node in state.nodes else Text("", "")


def _status(node: NodeFacts) -> Words:
    if node.status:
        return words.NODE_STATUS[node.status]
    return words.RELEASED if node.released else ""
