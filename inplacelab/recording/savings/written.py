"""Finds the in-place operations of a program that save nothing: written out of place, it would need as many bytes at any time.

That is so if the operand would be freed as soon as the result is there, because nothing else refers to it; and if the grad node keeps a copy of what is
overwritten, where it would keep the operand itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from inplacelab.recording.code_of_steps import expression_of
from inplacelab.recording.facts import Step, TensorFacts
from inplacelab.recording.places import bare_name, names_at
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.live_bytes import Curve
from inplacelab.recording.savings.sites import Site, by_operation
from inplacelab.recording.slots import slot_runs
from inplacelab.recording.source_tree import SourceTree, tree_at
from inplacelab.supported import InPlaceForms, framework_of


@dataclass(frozen=True, slots=True)
class Written:
    """An in-place operation of the program that saves nothing in any of its runs.

    Attributes:
        site: the operation, without calls.
        steps: its runs.
        copy: the bytes of the copy of what is overwritten that its node keeps; 0 if it keeps none.
    """

    site: Site
    steps: tuple[Step, ...]
    copy: int


def saving_nothing(recording: Recording, curve: Curve) -> tuple[Written, ...]:
    """Returns the in-place operations that save nothing, in the order of the text.

    Args:
        recording: the recording.
        curve: its live bytes.
    """
    forms = framework_of(recording).in_place
    found = []
    for site, runs in by_operation(recording, (each for each in recording.steps if _is_own(each, forms))):
        copies, is_nothing = 0, True
        for step in runs:
            operand = _overwritten(recording, step)
            if operand is not None and _copies(step, operand):
                copies = max(copies, recording.before(step.index).storages[operand.storage].bytes)
            elif operand is None or not _is_freed(recording, step, operand, forms, curve):
                is_nothing = False
        if is_nothing:
            found.append(Written(_with_code(recording, site, runs[0]), runs, copies))
    return tuple(found)


def _with_code(recording: Recording, site: Site, step: Step) -> Site:
    """Returns an operation with its text, if it is a statement: `x += y`."""
    program, statement = tree_at(recording, step.place), expression_of(recording, step)
    return site if site.code or program is None or statement is None else replace(site, code=program.code(statement))


def _is_own(step: Step, forms: InPlaceForms) -> bool:
    """Whether the program itself, or a module that it has constructed, wrote in place with an operation that has an ordinary form."""
    ran_in = step.ran_in.kind in forms.modules if step.ran_in is not None else not step.module
    return (
        ran_in
        and step.category == "in-place"
        and step.phase == "forward"
        and _name(step) in forms.names
        and bool(step.inputs)
    )


def _name(step: Step) -> str:
    return (step.op or "").removesuffix("_")


def _overwritten(recording: Recording, step: Step) -> TensorFacts | None:
    """Returns the operand, if it alone has its storage and the step has written all of that."""
    before = recording.before(step.index)
    operand = before.tensors.get(step.inputs[0])
    if (
        operand is None
        or (operand.leaf and operand.needs_gradient)
        or len(step.writes) != 1
        or step.writes[0].tensor != operand.id
    ):
        return None
    sharing = [each for each in before.tensors.values() if each.storage == operand.storage]
    slots = before.storages[operand.storage].slots
    is_whole = operand.base is None and slot_runs(operand) == step.writes[0].slots == ((0, slots),)
    return operand if is_whole and len(sharing) == 1 else None


def _copies(step: Step, operand: TensorFacts) -> bool:
    nodes = dict(step.nodes)
    node = None if step.kept is None else nodes.get(step.kept)
    return node is not None and any(each.copy and each.shape == operand.shape for each in node.saved)


def _is_freed(recording: Recording, step: Step, operand: TensorFacts, forms: InPlaceForms, curve: Curve) -> bool:
    """Whether the ordinary form would leave the operand to nobody, and the peak where it is."""
    if step.kept is not None and _name(step) in forms.keeps_result:
        return False
    size = recording.before(step.index).storages[operand.storage].bytes
    return curve.during[step.index] + size <= curve.peak and _is_left(recording, step, operand)


def _is_left(recording: Recording, step: Step, operand: TensorFacts) -> bool:
    """Whether all names of an operand are bound to something else, or are gone, when the statement of a step is done."""
    if not operand.names:
        return True
    program = tree_at(recording, step.place)
    statement = None if program is None or step.place is None else next(iter(program.nested(step.place.line)), None)
    if program is None or statement is None or len(names_at(operand.names, step.place)) != len(operand.names):
        return False
    left = frozenset(_left_by(program, statement))
    return all(bare_name(each) in left for each in operand.names)


def _left_by(program: SourceTree, statement: ast.stmt) -> Iterator[str]:
    """Yields the names that no longer lead to the operand after a statement, if it is written out of place."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)):
            yield name
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)), args=given)
        ):  # `x.relu_()`, `F.relu_(x)`
            yield name
            yield from (each.id for each in given[:1] if isinstance(each, ast.Name))
        case ast.Return(value=ast.expr() as value):
            names = {each.id for each in ast.walk(value) if isinstance(each, ast.Name)}
            yield from (each for each in names if program.may_bind(statement, each))
