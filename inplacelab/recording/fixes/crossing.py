"""Finds the block of a program in which an update of parameters comes between a forward pass and the backward pass that still needs the old values.

The update, the backward pass and the forward pass may each be in a function that a statement of the block calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inplacelab.recording.fixes.spots import ParsedFiles, Spot, Trail, Where
from inplacelab.recording.source_tree import SourceTree

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_STEPS = ("step", "minimize")


@dataclass(frozen=True)
class Crossing:
    """Statements of one block.

    Attributes:
        where: the place of the pass in the file.
        block: the statements of the block.
        updates: those that are known to change the parameters.
        passes: the one that runs the backward pass.
        kept: those that computed what it needs.
        parameters: the names of the parameters that are known.
    """

    where: Where
    block: Sequence[ast.stmt]
    updates: Sequence[ast.stmt]
    passes: ast.stmt
    kept: Sequence[ast.stmt]
    parameters: frozenset[str]

    @property
    def program(self) -> SourceTree:
        """The parsed file."""
        return self.where.program

    @property
    def all_updates(self) -> Sequence[ast.stmt]:
        """The statements that update parameters: the known ones, and others of their kind between the forward and the backward pass."""
        start = min((self.block.index(each) for each in self.kept), default=self.block.index(self.updates[0]))
        between = self.block[start : self.block.index(self.passes)]
        return [
            each for each in between if each in self.updates or stepped(each) is not None or self.is_like_known(each)
        ]

    def is_like_known(self, statement: ast.stmt) -> bool:
        """Whether a statement calls the function that one of the known updates calls."""
        called = _called(statement)
        return called is not None and any(_called(each) == called for each in self.updates)


def stepped(statement: ast.stmt) -> str | None:
    """Returns the optimizer of a statement that is nothing but its step: "opt" of `opt.step()` and of `scaler.step(opt)`; None for any other."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=attr), args=args)) if attr in _STEPS:
            scaled = args and "scaler" in ast.unparse(owner).lower()
            return ast.unparse(args[0] if scaled else owner)
    return None


def root_of(name: str) -> str:
    """Returns the variable, or the attribute of `self`, at the root of a name: "net" of `net.0.weight`, "self.q" of `self.q.weight`."""
    parts = re.split(r"[.\[]", name)
    return ".".join(parts[:2]) if parts[0] == "self" else parts[0]


def crossing(trails: Sequence[Trail], sources: ParsedFiles) -> Crossing | None:
    """Returns the block; None if there is none, as when the update of one turn of a loop meets the backward pass of the next.

    Args:
        trails: the values that the pass found overwritten, all by updates.
        sources: the files.
    """
    needed = trails[0].needed
    writes = [write for each in trails for write in each.writes]
    if not needed or not writes:
        return None
    depth = _parting(needed, writes[0])
    if depth is None:
        return None
    for where in sources.at(needed[len(needed) - 1 - depth :]):
        passes = where.statement
        if passes is None:
            return None
        program = where.program
        for inside in _statements(passes, program):
            block = program.block(inside)
            updates = [_in_block(each, depth, needed, block, sources) for each in writes]
            if all(each is not None and each is not inside for each in updates):
                found = [each for each in block if each in updates]
                if block.index(found[-1]) > block.index(inside):
                    return None
                kept = [_in_block(each.kept, depth, needed, block, sources) for each in trails]
                names = (
                    name
                    for each in trails
                    for spot in (*each.kept[:1], *(one[0] for one in each.writes))
                    for name in spot.names
                )
                before = [each for each in block if each in kept and block.index(each) < block.index(found[0])]
                held = (name for each in found for name in _held(stepped(each), program))
                return Crossing(where, block, found, inside, before, frozenset((*names, *held)))
    return None


def makers(optimizer: str | None, program: SourceTree) -> list[ast.Assign]:
    """Returns the statements in which a program makes an optimizer."""
    assigned = (each for each in ast.walk(program.tree) if isinstance(each, ast.Assign))
    return [each for each in assigned if optimizer in [ast.unparse(one) for one in each.targets]]


def _held(optimizer: str | None, program: SourceTree) -> Iterator[str]:
    """Yields the modules whose parameters an optimizer was given where the program makes it: its step changes them all, whether they were kept or not."""
    for made in makers(optimizer, program):
        for call in ast.walk(made.value):
            match call:
                case ast.Call(func=ast.Attribute(value=module, attr="parameters" | "named_parameters")):
                    yield ast.unparse(module)


@dataclass(frozen=True)
class Turn:
    """A loop in which the update of one turn meets the backward pass of a later one.

    Attributes:
        where: the place of the pass in the file.
        loop: the loop.
        passes: the statement of its block that runs the pass.
        before: the statements before the loop, in its block.
        kept: of these, or of the loop's own, the one that computed what the pass needs.
        parameters: the names of the parameters that are known.
    """

    where: Where
    loop: ast.For | ast.While
    passes: ast.stmt
    before: Sequence[ast.stmt]
    kept: ast.stmt
    parameters: frozenset[str]


def turn(trail: Trail, sources: ParsedFiles) -> Turn | None:
    """Returns the innermost loop around a pass and an update that comes after it; None if there is none, or what was kept is elsewhere."""
    names = frozenset(name for spot in (*trail.kept[:1], *(each[0] for each in trail.writes)) for name in spot.names)
    for where in sources.at(trail.needed[-1:]):
        program, statement = where.program, where.statement
        loops = (
            []
            if statement is None
            else [each for each in program.around(statement) if isinstance(each, ast.For | ast.While)]
        )
        if statement is None or not loops or any(write[-1].filename != where.spot.filename for write in trail.writes):
            return None
        loop, lines = loops[0], [write[-1].line for write in trail.writes]
        inside = next((each for each in loop.body if statement in ast.walk(each)), None)
        if inside is None or not all(inside.lineno <= line <= (loop.end_lineno or 0) for line in lines):
            return None
        before = program.before(loop)
        spots = [each for each in trail.kept[-1:] if each.filename == where.spot.filename]
        kept = [
            each
            for each in (*before, *loop.body)
            for spot in spots
            if each.lineno <= spot.line <= (each.end_lineno or 0)
        ]
        return Turn(where, loop, inside, before, kept[0], names) if kept else None
    return None


def _statements(statement: ast.stmt, program: SourceTree) -> Iterator[ast.stmt]:
    """Yields a statement and those around it in its function, from the inside out."""
    yield statement
    for each in program.around(statement):
        if isinstance(each, _SCOPES):
            return
        if isinstance(each, ast.stmt):
            yield each


def _parting(one: Sequence[Spot], other: Sequence[Spot]) -> int | None:
    """Returns at which call, counted from the outermost, two stacks part; None if they never do."""
    pairs = zip(reversed(one), reversed(other), strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if (a.filename, a.line) != (b.filename, b.line)), None)


def _in_block(
    spots: Sequence[Spot], depth: int, like: Sequence[Spot], block: Sequence[ast.stmt], sources: ParsedFiles
) -> ast.stmt | None:
    """Returns the statement of a block that led to a place; None if none did."""
    outer, mine = like[len(like) - depth :], spots[len(spots) - depth :] if depth else ()
    if len(spots) <= depth or [(each.filename, each.line) for each in outer] != [
        (each.filename, each.line) for each in mine
    ]:
        return None
    spot = spots[len(spots) - 1 - depth]
    if spot.filename != like[len(like) - 1 - depth].filename:
        return None
    for where in sources.at((spot,)):
        statement = where.statement
        return next((each for each in block if statement is not None and statement in ast.walk(each)), None)
    return None


def _called(statement: ast.stmt) -> str | None:
    """Returns the function that a statement does nothing but call; None for a method of one object."""
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    return (
        ast.unparse(value.func)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name | ast.Attribute)
        else None
    )
