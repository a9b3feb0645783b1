"""Puts together what the comparison with this package's engine has shown (`recorders/judging`) and which writes backward did not know of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from inplacelab.language import Text, enumerated
from inplacelab.place import Place
from inplacelab.recorders.judging.judgment import Difference, Gap, Judgment
from inplacelab.recorders.trial_data import Slope, is_slope
from inplacelab.recording.facts import BlamedFacts, FailureFacts, GradientFacts, KeptFacts, OverwriteFacts, Sites, Step
from inplacelab.recording.fixes.recorded import stands_alone
from inplacelab.recording.places import names_at
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.gradients import NEW_RESULT, written_as
from inplacelab.recording.trace import site_of
from inplacelab.recording.unnoticed_writes import unnoticed_failures
from inplacelab.supported import framework_of, loaded

WHOLE = 6
"""A gradient with no more elements is shown whole."""
ROUNDING = 1e-5
"""How far elements may be apart that count as equal, as a part of the largest one."""
MOST = 3
"""So many reasons for which gradients were not compared are said."""


def wrong_gradients(recording: Recording, judgment: Judgment | None) -> list[FailureFacts]:
    """Returns what is known of gradients that are wrong without an error: each of them once, with its numbers if it was compared.

    Args:
        recording: the recording.
        judgment: what the comparison has shown; None if there was none.
    """
    silent = list(dict.fromkeys(unnoticed_failures(recording)))  # each time round a loop they may be the same
    if judgment is None:
        return silent
    caused = [each for each in judgment.differences if each.cause is not None]
    others = [each for each in judgment.differences if each.cause is None]
    found = list(_with_causes(recording, caused))
    # After its end, or past a gap, the same leaf may get a wrong gradient in the same line.
    equal = set() if judgment.ended else judgment.equal
    sure = [(names, place) for names, place in equal if names not in judgment.left_out]
    for facts in silent:
        mine = [each for each in others if _began(recording, each.place, facts) and _is_named(each.names, facts.wrong)]
        right = [names for names, place in sure if _began(recording, place, facts)]
        right += [each.names for each in caused if _began(recording, each.place, facts)]
        unsettled = [
            name for name in facts.wrong
            if _has(mine, name) or not any(_is_named(names, (name,)) for names in right)
        ]  # fmt: skip
        if unsettled or (mine and not facts.wrong):
            gradients = tuple(_gradient(each.names, each.place, each.found, each.expected) for each in mine)
            found.append(replace(facts, wrong=tuple(unsettled), gradients=gradients))
            others = [each for each in others if each not in mine]
    return [*dict.fromkeys([*found, *_without_causes(recording, others)])]


_NOT_COMPARED = Text("Not compared with inplacelab's engine: {0}.", "没有与 inplacelab 的引擎比较的梯度：{0}。")
_BECAUSE = Text("the gradient of {0} ({1})", "{0}（{1}）")
_OTHER_REASONS = Text("and {0} more", "以及另外 {0} 个")
_HOOK = Text("a hook may change it", "钩子可能会修改它")
_GAP = Text("the engine does not compute `{0}` here", "引擎不计算这里的 `{0}`")
_GAP_IN = Text("the engine does not compute `{0}` in line {1}", "引擎不计算第 {1} 行的 `{0}`")
_UNKNOWN = Text("it is not known how it was computed", "不知道它是怎样算出的")
_NO_NAME = Text("a tensor without a name", "没有名字的张量")
_SKIPPED = Text(
    "Backward passes that were not compared, since it is not known how their losses were computed: {0}.",
    "没有比较的反向传播（不知道其损失是怎样算出的）：{0} 次。",
)
_ENDED = Text(
    "{0}, because the program computes too much.",
    "程序的计算量太大，{0}。",
)
_FAILED = Text(
    "{0}, because of an error inside inplacelab: {1}.",
    "inplacelab 内部出错（{1}），{0}。",
)
_COMPARED = (
    Text("No backward pass was compared", "没有比较任何一次反向传播的梯度"),
    Text("Only the first backward pass was compared", "只比较了第一次反向传播的梯度"),
    Text("Only the first {0} backward passes were compared", "只比较了前 {0} 次反向传播的梯度"),
)


def not_compared(judgment: Judgment | None) -> list[Text]:
    """Returns which gradients were not compared, and why, as sentences."""
    if judgment is None:
        return []
    ended = why_ended(judgment)
    said = [] if ended is None else [ended]
    said += [_SKIPPED.format(judgment.skipped)] if judgment.skipped else []
    reasons: dict[Text, list[str]] = {}
    for names, gap in judgment.left_out.items():
        reasons.setdefault(why_left_out(gap), []).append(names[0] if names else "")
    if reasons:
        items = [_BECAUSE.format(_names(names), why) for why, names in [*reasons.items()][:MOST]]
        rest = sum(len(names) for names in [*reasons.values()][MOST:])
        said.append(_NOT_COMPARED.format(enumerated([*items, *([_OTHER_REASONS.format(rest)] if rest else [])])))
    return said


def why_ended(judgment: Judgment) -> Text | None:
    """Returns why the comparison ended before the program; None if it did not."""
    if not judgment.failure and not judgment.ended:
        return None
    compared = _COMPARED[min(judgment.passes, 2)].format(judgment.passes)
    return (_FAILED if judgment.failure else _ENDED).format(compared, judgment.failure)


def _names(names: Sequence[str]) -> Text:
    some = [f"`{each}`" for each in dict.fromkeys(names) if each]
    shown: list[Text | str] = [*some[:MOST]]
    if len(some) > MOST:
        shown.append(_OTHER_REASONS.format(len(some) - MOST))
    return enumerated(shown or [_NO_NAME])


def why_left_out(gap: Gap | None) -> Text:
    """Returns why a gradient was not compared."""
    if gap is None or not gap.name:
        return _UNKNOWN
    if gap.name == "register_hook":
        return _HOOK
    return _GAP.format(gap.name) if gap.place is None else _GAP_IN.format(gap.name, gap.place.line)


_AGREES_TOO = Text(
    "Other gradients that agree with finite differences of the loss: {0}.", "另有 {0} 个梯度与损失的有限差分一致。"
)
_SAMPLE_AGREES = Text(
    "Gradients that also agree with finite differences of the loss, each at one element: {0}.",
    "另用损失的有限差分检查了 {0} 个梯度（各取一个元素），结果一致。",
)
_FRAMEWORK_IS_RIGHT = Text(
    "The gradient of `{0}` is another one on inplacelab's engine, but finite differences of the loss agree with {1}'s: it is right. Please report this.",
    "inplacelab 的引擎算出的 `{0}` 的梯度不同，但损失的有限差分与 {1} 的一致：后者是对的。请报告这个问题。",
)
_NEITHER = Text(
    "Finite differences of the loss give {1} for an element of the gradient of `{0}`, and backward gives {2}. That is right only if the program means it, "
    "for example by a `backward` of its own; see whether what that has kept was overwritten.",
    "对 `{0}` 的梯度的一个元素，损失的有限差分给出 {1}，而反向传播给出 {2}。除非程序有意如此（例如自己定义了 `backward`），否则梯度是错的；请检查其中保存的值是否被覆盖。",
)
_NO_SLOPES = Text(
    "No finite differences could be computed: the first backward pass needs a loss that depends smoothly on tensors that the program makes of numbers, "
    "without `detach()`, `no_grad` and the like.",
    "无法计算有限差分：第一次反向传播的损失必须光滑地依赖于程序由数值建立的张量，并且不使用 `detach()`、`no_grad` 等。",
)


def elements_of(judgment: Judgment) -> dict[str, int]:
    """Returns the element that differs most of each gradient that the first pass has computed wrong, by the names of its leaf."""
    return {
        name: int(_apart(each.found, np.asarray(each.expected)).argmax())
        for each in judgment.differences
        for name in each.names
        if each.number == 1
    }


def settled(
    some: Sequence[FailureFacts], slopes: Mapping[str, Slope], judgment: Judgment, title: str
) -> tuple[list[FailureFacts | None], list[Text]]:
    """Settles by finite differences which gradients are right.

    Args:
        some: what is known of wrong gradients.
        slopes: finite differences, by the names of leaves.
        judgment: what the comparison has shown.
        title: the name of the framework.

    Returns:
        The same facts with finite differences, None for those whose gradients are right; and what else is said.
    """
    if not slopes:
        return [*some], [_NO_SLOPES]
    shapes = {name: np.shape(each.expected) for each in judgment.differences for name in each.names if each.number == 1}
    right = [name for name, each in slopes.items() if is_slope(each.gradient, each.slope)]
    found: list[FailureFacts | None] = []
    for facts in some:
        gradients = tuple(
            _with_slope(each, slopes.get(each.tensor), shapes.get(each.tensor))
            for each in facts.gradients
            if each.tensor not in right or each.tensor not in shapes
        )
        wrong = tuple(each for each in facts.wrong if each not in right or each not in shapes)
        gone = facts.gradients and not gradients and not wrong
        found.append(None if gone else replace(facts, gradients=gradients, wrong=wrong))
    said = [_FRAMEWORK_IS_RIGHT.format(name, title) for name in right if name in shapes]
    said += [
        _NEITHER.format(name, f"{each.slope:.4g}", f"{each.gradient:.4g}")
        for name, each in slopes.items()
        if name not in shapes and name not in right
    ]
    agree = sum(name not in shapes for name in right)
    return found, [*said, *([(_AGREES_TOO if some or said else _SAMPLE_AGREES).format(agree)] if agree else [])]


def _with_slope(each: GradientFacts, slope: Slope | None, shape: tuple[int, ...] | None) -> GradientFacts:
    if slope is None or shape is None:
        return each
    index = tuple(int(one) for one in np.unravel_index(slope.element, shape)) if shape else None
    return replace(each, slope=f"{slope.slope:.4g}", sloped=index)


def _with_causes(recording: Recording, caused: Sequence[Difference]) -> Iterator[FailureFacts]:
    """Yields one failure for each operation that is to blame, and line in which passes began."""
    groups: dict[Any, list[Difference]] = {}
    for each in caused:
        assert each.cause is not None
        groups.setdefault((each.cause.name, each.cause.place, each.place), []).append(each)
    forms = loaded(place) if (place := framework_of(recording).right_forms) else {}
    for (name, at, _), some in groups.items():
        cause = some[0].cause
        assert cause is not None
        step = _step(recording, at, name)
        operand = replace(_gradient(cause.operand, at, cause.found, cause.expected), dtype=cause.dtype)
        what = NEW_RESULT if cause.how == "not called" else written_as(name, forms.get(name, ()))
        blamed = BlamedFacts(name, site_of(recording, at, step), operand, what, _stands_alone(recording, step))
        yield _failure(recording, some, blamed=blamed)


def _stands_alone(recording: Recording, step: Step | None) -> bool:
    if step is None or not step.writes:
        return step is not None
    before = recording.before(step.index)
    written = before.tensors.get(step.writes[0].tensor)
    return written is not None and stands_alone(before, written)


def _without_causes(recording: Recording, others: Sequence[Difference]) -> Iterator[FailureFacts]:
    """Yields one failure for each line in which passes began whose history is wrong, and writes on the way there."""
    groups: dict[Any, list[Difference]] = {}
    for each in others:
        groups.setdefault((each.writes, each.outside, each.place), []).append(each)
    for (writes, outside, _), some in groups.items():
        if outside:
            yield replace(
                _failure(recording, some), kind="silent", values=(_written_by_numpy(recording, outside[:MOST]),)
            )
            continue
        yield _failure(
            recording, some, written=tuple(site_of(recording, each, _step(recording, each)) for each in writes[:MOST])
        )


def _written_by_numpy(recording: Recording, places: Sequence[Place]) -> KeptFacts:
    sites = [site_of(recording, each, None) for each in reversed(places)]
    return KeptFacts("", writes=tuple(OverwriteFacts("numpy", 0, 0, each, how="silent") for each in sites))


def _failure(recording: Recording, some: Sequence[Difference], **facts: Any) -> FailureFacts:
    gradients = tuple(_gradient(each.names, each.place, each.found, each.expected) for each in some)
    wrong = tuple(each.tensor for each in gradients if each.tensor)
    return FailureFacts("wrong", _begun_at(recording, some[0].place), wrong=wrong, gradients=gradients, **facts)


def _begun_at(recording: Recording, place: Place | None) -> Sites:
    return site_of(recording, place, recording.once(_first_steps).get(place))


def _first_steps(recording: Recording) -> Mapping[Place | None, Step]:
    """Returns the first step of a pass in each place."""
    found: dict[Place | None, Step] = {}
    for each in recording.steps:
        if each.backward is not None:
            found.setdefault(each.place, each)
    return found


def _step(recording: Recording, place: Place | None, op: str = "") -> Step | None:
    """Returns a step that ran in a place, by its operation, or which wrote there."""
    return next(
        (each for each in recording.steps if each.place == place and (each.op == op if op else each.writes)), None
    )


def _began(recording: Recording, place: Place | None, facts: FailureFacts) -> bool:
    return _begun_at(recording, place)[:1] == facts.needed[:1]


def _is_named(names: Sequence[str], wrong: Sequence[str]) -> bool:
    """Whether a tensor is among those with these names; nobody knows if none has one."""
    return not wrong or any(each in wrong for each in names)


def _has(differences: Sequence[Difference], name: str) -> bool:
    return any(name in each.names for each in differences)


def _gradient(names: Sequence[str], place: Place | None, found: Any, expected: Any) -> GradientFacts:
    """Returns numbers of two gradients: all, or those of the element that differs most."""
    name = next(iter((*names_at(names, place), *names)), "")
    if expected is None:
        return GradientFacts(name, "" if found is None else _shown(found, 6), "")
    expected = np.asarray(expected)
    mine = np.zeros_like(expected) if found is None else np.asarray(found)
    if mine.shape != expected.shape:
        return GradientFacts(name, str(list(mine.shape)), str(list(expected.shape)))
    apart = _apart(found, expected)
    most = float(apart.max(initial=0))
    differing = int((apart > min(ROUNDING * float(np.abs(expected).max(initial=0)), most / 2)).sum())
    element: tuple[int, ...] | None = None
    if expected.size > WHOLE and most:
        element = tuple(int(each) for each in np.unravel_index(int(apart.argmax()), expected.shape))
        mine, expected = mine[element], expected[element]
    digits = next((each for each in (6, 9) if _shown(mine, each) != _shown(expected, each)), 17)
    given = "" if found is None else _shown(mine, digits)
    return GradientFacts(name, given, _shown(expected, digits), element, differing)


def _apart(found: Any, expected: Any) -> Any:
    """Returns how far each element is from what it should be."""
    mine = np.zeros_like(expected) if found is None else np.asarray(found)
    if mine.shape != expected.shape:
        return np.zeros_like(expected)
    with np.errstate(all="ignore"):
        apart = np.abs(np.nan_to_num(mine - expected, nan=np.inf, posinf=np.inf, neginf=np.inf))
    return np.where((mine == expected) | (np.isnan(mine) & np.isnan(expected)), 0, apart)


def _shown(values: Any, digits: int) -> str:
    """Returns numbers as a list."""
    if np.ndim(values) == 0:
        return f"{float(values):.{digits}g}"
    return f"[{', '.join(_shown(each, digits) for each in values)}]"
