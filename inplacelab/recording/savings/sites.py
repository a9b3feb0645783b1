"""Collects the runs of each operation in the text of a program: where it is, and what was seen in all its runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from inplacelab.place import Place
from inplacelab.recording.code_of_steps import expression_of
from inplacelab.recording.facts import EditFacts, ModuleFacts, Step
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.in_place_form import PLAIN, Form, Rewriting, has_form
from inplacelab.recording.savings.live_bytes import most_saved
from inplacelab.recording.savings.overwriting import REFLECTED, Call, Obstacle, calls
from inplacelab.recording.source_tree import line_text, source_tree_of, tree_at
from inplacelab.supported import framework_of


@dataclass(frozen=True, slots=True)
class Site:
    """An operation in the text of a program, with its runs: one edit changes all of them.

    Attributes:
        source: the number of its source.
        line: its line, from 1.
        column: its column, from 0.
        op: the operation: "relu".
        code: its text: "F.relu(h)"; of the operation of a module, the call that constructs it: "nn.ReLU()". "" if it is not known.
        calls: its runs.
        node: its expression; None if the text does not show how to write it in place.
        form: its in-place form.
    """

    source: int
    line: int
    column: int
    op: str
    code: str
    calls: tuple[Call, ...]
    node: ast.expr | None = field(default=None, compare=False)
    form: Form = PLAIN

    @property
    def obstacle(self) -> Obstacle | None:
        """Why it may not be written in place; None if nothing forbids it in any run."""
        return next((each.obstacle for each in self.calls if each.obstacle is not None), None)

    @property
    def may(self) -> bool:
        """Whether it may be written in place, and the text shows how."""
        return self.obstacle is None and self.node is not None

    @property
    def bytes(self) -> int:
        """The most bytes that it would save at one time."""
        return most_saved(self.calls) if self.may else 0


def together(found: Iterable[Site]) -> list[Site]:
    """Returns those of some sites that may be written in place at once and save memory, those that save most first.

    One may forbid another, and a loop itself: of two slices of one tensor, neither may be written while a node keeps what was written to the other. A
    leaky ReLU in place saves its result, which nothing may overwrite then.
    """
    chosen: list[Site] = []
    for site in sorted(found, key=lambda each: -each.bytes):
        if site.bytes and not any(_forbids(each, site) or _forbids(site, each) for each in [*chosen, site]):
            chosen.append(site)
    return chosen


def _forbids(one: Site, other: Site) -> bool:
    """Whether another operation would overwrite what a grad node keeps of the results of one, were both in place: then they are on one storage."""
    kept: dict[int, list[Call]] = {}
    for each in one.calls:
        if each.kept_until >= 0:
            kept.setdefault(each.storage, []).append(each)
            # What else keeps its result forbids to overwrite that anyway.
            if each.keeps_result or each.part is not None:
                kept.setdefault(each.made, []).append(each)
    return any(
        before.step < each.step <= before.kept_until for each in other.calls for before in kept.get(each.storage, ())
    )


@dataclass(frozen=True, slots=True)
class _Written:
    """An operation as the text has it. Of the call that constructs modules of several classes, `op` is ""."""

    source: int
    line: int
    column: int
    op: str
    code: str = ""
    node: ast.expr | None = field(default=None, compare=False)
    flag: int | None = field(default=None, compare=False)


def sites(recording: Recording, *, ends: bool) -> tuple[Site, ...]:
    """Returns the operations of a program that have an in-place form, in the order of the text.

    Args:
        recording: the recording.
        ends: whether the program ends where the recording does. If not, it may use later what is alive at the end.
    """
    found: dict[_Written, list[Call]] = {}
    for call in calls(recording, ends=ends):
        found.setdefault(_written(recording, recording.steps[call.step]), []).append(call)
    unplaced = {(each.source, each.line, each.op) for each in found if not each.code}
    made = [
        _site(
            recording,
            # Some of its runs may be among those of which the text does not tell the expression.
            replace(where, node=None) if (where.source, where.line, where.op) in unplaced else where,
            _known(of_it) if recording.truncated else of_it,
        )
        for where, of_it in found.items()
        if _is_of_program(recording, where, of_it)
    ]
    return tuple(sorted(made, key=lambda each: (each.source, each.line, each.column)))


def _is_of_program(recording: Recording, where: _Written, runs: Iterable[Call]) -> bool:
    """Whether an operation is one that the text has, and not one of a library that the line calls: an optimizer's, or a division inside `x.std()`
    in `x / x.std()`, which cannot be told from the line's own. Runs of one turn are taken for such a mixture if only some of them may be in place.
    """
    if not where.code:
        text = line_text(recording, Place(where.line, where.source))
        return where.op in framework_of(recording).in_place.casts and any(f"{each}(" in text for each in _CASTS)
    turns: dict[int, set[bool]] = {}
    for each in runs if where.node is not None and where.flag is None else ():
        turns.setdefault(recording.steps[each.step].turn, set()).add(each.obstacle is None)
    return all(len(each) == 1 for each in turns.values())


_CASTS = ("cast", "astype", ".to")


def _alike(runs: list[Call]) -> list[Call]:
    """Returns the runs with the same operand overwritten in each, that which is free in most: in training it may be another one than without gradients."""
    of_each = [
        [each if each.position == position or each.other is None else each.other for each in runs]
        for position in (0, 1)
    ]
    return min(
        of_each,
        key=lambda found: (sum(each.obstacle is not None for each in found), sum(each.copies for each in found)),
    )


def _known(runs: list[Call]) -> list[Call]:
    """Returns those runs that were seen to their end, if any were: the recording was cut off while others had it before them."""
    return [each for each in runs if each.obstacle is None or each.obstacle.why != "lives"] or runs


def _site(recording: Recording, where: _Written, runs: list[Call]) -> Site:
    runs = _alike(runs)
    operands = {_operands(recording, where.node, each) for each in runs}
    second, number, part = max(operands)
    form = Form(second, number, None if part < 0 else part, where.flag)
    program, node = source_tree_of(recording, where.source), where.node
    # Of a sum, it is not always the same operand that may be overwritten.
    if (
        len(operands) != 1
        or program is None
        or node is None
        or not has_form(program, node, framework_of(recording).in_place, form)
    ):
        node = None
    op = where.op or recording.steps[runs[0].step].op or ""
    return Site(where.source, where.line, where.column, op, where.code, tuple(runs), node, form)


def _operands(recording: Recording, node: ast.expr | None, call: Call) -> tuple[bool, bool, int]:
    """Returns whether a run would overwrite its second operand, whether the other one is a number, and the part that it would write, or -1."""
    step = recording.steps[call.step]
    if call.part is not None:
        return False, False, call.part
    second, number = call.position == 1 or step.op in REFLECTED, False
    if isinstance(node, ast.BinOp):
        before = recording.before(step.index).tensors
        seen = {**{key: each for key, each in step.tensors if each is not None}, **before}
        # A number has become a tensor without axes. A new one with axes is older than the recording.
        number = sum(each in before or (each in seen and seen[each].shape != ()) for each in step.inputs) == 1
        if number and not second:
            second = isinstance(node.left, ast.Constant) or ast.unparse(node.right) in seen[call.operand].names
    return second, number, -1


def _written(recording: Recording, step: Step) -> _Written:
    place, op = step.place, step.op or ""
    if place is None:
        return _Written(0, 0, 0, op)
    if step.ran_in is not None and step.ran_in.line:
        return _constructed(recording, step.ran_in, op)
    program, expression = tree_at(recording, place), expression_of(recording, step)
    if step.ran_in is not None or program is None or not isinstance(expression, ast.expr):
        return _Written(place.source, place.line, 0, op, "" if step.ran_in is None else step.ran_in.kind)
    return _Written(place.source, *program.start(expression), op, program.code(expression), expression)


def _constructed(recording: Recording, ran_in: ModuleFacts, op: str) -> _Written:
    """Returns the call that constructs a module."""
    program = source_tree_of(recording, ran_in.source)
    wanted = ran_in.line, ran_in.column, ran_in.end_line, ran_in.end_column
    inside = () if program is None else (each for each in ast.walk(program.tree) if isinstance(each, ast.Call))
    for each in inside:
        if program and (each.lineno, each.col_offset, each.end_lineno, each.end_col_offset) == wanted:
            flag = framework_of(recording).in_place.modules[ran_in.kind]
            return _Written(ran_in.source, *program.start(each), "", program.code(each), each, flag)
    return _Written(ran_in.source, ran_in.line, 0, op, ran_in.kind)


def edits(recording: Recording, chosen: Iterable[Site]) -> tuple[EditFacts, ...]:
    """Returns what writes some operations of a program in place."""
    of_source: dict[int, dict[ast.AST, Form]] = {}
    for each in chosen:
        if each.node is not None:
            of_source.setdefault(each.source, {})[each.node] = each.form
    return tuple(edit for source, nodes in of_source.items() for edit in _edits(recording, source, nodes))


def _edits(recording: Recording, source: int, nodes: Mapping[ast.AST, Form]) -> list[EditFacts]:
    program, file = source_tree_of(recording, source), recording.sources[source].name if source else ""
    assert program is not None
    changed = Rewriting(program, framework_of(recording).in_place, nodes).edits()
    return [replace(each, file=file) for each in changed]


def by_operation(recording: Recording, steps: Iterable[Step]) -> Iterator[tuple[Site, tuple[Step, ...]]]:
    """Yields the operations in the text that ran as some steps, each with these steps, in the order of the text."""
    found: dict[_Written, list[Step]] = {}
    for step in steps:
        found.setdefault(_written(recording, step), []).append(step)
    for each in sorted(found, key=lambda one: (one.source, one.line, one.column)):
        yield Site(each.source, each.line, each.column, each.op, each.code, ()), tuple(found[each])
