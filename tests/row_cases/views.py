"""Cases for the rows of `ops/views.py`."""

from __future__ import annotations

import numpy as np

from inplacelab.layout import Layout
from tests.row_cases.case import Array, case


def _window(x: Array, layout: Layout) -> Array:
    strides = [s * x.itemsize for s in layout.strides]
    return np.lib.stride_tricks.as_strided(x.reshape(-1)[layout.offset :], layout.shape, strides)


def _windows(x: Array, axis: int, size: int, step: int) -> Array:
    return np.lib.stride_tricks.sliding_window_view(x, size, axis)[(*[slice(None)] * axis, slice(None, None, step))]


def _parts(x: Array) -> Array:
    return np.stack([x.real, x.imag], -1)


CASES = [
    case("reshape", lambda x, shape: x.reshape(shape), shape=[3, 2]),
    case("flatten", lambda x, start_axis, stop_axis: x.reshape(2, 6), (2, 3, 2), start_axis=1, stop_axis=-1),
    case("transpose", lambda x, perm: x.transpose(perm), (2, 3, 2), perm=[2, 0, 1]),
    case("t", np.transpose),
    case("squeeze", lambda x, axis: x.squeeze(axis), (2, 1, 3), axis=1),
    case("squeeze", np.squeeze, (1, 3, 1)),
    case("unsqueeze", lambda x, axis: np.expand_dims(x, axis), axis=-1),
    case("ravel", np.ravel, (2, 3)),
    case("unflatten", lambda x, axis, shape: x.reshape(2, 2, 3), (2, 6), axis=-1, shape=[2, -1]),
    case("swapaxes", lambda x, axis0, axis1: x.swapaxes(axis0, axis1), (2, 3, 2), axis0=0, axis1=-1),
    case("moveaxis", np.moveaxis, (2, 3, 2), source=0, destination=-1),
    case("moveaxis", np.moveaxis, (2, 3, 1, 2), source=[0, 1], destination=[2, 0]),
    case("_mT", lambda x: x.swapaxes(-1, -2), (2, 3, 2)),
    case("diagonal", np.diagonal, (3, 4), offset=1),
    case("diagonal", np.diagonal, (2, 3, 3), offset=-1, axis1=2, axis2=1),
    case("diagonal", np.diagonal, (2, 3), offset=-2),
    case("unfold", _windows, (2, 5), axis=1, size=3, step=2),
    case("unfold", _windows, (5, 2), axis=0, size=2, step=2),
    case("slice", lambda x, axes, starts, ends: x[1:3, -2:], (4, 3), axes=[0, -1], starts=[1, -2], ends=[3, 100]),
    case("slice", lambda x, axes, starts, ends: x[2:1], (4, 3), axes=[0], starts=[2], ends=[1]),
    case("strided_slice", lambda x, axes, starts, ends, strides: x[::-2, 1:3], (4, 3),
         axes=[0, 1], starts=[3, 1], ends=[-5, 3], strides=[-2, 1]),
    case("narrow", lambda x, dim, start, length: x[:, 1:3], (2, 4), dim=1, start=-3, length=2),
    case("_nth", lambda x, axis, place: x[:, 2], (2, 3), axis=1, place=2),
    case("_as_shape", lambda x, shape: np.reshape(x, shape), shape=[3, -1]),
    case("_as_dtype", lambda x, dtype: x.view(dtype), fixed={"x": np.arange(6).reshape(2, 3)}, dtype="float64"),
    case("as_complex", lambda x: x[..., 0] + 1j * x[..., 1], (3, 2)),
    case("as_real", _parts, fixed={"x": np.array([[1 + 2j, 3 - 0.5j], [-1j, 2]])}),
    case("real", np.real, fixed={"x": np.array([[1 + 2j, 3 - 0.5j], [-1j, 2]])}),
    case("imag", np.imag, fixed={"x": np.array([1 + 2j, 3 - 0.5j])}),
    case("getitem", lambda x, key: x[key], (3, 4), key=(slice(None, None, -1), slice(1, 3))),
    case("getitem", lambda x, key: x[key], (3, 4), key=(1, None, slice(0, 4, 2))),
    case("_window", _window, (3, 4), layout=Layout((2, 2), (1, 4), 2)),
    case("_window", _window, (3, 4), layout=Layout((2, 3), (1, 1), 0)),
]  # fmt: skip
