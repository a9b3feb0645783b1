"""Functions that create tensors: from data, filled with a value, counted, or copied and cast (of random numbers: `random.py`)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from inplacelab import backends, dtypes, errors, modes, observe
from inplacelab.backends import Device
from inplacelab.language import Text
from inplacelab.layout import Shape
from inplacelab.ops.arguments.attributes import check_all_hold, check_holds, check_keeps_imaginary, number_for, sizes_of
from inplacelab.ops.arguments.keywords import device_for
from inplacelab.ops.results.kernel_tools import conj
from inplacelab.ops.table import ROWS, as_function, as_method, elementwise
from inplacelab.tensor import Tensor, fresh


def constant_tensor(shape: tuple[int, ...], value: Any, dtype: np.dtype[Any], device: Device) -> Tensor:
    """Returns a new tensor filled by the kernel of `fill_`. It is not reported to observers."""
    tensor = fresh(device.empty(shape, dtype), device)
    number = number_for(tensor.array, value)
    if not (device.launches and _launch_fill()((tensor,), (tensor.array,), value=number)):
        tensor.array.fill(number)
    return tensor


@cache
def _launch_fill() -> Callable[..., bool]:
    """Launches the kernel of `fill_`. It is made on first use, which never happens on the CPU."""
    from inplacelab.kernels.own_kernels import Launcher  # noqa: PLC0415

    return Launcher(ROWS["fill"], "in-place")


# ---- for derivatives ------------------------------------------------------------------------------------------------------


def _like(like: Tensor, shape: Shape, value: int) -> Tensor:
    return constant_tensor(shape, value, like.array.dtype, like.storage.device)


@as_method
def _zeros(self: Tensor) -> Tensor:
    """Zeros of the same shape, outside the history."""
    return _like(self, self.array.shape, 0)


@as_method
def _ones(self: Tensor) -> Tensor:
    """Ones of the same shape, outside the history."""
    return _like(self, self.array.shape, 1)


@as_method
def _spread_out(self: Tensor, shape: Shape) -> Tensor:
    """Zeros of another shape, of the same dtype and device, outside the history."""
    return _like(self, shape, 0)


# ---- functions that create tensors ------------------------------------------------------------------------------------------


def shape_of(name: str, shape: Any) -> tuple[int, ...]:
    """Returns a shape argument as a tuple; refuses negative sizes."""
    sizes = sizes_of(name, shape)
    if any(n < 0 for n in sizes):
        raise errors.bad_shape(op=name, shape=shape)
    return tuple(sizes)


def made(name: str, array: Any, device: backends.Device, stop_gradient: bool = True) -> Tensor:
    """Returns a new tensor over `array`, and reports it to the observers."""
    tensor = fresh(array, device)
    tensor._stop = stop_gradient
    if modes.current().listeners:
        observe.notify(name, "create", (), tensor, None)
    return tensor


@as_function
def to_tensor(data: Any, dtype: Any = None, place: Any = None, stop_gradient: bool = True) -> Tensor:
    """Creates a tensor with a copy of `data`.

    Args:
        data: the values: a number, nested lists of equal length, a NumPy array, or a tensor.
        dtype: the type of the elements. If None: Python floats become the default type (float32), complex numbers
            complex64, integers int64; arrays and tensors keep theirs.
        place: the device; the current one if None.
        stop_gradient: False for a leaf that needs a gradient.

    Raises:
        ArgumentError: if the rows have different lengths, or an element is not a number.
        DTypeError: if `dtype` does not exist.

    >>> import inplacelab as paddle
    >>> paddle.to_tensor([[1, 2], [3, 4]]).dtype
    <DataType.INT64: 9>

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/to_tensor_en.html
    """
    device = (
        backends.find(place)
        if place is not None
        else data.storage.device
        if isinstance(data, Tensor)
        else backends.current()
    )
    wanted = None if dtype is None else dtypes.as_numpy(dtype)
    values = _array(data, wanted)
    wanted = values.dtype if wanted is None else wanted
    check_all_hold("to_tensor", wanted, values)
    return made("to_tensor", device.from_host(values.astype(wanted, copy=False)), device, stop_gradient)


def operand(value: Any, x: Tensor, dtype: Any = None) -> Tensor:
    """Returns an operand that is a number or an array as a tensor with the dtype and device of `x`.

    A tensor is returned unchanged. The new tensor is not reported: the program did not create it.
    """
    if isinstance(value, Tensor):
        return value
    device = x.storage.device
    wanted = x.array.dtype if dtype is None else dtype
    check_holds(wanted, value)
    values = _array(value, wanted)
    check_keeps_imaginary("to_tensor", wanted, values.dtype)
    check_all_hold("to_tensor", wanted, values)
    return fresh(device.from_host(values.astype(wanted, copy=False)), device)


_RAGGED = Text("its rows differ in length", "各行的长度不同")
_NO_NUMBERS = Text("its elements are not numbers", "元素不是数")
_UNREADABLE = Text("NumPy cannot convert it to an array", "NumPy 无法把它转换为数组")


def _array(data: Any, wanted: np.dtype[Any] | None = None) -> Any:
    """The values as a NumPy array of a dtype that a tensor can have. Python numbers get the default types, or, if `wanted` is
    given, keep their full precision until they are cast to it.
    """
    if isinstance(data, Tensor):
        return data.numpy()
    array: Any
    if isinstance(data, backends.GpuArray):  # of a kernel or a derivative
        array = data
    elif isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
    else:
        try:
            array = np.asarray(_plain(data))
        except (ValueError, TypeError) as error:
            raise errors.ragged_data(detail=_RAGGED if "inhomogeneous" in str(error) else _UNREADABLE) from None
        if wanted is None and array.dtype.kind in "fc" and not _holds_arrays(data):
            array = array.astype(dtypes.as_numpy(None) if array.dtype.kind == "f" else np.complex64)
    if array.dtype.kind not in "biufc":
        raise errors.ragged_data(detail=_NO_NUMBERS)
    return array.astype(dtypes.named(array.dtype).numpy, copy=False)


def _plain(data: Any) -> Any:
    """Nested lists with the tensors in them replaced by their values."""
    if isinstance(data, Tensor):
        return data.numpy()
    return [_plain(each) for each in data] if isinstance(data, list | tuple) else data


def _holds_arrays(data: Any) -> bool:
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return isinstance(data, Tensor | np.ndarray | np.generic)


@as_function
def full(shape: Any, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of `shape` with `fill_value` in every element.

    Args:
        shape: the sizes of the axes.
        fill_value: the number.
        dtype: the type of the elements. If None: the default type; bool or complex128 if `fill_value` is such a number.
        name: ignored.

    >>> import inplacelab as paddle
    >>> paddle.full([2, 2], 7.).tolist()
    [[7.0, 7.0], [7.0, 7.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/full_en.html
    """
    return filled("full", shape, fill_value, _type_of(fill_value) if dtype is None else dtype)


@as_function
def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of zeros.

    Args:
        shape: the sizes of the axes.
        dtype: the type of the elements; the default type (float32) if None.
        name: ignored.
    """
    return filled("zeros", shape, 0, dtype)


@as_function
def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of ones.

    Args:
        shape: the sizes of the axes.
        dtype: the type of the elements; the default type (float32) if None.
        name: ignored.
    """
    return filled("ones", shape, 1, dtype)


@as_function
def empty(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of `shape` whose elements are not initialized."""
    device = device_for()
    return made("empty", device.empty(shape_of("empty", shape), dtypes.as_numpy(dtype)), device)


@as_function
def empty_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor with the shape of `x` (and its dtype if `dtype` is None) whose elements are not initialized."""
    device = device_for(x)
    return made("empty_like", device.empty(x.array.shape, dtypes.as_numpy(x.dtype if dtype is None else dtype)), device)


def _type_of(value: Any) -> Any:
    """The type of a number that the default type cannot hold; None for others."""
    return {bool: "bool", complex: "complex128"}.get(type(value))


def filled(name: str, shape: Any, value: Any, dtype: Any, device: backends.Device | None = None) -> Tensor:
    """Returns a tensor made by the operation `name`, with `value` in every element; on the current device if `device` is None."""
    tensor = constant_tensor(shape_of(name, shape), value, dtypes.as_numpy(dtype), device or device_for())
    if modes.current().listeners:
        observe.notify(name, "create", (), tensor, None)
    return tensor


@as_function
def full_like(x: Tensor, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor with the shape of `x` and `fill_value` in every element.

    Args:
        x: a tensor.
        fill_value: the number.
        dtype: the type of the elements; that of `x` if None.
        name: ignored.
    """
    return filled("full_like", x.shape, fill_value, x.dtype if dtype is None else dtype, device_for(x))


@as_function
def zeros_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of zeros with the shape of `x` (and its dtype if `dtype` is None)."""
    return filled("zeros_like", x.shape, 0, x.dtype if dtype is None else dtype, device_for(x))


@as_function
def ones_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a tensor of ones with the shape of `x` (and its dtype if `dtype` is None)."""
    return filled("ones_like", x.shape, 1, x.dtype if dtype is None else dtype, device_for(x))


@as_function
def arange(start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a vector `start`, `start + step`, ... up to `end`, exclusive; with one argument, 0, 1, ... up to it.

    Args:
        start: the first number; if `end` is None, the end, and the first number is 0.
        end: the end, which is not included.
        step: the difference of neighbors.
        dtype: the type of the elements. If None: int64 if all arguments are integers, else the default type.
        name: ignored.

    Raises:
        ArgumentError: if `step` is zero.
    """
    start, end = (0, start) if end is None else (start, end)
    start, end, step = (v.item() if isinstance(v, Tensor) else v for v in (start, end, step))
    if step == 0:
        raise errors.bad_argument(
            op="arange", argument="step", value=step, possible=Text("a number that is not zero", "非零数")
        )
    if dtype is None:
        dtype = "int64" if all(isinstance(v, int | np.integer) for v in (start, end, step)) else None
    device = device_for()
    return made("arange", device.from_host(np.arange(start, end, step).astype(dtypes.as_numpy(dtype))), device)


@as_function
def linspace(start: Any, stop: Any, num: int, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a vector of evenly spaced numbers.

    Args:
        start: the first number.
        stop: the last number, which is included.
        num: the number of elements.
        dtype: the type of the elements; the default type if None.
        name: ignored.

    >>> import inplacelab as paddle
    >>> paddle.linspace(0, 1, 3).tolist()
    [0.0, 0.5, 1.0]
    """
    device = device_for()
    return made(
        "linspace",
        device.from_host(np.linspace(float(start), float(stop), int(num)).astype(dtypes.as_numpy(dtype))),
        device,
    )


@as_function
def logspace(start: Any, stop: Any, num: int, base: Any = 10.0, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a vector of the powers of `base` whose exponents are evenly spaced.

    Args:
        start: the first exponent.
        stop: the last exponent, which is included.
        num: the number of elements.
        base: what is raised to the powers.
        dtype: the type of the elements; the default type if None.
        name: ignored.

    >>> import inplacelab as paddle
    >>> paddle.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    """
    device = device_for()
    values = np.logspace(float(start), float(stop), int(num), base=float(base))
    return made("logspace", device.from_host(values.astype(dtypes.as_numpy(dtype))), device)


@as_function
def eye(num_rows: int, num_columns: int | None = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """Creates a matrix with ones on its diagonal and zeros elsewhere.

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; that of rows if None.
        dtype: the type of the elements; the default type if None.
        name: ignored.
    """
    device = device_for()
    return made("eye", device.from_host(np.eye(num_rows, num_columns, dtype=dtypes.as_numpy(dtype))), device)


# ---- tests, copies ----------------------------------------------------------------------------------------------------------


@as_function
def is_tensor(x: Any) -> bool:
    """Returns True if `x` is a tensor."""
    return isinstance(x, Tensor)


@as_function
def assign(x: Any, output: Tensor | None = None) -> Tensor:
    """Copies a tensor. Gradients flow through the copy.

    Args:
        x: a tensor, an array, a number, or nested lists.
        output: a tensor to write the copy into, in place.

    Returns:
        The copy: a new tensor, or `output`.
    """
    source = x if isinstance(x, Tensor) else to_tensor(x)
    return source.clone() if output is None else output.copy_(source)


# ---- copies and casts -------------------------------------------------------------------------------------------------------


def _cast(out: Any, x: Any) -> None:
    out[...] = x.real if x.dtype.kind == "c" and out.dtype.kind != "c" else x


def _check_cast(x: Any, dtype: Any) -> None:
    check_all_hold("cast", dtypes.as_numpy(dtype), x)


CLONE = elementwise("clone", "x", ("A copy with a storage of its own; gradients pass through.", "有自己存储的副本；梯度可以穿过它。"),
            kernel=_cast, cuda=dict.fromkeys("fib", "x"), in_place=False, copies=True, node="AssignGradNode", d_x=lambda g: g)  # fmt: skip
CAST = elementwise("cast", "x", ("The same elements, converted to another data type.", "同样的数值，换一种数据类型。"),
            attrs="dtype", kernel=_cast, cuda=dict.fromkeys("fib", "x"), validate=_check_cast, dtype=dtypes.as_numpy, copies=True, d_x=lambda g: g)  # fmt: skip
CONJ = elementwise(
    "conj",
    "x",
    ("The complex conjugate of each element.", "逐元素取共轭。"),
    ufunc=np.conjugate,
    in_place=False,
    d_x=lambda g: conj(g),
)
