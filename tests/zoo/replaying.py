"""Runs each recorded operation again, on PyTorch itself, from what the recording says were its inputs, and compares what comes of it.

A recording has no arguments but tensors. So a recorder notes them beside the recording, call by call, with a number instead of each
tensor, and the state of the generator of random numbers. All that is known of tensors comes from the recording: bytes, layouts, storages,
versions.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import numpy as np
import torch

from inplacelab.frameworks.torch import readings
from inplacelab.frameworks.torch.interception import kind_of
from inplacelab.frameworks.torch.readings import Unseen
from inplacelab.frameworks.torch.recorder import TorchRecorder
from inplacelab.recorders import events, run, snapshots
from inplacelab.recording import Recording
from inplacelab.recording.facts import CounterFacts, Step, StorageFacts, Summary, TensorFacts

from .memory import Counted
from .state import bytes_of

F = TypeVar("F")

LARGEST = 1 << 16
"""Storages of up to so many slots are recorded whole, to be compared; otherwise of up to `snapshots.WHOLE`."""


class CannotError(Exception):
    """Raised where an operation cannot be run again, with the reason."""


@dataclass(frozen=True, slots=True)
class Numbered:
    """Stands for a tensor among the arguments of a call; None if the recorder does not know it."""

    number: int | None


@dataclass(slots=True)
class Noted:
    """A call, with what a recording does not have.

    Attributes:
        name, function: the function.
        args, kwargs: its arguments, with numbers in the places of tensors.
        results: the numbers of its results, in order.
        random: the states of the generators that it may draw from.
        grad: whether history was kept.
        autocast: the type of `autocast`; None outside of it.
        first, last: how many events there were before and after it.
        wrote: whether it raised the version of one of its tensors.
    """

    name: str
    function: Any
    args: Any
    kwargs: Any
    random: list[tuple[Any, bytes]]
    grad: bool
    autocast: Any
    first: int
    last: int = 0
    wrote: bool = False
    results: list[int | None] = field(default_factory=list)


@dataclass
class Notes:
    """What is noted beside a recording: the calls, and the gradients after each backward pass, by the number of the tensor that has one."""

    calls: list[Noted] = field(default_factory=list)
    gradients: list[dict[int, bytes]] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    memory: Counted = field(default_factory=Counted)


class NotingRecorder(TorchRecorder):
    """Records, and notes what is needed to make the calls again."""

    notes: Notes
    _noted_step: Noted

    def __init__(self, program: Any, log: Any, **options: Any) -> None:
        super().__init__(program, log, **options)
        self._log, self._drawn = log, b""

    def begin(self) -> None:
        super().begin()
        self.notes.memory.begin()

    def statement_begins(self, line: int, simple: bool, frame: Any, /) -> None:
        super().statement_begins(line, simple, frame)
        with Unseen():
            self.notes.memory.mark(line, self.live_and_peak()[0])

    def called(self, function: Any, args: Any, kwargs: Any, frame: Any) -> Any:
        kind = kind_of(function)
        if kind.quiet or kind.is_pass or self._inside:
            return super().called(function, args, kwargs, frame)
        with Unseen():
            noted = self._noted(kind.name, function, args, kwargs)
            versions = [(each, each._version) for each in _tensors((args, kwargs)) if readings.has_version(each)]
        result = super().called(function, args, kwargs, frame)
        with Unseen():
            noted.last = self._log.emitted
            # Code of a library that runs in a backward pass, such as that of `checkpoint`, is not recorded.
            noted.wrote = not self.passes.running and any(each._version != before for each, before in versions)
            if noted.last > noted.first or noted.wrote:
                facts = self.objects.tensors.facts
                # The table of `deepcopy` holds what was copied before, and objects that the program lets go.
                given = (args[0], {}) if kind.name == "deepcopy" else args
                noted.args, noted.kwargs = _numbered(given, facts), _numbered(kwargs, facts)
                noted.results = [_number(each, facts) for each in _tensors(result)]
                self.notes.calls.append(noted)
        return result

    def _step_begins(self, args: Any, frame: Any) -> None:
        super()._step_begins(args, frame)
        if self._step is None:
            return
        optimizer, facts = self._step.optimizer, self.objects.tensors.facts
        parts = [
            (parameter, readings.gradient_held(parameter), optimizer.state.get(parameter, {}), {**group, "params": []})
            for group in optimizer.param_groups
            for parameter in group["params"]
        ]
        with Unseen():
            self._noted_step = self._noted("step", partial(_steps, type(optimizer)), (), {})
            self._noted_step.args = (_numbered([each for each in parts if each[1] is not None], facts),)

    def _step_ended(self, step: Any) -> None:
        noted = self._noted_step
        noted.first = self._log.emitted
        super()._step_ended(step)
        noted.last, noted.grad, noted.wrote = self._log.emitted, False, True
        self.notes.calls.append(noted)

    def _noted(self, name: str, function: Any, args: Any, kwargs: Any) -> Noted:
        generators = [
            torch.default_generator,
            *(each for each in (*args, *kwargs.values()) if isinstance(each, torch.Generator)),
        ]
        autocast = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else None
        drawn = [(each, self._state_of(each)) for each in generators]
        return Noted(name, function, (), {}, drawn, torch.is_grad_enabled(), autocast, self._log.emitted)

    def _state_of(self, generator: Any) -> bytes:
        """Returns the state of a generator as bytes, the same object while it is the same."""
        state = generator.get_state().numpy().tobytes()
        self._drawn = self._drawn if state == self._drawn else state
        return self._drawn

    def _pass_ended(self, result: Any) -> None:
        super()._pass_ended(result)
        with Unseen():
            found = {}
            for known in list(self.objects.tensors.facts.values()):
                tensor = known.alive()
                is_leaf = tensor is not None and known.node is None  # PyTorch warns where others are asked
                gradient = readings.gradient_held(tensor) if is_leaf else None
                if gradient is not None:
                    found[known.number] = bytes_of(gradient)
            self.notes.gradients.append(found)

    def end(self) -> None:
        super().end()
        self.notes.memory.end()
        self.notes.events = list(self._log)


@contextmanager
def noting(kind: type[NotingRecorder] = NotingRecorder) -> Iterator[Notes]:
    """Has what is recorded in a `with` block noted, and larger storages recorded whole."""
    notes = Notes()

    class Recorder(kind):  # type: ignore[valid-type, misc]
        pass

    Recorder.notes = notes
    recorder_of, whole = vars(run)["recorder_of"], snapshots.WHOLE
    vars(run)["recorder_of"], snapshots.WHOLE = lambda _: Recorder, LARGEST
    try:
        yield notes
    finally:
        vars(run)["recorder_of"], snapshots.WHOLE = recorder_of, whole


def _steps(kind: Any, parts: Sequence[tuple[Any, Any, dict[str, Any], dict[str, Any]]]) -> None:
    """Makes a step of an optimizer again, of parameters with their gradients, their states and what is set for them."""
    optimizer = kind([{**group, "params": [parameter]} for parameter, _, _, group in parts])
    for parameter, gradient, state, _ in parts:
        parameter.grad = gradient
        optimizer.state[parameter] = state
    optimizer.step()


def _number(tensor: Any, facts: Mapping[int, Any]) -> int | None:
    known = facts.get(id(tensor))
    return None if known is None else known.number


def _numbered(value: Any, facts: Mapping[int, Any]) -> Any:
    """Returns arguments with numbers in the places of tensors."""
    if isinstance(value, torch.Tensor):
        return Numbered(_number(value, facts))
    if type(value) in (list, tuple):
        return type(value)(_numbered(each, facts) for each in value)
    if type(value) is dict:
        return {key: _numbered(each, facts) for key, each in value.items()}
    if isinstance(value, slice):
        return slice(*(_numbered(each, facts) for each in (value.start, value.stop, value.step)))
    return value


def _tensors(value: Any) -> Iterator[Any]:
    """Yields the tensors, or the numbers that stand for them, in a structure."""
    if isinstance(value, torch.Tensor | Numbered):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))
    elif isinstance(value, slice):
        yield from _tensors([value.start, value.stop, value.step])


# ---- running again -----------------------------------------------------------------------------------------------------------


@dataclass
class Replayed:
    """What came of running the operations of a recording again.

    Attributes:
        steps: how many steps are operations.
        replayed: how many of them were run again, and gave what was recorded.
        left_out: how many were not, by the reason.
        faults: what differs.
        gradients: how many gradients were compared after backward passes.
    """

    steps: int = 0
    replayed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    gradients: int = 0


def _change(known: dict[int, F], changes: Iterable[tuple[int, F | None]]) -> None:
    for number, facts in changes:
        if facts is None:
            known.pop(number, None)
        else:
            known[number] = facts


class World:
    """What is alive after a step of a recording: goes forward only."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps, self._next = steps, 0
        self.storages: dict[int, StorageFacts] = {}
        self.counters: dict[int, CounterFacts] = {}
        self.tensors: dict[int, TensorFacts] = {}

    def goes_to(self, index: int) -> None:
        """Goes on until before a step."""
        for step in self._steps[self._next : index]:
            _change(self.storages, step.storages)
            _change(self.counters, step.counters)
            _change(self.tensors, step.tensors)
        self._next = max(self._next, index)


def replayed(recording: Recording, notes: Notes) -> Replayed:
    """Runs the operations of a recording again."""
    found, steps = Replayed(), recording.steps
    operations = [step for step in steps if step.kind == "operation"]
    found.steps = len(operations)
    done = [0]
    for each in notes.events:
        done.append(done[-1] + isinstance(each, events.OperationDone))
    if done[-1] != len(operations):
        found.faults.append(f"{done[-1]} operations were done, and {len(operations)} are steps")
        return found
    world, seen = World(steps), 0
    for call in notes.calls:
        its = operations[done[call.first] : done[call.last]]
        if not its:
            found.faults += [f"{call.name} wrote, and is no step"] if call.wrote else []
            continue
        world.goes_to(its[0].index)
        seen += len(its)
        try:
            faults = _replay(call, its, world)
        except CannotError as reason:
            found.left_out[str(reason)] += len(its)
            continue
        found.faults += [f"step {its[0].index}, {call.name}: {each}" for each in faults]
        found.replayed += 0 if faults else len(its)
    if seen < len(operations):
        found.left_out["not a call of PyTorch"] += len(operations) - seen
    _compare_gradients(recording, notes, found)
    return found


_EFFECTS = frozenset(
    {"requires_grad_", "requires_grad", "retain_grad", "share_memory_", "numpy", "untyped_storage", "data_ptr", "grad"}
)


def _replay(call: Noted, steps: Sequence[Step], world: World) -> list[str]:
    """Runs a call again. Returns what differs from its steps, and leaves the world after them.

    Raises:
        CannotError: if it cannot be run again.
    """
    try:
        if call.name in _EFFECTS:
            raise CannotError("its effect is not on values")
        inputs = Inputs(call, steps, world)
        result = _made_again(call, inputs)
    finally:
        world.goes_to(steps[-1].index + 1)
    results = dict(zip(call.results, _tensors(result), strict=False))
    faults = list(inputs.written(steps, world))
    for step in steps:
        facts = world.tensors.get(step.output if step.output is not None else -1)
        tensor = results.get(step.output)
        if tensor is None:
            tensor = inputs.tensors.get(step.output if step.output is not None else -1)
        if facts is None:
            raise CannotError("its result is gone, or has become another tensor")
        if tensor is None:
            raise CannotError(f"{call.name} does not return it")
        faults += _differences(facts, tensor, inputs, world)
    return faults


def _made_again(call: Noted, inputs: Inputs) -> Any:
    args, kwargs = inputs.filled(call.args), inputs.filled(call.kwargs)
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        stack.enter_context(torch.set_grad_enabled(call.grad))
        stack.enter_context(torch.autocast("cpu", dtype=call.autocast, enabled=call.autocast is not None))
        for generator, state in call.random:
            generator.set_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))
        try:
            return call.function(*args, **kwargs)
        except Exception as error:  # whatever the function raises
            raise CannotError(f"{call.name} raises {type(error).__name__}: {str(error)[:100]}") from error


class Inputs:
    """The tensors that a call is given, made of what the recording says of them.

    Attributes:
        tensors: by number.
        storages: the storages that they are on, by number.
    """

    def __init__(self, call: Noted, steps: Sequence[Step], world: World) -> None:
        first = steps[0]
        self._new = dict(first.tensors), dict(first.storages), {each.storage for each in first.writes}
        self.tensors: dict[int, Any] = {}
        self.storages: dict[int, Any] = {}
        self._unset: set[int] = set()
        self._facts: dict[int, TensorFacts] = {}
        self._before: dict[int, int] = {}
        for each in (*_tensors(call.args), *_tensors(call.kwargs)):
            if each.number is None:
                raise CannotError("a tensor that is not recorded")
            if each.number not in self.tensors:
                self._make(each.number, world)
        self._before = {number: tensor._version for number, tensor in self.tensors.items()}

    def _make(self, number: int, world: World) -> None:
        facts = world.tensors.get(number) or self._new[0].get(number)
        if facts is None:
            raise CannotError("a tensor that is gone")
        if facts.storage not in self.storages:
            storage = world.storages.get(facts.storage)
            if storage is None and facts.storage not in self._new[2]:
                storage = self._new[1].get(facts.storage)
            if storage is None:
                raise CannotError("a tensor first seen as it was written")
            self.storages[facts.storage] = memory_of(storage)
            self._unset |= {facts.storage} if storage.values is None else set()
        self._facts[number] = facts
        self.tensors[number] = self._with_history(on(self.storages[facts.storage], facts), facts)

    def _with_history(self, tensor: Any, facts: TensorFacts) -> Any:
        if (
            not facts.needs_gradient
        ):  # also where no history is kept: `linear` computes in another order with a weight that needs one
            return tensor
        if facts.node is None:
            return tensor.requires_grad_()
        computed = torch.zeros((), dtype=tensor.dtype, requires_grad=True).clone()
        computed.data = tensor
        return computed

    def filled(self, value: Any) -> Any:
        """Returns arguments with tensors in the places of numbers."""
        if isinstance(value, Numbered):
            return self.tensors[value.number if value.number is not None else -1]
        if type(value) in (list, tuple):
            return type(value)(self.filled(each) for each in value)
        if type(value) is dict:
            return {key: self.filled(each) for key, each in value.items()}
        if isinstance(value, slice):
            return slice(*(self.filled(each) for each in (value.start, value.stop, value.step)))
        return value

    def number_of(self, storage: Any) -> int | None:
        """Returns the number of one of these storages; None for another one."""
        return next((number for number, each in self.storages.items() if each._cdata == storage._cdata), None)

    def written(self, steps: Sequence[Step], world: World) -> Iterator[str]:
        """Yields what the call has written that the recording does not say, and what it says that was not written."""
        said: Counter[int] = Counter()
        for write in (each for step in steps for each in step.writes):
            said[write.counter] += write.after - write.before
        found: Counter[int] = Counter()
        for number, tensor in self.tensors.items():
            found[self._facts[number].counter] += tensor._version - self._before[number]
        for counter in (each for each in found if found[each] != said[each]):
            yield f"raises a version by {found[counter]}, and by {said[counter]} in the recording"
        yield from self._other_values(steps, world)

    def _other_values(self, steps: Sequence[Step], world: World) -> Iterator[str]:
        for number, storage in self.storages.items():
            facts = world.storages.get(number)
            if facts is None or not isinstance(facts.values, tuple) or facts.bytes != storage.nbytes():
                continue
            found, said = (
                torch.empty(0, dtype=dtype_of(facts.dtype)).set_(each) for each in (storage, memory_of(facts))
            )
            # In memory that had no values, only what was written has some now.
            runs = (run for step in steps for write in step.writes if write.storage == number for run in write.slots)
            parts = [slice(*run) for run in runs] if number in self._unset else [slice(None)]
            if not all(same_bytes(found[part], said[part]) for part in parts):
                yield f"leaves other values in storage {number}"


def _differences(facts: TensorFacts, tensor: Any, inputs: Inputs, world: World) -> Iterator[str]:
    """Yields in what a result differs from what is recorded of it."""
    found = (
        tuple(tensor.shape),
        tuple(tensor.stride()),
        tensor.storage_offset(),
        str(tensor.dtype).removeprefix("torch."),
    )
    said = facts.shape, facts.strides, facts.offset, facts.dtype
    if found != said:
        yield f"gives {found}, and {said} in the recording"
        return
    where = inputs.number_of(tensor.untyped_storage())
    there = facts.storage if facts.storage in inputs.storages else None
    if where != there:
        yield f"gives a tensor on storage {where}, and on {facts.storage} in the recording"
    storage = world.storages[facts.storage]
    if storage.values is None or where is not None:  # all of it is compared by `written`
        return
    if isinstance(storage.values, Summary):
        flat = torch.empty(0, dtype=dtype_of(storage.dtype)).set_(tensor.untyped_storage())
        ends = _listed(flat[: len(storage.values.head)]), _listed(flat[-len(storage.values.tail) :])
        if repr(ends) != repr((storage.values.head, storage.values.tail)):
            yield "gives other values at the ends"
    elif not same_bytes(tensor, on(memory_of(storage), facts)):
        yield "gives other values"


def _listed(values: Any) -> tuple[Any, ...]:
    return tuple(values.tolist())


# ---- memory ------------------------------------------------------------------------------------------------------------------


def dtype_of(name: str) -> Any:
    """Returns a type of PyTorch's."""
    return getattr(torch, name)


def memory_of(facts: StorageFacts) -> Any:
    """Returns a new storage of PyTorch's with the recorded values. What has none yet is filled with zeros.

    Raises:
        CannotError: if they are not recorded.
    """
    if isinstance(facts.values, Summary):
        raise CannotError("a storage too large to be recorded whole")
    dtype = dtype_of(facts.dtype)
    if facts.values is None:
        return torch.zeros(facts.bytes, dtype=torch.uint8).untyped_storage()
    kind = np.float32 if dtype is torch.bfloat16 else np.dtype(facts.dtype)
    return torch.from_numpy(np.array(facts.values, kind)).to(dtype, copy=True).untyped_storage()


def on(storage: Any, facts: TensorFacts) -> Any:
    """Returns a tensor on a storage, with a recorded layout."""
    return torch.empty(0, dtype=dtype_of(facts.dtype)).set_(storage, facts.offset, facts.shape, facts.strides)


def same_bytes(one: Any, other: Any) -> bool:
    """Whether the elements of two tensors are the same to the bit. What is no number is so in either: of its bits, a recording has none."""
    if bytes_of(one) == bytes_of(other):
        return True
    if not (one.is_floating_point() or one.is_complex()):
        return False
    numbers = [torch.view_as_real(each) if each.is_complex() else each for each in (one.detach(), other.detach())]
    odd = [torch.isnan(each) for each in numbers]
    return bool((odd[0] == odd[1]).all()) and bytes_of(numbers[0].masked_fill(odd[0], 0)) == bytes_of(
        numbers[1].masked_fill(odd[1], 0)
    )


# ---- gradients ---------------------------------------------------------------------------------------------------------------


def _compare_gradients(recording: Recording, notes: Notes, found: Replayed) -> None:
    """Compares the gradients that a recording shows after each backward pass with those that the program had then."""
    ends = [step for step in recording.steps if step.backward is not None and step.backward.action == "end"]
    if len(ends) != len(notes.gradients):
        found.faults.append(f"{len(notes.gradients)} backward passes ended, and {len(ends)} in the recording")
        return
    world = World(recording.steps)
    for step, gradients in zip(ends, notes.gradients, strict=True):
        world.goes_to(step.index + 1)
        shown = {number: facts.grad for number, facts in world.tensors.items() if facts.grad is not None}
        if missing := shown.keys() ^ gradients.keys():
            found.faults.append(f"step {step.index}: gradients of {sorted(missing)[:5]} are only in one of both")
        for number in shown.keys() & gradients.keys():
            facts = world.tensors.get(shown[number])
            storage = None if facts is None else world.storages[facts.storage]
            if facts is None or storage is None or not isinstance(storage.values, tuple):
                continue
            found.gradients += 1
            if bytes_of(on(memory_of(storage), facts)) != gradients[number]:
                found.faults.append(f"step {step.index}: the gradient of tensor {number} has other values")
