"""Random numbers drawn on the GPU: CuPy's generators with the interface of NumPy's.

`seed(n)` starts a stream that is the same in every run on every GPU. It differs from the stream of the CPU: thousands of generators
(XORWOW) draw in parallel, while NumPy's PCG64 is one generator. So the same seed gives other numbers there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from inplacelab.devices.cupy_calls import Cupy


class Stream:
    """One seeded stream on the device, with the methods of NumPy's `Generator` that `ops/results/random_stream.py` uses.

    Every call passes a size, even with `out`, because CuPy determines the number of draws from it alone.

    Args:
        cupy: the library.
        seed: the seed.
    """

    def __init__(self, cupy: Cupy, seed: int) -> None:
        random = cupy.library.random
        self._cupy, self._drawn_by = cupy, random.Generator(random.XORWOW(seed))

    def random(self, out: Any, dtype: Any) -> None:
        """Fills `out` from the uniform distribution on [0, 1)."""
        self._drawn_by.random(out.shape, dtype=dtype, out=out.held)

    def standard_normal(self, out: Any, dtype: Any) -> None:
        """Fills `out` from the standard normal distribution."""
        self._drawn_by.standard_normal(out.shape, dtype=dtype, out=out.held)

    def standard_exponential(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Draws from the exponential distribution with mean 1: returns an array of `size`, or fills `out`."""
        if out is None:
            return self._cupy.outer(self._drawn_by.standard_exponential(size, dtype=dtype))
        return self._drawn_by.standard_exponential(out.shape, dtype=dtype, out=out.held)

    def integers(self, low: int, high: int, size: Any, dtype: Any) -> Any:
        """Returns integers from `low`, included, to `high`, excluded. CuPy draws them as int64."""
        drawn = self._drawn_by.integers(low, high - 1, size, np.int64, endpoint=True)
        return self._cupy.outer(drawn.astype(dtype, copy=False))

    def poisson(self, lam: Any) -> Any:
        """Returns draws from the Poisson distribution with mean `lam`."""
        return self._cupy.outer(self._drawn_by.poisson(self._cupy.inner(lam)))

    def permutation(self, n: int) -> Any:
        """Returns the integers below `n` in random order: that of `n` random numbers."""
        return self._cupy.outer(self._cupy.library.argsort(self._drawn_by.random(n)))
