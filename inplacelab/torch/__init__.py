"""`import inplacelab.torch as torch`: PyTorch's names over the same engine, for machines without PyTorch.

A learner's PyTorch program means here what it means in PyTorch: `requires_grad`, `x += y` in place, `nn`, `optim`, versions, and
refusals in PyTorch's words. Storages, version counters and the history are the engine's; no arithmetic is in this package. Where
PyTorch is installed, its programs are recorded as they are, and this package is not needed.

    names.py       the table: PyTorch's signatures, and what the engine computes for each (data)
    generate.py    functions and methods made of the lines of the table
    meanings/      functions that mean something else in PyTorch than in Paddle
    calls.py       the border: a program's tensors outside, the engine's inside, PyTorch's words in between
    tensor.py      `Tensor`, `Parameter`; described.py: what they tell; autograd.py, nn/, optim/ are PyTorch's modules of these names
    refusals.*     PyTorch's first lines; grad_nodes.py: its names of grad nodes; printing.py: how it prints
    __main__.py    the table, printed: `python -m inplacelab.torch`

>>> import inplacelab.torch as torch
>>> w = torch.tensor([1., 2.], requires_grad=True)
>>> y = (w * 2).sigmoid()
>>> y += 1
>>> y.sum().backward()                              # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: ...
"""

from __future__ import annotations

from importlib import import_module
from math import e, inf, nan, pi
from typing import Any

import numpy as np

import inplacelab as _engine
from inplacelab.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from inplacelab.language import get_language, set_language
from inplacelab.tensor import Tensor as _Engine
from inplacelab.tensor import fresh as _fresh
from inplacelab.torch import dtypes as _dtypes
from inplacelab.torch import meanings as _meanings
from inplacelab.torch import printing as _printing
from inplacelab.torch.calls import Shown as _Shown
from inplacelab.torch.calls import inward as _inward
from inplacelab.torch.calls import outward as _outward
from inplacelab.torch.calls import spoken as _spoken
from inplacelab.torch.described import check_device as _check_device
from inplacelab.torch.dtypes import dtype
from inplacelab.torch.generate import line_named as _line_named
from inplacelab.torch.generate import made as _made
from inplacelab.torch.generate import names as _names
from inplacelab.torch.refusals import missing as _missing
from inplacelab.torch.tensor import Size, Tensor, device
from inplacelab.version import __version__ as __version__

_MODULES = ("autograd", "backends", "cuda", "nn", "optim", "utils")
_DTYPES = {**_dtypes.BY_NAME, **{short: _dtypes.BY_NAME[name] for short, name in _dtypes.SHORT.items()}}
_TOP = (
    "Size", "Tensor", "as_tensor", "device", "dtype", "e", "enable_grad", "finfo", "from_numpy", "get_default_dtype", "get_language",
    "inf", "is_grad_enabled", "is_tensor", "load", "manual_seed", "nan", "no_grad", "pi", "record", "save", "set_default_dtype",
    "set_grad_enabled", "set_language", "set_printoptions", "tensor",
)  # fmt: skip

newaxis = None
strided = "torch.strided"
contiguous_format = "torch.contiguous_format"
preserve_format = "torch.preserve_format"


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """Returns a new tensor with a copy of the data.

    Args:
        data: numbers, nested lists, arrays of NumPy, or a tensor.
        dtype: its data type; that of the data if None.
        device: "cpu".
        requires_grad: whether it needs a gradient.
        pin_memory: ignored.

    >>> import inplacelab.torch as torch
    >>> torch.tensor([[1, 2], [3, 4]])
    tensor([[1, 2],
            [3, 4]])
    """
    _check_device(device)
    return _spoken(_new_tensor)(data, dtype, requires_grad)  # type: ignore[no-any-return]


def _new_tensor(data: Any, dtype: Any, requires_grad: bool) -> _Engine:
    if isinstance(data, _Engine):
        data = data.numpy()
    return _meanings.created(_engine.to_tensor(data, dtype), requires_grad)


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Returns data as a tensor, without a copy where that is possible: also a tensor of the engine, under PyTorch's names.

    >>> import inplacelab as paddle, inplacelab.torch as torch
    >>> x = paddle.ones([2])
    >>> torch.as_tensor(x).mul_(3)
    tensor([3., 3.])
    >>> x.tolist(), x.inplace_version
    ([3.0, 3.0], 1)
    """
    _check_device(device)
    found: Tensor
    if isinstance(data, _Engine | _Shown):
        found = _outward(_inward(data))
    elif isinstance(data, np.ndarray):
        found = from_numpy(data)
    else:
        found = tensor(data, dtype=dtype)
    return found if dtype is None or found.dtype == dtype else found.to(dtype)


def from_numpy(ndarray: np.ndarray[Any, Any]) -> Tensor:
    """Returns a tensor on the memory of an array, if its elements lie in order; otherwise on a copy."""
    shared = np.ascontiguousarray(ndarray).reshape(ndarray.shape)
    result: Tensor = _outward(_fresh(shared, _engine.devices.CPU))
    return result


def manual_seed(seed: int) -> None:
    """Starts the random numbers of this package from a seed. They differ from PyTorch's."""
    _engine.manual_seed(seed)


def is_tensor(obj: Any) -> bool:
    """Returns True for a tensor."""
    return isinstance(obj, Tensor)


def get_default_dtype() -> Any:
    """Returns the data type that Python floats become."""
    return _DTYPES[_engine.get_default_dtype()]


def set_default_dtype(d: Any) -> None:
    """Sets the data type that Python floats become."""
    _engine.set_default_dtype(d.engine)


def finfo(dtype: Any) -> Any:
    """Returns the limits of a floating-point type."""
    return _engine.finfo(dtype.engine)


def save(obj: Any, f: Any) -> None:
    """Writes tensors, numbers and strings to a file: alone, or in dictionaries and lists, such as `net.state_dict()`.

    The file is that of `inplacelab.save`, which can be loaded without running any code; PyTorch's are pickles.
    """
    _spoken(_engine.save)(_kept(obj, _inward), f)


def load(f: Any, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Reads a file that `save` wrote. `map_location` and `weights_only` change nothing: tensors are on the CPU, and no code is run."""
    return _kept(_spoken(_engine.load)(f), _outward)


def _kept(value: Any, change: Any) -> Any:
    """What is written to a file, or read from it, with its tensors on the other side of the border."""
    if isinstance(value, dict):
        return {key: _kept(each, change) for key, each in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_kept(each, change) for each in value)
    return change(value)


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Sets how tensors are printed.

    Args:
        precision: the digits behind the point: 4 at first.
        threshold: tensors of more elements are shortened: 1000 at first.
        edgeitems: how many are printed at each end then: 3 at first.
        linewidth: the characters of a line: 80 at first.
        profile: "default" takes everything back; "short" and "full" are PyTorch's.
        sci_mode: whether numbers have an exponent; chosen for each tensor at first.

    >>> import inplacelab.torch as torch
    >>> torch.set_printoptions(precision=2)
    >>> torch.tensor([1 / 3])
    tensor([0.33])
    >>> torch.set_printoptions(profile="default")
    """
    given = {
        "precision": precision,
        "threshold": threshold,
        "edge": edgeitems,
        "width": linewidth,
        "scientific": sci_mode,
    }
    _printing.choose(profile, {name: value for name, value in given.items() if value is not None})


def __getattr__(name: str) -> Any:
    """Functions are made when they are first used, and modules imported."""
    value: Any
    if name in _MODULES:
        value = import_module(f"inplacelab.torch.{name}")
    elif name in _DTYPES:
        value = _DTYPES[name]
    elif name == "record":
        value = _engine.record
    elif (line := _line_named(name, method=False)) is not None:
        value = _made(line, name)
    else:
        raise _missing("torch", name, __dir__())
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_TOP, *_MODULES, *_DTYPES, *_names(methods=False)})


__all__ = [*_TOP]  # noqa: PLE0604
_ = (
    e,
    inf,
    nan,
    pi,
    dtype,
    device,
    Size,
    enable_grad,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
    get_language,
    set_language,
)
