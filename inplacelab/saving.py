"""Saves tensors, and dictionaries and lists of them, to a file that can be loaded without running any code.

The file is a zip archive, as `numpy.savez` makes it: an array for each tensor, and `structure.json`, which has the
dictionaries and lists around them. PaddlePaddle's own files are pickles. Reading a pickle can run any code, so such files
are refused with an error that explains it.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

import numpy as np

from inplacelab import dtypes, errors
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
            any code. Load it with PaddlePaddle's `paddle.load`, and save its `numpy()` values here.)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/load_en.html
    """
    if not isinstance(path, str | PathLike):
        path.seek(0)
        return _read(path, "the file", return_numpy)
    source = Path(fspath(path))
    if not source.is_file():
        raise errors.no_such_file(path=str(path))
    with source.open("rb") as file:
        return _read(file, str(path), return_numpy)


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
        archive.writestr(zipfile.ZipInfo(_STRUCTURE, _FIRST_TIME), structure)
        for number, array in enumerate(arrays):
            part = io.BytesIO()
            np.lib.format.write_array(part, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{number}.npy", _FIRST_TIME), part.getvalue())


def _read(file: Any, called: str, return_numpy: bool) -> Any:
    try:
        with zipfile.ZipFile(file) as archive:
            structure = json.loads(archive.read(_STRUCTURE))
            return _built(structure, archive, return_numpy)
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, IndexError) as error:
        raise errors.file_of_another_package(path=called) from error


def _built(described: Any, archive: zipfile.ZipFile, return_numpy: bool) -> Any:
    """The object that `_described` was given."""
    if not isinstance(described, list):
        return described
    kind, content, *more = described
    if kind == "tensor":
        array = np.lib.format.read_array(io.BytesIO(archive.read(f"{content}.npy")), allow_pickle=False)
        return array if return_numpy else _tensor(array, *more)
    if kind == "dict":
        return {_built(key, archive, return_numpy): _built(value, archive, return_numpy) for key, value in content}
    if kind == "dtype":
        return dtypes.named(dtypes.as_numpy(content))
    parts = [_built(each, archive, return_numpy) for each in content]
    return tuple(parts) if kind == "tuple" else parts


def _tensor(array: Any, name: str | None) -> Tensor:
    tensor = to_tensor(array)
    if name is not None:
        tensor.name = name
    return tensor
