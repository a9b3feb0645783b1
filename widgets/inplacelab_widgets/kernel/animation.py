"""Makes the marks of a launch over its steps, for the player. A step is a picked thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from inplacelab.devices.kernels.geometry import WARP
from inplacelab_widgets.kernel.drawing import PAD, WIDTH, Drawn, Layers, Tag
from inplacelab_widgets.kernel.fixed_marks import fixed_marks, height
from inplacelab_widgets.kernel.launches import ShownLaunch
from inplacelab_widgets.kernel.picks import Picks
from inplacelab_widgets.kernel.scene import hit_layers, thread_layers, warp_layers
from inplacelab_widgets.kernel.warp_accesses import Pick
from inplacelab_widgets.scene.svg import Attributes, Group, Look, Mark, always, runs

_Name = tuple[Tag, str]
"""Identifies a mark within a layer: its tag, and its pick or else its number."""


def animation_of(shown: ShownLaunch, picks: Picks, steps: Sequence[Pick]) -> Group:
    """Returns the marks of a launch over its steps.

    Args:
        shown: the launch.
        picks: the threads that are drawn.
        steps: the pick at each of its steps, from step 0 on; empty for a launch without threads to pick, which has one step.
    """
    marks = [mark_of(each) for each in fixed_marks(shown)]
    frames = list(enumerate(steps))
    warps = [(step, pick) for step, pick in frames if pick.thread % WARP == 0]
    marks += _animated((step, warp_layers(shown, pick)) for step, pick in warps)
    marks += _animated((step, thread_layers(shown, pick)) for step, pick in frames)
    marks += _animated((step, hit_layers(shown, pick, picks)) for step, pick in warps)
    return Group(PAD, PAD, WIDTH, height(shown), 0, max(1, len(steps)) - 1, tuple(marks))


def mark_of(drawn: Drawn) -> Mark:
    """Makes a mark that looks the same at every step."""
    return Mark(drawn.tag, _place(drawn), always(Look(drawn.style, drawn.content)))


def _animated(frames: Iterable[tuple[int, Layers]]) -> list[Mark]:
    """Merges the marks drawn for each step into marks over all steps."""
    found: dict[str, dict[_Name, list[tuple[int, Look | None]]]] = {}
    for step, layers in frames:
        for layer, drawn in layers.items():
            known = found.setdefault(layer, {})
            here = _named(drawn)
            for name, look in here.items():
                known.setdefault(name, []).append((step, look))
            for name in known.keys() - here.keys():
                known[name].append((step, None))
    return [
        Mark(tag, (), runs(looks), (key,) if key.startswith("pick:") else ())
        for known in found.values()
        for (tag, key), looks in known.items()
    ]


def _named(drawn: Iterable[Drawn]) -> dict[_Name, Look]:
    count: Counter[Tag] = Counter()
    found: dict[_Name, Look] = {}
    for each in drawn:
        found[each.tag, each.key or str(count[each.tag])] = Look(each.style, each.content, _place(each))
        count[each.tag] += 1
    return found


def _place(drawn: Drawn) -> Attributes:
    return tuple(drawn.place.items())
