"""Fixtures: recordings made by hand, so that questions and sentences are tested without a recorder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass, replace
from functools import cache, reduce
from math import prod
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

import pytest
from hypothesis import strategies as st

from inplacelab.place import Place
from inplacelab.recording.codec import LEAST_WHOLE, MOST_WHOLE
from inplacelab.recording.facts import (
    BackwardFacts,
    CounterFacts,
    EdgeFacts,
    ErrorFacts,
    NodeFacts,
    RewireFacts,
    SavedFacts,
    SourceFacts,
    Step,
    StepKind,
    StorageFacts,
    TensorFacts,
    WriteFacts,
)
from inplacelab.recording.recording import SCHEMA_VERSION, Recording


def storage(number: int, values: tuple[float, ...]) -> StorageFacts:
    return StorageFacts(number, 4 * len(values), len(values), "float32", "cpu", values)


def tensor(number: int, storage: int, shape: tuple[int, ...], names: str = "", **facts: Any) -> TensorFacts:
    """Makes a tensor, row-major from slot 0 unless `strides` or `offset` are given; `names` is blank-separated."""
    row_major = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
    plain: dict[str, Any] = {"offset": 0, "dtype": "float32", "device": "cpu", "leaf": True, "needs_gradient": False}
    plain |= {"base": None, "node": None, "grad": None, "strides": row_major, "counter": storage} | facts
    return TensorFacts(id=number, names=tuple(names.split()), storage=storage, shape=shape, **plain)


def node(number: int, name: str, line: int, to: tuple[int, ...] = (), **facts: Any) -> NodeFacts:
    edges = tuple(EdgeFacts("x", target) for target in to)
    return replace(NodeFacts(number, name, "op", Place(line), edges, (), released=False, leaf=None, status=""), **facts)


def saved(storage: int, version: int = 0, name: str = "x", *, copy: bool = False, size: int = 4) -> SavedFacts:
    return SavedFacts(name, storage, storage, version, (size,), (1,), 0, copy=copy)


class Tape:
    """Writes steps one after the other. Facts given to `step` are new or changed; `gone` lists freed objects.

    Each storage has a counter of its own number, which follows the writes; counters given to `step` are added to these.
    """

    storage = staticmethod(storage)
    tensor = staticmethod(tensor)
    node = staticmethod(node)
    saved = staticmethod(saved)

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._counted: set[int] = set()

    def step(
        self, kind: StepKind, line: int | None, *facts: Any, gone: tuple[tuple[str, int], ...] = (), **fields: Any
    ) -> None:
        def changed(
            what: str, cls: type[StorageFacts | CounterFacts | TensorFacts | NodeFacts]
        ) -> tuple[tuple[int, Any], ...]:
            present = tuple((f.id, f) for f in facts if isinstance(f, cls))
            return present + tuple((number, None) for kind, number in gone if kind == what)

        place = None if line is None else Place(line)
        blank: dict[str, Any] = dict.fromkeys(("op", "category", "output", "kept", "backward", "error"))
        blank |= dict.fromkeys(("inputs", "writes", "rewired"), ()) | {"phase": "forward", "live": 0, "peak": 0}
        made = {each.id for each in facts if isinstance(each, StorageFacts)} - self._counted
        self._counted |= made
        facts += tuple(CounterFacts(number, number, 0) for number in sorted(made))
        facts += tuple(CounterFacts(each.counter, each.storage, each.after) for each in fields.get("writes", ()))
        gone += tuple(("counter", number) for kind, number in gone if kind == "storage")
        changes = {
            "counters": changed("counter", CounterFacts),
            "storages": changed("storage", StorageFacts),
            "tensors": changed("tensor", TensorFacts),
            "nodes": changed("node", NodeFacts),
        }
        self.steps.append(Step(index=len(self.steps), kind=kind, place=place, **blank | changes | fields))

    def recording(self, framework: str = "inplacelab", source: str = "") -> Recording:
        return Recording(framework, "0", "by hand", (SourceFacts("", source),), tuple(self.steps))


@pytest.fixture
def tape() -> Tape:
    return Tape()


def views_and_stale() -> Recording:
    """A write through a view makes the saved tensor of `b * b` stale.

    1 a = ones([4]); 2 b = a.scale(2); 3 v = b[1:3]; 4 c = b * b; 5 w = v.add_(10); 6 c.backward() fails
    """
    tape = Tape()
    a = tensor(0, 0, (4,), "a", needs_gradient=True)
    b = tensor(1, 1, (4,), "b", leaf=False, needs_gradient=True, node=1)
    v = tensor(2, 1, (2,), "", leaf=False, needs_gradient=True, node=2, base=1, offset=1)
    c = tensor(3, 2, (4,), "c", leaf=False, needs_gradient=True, node=3)
    accumulate, scale = node(0, "AccumulateGradNode", 1, leaf=0), node(1, "ScaleGradNode", 2, to=(0,))
    square = node(3, "MultiplyGradNode", 4, to=(1, 1), saved=(saved(1, 0, "x"), saved(1, 0, "y")))
    two = storage(1, (2.0, 2.0, 2.0, 2.0))
    tape.step("operation", 1, storage(0, (1.0,) * 4), a, op="ones", category="create", output=0)
    tape.step("operation", 2, two, b, accumulate, scale, op="scale", category="ordinary", inputs=(0,), output=1, kept=1)
    slice_node = node(2, "SliceGradNode", 3, to=(1,))
    tape.step("operation", 3, v, slice_node, op="__getitem__", category="view", inputs=(1,), output=2, kept=2)
    tape.step("line", 3, replace(v, names=("v",)))
    tape.step(
        "operation", 4, storage(2, (4.0,) * 4), c, square, op="*", category="ordinary", inputs=(1, 1), output=3, kept=3
    )
    rebound = (
        node(4, "AddGradNode", 5, to=(1,)),
        node(5, "CopySlices", 5, to=(1, 4)),
        node(6, "SliceGradNode", 5, to=(5,)),
    )
    tape.step(
        "operation",
        5,
        storage(1, (2.0, 12.0, 12.0, 2.0)),
        replace(b, node=5),
        replace(v, names=("v", "w"), node=6),
        *rebound,
        op="add_",
        category="in-place",
        inputs=(2,),
        output=2,
        kept=4,
        writes=(WriteFacts(1, 1, 0, 1, 2, ((1, 3),)),),
        rewired=(RewireFacts(1, 1, 5), RewireFacts(2, 2, 6)),
    )
    begin = BackwardFacts("begin", 3, gradient=(1.0, 1.0, 1.0, 1.0), shape=(4,))
    tape.step("backward", 6, phase="backward", backward=begin)
    unpack = BackwardFacts("unpack", 3, saved="x", kept_at=0, found_at=1)
    tape.step("backward", 6, replace(square, status="failed"), phase="backward", backward=unpack)
    error = ErrorFacts("RuntimeError", "(PermissionDenied) Tensor 'b' was modified.", None, (), node=3, storage=1)
    tape.step("error", 6, phase="backward", error=error)
    return tape.recording()


def doubled_in_place() -> Recording:
    """Two names for one object, and a backward pass that succeeds.

    1 a = ones([2]); 2 x = a.scale(2); 3 y = x.scale_(2); 4 z = x; 5 x = None; 6 y.backward(); 7 del y, z
    """
    tape = Tape()
    a = tensor(0, 0, (2,), "a", needs_gradient=True)
    x = tensor(1, 1, (2,), "x", leaf=False, needs_gradient=True, node=1)
    accumulate, scale = node(0, "AccumulateGradNode", 1, leaf=0), node(1, "ScaleGradNode", 2, to=(0,))
    tape.step("operation", 1, storage(0, (1.0, 1.0)), a, op="ones", category="create", output=0)
    tape.step(
        "operation", 2, storage(1, (2.0, 2.0)), x, accumulate, scale, op="scale", category="ordinary", inputs=(0,),
        output=1, kept=1,
    )  # fmt: skip
    x = replace(x, node=2)
    again = node(2, "ScaleGradNode", 3, to=(1,), saved=(saved(2, 0, "x", copy=True, size=2),))
    tape.step(
        "operation", 3, storage(1, (4.0, 4.0)), storage(2, (2.0, 2.0)), x, again, op="scale_", category="in-place",
        inputs=(1,), output=1, kept=2, writes=(WriteFacts(1, 1, 0, 1, 1, ((0, 2),)),), rewired=(RewireFacts(1, 1, 2),),
    )  # fmt: skip
    tape.step("line", 3, replace(x, names=("x", "y")))
    tape.step("line", 4, replace(x, names=("x", "y", "z")))
    tape.step("line", 5, replace(x, names=("y", "z")))
    backward: dict[str, Any] = {"phase": "backward"}
    tape.step("backward", 6, **backward, backward=BackwardFacts("begin", 2, gradient=(1.0, 1.0), shape=(2,)))
    unpack = BackwardFacts("unpack", 2, saved="x", kept_at=0, found_at=0)
    tape.step("backward", 6, **backward, backward=unpack)
    tape.step("backward", 6, replace(again, released=True), **backward, backward=BackwardFacts("run", 2))
    tape.step("backward", 6, **backward, backward=BackwardFacts("arrived", 1, shape=(2,)))
    tape.step("backward", 6, **backward, backward=BackwardFacts("run", 1))
    filled = replace(a, grad=5)
    tape.step(
        "backward", 6, storage(3, (4.0, 4.0)), tensor(5, 3, (2,)), filled, **backward, backward=BackwardFacts("run", 0)
    )
    tape.step("backward", 6, **backward, backward=BackwardFacts("end", None))
    tape.step("line", 7, gone=(("tensor", 1), ("storage", 1), ("node", 2), ("node", 1)))
    return tape.recording()


def of_three_sources() -> Recording:
    """The recording of `views_and_stale` as that of a program of three files, two of which have one name: `b * b` and `add_` run in functions of
    others.
    """
    places = {
        4: Place(2, 1, "square", called_from=Place(4)),
        5: Place(3, 2, "Shift.forward", called_from=Place(5)),
    }
    main = "a = ones([4])\nb = a.scale(2)\nv = b[1:3]\nc = square(b)\nw = shift(v)\nc.backward()\n"
    texts = {"": main, "own/lib/model.py": SQUARE, "own/tools/model.py": SHIFT}
    found = placed(views_and_stale(), texts, places)
    steps = (replace(step, op="multiply") if step.op == "*" else step for step in found.steps)
    return replace(found, steps=tuple(steps))


SQUARE = "def square(b):\n    return b * b\n"
SHIFT = "class Shift:\n    def forward(self, v):\n        return v.add_(10)\n"


def placed(recording: Recording, texts: Mapping[str, str], places: Mapping[int, Place]) -> Recording:
    """Returns a recording with other places in place of lines."""

    def move(facts: Any) -> Any:
        place = None if facts is None else facts.place
        return facts if place is None else replace(facts, place=places.get(place.line, place))

    steps = (
        replace(move(step), nodes=tuple((number, move(facts)) for number, facts in step.nodes))
        for step in recording.steps
    )
    sources = tuple(SourceFacts(name, text) for name, text in texts.items())
    return replace(recording, title="train.py", sources=sources, steps=tuple(steps))


@pytest.fixture(name="views_and_stale")
def _views_and_stale() -> Recording:
    return views_and_stale()


@pytest.fixture(name="doubled_in_place")
def _doubled_in_place() -> Recording:
    return doubled_in_place()


@cache
def any_value(hint: Any) -> st.SearchStrategy[Any]:
    """Draws values of a type. Tuples are short, since a recording, which nests six of them, would take seconds otherwise."""
    if hint is Place:  # it refers to itself
        one = st.builds(Place, st.integers(1, 9), st.integers(0, 2), st.sampled_from(["", "f", "Net.forward"]))
        return st.lists(one, min_size=1, max_size=3).map(
            lambda calls: reduce(lambda caller, each: replace(each, called_from=caller), calls)
        )
    if is_dataclass(hint):
        fields = {name: any_value(inner) for name, inner in get_type_hints(hint).items()}
        return st.builds(cast(type[Any], hint), **fields)
    arms = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return st.one_of([any_value(arm) for arm in arms])
    if get_origin(hint) is tuple:
        return st.lists(any_value(arms[0]), max_size=2).map(tuple) if ... in arms else st.tuples(*map(any_value, arms))
    # Small numbers are serial numbers, so that facts refer to each other.
    return st.integers(0, 2) | st.integers(LEAST_WHOLE, MOST_WHOLE) if hint is int else st.from_type(hint)


def all_there(facts: type) -> st.SearchStrategy[Any]:
    """Draws objects with the serial numbers 0, 1 and 2."""
    return st.tuples(*(st.tuples(st.just(number), any_value(facts)) for number in range(3)))


@st.composite
def any_recordings(draw: st.DrawFn) -> Recording:
    """Draws recordings with arbitrary facts, sensible or not; only the steps are numbered correctly.

    The first step makes objects, so that those that other steps mention often exist.
    """
    ground = {"storages": StorageFacts, "counters": CounterFacts, "tensors": TensorFacts, "nodes": NodeFacts}
    first = replace(draw(any_value(Step)), **{name: draw(all_there(facts)) for name, facts in ground.items()})
    steps = [first, *draw(st.lists(any_value(Step), max_size=3))]
    numbered = tuple(replace(step, index=index) for index, step in enumerate(steps))
    return replace(draw(any_value(Recording)), steps=numbered, schema=SCHEMA_VERSION)


@pytest.fixture(scope="session")
def recordings() -> st.SearchStrategy[Recording]:
    return any_recordings()
