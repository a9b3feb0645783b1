"""Says why an operation was refused at once: which tensor, made where, through which view, and what the rule is good for."""

from __future__ import annotations

import re

from inplacelab.language import Text
from inplacelab.recording.facts import Missing, RefusalFacts, RefusalRule

_THE_TENSOR = Text("the tensor", "这个张量")
_WRITTEN = Text("The write to {0} was refused: {1}", "对 {0} 的写入被拒绝：{1}")
_USED = Text("{0} cannot be used here: {1}", "这里不能使用 {0}：{1}")
_NONE = Text("`{0}.grad` is None: {1}", "`{0}.grad` 是 None：{1}")

_IS: dict[RefusalRule, Text] = {
    "leaf": Text("{0} is a leaf that requires a gradient", "{0} 是需要梯度的叶子张量"),
    "view": Text("{0} is a view of {1}, a leaf that requires a gradient", "{0} 是 {1} 的视图，而 {1} 是需要梯度的叶子张量"),
    "several": Text("{0} is one of several views that {2} returned", "{0} 是 {2} 返回的多个视图之一"),
    "no_grad": Text("{0} is a view{3} that was made without history", "{0} 是{3}不带历史建立的视图"),
    "inference": Text("{0} was made under `inference_mode`", "{0} 是在 `inference_mode` 下建立的"),
    "saved": Text(
        "{0} was made under `inference_mode`, and backward would need its value",
        "{0} 是在 `inference_mode` 下建立的，而反向传播需要它的值",
    ),
    "gradient": Text(
        "in Paddle, a gradient is a leaf that requires a gradient, too", "在 Paddle 中，梯度本身也是需要梯度的叶子张量"
    ),
}  # fmt: skip
_MISSING: dict[Missing, Text] = {
    "": Text("it has no gradient yet", "它还没有梯度"),
    "rebound": Text(
        "{0} is no longer the leaf, but the new tensor to which the name was bound",
        "{0} 已经不是原来的叶子张量，这个名字绑定到了一个新张量",
    ),
    "computed": Text("{0} was computed, and only leaves keep their gradients", "{0} 是计算出来的，只有叶子张量会保留梯度"),
    "stops": Text("{0} does not require a gradient", "{0} 不需要梯度"),
    "unreached": Text(
        "no backward pass has reached {0} since it was made, or since its gradient was cleared",
        "自建立或清除梯度以来，没有反向传播到达 {0}",
    ),
}  # fmt: skip
_WHOLE = Text("{0} (`{1}`)", "{0}（`{1}`）")
_OF = Text(" of {0}", " {0} 的")

_LEAF_REASON = Text(
    "Recorded, this write would turn {0} into the result of an operation. The gradient would then go to the old value, which no name refers to, "
    "and an optimizer would update a value that is not the parameter.",
    "如果记录这次写入，{0} 就会变成某个运算的结果：梯度会传给已没有名字的旧值，而优化器更新的也不再是参数。",
)
_REASONS: dict[RefusalRule, Text] = {
    "leaf": _LEAF_REASON,
    "view": _LEAF_REASON,
    "several": Text(
        "One grad node has made all these views together, so the history of one of them cannot be replaced by that of a write.",
        "这些视图由同一个梯度节点一起建立，因此不能只把其中一个的历史换成写入后的历史。",
    ),
    "no_grad": Text(
        "The view has no history, but the write would be recorded. So it is not clear whether the write is meant to have a gradient.",
        "视图没有历史，而这次写入会被记录，因此无法判断这次写入是否应当有梯度。",
    ),
    "inference": Text(
        "An inference tensor has no version counter, so backward could not notice the write.",
        "推理张量没有版本计数器，反向传播无法发现这次写入。",
    ),
    "saved": Text(
        "An inference tensor has no version counter, so backward could not notice if it were overwritten meanwhile.",
        "推理张量没有版本计数器，如果它在此期间被覆盖，反向传播无法发现。",
    ),
    "gradient": Text(
        "Paddle gives gradients `stop_gradient=False`, so a write to one would be recorded like one to a parameter.",
        "Paddle 给梯度设置 `stop_gradient=False`，因此对梯度的写入也会像对参数的写入那样被记录。",
    ),
}  # fmt: skip
_REBOUND = Text(
    "The old leaf still has its gradient, but the name `{0}` no longer refers to it.",
    "原来的叶子张量仍有梯度，但名字 `{0}` 已经不再指向它。",
)
_AUGMENTED = Text(
    "In Paddle, `{1}` is not in place: it makes a new tensor, and under `no_grad` one that requires no gradient. ",
    "在 Paddle 中，`{1}` 不是原地操作：它产生一个新张量，在 `no_grad` 下这个张量不需要梯度。",
)
_IN_PLACE = re.compile(r"[^=!<>]*[-+*/]=")
_ADVICE: dict[RefusalRule, Text] = {
    "leaf": Text(
        "To fix it: for an update or a first value, write under `no_grad`; to compute with changed values, make a new tensor.",
        "改法：更新或初始化参数时，在 `no_grad` 下写入；若要用改变后的值继续计算，则建立新张量。",
    ),
    "several": Text("To fix it: compute a new tensor instead of writing to the view.", "改法：计算出一个新张量，不要写入这个视图。"),
    "no_grad": Text(
        "To fix it: make the view and write to it both under `no_grad`, or both outside.",
        "改法：让建立视图和写入都在 `no_grad` 下进行，或者都不在 `no_grad` 下进行。",
    ),
    "inference": Text(
        "To fix it: use `no_grad` instead of `inference_mode`, or go on with a `clone()`.",
        "改法：用 `no_grad` 代替 `inference_mode`，或改用 `clone()` 得到的副本。",
    ),
    "gradient": Text("To fix it: write to the gradient under `no_grad`.", "改法：在 `no_grad` 下写入梯度。"),
}  # fmt: skip
_ALIKE: dict[RefusalRule, RefusalRule] = {"view": "leaf", "saved": "inference"}
_MISSING_ADVICE: dict[Missing, Text] = {
    "rebound": Text(
        "To fix it: update the leaf in place under `no_grad`, so that the name keeps referring to it.",
        "改法：在 `no_grad` 下原地更新叶子张量，使名字一直指向它。",
    ),
    "computed": Text("To fix it: have the tensor keep its gradient before the backward pass.", "改法：在反向传播之前让这个张量保留梯度。"),
    "unreached": Text("To fix it: leave out tensors whose gradient is None.", "改法：跳过梯度为 None 的张量。"),
}  # fmt: skip

MADE: dict[RefusalRule, Text] = {
    "leaf": Text("the leaf {0} is made here", "在此建立叶子张量 {0}"),
    "view": Text("{0} is made here, a view of {1}", "在此建立 {0}，即 {1} 的视图"),
    "several": Text("{0} is made here, with the other views", "在此建立 {0} 和其他视图"),
    "no_grad": Text("the view {0} is made here, without history", "在此建立视图 {0}，不带历史"),
    "inference": Text("{0} is made here, under `inference_mode`", "在此建立 {0}，处于 `inference_mode` 之下"),
    "gradient": Text("{0} is made here", "在此建立 {0}"),
    "no_gradient": Text("{0} is bound to a new tensor here", "在此把 {0} 绑定到新张量"),
}
"""What was done where the tensor was made."""
_COMPUTED_HERE = Text("{0} is computed here", "在此计算出 {0}")
REFUSED = Text("refused", "被拒绝")
_GRADIENT_USED = Text("the gradient is used here", "在此使用梯度")


def headline_of(refusal: RefusalFacts) -> Text:
    """Returns what was refused, as a sentence without its stop."""
    if refusal.rule == "no_gradient":
        return _NONE.format(refusal.name, _MISSING[refusal.missing].format(_named(refusal)))
    named = _named(refusal)
    of = _OF.format(_base(refusal)) if refusal.base else Text("", "")
    op = f"`{refusal.op}`" if refusal.op else Text("an operation", "一个运算")
    it = _bare(refusal)
    says = _IS[refusal.rule].format(it, _base(refusal), op, of)
    return (_USED if refusal.rule == "saved" else _WRITTEN).format(named, says)


def reason_of(refusal: RefusalFacts) -> Text | None:
    """Returns why the framework has this rule, as a sentence; None if the headline says all."""
    if refusal.rule == "no_gradient":
        if refusal.missing != "rebound":
            return None
        written = refusal.made[0].expression if refusal.made else ""
        augmented = _AUGMENTED.format("", written) if _IN_PLACE.match(written) else Text("", "")
        return augmented + _REBOUND.format(refusal.name)
    return _REASONS[refusal.rule].format(_base(refusal) if refusal.rule == "view" else _bare(refusal))


def advice_of(refusal: RefusalFacts) -> Text | None:
    """Returns what may be done, in general."""
    if refusal.rule == "no_gradient":
        return _MISSING_ADVICE.get(refusal.missing)
    return _ADVICE[_ALIKE.get(refusal.rule, refusal.rule)]


def says_made(refusal: RefusalFacts) -> Text:
    """Returns what was done where the tensor was made, or its name bound."""
    if refusal.missing == "computed":
        return _COMPUTED_HERE.format(_bare(refusal))
    return MADE[_ALIKE.get(refusal.rule, refusal.rule) if refusal.rule != "view" else "view"].format(
        _bare(refusal), _base(refusal)
    )


def says_origin(refusal: RefusalFacts) -> Text:
    """Returns what was done where the leaf was made of which the tensor is a view."""
    return MADE["leaf"].format(_base(refusal))


def says_refused(refusal: RefusalFacts) -> Text:
    """Returns what happened in the line that was refused."""
    return _GRADIENT_USED if refusal.rule == "no_gradient" else REFUSED


def _bare(refusal: RefusalFacts) -> Text | str:
    return f"`{refusal.name}`" if refusal.name else _THE_TENSOR


def _named(refusal: RefusalFacts) -> Text | str:
    name = _bare(refusal)
    return _WHOLE.format(name, refusal.whole) if refusal.whole and not refusal.base and refusal.rule != "view" else name


def _base(refusal: RefusalFacts) -> Text | str:
    if not refusal.base:
        return f"`{refusal.whole}`" if refusal.whole else Text("a leaf", "叶子张量")
    name = f"`{refusal.base}`"
    return _WHOLE.format(name, refusal.whole) if refusal.whole else name
