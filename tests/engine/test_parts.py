"""Splitting, joining, windows: values compared with NumPy, derivatives, and refusals compared with PaddlePaddle."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.errors import LeafWriteError, Refusal

Make = Callable[[Any], Tensor]
VALUES = np.arange(24, dtype="float64").reshape(2, 3, 4) + 1


@pytest.mark.parametrize(
    ("ours", "numpys"),
    [
        (lambda x: x.unbind(1), [VALUES[:, k] for k in range(3)]),
        (lambda x: x.unstack(-1), [VALUES[..., k] for k in range(4)]),
        (lambda x: x.split(2, -1), np.split(VALUES, 2, -1)),
        (lambda x: x.split([1, -1], 1), np.split(VALUES, [1], 1)),
        (lambda x: x.split([0, 2], paddle.to_tensor(0)), [VALUES[:0], VALUES]),
        (lambda x: x.chunk(3, 1), np.split(VALUES, 3, 1)),
        (lambda x: x.tensor_split(3, 2), np.array_split(VALUES, 3, 2)),
        (lambda x: x.tensor_split([1, 2], 1), np.split(VALUES, [1, 2], 1)),
        (lambda x: x.hsplit(3), np.hsplit(VALUES, 3)),
        (lambda x: x.vsplit(2), np.vsplit(VALUES, 2)),
        (lambda x: x.dsplit([3]), np.dsplit(VALUES, [3])),
    ],
)
def test_the_parts_are_numpys(ours: Callable[[Tensor], list[Tensor]], numpys: list[Any], leaf: Make) -> None:
    x = leaf(VALUES)
    parts = ours(x)
    assert [part.shape for part in parts] == [list(part.shape) for part in numpys]
    for part, array in zip(parts, numpys, strict=True):
        np.testing.assert_array_equal(part.numpy(), array)
    for k, part in enumerate(parts):
        (part * float(k + 1)).sum().backward()
    expected = sum(np.where(np.isin(VALUES, array), k + 1.0, 0.0) for k, array in enumerate(numpys))
    assert x.grad is not None
    np.testing.assert_array_equal(x.grad.numpy(), expected)


@pytest.mark.parametrize(
    ("ours", "numpys"),
    [
        (lambda x, y: paddle.concat([x, y, x]), lambda x, y: np.concatenate([x, y, x])),
        (lambda x, y: paddle.concat([x, y], axis=-1), lambda x, y: np.concatenate([x, y], -1)),
        (lambda x, y: paddle.stack([x, y], 1), lambda x, y: np.stack([x, y], 1)),
        (lambda x, y: paddle.stack([x, y], -1), lambda x, y: np.stack([x, y], -1)),
        (lambda x, y: paddle.hstack([x, y]), lambda x, y: np.hstack([x, y])),
        (lambda x, y: paddle.vstack([x[0], y[0]]), lambda x, y: np.vstack([x[0], y[0]])),
    ],
)
def test_joined(ours: Callable[..., Tensor], numpys: Callable[..., Any], leaf: Make) -> None:
    """Values, and the first and second derivatives of a function of the result."""
    a, b = VALUES[0], VALUES[1] / 7
    x, y = leaf(a), leaf(b)
    joined = ours(x, y)
    np.testing.assert_array_equal(joined.numpy(), numpys(a, b))
    cubes = (joined * joined * joined).sum()
    first = paddle.grad(cubes, [x, y], create_graph=True)
    uses = [numpys(np.ones_like(a), 0 * b).sum() / a.size, numpys(0 * a, np.ones_like(b)).sum() / b.size]
    if numpys(a, b).ndim == 2 and numpys(a, b).shape == (2, 4):
        uses = [np.arange(3)[:, None] == 0] * 2  # of the rows, only the first was taken
    for found, values, times in zip(first, (a, b), uses, strict=True):
        assert found is not None
        np.testing.assert_allclose(found.numpy(), 3 * values**2 * times, rtol=1e-12)
    steepness = [(g * g).sum() for g in first if g is not None]
    second = paddle.grad(steepness[0] + steepness[1], [x, y])
    for found, values, times in zip(second, (a, b), uses, strict=True):
        assert found is not None
        np.testing.assert_allclose(found.numpy(), 36 * values**3 * np.square(times), rtol=1e-12)


def test_joining_into_a_tensor_that_is_there() -> None:
    out = paddle.zeros([3])
    assert paddle.concat([paddle.ones([1]), paddle.full([2], 2.0)], out=out) is out
    assert out.tolist() == [1.0, 2.0, 2.0]
    assert out.inplace_version == 1


def test_writes_to_the_views_of_unbind_are_right(leaf: Make) -> None:
    a = leaf(VALUES)
    x = a * 1
    first, second = x.unbind()
    second.add_(first.scale(3.0))
    (x * x).sum().backward()
    p, q = VALUES
    assert a.grad is not None
    np.testing.assert_allclose(a.grad.numpy(), [2 * p + 6 * (q + 3 * p), 2 * (q + 3 * p)])


def test_the_views_of_a_leaf_are_refused(leaf: Make) -> None:
    for part in (*leaf(VALUES).unbind(), leaf(VALUES).diagonal(), leaf(VALUES).view([24]), leaf(VALUES).moveaxis(0, 1)):
        with pytest.raises(LeafWriteError):
            part.zero_()


def test_a_write_through_real_numbers_reaches_the_complex_base(leaf: Make) -> None:
    a = leaf(VALUES.reshape(3, 4, 2))
    z = (a * 2).as_complex()
    z.as_real().scale_(3.0)
    z.imag().zero_()
    weight = paddle.to_tensor(np.array(1.5))
    (z.as_real() * weight).sum().backward()
    assert a.grad is not None
    np.testing.assert_array_equal(a.grad.numpy(), np.broadcast_to([9.0, 0.0], (3, 4, 2)))


def test_bits_seen_as_other_numbers_stay_outside_the_history(leaf: Make, constant: Make) -> None:
    with pytest.raises(TypeError, match="has no derivative"):
        leaf([1.0]).view("int64")
    x = constant([1.0, 2.0])
    bits = x.view("float32")
    assert bits.shape == [4]
    assert bits.storage is x.storage
    with pytest.raises(RuntimeError, match="a view of another dtype"):
        bits.add_(leaf([1.0] * 4).cast("float32"))
    assert x.inplace_version == 0
    bits.zero_()
    assert x.tolist() == [0.0, 0.0]
    assert x.inplace_version == 1


def test_bits_of_a_tensor_with_history_can_be_looked_at_and_written_under_no_grad(leaf: Make) -> None:
    a = leaf([1.0, -2.0])
    b = a * 1
    with paddle.no_grad():
        bits = b.view("int64")
        bits.bitwise_and_(paddle.full([2], 2**63 - 1, "int64"))  # without the sign
    assert (bits.stop_gradient, b.tolist(), b.inplace_version) == (True, [1.0, 2.0], 1)
    (b * b).sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [2.0, 4.0]


def test_a_view_reached_over_another_dtype_is_no_constant_once_its_storage_has_a_history(
    leaf: Make, constant: Make
) -> None:
    c = constant([0.0, 0.0])
    bits, again = c.view("int64"), c.view("int64").view("float64")
    c.add_(leaf([1.0, 2.0]))
    assert (bits + 0).stop_gradient
    with pytest.raises(RuntimeError, match="created through another dtype is used after its storage was written"):
        again * again
    assert again.detach().tolist() == [1.0, 2.0]


def test_a_window_stays_inside_its_storage(constant: Make) -> None:
    x = constant(VALUES)
    assert x[1].as_strided([2, 2], [1, 2], 16).tolist() == [
        [3.0, 5.0],
        [4.0, 6.0],
    ]  # bytes, from the storage's beginning
    for window in (([30], [1]), ([2], [-1]), ([2], [1], 8 * 23), ([2, 2], [30, 1])):
        with pytest.raises(IndexError, match="of a storage that has 24"):
            x.as_strided(*window)


REFUSED = """
x.moveaxis(0, 3) | x.moveaxis([0, 0], [1, 2]) | x.moveaxis([0], [1, 2]) | x.moveaxis('a', 1) | x.view([5])
x.transpose([2, 0, 1]).view([24]) | x[:, :, :3].view('float64') | x[:, :, 0].view('float64') | x.view_as(paddle.zeros([5]))
x.unflatten(2, [3, 2]) | x.unflatten(3, [2]) | x.unbind(3) | x.unbind(-4) | x.unstack(3) | x.unstack(0, 3) | x.split([-1, -1], 1)
x.split([1, 1], 1) | x.split(2, 1) | x.split(0) | x.split(2, 3) | x.split(2.5) | x.split([4, -1], 1) | x.chunk(2, 1) | x.chunk(5, 2)
x.chunk(0) | x.tensor_split(0) | x.tensor_split(3, 3) | x[0, 0].vsplit(2) | x[0].dsplit(2) | x.unfold(2, 5, 1) | x.unfold(2, 2, 0)
x.unfold(3, 1, 1) | x.diagonal(0, 0, 0) | x.diagonal(0, 0, 3) | x[0, 0].diagonal() | paddle.slice(x, [1], [0, 1], [1])
paddle.slice(x, 0, [0], [1]) | paddle.strided_slice(x, [2], [0], [4], [0]) | x.narrow(1, 2, 2) | x.narrow(3, 0, 1) | x.narrow(1, -4, 1)
x.narrow(1, 0, -1) | x.real() | x.as_real() | x.as_complex() | x.transpose([2, 1, 0])[..., :2].as_complex() | x[0, 0].mT | x.t()
x.flip(3) | x.flip([0, 0]) | x.roll([1, 2], 0) | x.roll([1, 2]) | x.roll(1, 3) | x.tile([-1]) | x.rot90(1, [0, 0]) | x.as_strided([2], [1], -4)
paddle.concat([]) | paddle.concat(x) | paddle.concat([x, x], 3) | paddle.concat([x, x[0]]) | paddle.concat([x, x[:, :2]], 0)
paddle.concat([x, x.astype('int64')]) | paddle.stack([]) | paddle.stack([x, x[0]]) | paddle.stack([x, x], 4) | paddle.stack([x, x[:1]])
"""
PROGRAMS = [each.strip() for line in REFUSED.strip().splitlines() for each in line.split(" | ")]


def _refusal(module: Any, program: str) -> Exception:
    x = module.to_tensor(VALUES.astype("float32"))
    with pytest.raises(Exception) as caught:  # noqa: PT011  # the two exceptions are compared
        eval(program, {"x": x, "paddle": module})
    return caught.value


@pytest.fixture(scope="module")
def real() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


@pytest.mark.parametrize("program", PROGRAMS)
def test_refused_with_a_reason(program: str) -> None:
    error = _refusal(paddle, program)
    assert isinstance(error, Refusal), repr(error)
    assert error.why.zh
    assert error.fix.zh


@pytest.mark.oracle
@pytest.mark.parametrize("program", PROGRAMS)
def test_refused_as_in_paddle(program: str, real: Any) -> None:
    ours, theirs = _refusal(paddle, program), _refusal(real, program)
    assert isinstance(ours, type(theirs)), (repr(ours), repr(theirs))
