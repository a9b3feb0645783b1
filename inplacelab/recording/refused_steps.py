"""Finds in a recording what a framework refused at once: which tensor, made where, and by which rule. For frameworks that are not watched, such as
Paddle, and for the error step of any recording.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from inplacelab.place import Place
from inplacelab.recording.facts import FailureFacts, Missing, RefusalFacts, RefusalRule, Sites, Step, TensorFacts
from inplacelab.recording.places import bound_at, names_at
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.refused_words import binding, called_in, is_of_none, paths_in, rebinding, rule_in, written_in
from inplacelab.recording.source_tree import statement_at, tree_at

SitesAt = Callable[[Recording, Place, ast.stmt], Sites]
"""Returns a statement of a recording's program, in the source of a place, as sites."""
MadeAt = Callable[[Recording, int, tuple[str, ...]], Sites]
"""Returns where a tensor with some names was made."""


def refused_at(recording: Recording, step: Step, needed: Sites, sites: SitesAt, made: MadeAt) -> FailureFacts | None:
    """Returns what is known of a step that was refused at once; None for any other error.

    Args:
        recording: the recording.
        step: the step with the error.
        needed: where it ran.
        sites: finds the places of statements.
        made: finds where tensors were made.
    """
    error = step.error
    if error is None or error.explanation is not None or step.place is None or not needed or not step.index:
        return None
    case = _Case(recording, step, step.place, recording.state(step.index - 1), sites, made)
    rule = rule_in(error.message)
    refusal = case.written(rule) if rule else case.of_none() if is_of_none(error.type, error.message) else None
    if refusal is None:
        return None
    return FailureFacts("leaf" if refusal.rule in ("leaf", "view") else "refused", needed, refusal=refusal)


@dataclass(frozen=True)
class _Case:
    """A step that was refused."""

    recording: Recording
    step: Step
    place: Place
    before: State
    sites: SitesAt
    made: MadeAt

    def written(self, rule: RefusalRule) -> RefusalFacts | None:
        """Returns what is known of a write that was refused."""
        given = [self.before.tensors[key] for key in self.step.inputs if key in self.before.tensors]
        statement = statement_at(self.recording, self.place)
        written = "" if statement is None else written_in(statement, self.step.op or "")
        meant = [each for each in given if self._is_meant(rule, each)]
        tensor = meant[0] if meant and (rule != "saved" or len(meant) == 1) else self._in_text(rule)
        if tensor is None:  # such as an inference tensor, which is not recorded everywhere
            return RefusalFacts(rule, written, made=self.bound(written)) if rule == "inference" and written else None
        owner = next((each for each in self.before.tensors.values() if each.grad == tensor.id), None)
        if rule == "leaf" and owner is not None:
            known = self.named(owner)
            name = written or (f"{known}.grad" if known else "")
            whole = f"{known}.grad" if known and f"{known}.grad" != name else ""
            return RefusalFacts("gradient", name, whole, op=self.step.op or "")
        root = bound_at(self.before, written, self.place) if written else None
        if root is not None and root.storage != tensor.storage:
            written = ""
        elif root is not None:  # `b[:, 1] += 1` writes to a view of `b`
            tensor = root
        base = None if tensor.base is None else self.before.tensors.get(tensor.base)
        if rule in ("leaf", "view"):
            rule = "leaf" if base is None else "view"
        leaf = base or tensor
        known, of_leaf = self.named(tensor), leaf.leaf and leaf.needs_gradient
        name = written or known
        whole = known if base is None and known != name else ""
        viewed = "" if base is None else self.named(base)
        made = self.made(self.recording, tensor.id, tensor.names) or self.bound(known)
        op = called_in(made[0].expression) if rule == "several" and made else self.step.op or ""
        origin = self.bound(viewed) if of_leaf and viewed else ()
        is_parameter = any("." in each for each in leaf.names)
        return RefusalFacts(rule, name, whole, viewed, op, made, origin, of_leaf=of_leaf, is_parameter=is_parameter)

    @staticmethod
    def _is_meant(rule: RefusalRule, tensor: TensorFacts) -> bool:
        if rule == "leaf":
            return tensor.leaf and tensor.needs_gradient
        if rule in ("inference", "saved"):
            return not tensor.needs_gradient
        return tensor.base is not None

    def _in_text(self, rule: RefusalRule) -> TensorFacts | None:
        """Returns the tensor that the statement names and that may be meant, if it is the only one: not every call tells its operands."""
        found = {
            each.id: each
            for path in self._paths()
            if (each := bound_at(self.before, path, self.place)) is not None and self._is_meant(rule, each)
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def of_none(self) -> RefusalFacts | None:
        """Returns what is known of a gradient that was used and is None."""
        for path in self._paths():
            name = path.removesuffix(".grad").removesuffix(".gradient")
            tensor = bound_at(self.before, name, self.place) if name != path else None
            if tensor is None or tensor.grad is not None:
                continue
            program = tree_at(self.recording, self.place)
            again = None if program is None else rebinding(program, name, self.place.line)
            missing: Missing = "unreached"
            made: Sites = ()
            if again is not None and not (tensor.leaf and tensor.needs_gradient):
                missing, made = "rebound", self.sites(self.recording, self.place, again)
            elif not tensor.leaf:
                missing, made = "computed", self.made(self.recording, tensor.id, tensor.names) or self.bound(name)
            elif not tensor.needs_gradient:
                missing, made = "stops", self.bound(name)
            return RefusalFacts("no_gradient", name, made=made, missing=missing, of_leaf=tensor.leaf)
        return None

    def _paths(self) -> list[str]:
        statement = statement_at(self.recording, self.place)
        return [] if statement is None else paths_in(statement)

    def named(self, tensor: TensorFacts) -> str:
        """Returns what the program calls a tensor at the error; "" if nothing."""
        return next(iter(names_at(tensor.names, self.place)), "")

    def bound(self, name: str) -> Sites:
        """Returns the statement that has bound a name."""
        program = tree_at(self.recording, self.place)
        found = None if program is None or not name else binding(program, name, self.place.line)
        return () if found is None else self.sites(self.recording, self.place, found)
