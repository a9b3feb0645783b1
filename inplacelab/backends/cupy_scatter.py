"""Indexed writes on a GPU, where all threads write at the same time in an undefined order.

If an index has one slot several times, the result is made to depend on the index only: the last value stays, as in NumPy and as the
derivatives of these operations assume. Sums use atomic additions, whose order is undefined, too: sums of floating-point numbers may
differ in their last digits from run to run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors


def assign(library: Any, target: Any, key: Any, value: Any) -> None:
    """Computes `target[key] = value`; of several values for one slot, the last stays.

    Args:
        library: the module `cupy`.
        target: the array to write.
        key: an index of the array.
        value: a number or an array that can be broadcast to the shape of `target[key]`.
    """
    if isinstance(value, library.ndarray) and value.ndim and _has_positions(library, key):
        value = _last_for_each_slot(library, target, key, value)
    target[key] = value


def _has_positions(library: Any, key: Any) -> bool:
    """Whether a key has an array of positions: only then can it contain a slot twice."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(part, library.ndarray) and part.dtype.kind != "b" for part in parts)


def _last_for_each_slot(library: Any, target: Any, key: Any, value: Any) -> Any:
    """Replaces each value by the last one for the same slot, so that the order of the writes does not matter."""
    latest = library.full(target.shape, -1, np.int32)
    named = latest[key]
    order = library.arange(named.size, dtype=np.int32).reshape(named.shape)
    library.maximum.at(latest, key, order)
    return library.broadcast_to(value, named.shape).ravel()[latest[key]]


# ---- sums, products and extremes ---------------------------------------------------------------------------------------------

_ATOMIC = {"add": "iIQefd", "maximum": "iIQfd", "minimum": "iIQfd"}
"""The dtypes, as NumPy's letters, for which CuPy has an atomic operation.

Source: https://docs.cupy.dev/en/stable/reference/generated/cupyx.scatter_add.html
"""

_TOP_BIT = np.uint64(1 << 63)


def combine(library: Any, name: str, target: Any, key: Any, value: Any) -> None:
    """Computes `ufunc.at(target, key, value)`: combines the elements with all values for their slots.

    Args:
        library: the module `cupy`.
        name: the name of the ufunc.
        target: the array to change in place.
        key: an index of the array.
        value: a number or an array that can be broadcast to the shape of `target[key]`.

    Raises:
        GpuError: if there is no implementation for a GPU.
    """
    if isinstance(key, list):
        key = tuple(key)
    if name == "multiply":
        _multiply(library, target, key, value)
        return
    if name not in _ATOMIC:
        raise errors.not_in_cupy(function=f"{name}.at")
    apply = getattr(library, name).at
    if {"l": "q", "L": "Q"}.get(target.dtype.char, target.dtype.char) in _ATOMIC[
        name
    ]:  # NumPy has two letters for 64 bits
        apply(target, key, value)
    elif target.dtype.kind == "c":  # the sum of complex numbers is that of their parts
        apply(target.real, key, value.real)
        apply(target.imag, key, value.imag)
    elif target.dtype == np.int64:
        _by_its_bits(library, apply, target, key, value, turned=name != "add")
    else:
        wide = target.astype(np.float32 if target.dtype.kind == "f" else np.int32)
        apply(wide, key, value if np.isscalar(value) else value.astype(wide.dtype))
        target[...] = wide.astype(target.dtype)


def _by_its_bits(library: Any, apply: Any, target: Any, key: Any, value: Any, *, turned: bool) -> None:
    """Applies atomic operations for unsigned integers to signed ones. Sums have the same bits; comparisons have the same order
    if the top bit is flipped (`turned`).
    """
    bits = target.view(np.uint64)
    given = library.full((), value, np.int64) if np.isscalar(value) else value.astype(np.int64)
    given = given.view(np.uint64)
    if not turned:
        apply(bits, key, given)
        return
    library.bitwise_xor(bits, _TOP_BIT, bits)
    apply(bits, key, library.bitwise_xor(given, _TOP_BIT))
    library.bitwise_xor(bits, _TOP_BIT, bits)


def _multiply(library: Any, target: Any, key: Any, value: Any) -> None:
    """Multiplies without an atomic product: sorts the factors by slot, then multiplies those of one slot by doubling.

    After the step with distance `d` each position has the product of up to `2 * d` factors, so `log2(n)` steps suffice (W. D. Hillis
    and G. L. Steele, 1986). All writes to a slot have the same value, so their order does not matter.
    """
    slots = library.arange(target.size).reshape(target.shape)[key]
    line = slots.ravel()
    if not line.size:
        return
    order = library.argsort(line)
    line, factors = line[order], library.broadcast_to(library.asarray(value, target.dtype), slots.shape).ravel()[order]
    distance = 1
    while distance < line.size:
        same_slot = line[distance:] == line[:-distance]
        longer = library.where(same_slot, factors[distance:] * factors[:-distance], factors[distance:])
        factors = library.concatenate([factors[:distance], longer])
        distance *= 2
    latest = library.zeros(target.size, np.int32)
    library.maximum.at(latest, line, library.arange(line.size, dtype=np.int32))
    whole = factors[latest[slots]]
    target[key] = target[key] * whole
