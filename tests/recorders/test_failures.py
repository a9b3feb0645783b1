"""Tests that a failure of the recorder never reaches the program: the recording stops, says so, and keeps what it has."""

from __future__ import annotations

import ast
import gc
import linecache
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, backends, errors, modes
from inplacelab.frameworks.engine.objects import EngineObjects
from inplacelab.frameworks.engine.recorder import EngineRecorder
from inplacelab.observe import Observer
from inplacelab.recorders import advice, builder, instrument, own_code, run
from inplacelab.recorders.detection import Use
from inplacelab.recorders.events import Event, Stopped
from inplacelab.recorders.log import EventLog
from inplacelab.recorders.program import Program
from inplacelab.recording import Recording, from_json, to_json
from inplacelab.recording.sentences import sentence

PROGRAMS = {
    "inplacelab": """\
def clip(gradient):
    limited = gradient * 0.5
    return limited
class Twice(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2
    @staticmethod
    def backward(ctx, gradient):
        (a,) = ctx.saved_tensor()
        return gradient * 2 + a * 0
x = paddle.to_tensor([1.0, 2.0, 3.0])
x.stop_gradient = False
h = x * 3
v = h[1:]
v.scale_(2.0)
h.register_hook(clip)
y = Twice.apply(h).exp()
try:
    x.zero_()
except ValueError as error:
    message = str(error)
y.sum().backward()
gradient = x.grad
try:
    y.sum().backward()
except Exception as error:
    second = str(error)
del h, v
w = x.detach()
w.reshape_([3, 1])
(again,) = paddle.grad((x * x).sum(), [x])
z = again.tanh_()
1 / 0
""",
    "numpy": """\
x = np.zeros(4)
v = x[1:]
v += 2
y = x * 3
y.sort()
x = None
1 / 0
""",
}


class Failing(EventLog):
    """A log that raises when a certain event is emitted."""

    at, error, seen = -1, MemoryError, 0

    def __init__(self) -> None:
        super().__init__()
        append, Failing.seen = self.emit, 0

        def emit(event: Event) -> None:
            Failing.seen += not isinstance(event, Stopped)
            if Failing.seen - 1 == Failing.at and not isinstance(event, Stopped):
                raise Failing.error
            append(event)

        self.emit = emit


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Failing]]:
    monkeypatch.setattr(run, "EventLog", Failing)
    monkeypatch.setitem(own_code.OWNS, __file__, False)  # it is a part of the recorder
    monkeypatch.setattr(Failing, "at", -1)
    monkeypatch.setattr(Failing, "error", MemoryError)
    yield Failing
    check_off()


def check_off() -> None:
    assert modes.current().listeners == modes.current().launch_listeners == ()
    assert errors.watchers == []
    assert [device.ledger.episodes for device in backends.ALL] == [()] * len(backends.ALL)
    assert instrument._listeners == []
    assert sys.gettrace() is TRACE
    assert paddle.ones([2]).exp_().shape == [2]


TRACE = sys.gettrace()


def values(names: dict[str, Any]) -> dict[str, Any]:
    """What a program has computed."""
    found: dict[str, Any] = {}
    for name, value in names.items():
        if isinstance(value, Tensor):
            found[name] = value.numpy().tobytes()
        elif isinstance(value, np.ndarray | str):
            found[name] = value.tobytes() if isinstance(value, np.ndarray) else value.partition("\n")[0]
    return found


def ran(framework: str) -> tuple[Recording, dict[str, Any], BaseException | None]:
    """Runs a program as `%%stepper` does."""
    text = PROGRAMS[framework]
    tree = ast.parse(text)
    session = run.Session(Program.of(tree, text, "<failing>"), use=Use(framework))
    names: dict[str, Any] = {"paddle": paddle, "np": np}
    error = session.run([compile(instrument.instrumented(tree), "<failing>", "exec")], names)
    return session.recording(), values(names), error


def ran_in_block(framework: str) -> tuple[Recording, dict[str, Any], BaseException | None]:
    """Runs a program inside `with record():`."""
    lines = ["with paddle.record(framework=framework) as block:\n"]
    lines += [f"    {line}" for line in PROGRAMS[framework].splitlines(keepends=True)]
    linecache.cache["<failing block>"] = (len(lines), None, lines, "<failing block>")
    names: dict[str, Any] = {"paddle": paddle, "np": np, "framework": framework}
    caught: BaseException | None = None
    try:
        exec(compile("".join(lines), "<failing block>", "exec"), names)
    except BaseException as error:  # noqa: BLE001
        caught = error
    del names["framework"]
    return names["block"].recording, values(names), caught


def operations(recording: Recording) -> list[str | None]:
    return [step.op for step in recording.steps if step.kind == "operation"]


@pytest.mark.parametrize(("way", "every"), [(ran, 3), (ran_in_block, 11)])
@pytest.mark.parametrize("framework", PROGRAMS)
def test_a_failure_at_any_event_stops_the_recording(
    failing: type[Failing], framework: str, way: Callable[..., Any], every: int
) -> None:
    whole, right, _ = way(framework)
    count = failing.seen
    assert whole.notes == ()
    assert count > 20
    for failing.at in range(0, count, every):
        recording, found, error = way(framework)
        assert found == right
        assert type(error) is ZeroDivisionError
        (note,) = recording.notes
        assert "MemoryError" in note.en
        assert f"after step {len(recording)}:" in note.en
        assert operations(recording) == operations(whole)[: len(operations(recording))]
        assert from_json(to_json(recording)) == recording
        assert all(sentence(recording, step.index).en for step in recording.steps)
        check_off()


@pytest.mark.parametrize(("way", "every"), [(ran, 3), (ran_in_block, 11)])
@pytest.mark.parametrize("framework", PROGRAMS)
def test_an_interrupt_at_any_event_reaches_the_program(
    failing: type[Failing], framework: str, way: Callable[..., Any], every: int
) -> None:
    whole, _, _ = way(framework)
    count, failing.error = failing.seen, KeyboardInterrupt  # type: ignore[assignment]
    for failing.at in range(0, count, every):
        recording, _, error = way(framework)
        assert type(error) is KeyboardInterrupt
        assert operations(recording or whole) == operations(whole)[: len(operations(recording or whole))]
        check_off()


METHODS = [name for name in vars(Observer) if not name.startswith("_")]


@pytest.mark.parametrize(
    "name", [*METHODS, "refused", "statement_begins", "failed", "finish", "forget", "live_and_peak"]
)
def test_a_failure_in_any_method(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    _, right, _ = ran("inplacelab")
    original = getattr(EngineRecorder, name)
    for at in range(3):
        calls = iter(range(1000))

        def fails(self: Any, *args: Any, at: int = at, calls: Iterator[int] = calls, **kwargs: Any) -> Any:
            if next(calls) == at:
                raise RuntimeError("a bug of the recorder")
            return original(self, *args, **kwargs)

        with monkeypatch.context() as patch:
            patch.setattr(EngineRecorder, name, fails)
            recording, found, error = ran("inplacelab")
        assert found == right
        assert type(error) is ZeroDivisionError
        if next(calls) > at + 1 and name != "forget":
            (note,) = recording.notes
            assert "RuntimeError: a bug of the recorder (test_failures.py:" in note.en
        check_off()


def test_an_interrupt_while_an_object_is_freed_reaches_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(EngineObjects, "_tensor_died", interrupted)
    block = paddle.record()

    def program() -> None:
        with block:
            x = paddle.ones([2])
            del x

    with pytest.raises(KeyboardInterrupt):
        program()
    assert block.recording is not None
    assert "KeyboardInterrupt" in block.recording.notes[0].en
    check_off()


class TooLateError(Exception):
    """What a signal handler of a program raises."""


def test_an_exception_of_a_signal_handler_reaches_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def handler(*_: object) -> None:
        raise TooLateError

    operation = EngineRecorder.operation

    def signalled(self: Any, *args: Any, **kwargs: Any) -> None:
        signal.raise_signal(signal.SIGUSR1)
        operation(self, *args, **kwargs)

    before = signal.signal(signal.SIGUSR1, handler)
    monkeypatch.setattr(EngineRecorder, "operation", signalled)
    try:
        with pytest.raises(TooLateError), paddle.record() as block:
            paddle.ones([2])
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert block.recording is not None
    assert len(block.recording.notes) == 1
    check_off()


@pytest.mark.parametrize(("module", "name"), [(builder, "build"), (advice, "advised"), (advice, "annotate")])
def test_a_failure_after_the_run_does_not_replace_the_programs_error(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise RuntimeError("a bug of the recorder")

    monkeypatch.setattr(module, name, fails)
    block = paddle.record()

    def program() -> None:
        with block:
            x = paddle.ones([2])
            x.stop_gradient = False
            x.zero_()

    with pytest.raises(ValueError, match="Leaf Var"):
        program()
    assert block.recording is not None
    if name != "annotate":
        assert "RuntimeError: a bug of the recorder (test_failures.py:" in block.recording.notes[0].en
    check_off()


def test_a_stopped_recording_keeps_nothing_alive(failing: type[Failing]) -> None:
    failing.at = 6
    before = backends.current().ledger.live
    gc.disable()
    try:
        with paddle.record() as block:
            x = paddle.ones([1000])
            x.exp_()
            del x
            assert backends.current().ledger.live == before
    finally:
        gc.enable()
    assert block.recording is not None
    assert len(block.recording.notes) == 1
