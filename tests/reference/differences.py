"""Deliberate differences between our results and those of PaddlePaddle 3.3.1, with the reasons.

A difference is named by two patterns of `fnmatch`: one over the key of the question, which reads
"name | text of the call | dtype | shape | variant", and one over the difference, as a failing test prints it:

    "an answer: ..., and not RuntimeError (...)"     ours computes what Paddle refuses
    "RuntimeError (...), and not an answer: ..."     ours refuses what Paddle computes
    "values: ..., and not ..."                       both compute, and the numbers differ: ours first

A listed difference that matches nothing fails a test.
"""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """One deliberate difference."""

    question: str
    what: str
    why: str


def _differ(names: str, question: str, what: str, why: str) -> list[Difference]:
    """The same difference for several names, which replace the `@` in the question."""
    return [Difference(question.replace("@", name), what, why) for name in names.split()]


ANSWER = "an answer*"
NO_KERNEL = "RuntimeError ((NotFound) The kernel*"
GROWS = "ValueError (The shape of broadcast*"
PROMOTION = "TypeError ((InvalidType) Type promotion*"
WRONG_READ = "ValueError ((InvalidArgument) The type of data we are trying to retrieve*"

BOTH_WRONG = "two mistakes in one call: ours looks at the dtypes before the attributes"
SHAPES_FIRST = "two mistakes in one call: ours looks at the shapes before the dtypes, as Paddle does for most names"
TWO_AXES = "two mistakes in one call: ours looks at the axis before the dtype"
OTHER_MISTAKE = "ours has a float16 kernel, so what it refuses is the other mistake in the call"
ONE_REFUSAL = "one refusal for one mistake: ours has no kernel, Paddle trips over a promotion on the way"

DTYPES = [
    *_differ("*", "@ | * | float16 | *", f"{ANSWER}, and not {NO_KERNEL}", "Paddle has few float16 kernels for the CPU; NumPy has the loops"),
    *_differ("clip_ softmax_ cumsum_ cumprod_ put_along_axis_ scatter_ bernoulli_", "@ | * | float16 | *",
             f"[VI]*Error ((*, and not {NO_KERNEL}", OTHER_MISTAKE),
    *_differ("nan_to_num_", "@ | * | float16 | *", f"{ANSWER}, and not AssertionError*", "float16 can hold NaN and infinity as well, and NumPy computes with it"),
    *_differ("ldexp_", "@ | * | float16 | *", "dtype: *float16, and not *float32", "the result has the dtype of x, as for the other floating-point dtypes"),
    *_differ("exp_ sigmoid_", "@ | * | complex128 | *", "[vg]*: *, and not *",
             "Paddle computes it in single precision, with errors of 1e-7; ours in double"),
    *_differ("fill_ zero_", "@ | * | complex128 | *", "gradients: *0.0*, and not RuntimeError", "Paddle's gradient of a fill has no complex kernel; it is zero"),
]  # fmt: skip

FLOAT_BOUNDS = "in place equals out of place: float bounds make integers floats, and are not cut off"

UNARY = [
    *_differ("neg_", "@ | * | bool | *", f"{NO_KERNEL}, and not {ANSWER}", "a truth value has no negative; Paddle's own `-` refuses it too"),
    *_differ("sinc_", "@ | x.sinc() | int* | *", f"{NO_KERNEL}, and not {PROMOTION}", ONE_REFUSAL),
    *_differ("multigammaln_", "@ | * | int* | *", f"{NO_KERNEL}, and not {PROMOTION}", ONE_REFUSAL),
    *_differ("polygamma_", "@ | *(-1) | [ibc]* | *", f"{NO_KERNEL}, and not ValueError (The input of n*", BOTH_WRONG),
    *_differ("clip_", "@ | x.@(-0.5, 0.9) | int* | *", "[dv]*: *, and not *",
             FLOAT_BOUNDS),
    *_differ("clip_", "@ | x.@(max=1.0) | int* | *", "dtype: *float32, and not *int*",
             FLOAT_BOUNDS),
    *_differ("clip_", "@ | x.@(min=0.0) | int* | *", f"{ANSWER}, and not ValueError*",
             "a bound that is not given does not count; Paddle's largest float overflows when it becomes an int"),
    *_differ("pow_", "@ | * | bool | *", f"{PROMOTION}, and not {NO_KERNEL}", "the number is compared with the dtype before the kernel is looked for"),
    *_differ("pow_", "@ | *(0.5) | int* | *", f"{PROMOTION}, and not {ANSWER}", "an integer to a fractional power: Paddle drops the fraction, and 3 ** 0.5 is 1"),
    *_differ("pow_", "@ | *(-1.0) | int* | *", f"{ANSWER}, and not died*", "Paddle's kernel never comes back from an integer to a negative power"),
    *_differ("elu_", "@ | F.elu_(x, -1.0) | float* | *", f"{ANSWER}, and not AssertionError*",
             "ours keeps a copy of the input where the gradient cannot be had from the result"),
    *_differ("elu_", "@ | F.elu_(x, -1.0) | [ibc]* | *", f"{NO_KERNEL}, and not AssertionError*",
             "ours has no restriction of alpha, so what it refuses is the dtype"),
    *_differ("hardtanh_ thresholded_relu_", "@ | *, 0.?) | float64 | *", "[vb]*: *, and not *",
             "Paddle rounds attributes to single precision, also where the tensor has double precision"),
    *_differ("softmax_", "@ | *(x, 2) | [ibc]* | *", f"ValueError (*, and not {NO_KERNEL}", TWO_AXES),
]  # fmt: skip

NO_NUMBER = "Paddle's AttributeError is an accident of its shape check; the ordinary form says ValueError in both"
OWN_OPERAND = "Paddle refuses x.multiply_(x) at backward; ours keeps a copy of the overwritten operand"
TRUE_SLOPE = "a rounded quotient is constant between its steps: Paddle hands the gradient on unchanged in place, and has none out of place"
CHECKED_FIRST = "a zero divisor is Python's ZeroDivisionError, and is looked for before anything is written"

ARITHMETIC = [
    *_differ("add_ subtract_ multiply_ divide_", "@ | x.@(2.0) | *", "ValueError*, and not AttributeError*", NO_NUMBER),
    *_differ("hypot_ gammainc_ gammaincc_ lcm_", "@ | x.@(wide) | * | in-place", f"{GROWS}, and not {NO_KERNEL}", SHAPES_FIRST),
    *_differ("subtract_", "@ | *alpha=2) | bool | *", f"{NO_KERNEL}, and not {PROMOTION}", ONE_REFUSAL),
    *_differ("multiply_ divide_", "@ | x.@(x) | * | in-place", "gradients: [[]*, and not RuntimeError", OWN_OPERAND),
    *_differ("divide_", "@ | * | bool | *", "ZeroDivisionError*, and not EnforceNotMet*", CHECKED_FIRST),
    *_differ("divide_", "@ | *(wide) | bool | *", f"ZeroDivisionError*, and not {ANSWER}",
             "Paddle divides truth values by False silently, but only where x is broadcast"),
    *_differ("divide_", "@ | *rounding_mode=*", "gradients: *0.0*, and not *", TRUE_SLOPE),
    *_differ("floor_divide_", "@ | *", "gradients: *0.0*, and not *", TRUE_SLOPE),
    *_differ("remainder_", "@ | * | complex* | *", f"{NO_KERNEL}, and not {ANSWER}",
             "Paddle rounds the quotient to a Gaussian integer, which is no remainder; PyTorch refuses as well"),
    *_differ("hypot_", "@ | * | complex* | *", f"{NO_KERNEL}, and not {ANSWER}", "Paddle takes the complex root of the squares, which is no length"),
    *_differ("ldexp_", "@ | * | complex* | *", f"{NO_KERNEL}, and not {ANSWER}", "Paddle drops the imaginary parts, and answers in float32"),
    *_differ("lerp_", "@ | x.lerp_(*0.25) | float* | 0-d | *", "shape: [[]], and not [[]1]", "Paddle gives a tensor without axes an axis of one element"),
    *_differ("lerp_", "@ | *weight=y) | *", "gradients: *, and not *", "Paddle drops the gradient of the weight silently"),
    *_differ("gcd_ lcm_", "@ | * | [fc]* | *", f"{NO_KERNEL}, and not {ANSWER}",
             "divisors and multiples are defined for integers; Paddle computes something for fractions, too"),
]  # fmt: skip

NO_FORMULA = "the derivative with respect to x has no closed form: ours says so at backward, Paddle drops it silently"
ONLY_SAME_SHAPES = (
    "Paddle's kernel does not broadcast: it reads memory that does not belong to y; ours agrees with SciPy"
)

INCOMPLETE_GAMMA = [
    *_differ("gammainc_ gammaincc_", "@ | *", "gradients: ValueError, and not *", NO_FORMULA),
    *_differ("gammainc_ gammaincc_", "@ | *(row) | *", "[vb]*: *, and not *", ONLY_SAME_SHAPES),
    *_differ("gammainc_ gammaincc_", "@ | *c(wide) | *", "values: *, and not *", ONLY_SAME_SHAPES),
    *_differ("gammainc_ gammaincc_", "@ | x.@(wide) | float* | *", f"{GROWS}, and not {ANSWER}", "in place cannot grow; Paddle grows x over uninitialized memory"),
]  # fmt: skip

COMPARED = """equal_ not_equal_ greater_than_ greater_equal_ less_than_ less_equal_
    logical_and_ logical_or_ logical_xor_"""

COMPARISONS = [
    *_differ(COMPARED + " logical_not_", "@ | *", "gradients: no history, and not *",
             "a comparison has no derivative; Paddle hands the gradient on as if x had not been overwritten"),
    *_differ(COMPARED + " logical_not_", "@ | * | float* | strided | in-place", f"{ANSWER}, and not {WRONG_READ}",
             "ours gives x a new storage for truth values; Paddle cannot write them through the strides of a float storage"),
    *_differ(COMPARED, "@ | x.@(x) | * | in-place", f"{ANSWER}, and not {WRONG_READ}",
             "ours computes before x becomes boolean; Paddle makes it so first, and can then no longer read it as the operand"),
]  # fmt: skip

OUT_OF_RANGE = "Paddle writes outside of the tensor, and sometimes dies of it; ours refuses before anything is written"

PLACES = [
    *_differ("index_fill_ index_put_", "@ | *I([[]5])* | *", "IndexError*, and not [ad]*", OUT_OF_RANGE),
    *_differ("put_along_axis_", "@ | *, 5.0, 0) | *", f"{ANSWER}, and not {WRONG_READ}", "a number takes the dtype of self; Paddle makes it a float32, and then refuses that"),
    *_differ("put_along_axis_", "@ | *'no such'* | [bc]* | *", f"ValueError*, and not {NO_KERNEL}",
             "two mistakes in one call: ours looks at `reduce` before the dtype"),
    *_differ("cumsum_", "@ | x.cumsum_() | * | strided | *", f"{ANSWER}, and not ValueError*",
             "the sums of all elements have another shape, so x gets a new storage, also if it is strided"),
    *_differ("embedding_renorm_", "@ | *", "gradients: *, and not *", "Paddle hands the gradient on unchanged, as if no row had been scaled"),
]  # fmt: skip

SHAPES = [
    *_differ("reshape_", "@ | *(I([[]6])) | *", f"{ANSWER}, and not SystemError*", "Paddle trips over a shape tensor of one element; ours takes it"),
    *_differ("transpose_", "@ | *([[]0]) | *", f"ValueError*, and not {ANSWER}", "[0] is no permutation of two axes; Paddle returns x as it is"),
]  # fmt: skip

NO_DISTRIBUTION = "there is no such distribution: refused before anything is drawn"

FILLS = [
    *_differ("fill_", "@ | *float('nan')) | [fc]* | *", f"{ANSWER}, and not ValueError*", "floating-point numbers can hold NaN; PyTorch fills with it, too"),
    *_differ("fill_ masked_fill_ index_fill_", "@ | *float('*')) | int* | *", f"ValueError*, and not {ANSWER}",
             "no integer stands for NaN or infinity: Paddle writes the smallest one there is"),
    *_differ("fill_", "@ | *float('nan')) | bool | *", f"{ANSWER}, and not ValueError*", "NaN is not zero, so its truth value is True; Paddle's `full` says so, too"),
    *_differ("bernoulli_", "@ | *(2.0) | float* | *", f"IndexError*, and not {ANSWER}", NO_DISTRIBUTION),
    *_differ("cauchy_", "@ | * | complex* | *", f"{NO_KERNEL}, and not {ANSWER}", NO_DISTRIBUTION),
    *_differ("geometric_", "@ | * | [ib]* | *", f"{NO_KERNEL}, and not ValueError (data type*", "the refusal of all other fills; Paddle's is one of NumPy's"),
    *_differ("random_", "@ | x.random_() | [bc]* | *", f"{NO_KERNEL}, and not ValueError*", "the same refusal with bounds and without; Paddle looks for the bounds first"),
]  # fmt: skip

DIFFERENCES = [*DTYPES, *UNARY, *ARITHMETIC, *INCOMPLETE_GAMMA, *COMPARISONS, *PLACES, *SHAPES, *FILLS]
