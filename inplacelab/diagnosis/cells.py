"""The cells of a notebook as one program, in which fixes are tried; and what is found there, in terms of the cells.

Fixes are looked for in a process of its own (`python -m inplacelab.diagnosis.cells`), so that the notebook's kernel goes on meanwhile, and can
end it. The kernel and this process send each other pickled data. When the kernel closes its end, or is gone, this process ends, and the trial
that runs.

`%explain` runs the last cell again, watched, and says why its backward failed; with `--try` it looks for a fix. `%advise` records it, and finds where
it may write in place; with `--try` it tries that in all cells.
"""

from __future__ import annotations

import _thread
import os
import pickle
import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib import import_module
from itertools import accumulate, groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from inplacelab.diagnosis.advise import MOST_RUNS, Advising
from inplacelab.diagnosis.explain import explain, framework_to_watch
from inplacelab.diagnosis.report import none_works, not_tried, report_not_tried, report_of_trials
from inplacelab.diagnosis.trial_run import STEPS
from inplacelab.diagnosis.trials import STOPPED, NotTriedError, Trials, Tried
from inplacelab.language import Text, get_language
from inplacelab.place import Place
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use, framework_used
from inplacelab.recorders.part import Part
from inplacelab.recorders.program import Program, learners_traceback
from inplacelab.recorders.run import Session
from inplacelab.recorders.sources import parsed
from inplacelab.recording.facts import EditFacts, FixFacts, IterationFacts, ModuleFacts, SourceFacts, Step
from inplacelab.recording.fixes import block, diff_of, edits_between, of_program, with_fixes
from inplacelab.recording.fixes.spots import Lines, Spot, Trail
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.advice import Advice, advice
from inplacelab.recording.savings.sites import Site
from inplacelab.recording.sentences.savings import lines as report_lines
from inplacelab.recording.source_tree import applied, source_lines
from inplacelab.supported import framework_named, frameworks

# ---- cells ---------------------------------------------------------------------------------------------------------

_BODY = re.compile(r"%%(?:stepper|time|capture|prun)\b[^\n]*\n")
"""The first line of a cell whose other lines run as they stand there."""
_MAGIC = re.compile(r"^(\s*)get_ipython\(\)\..*$", re.MULTILINE)
"""What IPython makes of a line with a magic, which no script can run."""

_LINE, _LINES = Text("line {0}", "第 {0} 行"), Text("lines {0} to {1}", "第 {0} 至 {1} 行")
_OF_CELL = Text("{0} of cell [{1}]", "单元格 [{1}] 的{0}")

failed = WeakKeyDictionary[Any, set[int]]()
"""For a shell, the numbers of the cells that raised an error. A program with one of them would end there, so only the last cell may be among them."""


@dataclass(frozen=True)
class Cell:
    """A cell, by its number, and its text as a part of a program."""

    number: int
    text: str

    @property
    def name(self) -> str:
        """What it is called."""
        return f"In [{self.number}]"


@dataclass(frozen=True)
class CellLines:
    """Names lines of cells that are one program (see `located.Lines`).

    Attributes:
        begins: for each cell, or each part of one, its first line in the program, the number that this line is counted as, and the number of the
            cell; None for the part that is shown, whose lines are said without it.
    """

    begins: tuple[tuple[int, int, int | None], ...]

    def __call__(self, _: str, first: int, last: int) -> Text:
        begin, counted, cell = [each for each in self.begins if each[0] <= first][
            -1
        ]  # the part that is shown may be the whole cell
        numbers = first - begin + counted, last - begin + counted
        said = (_LINE if first == last else _LINES).format(*numbers)
        return said if cell is None else _OF_CELL.format(said, cell)


_Placed = TypeVar("_Placed", Place, IterationFacts, ModuleFacts, Site)


class Cells:
    """The cells of a notebook that ran up to one of them.

    Args:
        shell: IPython.
        last: the number of that one; by default of the last that is no magic.
    """

    def __init__(self, shell: Any, last: int | None = None) -> None:
        numbered = [*enumerate(shell.history_manager.input_hist_raw)][: None if last is None else last + 1]
        ran = [(number, text) for number, raw in numbered if (text := _body(raw)).strip()]
        self.raw = ran[-1][1] if ran else ""
        self._cells = [
            Cell(number, _MAGIC.sub(r"\1pass", shell.transform_cell(text)))
            for number, text in ran
            if number == ran[-1][0] or number not in failed.get(shell, ())
        ]

    @property
    def text(self) -> str:
        """All of them as one program."""
        return "".join(each.text for each in self._cells)

    def lines(self, recording: Recording | None = None) -> CellLines:
        """Returns what names their lines.

        Args:
            recording: a recording of the last cell, or of a block in it, whose lines are counted as it counts them.
        """
        begins = list[tuple[int, int, int | None]]()
        for line, each in zip(self._begins, self._cells, strict=True):
            is_last = each is self._cells[-1]
            begins.append((line, 1, None if len(self._cells) == 1 else each.number))
            if is_last and recording is not None and (block := _Block.of(each.text, recording.source)) is not None:
                begins.append((line + block.first, 1, None))
        return CellLines(tuple(begins))

    def told(self, fix: FixFacts, recording: Recording | None = None) -> FixFacts:
        """Returns a fix of that program with edits of the cells, or of the recording, if it is of the last cell."""
        edits = list[EditFacts]()
        for cell, after in self._changed(fix.edits):
            new = None
            if recording is not None and cell is self._cells[-1] and (block := _Block.of(cell.text, recording.source)):
                new = block.within(after)
            if recording is not None and new is not None:
                new = new if recording.source.endswith("\n") else new.removesuffix("\n")
                edits += edits_between(recording.source, new)
            else:
                edits += (replace(each, file=cell.name) for each in edits_between(cell.text, after))
        return replace(fix, edits=tuple(edits))

    def diff(self, edits: Iterable[EditFacts]) -> str:
        """Returns what edits of the program change, as `diff -u` shows it."""
        return diff_of({each.name: (each.text, after) for each, after in self._changed(edits)})

    @property
    def _begins(self) -> list[int]:
        """The line of the program on which each cell begins."""
        lines = (len(source_lines(each.text)) for each in self._cells)
        return [*accumulate(lines, initial=1)][: len(self._cells)]

    def _changed(self, edits: Iterable[EditFacts]) -> list[tuple[Cell, str]]:
        """Returns the cells that edits change, each with its new text."""
        begins, changed = self._begins, list[tuple[Cell, str]]()
        for k, group in groupby(sorted(edits), key=lambda edit: bisect_right(begins, edit.line) - 1):
            begin, cell = begins[k], self._cells[k]
            moved = [replace(e, line=e.line - begin + 1, end_line=e.end_line - begin + 1, file="") for e in group]
            changed.append((cell, applied(cell.text, moved)))
        return changed

    def advice(self, found: Advice) -> Advice:
        """Returns what is known of that program as of the cells, each a source of its own."""
        recording, measured, place = found.recording, found.measured, _PlaceInCells(self._begins)
        cells = (SourceFacts(each.name, each.text) for each in self._cells)
        sources, steps = (*cells, *recording.sources[1:]), tuple(map(place.step, recording.steps))
        sites = {each: place.of(each) for each in found.sites}
        if measured is not None:
            measured = replace(
                measured,
                differing=tuple(sites[each] for each in measured.differing),
                untried=tuple(sites[each] for each in measured.untried),
            )
        offered = tuple(sites[each] for each in found.offered)
        return Advice(replace(recording, sources=sources, steps=steps), tuple(sites.values()), offered, measured)


class _PlaceInCells:
    """Says where in which cell something is that is known by its line in the program of all cells.

    Args:
        begins: the line of the program on which each cell begins. Cells are the first sources.
    """

    def __init__(self, begins: Sequence[int]) -> None:
        self._begins = begins
        self._place = cache(self._placed)

    def of(self, facts: _Placed) -> _Placed:
        """Returns what has a source and a line as of a cell."""
        if facts.source:
            return replace(facts, source=facts.source + len(self._begins) - 1)
        cell = bisect_right(self._begins, facts.line) - 1
        return replace(facts, source=cell, line=facts.line - self._begins[cell] + 1)

    def _placed(self, one: Place | None) -> Place | None:
        return None if one is None else replace(self.of(one), called_from=self._place(one.called_from))

    def _module(self, one: ModuleFacts | None) -> ModuleFacts | None:
        if one is None or not one.line:
            return one
        begun = self.of(one)
        return replace(begun, end_line=one.end_line + begun.line - one.line)

    def step(self, one: Step) -> Step:
        """Returns a step as of a cell."""
        nodes = (
            (key, None if node is None else replace(node, place=self._place(node.place))) for key, node in one.nodes
        )
        return replace(
            one,
            place=self._place(one.place),
            loops=tuple(map(self.of, one.loops)),
            ran_in=self._module(one.ran_in),
            nodes=tuple(nodes),
        )


def _body(raw: str) -> str:
    """Returns the lines of a cell that are a part of the program: none of a cell for another magic, or of a line that is one."""
    body = _BODY.sub("", raw, count=1) if _BODY.match(raw) else raw
    is_magic = all(each.lstrip().startswith(("%", "!")) for each in body.splitlines() if each.strip())
    return "" if body.startswith("%%") or is_magic else body


@dataclass(frozen=True)
class _Block:
    """Lines of a cell that were recorded: `first` to `last`, without the last one, counted from 0, without their common margin."""

    lines: list[str]
    first: int
    last: int
    margin: str

    @classmethod
    def of(cls, cell: str, source: str) -> _Block | None:
        """Finds the recorded lines in a cell."""
        lines = source_lines(cell)
        wanted = [each.strip() for each in source_lines(source.rstrip())]
        stripped = [each.strip() for each in lines]
        at = next((k for k in range(len(lines)) if wanted and stripped[k : k + len(wanted)] == wanted), None)
        if at is None:
            return None
        margin = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
        return cls(lines, at, at + len(wanted), margin)

    def within(self, after: str) -> str | None:
        """Returns the block in the new text of the cell; None if other lines have changed, too."""
        new = source_lines(after)
        below = len(self.lines) - self.last
        last = len(new) - below
        if new[: self.first] != self.lines[: self.first] or (below and new[last:] != self.lines[self.last :]):
            return None
        return "".join(each.removeprefix(self.margin) for each in new[self.first : last])


class CellsAttempt:
    """Tries fixes for a recorded cell when a reader asks for it (see `inplacelab_widgets.stepper.Attempt`).

    Args:
        shell: IPython.
        cell: the number of the cell.
        found: takes the recording with the fixes that work, in place of the recording.
    """

    def __init__(self, shell: Any, cell: int, found: Callable[[Recording, Recording], None]) -> None:
        self._shell, self._cell, self._found = shell, cell, found

    @classmethod
    def of(
        cls, shell: Any, recording: Recording, found: Callable[[Recording, Recording], None] = lambda _, __: None
    ) -> CellsAttempt | None:
        """Returns one for a recording of the last cell that has the recorded lines; None if there is none, or its program cannot be tried here."""
        cell = _cell_to_try(shell, recording)
        return None if cell is None else cls(shell, cell, found)

    def __call__(self, recording: Recording, tell: Callable[[Text], None], stop: Event) -> Recording | Text:
        """Tries fixes."""
        cells = Cells(self._shell, self._cell)
        try:
            found = search(cells.text, recording.framework, cells.lines(recording), tell=tell, stop=stop)
        except NotTriedError as reason:
            return not_tried(reason.why)
        if not found.fixes:
            return none_works(found.count)
        fixes = tuple(cells.told(each, recording) for each in found.fixes)
        told = with_fixes(recording, fixes)
        self._found(recording, told)
        return told


class CellsSavingAttempt:
    """Tries where the cells up to a recorded one may write in place, when a reader asks for it (see `inplacelab_widgets.stepper.SavingAttempt`).

    Args:
        shell: IPython.
        cell: the number of the cell.
        framework: its framework.
    """

    most_runs = MOST_RUNS

    def __init__(self, shell: Any, cell: int, framework: str) -> None:
        self._shell, self._cell, self._framework = shell, cell, framework

    @classmethod
    def of(cls, shell: Any, recording: Recording) -> CellsSavingAttempt | None:
        """Returns one for a recording of the last cell that has the recorded lines; None if there is none, or its program cannot be tried here."""
        cell = _cell_to_try(shell, recording)
        return None if cell is None else cls(shell, cell, recording.framework)

    def __call__(self, tell: Callable[[Text], None], stop: Event) -> tuple[list[Text], str] | Text:
        """Tries it."""
        cells = Cells(self._shell, self._cell)
        try:
            found, changes = tried_in_place(cells.text, self._framework, tell=tell, stop=stop)
        except NotTriedError as reason:
            return _NOT_TRIED.format(reason.why)
        return report_lines(cells.advice(found)), cells.diff(changes)


def _cell_to_try(shell: Any, recording: Recording) -> int | None:
    """Returns the number of the last cell that has the recorded lines; None if there is none, or its program cannot be tried here."""
    known = framework_named(recording.framework)
    if sys.platform == "emscripten" or known is None or not known.trial:
        return None
    ran = [*enumerate(map(_body, shell.history_manager.input_hist_raw))]
    return next((number for number, text in reversed(ran) if _Block.of(text, recording.source)), None)


# ---- trials, in a process of their own -----------------------------------------------------------------------------

SECONDS = 60
"""How long a trial may take."""
PATIENCE = 10
"""The seconds that the process has to end after it was told to; then it is killed."""

_DOES_NOT_FAIL = Text(
    "in a process of their own, the cells do not fail in backward", "在单独的进程中，这些单元格的反向传播没有失败"
)
_FAILS_BEFORE = Text(
    "in a process of their own, in an empty folder and without input, the cells fail elsewhere: {0}",
    "在单独的进程和空文件夹中、没有输入时，这些单元格在别处失败：{0}",
)
_ENDED = Text("the search has ended unexpectedly", "搜索意外结束")


@dataclass(frozen=True)
class Searched:
    """What came out of a search.

    Attributes:
        fixes: the fixes that work, of the cells as one text.
        count: how many edits were tried.
        copies: see `Tried`.
        elsewhere: the first line that would have to change, if it is in another file, which was not edited.
    """

    fixes: tuple[FixFacts, ...]
    count: int
    copies: int | None
    elsewhere: Spot | None = None


def search(
    text: str, framework: str, lines: Lines, *, tell: Callable[[Text], None] = lambda _: None, stop: Event | None = None
) -> Searched:
    """Looks for fixes of a program without a file, in other processes and an empty folder.

    Args:
        text: the program.
        framework: its framework.
        lines: names its lines in what fixes say; it can be pickled.
        tell: called with what is done next.
        stop: ends the search when it is set.

    Raises:
        NotTriedError: if no fix can be tried.
    """
    return _in_process(text, partial(_searched, framework=framework, lines=lines), tell, stop)


def tried_in_place(
    text: str, framework: str, *, tell: Callable[[Text], None] = lambda _: None, stop: Event | None = None
) -> tuple[Advice, tuple[EditFacts, ...]]:
    """Tries, in other processes and an empty folder, where a program without a file may write in place. More cells may follow, so what is alive at its
    end may not be overwritten.

    Args:
        text: the program.
        framework: its framework.
        tell: called with what is done next.
        stop: ends it when it is set.

    Returns:
        What was found out, and the edits of the program that write in place what is offered.

    Raises:
        NotTriedError: if nothing can be tried.
    """
    return _in_process(text, partial(_advised, framework=framework), tell, stop)


_Found = TypeVar("_Found")
_Run = Callable[[Path, Callable[[Text], None]], _Found]
"""Takes the file of a program and a function to call with what is done next; returns what was found out, which can be pickled."""


def _in_process(text: str, run: _Run[_Found], tell: Callable[[Text], None], stop: Event | None) -> _Found:
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join([*map(os.path.abspath, sys.path), package])
    environment = {**os.environ, "PYTHONPATH": path, "INPLACELAB_LANGUAGE": get_language()}
    command = [sys.executable, "-m", "inplacelab.diagnosis.cells"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment, start_new_session=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((text, run), process.stdin)
            process.stdin.flush()
            if stop is not None:
                Thread(target=_end, args=(process, stop), daemon=True).start()
            while isinstance(said := pickle.load(process.stdout), Text):
                tell(said)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise NotTriedError(_ENDED) from None
        finally:
            _end(process)
    if isinstance(said, Exception):
        raise said
    found: _Found = said
    return found


def _end(process: subprocess.Popen[bytes], stop: Event | None = None) -> None:
    """Ends the process: at once, or on request, unless it has ended."""
    while stop is not None and process.poll() is None and not stop.wait(0.2):
        pass
    with suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    process.kill()


def main() -> None:
    """Runs what the kernel asks for."""
    text, run = pickle.load(sys.stdin.buffer)
    out = os.fdopen(os.dup(1), "wb")

    def say(found: object) -> None:
        pickle.dump(found, out)
        out.flush()

    Thread(target=_wait_for_end, daemon=True).start()
    with suppress(KeyboardInterrupt, BrokenPipeError):
        try:
            with TemporaryDirectory(prefix="inplacelab-") as folder:
                script = Path(folder).resolve() / "cells.py"
                script.write_text(text, encoding="utf-8")
                found: object = run(script, say)
        except NotTriedError as reason:
            found = reason
        say(found)


def _wait_for_end() -> None:
    sys.stdin.buffer.read()
    _thread.interrupt_main()


def _searched(script: Path, tell: Callable[[Text], None], *, framework: str, lines: Lines) -> Searched:
    with Trials(script, [], framework=framework, seconds=SECONDS, tell=tell, lines=lines) as trials:
        trails, error = trials.failing()
        if not trails:
            raise NotTriedError(_FAILS_BEFORE.format(error.splitlines()[0]) if error else _DOES_NOT_FAIL)
        tried = trials.find(trails)
    return Searched(of_program(tried.fixes, script), tried.count, tried.copies, _elsewhere(trails[-1], script))


def _advised(script: Path, tell: Callable[[Text], None], *, framework: str) -> tuple[Advice, tuple[EditFacts, ...]]:
    trials = Trials(script, [], framework=framework, seconds=SECONDS)
    found = Advising(trials, SECONDS, tell).advice(ends=False)
    return replace(found, recording=replace(found.recording)), found.edits  # without what was computed from it


def _elsewhere(trail: Trail, script: Path) -> Spot | None:
    """Returns the first line that would have to change, if none of them is in the cells."""
    responsible = [each[0] for each in (*trail.writes, trail.released, trail.kept) if each]
    changed = responsible[: len(trail.writes) or 1]
    return changed[0] if changed and all(each.filename != str(script) for each in changed) else None


# ---- %explain ------------------------------------------------------------------------------------------------------

_NO_CELL = Text("There is no cell before this one.", "前面没有单元格。")
_NO_GRADIENTS = Text("The last cell computes no gradients: it uses {0}.", "上一个单元格使用 {0}，不计算梯度。")
_ASK = Text("Run the last cell again, to watch it? [y/N] ", "再运行一次上一个单元格，以便监视？[y/N] ")
_ASK_ALL = Text(
    "Run all cells so far again, in other processes and an empty folder, to try fixes? [y/N] ",
    "在其他进程和空文件夹中再运行一遍目前所有的单元格，以便尝试改法？[y/N] ",
)
_CANNOT_ASK = Text(
    "`{0}` runs cells again, and cannot ask here whether it may: write `{0} -y`.",
    "`{0}` 会再次运行单元格，而这里无法询问是否可以：请写 `{0} -y`。",
)
_NOT_RUN = Text("The cell was not run.", "没有运行该单元格。")


def explain_last_cell(shell: Any, *, asks: bool, tries: bool, aliases: bool = False) -> None:
    """Runs the last cell again, and prints why its backward failed.

    Args:
        shell: IPython.
        asks: whether to ask before that.
        tries: whether to try fixes instead, in all cells so far.
        aliases: whether to list what is read under one name after it was written under another, too.
    """
    cells = Cells(shell)
    if not cells.raw:
        print(_NO_CELL)
        return
    framework = framework_to_watch(_used(shell, cells))
    if not frameworks()[framework].terms.has_gradients:
        print(_NO_GRADIENTS.format(framework))
    elif not asks or _may_run(_ASK_ALL if tries else _ASK, "%explain"):
        print(_tried(cells, framework) if tries else _watched(shell, cells.raw, framework, aliases=aliases))


def _used(shell: Any, cells: Cells) -> str:
    return framework_used(parsed(shell.transform_cell(cells.raw)), shell.user_ns).framework


def _watched(shell: Any, cell: str, framework: str, *, aliases: bool) -> explain:
    """Runs a cell again, watched. Returns what was found out."""
    # IPython runs a cell under the name that this returns, and shows it in tracebacks.
    name = shell.compile.cache(shell.transform_cell(cell), shell.execution_count, raw_code=cell)
    found = explain(framework, name, aliases=aliases)
    with found:
        error = shell.run_cell(cell, store_history=False).error_in_exec
        found.ended(error)
    return found


def _tried(cells: Cells, framework: str) -> str:
    """Runs the cells as a program, with edits. Returns what came of it."""
    try:
        found = search(cells.text, framework, cells.lines())
    except (NotTriedError, KeyboardInterrupt) as reason:
        return report_not_tried(reason.why if isinstance(reason, NotTriedError) else STOPPED)
    if not found.fixes:
        return report_of_trials(Tried((), found.count, found.copies), framework, found.elsewhere)
    said = map(str, block(found.fixes))
    return "\n".join([*said, "", *(cells.diff(each.edits) for each in found.fixes)])


def _may_run(question: Text, magic: str) -> bool:
    try:
        answer = input(str(question))
    except (EOFError, NotImplementedError, RuntimeError):  # a notebook that runs without a person
        print(_CANNOT_ASK.format(magic))
        return False
    if answer.strip().lower() in ("y", "yes", "是"):
        return True
    print(_NOT_RUN)
    return False


# ---- %advise -------------------------------------------------------------------------------------------------------

_ASK_TO_RECORD = Text("Run the last cell again, to record it? [y/N] ", "再运行一次上一个单元格，以便记录？[y/N] ")
_ASK_TO_TRY = Text(
    "Run all cells so far again, in other processes and an empty folder, at most {0} times, to try what may be written in place? [y/N] ",
    "在其他进程和空文件夹中再运行目前所有的单元格，最多 {0} 次，以便尝试哪些操作可以原地写入？[y/N] ",
)
_NO_FORMS = Text(
    "The last cell uses {0}: it is not known which of its operations can be written in place.",
    "上一个单元格使用 {0}：不知道它的哪些操作可以原地写入。",
)
_NOT_TRIED = Text("Nothing was tried: {0}.", "没有尝试：{0}。")


@dataclass(frozen=True)
class AdvisedCells:
    """Where cells may write in place.

    Attributes:
        advice: what was found out.
        diff: what writes in place what is offered, as `diff -u` shows it; "" if that was not tried.
    """

    advice: Advice
    diff: str = ""


def advise_last_cell(shell: Any, *, asks: bool, tries: bool) -> AdvisedCells | None:
    """Runs the last cell again, recorded. Returns where it may write in place; None if it was not run or has failed, which it says.

    Args:
        shell: IPython.
        asks: whether to ask before that.
        tries: whether to try it instead, in all cells so far.
    """
    cells = Cells(shell)
    if not cells.raw:
        print(_NO_CELL)
        return None
    framework = _used(shell, cells)
    if not frameworks()[framework].in_place.names:
        print(_NO_FORMS.format(framework))
        return None
    question = _ASK_TO_TRY.format(MOST_RUNS) if tries else _ASK_TO_RECORD
    if asks and not _may_run(question, "%advise"):
        return None
    if not tries:
        recording = _recorded(shell, cells.raw, framework)
        return None if recording is None else AdvisedCells(advice(recording, ends=False))
    try:
        found, changes = tried_in_place(cells.text, framework, tell=cache(print))  # each thing once
    except (NotTriedError, KeyboardInterrupt) as reason:
        print(_NOT_TRIED.format(reason.why if isinstance(reason, NotTriedError) else STOPPED))
        return None
    return AdvisedCells(cells.advice(found), cells.diff(changes))


def _recorded(shell: Any, cell: str, framework: str) -> Recording | None:
    """Runs a cell again, recorded. Returns its recording; None if it has failed, which is shown."""
    text = shell.transform_cell(cell)
    name = shell.compile.cache(text, shell.execution_count, raw_code=cell)
    tree = shell.compile.ast_parse(text, filename=name)
    session = Session(Program.of(tree, cell.rstrip("\n"), name), part=Part(STEPS), use=Use(framework))
    failure = session.run([shell.compile(instrument.instrumented(tree), name, "exec")], shell.user_ns)
    if failure is None:
        return session.recording()
    shell.showtraceback((type(failure), failure, learners_traceback(failure, name)), tb_offset=0)
    return None


if __name__ == "__main__":
    # Under its own name, by which the kernel knows what is pickled.
    import_module("inplacelab.diagnosis.cells").main()
