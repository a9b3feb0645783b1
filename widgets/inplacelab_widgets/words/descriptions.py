"""The descriptions of panels for screen readers, and the notes in still pictures."""

from __future__ import annotations

from inplacelab.language import Text

STORAGES_SAY = Text(
    "{storages} live storages, {tensors} tensors. Written in this step: {written}. Stale saved tensors: {stale}.",
    "现有 {storages} 个存储、{tensors} 个张量。本步写入：{written}。已过期的保存张量：{stale} 个。",
)
STORAGES_SAY_PLAINLY = Text(
    "{storages} live storages, {tensors} tensors. Written in this step: {written}.",
    "现有 {storages} 个存储、{tensors} 个张量。本步写入：{written}。",
)
"""The same for a framework without gradients."""
GRAPH_SAYS = Text(
    "{nodes} grad nodes and {edges} edges. New in this step: {new}.",
    "{nodes} 个梯度节点、{edges} 条边。本步新增：{new}。",
)
MEMORY_SAYS = Text("{live} live, peak {peak}.", "存活 {live}，峰值 {peak}。")
NONE = Text("none", "无")

MORE_ROWS = Text("and {count} more", "另有 {count} 行")
GRAPH_TOO_WIDE = Text("The graph is too wide to be drawn here.", "反向图过宽，此处不绘制。")
PART_OF_GRAPH = Text("The part of the graph around the node of this step:", "本步所涉节点附近的反向图：")
