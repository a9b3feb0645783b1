"""Finds fixes that write elsewhere to spare a value: the ordinary operation, or a clone made before the write.

Both bind the name to another tensor, so other aliases of the old storage no longer see the write. They are offered only if there are
none: the written tensor has one name, and no other named tensor reaches any of its slots.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts, FixFacts, Step, TensorFacts, WriteFacts
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.slots import common_runs, slot_runs
from inplacelab.recording.source_tree import Program, in_place_calls, root_of

__all__ = [
    "HasOrdinary",
    "Write",
    "cloned_before",
    "name_of",
    "ordinary",
    "rebinding",
    "stands_alone",
    "written_ordinarily",
]

HasOrdinary = Callable[[str], bool]
"""Whether there is an ordinary operation of this name."""


@dataclass(frozen=True, slots=True)
class Write:
    """A write, with the state before it."""

    step: Step
    facts: WriteFacts
    before: State

    @property
    def tensor(self) -> TensorFacts | None:
        """The tensor written through, with its facts before the write; None if it was made in the same statement and not recorded."""
        return self.before.tensors.get(self.facts.tensor)

    @property
    def updates(self) -> bool:
        """Whether it updated a parameter."""
        return self.unrecorded and self.tensor is not None and self.tensor.leaf

    @property
    def unrecorded(self) -> bool:
        """Whether it was done under `no_grad` to a tensor that needs a gradient: an ordinary operation would make another tensor."""
        return self.step.kept is None and self.tensor is not None and self.tensor.needs_gradient


def written_ordinarily(program: Program, writes: Sequence[Write], has_ordinary: HasOrdinary) -> FixFacts | None:
    """Replaces every write by the ordinary operation, under the same name."""
    said, edits = [], []
    for statement, of_statement in _by_statement(program, writes).items():
        write = of_statement[0]
        tensor = write.tensor
        if tensor is None or write.unrecorded or not stands_alone(write.before, tensor):
            return None
        changes = ordinary(program, statement, name_of(tensor), has_ordinary)
        if not changes:
            return None
        edits += changes
        pattern = Text("in line {0} write `{1}`", "把第 {0} 行改写为 `{1}`")
        said.append(pattern.format(statement.lineno, program.text(statement, changes)))
    if not said or len(said) > _FEW:
        return None
    what = Text(", which makes a new tensor", "，它产生一个新张量")
    if len(said) > 1:
        what = Text(", which make new tensors", "，它们产生新张量")
    return FixFacts(_all_of(said) + what, tuple(edits))


_FEW = 2
"""A longer fix than this, in lines, is not good advice."""


def ordinary(
    program: Program, statement: ast.stmt, name: str, has_ordinary: HasOrdinary, target: str = ""
) -> list[EditFacts]:
    """Rewrites `a.relu_()` as `a = a.relu()`, or with another target; None if the statement is not a chain of such calls."""
    target = target or name
    if not isinstance(statement, ast.Expr | ast.Assign) or not program.may_bind(statement, name):
        return []
    targets = (
        [] if isinstance(statement, ast.Expr) else [each.id for each in statement.targets if isinstance(each, ast.Name)]
    )
    value = statement.value
    calls = in_place_calls(value)
    if calls and root_of(calls[-1]) == name:
        attributes = [call.func for call in calls if isinstance(call.func, ast.Attribute)]
    elif _is_function_on(value, name):
        assert isinstance(value, ast.Call)
        attributes = [value.func] if isinstance(value.func, ast.Attribute) else []
    else:
        return []
    if not attributes or not all(has_ordinary(each.attr[:-1]) for each in attributes):
        return []
    if isinstance(statement, ast.Assign) and len(targets) != len(statement.targets):
        return []
    edits = _without_underscores(program, attributes)
    return edits if target in targets else [program.insert(value, f"{target} = "), *edits]


def rebinding(program: Program, statement: ast.stmt | None, has_ordinary: HasOrdinary) -> str | None:
    """Rewrites `self.state.scale_(0.5)` as `self.state = self.state.scale(0.5)`; None if the statement is not a chain of such calls.

    Other references to the old tensor do not see the new one. A recording does not show whether that is wanted.
    """
    calls = in_place_calls(statement.value) if isinstance(statement, ast.Expr) else []
    attributes = [call.func for call in calls if isinstance(call.func, ast.Attribute)]
    if statement is None or not attributes or not all(has_ordinary(each.attr[:-1]) for each in attributes):
        return None
    target = program.insert(statement, f"{ast.unparse(attributes[-1].value)} = ")
    return program.text(statement, [target, *_without_underscores(program, attributes)])


def _without_underscores(program: Program, names: Sequence[ast.Attribute]) -> list[EditFacts]:
    ends = map(program.end, names)
    return [EditFacts(line, column - 1, line, column, "") for line, column in ends]


def _is_function_on(value: ast.expr, name: str) -> bool:
    """Whether an expression is a call such as `F.relu_(a)`."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute) or not value.args:
        return False
    first = value.args[0]
    return value.func.attr.endswith("_") and isinstance(first, ast.Name) and first.id == name


def cloned_before(recording: Recording, program: Program, writes: Sequence[Write], kept_by: int) -> FixFacts | None:
    """Inserts a clone before the first write, or before the view that it went through.

    Args:
        recording: the recording.
        program: the program.
        writes: the writes, in order.
        kept_by: the last step that saved what they overwrite; the clone must come after it.
    """
    first = writes[0]
    place = _place(recording, program, first, kept_by)
    if place is None or first.unrecorded:
        return None
    statement, whole, since, before = place
    name = name_of(whole)
    if not stands_alone(before, whole) or not program.may_bind(statement, name):
        return None
    for write in writes[1:]:
        tensor = write.tensor
        views_of_it = tensor is not None and tensor.base == whole.id and tensor.id not in before.tensors
        if write.facts.tensor != whole.id and not views_of_it:
            return None
    pattern = Text(
        "put `{0} = {0}.clone()` before line {1}, so that {2}",
        "在第 {1} 行之前加上 `{0} = {0}.clone()`，{2}",
    )
    what = Text("the clone is written", "让写入落在副本上")
    if since != first.step.index and first.tensor is not None:
        what = Text("`{0}` is a view of the clone", "让 `{0}` 成为副本的视图").format(name_of(first.tensor))
    says = pattern.format(name, statement.lineno, what)
    return FixFacts(says, (program.line_before(statement, f"{name} = {name}.clone()"),))


_Place = tuple[ast.stmt, TensorFacts, int, State]
"""Before which statement the clone is made, of which tensor, at which step, and what was there before."""


def _place(recording: Recording, program: Program, write: Write, kept_by: int) -> _Place | None:
    statement, tensor = program.statement(write.step.line), write.tensor
    if statement is None:
        return None
    if tensor is not None and tensor.names and tensor.base is None:
        return statement, tensor, write.step.index, write.before
    view = _begun(recording, write, tensor)
    whole_id = recording.state(view).tensors[write.facts.tensor].base if view is not None else None
    if view is None or view <= kept_by or whole_id is None:
        return None
    before = recording.state(view - 1) if view else None
    made = program.statement(recording.steps[view].line)
    whole = before.tensors.get(whole_id) if before else None
    if before is None or made is None or whole is None or not whole.names or name_of(whole) not in _read(made):
        return None
    return made, whole, view if made is not statement else write.step.index, before


def _begun(recording: Recording, write: Write, tensor: TensorFacts | None) -> int | None:
    """Returns the step that made the view that was written through."""
    number = write.facts.tensor
    made = (step.index for step in recording.steps if step.output == number and step.category == "view")
    return next(made, None) if tensor is None or tensor.base is not None else None


def _read(statement: ast.stmt) -> set[str]:
    return {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def stands_alone(state: State, tensor: TensorFacts) -> bool:
    """Whether a write to a tensor is visible under one name only."""
    if len(tensor.names) != 1 or tensor.storage not in state.storages:
        return False
    mine = slot_runs(tensor)
    others = (t for t in state.tensors_on(tensor.storage) if t.id != tensor.id and t.names)
    return not any(common_runs(mine, slot_runs(other)) for other in others)


def name_of(tensor: TensorFacts) -> str:
    """Returns a tensor's first name as written in the source: a shadowing local is recorded with its function as a prefix."""
    return tensor.names[0].rpartition(".")[2] if tensor.names else ""


def _by_statement(program: Program, writes: Sequence[Write]) -> dict[ast.stmt, list[Write]]:
    found: dict[ast.stmt, list[Write]] = {}
    for write in writes:
        statement = program.statement(write.step.line)
        if statement is None:
            return {}
        found.setdefault(statement, []).append(write)
    return found


def _all_of(said: Sequence[Text]) -> Text:
    return Text(", and ".join(each.en for each in said), "，并".join(each.zh for each in said))
