"""Saved files: values are restored, the same values give the same bytes, and no file can run code."""

from __future__ import annotations

import io
import pickle
import random
import warnings
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors, nn
from inplacelab.dtypes import NAMES
from tests.subtests import for_each
from tests.tiers import examples

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


def parts(obj: Any) -> dict[str, bytes]:
    """The parts of a saved file."""
    file = io.BytesIO()
    paddle.save(obj, file)
    with zipfile.ZipFile(file) as archive:
        return {each: archive.read(each) for each in archive.namelist()}


def npy(header: bytes, values: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    return b"\x93NUMPY" + version + len(header).to_bytes(2, "little") + header + values


def archived(*members: tuple[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def with_array(array: bytes, structure: str = '["tensor", 0, null]') -> bytes:
    return archived(("structure.json", structure.encode()), ("0.npy", array))


ONE = npy(b"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n", b"\0\0\x80?")
CLAIMS = "{'descr': %r, 'fortran_order': False, 'shape': %s, }"


def encrypted() -> bytes:
    whole = bytearray(with_array(ONE))
    at = whole.index(b"PK\x01\x02")
    whole[at + 8] |= 1
    return bytes(whole)


BAD = {
    "encrypted": encrypted(),
    "a bomb": archived(("structure.json", b" " * 2**24 + b"1"), compression=zipfile.ZIP_DEFLATED),
    "LZMA": archived(("structure.json", b"1"), compression=zipfile.ZIP_LZMA),
    "truncated": with_array(ONE)[:-30],
    "begins late": with_array(ONE)[30:],
    "a part twice": archived(("structure.json", b'["tensor", 0, null]'), ("0.npy", ONE), ("0.npy", ONE)),
    "a part outside": archived(("structure.json", b"1"), ("../0.npy", ONE)),
    "an absolute part": archived(("structure.json", b"1"), ("/0.npy", ONE)),
    "a part unused": archived(("structure.json", b"1"), ("0.npy", ONE)),
    "one array many times": with_array(ONE, '["list", [["tensor", 0, null], ["tensor", 0, null]]]'),
    "an array missing": archived(("structure.json", b'["tensor", 0, null]')),
    "nested deeply": archived(("structure.json", b"[" * 100_000)),
    "lists in lists": archived(("structure.json", b'["list",[' * 4000 + b"]]" * 4000)),
    "a long number": archived(("structure.json", b"9" * 5000)),
    "no UTF-8": archived(("structure.json", b'"\xff"')),
    "no JSON": archived(("structure.json", b"{")),
    "another kind": archived(("structure.json", b'["set", [1]]')),
    "a list as key": archived(("structure.json", b'["dict", [[["list", []], 1]]]')),
    "a name that is none": with_array(ONE, '["tensor", 0, 7]'),
    "no dtype": archived(("structure.json", b'["dtype", "complex7"]')),
    "more values than there are": with_array(npy((CLAIMS % ("<f4", "(1099511627776,)")).encode(), b"1234")),
    "sizes that overflow": with_array(npy((CLAIMS % ("<f4", "(4294967296, 4294967296)")).encode())),
    "a negative size": with_array(npy((CLAIMS % ("<f4", "(-1,)")).encode(), b"1234")),
    "a size that is a bool": with_array(npy((CLAIMS % ("<f4", "(True,)")).encode(), b"1234")),
    "objects": with_array(npy((CLAIMS % ("|O", "(1,)")).encode(), b"12345678")),
    "text": with_array(npy((CLAIMS % ("<U1", "(1,)")).encode(), b"1234")),
    "dates": with_array(npy((CLAIMS % ("<M8[s]", "(1,)")).encode(), b"12345678")),
    "records": with_array(npy(b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", b"1234")),
    "a long header": with_array(npy(b"{" + b" " * 20_000)),
    "a header of code": with_array(npy(b"__import__('os')")),
    "a header nested deeply": with_array(npy(b"-" * 9000 + b"1")),
    "a later version": with_array(npy(b"{}", version=b"\x09\x00")),
    "nothing": b"",
    "the end of an archive": b"PK\x05\x06" + b"\xff" * 18,
}  # fmt: skip


@for_each("content", list(BAD.items()), ids=lambda case: case[0])
def test_a_bad_file_is_refused_with_a_sentence(content: tuple[str, bytes]) -> None:
    for return_numpy in (False, True):
        with pytest.raises(errors.ArgumentError, match="was not written by"):
            paddle.load(io.BytesIO(content[1]), return_numpy=return_numpy)


def test_an_array_in_columns_and_one_of_another_byte_order_are_read() -> None:
    for header in (
        "{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3)}",
        "{'descr': '>i2', 'fortran_order': False, 'shape': (3, 2)}",
    ):
        values = np.arange(6, dtype=header[11:14])
        read = paddle.load(io.BytesIO(with_array(npy(header.encode(), values.tobytes()))))
        expected = [[0, 2, 4], [1, 3, 5]] if "True" in header else [[0, 1], [2, 3], [4, 5]]
        assert (read.tolist(), read.dtype) == (expected, paddle.int16)


def test_a_file_with_random_damage_is_read_or_refused() -> None:
    state = {"w": paddle.ones([3, 2]), "names": ["a", ("b", 2)], 1: paddle.to_tensor([1, 2], dtype="int64")}
    file = io.BytesIO()
    paddle.save(state, file)
    whole, members, refused = file.getvalue(), list(parts(state).items()), 0
    count = examples(400)
    for seed in range(count):
        rng = random.Random(seed)
        # Damage inside a part is not revealed by its checksum.
        which = rng.choice([None, *range(len(members))])
        content = bytearray(whole if which is None else members[which][1])
        for _ in range(rng.choice((1, 2, 8))):
            start = rng.randrange(len(content) + 1)
            content[start : start + rng.choice((0, 1, 4, 40))] = rng.choice(
                (b"", b"\0", b"\xff" * 4, b"9", b"[", b"(", b"PK\x01\x02", rng.randbytes(2))
            )
        damaged = bytes(content)
        if which is not None:
            damaged = archived(*(member if k != which else (member[0], damaged) for k, member in enumerate(members)))
        try:
            paddle.load(io.BytesIO(damaged))
        except errors.ArgumentError:
            refused += 1
    assert 0 < refused < count


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
