"""What belongs to what: a tensor to those that it was made of, a step to its backward pass and to its stage of training.

A view of a view is recorded with the tensor at the root as its base: in `t = m.t(); row = t[1]`, the base of `row` is `m`. The program
says `t[1]`, so a text names both. A `detach()` has no base, though it shares the storage of the tensor that it was called on.

A hook may begin a pass inside another one. The phase of a step says only whether backward is running. `sgd.step()` and `sgd.clear_grad()` run outside
backward, but compute nothing forward: after a backward pass, they write parameters, or gradients. Updates by hand do it without history.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import groupby
from typing import Literal, NamedTuple

from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.code_of_steps import call_code, code_of
from inplacelab.recording.facts import BackwardAction, Step, TensorFacts, WriteFacts
from inplacelab.recording.places import is_statistic, line_of
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.source_tree import line_text


class Made(NamedTuple):
    """How a tensor came into the recording.

    Attributes:
        how: "made" by an operation, "backward" by a backward pass, "before" if it existed already, "seen" if no operation of the
            recording made it, "there" in a recording without a program.
        place: where; None if it is not known.
        op: the operation as the program wrote it; "" if none did.
        given: the first tensor that the operation was given, if the result is on its storage; None otherwise.
        call: the same with the tensor whose method was called, as in `x.t()`.
        detached: whether it was made by `detach()`, which some frameworks record as a view.
        operation: the operation as the framework calls it; "" if none made it.
    """

    how: Literal["made", "backward", "before", "seen", "there"]
    place: Place | None
    op: str
    given: int | None
    call: str = ""
    detached: bool = False
    operation: str = ""

    @property
    def line(self) -> int | None:
        """Its line; None if it is not known."""
        return None if self.place is None else self.place.line


def made(recording: Recording) -> Mapping[int, Made]:
    """Returns how each tensor came into the recording, by its number."""
    return recording.once(all_made)


def all_made(recording: Recording) -> dict[int, Made]:
    """Returns the same, without looking it up."""
    found: dict[int, Made] = {}
    home: dict[int, int] = {}  # from a tensor to its storage
    for step in recording.steps:
        given = step.inputs[0] if step.inputs else None
        old = None if given is None else home.get(given)
        home |= {key: facts.storage for key, facts in step.tensors if facts is not None}
        for key, facts in step.tensors:
            if key not in found and facts is not None:
                shared = given if given is not None and home[key] in (old, home.get(given)) else None
                found[key] = _how(recording, step, key, shared)
    return found


def _how(recording: Recording, step: Step, tensor: int, given: int | None) -> Made:
    if step.kind == "operation":
        if tensor in step.inputs:
            return Made("before", step.place, "", None)
        op, call = code_of(recording, step), call_code(recording, step)
        return Made("made", step.place, op, given, call, step.op == "detach", step.op or "")
    if step.phase == "backward":
        return Made("backward", step.place, "", None)
    return Made("there" if step.kind == "look" else "seen", step.place, "", None)


class WrittenAlias(NamedTuple):
    """A tensor without a name that something was written through, and that is no view: `w.data`, `w.detach()`.

    Attributes:
        facts: the tensor.
        of: the number of the tensor with a name that it was made of.
        call: how it was made of that, as it stands behind the name: ".data", ".detach()".
        write: the write.
    """

    facts: TensorFacts
    of: int
    call: str
    write: WriteFacts

    def is_counted_apart(self, state: State) -> bool:
        """Whether the version of the tensor with a name did not rise with the write."""
        of = state.tensors.get(self.of)
        return of is not None and of.counter != self.write.counter


def written_aliases(recording: Recording) -> Mapping[int, tuple[WrittenAlias, ...]]:
    """Returns the aliases without a name that each step wrote through."""
    return recording.once(all_written_aliases)


def all_written_aliases(recording: Recording) -> dict[int, tuple[WrittenAlias, ...]]:
    """Returns the same, without looking it up."""
    makers = made(recording)
    facts: dict[int, TensorFacts] = {}  # as they were last
    found: dict[int, tuple[WrittenAlias, ...]] = {}
    for step in recording.steps:
        facts |= {key: each for key, each in step.tensors if each is not None}
        for write in step.writes:
            alias: int | None = None
            here: int | None = write.tensor
            passed = set[int]()
            while here is not None and here in facts and not recording.before(step.index).called(here).names:
                how = makers[here]
                if alias is None and how.given is not None and (how.detached or facts[here].base is None):
                    alias = here
                passed.add(here)
                here = None if how.given in passed else how.given
            if alias is not None and here in facts and facts[alias].storage == write.storage:
                made_so = WrittenAlias(facts[alias], here, _behind_name(recording, makers[alias]), write)
                found[step.index] = (*found.get(step.index, ()), made_so)
    return found


def _behind_name(recording: Recording, how: Made) -> str:
    """How a tensor was made of another, as it stands behind the name of that one. Some frameworks record `.data` as `detach`."""
    op = how.operation
    is_attribute = op == "detach" and "detach" not in (line := line_text(recording, how.place)) and ".data" in line
    if op == "data" or is_attribute:
        return ".data"
    return f".{op}()"


class Relation(NamedTuple):
    """How a tensor is related to others on its storage.

    Attributes:
        kind: "view" of a base, or "shares" for a tensor that is none but was made on the storage of another, such as a `detach()`.
        base: the base of a view; None if no name leads to it and another tensor has one.
        via: the tensor that the operation was given, if that is not the base.
    """

    kind: Literal["view", "shares"]
    base: int | None
    via: int | None


def relation_of(recording: Recording, state: State, tensor: TensorFacts) -> Relation | None:
    """Returns how a tensor is related to others on its storage after a step; None if it is made of none of them."""
    via = next(_ways(recording, state, tensor), None)
    how = made(recording).get(tensor.id)
    if tensor.base is None or (how is not None and how.detached and via is not None):
        return None if via is None else Relation("shares", None, via)
    if tensor.base not in state.tensors:
        return Relation("view", tensor.base if via is None else None, via)
    if via is None or via == tensor.base:
        return Relation("view", tensor.base, None)
    return Relation("view", tensor.base if state.called(tensor.base).names else None, via)


def _ways(recording: Recording, state: State, tensor: TensorFacts) -> Iterator[int]:
    """Yields the tensors that this one was made of, the nearest first: those with a name, and then the nearest, if it has none."""
    makers = made(recording)
    chain: list[int] = []
    here = makers.get(tensor.id)
    while here is not None and here.given is not None and here.given not in chain and here.given != tensor.id:
        chain.append(here.given)
        here = makers.get(here.given)
    there = [key for key in chain if key in state.tensors and state.tensors[key].storage == tensor.storage]
    yield from (key for key in there if state.called(key).names)
    yield from there


def made_from(recording: Recording) -> Mapping[int, tuple[int, ...]]:
    """Returns for each tensor those that were made of it, on its storage: their relations may mention it."""
    return recording.once(_made_from)


def _made_from(recording: Recording) -> dict[int, tuple[int, ...]]:
    found: dict[int, tuple[int, ...]] = {}
    for key, how in made(recording).items():
        if how.given is not None and how.given != key:
            found[how.given] = (*found.get(how.given, ()), key)
    return found


def shown_relation(relation: Relation, called: Callable[[int], Text | str]) -> Text:
    """Returns a relation in words: "view of `m` by way of `t`".

    Args:
        relation: the relation.
        called: what a tensor is called.
    """
    if relation.kind == "shares" and relation.via is not None:
        return Text("shares storage with {0}", "与 {0} 共享存储").format(called(relation.via))
    if relation.base is None and relation.via is not None:
        return Text("view by way of {0}", "从 {0} 得到的视图").format(called(relation.via))
    base = "?" if relation.base is None else called(relation.base)
    if relation.via is None:
        return Text("view of {0}", "{0} 的视图").format(base)
    return Text("view of {0} by way of {1}", "从 {1} 得到的 {0} 的视图").format(base, called(relation.via))


def related(
    recording: Recording, state: State, tensor: TensorFacts, called: Callable[[int], Text | str]
) -> Text | None:
    """Returns how a tensor is related to others, in words; None if it is not."""
    relation = relation_of(recording, state, tensor)
    return None if relation is None else shown_relation(relation, called)


def steps_of_pass(recording: Recording, index: int) -> Iterator[Step]:
    """Yields the steps before step `index` in the same backward pass, last first, down to the one that began it.

    Steps of passes that began and ended inside are left out.
    """
    inside = 0
    for step in reversed(recording.steps[:index]):
        action = _action(step)
        inside += action == "end"
        if not inside:
            yield step
        if action == "begin":
            if not inside:
                return
            inside -= 1


def begun_at(recording: Recording, index: int) -> int | None:
    """Returns the step that began the pass of step `index`; None outside backward."""
    return next((step.index for step in steps_of_pass(recording, index) if _action(step) == "begin"), None)


class Running(NamedTuple):
    """The program's code that backward is running: a hook, or the `backward` of a `PyLayer`.

    Attributes:
        node: the node that called it.
        function: the function's name in the program.
        is_hook: True for a hook.
    """

    node: int
    function: str
    is_hook: bool


def running(recording: Recording) -> dict[int, Running]:
    """Returns the innermost code of the program that is running, for each step inside such code."""
    return recording.once(_running)


def _running(recording: Recording) -> dict[int, Running]:
    found: dict[int, Running] = {}
    calls: list[Running | None] = []  # None for a pass begun inside the entry before it
    for step in recording.steps:
        if step.phase == "forward":
            calls.clear()
        elif step.backward is not None:
            _follow(calls, step)
        if calls and calls[-1] is not None:
            found[step.index] = calls[-1]
    return found


def _follow(calls: list[Running | None], step: Step) -> None:
    """Returns the calls that are running after a step of backward."""
    facts = step.backward
    assert facts is not None
    match facts.action:
        case "begin":
            calls.append(None)
        case "end":
            while calls and calls.pop() is not None:
                pass
        case "unpack" if calls and calls[-1] is not None and calls[-1].node == facts.node and not calls[-1].is_hook:
            pass  # it reads a saved tensor
        case _:
            if calls and calls[-1] is not None:
                calls.pop()
            if facts.node is not None and facts.action in ("hook", "custom"):
                calls.append(Running(facts.node, step.op or "", facts.action == "hook"))


def _action(step: Step) -> BackwardAction | None:
    return None if step.backward is None else step.backward.action


Stage = Literal["forward", "backward", "update"]


def stages(recording: Recording) -> tuple[Stage, ...]:
    """Returns the stage of each step. All steps of a statement outside backward have the same one.

    After a backward pass, a statement is an update if it writes in place and without history, outside a function called `forward`,

    - a gradient;
    - a parameter, through any alias. A parameter is what has been a leaf that needs a gradient; later, it may be frozen;
    - a tensor computed only from parameters, gradients and running statistics: a velocity, an average of weights.

    What it writes must have existed during the pass: a model made later is initialized, not updated. A statement that clears a gradient is an
    update, too. A call of a function that makes an update, such as a `step()` by hand, is an update as a whole if it reads only parameters, gradients
    and what was computed from them, and keeps no history.
    """
    return recording.once(all_stages)


def all_stages(recording: Recording) -> tuple[Stage, ...]:
    """Returns the same, without looking it up."""
    found: list[Stage] = []
    trained = _Trained()
    computes: set[int] = set()  # the steps that are no part of an update
    for _, group in groupby(recording.steps, key=lambda step: (step.phase, step.turn, line_of(step.place))):
        steps = list(group)
        stage: Stage = steps[0].phase
        if stage == "backward":
            trained.there = recording.state(steps[-1].index).storages.keys()
        for step in steps:
            if stage == "forward" and trained.there is not None and _updates(recording, step, trained):
                stage = "update"
            if step.phase == "backward" or not trained.follows(recording, step):
                computes.add(step.index)
        found += [stage if step.phase == "forward" else step.phase for step in steps]
    return tuple(_with_loops(recording, _with_calls(recording, found, computes)))


@dataclass(slots=True)
class _Trained:
    """What is trained, and what was computed of it alone.

    Attributes:
        there: the storages at the end of the last backward pass; None before the first one.
        parameters: the storages of what has been a leaf that needs a gradient.
        derived: the tensors computed of parameters and gradients, or written with such numbers.
    """

    there: Collection[int] | None = None
    parameters: set[int] = field(default_factory=set)
    derived: set[int] = field(default_factory=set)

    def has(self, state: State, tensor: int) -> bool:
        """Whether a tensor is a parameter, a gradient, or computed of them; or a running statistic, which belongs to a trained model, too."""
        facts = state.tensors.get(tensor)
        if facts is None:
            return False
        if facts.storage in self.parameters or tensor in self.derived or any(map(is_statistic, facts.names)):
            return True
        return state.owner_of_gradient(tensor) is not None

    def read(self, recording: Recording, step: Step) -> tuple[bool, bool]:
        """Returns whether an operation reads what is trained, and whether it reads anything else, besides what it writes and single numbers."""
        before = recording.before(step.index)
        written = {write.storage for write in step.writes}
        given = [before.tensors[key] for key in step.inputs if key in before.tensors]
        given = [each for each in given if each.storage not in written]
        has = [self.has(before, each.id) for each in given]
        return any(has), any(each.shape and not ours for each, ours in zip(given, has, strict=True))

    def follows(self, recording: Recording, step: Step) -> bool:
        """Notes what a step has computed of what is trained. Returns whether the step could be part of an update."""
        for _, facts in step.tensors:
            if facts is not None and facts.leaf and facts.needs_gradient:
                self.parameters.add(facts.storage)
        if step.kind != "operation":
            return True
        ours, others = self.read(recording, step)
        if step.kept is not None or others:
            return False
        if ours:
            self.derived.update(write.tensor for write in step.writes)
            if step.output is not None:
                self.derived.add(step.output)
        return True


def _updates(recording: Recording, step: Step, trained: _Trained) -> bool:
    """Whether a step after a pass makes an update, or would have if it had not been refused, or clears a gradient."""
    refusal = None if step.error is None or step.error.failure is None else step.error.failure.refusal
    if refusal is not None and refusal.rule == "leaf":
        return True
    before = recording.before(step.index)
    if step.writes and step.kept is None:
        if any(before.owner_of_gradient(write.tensor) is not None for write in step.writes):
            return True
        old = [write.storage for write in step.writes if trained.there is not None and write.storage in trained.there]
        if old and not _is_in_forward(step.place):
            ours, others = trained.read(recording, step)
            if not trained.parameters.isdisjoint(old) or (ours and not others):
                return True
    changed = ((before.tensors.get(key), facts) for key, facts in step.tensors if facts is not None)
    return any(was is not None and was.grad is not None and now.grad is None for was, now in changed)


def _is_in_forward(place: Place | None) -> bool:
    return place is not None and any(each.function.rpartition(".")[2] == "forward" for each in place.calls)


def _with_calls(recording: Recording, found: list[Stage], computes: AbstractSet[int]) -> list[Stage]:
    """Counts a whole call as an update that makes one and computes nothing else."""
    done = 0
    for step, stage in zip(recording.steps, tuple(found), strict=True):
        if stage != "update" or step.index < done or step.place is None or step.place.called_from is None:
            continue
        first, done = step.index, step.index + 1
        while first > 0 and _is_inside(recording.steps[first - 1], step.place):
            first -= 1
        while done < len(found) and _is_inside(recording.steps[done], step.place):
            done += 1
        if computes.isdisjoint(range(first, done)):
            found[first:done] = ["update"] * (done - first)
    return found


def _is_inside(step: Step, call: Place) -> bool:
    """Whether a step belongs to a call of the function that a place is in."""
    return step.place is not None and any(
        each.function == call.function and each.called_from == call.called_from for each in step.place.calls
    )


def _with_loops(recording: Recording, found: list[Stage]) -> list[Stage]:
    """Counts the lines of a loop between two updates, such as `for parameter in parameters:`, as part of the update."""
    since: int | None = None  # the step after the last update, while only lines without an operation follow
    for step, stage in zip(recording.steps, tuple(found), strict=True):
        if stage == "update":
            if since is not None:
                found[since : step.index] = ["update"] * (step.index - since)
            since = step.index + 1
        elif step.kind != "line" or stage == "backward":
            since = None
    return found
