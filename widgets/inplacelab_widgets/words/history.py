"""The text of the version lanes and of the bytes, whose axis is the step."""

from __future__ import annotations

from inplacelab.language import Text

FORWARD = Text("forward", "前向计算")
UPDATE = Text("update", "参数更新")
BACKWARD = Text("backward", "反向传播")
UNPACK_FAILS = Text("✗ finds it stale", "✗ 取用时已过期")
MEMORY = Text("Tracked bytes", "追踪的字节数")
LIVE = Text("live {live}", "存活 {live}")
PEAK = Text("peak {peak}", "峰值 {peak}")
STEP_AXIS = Text("line", "行号")

MORE_LANES = Text(
    "{count} more storages, never named, written or kept", "另有 {count} 个存储：从未命名、写入或被反向传播保存"
)
ONE_MORE_LANE = Text("1 more storage, never named, written or kept", "另有 1 个存储：从未命名、写入或被反向传播保存")
MORE_LANES_PLAINLY = Text("{count} more storages, never named or written", "另有 {count} 个存储：从未命名或写入")
ONE_MORE_LANE_PLAINLY = Text("1 more storage, never named or written", "另有 1 个存储：从未命名或写入")
"""The same for a framework without gradients."""
FOLDED_LANES = Text("{count} more storages", "另有 {count} 个存储")
NEITHER = Text(": never written, never kept for backward", "：从未写入，也未被反向传播保存")
NEVER_WRITTEN = Text(": never written", "：从未写入")
SEGMENTS = {
    "named": Text("named {size}", "有名字 {size}"),
    "gradient": Text("gradients {size}", "梯度 {size}"),
    "flight": Text("gradients in flight {size}", "传递中的梯度 {size}"),
    "saved": Text("kept only by backward {size}", "仅反向传播保存 {size}"),
    "copy": Text("copies kept {size}", "保存的副本 {size}"),
    "other": Text("unnamed {size}", "未命名 {size}"),
}
HELD = Text("held now", "当前占用")
HELD_SUMMED = Text("held now, summed", "当前占用，合计")

BYTES = {
    "live": Text("live", "存活"),
    "peak": Text("peak so far", "至此的峰值"),
}
"""The rows of the table of bytes."""
