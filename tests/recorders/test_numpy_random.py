"""Recordings of random NumPy programs: what they say is compared with what NumPy itself says of the same arrays."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplacelab.recording import Recording, queries
from tests.recorders.numpy_runs import run, says

LINES = (
    "{t} = np.arange({n}.0)", "{t} = np.ones((2, {n}))", "{t} = np.arange({n}).reshape(-1, 1) * 1.5",
    "{t} = {a}[1:]", "{t} = {a}[::-1]", "{t} = {a}[..., ::2]", "{t} = {a}[{k}]", "{t} = {a}.T", "{t} = {a}.reshape(-1)",
    "{t} = {a}.ravel()", "{t} = {a}.copy()", "{t} = {a} + {b}", "{t} = {a} * 2 - {b}", "{t} = {a}[[0]]", "{t} = {a}",
    "{t} = np.broadcast_to({a}, (2, *{a}.shape))", "{t} = np.asfortranarray({a})", "{t} = {a}.view('int32')", "{t} = same({a})",
    "{t} = twice({a})", "{t} = xs[-1]", "{t}, {a} = {a}, {t}",
    "{a} += {k}", "{a} *= {b}", "{a}[...] = {k}", "{a}[0] = {k}", "{a}[{k}:] = {b}", "{a}.T[:1] = {k}", "np.add({a}, {b}, out={c})",
    "np.negative({a}, out={a})", "{a}.sort()", "{a}.fill({k})", "add_one({a})", "xs.append({a})", "xs.append({a}[1:])", "del {a}",
)  # fmt: skip
FUNCTIONS = """\
def same(v):
    return v
def twice(v):
    w = v * 2
    return w
def add_one(v):
    u = v[1:]
    u += 1
xs = []
"""
FIRST = FUNCTIONS.count("\n") + 1


@st.composite
def programs(draw: st.DrawFn) -> list[str]:
    """The lines of a program, none of which raises."""
    names: dict[str, Any] = {"np": np}
    exec(FUNCTIONS, names)
    found: list[str] = []
    for _ in range(draw(st.integers(1, 14))):
        a, b, c, t = (draw(st.sampled_from("abcd")) for _ in range(4))
        line = draw(st.sampled_from(LINES)).format(
            a=a, b=b, c=c, t=t, n=draw(st.integers(1, 4)), k=draw(st.integers(0, 3))
        )
        try:
            exec(line, names)
        except Exception:  # noqa: BLE001  # a name that is not bound, shapes that do not fit: not this line, then
            continue
        found.append(line)
    return found


def arrays(names: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in names.items() if isinstance(value, np.ndarray)}


def owner(array: Any) -> Any:
    """The array that owns the memory of another one."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def memory(array: Any) -> Any:
    """What is in the memory of an array, element by element as they lie there."""
    return owner(array).ravel("K").copy()


def differs(one: Any, other: Any) -> tuple[int, ...]:
    size = one.itemsize
    pairs = zip(*(each.view(np.uint8).reshape(-1, size) for each in (one, other)), strict=True)
    return tuple(slot for slot, (old, new) in enumerate(pairs) if old.tobytes() != new.tobytes())


@pytest.mark.standard
@settings(max_examples=100)
@given(programs())
def test_random_programs_are_recorded_as_numpy_itself_tells(lines: list[str]) -> None:
    with np.errstate(all="ignore"):
        found = run(FUNCTIONS + "\n".join(lines))
        assert found.failure is None
        recording, names = found.recording, {"np": np}
        exec(FUNCTIONS, names)
        versions: dict[int, int] = {}
        kept: list[Any] = []  # owners stay alive, so that no address is used again
        for text, steps in zip(lines, by_line(recording, len(lines)), strict=True):
            before = {id(owner(array)): (owner(array), memory(array)) for array in arrays(names).values()}
            exec(text, names)
            kept += [owner(array) for array in arrays(names).values()]
            changed = {which: differs(old, memory(array)) for which, (array, old) in before.items()}
            for which, slots in changed.items():
                versions[which] = versions.get(which, 0) + bool(slots)
            compare(recording, steps, names, changed, versions)
    for name, array in arrays(names).items():
        assert found.names[name].tobytes() == array.tobytes()
    if recording.steps:
        says(recording)


def by_line(recording: Recording, count: int) -> list[range]:
    """The steps of each line of a random program, with those of the functions that it calls."""
    line, ends = FIRST, [0] * count
    for step in recording.steps:
        line = max(line, step.line or 0)
        ends[line - FIRST :] = [step.index + 1] * (count + FIRST - line)
    return [range(first, end) for first, end in pairwise([0, *ends])]


def compare(
    recording: Recording,
    steps: range,
    names: dict[str, Any],
    changed: dict[int, tuple[int, ...]],
    versions: dict[int, int],
) -> None:
    """The state after a line says what NumPy says: which names there are, their layout and values, who shares, what was written."""
    if steps.stop == 0:
        assert not arrays(names)
        return
    state, here = recording.state(steps.stop - 1), arrays(names)
    assert {each for tensor in state.tensors.values() for each in tensor.names if each.isidentifier()} == {*here}
    said: dict[int, set[int]] = {}
    for write in (write for index in steps for write in recording.steps[index].writes):
        said.setdefault(write.storage, set()).update(slot for first, end in write.slots for slot in range(first, end))
    for name, array in here.items():
        facts, storage = state.tensor(name), state.storage_of(name)
        assert (facts.shape, facts.dtype) == (array.shape, array.dtype.name)
        values = queries.visible_values(state, name)
        assert values is not None
        assert np.array(values, array.dtype).tobytes() == array.tobytes()
        assert storage.bytes == owner(array).nbytes
        assert tuple(sorted(said.get(storage.id, ()))) == changed.get(id(owner(array)), ())
        assert state.version(name) == versions.get(id(owner(array)), 0)
        for other, another in here.items():
            assert queries.same_object(state, name, other) == (array is another)
            assert queries.shares_storage(state, name, other) == (owner(array) is owner(another))
            assert bool(queries.overlap(state, name, other)) == np.shares_memory(array, another)
