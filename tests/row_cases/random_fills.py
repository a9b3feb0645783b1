"""Cases for the rows of `ops/random.py`.

With degenerate parameters (no spread, certain success, one integer) a random fill has one result, so the standard tests apply
to it; `uniform_` has a separate stream. `tests/engine/test_random.py` tests the distributions.
"""

from __future__ import annotations

import numpy as np

from tests.row_cases.case import Array, case


def _from_own_stream(x: Array, seed: int) -> Array:
    drawn: Array = np.random.Generator(np.random.PCG64(seed)).random(x.shape, x.dtype.type)
    return drawn


CASES = [
    case("uniform", _from_own_stream, seed=7),
    case("normal", lambda x, mean, std: np.full_like(x, mean), mean=2.5, std=0),
    case("log_normal", lambda x, mean, std: np.full_like(x, np.exp(x.dtype.type(mean))), mean=0.5, std=0.0),
    case("exponential", lambda x, lam: np.zeros_like(x), lam=float("inf")),
    case("cauchy", lambda x, loc, scale: np.full_like(x, loc), loc=-1.5, scale=0),
    case("bernoulli", lambda x, p: np.broadcast_to(p, x.shape).astype(x.dtype), (2, 3), (3,), fixed={"p": [0, 1, 1]}),
    case("bernoulli", lambda x, p: np.ones_like(x), fixed={"p": [[1], [1]]}),
    case("geometric", lambda x, probs: np.ones_like(x), fixed={"probs": [1, 1, 1]}),
    case("random", lambda x, from_, to: np.full_like(x, from_), from_=3, to=4),
]  # fmt: skip
