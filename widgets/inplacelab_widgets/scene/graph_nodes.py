"""Grad nodes drawn as boxes: what each one is, what it keeps, where backward stands with it, whose history it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.facts import NodeFacts, NodeStatus, TensorFacts
from inplacelab.recording.recording import Recording, State
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Look, Mark, Words, between, flashes, lasting, rect, runs, text
from inplacelab_widgets.scene.measure import SMALL, numbers, shortened, widest, width_of
from inplacelab_widgets.scene.names import node_name, tensor_name
from inplacelab_widgets.scene.timeline import Life, lives

HEIGHT = 52.0
ABOVE = 18.0
"""Room above a node for the names of the tensors that it made."""
BELOW = 16.0
"""Room below a node for the gradient that arrived."""
PAD = 10.0
_CHIP = 15.0


@dataclass(frozen=True, slots=True)
class Face:
    """What a node's box says at one moment."""

    status: NodeStatus
    second: Words
    third: Text

    @property
    def outline(self) -> str:
        return f"node {self.status}".rstrip()

    @property
    def tone(self) -> str:
        return {"failed": "text alarm", "": "text soft"}.get(self.status, "text")


@dataclass(frozen=True, slots=True)
class GradNode:
    """A grad node over the steps. `kind` is its class, `name` tells it from others; `pins` are the keys of what it ever kept."""

    id: int
    kind: str
    name: str
    is_leaf: bool
    life: Life[Face]
    pins: tuple[str, ...]

    @property
    def width(self) -> float:
        lines = [line for face in self.life.every() for line in (face.second, face.third)]
        return round(max(width_of(self.name, SMALL), widest(lines, SMALL)) + 2 * PAD, 1)


@dataclass(frozen=True, slots=True)
class Box:
    """Where a node stands."""

    node: GradNode
    x: float
    y: float

    @property
    def middle(self) -> float:
        return self.y + HEIGHT / 2

    @property
    def right(self) -> float:
        return self.x + self.node.width


def grad_nodes(recording: Recording) -> list[GradNode]:
    """All nodes of a recording, in the order in which they were made."""
    everyone = {key: node for state in recording.states() for key, node in state.nodes.items()}
    leaves = _leaves(recording)
    faces = lives(recording, lambda state: {key: _face(node, leaves) for key, node in state.nodes.items()})
    pins = lives(
        recording, lambda state: {(node.id, kept): True for node in state.nodes.values() for kept in node.saved}
    )
    return [
        GradNode(
            key,
            everyone[key].name,
            node_name(everyone, everyone[key]),
            everyone[key].leaf is not None,
            life,
            tuple(dict.fromkeys(f"p{key}:{kept.storage}:{kept.version}" for node, kept in pins if node == key)),
        )
        for key, life in faces.items()
    ]


def _leaves(recording: Recording) -> dict[int, TensorFacts]:
    """Each tensor as it was when it last had a name."""
    return {key: tensor for state in recording.states() for key, tensor in state.tensors.items() if tensor.names}


def _face(node: NodeFacts, leaves: Mapping[int, TensorFacts]) -> Face:
    return Face(node.status, _origin(node, leaves), _doing(node))


def _origin(node: NodeFacts, leaves: Mapping[int, TensorFacts]) -> Words:
    if node.leaf is not None:
        return words.FILLS.format(tensor=tensor_name(node.leaf, leaves))
    if node.line is None:
        return node.op
    return Text("{0} · {1}", "{0} · {1}").format(words.LINE.format(line=node.line), node.op)


def _doing(node: NodeFacts) -> Text:
    if node.status:
        return words.NODE_STATUS[node.status]
    if node.released:
        return words.RELEASED
    kept = ", ".join(f"{saved.name} @ v{saved.version}" for saved in node.saved)
    return words.KEEPS.format(saved=kept) if kept else words.KEEPS_NOTHING


def box_marks(box: Box) -> list[Mark]:
    """A node's box with its three lines, and a tag in the step that made it."""
    node = box.node
    moments, first, last, keys = node.life.moments, node.life.first, node.life.last, (f"n{node.id}",)
    born = Look(f"node new {moments[0][1].status}".rstrip())
    looks = [(step, born if step == first else Look(face.outline), Look(face.outline)) for step, face in moments]
    radius = HEIGHT / 2 - 6 if node.is_leaf else 5
    second = lasting(((step, Look("text soft", face.second)) for step, face in moments), last)
    third = lasting(((step, Look(face.tone, face.third)) for step, face in moments), last)
    left = round(box.x + PAD, 1)
    return [
        rect(box.x, box.y, node.width, HEIGHT, flashes(looks, last), radius, keys=keys, links=node.pins),
        text(left, box.y + 16, between(first, last, Look("text bold", node.name)), keys=keys),
        text(left, box.y + 30, second, keys=keys),
        text(left, box.y + 44, third, keys=keys),
        text(round(box.right, 1), box.y - 4, between(first, first, Look("text tiny bold end", words.NEW)), keys=keys),
    ]


def gradient_marks(recording: Recording, boxes: Mapping[int, Box]) -> list[Mark]:
    """Below each node the gradient that arrived, until the program goes on after backward or the node is gone."""
    looks: dict[int, list[tuple[int, Look | None]]] = {}
    for step in recording.steps:
        facts = step.backward
        gone = {key for key, node in step.nodes if node is None}
        for key in looks if step.phase == "forward" else looks.keys() & gone:
            looks[key].append((step.index, None))
        if step.phase == "forward":
            continue
        if facts and facts.node is not None and facts.node in boxes and facts.gradient is not None:
            shown = "● " + numbers(facts.gradient, boxes[facts.node].node.width - 2 * SMALL)
            looks.setdefault(facts.node, []).append((step.index, Look("text", shown)))
    return [
        text(boxes[key].x, boxes[key].y + HEIGHT + 12.5, runs(found), keys=(f"n{key}",)) for key, found in looks.items()
    ]


def history_marks(recording: Recording, boxes: Mapping[int, Box]) -> list[Mark]:
    """Above each node the tensors that it made; for one step also those whose history has just moved on."""
    frames: dict[int, list[tuple[int, Look | None]]] = {key: [] for key in boxes}
    labels: dict[int, list[tuple[int, Look | None]]] = {key: [] for key in boxes}
    shown: set[int] = set()
    for state in recording.states():
        owners = {key: owned for key, owned in _owners(state).items() if key in boxes}
        for key in shown - owners.keys():
            frames[key].append((state.step.index, None))
            labels[key].append((state.step.index, None))
        for key, (is_now, names) in owners.items():
            said = shortened(", ".join(names), boxes[key].node.width - 50)
            room = (("width", width_of(said, SMALL) + 12),)
            frames[key].append((state.step.index, Look("chip now-line" if is_now else "chip ghost", None, room)))
            labels[key].append((state.step.index, Look("text bold" if is_now else "text soft italic", said)))
        shown = set(owners)
    return [mark for key, box in boxes.items() if frames[key] for mark in _chip_marks(box, frames[key], labels[key])]


def _chip_marks(box: Box, frames: list[tuple[int, Look | None]], labels: list[tuple[int, Look | None]]) -> list[Mark]:
    keys, top = (f"n{box.node.id}",), box.y - _CHIP + 3.5
    place = (("x", round(box.x + 8, 1)), ("y", top), ("height", _CHIP), ("rx", _CHIP / 2))
    return [Mark("rect", place, runs(frames), keys), text(round(box.x + 14, 1), top + 11.5, runs(labels), keys=keys)]


def _owners(state: State) -> dict[int, tuple[bool, list[str]]]:
    """For each node the tensors whose history it is (True), or was until this step (False)."""
    owners: dict[int, tuple[bool, list[str]]] = {}
    for tensor in state.tensors.values():
        if tensor.node is not None:
            names = tensor.names or (tensor_name(tensor.id, state.tensors),)
            owners.setdefault(tensor.node, (True, []))[1].extend(names)
    for rewired in state.step.rewired:
        if rewired.before is not None and not owners.get(rewired.before, (False,))[0]:
            left = owners.setdefault(rewired.before, (False, []))
            left[1].append(tensor_name(rewired.tensor, state.tensors))
    return owners
