"""Draws the panel of storages: all of them, or in a panel that would be too high those that a step is about, with a table of all below them.

Storages that never live at the same time share a row, so a loop that makes a temporary a hundred times needs the room of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise
from typing import TypeVar

from inplacelab.language import Text, enumerated
from inplacelab.recording import queries
from inplacelab.recording.facts import Step, StorageFacts, WriteFacts
from inplacelab.recording.naming import is_constant, storage_label
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import Runs as SlotRuns
from inplacelab.recording.slots import slots_reached, touched
from inplacelab.recording.statements import former_values
from inplacelab.supported import terms_of
from inplacelab_widgets import words
from inplacelab_widgets.scene import timeline
from inplacelab_widgets.scene.focus import Span, open_spans
from inplacelab_widgets.scene.names import authors_of
from inplacelab_widgets.scene.owner_table import Listed, owner_table
from inplacelab_widgets.scene.saved_tensors import Pin, pins, storage_pins
from inplacelab_widgets.scene.storage import NARROWEST, Storage
from inplacelab_widgets.scene.svg import GAP, Copy, Group, Panel, flowed, tabled
from inplacelab_widgets.scene.tensor_cards import Card, cards_with_aliases, overwritten, tensor_roles, with_gone
from inplacelab_widgets.scene.tensor_grids import tensors_of
from inplacelab_widgets.scene.timeline import shared_rows, storage_lives, version_labels
from inplacelab_widgets.scene.version_line import Counter, Raise, counters, passed_by


def order_of_rows(lives: Sequence[tuple[int, int]], rows: Sequence[int], heights: Mapping[int, float]) -> list[int]:
    """Orders the rows that storages share so that there is little blank space above live storages; returns them from top to bottom.

    A storage keeps its place while it lives: if storages moved up whenever one above them was freed, a reader would have to find them again
    at every step of a loop. A gap is filled by the next storage that is made. All lives are known, so a row that is soon empty for good is
    put below those that are used longer. Rows that cause no blank space keep the order in which they were made.

    Args:
        lives: the first and the last step of each storage.
        rows: the row of each storage.
        heights: the height of each row, in px.

    >>> order_of_rows([(0, 9), (1, 2), (1, 9)], [0, 1, 2], {0: 80, 1: 80, 2: 80})
    [0, 2, 1]
    """
    taken = dict.fromkeys(range(len(heights)), 0)
    for (first, last), row in zip(lives, rows, strict=True):
        # One bit per step: rows of thousands of steps are compared in one operation.
        taken[row] |= ((1 << (last - first + 1)) - 1) << first

    order = list(taken)
    for end in range(1, len(order)):
        at = end
        while at:
            above, below = order[at - 1], order[at]
            # The blank space of the upper row above live storages in the lower one, in px times steps: as they are, and exchanged.
            blank = heights[above] * (taken[below] & ~taken[above]).bit_count()
            if heights[below] * (taken[above] & ~taken[below]).bit_count() >= blank:
                break
            order[at - 1], order[at] = below, above
            at -= 1
    return order


def copies(recording: Recording, drawn: Callable[[int], Storage | None]) -> tuple[Copy, ...]:
    """Returns the arrows of the steps that copied something, between storages as they are drawn."""
    found = []
    for state in recording.states():
        step = state.step
        read = next((each for each in step.reads if each.copied), None)
        target = None if read is None else _target(state)
        source, to = (None, None) if read is None or target is None else (drawn(read.storage), drawn(target[0]))
        if read is None or target is None or source is None or to is None:
            continue
        if is_constant(source.life.moments[0][1]) or (read.storage, read.slots) == target:
            continue
        if read.slots and target[1]:
            ends = _end(source.at(step.index), read.slots), _end(to.at(step.index), target[1])
            found.append(Copy(step.index, *ends))
    return tuple(found)


def _target(state: State) -> tuple[int, SlotRuns] | None:
    """The storage and the slots to which a step copied something."""
    write = next((write for write in state.step.writes if write.slots), None)
    if write is not None:
        return write.storage, write.slots
    made = state.tensors.get(state.step.output) if state.step.output is not None else None
    return None if made is None else (made.storage, slots_reached(state.storages[made.storage], made))


def _end(storage: Storage, slots: SlotRuns) -> tuple[str, float, float]:
    """One end of an arrow: at the first run of slots."""
    left, right, y = storage.layout.strip.pieces(slots[:1])[0]
    return f"s{storage.id}", round((left + right) / 2, 1), storage.layout.strip_top + y


_Item = TypeVar("_Item", Card, Pin)

WIDTH = 570.0
"""The width of the panel beside the code in a notebook of usual width, in px."""
HIGHEST = 244.0
"""The greatest height of the panel, in px. A higher one draws in full only what a step is about, above a table of all."""
WORTH = 0.95
"""A storage is drawn with less said, or higher, if it is then at most this part as wide."""
LEAST_FOR_STORAGES = 0.55
"""At least this part of it is for the storages above the table."""


def storages_panel(recording: Recording, room: float = WIDTH, highest: float = HIGHEST) -> Panel:
    """Returns the memory panel of a recording, laid out in `room` px of width, no higher than `highest` if that can be avoided."""
    storages = _storages(recording, room)
    lives = [(each.life.first, each.last) for each in storages]
    rows = shared_rows(lives)
    if 1 + max(rows, default=0) > MOST_SEATS:
        return _with_table(recording, storages, room, highest)
    heights: dict[int, float] = {}
    widths: dict[int, float] = {}
    for storage, row in zip(storages, rows, strict=True):
        heights[row] = max(heights.get(row, 0), storage.layout.height)
        widths[row] = max(widths.get(row, 0), storage.layout.width)
    order = order_of_rows(lives, rows, heights)
    places, bottom = flowed([(widths[row], heights[row]) for row in order], room)
    if bottom > max([highest, *heights.values()]):
        return _with_table(recording, storages, room, highest)
    seats = dict(zip(order, places, strict=True))
    groups = tuple(
        stage.group(*seats[row], order.index(row))
        for storage, row in zip(storages, rows, strict=True)
        for stage in storage.stages
    )
    return Panel(
        "storages",
        round(max([NARROWEST, *(group.x + group.width for group in groups)]), 1),
        max(bottom, 40),
        groups,
        _descriptions(recording),
        copies=copies(recording, {each.id: each for each in storages}.get),
    )


MOST_SEATS = 12
"""With more storages at the same time there is no room for all of them, whatever they hold."""


def _with_table(recording: Recording, storages: Sequence[Storage], room: float, highest: float) -> Panel:
    """The panel for many storages: those that a step is about in full, and all of them in a table."""
    known = {each.id: each for each in storages}
    narrow = cache(lambda key: _narrow(known[key]))  # most are only in the table
    stale = {each.id: ranges for each in storages if (ranges := _stale(each))}
    table = owner_table(recording, [Listed(s.id, s.life, s.versions, stale.get(s.id, ())) for s in storages])
    below = tabled(table, room)[1]
    most = max(highest - below - GAP, LEAST_FOR_STORAGES * highest)
    spans = open_spans(
        recording, cache(lambda key: _sizes(narrow(key))), cache(partial(_fits, room, most)), stale, most
    )
    groups = tuple(
        stage.group(0, 0, k, spans[key])
        for k, key in enumerate(s.id for s in storages if s.id in spans)
        for stage in narrow(key).stages
    )
    stacks = (flowed([(each.width, each.height) for each in drawn], room)[1] for _, drawn in drawn_together(groups))
    return Panel(
        "storages",
        max(room, *(group.x + group.width for group in groups)),
        below + (max(stacks, default=0) + GAP),
        groups,
        _descriptions(recording),
        table=table,
        copies=copies(recording, lambda key: narrow(key) if key in known else None),
    )


def _sizes(storage: Storage) -> list[tuple[int, tuple[float, float]]]:
    """The width and the height of a storage, with the steps from which it has them."""
    return [(stage.shown[0], (stage.layout.width, stage.layout.height)) for stage in storage.stages]


def _narrow(storage: Storage) -> Storage:
    """A storage with short captions and narrow pins, if these are what makes it wide: then more of them fit side by side."""
    if not storage.tensors.on_strip and not storage.pins:
        return storage
    captions = replace(storage.tensors, on_strip=tuple(seat.short().with_origin() for seat in storage.tensors.on_strip))
    short = replace(storage, tensors=captions)
    both = replace(short, storage_pins=replace(short.storage_pins, is_narrow=True))
    narrow = min(short, both, key=lambda each: each.layout.width)
    return narrow if narrow.layout.width <= WORTH * storage.layout.width else storage


def drawn_together(groups: Sequence[Group]) -> Iterator[tuple[int, list[Group]]]:
    """Yields (step, the groups that are drawn from this step on), in their order, wherever that changes."""
    starts: dict[int, set[int]] = {}
    ends: dict[int, set[int]] = {}
    for place, group in enumerate(groups):
        for first, last in group.open or ((group.first, group.last),):
            if max(first, group.first) <= min(last, group.last):
                starts.setdefault(max(first, group.first), set()).add(place)
                ends.setdefault(min(last, group.last) + 1, set()).add(place)
    there: set[int] = set()
    for step in sorted(starts.keys() | ends.keys()):
        there = (there - ends.get(step, set())) | starts.get(step, set())
        yield step, [groups[place] for place in sorted(there)]


def _fits(room: float, most: float, boxes: tuple[tuple[float, float], ...]) -> bool:
    """Whether storages of given sizes can be seen at the same time. Beside the highest one there is room in any case."""
    highest = max((height for _, height in boxes), default=0)
    return flowed(boxes, room)[1] <= max(most, highest)


def _stale(storage: Storage) -> list[Span]:
    """The ranges of steps at which a stale value is on a storage: each begins where a saved tensor goes stale."""
    found = []
    for pin in storage.pins:
        statuses = [(step, face.status) for step, face in pin.life.moments] + [(pin.life.last + 1, "")]
        starts = [each for before, each in pairwise([(-1, ""), *statuses]) if each[1] != before[1]]
        found += [(step, end - 1) for (step, status), (end, _) in pairwise(starts) if status == "stale"]
    return found


def _storages(recording: Recording, room: float) -> list[Storage]:
    end = len(recording) - 1
    all_cards, all_pins = _by_storage(cards_with_aliases(recording)), _by_storage(pins(recording))
    all_writes: dict[int, list[tuple[Step, WriteFacts]]] = {}
    for step in recording.steps:
        for write in step.writes:
            all_writes.setdefault(write.storage, []).append((step, write))
    done, versions, label = touched(recording), version_labels(recording), terms_of(recording).label
    counted, roles, stays = counters(recording), tensor_roles(recording), passed_by(recording)
    former: dict[int, dict[int, StorageFacts]] = {}
    for (step_index, storage), facts in former_values(recording).items():
        former.setdefault(storage, {})[step_index] = facts
    found = []
    for key, life in storage_lives(recording).items():
        own_pins = tuple(all_pins.get(key, ()))
        raises = tuple(
            Raise(step.index, label(write.before), label(write.after), *authors_of(recording, step), write.counter)
            for step, write in all_writes.get(key, ())
        )
        # One step longer than its life: the step that frees it shows it fading.
        last = min(life.last + 1, end)
        places = shared_rows([(pin.life.first, pin.life.last) for pin in own_pins])
        stacks = storage_pins([*zip(places, own_pins, strict=True)])
        own_cards = tuple(all_cards.get(key, ()))
        is_written = any(write.slots for _, write in all_writes.get(key, ()))
        own_counters = []
        for counter, labels in counted.get(key, {}).items():
            sharing = [card for card in own_cards if any(face.facts.counter == counter for face in card.life.every())]
            mine = [each for each in raises if each.counter == counter]
            own_counters.append(Counter(tuple(labels), tuple(mine), tuple(sharing), tuple(stays.get(counter, ()))))
        lost = overwritten(recording).get(key)
        seen = with_gone(own_cards, lost)
        own = key, life, versions[key], last, seen, own_pins, stacks, tuple(own_counters), is_written, done.get(key, {})
        # Those that ever have a name, and those through which the program writes. Without any, all.
        named = [any(face.called.names for face in card.life.every()) for card in seen]
        writers = ["wrote" in roles.get(card.tensor, {}).values() for card in seen]
        drawn = [card for card, *reasons in zip(seen, named, writers, strict=True) if any(reasons)]
        tensors = tensors_of(drawn or seen, life, room)
        found.append(Storage(*own, roles, former.get(key, {}), lost, room, (life.first, last), tensors))
    return found


def _by_storage(items: Iterable[_Item]) -> dict[int, list[_Item]]:
    found: dict[int, list[_Item]] = {}
    for item in items:
        found.setdefault(item.storage, []).append(item)
    return found


def _descriptions(recording: Recording) -> tuple[tuple[int, Text], ...]:
    descriptions, framework = [], terms_of(recording)
    stale: dict[int, int] = {}  # the number of stale values of each node that has any
    for touch in timeline.step_changes(recording):
        state = touch.state
        for key in touch.keepers:
            saved = queries.kept_by(state, key) if key in state.nodes else ()
            stale[key] = sum(map(state.is_stale, saved))
        written = enumerated(dict.fromkeys(storage_label(write.storage) for write in state.step.writes))
        says = words.STORAGES_SAY if framework.has_gradients else words.STORAGES_SAY_PLAINLY
        said = framework.in_framework_words(says).format(
            storages=len(state.storages),
            tensors=len(state.tensors),
            written=written if state.step.writes else words.NONE,
            stale=sum(stale.values()),
        )
        descriptions.append((state.step.index, said))
    return tuple(descriptions)
