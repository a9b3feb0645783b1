"""`x[key]` and `x[key] = value` select the same elements as NumPy; basic keys give views, other keys copies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import inplacelab as paddle
from inplacelab import Tensor
from tests.tiers import examples

checked = settings(max_examples=examples(60), deadline=None)
SHAPES = arrays.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)


@st.composite
def keyed(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], Any]:
    """An array, and a key of any kind that fits it."""
    shape = draw(SHAPES)
    array = np.arange(float(np.prod(shape))).reshape(shape)
    basic = arrays.basic_indices(shape, allow_newaxis=True)
    lists = arrays.integer_array_indices(shape, result_shape=arrays.array_shapes(max_dims=2, max_side=3))
    mask = arrays.arrays(bool, shape)
    rows = st.lists(st.integers(-shape[0], shape[0] - 1), min_size=1, max_size=4)
    return array, draw(basic | lists | mask | rows)


@checked
@given(keyed())
def test_reading(drawn: tuple[np.ndarray[Any, Any], Any]) -> None:
    array, key = drawn
    x = paddle.to_tensor(array)
    np.testing.assert_array_equal(x[key].numpy(), array[key])


@checked
@given(keyed(), st.booleans())
def test_writing(drawn: tuple[np.ndarray[Any, Any], Any], whole: bool) -> None:
    array, key = drawn
    x = paddle.to_tensor(array)
    selected = array[key]
    value = -1.0 - np.arange(float(np.size(selected))).reshape(np.shape(selected)) if whole else -7.0
    x[key] = paddle.to_tensor(value) if whole else value
    array = array.copy()
    array[key] = value
    np.testing.assert_array_equal(x.numpy(), array)
    assert x.inplace_version == 1


@pytest.mark.parametrize(
    "key", [0, slice(1), (..., 0), None, (slice(None), slice(None, None, -1)), np.int64(1), paddle.to_tensor(1)]
)
def test_basic_keys_give_views(key: Any) -> None:
    x = paddle.zeros([2, 3])
    x[key].fill_(5.0)
    assert (x.numpy() == 5).any()


@pytest.mark.parametrize("key", [[0], paddle.to_tensor([1, 0]), (0, [1, 2]), np.array([[True, False, True]] * 2)])
def test_other_keys_give_copies(key: Any) -> None:
    x = paddle.zeros([2, 3])
    part = x[key]
    part.fill_(5.0)
    assert (x.numpy() == 0).all()
    assert x.inplace_version == 0


def test_iterating_gives_views() -> None:
    x = paddle.zeros([2, 3])
    for k, row in enumerate(x):
        row.fill_(k)
    assert x.tolist() == [[0.0] * 3, [1.0] * 3]
    assert len(x) == 2


def test_numbers_are_cast_to_the_dtype_of_the_target() -> None:
    x = paddle.zeros([3], dtype="int64")
    x[0], x[1], x[2] = 1.9, True, paddle.to_tensor(-2.5)
    assert x.tolist() == [1, 1, -2]
    assert x.dtype == paddle.int64


def test_a_value_is_broadcast_and_its_gradient_summed(leaf: Callable[[Any], Tensor]) -> None:
    value = leaf([1.0, 2.0])
    x = paddle.zeros([3, 2], dtype="float64")
    x[1:] = value
    x.sum().backward()
    assert value.grad is not None
    assert value.grad.tolist() == [2.0, 2.0]


def test_of_values_written_to_one_slot_only_the_last_counts(leaf: Callable[[Any], Tensor]) -> None:
    value = leaf([1.0, 2.0, 3.0])
    x = paddle.zeros([2], dtype="float64")
    x[[0, 1, 0]] = value
    assert x.tolist() == [3.0, 2.0]
    x.sum().backward()
    assert value.grad is not None
    assert value.grad.tolist() == [0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("key", "error", "match"),
    [
        (
            2,
            IndexError,
            r"starting index 2 of slice is out of bounds in tensor 0-th axis, it should be in the range of \[-2, 2\)",
        ),
        ((0, -4), IndexError, r"starting index -4 .* 1-th axis, .* \[-3, 3\)"),
        ((0, 0, 0), IndexError, r"starting index 0 .* 2-th axis(?s:.*)3 were given, and the number of axes is 2"),
        ([5], IndexError, "index 5 is out of bounds for axis 0 with size 2"),
        ("a", TypeError, "cannot be indexed with str: 'a'"),
        (1.0, TypeError, "cannot be indexed with float: 1.0"),
        (slice("a"), TypeError, "cannot be indexed with slice"),
        ((..., ...), TypeError, "cannot be indexed with tuple"),
        ([0.5], TypeError, "cannot be indexed with"),
        (np.array([True, False, True]), IndexError, "boolean index did not match"),
    ],
)
def test_keys_that_do_not_fit(key: Any, error: type[Exception], match: str) -> None:
    x = paddle.zeros([2, 3])
    with pytest.raises(error, match=match):
        x[key]
    with pytest.raises(error, match=match):
        x[key] = 1.0
    assert x.inplace_version == 0


@pytest.mark.parametrize("value", ["7", None, object(), [[1.0], [1.0, 2.0]]])
def test_values_that_are_no_numbers(value: Any) -> None:
    x = paddle.zeros([2, 3])
    with pytest.raises((TypeError, ValueError)) as caught:
        x[0] = value
    assert isinstance(caught.value, Exception)
    assert "Instead:" in str(caught.value)
    assert x.inplace_version == 0


@pytest.mark.parametrize("key", [0, (slice(None), 1), ...])
def test_leading_axes_of_one_element_of_a_value_do_not_count(key: object) -> None:
    a = paddle.ones([1, 1, 2], requires_grad=True)
    x = paddle.zeros([2, 2])
    x[key] = a
    x.sum().backward()
    assert a.grad is not None
    assert a.grad.sum().item() == x.sum().item() == (4.0 if key is ... else 2.0)
    with pytest.raises(ValueError, match=r"compare `x\[key\]\.shape` with `value\.shape`"):
        x[key] = paddle.ones([3, 2, 2])
    assert x.inplace_version == 1
