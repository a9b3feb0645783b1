"""Refusals of layers: what cannot be put into one, under which name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import LayerKindError, LayerNameError, LayerStateError
from inplacelab.language import Text

_PARTS = {
    "parameter": ("Parameter", Text("a parameter", "参数")),
    "sublayer": ("Layer", Text("a layer", "层")),
    "buffers": ("core.DenseTensor", Text("a buffer", "缓冲区")),
}


def layer_not_begun() -> LayerStateError:
    return LayerStateError(
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


def other_kind_of_part(part: str, name: str, given: Any) -> LayerKindError:
    kind, what = _PARTS[part]
    return LayerKindError(
        f"assignment to {part} '{name}' should be of type {kind} or None, but got '{type(given).__name__}'",
        Text(
            "`{name}` is {what} of this layer. Another object under its name would no longer be found by `parameters()` or "
            "`state_dict()`, and not be trained.",
            "`{name}` 是该层的{what}。若换成另一种对象，`parameters()` 与 `state_dict()` 就再也找不到它，它也不会被训练。",
        ).format(name=name, what=what),
        Text(
            "write new values into it in place: `layer.{name}.set_value(values)`; or, as one step of training, "
            "`layer.{name}.subtract_(lr * gradient)` within `paddle.no_grad()`. (`layer.{name} -= ...` makes another tensor.)",
            "请原地写入新的值：`layer.{name}.set_value(values)`；若是一步训练，则在 `paddle.no_grad()` 之内写 "
            "`layer.{name}.subtract_(lr * gradient)`。（`layer.{name} -= ...` 会产生另一个张量。）",
        ).format(name=name)
        if part != "sublayer"
        else Text("give a layer, or None.", "请给出一个层，或 None。"),
    )


def bad_part(part: str, needed: str, given: Any) -> LayerKindError:
    return LayerKindError(
        f"The {part} should be a {needed}, but received {type(given).__name__}.",
        Text("a layer could not keep account of it.", "层无法登记它。"),
        Text("give a {needed}, or None.", "请给出 {needed}，或 None。").format(needed=needed),
    )


def bad_part_name(part: str, name: str) -> LayerNameError:
    problem = "can not be empty" if not name else "can not contain `.`"
    return LayerNameError(
        f"The name of {part} {problem}.",
        Text(
            "the part is reached as an attribute, and a dot leads into a layer inside.",
            "各部分以属性的形式访问，而点号表示进入内部的层。",
        ),
        Text("choose a name without dots, such as 'mean'.", "请选用不含点号的名字，例如 'mean'。"),
    )


def name_taken(name: str) -> LayerNameError:
    return LayerNameError(
        f"attribute '{name}' already exists.",
        Text("the layer uses this name for something else.", "该层已将此名字用于别的东西。"),
        Text("choose another name.", "请换一个名字。"),
    )


def unknown_attribute_of_parameter(argument: str, given: Any) -> LayerKindError:
    return LayerKindError(
        f"`{argument}` should be None or bool, but received {type(given).__name__}.",
        Text(
            "there are no `ParamAttr` here; to ignore it would be to train with other numbers than those asked for.",
            "这里没有 `ParamAttr`；若忽略它，训练所用的数值就不是所要求的。",
        ),
        Text(
            "leave it out, and write the values that you want: `layer.weight.set_value(values)`.",
            "去掉该参数，再写入所需的值：`layer.weight.set_value(values)`。",
        ),
    )


def skipped_in_loading(key: str) -> Text:
    """A warning: the state has nothing for this parameter or buffer."""
    return Text(
        f"Skip loading for {key}. {key} is not found in the provided dict.",
        f"Skip loading for {key}：给出的字典中没有 {key}，它保持原值。",
    )


def other_shape_in_loading(key: str, found: Sequence[int], expected: Sequence[int]) -> Text:
    """A warning: what the state has for this parameter or buffer is of another shape."""
    return Text(
        f"Skip loading for {key}. {key} receives a shape {list(found)}, but the expected shape is {list(expected)}.",
        f"Skip loading for {key}：给出的形状是 {list(found)}，应为 {list(expected)}，它保持原值。",
    )
