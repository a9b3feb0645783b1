"""Refusals of the graph: nothing to differentiate, freed, or ambiguous."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplacelab.errors.kinds import (
    AmbiguousViewError,
    FreedGraphError,
    NoGradientError,
    ShapeError,
    StaticGraphError,
    WriteConflictError,
)
from inplacelab.language import Text


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
            "set `x.stop_gradient = False` on the inputs that you want gradients for, before computing with them. (Was a weight "
            "trained by `w -= ...` under `no_grad`? That binds `w` to another tensor, without history: write "
            "`w.subtract_(...)`.)",
            "在计算之前，对需要梯度的输入设置 `x.stop_gradient = False`。（若在 `no_grad` 下用 `w -= ...` 更新过权重：它使 `w` "
            "指向另一个没有历史的张量，请改写为 `w.subtract_(...)`。）",
        ),
        **facts,
    )


def window_without_history(**facts: Any) -> NoGradientError:
    return NoGradientError(
        "(InvalidArgument) as_strided shows slots of which the tensor's history knows nothing.",
        Text(
            "the window leaves what the tensor shows, or the tensor shows a slot twice; and it is not (or no longer) a view in "
            "the history of one that shows the whole storage. So nobody could say where the gradient belongs.",
            "窗口超出了该张量所显示的范围，或者该张量把同一个槽位显示了两次；而它又不是（或不再是）显示整个存储的那个张量在历史中的视图，"
            "因此无从得知梯度应归于何处。",
        ),
        Text(
            "make the window on the tensor that has the whole storage, or use `detach()` to say that it is a constant.",
            "请在拥有整个存储的张量上建立窗口；若要把它当作常量，请使用 `detach()`。",
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


_MADE_OUTSIDE = Text(
    "make the view outside `no_grad` to have gradients go through it, or use `detach()` to say that it is a constant.",
    "若希望梯度穿过它，请在 `no_grad` 之外创建视图；若要把它当作常量，请使用 `detach()`。",
)
_NO_OTHER_DTYPE = Text(
    "make the view without a change of dtype to have gradients go through it, or use `detach()` to say that it is a constant.",
    "若希望梯度穿过它，创建视图时不要改变数据类型；若要把它当作常量，请使用 `detach()`。",
)


def ambiguous_view(*, bits: bool = False, **facts: Any) -> AmbiguousViewError:
    way, fix = "under no_grad", _MADE_OUTSIDE
    if bits:
        way, fix = "through another dtype", _NO_OTHER_DTYPE
    return AmbiguousViewError(
        f"(PermissionDenied) A view created {way} is used after its storage was written.",
        Text(
            "the view was made as a constant, but what it shows now may depend on tensors that need a gradient: to treat it "
            "as a constant could be silently wrong.",
            "该视图是作为常量创建的，但它现在显示的值可能依赖于需要梯度的张量；继续把它当作常量，可能悄悄得出错误的梯度。",
        ),
        fix,
        **facts,
    )


def no_static_graphs() -> StaticGraphError:
    return StaticGraphError(
        "enable_static(): there are no static graphs here.",
        Text("every operation runs at once, so that it can be watched.", "每个操作都立即执行，以便逐步观察。"),
        Text(
            "leave the call out: the program then runs with dynamic graphs.", "去掉这一调用：程序将以动态图方式运行。"
        ),
    )
