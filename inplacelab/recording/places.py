"""Says where something happened, and in which frame a name is.

A place is said as short as the reader can find it: "line 12" in the source that the text is about, "line 12 of `model.py`" in another one.
A name that means another tensor in another frame is written with its frame: `Block.forward: x`, `walk#2: x` in the second call. The program
writes `x`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.facts import SourceFacts, Step, TensorFacts
from inplacelab.recording.recording import Recording, State

_LINE = Text("line {0}", "第 {0} 行")
_LINE_OF = Text("line {0} of {1}", "{1}{2}第 {0} 行")
_LINES = Text("lines {0} to {1}", "第 {0} 至 {1} 行")
_LINES_OF = Text("lines {0} to {1} of {2}", "{2}{3}第 {0} 至 {1} 行")
_CALLED = Text("{0}, called from {1}", "{0}，由{1}调用")
_CELL, _MAIN = Text("cell [{0}]", "单元格 [{0}]"), Text("the main program", "主程序")
_FILE, _TITLE = Text("`{0}`", "`{0}`"), Text("“{0}”", "“{0}”")
_SOMEWHERE = Text("line ?", "第 ? 行")
_IS_CELL = re.compile(r"In \[(\d+)\]")
_IS_FILE = re.compile(r"<[^<>]*>|[^`]*[\\/.][^`\s]*")


# --- places ------------------------------------------------------------------------------------------------------------


def source_label(sources: Sequence[SourceFacts], source: int) -> Text:
    """Returns what a source is called in a sentence: "`model.py`", with as much of its path as tells it from the others; "cell [3]"."""
    return file_label(shown_source(sources, source))


def file_label(name: str) -> Text:
    """Returns what a file, or a cell, is called in a sentence: "`model.py`", "cell [3]", by a title "“A leaf”"; "the main program" without a name."""
    cell = _IS_CELL.fullmatch(name)
    if cell is not None:
        return _CELL.format(cell[1])
    if not name:
        return _MAIN
    return (_FILE if _IS_FILE.fullmatch(name) else _TITLE).format(name)


def short_place(sources: Sequence[SourceFacts], place: Place, here: Place | None = None) -> str:
    """Returns a place for a picture: "12" in the source that the text is about, "model.py:12" in another one, "In [3]:12" in a cell."""
    shown = shown_source(sources, place.source)
    return str(place.line) if _is_read(sources, place.source, here) or not shown else f"{shown}:{place.line}"


def said_line(sources: Sequence[SourceFacts], place: Place | None, here: Place | None = None) -> Text:
    """Returns a line as a part of a sentence: "line 12", "line 12 of `model.py`".

    Args:
        sources: the texts of the program.
        place: where the line is; None if that is not known.
        here: the place that the text is about: its source is not repeated.
    """
    if place is None:
        return _SOMEWHERE
    if _is_read(sources, place.source, here):
        return _LINE.format(place.line)
    label = source_label(sources, place.source)
    return _LINE_OF.format(place.line, label, _blank_after(label))


def said_lines(sources: Sequence[SourceFacts], source: int, first: int, last: int, here: Place | None = None) -> Text:
    """Returns lines of a source as a part of a sentence: "lines 5 to 7 of `model.py`"."""
    if first == last:
        return said_line(sources, Place(first, source), here)
    if _is_read(sources, source, here):
        return _LINES.format(first, last)
    label = source_label(sources, source)
    return _LINES_OF.format(first, last, label, _blank_after(label))


def _blank_after(label: Text) -> str:
    """Returns what stands between a label and Chinese characters: nothing after such characters."""
    return "" if label == _MAIN else " "


def said_one_by_one(sources: Sequence[SourceFacts], places: Sequence[Place], here: Place | None = None) -> Text:
    """Returns different lines as a part of a sentence: "lines 3, 5 and 6", "line 3 and line 5 of `model.py`"."""
    said = [said_line(sources, each, here) for each in places]
    if len(places) > 1 and all(_is_read(sources, each.source, here) for each in places):
        numbers = [str(each.line) for each in places]
        return Text(f"lines {', '.join(numbers[:-1])} and {numbers[-1]}", f"第 {'、'.join(numbers)} 行")
    *firsts, last = said
    if not firsts:
        return last
    return Text(
        f"{', '.join(each.en for each in firsts)} and {last.en}",
        f"{'、'.join(each.zh for each in firsts)} 和 {last.zh}",
    )


def said_call(sources: Sequence[SourceFacts], place: Place, here: Place | None = None) -> Text:
    """Returns a line with the call that led to it: "line 12 of `model.py`, called from line 40"; without a call, the line alone."""
    line = said_line(sources, place, here)
    return (
        line
        if place.called_from is None
        else _CALLED.format(line, set_off(said_line(sources, place.called_from, here)))
    )


def set_off(said: Text) -> Text:
    """Returns what is said of a place, for a Chinese character before it: a name in Latin letters has a space there."""
    return Text(said.en, f" {said.zh}" if re.match("[!-~]", said.zh) else said.zh)


def line_of(place: Place | None) -> tuple[int, int] | None:
    """Returns the source and the line of a place, which tell whether two are on the same line, from wherever it was called."""
    return None if place is None else (place.source, place.line)


def file_of(recording: Recording, source: int) -> str:
    """Returns what sites and edits call a source of a recording: its name; "" for the program that was started."""
    return recording.sources[source].name if 0 < source < len(recording.sources) else ""


def source_of(recording: Recording, file: str) -> int | None:
    """Returns the number of the source that a site or an edit is in, also by its name as it is shown; None if it is none of the recording's."""
    return recording.once(_numbers).get(file)


def _numbers(recording: Recording) -> dict[str, int]:
    found = {"": 0}
    names = [each.name for each in recording.sources]
    shown = [shown_source(recording.named_sources, number) for number in range(len(names))]
    for number, name in (*enumerate(names), *enumerate(shown)):
        found.setdefault(name, number)
    return found


def _is_read(sources: Sequence[SourceFacts], source: int, here: Place | None) -> bool:
    return len(sources) < 2 if here is None else source == here.source


def shown_source(sources: Sequence[SourceFacts], source: int | None) -> str:
    """Returns the name of a source: the end of its path that no other source's has; "" if it has none."""
    if source is None or source >= len(sources):
        return ""
    path = _parts(sources[source].name)
    others = [_parts(each.name) for number, each in enumerate(sources) if number != source]
    for count in range(1, len(path)):
        if not any(each[-count:] == path[-count:] for each in others):
            return "/".join(path[-count:])
    return "/".join(path)


def _parts(path: str) -> list[str]:
    return re.split(r"[/\\]", path)


# --- calls -------------------------------------------------------------------------------------------------------------


def has_several_callers(recording: Recording, source: int, function: str) -> bool:
    """Whether a function was called in several lines, so that its own lines do not tell which run is meant."""
    return len(recording.once(_callers).get((source, _plain(function)), ())) > 1


def _callers(recording: Recording) -> Mapping[tuple[int, str], set[tuple[int, int] | None]]:
    """Returns the lines that called each function."""
    found: dict[tuple[int, str], set[tuple[int, int] | None]] = {}
    for each in _places(recording.steps):
        if each.called_from is not None:
            found.setdefault((each.source, _plain(each.function)), set()).add(line_of(each.called_from))
    return found


def _plain(function: str) -> str:
    """Returns a function's name as its text shows it: "main.step" for "main.<locals>.step"."""
    return function.replace("<locals>.", "")


def _places(steps: Iterable[Step]) -> Iterator[Place]:
    """Yields the places of steps, and those that they were called from, each object once."""
    seen = set[int]()
    for step in steps:
        for each in () if step.place is None else step.place.calls:
            if id(each) in seen:
                break
            seen.add(id(each))
            yield each


# --- names in frames ---------------------------------------------------------------------------------------------------

_IN_FRAME = re.compile(r"([^\[\]'\"]+?)(?:#\d+)?: (.+)", re.DOTALL)


_STATISTICS = ("running_mean", "running_var", "num_batches_tracked", "_mean", "_variance")
"""The buffers in which batch normalization keeps running statistics, in PyTorch and Paddle."""


def is_statistic(name: str) -> bool:
    """Whether a name is that of a running statistic of batch normalization."""
    return name.rpartition(".")[2] in _STATISTICS and "." in name


def bare_name(name: str) -> str:
    """Returns a name as the program writes it.

    >>> bare_name("Block.forward: x"), bare_name("walk#2: self.h"), bare_name("known['a: b']")
    ('x', 'self.h', "known['a: b']")
    """
    found = _IN_FRAME.fullmatch(name)
    return found[2] if found else name


def function_of(name: str) -> str:
    """Returns the function in whose frame a name is; "" if the name does not say it.

    >>> function_of("Block.forward: x"), function_of("walk#2: x"), function_of("x")
    ('Block.forward', 'walk', '')
    """
    found = _IN_FRAME.fullmatch(name)
    return found[1] if found else ""


def names_at(names: Iterable[str], place: Place | None) -> tuple[str, ...]:
    """Returns those of a tensor's names that its program can use at a place, as it writes them: not those of other functions."""
    function = "" if place is None else _plain(place.function)
    known = [(function_of(each), bare_name(each)) for each in names]
    return tuple(dict.fromkeys(name for frame, name in known if not frame or _is_in(frame, function)))


def bound_at(state: State, name: str, place: Place | None) -> TensorFacts | None:
    """Returns the tensor that the program calls by a name at a place: a name of that function hides others."""
    found = [each for each in state.tensors.values() if name in names_at(each.names, place)]
    local = [each for each in found if any(function_of(one) and bare_name(one) == name for one in each.names)]
    return next(iter(local[-1:] or found), None)


def _is_in(frame: str, function: str) -> bool:
    frame = _plain(frame)
    return function == frame or function.endswith(f".{frame}")
