"""Finds fixes for a program that ended with an error, in terms of its own names and lines.

A fix is made for *this* program: with it, the program runs, and its gradients are those of the program written with ordinary operations.
Each fix is tried (`recorders/fix_search.py`); one that was not tried says so, and is shown only if what is known shows that it is safe. If that
shows none, there is general advice.

    spots.py             where in the text, and what is known of the tensors there: plain data, made of a recording or of a watch
    recorded_trails.py   makes that of a recording
    proposals.py         what may fix it, cheapest first       kept_copies.py, recompute.py    two kinds of that
    refused_operations.py    what may, where an operation was refused
    located.py           spots in parsed files                 order.py         whether an edit may move a statement
    outcomes.py          the words of fixes                    difference.py    which lines a fix changes
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts, FixFacts
from inplacelab.recording.fixes.located import OF_ONE_FILE, Lines, Proposal, Read, Sources, Where
from inplacelab.recording.fixes.order import may_move
from inplacelab.recording.fixes.outcomes import block, in_one_sentence, label, way
from inplacelab.recording.fixes.proposals import NO_ORDINARY, out_of_place, proposals, written_names
from inplacelab.recording.fixes.recorded_trails import trails_of
from inplacelab.recording.fixes.refused_operations import refusal_fixes
from inplacelab.recording.fixes.spots import Spot, Trail
from inplacelab.recording.recording import Recording
from inplacelab.supported import framework_named

__all__ = [
    "SHOWN",
    "block",
    "fixes",
    "fixes_for",
    "in_one_sentence",
    "label",
    "named",
    "of_program",
    "untried",
    "way",
    "with_copies",
    "with_fixes",
]

SHOWN = 2
"""So many fixes are shown."""


def fixes(recording: Recording) -> tuple[FixFacts, ...]:
    """Returns the fixes for a program whose recording ends with an error; none of them was tried.

    Args:
        recording: the recording, up to the error.
    """
    source = recording.source

    def sure(proposal: Proposal) -> bool:
        return proposal.sure or (proposal.way == "order" and may_move(recording, proposal.edits))

    trails, known = trails_of(recording), framework_named(recording.framework)
    if known is not None and known.loses_history and any(each.views for each in trails):
        return ()  # backward may not know of a write through a view: with an edit, the program may run with wrong gradients
    found = [*proposals(trails, lambda _: source), *refusal_fixes(recording)]
    return untried(found, sure) or tuple(_advice(trails, lambda _: source, OF_ONE_FILE))


def fixes_for(trails: Sequence[Trail], read: Read, lines: Lines = OF_ONE_FILE) -> tuple[FixFacts, ...]:
    """Returns the fixes for what a watch has seen fail; none of them was tried.

    Args:
        trails: what the failed pass found overwritten or released.
        read: returns the text of the program's files.
        lines: names lines.
    """
    return untried(proposals(trails, read, lines)) or tuple(_advice(trails, read, lines))


def untried(
    found: Sequence[Proposal], sure: Callable[[Proposal], bool] = lambda each: each.sure
) -> tuple[FixFacts, ...]:
    """Returns the proposals that are sure, one of each kind: what is not known to be safe is not shown untried."""
    shown: dict[str, Proposal] = {}
    for each in found:
        key = each.way if each.way != "refused" else each.says.en
        if key not in shown and len(shown) < SHOWN and sure(each):
            shown[key] = each
    return tuple(each.facts() for each in shown.values())


_COPY = Text(
    "run it inside `{0}`, which copies what backward needs before it is overwritten",
    "把它放进 `{0}` 中运行：反向传播需要的内容在被覆盖之前先复制",
)
_BYTES = Text("{0} bytes here", "这里共 {0} 字节")


def with_copies(statement: str, copies: int) -> FixFacts:
    """Returns the fix for a program that no edit fixes: a statement that has everything copied that backward needs.

    Args:
        statement: the statement (see `Framework.copying`).
        copies: the bytes of the copies, when it was run in this way.
    """
    return FixFacts(_COPY.format(statement), (), "same", price=_BYTES.format(f"{copies:,}"))


def with_fixes(recording: Recording, found: Sequence[FixFacts]) -> Recording:
    """Returns a recording that ends with an error, with fixes for it in place of those that it had."""
    *before, last = recording.steps
    if last.error is None:
        return recording
    error = replace(last.error, fix=in_one_sentence(found), fixes=tuple(found))
    return replace(recording, steps=(*before, replace(last, error=error)))


def of_program(found: Sequence[FixFacts], path: Path) -> tuple[FixFacts, ...]:
    """Returns fixes of a program in a file as its recording has them."""

    def own(edit: EditFacts) -> EditFacts:
        return replace(edit, file="") if edit.file and Path(edit.file).resolve() == path.resolve() else edit

    return tuple(replace(each, edits=tuple(map(own, each.edits))) for each in found)


def named(found: Sequence[FixFacts], filename: str) -> tuple[FixFacts, ...]:
    """Returns fixes of a recording with the name of the recorded program's file."""
    return tuple(
        replace(fix, edits=tuple(replace(each, file=each.file or filename) for each in fix.edits)) for fix in found
    )


# --- no particular fix is certain to work ----------------------------------------------------------------------------


_TO_A_CLONE = Text("let {0} write to a clone of {1}", "让{0}写入 {1} 的副本")
_WHILE_NEEDED = Text(
    "let {0}, which runs while backward still needs {1}, write to a clone of it",
    "{0}运行时反向传播还需要 {1}，请让它写入 {1} 的副本",
)
_INSIDE = Text(
    "in the code that {0} calls, use the ordinary form of `{1}` (without the underscore, or without `inplace=True`), or let it write to a clone",
    "在{0}所调用的代码中，使用 `{1}` 的普通形式（去掉下划线，或去掉 `inplace=True`），或让它写入副本",
)
_INSIDE_A_CLONE = Text(
    "in the code that {0} calls, let `{1}_` write to a clone", "在{0}所调用的代码中，让 `{1}_` 写入副本"
)
_UNSEEN = Text(" that the other names of the old one do not see", "，旧张量的其他名字看不到它")
_COMPUTED_AGAIN = Text("compute the loss again after {0}, from the new values", "在{0}之后用新的值重新计算损失")


def _advice(trails: Sequence[Trail], read: Read, lines: Lines) -> Iterator[FixFacts]:
    """Yields general advice, with all the lines and the names that it is about: the write that the pass failed on comes first."""
    writes = [write[0] for each in trails for write in each.writes]
    sources = Sources(read, trails, lines)
    by_line: dict[int, list[tuple[Where, Spot]]] = {}
    for spot in dict.fromkeys(writes):
        for where in sources.at((spot,)):
            by_line.setdefault(spot.line, []).append((where, spot))
    if by_line and all(where.updates or where.unrecorded for some in by_line.values() for where, _ in some):
        ((where, spot), *_) = next(iter(by_line.values()))
        ways = [_COMPUTED_AGAIN.format(where.line(spot.line))]
    else:
        ways = [_another_way(each) for each in by_line.values()]
    if ways:
        yield FixFacts(Text(", and ".join(each.en for each in ways), "，并".join(each.zh for each in ways)), ())


def _another_way(of_line: Sequence[tuple[Where, Spot]]) -> Text:
    """What to do instead of the writes of one line."""
    where, spot = of_line[0]
    names = [f"`{name}`" for name in dict.fromkeys(name for _, each in of_line for name in each.names)]
    line, op = where.line(spot.line), spot.op.rstrip("_")
    for each in out_of_place(where) if spot.named else ():
        if _is_seen_there(where, each):
            return each.says + _UNSEEN
    if not names:
        names = [f"`{name}`" for name in written_names(where)[:1]]
    if not names:
        return (_INSIDE_A_CLONE if op in NO_ORDINARY else _INSIDE).format(line, op)
    return (_TO_A_CLONE if spot.named else _WHILE_NEEDED).format(line, Text(" and of ".join(names), " 和 ".join(names)))


def _is_seen_there(where: Where, proposal: Proposal) -> bool:
    """Whether what a statement then binds is read: else the new value would be lost."""
    program, statement = where.program, where.statement
    changed = ast.parse(program.text(statement, list(proposal.edits)).strip()) if statement is not None else None
    targets = (
        [each for node in ast.walk(changed) if isinstance(node, ast.Assign) for each in node.targets] if changed else []
    )
    if statement is None or not all(isinstance(each, ast.Name | ast.Attribute) for each in targets):
        return False
    loops = [each for each in program.around(statement) if isinstance(each, ast.For | ast.While)]
    inside = program.function(statement) or program.tree
    for name in (each.id for each in targets if isinstance(each, ast.Name)):
        reads = program.reads(inside, name)
        if not any(
            each.lineno > (statement.end_lineno or 0)
            or any(each in ast.walk(one) for one in loops if name not in _bound(one))
            for each in reads
        ):
            return False
    return True


def _bound(loop: ast.For | ast.While) -> set[str]:
    """Returns the names that a loop binds each time."""
    target = loop.target if isinstance(loop, ast.For) else None
    return {each.id for each in ast.walk(target) if isinstance(each, ast.Name)} if target is not None else set()
