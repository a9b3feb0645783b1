"""The text of storages, tensors, saved tensors, and the elements that a tensor reads."""

from __future__ import annotations

from inplacelab.language import Text

LINE = Text("line {line}", "第 {line} 行")
IN_BACKWARD = Text("backward", "反向传播")
FREED = Text("freed", "已释放")
REFUSED_HERE = Text("✗ refused", "✗ 被拒绝")
CONSTANT = Text("constant", "常数")
LEAF = Text("leaf", "叶子张量")
MADE = {
    "made": Text("made by line {line} {op}", "第 {line} 行产生：{op}"),
    "backward": Text("made by backward, line {line}", "第 {line} 行的反向传播产生"),
    "before": Text("existed before line {line}", "第 {line} 行之前已有"),
    "seen": Text("first seen on line {line}", "首见于第 {line} 行"),
}
MADE_SOMEWHERE = {
    "made": Text("made by {op}", "产生：{op}"),
    "backward": Text("made by backward", "由反向传播产生"),
    "before": Text("existed before", "此前已有"),
    "seen": Text("made on an unknown line", "产生于未知的行"),
    "there": Text("", ""),
}
"""The same where the line is not known."""
GRADIENT_OF = Text("gradient of {tensor}", "{tensor} 的梯度")
UNNAMED = Text("unnamed", "未命名")
GONE = Text("gone", "已不存在")
"""Said of a tensor that the program no longer has."""
NAMED_LATER = Text("named when line {line} is done", "第 {line} 行执行完时得名")
SHAPE = Text("shape", "形状")
STRIDES = Text("strides", "步幅")
OFFSET = Text("offset", "偏移")
SAVED_BY = Text("kept by {node}", "保存者：{node}")
SAVED_AT = Text("{names} @ v{version}", "{names} @ v{version}")
FRESH = Text("✓ fresh", "✓ 未过期")
UNNOTICED = Text("⚠ overwritten, its version still fits", "⚠ 已被覆盖，版本号却仍相符")
STALE = Text("✗ stale, now v{version}", "✗ 已过期，现为 v{version}")
STALE_NOW = Text("✗ goes stale, now v{version}", "✗ 本步过期，现为 v{version}")
"""The same in the step that makes it stale."""
RELEASED = Text("○ released", "○ 已释放")
NOT_RECORDED = Text("values not recorded", "未记录数值")
SLOTS = Text("{slots} slots", "{slots} 个槽位")
OVERVIEW = Text(
    "overview: {slots} slots, about {per_pixel} in a pixel", "概览：{slots} 个槽位，每像素约 {per_pixel} 个"
)
RANGE = Text("min {minimum}, max {maximum}", "最小 {minimum}，最大 {maximum}")
RANGE_NOT_MEASURED = Text("min and max not measured", "未测最小值和最大值")
FOLLOW = {
    "follow": Text("Follow a tensor", "跟踪一个张量"),
    "follow_hint": Text("Its storages stay in full", "始终完整显示它的存储"),
    "follow_nothing": Text("Follow…", "跟踪…"),
}
LENS = Text("values of slots {first}–{last}", "槽位 {first}–{last} 的数值")
LENS_GAPS = Text(" (· not recorded)", "（· 表示未记录）")
LENSES = {
    "lens": LENS,
    "lens_gaps": LENS_GAPS,
    "lens_moved": Text(" · Esc: follow the writes", " · Esc：跟随写入"),
}
"""The text of a lens that a reader has moved."""
MARKS = {
    "changed": Text(
        "written with another value; below it, what the slot held before", "写入了不同的值；下方是原来的值"
    ),
    "same": Text("written with the value that it had", "写入的就是原来的值"),
    "around": Text("some of these were written; which is not known", "其中一部分被写入，具体哪些不得而知"),
    "read": Text("read by this step, and not written", "本步读取，未写入"),
    "lost": Text(
        "overwritten since backward kept it; below it, what it held then",
        "被反向传播保存之后又遭覆盖；下方是保存时的值",
    ),
    "copy": Text("its values were copied to there", "箭头从复制的来源指向目标"),
}
"""What the marks of slots mean, by what the step did (see `recording.touched`)."""
VALUE_BEFORE = Text("was", "原值")
VALUE_KEPT = Text("kept", "保存")
"""Beside the values that backward had kept, under those that it found."""
SHELF = Text("Other storages", "其余存储")
SIMULATED = Text("simulated device", "模拟设备")
TRUNCATED = Text(
    "The recording was cut after {count} steps: what happened later is not shown.",
    "记录在第 {count} 步之后截断：此后发生的事未显示。",
)

FORMULA = Text("slot = {terms}", "槽位 = {terms}")
NEW_STORAGE = Text("new storage {now}, was {before}", "新存储 {now}，原为 {before}")
NON_CONTIGUOUS = Text("non-contiguous", "不连续")
ONE_SLOT = Text("×{size} along {axis}: one slot", "沿 {axis} ×{size}：同一槽位")
ELEMENTS_CUT = Text("{drawn} of {total} elements drawn", "共 {total} 个元素，只画出 {drawn} 个")
NO_SLOTS = Text("no slots", "没有槽位")
NO_ELEMENTS = Text("no elements", "没有元素")
READ_AS = Text(
    "counts in {dtype}, {bytes} bytes each; a slot has {slot}",
    "以 {dtype} 计数，每个 {bytes} 字节；一个槽位 {slot} 字节",
)
NO_TENSOR = Text("No tensor has a name yet.", "还没有具名的张量。")
ELEMENTS_SAY = Text(
    "Elements of {tensors}. New, or with a new layout: {changed}.", "{tensors} 的元素。新出现或布局改变：{changed}。"
)
