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
NO_NODE = Text("no grad node", "无梯度节点")
SAVED_BY = Text("saved by {node}", "由 {node} 保存")
SAVED_AT = Text("{names} @ v{version}", "{names} @ v{version}")
OWN_COPY = Text("{name} (own copy)", "{name}（单独的副本）")
FRESH = Text("✓ fresh", "✓ 有效")
STALE = Text("✗ stale, now v{version}", "✗ 已过期，现为 v{version}")
RELEASED = Text("○ released", "○ 已释放")
NOT_RECORDED = Text("values not recorded", "未记录数值")
CELLS_ONLY = Text("{slots} slots, {per_row} in a row", "{slots} 个槽位，每行 {per_row} 个")
OVERVIEW = Text(
    "overview: {slots} slots, about {per_pixel} in a pixel", "概览：{slots} 个槽位，每像素约 {per_pixel} 个"
)
RANGE = Text("min {minimum}, max {maximum}", "最小 {minimum}，最大 {maximum}")
RANGE_NOT_MEASURED = Text("min and max not measured", "未测最小值和最大值")
FOLLOW = {
    "follow": Text("Follow a tensor: its storages stay in full", "跟踪一个张量：始终完整显示它的存储"),
    "follow_nothing": Text("Follow…", "跟踪…"),
}
LENS = Text("values of slots {first}–{last}", "槽位 {first}–{last} 的数值")
LENS_GAPS = Text(" (· not recorded)", "（· 表示未记录）")
LENSES = {
    "lens": LENS,
    "lens_gaps": LENS_GAPS,
    "lens_moved": Text(" · Esc: follow the writes", " · Esc：跟随写入"),
}
"""What the player says of a lens that a reader has moved."""
SHELF = Text("Other live storages", "其余存活的存储")
SIMULATED = Text("simulated device", "模拟设备")

# --- elements: what a tensor reads in its storage -----------------------------------------------------------------------

FORMULA = Text("slot = {terms}", "槽位 = {terms}")
NEW_STORAGE = Text("new storage {now}, was {before}", "新存储 {now}，原为 {before}")
NON_CONTIGUOUS = Text("non-contiguous", "不连续")
ONE_SLOT = Text("×{size} along {axis}: one slot", "沿 {axis} ×{size}：同一槽位")
ELEMENTS_CUT = Text("{drawn} of {total} elements drawn", "共 {total} 个元素，只画出 {drawn} 个")
NO_ELEMENTS = Text("no elements", "没有元素")
READ_AS = Text(
    "counts in {dtype}, {bytes} bytes each; a slot has {slot}",
    "以 {dtype} 计数，每个 {bytes} 字节；一个槽位 {slot} 字节",
)
NO_TENSOR = Text("No tensor has a name yet.", "还没有具名的张量。")
ELEMENTS_SAY = Text(
    "Elements of {tensors}. New, or with a new layout: {changed}.", "{tensors} 的元素。新出现或布局改变：{changed}。"
)

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
STEP_AXIS = Text("line", "行号")

# --- graphs too large to draw node by node, and backward from inside ----------------------------------------------------

NEW_AT = Text("NEW at line {line}", "新，第 {line} 行")
WAS = Text("was {names}", "原为 {names}")
NODES = Text("{count} nodes", "{count} 个节点")
NODES_OF = Text("{count} nodes: {kinds}", "{count} 个节点：{kinds}")
REPEATED = Text("×{turns} {kinds}", "×{turns} {kinds}")
TURN = Text("{lines} · turn {turn} of {turns}", "{lines} · 第 {turn} 轮，共 {turns} 轮")
LINES = Text("lines {first}–{last}", "第 {first}–{last} 行")
NODE_IS = Text("{name}: {status}", "{name}：{status}")
SOME_DONE = Text("✓ {done} of {count} done", "✓ 已完成 {done}/{count}")
ALL_WAITING = Text("◌ all waiting", "◌ 全部等待")
KEEPS_SOME = Text("keeps {count} tensors", "保存 {count} 个张量")
NOT_REACHED = Text("○ not reached", "○ 未到达")
RUNS = Text("▶ runs", "▶ 运行")
UNPACKS = Text("▷ {saved}: kept v{kept}, now v{found} {mark}", "▷ {saved}：保存 v{kept}，现 v{found} {mark}")
FOLDED = Text(
    "{nodes} grad nodes drawn in {boxes} boxes: what the program repeats shares a box.",
    "{nodes} 个梯度节点画在 {boxes} 个方框中：程序重复的部分共用一个方框。",
)
FAR = Text(
    "{hidden} of {boxes} boxes are not drawn: only those up to {radius} edges from this step's node are.",
    "{boxes} 个方框中有 {hidden} 个未画出：只画离本步节点 {radius} 条边以内的方框。",
)

# --- versions and bytes at scale ----------------------------------------------------------------------------------------

MORE_LANES = Text(
    "{count} more storages, never named, written or kept", "另有 {count} 个存储：从未命名、写入或被反向传播保存"
)
ONE_MORE_LANE = Text("1 more storage, never named, written or kept", "另有 1 个存储：从未命名、写入或被反向传播保存")
SEGMENTS = {
    "named": Text("named {size}", "有名字 {size}"),
    "gradient": Text("gradients {size}", "梯度 {size}"),
    "saved": Text("kept only by backward {size}", "仅反向传播保存 {size}"),
    "copy": Text("copies kept {size}", "保存的副本 {size}"),
    "other": Text("temporary {size}", "临时 {size}"),
}
HELD = Text("held now", "当前占用")
HELD_SUMMED = Text("held now, summed", "当前占用，合计")

BYTES = {
    "live": Text("live", "存活"),
    "peak": Text("peak so far", "至此的峰值"),
}
"""The rows of the table of bytes."""

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

# --- still pictures -----------------------------------------------------------------------------------------------------

ALSO_THERE = Text("Also there: {storages}", "此外还有：{storages}")
GRAPH_TOO_WIDE = Text("The graph is too wide to be drawn here.", "计算图过宽，此处不绘制。")

# --- tables -------------------------------------------------------------------------------------------------------------

TABLES = {
    "storages": Text("Storages", "存储"),
    "tensors": Text("Tensors", "张量"),
    "saved": Text("Saved for backward", "为反向传播保存的张量"),
    "nodes": Text("Grad nodes", "梯度节点"),
    "memory": MEMORY,
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
    "memory": (Text("bytes", "字节"), Text("size", "大小")),
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
    "minimap": Text("Map of the graph: arrow keys scroll it", "计算图缩略图：方向键滚动"),
    "memory": Text("Bytes", "字节"),
    "history": Text("Versions and bytes", "版本与字节"),
    "elements": Text("Elements", "元素"),
    "views": Text("Views", "视图"),
    "tables": Text("Read as table", "以表格阅读"),
    "language": Text("中文", "English"),
    "language_hint": Text("Switch to Chinese", "切换到英文"),
    "truncated": Text(
        "The recording was cut: {count} later events are not shown.", "记录已截断：之后的 {count} 个事件未显示。"
    ),
    "keys": Text("← → step · ? all keys", "← → 单步 · ? 全部按键"),
    "simulated": SIMULATED,
    "mode_event": Text("by event", "按事件"),
    "mode_line": Text("by line", "按行"),
    "mode_event_hint": Text("every event is a step (E)", "每个事件为一步（E）"),
    "mode_line_hint": Text("every line is a step (E)", "每行为一步（E）"),
    "position_by_line": Text("line step {step} of {steps}", "第 {step} 个行步，共 {steps} 个"),
    "pace": Text("Pace: {count} steps in a second (- +)", "速度：每秒 {count} 步（- +）"),
    "speed": Text("{count}/s", "{count}/秒"),
    "present": Text("Present: fill the screen (F)", "演示：铺满屏幕（F）"),
    "help": Text("Keys (?)", "按键（?）"),
    "help_title": Text("Keys", "按键"),
    "close": Text("Close", "关闭"),
}

KEYS = (
    (Text("← →", "← →"), Text("previous and next step", "上一步、下一步")),
    (Text("Shift+← Shift+→", "Shift+← Shift+→"), Text("to the next thing worth seeing", "跳到下一个值得看的步骤")),
    (Text("PgUp PgDn", "PgUp PgDn"), Text("forward, backward, forward …", "前向、反向等各阶段之间")),
    (Text("Home End", "Home End"), Text("first and last step", "第一步、最后一步")),
    (Text("Space - +", "空格 - +"), Text("play or pause, slower, faster", "播放或暂停、减慢、加快")),
    (Text("E", "E"), Text("step by event or by line", "按事件或按行单步")),
    (Text("Tab", "Tab"), Text("from panel to panel", "在面板之间移动")),
    (Text("↑ ↓", "↑ ↓"), Text("from thing to thing inside a panel", "在面板内的对象之间移动")),
    (
        Text("Enter", "Enter"),
        Text(
            "keep it lit, as a click does; a version: to the step that raised it; a pin: to its node",
            "保持点亮（与单击相同）；版本号：跳到升版的那一步；保存标记：转到其节点",
        ),
    ),
    (
        Text("Enter ←↑→↓ Esc", "Enter ←↑→↓ Esc"),
        Text(
            "in Elements: into a tensor, from element to element, out again",
            "在“元素”中：进入张量、在元素之间移动、退出",
        ),
    ),
    (
        Text("Enter ←→ Home End N Esc", "Enter ←→ Home End N Esc"),
        Text(
            "on a storage of many slots: into its lens, along the slots, to the next change, out again",
            "在槽位很多的存储上：进入放大镜、沿槽位移动、到下一处改动、退出",
        ),
    ),
    (Text("G L T", "G L T"), Text("graph, versions and bytes, elements", "计算图、版本与字节、元素")),
    (Text("P", "P"), Text("predict what a step does before it is shown", "先预测，再显示每一步")),
    (Text("F", "F"), Text("present: fill the screen", "演示：铺满屏幕")),
    (Text("? Esc", "? Esc"), Text("this list; close, let go, leave", "此列表；关闭、松开、离开")),
)
"""What the player's keys do: (keys, separated by blanks, what they do)."""

# --- what a reader points at, read out; `player/reading.js` joins the parts ------------------------------------------------

LINKS = {
    "link_element": Text("`{element}` → slot {sum} of {storage}", "`{element}` → {storage} 的槽位 {sum}"),
    "link_bytes": Text(
        "`{element}` → position {sum} in its own dtype, in slot {slot} of {storage}",
        "`{element}` → 按自身数据类型的位置 {sum}，位于 {storage} 的槽位 {slot}",
    ),
    "link_tensor": Text(
        "`{name}` on {storage}: shape {shape}, strides {strides}, offset {offset}",
        "{storage} 上的 `{name}`：形状 {shape}，步幅 {strides}，偏移 {offset}",
    ),
    "link_slot": Text("slot {slot} of {storage}, read as {elements}", "{storage} 的槽位 {slot}，被读作 {elements}"),
    "link_unread": Text("slot {slot} of {storage}, read by no tensor", "{storage} 的槽位 {slot}，没有张量读取"),
    "link_shared": Text("shared with {elements}", "与 {elements} 共享"),
    "link_more": Text(" and {count} more", " 等，另有 {count} 个"),
    "link_kept": Text("kept by {nodes}", "由 {nodes} 保存"),
    "link_line": Text("written by line {lines}", "由第 {lines} 行写入"),
    "link_lines": Text("written by lines {lines}", "由第 {lines} 行写入"),
    "link_hint": Text(
        "Point at an element or a slot: what shares it lights up.", "指向一个元素或槽位，与它共享的都会亮起。"
    ),
    "comma": Text(", ", "、"),
    "semicolon": Text(" · ", " · "),
}

# --- predict mode ---------------------------------------------------------------------------------------------------------

PREDICT = {
    "predict": Text("Predict", "预测"),
    "predict_hint": Text("Say what a step will do before it is shown (p)", "在显示每一步之前，先预测它的结果（p）"),
    "predict_next": Text("Next: line {line}", "接下来：第 {line} 行"),
    "predict_line": Text("Line {line}", "第 {line} 行"),
    "predict_step": Text("The next step", "下一步"),
    "predict_check": Text("Check and step", "检查并前进"),
    "predict_skip": Text("Skip", "跳过"),
    "predict_on": Text("Go on", "继续"),
    "predict_look": Text("Look at the picture", "看图"),
    "predict_choose": Text("Choose an answer to each question, or skip.", "请为每个问题选择答案，或者跳过。"),
    "predict_score": Text("Right so far: {right} of {given}", "目前答对：{right} / {given}"),
    "predict_hit": Text("✓ right", "✓ 正确"),
    "predict_wrong": Text("✗ wrong", "✗ 错误"),
    "predict_missed": Text("○ right, not chosen", "○ 正确，未选"),
    "predict_right": Text("✓ Right.", "✓ 答对了。"),
    "predict_not_right": Text("✗ Not quite.", "✗ 不完全对。"),
}
