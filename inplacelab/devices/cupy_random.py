"""Random numbers drawn on the GPU: CuPy's generators, spoken to as NumPy's.

`seed(n)` starts a stream that is the same in every run on every GPU. It is not the stream of the CPU: the numbers are made by
thousands of generators at once (XORWOW; NumPy's PCG64 is one generator), so the same seed gives other numbers there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from inplacelab.devices.cupy_calls import Cupy


class Stream:
    """One seeded stream on the device, with those of NumPy's words that `ops/results/random_stream.py` uses.

    Each draw says its size, also where there is a result to fill: CuPy draws as many numbers as the size says.
    """

    def __init__(self, cupy: Cupy, seed: int) -> None:
        random = cupy.library.random
        self._cupy, self._drawn_by = cupy, random.Generator(random.XORWOW(seed))

    def random(self, out: Any, dtype: Any) -> None:
        """Evenly distributed from 0 up to 1."""
        self._drawn_by.random(out.shape, dtype=dtype, out=out.held)

    def standard_normal(self, out: Any, dtype: Any) -> None:
        """Normally distributed."""
        self._drawn_by.standard_normal(out.shape, dtype=dtype, out=out.held)

    def standard_exponential(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Exponentially distributed with mean 1: in an array of `size`, or into `out`."""
        if out is None:
            return self._cupy.outer(self._drawn_by.standard_exponential(size, dtype=dtype))
        return self._drawn_by.standard_exponential(out.shape, dtype=dtype, out=out.held)

    def integers(self, low: int, high: int, size: Any, dtype: Any) -> Any:
        """Integers from `low` up to but without `high`. CuPy draws them in 64 bits, some with a sign."""
        drawn = self._drawn_by.integers(low, high - 1, size, np.int64, endpoint=True)
        return self._cupy.outer(drawn.astype(dtype, copy=False))

    def poisson(self, lam: Any) -> Any:
        """How many events there are when `lam` are expected."""
        return self._cupy.outer(self._drawn_by.poisson(self._cupy.inner(lam)))

    def permutation(self, n: int) -> Any:
        """The integers below `n`, in the order of as many random numbers."""
        return self._cupy.outer(self._cupy.library.argsort(self._drawn_by.random(n)))
