"""The stand-in has the same functions as CuPy, and refuses the same calls."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from inplacelab.backends.cuda import _Addresses
from inplacelab.backends.cupy_calls import Cupy
from inplacelab.backends.gpu_array import GpuArray
from tests.backends import record_cupy, stand_in


def test_the_recorded_names_are_those_of_the_installed_cupy() -> None:
    cupy = pytest.importorskip("cupy", reason="needs CuPy (a GPU is not needed): pip install cupy-cuda13x")
    if cupy.__version__ != stand_in.NAMES["version"]:
        pytest.skip(f"recorded of CuPy {stand_in.NAMES['version']}, and this is {cupy.__version__}")
    if import_module("cupy").cuda.is_available():
        pytest.skip("which methods a ufunc has is found out without a driver")
    assert record_cupy.ask() == stand_in.NAMES


def _array(*values: Any) -> stand_in.ndarray:
    return stand_in.array(list(values))


def test_numpy_arrays_are_no_operands() -> None:
    x = _array(1.0, 2.0)
    for other in (np.ones(2), np.array(1.0)):
        with pytest.raises(TypeError):
            stand_in.add(x, other)
        with pytest.raises(TypeError):
            stand_in.where(x, other, x)
    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(x)


def test_a_value_is_seen_through_get_only() -> None:
    x = _array(1.0)
    for look in (bool, int, float, lambda v: v.item(), lambda v: v.tolist()):
        with pytest.raises(AssertionError, match="hidden synchronization"):
            look(x)
    assert x.get().tolist() == [1.0]


def test_only_cupys_parameters_and_loops() -> None:
    with pytest.raises(TypeError):
        stand_in.max(_array(1.0), initial=0)
    with pytest.raises(TypeError, match="where"):
        stand_in.add(_array(1.0), _array(1.0), where=_array(True))
    with pytest.raises(AttributeError):
        stand_in.lib_that_is_not_there  # noqa: B018
    with pytest.raises(TypeError, match="Wrong type"):
        stand_in.logical_and(_array(1j), _array(1j))
    with pytest.raises(NotImplementedError):
        stand_in.multiply.at(_array(1.0), _array(0), _array(2.0))
    with pytest.raises(TypeError, match="could not be coerced"):
        stand_in.add(_array(1.5), _array(1.5), _array(1))
    with pytest.raises(ValueError, match="Out shape"):
        stand_in.add(_array(1.0, 2.0), _array(1.0, 2.0), stand_in.empty((1,)))


def test_a_place_that_is_named_twice_is_written_in_any_order() -> None:
    x, places = stand_in.empty((1,)), stand_in.array(np.zeros(50, int))
    x[places] = stand_in.array(np.arange(50.0))
    assert x.get()[0] != 49.0  # (which it is depends on nothing but the number of values)


def test_views_share_memory_and_the_pool_counts_in_blocks() -> None:
    before = stand_in.Memory.held
    x = stand_in.array(np.zeros((2, 3)))
    assert stand_in.Memory.held - before == 512
    x[0][1:].fill(5.0)
    x.T[0].fill(7.0)
    assert x.get().tolist() == [[7, 5, 5], [7, 0, 0]]
    del x
    assert stand_in.Memory.held == before


def test_addresses_are_compared_without_being_read() -> None:
    cupy = Cupy(stand_in, stand_in.special)
    x = cupy.outer(stand_in.array(np.zeros((4, 4))))
    assert isinstance(x, GpuArray)
    rows, columns = x[::2], x[1::2]
    assert not np.shares_memory(_Addresses.of(rows), _Addresses.of(columns))
    assert np.shares_memory(_Addresses.of(rows), _Addresses.of(x.T))
