"""Saved files: values are restored, the same values give the same bytes, and no file can run code."""

from __future__ import annotations

import io
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors, nn
from inplacelab.dtypes import NAMES

MIXED: dict[Any, Any] = {
    "epoch": 3, "loss": 0.5, "words": ["a", "张量", None, True], 7: (1, 2.5), ("a", 1): {"inner": []}, "dtype": paddle.float32,
}  # fmt: skip


def back(obj: Any, **options: Any) -> Any:
    file = io.BytesIO()
    paddle.save(obj, file)
    return paddle.load(file, **options)


def test_plain_values_come_back_as_they_were() -> None:
    assert back(MIXED) == MIXED
    assert back(3) == 3


@pytest.mark.parametrize("dtype", sorted(NAMES))
@pytest.mark.parametrize("shape", [(), (0, 2), (2, 3)])
def test_tensors_come_back_with_dtype_shape_and_name(dtype: str, shape: tuple[int, ...]) -> None:
    x = paddle.to_tensor(
        np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype), stop_gradient=dtype != "float32"
    )
    x.name = "mine"
    y = back({"x": x})["x"]
    assert (y.dtype, tuple(y.shape), y.name, y.stop_gradient, y.is_leaf, y.inplace_version) == (
        x.dtype,
        shape,
        "mine",
        True,
        True,
        0,
    )
    np.testing.assert_array_equal(y.numpy(), x.numpy())


def test_a_view_is_written_as_the_elements_it_shows() -> None:
    x = paddle.arange(12.0).reshape([3, 4])
    assert back(x.t()[::-1]).tolist() == x.t()[::-1].tolist()
    assert back([np.float32(2.5)], return_numpy=True) == [np.float32(2.5)]


def test_training_goes_on_from_a_file(tmp_path: Path) -> None:
    def made() -> tuple[nn.Linear, paddle.optimizer.Adam]:
        net = nn.Linear(3, 2, weight_attr=paddle.ParamAttr("w"), bias_attr=paddle.ParamAttr("b"))
        return net, paddle.optimizer.Adam(paddle.optimizer.lr.StepDecay(0.1, 1), parameters=net.parameters())

    def step(net: nn.Linear, adam: paddle.optimizer.Adam) -> None:
        net(paddle.ones([1, 3])).square().sum().backward()
        adam.step()
        adam.clear_grad()

    first, second = made(), made()
    step(*first)
    paddle.save(first[0].state_dict(), tmp_path / "new" / "net.pdparams")
    paddle.save(first[1].state_dict(), str(tmp_path / "net.pdopt"))
    second[0].set_state_dict(paddle.load(tmp_path / "new" / "net.pdparams"))
    second[1].set_state_dict(paddle.load(str(tmp_path / "net.pdopt")))
    for each in (first, second):
        step(*each)
    np.testing.assert_array_equal(first[0].weight.numpy(), second[0].weight.numpy())


def test_the_same_values_are_the_same_bytes() -> None:
    files = io.BytesIO(), io.BytesIO()
    for file in files:
        paddle.save(OrderedDict(a=np.ones(3), b=[1]), file)
    assert files[0].getvalue() == files[1].getvalue()


class Harmful:
    """What a pickle can do."""

    def __reduce__(self) -> Any:
        return (pytest.fail, ("code was run",))


def no_archive(path: Path) -> None:
    path.write_bytes(b"nothing")


def pickled(path: Path) -> None:
    path.write_bytes(pickle.dumps({"w": Harmful()}))


def pickled_array(path: Path) -> None:
    array = io.BytesIO()
    np.save(array, np.array([Harmful()], object), allow_pickle=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("structure.json", '["tensor", 0, null]')
        archive.writestr("0.npy", array.getvalue())


def another_archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.npy", b"")


@pytest.mark.parametrize("write", [no_archive, pickled, pickled_array, another_archive])
def test_what_was_not_written_here_is_refused(tmp_path: Path, write: Any) -> None:
    write(tmp_path / "file")
    with pytest.raises(errors.ArgumentError, match="was not written by"):
        paddle.load(tmp_path / "file")


def test_what_cannot_be_written_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    paddle.save(1, path)
    for obj in (nn.Linear(1, 1), lambda: 1, {"a": {1, 2}}, np.array([None])):
        with pytest.raises(ValueError, match="cannot be written"):
            paddle.save(obj, path)
    assert paddle.load(path) == 1
    with pytest.raises(ValueError, match="to load model not exists"):
        paddle.load(tmp_path / "missing")
    with pytest.raises(ValueError, match="MUST be format of dirname/filename"):
        paddle.save(1, tmp_path)
