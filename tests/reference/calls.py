"""The calls that are compared in PaddlePaddle and here: every in-place function, with every keyword, as text.

A function with several names is called by one of them: the others are the same object here (`test_reference.py`), and answered alike in
PaddlePaddle 3.3.1.

The texts are Python, evaluated with these names (see `outcomes.py`): `x` the tensor that is written, `y` another of its shape and
dtype, `row` one that is broadcast to it, `wide` one to whose shape it would have to grow, `mask` booleans of its shape, `T(values)` a tensor of
its dtype, `I(values)` a tensor of int64, `F` the module `nn.functional`, `paddle` the package. The ordinary variant is
the same text without the underscore.
"""

from __future__ import annotations

from typing import NamedTuple

POINTWISE = ("0-d", "empty", "2x3", "strided")
FULL = ("2x3", "strided")


class Call(NamedTuple):
    """One way to call an in-place function."""

    name: str
    text: str
    domain: str = "any"
    """The range of its values: any, unit (between -1 and 1), inside (between 0 and 1), positive, above one, (small) integers."""
    shapes: tuple[str, ...] = POINTWISE

    @property
    def ordinary(self) -> str:
        """The same without the underscore."""
        return self.text.replace(f"{self.name}(", f"{self.name.rstrip('_')}(", 1)


def _calls(names: str, *texts: str, domain: str = "any", shapes: tuple[str, ...] = POINTWISE) -> list[Call]:
    return [Call(name, text.replace("@", name), domain, shapes) for name in names.split() for text in texts]


UNARY = [
    *_calls("abs_ atan_ asinh_ ceil_ cos_ cosh_ exp_ floor_ neg_ sigmoid_ sin_ sinh_ square_ tan_ tanh_ trunc_ frac_ sinc_ i0_", "x.@()"),
    *_calls("expm1_ erf_", "paddle.@(x)"),
    *_calls("acos_ asin_ atanh_ erfinv_", "x.@()", domain="unit"),
    *_calls("log_ log2_ log10_ log1p_ sqrt_ rsqrt_ reciprocal_ digamma_ gammaln_ lgamma_", "x.@()", domain="positive"),
    *_calls("acosh_", "x.@()", domain="above one"),
    *_calls("logit_", "x.@()", "x.@(0.2)", "x.@(eps=1e-3)", domain="inside"),
    *_calls("round_", "x.@()", "x.@(1)", "x.@(decimals=-1)"),
    *_calls("polygamma_", "x.@(0)", "x.@(1)", "x.@(n=3)", "x.@(-1)", domain="positive"),
    *_calls("multigammaln_", "x.@(2)", "x.@(p=1)", domain="above one"),
    *_calls("nan_to_num_", "x.@()", "x.@(nan=1.0, posinf=2.0, neginf=-3.0)"),
    *_calls("clip_", "x.@(-0.5, 0.9)", "x.@(min=0.0)", "x.@(max=1.0)", "x.@(T(-0.5), T(0.9))", "x.@(1.0, -1.0)"),
    *_calls("scale_", "x.@()", "x.@(2.0)", "x.@(2.0, 1.0)", "x.@(scale=2.0, bias=1.0, bias_after_scale=False)", "x.@(3)"),
    *_calls("pow_", "x.@(2.0)", "x.@(3)", "x.@(0.5)", "x.@(-1.0)", "x.@(y=0)", domain="positive"),
    *_calls("relu_ elu_ leaky_relu_ hardtanh_ thresholded_relu_", "F.@(x)"),
    *_calls("tanh_", "F.@(x)", "paddle.@(x)"),
    Call("elu_", "F.elu_(x, alpha=0.5)"), Call("elu_", "F.elu_(x, -1.0)"), Call("leaky_relu_", "F.leaky_relu_(x, 0.3)"),
    Call("hardtanh_", "F.hardtanh_(x, -0.5, 0.7)"), Call("thresholded_relu_", "F.thresholded_relu_(x, 0.5, 0.2)"),
    *_calls("softmax_", "F.@(x)", "F.@(x, 0)", "F.@(x, axis=-2)", "F.@(x, 2)", shapes=FULL),
]  # fmt: skip

BINARY = [
    *_calls("add_ subtract_", "x.@(y)", "x.@(row)", "x.@(wide)", "x.@(y, alpha=2)", "x.@(2.0)", "x.@(x)"),
    *_calls("multiply_ divide_", "x.@(y)", "x.@(row)", "x.@(wide)", "x.@(2.0)", "x.@(x)"),
    *_calls("divide_", "x.@(y, rounding_mode='floor')", "x.@(y, rounding_mode='trunc')", "x.@(y, rounding_mode='up')"),
    *_calls("remainder_ floor_divide_ copysign_ hypot_ ldexp_", "x.@(y)", "x.@(row)", "x.@(wide)"),
    *_calls("lerp_", "x.@(y, 0.25)", "x.@(row, 0.25)", "x.@(y, weight=y)", "x.@(wide, 0.5)"),
    *_calls("gammainc_ gammaincc_", "x.@(y)", "x.@(row)", "x.@(wide)", domain="positive"),
    *_calls("gcd_ lcm_ bitwise_and_ bitwise_or_ bitwise_xor_", "x.@(y)", "x.@(row)", "x.@(wide)", domain="integers"),
    *_calls("bitwise_not_", "x.@()", domain="integers"),
    *_calls("bitwise_left_shift_ bitwise_right_shift_", "x.@(y)", "x.@(row)", "x.@(y, is_arithmetic=False)", domain="small integers"),
    *_calls("equal_ not_equal_ greater_than_ greater_equal_ less_than_ less_equal_ logical_and_ logical_or_ logical_xor_",
            "x.@(y)", "x.@(row)", "x.@(wide)", "x.@(x)"),
    *_calls("logical_not_", "x.@()"),
    Call("where_", "paddle.where_(mask, x, y)"), Call("where_", "paddle.where_(mask, x, row)"),
    Call("where_", "mask.where_(x, y)"),
]  # fmt: skip

SCANS_AND_SCATTERS = [
    *_calls("cumsum_", "x.@(0)", "x.@(axis=1)", "x.@(axis=-1)", "x.@(5)", "x.@()", shapes=("2x3", "strided", "empty")),
    *_calls("cumprod_", "x.@(0)", "x.@(dim=1)", "x.@(dim=-1)", "x.@(5)", "x.@()", shapes=FULL),
    *_calls("renorm_", "x.@(2.0, 0, 1.0)", "x.@(p=1.0, axis=1, max_norm=2.0)", "x.@(2.0, -1, 1.0)", shapes=FULL),
    *_calls("addmm_", "x.@(T([[1, 2], [3, 4]]), T([[1, 0, 2], [0, 1, 1]]))",
            "x.@(T([[1, 2], [3, 4]]), T([[1, 0, 2], [0, 1, 1]]), beta=0.5, alpha=2.0)", shapes=FULL),
    *_calls("baddbmm_", "x.@(T([[[1, 2], [3, 4]]]), T([[[1, 0, 2], [0, 1, 1]]]), beta=0.5, alpha=2.0)", shapes=("1x2x3",)),
    *_calls("tril_ triu_", "x.@()", "x.@(1)", "x.@(diagonal=-1)", shapes=("2x3", "strided", "empty")),
    *_calls("fill_diagonal_", "x.@(9)", "x.@(9, 1)", "x.@(value=2, offset=-1, wrap=True)", "x.@(9, wrap=True)", shapes=(*FULL, "5x2")),
    *_calls("fill_diagonal_tensor_", "x.@(T([7, 8]))", "x.@(T([7, 8]), offset=1)", "x.@(T([7]), -1, 0, 1)", "x.@(T([7, 8, 9]))", shapes=FULL),
    *_calls("masked_fill_", "x.@(mask, 9)", "x.@(mask, T(9))", "x.@(mask[0], 9)", "x.@(I([1]).astype('bool'), 9)",
            "x.@(mask, float('nan'))", shapes=FULL),
    *_calls("masked_scatter_", "x.@(mask, T([7, 8, 9, 10]))", "x.@(mask[0], T([7, 8, 9, 10]))", "x.@(mask, T([7]))", shapes=FULL),
    *_calls("index_add_", "x.@(I([0, 1]), 0, T([[7, 8, 9], [1, 2, 3]]))", "x.@(I([0, 0, 1]), 0, T([[7, 8, 9], [1, 2, 3], [4, 5, 6]]))",
            "x.@(I([2, 0]), axis=1, value=T([[7, 8], [1, 2]]))", "x.@(I([5]), 0, T([[7, 8, 9]]))", shapes=FULL),
    *_calls("index_fill_", "x.@(I([1]), 0, 9)", "x.@(I([2, 0]), axis=1, value=2.5)", "x.@(I([0, 1]), -1, 4)", "x.@(I([5]), 0, 9)",
            "x.@(I([1]), 0, float('-inf'))", shapes=FULL),
    *_calls("index_put_", "x.@((I([0, 1]), I([2, 0])), T([7, 8]))", "x.@((I([0, 0]), I([2, 2])), T([7, 8]), accumulate=True)",
            "x.@((I([1]),), T([7, 8, 9]))", "x.@((mask,), T(5))", "x.@((I([5]),), T([7, 8, 9]))", shapes=FULL),
    *_calls("put_along_axis_", "x.@(I([[0, 1, 0]]), T([[7, 8, 9]]), 0)", "x.@(I([[0, 1, 0]]), 5.0, 0)",
            "x.@(I([[0], [2]]), T([[7], [8]]), 1, broadcast=False)",
            *(f"x.@(I([[0, 1, 0]]), T([[7, 8, 9]]), axis=0, reduce='{r}', broadcast=False)" for r in ("add", "mul", "multiply", "mean", "amin", "amax")),
            *(f"x.@(I([[0, 1, 0], [0, 1, 1]]), T([[7, 8, 9], [1, 2, 3]]), 0, '{r}', False)" for r in ("add", "mul", "mean", "amin", "amax")),
            "x.@(I([[0, 1, 0]]), T([[7, 8, 9]]), 0, 'no such', True)", "x.@(I([[7, 0, 0]]), T([[7, 8, 9]]), 0)", shapes=FULL),
    *_calls("scatter_", "x.@(I([1]), T([[7, 8, 9]]))", "x.@(I([1, 0]), T([[7, 8, 9], [1, 2, 3]]), overwrite=False)",
            "x.@(I([1, 1]), T([[7, 8, 9], [1, 2, 3]]), overwrite=False)", "x.@(I([1, 1]), T([[7, 8, 9], [1, 2, 3]]))",
            "x.@(I([5]), T([[7, 8, 9]]))", shapes=FULL),
    *_calls("scatter_add_", "x.@(0, I([[0, 1, 0]]), T([[7, 8, 9]]))", "x.@(1, I([[0, 2], [1, 1]]), T([[7, 8], [1, 2]]))", shapes=FULL),
    Call("embedding_renorm_", "F.embedding_renorm_(I([0, 1]), x, 1.0)", shapes=FULL),
    Call("embedding_renorm_", "F.embedding_renorm_(I([1]), x, max_norm=0.5, norm_type=1.0)", shapes=FULL),
]  # fmt: skip

METADATA = [
    *_calls("reshape_", "x.@([3, 2])", "x.@([-1])", "x.@([2, 3])", "x.@([4])", "x.@(shape=[0, -1])", "x.@(I([6]))", shapes=FULL),
    *_calls("flatten_", "x.@()", "x.@(1)", "x.@(start_axis=0, stop_axis=1)", "x.@(3)", shapes=FULL),
    *_calls("squeeze_", "x.@()", "x.@(0)", "x.@(axis=[0, 1])", "x.@(5)", shapes=("1x2x3", "2x3")),
    *_calls("unsqueeze_", "x.@(0)", "x.@(axis=-1)", "x.@([0, 2])", "x.@(5)", shapes=("2x3", "0-d")),
    *_calls("transpose_", "x.@([1, 0])", "x.@(perm=[0, 1])", "x.@([0])", shapes=FULL),
    *_calls("t_", "x.@()", shapes=POINTWISE),
    *_calls("cast_", "x.@('float64')", "x.@(dtype='int32')", "x.@('bool')", "x.@(paddle.float32)", shapes=("2x3", "0-d")),
]  # fmt: skip

FILLS = [
    *_calls("fill_", "x.@(3)", "x.@(value=2.5)", "x.@(float('nan'))", "x.@(float('inf'))"),
    *_calls("zero_", "x.@()"),
]

DRAWN = [
    *_calls("uniform_", "x.@()", "x.@(2.0, 3.0)", "x.@(min=-1.0, max=1.0, seed=7)"),
    *_calls("normal_", "x.@()", "x.@(mean=5.0, std=0.1)"),
    *_calls("exponential_", "x.@()", "x.@(lam=4.0)"),
    *_calls("bernoulli_", "x.@()", "x.@(p=0.2)", "x.@(2.0)"),
    *_calls("cauchy_", "x.@()", "x.@(loc=1.0, scale=2.0)"),
    *_calls("geometric_", "x.@(0.3)", "x.@(probs=0.9)"),
    *_calls("log_normal_", "x.@()", "x.@(mean=0.0, std=0.5)"),
    *_calls("random_", "x.@()", "x.@(0, 5)", "x.@(5)"),
]
"""Drawn at random: only dtype, shape and refusal are compared."""

CALLS = [*UNARY, *BINARY, *SCANS_AND_SCATTERS, *METADATA, *FILLS, *DRAWN]

ELSEWHERE = {
    "set_": "tests/engine: another storage, whose bytes are not those of Paddle's",
    "resize_": "tests/engine: Paddle's grows over memory that is not there",
    "copy_": "tests/engine: Paddle's has no grad node and takes the source's shape",
    "apply_": "tests/engine: takes a function",
    "detach_": "tests/engine: no values",
    "requires_grad_": "tests/engine: no values",
    "reconstruct_from_": "tests/engine: replaces the tensor, and returns nothing",
    "grad_": "tests/engine: a property",
}
"""In-place names that are tested elsewhere, and why."""
