"""Random numbers: reproducible, with the right distribution; invalid parameters are refused before numbers are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors

N = 20_000

FILLS: dict[str, Callable[[Tensor], Tensor]] = {
    "uniform_": lambda x: x.uniform_(-1.0, 3.0),
    "normal_": lambda x: x.normal_(1.0, 2.0),
    "log_normal_": lambda x: x.log_normal_(0.0, 0.5),
    "exponential_": lambda x: x.exponential_(2.0),
    "cauchy_": lambda x: x.cauchy_(1.0, 2.0),
    "bernoulli_": lambda x: x.bernoulli_(0.3),
    "geometric_": lambda x: x.geometric_(0.3),
    "random_": lambda x: x.random_(2, 7),
}


def _normal_below(x: Any) -> Any:
    """The chance that a standard normal number is below `x`, by summing the density finely: good to 1e-4."""
    grid = np.linspace(-8, 8, 160_001)
    return np.interp(x, grid, np.cumsum(np.exp(-(grid**2) / 2)) * (grid[1] - grid[0]) / np.sqrt(2 * np.pi))


BELOW: dict[str, Callable[[Any], Any]] = {
    "uniform_": lambda x: np.clip((x + 1) / 4, 0, 1),
    "normal_": lambda x: _normal_below((x - 1) / 2),
    "log_normal_": lambda x: _normal_below(np.log(x) / 0.5),
    "exponential_": lambda x: 1 - np.exp(-2 * x),
    "cauchy_": lambda x: np.arctan((x - 1) / 2) / np.pi + 0.5,
}
"""The chance that a number is at most `x`."""

CHANCES: dict[str, dict[int, float]] = {
    "bernoulli_": {0: 0.7, 1: 0.3},
    "geometric_": {k: 0.3 * 0.7 ** (k - 1) for k in range(1, 9)},
    "random_": dict.fromkeys(range(2, 7), 0.2),
}


def drawn(name: str, dtype: str = "float32", seed: int = 11) -> Any:
    paddle.seed(seed)
    return FILLS[name](paddle.zeros([N], dtype)).numpy()


@pytest.mark.parametrize("name", BELOW)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_numbers_are_distributed_as_they_should(name: str, dtype: str) -> None:
    """The Kolmogorov-Smirnov statistic; by chance it exceeds 1.95/sqrt(N) once in a thousand."""
    numbers = np.sort(drawn(name, dtype).astype("float64"))
    chance, share = BELOW[name](numbers), np.arange(1, N + 1) / N
    assert np.abs(share - chance).max() < 1.95 / np.sqrt(N) + 1 / N


@pytest.mark.parametrize("name", CHANCES)
def test_integers_come_as_often_as_they_should(name: str) -> None:
    numbers = drawn(name)
    assert set(numbers.tolist()) <= set(range(0 if name == "bernoulli_" else 1, 60))
    for value, chance in CHANCES[name].items():
        assert abs((numbers == value).mean() - chance) < 4 * np.sqrt(chance * (1 - chance) / N)


@pytest.mark.parametrize("name", FILLS)
def test_the_same_seed_gives_the_same_numbers(name: str) -> None:
    assert np.array_equal(drawn(name), drawn(name))
    assert not np.array_equal(drawn(name), drawn(name, seed=12))


@pytest.mark.parametrize("name", FILLS)
def test_a_view_gets_the_numbers_that_a_tensor_would_get(name: str) -> None:
    whole = drawn(name)
    base = paddle.zeros([N, 2])
    paddle.seed(11)
    view = FILLS[name](base[:, 1])
    assert np.array_equal(view.numpy(), whole)
    assert not base[:, 0].numpy().any()
    assert base.inplace_version == 1


@pytest.mark.parametrize("name", FILLS)
@pytest.mark.parametrize("shape", [[], [0], [0, 3]])
def test_no_axes_and_no_elements(name: str, shape: list[int]) -> None:
    x = paddle.zeros(shape)
    assert FILLS[name](x) is x
    assert (x.shape, x.inplace_version) == (shape, 1)


@pytest.mark.parametrize("name", ["uniform_", "normal_", "log_normal_", "exponential_", "random_"])
def test_half_precision_is_drawn_in_single(name: str) -> None:
    half, single = drawn(name, "float16"), drawn(name)
    np.testing.assert_allclose(half, single, rtol=1e-3, atol=1e-3)


def test_the_upper_bound_is_left_out() -> None:
    paddle.seed(0)
    x = paddle.zeros([N], "float16").uniform_(0.999, 1.0).numpy()
    assert x.max() < 1.0 <= np.nextafter(x.max(), np.float16(2))


def test_a_stream_of_ones_own_leaves_the_common_one_alone() -> None:
    paddle.seed(3)
    expected = paddle.rand([4]).tolist()
    paddle.seed(3)
    first, second = paddle.zeros([4]).uniform_(seed=9), paddle.zeros([4]).uniform_(seed=9)
    assert first.tolist() == second.tolist()
    assert paddle.rand([4]).tolist() == expected
    stream = np.random.default_rng(1)
    assert (
        paddle.zeros([4], "int64").random_(0, 9, generator=stream).tolist()
        == np.random.default_rng(1).integers(0, 9, 4).tolist()
    )


def test_complex_numbers() -> None:
    paddle.seed(1)
    z = paddle.zeros([N], "complex64").normal_(2 + 1j, 3.0).numpy()
    assert abs(z.mean() - (2 + 1j)) < 4 * 3 / np.sqrt(N)
    assert abs(z.real.std() - z.imag.std()) < 0.05
    assert abs(z.std() - 3) < 0.05


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float16", "float32", "float64"])
def test_random_counts_as_far_as_the_dtype_does(dtype: str) -> None:
    paddle.seed(5)
    x = paddle.zeros([4000], dtype).random_().numpy()
    top = float(np.iinfo(dtype).max) if "int" in dtype else 2.0 ** (np.finfo(dtype).nmant + 1)
    assert 0 <= x.min() < 0.1 * top
    assert 0.9 * top < x.max() < top


# ---- history ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILLS)
def test_what_was_there_no_longer_matters(name: str) -> None:
    a = paddle.ones([3], "float64")
    a.stop_gradient = False
    b = a * 2
    FILLS[name](b[:2])
    b.sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [0.0, 0.0, 2.0]


@pytest.mark.parametrize("name", FILLS)
def test_a_value_that_backward_needs_is_found_to_be_stale(name: str) -> None:
    a = paddle.ones([3])
    a.stop_gradient = False
    b = a * 2
    c = b * b
    FILLS[name](b)
    with pytest.raises(errors.StaleSavedTensorError):
        c.backward()


def test_a_probability_gets_a_gradient_of_zero() -> None:
    p = paddle.to_tensor([0.5, 0.5], stop_gradient=False)
    paddle.zeros([3, 2]).bernoulli_(p).sum().backward()
    paddle.zeros([3, 2]).geometric_(p).sum().backward()
    assert p.grad is not None
    assert p.grad.tolist() == [0.0, 0.0]


# ---- parameters for which there is no distribution --------------------------------------------------------------------

BAD: list[tuple[Callable[[Tensor], object], type[Exception], str]] = [
    (
        lambda x: x.uniform_(2, 1),
        ValueError,
        r"min must less then max. But received min = 2.000000 great than or equal max = 1",
    ),
    (lambda x: x.uniform_(1, 1), ValueError, "min must less then max"),
    (lambda x: x.uniform_(float("nan"), 1), ValueError, "min must less then max"),
    (lambda x: x.uniform_(max=1j), TypeError, "Type promotion"),
    (lambda x: x.normal_(0, -1), ValueError, "argument 'std' got -1"),
    (lambda x: x.normal_(1j), TypeError, "Type promotion"),
    (lambda x: x.log_normal_(0, -1), ValueError, "argument 'std' got -1"),
    (lambda x: x.exponential_(0), ValueError, "argument 'lam' got 0"),
    (lambda x: x.exponential_(-1.0), ValueError, "argument 'lam' got -1"),
    (lambda x: x.cauchy_(0, -1), ValueError, "argument 'scale' got -1"),
    (lambda x: x.bernoulli_(1.5), IndexError, r"The probability should be >= 0 and <= 1, but got 1.5"),
    (lambda x: x.bernoulli_(paddle.to_tensor([0.5, -0.1, 0.5])), IndexError, "but got -0.1"),
    (lambda x: x.bernoulli_(float("nan")), IndexError, "but got nan"),
    (lambda x: x.bernoulli_(paddle.ones([2, 3])), ValueError, "different from that of inplace tensor"),
    (lambda x: x.geometric_(0.0), IndexError, "should be > 0"),
    (lambda x: x.geometric_(2.0), IndexError, "but got 2"),
    (lambda x: x.random_(8, 5), ValueError, "^random_ expects 'from' to be less than 'to', but got from=8 >= to=5"),
    (lambda x: x.random_(-3), ValueError, "from=0 >= to=-3"),
    (lambda x: x.random_(0, 5, generator=1), ValueError, "argument 'generator'"),
    (lambda x: x.cast("int8").random_(0, 1000), ValueError, "do not fit into int8"),
    (lambda x: x.cast("bool").random_(), RuntimeError, "kernel `random` is not registered"),
    (lambda x: x.cast("int32").normal_(), RuntimeError, "of kernel `normal` is not registered"),
    (lambda x: x.cast("complex64").cauchy_(), RuntimeError, "of kernel `cauchy` is not registered"),
    (lambda x: paddle.uniform([2], min=2.0, max=1.0), ValueError, "min must less then max"),
    (lambda x: paddle.uniform([2], dtype="int32"), RuntimeError, "of kernel `uniform` is not registered"),
    (lambda x: paddle.normal(0.0, -1.0, [2]), ValueError, "argument 'std' got -1"),
    (
        lambda x: paddle.randint(5, 1),
        ValueError,
        "^.InvalidArgument. randint's low must less then high, but received: low = 5",
    ),
    (lambda x: paddle.randint(1, 5, [3], "float32"), RuntimeError, "of kernel `randint` is not registered"),
    (lambda x: paddle.randperm(-1), ValueError, "argument 'shape'"),
    (lambda x: paddle.bernoulli(x + 1.0), IndexError, "but got 2"),
    (lambda x: paddle.poisson(x - 2.0), ValueError, "argument 'x'"),
    (lambda x: paddle.multinomial(x - 2.0), ValueError, "should be >= 0, but got -1"),
    (lambda x: paddle.multinomial(x - 1.0), ValueError, "probability should be > 0"),
    (lambda x: paddle.multinomial(x, 4), ValueError, "When replacement is False"),
]


@pytest.mark.parametrize(("draw", "kind", "words"), BAD)
def test_nothing_is_drawn_for_bad_parameters(
    draw: Callable[[Tensor], object], kind: type[Exception], words: str
) -> None:
    x = paddle.ones([3])
    paddle.seed(4)
    expected = paddle.rand([1]).tolist()
    paddle.seed(4)
    with pytest.raises(kind, match=words):
        draw(x)
    assert (x.tolist(), x.inplace_version, paddle.rand([1]).tolist()) == ([1.0, 1.0, 1.0], 0, expected)


# ---- tensors of random numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "shape", "dtype"),
    [
        (lambda x: paddle.rand([2], "float64"), [2], "float64"),
        (lambda x: paddle.randn([2, 1]), [2, 1], "float32"),
        (lambda x: paddle.randn([2], "complex64"), [2], "complex64"),
        (lambda x: paddle.standard_normal([2], "float16"), [2], "float16"),
        (lambda x: paddle.uniform([2]), [2], "float32"),
        (lambda x: paddle.normal(), [1], "float32"),
        (lambda x: paddle.normal(1 + 1j, 1.0, [2]), [2], "complex64"),
        (lambda x: paddle.normal(x, x[:, :1]), [3, 4], "float64"),
        (lambda x: paddle.log_normal(0.0, 1.0, [2]), [2], "float32"),
        (lambda x: paddle.randint(5), [1], "int64"),
        (lambda x: paddle.randint(-5, 5, [2], "int32"), [2], "int32"),
        (lambda x: paddle.randint_like(x, 5), [3, 4], "float64"),
        (lambda x: paddle.randint_like(x, 0, 5, "int32"), [3, 4], "int32"),
        (lambda x: paddle.randperm(5), [5], "int64"),
        (lambda x: paddle.randperm(0, "float32"), [0], "float32"),
        (paddle.rand_like, [3, 4], "float64"),
        (lambda x: paddle.rand_like(x, dtype="float32"), [3, 4], "float32"),
        (paddle.randn_like, [3, 4], "float64"),
        (paddle.bernoulli, [3, 4], "float64"),
        (lambda x: paddle.bernoulli(x, 0.5), [3, 4], "float64"),
        (paddle.poisson, [3, 4], "float64"),
        (lambda x: paddle.multinomial(x, 2), [3, 2], "int64"),
        (lambda x: paddle.multinomial(x[0], 6, True), [6], "int64"),
    ],
)
def test_makers(make: Callable[[Tensor], Tensor], shape: list[int], dtype: str) -> None:
    x = make(paddle.ones([3, 4], "float64"))
    assert (x.shape, str(x.dtype), x.stop_gradient, x.inplace_version) == (shape, f"paddle.{dtype}", True, 0)


def test_a_permutation_has_every_number_once() -> None:
    paddle.seed(0)
    x = paddle.randperm(100).numpy()
    assert sorted(x.tolist()) == list(range(100))
    assert x.tolist() != list(range(100))


def test_a_normal_distribution_of_ones_own_for_each_element() -> None:
    paddle.seed(0)
    mean = paddle.to_tensor([-5.0, 5.0], stop_gradient=False)
    x = paddle.normal(mean, paddle.to_tensor([1.0, 3.0]).expand([N, 2]))
    np.testing.assert_allclose(x.numpy().mean(0), [-5, 5], atol=0.1)
    np.testing.assert_allclose(x.numpy().std(0), [1, 3], atol=0.1)
    x.sum().backward()
    assert mean.grad is not None
    assert mean.grad.tolist() == [N, N]


def test_weights_say_how_often_a_place_is_drawn() -> None:
    paddle.seed(0)
    weights = paddle.to_tensor([1.0, 0.0, 3.0])
    places = paddle.multinomial(weights, N, replacement=True).numpy()
    np.testing.assert_allclose(np.bincount(places, minlength=3) / N, [0.25, 0, 0.75], atol=0.02)
    first = np.array([paddle.multinomial(weights, 2).tolist() for _ in range(400)])
    assert {tuple(sorted(row)) for row in first.tolist()} == {(0, 2)}
    assert abs((first[:, 0] == 2).mean() - 0.75) < 0.1


def test_chances_and_expectations_for_each_element() -> None:
    paddle.seed(0)
    chances = paddle.to_tensor([0.0, 0.25, 1.0]).expand([N, 3])
    np.testing.assert_allclose(paddle.bernoulli(chances).numpy().mean(0), [0, 0.25, 1], atol=0.02)
    np.testing.assert_allclose(paddle.zeros([N, 3]).bernoulli_(chances[0]).numpy().mean(0), [0, 0.25, 1], atol=0.02)
    np.testing.assert_allclose(paddle.poisson(chances * 4).numpy().mean(0), [0, 1, 4], atol=0.1)
    half = paddle.zeros([N, 2]).geometric_(paddle.to_tensor([0.5, 1.0])).numpy()
    np.testing.assert_allclose(half.mean(0), [2, 1], atol=0.1)
