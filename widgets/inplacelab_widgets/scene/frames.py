"""Draws a few steps as one still picture, one frame under the other, as in a comic strip.

A frame shows the line, the sentence, the storages that are written or at fault in any of the frames, and the graph where
it is rewritten or where backward runs. Other live storages are named in one line.
"""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.language import Text, enumerated
from inplacelab.recording.facts import Step
from inplacelab.recording.naming import storage_label
from inplacelab.recording.queries import tensors_on
from inplacelab.recording.recording import State
from inplacelab_widgets import words
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.code import LINE_HEIGHT, code_panel
from inplacelab_widgets.scene.graph_in_frame import bounds_at, graph_in
from inplacelab_widgets.scene.marks import GAP, Look, always, rect
from inplacelab_widgets.scene.measure import SMALL, wrapped
from inplacelab_widgets.scene.names import tensor_name, unquoted
from inplacelab_widgets.scene.picture import PAD, place_of, provisos, sentence_box
from inplacelab_widgets.scene.storages import NARROWEST
from inplacelab_widgets.scene.svg import arrow_at, document, group_at, mark_at, panel_at, placed, text_at

WIDTH = 848.0
"""The width of a notebook's output and of a page on GitHub, in px."""
STORAGES = 3
"""The most storages drawn in one frame."""
_CODE = (220.0, 420.0)
"""The least and the most width for the code, in px."""
_HEAD = 28.0


def strip(scene: Scene, steps: Sequence[int], language: str) -> str:
    """Returns the frames of `steps` as one SVG picture."""
    width = max(WIDTH, 4 * PAD + _CODE[0] + scene.storages.width)
    cast = _cast(scene, steps)
    title = Text("{0}", "{0}").format(scene.recording.title)
    heading = " · ".join(each.in_language(language) for each in [title, *provisos(scene)] if each.en)
    parts = [text_at(PAD, PAD + 8, "text bold code", heading, language)] if heading else []
    y = PAD + (20 if heading else 0)
    for number, step in enumerate(steps, start=1):
        drawn, height = _frame(scene, step, cast, language, width)
        frame = rect(PAD / 2, 0, width - PAD, height, always(Look("frame")), 6)
        head = rect(PAD / 2, 0, width - PAD, _HEAD, always(Look("unknown")), 6)
        ground = mark_at(head, 0, language) + mark_at(frame, 0, language)
        parts.append(placed(ground + _heading(scene, number, step, language) + drawn, 0, y))
        y += height + PAD / 2
    return document((width, y), parts, scene.recording.title, alt_text(scene, steps, language))


def alt_text(scene: Scene, steps: Sequence[int], language: str) -> str:
    """Returns in words what the frames show."""
    if len(steps) == 1:
        return unquoted(scene.sentence(steps[0])).in_language(language)
    caption = (
        Text("{0}: {1}", "{0}：{1}").format(place_of(scene, step)[0], unquoted(scene.sentence(step))) for step in steps
    )
    return " ".join(each.in_language(language) for each in caption)


def _cast(scene: Scene, steps: Sequence[int]) -> set[int]:
    """The storages to draw: those written in any of the steps, and the one that an error is about."""
    told_steps = [scene.recording.steps[step] for step in steps]
    written = {write.storage for step in told_steps for write in step.writes}
    blamed = {step.error.storage for step in told_steps if step.error and step.error.storage is not None}
    return written | blamed


def _frame(scene: Scene, step: int, cast: set[int], language: str, width: float) -> tuple[str, float]:
    """One frame as SVG, and its height."""
    now, y = scene.recording.steps[step], _HEAD + 10
    code_width = min(width - 4 * PAD - max(scene.storages.width, NARROWEST), _CODE[1])
    code = code_panel(scene.recording, code_width, step, near=True)
    drawn = placed(panel_at(code, step, language), PAD, y)
    memory, memory_height = _memory(scene, step, cast, language, width - code_width - 4 * PAD)
    drawn += placed(memory, PAD + code_width + 2 * PAD, y)
    y += max(code.height, memory_height) + 10
    box, height = sentence_box(scene, step, language, y, width)
    drawn, y = drawn + box, y + height + PAD / 2
    if _is_about_the_graph(now) and scene.recording.state(step).nodes:
        graph, height = graph_in(scene, step, language, width - 2 * PAD)
        drawn, y = drawn + placed(graph, PAD, y + 4), y + height + 14
    return drawn, y


def _heading(scene: Scene, number: int, step: int, language: str) -> str:
    position, *rest = place_of(scene, step)
    place = Text("{0}. {1}", "{0}. {1}").format(number, position)
    caption = " · ".join(each.in_language(language) for each in [place, *rest])
    return text_at(PAD, 18.5, "text bold code", caption, language)


def _memory(scene: Scene, step: int, cast: set[int], language: str, room: float) -> tuple[str, float]:
    """The storages to draw, one under the other, and the names of the others."""
    state = scene.recording.state(step)
    groups = {group.key: group for group in scene.storages.groups}
    live = {key: groups[f"s{key}"] for key in state.storages}
    shown = [key for key in live if key in _in_frame(state, cast)][:STORAGES] or [*live][:STORAGES]
    drawn, y, places = "", 0.0, {}
    for key in shown:
        if live[key].first <= step <= live[key].last:
            drawn += placed(group_at(live[key], step, language), 0, y)
            places[f"s{key}"] = (0.0, y)
            _, top, _, bottom = bounds_at([live[key]], step)  # there may be room left for pins and cards of other steps
            y += bottom - min(top, live[key].y) + GAP
    drawn += arrow_at(scene.storages, step, places)
    others = [_named(state, key) for key in live if key not in shown]
    if others:
        caption = words.ALSO_THERE.format(storages=enumerated(others)).in_language(language)
        for line in wrapped(caption, room, SMALL):
            drawn, y = drawn + text_at(0, y + 10, "text soft", line, language), y + LINE_HEIGHT
    return drawn, y


def _in_frame(state: State, cast: set[int]) -> set[int]:
    """The storages to draw; while backward runs, also the gradients that it has filled."""
    if state.step.phase != "backward" or state.step.error:
        return cast
    gradients = {tensor.grad for tensor in state.tensors.values()}
    return cast | {tensor.storage for tensor in state.tensors.values() if tensor.id in gradients}


def _named(state: State, storage: int) -> Text:
    names = [tensor_name(tensor.id, state) for tensor in tensors_on(state, storage)]
    label = storage_label(storage)
    return Text("{0} ({1})", "{0}（{1}）").format(label, enumerated(names)) if names else Text(label, label)


def _is_about_the_graph(now: Step) -> bool:
    failed = now.error is not None and now.error.node is not None
    return bool(now.rewired) or now.phase == "backward" or failed
