"""Tests events: what emits them, where they are stored, and that a recording is made from them alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, replace
from random import Random
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.frameworks.engine.recorder import EngineRecorder
from inplacelab.layout import Layout
from inplacelab.place import Place
from inplacelab.recorders import events, instrument
from inplacelab.recorders.builder import Builder, build
from inplacelab.recorders.log import EventLog, EventRing
from inplacelab.recorders.program import Program, Scope
from inplacelab.recording import Recording, from_json, to_json
from inplacelab.recording.facts import NodeFacts, SourceFacts
from tests.witness import random_programs

PROGRAM = """\
a = paddle.to_tensor([1., 2.], stop_gradient=False)
b = a * 2
v = b[:1]
for k in range(20):
    b.add_(b.detach()).scale_(0.5)
index = paddle.to_tensor([1])
b[[1]]
b.index_fill_(index, 0, 3.)
loss = (b * b).sum()
loss.backward()
del v
"""


class Tee:
    """Two logs that receive the same events."""

    def __init__(self, *logs: Any) -> None:
        self._logs = logs

    @property
    def emitted(self) -> int:
        found: int = self._logs[0].emitted
        return found

    def emit(self, event: events.Event, /) -> None:
        for log in self._logs:
            log.emit(event)


def listened(text: str, log: Any) -> None:
    """Runs a program under a recorder that emits to `log`."""
    tree = ast.parse(text)
    recorder = EngineRecorder(Program.of(tree, text, "<program>"), log)
    names: dict[str, Any] = {"paddle": paddle}
    recorder.begin()
    with instrument.listening(recorder.statement_begins):
        try:
            exec(compile(instrument.instrumented(tree), "<program>", "exec"), names)
        except Exception as error:  # noqa: BLE001  # of a random program
            recorder.failed(error)
        recorder.finish([Scope(names, "")])
    recorder.end()


def is_event(kind: type) -> bool:
    return issubclass(kind, events.Event) and kind is not events.Event


def built(log: Any, text: str = PROGRAM) -> Recording:
    return build(log, Recording("inplacelab", "0", "", (SourceFacts("", text),), ()))


def test_the_engine_emits_what_the_builder_reads() -> None:
    log = EventLog()
    listened(PROGRAM, log)
    kinds = Counter(type(event).__name__ for event in log)
    assert kinds["StatementBegan"] == 10 + 20, (
        "one for each line outside the loop and for its head, and one for each time round"
    )
    assert {event.origin for event in log} == {events.OBSERVED}
    done = {event.name: event for event in log if isinstance(event, events.OperationDone)}
    depends = done["scale_"].depends
    assert depends is not None
    assert {each.name: each.value for each in depends.given} == {"scale": 0.5, "bias": 0.0, "bias_after_scale": True}
    assert done["index_fill_"].output.part == (1,)
    assert done["getitem"].inputs[0].part == (1,), "the last is `b[[1]]`"
    assert done["add_"].output.layout == ((2,), (1,), 0)


def test_what_a_block_does_not_tell_is_inferred() -> None:
    log = EventLog()
    tree = ast.parse("x = paddle.ones([2])\nx.zero_()\n")
    recorder = EngineRecorder(Program.of(tree, "", "<block>"), log)
    recorder.begin()
    exec(compile(tree, "<block>", "exec"), {"paddle": paddle})
    recorder.end()
    assert {type(event).__name__ for event in log if not event.origin.observed} <= {"StatementBegan"}


def test_events_cannot_be_made_of_what_they_do_not_hold() -> None:
    with pytest.raises(TypeError):
        events.Wrote(0, 0, 1, None, None, "positions")  # type: ignore[call-arg, arg-type]
    with pytest.raises(AttributeError):
        events.Handed().tensor = 1  # type: ignore[attr-defined]


def without_its_operation(node: NodeFacts) -> NodeFacts:
    """Clears a node's operation, which is known only if the operation is in the ring."""
    return replace(node, op="", place=None, status="")


@pytest.mark.parametrize("kind", [each for each in vars(events).values() if isinstance(each, type) and is_event(each)])
def test_the_builder_has_a_case_for_every_event(kind: type[events.Event]) -> None:
    event = kind(*(Anything() for field in fields(kind) if field.name != "origin"))
    assert "does not know" not in complaint_about(event)


def complaint_about(event: events.Event) -> str:
    try:
        Builder().add(event)
    except Exception as error:  # noqa: BLE001  # it holds nothing of use
        return str(error)
    return ""


class Anything:
    """A substitute for any fact."""

    def __iter__(self) -> Iterator[int]:
        return iter(())

    def __hash__(self) -> int:
        return 0


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(TypeError, match="unknown event Event"):
        Builder().add(events.Event())


def test_what_is_made_and_freed_between_two_operations_is_gone() -> None:
    other, own = (events.Operand(n, n, n, Layout((2,), (1,), 0), "float32") for n in range(2))
    recording = build(
        [
            events.StatementBegan(Place(1), simple=True, depth=1, live=0, peak=0),
            *_made(other),
            events.Died("tensor", 0),
            *_made(own),
            events.OperationDone("ones", "create", (), own, None, Place(1), 8, 8),
            events.Died("storage", 0),
            events.ProgramEnded(8, 8),
        ],
        Recording("torch", "2", "", (SourceFacts("", "x = torch.ones(2)\n"),), ()),
    )
    state = recording.state()
    assert (set(state.tensors), set(state.storages), set(state.counters)) == ({1}, {1}, {1})
    assert from_json(to_json(recording)) == recording


def _made(operand: events.Operand) -> Iterator[events.Event]:
    """A tensor, on a storage of its own."""
    yield events.StorageSeen(operand.storage, 8, 2, "float32", "cpu", simulated=False, values=None)
    yield events.CounterSeen(operand.counter, operand.storage, 0)
    yield events.TensorMade(operand, "cpu", needs_gradient=False, base=None, node=None, grad=None, names=())


# ---- the ring -----------------------------------------------------------------------------------------------------------------


def test_a_ring_holds_no_more_than_its_size_and_what_is_alive() -> None:
    log, ring = EventLog(), EventRing(16)
    listened("x = paddle.ones([2])\nfor k in range(400):\n    y = x * 2.\n    x.add_(y)\n", Tee(log, ring))
    assert log.emitted > 2000
    assert ring.cut == log.emitted - 16
    assert sum(1 for _ in ring) < 16 + 10
    assert list(ring)[-16:] == list(log)[-16:]


@pytest.mark.parametrize("seed", range(12))
def test_a_recording_of_a_ring_ends_as_the_whole_one_does(seed: int) -> None:
    text = random_programs.write(Random(seed))
    log, ring = EventLog(), EventRing(40)
    listened(text, Tee(log, ring))
    assert ring.cut
    whole, cut = built(log, text).state(), built(ring, text).state()
    assert repr(cut.storages) == repr(whole.storages), "by their texts: NaN is not equal to itself"
    assert cut.counters == whole.counters
    assert cut.tensors == whole.tensors
    assert {number: without_its_operation(node) for number, node in cut.nodes.items()} == {
        number: without_its_operation(node) for number, node in whole.nodes.items()
    }
    for number, node in cut.nodes.items():
        assert (node.op, node.line) in {("", None), (whole.nodes[number].op, whole.nodes[number].line)}


# ---- what is imported while a program runs ------------------------------------------------------------------------------------

ASK = """\
import ast, sys
import inplacelab
from inplacelab.recorders import instrument
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session

text = "x = paddle.ones([2])\\nlook()\\nx.add_(x)\\nlook()"
tree = ast.parse(text)
session = Session(Program.of(tree, text, "<program>"))
def look():
    later = [name for name in sys.modules if name.startswith(("inplacelab.recording", "inplacelab_widgets"))]
    later += [name for name in sys.modules if name in ("inplacelab.recorders.builder", "inplacelab.recorders.advice")]
    print("while it runs:", *sorted(later))
session.run([compile(instrument.instrumented(tree), "<program>", "exec")], {"paddle": inplacelab, "look": look})
session.recording()
print("afterwards:", "inplacelab.recorders.builder" in sys.modules)
"""


def test_while_a_program_runs_only_events_are_made() -> None:
    answer = subprocess.run([sys.executable, "-c", ASK], capture_output=True, text=True, check=False)
    assert answer.stdout.splitlines() == ["while it runs:", "while it runs:", "afterwards: True"], answer.stderr
