"""Scattered writes on a GPU, where threads write in parallel and the order of writes to one slot is undefined.

Where a slot may repeat, the result is made independent of that order: of several values for one slot the last counts, as in
NumPy, and as the derivatives of these operations assume. Sums use atomic additions in an undefined order: sums of
floating-point numbers may differ in their last digits between runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors


def assign(library: Any, target: Any, key: Any, value: Any) -> None:
    """Executes `target[key] = value`; of several values for one slot the last counts."""
    if isinstance(value, library.ndarray) and value.ndim and _names_places(library, key):
        value = _as_the_last(library, target, key, value)
    target[key] = value


def _names_places(library: Any, key: Any) -> bool:
    """True if a key has a table of positions: only then can a slot repeat."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(isinstance(part, library.ndarray) and part.dtype.kind != "b" for part in parts)


def _as_the_last(library: Any, target: Any, key: Any, value: Any) -> Any:
    """Each value replaced by the last one for the same slot: then the order of writes does not matter."""
    latest = library.full(target.shape, -1, np.int32)
    named = latest[key]
    order = library.arange(named.size, dtype=np.int32).reshape(named.shape)
    library.maximum.at(latest, key, order)
    return library.broadcast_to(value, named.shape).ravel()[latest[key]]


# ---- sums, products, extremes ------------------------------------------------------------------------------------------------

_ATOMIC = {"add": "iIQefd", "maximum": "iIQfd", "minimum": "iIQfd"}
"""The dtypes, by their letter, for which CuPy has an atomic operation.

Source: https://docs.cupy.dev/en/stable/reference/generated/cupyx.scatter_add.html
"""

_TOP_BIT = np.uint64(1 << 63)


def combine(library: Any, name: str, target: Any, key: Any, value: Any) -> None:
    """Executes `ufunc.at`: combines the elements at the positions with all their values.

    Raises:
        GpuError: if this is not possible on a GPU.
    """
    if isinstance(key, list):
        key = tuple(key)
    if name == "multiply":
        _multiply(library, target, key, value)
        return
    if name not in _ATOMIC:
        raise errors.not_in_cupy(function=f"{name}.at")
    apply = getattr(library, name).at
    if _letter(target.dtype) in _ATOMIC[name]:
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


def _letter(dtype: np.dtype[Any]) -> str:
    """The dtype's letter; one of the two that NumPy has for 64 bits."""
    return {"l": "q", "L": "Q"}.get(dtype.char, dtype.char)


def _by_its_bits(library: Any, apply: Any, target: Any, key: Any, value: Any, *, turned: bool) -> None:
    """Applies atomic operations on unsigned integers to signed ones. Sums have the same bits; extremes need the top bit
    inverted (`turned`).
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
    """There is no atomic product: the factors are sorted by their slots, and those of one slot are multiplied by doubling.

    After the step `d` each position has the product of up to `2 * d` factors, so `log2(n)` steps are enough (W. D. Hillis and
    G. L. Steele, 1986). The order of the writes does not matter: all write the same value.
    """
    slots = library.arange(target.size).reshape(target.shape)[key]
    line = slots.ravel()
    if not line.size:
        return
    order = library.argsort(line)
    line, factors = line[order], library.broadcast_to(library.asarray(value, target.dtype), slots.shape).ravel()[order]
    distance = 1
    while distance < line.size:
        meets = line[distance:] == line[:-distance]
        longer = library.where(meets, factors[distance:] * factors[:-distance], factors[distance:])
        factors = library.concatenate([factors[:distance], longer])
        distance *= 2
    latest = library.zeros(target.size, np.int32)
    library.maximum.at(latest, line, library.arange(line.size, dtype=np.int32))
    whole = factors[latest[slots]]
    target[key] = target[key] * whole
