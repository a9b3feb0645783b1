"""Says by numbers which gradients are wrong, and which operation is to blame.

wrong from here on: `masked_fill_` gives an operand the gradient 0; right is 12 (float32)
computed here: the gradient of `a` is [0, 0]; right is [36, 0]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inplacelab.language import Text
from inplacelab.recording.code_of_steps import plainly
from inplacelab.recording.facts import BlamedFacts, FailureFacts, GradientFacts

MOST = 3
"""The numbers of so many gradients are said."""
LONGEST = 40
"""The code of an operation is shown if it has no more characters."""

WRITTEN = Text("writes in place, on the way there", "原地写入，位于通向这些梯度的路径上")
_BLAMED = Text("wrong from here on: `{0}` gives {1}{2}", "从这里起出错：`{0}` 给{1}{2}")
_NUMBERS = Text(" the gradient {0}; right is {1} ({2})", "的梯度是 {0}，正确的是 {1}（{2}）")
_NUMBERS_AT = Text(
    " a gradient of which {3} elements are wrong: {4} is {0}; right is {1} ({2})",
    "的梯度有 {3} 个元素错误：{4} 是 {0}，正确的是 {1}（{2}）",
)
_NOTHING_GIVEN = Text(" no gradient; right is {1} ({2})", "的梯度没有算出，正确的是 {1}（{2}）")
_NOTHING_GIVEN_AT = Text(
    " no gradient, of which {3} elements should not be 0: {4} should be {1} ({2})",
    "的梯度没有算出，其中应有 {3} 个元素不为 0：{4} 应为 {1}（{2}）",
)
_NOT_CALLED = Text("`{0}.backward` should have run here, and did not", "这里本应运行 `{0}.backward`，却没有运行")
NEW_RESULT = Text(
    "let `forward` return a new tensor, such as `x.clone()`, and not its argument",
    "让 `forward` 返回新的张量（例如 `x.clone()`），不要直接返回它的参数",
)
_WRITE = Text("write `x = {0}`", "写成 `x = {0}`")
_ASSIGN = Text(
    "use only integers and slices as indices (`x[:, 0:1]`, not `x[:, [0]]`), or write `x = {0}` with a mask of the shape of `x`",
    "下标只用整数和切片（写 `x[:, 0:1]`，不写 `x[:, [0]]`），或写成 `x = {0}`，其中掩码的形状与 `x` 相同",
)
_VALUE = Text("the assigned value", "所赋的值")
_OPERAND = Text("an operand", "一个操作数")

_LEAF = Text("the gradient of {0} is {1}; right is {2}", "{0} 的梯度是 {1}，正确的是 {2}")
_LEAF_AT = Text(
    "{4} elements of the gradient of {0} are wrong: {3} is {1}; right is {2}",
    "{0} 的梯度有 {4} 个元素错误：{3} 是 {1}，正确的是 {2}",
)
_NONE_AT = Text(
    "the gradient of {0} is None; {4} of its elements should not be 0: {3} should be {2}",
    "{0} 的梯度是 None，其中应有 {4} 个元素不为 0：{3} 应为 {2}",
)
_ALONE = Text(
    "the gradient of {0} is {1}, without the part that `{5}.backward` computes",
    "{0} 的梯度是 {1}，缺少应由 `{5}.backward` 计算的部分",
)
_TENSOR = Text("a tensor without a name", "一个没有名字的张量")
_MORE = Text("; {0} more are wrong", "；另有 {0} 个梯度也是错的")
_SEPARATOR = Text("; ", "；")

_REFERENCE = Text(
    "The right values are those of inplacelab's engine, which has run the same operations.",
    "正确值来自 inplacelab 的引擎，它运行了同样的操作。",
)
_CONFIRMED = Text("Finite differences of the loss agree with it: {0}.", "损失的有限差分与之一致：{0}。")
_SLOPE = Text("{0} for {1}", "{1}为 {0}")
_HISTORY = Text(
    "The gradient of each operation alone is right, so the framework has recorded another history than that of the operations that ran.",
    "每个操作单独的梯度都是对的，所以出错的是框架记录的历史，它与实际运行的操作不符。",
)
_INSTEAD = Text("To fix it: {0}.", "改法：{0}。")
_OTHERWISE = Text("To fix it: compute this part with other operations.", "改法：请改用其他操作计算这一部分。")
_OUT_OF_PLACE = Text(
    "To fix it: write out of place, or compute this part with other operations.",
    "改法：改用非原地操作，或改用其他操作计算这一部分。",
)


def says_blamed(blamed: BlamedFacts) -> Text:
    """Says which wrong gradient an operation gives an operand."""
    given = blamed.operand
    if not given.expected:
        return _NOT_CALLED.format(blamed.op)
    if given.tensor:
        operand = Text(f"`{given.tensor}`", f" `{given.tensor}` ")
    else:
        operand = _VALUE if blamed.op == "setitem" else _OPERAND
    patterns = (_NUMBERS, _NUMBERS_AT) if given.found else (_NOTHING_GIVEN, _NOTHING_GIVEN_AT)
    numbers = patterns[given.element is not None].format(
        given.found, given.expected, given.dtype, given.differing, _element(given)
    )
    return _BLAMED.format(_code_of(blamed), operand, numbers)


def _code_of(blamed: BlamedFacts) -> str:
    """Returns how the operation is written: its name, or the assignment to an index without its value."""
    target, assigned, _ = blamed.sites[0].expression.partition(" = ") if blamed.sites else ("", "", "")
    return f"{target} = ..." if blamed.op == "setitem" and assigned and len(target) < LONGEST else plainly(blamed.op)


def written_as(op: str, forms: Sequence[str]) -> Text:
    """Returns how an operation can be written so that its gradient is right; nothing if that is not known.

    Args:
        op: the operation.
        forms: the ways to write it, the best one first. Of an assignment, only the last one can replace any index.
    """
    if not forms:
        return Text("", "")
    return _ASSIGN.format(forms[-1]) if op == "setitem" else _WRITE.format(forms[0])


def says_wrong(gradients: tuple[GradientFacts, ...], missing: str = "") -> Text:
    """Says what gradients are, and what is right; or that the part of a function that was not called is missing."""
    some = [_says_leaf(each, missing) for each in gradients[:MOST]]
    said = some[0]
    for each in some[1:]:
        said += _SEPARATOR + each
    return said + _MORE.format(len(gradients) - MOST) if len(gradients) > MOST else said


def _says_leaf(each: GradientFacts, missing: str) -> Text:
    named = f"`{each.tensor}`" if each.tensor else _TENSOR
    pattern = _ALONE if not each.expected else _LEAF
    if each.expected and each.element is not None:
        pattern = _LEAF_AT if each.found else _NONE_AT
    return pattern.format(named, each.found or "None", each.expected, _element(each), each.differing, missing)


def _element(each: GradientFacts) -> str:
    return f"[{', '.join(map(str, each.element or ()))}]"


def reasons_of(facts: FailureFacts) -> Iterator[Text]:
    """Yields why these gradients are called wrong."""
    if not facts.gradients:
        return
    if facts.kind == "wrong" and facts.blamed is None:
        yield _HISTORY
    confirmed = [each for each in facts.gradients if each.slope]
    if any(each.expected for each in facts.gradients):
        yield _REFERENCE
    for each in confirmed[:1]:
        place = f"`{each.tensor}.grad`" if each.sloped is None else f"`{each.tensor}.grad{list(each.sloped)}`"
        yield _CONFIRMED.format(_SLOPE.format(each.slope, Text(place, f"{place} ")))


def advice_on(facts: FailureFacts) -> Text:
    """Returns what may be done about an operation whose gradient is wrong, or about a history that is."""
    if facts.blamed is None:
        return _OUT_OF_PLACE if facts.written else _OTHERWISE
    return _INSTEAD.format(facts.blamed.instead) if facts.blamed.instead.en else _OTHERWISE
