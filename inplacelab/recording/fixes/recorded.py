"""What a recording tells of a failure, for those who propose fixes: the trails of a failed backward pass (what it found overwritten or released, or
would have found), and fixes for operations that the engine refuses immediately, by the kind of refusal.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from inplacelab.language import Text, enumerated
from inplacelab.place import Place, same_line
from inplacelab.recording.facts import EditFacts, ErrorFacts, SavedFacts, Step, TensorFacts, WriteFacts
from inplacelab.recording.fixes.ordinary_form import ordinary
from inplacelab.recording.fixes.refused import GO_ON, STAYS, WRITE, is_read_later
from inplacelab.recording.fixes.spots import Proposal, Spot, Trail
from inplacelab.recording.naming import RESULT, kept_values
from inplacelab.recording.places import bound_at, file_of, names_at
from inplacelab.recording.queries import saved_on, stale, who_overwrote
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.relations import begun_at
from inplacelab.recording.slots import common_runs, slot_runs
from inplacelab.recording.source_tree import SourceTree, package_of, root_of, statement_at, tree_at
from inplacelab.supported import framework_of

_ON_THE_WAY = ("waiting", "arrived", "unpacking", "failed")


def trails_of(recording: Recording, filename: str = "") -> list[Trail]:
    """Returns a trail for each value that the failed pass at the end of a recording found overwritten or released, or would have found.

    Args:
        recording: the recording.
        filename: the file of the program that was started.
    """
    index = len(recording) - 1
    begun = None if index < 1 or recording.steps[index].error is None else begun_at(recording, index)
    if begun is None or tree_at(recording, recording.steps[begun].place) is None:
        return []
    # The step before: in the failing step, locals of a function may be gone.
    state = recording.state(index - 1)
    lost = [each for each in stale(state) if state.nodes[each[0]].status in _ON_THE_WAY]
    needed = _spots(recording, recording.steps[begun].place, None)
    found = [_trail(recording, node, saved, needed) for node, saved in lost]
    error = recording.steps[index].error
    first = {node for node, _ in lost if error is not None and node == error.node}
    found = [trail for _, trail in sorted(zip(lost, found, strict=True), key=lambda each: each[0][0] not in first)]
    return [each.renamed(lambda name: name or filename) for each in found or _again(recording, state, begun, needed)]


def _trail(recording: Recording, node: int, saved: SavedFacts, needed: tuple[Spot, ...]) -> Trail:
    kept = kept_values(recording)[node, saved.name]
    made = recording.steps[kept.step] if kept.step is not None else None
    place, op = (made.place, made.op) if made is not None else (_place_of(recording.state(), node), None)
    names = names_at((kept.name,), place) if kept.name else ()
    bytes_kept = size_of(saved.dtype or _dtype(recording, saved), saved.shape)
    writes: dict[tuple[Spot, ...], None] = {}
    views: dict[Spot, None] = {}
    overwrote = who_overwrote(recording, saved, len(recording) - 1)
    for step, facts in overwrote:
        before = recording.state(max(step.index - 1, 0))
        tensor = before.tensors.get(facts.tensor)
        alone = tensor is not None and stands_alone(before, tensor)
        updates = unrecorded(recording, step, facts.tensor)
        known: dict[str, Any] = {
            "names": _updated(recording, step) if updates else () if tensor is None else names_at(tensor.names, step.place)[:1],
            "bytes": _size(tensor) or bytes_kept, "alone": alone and not updates, "updates": updates and tensor is not None and tensor.leaf,
            "named": step.phase != "backward" and step.op is not None and tensor is not None and bool(tensor.names),
        }  # fmt: skip
        writes |= dict.fromkeys(
            [_known(_spots(recording, step.place, step.op), **known)] if step.place is not None else ()
        )
        if tensor is None or tensor.base is not None:
            views |= dict.fromkeys(_view(recording, step, facts, overwrote, kept.step or 0, alone=not updates))
    return Trail(
        "stale",
        kept=_known(_spots(recording, place, op), names=names, bytes=bytes_kept),
        is_result=kept.role == RESULT,
        writes=tuple(writes),
        views=tuple(views),
        needed=needed,
    )


def _view(
    recording: Recording, wrote: Step, facts: WriteFacts, others: Iterable[tuple[Step, WriteFacts]],
    kept_by: int, *, alone: bool,
) -> Iterator[Spot]:  # fmt: skip
    """Yields the spot where the view was made that was written through."""
    view = next((each for each in recording.steps if each.output == facts.tensor and each.category == "view"), None)
    if view is None or not view.index:
        return
    made, before = recording.state(view.index).tensors[facts.tensor], recording.state(view.index - 1)
    whole = None if made.base is None else before.tensors.get(made.base)
    inside = all(each.tensor in (facts.tensor, made.base) or _base(recording, each) == made.base for _, each in others)
    alone = (
        alone
        and inside
        and view.index > kept_by
        and whole is not None
        and bool(whole.names)
        and not unrecorded(recording, wrote, whole.id)  # under `no_grad`, the clone would have another history
        and stands_alone(before, whole)
    )
    now = recording.state(max(wrote.index - 1, 0)).tensors.get(facts.tensor)
    names = names_at(now.names, view.place)[:1] if now is not None else ()
    known: dict[str, Any] = {"names": names, "bytes": _size(whole), "alone": alone}
    statement = statement_at(recording, view.place)
    for each in _spots(recording, view.place, view.op)[:1]:
        reads = (
            {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)} if statement is not None else set()
        )
        yield replace(each, **{**known, "alone": alone and whole is not None and name_of(whole, view.place) in reads})


def unrecorded(recording: Recording, step: Step, tensor: int) -> bool:
    """Whether a step wrote to a tensor that needs a gradient, and its history does not have that: under `no_grad`, as optimizers do."""
    before, after = (recording.state(each).tensors.get(tensor) for each in (max(step.index - 1, 0), step.index))
    if before is None or not before.needs_gradient:
        return False
    return step.kept is None if after is None else after.node == before.node


def _base(recording: Recording, write: WriteFacts) -> int | None:
    """Returns the tensor of which the written one is a view."""
    view = next((each for each in recording.steps if each.output == write.tensor and each.category == "view"), None)
    return None if view is None else recording.state(view.index).tensors[write.tensor].base


def _updated(recording: Recording, step: Step) -> tuple[str, ...]:
    """Returns the names of all tensors that a line updated, including parameters whose old values were not saved."""
    writes = [
        (each.index, one.tensor)
        for each in recording.steps
        if each.index and same_line(each.place, step.place)
        for one in each.writes
    ]
    tensors = (recording.state(index - 1).tensors.get(tensor) for index, tensor in writes)
    return tuple(
        dict.fromkeys(name for tensor in tensors if tensor is not None for name in names_at(tensor.names, step.place))
    )


def _again(recording: Recording, state: State, begun: int, needed: tuple[Spot, ...]) -> Iterator[Trail]:
    """Yields the trail of a pass that found what an earlier one had released, if that is one pass."""
    error = recording.steps[-1].error
    missing = [
        key
        for key, node in state.nodes.items()
        if node.released and (node.status or (error is not None and key == error.node))
    ]
    released = {
        next((s.index for s in recording.steps if (now := dict(s.nodes).get(key)) is not None and now.released), 0)
        for key in missing
    }
    passes = {begun_at(recording, each) or 0 for each in released} - {begun}
    if len(passes) == 1 and missing:
        place = recording.steps[passes.pop()].place
        first = error.node if error is not None and error.node in missing else missing[0]
        kept = _spots(recording, _place_of(state, first), None)
        yield Trail("again", kept, needed=needed, released=_spots(recording, place, "backward"))


def _place_of(state: State, node: int) -> Place | None:
    """Returns where a node was made. A node with several results has no place of its own, but those of its results have."""
    of_results = (each.place for each in state.nodes.values() if any(edge.to == node for edge in each.edges))
    return next((place for place in (state.nodes[node].place, *of_results) if place is not None), None)


def _known(spots: tuple[Spot, ...], **known: Any) -> tuple[Spot, ...]:
    """Returns the frames of an operation with what is known of it in the innermost one."""
    return (replace(spots[0], **known), *spots[1:]) if spots else ()


def _spots(recording: Recording, place: Place | None, op: str | None) -> tuple[Spot, ...]:
    """Returns the expression of an operation at a place, or else the statement, or else only the line; and the statements that led there."""
    calls = () if place is None else place.calls
    return tuple(_spot(recording, each, None if number else op) for number, each in enumerate(calls))


def _spot(recording: Recording, place: Place, op: str | None) -> Spot:
    program, statement = tree_at(recording, place), statement_at(recording, place)
    file = file_of(recording, place.source)
    if program is None or statement is None:
        return Spot(file, place.line, place.line, op=op or "")
    did: ast.expr | ast.stmt = program.did(statement, op) or statement
    end = did.end_lineno or did.lineno
    return Spot(file, did.lineno, end, did.col_offset, did.end_col_offset or 0, op or "")


def _dtype(recording: Recording, saved: SavedFacts) -> str:
    found = recording.state().storages.get(saved.storage)
    return "" if found is None else found.dtype


def _size(tensor: TensorFacts | None) -> int:
    return 0 if tensor is None else size_of(tensor.dtype, tensor.shape)


def size_of(dtype: str, shape: Sequence[int]) -> int:
    """Returns the bytes of so many elements; 0 if their type is not known."""
    bits = re.search(r"\d+", dtype)
    return prod(shape) * (int(bits[0]) // 8 if bits else int(dtype == "bool"))


def stands_alone(state: State, tensor: TensorFacts) -> bool:
    """Whether a write to a tensor is visible under one name only."""
    if len(tensor.names) != 1 or tensor.storage not in state.storages:
        return False
    mine = slot_runs(tensor)
    others = (t for t in state.tensors_on(tensor.storage) if t.id != tensor.id and t.names)
    return not any(common_runs(mine, slot_runs(other)) for other in others)


def name_of(tensor: TensorFacts, place: Place | None) -> str:
    """Returns the first of a tensor's names that its program can use at a place, as it writes it; "" if there is none."""
    return next(iter(names_at(tensor.names, place)), "")


_OF_THE_LEAF = {
    "grad", "gradient", "clear_grad", "clear_gradient", "zero_grad", "stop_gradient", "is_leaf", "register_hook", "requires_grad"
}  # fmt: skip
"""Attributes that only a leaf has, and not a result computed from it."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    """A statement that was refused."""

    recording: Recording
    program: SourceTree
    statement: ast.stmt
    place: Place
    before: State
    error: ErrorFacts

    @property
    def tensor(self) -> TensorFacts | None:
        """The tensor that the refusal is about."""
        return None if self.error.tensor is None else self.before.tensors.get(self.error.tensor)

    def name(self, tensor: TensorFacts) -> str:
        """Returns what the statement calls a tensor."""
        return name_of(tensor, self.place)

    def called(self, name: str | None) -> TensorFacts | None:
        """Returns the tensor that the statement calls by a name."""
        return bound_at(self.before, name, self.place) if name else None


def refusal_fixes(recording: Recording) -> list[Proposal]:
    """Returns what may fix a program that was refused at the end of its recording."""
    index = len(recording) - 1
    step = recording.steps[index] if index > 0 else None
    place = None if step is None else step.place
    program, statement = tree_at(recording, place), statement_at(recording, place)
    if step is None or step.error is None or place is None or program is None or statement is None:
        return []
    case = _Refusal(recording, program, statement, place, recording.state(index - 1), step.error)
    found = next((fix for words, fix in _BY_WORDS.items() if words in step.error.message), None)
    file = file_of(recording, place.source)
    return [
        replace(each, edits=tuple(replace(edit, file=file) for edit in each.edits), way="refused", sure=True)
        for each in (found(case) if found is not None else ())
    ]


# --- leaves ------------------------------------------------------------------------------------------------------------


def _leaf(case: _Refusal) -> list[Proposal]:
    """Offers both readings: a changed copy under a new name, or a change of the leaf itself."""
    leaf, _ = _leaf_and_first(case)
    otherwise = _under_another_name(case) or _bound_again(case)
    if otherwise is None and leaf is not None and leaf.names:
        pattern = Text(
            "to compute with the changed values, write to `{0}.clone()` and go on with that",
            "若要用改变后的值继续计算，改为写入 `{0}.clone()`，之后使用这个副本",
        )
        otherwise = Proposal(pattern.format(case.name(leaf)), ())
    return [each for each in (otherwise, _without_gradient(case)) if each is not None]


def _under_another_name(case: _Refusal) -> Proposal | None:
    leaf, first = _leaf_and_first(case)
    if leaf is None or first is None or len(leaf.names) != 1 or not case.name(leaf).isidentifier():
        return None
    program, name = case.program, case.name(leaf)
    if program.function(first) is not None or program.repeats(first) or first not in program.tree.body:
        return None
    taken = {node.id for node in ast.walk(program.tree) if isinstance(node, ast.Name)}
    new = next(each for k in range(1, 100) if (each := f"{name}_new{'' if k == 1 else k}") not in taken)
    later = _reads_after(program, first, name)
    if later is None:
        return None
    edits = ordinary(program, first, name, new) if first is case.statement else []
    rewritten = bool(edits)
    shown = program.text(first, edits) if rewritten else f"{new} = {name}.clone()"
    if not rewritten:
        edits = [program.line_before(first, shown)]
        later = [*_reads_of(program, first, name), *later]
    edits += [EditFacts(*program.start(each), *program.end(each), new) for each in later]
    pattern = Text(
        "to compute with the changed values, give them a name of their own: `{0}` {1}",
        "若要用改变后的值继续计算，给它另起一个名字：{1}写 `{0}`",
    )
    where = Text("in line {0}", "第 {0} 行") if rewritten else Text("before line {0}", "在第 {0} 行之前")
    says = pattern.format(shown, where.format(first.lineno))
    lines = sorted({each.lineno for each in later})
    if lines:
        says += Text(", and `{0}` in place of `{1}` in {2}", "，并在{2}用 `{0}` 代替 `{1}`").format(
            new, name, _lines(lines)
        )
    return Proposal(says, tuple(edits))


def _bound_again(case: _Refusal) -> Proposal | None:
    """`t.relu_()` as `t = t.relu()`, where `t` is read later: in a function, the leaf has another name outside."""
    program, statement, name = case.program, case.statement, _written_root(case.statement)
    if name is None or case.tensor is None or case.tensor.base is not None:
        return None
    edits = ordinary(program, statement, name) if is_read_later(program, statement, name) else []
    says = GO_ON.format(WRITE.format(_lines([statement.lineno]), program.text(statement, edits)))
    return Proposal(says, tuple(edits)) if edits else None


def _leaf_and_first(case: _Refusal) -> tuple[TensorFacts | None, ast.stmt | None]:
    """Returns the leaf and the first statement that must not read it: the refused one, or the one that made the view."""
    tensor = case.tensor
    if tensor is None:  # a view that was made in the same statement
        return case.called(_written_root(case.statement)), case.statement
    if tensor.base is None:
        return tensor, case.statement
    made = next((s for s in case.recording.steps if s.output == tensor.id and s.category == "view"), None)
    here = made is not None and made.place is not None and made.place.source == case.place.source
    return case.before.tensors.get(tensor.base), case.program.statement(made.line) if made and here else None


def _written_root(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        return root_of(statement.targets[0])
    if isinstance(statement, ast.Expr | ast.Assign):
        return root_of(statement.value)
    return None


def _reads_of(program: SourceTree, where: ast.AST, name: str) -> list[ast.expr]:
    """Returns the expressions that read a tensor or write a part of it."""
    return [
        node
        for node in program.reads(where, name)
        if not any(
            isinstance(each, ast.Attribute) and each.attr in _OF_THE_LEAF for each in list(program.around(node))[:1]
        )
    ]


def _reads_after(program: SourceTree, first: ast.stmt, name: str) -> list[ast.expr] | None:
    """Returns such expressions in later statements; None if the name may be read elsewhere or bound again."""
    block = program.tree.body
    after = block[block.index(first) + 1 :]
    functions = [n for n in ast.walk(program.tree) if isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef)]
    inside = any(isinstance(n, ast.Name) and n.id == name for each in functions for n in ast.walk(each))
    bound = any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for each in after
        for n in ast.walk(each)
    )
    return None if inside or bound else [node for each in after for node in _reads_of(program, each, name)]


def _without_gradient(case: _Refusal) -> Proposal | None:
    program, statement = case.program, case.statement
    leaf, _ = _leaf_and_first(case)
    module = package_of(program, framework_of(case.recording).alias)
    one_line = statement.lineno == statement.end_lineno
    if module is None or leaf is None or not one_line or saved_on(case.before, leaf.storage):
        return None
    _, column = program.start(statement)
    inside = program.insert(statement, f"with {module}.no_grad():\n{' ' * (column + 4)}")
    says = Text(
        "to change `{0}` itself, put line {1} inside `with {2}.no_grad()`",
        "若要改变 `{0}` 本身，把第 {1} 行放进 `with {2}.no_grad()`",
    ).format(case.name(leaf), statement.lineno, module)
    return Proposal(says, (inside,), reason=STAYS.format(f"`{case.name(leaf)}`"))


def _lines(numbers: list[int]) -> Text:
    said = [str(number) for number in numbers]
    if len(said) == 1:
        return Text("line {0}", "第 {0} 行").format(said[0])
    return Text("lines {0} and {1}", "第 {0} 和 {1} 行").format(enumerated(said[:-1]), said[-1])


# --- writes ------------------------------------------------------------------------------------------------------------


def _read_while_written(case: _Refusal) -> list[Proposal]:
    """Reads the operand from a clone."""
    statement, operand = case.statement, None
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        operand = statement.value
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and statement.value.args:
        operand = statement.value.args[0]
    if operand is None or not isinstance(operand, ast.Name | ast.Subscript | ast.Attribute | ast.Call):
        return []
    edits = case.program.cloned(operand)
    says = Text("in line {0} read from a copy: `{1}`", "让第 {0} 行从副本读取：`{1}`")
    return [Proposal(says.format(statement.lineno, case.program.text(statement, edits)), tuple(edits))]


def _not_in_place(case: _Refusal) -> list[Proposal]:
    """Uses the ordinary operation, which allocates its result."""
    root = _written_root(case.statement)
    tensor = case.called(root)
    if root is None or tensor is None or not stands_alone(case.before, tensor):
        return []
    edits = ordinary(case.program, case.statement, root)
    if not edits:
        return []
    says = WRITE.format(_lines([case.statement.lineno]), case.program.text(case.statement, edits))
    return [Proposal(says, tuple(edits))]


# --- numbers where a named function takes tensors ------------------------------------------------------------------------

_WORDS = re.compile(
    r"(?P<op>\w+)\(\): argument '(?P<name>\w+)' \(position (?P<place>\d)\) must be Tensor, but got (?P<kind>int|float|list)\b"
)
_SAYS = Text("in line {0} make it a tensor: `{1}`", "让第 {0} 行把它做成张量：`{1}`")


def _not_a_tensor(case: _Refusal) -> list[Proposal]:
    """Makes a tensor of the number; no fix if it would be refused again, or if the right dtype is unknown."""
    program, statement, words = case.program, case.statement, _WORDS.search(case.error.message)
    call = program.did(statement, words["op"]) if words else None
    package = _package(program, framework_of(case.recording).alias)
    if words is None or package is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return []
    is_function = ast.unparse(call.func.value).partition(".")[0] == package
    operands = call.args if is_function else [call.func.value, *call.args]
    place = int(words["place"])
    named = [each.value for each in call.keywords if each.arg == words["name"]]
    given = named or operands[place : place + 1]
    other = [case.called(ast.unparse(each)) for each in operands if each not in given]
    if len(given) != 1 or not other or other[0] is None:
        return []
    dtype = _dtype_argument(words["kind"], other[0])
    if dtype is None or (words["op"].endswith("_") and other[0].leaf and other[0].needs_gradient):
        return []
    edits = [program.insert(given[0], f"{package}.to_tensor("), program.append(given[0], f"{dtype})")]
    return [Proposal(_SAYS.format(statement.lineno, program.text(statement, edits)), tuple(edits))]


def _dtype_argument(kind: str, other: TensorFacts) -> str | None:
    """Returns the `dtype=` argument that matches the other operand, if needed; None if the number does not fit its dtype."""
    if kind == "float" and other.dtype == "float32":
        return ""
    suits = other.dtype.startswith(("float", "bfloat")) or (kind == "int" and other.dtype.startswith("int"))
    return f', dtype="{other.dtype}"' if suits else None


def _package(program: SourceTree, alias: str) -> str | None:
    """Returns the name of the tensors' package in the program: from its import, or, in a later cell, from calls that make tensors."""
    if (found := package_of(program, alias)) is not None:
        return found
    made = (each.func for each in ast.walk(program.tree) if isinstance(each, ast.Call))
    makers = (each for each in made if isinstance(each, ast.Attribute) and each.attr == "to_tensor")
    return next((each.value.id for each in makers if isinstance(each.value, ast.Name)), None)


_BY_WORDS: Mapping[str, Callable[[_Refusal], list[Proposal]]] = {
    "that doesn't stop gradient can't use inplace strategy": _leaf,
    "share slots, but at different indices": _read_while_written,
    "more than one element of the written tensor": _not_in_place,
    "is different from that of inplace tensor": _not_in_place,
    "must be Tensor, but got": _not_a_tensor,
}
"""Recognizes each refusal that can be fixed, by PaddlePaddle's headline, which a recording keeps."""
