"""What backward keeps of a storage, drawn as pins that hang on it: fresh, stale or released."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from inplacelab.language import Text
from inplacelab.recording import questions
from inplacelab.recording.facts import NodeFacts, SavedFacts
from inplacelab.recording.labels import node_label
from inplacelab.recording.recording import Recording, State
from inplacelab_widgets import words
from inplacelab_widgets.scene.marks import Look, Mark, Runs, Words, lasting, path, rect, text
from inplacelab_widgets.scene.measure import SMALL, coordinate, width_of
from inplacelab_widgets.scene.names import unquoted
from inplacelab_widgets.scene.timeline import Life, lives

HEIGHT = 34.0

Status = Literal["fresh", "stale", "released"]

_OUTLINES: Mapping[Status, str] = {"fresh": "pin", "stale": "pin stale", "released": "pin released"}
_FLAGS: Mapping[Status, str] = {"fresh": "flag", "stale": "flag-stale", "released": "flag-released"}
_PLAIN: Mapping[Status, str] = {"fresh": "text", "stale": "text", "released": "text soft"}
_WORDS: Mapping[Status, str] = {"fresh": "text", "stale": "text alarm", "released": "text soft"}


@dataclass(frozen=True, slots=True)
class Face:
    """What a pin says at one moment."""

    status: Status
    owner: Text
    saved: Words
    state: Words
    checked: bool
    """Whether backward is looking at it in this step."""

    @property
    def first_line(self) -> Text:
        return words.SAVED_BY.format(node=self.owner)

    @property
    def second_line(self) -> Text:
        return Text("{saved} · {state}", "{saved} · {state}").format(saved=self.saved, state=self.state)

    @property
    def width(self) -> float:
        return 28 + max(width_of(self.first_line, SMALL), width_of(self.second_line, SMALL))


@dataclass(frozen=True, slots=True)
class Pin:
    """What one node keeps of one storage at one version, over the steps."""

    node: int
    storage: int
    version: int
    life: Life[Face]

    @property
    def width(self) -> float:
        return max(face.width for face in self.life.every())


def pins(recording: Recording) -> list[Pin]:
    """All pins, in the order in which they were set."""
    found = lives(recording, pins_at)
    return [Pin(node, storage, version, life) for (node, storage, version), life in found.items()]


def pins_at(state: State) -> Mapping[tuple[int, int, int], Face]:
    """The pins after one step: (node, storage, version) to what the pin says."""
    stale = set(questions.stale(state))
    kept: dict[tuple[int, int, int], list[SavedFacts]] = {}
    for node in state.nodes.values():
        for saved in node.saved:
            if saved.storage in state.storages:
                kept.setdefault((node.id, saved.storage, saved.version), []).append(saved)
    return {
        key: _face(state, state.nodes[key[0]], saved, any((key[0], each) in stale for each in saved))
        for key, saved in kept.items()
    }


def _face(state: State, node: NodeFacts, saved: list[SavedFacts], stale: bool) -> Face:
    status: Status = "released" if node.released else "stale" if stale else "fresh"
    names = [words.OWN_COPY.format(name=each.name) if each.copy else Text(each.name, each.name) for each in saved]
    joined = Text(", ".join(name.en for name in names), "、".join(name.zh for name in names))
    says = {
        "fresh": words.FRESH,
        "stale": words.STALE.format(version=state.storages[saved[0].storage].version),
        "released": words.RELEASED,
    }
    owner, held = unquoted(node_label(state, node)), words.SAVED_AT.format(names=joined, version=saved[0].version)
    return Face(status, owner, held, says[status], any(_is_checked(state, node.id, each) for each in saved))


def _is_checked(state: State, node: int, saved: SavedFacts) -> bool:
    backward, error = state.step.backward, state.step.error
    if error is not None:
        return (error.node, error.storage) == (node, saved.storage)
    if backward is None or backward.action != "unpack" or backward.node != node:
        return False
    return (backward.saved, backward.kept_at) == (saved.name, saved.version)


def pin_marks(pin: Pin, x: float, y: float, width: float) -> list[Mark]:
    """A pin with its top left corner at (x, y)."""

    def looks(styles: Mapping[Status, str], said: Callable[[Face], Words] | None = None) -> Runs:
        return lasting(
            ((step, Look(styles[face.status], said(face) if said else None)) for step, face in pin.life.moments),
            pin.life.last,
        )

    styles = ((step, _OUTLINES[face.status] + (" checked" if face.checked else "")) for step, face in pin.life.moments)
    outline = lasting(((step, Look(style)) for step, style in styles), pin.life.last)
    keys, links = (f"p{pin.node}:{pin.storage}:{pin.version}",), (f"n{pin.node}", f"s{pin.storage}")
    needle = f"M{coordinate(x + 7)} {coordinate(y + 8)}h9l-4.5 13z"
    return [
        rect(x, y, width, HEIGHT - 4, outline, 4, keys=keys, links=links),
        path(needle, looks(_FLAGS), keys=keys),
        text(x + 22, y + 12.5, looks(_PLAIN, lambda face: face.first_line), keys=keys),
        text(x + 22, y + 25, looks(_WORDS, lambda face: face.second_line), keys=keys),
    ]
