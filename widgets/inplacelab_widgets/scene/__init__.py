"""Lays out a recording as a picture, once for all steps. Nothing here needs Jupyter.

`Scene` makes each panel when it is first looked at. Its layout is for all steps, so it is made as a whole; the marks of a storage, which are most of
the work, are made when the storage is first looked at (`svg.Lazily`).

    storages_panel  all storages; `focus`: which of them a step draws in full; `owner_table`: the table of all
      storage         one storage, with everything that stands on it:
      tensor_cards    its tensors: names, what made them, what each step does to them
      tensor_grids    the tensors in their own shapes; `value_grid`: the cells, and ribbons from them to their slots
      storage_row     the slots; `large_storages`: more of them than are drawn one by one
      version_line, saved_tensors    its versions, and below them what backward has saved
    elements_panel  each tensor as the program sees it
    graph_panel     the graph of grad nodes: `graph_layout`, `graph_boxes`, `graph_arrows`
    versions_panel, memory_panel    versions and bytes, along the axis of steps
    timeline        lives over the steps, what may look different after each of them, and their axis
    places          the texts of a program, and the calls that led to a place
    names, text_layout, palette, svg    what things are called, how wide words are, colors, and SVG
    still_pictures  a step as a still picture; `key_steps`: which step; `chapter_titles`: its title; `tables`: the same in words
    payload, payload_parts, player_links    all steps for the player in the browser
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from inplacelab.language import Text
from inplacelab.place import same_line
from inplacelab.recording import queries
from inplacelab.recording.facts import Step
from inplacelab.recording.file_text import presentable
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences import Headline, headline_of, line_headline, line_sentence, sentence, split
from inplacelab.recording.sentences.failures import Mark as MarkedPlace
from inplacelab.recording.statements import by_statement, is_long, run_of, shortened, statements
from inplacelab.recording.trace import trace
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene.elements_panel import elements_panel
from inplacelab_widgets.scene.graph_panel import graph_panel
from inplacelab_widgets.scene.key_steps import key_step, opening_step, story
from inplacelab_widgets.scene.memory_panel import memory_panel
from inplacelab_widgets.scene.storages_panel import HIGHEST, WIDTH, storages_panel
from inplacelab_widgets.scene.svg import Panel
from inplacelab_widgets.scene.versions_panel import versions_panel
from inplacelab_widgets.words.player import PLAYER

__all__ = [
    "EVERYTHING",
    "JOINED",
    "PANELS",
    "Mode",
    "Scene",
    "key_step",
    "opening_mode",
    "opening_step",
    "panels_of",
    "scene_of",
]

PANELS = ("storages", "graph", "lanes", "memory", "elements")
"""The names of the panels, in the order in which they are shown."""
JOINED = ("storages", "graph", "elements")
"""The panels that are drawn of statements, too: what a whole statement did, as one step. The others have all events on an axis."""
EVERYTHING = ("code", *PANELS)
"""All that a stepper can show: the code and the panels."""


MOST_STEPS = 300
"""The most steps of a recording of which a page has every event. A page is made as a whole, and has to be made and to open in a moment."""
MOST_STATEMENTS, MOST_EVENTS = 200, 2000
"""Of a longer one it has statements: at most so many, with so many events."""
AROUND = 12
"""Events of its statement that it has before and after a telling one."""


def panels_of(recording: Recording) -> tuple[str, ...]:
    """Returns what is shown of a recording: no graph if its framework has no gradients."""
    graph = terms_of(recording).has_gradients
    return tuple(name for name in EVERYTHING if graph or name != "graph")


Mode = Literal["event", "line"]
"""What one step of the player is: an event, or a run of a statement."""


def opening_mode(recording: Recording) -> Mode:
    """Returns what one step is where a player opens: a whole statement if the recording is long."""
    return "line" if is_long(recording) else "event"


@dataclass(frozen=True)
class Scene:
    """The picture of a recording over all its steps. Each panel and each sentence is made when it is first looked at."""

    recording: Recording
    room: float = WIDTH
    """The width of the storages, in px."""
    highest: float = HIGHEST
    """Their height, in px, beyond which only some are drawn in full."""
    events: Recording | None = None
    """The recording whose statements are the steps; None if each step is an event."""
    whole: Recording | None = None
    """The recording of which this is only a part; None if nothing is left out."""
    runs: tuple[range, ...] = ()
    """The events of the whole recording in each step, if this is a part."""
    _sentences: dict[int, Text] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def storages(self) -> Panel:
        return storages_panel(self.recording, self.room, self.highest)

    @cached_property
    def elements(self) -> Panel:
        return elements_panel(self.recording)

    @cached_property
    def graph(self) -> Panel:
        return graph_panel(self.recording, self.events, self.whole)

    @cached_property
    def lanes(self) -> Panel:
        return versions_panel(self.recording)

    @cached_property
    def memory(self) -> Panel:
        return memory_panel(self.recording)

    @cached_property
    def interesting(self) -> frozenset[int]:
        """The steps at which a reader may want to stop."""
        return frozenset(queries.interesting(self.recording))

    @cached_property
    def by_statement(self) -> Scene | None:
        """The picture with one step for each statement; None if each has a single event."""
        joined = by_statement(self.recording)
        return None if len(joined) == len(self.recording) else Scene(joined, self.room, self.highest, self.recording)

    @cached_property
    def for_page(self) -> Scene:
        """The picture for a page, which has no Python behind it: of a very long recording by statement, not of all statements, and event by event only
        around what it tells.
        """
        if len(self.recording) <= MOST_STEPS:
            return self
        telling = [key_step(self.recording), *(chapter.step for chapter in story(self.recording))]
        part, runs = shortened(self.recording, MOST_STATEMENTS, MOST_EVENTS, telling, AROUND)
        events = self.recording if len(runs) == len(statements(self.recording)) else None
        return Scene(part, self.room, self.highest, events, whole=self.recording, runs=runs)

    def seen_at(self, event: int) -> int | None:
        """Returns the step of an event of the whole recording; None if it is among those that are left out."""
        if self.whole is None:
            return event
        step = bisect_right(self.runs, event, key=lambda run: run.start) - 1
        return None if self.is_left_out(step) else step

    def is_left_out(self, step: int) -> bool:
        """Returns whether a step stands for several statements that are left out, or for a part of one."""
        return self.whole is not None and len(self.runs[step]) > 1 and not self._is_statement(step)

    def _is_statement(self, step: int) -> bool:
        """Whether a step of a part is a whole statement."""
        return self.whole is not None and self.runs[step] == run_of(self.whole, self.runs[step].start)

    def for_stills(self, steps: Sequence[int]) -> tuple[Scene, list[int]]:
        """Returns the scene and its steps for still pictures of some steps: of a long recording, whole statements if each step ends one."""
        ends = {run[-1]: index for index, run in enumerate(statements(self.recording))}
        if self.by_statement is None or not is_long(self.recording) or not ends.keys() >= {*steps}:
            return self, [*steps]
        return self.by_statement, [ends[step] for step in steps]

    def position(self, step: int) -> Text:
        """Returns the number of a step in words; that of a statement among those that change anything, as the player counts them."""
        if self.events is None:
            return PLAYER["position"].format(step=step + 1, steps=len(self.recording))
        changing = [each for each in range(len(self.recording)) if not queries.changes_nothing(self.recording, each)]
        return PLAYER["position_by_line"].format(step=sum(each <= step for each in changing), steps=len(changing))

    def sentence(self, step: int) -> Text:
        """Returns the sentence of a step."""
        if step not in self._sentences:
            self._sentences[step] = self._said(step)
        return self._sentences[step]

    def _said(self, step: int) -> Text:
        if self.is_left_out(step):
            run = self.runs[step]
            return words.LEFT_OUT.format(first=run.start + 1, last=run.stop)
        told, event = self._told(step)
        return sentence(told, event) if self._is_event(step) else line_sentence(told, event)

    def headline(self, step: int) -> Headline:
        """Returns what a step did in one clause, and the rest of its sentence."""
        if self.is_left_out(step):
            return split(self.sentence(step))
        told, event = self._told(step)
        return headline_of(told, event, self.sentence(step)) if self._is_event(step) else line_headline(told, event)

    def _is_event(self, step: int) -> bool:
        """Whether a step is one event, which need not be all that its statement does."""
        return self.events is None and not self._is_statement(step)

    def _told(self, step: int) -> tuple[Recording, int]:
        """The recording that tells of a step, and the last event of it there."""
        if self.whole is not None:
            return self.whole, self.runs[step][-1]
        return (self.recording, step) if self.events is None else (self.events, statements(self.events)[step][-1])

    def marked(self, step: int) -> list[MarkedPlace]:
        """Returns the places in the code that led to a step."""
        return [*trace(*self._told(step))]

    def line_headline(self, step: int) -> Headline | None:
        """Returns the same of the line of a step, if it has several steps and this is the last of them."""
        steps = self.recording.steps
        if not step or not _is_one_line(steps[step - 1], steps[step]):
            return None
        is_last = step + 1 == len(steps) or not _is_one_line(steps[step], steps[step + 1])
        return line_headline(self.recording, step) if is_last else None

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
    return Scene(presentable(recording))


def _is_one_line(step: Step, following: Step) -> bool:
    return step.turn == following.turn and same_line(step.place, following.place)
