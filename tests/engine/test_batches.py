"""Batches: as in Paddle, in order or shuffled by the seed; copies, so in-place operations do not change the data set."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors
from tests.subtests import for_each


def pairs(module: Any) -> Any:
    return module.io.TensorDataset([module.arange(10.0).reshape([5, 2]), module.arange(5)])


def own(module: Any, example: Callable[[int], Any]) -> Any:
    class Own(module.io.Dataset):  # type: ignore[misc]
        def __getitem__(self, idx: int) -> Any:
            return example(idx)

        def __len__(self) -> int:
            return 3

    return Own()


class Called:
    """A loader that is called instead of iterated over, as in Paddle's guides: `for batch in loader():`."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Any:
        return self.loader()


LOADERS: dict[str, Callable[[Any], Any]] = {
    "pairs": lambda m: m.io.DataLoader(pairs(m), batch_size=2),
    "whole batches": lambda m: m.io.DataLoader(pairs(m), batch_size=2, drop_last=True),
    "called": lambda m: Called(m.io.DataLoader(pairs(m), batch_size=2, return_list=True)),
    "not as lists": lambda m: m.io.DataLoader(pairs(m), batch_size=2, return_list=False),
    "one by one": lambda m: m.io.DataLoader(pairs(m)),
    "arrays": lambda m: m.io.DataLoader(own(m, lambda k: np.full(2, k, "float32")), batch_size=2),
    "fields": lambda m: m.io.DataLoader(own(m, lambda k: (np.ones(2) * k, k, [k * 0.5, "word"])), batch_size=2),
    "names": lambda m: m.io.DataLoader(own(m, lambda k: {"a": float(k), "b": np.float32(k)}), batch_size=3),
}


def plain(batch: Any) -> Any:
    if isinstance(batch, list | tuple):
        return [plain(each) for each in batch]
    if isinstance(batch, dict):
        return {name: plain(each) for name, each in batch.items()}
    return (str(batch.dtype), batch.tolist(), batch.stop_gradient) if hasattr(batch, "tolist") else batch


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@for_each("name", LOADERS)
def test_batches_are_those_of_paddle(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        theirs = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    ours, others = ((len(loader), plain(list(loader))) for loader in (LOADERS[name](m) for m in (paddle, theirs)))
    assert ours == others


def test_each_round_has_every_example_once_in_an_order_that_the_seed_settles() -> None:
    loader = paddle.io.DataLoader(pairs(paddle), batch_size=2, shuffle=True)
    paddle.seed(3)
    first, second = ([k for _, y in loader for k in y.tolist()] for _ in range(2))
    paddle.seed(3)
    assert [k for _, y in loader for k in y.tolist()] == first
    assert sorted(first) == sorted(second) == [0, 1, 2, 3, 4]
    assert first != second


def test_a_function_may_make_the_batches() -> None:
    assert list(paddle.io.DataLoader(pairs(paddle), batch_size=2, collate_fn=len)) == [2, 2, 1]


def test_a_batch_is_a_copy_that_may_be_written() -> None:
    data = paddle.ones([4])
    data.stop_gradient = False
    for (batch,) in paddle.io.DataLoader(paddle.io.TensorDataset([data]), batch_size=2):
        batch.zero_()
        assert batch.stop_gradient
    assert (data.tolist(), data.inplace_version) == ([1.0] * 4, 0)


REFUSED: dict[str, tuple[Callable[[], object], type[Exception]]] = {
    "lengths": (lambda: paddle.io.TensorDataset([paddle.ones([2]), paddle.ones([3])]), AssertionError),
    "no batch": (lambda: paddle.io.DataLoader([1, 2], batch_size=0), AssertionError),
    "shapes": (lambda: list(paddle.io.DataLoader([np.ones(1), np.ones(2)], batch_size=2)), ValueError),
}


@for_each("name", REFUSED)
def test_what_makes_no_batch_is_refused(name: str) -> None:
    make, kind = REFUSED[name]
    with pytest.raises(kind) as caught:
        make()
    assert isinstance(caught.value, errors.Refusal)
