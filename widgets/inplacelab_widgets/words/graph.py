"""The text of the graph of grad nodes, folded or whole, and of the steps of backward."""

from __future__ import annotations

from inplacelab.language import Text

KEEPS = Text("keeps {saved}", "保存 {saved}")
KEEPS_STALE = Text("{saved} ✗ stale", "{saved} ✗ 已过期")
KEEPS_NOTHING = Text("keeps nothing", "不保存任何张量")
FILLS = Text("fills {tensor}.grad", "写入 {tensor}.grad")
NEW = Text("NEW", "新")
NO_GRAPH = Text("No operation has made a grad node.", "还没有操作产生梯度节点。")
MADE_BY_BACKWARD = Text("made by backward", "反向传播时生成")
NO_NODE_YET = Text("No grad node yet.", "还没有梯度节点。")
NO_NODE_LEFT = Text("No grad node is left: no tensor leads to one.", "梯度节点都已释放：没有张量再引用它们。")
BEGINS_AT = Text(" The graph begins at line {line}.", "反向图从第 {line} 行开始。")
NODE_STATUS = {
    "": Text("", ""),
    "waiting": Text("◌ waiting", "◌ 等待"),
    "arrived": Text("● gradient arrived", "● 梯度到达"),
    "unpacking": Text("▶ finds", "▶ 取用"),
    "done": Text("✓ done", "✓ 完成"),
    "failed": Text("✗ failed", "✗ 失败"),
}

NEW_AT = Text("NEW at line {line}", "新，第 {line} 行")
WAS = Text("was {names}", "原为 {names}")
NODES = Text("{count} nodes", "{count} 个节点")
NODES_OF = Text("{count} nodes: {kinds}", "{count} 个节点：{kinds}")
REPEATED = Text("×{turns} {kinds}", "×{turns} {kinds}")
TURN = Text("turn {turn} of {turns}", "第 {turn} 轮，共 {turns} 轮")
LINES = Text("lines {first}–{last}", "第 {first}–{last} 行")
NODE_IS = Text("{name}: {status}", "{name}：{status}")
SOME_DONE = Text("✓ {done} of {count} done", "✓ 已完成 {done}/{count}")
ALL_WAITING = Text("◌ all waiting", "◌ 全部等待")
KEEPS_SOME = Text("keeps {count} tensors", "保存 {count} 个张量")
NOT_REACHED = Text("○ not reached", "○ 未到达")
RUNS = Text("▶ runs", "▶ 运行")
IN_HOOK = Text("▷ in hook {function}", "▷ 在钩子 {function} 中")
IN_CUSTOM = Text("▷ in {function}", "▷ 在 {function} 中")
UNPACKS = Text("▷ {saved}: kept v{kept}, finds v{found} {mark}", "▷ {saved}：保存 v{kept}，取用 v{found} {mark}")
FOLDED = Text(
    "{nodes} grad nodes drawn in {boxes} boxes: what the program repeats shares a box.",
    "{nodes} 个梯度节点画在 {boxes} 个方框中：程序重复的部分共享一个方框。",
)
EACH_TURN = Text("a box for each turn", "每一轮一个方框")
EACH_NODE = Text("a box for each node", "每个节点一个方框")
FAR = Text(
    "{hidden} of {boxes} boxes are not drawn: only those up to {radius} edges from this step's node are.",
    "{boxes} 个方框中有 {hidden} 个未画出：只画离本步节点 {radius} 条边以内的方框。",
)
