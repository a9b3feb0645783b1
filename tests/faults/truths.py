"""What may be true after a fault, according to the reference interpreter.

The statement that failed was not done, or it was done, or it has written a part. In the last case the data are taken as they are,
and their derivatives are *unknown*: NaN along every direction in which the old value or the new one moves. In arithmetic, NaN makes
every derivative NaN that depends on it; so the reference says which gradients must be refused. A second interpreter, with numbers
for the unknown derivatives, runs beside it: where it has no finite derivative either, nothing is compared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import deepcopy
from dataclasses import dataclass

import numpy as np

from tests.oracle.jets import Array, Jet
from tests.oracle.memory import MAY_RUN, RefusedError, Storage, Tensor
from tests.oracle.outcome import Outcome, Refusal, agree, close
from tests.oracle.program import Program, Statement
from tests.oracle.reference import Interpreter
from tests.oracle.run_reference import outcome_of

from .session import Event, State

FORCED = MAY_RUN | {"leaf"}
"""Refusals of the reference after which it runs the statement nevertheless, if the engine did."""

HISTORY = frozenset({"no history"})
"""Refusals of statements that change no value."""


class NotingInterpreter(Interpreter):
    """Notes which slots of which storage the last statement wrote."""

    written: tuple[Storage, Array] | None = None

    def write(self, target: Tensor, slots: Array, jet: Jet, sources: list[Tensor]) -> Tensor:
        self.written = target.storage, slots.ravel()
        return super().write(target, slots, jet, sources)


@dataclass
class Truth:
    """What may be true: two interpreters that differ only where a derivative is unknown.

    Attributes:
        unknown: has NaN for unknown derivatives.
        known: has a number for them. It is the same interpreter if nothing is unknown.
        history: how the statements that failed were understood, for the report.
        lost: what follows cannot be compared, because the engine ran a statement that has no meaning in the reference, or a
            number is not finite. (Programs are generated so that neither happens; but a statement has failed.)
    """

    unknown: NotingInterpreter
    known: NotingInterpreter
    history: tuple[str, ...] = ()
    lost: bool = False

    def each(self) -> Iterator[NotingInterpreter]:
        """Both interpreters."""
        yield self.unknown
        if self.known is not self.unknown:
            yield self.known

    def copy(self) -> Truth:
        """An independent copy."""
        return deepcopy(self)

    def execute(self, statement: Statement) -> None:
        """Runs a statement that the engine ran."""
        for world in self.each():
            try:
                _execute(world, statement)
            except RefusedError as refusal:
                if refusal.why in FORCED:
                    world.execute(statement, force=True)
                else:
                    self.lost |= refusal.why not in HISTORY
        names = self.known.names
        self.lost |= not all(_finite(names[name]) for name in (*statement.inputs, statement.out) if name in names)

    def outcomes(self) -> tuple[Outcome, Outcome]:
        """The outcomes: with unknown derivatives, and with known ones in their place."""
        unknown = outcome_of(self.unknown)
        return unknown, unknown if self.known is self.unknown else outcome_of(self.known)


def _finite(tensor: Tensor) -> bool:
    jets = tensor.storage.jets
    return bool(np.isfinite(jets.value).all() and np.isfinite(jets.first).all())


def _execute(world: NotingInterpreter, statement: Statement) -> None:
    if any(name not in world.names for name in statement.reads):
        raise RefusedError("unbound")
    world.written = None
    world.execute(statement)


class ImpossibleError(Exception):
    """The state after a fault is none that may be true."""


def truths(program: Program, events: dict[int, Event], refused: Collection[int], tolerance: float) -> list[Truth]:
    """Everything that may be true at the end of a program.

    Args:
        program: the program.
        events: what failed, by position.
        refused: the positions of the statements that were refused.
        tolerance: the allowed difference of two equal numbers.

    Raises:
        ImpossibleError: if a fault left a state that none of them explains.
    """
    start = NotingInterpreter()
    found = [Truth(start, start)]
    for position, statement in enumerate(program):
        event = events.get(position)
        if any(truth.lost for truth in found):
            break
        if event is None:
            for truth in found if position not in refused else ():
                truth.execute(statement)
            continue
        split = [_after(truth, statement, event, tolerance) for truth in found]
        found = [truth for each in split if not isinstance(each, str) for truth in each]
        if not found:
            raise ImpossibleError(next(each for each in split if isinstance(each, str)))
    return found


def _after(truth: Truth, statement: Statement, event: Event, tolerance: float) -> list[Truth] | str:
    """What may be true after a statement that failed; or what is wrong with the state that it left."""
    before, after = event.before, event.after
    unchanged, raised = after.same_data(before), not after.same_versions(before)
    if not unchanged and not raised and _written_data(before, after):
        return "the data changed, and the version did not"
    done = _done(truth, statement)
    candidates = []
    if unchanged and event.error:
        candidates.append(_labeled(truth.copy(), "not done"))
    writes = done is not None and done.unknown.written is not None
    if done is not None and _shows(done, after, tolerance) and (raised or not writes or not event.error):
        candidates.append(_labeled(done, "done"))
    elif done is not None and not unchanged and _same_windows(before, after) and _only_written(done, before, after):
        candidates.append(_labeled(_partly(truth, done, after), "partly written"))
    if not candidates:
        return "the statement is neither done nor undone"
    skipped = truth if event.error else done
    resolved = [each for each in candidates if _resolve(each, truth, done or skipped or truth, after, tolerance)]
    return resolved or "a .grad is neither as before, nor complete, nor refused"


def _labeled(truth: Truth, how: str) -> Truth:
    truth.history = (*truth.history, how)
    return truth


def _done(truth: Truth, statement: Statement) -> Truth | None:
    """The truth in which the statement was done; None if it should have been refused."""
    done = truth.copy()
    for world in done.each():
        try:
            _execute(world, statement)
        except RefusedError as refusal:
            if refusal.why not in FORCED:
                return None
            world.execute(statement, force=True)
    return done


def _written_data(before: State, after: State) -> bool:
    """Whether the bytes of a storage changed that was there before."""
    return any(a.identity[1] == b.identity[1] and a.storage != b.storage for a, b in before.shared(after))


def _same_windows(before: State, after: State) -> bool:
    return before.tensors.keys() == after.tensors.keys() and all(
        seen.identity == after.tensors[name].identity for name, seen in before.tensors.items()
    )


def _only_written(done: Truth, before: State, after: State) -> bool:
    """Whether nothing changed outside the slots that the statement writes."""
    if done.unknown.written is None:
        return False
    storage, slots = done.unknown.written
    for name, seen in after.tensors.items():
        tensor = done.unknown.names[name]
        elsewhere = ~np.isin(tensor.slots, slots) | (tensor.storage.memory is not storage.memory)
        was, found = before.tensors[name].values[elsewhere], seen.values[elsewhere]
        if was.tobytes() != found.tobytes():
            return False
    return True


def _shows(truth: Truth, after: State, tolerance: float) -> bool:
    """Whether the state is that of the reference, up to rounding."""
    names = truth.unknown.names
    return names.keys() == after.tensors.keys() and all(
        close(seen.values, names[name].value, tolerance) for name, seen in after.tensors.items()
    )


# ---- a write that was interrupted ------------------------------------------------------------------------------------------


def _partly(truth: Truth, done: Truth, after: State) -> Truth:
    """The data as they are; derivatives are unknown in the written slots, where the old or the new value moves."""
    base = truth.copy()
    unknown, known = base.unknown, deepcopy(base.known)
    for world, finished in ((unknown, done.unknown), (known, done.known)):
        assert finished.written is not None
        storage, slots = finished.written
        world.escape |= finished.escape
        there = _counterpart(world, finished, storage)
        for mine, other in zip(there.memory.histories, storage.memory.histories, strict=True):
            mine.needs |= other.needs
            if world is unknown:
                moving = (mine.jets.first[slots] != 0) | (other.jets.first[slots] != 0)
                mine.jets.first[slots] = np.where(moving, np.nan, 0.0)
        for name, seen in after.tensors.items():
            tensor = world.names[name]
            tensor.storage.jets.value[tensor.slots] = seen.values
    return Truth(unknown, known, truth.history)


def _counterpart(world: Interpreter, other: Interpreter, storage: Storage) -> Storage:
    """The storage that has the same names in another interpreter."""
    return next(world.names[name].storage for name, tensor in other.names.items() if tensor.storage is storage)


# ---- versions and .grad --------------------------------------------------------------------------------------------------


def _resolve(truth: Truth, before: Truth, done: Truth, after: State, tolerance: float) -> bool:
    """Takes over the versions, and for each `.grad` what it turned out to be; False if one of them is impossible."""
    for world in truth.each():
        for name, seen in after.tensors.items():
            world.names[name].storage.version = seen.version
    if any(isinstance(grad, Refusal) for grad in after.grads.values()) and truth.known is truth.unknown:
        truth.known = deepcopy(truth.unknown)
    return all(_resolve_grad(truth, before, done, name, grad, tolerance) for name, grad in after.grads.items())


def _resolve_grad(
    truth: Truth, before: Truth, done: Truth, name: str, grad: Array | Refusal | None, tolerance: float
) -> bool:
    mine = _tensor(truth.unknown, name)
    if mine is None or truth.unknown.escape:
        return True
    if isinstance(grad, Refusal):
        mine.grad = np.full(mine.own_shape, np.nan)
        return True
    for which in (before, done):
        other = _tensor(which.unknown, name)
        if other is None or _agrees(grad, other, tolerance):
            for world, source in zip((truth.unknown, truth.known), (which.unknown, which.known), strict=True):
                target, given = _tensor(world, name), _tensor(source, name)
                if target is not None and given is not None:
                    target.grad = None if given.grad is None else given.grad.copy()
            return True
    return False


def _agrees(grad: Array | None, tensor: Tensor, tolerance: float) -> bool:
    if tensor.grad is None and tensor.retains:
        return True  # it may be zero, or not there
    return agree(grad, np.zeros(tensor.own_shape) if tensor.grad is None else tensor.grad, tolerance)


def _tensor(world: Interpreter, name: str) -> Tensor | None:
    """The leaf with this name, or the tensor that retains its gradient."""
    if name in world.leaves:
        return world.leaves[name]
    tensor = world.names.get(name)
    return tensor if tensor is not None and tensor.retains else None
