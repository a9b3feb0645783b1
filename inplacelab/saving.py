"""Saves tensors, and dictionaries and lists of them, to a file that can be loaded without running any code.

The file is a zip archive, as `numpy.savez` makes it: an array for each tensor, and `structure.json`, which has the
dictionaries and lists around them. PaddlePaddle's own files are pickles. Reading a pickle can run any code, so such files
are refused with an error that explains it.
"""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Mapping
from math import prod
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

import numpy as np

from inplacelab import dtypes, errors
from inplacelab.language import Text
from inplacelab.ops.creation import to_tensor
from inplacelab.tensor import Tensor

_STRUCTURE = "structure.json"
_PLAIN = (str, int, float, bool, type(None))
_FIRST_TIME = (1980, 1, 1, 0, 0, 0)
"""The time stamp of every file in an archive: the same values give the same bytes."""

Place = str | PathLike[str] | IO[bytes]


def save(obj: Any, path: Place, protocol: int = 4) -> None:  # noqa: ARG001  # Paddle's parameter, of its pickles
    """Writes tensors, numbers and strings to a file: alone, or in dictionaries, lists and tuples (such as `layer.state_dict()`).

    Args:
        obj: the object. A tensor's values and name are written; its history and gradient are not.
        path: the file's path (missing folders are created), or a file opened for writing bytes.
        protocol: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `obj` contains an object that cannot be written, such as a layer or a function. Nothing is written then.

    >>> import io
    >>> import inplacelab as paddle
    >>> file = io.BytesIO()
    >>> paddle.save({"w": paddle.to_tensor([1., 2.]), "epoch": 3}, file)
    >>> paddle.load(file)
    {'w': Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=True,
           [1., 2.]), 'epoch': 3}

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/save_en.html
    """
    arrays: list[Any] = []
    structure = json.dumps(_described(obj, arrays), ensure_ascii=False)
    if not isinstance(path, str | PathLike):
        _write(path, structure, arrays)
        return
    target = Path(fspath(path))
    if fspath(path).endswith(("/", os.sep)) or target.is_dir():
        raise errors.path_is_a_folder(path=fspath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        _write(file, structure, arrays)


def load(path: Place, *, return_numpy: bool = False) -> Any:
    """Reads a file that `save` wrote.

    Args:
        path: the file's path, or a file opened for reading bytes.
        return_numpy: whether to return NumPy arrays instead of tensors.

    Returns:
        The object. Tensors and arrays become tensors on the current device with `stop_gradient=True`.

    Raises:
        ArgumentError: if there is no such file, or `save` did not write it. (A file of PaddlePaddle is a pickle, which could run
            any code. Load it with PaddlePaddle's `paddle.load`, and save its `numpy()` values here.) Also if the file was damaged, or
            was made to take more memory than its own size: `save` compresses nothing, and so compressed parts are refused.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/load_en.html
    """
    if not isinstance(path, str | PathLike):
        return _read(path, "the file", return_numpy)
    source = Path(fspath(path))
    try:
        if not source.is_file():
            raise errors.no_such_file(path=str(path))
        with source.open("rb") as file:
            return _read(file, str(path), return_numpy)
    except OSError as error:
        raise errors.unreadable_file(path=str(path), reason=error.strerror) from error


# ---- what is in a file --------------------------------------------------------------------------------------------------


def _described(obj: Any, arrays: list[Any]) -> Any:
    """`obj` as JSON: plain values as they are, all others as a list of a kind and a content. Arrays go into `arrays`."""
    if isinstance(obj, Tensor):
        arrays.append(obj.numpy())
        return ["tensor", len(arrays) - 1, obj.name]
    if isinstance(obj, np.ndarray | np.generic) and obj.dtype.kind in "biufc":
        arrays.append(np.asarray(obj))
        return ["tensor", len(arrays) - 1, None]
    if isinstance(obj, Mapping):
        return ["dict", [[_described(key, arrays), _described(value, arrays)] for key, value in obj.items()]]
    if isinstance(obj, list | tuple):
        return ["list" if isinstance(obj, list) else "tuple", [_described(each, arrays) for each in obj]]
    if isinstance(obj, dtypes.DType):
        return ["dtype", obj.name]
    if type(obj) not in _PLAIN:
        raise errors.cannot_be_saved(kind=type(obj).__name__)
    return obj


def _write(file: Any, structure: str, arrays: list[Any]) -> None:
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(zipfile.ZipInfo(_STRUCTURE, _FIRST_TIME), structure.encode("utf-8", "surrogatepass"))
        for number, array in enumerate(arrays):
            part = io.BytesIO()
            np.lib.format.write_array(part, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{number}.npy", _FIRST_TIME), part.getvalue())


_UNREADABLE = (
    zipfile.BadZipFile, ArithmeticError, AttributeError, EOFError, LookupError, RuntimeError, struct.error, SyntaxError, TypeError,
    ValueError, OSError,
)  # fmt: skip
"""What `zipfile`, `json` and NumPy raise for files that are damaged or made up: also OSError, for an offset before the beginning."""


def _read(file: Any, called: str, return_numpy: bool) -> Any:
    try:
        archive = zipfile.ZipFile(file)
    except _UNREADABLE as error:
        raise errors.file_of_another_package(path=called) from error
    with archive:
        if _STRUCTURE not in archive.NameToInfo:
            raise errors.file_of_another_package(path=called)
        try:
            return _Reader(archive, return_numpy).read()
        except _DamagedError as damage:
            raise errors.damaged_file(path=called, reason=damage.reason) from None
        except _UNREADABLE as error:
            raise errors.damaged_file(path=called, reason=_NO_SENSE) from error


_NO_SENSE = Text("a part of it cannot be read", "其中有的部分无法读取")
_ENCRYPTED = Text(
    "a part is encrypted or compressed, and `save` does neither", "有的部分被加密或压缩，而 `save` 从不这样做"
)
_OVERLAP = Text("its parts claim to be larger than the file", "各部分声称的大小超过了文件本身")
_PARTS = Text(
    "it does not have the parts that `save` writes, each of them once", "它的组成部分与 `save` 所写的不符，或有重复"
)
_ARRAY = Text("an array has another size, shape or dtype than it claims", "有的数组与其声称的大小、形状或数据类型不符")


class _DamagedError(Exception):
    def __init__(self, reason: Text) -> None:
        super().__init__()
        self.reason = reason


class _Reader:
    """Reads an archive. Nothing is read that takes more memory than the file, so every size is checked first."""

    def __init__(self, archive: zipfile.ZipFile, return_numpy: bool) -> None:
        self._archive, self._return_numpy = archive, return_numpy
        self._unread: set[str] = set()

    def read(self) -> Any:
        """Returns the object that was saved."""
        members = self._archive.infolist()
        if any(each.compress_type != zipfile.ZIP_STORED or each.flag_bits & _ENCRYPTION for each in members):
            raise _DamagedError(_ENCRYPTED)
        file = self._archive.fp
        assert file is not None  # the archive is open
        if sum(each.file_size for each in members) > file.seek(0, os.SEEK_END):
            raise _DamagedError(_OVERLAP)
        self._unread = {_STRUCTURE, *(f"{number}.npy" for number in range(len(members) - 1))}
        if sorted(each.filename for each in members) != sorted(self._unread):
            raise _DamagedError(_PARTS)
        built = self._built(json.loads(self._part(_STRUCTURE)))
        if self._unread:
            raise _DamagedError(_PARTS)
        return built

    def _part(self, name: str) -> bytes:
        """The bytes of a part. Each part is read once: a thousand tensors of one array would need a thousand times its memory."""
        if name not in self._unread:
            raise _DamagedError(_PARTS)
        self._unread.remove(name)
        return self._archive.read(name)

    def _built(self, described: Any) -> Any:
        """The object that `_described` was given."""
        if not isinstance(described, list):
            return described
        kind, content, *more = described
        match kind:
            case "tensor":
                (name,) = more
                array = _array(self._part(f"{content}.npy"))
                if not isinstance(name, str | None):
                    raise _DamagedError(_PARTS)
                return array if self._return_numpy else _tensor(array, name)
            case "dict":
                return {self._built(key): self._built(value) for key, value in content}
            case "dtype":
                return dtypes.named(dtypes.as_numpy(content))
            case "list" | "tuple":
                parts = [self._built(each) for each in content]
                return tuple(parts) if kind == "tuple" else parts
            case _:
                raise _DamagedError(_PARTS)


_ENCRYPTION = 0x1
"""The bit of a zip entry's flags that says that it is encrypted."""


def _array(part: bytes) -> Any:
    """The array in a part. NumPy would make room for the shape that the header claims before it reads the values."""
    file = io.BytesIO(part)
    if np.lib.format.read_magic(file) != (1, 0):
        raise _DamagedError(_ARRAY)
    try:
        shape, in_columns, dtype = np.lib.format.read_array_header_1_0(file)
    except Exception:  # noqa: BLE001  # it parses Python, and raises what the tokenizer and the compiler raise, also MemoryError
        raise _DamagedError(_ARRAY) from None
    values = part[file.tell() :]
    plain = dtype.kind in "biufc" and dtype.names is None and dtype.subdtype is None
    whole = all(type(size) is int and size >= 0 for size in shape) and prod(shape) * dtype.itemsize == len(values)
    if not plain or not whole:
        raise _DamagedError(_ARRAY)
    array = np.frombuffer(values, dtype).reshape(shape, order="F" if in_columns else "C")
    return np.array(array, dtype.newbyteorder("="))  # `frombuffer` makes an array that cannot be written


def _tensor(array: Any, name: str | None) -> Tensor:
    tensor = to_tensor(array)
    if name is not None:
        tensor.name = name
    return tensor
