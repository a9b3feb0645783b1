"""Tests of `SyncBatchNorm`: compared with batch normalization of the joined batch, in values, gradients and memory."""

from __future__ import annotations

from pathlib import Path

import pytest

import inplacelab as paddle
import inplacelab.distributed as dist
from inplacelab import backends
from tests.distributed.ranks import needs_mpi, run


@needs_mpi
@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_it_is_batch_normalization_of_the_joined_batch(ranks: int, tmp_path: Path) -> None:
    """In place and not, with batches of different sizes, for each layout."""
    ran = run(
        """
        import inplacelab.nn.functional as F
        paddle.set_default_dtype("float64")
        draw = np.random.default_rng(3)
        layouts = {"NC": (3,), "NCL": (3, 4), "NCHW": (3, 2, 4), "NLC": (4, 3), "NHWC": (2, 4, 3), "NDHWC": (2, 1, 2, 3)}
        for layout, rest in layouts.items():
            sizes = [2 + k % 2 for k in range(ranks)]
            x = draw.normal(size=(sum(sizes), *rest)) * 3 + 5
            seed = draw.normal(size=x.shape)
            mine = slice(sum(sizes[:rank]), sum(sizes[: rank + 1]))
            factor, shift = draw.normal(size=3), draw.normal(size=3)
            results = []
            for inplace in (None, False, True):
                leaf = paddle.to_tensor(x if inplace is None else x[mine], stop_gradient=False)
                h = leaf * 1.5
                weight, bias = (paddle.to_tensor(each, stop_gradient=False) for each in (factor, shift))
                if inplace is None:
                    mean, variance = paddle.zeros([3]), paddle.ones([3])
                    y = F.batch_norm(h, mean, variance, weight, bias, training=True, data_format=layout)
                    (y * paddle.to_tensor(seed)).sum().backward()
                    expected = [y.numpy()[mine], leaf.grad.numpy()[mine], weight.grad.numpy(), bias.grad.numpy(), mean.numpy(), variance.numpy()]
                    continue
                norm = dist.SyncBatchNorm(3, data_format=layout, inplace=inplace)
                norm.weight.set_value(factor); norm.bias.set_value(shift)
                y = norm(h)
                (y * paddle.to_tensor(seed[mine])).sum().backward()
                sums = [norm.weight.grad.clone(), norm.bias.grad.clone()]
                for each in sums:
                    dist.all_reduce(each)
                found = [y.numpy(), leaf.grad.numpy(), *(each.numpy() for each in sums), norm._mean.numpy(), norm._variance.numpy()]
                tell([layout, inplace, [bool(np.allclose(a, b, rtol=1e-12, atol=1e-12)) for a, b in zip(found, expected)]])
                tell(["version", h.inplace_version])
                evaluated = norm.eval()(paddle.to_tensor(x[mine])).numpy()
                by_hand = F.batch_norm(paddle.to_tensor(x[mine]), mean, variance, weight, bias, data_format=layout).numpy()
                tell([layout, "eval", [bool(np.allclose(evaluated, by_hand, rtol=1e-12, atol=1e-12))]])
        """,
        ranks,
        tmp_path,
    )
    assert ran.status == 0, ran.errors
    for told in ran.told:
        compared = [each for each in told if each[0] != "version"]
        assert len(compared) == 6 * 2 * 2
        assert all(all(right) for _, _, right in compared), compared
        assert [version for _, version in (each for each in told if each[0] == "version")] == [0, 1] * 6


def test_in_place_keeps_two_arrays_of_the_size_of_the_input_and_the_ordinary_ones_more() -> None:
    """After forward, from an input that only backward could still need: counted in inputs."""
    counted = {}
    for name in ("ordinary", "one node", "in place"):
        norm = dist.SyncBatchNorm(4, inplace=name == "in place")
        given = paddle.ones([1024, 4])
        weight = paddle.ones([4, 4])
        weight.stop_gradient = False
        episode = backends.current().ledger.begin_episode(lambda: False)
        h = paddle.matmul(given, weight)
        if name == "ordinary":
            y = paddle.nn.functional.batch_norm(h, norm._mean, norm._variance, norm.weight, norm.bias, training=True)
        else:
            y = norm(h)
        del h
        live, peak = episode.live, episode.peak
        backends.current().ledger.end_episode(episode)
        counted[name] = (round(live / given.storage.nbytes, 1), round(peak / given.storage.nbytes, 1))
        assert y.shape == [1024, 4]
        del y
    assert counted["in place"][0] < counted["one node"][0] + 0.05 < counted["ordinary"][0]
    assert counted["in place"][1] < counted["one node"][1] < counted["ordinary"][1]


def test_in_place_is_refused_where_it_would_be_wrong() -> None:
    norm = dist.SyncBatchNorm(2, inplace=True)
    leaf = paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]], stop_gradient=False)
    with pytest.raises(ValueError, match="Leaf"):
        norm(leaf)
    assert leaf.inplace_version == 0
    assert leaf.tolist() == [[1.0, 2.0], [3.0, 5.0]]
    needed = leaf.exp()  # the derivative of exp needs its result, which is overwritten
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        norm(needed).sum().backward()
    constant = paddle.to_tensor([[1.0, 2.0], [3.0, 5.0]])
    norm(constant)
    assert constant.inplace_version == 1


def test_second_derivatives_are_refused() -> None:
    """Backward treats the mean and the standard deviation as numbers."""
    leaf = paddle.to_tensor([[1.0], [3.0], [4.0]], stop_gradient=False)
    y = dist.SyncBatchNorm(1)(leaf * 2.0)
    (gradient,) = paddle.grad((y * y * y).sum(), [leaf], create_graph=True)
    assert gradient is not None
    with pytest.raises(ValueError, match="second derivative would go through"):
        gradient.sum().backward()


def test_wrong_inputs_are_refused() -> None:
    with pytest.raises(ValueError, match="NCX"):
        dist.SyncBatchNorm(2, data_format="NCX")
    for shape in ([4], [4, 3], [1, 2, 1, 1, 1, 1]):
        with pytest.raises(ValueError, match="where 2 are expected"):
            dist.SyncBatchNorm(2)(paddle.ones(shape))
