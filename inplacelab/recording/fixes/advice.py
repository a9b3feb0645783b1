"""What to do about an overwritten value where no particular change is sure to fix the program."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.recording.fixes.edits import Fix
from inplacelab.recording.fixes.program import Program
from inplacelab.recording.fixes.writes import HasOrdinary, Write, name_of, rebinding

__all__ = ["advice"]


def advice(program: Program, writes: Sequence[Write], has_ordinary: HasOrdinary) -> Fix:
    """What is always true, with the lines and the name that it is about."""
    write = writes[0]
    if write.step.line is None or write.step.op is None:
        pattern = Text("call `backward()` before that, or write to a copy", "在此之前调用 `backward()`，或改为写入副本")
        return Fix(pattern, ())
    if write.tensor is None or not write.tensor.names:  # within a call: a layer that works in place, say
        pattern = Text(
            "in what line {0} calls, use the ordinary form of `{1}` (without the underscore, or without `inplace=True`), or have "
            "it write to a clone",
            "在第 {0} 行所调用的代码中，使用 `{1}` 的普通形式（去掉下划线，或去掉 `inplace=True`），或让它写入副本",
        )
        return Fix(pattern.format(write.step.line, write.step.op.rstrip("_")), ())
    if write.step.phase == "backward":  # a hook has written it, or a derivative that the program has written
        pattern = Text(
            "have line {0}, which is run while backward still needs `{1}`, write to a clone of it",
            "第 {0} 行运行时反向传播还需要 `{1}`，请让它写入 `{1}` 的副本",
        )
        return Fix(pattern.format(write.step.line, name_of(write.tensor)), ())
    if all(each.updates for each in writes):
        return Fix(_AFTER_AN_UPDATE.format(write.step.line), ())
    rebound = rebinding(program, program.statement(write.step.line), has_ordinary)
    if rebound:
        return Fix(_A_NEW_TENSOR.format(write.step.line, rebound), ())
    pattern = Text(
        "call `backward()` before line {0} is run, or have line {0} write to a clone of `{1}`",
        "在执行第 {0} 行之前调用 `backward()`，或让第 {0} 行写入 `{1}` 的副本",
    )
    return Fix(pattern.format(write.step.line, name_of(write.tensor)), ())


_A_NEW_TENSOR = Text(
    "call `backward()` before line {0} is run, or in line {0} write `{1}`: a new tensor, which the other names of the old one do "
    "not see",
    "在执行第 {0} 行之前调用 `backward()`，或把第 {0} 行改写为 `{1}`：它产生一个新张量，旧张量的其他名字看不到它",
)
_AFTER_AN_UPDATE = Text(
    "call `backward()` before line {0} is run, or compute the loss again after it, from the new values",
    "在执行第 {0} 行之前调用 `backward()`，或在其后用新的值重新计算损失",
)
