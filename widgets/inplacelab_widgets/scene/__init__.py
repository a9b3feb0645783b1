"""From a recording to a picture, once for all steps. Nothing here needs Jupyter.

Each panel has its own small file; `Scene` holds them together. `svg` turns a scene at one step into a static picture,
`payload` turns all of it into what the player in the browser needs.
"""

from __future__ import annotations

from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording import questions
from inplacelab.recording.explain import sentence
from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene.graph import graph_panel
from inplacelab_widgets.scene.lanes import lanes_panel
from inplacelab_widgets.scene.marks import Panel
from inplacelab_widgets.scene.memory import memory_panel
from inplacelab_widgets.scene.storages import storages_panel

__all__ = ["Scene", "scene_of", "telling_step"]


@dataclass(frozen=True, slots=True)
class Scene:
    """The picture of a recording over all its steps."""

    recording: Recording
    storages: Panel
    graph: Panel
    lanes: Panel
    memory: Panel
    sentences: tuple[Text, ...]
    interesting: tuple[int, ...]


def scene_of(recording: Recording) -> Scene:
    """Lay out a recording.

    Raises:
        ValueError: if the recording has no steps.
    """
    if not recording.steps:
        raise ValueError("There is nothing to draw: the recording has no steps. Did the cell run any tensor operation?")
    return Scene(
        recording,
        storages_panel(recording),
        graph_panel(recording),
        lanes_panel(recording),
        memory_panel(recording),
        tuple(sentence(recording, index) for index in range(len(recording))),
        questions.interesting(recording),
    )


def telling_step(recording: Recording) -> int:
    """The step that a single picture should show: the error if there is one, else the last write by the learner, else
    the last step.
    """
    for step in reversed(recording.steps):
        if step.error is not None:
            return step.index
    writes = [step.index for step in recording.steps if step.writes and step.phase == "forward"]
    return writes[-1] if writes else len(recording) - 1
