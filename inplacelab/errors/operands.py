"""Operands, dtypes, devices and arguments of a wrong kind."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from inplacelab.errors.kinds import (
    ArgumentError,
    ArgumentKindError,
    ConstructionError,
    ConversionError,
    DeviceError,
    DTypeError,
    KernelError,
    OperandError,
    OptionError,
)
from inplacelab.language import Text

_CHECKED_IN_PYTHON = frozenset(("hypot", "ldexp", "norm", "sinc"))
"""The operations whose operands PaddlePaddle looks at in Python: what is no tensor is a TypeError there. Those of the others
are read in C++, which says ValueError.
"""


def cannot_promote(op: str, x: str, y: str) -> DTypeError:
    return DTypeError(
        "(InvalidType) Type promotion only support calculations between floating-point numbers and between complex and real "
        f"numbers. But got different data type x: {x}, y: {y}.",
        Text("`{op}` does not guess which of {x} and {y} you want.", "`{op}` 不会猜测你想要 {x} 还是 {y}。").format(
            op=op, x=x, y=y
        ),
        Text("cast one of them: `y.astype('{x}')`.", "转换其中一个：`y.astype('{x}')`。").format(x=x),
    )


def unknown_dtype(dtype: Any, known: Sequence[str]) -> DTypeError:
    return DTypeError(
        f"(InvalidType) {dtype!r} is not a data type that a tensor can have here.",
        Text("NumPy computes here, and it has no such type.", "这里由 NumPy 计算，它没有这种类型。"),
        Text("choose one of {known}.", "可选：{known}。").format(known=", ".join(known)),
    )


def no_limits(op: str, dtype: str, possible: Sequence[str]) -> ArgumentError:
    names = [f"paddle.{name}" for name in possible]
    return ArgumentError(
        f"(InvalidArgument) the argument of paddle.{op} can only be {', '.join(names[:-1])} or {names[-1]}",
        Text("{dtype} is of another kind.", "{dtype} 属于另一类。").format(dtype=dtype),
        Text(
            "use `finfo` for floating-point types and `iinfo` for integers.", "浮点类型用 `finfo`，整数类型用 `iinfo`。"
        ),
    )


def unsupported_dtype(op: str, dtype: str) -> DTypeError:
    return DTypeError(
        f"(InvalidType) {op} is not defined for {dtype}.",
        Text("the operation has no meaning for such elements.", "该操作对这种元素没有意义。"),
        Text("cast first: `x.astype('float32')`.", "先转换：`x.astype('float32')`。"),
    )


def no_kernel(op: str, dtype: str) -> KernelError:
    return KernelError(
        f"(NotFound) The kernel with key (CPU, Undefined(AnyLayout), {dtype}) of kernel `{op}` is not registered. "
        f"Selected wrong DataType `{dtype}`.",
        Text("`{op}` is not defined for {dtype}.", "`{op}` 对 {dtype} 没有定义。").format(op=op, dtype=dtype),
        Text(
            "cast first, for example with `x.astype('float32')`; in place, cast before the tensor is shared.",
            "先转换数据类型，例如 `x.astype('float32')`；若要原地操作，请在共享该张量之前转换。",
        ),
    )


def out_dtype(op: str, out: str, result: str) -> DTypeError:
    return DTypeError(
        f"(InvalidArgument) {op}: the result is of dtype {result}, but `out` is of dtype {out}.",
        Text(
            "`out=` writes into the storage that is there, and its slots hold {out}.",
            "`out=` 写入已有的存储，而其中的槽位存放的是 {out}。",
        ).format(out=out),
        Text("pass an `out` of dtype {result}.", "传入数据类型为 {result} 的 `out`。").format(result=result),
    )


def not_a_tensor(op: str, argument: str, position: int, value: Any) -> OperandError | ArgumentKindError:
    shown = repr(value) if isinstance(value, int | float | complex) else "..."
    why = Text(
        "the named functions take tensors only, as in Paddle; the operators (`x + 2`) take numbers too.",
        "与 Paddle 相同，具名函数只接受张量；运算符（`x + 2`）也接受数字。",
    )
    fix = Text(
        "wrap it: `to_tensor({shown})`, or use `scale`/`scale_` with `scale=` and `bias=` for a number.",
        "用 `to_tensor({shown})` 包装；若是数字，可用 `scale`/`scale_` 的 `scale=` 与 `bias=`。",
    ).format(shown=shown)
    if op.rstrip("_") in _CHECKED_IN_PYTHON:
        return ArgumentKindError(f"{argument} must be tensor type, but got {type(value)}", why, fix)
    got = f"argument '{argument}' (position {position}) must be Tensor, but got {type(value).__name__}"
    return OperandError(f"(InvalidArgument) {op}(): {got}", why, fix)


def no_constructor() -> ConstructionError:
    return ConstructionError(
        "Tensor() takes no data.",
        Text("a tensor is made by a function that says what is in it.", "张量由说明其内容的函数创建。"),
        Text(
            "use `to_tensor(data)`, `zeros(shape)`, `rand(shape)`, ...",
            "请使用 `to_tensor(data)`、`zeros(shape)`、`rand(shape)` 等。",
        ),
    )


def untracked_factor(**facts: Any) -> OperandError:
    return OperandError(
        "(InvalidArgument) a tensor that needs a gradient cannot be used as a plain number here",
        Text(
            "its value would be read as a number, and its gradient would be lost.",
            "这里只会读取它的数值，它的梯度会丢失。",
        ),
        Text(
            "multiply with it (`x * t`), or use `t.detach()` if you want the number.",
            "与它相乘（`x * t`）；若只要数值，请用 `t.detach()`。",
        ),
        **facts,
    )


def not_a_number(value: Any, op: str = "", argument: str = "") -> OperandError | ArgumentKindError:
    why = Text("every element is computed with this one number.", "每个元素都要与这一个数运算。")
    fix = Text("give a Python number, or a tensor of one element.", "请给出 Python 数字，或只有一个元素的张量。")
    if op.rstrip("_") == "pow":  # the one that is checked in Python in PaddlePaddle
        return ArgumentKindError(f"{argument} must be scalar type, but received: {type(value)} ", why, fix)
    got = f"a number is needed, but got {type(value).__name__}: {value!r}"
    return OperandError(f"(InvalidArgument) {got}", why, fix)


def not_finite(value: Any, dtype: str) -> ArgumentError:
    shown = "NaN" if isnan(value) else "infinite"
    return ArgumentError(
        f"(InvalidArgument) fill value should not be {shown}, but received {value}",
        Text("no number of {dtype} stands for {value}.", "{dtype} 中没有任何数能表示 {value}。").format(
            dtype=dtype, value=value
        ),
        Text(
            "give a finite number, or cast the tensor to float32 first.", "请给出有限的数，或先将张量转换为 float32。"
        ),
    )


def no_such_integer(op: str, value: float, dtype: str) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) {op}(): {value} cannot be cast to {dtype}.",
        Text(
            "no number of {dtype} stands for {value}. PaddlePaddle 3.3.1 writes whatever the processor leaves behind: 0, or the "
            "smallest integer.",
            "{dtype} 中没有任何数能表示 {value}。PaddlePaddle 3.3.1 写入的是处理器留下的任意值：0 或最小的整数。",
        ).format(dtype=dtype, value=value),
        Text(
            "decide first what shall stand there: `x.nan_to_num(...)`, `paddle.where(x.isfinite(), x, ...)`.",
            "请先决定用什么来代替：`x.nan_to_num(...)`，或 `paddle.where(x.isfinite(), x, ...)`。",
        ),
    )


def imaginary_part_lost(op: str, given: str, held: str) -> DTypeError:
    return DTypeError(
        f"(InvalidType) {op}(): values of {given} cannot be written into a tensor of {held}.",
        Text(
            "its slots hold real numbers; the imaginary parts would be lost without a word.",
            "它的槽位只能存放实数；虚部会悄无声息地丢失。",
        ),
        Text(
            "write `y.real()`, or begin with a complex tensor: `x.astype('{given}')`.",
            "写入 `y.real()`，或一开始就用复数张量：`x.astype('{given}')`。",
        ).format(given=given),
    )


def value_dtype(expected: str, given: str) -> ConversionError:
    return ConversionError(
        f"Variable dtype not match, Variable need tensor with dtype paddle.{expected} but load tensor with dtype paddle.{given}",
        Text(
            "`set_value` replaces every element and nothing else: it casts nothing.",
            "`set_value` 替换每一个元素，且不改变其他任何东西：它不做类型转换。",
        ),
        Text(
            "cast the value first: `value.astype('{expected}')` (NumPy's own floating-point numbers are float64).",
            "先转换：`value.astype('{expected}')`（NumPy 默认的浮点数是 float64）。",
        ).format(expected=expected),
    )


def bad_argument(op: str, argument: str, value: Any, possible: Text) -> ArgumentError:
    return ArgumentError(
        f"(InvalidArgument) {op}(): argument '{argument}' got {value!r}.",
        Text("this value has no meaning here.", "该取值在此没有意义。"),
        Text("possible: {possible}.", "可用取值：{possible}。").format(possible=possible),
    )


def bad_shape(op: str, shape: Any) -> ArgumentError:
    return bad_argument(op, "shape", shape, Text("sizes that are integers of 0 or more", "不小于 0 的整数"))


def ragged_data(detail: str) -> ArgumentError:
    return ArgumentError(
        "(InvalidArgument) Failed to convert the input data to a regular ndarray.",
        Text("a tensor is a regular grid of numbers; {detail}.", "张量是规则的数字网格；{detail}。").format(
            detail=detail
        ),
        Text("give rows of equal length that hold numbers or booleans.", "请给出等长的行，元素为数字或布尔值。"),
    )


def different_devices(op: str, x: str, y: str) -> DeviceError:
    return DeviceError(
        f"(InvalidArgument) {op}: the operands are on different devices, {x} and {y}.",
        Text("a kernel reads and writes the memory of one device.", "一个核函数只读写一个设备的内存。"),
        Text("move one of them with `.cpu()` or `.cuda()`.", "用 `.cpu()` 或 `.cuda()` 移动其中一个。"),
    )


def nowhere_to_go() -> OptionError:
    return OptionError(
        "to() received no device, no dtype and no tensor.",
        Text("it is not said where the tensor is to go.", "没有说明张量要去哪里。"),
        Text(
            "write `x.to('cpu')`, `x.to('float64')` or `x.to(other)`.",
            "请写 `x.to('cpu')`、`x.to('float64')` 或 `x.to(other)`。",
        ),
    )


def unknown_device(device: Any) -> DeviceError:
    return DeviceError(
        f"The device must be a string which is like 'cpu', 'gpu', 'gpu:x', but got {device!r}.",
        Text("there is no device of that name.", "没有这个名字的设备。"),
        Text(
            "use 'cpu' or 'gpu'; `simulate=True` makes it a simulated one.",
            "使用 'cpu' 或 'gpu'；传入 `simulate=True` 则为模拟的 GPU。",
        ),
    )


def not_one_element(kind: str, size: int) -> ConversionError:
    headline = {
        "bool": "When Variable is used as the condition of if/while , Variable can only contain one element.",
        "index": "only one element variable can be converted to python index.",
    }.get(kind, f"only one element variable can be converted to {kind}.")
    return ConversionError(headline, *_one_element(size))


def no_single_item(size: int) -> ArgumentError:
    return ArgumentError(
        "(InvalidArgument) only one element tensors can be converted to Python scalars when no input coordinates.",
        *_one_element(size),
    )


def _one_element(size: int) -> tuple[Text, Text]:
    return (
        Text("this tensor has {size} elements.", "该张量有 {size} 个元素。").format(size=size),
        Text(
            "reduce it first (`sum`, `mean`, ...) or index one element.", "先归约（`sum`、`mean` 等）或取出一个元素。"
        ),
    )


def value_shape(expected: Sequence[int], given: Sequence[int]) -> ConversionError:
    return ConversionError(
        f"Variable Shape not match, Variable need tensor with shape {list(expected)} but load set tensor with shape {list(given)}.",
        Text(
            "`set_value` replaces every element and nothing else.", "`set_value` 替换每一个元素，且不改变其他任何东西。"
        ),
        Text("give a value of the same shape.", "请给出相同形状的值。"),
    )
