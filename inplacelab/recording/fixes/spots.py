"""Where a failure happened in the text of the program, and what is known of the tensors there: plain data, which may come from another process; the
same places in parsed files; and proposed edits.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

from inplacelab.language import Text
from inplacelab.recording.code_of_steps import OPERATORS
from inplacelab.recording.facts import EditFacts, Evidence, FixFacts, RefusalFacts
from inplacelab.recording.source_tree import SourceTree, applied, in_place_calls, root_of
from inplacelab.recording.stacks import brief_file


@dataclass(frozen=True, slots=True)
class Spot:
    """An expression or a statement in a file, and the tensor that it kept, wrote or viewed.

    Attributes:
        filename: the file.
        line, end_line: its first and last line, counted from 1.
        column, end_column: where it begins and ends, in bytes, as in Python's syntax trees; -1 if that is unknown.
        op: the operation that ran there; "" if it is not known.
        names: the program's names for the tensor that was kept or written, or for the view that was made: those that are known. Of an update,
            the names of all tensors that it wrote.
        bytes: how many bytes that tensor has, or the one that was viewed; 0 if that is not known.
        alone: whether a write to it may go elsewhere: it is known that no other name of the program sees that.
        updates: whether the write was an update of a parameter: an optimizer's, or one under `no_grad`.
        named: whether the operation was called for that tensor by name: not inside another call, nor by a backward pass.
    """

    filename: str
    line: int
    end_line: int
    column: int = -1
    end_column: int = -1
    op: str = ""
    names: tuple[str, ...] = ()
    bytes: int = 0
    alone: bool = False
    updates: bool = False
    named: bool = True


@dataclass(frozen=True, slots=True)
class Trail:
    """The spots of one failure.

    Attributes:
        kind: "stale": a value was overwritten; "again": an earlier pass had released it; "silent": it was overwritten unnoticed.
        kept: where the value was kept: the frames of the program, innermost first.
        is_result: whether the operation kept its result.
        writes: where it was overwritten, each with its frames, innermost first.
        views: where the views were made through which that happened.
        needed: where the pass began.
        released: where the earlier pass began, for "again".
        refusal: what was refused at once; `needed` is then where, and `views` where the tensor was made.
    """

    kind: str
    kept: tuple[Spot, ...] = ()
    is_result: bool = False
    writes: tuple[tuple[Spot, ...], ...] = ()
    views: tuple[Spot, ...] = ()
    needed: tuple[Spot, ...] = ()
    released: tuple[Spot, ...] = ()
    refusal: RefusalFacts | None = None

    def renamed(self, rename: Callable[[str], str]) -> Trail:
        """Returns the trail with other names of its files."""
        return self._changed(lambda each: replace(each, filename=rename(each.filename)))

    def before(self, edits: Sequence[EditFacts]) -> Trail | None:
        """Returns a trail in an edited program as one in the original; None if nothing is left of it that could be edited."""
        moved = self._changed(lambda each: _before(each, edits))
        return moved if moved.writes or moved.kept or moved.released or (moved.refusal and moved.needed) else None

    def _changed(self, change: Callable[[Spot], Spot | None]) -> Trail:
        def of(spots: Iterable[Spot]) -> tuple[Spot, ...]:
            return tuple(each for each in map(change, spots) if each is not None)

        writes = tuple(found for each in self.writes if (found := of(each)))
        return replace(
            self, kept=of(self.kept), writes=writes, views=of(self.views), needed=of(self.needed), released=of(self.released)
        )  # fmt: skip


def _before(spot: Spot, edits: Sequence[EditFacts]) -> Spot | None:
    """Returns where a spot of an edited program was before; None if its line was edited, or is new."""
    shift = 0
    for edit in sorted(each for each in edits if each.file == spot.filename):
        more = edit.text.count("\n")
        line = edit.line + shift
        if line + more < spot.line or (edit.column == edit.end_column == 0 and line + more <= spot.line):
            shift += more - (edit.end_line - edit.line)
        elif line <= spot.line:
            return None
    return replace(spot, line=spot.line - shift, end_line=spot.end_line - shift)


N = TypeVar("N", bound=ast.AST)
Read = Callable[[str], str]
"""Returns the text of a file, by its name. It may raise `OSError`."""
Lines = Callable[[str, int, int], Text]
"""Names lines of a file, the first and the last: "line 5", "lines 5 to 7 of `model.py`"."""
UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError, MemoryError)
"""What parsing a file may raise."""
NOTHING = Text("", "")

_BYTES = Text("{0} bytes more", "多占 {0} 字节")
_LINE, _LINE_OF = Text("line {0}", "第 {0} 行"), Text("line {0} of {1}", " {1} 第 {0} 行")
_LINES, _LINES_OF = (
    Text("lines {0} to {1}", "第 {0} 至 {1} 行"),
    Text("lines {0} to {1} of {2}", " {2} 第 {0} 至 {1} 行"),
)


@dataclass(frozen=True)
class Proposal:
    """A way to fix a program that was not tried yet.

    Attributes:
        says, edits, reason: see `FixFacts`.
        bytes: how many bytes more the program then needs each time; 0 for none, or if that is not known.
        price: what it costs besides.
        way: what kind of way it is: "order", "reorder", "elsewhere", "again", "copy" or "refused". The reader is shown different ones.
        sure: whether what is known shows that it is right.
        other: whether the program then computes something else on purpose.
        parts: the proposals of which it is made, if there are several.
    """

    says: Text
    edits: tuple[EditFacts, ...]
    reason: Text = NOTHING
    bytes: int = 0
    price: Text = NOTHING
    way: str = "copy"
    sure: bool = False
    other: bool = False
    parts: tuple[Proposal, ...] = ()

    @property
    def lines(self) -> int:
        """How many lines it changes."""
        touched = {(each.file, k) for each in self.edits for k in range(each.line, each.end_line + 1)}
        return len(touched) + sum(max(each.text.count("\n") - 1, 0) for each in self.edits)

    def facts(
        self, checked: Evidence = "", differs: Sequence[str] = (), slopes: int | None = None, *, early: bool = False
    ) -> FixFacts:
        """Returns the fix, with what trying it has shown."""
        prices = [_BYTES.format(f"{self.bytes:,}")] if self.bytes else []
        prices += [self.price] if self.price != NOTHING else []
        price = Text("; ".join(each.en for each in prices), "；".join(each.zh for each in prices))
        return FixFacts(self.says, self.edits, checked, self.reason, price, tuple(differs), slopes, early)


def listed(codes: Sequence[str]) -> Text:
    """Returns pieces of code as a sentence lists them: "`a`, `b` and `c`"."""
    *firsts, last = (f"`{each}`" for each in codes)
    return Text(" and ".join(filter(None, (", ".join(firsts), last))), "、".join([*firsts, last]))


def together(proposals: Sequence[Proposal]) -> Proposal:
    """Returns several proposals as one."""
    parts = sorted(
        dict.fromkeys(part for each in proposals for part in each.parts or (each,)), key=lambda each: each.edits
    )
    if len(parts) == 1:
        return parts[0]
    edits = tuple(dict.fromkeys(edit for each in parts for edit in each.edits))
    says = dict.fromkeys(each.says for each in parts)
    prices = dict.fromkeys(each.price for each in parts if each.price != NOTHING)
    return Proposal(
        Text(", and ".join(each.en for each in says), "，并".join(each.zh for each in says)), edits, parts[0].reason, sum(each.bytes for each in parts),
        next(iter(prices), NOTHING), parts[0].way, all(each.sure for each in parts), any(each.other for each in parts), tuple(parts),
    )  # fmt: skip


def changed(edits: Sequence[EditFacts], read: Read) -> dict[str, tuple[str, str]]:
    """Returns the texts of the files that edits change, before and after, by the names of the files.

    Raises:
        SyntaxError: if the edits do not go together, or leave no Python program.
        OSError, ValueError: if a file cannot be read.
    """
    found = {}
    for name in dict.fromkeys(each.file for each in edits):
        mine = sorted({each for each in edits if each.file == name})
        if any((one.end_line, one.end_column) > (other.line, other.column) for one, other in pairwise(mine)):
            raise SyntaxError
        before = read(name)
        after = applied(before, mine)
        ast.parse(after)
        found[name] = before, after
    return found


def lines_of(main: str) -> Lines:
    """Returns what names lines of a program: those of the script `main` without its name."""

    def named(filename: str, first: int, last: int) -> Text:
        known = () if filename == main else (brief_file(filename),)
        if last == first:
            return (_LINE_OF if known else _LINE).format(first, *known)
        return (_LINES_OF if known else _LINES).format(first, last, *known)

    return named


OF_ONE_FILE = lines_of("")


class ParsedFiles:
    """The parsed files of a program.

    Args:
        read: returns the text of a file.
        trails: what failed.
        lines: names lines.
    """

    def __init__(self, read: Read, trails: Sequence[Trail], lines: Lines) -> None:
        self._read, self._lines = read, lines
        self._known = {name: each.bytes for trail in trails for each in trail.kept[:1] for name in each.names}
        self._programs: dict[str, SourceTree | None] = {}

    def program(self, filename: str) -> SourceTree | None:
        """Returns a parsed file; None if it cannot be read, or is none of the user's programs."""
        if filename not in self._programs:
            try:
                self._programs[filename] = SourceTree(self._read(filename))
            except UNREADABLE:
                self._programs[filename] = None
        return self._programs[filename]

    def at(self, spots: Sequence[Spot]) -> Iterator[Where]:
        """Yields the innermost of some frames, if its file can be read."""
        for spot in spots[:1]:
            if (program := self.program(spot.filename)) is not None:
                yield Where(spot, program, self._lines, self._known)


class Where:
    """A spot in its parsed file."""

    def __init__(self, spot: Spot, program: SourceTree, lines: Lines, known: Mapping[str, int]) -> None:
        self.spot, self.program, self._lines, self._known = spot, program, lines, known
        self.statement = self._statement()

    def line(self, first: int, last: int | None = None) -> Text:
        """Names a line: "line 5", "line 5 of `model.py`"."""
        return self._lines(self.spot.filename, first, first if last is None else last)

    @property
    def updates(self) -> bool:
        """Whether a write was an update of a parameter: what is known of it says so, or the text, which calls an optimizer."""
        match self.statement:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="step"), args=[])):
                return True
        return self.spot.updates

    @property
    def unrecorded(self) -> bool:
        """Whether the text says that autograd does not record what happens there."""
        around = () if self.statement is None else self.program.around(self.statement)
        managers = (
            expression
            for each in around
            for expression in (
                [item.context_expr for item in each.items] if isinstance(each, ast.With)
                else each.decorator_list if isinstance(each, ast.FunctionDef) else ()
            )
        )  # fmt: skip
        return any(ast.unparse(each).removesuffix("()").endswith(("no_grad", "inference_mode")) for each in managers)

    def bytes(self, name: str) -> int:
        """Returns how many bytes the tensor of this name has that was written or viewed here; 0 if that is not known."""
        return self.spot.bytes or self._known.get(name, 0)

    def proposal(self, says: Text, edits: Sequence[EditFacts], *, sure: bool = False, **more: Any) -> Proposal:
        """Returns a proposal for the file, which is sure only if the place is."""
        known = sure and self.spot.column >= 0
        return Proposal(says, tuple(replace(each, file=self.spot.filename) for each in edits), sure=known, **more)

    def nodes(self, kind: type[N]) -> list[N]:
        """Returns the nodes of a kind exactly at the spot, outermost first."""
        return [each for each in ast.walk(self.program.tree) if isinstance(each, kind) and self._is_here(each)]

    def _is_here(self, node: ast.AST) -> bool:
        spot, ends = self.spot, ("lineno", "end_lineno", "col_offset", "end_col_offset")
        return [getattr(node, each, None) for each in ends] == [spot.line, spot.end_line, spot.column, spot.end_column]

    def _statement(self) -> ast.stmt | None:
        """Returns the simple statement that contains the spot."""
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


def written_by(program: SourceTree, call: ast.Call) -> ast.expr | None:
    """Returns what a call such as `x.relu_()`, `x.exp_().relu_()` or `F.relu_(x)` writes to, if it can be assigned to."""
    chain = in_place_calls(call)
    target: ast.expr | None = call.func.value if isinstance(call.func, ast.Attribute) else None
    if chain and isinstance(chain[-1].func, ast.Attribute):
        target = chain[-1].func.value
    if target is None or root_of(target) in program.imported:
        target = call.args[0] if call.args else None
    return target if isinstance(target, ast.Name | ast.Attribute | ast.Subscript) else None


def name_in_place(call: ast.Call) -> str:
    """Returns the name of an in-place operation without its underscore; "" if a call is of none."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name[:-1] if name.endswith("_") and not name.endswith("__") else ""


def augmented(statement: ast.AugAssign, target: str = "") -> str:
    """Returns the value of an augmented assignment, written out: `x + (y - z)` for `x += y - z`; with another left operand, if given."""
    value = ast.unparse(statement.value)
    if isinstance(statement.value, ast.BinOp | ast.IfExp | ast.BoolOp | ast.Compare | ast.Lambda):
        value = f"({value})"
    return f"{target or ast.unparse(statement.target)} {OPERATORS[type(statement.op)][0]} {value}"


def replaced(program: SourceTree, node: ast.expr | ast.stmt, text: str) -> EditFacts:
    """Returns the edit that replaces an expression or a statement by other text."""
    return EditFacts(*program.start(node), *program.end(node), text)
