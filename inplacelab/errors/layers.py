"""Layers of networks, and the functions that they are made of."""

from __future__ import annotations

from typing import Any

from inplacelab.errors.kinds import (
    ArgumentError,
    ArgumentKindError,
    DTypeError,
    IndexRangeError,
    ShapeError,
    TakenNameError,
    UnsupportedError,
)
from inplacelab.language import Text


def dropout_of_no_number(p: Any) -> ArgumentKindError:
    return ArgumentKindError(
        "p argument should be a number or Variable",
        Text(
            "`p` is the probability of an element to be set to zero, but received {kind}.",
            "`p` 是一个元素被置零的概率，而收到的是 {kind}。",
        ).format(kind=type(p).__name__),
        Text("give a Python number from 0 to 1.", "请给出 0 到 1 之间的 Python 数字。"),
    )


def dropout_of_no_probability(p: float) -> ArgumentError:
    return ArgumentError(
        "p argument should between 0 and 1",
        Text("`p` is a probability, but received {p}.", "`p` 是概率，而收到的是 {p}。").format(p=p),
        Text("give a number from 0 to 1; 0 drops nothing.", "请给出 0 到 1 之间的数；0 表示不丢弃。"),
    )


def dropout_mode(mode: Any, modes: tuple[str, ...]) -> ArgumentError:
    return ArgumentError(
        f"mode argument should be '{modes[1]}' or '{modes[0]}'",
        Text(
            "`mode` says when the numbers are scaled: in training or afterwards. Received {mode!r}.",
            "`mode` 说明何时缩放：训练时还是推理时。收到的是 {mode!r}。",
        ).format(mode=mode),
        Text("use one of the two.", "请使用这两者之一。"),
    )


def dropout_axis(axis: Any) -> ArgumentKindError:
    return ArgumentKindError(
        "datatype of axis argument should be int or list",
        Text(
            "`axis` says along which axes elements are chosen one by one; received {kind}.",
            "`axis` 说明沿哪些轴逐个选取元素；收到的是 {kind}。",
        ).format(kind=type(axis).__name__),
        Text("give an integer, or a list of integers.", "请给出一个整数，或整数列表。"),
    )


def dropout_of_axes_in_place() -> UnsupportedError:
    return UnsupportedError(
        "inplace not supported for dropout_nd yet",
        Text(
            "PaddlePaddle has no in-place form of dropout that chooses along some axes only.",
            "PaddlePaddle 没有只沿部分轴选取的原地 dropout。",
        ),
        Text(
            "leave `axis` out, or multiply in place by a mask of your own: `x.multiply_(mask)`.",
            "去掉 `axis`，或者用自己的掩码做原地乘法：`x.multiply_(mask)`。",
        ),
    )


# ---- parameters -----------------------------------------------------------------------------------------------------------------


def no_parameter_option(option: str) -> UnsupportedError:
    return UnsupportedError(
        f"ParamAttr(): '{option}' is not supported by inplacelab",
        Text(
            "every parameter is updated alike here; an option that is taken and not obeyed would be silently wrong.",
            "这里所有参数的更新方式都相同；接受一个选项却不照做，就是悄悄地出错。",
        ),
        Text(
            "leave it out; the optimizer takes `weight_decay` and `grad_clip` for all.",
            "去掉它；优化器的 `weight_decay` 与 `grad_clip` 对所有参数有效。",
        ),
    )


def no_parameter_attributes(given: Any) -> ArgumentKindError:
    return ArgumentKindError(
        f"{type(given)} cast to ParamAttr",
        Text(
            "what is particular about a parameter is said by a `ParamAttr`, its name, or an initializer.",
            "参数的特别之处由 `ParamAttr`、名称或初始化器说明。",
        ),
        Text(
            "write `weight_attr=paddle.nn.initializer.Constant(1.0)`, say, or `False` for no bias.",
            "例如写 `weight_attr=paddle.nn.initializer.Constant(1.0)`；不要偏置则写 `False`。",
        ),
    )


def no_gain(nonlinearity: Any, known: tuple[str, ...]) -> ArgumentError:
    return ArgumentError(
        f"Unsupported nonlinearity {nonlinearity}",
        Text("how much this function takes away is not known.", "不知道该函数会减小多少。"),
        Text("one of: {known}.", "可选：{known}。").format(known=", ".join(known)),
    )


def no_buffer(given: Any) -> ArgumentKindError:
    return ArgumentKindError(
        f"The registered buffer should be a Paddle.Tensor, but received {type(given).__name__}.",
        Text(
            "a buffer is a tensor that belongs to the layer and is not trained.",
            "缓冲区是属于该层、但不参与训练的张量。",
        ),
        Text("make one first: `paddle.to_tensor(...)`.", "先创建张量：`paddle.to_tensor(...)`。"),
    )


def name_is_taken(name: str) -> TakenNameError:
    return TakenNameError(
        f"attribute '{name}' already exists.",
        Text("the layer has something else under this name.", "该层在这个名称下已有别的内容。"),
        Text("choose another name, or delete that first.", "换一个名称，或先删除原有的。"),
    )


def name_for_no_attribute(name: str) -> TakenNameError:
    return TakenNameError(
        f"The name of buffer can not {'contain `.`' if name else 'be empty'}.",
        Text(
            "a buffer is reached as an attribute, and a dot leads into a layer inside.",
            "缓冲区以属性的形式访问，而点号表示进入内部的层。",
        ),
        Text("choose a name without dots, such as 'mean'.", "请选用不含点号的名字，例如 'mean'。"),
    )


def state_of_other_shape(name: str, wanted: Any, given: Any) -> ShapeError:
    return ShapeError(
        f"{name} receives a shape {list(given)}, but the expected shape is {list(wanted)}.",
        Text(
            "the values would not fit. Nothing was loaded, so that no half of a state is left.",
            "值放不进去。为避免只加载一半，未加载任何内容。",
        ),
        Text("give the state of a layer with the same sizes.", "请给出尺寸相同的层的状态。"),
    )


# ---- losses and norms -------------------------------------------------------------------------------------------------------------


def bad_reduction(op: str, reduction: Any) -> ArgumentError:
    return ArgumentError(
        f"The value of 'reduction' in {op} should be 'sum', 'mean' or 'none', but received {reduction}, which is not allowed.",
        Text(
            "the losses of all elements are averaged, added, or left as they are.",
            "各元素的损失要么取平均，要么相加，要么保持原样。",
        ),
        Text("use one of the three words.", "请使用这三个词之一。"),
    )


def labels_do_not_fit(classes: int, labels: int) -> ShapeError:
    return ShapeError(
        "Expected input_dims - 1 = label_dims or input_dims == label_dims"
        f"             (got input_dims{classes}, label_dims{labels})",
        Text("each row of scores has one label.", "每一行分数对应一个标签。"),
        Text("give scores of shape [N, C] and labels of shape [N].", "请给出形状为 [N, C] 的分数与形状为 [N] 的标签。"),
    )


def labels_are_no_integers(dtype: str) -> DTypeError:
    return DTypeError(
        f"(InvalidType) cross_entropy(): 'label' must be of integers, but got {dtype}",
        Text("a label is the number of a class.", "标签是类别的编号。"),
        Text(
            "cast it to int64, or say `soft_label=True` if it holds probabilities.",
            "转换为 int64；若它存的是概率，请写 `soft_label=True`。",
        ),
    )


def label_below_zero(label: int) -> IndexRangeError:
    return IndexRangeError(
        f"(OutOfRange) label value should >= 0 when label value({label}) not equal to ignore_index",
        Text("a label is the number of a class, and they count from 0.", "标签是类别的编号，从 0 数起。"),
        Text(
            "correct the label, or say `ignore_index={label}` if such examples shall not count.",
            "改正该标签；若这样的样本不应计入，请写 `ignore_index={label}`。",
        ).format(label=label),
    )


def slopes_for_no_channels(slopes: int, shape: Any) -> ShapeError:
    return ShapeError(
        f"(InvalidArgument) prelu(): weight has {slopes} elements, but x is of shape {list(shape)}.",
        Text("there is one slope for all, or one for each channel.", "斜率或者共用一个，或者每个通道一个。"),
        Text(
            "give a weight of one element, or of as many as there are channels.", "权重的元素个数应为 1 或等于通道数。"
        ),
    )


def shape_is_not_normalized(wanted: Any, given: Any) -> ShapeError:
    rest = ", ".join(str(n) for n in wanted)
    return ShapeError(
        f"Given normalized_shape is {list(wanted)}, expected input with shape [*, {rest}], but got input shape {list(given)}",
        Text("the last axes of the input are normalised together.", "输入的最后几个轴一起归一化。"),
        Text("give the sizes of the last axes.", "请给出最后几个轴的大小。"),
    )


def not_iterable_layers(given: Any) -> ArgumentKindError:
    return ArgumentKindError(
        f"a layer was expected, but got {type(given).__name__}",
        Text("containers hold layers, whose parameters they find.", "容器中存放层，并从中找到参数。"),
        Text("give objects of `nn.Layer`.", "请给出 `nn.Layer` 的对象。"),
    )


_PARTS = {
    "parameter": ("Parameter", Text("a parameter", "参数")),
    "sublayer": ("Layer", Text("a layer", "层")),
    "buffers": ("core.DenseTensor", Text("a buffer", "缓冲区")),
}


def layer_not_begun() -> ArgumentError:
    return ArgumentError(
        "super().__init__() should be called first",
        Text(
            "a layer keeps account of its parameters, layers and buffers, and this account is not there yet.",
            "层会登记自己的参数、子层与缓冲区，而此时登记簿尚未建立。",
        ),
        Text(
            "call `super().__init__()` in the first line of `__init__`.",
            "在 `__init__` 的第一行调用 `super().__init__()`。",
        ),
    )


def other_kind_of_part(part: str, name: str, given: Any) -> ArgumentKindError:
    """The refusal to put something else under the name of a parameter, layer or buffer."""
    kind, what = _PARTS[part]
    return ArgumentKindError(
        f"assignment to {part} '{name}' should be of type {kind} or None, but got '{type(given).__name__}'",
        Text(
            "`{name}` is {what} of this layer. Another object under its name would no longer be found by `parameters()` or "
            "`state_dict()`, and not be trained.",
            "`{name}` 是该层的{what}。若换成另一种对象，`parameters()` 与 `state_dict()` 就再也找不到它，它也不会被训练。",
        ).format(name=name, what=what),
        _A_LAYER if part == "sublayer" else _WRITTEN_IN_PLACE.format(name=name),
    )


_A_LAYER = Text("give a layer, or None.", "请给出一个层，或 None。")
_WRITTEN_IN_PLACE = Text(
    "write new values into it in place: `layer.{name}.set_value(values)`; or, as one step of training, "
    "`layer.{name}.subtract_(lr * gradient)` within `paddle.no_grad()`. (`layer.{name} -= ...` makes another tensor.)",
    "请原地写入新的值：`layer.{name}.set_value(values)`；若是一步训练，则在 `paddle.no_grad()` 之内写 "
    "`layer.{name}.subtract_(lr * gradient)`。（`layer.{name} -= ...` 会产生另一个张量。）",
)
