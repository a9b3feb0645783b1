"""The slots that index operations write, as recorded, against brute force: which slots can change, for other values.

Each example runs one operation on a view of a random layout, with random indices, masks or diagonals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module, util
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import inplacelab as paddle
from inplacelab.recording import Recording, Summary
from inplacelab.recording.slots import Runs, touched
from tests.recorders import runs
from tests.row_cases.every import CASES
from tests.tiers import choose

Draw = Callable[..., Any]


class View(NamedTuple):
    """How to make a view of a vector: reshape it, take every so manieth element along each axis, and permute the axes."""

    whole: tuple[int, ...]
    steps: tuple[tuple[int, int], ...]
    order: tuple[int, ...]

    def of(self, base: Any, framework: str) -> Any:
        x = base.reshape(list(self.whole))
        for axis, (first, step) in enumerate(self.steps):
            x = x[(slice(None),) * axis + (slice(first, None, step),)]
        if not self.order:
            return x
        return x.permute(*self.order) if framework == "torch" else x.transpose(list(self.order))


@st.composite
def views(draw: Draw) -> tuple[View, tuple[int, ...]]:
    """A view, and its shape."""
    axes = draw(st.integers(0, 3))
    steps = tuple(draw(st.tuples(st.integers(0, 1), st.integers(1, 2))) for _ in range(axes))
    whole = tuple(draw(st.integers(2, 4)) for _ in range(axes))
    order = tuple(draw(st.permutations(range(axes)))) if axes else ()
    shape = [
        len(range(*slice(first, None, step).indices(size))) for size, (first, step) in zip(whole, steps, strict=True)
    ]
    return View(whole, steps, order), tuple(shape[k] for k in order)


class Call(NamedTuple):
    """One operation: its text, in which `x` is the view, and its arrays: positions and masks as they are, values by their shape."""

    text: str
    fixed: dict[str, np.ndarray]
    values: Mapping[str, tuple[int, ...]] = MappingProxyType({})


Shape = tuple[int, ...]


def _index(draw: Draw, size: int, *shape: int) -> np.ndarray:
    """Positions on an axis: some negative, some repeated, perhaps none."""
    shape = shape or (draw(st.integers(0, 4)),)
    count = int(np.prod(shape))
    assume(size or not count)
    return np.array([draw(st.integers(-size, size - 1)) for _ in range(count)], "int64").reshape(shape)


def _mask(draw: Draw, shape: Shape) -> np.ndarray:
    kept = tuple(size if draw(st.booleans()) else 1 for size in shape)[draw(st.integers(0, len(shape))) :]
    return np.array([draw(st.booleans()) for _ in range(int(np.prod(kept)))], bool).reshape(kept)


def _axis(draw: Draw, shape: Shape) -> int:
    assume(shape)
    return draw(st.integers(-len(shape), len(shape) - 1))


def _rows(draw: Draw, shape: Shape) -> tuple[int, np.ndarray, Shape]:
    axis = _axis(draw, shape)
    index = _index(draw, shape[axis])
    place = axis % len(shape)
    return axis, index, (*shape[:place], len(index), *shape[place + 1 :])


def _places_along(draw: Draw, shape: Shape) -> tuple[int, np.ndarray]:
    axis = _axis(draw, shape)
    reached = [draw(st.integers(0, size)) for size in shape]
    reached[axis] = draw(st.integers(0, 3))
    return axis, _index(draw, shape[axis], *reached)


def index_fill(draw: Draw, shape: Shape, text: str) -> Call:
    axis, index, _ = _rows(draw, shape)
    return Call(text.format(axis=axis), {"i": index}, {"n": ()})


def index_add(draw: Draw, shape: Shape, text: str) -> Call:
    axis, index, wanted = _rows(draw, shape)
    return Call(text.format(axis=axis), {"i": index}, {"v": wanted})


def masked_fill(draw: Draw, shape: Shape, text: str) -> Call:
    return Call(text, {"m": _mask(draw, shape)}, {"n": ()})


def masked_scatter(draw: Draw, shape: Shape, text: str) -> Call:
    return Call(text, {"m": _mask(draw, shape)}, {"v": (int(np.prod(shape)),)})


def where(draw: Draw, shape: Shape, text: str) -> Call:
    return Call(text, {"m": _mask(draw, shape)}, {"v": shape})


def index_put(draw: Draw, shape: Shape, text: str) -> Call:
    if draw(st.booleans()):
        return Call(text.format(key="(m,)", accumulate=draw(st.booleans())), {"m": _full_mask(draw, shape)}, {"n": ()})
    assume(shape)
    count, length = draw(st.integers(1, len(shape))), draw(st.integers(0, 3))
    index = {f"i{k}": _index(draw, shape[k], length) for k in range(count)}
    key = f"({', '.join(index)},)"
    return Call(text.format(key=key, accumulate=draw(st.booleans())), index, {"v": (length, *shape[count:])})


def _full_mask(draw: Draw, shape: Shape) -> np.ndarray:
    return np.array([draw(st.booleans()) for _ in range(int(np.prod(shape)))], bool).reshape(shape)


def setitem(draw: Draw, shape: Shape, text: str, kinds: tuple[tuple[str, ...], ...]) -> Call:
    parts, fixed, lists, kinds_here = [], {}, draw(st.integers(1, 3)), draw(st.sampled_from(kinds))
    if kinds_here == ("mask",):
        return Call(text.format(key="m"), {"m": _full_mask(draw, shape)}, {"n": ()})
    for axis, size in enumerate(shape):
        kind = draw(st.sampled_from(kinds_here))
        if kind == "end":
            break
        if kind == "slice":
            parts.append(f"{draw(st.integers(0, size))}:{draw(st.integers(0, size))}:{draw(st.integers(1, 2))}")
        elif kind == "backwards":
            ends = (draw(st.one_of(st.just(""), st.integers(-size - 1, size))) for _ in range(2))
            parts.append(f"{':'.join(map(str, ends))}:{draw(st.integers(-3, -1))}")
        elif kind == "written out":
            assume(size)
            parts.append(str([draw(st.integers(-size, size - 1)) for _ in range(lists)]))
        elif kind == "number":
            assume(size)
            parts.append(str(draw(st.integers(-size, size - 1))))
        else:
            fixed[f"i{axis}"] = _index(draw, size, lists)
            parts.append(f"i{axis}")
    return Call(text.format(key=", ".join(parts) or "..."), fixed, {"n": ()})


def along(draw: Draw, shape: Shape, text: str, reductions: tuple[str, ...] = ("",)) -> Call:
    axis, index = _places_along(draw, shape)
    how = draw(st.sampled_from(reductions))
    return Call(text.format(axis=axis, how=how, self=draw(st.booleans())), {"i": index}, {"v": index.shape})


def scatter_rows(draw: Draw, shape: Shape, text: str) -> Call:
    assume(shape)
    index = _index(draw, shape[0])
    return Call(text.format(draw(st.booleans())), {"i": index}, {"v": (len(index), *shape[1:])})


def diagonal(draw: Draw, shape: Shape, text: str) -> Call:
    assume(len(shape) > 1)
    return Call(text.format(k=draw(st.integers(-3, 3)), wrap=draw(st.booleans())), {}, {"n": ()})


def diagonals(draw: Draw, shape: Shape, text: str) -> Call:
    assume(len(shape) > 1)
    one, other = draw(st.permutations(range(len(shape))))[:2]
    offset = draw(st.integers(-2, 2))
    wanted = np.diagonal(np.empty(shape), offset, one, other).shape
    return Call(text.format(offset, one, other), {}, {"v": wanted})


def put(draw: Draw, shape: Shape, text: str) -> Call:
    index = _index(draw, int(np.prod(shape)))
    return Call(text.format(draw(st.booleans())), {"i": index}, {"v": index.shape})


def embedding(draw: Draw, shape: Shape, text: str) -> Call:
    assume(len(shape) > 1)
    return Call(text, {"i": _index(draw, shape[0]) % max(shape[0], 1)})


_ANY_KEY = (("slice", "number", "list", "written out", "end"), ("mask",))
_PADDLE: dict[str, tuple[Any, ...]] = {
    "index_fill": (index_fill, "x.index_fill_(i, {axis}, n)"),
    "index_add": (index_add, "x.index_add_(i, {axis}, v)"),
    "masked_fill": (masked_fill, "x.masked_fill_(m, n)"),
    "masked_scatter": (masked_scatter, "x.masked_scatter_(m, v)"),
    "where": (where, "paddle.where_(m, x, v)"),
    "index_put": (index_put, "x.index_put_({key}, v if 'v' in globals() else n, {accumulate})"),
    "_put": (setitem, "x[{key}] = n", (("slice", "backwards", "number", "end"), ("mask",))),  # with lists, Paddle may write beyond its memory
    "scatter": (scatter_rows, "paddle.scatter_(x, i, v, overwrite={})"),
    "_put_along": (along, "x.put_along_axis_(i, v, {axis}, broadcast=False)"),
    "_add_along": (along, "x.put_along_axis_(i, v, {axis}, '{how}', {self}, False)", ("add",)),
    "_multiply_along": (along, "x.put_along_axis_(i, v, {axis}, '{how}', {self}, False)", ("mul",)),
    "_mean_along": (along, "x.put_along_axis_(i, v, {axis}, '{how}', {self}, False)", ("mean",)),
    "_extreme_along": (along, "x.put_along_axis_(i, v, {axis}, '{how}', {self}, False)", ("amin", "amax")),
    "scatter_add": (along, "x.scatter_add_({axis}, i, v)"),
    "fill_diagonal": (diagonal, "x.fill_diagonal_(n, {k}, {wrap})"),
    "fill_diagonal_tensor": (diagonals, "x.fill_diagonal_tensor_(v, {}, {}, {})"),
    "tril": (diagonal, "x.tril_({k})"),
    "triu": (diagonal, "x.triu_({k})"),
}  # fmt: skip
WRITES: dict[str, dict[str, tuple[Any, ...]]] = {
    "inplacelab": {
        **{name: (make, text.replace("paddle.", "inplacelab."), *more) for name, (make, text, *more) in _PADDLE.items()},
        "_put": (setitem, "x[{key}] = n", ((*_ANY_KEY[0], "backwards"), ("mask",))),
        "embedding_renorm": (embedding, "inplacelab.nn.functional.embedding_renorm_(i, x, 0.5)"),
    },
    "paddle": _PADDLE,
    "torch": {
        "index_fill_": (index_fill, "x.index_fill_({axis}, i, n)"),
        "index_copy_": (index_add, "x.index_copy_({axis}, i, v)"),
        "index_add_": (index_add, "x.index_add_({axis}, i, v)"),
        "index_reduce_": (index_add, "x.index_reduce_({axis}, index=i, source=v, reduce='amax')"),
        "masked_fill_": (masked_fill, "x.masked_fill_(m, value=n)"),
        "masked_scatter_": (masked_scatter, "x.masked_scatter_(m, v)"),
        "index_put_": (index_put, "x.index_put_({key}, v if 'v' in globals() else n, {accumulate})"),
        "put_": (put, "x.put_(i, v, {})"),
        "setitem": (setitem, "x[{key}] = n", _ANY_KEY),
        "scatter_": (along, "x.scatter_({axis}, i, v)"),
        "scatter_reducing": (along, "x.scatter_({axis}, i, v, reduce='{how}')", ("add", "multiply")),
        "scatter_add_": (along, "x.scatter_add_({axis}, i, v)"),
        "scatter_reduce_": (
            along, "x.scatter_reduce_({axis}, i, v, '{how}', include_self={self})", ("sum", "prod", "mean", "amin", "amax"),
        ),
        "fill_diagonal_": (diagonal, "x.fill_diagonal_(3.0, {wrap})"),
        "tril_": (diagonal, "x.tril_({k})"),
        "triu_": (diagonal, "x.triu_({k})"),
    },
}  # fmt: skip
OPERATIONS = [
    pytest.param(framework, name, marks=() if framework == "inplacelab" else pytest.mark.oracle)
    for framework, operations in WRITES.items()
    for name in operations
]


def test_each_row_that_writes_some_elements_is_tried() -> None:
    assert {case.row.name for case in CASES if case.row.in_place and case.row.writes_some} == set(WRITES["inplacelab"])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("framework", "name"), OPERATIONS)
@settings(max_examples=choose(6, 10, 250), deadline=None)
@given(data=st.data())
def test_the_slots_that_an_operation_can_change_are_those_recorded(
    framework: str, name: str, data: st.DataObject
) -> None:
    if util.find_spec(framework) is None:
        pytest.skip(f"needs {framework}: python -m pip install --group oracle")
    (view, shape), (make, text, *more) = data.draw(views()), WRITES[framework][name]
    call = make(data.draw, shape, text, *more)
    reached: set[int] = set()
    for seed in range(4):
        _, names, buffer = world(framework, view, call, seed)
        before = buffer()
        _, error = runs.plain(call.text, framework, **names)
        assume(error is None)
        reached |= set(np.flatnonzero(before != buffer()).tolist())
    assert recorded(framework, view, call) == sorted(reached)
    marked(framework, view, call, sorted(reached))


def world(framework: str, view: View, call: Call, seed: int) -> tuple[Any, dict[str, Any], Callable[[], np.ndarray]]:
    """The view and the arguments of a call with random values, and a function that returns the values of the whole storage."""
    random, library = np.random.default_rng(seed), import_module(framework)
    make = library.from_numpy if framework == "torch" else library.to_tensor
    size = int(np.prod(view.whole))
    base = make((random.standard_normal(size) * 100).astype("float32"))
    x = view.of(base, framework)
    fixed = {name: make(array) for name, array in call.fixed.items()}
    far = (1e6, -1e6, 0.0, 0.0)[seed]  # beyond all old values, as the largest and the smallest of them stay otherwise
    values = {name: _random(random, wanted, far) for name, wanted in call.values.items()}
    numbers = framework != "torch" and "index_put" not in call.text
    given = {name: float(array) if numbers and name == "n" else make(array) for name, array in values.items()}
    return x, {"base": base, "x": x, **fixed, **given}, lambda: np.array(base.numpy())


def _random(random: np.random.Generator, shape: Shape, far: float = 0.0) -> np.ndarray:
    return np.full(shape, random.standard_normal(shape) * 100 + far, "float32")


def recorded(framework: str, view: View, call: Call) -> list[int]:
    """The slots of the base that the recording says were written."""
    _, names, _ = world(framework, view, call, 0)
    recording: Recording = runs.run(call.text, framework, **names).recording
    storage = recording.state(-1).tensor("x").storage
    writes = [write for step in recording.steps for write in step.writes if write.storage == storage]
    assert all(write.slots_are == "written" for write in writes)
    return sorted({slot for write in writes for start, stop in write.slots for slot in range(start, stop)})


def marked(framework: str, view: View, call: Call, written: list[int]) -> None:
    """Checks the slots that a picture marks: as changed those that differ now, and as written with the same value the others."""
    _, names, buffer = world(framework, view, call, 0)
    before = buffer()
    _, error = runs.plain(call.text, framework, **names)
    assert error is None
    differ = np.flatnonzero(before != buffer()).tolist()
    _, names, _ = world(framework, view, call, 0)
    recording = runs.run(call.text, framework, **names).recording
    storage = recording.state(-1).tensor("x").storage
    done = [each for each in touched(recording).get(storage, {}).values() if each.changed or each.same]
    assert len(done) <= 1, "one step wrote"
    changed, same = (sorted({slot for each in done for slot in _listed(part(each))}) for part in (_changed, _same))
    assert changed == differ
    assert same == sorted({*written} - {*differ})


_changed, _same = attrgetter("changed"), attrgetter("same")


def _listed(runs: Runs) -> Iterator[int]:
    return (slot for start, stop in runs for slot in range(start, stop))


def test_a_view_of_another_dtype_counts_its_own_elements() -> None:
    text = """
        w = x.view("uint8")
        w.index_fill_(i, 0, 7)
        v = x.view("float64")
        v[2400:2403] = 1.5
    """
    x, i = paddle.zeros([5000]), paddle.to_tensor([9, 18000])
    recording = runs.run(text, "inplacelab", x=x, i=i).recording
    first, second = (step for step in recording.steps if step.writes)
    assert first.writes[0].slots == ((2, 3), (4500, 4501))
    assert second.writes[0].slots == ((4800, 4806),)
    for step in (first, second):
        values = dict(step.storages)[first.writes[0].storage]
        assert values is not None
        assert isinstance(values.values, Summary)
        assert values.values.runs == (), "what was written is not of the storage's dtype"
