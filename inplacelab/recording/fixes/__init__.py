"""Finds fixes for a program that ended with an error, in terms of its own names and lines.

A fix is made for *this* program: with it, the program runs, and its gradients are those of the program written with ordinary operations.
Each fix is tried (`recorders/fix_search.py`); one that was not tried says so, and is shown only if what is known shows that it is safe. If that
shows none, there is general advice.

    spots.py         where in the text, and what is known of the tensors there: plain data, made of a recording or of a watch; in parsed files
    recorded.py      makes that of a recording; what may fix an operation that was refused
    proposals.py     what may fix it, cheapest first       kept_copies.py   one kind of that
    refused.py       what may fix what a framework refused at once: `no_grad` around an update, else an ordinary operation
    second_pass.py   cuts the graph between iterations     ordinary_form.py   `x.mul_(2)` as `x = x.mul(2)`
    order.py         whether an edit may move a statement
    crossing.py      where an update of parameters comes between a forward pass and its backward pass
    step_order.py    updates later     step_block.py   computes the loss after the update
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher, unified_diff
from itertools import groupby
from pathlib import Path
from typing import get_args

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts, Evidence, FixFacts
from inplacelab.recording.fixes.order import may_move
from inplacelab.recording.fixes.ordinary_form import NO_ORDINARY
from inplacelab.recording.fixes.proposals import out_of_place, proposals, written_names
from inplacelab.recording.fixes.recorded import refusal_fixes, trails_of
from inplacelab.recording.fixes.spots import OF_ONE_FILE, Lines, ParsedFiles, Proposal, Read, Spot, Trail, Where
from inplacelab.recording.outcomes import OUTCOMES, Outcome
from inplacelab.recording.places import said_lines, set_off, source_of
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import applied, source_lines
from inplacelab.recording.stacks import shown_file
from inplacelab.supported import framework_named

NAMED = 4
"""So many names are said to have other values."""


_HEADS = (Text("To fix it ({0}):", "改法（{0}）："), Text("To fix it, one of these ({0}):", "改法（任选其一；{0}）："))
_OR_HEADS = (Text("Or ({0}):", "或者（{0}）："), Text("Or one of these ({0}):", "或者（任选其一；{0}）："))
_ITEM = Text("  - {0}", "  - {0}")
_REASON, _PRICE = Text(": {0}", "：{0}"), Text(" ({0})", "（{0}）")
_DIFFERS = Text(
    "; the final values of {0} differ, so check whether you need the write", "；{0} 最后的值不同，请看是否需要这次写入"
)
_SLOPES = Text(
    "; {0} elements of the first pass's gradients agree with finite differences of the loss",
    "；第一次反向传播的梯度中有 {0} 个元素与损失的有限差分一致",
)

_EARLY = Text("; up to the step after the failure", "；检验到出错步的下一步为止")


def way(fix: FixFacts) -> Text:
    """Returns what to do, why and at what price: "put `h = h.clone()` before line 4, so that ... (12 bytes more)"."""
    said = fix.says
    if fix.reason.en:
        said += _REASON.format(fix.reason)
    if fix.price.en:
        said += _PRICE.format(fix.price)
    if fix.differs:
        names = [f"`{each}`" for each in fix.differs[:NAMED]]
        said += _DIFFERS.format(Text(", ".join(names), "、".join(names)))
    return said


def _alike(found: Sequence[FixFacts]) -> list[tuple[Outcome, list[FixFacts]]]:
    """Returns fixes of which trying has shown the same, together; what shows most comes first."""
    most = sorted(found, key=lambda each: -get_args(Evidence).index(each.checked))
    return [(OUTCOMES[checked], [*group]) for checked, group in groupby(most, key=lambda each: each.checked)]


def block(found: Sequence[FixFacts]) -> list[Text]:
    """Returns the lines of a report that say how to fix a program; none if there is no fix."""
    lines: list[Text] = []
    for outcome, fixes in _alike(found):
        heads = _OR_HEADS if lines else _HEADS
        shown = outcome.wholly
        slopes = [each.slopes for each in fixes if each.slopes]
        if slopes:
            shown += _SLOPES.format(min(slopes))
        if any(each.early for each in fixes):
            shown += _EARLY
        lines.append(heads[len(fixes) > 1].format(shown))
        lines += [_ITEM.format(way(each)) for each in fixes]
    return lines


def in_one_sentence(found: Sequence[FixFacts]) -> Text:
    """Joins fixes into a sentence that follows "Instead, ": "call `loss.backward()` before line 6; or in line 6 write ... (Checked.)"."""
    said = Text("", "")
    for outcome, fixes in _alike(found):
        ways = [way(each) for each in fixes]
        joined = Text("; or ".join(each.en for each in ways), "；或者，".join(each.zh for each in ways))
        said += (Text(" Or ", "或者，") if said.en else Text("", "")) + joined + Text(". ", "。") + outcome.brief
    return said


def label(found: Sequence[FixFacts]) -> Text:
    """Returns what was found by trying fixes, as a sentence in brackets."""
    least = _alike(found)[-1][0].wholly
    return Text("({0}.)", "（{0}。）").format(Text(least.en[:1].upper() + least.en[1:], least.zh))


SHOWN = 2
"""So many fixes are shown."""


def fixes(recording: Recording) -> tuple[FixFacts, ...]:
    """Returns the fixes for a program whose recording ends with an error; none of them was tried.

    Args:
        recording: the recording, up to the error.
    """
    read, lines = of_recording(recording)

    def sure(proposal: Proposal) -> bool:
        return proposal.sure or (proposal.way == "order" and may_move(recording, proposal.edits))

    trails, known = trails_of(recording), framework_named(recording.framework)
    if known is not None and known.loses_history and any(each.views for each in trails):
        return ()  # backward may not know of a write through a view: with an edit, the program may run with wrong gradients
    found = [*proposals(trails, read, lines), *refusal_fixes(recording)]
    return untried(found, sure) or tuple(_advice(trails, read, lines))


def of_recording(recording: Recording) -> tuple[Read, Lines]:
    """Returns what reads the sources of a recording by their names, and what names their lines in texts about its last step."""
    here = recording.steps[-1].place if recording.steps else None

    def read(name: str) -> str:
        source = source_of(recording, name)
        if source is None:
            raise FileNotFoundError(name)
        return recording.text_of(source)

    def lines(name: str, first: int, last: int) -> Text:
        return set_off(said_lines(recording.named_sources, source_of(recording, name) or 0, first, last, here))

    return read, lines


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
    """Returns fixes of a program in a file as its recording has them: other files have the names of its sources."""

    def own(edit: EditFacts) -> EditFacts:
        if not edit.file:
            return edit
        return replace(edit, file="" if Path(edit.file).resolve() == path.resolve() else shown_file(edit.file))

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
    sources = ParsedFiles(read, trails, lines)
    by_line: dict[tuple[str, int], list[tuple[Where, Spot]]] = {}
    for spot in dict.fromkeys(writes):
        for where in sources.at((spot,)):
            by_line.setdefault((spot.filename, spot.line), []).append((where, spot))
    if by_line and all(where.updates or where.unrecorded for some in by_line.values() for where, _ in some):
        trail = next(each for each in trails if each.writes)
        spot = _apart(trail.writes[0], (trail.kept, trail.needed))
        ways = [_COMPUTED_AGAIN.format(lines(spot.filename, spot.line, spot.line))]
    else:
        ways = [_another_way(each) for each in by_line.values()]
    if ways:
        yield FixFacts(Text(", and ".join(each.en for each in ways), "，并".join(each.zh for each in ways)), ())


def _apart(frames: Sequence[Spot], others: Sequence[Sequence[Spot]]) -> Spot:
    """Returns the call, of those that led to a place, in which it differs from other places: the calls outside of it led to all of them."""
    stacks = [
        [(each.filename, each.line, each.column) for each in reversed(some)] for some in (frames, *others) if some
    ]
    shared = next((k for k, row in enumerate(zip(*stacks, strict=False)) if len({*row}) > 1), min(map(len, stacks)))
    return frames[max(len(frames) - 1 - shared, 0)]


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


def lines_after(source: str, fix: FixFacts, file: str = "") -> list[tuple[str, bool]]:
    """Returns the lines of a fixed file, each with whether it is new.

    Args:
        source: its text.
        fix: the fix.
        file: what edits call it; "" for the program that was started.
    """
    edits = [each for each in fix.edits if each.file == file]
    old, new = (
        [each.rstrip("\r\n") for each in source_lines(source)],
        [each.rstrip("\r\n") for each in source_lines(applied(source, edits))],
    )
    found: list[tuple[str, bool]] = []
    for tag, _, _, begin, end in SequenceMatcher(None, old, new).get_opcodes():
        found += [(line, tag != "equal") for line in new[begin:end]]
    return found


def edits_between(before: str, after: str) -> tuple[EditFacts, ...]:
    """Returns the edits of whole lines that make one text of another."""
    old, new = source_lines(before), source_lines(after)
    changes = (each for each in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if each[0] != "equal")
    return tuple(EditFacts(i + 1, 0, k + 1, 0, "".join(new[begin:end])) for _, i, k, begin, end in changes)


def diff_of(changes: Mapping[str, tuple[str, str]], name: Callable[[str], str] = str) -> str:
    """Returns what a fix changes, as `diff -u` shows it.

    Args:
        changes: the texts of the files, before and after (see `located.changed`).
        name: how a file is named.
    """
    found = []
    for file, (before, after) in changes.items():
        lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
        found += list(unified_diff(*lines, name(file), name(file), n=1))
    return "".join(line if line.endswith("\n") else line + "\n" for line in found)
