"""What a recorder leaves on what it has met, and what two of them know that listen at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import inplacelab as paddle
from inplacelab.recorders import copies
from inplacelab.recorders.between import Between
from inplacelab.recorders.seen import known_to

PROGRAM = "x = paddle.ones([2])\ny = x[0]\ny.add_(x[1])\nz = x * 2.\n"


def test_nothing_is_left_on_what_outlives_a_recording(run_block: Callable[[str], Any]) -> None:
    x = paddle.ones([3])
    with paddle.record():
        y = x.add_(x)[1:]
        assert x._told.serial == 0
        assert x.storage.told.serial == 0
    assert x._told is y._told is x.storage.told is None


def test_two_recorders_at_once_tell_the_same() -> None:
    x = paddle.ones([3])
    with paddle.record() as outer:
        x.add_(x)
        with paddle.record() as inner:
            x.add_(x)
            y = x[0]
            z = y * 2.0
            x.scale_(0.5)
        x.add_(z)
        y.zero_()
    assert outer.recording is not None
    assert inner.recording is not None
    assert [step.op for step in outer.recording.steps] == [
        "add_",
        "add_",
        "getitem",
        "scale",
        "scale_",
        "add_",
        "zero_",
    ]
    assert [step.op for step in inner.recording.steps] == ["add_", "getitem", "scale", "scale_"]
    for recording, at in ((outer.recording, 4), (inner.recording, 3)):
        state = recording.state(at)
        told = {
            tensor.names[0]: state.storages[tensor.storage].values for tensor in state.tensors.values() if tensor.names
        }
        assert told == {"x": (2.0, 2.0, 2.0), "y": (2.0, 2.0, 2.0), "z": (8.0,)}
    last = outer.recording.state(len(outer.recording) - 1)
    assert {storage.values for storage in last.storages.values()} == {(0.0, 10.0, 10.0), (8.0,)}
    assert x._told is x.storage.told is None


def test_what_one_journal_knows_leads_to_what_the_other_knows() -> None:
    class Told:
        def __init__(self, journal: object, beside: Any) -> None:
            self.journal, self.beside = journal, beside

    first, second = object(), object()
    one = Told(first, None)
    two = Told(second, one)
    assert known_to(first, two) is one
    assert known_to(second, two) is two
    assert known_to(object(), two) is None


def test_the_memory_of_a_recording_that_was_read_is_used_again() -> None:
    copies.forget_spare()
    with paddle.record() as first:
        x = paddle.arange(100, dtype="float32")
    (spare,) = copies._spare
    told = first.recording
    with paddle.record() as second:
        assert not copies._spare
        y = x + 1.0
        y.zero_()
    assert copies._spare == [spare]
    assert told is not None
    assert second.recording is not None
    assert told.state(0).storages[0].values == tuple(map(float, range(100)))
    assert [step.storages[-1][1].values[:2] for step in second.recording.steps] == [(1.0, 2.0), (0.0, 0.0)]  # type: ignore[index, union-attr]


def test_a_large_memory_is_not_kept() -> None:
    copies.forget_spare()
    memory = copies.Memory()
    memory.write(bytes(copies.SPARE + 1))
    memory.give_back()
    assert copies._spare == []


STATEMENTS = """\
a = f(x) + g(y)
for x in s: y = x + (
    1)
b = 1; c = (2 +
    3)
if q:
    loss = net(x).mean()
z = [i for i in s]
w = (x +
     y)
"""


def test_which_lines_are_of_one_statement() -> None:
    block = Between(STATEMENTS, first_line=10)
    assert [line for line in range(10, 22) if block.one_statement(line, line)] == [10, 16, 18, 19]
    assert block.one_statement(18, 19)
    assert not block.one_statement(16, 18)
