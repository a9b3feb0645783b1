"""Every word of the stepper that is not a sentence about a step, in English and Chinese."""

from __future__ import annotations

from inplacelab.language import Text

# --- storages, tensors and what is saved ------------------------------------------------------------------------------

LINE = Text("line {line}", "第 {line} 行")
BY = Text("v{version} by {who}", "{who} 升至 v{version}")
IN_BACKWARD = Text("backward", "反向传播")
FREED = Text("freed", "已释放")
LEAF = Text("leaf", "叶子张量")
VIEW_OF = Text("view of {base}", "{base} 的视图")
GRADIENT_OF = Text("gradient of {tensor}", "{tensor} 的梯度")
UNNAMED = Text("unnamed", "未命名")
SHAPE = Text("shape", "形状")
STRIDES = Text("strides", "步幅")
OFFSET = Text("offset", "偏移")
SLOT = Text("slot", "槽位")
NO_NODE = Text("no grad node", "无梯度节点")
SAVED_BY = Text("saved by {node}", "由 {node} 保存")
SAVED_AT = Text("{names} @ v{version}", "{names} @ v{version}")
OWN_COPY = Text("{name} (own copy)", "{name}（单独的副本）")
FRESH = Text("✓ fresh", "✓ 有效")
STALE = Text("✗ stale, now v{version}", "✗ 已过期，现为 v{version}")
RELEASED = Text("○ released", "○ 已释放")
NOT_RECORDED = Text("values not recorded", "未记录数值")
CELLS_ONLY = Text(
    "{slots} slots, {per_row} in a row, values not drawn", "{slots} 个槽位，每行 {per_row} 个，不绘制数值"
)
OVERVIEW = Text(
    "overview: {slots} slots, about {per_pixel} in a pixel", "概览：{slots} 个槽位，每像素约 {per_pixel} 个"
)
RANGE = Text("min {minimum}, max {maximum}", "最小 {minimum}，最大 {maximum}")
SIMULATED = Text("simulated device", "模拟设备")

# --- graph ------------------------------------------------------------------------------------------------------------

KEEPS = Text("keeps {saved}", "保存 {saved}")
KEEPS_NOTHING = Text("keeps nothing", "不保存任何张量")
FILLS = Text("fills {tensor}.grad", "写入 {tensor}.grad")
NEW = Text("NEW", "新")
NO_GRAPH = Text("No operation has made a grad node.", "还没有操作产生梯度节点。")
NODE_STATUS = {
    "": Text("", ""),
    "waiting": Text("◌ waiting", "◌ 等待"),
    "arrived": Text("● gradient arrived", "● 梯度到达"),
    "unpacking": Text("▶ unpacking", "▶ 取出保存值"),
    "done": Text("✓ done", "✓ 完成"),
    "failed": Text("✗ failed", "✗ 失败"),
}

# --- lanes and memory -------------------------------------------------------------------------------------------------

FORWARD = Text("forward", "前向计算")
BACKWARD = Text("backward", "反向传播")
UNPACK_FAILS = Text("✗ unpack fails", "✗ 取出失败")
MEMORY = Text("Tracked bytes", "追踪的字节数")
LIVE = Text("live {live}", "存活 {live}")
PEAK = Text("peak {peak}", "峰值 {peak}")
BEFORE = Text("{before} at the start", "开始时 {before}")
STEP_AXIS = Text("line", "行号")

# --- what each panel says to those who do not see it -------------------------------------------------------------------

STORAGES_SAY = Text(
    "{storages} live storages, {tensors} tensors. Written in this step: {written}. Stale saved tensors: {stale}.",
    "现有 {storages} 个存储、{tensors} 个张量。本步写入：{written}。已过期的保存张量：{stale} 个。",
)
GRAPH_SAYS = Text(
    "{nodes} grad nodes and {edges} edges. New in this step: {new}.",
    "{nodes} 个梯度节点、{edges} 条边。本步新增：{new}。",
)
LANES_SAY = Text("Version of each storage: {versions}.", "各存储的版本：{versions}。")
MEMORY_SAYS = Text("{live} live, peak {peak}.", "存活 {live}，峰值 {peak}。")
NONE = Text("none", "无")

# --- tables -------------------------------------------------------------------------------------------------------------

TABLES = {
    "storages": Text("Storages", "存储"),
    "tensors": Text("Tensors", "张量"),
    "saved": Text("Saved for backward", "为反向传播保存的张量"),
    "nodes": Text("Grad nodes", "梯度节点"),
}
COLUMNS = {
    "storages": (
        Text("storage", "存储"),
        Text("bytes", "字节"),
        Text("dtype", "数据类型"),
        Text("device", "设备"),
        Text("version", "版本"),
        Text("values", "数值"),
    ),
    "tensors": (
        Text("tensor", "张量"),
        Text("storage", "存储"),
        SHAPE,
        STRIDES,
        OFFSET,
        Text("dtype", "数据类型"),
        Text("kind", "种类"),
        Text("{flag}", "{flag}"),
        Text("grad node", "梯度节点"),
    ),
    "saved": (Text("node", "节点"), Text("saved", "保存"), Text("storage", "存储"), Text("state", "状态")),
    "nodes": (
        Text("node", "节点"),
        Text("line", "行号"),
        Text("passes gradients to", "把梯度传给"),
        Text("state", "状态"),
    ),
}

# --- the player -----------------------------------------------------------------------------------------------------------

PLAYER = {
    "region": Text("Stepper: {title}", "单步播放器：{title}"),
    "toolbar": Text("Step through the recording", "单步浏览记录"),
    "first": Text("First step (Home)", "第一步（Home）"),
    "previous": Text("Previous step (Left)", "上一步（←）"),
    "next": Text("Next step (Right)", "下一步（→）"),
    "last": Text("Last step (End)", "最后一步（End）"),
    "play": Text("Play (Space)", "播放（空格）"),
    "pause": Text("Pause (Space)", "暂停（空格）"),
    "slider": Text("Step", "步"),
    "position": Text("step {step} of {steps}", "第 {step} 步，共 {steps} 步"),
    "at_line": Text("line {line}", "第 {line} 行"),
    "forward": FORWARD,
    "backward": BACKWARD,
    "code": Text("Code", "代码"),
    "storages": Text("Memory: storages and tensors", "内存：存储与张量"),
    "graph": Text("Graph", "计算图"),
    "lanes": Text("Versions", "版本"),
    "memory": Text("Bytes", "字节"),
    "history": Text("Versions and bytes", "版本与字节"),
    "views": Text("Views", "视图"),
    "tables": Text("Read as table", "以表格阅读"),
    "language": Text("中文", "English"),
    "language_hint": Text("Switch to Chinese", "切换到英文"),
    "truncated": Text(
        "The recording was cut: {count} later events are not shown.", "记录已截断：之后的 {count} 个事件未显示。"
    ),
    "keys": Text(
        "← → step · Shift ← → event · PgUp PgDn phase · Home End · Space play · Esc leave",
        "← → 单步 · Shift ← → 事件 · PgUp PgDn 阶段 · Home End 首尾 · 空格播放 · Esc 离开",
    ),
    "simulated": SIMULATED,
}
