"""Packs a scene as plain data for the player: marks with their runs, sentences, tables and words in both languages.

`payload_parts.py` packs panels and tables; this module adds the sentences, the steps and the source.

The whole payload of a long recording takes seconds to make. The payload of the first picture has one step of the panes that are
visible at first, in the same layout, so that the whole can take its place and nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import nlargest
from itertools import chain
from typing import Any, Literal, TypeVar

from inplacelab.language import LANGUAGES, Text
from inplacelab.place import Place
from inplacelab.recording import queries
from inplacelab.recording.facts import Step
from inplacelab.recording.fixes import label, lines_after, way
from inplacelab.recording.loops import Iteration, loops_around
from inplacelab.recording.places import source_of
from inplacelab.recording.quiz import Question
from inplacelab.recording.recording import Recording
from inplacelab.recording.relations import stages
from inplacelab.recording.savings.advice import advice
from inplacelab.recording.sentences import Headline
from inplacelab.recording.sentences.failures import Mark
from inplacelab.recording.sentences.phrases import byte_count, closed_up
from inplacelab.recording.sentences.savings import operation, reason
from inplacelab.recording.statements import is_same_run, statements
from inplacelab.supported import terms_of
from inplacelab_widgets import savings_picture, words
from inplacelab_widgets.scene import JOINED, PANELS, Mode, Scene, panels_of
from inplacelab_widgets.scene.focus import Thread, threads
from inplacelab_widgets.scene.key_steps import Chapter, story, unusual
from inplacelab_widgets.scene.names import has_sources, line_of, player_words, unquoted
from inplacelab_widgets.scene.payload_parts import Json, Pools, at_step, empty, in_both_languages, pages, question_data
from inplacelab_widgets.scene.places import Lines, Places, has_frames
from inplacelab_widgets.scene.player_links import links, origins
from inplacelab_widgets.scene.still_pictures import LOOKS, provisos
from inplacelab_widgets.scene.storage_row import legend
from inplacelab_widgets.scene.svg import Panel
from inplacelab_widgets.scene.tables import table_changes, tables, tables_of_panels
from inplacelab_widgets.scene.text_layout import NORMAL, width_of
from inplacelab_widgets.scene.timeline import LEFT, RIGHT, Axis
from inplacelab_widgets.words.player import (
    KEYS,
    KEYS_OF_SIZES,
    KEYS_WITHOUT_GRADIENTS,
    LINKS,
    ORIGINS,
    PLACES,
    PREDICT,
    SHARE,
    SOURCES,
    STORY,
)

_Found = TypeVar("_Found")
Extent = Literal["page", "full", "brief"]
"""How much a first picture has: all that is seen in a window where one panel is open; in a notebook; or no panel below the code and the storages."""


def payload(
    scene: Scene,
    questions: Sequence[Question] = (),
    *,
    panels: Sequence[str] | None = None,
    only: int | None = None,
    extent: Extent = "full",
    follow: str = "",
    mode: Mode = "event",
) -> Json:
    """Returns all data that the player needs to play a recording without a Jupyter kernel.

    Args:
        scene: the picture over all steps.
        questions: the questions of predict mode.
        panels: the panels to show, out of `scene.PANELS` and "code" for the source; all that the recording has if not
            given.
        only: the step to pack alone, for the first picture; all steps if not given.
        extent: how much of the first picture to pack.
        follow: the name of the tensor that is followed in the first picture; of the others it has the names only.
        mode: what a step is in the first picture.
    """
    shown = panels_of(scene.recording) if panels is None else panels
    asked = {"predict": [question_data(scene.recording, each) for each in questions]}
    return _Packer(scene, shown, only, extent, follow, mode).packed() | asked


_PANES = {"graph": ("graph",), "history": ("lanes", "memory"), "elements": ("elements",)}
"""The panels of the panes that share a place, in order; one of them is open at first."""
_MEASURED = 3
"""As `LONGEST` of player/texts.js: the number of sentences that the browser measures."""
_LATER: Json = {
    "pages": [],
    "elsewhere": {},
    "tables": [],
    "sharing": {},
    "layouts": [],
    "tensors": [],
    "kept": [],
    "writes": [],
}


class _Packer:
    def __init__(
        self, scene: Scene, panels: Sequence[str], only: int | None, extent: Extent, follow: str, mode: Mode
    ) -> None:
        self.scene = scene
        self.whole = scene.whole or scene.recording
        self.shown = panels
        self.only = only
        self.extent = extent
        self.follow = follow
        self.is_joined = mode == "line" and scene.by_statement is not None
        self.pools = Pools()
        self.lines = Lines(scene.recording)
        # Of a program of one text without functions, the lines say all.
        is_placed = has_sources(scene.recording) or has_frames(scene.recording)
        self.places = Places(scene.recording, self.lines, self.pools.says) if is_placed else None

    def packed(self) -> Json:
        scene, recording, framework = self.scene, self.scene.recording, terms_of(self.scene.recording)
        whole = self.whole
        keys = KEYS if framework.has_gradients else KEYS_WITHOUT_GRADIENTS
        if has_frames(recording) or scene.by_statement is not None:
            keys = (keys[0], KEYS_OF_SIZES, *keys[1:])
        # A program without gradients has no graph to open first.
        opens = "graph" if any(state.nodes for state in recording.states()) else "history"
        steps = [self._step(index) for index in range(len(recording))]
        panels = [self._panel(name, opens) for name in PANELS if name in self.shown]
        joined = [
            self._joined(name, opens)
            for name in JOINED
            if name in self.shown and scene.by_statement and (self.only is None or name != "graph")
        ]
        later = self._later() if self.only is None else {**_LATER, "only": self.only, "longest": self._longest()}
        if self.only is None or self.extent == "page":
            later |= self._savings()
        return {
            "title": recording.title,
            "notes": [in_both_languages(note) for note in provisos(scene)],
            "source": self.lines.all() if "code" in self.shown else [],
            **self._places(),
            "axis": {"left": LEFT, "right": RIGHT, "spacing": Axis(len(recording)).spacing},
            "keys": [
                [in_both_languages(keys), in_both_languages(framework.in_framework_words(does))] for keys, does in keys
            ],
            "marks": [[f"ipl-{style}", drawn, in_both_languages(means)] for style, drawn, means in legend()],
            "words": {
                key: in_both_languages(framework.in_framework_words(phrase))
                for key, phrase in (
                    player_words(framework)
                    | (PLACES if self.places is not None else {})
                    | (SOURCES if has_sources(recording) else {})
                    | LINKS
                    | STORY
                    | PREDICT
                    | words.FOLLOW
                    | words.LENSES
                    | (ORIGINS if self.only is None else {})
                ).items()
            },
            "opens": opens,
            **({"shortened": True} if scene.whole else {}),
            "loops": self._loops(),
            "unusual": [[step, role] for step, role in self._each_seen(unusual(whole).items())],
            "story": [_chapter(step, chapter) for step, chapter in self._chapters()],
            "steps": steps,
            "panels": panels,
            **({"joined": joined} if joined and (self.only is None or self.is_joined) else {}),
            "threads": [
                _thread(each) if self.only is None or each.name == self.follow else {"name": each.name}
                for each in threads(recording)
            ],
            **later,
            **self.pools.packed(),
        }

    def _each_seen(self, found: Iterable[tuple[int, _Found]]) -> Iterator[tuple[int, _Found]]:
        """What belongs to events, with the steps at which these are seen; without what is left out."""
        for event, each in found:
            step = self.scene.seen_at(event)
            if step is not None:
                yield step, each

    def _chapters(self) -> Iterator[tuple[int, Chapter]]:
        return self._each_seen((chapter.step, chapter) for chapter in story(self.whole))

    def _places(self) -> Json:
        """The texts of the program, if there are several, and the places of its steps, if they are more than lines."""
        texts = {"sources": self.lines.packed(self.pools.says)} if has_sources(self.scene.recording) else {}
        return texts if self.places is None else {**texts, "places": self.places.packed}

    def _loops(self) -> list[list[int]]:
        """The iterations of loops with several: the loop's name, which iteration, of how many (0 if not known), the first and the last step, and how
        many loops are around it. In a notebook a first picture has those of its step.
        """
        found = loops_around(self.scene.recording)
        shown = found if self.only is None or self.extent == "page" else found[self.only : self.only + 1]
        around = {each: depth for there in shown for depth, each in enumerate(there)}
        return [
            [
                self.pools.says(_loop(each, self.scene.recording)),
                each.number,
                each.count or 0,
                each.first,
                each.last,
                depth,
            ]
            for each, depth in around.items()
            if each.count != 1
        ]

    def _later(self) -> Json:
        """What is needed only when the reader asks for more than the first picture."""
        recording = self.scene.recording
        return {
            "pages": pages(recording) if "storages" in self.shown else [],
            "elsewhere": self._elsewhere(),
            "tables": self._tables(),
            "sharing": {key: in_both_languages(said) for key, said in SHARE.items()},
            **links(recording, self.pools.says, self.lines),
            "origins": origins(self.whole, self.pools.says, self.lines, self.scene.seen_at),
        }

    def _savings(self) -> Json:
        """Where the program may write in place, as far as the recording tells: operations with the step of their first run, the bytes that they save, and why
        they may. Nothing of a program that failed: it cannot be tried.
        """
        if "code" not in self.shown or self.scene.recording.steps[-1].error is not None:
            return {}
        found = advice(self.whole, ends=False)  # a notebook goes on
        if not found.offered:
            return {}
        says = {key: self.pools.says(words.SAVINGS[key]) for key in ("button", "how")}
        says["title"] = self.pools.says(savings_picture.title(found))
        rows = []
        for each in found.offered:
            cells = operation(found, each), byte_count(each.bytes), closed_up(reason(found, each))
            seen = [step for step, _ in self._each_seen((call.step, call) for call in each.calls)]
            rows.append([min(seen, default=0), *map(self.pools.says, cells)])
        return {"savings": {**says, "rows": rows}}

    def _longest(self) -> list[list[int]]:
        """The longest sentences, so that the first picture has room for them: of the steps of a loop, one for each operation."""
        sites = {
            (self.lines.of(step.place), step.op, step.category, step.backward and step.backward.action): step.index
            for step in self.scene.recording.steps
        }
        runs = {run[-1] for run in statements(self.scene.recording)} if self.is_joined else set()
        lines = (self.scene.line_headline(step) for step in sorted({*sites.values()} & runs))
        said = dict.fromkeys([*filter(None, lines)] or [self.scene.headline(step) for step in sites.values()])
        longest = (
            nlargest(_MEASURED, said, key=lambda words: width_of(words.detail.in_language(language), NORMAL))
            for language in LANGUAGES
        )
        found = dict.fromkeys(chain.from_iterable(longest))  # in the same order in every run
        return sorted([self.pools.says(each.clause), self.pools.says(each.detail)] for each in found)

    def _panel(self, name: str, opens: str) -> Json:
        """A panel; an empty one where the first picture does not show it."""
        if self.only is None:
            return self.pools.panel(self.scene.panel(name))
        if self.is_joined and name == "graph":  # one graph only: what boxes open into is counted in it
            return self._joined(name, opens)
        if not self._is_open(name, opens) or (self.is_joined and name in JOINED):
            return self.pools.panel(self._unseen(name))
        return self.pools.panel(at_step(self.scene.panel(name), self.only, for_all=self.extent == "page"))

    def _unseen(self, name: str) -> Panel:
        """A panel that the first picture does not show: on a page with its size, for which there is room."""
        if self.extent != "page":
            return empty(name)
        panel = self.scene.panel(name)
        return replace(empty(name), width=panel.width, height=panel.height)

    def _joined(self, name: str, opens: str) -> Json:
        """The same of a panel that is drawn of statements. Its steps are counted as events: a statement is seen at its last one."""
        runs = statements(self.scene.recording)
        joined = self.scene.by_statement
        if joined is None or not self._is_open(name, opens):
            return self.pools.panel(empty(name))
        panel = joined.panel(name)
        if self.only is not None:
            panel = at_step(panel, next(k for k, run in enumerate(runs) if self.only < run.stop))
        return self.pools.panel(panel, runs)

    def _is_open(self, name: str, opens: str) -> bool:
        """Whether the first picture shows a panel."""
        if self.only is None or name == "storages":
            return True
        # As the player does: the pane that opens, or the first one.
        panes = [_PANES[opens], *_PANES.values()]
        pane = next((pane for pane in panes if not {*pane}.isdisjoint(self.shown)), ())
        return name in pane and self.extent != "brief"

    def _step(self, index: int) -> Json:
        steps = self.scene.recording.steps
        step, after = steps[index], steps[index + 1] if index + 1 < len(steps) else None
        facts = {
            # Of a shortened recording, the player stops at every step, also at single events of a statement.
            "ends": self.scene.whole is not None or after is None or not is_same_run(step, after),
            "error": step.error is not None,
            "stop": index in self.scene.interesting,
            "idle": queries.changes_nothing(self.scene.recording, index),
        }
        packed: Json = {
            "line": self.lines.of(step.place),
            "phase": stages(self.scene.recording)[index],
            **self._place(step),
            **{name: True for name, holds in facts.items() if holds},
        }
        if after is None and (fixes := self._fixes(step)):
            packed["fixes"] = fixes
        if self.only not in (None, index):
            return packed
        marked = [self._marked(each) for each in self.scene.marked(index)] if "code" in self.shown else []
        if marked:
            packed["marked"] = marked
        # What is said in place of the sentence where a step of the player is a line.
        whole = self.scene.line_headline(index)
        packed |= self._words(self.scene.headline(index))
        return packed if whole is None else packed | {"whole": self._words(whole)}

    def _place(self, step: Step) -> Json:
        """The place of a step and its statement, if there is more to say than its line."""
        if self.places is None or step.place is None:
            return {}
        return {"place": self.places.position(step.place), "turn": step.turn}

    def _words(self, said: Headline) -> Json:
        """What a step did, and the rest of it, if there is any."""
        detail = {"detail": self.pools.says(said.detail)} if said.detail.en else {}
        return {"says": self.pools.says(said.clause), **detail}

    def _fixes(self, step: Step) -> list[Json]:
        """The fixed programs that the last step offers, if it failed."""
        fixes = step.error.fixes if step.error is not None else ()
        offered = [each for each in fixes if each.edits and not any(edit.file for edit in each.edits)]
        packed = []
        for each in offered:
            says = way(each)
            labeled = Text(says.en[:1].upper() + says.en[1:] + ". ", says.zh + "。") + label([each])
            packed.append({"says": self.pools.says(labeled), "lines": lines_after(self.scene.recording.source, each)})
        return packed

    def _marked(self, marked: Mark) -> list[Any]:
        """[line, role, brief, says, first and past the last column]."""
        brief, says = (self.pools.says(each) for each in (marked.brief, unquoted(marked.says)))
        source = source_of(self.scene.recording, marked.at.file) or 0
        number = self.lines.number(source, marked.line)
        return [number, LOOKS[marked.role], brief, says, *self._columns(source, marked)]

    def _columns(self, source: int, marked: Mark) -> list[int]:
        """The columns of the marked part of a line, in the line as it is shown."""
        lines = self.scene.recording.text_of(source).split("\n")
        if marked.at.span is None or marked.line > len(lines):
            return []
        return [len(lines[marked.line - 1][:column].expandtabs(4)) for column in marked.at.span]

    def _elsewhere(self) -> dict[str, str]:
        """The links of objects in the panels that are not shown: a view also highlights what is selected in another view."""
        found: dict[str, dict[str, None]] = {}
        for name in PANELS:
            if name in self.shown:
                continue
            for group in self.scene.panel(name).groups:
                for mark in group.marks:
                    # The layouts give the sharers of a slot or an element.
                    if mark.links and mark.keys and (mark.keys[0].startswith("p") or ":" not in mark.keys[0]):
                        found.setdefault(mark.keys[0], {}).update(dict.fromkeys(mark.links))
        return {key: " ".join(links) for key, links in found.items()}

    def _tables(self) -> list[Json]:
        recording, changes = self.scene.recording, table_changes(self.scene.recording)
        shown = tables_of_panels(self.shown, tables(recording, recording.state(0)))
        return [self.pools.table(each.title, each.columns, changes[each.name]) for each in shown]


def _loop(iteration: Iteration, recording: Recording) -> Text:
    """What a loop is called: its variable, or its line."""
    name = iteration.name or line_of(recording, Place(iteration.line, iteration.source))
    return name if isinstance(name, Text) else Text(name, name)


def _chapter(step: int, chapter: Chapter) -> Json:
    cells = "".join(str(int(cell)) for cell in chapter.cells)
    return {"step": step, "role": chapter.role, "cells": cells, "title": in_both_languages(chapter.title)}


def _thread(thread: Thread) -> Json:
    storages = " ".join(f"s{storage}" for storage in thread.storages)
    return {"name": thread.name, "storages": storages, "keys": " ".join(thread.keys), "stops": list(thread.stops)}
