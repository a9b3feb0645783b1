"""Finds where a program is: the frames of its own code on the stack, without those of libraries; in which iterations of loops; and what the
reader calls the operands there.

A watch asks this at every operation, so what the text tells is found out once for each place. The frames tell the rest: the values of
the variables of loops, and which of the names in an expression is which tensor.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice, pairwise
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, TypeVar

from inplacelab.diagnosis.expressions import Label, Loop
from inplacelab.diagnosis.program_texts import Sources
from inplacelab.recorders.own_code import OWNS, is_own
from inplacelab.recorders.program import CO_OPTIMIZED, RELAY

if TYPE_CHECKING:
    from inplacelab.recording.facts import SiteFacts, Sites

RUNS = 1 << 16
"""Of so many operations in the text it is counted how often they ran."""
T = TypeVar("T")
DEEPEST = 32
"""So many frames of a place are kept: a recursive program has no end of places otherwise."""
INNERMOST = 24
"""So many of these are the innermost; the others are the outermost."""
LONGEST = 24
"""A text with more characters is no simple value of a loop's variable."""
LARGEST = 1 << 64
"""Nor is a larger number."""
IN_LOOPS = 2
"""Of so many frames of a place the loops are known, innermost first."""
_KEEPS = sys.version_info < (3, 13)
"""Whether to read the names of a function's frame keeps their values on the frame (see `program.scopes_of`)."""


def _namespace() -> type:
    return type(sys._getframe().f_locals)


_NAMESPACES = frozenset({dict, _namespace()})
"""The types of `f_locals`, unless the program runs code in a mapping of its own."""
_GENERATED = frozenset({"<string>", "<unknown>", "<ast>", "<code>", "<generated>", "<dynamic>", "<exec>", "<eval>"})
"""The usual names for code that is in no file."""
_READ_LOCALS = frozenset({"locals", "vars", "eval", "exec", "dir"})
"""A function that may call one of these may keep the dictionary of its names, which to read them here would change."""


@dataclass(frozen=True, slots=True)
class Site:
    """One frame of a place.

    Attributes:
        code: the code that it runs.
        instruction: the offset of its instruction.
        sources: the texts of the program.
        inside: what runs there without a file.
    """

    code: CodeType
    instruction: int
    sources: Sources = field(compare=False, repr=False)
    inside: str = ""

    @property
    def filename(self) -> str:
        """The file."""
        return self.code.co_filename

    @property
    def function(self) -> str:
        """The function's name; "" for a module."""
        name = self.code.co_qualname
        return "" if name == "<module>" else name.replace("<locals>.", "")

    @property
    def line(self) -> int:
        """The line, counted from 1."""
        return self.position[0] or self.code.co_firstlineno

    @property
    def text(self) -> str:
        """The text of the line; "" if the file cannot be read, or has another text now."""
        if not self.sources.fits(self.code, self.position):
            return ""
        lines = self.sources.lines(self.filename)
        return lines[self.line - 1].rstrip("\n") if 0 < self.line <= len(lines) else ""

    @property
    def facts(self) -> SiteFacts:
        """The same as plain data."""
        from inplacelab.recording.facts import SiteFacts  # noqa: PLC0415  # only where something has failed

        line, last, left, right = self.position
        columns = (-1, -1) if None in (line, last, left, right) else (left or 0, right or 0)
        return SiteFacts(self.filename, self.line, last or self.line, *columns, self.text, self.function, self.inside)

    @property
    def position(self) -> tuple[int | None, int | None, int | None, int | None]:
        """Its first and last line, and its first column and the one after its last, in bytes; None for what is not known."""
        return _positions(self.code)[self.instruction // 2]

    @property
    def loops(self) -> Sequence[Loop]:
        """The loops around it, outermost first."""
        if not _may_be_read(self.code):
            return ()
        return self.sources.expressions(self.filename).loops(self.position, self.code.co_name)

    @property
    def labels(self) -> Sequence[Label]:
        """The names in its expression, and what is reached from them without a call."""
        return self.sources.expressions(self.filename).labels(self.position) if _may_be_read(self.code) else ()


@lru_cache(maxsize=64)
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions())


@dataclass(eq=False, slots=True)  # frozen, it would take three times as long to make one
class Place:
    """Where the program was.

    Attributes:
        sites: its frames, innermost first.
        loops: the loops around them, as pairs of the number of a frame and a loop.
        values: the values of the variables of these loops that are simple, in order; None for others.
        count: how often the innermost line had run, if no variable tells that; 0 if that is not known.
        callers: for each frame, what the one that called it calls its arguments.
    """

    sites: tuple[Site, ...]
    loops: tuple[tuple[int, Loop], ...] = ()
    values: tuple[int | str | None, ...] = ()
    count: int = 0
    callers: tuple[Mapping[str, str], ...] = ()

    @property
    def facts(self) -> Sites:
        """The same as plain data."""
        from inplacelab.recording.facts import LoopFacts  # noqa: PLC0415  # only where something has failed

        found, left = [each.facts for each in self.sites], iter(self.values)
        for number, loop in self.loops:
            values = [(name, next(left)) for name in loop.names]
            told = tuple(LoopFacts(loop.line, name, repr(each)) for name, each in values if each is not None)
            found[number] = replace(found[number], loops=(*found[number].loops, *told))
        if self.count:
            found[0] = replace(found[0], loops=(LoopFacts(found[0].line, "", str(self.count)),))
        return tuple(found)

    def outside(self, code: CodeType) -> Place:
        """Returns the place from which the outermost call of a function came; itself if the function is not on the stack."""
        calls = [k for k, site in enumerate(self.sites) if site.code is code]
        return Place(self.sites[calls[-1] + 1 :]) if calls and calls[-1] + 1 < len(self.sites) else self

    def named_outside(self, label: str) -> str:
        """Returns the name that the calls that led here give what the innermost frame calls `label`; that if they give none."""
        for names in self.callers:
            root = label.partition(".")[0].partition("[")[0]
            if root not in names:
                break
            label = names[root] + label[len(root) :]
        return label

    @property
    def assigned(self) -> tuple[str, bool]:
        """The name to which the value of the innermost expression is assigned, and whether it is returned and the caller assigns it; "" if to none."""
        for number, site in enumerate(_without_gap(self.sites)):
            name = site.sources.expressions(site.filename).target(site.position)
            if name is None:
                break
            if name:
                return name, number > 0
        return "", False


class Places:
    """Finds places. The same place in the same iterations is the same object, so that a program that runs for hours has few of them.

    Attributes:
        sources: the texts of the program.
        root: the frame that began to watch: what has called it is no part of what is watched.
    """

    def __init__(self) -> None:
        self.sources = Sources()
        self.root: FrameType | None = None
        self._known: dict[tuple[int, ...], _Known] = {}
        self._runs: dict[tuple[int, int], int] = {}
        self._code: dict[int, CodeType] = {}
        self._spelled: dict[tuple[str, ...], tuple[str, ...]] = {}

    def of(self, frame: FrameType | None) -> Place | None:
        """Returns the program's place in a frame and those that have called it; None if none runs the program's code."""
        return self.operands(frame, ())[0]

    def of_error(self, error: BaseException) -> tuple[FrameType | None, Place | None]:
        """Returns the innermost frame of the program's code that an error has left, and where it was then."""
        sites, innermost, trace = list[Site](), None, error.__traceback__
        while trace is not None:
            code = trace.tb_frame.f_code
            if is_own(code.co_filename) and code.co_name != RELAY:
                innermost = trace.tb_frame
                sites.insert(0, Site(code, trace.tb_lasti, self.sources))
            trace = trace.tb_next
        return innermost, Place(tuple(sites)) if sites else None

    def runs(self, frame: FrameType) -> None:
        """Counts that a frame runs an operation."""
        if frame.f_code.co_name == RELAY:
            frame = _called_for(frame)
        code = frame.f_code
        key, runs = (id(code), frame.f_lasti), self._runs
        if key in runs:
            runs[key] += 1
        elif is_own(code.co_filename) and len(runs) < RUNS:
            runs[key], self._code[key[0]] = 1, code  # which keeps its address

    def operands(self, frame: FrameType | None, operands: Sequence[Any]) -> tuple[Place | None, tuple[str, ...]]:
        """Returns the place, and what its innermost frame calls some operands: "" for one that it does not name; none if it names none."""
        frames: list[FrameType] = []
        known = self._known_of(frame, frames)
        if known is None:
            return None, ()
        labels = known.labels if operands else ()
        if not labels and not known.loops:
            return known.place, ()
        values, spelled = list[Any](), tuple[str, ...]()
        if labels or known.inside:
            names = _names(frames[0])
            values, spelled = _simple(names, known.inside), _spelled(names, labels, operands) if labels else ()
            _forget(frames[0], names)
        untold = known.is_counted and values.count(None) == len(values)
        for number, wanted in known.outside:
            names = _names(frames[number])
            values += _simple(names, wanted)
            _forget(frames[number], names)
        count = 0
        if untold and frames[0] is (None if frame is None else _called_for(frame)):
            count = self._runs.get((id(frames[0].f_code), frames[0].f_lasti), 0)
        return known.now(tuple(values), count), self._spelled.setdefault(spelled, spelled) if spelled else ()

    def _known_of(self, frame: FrameType | None, frames: list[FrameType]) -> _Known | None:
        key: list[int] = []
        called, root = frame, self.root
        while frame is not None:  # this runs at every operation, for each frame
            code = frame.f_code
            try:
                own = OWNS[code.co_filename]
            except KeyError:
                own = is_own(code.co_filename)
            if own and code.co_name != RELAY:
                key += (id(code), frame.f_lasti)
                frames.append(frame)
            if frame is root:
                break
            frame = frame.f_back
        if not key:
            return None
        if len(frames) > DEEPEST:
            del key[2 * INNERMOST : -2 * (DEEPEST - INNERMOST)], frames[INNERMOST : INNERMOST - DEEPEST]
        at = tuple(key)
        known = self._known.get(at)
        if known is None:  # what is found keeps the code, and so its address
            known = self._known[at] = self._found(frames, _generated(called, frames[0]))
        return known

    def _found(self, frames: Sequence[FrameType], generated: str) -> _Known:
        sites = tuple(
            Site(each.f_code, each.f_lasti, self.sources, "" if k else generated) for k, each in enumerate(frames)
        )
        in_loops = ((number, around) for number, site in enumerate(sites) if (around := site.loops))
        loops = tuple((number, loop) for number, some in islice(in_loops, IN_LOOPS) for loop in some)
        labels = tuple(each for each in sites[0].labels if not each.is_called)  # no tensor is called
        return _Known(Place(sites, loops, callers=_callers(_without_gap(frames), sites)), loops, labels)


@dataclass(slots=True)
class _Known:
    """What is known of a place in whichever iteration.

    Attributes:
        place: the place, in the iteration in which the program was there last.
        loops: the loops around its frames.
        labels: the names in the innermost expression.
        inside: the variables of the loops around the innermost frame.
        outside: for each other frame in loops, its number, and their variables.
        is_counted: whether the innermost frame is in a loop.
    """

    place: Place
    loops: tuple[tuple[int, Loop], ...]
    labels: tuple[Label, ...]
    inside: tuple[str, ...] = ()
    outside: tuple[tuple[int, tuple[str, ...]], ...] = ()
    is_counted: bool = False

    def __post_init__(self) -> None:
        by_frame = dict[int, list[str]]()
        for number, loop in self.loops:
            by_frame.setdefault(number, []).extend(loop.names)
        self.is_counted, self.inside = 0 in by_frame, tuple(by_frame.pop(0, ()))
        self.outside = tuple((number, tuple(names)) for number, names in by_frame.items())

    def now(self, values: tuple[int | str | None, ...], count: int) -> Place:
        """Returns the place in the iteration with these values, and this count."""
        last = self.place
        if values != last.values or count != last.count:
            self.place = Place(last.sites, self.loops, values, count, last.callers)
        return self.place


def _generated(frame: FrameType | None, innermost: FrameType) -> str:
    """Returns the code without a file in which a frame runs, called by the innermost frame of the program's own code; "" if there is none."""
    while frame is not None and frame is not innermost:
        code = frame.f_code
        if code.co_filename in _GENERATED and code.co_name != RELAY:
            return f"{code.co_qualname} of {code.co_filename}" if code.co_name != "<module>" else code.co_filename
        frame = frame.f_back
    return ""


def _called_for(frame: FrameType) -> FrameType:
    """Returns the frame of the program for which a relay calls a function; the frame itself if it is no relay."""
    return next(own_frames(frame), frame) if frame.f_code.co_name == RELAY else frame


def _without_gap(frames: Sequence[T]) -> Sequence[T]:
    """Returns the innermost frames of a place, up to the first that was left out."""
    return frames if len(frames) < DEEPEST else frames[:INNERMOST]


def _simple(names: Mapping[str, Any], wanted: Sequence[str]) -> list[Any]:
    """Returns the values of variables that are simple; None for others."""
    values: list[Any] = [names.get(name) for name in wanted]
    for number, value in enumerate(values):  # this runs at every operation in a loop
        kind = type(value)
        if kind is int:
            is_simple = -LARGEST < value < LARGEST
        else:
            is_simple = len(value) <= LONGEST if kind is str else kind is bool
        if not is_simple:
            values[number] = None
    return values


def _spelled(names: Mapping[str, Any], labels: Sequence[Label], operands: Sequence[Any]) -> tuple[str, ...]:
    """Returns for each tensor the label that has it as its value, "" if none has; nothing if no tensor has one."""
    known = {id(each.value(names) if each.path else names.get(each.root)): each.text for each in labels}
    for operand in operands:
        if id(operand) in known:
            return tuple([known.get(id(each), "") for each in operands])
    return ()


def own_frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yields the frames of the program's code: a frame and those that have called it."""
    while frame is not None:
        if is_own(frame.f_code.co_filename) and frame.f_code.co_name != RELAY:
            yield frame
        frame = frame.f_back


def beginning() -> FrameType | None:
    """Returns the frame that begins to watch: the innermost that is none of this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__", "")).startswith("inplacelab."):
        frame = frame.f_back
    return frame


# --- names of frames ---------------------------------------------------------------------------------------------------


def _names(frame: FrameType) -> Any:
    """Returns the names of a frame, as far as they can be read without effect (see `_may_be_read`); none of those of the program's own mapping."""
    names: Any = frame.f_locals
    return names if type(names) in _NAMESPACES else {}


def _forget(frame: FrameType, names: dict[str, Any]) -> None:
    """Clears the names that were read of a frame."""
    if _KEEPS and frame.f_code.co_flags & CO_OPTIMIZED:
        names.clear()


@lru_cache(maxsize=1024)
def _reads_locals(code: CodeType) -> bool:
    return not _READ_LOCALS.isdisjoint(code.co_names)


def _may_be_read(code: CodeType) -> bool:
    return not (code.co_flags & CO_OPTIMIZED and _reads_locals(code))


def _callers(frames: Sequence[FrameType], sites: Sequence[Site]) -> tuple[Mapping[str, str], ...]:
    """Returns for each frame what the one that called it calls its arguments, as far as these still have their names.

    That is the same whenever the program is at this place, since the same expression has called it.
    """
    found: list[Mapping[str, str]] = []
    for (callee, caller), site in zip(pairwise(frames), sites[1:], strict=False):
        if not _may_be_read(callee.f_code) or not callee.f_code.co_flags & CO_OPTIMIZED:
            found.append({})
            continue
        names = _names(callee)
        given = {each: names[each] for each in _parameters(callee.f_code) if each in names}
        _forget(callee, names)
        names = _names(caller) if site.labels else {}
        labels = [(id(each.value(names)), each.text) for each in site.labels]
        if site.labels:
            _forget(caller, names)
        spelled = {
            name: {text for key, text in labels if key == id(value)}
            for name, value in given.items()
            if value is not None
        }
        found.append({name: next(iter(texts)) for name, texts in spelled.items() if len(texts) == 1})
    return tuple(found)


def _parameters(code: CodeType) -> Sequence[str]:
    """Returns the parameters of a function that it assigns nothing else to."""
    count = code.co_argcount + code.co_kwonlyargcount
    return [each for each in code.co_varnames[:count] if each not in _stored(code)]


@lru_cache(maxsize=1024)
def _stored(code: CodeType) -> frozenset[str]:
    from dis import get_instructions  # noqa: PLC0415  # only where something calls a function

    return frozenset(
        each.argval
        for each in get_instructions(code)
        if each.opname in ("STORE_FAST", "DELETE_FAST", "STORE_DEREF", "STORE_FAST_STORE_FAST", "STORE_FAST_LOAD_FAST")
    )
