"""The text of two programs, or several ranks, side by side."""

from __future__ import annotations

from inplacelab.language import Text

# --- two programs ----------------------------------------------------------------------------------------------------

PROGRAM = {
    "left": Text("Left program: {title}", "左侧程序：{title}"),
    "right": Text("Right program: {title}", "右侧程序：{title}"),
}
COMPARED = {
    "region": Text("Comparison: {title}", "对比：{title}"),
    "toolbar": Text("Step through both programs", "同时逐步查看两个程序"),
    "tables": Text("Read the differences as a table", "以表格阅读不同之处"),
    "keys": Text("← → step · ? all keys", "← → 走一步 · ? 全部按键"),
    "mode_line_hint": Text("every line is a step (E)", "每行为一步（E）"),
}
SHARE_OF_COMPARISON = {
    "no_link": Text(
        'A step in a notebook has no link. Write a page with compare(left, right).to_html("page.html"), and share from there.',
        '笔记本中的步没有链接，网页中有：用 compare(left, right).to_html("page.html") 保存网页，再在网页中分享。',
    ),
    "picture_refused": Text(
        "This browser could not draw the picture. In a terminal: inplacelab compare left.py right.py -o picture.png",
        "此浏览器无法绘制图片。可在终端中执行：inplacelab compare left.py right.py -o picture.png",
    ),
    "no_gif": Text(
        'An animation (GIF) of all steps: inplacelab compare left.py right.py -o steps.gif, or compare(left, right).to_gif("steps.gif")',
        '所有步的动图（GIF）：inplacelab compare left.py right.py -o steps.gif，或 compare(left, right).to_gif("steps.gif")',
    ),
}
UNTITLED = {"left": Text("left program", "左侧程序"), "right": Text("right program", "右侧程序")}
DIFFERENCES = Text("What differs here", "此处的不同")
BOTH_SIDES = Text("left and right", "左侧与右侧")
DIFFERS = Text("differs from the other program", "与另一个程序不同")
NOT_EQUAL = Text("≠", "≠")

KEYS_OF_COMPARISON = (
    (Text("← →", "← →"), Text("previous and next step of both programs", "两个程序的上一步、下一步")),
    (Text("Shift+← Shift+→", "Shift+← Shift+→"), Text("to the next difference", "跳到下一个不同之处")),
    (Text("Home End", "Home End"), Text("first and last step", "第一步、最后一步")),
    (Text("Space - +", "空格 - +"), Text("play or pause, slower, faster", "播放或暂停、减慢、加快")),
    (Text("E", "E"), Text("step by event or by line", "按事件或按行逐步查看")),
    (Text("Tab", "Tab"), Text("from panel to panel", "在面板之间移动")),
    (
        Text("↑ ↓ Enter", "↑ ↓ Enter"),
        Text("in the code: from line to line, and to the step of a line", "在代码中：在各行之间移动，跳到该行的那一步"),
    ),
    (Text("F", "F"), Text("present: fill the screen", "演示：铺满屏幕")),
    (Text("? Esc", "? Esc"), Text("this list; close, leave", "此列表；关闭、离开")),
)
"""What the keys do: (keys separated by blanks, their effect)."""

# --- several ranks ---------------------------------------------------------------------------------------------------

RANK = Text("rank {0}", "进程 {0}")
RANKS_PANEL = Text("Steps of all ranks", "各进程的步骤")
RANKS = {
    "region": Text("Ranks: {title}", "各进程：{title}"),
    "toolbar": Text("Step through all ranks", "同时逐步查看所有进程"),
    "tables": Text("Read where replicas differ as a table", "以表格阅读副本的不同之处"),
    "keys": Text("← → step · ? all keys", "← → 走一步 · ? 全部按键"),
    "mode_line_hint": Text("every line is a step (E)", "每行为一步（E）"),
    "ranks": RANKS_PANEL,
    "history": RANKS_PANEL,
}
WAITS = Text("Rank {0} has no step here.", "进程 {0} 此时没有对应的步骤。")
NOT_BEGUN = Text("Rank {0} has not begun.", "进程 {0} 尚未开始。")
ENDED = Text("Rank {0} has ended.", "进程 {0} 已经结束。")
ALL_ON_LINE = Text("All ranks: line {0}", "所有进程：第 {0} 行")
ALL_HERE = Text("All ranks make this step", "所有进程都做这一步")
ONLY = Text("Only {0} makes a step here", "只有{0} 有这一步")
COLLECTIVE = Text("`{0}` links {1}", "{1}共同执行 `{0}`")
ALL_RANKS = Text("all {0} ranks", "全部 {0} 个进程")
BOTH_RANKS = Text("both ranks", "两个进程")
DRIFTS_HERE = Text("`{0}` drifts apart here", "`{0}` 从这里开始不一致")
DRIFTED = Text("{0} is not the same on all ranks", "{0} 在各进程上不同")
EQUAL = Text("The parameters are the same on {0}", "参数在{0}上都相同")
RAISED = Text("{0}: `{1}`", "{0}：`{1}`")
LINKED = Text("{0} collectives link {1} ranks", "{1} 个进程之间有 {0} 次集合通信")
LINKED_ONCE = Text("One collective links {0} ranks", "{0} 个进程之间有 1 次集合通信")
NOT_LINKED = Text("No collective links the {0} ranks", "{0} 个进程之间没有集合通信")
DRIFT_TABLE = Text("Where replicas differ", "副本的不同之处")
PARAMETER = Text("parameter", "参数")
AXIS_SAYS = Text(
    "Step {0} of {1}. {2} of {3} collectives so far.", "第 {0} 步，共 {1} 步。到此 {3} 次集合通信中的 {2} 次。"
)
DIFFERS_BETWEEN_RANKS = Text("differs between ranks", "各进程不同")
KEYS_OF_RANKS = (
    (Text("← →", "← →"), Text("previous and next step of all ranks", "所有进程的上一步、下一步")),
    (
        Text("Shift+← Shift+→", "Shift+← Shift+→"),
        Text("to the next collective or difference", "跳到下一次集合通信或不同之处"),
    ),
    (Text("Home End", "Home End"), Text("first and last step", "第一步、最后一步")),
    (Text("Space - +", "空格 - +"), Text("play or pause, slower, faster", "播放或暂停、减慢、加快")),
    (Text("E", "E"), Text("step by event or by line", "按事件或按行逐步查看")),
    (Text("Tab", "Tab"), Text("from panel to panel", "在面板之间移动")),
    (Text("F", "F"), Text("present: fill the screen", "演示：铺满屏幕")),
    (Text("? Esc", "? Esc"), Text("this list; close, leave", "此列表；关闭、离开")),
)
"""What the keys do: (keys separated by blanks, their effect)."""
