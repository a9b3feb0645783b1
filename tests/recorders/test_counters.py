"""Tests storages with several version counters: a write through one does not change the others or make their saved tensors stale."""

from __future__ import annotations

import numpy as np
import pytest

from inplacelab.layout import Layout
from inplacelab.place import Place
from inplacelab.recorders import events
from inplacelab.recorders.builder import build
from inplacelab.recorders.events import Operand
from inplacelab.recorders.snapshots import Whole
from inplacelab.recording import Recording, from_json, queries, sentence, to_json
from inplacelab.recording.facts import SourceFacts
from inplacelab.recording.quiz import questions_at
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.saved_tensors import pins_at
from inplacelab_widgets.scene.tables import tables
from inplacelab_widgets.words import UNNOTICED

LAYOUT = Layout((2,), (1,), 0)
X, DATA = Operand(0, 0, 0, LAYOUT, "float32"), Operand(1, 0, 1, LAYOUT, "float32")
SOURCE = "y = x * x\nd = x.data\nd.zero_()\nx.add_(1)\ndel x, d\n"


def _values(*numbers: float) -> Whole:
    return Whole(np.array(numbers, "float32").tobytes(), np.dtype("float32"))


def _line(number: int) -> events.StatementBegan:
    return events.StatementBegan(Place(number), simple=True, depth=1, live=8, peak=8)


def _made(operand: Operand, name: str) -> events.TensorMade:
    return events.TensorMade(operand, "cpu", needs_gradient=False, base=None, node=None, grad=None, names=(name,))


def _wrote(name: str, through: Operand, line: int) -> events.OperationDone:
    return events.OperationDone(name, "in-place", (through,), through, None, Place(line), 8, 8)


@pytest.fixture(scope="module")
def recording() -> Recording:
    kept = events.Kept("x", 0, 0, 0, LAYOUT, copy=False)
    emitted: list[events.Event] = [
        _line(1),
        events.StorageSeen(0, 8, 2, "float32", "cpu", simulated=False, values=_values(1, 2)),
        events.CounterSeen(0, 0, 0),
        _made(X, "x"),
        events.NodeMade(0, "MulBackward0", ("self",), (None,), (kept,), released=False, leaf=None, view=True),
        events.OperationDone("mul", "ordinary", (X, X), X, 0, Place(1), 8, 8),
        _line(2),
        events.CounterSeen(1, 0, 0),
        _made(DATA, "d"),
        _line(3),
        events.Wrote(0, 1, 1, _values(0, 0)),
        _wrote("zero_", DATA, 3),
        _line(4),
        events.Wrote(0, 0, 1, _values(1, 1)),
        _wrote("add_", X, 4),
        _line(5),
        events.Died("tensor", 0),
        events.Died("tensor", 1),
        events.Died("storage", 0),
        events.ProgramEnded(0, 8),
    ]
    return build(emitted, Recording("torch", "2", "apart", (SourceFacts("", SOURCE),), ()))


def test_each_counts_for_itself(recording: Recording) -> None:
    after = [recording.after_line(line) for line in (1, 2, 3, 4)]
    assert [state.versions(0) for state in after] == [(0,), (0, 0), (0, 1), (1, 1)]
    assert [state.version("x") for state in after] == [0, 0, 0, 1]
    assert [state.version("d") for state in after[1:]] == [0, 1, 1]
    assert [(w.storage, w.counter, w.before, w.after) for s in recording.steps for w in s.writes] == [
        (0, 1, 0, 1),
        (0, 0, 0, 1),
    ]


def test_a_write_that_another_counter_counts_makes_nothing_stale(recording: Recording) -> None:
    through_data, through_x = recording.after_line(3), recording.after_line(4)
    assert queries.stale(through_data) == ()
    ((_, saved),) = queries.stale(through_x)
    assert [step.op for step, _ in queries.who_overwrote(recording, saved)] == ["add_"]
    assert [step.op for step, _ in queries.who_raised(recording, 0)] == ["zero_", "add_"]
    assert queries.changed_values(recording, through_data.step.index) == (0, 1)


def test_what_another_counter_counts_overwrites_unnoticed(recording: Recording) -> None:
    ((node, saved),) = queries.stale(recording.after_line(4))

    def is_unnoticed(line: int) -> bool:
        return queries.overwritten_unnoticed(recording, recording.after_line(line), node, saved)

    assert [is_unnoticed(line) for line in (2, 3, 4)] == [False, True, True]
    (face,) = pins_at(recording, recording.after_line(3)).values()
    assert (face.status, face.state) == ("fresh", UNNOTICED)


def test_counters_go_with_their_storage(recording: Recording) -> None:
    state = recording.state()
    assert (dict(state.storages), dict(state.counters), state.versions(0)) == ({}, {}, ())
    assert from_json(to_json(recording)) == recording


def test_it_has_sentences_and_pictures(recording: Recording) -> None:
    step = recording.after_line(3).step.index
    assert "Version of `d`: 0 → 1. The counter of `x` does not count this write." in sentence(recording, step).en
    (version,) = [each for each in questions_at(recording, step) if each.kind == "version"]
    assert [version.options[place].en for place in version.right] == ["v1"]
    storages, *_ = tables(recording, recording.state(step))
    assert "v0, v1" in storages.rows[0][1]
    assert scene_of(recording).lanes.says[2][1].en == "Version of each storage: S0 v0, v1."
