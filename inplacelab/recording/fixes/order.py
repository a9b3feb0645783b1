"""Decides whether an edit may move a statement: only if neither it nor what it moves across depends on the other.

Gradients that agree do not show that: with some data a loop adds only zeros to the loss, and the first step of an optimizer may hide that a
gradient was added twice. So it is decided from what was recorded: which storages, gradients and grad nodes the two parts read and
wrote. What backward keeps is no dependence: it needs the value as it was when it was kept, and that is what such an edit restores.
"""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from inplacelab.recording.facts import EditFacts, NodeFacts, Step, TensorFacts
from inplacelab.recording.places import bare_name, source_of
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import SourceTree, root_of, source_lines

Began = tuple[int, int, int]
"""A statement that began: the number of its source, its line, and how many frames of the program ran it."""


def moves(source: str, edits: Sequence[EditFacts]) -> bool:
    """Whether edits of a program move a statement."""
    return any(True for _ in _swaps(source, edits))


def may_move(recording: Recording, edits: Sequence[EditFacts]) -> bool:
    """Whether the recording of a run that ended in a failed pass shows, too, that edits may move a statement: one that ran once, across none that
    looks at gradients.
    """
    files = {each.file for each in edits}
    source = source_of(recording, files.pop()) if len(files) == 1 else None
    if source is None or recording.truncated:
        return False
    text = recording.text_of(source)
    program, swaps = SourceTree(text), list(_swaps(text, edits))
    return bool(swaps) and all(_may_swap(recording, source, program, each) for each in swaps)


def _may_swap(recording: Recording, source: int, program: SourceTree, swap: _Swap) -> bool:
    parts = _within(program, swap.first), _within(program, swap.then)
    attributes = [
        node.attr for part in parts for each in part for node in ast.walk(each) if isinstance(node, ast.Attribute)
    ]
    if attributes.count("backward") != 1 or _TOUCHES_GRADIENTS & {*attributes} or any(map(program.repeats, parts[1])):
        return False
    of_first = [each.index for each in recording.steps if _runs_in(each, source, swap.first)]
    of_then = [each.index for each in recording.steps if _runs_in(each, source, swap.then)]
    if not of_first or not of_then or of_then[0] < of_first[0] or _names_depend(*parts, _tensors(recording)):
        return False
    return not depends(recording, range(of_first[0], of_then[0]), range(of_then[0], len(recording)))


def _runs_in(step: Step, source: int, lines: range) -> bool:
    """Whether a step belongs to lines of a source: it stands there, or in a function that was called from there."""
    calls = () if step.place is None else step.place.calls
    return any(each.source == source and each.line in lines for each in calls)


_TOUCHES_GRADIENTS = {
    "grad", "gradient", "clear_grad", "clear_gradient", "clear_gradients", "zero_grad", "step", "minimize", "set_state_dict"
}  # fmt: skip


def keeps_order(recording: Recording, began: Sequence[Began], edits: Sequence[EditFacts]) -> bool:
    """Whether edits move no statement across one that depends on it, or on which it depends.

    Args:
        recording: a whole run of the program before the edits.
        began: the statements of the run, in order: those of the turns 1, 2, ...
        edits: the edits of the program that was started.
    """
    swaps = list(_swaps(recording.source, edits))
    if not swaps:
        return True
    if recording.truncated:
        return False
    program = SourceTree(recording.source)
    return all(_independent(recording, began, program, each) for each in swaps)


@dataclass(frozen=True)
class _Swap:
    """Lines that change places: those of `then` directly follow those of `first`, and come before them after the edit."""

    first: range
    then: range


def _swaps(source: str, edits: Sequence[EditFacts]) -> Iterator[_Swap]:
    """Yields the moves among edits: whole lines are left out, and put in elsewhere."""
    lines = source_lines(source)
    for out in edits:
        gone = _code("".join(lines[out.line - 1 : out.end_line - 1]))
        if out.text or out.column or out.end_column or gone is None:
            continue
        for put in edits:
            if (put.line, put.column) != (put.end_line, put.end_column) or put.column or _code(put.text) != gone:
                continue
            if put.line >= out.end_line:
                yield _Swap(range(out.line, out.end_line), range(out.end_line, put.line))
            elif put.line <= out.line:
                yield _Swap(range(put.line, out.line), range(out.line, out.end_line))


def _code(text: str) -> str | None:
    """Returns what tells whether two texts are the same statements; None if there are none."""
    try:
        tree = ast.parse(textwrap.dedent(text))
    except SyntaxError:
        return None
    return ast.dump(tree) if tree.body else None


def _independent(recording: Recording, began: Sequence[Began], program: SourceTree, swap: _Swap) -> bool:
    runs = list(_runs(began, swap))
    if not runs or None in runs:
        return False
    if _names_depend(_within(program, swap.first), _within(program, swap.then), _tensors(recording)):
        return False
    by_turn: dict[int, list[int]] = {}
    for step in recording.steps:
        by_turn.setdefault(step.turn, []).append(step.index)
    for each in runs:
        assert each is not None
        first, then = ([index for turn in turns for index in by_turn.get(turn, ())] for turns in each)
        if depends(recording, first, then):
            return False
    return True


def _tensors(recording: Recording) -> set[str]:
    """Returns the names of all tensors."""
    return {
        name
        for step in recording.steps
        for _, facts in step.tensors
        if facts is not None
        for name in map(bare_name, facts.names)
        if name.isidentifier()
    }


def _runs(began: Sequence[Began], swap: _Swap) -> Iterator[tuple[range, range] | None]:
    """Yields the turns of each time that the two parts ran; None if the second did not follow the first."""
    position = 0
    while position < len(began):
        if not _begins_in(began, position, swap.first):
            position += 1
            continue
        middle = _end(began, position, swap.first)
        end = _end(began, middle, swap.then)
        if end == middle or began[middle][2] != began[position][2]:
            yield None
            return
        yield range(position + 1, middle + 1), range(middle + 1, end + 1)
        position = end


def _end(began: Sequence[Began], position: int, lines: range) -> int:
    """Returns where a part has ended that runs from a position on, with the functions that it calls."""
    if not _begins_in(began, position, lines):
        return position
    depth = began[position][2]
    while position < len(began) and (
        began[position][2] > depth or (began[position][2] == depth and _begins_in(began, position, lines))
    ):
        position += 1
    return position


def _begins_in(began: Sequence[Began], position: int, lines: range) -> bool:
    """Whether a statement began in lines of the program that was started."""
    return position < len(began) and began[position][0] == 0 and began[position][1] in lines


# --- names -------------------------------------------------------------------------------------------------------------


def _within(program: SourceTree, lines: range) -> list[ast.stmt]:
    return [
        each
        for each in ast.walk(program.tree)
        if isinstance(each, ast.stmt) and each.lineno in lines and (each.end_lineno or 0) in lines
    ]


def _names_depend(first: Iterable[ast.stmt], then: Iterable[ast.stmt], tensors: Collection[str]) -> bool:
    """Whether one part binds a name that the other uses, or may change an object other than a tensor behind it."""
    one, other = list(first), list(then)
    return bool(_changed(one, tensors) & _used(other) or _changed(other, tensors) & _used(one))


def _used(statements: Iterable[ast.stmt]) -> set[str]:
    return {node.id for each in statements for node in ast.walk(each) if isinstance(node, ast.Name)}


def _changed(statements: Iterable[ast.stmt], tensors: Collection[str]) -> set[str]:
    bound: set[str | None] = set()
    changed: set[str | None] = set()
    for node in (node for each in statements for node in ast.walk(each)):
        match node:
            case ast.Name(id=name) if not isinstance(node.ctx, ast.Load):
                bound.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                bound.add(name)
            case ast.alias():
                bound.add((node.asname or node.name).partition(".")[0])
            case ast.Attribute() | ast.Subscript() if not isinstance(node.ctx, ast.Load):
                changed.add(root_of(node))
            case ast.Call(func=ast.Attribute(value=receiver)):
                changed |= {root_of(receiver), *map(root_of, _given(node))}
            case ast.Call():
                changed |= {*map(root_of, _given(node))}
    return {name for name in (*bound, *(changed - set(tensors))) if name is not None}


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(each.value for each in call.keywords)]


# --- storages, gradients and grad nodes ----------------------------------------------------------------------------------


@dataclass
class _Touched:
    """What the steps of one part touched.

    Attributes:
        read, written: storages.
        gradients: the tensors whose gradients it read, wrote, added to or dropped.
        made: the grad nodes that it made.
        reached: the grad nodes that its passes can reach.
    """

    read: set[int] = field(default_factory=set)
    written: set[int] = field(default_factory=set)
    gradients: set[int] = field(default_factory=set)
    made: set[int] = field(default_factory=set)
    reached: set[int] = field(default_factory=set)


def depends(recording: Recording, first: Collection[int], then: Collection[int]) -> bool:
    """Whether the steps `then` depend on the steps `first`, after which they ran, or would change what those did if they ran before.

    Args:
        recording: the recording.
        first: the steps of the one part.
        then: those of the other.
    """
    one, other = _Touched(), _Touched()
    parts = {**dict.fromkeys(first, one), **dict.fromkeys(then, other)}
    known = _Known()
    last = max(parts, default=-1)
    for step in recording.steps[: last + 1]:
        touched = parts.get(step.index)
        if touched is not None:
            known.add_to(touched, step, keeps=touched is one)
        known.take(step)
        if touched is not None:
            known.add_gradients(touched, step)
    return bool(
        one.written & (other.read | other.written)
        or one.read & other.written
        or one.gradients & other.gradients
        or one.made & other.reached
    )


class _Known:
    """What there is after the steps so far."""

    def __init__(self) -> None:
        self._tensors: dict[int, TensorFacts] = {}
        self._nodes: dict[int, NodeFacts] = {}
        self._gradients: dict[int, int] = {}  # the owner of each gradient
        self._storages: set[int] = set()

    def take(self, step: Step) -> None:
        """Takes a step's changes."""
        for number, tensor in step.tensors:
            if tensor is None:
                self._tensors.pop(number, None)
                continue
            self._tensors[number] = tensor
            if tensor.grad is not None:
                self._gradients[tensor.grad] = number
        self._nodes |= {number: node for number, node in step.nodes if node is not None}
        self._storages |= {number for number, facts in step.storages if facts is not None}

    def add_to(self, touched: _Touched, step: Step, *, keeps: bool) -> None:
        """Adds what a step touches, before its changes.

        Args:
            touched: the part that it belongs to.
            step: the step.
            keeps: whether what its passes have kept counts as read.
        """
        written = {each.storage for each in step.writes}
        written |= {number for number, facts in step.storages if facts is not None and number in self._storages}
        read = {each.storage for each in step.reads}
        given = (self._tensors[each].storage for each in step.inputs if each in self._tensors)
        touched.read |= read | {each for each in given if each not in written}
        touched.written |= written
        touched.made |= {
            number
            for number, node in step.nodes
            if node is not None and node.leaf is None and number not in self._nodes
        }
        for number, tensor in step.tensors:
            before = self._tensors.get(number)
            if tensor is not None and tensor.grad != (None if before is None else before.grad):
                touched.gradients.add(number)
        if step.backward is not None and step.backward.action == "begin" and step.backward.node is not None:
            reached = self._reachable([step.backward.node, *(each.node for each in step.backward.others)])
            touched.reached |= reached
            for node in (self._nodes[each] for each in reached if each in self._nodes):
                if node.leaf is not None:
                    touched.gradients.add(node.leaf)
                if keeps:
                    touched.read |= {each.storage for each in node.saved}

    def add_gradients(self, touched: _Touched, step: Step) -> None:
        """Adds the owners of the gradients that a step has read or written, after its changes."""
        storages = {each.storage for each in step.reads} | {each.storage for each in step.writes}
        given = {*step.inputs, *(() if step.output is None else (step.output,))}
        for gradient, owner in self._gradients.items():
            tensor = self._tensors.get(gradient)
            if gradient in given or (tensor is not None and tensor.storage in storages):
                touched.gradients.add(owner)

    def _reachable(self, roots: Iterable[int]) -> set[int]:
        found: set[int] = set()
        waiting = list(roots)
        while waiting:
            number = waiting.pop()
            if number not in found:
                found.add(number)
                node = self._nodes.get(number)
                waiting += [each.to for each in node.edges] if node is not None else []
        return found
