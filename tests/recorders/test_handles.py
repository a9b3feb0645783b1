"""Tests handles: the facts of live objects, and that several recorders are independent."""

from __future__ import annotations

import gc
import weakref

import inplacelab as paddle
from inplacelab.recorders.live_objects import Handles


def test_a_recorder_keeps_nothing_alive() -> None:
    x = paddle.ones([3])
    with paddle.record():
        y = x.add_(x)[1:]
        tensor, storage = weakref.ref(y), weakref.ref(y.storage)
        del x, y
        assert tensor() is storage() is None


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
        values = {
            tensor.names[0]: state.storages[tensor.storage].values for tensor in state.tensors.values() if tensor.names
        }
        assert values == {"x": (2.0, 2.0, 2.0), "y": (2.0, 2.0, 2.0), "z": (8.0,)}
    last = outer.recording.state(len(outer.recording) - 1)
    assert {storage.values for storage in last.storages.values()} == {(0.0, 10.0, 10.0), (8.0,)}


def test_a_handle_ends_with_its_object() -> None:
    class Object:
        pass

    gone: list[str] = []
    handles: Handles[Object, str] = Handles(gone.append, lambda function: function)
    first, second = Object(), Object()
    handles.add(first, "first")
    handles.add(second, "second")
    assert [facts for _, facts in handles.living()] == ["first", "second"]
    assert handles.find(first) == "first"
    del first
    assert gone == ["first"]
    assert [facts for _, facts in handles.living()] == ["second"]
    third = Object()
    assert handles.find(third) is None  # though it may have the address of the first one
    handles.clear()
    del second
    assert gone == ["first"]


class Cyclic:
    """An object that only the garbage collector frees."""

    def __init__(self) -> None:
        self.itself = self


def test_the_collector_may_free_objects_while_the_living_are_found() -> None:
    handles, died = Handles[Cyclic, int](lambda _: None, lambda function: function), 200
    gc.collect()
    gc.disable()
    before = gc.get_threshold()
    try:
        objects = [Cyclic() for _ in range(2000)]
        for number, each in enumerate(objects):
            handles.add(each, number)
        del objects[:died]
        gc.set_threshold(gc.get_count()[0] + 500)  # so it runs when a quarter of so many tuples has been made
        gc.enable()
        found = [number for _, number in handles.living()]
    finally:
        gc.set_threshold(*before)
        gc.enable()
    assert found[-1] == 1999
    assert {*range(died, 2000)} <= {*found}
