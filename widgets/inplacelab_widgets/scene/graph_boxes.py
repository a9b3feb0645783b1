"""Draws the boxes of the graph: the text of each over the steps, whether it has one grad node or many.

A box may show several nodes in turn (a loop makes the same node again and again, and each is freed before the next is
made), or several at the same time, when a large graph is folded. A folded box names the node that is active now, so that
folding hides nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from operator import attrgetter

from inplacelab.language import LANGUAGES, Text, enumerated
from inplacelab.place import Place
from inplacelab.recording.code_of_steps import node_code
from inplacelab.recording.facts import NodeFacts, TensorFacts
from inplacelab.recording.places import line_of
from inplacelab.recording.recording import Called, Recording, State, is_look
from inplacelab.recording.relations import running
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.names import has_sources, kept_names, source_name, unquoted
from inplacelab_widgets.scene.names import line_of as line_label
from inplacelab_widgets.scene.svg import Look, Mark, rect, runs, text
from inplacelab_widgets.scene.text_layout import SMALL, Words, coordinate, shortened, widest, width_of
from inplacelab_widgets.scene.timeline import Life, followed, gatherings, step_changes

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
    """A grad node over the steps. `kind` is its class, `name` is unique; `tag` is said in its first step; `file` is the name of the text in which it
    was made, if there are several; `pins` are the keys of all tensors that it ever saved.
    """

    id: int
    kind: str
    name: str
    place: Place | None
    tag: Text
    file: Text
    is_leaf: bool
    life: Life[NodeContent]
    pins: tuple[str, ...]


def grad_nodes(recording: Recording) -> list[GradNode]:
    """Returns all nodes of a recording, in the order of creation."""
    everyone = {key: node for step in recording.steps for key, node in step.nodes if node is not None}
    # A number only where another node of the same line has the same class.
    alike = Counter((node.name, line_of(node.place)) for node in everyone.values())
    names = {
        key: f"{node.name} #{key}" if alike[node.name, line_of(node.place)] > 1 else node.name
        for key, node in everyone.items()
    }
    places: dict[int, Place] = {}  # the first of each: PyTorch makes the node of a view again when the view is used
    pins: dict[int, dict[str, None]] = {key: {} for key in everyone}
    for key, node in ((key, node) for step in recording.steps for key, node in step.nodes if node is not None):
        pins[key] |= {f"p{key}:{saved.storage}:{saved.version}": None for saved in node.saved}
        if node.place is not None:
            places.setdefault(key, node.place)
    faces = followed(_faces(recording), len(recording) - 1)
    return [
        GradNode(
            key, facts.name, names[key], places.get(key), *_made_at(recording, places.get(key)),
            facts.leaf is not None, faces[key], tuple(pins[key]),
        )
        for key, facts in everyone.items()
    ]  # fmt: skip


def _made_at(recording: Recording, place: Place | None) -> tuple[Text, Text]:
    """The tag of a new node, and the name of the text in which it was made, if there are several."""
    if place is None:
        return words.NEW, Text("", "")
    file = source_name(recording, place.source) if has_sources(recording) else Text("", "")
    return words.NEW_AT.format(place=line_label(recording, place)), file


def _faces(recording: Recording) -> Iterator[tuple[int, int, NodeContent | None]]:
    """Yields (step, node, face or None) wherever the text about a node changes."""
    # Each leaf as it was when it last had a name.
    named = (each for step in recording.steps for each in step.tensors)
    leaves = {key: tensor for key, tensor in named if tensor is not None and tensor.names}
    live: dict[int, NodeFacts] = {}
    fillers: dict[int, int] = {}  # from a leaf to the node that fills its gradient
    shown: set[int] = set()
    failed = False
    for touch in step_changes(recording):
        state, step = touch.state, touch.state.step
        for key, node in step.nodes:
            live.pop(key, None)
            if node is not None:
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
        unpacking = state.nodes.get(facts.node)
        kept = [saved for saved in (unpacking.saved if unpacking else ()) if saved.name == facts.saved]
        names = enumerated([unquoted(each.brief) for each in kept_names(recording, state, facts.node, kept)])
        mark = "✓" if facts.kept_at == facts.found_at else "✗"
        doing = words.UNPACKS.format(saved=names, kept=facts.kept_at, found=facts.found_at, mark=mark)
        yield facts.node, ("unpacking", doing)


def _face(recording: Recording, state: State, node: NodeFacts, leaves: Mapping[int, TensorFacts]) -> NodeContent:
    if state.step.phase == "forward" and node.status in _UNDER_WAY:  # left by a pass that failed
        node = replace(node, status="")
    # A gradient arrives in one step; after that the node is ready until it runs.
    status = "ready" if node.status == "arrived" else node.status
    origin, count = _origin(recording, state, node, leaves), 0 if node.released else len(node.saved)
    if node.status:
        doing = words.NODE_STATUS[node.status]
    elif is_look(recording) and node.leaf is None:
        doing = Text("", "")
    else:
        doing = _keeps(recording, state, node)
    return NodeContent(status, origin, doing, count)


def _origin(recording: Recording, state: State, node: NodeFacts, leaves: Mapping[int, TensorFacts]) -> Words:
    if node.leaf is not None:
        now, last = state.called(node.leaf), leaves.get(node.leaf)
        called = now if now.names or last is None else Called(node.leaf, last.names)
        return words.FILLS.format(tensor=called.first)
    op = node_code(recording, node.id, node)
    if is_look(recording):  # what made the node is not known: there is room for what it keeps
        return _keeps(recording, state, node)
    if node.place is None:
        # A gradient that can be differentiated again has nodes that no operation of the program made.
        return op or words.MADE_BY_BACKWARD
    return Text("{0} · {1}", "{0} · {1}").format(line_label(recording, node.place), op)


def _keeps(recording: Recording, state: State, node: NodeFacts) -> Text:
    """The saved tensors and their versions. A stale one is marked immediately, not only when backward unpacks it."""
    if node.released:
        return words.RELEASED
    if is_look(recording) and not terms_of(recording).shows_saved:
        return Text("", "")
    kept = []
    for each in kept_names(recording, state, node.id, node.saved):
        said = words.SAVED_AT.format(names=unquoted(each.brief), version=each.saved[0].version)
        kept.append(words.KEEPS_STALE.format(saved=said) if state.is_stale(each.saved[0]) else said)
    if kept:
        return words.KEEPS.format(saved=enumerated(kept))
    # The notes of a look say what is left out, which may be what this node has saved.
    return Text("", "") if is_look(recording) and recording.notes and node.leaf is None else words.KEEPS_NOTHING


# --- boxes ------------------------------------------------------------------------------------------------------------

HEIGHT = 52.0
ABOVE = 18.0
"""Room above a box for the names of the tensors that its nodes made."""
BELOW = 16.0
"""Room below a box for the gradient that arrived."""
PAD = 10.0
_SIZE_OF_TAG = 9
_ROOM_FOR_TAG = width_of(words.NEW_AT.format(place=words.LINE.format(line=999)), _SIZE_OF_TAG) + 22
"""Beside the names of the tensors above a box: the tag of a new node."""
_ROOM_FOR_NAMES = 46.0
_ROOM_FOR_KINDS = 190.0
_MOST_TEXTS = 2
"""Of so many of the program's texts, a folded box names the lines."""

_URGENT = ("failed", "unpacking", "calling", "running", "arrived")
"""The states of its nodes that a folded box shows first."""


@dataclass(frozen=True, slots=True)
class BoxState:
    """The content of a box after one step: three lines, a tag above it, and the part that backward has done (0 to 1)."""

    outline: str
    first: str | Text
    second: Words
    third: Text
    tag: Text | None = None
    done: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Content:
    """The nodes of a box and its state over the steps; None where none of its nodes exists."""

    members: tuple[GradNode, ...]
    shows: tuple[tuple[int, BoxState | None], ...]
    is_folded: bool
    width: float
    room_for_tag: float
    keys: tuple[str, ...]
    links: tuple[str, ...]
    is_leaf: bool


@dataclass(eq=False)
class Box:
    """A box with its position. Boxes are compared by identity."""

    content: Content
    x: float
    y: float

    def __post_init__(self) -> None:
        self.middle, self.right = self.y + HEIGHT / 2, self.x + self.content.width


# --- the text of a box-------------------------------------------------------------------------------------------------


_STATUS = attrgetter("status")

Shows = list[tuple[int, BoxState | None]]


def in_turn(members: tuple[GradNode, ...]) -> Content:
    """Returns the content of a box for nodes that never live at the same time."""
    by_id = {node.id: node for node in members}
    shows: Shows = []
    for step, alive, born in gatherings({node.id: node.life for node in members}):
        state = None
        for key, face in [*alive.items()][:1]:
            node, is_new = by_id[key], key in born
            outline, tag = _outline(face.status, new=is_new), node.tag if is_new else None
            state = BoxState(outline, node.name, face.origin, face.doing, tag)
        shows.append((step, state))
    return _content(members, shows, is_folded=False)


def folded(members: tuple[GradNode, ...], turn: int | None, turns: int) -> Content:
    """Returns the content of a box for nodes that are folded together; `turn` and `turns` as in `graph_layout.Fold`."""
    crowd = _Crowd({node.id: node for node in members})
    in_a_turn = {kind: count / turns for kind, count in Counter(node.kind for node in members).items()}
    shows: Shows = []
    for step, alive, born in gatherings({node.id: node.life for node in members}):
        state = None
        if alive:
            crowd.follow(alive)
            state = _many(crowd, alive, born, turn, in_a_turn if turn is None and turns > 1 else {}, turns)
        shows.append((step, state))
    return _content(members, shows, is_folded=True)


def _content(members: tuple[GradNode, ...], shows: Shows, *, is_folded: bool) -> Content:
    lines = {line for _, shown in shows if shown for line in (shown.first, shown.second, shown.third)}
    room_for_tag = max(_ROOM_FOR_TAG, widest({shown.tag for _, shown in shows if shown}, _SIZE_OF_TAG) + 22)
    width = max(widest(lines, SMALL) + 2 * PAD, room_for_tag + _ROOM_FOR_NAMES)
    keys, links = tuple(f"n{node.id}" for node in members), tuple(pin for node in members for pin in node.pins)
    is_leaf = all(node.is_leaf for node in members)
    return Content(members, tuple(shows), is_folded, round(width, 1), room_for_tag, keys, links, is_leaf)


def _outline(status: str, *, new: bool) -> str:
    return " ".join(["node", *(["new"] if new else []), *([status] if status else [])])


def _many(
    crowd: _Crowd,
    alive: Mapping[int, NodeContent],
    born: frozenset[int],
    turn: int | None,
    in_a_turn: Mapping[str, float],
    turns: int,
) -> BoxState:
    """The state of a box of many nodes. `in_a_turn`: the number of each kind in a turn, if all turns share the box."""
    count, kinds, lines = len(alive), crowd.kinds, crowd.lines
    named = _short_names(tuple(kinds))
    if in_a_turn:
        so_far = max((ceil(number / in_a_turn[kind]) for kind, number in kinds.items()), default=1)
        first = words.REPEATED.format(turns=so_far, kinds=named)
        second = _side_by_side(words.NODES.format(count=count), lines)
    else:
        first = words.NODES_OF.format(count=count, kinds=named)
        second = lines if turn is None else _side_by_side(lines, words.TURN.format(turn=turn, turns=turns))
    newest = crowd.nodes[max(born)] if born else None
    counts = Counter(map(_STATUS, alive.values()))
    status, third = _news(crowd.nodes, alive, counts, newest)
    done = counts["done"] + counts["running"]
    in_backward = counts[""] < count
    tag = newest.tag if newest else None
    return BoxState(
        _outline(status, new=newest is not None), first, second, third, tag, done / count if in_backward else None
    )


def _side_by_side(one: Text, other: Text) -> Text:
    """Two texts with a dot between them; the lines of nodes may not be known."""
    return Text("{0} · {1}", "{0} · {1}").format(one, other) if one.en and other.en else one + other


@cache
def _short_names(kinds: tuple[str, ...]) -> str:
    return shortened(", ".join(map(_short, kinds)), _ROOM_FOR_KINDS)


def _short(name: str) -> str:
    """A name without the parts that the names of all nodes have."""
    return name.replace("GradNode", "").replace("Backward0", "")


class _Crowd:
    """The nodes of a folded box, and what those that are alive have in common."""

    def __init__(self, nodes: Mapping[int, GradNode]) -> None:
        self.nodes = nodes
        self.kinds: dict[str, int] = {}
        """The number of nodes of each kind, in the order of their first node, without the nodes of leaves."""
        self._lines: dict[tuple[str, str], set[int]] = {}
        """The lines that made them, in each of the program's texts."""
        self._alive: set[int] = set()

    def follow(self, alive: Mapping[int, NodeContent]) -> None:
        """Follows a change of the nodes that are alive."""
        come = sorted(alive.keys() - self._alive)
        if len(self._alive) + len(come) > len(alive) or (come and self._alive and come[0] < max(self._alive)):
            self.kinds, self._lines, self._alive, come = {}, {}, set(), sorted(alive)
        self._alive.update(come)
        for node in map(self.nodes.__getitem__, come):
            if not node.is_leaf:
                self.kinds[node.kind] = self.kinds.get(node.kind, 0) + 1
            if node.place is not None:
                self._lines.setdefault((node.file.en, node.file.zh), set()).add(node.place.line)

    @property
    def lines(self) -> Text:
        """The lines that made them, in words."""
        said = [_between(Text(*file), min(lines), max(lines)) for file, lines in self._lines.items()]
        if len(said) > _MOST_TEXTS:
            said[_MOST_TEXTS:] = [Text("…", "…")]
        en, zh = (", ".join(each.in_language(language) for each in said) for language in LANGUAGES)
        return Text(en, zh)


def _between(file: Text, first: int, last: int) -> Text:
    """The lines of one text: "lines 3–7", "model.py:3–7"."""
    if file.en:
        return Text("{0}:{1}", "{0}:{1}").format(file, first if first == last else f"{first}–{last}")
    return words.LINE.format(line=first) if first == last else words.LINES.format(first=first, last=last)


def _news(
    nodes: Mapping[int, GradNode], alive: Mapping[int, NodeContent], counts: Mapping[str, int], newest: GradNode | None
) -> tuple[str, Text]:
    """The status and the text of a folded box: those of the active node, or of all its nodes."""
    status = next((status for status in _URGENT if status in counts), "")
    if status:
        key = next(key for key, face in alive.items() if face.status == status)
    elif newest is not None:
        key = newest.id
    else:
        return _summary(alive, counts)
    return status, words.NODE_IS.format(name=_short(nodes[key].name), status=alive[key].doing)


def _summary(alive: Mapping[int, NodeContent], counts: Mapping[str, int]) -> tuple[str, Text]:
    count, done = len(alive), counts.get("done", 0)
    if counts.get("waiting") == count:
        return "waiting", words.ALL_WAITING
    if counts.get("unreached") == count:
        return "unreached", words.NOT_REACHED
    if counts.get("") != count:
        status = "done" if done == count else "ready" if "ready" in counts else "waiting"
        return status, words.SOME_DONE.format(done=done, count=count)
    kept = sum(face.kept for face in alive.values())
    return "", words.KEEPS_SOME.format(count=kept) if kept else words.KEEPS_NOTHING


# --- how it is drawn ----------------------------------------------------------------------------------------------------


def box_marks(box: Box) -> list[Mark]:
    """Draws a box with its three lines, a tag in the step that made a node, and a second border while one runs."""
    content = box.content
    parts: tuple[list[tuple[int, Look | None]], ...] = ([], [], [], [], [], [], [])
    for step, shown in content.shows:
        looks = _box_looks(box, shown) if shown else (None,) * len(parts)
        for part, look in zip(parts, looks, strict=True):
            part.append((step, look))
    frames, inner, progress, first, second, third, tags = map(runs, parts)
    keys, left, width = content.keys, round(box.x + PAD, 1), content.width
    radius = HEIGHT / 2 - 6 if content.is_leaf else 5
    marks = [
        rect(box.x, box.y, width, HEIGHT, frames, radius, keys=keys, links=content.links),
        rect(box.x + 3.5, box.y + 3.5, width - 7, HEIGHT - 7, inner, max(radius - 3, 2), keys=keys),
        Mark("path", (), progress, keys),
        text(left, box.y + 16, first, keys=keys),
        text(left, box.y + 30, second, keys=keys),
        text(left, box.y + 44, third, keys=keys),
        text(round(box.right, 1), box.y - 4, tags, keys=keys),
    ]
    return [mark for mark in marks if mark.runs]


def _box_looks(box: Box, shown: BoxState) -> tuple[Look | None, ...]:
    """How the parts of a box look: its border, the second one, its progress, its three lines, and its tag."""
    status = shown.outline.split()
    third = {"failed": "text alarm", "node": "text soft", "unreached": "text soft"}.get(status[-1], "text")
    styles = ["text bold", "text soft", third]
    if "unreached" in status:  # soft and not transparent: faded text must stay readable
        styles = [style if "soft" in style else f"{style} soft" for style in styles]
    lines = [Look(style, said) for style, said in zip(styles, (shown.first, shown.second, shown.third), strict=True)]
    bar = None
    if shown.done:  # along the lower edge of a folded box, for the part of its nodes that backward has done
        length = coordinate((box.content.width - 8) * shown.done)
        d = f"M{coordinate(box.x + 4)} {coordinate(box.y + HEIGHT - 2)}h{length}"
        bar = Look("progress", None, (("d", d),))
    inner = Look("inner") if "running" in status else None
    return Look(shown.outline), inner, bar, *lines, Look("text tiny bold end", shown.tag) if shown.tag else None
