"""Packs the parts of a payload as plain data for the player: panels, tables, questions, and the values of large storages; and cuts a panel down
to one step for the first picture.

Repeated values (words, styles, moving attributes, looks) are stored once and referred to by position, since a recording of
a training loop repeats the same words a thousand times. `player/steps.js` documents the same shapes as JSDoc types. In a first picture the marks
of the other steps are missing, but their room is not: the storages of the steps that need most room are kept, without marks, so that the player
divides its room as it will for all steps.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import groupby, pairwise
from math import isfinite
from operator import ne
from typing import Any

from inplacelab.language import Text
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.facts import Number, Step, StorageFacts, Summary, Values
from inplacelab.recording.numerals import number, whole
from inplacelab.recording.quiz import Question
from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene.storage_row import WITH_VALUES
from inplacelab_widgets.scene.storages_panel import drawn_together
from inplacelab_widgets.scene.svg import Group, Look, Mark, More, Panel, Runs, flowed
from inplacelab_widgets.scene.text_layout import Words
from inplacelab_widgets.scene.timeline import WIDTH, Life, storage_lives

__all__ = ["in_both_languages", "question_data"]


# --- the first picture ------------------------------------------------------------------------------------------------

_NEVER = ((-1, -1),)
_ROOMS = (320, 440, 520, 560, 600, 660, 760, 900, 1100, 1400, 1800)
"""Widths that a page may have for the storages, in px: which step needs most height depends on it."""


def at_step(panel: Panel, step: int, *, for_all: bool = False) -> Panel:
    """Returns a panel with the marks of one step, which look as they do in the whole panel at that step.

    Args:
        panel: the panel over all steps.
        step: the step.
        for_all: whether it has the storages, too, for which only a larger pane has room.
    """
    kept = _kept(panel, step)
    return replace(
        panel,
        height=panel.more.note.y if panel.more else panel.height,
        groups=_cut(panel.groups, kept, step, for_all=for_all and bool(panel.table)),
        # Without the lines of opened rows.
        table=_cut([each for each in panel.table if not each.key.startswith("s")], kept, step),
        says=_at(panel.says, step),
        notes=_at(panel.notes, step),
        more=None,
        narrower=tuple(at_step(each, step, for_all=for_all) for each in panel.narrower),
        opens=(),
    )


def empty(name: str) -> Panel:
    """Returns a panel that is not to be seen in the first picture."""
    return Panel(name, WIDTH, 1, (), ((0, Text("", "")),))


def _kept(panel: Panel, step: int) -> set[int]:
    """The steps whose groups are kept: that of the picture; and if the groups are moved together, the one that needs most room."""
    if not panel.table:
        return {step}
    together: dict[
        tuple[tuple[float, float], ...], int
    ] = {}  # in a loop the same storages are together again and again
    for at, drawn in drawn_together(panel.groups):
        together.setdefault(tuple([(each.width, each.height) for each in drawn]), at)
    if not together:
        return {step}

    def highest(room: float) -> int:
        return together[max(together, key=lambda boxes: flowed(boxes, room)[1])]

    return {step, *map(highest, _ROOMS)}


def _cut(groups: Sequence[Group], kept: set[int], step: int, *, for_all: bool = False) -> tuple[Group, ...]:
    def is_there(group: Group) -> bool:
        return group.is_there(step) if for_all else group.is_drawn(step)

    found = {id(group) for group in groups if any(map(group.is_drawn, kept)) or is_there(group)} | _largest(groups)
    return tuple(
        replace(
            group,
            marks=tuple(_marks(group, step)) if is_there(group) else (),
            alone=None,
            open=tuple((each, each) for each in sorted(kept) if group.is_drawn(each)) or _last_drawn(group, step),
        )
        for group in groups
        if id(group) in found
    )


def _last_drawn(group: Group, step: int) -> tuple[tuple[int, int], ...]:
    """When a storage was drawn last: where there is room for more, the latest come first."""
    return tuple((last, last) for _, last in group.open if last < step)[-1:] or _NEVER


def _largest(groups: Sequence[Group]) -> set[int]:
    """The widest and the highest of the storages that share a row; those above a table share the whole panel."""
    found: dict[tuple[int | None, str], Group] = {}
    for group in groups:
        if group.row is not None:
            for way in ("width", "height"):
                key = (None if group.open else group.row, way)
                if key not in found or getattr(group, way) > getattr(found[key], way):
                    found[key] = group
    return {id(group) for group in found.values()}


def _marks(group: Group, step: int) -> Iterator[Mark]:
    """The marks that are there at a step, each with the look that it has then."""
    for mark in group.marks_at(step):
        place = bisect_right(mark.runs, step, key=lambda run: run[0])
        if place and mark.runs[place - 1][1] is not None:
            yield mark._replace(runs=mark.runs[place - 1 : place])


def _at(words: tuple[tuple[int, Text], ...], step: int) -> tuple[tuple[int, Text], ...]:
    """The words at a step, as if they were there from the beginning."""
    place = bisect_right(words, step, key=lambda run: run[0])
    return tuple((0, then) for _, then in words[max(place - 1, 0) : max(place, 1)])


# --- questions of predict mode ----------------------------------------------------------------------------------------


def in_both_languages(words: Words) -> Any:
    """Returns a pair where the languages differ, or one string where they do not."""
    if isinstance(words, Text):
        return words.en if words.en == words.zh else [words.en, words.zh]
    return words


def question_data(recording: Recording, question: Question) -> dict[str, Any]:
    """Returns a question as plain data; `predict.js` documents its fields."""
    return {
        "step": question.step,
        "kind": question.kind,
        "op": _which_of_the_line(recording, recording.steps[question.step]),
        "ask": in_both_languages(question.ask),
        "options": [in_both_languages(option) for option in question.options],
        "several": question.several,
        "right": list(question.right),
        "why": in_both_languages(question.why),
        "about": " ".join(question.about),
    }


def _which_of_the_line(recording: Recording, step: Step) -> str | None:
    """The operation that a question is about, where the line runs several: `add_`; `net.weight.subtract_` among those of
    `sgd.step()`; `multiply 2/3` if nothing else distinguishes them.
    """
    there = [
        each
        for each in recording.steps
        if each.kind == "operation" and (each.turn, each.line) == (step.turn, step.line)
    ]
    alike = [each.index for each in there if each.op == step.op]
    if len(there) < 2 or step.index not in alike:
        return None
    op = code_of(recording, step)
    if len(alike) < 2:
        return op
    before = recording.state(step.index - 1) if step.index else None
    written = (before.called(each.tensor) for each in step.writes) if before else ()
    name = next((called.first for called in written if called.names), None)
    return f"{name}.{op}" if name and op.isidentifier() else f"{op} {alike.index(step.index) + 1}/{len(alike)}"


Json = dict[str, Any]
_GONE = -1


# --- panels and tables ------------------------------------------------------------------------------------------------


class _Pool:
    """Values without repeats, each identified by its position."""

    def __init__(self, pack: Callable[[Any], Any]) -> None:
        self.values: list[Any] = []
        self._pack = pack
        self._positions: dict[Hashable, int] = {}

    def position(self, value: Hashable) -> int:
        found = self._positions.get(value)
        if found is None:
            packed = self._pack(value)
            found = self._positions[value] = len(self.values)
            self.values.append(packed)
        return found


class Pools:
    """Packs panels and tables, and stores the values that they refer to."""

    def __init__(self) -> None:
        self._words = _Pool(in_both_languages)
        self._styles = _Pool(lambda style: " ".join(f"ipl-{name}" for name in style.split()))
        self._moves = _Pool(lambda moves: {key: _number(value) for key, value in moves})
        self._looks = _Pool(self._look)
        self._known: dict[int, tuple[Runs, list[int]]] = {}
        self._statements: Sequence[range] = ()

    def packed(self) -> Json:
        """Returns the values that the panels and tables refer to."""
        return {
            "said": self._words.values,
            "styles": self._styles.values,
            "moves": self._moves.values,
            "looks": self._looks.values,
        }

    def says(self, words: Words) -> int:
        """Returns the position of words."""
        return self._words.position(words)

    def panel(self, panel: Panel, statements: Sequence[range] = ()) -> Json:
        """Packs a panel over all steps.

        Args:
            panel: the panel.
            statements: the events of each of its steps, if these are statements. They are packed as the last events.
        """
        if statements:
            self._statements, self._known = statements, {}
            packed = self.panel(panel)
            self._statements, self._known = (), {}
            return packed
        size = {"name": panel.name, "width": panel.width, "height": panel.height}
        notes: Json = {"notes": self._packed_runs(panel.notes)} if panel.notes else {}
        groups = {"groups": [packed for group in panel.groups for packed in self._unfolded(group, panel.more)]}
        if panel.more:
            size["height"] = panel.more.note.y
            notes["unfolds"] = {"says": in_both_languages(panel.more.says), "height": panel.more.height}
        if panel.narrower:
            notes["narrower"] = [self.panel(each) for each in panel.narrower]
        if panel.opens:
            notes["opens"] = [
                {"says": self.says(each.says), "within": each.within, "panel": self.panel(each.panel)}
                for each in panel.opens
            ]
        table = {"table": [self._group(each) for each in panel.table]} if panel.table else {}
        copies = (
            {"copies": [[self._seen(each.step), [*each.source], [*each.target]] for each in panel.copies]}
            if panel.copies
            else {}
        )
        return {**size, **notes, "says": self._packed_runs(panel.says), **groups, **table, **copies}

    def table(
        self, title: Text, columns: Iterable[Words], changes: Iterable[tuple[int, str, tuple[Words, ...] | None]]
    ) -> Json:
        """Packs a table over all steps.

        Args:
            title: its caption.
            columns: their heads.
            changes: in order of steps: the step, the key of a row, and its cells from then on; None if the row ends.
        """
        rows: dict[str, list[Any]] = {}
        for step, key, cells in changes:
            self._add_row(rows.setdefault(key, []), step, cells)
        return {
            "title": in_both_languages(title),
            "columns": [in_both_languages(column) for column in columns],
            "rows": rows,
        }

    def _packed_runs(self, words: tuple[tuple[int, Text], ...]) -> list[int]:
        """[step, words, step, words, ...], with an entry wherever they change."""
        packed: list[int] = []
        for step, words_then in words:
            position = self.says(words_then)
            if not packed or packed[-1] != position:
                packed += [self._seen(step), position]
        return packed

    def _seen(self, step: int) -> int:
        """The event at which a step is seen: the last one of a statement."""
        if step < 0 or not self._statements:
            return step
        return self._statements[step].stop - 1 if step < len(self._statements) else self._statements[-1].stop

    def _until(self, step: int) -> int:
        """The last event before the next step is seen."""
        return step if step < 0 or not self._statements else self._seen(step + 1) - 1

    def _unfolded(self, group: Group, more: More | None) -> Iterable[Json]:
        """A group; the note about folded groups is replaced by these groups."""
        if more is None or group is not more.note:
            return [self._group(group)]
        return [self._group(hidden) | {"folded": True} for hidden in more.groups]

    def _group(self, group: Group) -> Json:
        place: Json = {"x": _number(group.x), "y": _number(group.y), "height": _number(group.height)}
        place |= {"width": _number(group.width), "first": self._seen(group.first), "last": self._until(group.last)}
        if group.is_fixed:
            place["fixed"] = True
        if group.row is not None:
            place["row"] = group.row
        if group.key:
            place["key"] = group.key
        if group.open:
            # As distances, which repeat from turn to turn of a loop, so that they are compressed well.
            steps = [step for first, last in group.open for step in (self._seen(first), self._until(last))]
            place |= {"open": [steps[0], *(after - step for step, after in pairwise(steps))]}
        return {**place, "marks": [self._mark(mark) for mark in group.marks]}

    def _mark(self, mark: Mark) -> list[Any]:
        """[tag, place, [step, look, step, look, ...], keys, links], without what is empty at the end."""
        place = {key: _number(value) for key, value in mark.place}
        runs = self._runs(mark.runs)
        if mark.links:
            return [mark.tag, place, runs, " ".join(mark.keys), " ".join(mark.links)]
        if mark.keys:
            return [mark.tag, place, runs, " ".join(mark.keys)]
        return [mark.tag, place, runs] if runs else [mark.tag, place]

    def _runs(self, runs: Runs) -> list[int]:
        """[step, look, step, look, ...]. Many marks share their runs, such as the slots of a storage."""
        _, found = self._known.get(id(runs), (runs, None))
        if found is None:
            found = []
            self._known[id(runs)] = runs, found  # kept alive, so that no other runs get this id
            for step, look in runs:
                found += (self._seen(step), _GONE if look is None else self._looks.position(look))
        return found

    def _look(self, look: Look) -> list[int]:
        """[style, words, moves], each a position."""
        style = self._styles.position(look.style)
        words = _GONE if look.text is None else self.says(look.text)
        if look.attributes:
            return [style, words, self._moves.position(look.attributes)]
        return [style] if words == _GONE else [style, words]

    def _add_row(self, runs: list[Any], step: int, cells: tuple[Words, ...] | None) -> None:
        """A row as [[step, cells or null], ...], with an entry wherever something changes."""
        here = None if cells is None else [self.says(cell) for cell in cells]
        if runs and runs[-1][0] == step:
            runs.pop()
        if here != (runs[-1][1] if runs else None):
            runs.append([step, here])


@lru_cache(maxsize=1 << 14)
def _number(value: str | float) -> str | float:
    """A coordinate as a number, rounded as `measure.coordinate` does."""
    if isinstance(value, str):
        return value
    short = round(value, 1)
    return int(short) if short == int(short) else short


# --- the values of large storages -------------------------------------------------------------------------------------

MOST_NUMBERS = 4096
"""The most values sent for one version of a storage."""
MOST_BYTES = 60_000
"""The most bytes sent for all storages with a lens together; and for all the others."""
_LONGEST_SAME = 8
"""The most digits of an integer that is sent as a number: the player writes it as it does a whole float."""
_SHORTEST = len("[[0,[1]]]")

Piece = tuple[int, Values]
"""The first slot of a run, and the values of the run."""


def pages(recording: Recording) -> list[Json]:
    """Returns for each large storage, and for each other of which a value is rounded in the picture, its recorded values: [step, [[first slot,
    values], ...]] for each change.
    """
    left, found = {True: MOST_BYTES, False: MOST_BYTES}, []
    for storage, life in storage_lives(recording).items():
        slots = max(facts.slots for facts in life.every())
        exponent, has_lens = life.has_exponents, slots > WITH_VALUES
        if not has_lens and not _is_rounded(life):
            continue
        moments = []
        before: Values | Summary | None = None
        for step, facts in life.moments:
            sent = _sent(_changes(before, facts), left[has_lens]) if left[has_lens] >= _SHORTEST else []
            left[has_lens] -= len(json.dumps(sent, separators=(",", ":"))) if sent else 0
            moments.append([step, sent])
            before = facts.values
        found.append({"key": f"s{storage}", "slots": slots, "exponent": exponent, "moments": moments})
    return found


def _is_rounded(life: Life[StorageFacts]) -> bool:
    known = (facts.values for facts in life.every() if isinstance(facts.values, tuple))
    return any(type(value) is not int and number(value) != whole(value) for values in known for value in values)


def _sent(pieces: Sequence[Piece], room: int) -> list[Any]:
    """The pieces as they are sent; none if they need more bytes than there is room for."""
    sent: list[Any] = []
    bytes_at_least, first = 0, list(_first(pieces))
    if 2 * sum(len(values) for _, values in first) > room:  # each value needs a digit and a comma
        return []
    for start, values in first:
        sent.append([start, []])
        for value in values:
            sent[-1][1].append(number_sent(value))
            bytes_at_least += len(repr(sent[-1][1][-1])) + 1
            if bytes_at_least > room:  # most that are too long are so by far, and need not be written out
                return []
    return sent if len(json.dumps(sent, separators=(",", ":"))) <= room else []


def _changes(before: Values | Summary | None, facts: StorageFacts) -> list[Piece]:
    """The values that differ from those of the moment before."""
    if isinstance(facts.values, tuple):
        return list(_differing(before if isinstance(before, tuple) else (), facts.values))
    if isinstance(facts.values, Summary):
        known = facts.values
        return [(0, known.head), *known.runs, (facts.slots - len(known.tail), known.tail)]
    return []


def _differing(before: Values, after: Values) -> Iterator[Piece]:
    shared = [slot for slot, differs in enumerate(map(ne, before, after)) if differs]
    changed = [*shared, *range(len(before), len(after))]
    for _, run in groupby(enumerate(changed), key=lambda place: place[1] - place[0]):
        slots = [slot for _, slot in run]
        yield slots[0], after[slots[0] : slots[-1] + 1]


def _first(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """As many values as may be sent for one version."""
    left = MOST_NUMBERS
    for start, values in pieces:
        if values and left:
            yield start, values[:left]
            left -= min(left, len(values))


def number_sent(value: Number) -> float | int | bool | str:
    """Returns a whole value: as a number, unless JSON has none or the player would take an integer for a float."""
    if isinstance(value, bool):
        return value
    digits = whole(value)
    if (
        isinstance(value, complex)
        or not isfinite(value)
        or (isinstance(value, int) and len(digits.lstrip("-")) > _LONGEST_SAME)
    ):
        return digits
    return int(digits) if digits.lstrip("-").isdigit() else float(digits)
