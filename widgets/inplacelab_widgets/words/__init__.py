"""All text of the pictures except the sentences about steps, in English and Chinese. `player` has that of the controls, `side_by_side` that of comparisons."""

from __future__ import annotations

from inplacelab.language import Text

# --- storages, tensors, saved tensors, and elements ------------------------------------------------------------------

LINE = Text("line {line}", "第 {line} 行")
NTH_CALL = Text("{0} ({1} call)", "{0}（第 {1} 层）")
"""A call of a function that is being called already: "fib:3 (2nd call)"."""
IN_BACKWARD = Text("backward", "反向传播")
FREED = Text("freed", "已释放")
REFUSED_HERE = Text("✗ refused", "✗ 被拒绝")
CONSTANT = Text("constant", "常数")
LEAF = Text("leaf", "叶子张量")
MADE = {
    "made": Text("made by {place} {op}", "{place}产生：{op}"),
    "backward": Text("made by backward, {place}", "{place}的反向传播产生"),
    "before": Text("existed before {place}", "{place}之前已有"),
    "seen": Text("first seen on {place}", "{place}首次见到"),
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
COUNTED_APART = Text("counts for itself: {before}→{after}", "单独计数：{before}→{after}")
"""Said of an alias through which something is written that does not raise the version of the tensor."""
STAYS = Text("{version} stays", "{version} 不变")
"""Said of a version that a write does not raise."""
GONE = Text("gone", "已不存在")
"""Said of a tensor that the program no longer has."""
NAMED_LATER = Text("named when {place} is done", "{place}执行完时得名")
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
OWNERS = {
    "*variables": Text("variables", "变量"),
    "*held": Text("held by backward", "反向传播保存"),
    "*other": Text("temporaries", "临时张量"),
}
"""The rows of storages that belong to no module."""
GRADIENTS = Text("{count} gradient", "{count} 个梯度"), Text("{count} gradients", "{count} 个梯度")
STORAGES = Text("{count} storage", "{count} 个存储"), Text("{count} storages", "{count} 个存储")
STATES = Text("{count} state", "{count} 个状态"), Text("{count} states", "{count} 个状态")
"""Of a parameter, in the optimizer."""
MEMBERS = Text("{count} tensor", "{count} 个张量"), Text("{count} tensors", "{count} 个张量")
MORE_MEMBERS = (Text("{count} more", "另有 {count} 个"),) * 2
PART = Text("{part}/{all}", "{part}/{all}")
PART_OF_MORE = Text("{part}/{count} more", "另外 {count} 个中的 {part} 个")
NEW_HERE = Text("new", "新")
STALE_HERE = Text("✗", "✗")
OF_THESE_STALE = Text("(✗ {count} stale)", "（✗ {count} 个过期）")
SIMULATED = Text("simulated device", "模拟设备")
TRUNCATED = Text(
    "The recording was cut after {count} steps: what happened later is not shown.",
    "记录在第 {count} 步之后截断：此后发生的事未显示。",
)

SHORTENED = Text(
    "Of {events:,} steps, this page shows {shown:,}, most of them whole statements. A recording of a part (`--from-step`, `--stop-after`) shows every step.",
    "记录共有 {events:,} 步，本页显示 {shown:,} 步，多数是整条语句。只记录其中一段（`--from-step`、`--stop-after`），就能看到每一步。",
)
LEFT_OUT = Text(
    "Steps {first:,} to {last:,} are left out of this page. What they changed together is shown as one step.",
    "本页略去第 {first:,} 步到第 {last:,} 步，它们共同造成的变化显示为一步。",
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

# --- the graph of grad nodes, and the steps of backward --------------------------------------------------------------

KEEPS = Text("keeps {saved}", "保存 {saved}")
KEEPS_STALE = Text("{saved} ✗ stale", "{saved} ✗ 已过期")
KEEPS_NOTHING = Text("keeps nothing", "不保存任何张量")
FILLS = Text("fills {tensor}.grad", "写入 {tensor}.grad")
NEW = Text("NEW", "新")
SOME_NEW = Text("+{count} NEW", "+{count} 新")
"""The same of a box of which only some nodes are new."""
NO_GRAPH = Text("No operation has made a grad node.", "还没有操作产生梯度节点。")
MADE_BY_BACKWARD = Text("made by backward", "反向传播时生成")
BY_BACKWARD = Text("by backward", "反向传播生成")
NO_NODE_YET = Text("No grad node yet.", "还没有梯度节点。")
NO_NODE_STAYS = Text("No statement leaves a grad node.", "没有语句留下梯度节点。")
NO_NODE_LEFT = Text("No grad node is left: no tensor leads to one.", "梯度节点都已释放：没有张量再引用它们。")
BEGINS_AT = Text(" The graph begins at {place}.", "反向图从{place}开始。")
NODE_STATUS = {
    "": Text("", ""),
    "waiting": Text("◌ waiting", "◌ 等待"),
    "arrived": Text("● gradient arrived", "● 梯度到达"),
    "unpacking": Text("▶ finds", "▶ 取用"),
    "done": Text("✓ done", "✓ 完成"),
    "failed": Text("✗ failed", "✗ 失败"),
}

NEW_AT = Text("NEW at {place}", "新，{place}")
WAS = Text("was {names}", "原为 {names}")
NODES = Text("{count} nodes", "{count} 个节点")
ONE_NODE = Text("1 node", "1 个节点")
LEAVES = Text("parameters", "参数")
PARAMETERS = Text("{count} parameters", "{count} 个参数")
LINES = Text("lines {first}–{last}", "第 {first}–{last} 行")
NODE_IS = Text("{sign} {name}", "{sign} {name}")
SOME_DONE = Text("✓ {done}/{count} done", "✓ 已完成 {done}/{count}")
SOME_STALE = Text("✗ {count} stale", "✗ {count} 个已过期")
NOT_REACHED = Text("○ not reached", "○ 未到达")
RUNS = Text("▶ runs", "▶ 运行")
IN_HOOK = Text("▷ in hook {function}", "▷ 在钩子 {function} 中")
IN_CUSTOM = Text("▷ in {function}", "▷ 在 {function} 中")
UNPACKS = Text("▷ {saved}: kept v{kept}, finds v{found} {mark}", "▷ {saved}：保存 v{kept}，取用 v{found} {mark}")
INSIDE = Text("{name} · {nodes}", "{name} · {nodes}")

# --- the version lanes and the bytes, whose axis is the step ---------------------------------------------------------

FORWARD = Text("forward", "前向计算")
UPDATE = Text("update", "更新")
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
SAVINGS = {
    "less": Text("Written in place: peak {0} → {1}, {2} % less", "改为原地操作：峰值 {0} → {1}，减少 {2} %"),
    "same": Text("Written in place, the peak stays {0}", "改为原地操作，峰值仍为 {0}"),
    "untried": Text("Live bytes by the recording of one run; not tried", "按一次运行的记录得出的存活字节数；未经试验"),
    "tried": Text(
        "Tried, and counted by {0}; the curves show the live bytes of the recording",
        "已经试验，由 {0} 统计；曲线是记录中的存活字节数",
    ),
    "framework": Text("the framework", "框架"),
    "numbers": Text("Peak: {0} bytes before, {1} bytes after.", "峰值：原来 {0} 字节，改写后 {1} 字节。"),
    "before": Text("as it is: peak {0} in {1}", "原程序：峰值 {0}，在{1}"),
    "after": Text("in place: peak {0} in {1}", "原地操作：峰值 {0}，在{1}"),
    "in_backward": Text("backward, {0}", "反向传播，{0}"),
    "is_backward": Text("backward", "反向传播"),
    "is_offered": Text("may be written in place here", "此处可以改为原地操作"),
    "line": STEP_AXIS,
    "loop": Text("loop", "循环"),
    "button": Text("Save memory", "节省内存"),
    "how": Text(
        "Not tried, only computed from this recording. `inplacelab advise FILE` tries it; in a notebook, `%advise --try` does.",
        "未经试验，仅由这份记录算出。用 `inplacelab advise FILE` 试验；在笔记本中用 `%advise --try`。",
    ),
}
"""What is said of the bytes that writing in place saves: in their picture, and in the player."""
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

# --- the captions and column heads of the tables ---------------------------------------------------------------------

TABLES = {
    "storages": Text("Storages", "存储"),
    "tensors": Text("Tensors", "张量"),
    "saved": Text("Kept for backward", "为反向传播保存的张量"),
    "nodes": Text("Grad nodes", "梯度节点"),
    "memory": MEMORY,
}
OF_GRADIENTS = (Text("{flag}", "{flag}"), Text("grad node", "梯度节点"))
"""The last columns of the tensors; omitted for a framework without gradients."""
COLUMNS = {
    "storages": (
        Text("storage", "存储"),
        Text("bytes", "字节"),
        Text("dtype", "数据类型"),
        Text("device", "设备"),
        Text("{version}", "{version}"),
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
        Text("made", "产生"),
        *OF_GRADIENTS,
    ),
    "saved": (Text("node", "节点"), Text("keeps", "保存"), Text("storage", "存储"), Text("state", "状态")),
    "nodes": (
        Text("node", "节点"),
        Text("line", "行号"),
        Text("passes gradients to", "把梯度传给"),
        Text("state", "状态"),
    ),
    "memory": (Text("bytes", "字节"), Text("size", "大小")),
}

# --- descriptions of panels for screen readers, and notes in still pictures ------------------------------------------

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
