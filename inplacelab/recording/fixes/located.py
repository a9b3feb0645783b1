"""Finds a spot in its parsed file, and defines what is proposed there."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.spots import Spot
from inplacelab.recording.source_tree import Program, applied, in_place_calls, root_of

N = TypeVar("N", bound=ast.AST)
Read = Callable[[str], str]
"""Returns the text of a file, by its name. It may raise `OSError`."""
UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError)
"""What parsing a file may raise."""


@dataclass(frozen=True)
class Proposal:
    """An edit of one file.

    Attributes:
        says: what it does.
        filename: the file.
        edits: the changes of its text.
    """

    says: Text
    filename: str
    edits: tuple[EditFacts, ...]


def edited(source: str, proposals: Sequence[Proposal]) -> str:
    """Returns the text of a file with the edits of several proposals for it.

    Raises:
        SyntaxError: if they do not go together.
    """
    edits = list(dict.fromkeys(edit for each in proposals for edit in each.edits))
    ordered = sorted(edits)
    for one, other in pairwise(ordered):
        if (one.end_line, one.end_column) > (other.line, other.column):
            raise SyntaxError
    text = applied(source, edits)
    ast.parse(text)
    return text


class Where:
    """A spot in its parsed file."""

    def __init__(self, spot: Spot, read: Read) -> None:
        self.spot = spot
        self.program = Program(read(spot.filename))

    def nodes(self, kind: type[N]) -> list[N]:
        """Returns the nodes of a kind exactly at the spot, outermost first."""
        return [each for each in ast.walk(self.program.tree) if isinstance(each, kind) and self._is_here(each)]

    def _is_here(self, node: ast.AST) -> bool:
        spot, ends = self.spot, ("lineno", "end_lineno", "col_offset", "end_col_offset")
        return [getattr(node, each, None) for each in ends] == [spot.line, spot.end_line, spot.column, spot.end_column]

    @property
    def statement(self) -> ast.stmt | None:
        """The simple statement that contains the spot."""
        spot = self.spot
        found = [
            each
            for each in ast.walk(self.program.tree)
            if isinstance(each, ast.stmt)
            and not hasattr(each, "body")
            and each.lineno <= spot.line <= (each.end_lineno or 0)
        ]
        inside = [each for each in found if each.lineno < spot.line or each.col_offset <= max(spot.column, 0)]
        return max(inside, key=lambda each: (each.lineno, each.col_offset), default=found[0] if found else None)


def for_first(spots: Sequence[Spot], propose: Callable[[Where], Iterator[Proposal]], read: Read) -> Iterator[Proposal]:
    """Yields proposals for the innermost spot."""
    for spot in spots[:1]:
        try:
            where = Where(spot, read)
        except UNREADABLE:
            return
        yield from propose(where)


def written_by(program: Program, call: ast.Call) -> ast.expr | None:
    """Returns what a call such as `x.relu_()`, `x.exp_().relu_()` or `F.relu_(x)` writes to, if it can be assigned to."""
    chain = in_place_calls(call)
    target: ast.expr | None = call.func.value if isinstance(call.func, ast.Attribute) else None
    if chain and isinstance(chain[-1].func, ast.Attribute):
        target = chain[-1].func.value
    if target is None or root_of(target) in program.imported:
        target = call.args[0] if call.args else None
    return target if isinstance(target, ast.Name | ast.Attribute | ast.Subscript) else None


def replaced(program: Program, node: ast.expr | ast.stmt, text: str) -> EditFacts:
    """Returns the edit that replaces an expression or a statement by other text."""
    return EditFacts(*program.start(node), *program.end(node), text)


_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.Mod: "%", ast.FloorDiv: "//",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


def sign(operator: ast.operator) -> str:
    """Returns an operator as it is written: "+"."""
    return _SIGNS[type(operator)]
