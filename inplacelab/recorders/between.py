"""What a block can have bound between two of its operations, worked out once from its text instead of asked every time.

Nobody tells when the statements of a `with record():` block begin. But an operation has a line, and so had the one before it:
what stands between the two in the text is all that can have run in between.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inplacelab.recorders.marks import HARMLESS, Bound, both, may_bind
from inplacelab.recorders.source import stored, stored_here


class Between:
    r"""Answers for the statements of one block.

    Args:
        text: the statements inside the block.
        first_line: the line of the file at which they begin.

    >>> block = Between("x = y + 1\nfor k in range(3):\n    z = x * x\n", first_line=10)
    >>> block.names(10, 10), block.names(10, 12), block.names(12, 12)
    ((), ('k', 'x', 'z'), ('k', 'z'))
    >>> block.one_statement(12, 12), block.one_statement(10, 12)
    (True, False)
    """

    def __init__(self, text: str, first_line: int) -> None:
        tree = ast.parse(text)
        self._harmless = HARMLESS - stored(tree)
        self._parts: list[list[ast.stmt]] = []  # statements; those that share a line together
        self._part_on: dict[int, int] = {}  # for each line of the file
        self._found: dict[int, tuple[Bound, Bound]] = {}
        self._alone_on: dict[int, ast.stmt | None] = {}  # for each line, the statement that has it for its own
        for statement in _without_others(tree):
            for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
                at = first_line + line - 1
                alone = at not in self._alone_on and _in_order(statement) and _begins_its_line(statement, text)
                self._alone_on[at] = statement if alone else None
        ended = 0
        for statement in tree.body:
            if statement.lineno > ended:
                self._parts.append([])
            self._parts[-1].append(statement)
            ended = statement.end_lineno or statement.lineno
            for line in range(statement.lineno, ended + 1):
                self._part_on[first_line + line - 1] = len(self._parts) - 1

    def names(self, before: int, now: int) -> Bound:
        """The names that may have been bound between operations on these two lines of the file; None if that is not known.

        The parts of a block run once, one after the other: so the first of the two parts is over, unless it is also the
        second. What is inside a part may have run in any order, and again and again.
        """
        first, last = self._part_on.get(before), self._part_on.get(now)
        if first is None or last is None or last < first:
            return None
        bound, _ = self._bound(last)
        for part in range(first, last):
            _, over = self._bound(part)
            bound = both(bound, over)
        return bound

    def one_statement(self, before: int, now: int) -> bool:
        """Whether operations on these two lines are surely of one statement, if the second stands further on: of a statement
        that holds no others, shares no line, and whose parts all run, one after the other.
        """
        statement = self._alone_on.get(before)
        return statement is not None and statement is self._alone_on.get(now)

    def _bound(self, part: int) -> tuple[Bound, Bound]:
        """The names that a part may have bound before it is over, and when it is."""
        if part not in self._found:
            statements = self._parts[part]
            nodes = [node for statement in statements for node in ast.walk(statement)]
            if any(isinstance(node, ast.Call) and may_bind(node.func, self._harmless) for node in nodes):
                self._found[part] = None, None
            else:
                names = tuple(sorted({name for node in nodes for name in stored_here(node)}))
                last = len(statements) == 1 and not any(isinstance(node, _BEFORE_ITS_END) for node in nodes)
                self._found[part] = () if last else names, names
        return self._found[part]


def _without_others(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements that hold no others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(node, _BEFORE_ITS_END):
            yield node


def _in_order(statement: ast.stmt) -> bool:
    """Whether all parts of a statement run, one after the other, and bind no names on the way."""
    return not any(isinstance(each, _NOT_IN_ORDER) for each in ast.walk(statement))


def _begins_its_line(statement: ast.stmt, text: str) -> bool:
    """Whether nothing stands before a statement, such as `for x in y:`."""
    return not text.splitlines()[statement.lineno - 1].encode()[: statement.col_offset].strip()


_PARTS = {"body", "cases"}
_BEFORE_ITS_END: tuple[type[ast.AST], ...] = (
    ast.NamedExpr,
    *(kind for kind in ast.stmt.__subclasses__() if _PARTS & {*kind._fields}),
)
"""What binds names before the statement that it is, or is in, is over."""
_NOT_IN_ORDER = (
    ast.NamedExpr, ast.IfExp, ast.BoolOp, ast.Compare, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
    ast.Assert, ast.Await, ast.Yield, ast.YieldFrom,
)  # fmt: skip
"""What binds names in the midst of a statement, or has parts that need not run, or run later or several times."""
