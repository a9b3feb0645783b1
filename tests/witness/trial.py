"""Runs a program without a recorder, with a witness, and recorded in every way that there is, and compares the results."""

from __future__ import annotations

import ast
import gc
import linecache
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import inplacelab as paddle
from inplacelab import Tensor, modes, observe
from inplacelab.backends import CPU
from inplacelab.cli.script import run_script
from inplacelab.nn import layer
from inplacelab.recorders import instrument
from inplacelab.recorders.part import Part
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.recording import Recording, State

from .alive import Picture, picture
from .matching import Matching
from .recorded import recorded_picture

FILENAME = "<program>"
LIMIT = 10_000


@dataclass(frozen=True)
class WitnessedRun:
    """What the witness found during an unrecorded run."""

    pictures: tuple[Picture | None, ...]
    """One before each statement, and one at the end; None where observers receive no events: inside a custom operation."""
    operations: tuple[tuple[str, int], ...]
    """Name and line."""
    left: tuple[Any, ...]


class Witness(observe.Observer):
    """Takes a picture of everything before each statement. (It receives marks and operations as a recorder does, but keeps no journal.)"""

    def __init__(self) -> None:
        self.pictures: list[Picture | None] = []
        self.operations: list[tuple[str, int]] = []
        self._passes, self._start = 0, CPU.ledger.live
        self._around: list[str] = []
        self._called = ""  # whether a pass has called the program's own code: a "hook", or a "custom" derivative

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        self.look(frame)

    def look(self, frame: FrameType | None, names: dict[str, Any] | None = None) -> None:
        found = picture(frame, FILENAME, names)
        assert found.live == CPU.ledger.live - self._start, "the ledger is wrong"
        if self._passes and self._called != "hook":
            # saved tensors that a derivative unpacks are recorded only when they are used
            found = replace(found, expected={}, reached=frozenset())
        self.pictures.append(
            None if self not in modes.current().listeners else replace(found, peak=CPU.ledger.peak - self._start)
        )

    def operation(self, name: str, *_: Any, **__: Any) -> None:
        if not self._passes or self._called:
            frames = traceback.walk_stack(sys._getframe(1))
            self.operations.append((name, next(line for f, line in frames if f.f_code.co_filename == FILENAME)))

    def backward_begins(self, roots: Any) -> None:
        self._around.append(self._called)
        self._called = ""
        self._passes += 1

    def hook_begins(self, node: Any, hook: Any, gradient: Any) -> None:
        self._called = "hook"

    def hook_ends(self, node: Any, gradient: Any) -> None:
        self._called = ""

    def custom_begins(self, node: Any, function: Any, gradients: Any) -> None:
        self._called = "custom"

    def custom_ends(self, node: Any) -> None:
        self._called = ""

    def backward_ends(self) -> None:
        self._called = self._around.pop()
        self._passes -= 1

    def backward_fails(self) -> None:
        self.backward_ends()


@contextmanager
def fresh() -> Iterator[None]:
    """A new session without garbage collection. The witness does not see older objects (until `gc.unfreeze()`)."""
    paddle.set_grad_enabled(True)
    paddle.seed(7)
    layer._serials.clear()  # layers are numbered from the start of the session, and errors name them
    gc.collect()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.enable()
        paddle.set_grad_enabled(True)


def left(names: dict[str, Any], error: BaseException | None) -> tuple[Any, ...]:
    """What a program leaves behind: values, metadata and histories of its names, and its error."""
    tensors = {name: value for name, value in names.items() if isinstance(value, Tensor)}
    numbers = {  # compared as text, since NaN is unequal to itself
        name: repr(value) for name, value in names.items() if isinstance(value, int | float | str) and name[0] != "_"
    }
    return (
        [(name, *_facts(value)) for name, value in tensors.items()],
        numbers, type(error).__name__, str(error),
    )  # fmt: skip


def _facts(tensor: Tensor) -> tuple[Any, ...]:
    grad = tensor.grad
    try:
        history = tensor.grad_fn
    except RuntimeError:  # a view made as a constant, whose storage was written since
        history = None
    return (
        tensor.numpy().tobytes(), tuple(tensor.shape), tensor.strides, tensor.offset, str(tensor.dtype), tensor.stop_gradient,
        tensor.is_leaf, tensor.inplace_version, history and history.name(), None if grad is None else grad.numpy().tobytes(),
    )  # fmt: skip


def unobserved(text: str) -> tuple[Any, list[tuple[int, int]]]:
    """Run it with no observer. Returns what it leaves, and the live bytes and their peak at each statement."""
    byte_counts: list[tuple[int, int]] = []
    with fresh():
        ledger = CPU.ledger
        ledger.reset_peak()
        start = ledger.live

        def mark(*_: Any) -> None:
            byte_counts.append((ledger.live - start, ledger.peak - start))

        with instrument.listening(mark):
            names, error = execute(text)
        mark()
        return left(names, error), byte_counts


@lru_cache(maxsize=1)
def marked(text: str) -> CodeType:
    """A program with marks, compiled."""
    return compile(instrument.instrumented(ast.parse(text)), FILENAME, "exec")


def execute(text: str) -> tuple[dict[str, Any], BaseException | None]:
    """Run a marked program."""
    names: dict[str, Any] = {}
    try:
        exec(marked(text), names)
    except Exception as error:  # noqa: BLE001  # compared with that of the recorded run
        return names, error
    return names, None


def witnessed(text: str) -> WitnessedRun:
    """Run it with a witness and without a recorder."""
    with fresh():
        CPU.ledger.reset_peak()
        witness = Witness()
        with observe.listening(witness), instrument.listening(witness.statement_begins):
            names, error = execute(text)
            witness.look(None, names)
        return WitnessedRun(tuple(witness.pictures), tuple(witness.operations), left(names, error))


def stepped(text: str, also: Callable[..., None] | None = None) -> tuple[Recording, tuple[Any, ...]]:
    """Record it as `%%stepper` does. `also`: another function that receives the marks."""
    session = Session(Program.of(ast.parse(text), text, FILENAME), part=Part(LIMIT))
    names: dict[str, Any] = {}
    with fresh(), ExitStack() as stack:
        if also is not None:
            stack.enter_context(instrument.listening(also))
        error = session.run([marked(text)], names)
        return session.recording(), left(names, error)


def in_a_block(text: str) -> tuple[Recording, tuple[Any, ...]]:
    """Record it with `with paddle.record():` around it."""
    filename = "<block>"
    body = "".join(f"    {line}\n" for line in text.splitlines())
    whole = f"import inplacelab as paddle\nwith paddle.record(limit={LIMIT}) as the_block:\n{body}"
    linecache.cache[filename] = (len(whole), None, whole.splitlines(keepends=True), filename)
    names: dict[str, Any] = {}
    error: BaseException | None = None
    with fresh():
        try:
            exec(compile(whole, filename, "exec"), names)
        except Exception as raised:  # noqa: BLE001  # compared with that of the other runs
            error = raised
        recording = names.pop("the_block").recording
        return recording, left(names, error)


def by_command(text: str, folder: Path) -> Recording:
    """Record it as `inplacelab record` does."""
    path = folder / "program.py"
    path.write_text(text)
    with fresh():
        return run_script(path, [], title="", limit=LIMIT)[0]


# ---- the verdict -----------------------------------------------------------------------------------------------------------


def differences(text: str, folder: Path | None = None) -> list[str]:
    """Everything that does not agree. Of the statements, only the first one with differences is reported."""
    run = witnessed(text)
    recording, recorded_left = stepped(text)
    plain_left, byte_counts = unobserved(text)
    found = [
        f"recording changes what is left: {a} is {b} when recorded"
        for a, b in zip(plain_left, recorded_left, strict=True)
        if a != b
    ]
    found += [
        f"the witness changes what is left: {a}, {b}" for a, b in zip(plain_left, run.left, strict=True) if a != b
    ]
    found += _statements(recording, run, byte_counts)
    operations = tuple((s.op, s.line) for s in recording.steps if s.kind == "operation")
    if operations != run.operations:
        found.append(f"operations: recorded {operations}, found {run.operations}")
    found += _block(text, recording, plain_left)
    if folder is not None and repr(by_command(text, folder).steps) != repr(recording.steps):
        found.append("the command records something else than the stepper")
    return found


def _statements(recording: Recording, run: WitnessedRun, byte_counts: list[tuple[int, int]]) -> list[str]:
    """Compare what is recorded for the end of each statement with what the witness found there."""
    if len(byte_counts) != len(run.pictures):
        return ["the witness sees another number of statements"]
    steps = recording.steps
    at = -1
    for turn, (shown, account) in enumerate(zip(run.pictures, byte_counts, strict=True)):
        before = at
        while at + 1 < len(steps) and steps[at + 1].turn <= turn:
            at += 1
        if at < 0 or shown is None:
            continue
        if turn == len(byte_counts) - 1:
            at = len(steps) - 1
        state = recorded_picture(recording.state(at))
        live, peak = account if at != before else (state.live, state.peak)  # no step of this statement could record it
        found = Matching(state, replace(shown, live=live, peak=peak)).differences
        if found:
            return [f"after statement {turn} (step {at}, line {steps[at].line}): {each}" for each in found]
    return []


def _block(text: str, stepped: Recording, plain: tuple[Any, ...]) -> list[str]:
    """Compare what a `with` block records with what the stepper records."""
    recording, block_left = in_a_block(text)
    found = [f"a block changes what is left: {a} is {b}" for a, b in zip(plain, block_left, strict=True) if a != b]
    ours = [step for step in recording.steps if step.kind != "line"]
    theirs = [step for step in stepped.steps if step.kind != "line"]
    if len(ours) != len(theirs):
        return [*found, f"a block has {len(ours)} steps, the stepper {len(theirs)}"]
    for one, other in zip(ours, theirs, strict=True):
        events = [_happened(each) for each in (one, other)]
        if events[0] != events[1]:
            return [*found, f"step {one.index} of a block, line {one.line}: {events[0]}; the stepper's: {events[1]}"]
        in_a_hook = other.index and (stepped.steps[other.index - 1].kind, other.phase) == ("line", "backward")
        if one.index and other.index and not in_a_hook:  # whose statements are steps, but not in a block
            unlike = _unlike(recording.state(one.index - 1), stepped.state(other.index - 1))
            if unlike:
                return [*found, f"before step {one.index} of a block, line {one.line}: {unlike}"]
    return found


def _happened(step: Any) -> tuple[Any, ...]:
    return (
        step.kind, step.phase, step.line, step.op, step.category, step.inputs, step.output, step.writes, step.rewired, step.kept,
        step.peak, repr(step.backward), repr(step.error),
    )  # fmt: skip


def _unlike(one: State, other: State) -> list[str]:
    """What two recordings record differently of objects alive in both. Names do not count: a block notices them later."""
    found = []
    for kind in ("tensors", "storages", "counters", "nodes"):
        here, there = getattr(one, kind), getattr(other, kind)
        for key in here.keys() & there.keys():
            a, b = (
                replace(each, names=()) if isinstance(each, TensorFacts) else each for each in (here[key], there[key])
            )
            if repr(a) != repr(b):
                found.append(f"{a} in the block, {b} in the stepper")
    return found
