"""What steps did to slots: written with another value or the same, read, or not known where."""

from __future__ import annotations

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab.recording import Recording, StorageFacts, Summary, Values, WriteFacts
from inplacelab.recording.naming import storage_label
from inplacelab.recording.sentences import sentence
from inplacelab.recording.slots import Runs, Touched, effect, joined, touched, without
from tests.recorders.runs import run


def record(text: str, framework: str = "inplacelab") -> Recording:
    found = run(text.replace("paddle.", "inplacelab.") if framework == "inplacelab" else text, framework)
    assert found.failure is None
    return found.recording


def last(recording: Recording, storage: int = 0) -> Touched:
    return touched(recording)[storage][len(recording) - 1]


def storage_of(values: Values | Summary | None) -> StorageFacts:
    return StorageFacts(0, 16, 4, "float32", "cpu", values)


def written(slots_are: str = "written") -> WriteFacts:
    return WriteFacts(0, 0, 0, 1, 0, ((0, 3),), slots_are)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("write", "before", "after", "done"),
    [
        (written(), (1.0, 2.0, 3.0, 4.0), (1.0, 5.0, 3.0, 9.0), Touched(((1, 2),), ((0, 1), (2, 3)))),
        (written(), (nan, 2.0, nan, 4.0), (nan, 2.0, 0.0, 4.0), Touched(((2, 3),), ((0, 2),))),
        (written("around"), (1.0, 2.0, 3.0, 4.0), (1.0, 5.0, 3.0, 9.0), Touched(((1, 2),))),
        (written("changed"), (1.0, 2.0, 3.0, 4.0), (1.0, 2.0, 3.0, 4.0), Touched(((0, 3),))),
        (written(), None, (1.0, 5.0, 3.0, 9.0), Touched(((0, 3),))),
        (written("around"), None, (1.0, 5.0, 3.0, 9.0), Touched(around=((0, 3),))),
        (written("around"), Summary(0, 1, (), ()), Summary(0, 1, (), ()), Touched(around=((0, 3),))),
    ],
)
def test_the_effect_of_a_write(write: WriteFacts, before: Values, after: Values, done: Touched) -> None:
    assert effect(write, storage_of(before), storage_of(after)) == done


RUNS = st.lists(st.integers(0, 12), unique=True).map(lambda slots: joined((slot, slot + 1) for slot in sorted(slots)))


@given(RUNS, RUNS)
def test_some_slots_without_others(runs: Runs, others: Runs) -> None:
    left = without(runs, others)
    assert listed(left) == listed(runs) - listed(others)
    assert all(start < stop for start, stop in left)


def listed(runs: Runs) -> set[int]:
    return {slot for start, stop in runs for slot in range(start, stop)}


SWAP = "a = {}([[1., 2.], [3., 4.]])\na[0], a[1] = a[1], a[0]\n"


@pytest.mark.parametrize(
    ("framework", "make"),
    [
        ("inplacelab", "inplacelab.to_tensor"),
        pytest.param("torch", "torch.tensor", marks=pytest.mark.oracle),
        pytest.param("paddle", "paddle.to_tensor", marks=[pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]),
    ],
)
def test_the_swap_of_rows_that_fails_writes_the_second_row_with_what_it_held(framework: str, make: str) -> None:
    pytest.importorskip(framework)
    recording = record(SWAP.format(make), framework)
    storage = recording.state().tensor("a").storage
    first, second = [(index, done) for index, done in touched(recording)[storage].items()][-2:]
    assert first[1] == Touched(changed=((0, 2),), read=((2, 4),))
    assert second[1] == Touched(same=((2, 4),), read=((0, 2),))
    said = sentence(recording, second[0])
    label = storage_label(storage)
    assert f"wrote slots 2-3 of {label} through `a`, with the values of slots 0-1 of {label}." in said.en
    assert "The values in slots 2-3 are the same as before." in said.en
    assert f"值取自 {label} 的第 0-1 号槽位。第 2-3 号槽位的值没有变" in said.zh


def test_numpy_shows_what_changed_and_does_not_say_that_it_was_all() -> None:
    recording = record("a = np.array([[1., 2.], [3., 4.]])\na[0], a[1] = a[1], a[0]\n", "numpy")
    assert last(recording) == Touched(changed=((0, 2),))
    assert "changed slots 0-1 of S0 through `a`" in sentence(recording, len(recording) - 1).en


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("x.fill_(2.)", Touched(((0, 1), (2, 4)), ((1, 2),))),
        ("x.copy_(x)", Touched(same=((0, 4),))),
        ("x[1:3] = x[0]", Touched(((1, 3),), read=((0, 1),))),
        ("x.index_add_(paddle.to_tensor([1, 1]), 0, paddle.ones([2]))", Touched(((1, 2),))),
        ("x.masked_fill_(x > 2, 3.)", Touched(((3, 4),), ((2, 3),))),
        ("x.masked_fill_(x > 9, 3.)", Touched()),
        ("y = x[paddle.to_tensor([3, 0, 3])]", Touched(read=((0, 1), (3, 4)))),
        ("y = x + x", Touched(read=((0, 4),))),
        ("y = x[1:]", Touched()),
        ("paddle.where_(x > 2, x, paddle.zeros([4]))", Touched(((0, 2),))),
    ],
)
def test_what_an_operation_did(line: str, done: Touched) -> None:
    recording = record(f"x = paddle.to_tensor([1., 2., 3., 4.])\n{line}\n")
    assert touched(recording).get(0, {}).get(len(recording) - 1, Touched()) == done


def test_a_write_whose_positions_are_unknown_is_counted() -> None:
    recording = record(
        "class Twice(paddle.autograd.PyLayer):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        x[0:2] = 7.\n"
        "        return x\n"
        "    @staticmethod\n"
        "    def backward(ctx, g):\n"
        "        return g\n"
        "x = paddle.zeros([10])\n"
        "y = Twice.apply(x)\n"
    )
    step = next(step for step in recording.steps if any(write.slots_are == "around" for write in step.writes))
    assert touched(recording)[0][step.index].changed == ((0, 2),)
    said = sentence(recording, step.index)
    assert "changed 2 of 10 slots of S0 through `x`; which it wrote is not known" in said.en
    assert "10 个槽位中的 2 个" in said.zh
