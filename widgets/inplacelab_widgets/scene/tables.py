"""The same state as plain tables: for those who do not see the picture, and where no picture can be shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.facts import NodeFacts, StorageFacts, Summary, TensorFacts
from inplacelab.recording.labels import gradient_flag, node_label, storage_label
from inplacelab.recording.recording import Recording, State
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Words
from inplacelab_widgets.scene.measure import number
from inplacelab_widgets.scene.names import dimensions, kind, node_name, tensor_name, unquoted
from inplacelab_widgets.scene.pins import pins_at

_MOST_VALUES = 16

Row = tuple[str, tuple[Words, ...]]
"""(key, cells): the key is the one that the same thing's marks have in the picture."""


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a state."""

    name: str
    title: Text
    columns: tuple[Words, ...]
    rows: tuple[Row, ...]


def tables(recording: Recording, state: State) -> tuple[Table, ...]:
    """The tables of one state: storages, tensors, what is saved, grad nodes."""
    flag = gradient_flag(recording.framework, asks=True).partition("=")[0]
    found = {
        "storages": _storages(state),
        "tensors": _tensors(state, recording.framework),
        "saved": _saved(state),
        "nodes": _nodes(state),
    }
    return tuple(
        Table(name, words.TABLES[name], tuple(column.format(flag=flag) for column in words.COLUMNS[name]), tuple(rows))
        for name, rows in found.items()
    )


def _storages(state: State) -> Iterable[Row]:
    for storage in state.storages.values():
        cells = (str(storage.bytes), storage.dtype, storage.device, f"v{storage.version}", _values(storage))
        yield f"s{storage.id}", (storage_label(storage.id), *cells)


def _values(storage: StorageFacts) -> Words:
    if storage.values is None:
        return words.NOT_RECORDED
    if isinstance(storage.values, Summary):
        low, high = number(storage.values.minimum), number(storage.values.maximum)
        return words.RANGE.format(minimum=low, maximum=high)
    shown = [number(value) for value in storage.values[:_MOST_VALUES]]
    return ", ".join([*shown, "…"] if len(storage.values) > _MOST_VALUES else shown)


def _tensors(state: State, framework: str) -> Iterable[Row]:
    for tensor in state.tensors.values():
        name: Words = ", ".join(tensor.names)
        if not tensor.names:
            name = Text("{0} ({1})", "{0}（{1}）").format(tensor_name(tensor.id, state.tensors), words.UNNAMED)
        flag = gradient_flag(framework, asks=tensor.needs_gradient).partition("=")[2]
        yield (
            f"t{tensor.id}",
            (name, *_layout(tensor), kind(tensor, state.tensors) or "", flag, _node_of(tensor, state)),
        )


def _layout(tensor: TensorFacts) -> tuple[str, ...]:
    where = storage_label(tensor.storage)
    return where, dimensions(tensor.shape), dimensions(tensor.strides), str(tensor.offset), tensor.dtype


def _node_of(tensor: TensorFacts, state: State) -> Words:
    return _called(state, tensor.node) if tensor.node is not None else ""


def _saved(state: State) -> Iterable[Row]:
    for (node, storage, version), face in pins_at(state).items():
        yield f"p{node}:{storage}:{version}", (face.owner, face.saved, storage_label(storage), face.state)


def _nodes(state: State) -> Iterable[Row]:
    for node in state.nodes.values():
        called = [_called(state, edge.to) for edge in node.edges]
        targets = Text(", ".join(name.en for name in called), "、".join(name.zh for name in called))
        line = str(node.line) if node.line is not None else ""
        yield f"n{node.id}", (node_name(state.nodes, node), line, targets, _status(node))


def _called(state: State, node: int) -> Text:
    return unquoted(node_label(state, state.nodes[node])) if node in state.nodes else Text("", "")


def _status(node: NodeFacts) -> Words:
    if node.status:
        return words.NODE_STATUS[node.status]
    return words.RELEASED if node.released else ""
