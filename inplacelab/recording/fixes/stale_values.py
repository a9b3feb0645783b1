"""Finds fixes for a value that was overwritten before backward could use it."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts, FixFacts, SavedFacts
from inplacelab.recording.fixes.order import depends
from inplacelab.recording.fixes.recompute import computed_again
from inplacelab.recording.fixes.spots import Spot, Trail
from inplacelab.recording.fixes.write_elsewhere import (
    HasOrdinary,
    Write,
    cloned_before,
    name_of,
    rebinding,
    written_ordinarily,
)
from inplacelab.recording.naming import RESULT, Kept, kept_values
from inplacelab.recording.passes import begun_at
from inplacelab.recording.queries import stale, who_overwrote
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.source_tree import Program

__all__ = ["stale_fixes", "trails"]

_ON_THE_WAY = ("waiting", "arrived", "unpacking", "failed")
_TOUCHES_GRADIENTS = {
    "grad", "gradient", "clear_grad", "clear_gradient", "clear_gradients", "zero_grad", "step", "minimize", "backward", "set_state_dict"
}  # fmt: skip
"""What a call of `backward` must not be moved across."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A failed backward pass, with all values that it would have found overwritten."""

    recording: Recording
    program: Program
    begun: int
    """The step at which the pass began."""
    lost: tuple[tuple[int, SavedFacts], ...]
    writes: tuple[Write, ...]

    @property
    def first_found(self) -> Write:
        """The first write to the value on which the pass failed."""
        error = self.recording.steps[-1].error
        found = next((saved for node, saved in self.lost if error is not None and node == error.node), self.lost[0][1])
        wrote = {step.index for step, _ in who_overwrote(self.recording, found, len(self.recording) - 1)}
        return next((each for each in self.writes if each.step.index in wrote), self.writes[0])

    def could_begin_before(self, write: Write) -> bool:
        """Whether all that the pass begins with existed before a write."""
        backward = self.program.statement(self.recording.steps[self.begun].line)
        return (
            backward is not None and write.step.index > self.kept_by and _was_the_same(self, backward, write.step.index)
        )

    @property
    def kept_by(self) -> int:
        """The last step that saved one of these values."""
        whose = kept_values(self.recording)
        return max((whose[node, saved.name].step or 0 for node, saved in self.lost), default=0)


def stale_fixes(recording: Recording, program: Program, index: int, has_ordinary: HasOrdinary) -> list[FixFacts]:
    """Returns the fixes for a program whose backward pass failed at step `index`, the cheapest first.

    Each fix covers all values that the pass would have found overwritten, not only the first.
    """
    case = _case(recording, program, index)
    if case is None:
        return []
    elsewhere = written_ordinarily(program, case.writes, has_ordinary) or cloned_before(
        recording, program, case.writes, case.kept_by
    )
    found = [each for each in (_backward_first(case), elsewhere, _computed_again(case)) if each is not None]
    if len(found) < 2 and (copied := _kept_as_copies(case)) is not None:
        found.append(copied)
    return found or [_advice(case, has_ordinary)]


def _case(recording: Recording, program: Program, index: int) -> _Case | None:
    # The step before: in the failing step, locals of a function may be gone.
    state = recording.state(max(index - 1, 0))
    begun = begun_at(recording, index)
    lost = tuple(each for each in stale(state) if state.nodes[each[0]].status in _ON_THE_WAY)
    if begun is None or not lost:
        return None
    writes: dict[int, Write] = {}
    for _, saved in lost:
        for step, facts in who_overwrote(recording, saved, index):
            if step.index:
                writes[step.index] = Write(step, facts, recording.state(step.index - 1))
    ordered = tuple(writes[key] for key in sorted(writes))
    return _Case(recording, program, begun, lost, ordered) if ordered else None


def trails(recording: Recording, program: Program) -> list[Trail]:
    """Returns, for each value that the failed pass at the end of a recording would have found overwritten, the spots behind that."""
    case = _case(recording, program, len(recording) - 1)
    return [] if case is None else [_trail(case, node, saved) for node, saved in case.lost]


def _trail(case: _Case, node: int, saved: SavedFacts) -> Trail:
    recording, program = case.recording, case.program
    kept = kept_values(recording)[node, saved.name]
    made = recording.steps[kept.step] if kept.step is not None else None
    line, op = (made.line, made.op) if made is not None else (_line_of(recording.state(), node), None)
    writes, views = [], []
    for step, facts in who_overwrote(recording, saved, len(recording) - 1):
        writes += _spots(program, step.line, step.op)
        view = next((each for each in recording.steps if each.output == facts.tensor and each.category == "view"), None)
        views += _spots(program, view.line, view.op) if view is not None else []
    return Trail(
        "stale",
        kept=tuple(_spots(program, line, op)),
        is_result=kept.role == RESULT,
        writes=tuple((each,) for each in dict.fromkeys(writes)),
        views=tuple(dict.fromkeys(views)),
        needed=tuple(_spots(program, recording.steps[case.begun].line, None)),
    )


def _line_of(state: State, node: int) -> int | None:
    """Returns the line that made a node. A node with several results has no line of its own, but those of its results have."""
    of_results = (each.line for each in state.nodes.values() if any(edge.to == node for edge in each.edges))
    return next((line for line in (state.nodes[node].line, *of_results) if line is not None), None)


def _spots(program: Program, line: int | None, op: str | None) -> list[Spot]:
    """Returns the expression of an operation on a line, or else the statement."""
    statement = program.statement(line)
    if statement is None:
        return []
    did: ast.expr | ast.stmt = program.did(statement, op) or statement
    end = did.end_lineno or did.lineno
    return [Spot("", did.lineno, end, did.col_offset, did.end_col_offset or 0, op or "")]


# --- backward before the write -----------------------------------------------------------------------------------------


def _backward_first(case: _Case) -> FixFacts | None:
    """Moves the pass before the first write, if all its nodes existed by then and no other statement depends on the order."""
    program, recording = case.program, case.recording
    backward, wrote = program.statement(recording.steps[case.begun].line), case.writes[0].step
    across = None if backward is None else _between(program, backward, wrote.line)
    if backward is None or across is None or program.repeats(backward) or not isinstance(backward, ast.Expr):
        return None
    if program.function(across[0]) is not program.function(backward) or _needs(across, backward):
        return None
    touched = {n.attr for each in across for n in ast.walk(each) if isinstance(n, ast.Attribute)}
    if touched & _TOUCHES_GRADIENTS:
        return None
    first, last = across[0].lineno, across[0].end_lineno or across[0].lineno
    begins = next(
        (s.index for s in recording.steps[case.kept_by + 1 :] if s.line is not None and first <= s.line <= last), 0
    )
    if not 0 < begins <= wrote.index or not _was_the_same(case, backward, begins):
        return None
    theirs = backward.lineno, backward.end_lineno or backward.lineno
    passes = next(
        s.index
        for s in recording.steps
        if s.line is not None and s.index >= begins and theirs[0] <= s.line <= theirs[1]
    )
    if depends(recording, range(begins, passes), range(passes, len(recording))):
        return None
    text = program.text(backward)
    says = Text("call `{0}` before line {1}", "把 `{0}` 移到第 {1} 行之前").format(text, first)
    whole = EditFacts(backward.lineno, 0, (backward.end_lineno or backward.lineno) + 1, 0, "")
    return FixFacts(says, (program.line_before(across[0], text), whole))


def _between(program: Program, backward: ast.stmt, line: int | None) -> list[ast.stmt] | None:
    """Returns the statements from the one that wrote, or that contains the write, up to the call of `backward`."""
    block = program.block(backward)
    end = block.index(backward)
    holds = [
        k for k, each in enumerate(block[:end]) if line is not None and each.lineno <= line <= (each.end_lineno or 0)
    ]
    if len(holds) != 1 or isinstance(block[holds[0]], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return None
    lines = [each.lineno for each in block[max(holds[0] - 1, 0) : end + 2]]
    # Several statements on one line cannot be moved apart.
    return block[holds[0] : end] if len(set(lines)) == len(lines) else None


def _needs(across: Sequence[ast.stmt], backward: ast.stmt) -> bool:
    """Whether the call of `backward` reads a name that these statements bind."""
    nodes = [node for each in across for node in ast.walk(each)]
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    bound |= {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return any(isinstance(node, ast.Name) and node.id in bound for node in ast.walk(backward))


def _was_the_same(case: _Case, backward: ast.stmt, index: int) -> bool:
    """Whether the call of `backward` would have meant the same before step `index`: all tensors that it names existed,
    with the same history and the same values.
    """
    then, now = case.recording.state(index - 1), case.recording.state(case.begun - 1)
    names = {node.id for node in ast.walk(backward) if isinstance(node, ast.Name)}
    tensors = [(then.bound(name), now.bound(name)) for name in names if now.bound(name) is not None]
    for old, new in tensors:
        if old is None or new is None or old != new:
            return False
        was, is_now = then.tensors[old], now.tensors[new]
        if was.node != is_now.node or then.version(was) != now.version(is_now):
            return False
    return bool(tensors)


# --- the value is computed again ---------------------------------------------------------------------------------------


def _computed_again(case: _Case) -> FixFacts | None:
    """Computes again, after an optimizer's step, what was computed from the old parameters."""
    program, steps = case.program, case.recording.steps
    backward = program.statement(steps[case.begun].line)
    kept = [kept_values(case.recording)[node, saved.name].step for node, saved in case.lost]
    makers = [None if step is None else program.statement(steps[step].line) for step in kept]
    if backward is None or not all(each.updates for each in case.writes):
        return None
    across = _between(program, backward, case.writes[-1].step.line)
    return computed_again(program, makers, _updated(case), across, backward) if across else None


def _updated(case: _Case) -> list[str]:
    """Returns the names of all tensors that the same lines updated, including parameters whose old values were not saved."""
    lines, recording = {each.step.line for each in case.writes}, case.recording
    writes = [(s.index, each.tensor) for s in recording.steps if s.index and s.line in lines for each in s.writes]
    tensors = (recording.state(index - 1).tensors.get(tensor) for index, tensor in writes)
    return [name for tensor in tensors if tensor for name in tensor.names]


# --- a copy is kept ----------------------------------------------------------------------------------------------------


def _kept_as_copies(case: _Case) -> FixFacts | None:
    """Has the node save a clone, which is never written."""
    whose = kept_values(case.recording)
    changes: dict[ast.stmt, dict[EditFacts, None]] = {}
    for node, saved in case.lost:
        kept = whose[node, saved.name]
        step = case.recording.steps[kept.step] if kept.step is not None else None
        statement = case.program.statement(step.line) if step is not None else None
        if step is None or statement is None or saved.copy:
            return None
        edits = _copy_of(case.program, statement, step.op, kept)
        if not edits:
            return None
        changes.setdefault(statement, {}).update(dict.fromkeys(edits))
    if len(changes) > 1:
        return None
    ((statement, edits_there),) = changes.items()
    before = [each.text.strip() for each in edits_there if each.text.endswith("\n")]
    if before:
        shown = case.program.text(statement, [each for each in edits_there if not each.text.endswith("\n")])
        says = Text(
            "let line {0} keep a copy: put `{1}` before it, and write `{2}`",
            "让第 {0} 行保存副本：在它之前加上 `{1}`，并把它改写为 `{2}`",
        )
        return FixFacts(says.format(statement.lineno, "; ".join(before), shown), tuple(edits_there))
    shown = case.program.text(statement, list(edits_there))
    says = Text("let line {0} keep a copy: `{1}`", "让第 {0} 行保存副本：`{1}`").format(statement.lineno, shown)
    return FixFacts(says, tuple(edits_there))


def _copy_of(program: Program, statement: ast.stmt, op: str | None, kept: Kept) -> Sequence[EditFacts]:
    did = program.did(statement, op)
    if kept.role == RESULT:
        in_place = op is None or op.endswith("_")
        return [] if did is None or in_place else program.cloned(did)
    reads = program.reads(did or statement, kept.name) if kept.name else _operand(did, kept.role)
    return program.copied_once(statement, reads)


def _operand(did: ast.expr | None, role: str) -> list[ast.expr]:
    """Returns an operand without a name, by its position."""
    if isinstance(did, ast.BinOp):
        return [did.left] if role == "x" else [did.right] if role == "y" else []
    if isinstance(did, ast.Call) and isinstance(did.func, ast.Attribute):
        return [did.func.value] if role == "x" else did.args[:1] if role == "y" else []
    return []


# --- no particular fix is certain to work ----------------------------------------------------------------------------


def _advice(case: _Case, has_ordinary: HasOrdinary) -> FixFacts:
    """Returns general advice, with all the lines and the names that it is about: the write that the pass failed on comes first."""
    first, earliest = case.first_found, case.writes[0]
    if all(each.updates for each in case.writes) and first.step.line is not None:
        says = _COMPUTED_AGAIN.format(first.step.line)
    else:
        by_line: dict[int | None, list[Write]] = {}
        for each in (first, *case.writes):
            by_line.setdefault(each.step.line, []).append(each)
        ways = [_another_way(case.program, writes, has_ordinary) for writes in by_line.values()]
        says = Text(", and ".join(each.en for each in ways), "，并".join(each.zh for each in ways))
    is_called_by_name = first.step.op is not None and first.tensor is not None and first.tensor.names
    if is_called_by_name and first.step.phase != "backward" and case.could_begin_before(earliest):
        says = _BEFORE.format(earliest.step.line) + says
    return FixFacts(says, ())


def _another_way(program: Program, writes: Sequence[Write], has_ordinary: HasOrdinary) -> Text:
    """What to do instead of the writes of one line."""
    write = writes[0]
    if write.step.line is None or write.step.op is None:
        return Text("write to a copy", "改为写入副本")
    if write.tensor is None or not write.tensor.names:  # inside a call, such as that of an in-place layer
        pattern = Text(
            "in the code that line {0} calls, use the ordinary form of `{1}` (without the underscore, or without `inplace=True`), or let "
            "it write to a clone",
            "在第 {0} 行所调用的代码中，使用 `{1}` 的普通形式（去掉下划线，或去掉 `inplace=True`），或让它写入副本",
        )
        return pattern.format(write.step.line, write.step.op.rstrip("_"))
    if write.step.phase == "backward":  # written by a hook, or by the `backward` of a `PyLayer`
        pattern = Text(
            "let line {0}, which runs while backward still needs `{1}`, write to a clone of it",
            "第 {0} 行运行时反向传播还需要 `{1}`，请让它写入 `{1}` 的副本",
        )
        return pattern.format(write.step.line, name_of(write.tensor))
    if rebound := rebinding(program, program.statement(write.step.line), has_ordinary):
        return _A_NEW_TENSOR.format(write.step.line, rebound)
    names = [f"`{name}`" for name in dict.fromkeys(name_of(each.tensor) for each in writes if each.tensor is not None)]
    return _TO_A_CLONE.format(write.step.line, Text(" and of ".join(names), " 和 ".join(names)))


_BEFORE = Text("call `backward()` before line {0} runs, or ", "在执行第 {0} 行之前调用 `backward()`，或")
_A_NEW_TENSOR = Text(
    "in line {0} write `{1}`: a new tensor, which the other names of the old one do not see",
    "把第 {0} 行改写为 `{1}`：它产生一个新张量，旧张量的其他名字看不到它",
)
_TO_A_CLONE = Text("let line {0} write to a clone of {1}", "让第 {0} 行写入 {1} 的副本")
_COMPUTED_AGAIN = Text(
    "compute the loss again after line {0}, from the new values", "在第 {0} 行之后用新的值重新计算损失"
)
