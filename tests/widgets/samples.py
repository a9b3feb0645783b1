"""Recordings for the tests of the pictures: one by hand for each thing that a picture must be able to show, and real ones.

A `Script` holds what is alive; each `step` records what changed since the one before.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import inplacelab as paddle
from inplacelab.language import Text
from inplacelab.place import Place
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
    StorageFacts,
    Summary,
    TensorFacts,
    Values,
    WriteFacts,
)
from inplacelab.recording.recording import Recording


class Script:
    """A program's run, written down by hand."""

    def __init__(self, title: str, source: str, framework: str = "inplacelab") -> None:
        self.title, self.source, self.framework = title, source, framework
        self.storages: dict[int, StorageFacts] = {}
        self.counters: dict[int, CounterFacts] = {}
        self.tensors: dict[int, TensorFacts] = {}
        self.nodes: dict[int, NodeFacts] = {}
        self.steps: list[Step] = []
        self._before: tuple[dict[int, Any], ...] = ({}, {}, {}, {})
        self._peak = 0

    def store(self, key: int, values: Values | Summary | None, slots: int | None = None, device: str = "cpu") -> None:
        count = slots if slots is not None else len(values) if isinstance(values, tuple) else 0
        self.storages[key] = StorageFacts(key, 4 * count, count, "float32", device, values)

    def write(self, key: int, values: Values | Summary | None) -> tuple[int, int]:
        """Replace the values; the version goes up by one. Returns the versions before and after."""
        old = self.storages[key]
        before = self.counters.get(key, CounterFacts(key, key, 0)).version
        self.storages[key] = replace(old, values=values)
        self.counters[key] = CounterFacts(key, key, before + 1)
        return before, before + 1

    def tensor(self, key: int, storage: int, shape: tuple[int, ...], names: str = "", **facts: Any) -> None:
        row_major = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
        plain: dict[str, Any] = {"strides": row_major, "offset": 0, "dtype": "float32", "device": "cpu", "leaf": True}
        plain |= {"needs_gradient": False, "base": None, "node": None, "grad": None, "counter": storage} | facts
        self.tensors[key] = TensorFacts(id=key, names=tuple(names.split()), storage=storage, shape=shape, **plain)

    def node(self, key: int, name: str, op: str, line: int | None, to: tuple[int, ...] = (), **facts: Any) -> None:
        edges = tuple(EdgeFacts("xy"[k] if k < 2 else f"x{k}", target) for k, target in enumerate(to))
        plain: dict[str, Any] = {"saved": (), "released": False, "leaf": None, "status": ""} | facts
        self.nodes[key] = NodeFacts(key, name, op, None if line is None else Place(line), edges, **plain)

    def change(self, kind: str, key: int, **facts: Any) -> None:
        things: dict[int, Any] = getattr(self, kind)
        things[key] = replace(things[key], **facts)

    def step(self, kind: str, line: int | None, **fields: Any) -> None:
        live = sum(s.bytes for s in self.storages.values())
        self._peak = max(self._peak, live)
        self.counters = {key: self.counters.get(key, CounterFacts(key, key, 0)) for key in self.storages}
        now: tuple[dict[int, Any], ...] = (
            dict(self.storages),
            dict(self.counters),
            dict(self.tensors),
            dict(self.nodes),
        )
        changes = tuple(_changes(old, new) for old, new in zip(self._before, now, strict=True))
        self._before = now
        plain: dict[str, Any] = {"phase": "forward", "op": None, "category": None, "inputs": (), "output": None}
        plain |= {"writes": (), "rewired": (), "kept": None, "backward": None, "error": None} | fields
        storages, counters, tensors, nodes = changes
        step = Step(
            index=len(self.steps),
            kind=kind,  # type: ignore[arg-type]
            place=None if line is None else Place(line),
            live=live,
            peak=self._peak,
            storages=storages,
            counters=counters,
            tensors=tensors,
            nodes=nodes,
            **plain,
        )
        self.steps.append(step)

    def recording(self, **facts: Any) -> Recording:
        return Recording(self.framework, "0.1", self.title, (SourceFacts("", self.source),), tuple(self.steps), **facts)


def _changes(old: dict[int, Any], new: dict[int, Any]) -> tuple[tuple[int, Any], ...]:
    changed = tuple((key, facts) for key, facts in new.items() if old.get(key) != facts)
    return changed + tuple((key, None) for key in old if key not in new)


def saved(name: str, storage: int, version: int, shape: tuple[int, ...], *, copy: bool = False) -> SavedFacts:
    strides = tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return SavedFacts(name, storage, storage, version, shape, strides, 0, copy=copy)


def lesson() -> Recording:
    """The lesson's program: one object with two names, and a backward pass that succeeds."""
    source = (
        "import inplacelab as paddle\n"
        "a = paddle.to_tensor([[1., -2., 3., -4.], [5., -6., 7., -8.]]); a.stop_gradient = False\n"
        "x = a.scale(2.0)\n"
        "y = x.scale_(2.0)        # same object, same storage, version 0 -> 1\n"
        "y.backward()\n"
        "print(y is x, a.grad)\n"
    )
    s = Script("lesson 1", source)
    values = (1.0, -2.0, 3.0, -4.0, 5.0, -6.0, 7.0, -8.0)
    shape = (2, 4)
    s.store(0, values)
    s.tensor(0, 0, shape)
    s.step("operation", 2, op="to_tensor", category="create", output=0)
    s.tensor(0, 0, shape, "a", needs_gradient=True)
    s.step("line", 2)
    s.store(1, tuple(2 * v for v in values))
    s.node(0, "AccumulateGradNode", "accumulate", None, leaf=0)
    s.node(1, "ScaleGradNode", "scale", 3, (0,))
    s.tensor(1, 1, shape, leaf=False, needs_gradient=True, node=1)
    s.step("operation", 3, op="scale", category="ordinary", inputs=(0,), output=1, kept=1)
    s.change("tensors", 1, names=("x",))
    s.step("line", 3)
    before, after = s.write(1, tuple(4 * v for v in values))
    s.node(2, "ScaleGradNode", "scale_", 4, (1,))
    s.change("tensors", 1, node=2)
    write = WriteFacts(1, 1, before, after, 1, ((0, 8),))
    s.step(
        "operation",
        4,
        op="scale_",
        category="in-place",
        inputs=(1,),
        output=1,
        kept=2,
        writes=(write,),
        rewired=(RewireFacts(1, 1, 2),),
    )
    s.change("tensors", 1, names=("x", "y"))
    s.step("line", 4)
    _walk_back(s, 5, [(2, (1.0,) * 8), (1, (2.0,) * 8), (0, (4.0,) * 8)], shape)
    s.tensor(2, 2, shape)
    s.store(2, (4.0,) * 8)
    s.change("tensors", 0, grad=2)
    s.change("nodes", 0, status="done")
    s.step("backward", 5, phase="backward", backward=BackwardFacts("run", 0))
    _settled(s)
    s.step("backward", 5, phase="backward", backward=BackwardFacts("end", None))
    s.step("line", 6)
    return s.recording()


def _walk_back(s: Script, line: int, gradients: list[tuple[int, Values]], shape: tuple[int, ...]) -> None:
    for key, _ in gradients:
        s.change("nodes", key, status="waiting")
    root, first = gradients[0]
    s.step("backward", line, phase="backward", backward=BackwardFacts("begin", root, gradient=first, shape=shape))
    for key, gradient in gradients:
        s.change("nodes", key, status="arrived")
        arrived = BackwardFacts("arrived", key, gradient=gradient, shape=shape)
        s.step("backward", line, phase="backward", backward=arrived)
        if s.nodes[key].leaf is None:
            s.change("nodes", key, status="done", released=True)
            s.step("backward", line, phase="backward", backward=BackwardFacts("run", key))


def _settled(s: Script) -> None:
    for key in s.nodes:
        s.change("nodes", key, status="")


def views() -> Recording:
    """Two views of one tensor, one strided; a write through a view rewrites the history of its base."""
    source = "b = a * 2\nv = b[0]\nw = b[:, 1]\nv.scale_(3.)\n"
    s = Script("views", source)
    s.store(0, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0))
    s.tensor(0, 0, (2, 3), "a", needs_gradient=True)
    s.step("line", 1)
    s.store(1, (2.0, 4.0, 6.0, 8.0, 10.0, 12.0))
    s.node(0, "AccumulateGradNode", "accumulate", None, leaf=0)
    s.node(1, "ScaleGradNode", "scale", 1, (0,))
    s.tensor(1, 1, (2, 3), "b", leaf=False, needs_gradient=True, node=1)
    s.step("operation", 1, op="scale", category="ordinary", inputs=(0,), output=1, kept=1)
    s.node(2, "SliceGradNode", "__getitem__", 2, (1,))
    s.tensor(2, 1, (3,), "v", leaf=False, needs_gradient=True, node=2, base=1)
    s.step("operation", 2, op="__getitem__", category="view", inputs=(1,), output=2, kept=2)
    s.node(3, "SliceGradNode", "__getitem__", 3, (1,))
    s.tensor(3, 1, (2,), "w", strides=(3,), offset=1, leaf=False, needs_gradient=True, node=3, base=1)
    s.step("operation", 3, op="__getitem__", category="view", inputs=(1,), output=3, kept=3)
    before, after = s.write(1, (6.0, 12.0, 18.0, 8.0, 10.0, 12.0))
    s.node(4, "ScaleGradNode", "scale_", 4)
    s.node(5, "CopySlices", "scale_", 4, (1,))
    s.node(6, "AsStridedGradNode", "scale_", 4, (5,))
    s.node(7, "AsStridedGradNode", "scale_", 4, (5,))
    for key, node in ((1, 5), (2, 6), (3, 7)):
        s.change("tensors", key, node=node)
    del s.nodes[2], s.nodes[3]
    rewired = (RewireFacts(1, 1, 5), RewireFacts(2, 2, 6), RewireFacts(3, 3, 7))
    write = WriteFacts(1, 1, before, after, 2, ((0, 3),))
    s.step(
        "operation",
        4,
        op="scale_",
        category="in-place",
        inputs=(2,),
        output=2,
        kept=4,
        writes=(write,),
        rewired=rewired,
    )
    return s.recording()


def stale() -> Recording:
    """`b * b` keeps b; b is overwritten; backward refuses."""
    source = "b = a * 2\nc = b * b\nb.add_(k)\nc.sum().backward()\n"
    s = Script("stale", source)
    s.store(0, (1.0, 2.0, 3.0, 4.0))
    s.tensor(0, 0, (4,), "a", needs_gradient=True)
    s.store(1, (10.0, 10.0, 10.0, 10.0))
    s.tensor(1, 1, (4,), "k")
    s.step("line", 1)
    s.store(2, (2.0, 4.0, 6.0, 8.0))
    s.node(0, "AccumulateGradNode", "accumulate", None, leaf=0)
    s.node(1, "ScaleGradNode", "scale", 1, (0,))
    s.tensor(2, 2, (4,), "b", leaf=False, needs_gradient=True, node=1)
    s.step("operation", 1, op="*", category="ordinary", inputs=(0,), output=2, kept=1)
    s.store(3, (4.0, 16.0, 36.0, 64.0))
    s.node(2, "MultiplyGradNode", "*", 2, (1, 1), saved=(saved("x", 2, 0, (4,)), saved("y", 2, 0, (4,))))
    s.tensor(3, 3, (4,), "c", leaf=False, needs_gradient=True, node=2)
    s.step("operation", 2, op="*", category="ordinary", inputs=(2, 2), output=3, kept=2)
    before, after = s.write(2, (12.0, 14.0, 16.0, 18.0))
    s.node(3, "AddGradNode", "add_", 3, (1,))
    s.change("tensors", 2, node=3)
    write = WriteFacts(2, 2, before, after, 2, ((0, 4),))
    s.step(
        "operation",
        3,
        op="add_",
        category="in-place",
        inputs=(2, 1),
        output=2,
        kept=3,
        writes=(write,),
        rewired=(RewireFacts(2, 1, 3),),
    )
    s.store(4, (120.0,))
    s.node(4, "SumGradNode", "sum", 4, (2,))
    s.tensor(4, 4, (), leaf=False, needs_gradient=True, node=4)
    s.step("operation", 4, op="sum", category="ordinary", inputs=(3,), output=4, kept=4)
    for key in (0, 1, 2, 4):
        s.change("nodes", key, status="waiting")
    s.step("backward", 4, phase="backward", backward=BackwardFacts("begin", 4, gradient=(1.0,), shape=()))
    s.change("nodes", 4, status="done", released=True)
    s.step("backward", 4, phase="backward", backward=BackwardFacts("run", 4))
    s.change("nodes", 2, status="arrived")
    s.step("backward", 4, phase="backward", backward=BackwardFacts("arrived", 2, gradient=(1.0,) * 4, shape=(4,)))
    s.change("nodes", 2, status="unpacking")
    s.step("backward", 4, phase="backward", backward=BackwardFacts("unpack", 2, "x", 0, 1))
    s.change("nodes", 2, status="failed")
    explanation = Text(
        "MultiplyGradNode needs `b` as it was when `b * b` ran, but `b` has been overwritten since. "
        "Keep a copy with `b.clone()` before writing, or write `b = b + k`.",
        "MultiplyGradNode 需要 `b * b` 执行时的 `b`，但 `b` 之后已被覆盖。写入之前用 `b.clone()` 保留一份副本，或改写成 `b = b + k`。",
    )
    message = "(PermissionDenied) Tensor 'b' used in gradient computation has been modified by an inplace operation."
    error = ErrorFacts("RuntimeError", message, explanation, (), node=2, storage=2)
    s.step("error", 4, phase="backward", error=error)
    return s.recording()


def many_files(others: int = 1) -> Recording:
    """The same in a program of several files: a module keeps what another method of it overwrites. Two of the files have one name."""
    train = "import paddle\nfrom gan.model import Net\n\nnet = Net()\na, k = made()\nout = net(a)\nnet.shift(k)\nout.sum().backward()\n"
    model = (
        "class Block:\n    def forward(self, b):\n        return b * b\n\n\nclass Net:\n    def forward(self, a):\n        self.h = a * 2\n"
        "        return self.block(self.h)\n\n    def shift(self, k):\n        self.h.add_(k)\n"
    )
    missing = SourceFacts(
        "<string>", "", remark=Text("Its text was not found: it came from `exec`.", "找不到它的文本：它来自 `exec`。")
    )
    sources = [SourceFacts("train.py", train), SourceFacts("gan/model.py", model), missing]
    sources += [SourceFacts(f"{'vae' if not k else f'part{k}'}/model.py", f"# module {k}\n") for k in range(others)]
    forward = Place(9, 1, "Net.forward", "net", Place(6))
    places = {
        1: Place(5),
        2: Place(8, 1, "Net.forward", "net", Place(6)),
        3: Place(3, 1, "Block.forward", "net.block", forward),
        4: Place(12, 1, "Net.shift", "net", Place(7)),
        5: Place(8),
    }
    alone = stale()
    # In `stale`, line 1 has two steps, of which the second is in the model here.
    lines = [1, 2, 3, 4, *[5] * len(alone.steps)]

    def moved(step: Step) -> Step:
        nodes = tuple(
            (key, node and replace(node, place=node.place and places[node.place.line + 1])) for key, node in step.nodes
        )
        return replace(step, place=places[lines[step.index]], turn=lines[step.index], nodes=nodes)

    return replace(alone, title="train.py", sources=tuple(sources), steps=tuple(map(moved, alone.steps)))


def large(slots: int = 4096) -> Recording:
    """A storage too large to draw slot by slot, with a column of it as a view."""
    side = int(slots**0.5)
    source = f"x = paddle.zeros([{side}, {side}])\ny = x[:, 3]\ny.add_(1.)\n"
    s = Script("large", source)
    s.store(0, Summary(0.0, 0.0, (0.0,) * 3, (0.0,) * 3), slots)
    s.tensor(0, 0, (side, side), "x")
    s.step("operation", 1, op="zeros", category="create", output=0)
    s.tensor(1, 0, (side,), "y", strides=(side,), offset=3, base=0)
    s.step("operation", 2, op="__getitem__", category="view", inputs=(0,), output=1)
    before, after = s.write(0, Summary(0.0, 1.0, (0.0,) * 3, (0.0,) * 3))
    write = WriteFacts(0, 0, before, after, 1, tuple((3 + k * side, 4 + k * side) for k in range(side)))
    s.step("operation", 3, op="add_", category="in-place", inputs=(1,), output=1, writes=(write,))
    return s.recording()


def many(count: int = 12) -> Recording:
    """A dozen storages, wide values, long names and a loop whose temporaries come and go; on a simulated device."""
    source = (
        "".join(f"layer_{k}_weight = paddle.full([4], {k} / 7)\n" for k in range(count)) + "for _ in range(3): use()\n"
    )
    s = Script("many storages", source, framework="torch")
    for k in range(count):
        s.store(k, (k / 7, -k / 7, 123456.789 * k, 1e-9 * k), device="gpu (simulated)")
        s.tensor(k, k, (4,), f"layer_{k}_weight", device="gpu (simulated)", needs_gradient=k % 2 == 0)
        s.step("operation", k + 1, op="full", category="create", output=k)
    for turn in range(3):
        key = count + turn
        s.store(key, (float(turn),) * 4, device="gpu (simulated)")
        s.tensor(key, key, (4,))
        s.step("operation", count + 1, op="add", category="ordinary", inputs=(0, 1), output=key)
        del s.storages[key], s.tensors[key]
        s.step("line", count + 1)
    return s.recording(simulated=True, truncated=7)


def reallocated() -> Recording:
    """In place in name only: `cast_` gives the tensor a new storage, and what was saved keeps the old one."""
    source = "x = a * 2\ny = x.exp()\nx.cast_('float64')\n"
    s = Script("reallocated", source)
    s.store(0, (0.5, 1.5))
    s.tensor(0, 0, (2,), "x", leaf=False, needs_gradient=True)
    s.step("operation", 1, op="*", category="ordinary", output=0)
    s.store(1, (1.649, 4.482))
    s.node(0, "ExpGradNode", "exp", 2, saved=(saved("x", 0, 0, (2,)), saved("out", 1, 0, (2,))))
    s.tensor(1, 1, (2,), "y", leaf=False, needs_gradient=True, node=0)
    s.step("operation", 2, op="exp", category="ordinary", inputs=(0,), output=1, kept=0)
    s.storages[2] = StorageFacts(2, 16, 2, "float64", "cpu", (0.5, 1.5))
    s.change("tensors", 0, storage=2, dtype="float64")
    s.step("operation", 3, op="cast_", category="reallocated", inputs=(0,), output=0)
    return s.recording()


def relayout() -> Recording:
    """`transpose_` changes only the metadata of the tensor itself."""
    s = Script("relayout", "x = paddle.arange(6).reshape([2, 3])\nx.transpose_([1, 0])\nv = x[0]\n")
    s.store(0, (0, 1, 2, 3, 4, 5))
    s.tensor(0, 0, (2, 3), "x")
    s.step("operation", 1, op="arange", category="create", output=0)
    before, after = s.write(0, (0, 1, 2, 3, 4, 5))
    s.tensor(0, 0, (3, 2), "x", strides=(1, 3))
    s.step(
        "operation",
        2,
        op="transpose_",
        category="relayout",
        inputs=(0,),
        output=0,
        writes=(WriteFacts(0, 0, before, after, 0, ()),),
    )
    s.tensor(1, 0, (2,), "v", strides=(3,), base=0)
    s.step("operation", 3, op="__getitem__", category="view", inputs=(0,), output=1)
    return s.recording()


def hostile() -> Recording:
    """Names and code that would do harm if they were not escaped."""
    s = Script("<script>alert(1)</script>", "x = '<script>alert(1)</script>' & \"q\"\n")
    s.store(0, (1.0,))
    s.tensor(0, 0, (1,), "<b>&\"'</b>")
    error = ErrorFacts("ValueError", "</script><img src=x onerror=alert(1)>", None, ())
    s.step("operation", 1, op="</script>", category="create", output=0)
    s.step("error", 1, error=error)
    return s.recording()


def really_views() -> Recording:
    """What our own recorder makes of views, a rewritten history and a backward pass."""
    with paddle.record("really views") as run:
        a = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        a.stop_gradient = False
        b = a * 2
        v = b[0]
        w = b[:, 1]
        v.scale_(3.0)
        (b * b).sum().backward()
    assert run.recording is not None
    assert w is not v
    return run.recording


def really_stale() -> Recording:
    """What our own recorder makes of a backward pass that is refused."""
    run = paddle.record("really stale")
    with contextlib.suppress(RuntimeError), run:
        a = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
        a.stop_gradient = False
        b = a * 2
        c = b * b
        b.add_(paddle.to_tensor([10.0, 10.0, 10.0, 10.0]))
        c.sum().backward()
    assert run.recording is not None
    return run.recording


def really_training() -> Recording:
    """What our own recorder makes of a training loop: temporaries come and go, gradients are written in place."""
    with paddle.record("really training") as run:
        x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
        w = paddle.to_tensor([[0.5], [-0.5]])
        w.stop_gradient = False
        for _ in range(3):
            e = x.matmul(w)
            loss = (e * e).mean()
            loss.backward()
            with paddle.no_grad():
                w.subtract_(w.grad.scale(0.01))
            w.clear_gradient()
    assert run.recording is not None
    return run.recording


def kept_often() -> Recording:
    """Seven nodes keep one storage: three before it is overwritten, four after. Backward goes through one of each."""
    run = paddle.record("kept often")
    with contextlib.suppress(RuntimeError), run:
        w = paddle.to_tensor([1.0, 2.0])
        w.stop_gradient = False
        a = w * 2
        early = [a * a for _ in range(3)]
        a.add_(paddle.to_tensor([1.0, 1.0]))
        late = [a * a for _ in range(4)]
        late[0].sum().backward(retain_graph=True)
        early[1].sum().backward()
    assert run.recording is not None
    return run.recording


def _out_of_sight(tensor: paddle.Tensor) -> Callable[[], paddle.Tensor]:
    return lambda: tensor


def named_late() -> Recording:
    """Lines that bind a name only after several operations: again, in a loop, in a list, to what was out of sight, and in vain."""
    run = paddle.record("named late")
    with contextlib.suppress(ValueError), run:
        x = paddle.to_tensor([1.0, 2.0])
        x.stop_gradient = False
        for _ in range(2):
            x = (x * 2.0).scale_(0.5).relu_()
        both = [(x * float(k)).exp_() for k in range(2)]
        hidden = _out_of_sight(both[0].detach() * 3.0)
        z = hidden().scale_(2.0).exp_()
        z = (z * 2.0).relu_().reshape([5])
    assert run.recording is not None
    return run.recording


ALL: dict[str, Callable[[], Recording]] = {
    "lesson": lesson,
    "views": views,
    "stale": stale,
    "large": large,
    "overview": lambda: large(256 * 256),
    "many": many,
    "reallocated": reallocated,
    "relayout": relayout,
    "hostile": hostile,
    "really_views": really_views,
    "really_stale": really_stale,
    "really_training": really_training,
    "kept_often": kept_often,
    "named_late": named_late,
    "many_files": many_files,
}
