"""Draws the boxes of the graph: the text of each over the steps, whether it has one grad node or many.

A box may show several nodes in turn (a loop makes the same node again and again, and each is freed before the next is
made), or several at the same time, when a large graph is folded. A folded box has the name of the module or function that made them, and the
parameters that they lead to; it names the node that is active now, so that folding hides nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import inf
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
        stale: how many of these are stale.
    """

    status: str
    origin: Words
    doing: Text
    kept: int
    stale: int


@dataclass(frozen=True, slots=True)
class GradNode:
    """A grad node over the steps. `kind` is its class, `name` is unique; `tag` is said in its first step; `file` is the name of the text in which it
    was made, if there are several; `leaf` has the names of the leaf whose gradient it fills; `pins` are the keys of all tensors that it ever saved.
    """

    id: int
    kind: str
    name: str
    place: Place | None
    tag: Text
    file: Text
    is_leaf: bool
    leaf: tuple[str, ...]
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
    faces, leaves = followed(_faces(recording), len(recording) - 1), _named_tensors(recording)
    return [
        GradNode(
            key, facts.name, names[key], places.get(key), *_made_at(recording, places.get(key)), facts.leaf is not None,
            leaves[facts.leaf].names if facts.leaf in leaves else (), faces[key], tuple(pins[key]),
        )
        for key, facts in everyone.items()
    ]  # fmt: skip


def _named_tensors(recording: Recording) -> dict[int, TensorFacts]:
    """Each tensor as it was when it last had a name."""
    named = (each for step in recording.steps for each in step.tensors)
    return {key: tensor for key, tensor in named if tensor is not None and tensor.names}


def _made_at(recording: Recording, place: Place | None) -> tuple[Text, Text]:
    """The tag of a new node, and the name of the text in which it was made, if there are several."""
    if place is None:
        return words.NEW, Text("", "")
    file = source_name(recording, place.source) if has_sources(recording) else Text("", "")
    return words.NEW_AT.format(place=line_label(recording, place)), file


def _faces(recording: Recording) -> Iterator[tuple[int, int, NodeContent | None]]:
    """Yields (step, node, face or None) wherever the text about a node changes."""
    leaves = _named_tensors(recording)
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
    origin, saved = _origin(recording, state, node, leaves), () if node.released else node.saved
    if node.status:
        doing = words.NODE_STATUS[node.status]
    elif is_look(recording) and node.leaf is None:
        doing = Text("", "")
    else:
        doing = _keeps(recording, state, node)
    return NodeContent(status, origin, doing, len(saved), sum(map(state.is_stale, saved)))


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
FOLDED = 118.0
"""The width of a folded box: in a pane beside the versions, four are side by side."""
_FOLDED_PAD = 7.0
_FOLDED_ROOM = FOLDED - 2 * _FOLDED_PAD
_SIZE_OF_TAG = 9
_ROOM_FOR_TAG = width_of(words.NEW_AT.format(place=words.LINE.format(line=999)), _SIZE_OF_TAG) + 22
"""Beside the names of the tensors above a box: the tag of a new node."""
_ROOM_FOR_NAMES = 46.0
_MOST_TEXTS = 2
"""Of so many of the program's texts, a folded box names the lines."""

_URGENT = ("failed", "unpacking", "calling", "running", "arrived")
"""The states of its nodes that a folded box shows first."""


@dataclass(frozen=True, slots=True)
class BoxState:
    """The content of a box after one step: three lines, a tag above it, and the part that backward has done (0 to 1)."""

    outline: str
    first: Words
    second: Words
    third: Words
    tag: Text | None = None
    done: float | None = None
    is_partly_new: bool = False
    """Whether only some of its nodes are new, so that the tag is a quiet one."""


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
    has_leaves: bool
    """Whether the second line of a folded box has the parameters that its nodes lead to."""

    @property
    def is_leaf(self) -> bool:
        """Whether all its nodes fill gradients of leaves."""
        return all(node.is_leaf for node in self.members)

    @property
    def pad(self) -> float:
        """The space on both sides of its words."""
        return _FOLDED_PAD if self.is_folded else PAD


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


def in_turn(members: tuple[GradNode, ...], shown: tuple[GradNode, ...], most: float = inf) -> Content:
    """Returns the content of a box for nodes that never live at the same time, at most so wide.

    Args:
        members: the nodes, with lives over all events: the box has room for them.
        shown: the same nodes with the lives that are shown, if these are others, without those that are not.
        most: the most width, in px.
    """
    faces = ((node.name, face.origin, face.doing) for node in members for face in node.life.every())
    lines = {_fitted(line, most - 2 * PAD) for face in faces for line in face}
    room_for_tag = max(_ROOM_FOR_TAG, widest({node.tag for node in members}, _SIZE_OF_TAG) + 22)
    width = round(max(widest(lines, SMALL) + 2 * PAD, room_for_tag + _ROOM_FOR_NAMES), 1)
    room = (most if shown is members else width) - 2 * PAD
    by_id = {node.id: node for node in shown}
    shows: Shows = []
    turns = _turns(shown)
    for step, alive, born in gatherings({node.id: node.life for node in shown}, turns):
        state = None
        for key, face in [*alive.items()][:1]:
            node, is_new = by_id[key], key in born
            outline = _outline(face.status, new=is_new, turned=key in turns.get(step, ()))
            tag = node.tag if is_new else None
            first, second, third = (_fitted(line, room) for line in (node.name, face.origin, face.doing))
            state = BoxState(outline, first, second, third, tag)
        shows.append((step, state))
    return Content(members, tuple(shows), False, width, room_for_tag, *_keys(members), False)


def folded(members: tuple[GradNode, ...], shown: tuple[GradNode, ...], name: str, turn: str, opens: str) -> Content:
    """Returns the content of a box for nodes that are folded together.

    Args:
        members: the nodes, with lives over all events: the box has room for them.
        shown: the same nodes with the lives that are shown, if these are others, without those that are not.
        name: the module or function that made them; "" if it has no name: then the lines are named, or the kind of a single node.
        turn: which repetition it is, "3/50", or how many share the box, "×12"; "" if nothing is repeated.
        opens: the key of what it opens into.
    """
    shows: Shows = []
    if shown:
        leaves = [node for node in shown if node.is_leaf]
        detail: Words = _end(_heading(shown, name)[1], _FOLDED_ROOM)
        params = ", ".join(dict.fromkeys(leaf_name(node) for node in leaves))
        if leaves:
            detail = params if width_of(params) <= _FOLDED_ROOM - 8 else words.PARAMETERS.format(count=len(leaves))
        crowd = _Crowd({node.id: node for node in shown}, headed(shown, name, turn, _FOLDED_ROOM), detail)
        turns = _turns(shown)
        for step, alive, born in gatherings({node.id: node.life for node in shown}, turns):
            shows.append((step, crowd.state(alive, born, turns.get(step, ())) if alive else None))
    room_for_tag = widest({words.NEW, *_tags(members)}, _SIZE_OF_TAG) + 22
    keys, links = _keys(members)
    has_leaves = any(node.is_leaf for node in members)
    return Content(members, tuple(shows), True, FOLDED, room_for_tag, (*keys, opens), links, has_leaves)


def _tags(members: Sequence[GradNode]) -> Iterator[Text]:
    """Returns what a box says of several new nodes, beside older ones."""
    for step, count in Counter(node.life.first for node in members).items():
        if count > 1 and any(node.life.first < step <= node.life.last for node in members):
            yield words.SOME_NEW.format(count=count)


def _keys(members: Iterable[GradNode]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns the keys and the links of a box."""
    return tuple(f"n{node.id}" for node in members), tuple(pin for node in members for pin in node.pins)


def _turns(members: Iterable[GradNode]) -> dict[int, list[int]]:
    """Returns the nodes of which something goes stale at a step, by the steps."""
    found: dict[int, list[int]] = {}
    for node in members:
        stale = 0
        for step, face in node.life.moments:
            if face.stale > stale:
                found.setdefault(step, []).append(node.id)
            stale = face.stale
    return found


def counted(count: int) -> Text:
    """Returns how many nodes there are, in words."""
    return words.NODES.format(count=count) if count > 1 else words.ONE_NODE


def leaf_name(node: GradNode) -> str:
    """Returns the last part of the name of a leaf: "weight"."""
    return re.split(r"[.:]\s*", node.leaf[0])[-1] if node.leaf else "?"


def headed(members: Sequence[GradNode], name: str, turn: str, room: float = inf) -> Text:
    """Returns the heading of a box: the name, or else the lines, and which repetition it is."""
    heading, _ = _heading(members, name)
    cut = _end(heading, room - (width_of(f" {turn}") if turn else 0))
    return Text(*(f"{cut.in_language(each)} {turn}".strip() for each in LANGUAGES))


def _heading(members: Sequence[GradNode], name: str) -> tuple[Words, Words]:
    """What is said of nodes in the first place, and in the second."""
    inner = [node for node in members if not node.is_leaf]
    if not inner:
        return name or words.LEAVES, ""
    lines, kinds = _lines(inner), _short_names(tuple(dict.fromkeys(node.kind for node in inner)))
    if not lines.en:
        origin = inner[0].life.moments[0][1].origin
        return name or kinds, words.BY_BACKWARD if origin == words.MADE_BY_BACKWARD else origin
    both = (kinds, lines) if len({node.kind for node in inner}) == 1 else (lines, kinds)
    return (name, both[0]) if name else both


def _end(said: Words, room: float) -> Text:
    """As much of the end of words as fits, which tells them from others: "…h.0.attn" for "model.h.0.attn"."""
    cut = [said if isinstance(said, str) else said.in_language(each) for each in LANGUAGES]
    for k, whole in enumerate(cut):
        parts = [found.start() for found in re.finditer(r"[.\[]", whole)]
        for start in (*parts, *range(1, len(whole))) if width_of(whole) > room else ():
            cut[k] = f"…{whole[start:]}"
            if width_of(cut[k]) <= room:
                break
    return Text(*cut)


def _outline(status: str, *, new: bool, turned: bool = False) -> str:
    return " ".join(["node", *(["new"] if new else []), *(["turned"] if turned else []), *([status] if status else [])])


@cache
def _fitted(said: Words, room: float) -> Words:
    if width_of(said) <= room:
        return said
    return (
        shortened(said, room)
        if isinstance(said, str)
        else Text(*(shortened(said.in_language(each), room) for each in LANGUAGES))
    )


@cache
def _short_names(kinds: tuple[str, ...]) -> str:
    return shortened(", ".join(map(_short, kinds)), _FOLDED_ROOM)


def _short(name: str) -> str:
    """A name without the parts that the names of all nodes have."""
    return name.replace("GradNode", "").replace("Backward0", "")


class _Crowd:
    """The nodes of a folded box, and what is always written in it: its name, and the parameters that they lead to, or else the lines."""

    def __init__(self, nodes: Mapping[int, GradNode], name: Text, second: Words) -> None:
        self.nodes, self.name, self.second = nodes, name, second

    def state(self, alive: Mapping[int, NodeContent], born: frozenset[int], turned: Sequence[int]) -> BoxState:
        """Returns the state of the box; `turned`: its nodes that go stale."""
        count = len(alive)
        counts = Counter(map(_STATUS, alive.values()))
        status, news = _news(alive, counts, {key: self.nodes[key] for key in alive}, sorted(born), turned)
        nodes = counted(count)
        is_partly_new = 1 < len(born) < count
        done = counts["done"] + counts["running"]
        return BoxState(
            _outline(status, new=bool(born) and not turned, turned=bool(turned)),
            self.name,
            self.second,
            _fitted(news if news.en not in ("", self.name.en) else nodes, _FOLDED_ROOM),
            words.SOME_NEW.format(count=len(born)) if is_partly_new else words.NEW if born else None,
            done / count if done < count and counts[""] < count else None,
            is_partly_new,
        )


def _lines(nodes: Sequence[GradNode]) -> Text:
    """The lines that made nodes, in words."""
    found: dict[tuple[str, str], set[int]] = {}
    for node in nodes:
        if node.place is not None:
            found.setdefault((node.file.en, node.file.zh), set()).add(node.place.line)
    said = [_between(Text(*file), min(lines), max(lines)) for file, lines in found.items()]
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
    alive: Mapping[int, NodeContent], counts: Mapping[str, int], nodes: Mapping[int, GradNode], born: Sequence[int],
    turned: Sequence[int],
) -> tuple[str, Text]:  # fmt: skip
    """The status and the text of a folded box: those of the active node, of the nodes that go stale, of the new ones, or of all."""
    status = next((status for status in _URGENT if status in counts), "")
    if status:
        key = next(key for key, face in alive.items() if face.status == status)
        sign = alive[key].doing.en[:1]
        return status, words.NODE_IS.format(sign=sign, name=_short(nodes[key].name))
    if turned:
        return "stale", Text(*[_gone_stale([nodes[key] for key in turned])] * 2)
    if born:
        return "", Text(*[_short_names(tuple(dict.fromkeys(_short(nodes[key].name) for key in born)))] * 2)
    return _summary(alive, counts)


def _gone_stale(nodes: Sequence[GradNode]) -> str:
    """Names nodes with their lines in the room of a box: those of two kinds, or of one, or one of them; and the number of the others."""
    found = Counter((_short(node.kind), "" if node.place is None else f":{node.place.line}") for node in nodes)
    first = next(iter(found))
    said = ""
    for named, shortest in (([*found.items()][:2], 6), ([*found.items()][:1], 6), ([(first, 1)], 2)):
        rest = len(nodes) - sum(count for _, count in named)
        longest = max(len(kind) for (kind, _), _ in named)
        for most in range(longest, min(longest, shortest) - 1, -1):
            names = [
                f"{shortened(kind, width_of('n' * most))}{line}{f'×{count}' if count > 1 else ''}"
                for (kind, line), count in named
            ]
            said = f"✗ {', '.join(names)}{f' +{rest}' if rest else ''}"
            if width_of(said) <= _FOLDED_ROOM:
                return said
    return said


def _summary(alive: Mapping[int, NodeContent], counts: Mapping[str, int]) -> tuple[str, Text]:
    count, done = len(alive), counts.get("done", 0)
    stale = sum(face.stale for face in alive.values())
    if stale:
        return "stale", words.SOME_STALE.format(count=stale)
    if counts.get("unreached"):
        return "unreached", words.NOT_REACHED
    if counts.get("waiting") == count:
        return "waiting", words.NODE_STATUS["waiting"]
    if counts.get("") != count:
        status = "done" if done == count else "ready" if "ready" in counts else "waiting"
        return status, words.NODE_STATUS["done"] if done == count else words.SOME_DONE.format(done=done, count=count)
    if any(face.doing == words.RELEASED for face in alive.values()) and not any(face.kept for face in alive.values()):
        return "", words.RELEASED
    return "", Text("", "")


# --- how it is drawn ----------------------------------------------------------------------------------------------------


def box_marks(box: Box, *, is_outside: bool = False) -> list[Mark]:
    """Draws a box with its three lines, a tag in the step that made a node, and a second border while one runs; faintly, if it is only beside what
    is shown.
    """
    content = box.content
    parts: tuple[list[tuple[int, Look | None]], ...] = ([], [], [], [], [], [], [], [])
    for step, shown in content.shows:
        looks = _box_looks(box, shown) if shown else (None,) * len(parts)
        for part, look in zip(parts, looks, strict=True):
            part.append((step, look))
    frames, inner, progress, pill, first, second, third, tags = map(runs, parts)
    keys, left, width = content.keys, round(box.x + content.pad, 1), content.width
    radius = HEIGHT / 2 - 6 if content.is_leaf else 5
    marks = [
        rect(box.x, box.y, width, HEIGHT, frames, radius, keys=keys, links=content.links),
        rect(box.x + 3.5, box.y + 3.5, width - 7, HEIGHT - 7, inner, max(radius - 3, 2), keys=keys),
        Mark("path", (), progress, keys),
        rect(box.x + 4, box.y + 19, width - 8, 15, pill, 7.5, keys=keys),
        text(left, box.y + 16, first, keys=keys),
        text(round(left + (3 if content.has_leaves else 0), 1), box.y + 30, second, keys=keys),
        text(left, box.y + 44, third, keys=keys),
        text(round(box.right, 1), box.y - 4, tags, keys=keys),
    ]
    if is_outside:
        seen = runs((step, Look("veil") if shown else None) for step, shown in content.shows)
        marks.append(rect(box.x, box.y, width, HEIGHT, seen, keys=keys))
    return [mark for mark in marks if mark.runs]


def _box_looks(box: Box, shown: BoxState) -> tuple[Look | None, ...]:
    """How the parts of a box look: its border, the second one, its progress, its parameters, its three lines, and its tag."""
    status = shown.outline.split()
    alarming = {
        "failed": "text alarm",
        "stale": "text alarm",
        "turned": "text alarm",
        "node": "text soft",
        "unreached": "text soft",
    }
    styles = ["text bold", "text" if box.content.has_leaves else "text soft", alarming.get(status[-1], "text")]
    if "unreached" in status:  # soft and not transparent: faded text must stay readable
        styles = [style if "soft" in style else f"{style} soft" for style in styles]
    lines = [Look(style, said) for style, said in zip(styles, (shown.first, shown.second, shown.third), strict=True)]
    bar = None
    if shown.done:  # along the lower edge of a folded box, for the part of its nodes that backward has done
        length = coordinate((box.content.width - 8) * shown.done)
        d = f"M{coordinate(box.x + 4)} {coordinate(box.y + HEIGHT - 2)}h{length}"
        bar = Look("progress", None, (("d", d),))
    inner = Look("inner") if "running" in status else None
    pill = Look("pill hair") if box.content.has_leaves and not box.content.is_leaf else None
    tag = Look("text tiny end" if shown.is_partly_new else "text tiny bold end", shown.tag) if shown.tag else None
    return Look(shown.outline), inner, bar, pill, *lines, tag
