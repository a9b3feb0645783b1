"""Decides which part of a program's run is recorded (`Part`): where the recording begins, how many steps it keeps, and whether the program
ends then.

A recording begins with the first statement, or with the N-th one (`FromStep`), or with the first one before which a condition is true
(`FromCondition`). Until then the program is not recorded: each of its statements only asks whether the recording begins here. So what would have been
steps cannot be counted, and statements are: each time that one begins in the program's own files.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from traceback import walk_tb
from types import CodeType, FrameType
from typing import Any, Protocol

from inplacelab.language import Text
from inplacelab.recorders.program import CO_OPTIMIZED, scopes_of
from inplacelab.recorders.sources import PARSING
from inplacelab.recorders.static import class_name, message_of, traceback_of

_EARLIER = Text(
    "{0:,} earlier steps were not recorded: so many statements had begun before.",
    "之前的 {0:,} 步没有记录：在此之前已有这么多条语句开始执行。",
)
_ONE_EARLIER = Text("1 earlier step was not recorded.", "之前的 1 步没有记录。")
_TOO_FEW = Text(
    "nothing was recorded: step {0:,} does not exist, because the program ended after {1:,} (each statement that begins is one); give a smaller number",
    "没有记录任何内容：第 {0:,} 步不存在，程序在 {1:,} 步之后就结束了（每开始执行一条语句算一步）；请给出较小的数",
)
_NEVER = Text(
    "nothing was recorded: `{0}` was never true before any of the {1:,} statements that the program began; correct the condition",
    "没有记录任何内容：程序开始执行的 {1:,} 条语句之前，`{0}` 从未成立；请改正条件",
)
_NEVER_BOUND = Text(
    "nothing was recorded: `{0}` was never true, because `{1}` was never a name where a statement began; correct the name, or, if it is meant as a "
    "text, put the whole condition in single quotes and the text in double ones",
    "没有记录任何内容：`{0}` 从未成立，因为语句开始之处从未有过名字 `{1}`；请改正名字；如果它本来是一段文本，请把整个条件放在单引号中、文本放在双引号中",
)
_RAISED = Text(
    "nothing was recorded: `{0}` was never true, and before line {1} of {2} it raised {3}; write a condition that can be evaluated before "
    "every statement, such as `hasattr(x, 'step') and x.step == 3`",
    "没有记录任何内容：`{0}` 从未成立，而且在 {2} 第 {1} 行之前求值时出现 {3}；请写一个在每条语句之前都能求值的条件，"
    "例如 `hasattr(x, 'step') and x.step == 3`",
)
_EMPTY = Text(
    "--from: the condition is empty: write one such as 'epoch == 3'",
    "--from：条件是空的：请写出条件，例如 'epoch == 3'",
)
_ASSIGNS = Text(
    "--from: `{0}` is an assignment, not a condition: compare with ==", "--from：`{0}` 是赋值，不是条件：比较请用 =="
)
_WRONG = Text(
    "--from: `{0}` is not a Python expression ({1}): write a condition such as 'epoch == 3', the whole of it in quotes",
    "--from：`{0}` 不是 Python 表达式（{1}）：请写出条件，例如 'epoch == 3'，并把整个条件放在引号中",
)
_CHANGES = Text(
    "--from: `{0}` contains `{1}`, which would change the program or cannot run there: write a condition without it",
    "--from：`{0}` 中含有 `{1}`，它会改变程序，或不能在那里运行：请写一个不含它的条件",
)
_TWO_STARTS = Text(
    "--from-step and --from both say where the recording begins: leave one of them out",
    "--from-step 和 --from 都指定从哪里开始记录：请去掉其中之一",
)
_LIMIT_FIRST = Text(
    "--limit {0} ends the recording before the {1} steps after which --stop-after ends the program: leave --limit out",
    "--limit {0} 会先结束记录，达不到 --stop-after 所要的 {1} 步：请去掉 --limit",
)
_NO_NUMBER = Text("{0}: {1!r} is not a whole number above 0", "{0}：{1!r} 不是正整数")
_REFUSED = {ast.NamedExpr: ":=", ast.Await: "await", ast.Yield: "yield", ast.YieldFrom: "yield from"}
_FILENAME = "<condition>"


LIMIT = 2000
"""The number of steps kept by default. Then the recording ends, and the program goes on at its own speed."""
PART_OPTIONS = ("--from-step", "--from", "--limit", "--stop-after")
"""The options that choose a part, in the order of the arguments of `Part.of`."""


class PartError(ValueError):
    """No part of a program can be chosen so. `why` says why not, and what to do."""

    def __init__(self, why: Text) -> None:
        super().__init__(str(why))
        self.why = why


class Start(Protocol):
    """Where a recording begins.

    Attributes:
        statements: how many statements have begun so far.
    """

    statements: int

    def is_here(self, frame: FrameType, line: int) -> bool:
        """Whether the recording begins with the statement that begins now, in a frame, on a line of its file."""

    def missed(self) -> Text:
        """Says why it has never begun, and what to do. The program has ended."""


def left_out(start: Start) -> Text | None:
    """Says how much was left out before a recording began; None if nothing was."""
    earlier = start.statements - 1
    return None if not earlier else _ONE_EARLIER if earlier == 1 else _EARLIER.format(earlier)


class FromStep:
    """Begins with the N-th statement that begins."""

    def __init__(self, number: int) -> None:
        self._number, self.statements = number, 0

    def is_here(self, frame: FrameType, line: int) -> bool:  # noqa: ARG002  # as `Start` says
        """See `Start.is_here`."""
        self.statements += 1
        return self.statements >= self._number

    def missed(self) -> Text:
        """See `Start.missed`."""
        return _TOO_FEW.format(self._number, self.statements)


class FromCondition:
    """Begins with the first statement before which a Python expression is true, evaluated with the names of the frame that runs it.

    Where one of its names is not bound, or it raises an exception, it is not true.

    Args:
        text: the expression. It is code of the program's user, and may do what such code does.

    Raises:
        PartError: if it is no expression, or one that would bind names.
    """

    def __init__(self, text: str) -> None:
        self._text, self.statements = text.strip(), 0
        self._code = _compiled(self._text)
        self._names = frozenset(_names(self._code))
        self._is_nested = any(isinstance(each, CodeType) for each in self._code.co_consts)
        self._evaluates = self._evaluated = False
        self._unbound: str | None = None
        self._raised: tuple[int, str, str] | None = None

    def is_here(self, frame: FrameType, line: int) -> bool:
        """See `Start.is_here`."""
        if self._evaluates:  # the condition itself runs code of the program
            return False
        self.statements += 1
        self._evaluates = True
        try:
            true = bool(eval(self._code, *self._scopes(frame)))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # `SystemExit` too: the program goes on
            self._failed(error, frame, line)
            return False
        else:
            self._evaluated = True
            return true
        finally:
            self._evaluates = False

    def _scopes(self, frame: FrameType) -> tuple[dict[str, Any], Mapping[str, Any]]:
        names, code = frame.f_globals, frame.f_code
        if frame.f_locals is names if not code.co_flags & CO_OPTIMIZED else self._names.isdisjoint(_locals(code)):
            return names, names
        inside = scopes_of([frame])[0].names
        # Functions inside an expression, such as a generator, see only globals.
        return ({**names, **inside}, {}) if self._is_nested else (names, inside)

    def _failed(self, error: BaseException, frame: FrameType, line: int) -> None:
        *_, (innermost, _) = walk_tb(traceback_of(error))
        if isinstance(error, NameError) and innermost.f_code.co_filename == _FILENAME:
            self._unbound = error.name
        elif self._raised is None:
            said = class_name(type(error))
            message = message_of(error).partition("\n")[0]
            file = PurePath(frame.f_code.co_filename).name
            self._raised = line, file, f"{said}: {message}" if message else said

    def missed(self) -> Text:
        """See `Start.missed`."""
        if self._raised is not None:
            return _RAISED.format(self._text, *self._raised)
        if self._unbound and not self._evaluated:
            return _NEVER_BOUND.format(self._text, self._unbound)
        return _NEVER.format(self._text, self.statements)


def _locals(code: CodeType) -> tuple[str, ...]:
    return (*code.co_varnames, *code.co_cellvars, *code.co_freevars)


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def _compiled(text: str) -> CodeType:
    if not text:
        raise PartError(_EMPTY)
    try:
        with PARSING, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `x is 3`
            tree = ast.parse(text, _FILENAME, "eval")
            for node in ast.walk(tree):
                if (word := _REFUSED.get(type(node))) is not None:
                    raise PartError(_CHANGES.format(text, word))
            return compile(tree, _FILENAME, "eval", dont_inherit=True)
    except SyntaxError as error:
        raise PartError(_ASSIGNS.format(text) if _assigns(text) else _WRONG.format(text, error.msg)) from None
    except (ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, PartError):
            raise
        raise PartError(_WRONG.format(text, message_of(error) or class_name(type(error)))) from None


def _assigns(text: str) -> bool:
    try:
        with PARSING:
            return any(isinstance(each, ast.Assign | ast.AugAssign) for each in ast.parse(text).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


@dataclass(frozen=True)
class Part:
    """Which part of a program's run is recorded.

    Attributes:
        limit: the most steps to keep.
        start: where the recording begins; None for the first statement.
        stop_after: end the program when so many steps are recorded; None to let it go on.
    """

    limit: int = LIMIT
    start: Start | None = None
    stop_after: int | None = None

    @classmethod
    def of(
        cls, from_step: int | str | None, condition: str | None, limit: int | str | None, stop_after: int | str | None
    ) -> Part:
        """Makes a part of the values of options, as they were written.

        Args:
            from_step: the number of the statement with which the recording begins.
            condition: a Python expression, which is true where it begins.
            limit: the most steps to keep.
            stop_after: end the program when so many steps are recorded.

        Raises:
            PartError: if a value is wrong, or they contradict each other.
        """
        if from_step is not None and condition is not None:
            raise PartError(_TWO_STARTS)
        start = None if from_step is None else FromStep(_positive("--from-step", from_step))
        most = None if limit is None else _positive("--limit", limit)
        stop = None if stop_after is None else _positive("--stop-after", stop_after)
        if most is not None and stop is not None and most < stop:
            raise PartError(_LIMIT_FIRST.format(most, stop))
        return cls(stop or most or LIMIT, start if condition is None else FromCondition(condition), stop)


def _positive(option: str, written: int | str) -> int:
    try:
        number = int(written)
    except ValueError:
        number = 0
    if number < 1:
        raise PartError(_NO_NUMBER.format(option, written))
    return number
