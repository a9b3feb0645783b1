"""Lays out a recording as a picture, once for all steps. Nothing here needs Jupyter.

Each panel has its own module; `Scene` contains all panels. `picture` draws a scene at one step as a still picture,
`frames` draws a few steps as a strip of frames, and `payload` packs all steps for the player in the browser.
"""

from __future__ import annotations

from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording import queries
from inplacelab.recording.frameworks import framework_of
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences import sentence
from inplacelab.recording.visible import presentable
from inplacelab_widgets.scene.elements import elements_panel
from inplacelab_widgets.scene.graph import graph_panel
from inplacelab_widgets.scene.key_steps import all_key_steps, key_step
from inplacelab_widgets.scene.lanes import lanes_panel
from inplacelab_widgets.scene.marks import Panel
from inplacelab_widgets.scene.memory import memory_panel
from inplacelab_widgets.scene.storages import storages_panel

__all__ = ["EVERYTHING", "PANELS", "Scene", "all_key_steps", "key_step", "panels_of", "scene_of"]

PANELS = ("storages", "graph", "lanes", "memory", "elements")
"""The names of the panels, in the order in which they are shown."""
EVERYTHING = ("code", *PANELS)


def panels_of(recording: Recording) -> tuple[str, ...]:
    """Returns what is shown of a recording: no graph if its framework has no gradients."""
    graph = framework_of(recording).has_gradients
    return tuple(name for name in EVERYTHING if graph or name != "graph")


"""All that a stepper can show: the code and the panels."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The picture of a recording over all its steps."""

    recording: Recording
    storages: Panel
    elements: Panel
    graph: Panel
    lanes: Panel
    memory: Panel
    sentences: tuple[Text, ...]
    interesting: tuple[int, ...]

    def panel(self, name: str) -> Panel:
        """Returns one of `PANELS` by name."""
        found: Panel = getattr(self, name)
        return found


_NOTHING = Text(
    "There is nothing to draw: the recording has no steps. Did the cell run any tensor operation?",
    "没有可画的内容：记录中没有任何步骤。单元格执行过张量操作吗？",
)


def scene_of(recording: Recording) -> Scene:
    """Lays out a recording over all its steps.

    Raises:
        ValueError: if the recording has no steps.
    """
    if not recording.steps:
        raise ValueError(str(_NOTHING))
    recording = presentable(recording)
    return Scene(
        recording,
        storages_panel(recording),
        elements_panel(recording),
        graph_panel(recording),
        lanes_panel(recording),
        memory_panel(recording),
        tuple(sentence(recording, index) for index in range(len(recording))),
        queries.interesting(recording),
    )
