"""Every refusal: what happened, why, and what to do instead, in both languages.

An error's first line is PaddlePaddle 3.3.1's own (so that a search for it finds the same pages), its exception type is
Paddle's too. Below it stand two sentences of ours. What only a recorder can know (which line kept a value, which line
overwrote it) is added by the recorder as notes and is not part of `str(error)`.

All refusals are raised before anything was written: a refused operation leaves data, shape, dtype, version and history
as they were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from inplacelab.language import Text

watchers: list[Callable[[Refusal], None]] = []
"""Called with every refusal, also those that the program catches. A recorder listens here."""


class Refusal(Exception):
    """The common part of all refusals.

    Attributes:
        headline: Paddle's first line.
        why: why this cannot be done.
        mend: what to write instead.
        facts: the objects concerned (a tensor, a node, a saved tensor), for a recorder.
    """

    def __init__(self, headline: str, why: Text, mend: Text, **facts: Any) -> None:
        super().__init__(f"{headline}\n  {_WHY}: {why}\n  {_MEND}: {mend}")
        self.headline, self.why, self.mend, self.facts = headline, why, mend, facts
        for watch in tuple(watchers):
            watch(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).__mro__[2], self.args  # pickled as the built-in exception that it shows itself as


_WHY = Text("Why", "原因")
_MEND = Text("Instead", "改法")


_C = TypeVar("_C", bound=type[Refusal])


def _shown_as(base: type[Exception]) -> Callable[[_C], _C]:
    """Have a kind of refusal print, and call itself, what Paddle raises: `ValueError: (InvalidArgument) Leaf Var () ...`.

    It stays a class of its own, so `except errors.LeafWriteError` is possible too.
    """

    def name(kind: _C) -> _C:
        kind.__name__ = kind.__qualname__ = base.__name__
        kind.__module__ = "builtins"
        return kind

    return name


@_shown_as(ValueError)
class LeafWriteError(Refusal, ValueError):
    """A leaf that needs a gradient, or a view of one, was about to be written."""


@_shown_as(RuntimeError)
class StaleSavedTensorError(Refusal, RuntimeError):
    """Backward needs a value that was overwritten after it was kept."""


@_shown_as(SystemError)
class FreedGraphError(Refusal, SystemError):
    """Backward went through a part of the graph whose saved tensors are gone."""


@_shown_as(RuntimeError)
class WriteConflictError(Refusal, RuntimeError):
    """One slot would be written twice, or read after it was written, by the same operation."""


@_shown_as(ValueError)
class ShapeError(Refusal, ValueError):
    """Shapes do not fit."""


@_shown_as(ValueError)
class AxisError(Refusal, ValueError):
    """An axis does not exist, or is named twice."""


@_shown_as(IndexError)
class IndexRangeError(Refusal, IndexError):
    """An index lies outside its axis."""


@_shown_as(TypeError)
class IndexKindError(Refusal, TypeError):
    """Something that cannot be an index was used as one."""


@_shown_as(TypeError)
class ConstructionError(Refusal, TypeError):
    """A tensor was to be made by calling its class."""


@_shown_as(TypeError)
class DTypeError(Refusal, TypeError):
    """An operation is not defined for these dtypes."""


@_shown_as(ValueError)
class OperandError(Refusal, ValueError):
    """An argument is of the wrong kind."""


@_shown_as(ValueError)
class ArgumentError(Refusal, ValueError):
    """An argument has a value that makes no sense here."""


@_shown_as(ValueError)
class DeviceError(Refusal, ValueError):
    """A device is unknown, missing, or not the one that the other tensor is on."""


@_shown_as(ValueError)
class NoGradientError(Refusal, ValueError):
    """A gradient was asked for where there is none."""


@_shown_as(RuntimeError)
class HookError(Refusal, RuntimeError):
    """A hook was to be put where no gradient comes by."""


@_shown_as(AssertionError)
class ConversionError(Refusal, AssertionError):
    """A tensor with several elements was used as if it were one number."""


# ---- the two refusals that people mix up: a leaf, and a value that backward still needs -----------------------------


def leaf_write(op: str, name: str, *, view: bool, setitem: bool = False, tensor: Any = None) -> LeafWriteError:
    """The refusal to write a leaf that needs a gradient (`view`: through a view of it)."""
    noun = "Tensor" if setitem else "Var"
    what = Text("a view of a leaf", "叶子张量的视图") if view else Text("a leaf", "叶子张量")
    return LeafWriteError(
        f"(InvalidArgument) Leaf {noun} ({name}) that doesn't stop gradient can't use inplace strategy.",
        Text(
            "`{op}` would overwrite {what}. Its gradient would be the same, but the optimizer would then update the "
            "overwritten value instead of the one you trained, and the tensor would no longer be a leaf.",
            "`{op}` 会覆盖{what}。梯度本身并不会变，但优化器随后更新的就是被覆盖后的值，而不是你要训练的值，而且该张量也不再是叶子。",
        ).format(op=op, what=what),
        Text(
            "write to the result of an operation on it (`y = x.clone(); {write}`), or, to change the parameter itself, "
            "write inside `with no_grad():` or use `set_value`.",
            "改为写入由它算出的张量（`y = x.clone(); {write}`）；若确实要修改参数本身，请在 `with no_grad():` 中写入，或使用 `set_value`。",
        ).format(write="y[...] = ..." if setitem else f"y.{op}(...)"),
        tensor=tensor,
    )


def stale_saved_tensor(
    node_name: str, saved_name: str, kept_at: int, found_at: int, **facts: Any
) -> StaleSavedTensorError:
    """The refusal to use a saved tensor whose storage has been written since it was kept."""
    return StaleSavedTensorError(
        f"(PermissionDenied) Tensor '' used in gradient computation has been modified by an inplace operation. "
        f"Its version is {found_at} but the expected version is {kept_at}.",
        Text(
            "{node} kept `{saved}` at version {kept_at} to compute its derivative; its storage is at version {found_at} now, "
            "so the kept value is stale. The write was allowed (a write to a leaf would not have been); using the value that "
            "it overwrote is not.",
            "{node} 在版本 {kept_at} 时保存了 `{saved}` 以便求导；它所在的存储现在是版本 {found_at}，保存的值已经过期。"
            "那次写入本身是允许的（若写的是叶子张量，当时就会被拒绝）；不允许的是继续使用被它覆盖的值。",
        ).format(node=node_name, saved=saved_name, kept_at=kept_at, found_at=found_at),
        Text(
            "write after `backward()`, write to a copy (`x = x.clone()` before the in-place operation), or use the "
            "ordinary operation in place of the one that ends in an underscore.",
            "把写入放到 `backward()` 之后，或先复制再写（在原地操作之前 `x = x.clone()`），或改用不带下划线的普通操作。",
        ),
        **facts,
    )


# ---- the graph ------------------------------------------------------------------------------------------------------


def freed_graph(node_name: str, **facts: Any) -> FreedGraphError:
    return FreedGraphError(
        f"(Fatal) The TensorWrappers of {node_name} do not exist.",
        Text(
            "an earlier backward went through this part of the graph and freed what {node} had saved.",
            "之前的一次反向传播已经走过计算图的这一部分，并释放了 {node} 保存的值。",
        ).format(node=node_name),
        Text(
            "pass `retain_graph=True` to the first `backward()`, or run the forward pass again.",
            "在第一次 `backward()` 时传入 `retain_graph=True`，或重新做一次前向计算。",
        ),
        **facts,
    )


def leaf_changed_shape(name: str, expected: Sequence[int], found: Sequence[int], **facts: Any) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) The gradient of leaf ({name}) has shape {list(expected)}, but the leaf has shape {list(found)} now.",
        Text(
            "its metadata were changed under `no_grad` after it was used, so the gradient no longer fits it.",
            "该叶子张量被使用之后，其元数据在 `no_grad` 下被改变，梯度与它不再相符。",
        ),
        Text("change the shape of a view or a copy instead.", "请改为改变视图或副本的形状。"),
        **facts,
    )


def nothing_to_differentiate(**facts: Any) -> NoGradientError:
    return NoGradientError(
        "(InvalidArgument) The tensor has no gradient history: its stop_gradient is True.",
        Text(
            "nothing on the way to this tensor had `stop_gradient=False`, or it was computed under `no_grad`.",
            "得到该张量的路径上没有任何 `stop_gradient=False` 的张量，或者它是在 `no_grad` 下计算的。",
        ),
        Text(
            "set `x.stop_gradient = False` on the inputs that you want gradients for, before computing with them.",
            "在计算之前，对需要梯度的输入设置 `x.stop_gradient = False`。",
        ),
        **facts,
    )


def unused_input(position: int) -> NoGradientError:
    return NoGradientError(
        f"(InvalidArgument) The {position}-th input does not appear in the backward graph. Please check the input tensor "
        "or set allow_unused=True to get None result.",
        Text(
            "the outputs were not computed from this input's present value.", "输出并不是由该输入当前的值计算得到的。"
        ),
        Text(
            "use the tensor before asking for its gradient, or pass `allow_unused=True` to get None.",
            "先用该张量参与计算再求它的梯度，或传入 `allow_unused=True` 以得到 None。",
        ),
    )


def view_without_history(op: str, **facts: Any) -> WriteConflictError:
    return WriteConflictError(
        f"(PermissionDenied) {op}: a view created under no_grad is being written while gradients are recorded.",
        Text(
            "the view was made under `no_grad`, so it is outside the history, but its base's history would have to change.",
            "该视图是在 `no_grad` 下创建的，不在历史之中，而这次写入却必须改写其基张量的历史。",
        ),
        Text(
            "make the view outside `no_grad`, or write inside `no_grad`.",
            "在 `no_grad` 之外创建视图，或在 `no_grad` 之内写入。",
        ),
        **facts,
    )


# ---- writes that have no well-defined meaning ------------------------------------------------------------------------


def would_grow(op: str, target: Sequence[int], result: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"The shape of broadcast output {list(result)} is different from that of inplace tensor {list(target)} in the "
        "Inplace operation.",
        Text(
            "`{op}` writes into the storage that is there; a result of shape {result} does not fit into {target}.",
            "`{op}` 写入已有的存储；形状为 {result} 的结果放不进 {target}。",
        ).format(op=op, result=list(result), target=list(target)),
        Text(
            "use the ordinary operation, which allocates its result, or make the target larger first.",
            "改用会为结果分配内存的普通操作，或先把目标张量变大。",
        ),
    )


def partial_overlap(op: str, **facts: Any) -> WriteConflictError:
    return WriteConflictError(
        f"(InvalidArgument) {op}: the operand shares some, but not all, of its elements with the tensor that is written.",
        Text(
            "some elements would be read after they were overwritten, so the result would depend on the order of the loop.",
            "某些元素会在被覆盖之后才被读取，结果将取决于循环的先后次序。",
        ),
        Text("clone the operand first: `x.{op}(y.clone())`.", "先复制操作数：`x.{op}(y.clone())`。").format(op=op),
        **facts,
    )


def self_overlap(op: str, **facts: Any) -> WriteConflictError:
    return WriteConflictError(
        f"(InvalidArgument) {op}: more than one element of the written tensor refers to a single memory location.",
        Text(
            "the tensor's strides map several elements to one slot, so one write would overwrite another.",
            "该张量的步幅把多个元素映射到同一个槽位，一次写入会覆盖另一次写入。",
        ),
        Text(
            "clone the tensor first: the copy has a slot for each element.",
            "先 `clone()`：副本中每个元素都有自己的槽位。",
        ),
        **facts,
    )


def _listed(values: Any) -> Any:
    """A sequence as a list; anything else as it is."""
    return list(values) if isinstance(values, Sequence) else values


# ---- shapes, axes, indices --------------------------------------------------------------------------------------------


def cannot_broadcast(op: str, x: Sequence[int], y: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) Broadcast dimension mismatch. Operands could not be broadcast together with the shape of "
        f"X = {list(x)} and the shape of Y = {list(y)}.",
        Text(
            "`{op}` compares shapes from the right; in each place they must be equal, or one of them 1.",
            "`{op}` 从右往左比较形状；每一维必须相等，或其中之一为 1。",
        ).format(op=op),
        Text("reshape one of the operands so that the shapes fit.", "先调整其中一个操作数的形状，使二者匹配。"),
    )


def cannot_multiply(x: Sequence[int], y: Sequence[int]) -> ShapeError:
    left, right = max(len(x) - 1, 0), max(len(y) - 2, 0)
    return ShapeError(
        f"(InvalidArgument) In operator matmul, the [{left}] dimension of Input(X) must be equal to the [{right}] dimension of "
        f"Input(Y). But receiving the shape of X = {list(x)} and the shape of Y = {list(y)}.",
        Text(
            "each row of X is multiplied with a column of Y: their lengths must agree.",
            "X 的每一行与 Y 的每一列相乘，长度必须相等。",
        ),
        Text("transpose or reshape one of them.", "转置或调整其中一个的形状。"),
    )


def cannot_reshape(shape: Sequence[int], wanted: Sequence[int], size: int) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) The 'shape' in ReshapeOp is invalid. The input tensor X'size must be equal to the capacity of "
        f"'shape'. But received X's shape = {list(shape)}, X's size = {size}, 'shape' is {_listed(wanted)}.",
        Text(
            "a reshape keeps every element: the products of the two shapes must agree.",
            "reshape 不增减元素：两个形状的乘积必须相等。",
        ),
        Text(
            "choose sizes whose product is {size}; one of them may be -1.",
            "选择乘积为 {size} 的各维大小；其中一个可以写作 -1。",
        ).format(size=size),
    )


def two_unknown_sizes(wanted: Sequence[int]) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) Only one dimension value of 'shape' in ReshapeOp can be -1. But received shape = {list(wanted)}.",
        Text(
            "only one unknown size can be worked out from the number of elements.",
            "由元素个数只能推出一个未知的维度大小。",
        ),
        Text("write the other sizes as numbers.", "把其余的大小写成具体数字。"),
    )


def bad_axis(axis: int, rank: int) -> AxisError:
    return AxisError(
        f"(InvalidArgument) The axis is expected to be in range of [{-rank}, {rank}), but got {axis}.",
        Text("the tensor has {rank} axes.", "该张量有 {rank} 个轴。").format(rank=rank),
        Text("count axes from 0, or from the end with negative numbers.", "轴从 0 开始计数，也可用负数从末尾计数。"),
    )


def bad_permutation(perm: Sequence[int], rank: int) -> AxisError:
    return AxisError(
        f"(InvalidArgument) The input axis {_listed(perm)} must be a permutation of the {rank} axes. Each element of axis should "
        "be unique.",
        Text("a transpose moves every axis to a place of its own.", "转置把每个轴移到各自的位置。"),
        Text("name each of 0 to {last} once.", "把 0 到 {last} 各写一次。").format(last=max(rank - 1, 0)),
    )


def bad_rank(op: str, rank: int, most: int) -> ShapeError:
    return ShapeError(
        f"Input(input) only support N-D (N<={most}) tensor, but received length of Input(input) is {rank}.",
        Text("`{op}` is the transpose of a matrix.", "`{op}` 是矩阵的转置。").format(op=op),
        Text("use `transpose(perm)` for more axes.", "轴更多时请使用 `transpose(perm)`。"),
    )


def index_out_of_range(index: int, axis: int, size: int) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) The starting index {index} of slice is out of bounds in tensor {axis}-th axis, it should be in the "
        f"range of [{-size}, {size}).",
        Text("axis {axis} has {size} elements.", "第 {axis} 轴有 {size} 个元素。").format(axis=axis, size=size),
        Text("use an index inside that range.", "请使用该范围内的下标。"),
    )


def too_many_indices(given: int, rank: int, excess: Any) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) The starting index {excess} of slice is out of bounds in tensor {rank}-th axis, it should be in the "
        "range of [0, 0).",
        Text("{given} indices were given for {rank} axes.", "给出了 {given} 个下标，而张量只有 {rank} 个轴。").format(
            given=given, rank=rank
        ),
        Text("use at most {rank} indices.", "最多使用 {rank} 个下标。").format(rank=rank),
    )


def bad_index(index: Any) -> IndexKindError:
    return IndexKindError(
        f"(InvalidType) A tensor cannot be indexed with {type(index).__name__}: {index!r}.",
        Text(
            "an index is an integer, a slice, None, `...`, a list of integers, or a tensor of integers or booleans.",
            "下标可以是整数、切片、None、`...`、整数列表，或整数/布尔张量。",
        ),
        Text("convert it first.", "请先转换。"),
    )


# ---- dtypes, operands, devices ----------------------------------------------------------------------------------------


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


def unsupported_dtype(op: str, dtype: str) -> DTypeError:
    return DTypeError(
        f"(InvalidType) {op} is not defined for {dtype}.",
        Text("the operation has no meaning for such elements.", "该操作对这种元素没有意义。"),
        Text("cast first: `x.astype('float32')`.", "先转换：`x.astype('float32')`。"),
    )


def not_a_tensor(op: str, argument: str, position: int, value: Any) -> OperandError:
    shown = repr(value) if isinstance(value, int | float | complex) else "..."
    return OperandError(
        f"(InvalidArgument) {op}(): argument '{argument}' (position {position}) must be Tensor, but got {type(value).__name__}",
        Text(
            "the named functions take tensors only, as in Paddle; the operators (`x + 2`) take numbers too.",
            "与 Paddle 相同，具名函数只接受张量；运算符（`x + 2`）也接受数字。",
        ),
        Text(
            "wrap it: `to_tensor({shown})`, or use `scale`/`scale_` with `scale=` and `bias=` for a number.",
            "用 `to_tensor({shown})` 包装；若是数字，可用 `scale`/`scale_` 的 `scale=` 与 `bias=`。",
        ).format(shown=shown),
    )


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


def not_a_number(value: Any) -> OperandError:
    return OperandError(
        f"(InvalidArgument) a number is needed, but got {type(value).__name__}: {value!r}",
        Text("every element is computed with this one number.", "每个元素都要与这一个数运算。"),
        Text("give a Python number, or a tensor of one element.", "请给出 Python 数字，或只有一个元素的张量。"),
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


def unknown_device(device: Any) -> DeviceError:
    return DeviceError(
        f"The device must be a string which is like 'cpu', 'gpu', 'gpu:x', but got {device!r}.",
        Text("there is no device of that name.", "没有这个名字的设备。"),
        Text("use 'cpu', or 'gpu' with `simulate=True`.", "使用 'cpu'，或使用 'gpu' 并传入 `simulate=True`。"),
    )


def no_gpu(device: str) -> DeviceError:
    return DeviceError(
        f"The device should not be {device!r}, since inplacelab has no GPU to compute on here.",
        Text(
            "this version computes with NumPy on the CPU; it never picks a simulated device silently.",
            "此版本使用 NumPy 在 CPU 上计算；它绝不会悄悄选用模拟设备。",
        ),
        Text(
            "`set_device('gpu', simulate=True)` gives a simulated GPU: NumPy underneath, its own memory account, "
            "labelled as simulated wherever it shows.",
            "`set_device('gpu', simulate=True)` 提供模拟 GPU：底层是 NumPy，有独立的内存账目，并在各处标明“模拟”。",
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


def no_hook(**facts: Any) -> HookError:
    return HookError(
        "Cannot register hook on a tensor that stop gradient.",
        Text("no gradient will ever arrive at it.", "永远不会有梯度到达它。"),
        Text(
            "set `x.stop_gradient = False` before computing with it.", "在用它计算之前设置 `x.stop_gradient = False`。"
        ),
        **facts,
    )


def value_shape(expected: Sequence[int], given: Sequence[int]) -> ConversionError:
    return ConversionError(
        f"Variable Shape not match, Variable need tensor with shape {list(expected)} but load set tensor with shape {list(given)}.",
        Text(
            "`set_value` replaces every element and nothing else.", "`set_value` 替换每一个元素，且不改变其他任何东西。"
        ),
        Text("give a value of the same shape.", "请给出相同形状的值。"),
    )
