"""A fresh session for every test, and one case for every row of the table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.autograd import modes
from inplacelab.language import set_language
from inplacelab.layout import Layout
from inplacelab.ops.spec import Row
from inplacelab.ops.table import ROWS, variants

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


@pytest.fixture(autouse=True)
def _new_session() -> Iterator[None]:
    """Whatever a test switches, the next one finds what a new session finds."""
    yield
    paddle.set_device("cpu")
    paddle.set_default_dtype("float32")
    paddle.set_grad_enabled(True)
    set_language("en")
    assert modes.recording_history


@pytest.fixture
def leaf() -> Callable[[Any], Tensor]:
    """Makes a double-precision leaf whose gradient is wanted."""
    return lambda values: paddle.to_tensor(np.array(values, dtype="float64"), stop_gradient=False)


@pytest.fixture
def constant() -> Callable[[Any], Tensor]:
    """Makes a double-precision tensor that needs no gradient."""
    return lambda values: paddle.to_tensor(np.array(values, dtype="float64"))


# ---- a case for every row -------------------------------------------------------------------------------------------


class Case(NamedTuple):
    """One way to call a row, and the same in NumPy."""

    row: Row
    reference: Callable[..., Any]
    """What the result is, from NumPy arrays; for a row that only writes, the value of the first input afterwards."""
    shapes: tuple[Shape, ...]
    attrs: Mapping[str, Any]
    positive: bool

    @property
    def variants(self) -> tuple[str, ...]:
        return variants(self.row)

    def arrays(self, shapes: tuple[Shape, ...] | None = None) -> list[Array]:
        """The same numbers in every run, none near zero: the derivatives of `relu` and `abs` jump there."""
        draw = np.random.default_rng(crc32(self.row.name.encode()))
        sizes = self.shapes if shapes is None else shapes
        values = [np.asarray(draw.uniform(0.4, 1.6, shape)) for shape in sizes]
        return values if self.positive else [np.asarray(v * draw.choice([-1.0, 1.0], v.shape)) for v in values]

    def call(self, variant: str, tensors: list[Tensor]) -> Tensor:
        """Run one variant of the row as a learner would."""
        if self.row.name == "getitem":
            return tensors[0][self.attrs["key"]]
        if self.row.name == "setitem":
            tensors[0][1:] = tensors[1]
            return tensors[0]
        method = getattr(Tensor, self.row.name + "_" * (variant in ("in-place", "relayout")))
        made: Tensor = method(*tensors, **self.attrs)
        return made

    def expected(self, arrays: list[Array]) -> Array:
        """The result as NumPy computes it."""
        return np.asarray(self.reference(*[np.array(a) for a in arrays], **self.attrs))


def _written(x: Array, y: Array) -> Array:
    x[1:] = y
    return x


def _put(x: Array, y: Array, key: Any, accumulate: bool = False) -> Array:
    np.add.at(x, key, y) if accumulate else x.__setitem__(key, y)
    return x


def _window(x: Array, layout: Layout) -> Array:
    strides = [s * x.itemsize for s in layout.strides]
    return np.lib.stride_tricks.as_strided(x.reshape(-1)[layout.offset :], layout.shape, strides)


def _case(name: str, reference: Callable[..., Any], *shapes: Shape, positive: bool = False, **attrs: Any) -> Case:
    row = ROWS[name]
    return Case(row, reference, shapes or ((2, 3),) * len(row.inputs), MappingProxyType(attrs), positive)


CASES = [
    _case("add", np.add),
    _case("add", lambda x, y, alpha: x + alpha * y, (2, 3), (3,), alpha=-2.5),
    _case("subtract", np.subtract, (2, 3), (2, 1)),
    _case("subtract", lambda x, y, alpha: x - alpha * y, alpha=2),
    _case("multiply", np.multiply),
    _case("multiply", np.multiply, (2, 3), (1, 3)),
    _case("divide", np.divide),
    _case("divide", np.divide, (2, 3), ()),
    _case("scale", lambda x, scale, bias: x * scale + bias, scale=-1.5, bias=0.25),
    _case("scale", lambda x, scale, bias, bias_after_scale: (x + bias) * scale, scale=2, bias=3, bias_after_scale=False),
    _case("neg", np.negative),
    _case("square", np.square),
    _case("pow", lambda x, y: x**y, y=3),
    _case("pow", lambda x, y: x**y, y=0.5, positive=True),
    _case("pow", lambda x, y: x**y, y=0),
    _case("relu", lambda x: np.maximum(x, 0)),
    _case("abs", np.abs),
    _case("sign", np.sign),
    _case("exp", np.exp),
    _case("log", np.log, positive=True),
    _case("sqrt", np.sqrt, positive=True),
    _case("sin", np.sin),
    _case("cos", np.cos),
    _case("tanh", np.tanh),
    _case("sigmoid", lambda x: 1 / (1 + np.exp(-x))),
    _case("clone", np.array),
    _case("cast", lambda x, dtype: x.astype(dtype), dtype="float64"),
    _case("conj", np.conjugate),
    _case("real", np.real),
    _case("equal", np.equal),
    _case("not_equal", np.not_equal),
    _case("less_than", np.less),
    _case("less_equal", np.less_equal),
    _case("greater_than", np.greater),
    _case("greater_equal", np.greater_equal),
    _case("matmul", np.matmul, (2, 3), (3, 4)),
    _case("matmul", np.matmul, (3,), (3,)),
    _case("matmul", np.matmul, (3,), (3, 2)),
    _case("matmul", np.matmul, (2, 3), (3,)),
    _case("matmul", np.matmul, (2, 2, 3), (3, 2)),
    _case("matmul", np.matmul, (3,), (2, 3, 2)),
    _case("matmul", np.matmul, (2, 1, 2, 3), (2, 3, 1)),
    _case("reshape", np.reshape, shape=[3, 2]),
    _case("flatten", lambda x, start_axis, stop_axis: x.reshape(2, 6), (2, 3, 2), start_axis=1, stop_axis=-1),
    _case("transpose", lambda x, perm: x.transpose(perm), (2, 3, 2), perm=[2, 0, 1]),
    _case("t", np.transpose),
    _case("squeeze", lambda x, axis: x.squeeze(axis), (2, 1, 3), axis=1),
    _case("squeeze", np.squeeze, (1, 3, 1)),
    _case("unsqueeze", lambda x, axis: np.expand_dims(x, axis), axis=-1),
    _case("getitem", lambda x, key: x[key], (3, 4), key=(slice(None, None, -1), slice(1, 3))),
    _case("getitem", lambda x, key: x[key], (3, 4), key=(1, None, slice(0, 4, 2))),
    _case("_window", _window, (3, 4), layout=Layout((2, 2), (1, 4), 2)),
    _case("_window", _window, (3, 4), layout=Layout((2, 3), (1, 1), 0)),
    _case("fill", lambda x, value: np.full_like(x, value), value=2.5),
    _case("zero", np.zeros_like),
    _case("copy", lambda x, y: np.broadcast_to(y, x.shape), (2, 3), (3,)),
    _case("setitem", _written, (3, 2), (2,)),
    _case("_take", lambda x, key: x[key], (3, 2), key=[0, 2, 0]),
    _case("_take", lambda x, key: x[key], (3, 2), key=(slice(None), [1, 1])),
    _case("_put", _put, (3, 2), (2, 2), key=[2, 0]),
    _case("_put", _put, (3, 2), (3, 2), key=[1, 0, 1]),
    _case("_put", _put, (3, 2), (3, 2), key=[1, 0, 1], accumulate=True),
    _case("sum", lambda x: np.sum(x)),
    _case("sum", lambda x, axis, keepdim: x.sum(tuple(axis), keepdims=keepdim), (2, 3, 2), axis=[0, -1], keepdim=True),
    _case("mean", lambda x: np.mean(x)),
    _case("mean", lambda x, axis: x.mean(axis), axis=1),
    _case("expand", lambda x, shape: np.broadcast_to(x, shape), (2, 1), shape=[4, 2, 3]),
]  # fmt: skip


def _name(case: Case) -> str:
    shapes = ",".join("x".join(map(str, shape)) or "()" for shape in case.shapes)
    return " ".join([case.row.name, shapes, *(f"{k}={v}" for k, v in case.attrs.items())])


ALL = ("ordinary", "view", "in-place", "relayout")


def _with(*wanted: str, kind: str = "") -> list[Any]:
    chosen = [c for c in CASES if kind in ("", c.row.kind)]
    return [pytest.param(c, v, id=f"{_name(c)} {v}") for c in chosen for v in c.variants if v in wanted]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Tests that ask for these get every row: with each of its variants, or only those that write data."""
    names = set(metafunc.fixturenames)
    if {"elementwise", "variant"} <= names:
        metafunc.parametrize(("elementwise", "variant"), _with(*ALL, kind="elementwise"))
    elif {"case", "variant"} <= names:
        metafunc.parametrize(("case", "variant"), _with(*ALL))
    elif {"case", "writes"} <= names:
        metafunc.parametrize(("case", "writes"), _with("in-place"))
    elif "case" in names:
        metafunc.parametrize("case", [pytest.param(c, id=_name(c)) for c in CASES])
