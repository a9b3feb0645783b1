"""Random numbers drawn on the GPU: CuPy's generators with NumPy's interface.

`seed(n)` starts a stream that is the same in every run on every GPU. It is not the stream of the CPU: thousands of parallel
generators make the numbers (XORWOW; NumPy's PCG64 is one generator), so the same seed gives other numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from inplacelab.devices.cupy_calls import Cupy


class Stream:
    """One seeded stream on the device, with the methods of NumPy's generator that `ops/results/random_stream.py` uses.

    Each draw passes the size, also where `out` is given: CuPy draws as many numbers as the size.
    """

    def __init__(self, cupy: Cupy, seed: int) -> None:
        random = cupy.library.random
        self._cupy, self._drawn_by = cupy, random.Generator(random.XORWOW(seed))

    def random(self, out: Any, dtype: Any) -> None:
        """Draws from the uniform distribution on [0, 1) into `out`."""
        self._drawn_by.random(out.shape, dtype=dtype, out=out.held)

    def standard_normal(self, out: Any, dtype: Any) -> None:
        """Draws from the standard normal distribution into `out`."""
        self._drawn_by.standard_normal(out.shape, dtype=dtype, out=out.held)

    def standard_exponential(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Draws from the exponential distribution with mean 1, in a new array of `size`, or into `out`."""
        if out is None:
            return self._cupy.outer(self._drawn_by.standard_exponential(size, dtype=dtype))
        return self._drawn_by.standard_exponential(out.shape, dtype=dtype, out=out.held)

    def integers(self, low: int, high: int, size: Any, dtype: Any) -> Any:
        """Returns integers in [`low`, `high`). CuPy draws them in 64 bits, some signed."""
        drawn = self._drawn_by.integers(low, high - 1, size, np.int64, endpoint=True)
        return self._cupy.outer(drawn.astype(dtype, copy=False))

    def poisson(self, lam: Any) -> Any:
        """Returns numbers from the Poisson distributions with the means `lam`."""
        return self._cupy.outer(self._drawn_by.poisson(self._cupy.inner(lam)))

    def permutation(self, n: int) -> Any:
        """Returns the integers below `n` in random order."""
        return self._cupy.outer(self._cupy.library.argsort(self._drawn_by.random(n)))
