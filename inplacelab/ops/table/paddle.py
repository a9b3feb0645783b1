"""Facts about the same operations in PaddlePaddle: their first version, and by how much a call raises the version counter.

The versions are those of the pull requests and release notes that name the functions (2.1: PaddlePaddle/Paddle#30103 and
#32573; 2.6: #54683, #55078, #55509, #55576; 3.x: #74493 and the torch-compatible names of 2025). Names without such a document have no
version here. The counts were measured on PaddlePaddle 3.3.1, where a composite operation counts several times.
"""

from __future__ import annotations

_SINCE = {
    "2.0": "setitem",
    "2.1": """squeeze unsqueeze reshape scatter elu relu softmax tanh clip scale subtract add ceil floor exp reciprocal round
        sqrt rsqrt flatten""",
    "2.6": """abs addmm cos cosh acos acosh sin sinh asin asinh tan atan atanh erf square expm1 greater_than greater_equal
        less_than less_equal equal not_equal logical_and logical_or logical_xor logical_not cast divide floor_divide bitwise_and
        bitwise_or bitwise_xor bitwise_not cumsum cumprod mod floor_mod multiply renorm gcd lcm ldexp where hardtanh
        leaky_relu thresholded_relu digamma trunc frac i0 lgamma log log10 log1p log2 logit neg polygamma tril triu""",
    "3.x": "mul sub random",
}
SINCE = {name: version for version, names in _SINCE.items() for name in names.split()}
"""For a name without underscore, the first version of Paddle with its in-place variant, where that is documented."""

RAISES = {
    "sinc": 4, "nan_to_num": 3, "hypot": 3, "ldexp": 2, "gammainc": 3, "gcd": 5, "lcm": 4, "exponential": 0, "bernoulli": 3,
    "cauchy": 6, "geometric": 3, "log_normal": 2, "index_fill": 3, "copy": 0, "detach": 0, "requires_grad": 0, "apply": 0,
    "reconstruct_from": 0,
}  # fmt: skip
"""The number by which Paddle's in-place call raises the version, where it is not 1."""
