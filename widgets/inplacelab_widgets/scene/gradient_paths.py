"""Packs what the gradient of an element is made of: its paths, hop by hop, with the factors and the marks of the graph that they light up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from inplacelab.recording.as_written import as_written
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.naming import number_label
from inplacelab.recording.origins import Contributions, GradientPath, Hop
from inplacelab.recording.origins.elements import written_index
from inplacelab.recording.origins.words import end_says, gradient_says, path_says
from inplacelab.recording.recording import Recording, State
from inplacelab_widgets import words
from inplacelab_widgets.scene.measure import Words

Json = dict[str, Any]

MOST_PATHS = 8
"""Of a gradient so many paths are packed."""


class Asked(NamedTuple):
    """An element of a gradient.

    Attributes:
        owner: the tensor whose gradient it is.
        called: how the program calls the element of that tensor.
        found: what was added up to it.
    """

    owner: TensorFacts
    called: str
    found: Contributions


class Packer:
    """Packs the paths of gradients.

    Args:
        recording: the recording.
        position_of: gives the position of words.
        place_of: gives the position of the number that a hop led to; None if it is not packed.
    """

    def __init__(
        self, recording: Recording, position_of: Callable[[Words], int], place_of: Callable[[Hop], int | None]
    ) -> None:
        self._recording, self._position_of, self._place_of = recording, position_of, place_of

    def packed(self, asked: Asked) -> Json:
        """Returns what the gradient is the sum of, and its paths; of a wrong gradient also those that were used.

        `says`: words. `start`: the name of the element. `paths`: each {says, role, hops, end, lights}, with role "", "right" or "used"; a hop is
        [number or -1, name, value, factor, node or -1, line that overwrote a value in the factor, or 0]; `lights` are the nodes and edges of the graph.
        """
        found = asked.found
        shown = [path for path in found.paths if path.end != "unused"] or list(found.paths)
        roles = [("right" if found.wrong else "", path) for path in shown[:MOST_PATHS]]
        used = [path for path in found.used if path.end in ("root", "zero")] or list(found.used)
        roles += [("used", path) for path in used[:MOST_PATHS] if found.wrong]
        return {
            "says": self._position_of(gradient_says(found)),
            "start": asked.called,
            "paths": [self._path(asked, role, path) for role, path in roles],
        }

    def _path(self, asked: Asked, role: str, path: GradientPath) -> Json:
        said = path_says(asked.called, path, as_found=role == "used")
        if role:
            said = words.ORIGINS[f"{role}_path"].format(path=said)
        return {
            "says": self._position_of(said),
            "role": role,
            "hops": [self._hop(hop, as_found=role == "used") for hop in path.hops],
            "end": self._position_of(end_says(path)),
            "lights": " ".join(self._lights(asked, path)),
        }

    def _hop(self, hop: Hop, *, as_found: bool) -> list[Any]:
        place = self._place_of(hop)
        node = self._recording.steps[hop.flow.step].kept
        slope = hop.used if as_found and hop.used is not None else hop.slope
        value = slope.value
        factor = "" if value is None else slope.written
        if value is not None and " " in factor:
            factor = f"{factor} = {number_label(value)}"
        shown = "" if hop.flow.value is None else number_label(hop.flow.value)
        return [
            -1 if place is None else place, self._name(hop), shown, factor, -1 if node is None else node, hop.overwrote or 0,
        ]  # fmt: skip

    def _name(self, hop: Hop) -> str:
        """How an element is called; of a tensor without a name, what the program wrote in its place."""
        flow, recording = hop.flow, self._recording
        facts = recording.state(flow.step).tensors.get(flow.tensor)
        if facts is None or facts.names:
            return flow.called.en.strip("`")
        return f"{as_written(recording, recording.steps[flow.step])}{written_index(flow.index)}"

    def _lights(self, asked: Asked, path: GradientPath) -> Iterator[str]:
        """The keys of the nodes and edges along which the gradient came, or should have, from the leaf's node on."""
        recording = self._recording
        begun = next(k for k in range(asked.found.step, -1, -1) if _begins(recording, k))
        state = recording.state(begun)
        leaf = next((key for key, node in state.nodes.items() if node.leaf == asked.owner.id), None)
        made = [recording.steps[hop.flow.step].kept for hop in path.hops]
        nodes = [key for key in (leaf, *made) if key is not None and key in state.nodes]
        keys: dict[str, None] = {f"n{key}": None for key in nodes}
        for to, start in pairwise(nodes):
            way = _way(state, start, to)
            keys |= {f"n{key}": None for key in way}
            keys |= {f"e{a}-{b}": None for a, b in pairwise(way)}
        yield from keys


def _begins(recording: Recording, step: int) -> bool:
    moment = recording.steps[step].backward
    return moment is not None and moment.action == "begin"


MOST_BETWEEN = 64
"""So many nodes are looked at between two of a path: those of views."""


def _way(state: State, start: int, to: int) -> list[int]:
    """The shortest way along the edges of the graph from one node to another; [] if there is none nearby."""
    came: dict[int, int] = {start: start}
    waiting = [start]
    while waiting and to not in came and len(came) < MOST_BETWEEN:
        node = waiting.pop(0)
        facts = state.nodes.get(node)
        for edge in facts.edges if facts is not None else ():
            if edge.to not in came:
                came[edge.to] = node
                waiting.append(edge.to)
    if to not in came:
        return []
    way = [to]
    while way[-1] != start:
        way.append(came[way[-1]])
    return way[::-1]
