"""The text of a comparison besides what differs."""

from __future__ import annotations

from inplacelab.language import Text

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
SIDES = Text("left and right", "左侧与右侧")
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
