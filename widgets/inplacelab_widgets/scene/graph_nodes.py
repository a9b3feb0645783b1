"""Describes grad nodes over the steps: the kind of each one, its saved tensors, and its state in backward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from inplacelab.language import Text, enumerated
from inplacelab.recording.as_written import node_as_written
from inplacelab.recording.facts import NodeFacts, TensorFacts
from inplacelab.recording.naming import Naming
from inplacelab.recording.passes import running
from inplacelab.recording.recording import Recording, State, is_look
from inplacelab.recording.tensor_names import Called
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.changed_looks import step_changes
from inplacelab_widgets.scene.measure import Words
from inplacelab_widgets.scene.names import kept_names, node_names, unquoted
from inplacelab_widgets.scene.timeline import Life, followed

_UNDER_WAY = ("waiting", "arrived")
"""The states that a node has only during a backward pass."""


@dataclass(frozen=True, slots=True)
class NodeContent:
    """The text about a node after one step.

    Attributes:
        status: its state in backward: a `NodeStatus`, or "ready", "running", "calling" (code of the
            program's own) and "unreached".
        origin: the line and operation that made it, or the gradient that it fills.
        doing: its saved tensors, or what backward does with it.
        kept: the number of tensors that it still keeps.
    """

    status: str
    origin: Words
    doing: Text
    kept: int


@dataclass(frozen=True, slots=True)
class GradNode:
    """A grad node over the steps. `kind` is its class, `name` is unique; `pins` are the keys of all tensors that it ever saved."""

    id: int
    kind: str
    name: str
    line: int | None
    is_leaf: bool
    life: Life[NodeContent]
    pins: tuple[str, ...]


def grad_nodes(recording: Recording) -> list[GradNode]:
    """Returns all nodes of a recording, in the order of creation."""
    everyone = {key: node for step in recording.steps for key, node in step.nodes if node is not None}
    names = node_names(everyone)
    lines: dict[int, int] = {}  # the first of each: PyTorch makes the node of a view again when the view is used
    pins: dict[int, dict[str, None]] = {key: {} for key in everyone}
    for key, node in ((key, node) for step in recording.steps for key, node in step.nodes if node is not None):
        pins[key] |= {f"p{key}:{saved.storage}:{saved.version}": None for saved in node.saved}
        if node.line is not None:
            lines.setdefault(key, node.line)
    faces = followed(_faces(recording), len(recording) - 1)
    return [
        GradNode(key, facts.name, names[key], lines.get(key), facts.leaf is not None, faces[key], tuple(pins[key]))
        for key, facts in everyone.items()
    ]


def _faces(recording: Recording) -> Iterator[tuple[int, int, NodeContent | None]]:
    """Yields (step, node, face or None) wherever the text about a node changes."""
    leaves = _leaves(recording)
    live: dict[int, NodeFacts] = {}
    fillers: dict[int, int] = {}  # from a leaf to the node that fills its gradient
    shown: set[int] = set()
    failed = False
    for touch in step_changes(recording):
        state, step = touch.state, touch.state.step
        for key, node in step.nodes:
            if node is None:
                live.pop(key, None)
            else:
                live[key] = node
                fillers |= {} if node.leaf is None else {node.leaf: key}
        filling = (fillers[key] for key in touch.tensors if key in fillers)
        changed = dict.fromkeys((*(key for key, _ in step.nodes), *sorted(shown), *touch.keepers, *filling))
        moment = dict(_moment(recording, state, live))
        for key in dict.fromkeys((*changed, *moment, *(live if failed else ()))):
            face = _face(recording, state, live[key], leaves) if key in live else None
            if face and key in moment:
                status, doing = moment[key]
                face = replace(face, status=status, doing=doing)
            yield step.index, key, face
        shown = set(moment)
        failed = step.error is not None and step.phase == "backward"


def _moment(
    recording: Recording, state: State, live: Mapping[int, NodeFacts]
) -> Iterator[tuple[int, tuple[str, Text]]]:
    """The statuses of this step only: the node that runs, the tensor that it unpacks, the nodes that backward will not reach."""
    step = state.step
    if step.error is not None and step.phase == "backward":
        yield from ((key, ("unreached", words.NOT_REACHED)) for key, node in live.items() if node.status == "waiting")
    for key, node in step.nodes:
        if node is not None and node.status == "arrived":
            yield key, ("arrived", words.NODE_STATUS["arrived"])
    facts, call = step.backward, running(recording).get(step.index)
    if call is not None and step.error is None:
        doing = words.IN_HOOK if call.is_hook else words.IN_CUSTOM
        yield call.node, ("calling", doing.format(function=call.function))
    if facts is None or facts.node is None:
        return
    if facts.action == "run":
        yield facts.node, ("running", words.RUNS)
    elif facts.action == "unpack" and facts.found_at is not None:
        mark = "✓" if facts.kept_at == facts.found_at else "✗"
        saved = _unpacked(recording, state, facts.node, facts.saved)
        doing = words.UNPACKS.format(saved=saved, kept=facts.kept_at, found=facts.found_at, mark=mark)
        yield facts.node, ("unpacking", doing)


def _unpacked(recording: Recording, state: State, number: int, role: str | None) -> Text:
    """The name of the saved tensor that a node unpacks."""
    node = state.nodes.get(number)
    kept = [saved for saved in (node.saved if node else ()) if saved.name == role]
    return enumerated([unquoted(each.brief) for each in kept_names(recording, state, number, kept)])


def _leaves(recording: Recording) -> dict[int, TensorFacts]:
    """Each tensor as it was when it last had a name."""
    return {
        key: tensor for step in recording.steps for key, tensor in step.tensors if tensor is not None and tensor.names
    }


def _face(recording: Recording, state: State, node: NodeFacts, leaves: Mapping[int, TensorFacts]) -> NodeContent:
    if state.step.phase == "forward" and node.status in _UNDER_WAY:  # left by a pass that failed
        node = replace(node, status="")
    # A gradient arrives in one step; after that the node is ready until it runs.
    status = "ready" if node.status == "arrived" else node.status
    return NodeContent(
        status,
        _origin(recording, state, node, leaves),
        _doing(recording, state, node),
        0 if node.released else len(node.saved),
    )


def _origin(recording: Recording, state: State, node: NodeFacts, leaves: Mapping[int, TensorFacts]) -> Words:
    if node.leaf is not None:
        now, last = state.called(node.leaf), leaves.get(node.leaf)
        called = now if now.names or last is None else Called(node.leaf, last.names)
        return words.FILLS.format(tensor=called.first)
    op = node_as_written(recording, node.id, node)
    if is_look(recording):  # what made the node is not known: there is room for what it keeps
        return words.RELEASED if node.released else _keeps(recording, state, node)
    if node.line is None:
        # A gradient that can be differentiated again has nodes that no operation of the program made.
        return op or words.MADE_BY_BACKWARD
    return Text("{0} · {1}", "{0} · {1}").format(words.LINE.format(line=node.line), op)


def _doing(recording: Recording, state: State, node: NodeFacts) -> Text:
    if node.status:
        return words.NODE_STATUS[node.status]
    if is_look(recording) and node.leaf is None:
        return Text("", "")
    return words.RELEASED if node.released else _keeps(recording, state, node)


def _keeps(recording: Recording, state: State, node: NodeFacts) -> Text:
    if is_look(recording) and not terms_of(recording).shows_saved:
        return Text("", "")
    kept = [_keeping(state, each) for each in kept_names(recording, state, node.id, node.saved)]
    if kept:
        return words.KEEPS.format(saved=enumerated(kept))
    # The notes of a look say what is left out, which may be what this node has saved.
    return Text("", "") if is_look(recording) and recording.notes and node.leaf is None else words.KEEPS_NOTHING


def _keeping(state: State, kept: Naming) -> Text:
    """The saved tensors and their versions. A stale one is marked immediately, not only when backward unpacks it."""
    first = kept.saved[0]
    saved_text = words.SAVED_AT.format(names=unquoted(kept.brief), version=first.version)
    return words.KEEPS_STALE.format(saved=saved_text) if state.is_stale(first) else saved_text
