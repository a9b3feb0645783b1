"""Operations of two and three tensors in PaddlePaddle 3.3.1 and here: dtypes, special values, keywords, gradients, refusals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import inplacelab
from tests.subtests import for_each

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

DTYPES = ("bool", "int32", "int64", "float32", "float64", "complex64", "complex128")


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


def described(value: Any) -> Any:
    """The parts of a result that are compared."""
    return (str(value.dtype), list(value.shape), value.numpy()) if hasattr(value, "stop_gradient") else value


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, tuple) and len(theirs) == 3:
        return bool(ours[:2] == theirs[:2] and np.allclose(ours[2], theirs[2], rtol=1e-5, atol=1e-6, equal_nan=True))
    return bool(ours == theirs)


# ---- all pairs of dtypes ------------------------------------------------------------------------------------------------------

IN_PLACE = [
    "subtract", "multiply", "divide", "remainder", "floor_divide", "copysign", "hypot", "ldexp", "gcd", "lcm", "equal", "not_equal",
    "less_than", "less_equal", "greater_than", "greater_equal", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or",
    "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift",
]  # fmt: skip
ORDINARY = [
    "add", *IN_PLACE, "maximum", "minimum", "fmax", "fmin", "atan2", "pow", "logaddexp", "heaviside", "isclose", "allclose", "equal_all",
    "lerp", "where",
]  # fmt: skip


def complex_operand(x: str, y: str) -> bool:
    return "complex" in x + y


def not_integers(x: str, y: str) -> bool:
    return "int" not in x or "int" not in y


REFUSED_HERE: dict[str, Callable[[str, str], bool]] = {
    "remainder": complex_operand,  # Paddle: rounds the quotient to a Gaussian integer
    "hypot": complex_operand,  # Paddle: the root of the sum of the squares, which is no length
    "ldexp": complex_operand,  # Paddle: drops the imaginary part
    "gcd": not_integers,  # Paddle: composed of operations that floats have, too
    "lcm": not_integers,
}
"""What Paddle computes and we refuse, with the reason."""

COMPUTED_HERE: dict[str, Callable[[str, str], bool]] = {
    "isclose": lambda x, y: x == y,  # Paddle: floating-point and complex only
    "allclose": lambda x, y: x == y,  # Paddle: all but complex
    "equal_all": lambda x, y: x == y,
}
"""What Paddle refuses and we compute."""


def operands(module: Any, x: str, y: str) -> tuple[Any, Any]:
    first, second = np.array([[1, 0, 3], [4, 2, 1]]), np.array([2, 1, 1])
    return module.to_tensor(first.astype(x)), module.to_tensor(second.astype(y))


def outcome(module: Any, name: str, x: str, y: str) -> Any:
    """The result of a call, or its exception."""
    one, other = operands(module, x, y)
    if name in ("isclose", "allclose", "equal_all"):
        other = module.to_tensor(np.array([[1, 0, 3], [4, 2, 2]]).astype(y))
    return tried(module, name, one, other)


def tried(module: Any, name: str, one: Any, other: Any) -> Any:
    try:
        if name == "where":
            return described(module.where(module.to_tensor(np.array([True, False, True])), one, other))
        return described(getattr(module.Tensor, name)(one, other, *[0.5] * (name == "lerp")))
    except Exception as error:  # noqa: BLE001  # any exception is compared
        return error


def agree(name: str, x: str, y: str, ours: Any, theirs: Any) -> bool:
    plain = name.rstrip("_")
    if isinstance(ours, Exception) and isinstance(theirs, Exception):
        return x != y or type(ours).__name__ == type(theirs).__name__  # of two mistakes either may be reported
    if isinstance(ours, Exception):
        return plain in REFUSED_HERE and REFUSED_HERE[plain](x, y)
    if isinstance(theirs, Exception):
        return plain in COMPUTED_HERE and COMPUTED_HERE[plain](x, y)
    return same(ours, theirs)


@pytest.mark.parametrize("name", [*ORDINARY, *(f"{name}_" for name in IN_PLACE)])
def test_all_pairs_of_dtypes(paddle: Any, name: str) -> None:
    for x, y in product(DTYPES, DTYPES):
        if name.startswith("isclose") and "complex" in x and x != y:
            continue  # Paddle then reads the bytes of the other as if they were complex
        ours, theirs = outcome(inplacelab, name, x, y), outcome(paddle, name, x, y)
        assert agree(name, x, y, ours, theirs), (x, y, ours, theirs)


SCALARS = [
    "add", "subtract", "multiply", "divide", "pow", "floor_divide", "remainder", "hypot", "copysign", "equal", "not_equal", "less_than",
    "less_equal", "greater_than", "greater_equal",
]  # fmt: skip
"""The operations in which an integer goes with a floating-point number if one of the two has no axes."""


@pytest.mark.filterwarnings("ignore:The shape of broadcast output")
@pytest.mark.parametrize("name", [*SCALARS, "maximum", "atan2", "add_", "multiply_", "divide_", "equal_"])
@for_each(("x", "y"), [each for each in product(DTYPES, DTYPES) if ("float" in each[0]) != ("float" in each[1])])
def test_an_operand_without_axes(paddle: Any, name: str, x: str, y: str) -> None:
    """Integers and floating-point numbers; the others mix in any shape, or never."""
    if "complex" in x + y or (name == "hypot" and "bool" in x + y):  # Paddle has no squares of bools
        return
    for take in (lambda a, b: (a, b[0]), lambda a, b: (a[0, 2], b), lambda a, b: (a[0, 2], b[0])):
        ours, theirs = (tried(module, name, *take(*operands(module, x, y))) for module in (inplacelab, paddle))
        assert agree(name, x, y, ours, theirs), (ours, theirs)


# ---- special values and keywords ------------------------------------------------------------------------------------------------


def names(module: Any) -> dict[str, Any]:
    """`z` has zeros of both signs, infinities and NaN; `x` and `y` come near nothing special; `i`, `j` are integers, `b` a condition."""
    special = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan]
    pairs = np.array(list(product(special, special))).T
    made = {
        "x": np.array([-7.0, 7.0, 5.5, -5.5], "float32"), "y": np.array([2.0, -2.0, 2.5, -4.0], "float32"),
        "z": pairs[0], "w": pairs[1], "i": np.array([-7, 7, 5, -8], "int32"), "j": np.array([2, -2, 3, 40], "int32"),
        "b": np.array([True, False, True, False]), "c": np.array([1 + 2j, 1 - 1j, 0, 2], "complex64"),
    }  # fmt: skip
    return {name: module.to_tensor(array) for name, array in made.items()} | {"paddle": module, "np": np}


VALUES = """
z.add(w) | z.multiply(w) | z.divide(w) | z.floor_divide(w) | z.remainder(w) | z.copysign(w) | z.atan2(w) | z.pow(w)
z.maximum(w) | z.minimum(w) | z.fmax(w) | z.fmin(w) | z.heaviside(w) | z.equal(w) | z.less_equal(w) | z.logical_xor(w) | z.lerp(w, 0.25)
z.isnan() | z.isinf() | z.isfinite() | c.isfinite() | i.isnan() | z.allclose(w) | z.equal_all(z)
x.isclose(y, rtol=1.0) | x.isclose(y, 0.0, 20.0) | x.allclose(y, atol=20.0) | i.allclose(i) | x.equal_all(y[:2]) | b.equal_all(b)
x.divide(y, rounding_mode='floor') | x.divide(y, rounding_mode='trunc') | i.divide(j, rounding_mode='floor') | i.divide(j, rounding_mode='trunc')
x.divide_(y, rounding_mode='floor') | i.divide_(j, rounding_mode='trunc') | i.divide_(j) | b.divide(b|~b) | b.divide_(b|~b)
paddle.div(x, y, rounding_mode='trunc') | x.mod(y) | i.floor_mod(j) | i.mod_(j) | x.floor_divide_(y) | x.floor_divide(2.5) | i.astype('int64').floor_divide(2)
x.remainder(2.5) | i.remainder(3) | i.gcd(j) | i.lcm(j) | i.gcd_(j) | x.lerp(y, x) | x.lerp(y, x[0]) | x.lerp_(y, 0.5) | x.copysign(-1.0)
x.copysign_(y) | i.copysign(j) | b.copysign(b) | x.ldexp(j) | x.ldexp(y) | i.ldexp(j) | i.ldexp_(j) | b.ldexp(i) | x.hypot_(y) | i.hypot(j)
i.pow(j % 4) | x.pow(i.astype('float32')) | c.pow(c + 1) | x.pow(c) | x.pow_(2) | x.add(y, alpha=2) | i.subtract(j, alpha=3)
x.abs().gammainc(y.abs()) | x.abs().gammaincc(y.abs()) | x.abs().gammainc_(y.abs()) | x.logaddexp(y) | i.logaddexp(j)
x.equal(7.0) | i.equal(7) | x.eq(y) | x.less(y) | x.lt(y) | x.greater(y) | x.equal_(y) | i.less_than_(j) | c.less_than(c[0]) | c.less_equal(c[0])
c.logical_and(c) | x.logical_not_() | b.logical_or_(b) | i.bitwise_and(j) | i.bitwise_or_(j) | b.bitwise_xor(b) | i.bitwise_not() | b.bitwise_invert_()
i.bitwise_left_shift(j) | i.bitwise_right_shift(j) | i.bitwise_right_shift(j, False) | i.bitwise_right_shift_(j, is_arithmetic=False)
paddle.where(b, x, y) | paddle.where(b, x, 2.5) | paddle.where(b, 1, 2) | paddle.where(b, 1j, y) | paddle.where(b, True, False) | b.where(x, y)
paddle.where(b)[0] | paddle.where(b, x, y[0]) | paddle.where(b, x, y.astype('float64')) | paddle.where_(b, x, y) | b.where_(x, y)
i // j | i // 2 | i // 2.5 | 7 // j | 2.5 // x | x // 2 | x // y | i % j | i % 2.5 | 7 % j | 2.5 % y | b // 2 | b % 2.5 | i ** (j % 4) | 2 ** i | 2.5 ** j
x ** i.astype('float32') | c ** 2 | b ** 2 | i ** 0.5 | 2 & i | i & j | i|j | i ^ j | 3 ^ i | 3|i | True&b | ~i | ~b | +x | i << 1 | i >> 1 | 1 << j | 9 >> j
x / i[0] | i[0] - x | i * x[0] | x[0] // i | x % i[1] | i[0] ** x.abs() | x < i[2] | b * x[0] | paddle.to_tensor([2.0**24]) == paddle.to_tensor(2**24 + 1)
x == 7 | i != 7 | i < 2.5 | 2.5 >= i | b == True | x // np.ones(4, 'float32') | np.ones(4) % x
"""


def listed(text: str) -> list[str]:
    return [expression.strip() for line in text.strip().splitlines() for expression in line.split(" | ")]


@for_each("expression", listed(VALUES))
def test_the_same_result(paddle: Any, expression: str) -> None:
    ours, theirs = (described(eval(expression, names(module))) for module in (inplacelab, paddle))
    assert same(ours, theirs), (ours, theirs)


# ---- gradients ------------------------------------------------------------------------------------------------------------------

GRADIENTS = """
x.maximum(y) | x.minimum(y) | x.fmax(y) | x.fmin(y) | x.pow(y) | x.remainder(y) | x.copysign(y) | x.heaviside(y) | x.ldexp(y) | x.logaddexp(y)
x * paddle.to_tensor(3) | paddle.to_tensor(3) / x | x ** paddle.to_tensor(2) | y[0] * paddle.to_tensor([2, 3]) | paddle.to_tensor(2) - x + y
x.lerp(y, 0.25) | paddle.where(y > 1, x, y) | x.divide(y + 0.5) | x.atan2(y) | x.hypot(y)
(x * 1).remainder_(y) | (x * 1).copysign_(y) | (x * 1).lerp_(y, 0.5) | (x * 1).hypot_(y) | (x * 1).ldexp_(y) | paddle.ones([8], 'float64').gammainc(y * y)
"""


@for_each("expression", listed(GRADIENTS))
def test_the_same_gradients(paddle: Any, expression: str) -> None:
    """Also at ties, zeros, NaN, and negative bases."""
    found = []
    for module in (inplacelab, paddle):
        values = [-2.0, 0.0, 0.0, 1.0, 1.0, 2.0, math.nan, 3.0], [2.0, 0.0, 2.0, 1.0, 3.0, -1.0, 1.0, 0.0]
        x, y = (module.to_tensor(np.array(v), stop_gradient=False) for v in values)
        result = eval(expression, {"x": x, "y": y, "paddle": module})
        gradients = module.grad(result.sum(), [x, y], allow_unused=True)
        found.append([np.zeros(8) if g is None else g.numpy() for g in gradients])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize(
    "expression", ["x.multiply(y)", "x.divide(y)", "x.pow(y)", "x.real().pow(y)", "paddle.where(x.real() > 0, x, y)"]
)
def test_the_same_complex_gradients(paddle: Any, expression: str) -> None:
    found = []
    for module in (inplacelab, paddle):
        x, y = (module.to_tensor(np.array(v), stop_gradient=False) for v in ([1 + 2j, 3 - 1j], [2 - 1j, 0.5 + 1j]))
        result = eval(expression, {"x": x, "y": y, "paddle": module})
        found.append([g.numpy() for g in module.grad(result.real().sum(), [x, y])])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-9)


# ---- refusals -------------------------------------------------------------------------------------------------------------------

REFUSALS = """
x.add(2.0) | x.maximum(2) | x.less_than(1.0) | x.logical_and(1) | x.multiply('a') | x.lerp(2.0, 0.5)
x.divide(y, rounding_mode='round') | x.divide_(y, rounding_mode='up') | c.divide(c, rounding_mode='floor') | b.divide(b|~b, rounding_mode='trunc')
x[:2].multiply_(paddle.ones([2, 2])) | x[:2].equal_(paddle.ones([2, 2])) | x[0].lerp_(y, 0.5) | i[:2].bitwise_and_(paddle.ones([2, 2], 'int32'))
b - b | b.remainder(b) | b.floor_divide(b) | b.pow(b) | b.maximum(b) | c.minimum(c) | x.bitwise_not() | x & y | x << y | b << b | b.isnan() | ~x | +b
paddle.where(i, x, y) | paddle.where(b, x) | paddle.where(b, None, y) | paddle.where(b, x, 2) | paddle.where(b, i, 2.5) | paddle.where_(b, x, 2.0)
paddle.where_(b) | x.gammainc(y) | (x * 0).gammaincc(x) | x.add(i) | x.equal(i) | x.lerp(i, 0.5) | x ** i | i + x | x < i | i & b | x << 2 | i << 2.5
i.add(j, alpha=0.5)
"""


@for_each("expression", listed(REFUSALS))
def test_the_same_refusal(paddle: Any, expression: str) -> None:
    found = []
    for module in (inplacelab, paddle):
        with pytest.raises(Exception) as caught:  # noqa: PT011  # which one is what is compared
            eval(expression, names(module))
        found.append(type(caught.value).__name__)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "expression",
    ["i // z", "i % z", "i.floor_divide_(z)", "i.mod_(z)", "i.divide(z, rounding_mode='trunc')", "b.divide(~b)"],
)
def test_integers_divided_by_zero_are_refused(paddle: Any, expression: str) -> None:
    """Paddle's exception for it is a plain `Exception`."""
    scopes = [
        names(module) | {"z": module.to_tensor(np.array([1, 0, 1, 1], "int32"))} for module in (paddle, inplacelab)
    ]
    for scope in scopes:
        with pytest.raises(Exception, match="Integer division by zero"):
            eval(expression, scope)
    assert scopes[1]["i"].tolist() == [-7, 7, 5, -8]  # (in Paddle `i.mod_(z)` has written a part of it)
