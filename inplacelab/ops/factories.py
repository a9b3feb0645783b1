"""Making tensors: from data, filled, counted, or drawn at random.

Random numbers come from one seeded generator: `seed(n)` starts a stream that is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from inplacelab import devices, dtypes, errors, observe
from inplacelab.language import Text
from inplacelab.ops.run import plain_number, sizes_of
from inplacelab.ops.table import FUNCTIONS
from inplacelab.tensor import Tensor, fresh

_F = TypeVar("_F", bound=Callable[..., Any])


def _public(function: _F) -> _F:
    """Offer `function` in the package's top level."""
    FUNCTIONS[function.__name__] = lambda: function
    return function


def _shape(name: str, shape: Any) -> tuple[int, ...]:
    sizes = sizes_of(name, shape)
    if any(n < 0 for n in sizes):
        raise errors.bad_shape(name, shape)
    return tuple(sizes)


def made(name: str, array: Any, device: devices.Device, stop_gradient: bool = True) -> Tensor:
    """A new tensor over `array`, told to whoever listens."""
    tensor = fresh(array, device)
    tensor._stop = stop_gradient
    if observe.listeners:
        observe.tell(name, "create", (), tensor, None)
    return tensor


@_public
def to_tensor(data: Any, dtype: Any = None, place: Any = None, stop_gradient: bool = True) -> Tensor:
    """A tensor with a copy of `data`: numbers, nested lists of equal length, a NumPy array, or a tensor.

    Args:
        data: the values.
        dtype: the type of the elements. If None: Python floats become the default type (float32), complex numbers
            complex64, integers int64; arrays and tensors keep theirs.
        place: the device; the current one if None.
        stop_gradient: False for a leaf whose gradient is wanted.

    Raises:
        ArgumentError: if the rows are of different lengths, or hold something that is no number.
        DTypeError: if there is no such dtype.

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([[1, 2], [3, 4]]).dtype
    <DataType.INT64: 9>

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/to_tensor_en.html
    """
    device = (
        devices.find(place)
        if place is not None
        else data.storage.device
        if isinstance(data, Tensor)
        else devices.current()
    )
    values = _array(data)
    wanted = values.dtype if dtype is None else dtypes.as_numpy(dtype)
    return made("to_tensor", device.from_host(values.astype(wanted, copy=False)), device, stop_gradient)


def operand(value: Any, x: Tensor, dtype: Any = None) -> Tensor:
    """A number or an array that meets `x` in an operation, as a tensor of the same dtype and on the same device.

    A tensor is handed back as it is. Nobody is told: the program has not asked for a tensor.
    """
    if isinstance(value, Tensor):
        return value
    device = x.storage.device
    return fresh(device.from_host(_array(value).astype(x.array.dtype if dtype is None else dtype, copy=False)), device)


def _array(data: Any) -> np.ndarray[Any, Any]:
    """The values as a NumPy array of a dtype that a tensor can have."""
    if isinstance(data, Tensor):
        return data.numpy()
    if isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
    else:
        try:
            array = np.asarray(_plain(data))
        except (ValueError, TypeError) as error:
            raise errors.ragged_data(str(error).split(".")[0]) from None
        if array.dtype.kind == "f" and not _holds_arrays(data):
            array = array.astype(dtypes.as_numpy(None))
        elif array.dtype.kind == "c" and not _holds_arrays(data):
            array = array.astype(np.complex64)
    if array.dtype.kind not in "biufc":
        raise errors.ragged_data(f"this holds {array.dtype}")
    return array.astype(dtypes.named(array.dtype).numpy, copy=False)


def _plain(data: Any) -> Any:
    """Nested lists with the tensors in them read."""
    if isinstance(data, Tensor):
        return data.numpy()
    return [_plain(each) for each in data] if isinstance(data, list | tuple) else data


def _holds_arrays(data: Any) -> bool:
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return isinstance(data, Tensor | np.ndarray | np.generic)


@_public
def full(shape: Any, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor of `shape` with `fill_value` in every element; of the default dtype if None (bool and complex128 by the value)."""
    return _filled("full", shape, fill_value, _type_of(fill_value) if dtype is None else dtype)


@_public
def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor of zeros; float32 unless `dtype` says otherwise."""
    return _filled("zeros", shape, 0, dtype)


@_public
def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor of ones; float32 unless `dtype` says otherwise."""
    return _filled("ones", shape, 1, dtype)


@_public
def empty(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose elements are whatever the memory held."""
    device = devices.current()
    return made("empty", device.empty(_shape("empty", shape), dtypes.as_numpy(dtype)), device)


def _type_of(value: Any) -> Any:
    """A number's own type where the default type could not hold it."""
    return {bool: "bool", complex: "complex128"}.get(type(value))


def _filled(name: str, shape: Any, value: Any, dtype: Any, device: devices.Device | None = None) -> Tensor:
    device = device or devices.current()
    array = device.empty(_shape(name, shape), dtypes.as_numpy(dtype))
    array.fill(plain_number(array, value))
    return made(name, array, device)


@_public
def full_like(x: Tensor, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor shaped like `x` with `fill_value` in every element."""
    return _filled("full_like", x.shape, fill_value, x.dtype if dtype is None else dtype, x.storage.device)


@_public
def zeros_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor of zeros shaped like `x`."""
    return _filled("zeros_like", x.shape, 0, x.dtype if dtype is None else dtype, x.storage.device)


@_public
def ones_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor of ones shaped like `x`."""
    return _filled("ones_like", x.shape, 1, x.dtype if dtype is None else dtype, x.storage.device)


@_public
def arange(start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: str | None = None) -> Tensor:
    """`start`, `start + step`, ... up to but without `end`; with one argument, 0, 1, ... up to it.

    int64 if all are integers, else the default dtype.

    Raises:
        ArgumentError: if `step` is zero.
    """
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (v.item() if isinstance(v, Tensor) else v for v in (start, end, step))
    if step == 0:
        raise errors.bad_argument("arange", "step", step, Text("a number that is not zero", "非零数"))
    if dtype is None:
        dtype = "int64" if all(isinstance(v, int | np.integer) for v in (start, end, step)) else None
    device = devices.current()
    return made("arange", device.from_host(np.arange(start, end, step).astype(dtypes.as_numpy(dtype))), device)


@_public
def linspace(start: Any, stop: Any, num: int, dtype: Any = None, name: str | None = None) -> Tensor:
    """`num` numbers, evenly spaced, from `start` to `stop` inclusive."""
    device = devices.current()
    return made(
        "linspace",
        device.from_host(np.linspace(float(start), float(stop), int(num)).astype(dtypes.as_numpy(dtype))),
        device,
    )


@_public
def eye(num_rows: int, num_columns: int | None = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """A matrix with ones on its diagonal."""
    device = devices.current()
    return made("eye", device.from_host(np.eye(num_rows, num_columns, dtype=dtypes.as_numpy(dtype))), device)


# ---- at random ----------------------------------------------------------------------------------------------------------------

_stream: np.random.Generator | None = None


@_public
def seed(seed: int) -> None:
    """Start the stream of random numbers anew: after `seed(0)` the same calls give the same numbers, on every machine."""
    global _stream
    _stream = np.random.Generator(np.random.PCG64(int(seed)))


def generator() -> np.random.Generator:
    """The stream that random numbers come from, made when first needed: NumPy's random module is slow to import."""
    if _stream is None:
        seed(0)
    assert _stream is not None
    return _stream


@_public
def rand(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Random numbers, evenly distributed from 0 up to 1."""
    return _drawn("rand", shape, dtype, lambda out: generator().random(out=out, dtype=out.dtype))


@_public
def randn(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Random numbers from the normal distribution with mean 0 and variance 1."""
    return _drawn("randn", shape, dtype, lambda out: generator().standard_normal(out=out, dtype=out.dtype))


def _drawn(name: str, shape: Any, dtype: Any, draw: Callable[[Any], Any], scale: float = 1, shift: float = 0) -> Tensor:
    """Draw in single or double precision, straight into the new storage."""
    device, wanted = devices.current(), dtypes.as_numpy(dtype)
    if wanted.kind != "f":
        raise errors.unsupported_dtype(name, wanted.name)
    out = device.empty(_shape(name, shape), wanted if wanted.itemsize >= 4 else np.dtype(np.float32))
    draw(out)
    if (scale, shift) != (1, 0):
        np.multiply(out, out.dtype.type(scale), out)
        np.add(out, out.dtype.type(shift), out)
    return made(name, out.astype(wanted, copy=False), device)


@_public
def uniform(
    shape: Any, dtype: Any = None, min: float = -1.0, max: float = 1.0, seed: int = 0, name: str | None = None
) -> Tensor:
    """Random numbers, evenly distributed from `min` up to `max`."""
    return _drawn("uniform", shape, dtype, lambda out: generator().random(out=out, dtype=out.dtype), max - min, min)


@_public
def normal(mean: float = 0.0, std: float = 1.0, shape: Any = None, name: str | None = None) -> Tensor:
    """Random numbers from the normal distribution with this mean and standard deviation."""
    return _drawn(
        "normal",
        [1] if shape is None else shape,
        None,
        lambda out: generator().standard_normal(out=out, dtype=out.dtype),
        std,
        mean,
    )


@_public
def randint(
    low: int = 0, high: int | None = None, shape: Any = (1,), dtype: Any = None, name: str | None = None
) -> Tensor:
    """Random integers from `low` up to but without `high`; from 0 up to `low` if `high` is None. int64 by default."""
    low, high = (0, low) if high is None else (low, high)
    device = devices.current()
    drawn = generator().integers(low, high, _shape("randint", shape))
    return made("randint", device.from_host(drawn.astype(dtypes.as_numpy("int64" if dtype is None else dtype))), device)


@_public
def is_tensor(x: Any) -> bool:
    """True if `x` is a tensor."""
    return isinstance(x, Tensor)


@_public
def assign(x: Any, output: Tensor | None = None) -> Tensor:
    """A copy of `x`; written into `output` if that is given."""
    source = x if isinstance(x, Tensor) else to_tensor(x)
    return source.clone() if output is None else output.copy_(source)
