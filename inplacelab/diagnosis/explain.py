"""Watches programs, and explains backward passes that fail: `explain()`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, Self

from inplacelab.diagnosis.findings import Finding, Paint, completed, plain
from inplacelab.language import Text
from inplacelab.recorders.own_code import program_is
from inplacelab.recorders.program import as_unrecorded
from inplacelab.recorders.static import message_of
from inplacelab.supported import framework_named, frameworks, loaded

if TYPE_CHECKING:
    from inplacelab.recorders.judging.judgment import Judgment
    from inplacelab.recording.facts import AliasFacts

_NOTHING = Text(
    "No backward pass failed in what was watched. Operations: {0}; storages that were written or viewed: {1}.",
    "在被监视的范围内没有反向传播失败：共 {0} 次操作，{1} 块被写入或有视图的存储。",
)
_AGREE = Text(
    "No backward pass failed in what was watched, and {2} gradients agree with those of inplacelab's engine. Operations: {0}; storages that were "
    "written or viewed: {1}.",
    "在被监视的范围内没有反向传播失败，{2} 个梯度与 inplacelab 引擎的结果一致：共 {0} 次操作，{1} 块被写入或有视图的存储。",
)
_AGREES = Text(
    "No backward pass failed in what was watched, and 1 gradient agrees with that of inplacelab's engine. Operations: {0}; storages that were "
    "written or viewed: {1}.",
    _AGREE.zh,
)
_NO_WATCH = Text(
    "programs of {0!r} are not watched; record them: `inplacelab record script.py` does, and so does `inplacelab.record()`",
    "不监视 {0!r} 的程序；请记录它们：`inplacelab record script.py` 和 `inplacelab.record()` 都可以",
)


class Watch(Protocol):
    """Watches the programs of one framework.

    Attributes:
        framework: its name.
        failures: the backward passes that failed.
        remarks: what was not watched.
    """

    @property
    def framework(self) -> str: ...

    @property
    def failures(self) -> Sequence[Finding]: ...

    @property
    def remarks(self) -> Sequence[Text]: ...

    @property
    def operations(self) -> int: ...

    @property
    def storages(self) -> int: ...

    def begin(self) -> None:
        """Begins to watch."""

    def end(self, error: BaseException | None = None) -> None:
        """Ends that; `error` is what the program raised."""

    def ended_by(self, error: BaseException) -> None:
        """Finds out what was refused at once, if that has ended the program; before `end`."""


def watch_of(framework: str, filename: str | None = None) -> Watch:
    """Returns a new watch for the programs of a framework, or for those in one file.

    Raises:
        ValueError: if there is none.
    """
    known = framework_named(framework)
    if known is not None and known.watch:
        watch: Watch = loaded(known.watch)()
        return watch
    if known is not None and known.terms.has_gradients:
        from inplacelab.diagnosis.recorded_failures import RecordedWatch  # noqa: PLC0415  # nobody else needs recorders

        return RecordedWatch(framework, filename)
    raise ValueError(str(_NO_WATCH.format(framework)))


def framework_to_watch(used: str) -> str:
    """Returns the framework to watch a program for: the one that it uses, or, if that says of itself what led to an error, such as this
    package's own, one that was imported: a program may leave it to its modules to import it.

    Args:
        used: what was detected that the program uses.
    """
    from inplacelab.errors import Refusal  # noqa: PLC0415

    if isinstance(getattr(sys, "last_value", None), Refusal) or frameworks()[used].is_watched:
        return used
    return next((name for name, each in frameworks().items() if each.is_watched and each.version), used)


class _Unwatched:
    """Stands for the watch of a framework that cannot be watched, so that the program runs nevertheless (see `Watch`)."""

    operations = storages = 0

    def __init__(self, framework: str) -> None:
        self.framework, self.failures, self.remarks = framework, (), ()

    def begin(self) -> None:
        """Does nothing."""

    def end(self, error: BaseException | None = None) -> None:
        """Does nothing."""

    def ended_by(self, error: BaseException) -> None:
        """Does nothing."""


class explain:  # noqa: N801  # used like a function
    """Explains why a backward pass fails: which line kept the value that it needed, and which lines overwrote it.

    A PyTorch or PaddlePaddle program runs unchanged in the `with` block. If a backward pass raises an error that leaves the block, the
    lines are added to the error as a note. The memory for this is bounded, so a program may run for hours. In a PaddlePaddle
    program, only the code of one file is watched: the block and the functions in the same file.

    Args:
        framework: the framework to watch, "torch" or "paddle"; PyTorch if not given.
        filename: for "paddle", the file of the program; that of the block if not given.
        aliases: whether to list what is read under one name after it was written under another, too; for PyTorch.

    Attributes:
        failures: what was found out, for PyTorch also about errors that the program handled itself.
        caveats: sentences that say that the framework cannot be watched here, or was not tested in this version.

    Raises:
        ValueError: if the framework is not one of these, or not installed.

    Example:
        with inplacelab.explain():
            train(model)
    """

    def __init__(self, framework: str = "", filename: str | None = None, *, aliases: bool = False) -> None:
        from inplacelab.recorders.detection import checked, unusable  # noqa: PLC0415

        framework = checked(framework or next(each.name for each in frameworks().values() if each.is_watched))
        self._known, self._filename = frameworks()[framework], filename
        self._watch: Watch = _Unwatched(framework)
        self.caveats: list[Text] = []
        self._annotated: list[Finding] = []
        self._collects = False
        try:
            self._watch = watch_of(framework, filename)
            self._collects = aliases and _collecting(self._watch)
        except Exception as error:
            if not self._known.is_watched:
                raise
            self.caveats = [unusable(self._known, error)]

    @property
    def failures(self) -> Sequence[Finding]:
        """What was found out about backward passes that failed."""
        return self._watch.failures

    def __enter__(self) -> Self:
        from inplacelab.recorders.detection import untested, unusable  # noqa: PLC0415

        program_is(self._filename or sys._getframe(1).f_code.co_filename)
        try:
            self._watch.begin()
            self.caveats = self.caveats or untested(self._known)
        except Exception as error:  # noqa: BLE001  # whatever it is, the program runs
            with suppress(Exception):
                self._watch.end()
            self._watch, self.caveats = _Unwatched(self._known.name), [unusable(self._known, error)]
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.ended(error)

    def ended(self, error: BaseException | None) -> None:
        """Ends the watch; `error` is what the program raised, if it was caught in the block. Its traceback is that of an unwatched run."""
        self._watch.end(error)
        if error is not None:
            as_unrecorded(error)
        self.annotate(error)

    def ended_by(self, error: BaseException) -> None:
        """Finds out what was refused at once, if that has ended the program, while the watch goes on."""
        self._watch.ended_by(error)

    @property
    def watched(self) -> tuple[int, int]:
        """How many operations were watched, and how many storages that were written or viewed."""
        return self._watch.operations, self._watch.storages

    @property
    def aliases(self) -> Sequence[AliasFacts] | None:
        """What was read under one name after it was written under another, the least likely meant first; None if it was not collected."""
        return getattr(self._watch, "aliases", None) if self._collects else None

    @property
    def remarks(self) -> Sequence[Text]:
        """What was not watched."""
        return [*dict.fromkeys([*self.caveats, *self._watch.remarks])]

    def annotate(self, error: BaseException | None, *, advice: bool = True) -> None:
        """Adds what was found out to an error as a note, once (see `report.report`)."""
        found = None if error is None else self.of(error)
        if error is not None and found is not None and all(each is not found for each in self._annotated):
            self._annotated.append(found)
            BaseException.add_note(error, self._said_of(found, advice=advice, paint=plain))

    def of(self, error: BaseException) -> Finding | None:
        """Returns what was found out about an error; None if it is not one of a backward pass."""
        # The latest: an error that the program has handled may have had the same address.
        known = (each for each in reversed(self._watch.failures) if each.error and each.address == id(error))
        return next((each for each in known if each.error and each.error[1] == message_of(error)), None)

    def __str__(self) -> str:
        return self.said()

    def said(self, error: BaseException | None = None, *, advice: bool = True, paint: Paint = plain) -> str:
        """Returns what was found out about an error; if nothing, or if none is given, all that was found out."""
        found = None if error is None else self.of(error)
        said = self._said_of_failures(paint) if found is None else self._said_of(found, advice=advice, paint=paint)
        if self.aliases is None:
            return said
        from inplacelab.diagnosis.report import report_of_aliases  # noqa: PLC0415  # only if they are asked for

        return f"{said}\n\n{report_of_aliases(self.aliases, paint=paint)}"

    def _said_of_failures(self, paint: Paint) -> str:
        if not self.failures:
            judgment = getattr(self._watch, "judgment", None)
            nothing = [] if isinstance(self._watch, _Unwatched) else nothing_found(*self.watched, judgment)
            return "\n".join(map(str, [*nothing, *self.remarks]))
        reports = [_reported(each, advice=True, paint=paint) for each in self.failures]
        return "\n\n".join(dict.fromkeys(reports))  # each time round a loop they may be the same

    def _said_of(self, found: Finding, *, advice: bool, paint: Paint) -> str:
        return "\n".join(["\n" + _reported(found, advice=advice, paint=paint), *map(str, self.caveats)])


def _collecting(watch: Watch) -> bool:
    """Has a watch collect aliases, too. Returns whether it can."""
    collect = getattr(watch, "collect_aliases", None)
    if collect is not None:
        collect()
    return collect is not None


def nothing_found(operations: int, storages: int, judgment: Judgment | None = None) -> list[Text]:
    """Returns that no pass failed, how much was watched, and which gradients were compared (see `recorders/judging`)."""
    agree = 0 if judgment is None else judgment.compared
    said = (_AGREES if agree == 1 else _AGREE if agree else _NOTHING).format(operations, storages, agree)
    if judgment is None:
        return [said]
    from inplacelab.diagnosis.wrong_gradients import not_compared  # noqa: PLC0415  # only for what was recorded

    return [said, *not_compared(judgment)]


def _reported(found: Finding, *, advice: bool, paint: Paint) -> str:
    from inplacelab.diagnosis.report import report  # noqa: PLC0415  # only if a pass has failed

    return report(completed(found), advice=advice, paint=paint)
