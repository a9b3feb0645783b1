"""What a check of derivatives finds (`gradcheck`, `gradgradcheck`)."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.errors.kinds import Refusal
from inplacelab.language import Text


class GradcheckError(Refusal, RuntimeError):
    """A derivative is wrong, or cannot be checked."""


def gradients_differ(
    place: tuple[int, Sequence[int], int, Sequence[int]], numeric: complex, analytic: complex, wrong: int, compared: int
) -> GradcheckError:
    """`place`: the number of the input and its element, of the result and its element. Where the error is largest."""
    k, element, result, where = place
    error = abs(analytic - numeric)
    relative = error / abs(numeric) if numeric else float("inf")
    return GradcheckError(
        f"The gradient of result {result} at {list(where)} with respect to input {k} at {list(element)} is {analytic:.6g}, but "
        f"the finite difference is {numeric:.6g}.",
        Text(
            "the absolute error is {error:.3g}, the relative error {relative:.3g}; {wrong} of {compared} derivatives are further off "
            "than the tolerances allow. This is the worst of them.",
            "绝对误差为 {error:.3g}，相对误差为 {relative:.3g}；{compared} 个导数中有 {wrong} 个超出容许误差，这里给出其中误差最大的一个。",
        ).format(error=error, relative=relative, wrong=wrong, compared=compared),
        Text(
            "look for a derivative that is wrong, or for a place where there is none (a kink such as `abs` at 0): then check "
            "elsewhere.",
            "请检查求导规则是否有误；也可能该点不可导（例如 `abs` 在 0 处的尖点），那就换一个点再检查。",
        ),
    )


def not_repeatable(what: Text, result: int) -> GradcheckError:
    return GradcheckError(
        f"The function is not deterministic: result {result} differs between two calls with the same inputs.",
        Text(
            "{what} came out differently, so a difference of two values says nothing about a slope.",
            "两次得到的{what}不同，因此两次取值之差说明不了斜率。",
        ).format(what=what),
        Text(
            "draw random numbers outside the function, and let it write to nothing that it finds outside.",
            "请把随机数放到函数之外生成，并且不要让函数写入它从外部得到的张量。",
        ),
    )


def too_coarse(position: int, dtype: str) -> GradcheckError:
    return GradcheckError(
        f"Input {position} is of dtype {dtype}; a derivative is checked in float64 or complex128.",
        Text(
            "a step of 1e-6 leaves {dtype} with hardly a digit in the difference of two values, so a right derivative would look "
            "wrong, or a wrong one right.",
            "步长为 1e-6 时，两个 {dtype} 数值之差几乎没有有效数字：正确的导数会显得错误，错误的也可能显得正确。",
        ).format(dtype=dtype),
        Text(
            "cast the input: `x.astype('float64')`, with `stop_gradient=False` on the result.",
            "请转换输入：`x.astype('float64')`，并对结果设置 `stop_gradient=False`。",
        ),
    )


def nothing_to_check() -> GradcheckError:
    return GradcheckError(
        "No input needs a gradient.",
        Text("all of them have `stop_gradient=True`.", "所有输入的 `stop_gradient` 都是 True。"),
        Text(
            "set `x.stop_gradient = False` on the inputs with respect to which to check.",
            "对需要检查的输入设置 `x.stop_gradient = False`。",
        ),
    )


def results_without_history() -> GradcheckError:
    return GradcheckError(
        "No result of the function has a gradient history.",
        Text(
            "it returned no tensor of real or complex numbers that was computed from the inputs inside the history.",
            "它返回的张量中，没有一个是在历史之内由输入算出的实数或复数张量。",
        ),
        Text(
            "return what was computed from the inputs, without `detach()` and outside `no_grad`.",
            "请返回由输入算出的张量，不要使用 `detach()`，也不要在 `no_grad` 之内计算。",
        ),
    )
