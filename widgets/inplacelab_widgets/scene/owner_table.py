"""Draws the table of all storages by owner: what stands below the storages that a step is about, where there are many.

A module of the program owns its parameters, their gradients, and what an optimizer remembers of them; an optimizer owns what belongs to no parameter.
Then come the program's own variables, what only backward holds, and temporaries. A row has the owner, its bytes, and a cell for each member, or for
all its members of one kind. A cell has the same seat at all steps (`tabled` in `svg.py`). In the player a row opens into its members, a line for each.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab.recording.facts import Step, StorageFacts
from inplacelab.recording.naming import GRADIENT, is_constant, is_gradient_of, storage_label
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import made
from inplacelab_widgets import words
from inplacelab_widgets.scene.memory_panel import holders
from inplacelab_widgets.scene.names import dimensions
from inplacelab_widgets.scene.svg import ROW, Group, Lazily, Look, Mark, lasting, path, rect, text
from inplacelab_widgets.scene.text_layout import SMALL, STATE, Words, short_name, size_in_bytes, widest, width_of
from inplacelab_widgets.scene.timeline import Life, once_for_each, shared_rows

Span = tuple[int, int]
"""The first and the last step of a range of steps."""

MOST_ROWS = 7
"""With more modules, those inside one are shown as one, or those that repeat are."""
MOST_CELLS = 6
MOST_VARIABLES = 16
"""The most cells for single members; the others share one."""
LONGEST_OWNER, LONGEST_NAME, LONGEST_ALIAS = 150.0, 110.0, 200.0
_BYTES = 62.0

_VARIABLES, _HELD, _OTHER = words.OWNERS
_PART = re.compile(r"(.+)\.([^.\[\]]+)((?:\[.*\])?)")


class Home(NamedTuple):
    """Where a storage belongs after a step.

    Attributes:
        owner: the path of the module, as ("net", "0"); else one word for all variables, all that backward holds, or all temporaries.
        member: its name there: "weight".
        kind: what it is of that member: "grad", "momentum"; "" for the member itself.
        shown: its names, as they are shown.
        shape: the shape of its first tensor.
    """

    owner: tuple[str, ...]
    member: str
    kind: str = ""
    shown: str = ""
    shape: str = ""


def home_of(name: str) -> Home:
    """Returns where a storage with this name belongs.

    >>> home_of("net.0.weight.grad")[:3], home_of("opt.state[net.0.weight]['momentum_buffer']")[:3]
    ((('net', '0'), 'weight', 'grad'), (('net', '0'), 'weight', 'momentum'))
    >>> home_of("opt.velocity[0]")[:3], home_of("saved['0.bias']")[:3]
    ((('opt',), '0', 'velocity'), (('*variables',), "saved['0.bias']", ''))
    """
    if ": " in name:  # the name of another call's variable, "f: x"
        return Home((_VARIABLES,), name)
    if name.endswith(GRADIENT):
        return home_of(name.removesuffix(GRADIENT))._replace(kind="grad")
    if state := STATE.fullmatch(name):
        kind = state[3].removesuffix("_buffer")
        return Home((state[1],), state[2], kind) if state[2].isdigit() else home_of(state[2])._replace(kind=kind)
    if part := _PART.fullmatch(name):
        owner = tuple(part[1].split("."))
        return Home(owner, part[3][1:-1], part[2]) if part[3][1:-1].isdigit() else Home(owner, part[2] + part[3])
    return Home((_VARIABLES,), name)


@once_for_each
def homes(recording: Recording) -> Mapping[int, Sequence[tuple[int, Home]]]:
    """Returns where each storage belongs, wherever that changes."""
    found: dict[int, list[tuple[int, Home]]] = {}
    on: dict[int, int] = {}  # from a tensor to its storage
    kinds: dict[int, str] = {}
    for state, holding in zip(recording.states(), holders(recording), strict=True):
        touched = dict.fromkeys(key for key, _ in state.step.storages)
        for tensor in (*(key for key, _ in state.step.tensors), *state.awaited):
            touched |= dict.fromkeys([on[tensor]] if tensor in on else [])
            if (facts := state.tensors.get(tensor)) is not None:
                touched[on.setdefault(tensor, facts.storage)] = touched[facts.storage] = None
                on[tensor] = facts.storage
        now = {key: kind for key, (kind, _) in holding.storages.items()}
        touched |= {key: None for key, kind in now.items() if kinds.get(key) != kind}
        kinds = dict(now)
        for key in touched:
            if key in state.storages:
                home, moments = _home(recording, state, key, now[key]), found.setdefault(key, [])
                if not moments or moments[-1][1] != home:
                    moments.append((state.step.index, home))
    return {key: _with_its_module(moments) for key, moments in found.items()}


def _with_its_module(moments: Sequence[tuple[int, Home]]) -> Sequence[tuple[int, Home]]:
    """The same, where a module that is being made is still called `self`, with the module that it becomes."""
    of = next((home for _, home in moments if home.owner[0] not in ("self", *words.OWNERS)), None)
    found = []
    for step, home in moments:
        own = of or Home((_VARIABLES,), ".".join([*home.owner, home.member]), home.kind)
        is_made = home.owner[0] == "self"
        found.append((step, own._replace(shown=home.shown, shape=home.shape) if is_made else home))
    return found


def _below(name: str, other: str) -> str:
    """The second name without the path that both share: "decoder.weight" of `model.decoder.weight`, beside `model.encoder.weight`."""
    parts, others = name.split("."), other.split(".")
    shared = 0
    while shared < min(len(parts), len(others)) - 1 and parts[shared] == others[shared]:
        shared += 1
    return ".".join(others[shared:])


def _home(recording: Recording, state: State, storage: int, held: str) -> Home:
    tensors = state.tensors_on(storage)
    called = [state.called(each.id) for each in tensors]
    shape = dimensions(tensors[0].shape if tensors else (state.storages[storage].slots,))
    names = [pair for each in called if each.names for pair in zip(each.names, each.shown, strict=True)]
    if names:
        first, shown = names[0]
        home = home_of(first)
        others = [said for name, said in names[1:] if name.endswith(GRADIENT) <= (home.kind != "grad")]
        others = [each for each in others if not is_gradient_of(each, [name for name, _ in names])]
        mark = shown.removesuffix(first)  # of a name that the line has yet to bind
        member = home.member if home.kind in ("", "grad") else f"{home.member} {home.kind}".strip()
        own = mark + member + (GRADIENT if home.kind == "grad" else "")
        shown = ", ".join([own, *others]) if others else short_name(own, LONGEST_NAME)
        alias = f"{own} = {_below(first, others[0])}" if len(others) == 1 else ""
        if width_of(shown) > LONGEST_NAME and alias and width_of(alias) <= LONGEST_ALIAS:
            shown = alias  # what a reader looks for
        elif width_of(shown) > LONGEST_NAME and others:
            shown = f"{short_name(own, LONGEST_NAME - 22)}, +{len(others)}"
        return home._replace(shown=shown, shape=shape)
    owner = next((o for each in tensors if (o := state.owner_of_gradient(each.id)) is not None), None)
    if owner is not None and (its := state.called(owner)).names:
        home = home_of(its.names[0])
        return home._replace(kind="grad", shown=f"{home.member}{GRADIENT}", shape=shape)
    how = [made(recording).get(each.id) for each in tensors]
    said = next((each.op for each in how if each is not None and each.op), "")
    return Home((_HELD if held in ("saved", "copy") else _OTHER,), "", "", said, shape)


# --- rows -------------------------------------------------------------------------------------------------------------


class Owner(NamedTuple):
    """A row: its label, and the part of the paths of its members that is not repeated."""

    label: Words
    path: tuple[str, ...]


def owners(found: Iterable[Home]) -> dict[tuple[str, ...], Owner]:
    """Returns the row of each owner, in order.

    >>> net = [Home(("net", str(k), part), "weight") for k in range(9) for part in ("a", "b")]
    >>> owners(net)["net", "8", "a"].label
    'net.0 … net.8 ×9'
    """
    members: dict[tuple[str, ...], dict[str, None]] = {}
    for home in found:
        if home.owner[0] not in words.OWNERS:
            members.setdefault(home.owner, {})[home.member if not home.kind else ""] = None
    deepest = max(map(len, members), default=1)
    ways = ((depth, is_folded) for depth in range(deepest, 0, -1) for is_folded in (False, True))
    rows = next(
        rows for way in ways if len(set((rows := _rows(members, *way)).values())) <= MOST_ROWS or way == (1, True)
    )
    return rows | {(name,): Owner(label, ()) for name, label in words.OWNERS.items()}


def _rows(members: Mapping[tuple[str, ...], Iterable[str]], depth: int, fold: bool) -> dict[tuple[str, ...], Owner]:
    """The rows of modules down to a depth; `fold`: modules with the same members, in a list, are one row."""
    inside: dict[tuple[str, ...], dict[tuple[str, ...], None]] = {}
    for owner in members:
        inside.setdefault(owner[:depth], {})[owner] = None
    order: dict[object, list[tuple[str, ...]]] = {}
    for prefix, all_of in inside.items():
        alike = tuple((owner[depth:], frozenset(members[owner])) for owner in all_of)
        is_in_list = fold and depth > 1 and len(prefix) == depth and prefix[-1].isdigit()
        order.setdefault((prefix[:-1], alike) if is_in_list else prefix, []).append(prefix)
    found = {}
    for some in order.values():
        first, last = (".".join(prefix) for prefix in (some[0], some[-1]))
        row = Owner(first, some[0]) if len(some) == 1 else Owner(f"{first} … {last} ×{len(some)}", some[0][:-1])
        found.update({owner: row for prefix in some for owner in inside[prefix]})
    return found


# --- cells ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Listed:
    """What the table needs of a storage; `stale` are the ranges of steps at which a stale value is on it."""

    id: int
    life: Life[StorageFacts]
    versions: Life[str]
    stale: Sequence[Span]

    def is_stale(self, step: int) -> bool:
        return any(first <= step <= last for first, last in self.stale)

    def version(self, step: int, *, written: bool) -> str:
        """Returns its version, or "v4→v5" in a step that writes it."""
        now, before = self.versions.at(step) or "", self.versions.at(step - 1) or ""
        is_raised = (
            written and before not in ("", now) and before.count(",") == now.count(",")
        )  # as many counters as before
        return f"{before}→{now}" if is_raised else now


@dataclass(slots=True)
class _Cell:
    """A cell of a row: one member, or if it has no name, all members of one kind."""

    name: str
    says: Callable[..., Text]
    """What is said of so many storages, or of a part of them, if it has no name."""
    live: dict[int, str] = field(default_factory=dict)
    """Its storages at the present step, with their names."""
    ever: dict[int, None] = field(default_factory=dict)
    looks: list[tuple[int, Look | None]] = field(default_factory=list)

    def look(self, step: int, known: Mapping[int, Listed], written: set[int], gone: int) -> tuple[Look | None, bool]:
        """Returns its look at a step, and whether it has it at this step alone."""
        some = [known[key] for key in self.live]
        if not some:
            what = plain(self.name) if self.name else self.says(gone)
            return (Look("text italic soft", both(what, words.FREED)) if gone else None), bool(gone)
        wrote = [each for each in some if each.id in written]
        fresh = [each for each in some if each.life.first == step]
        stale = [each for each in some if each.is_stale(step)]
        versions = {each.version(step, written=each in wrote) for each in some}
        says = plain([*self.live.values()][-1]) if self.name else self.says(len(some))
        if len(versions) == 1 and (self.name or wrote):
            says = both(says, plain(*versions))
        elif (wrote or fresh) and not self.name:
            part = len(wrote or fresh)
            says = says if part == len(some) else self.says(len(some), part)
            says = says if wrote else both(says, words.NEW_HERE)
        if stale:
            marked = words.STALE_HERE if len(stale) == len(some) else words.OF_THESE_STALE.format(count=len(stale))
            return Look("text alarm", both(says, marked)), bool(wrote or fresh)
        return Look("text wrote" if wrote or fresh else "text", says), bool(wrote or fresh)


def plain(said: str) -> Text:
    """Returns words that are the same in every language."""
    return Text(said, said)


def both(one: Words, other: Words) -> Text:
    """Returns words with others after them."""
    return Text("{0} {1}", "{0} {1}").format(one, other)


def owner_table(recording: Recording, storages: Sequence[Listed]) -> tuple[Group, ...]:
    """Returns the table: for each row its head, its cells, and the lines of its members."""
    known, end = {each.id: each for each in storages}, len(recording) - 1
    there = {key: moments for key, moments in homes(recording).items() if key in known}
    rows = owners(home for moments in there.values() for _, home in moments)
    order = [*dict.fromkeys(rows.values())]
    cells = _cells(there, rows)
    heads = _filled(recording, known, there, rows, cells)
    lines = _lines(there, rows, known)
    order = [row for row in order if row in heads]
    writing: dict[int, set[int]] = defaultdict(set)
    for step in recording.steps:
        for write in step.writes:
            writing[write.storage].add(step.index)
    wide = round(min(LONGEST_OWNER, widest((row.label for row in order), SMALL)) + 14 + _BYTES, 1)
    found: list[Group] = []
    for place, row in enumerate(order):
        found.append(_head(place, row, heads[row], wide, end))
        for ever, looks in _seated({id(cell): cell for (its, _), cell in cells.items() if its == row}.values(), end):
            width = round(widest((look.text for _, look in looks if look), SMALL), 1)
            its = tuple(f"s{key}" for key in ever)
            mark = text(0, 12, lasting(looks, end), keys=its if len(its) == 1 else (f"o{place}", *its))
            found.append(Group(0, 0, width, ROW, 0, end, (mark,), row=place))
        stretches = lines.get(row, [])
        for (key, moments, first, last), seat in zip(
            stretches, shared_rows([(first, last) for *_, first, last in stretches]), strict=True
        ):
            marks = Lazily(partial(_line, known[key], row, moments, writing.get(key, set()), (first, last)))
            found.append(Group(28, seat * ROW, 400, ROW, first, last, marks, f"s{key}", row=place))
    return tuple(found)


_Cells = dict[tuple[Owner, str], _Cell]
_Homes = Mapping[int, Sequence[tuple[int, Home]]]


def _relative(row: Owner, home: Home) -> str:
    """What a member is called in its row: "0.weight"."""
    return ".".join([*home.owner[len(row.path) :], home.member]) if row.path else home.member


def _cells(there: _Homes, rows: Mapping[tuple[str, ...], Owner]) -> _Cells:
    """The cells of all rows, those of single members first."""
    single: dict[Owner, dict[str, None]] = {}
    kinds: dict[Owner, dict[str, None]] = {}
    for moments in there.values():
        for _, home in moments:
            row = rows[home.owner]
            if home.kind or not home.member:
                kinds.setdefault(row, {})[home.kind] = None
            else:
                single.setdefault(row, {})[_relative(row, home)] = None
    found: _Cells = {}
    for row in dict.fromkeys(rows.values()):
        names, most = [*single.get(row, {})], MOST_CELLS if row.path else MOST_VARIABLES
        is_many = len(names) > most and bool(row.path)
        found |= {
            (row, name): _Cell(name, partial(_counted, words.STORAGES)) for name in ([] if is_many else names[:most])
        }
        if len(names) > most:
            rest = partial(_counted, words.MORE_MEMBERS, part_of=words.PART_OF_MORE)
            found[row, "**"] = _Cell("", partial(_counted, words.MEMBERS) if is_many else rest)
        for kind in kinds.get(row, {}):
            says = {"grad": words.GRADIENTS, "": words.STORAGES}.get(kind, (plain(f"{{count}} {kind}"),) * 2)
            found[row, f"*{kind}"] = _Cell("", partial(_counted, says))
        states = [kind for kind in kinds.get(row, {}) if kind not in ("", "grad")]
        if len(states) > 1:
            found |= {(row, f"*{kind}"): found[row, f"*{states[0]}"] for kind in states}
            found[row, f"*{states[0]}"].says = partial(_counted, words.STATES)
    return found


def _counted(says: tuple[Text, Text], count: int, part: int = 0, part_of: Text = words.PART) -> Text:
    said = says[count != 1].format(count=count)
    return part_of.format(part=part, all=said, count=count) if part else said


@dataclass
class _Filling:
    """Fills the cells step by step."""

    known: Mapping[int, Listed]
    rows: Mapping[tuple[str, ...], Owner]
    cells: _Cells
    at: dict[int, tuple[_Cell, Owner]] = field(default_factory=dict)
    """The cell and the row of each live storage."""
    sizes: dict[Owner, int] = field(default_factory=dict)
    heads: dict[Owner, list[tuple[int, int]]] = field(default_factory=dict)
    """(step, bytes) of each row, wherever they change."""
    again: list[_Cell] = field(default_factory=list)
    """The cells that look otherwise after the present step."""

    def follow(self, step: Step, moves: Iterable[tuple[int, Home | None]], touched: Iterable[int]) -> None:
        """Follows a step: the storages that begin to belong somewhere, or are freed, and those that look otherwise."""
        dirty, gone = {id(cell): cell for cell in self.again}, Counter[int]()
        moved: dict[Owner, None] = {}
        for key, home in moves:
            for cell, row in self._move(key, home):
                dirty[id(cell)], moved[row] = cell, None
                gone[id(cell)] += home is None
        dirty |= {id(self.at[key][0]): self.at[key][0] for key in touched if key in self.at}
        self.again, written = [], {write.storage for write in step.writes}
        for cell in dirty.values():
            look, is_brief = cell.look(step.index, self.known, written, gone[id(cell)])
            cell.looks.append((step.index, look))
            self.again += [cell] if is_brief else []
        for row in moved:
            self.heads.setdefault(row, []).append((step.index, self.sizes[row]))

    def _move(self, key: int, home: Home | None) -> Iterator[tuple[_Cell, Owner]]:
        """Moves a storage to another cell, or out of the table; yields the cells that change, with their rows."""
        size = self.known[key].life.moments[0][1].bytes
        if key in self.at:
            cell, row = self.at.pop(key)
            del cell.live[key]
            self.sizes[row] -= size
            yield cell, row
        if home is not None:
            row = self.rows[home.owner]
            name = _relative(row, home)
            usual = f"*{home.kind}" if home.kind or not home.member else name
            cell = self.cells[row, usual if (row, usual) in self.cells else "**"]
            cell.live[key] = home.shown if row.path == home.owner or not row.path else short_name(name, LONGEST_NAME)
            cell.ever[key] = None
            self.sizes[row] = self.sizes.get(row, 0) + size
            self.at[key] = cell, row
            yield cell, row


def _filled(
    recording: Recording,
    known: Mapping[int, Listed],
    there: _Homes,
    rows: Mapping[tuple[str, ...], Owner],
    cells: _Cells,
) -> dict[Owner, list[tuple[int, int]]]:
    """Fills the cells over the steps; returns (step, bytes) of each row, wherever they change."""
    moves: dict[int, list[tuple[int, Home | None]]] = defaultdict(list)
    touched: dict[int, set[int]] = defaultdict(set)
    for key, moments in there.items():
        for at, home in moments:
            moves[at].append((key, home))
        moves[known[key].life.last + 1].append((key, None))
        raised = [at for at, _ in known[key].versions.moments]
        for at in (*raised, *(edge for first, last in known[key].stale for edge in (first, last + 1))):
            touched[at].add(key)
    # Some writes raise no version, such as those of running statistics.
    for step in recording.steps:
        touched[step.index].update(write.storage for write in step.writes)
    filling = _Filling(known, rows, cells)
    for step in recording.steps:
        filling.follow(step, moves[step.index], touched[step.index])
    return filling.heads


def _seated(cells: Iterable[_Cell], end: int) -> Iterator[tuple[list[int], list[tuple[int, Look | None]]]]:
    """Yields the storages and the looks of each seat of a row: cells that are never there at the same time, such as local variables, share one."""
    spans: dict[tuple[int, int], tuple[_Cell, int]] = {}
    for cell in cells:
        shown = [step for step, look in cell.looks if look]
        if shown:
            spans[shown[0], len(spans)] = cell, end if cell.looks[-1][1] else cell.looks[-1][0] - 1
    order = sorted(spans)
    seats: dict[int, list[_Cell]] = defaultdict(list)
    for first, seat in zip(order, shared_rows([(first[0], spans[first][1]) for first in order]), strict=True):
        seats[seat].append(spans[first][0])
    for some in seats.values():
        looks = sorted((each for cell in some for each in cell.looks), key=lambda each: (each[0], each[1] is not None))
        yield [key for cell in some for key in cell.ever], looks


def _head(place: int, row: Owner, sizes: Sequence[tuple[int, int]], wide: float, end: int) -> Group:
    """The head of a row: its owner, from its first storage on, and its bytes."""
    keys, first = (f"o{place}",), sizes[0][0]
    label = row.label if isinstance(row.label, Text) else short_name(row.label, LONGEST_OWNER)
    owner = [(first, Look("text soft" if not row.path else "text bold", label))]
    counted = [(step, Look("text soft end", size_in_bytes(size)) if size else None) for step, size in sizes]
    marks: Iterable[Mark] = (
        rect(0, 0, wide, ROW, lasting([(first, Look("hit"))], end), keys=keys),
        path("M1 4.5l5 4l-5 4z", lasting([(first, Look("twist"))], end), keys=keys),
        text(12, 12, lasting(owner, end), keys=keys),
        text(wide, 12, lasting(counted, end), keys=keys),
    )
    return Group(0, 0, wide, ROW, 0, end, tuple(marks), keys[0], row=place)


# --- the lines of an opened row ---------------------------------------------------------------------------------------

_Stretch = tuple[int, list[tuple[int, Home]], int, int]
"""A storage, where it belongs, and the first and the last step at which it belongs to a row."""


def _lines(
    there: _Homes, rows: Mapping[tuple[str, ...], Owner], known: Mapping[int, Listed]
) -> dict[Owner, list[_Stretch]]:
    found: dict[Owner, list[_Stretch]] = defaultdict(list)
    for key, moments in there.items():
        parts = [(row, [*some]) for row, some in groupby(moments, key=lambda moment: rows[moment[1].owner])]
        ends = [*(some[0][0] - 1 for _, some in parts[1:]), known[key].life.last]
        for (row, some), last in zip(parts, ends, strict=True):
            found[row].append((key, some, some[0][0], last))
    return {row: sorted(some, key=lambda each: each[2]) for row, some in found.items()}


def _line(
    storage: Listed, row: Owner, moments: Sequence[tuple[int, Home]], writing: set[int], span: Span
) -> Iterator[Mark]:
    """The line of a member: its name, shape, dtype, version, bytes and number."""
    first, last = span
    homes = Life(tuple(moments), last)
    changes = {step for step, _ in (*moments, *storage.versions.moments)} | writing | {step + 1 for step in writing}
    changes |= {storage.life.first + 1, *(at for span in storage.stale for at in (span[0], span[1] + 1))}
    looks = []
    for step in sorted(at for at in changes if first <= at <= last):
        home, facts = homes.at(step), storage.life.at(step)
        if home is None or facts is None:
            continue
        name = home.shown
        if row.path and home.owner != row.path:
            name = ".".join([*home.owner[len(row.path) :], name])
        version = storage.version(step, written=step in writing)
        size = "" if is_constant(facts) else size_in_bytes(facts.bytes)
        said = f"{short_name(name, 165):<24} {home.shape:<14} {facts.dtype:<8} {version:<7} {size:>9}  {storage_label(storage.id)}"
        is_stale = storage.is_stale(step)
        style = "alarm" if is_stale else "wrote" if step in writing or step == storage.life.first else ""
        looks.append((step, Look(f"text {style}".strip(), f"✗ {said}" if is_stale else said)))
    yield text(0, 12, lasting(looks, last), keys=(f"s{storage.id}",))
