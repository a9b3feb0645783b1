"""The text of the player around the panels: its controls, its keys, its dialogs."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab_widgets.words import BACKWARD, FORWARD, UPDATE

PLAYER = {
    "region": Text("Stepper: {title}", "逐步查看：{title}"),
    "toolbar": Text("Step through the recording", "逐步查看这份记录"),
    "first": Text("First step (Home)", "第一步（Home）"),
    "previous": Text("Previous step (Left)", "上一步（←）"),
    "next": Text("Next step (Right)", "下一步（→）"),
    "last": Text("Last step (End)", "最后一步（End）"),
    "into": Text(
        "Step into a function, or into the events of a statement (I; back: Shift+I)",
        "步入：进入函数，或进入语句中的各个事件（I；后退：Shift+I）",
    ),
    "over": Text(
        "Step over: to the next statement of this function, or of its caller (O; back: Shift+O)",
        "步过：到本函数的下一条语句，或回到调用者（O；后退：Shift+O）",
    ),
    "out": Text(
        "Step out: to the caller of this function, or to the whole statement (U; back: Shift+U)",
        "步出：回到本函数的调用者，或回到整条语句（U；后退：Shift+U）",
    ),
    "play": Text("Play (Space)", "播放（空格）"),
    "pause": Text("Pause (Space)", "暂停（空格）"),
    "slider": Text("Step", "步"),
    "waiting": Text(
        "The other steps are still to come: the kernel sends them as soon as it is free.",
        "其余步骤尚未送达：内核一有空就会发送。",
    ),
    "iteration": Text("{name} {number}", "{name} 第 {number} 次"),
    "iteration_of": Text("{name} {number} of {count}", "{name} 第 {number}/{count} 次"),
    "position": Text("step {step} of {steps}", "第 {step} 步，共 {steps} 步"),
    "at_line": Text("line {line}", "第 {line} 行"),
    "forward": FORWARD,
    "backward": BACKWARD,
    "update": UPDATE,
    "code": Text("Code", "代码"),
    "all_lines": Text("⋮ all {count} lines", "⋮ 全部 {count} 行"),
    "fewer_lines": Text("⋮ fewer lines", "⋮ 只看几行"),
    "storages": Text("Memory: storages and tensors", "内存：存储与张量"),
    "more_0": Text("other storages: {count}", "其余存储：{count} 个"),
    "more_1": Text("storages: +{count}", "存储：+{count}"),
    "more_2": Text("+{count}", "+{count}"),
    "graph": Text("Graph", "反向图"),
    "lanes": Text("Versions", "版本"),
    "zoom_out": Text("− {name}", "− {name}"),
    "memory": Text("Bytes", "字节"),
    "history": Text("Versions and bytes", "版本与字节"),
    "elements": Text("Elements", "元素"),
    "picture": Text("Picture", "图"),
    "views": Text("Views", "视图"),
    "tables": Text("Read as a table", "以表格阅读"),
    "language": Text("中文", "English"),
    "language_hint": Text("Switch to Chinese", "切换到英文"),
    "keys": Text("← → step · ? all keys", "← → 走一步 · ? 全部按键"),
    "mode_event": Text("by event", "按事件"),
    "mode_line": Text("by statement", "按语句"),
    "mode_event_hint": Text("every event is a step (E)", "每个事件为一步（E）"),
    "mode_line_hint": Text("every statement is a step (E)", "每条语句为一步（E）"),
    "position_by_line": Text("statement {step} of {steps}", "第 {step} 条语句，共 {steps} 条"),
    "to_failing_line": Text("✗ Line {line} fails: to step {step}", "✗ 第 {line} 行出错：转到第 {step} 步"),
    "to_failure": Text("✗ This fails: to step {step}", "✗ 程序出错：转到第 {step} 步"),
    "show_fix": Text("Show it fixed", "查看改法"),
    "fixed_program": Text("The fixed program", "改好的程序"),
    "copy": Text("Copy", "复制"),
    "copied": Text("Copied", "已复制"),
    "adopt": Text("Put it into the editor and run", "放入编辑器并运行"),
    "share": Text("Share this step…", "分享这一步…"),
    "pace": Text("{count}/s: how many steps in a second (- +)", "{count}/秒：每秒走几步（- +）"),
    "speed": Text("{count}/s", "{count}/秒"),
    "present": Text("Present: fill the screen (F)", "演示：铺满屏幕（F）"),
    "help": Text("Keys (?)", "按键（?）"),
    "help_title": Text("Keys", "按键"),
    "marks_title": Text("Marks of slots", "槽位的标记"),
    "close": Text("Close", "关闭"),
    "keepers": Text("What backward keeps of {storage}: {count}", "反向传播对 {storage} 的保存：{count} 项"),
}

KEYS = (
    (Text("← →", "← →"), Text("previous and next step", "上一步、下一步")),
    (Text("Shift+← Shift+→", "Shift+← Shift+→"), Text("to the next important step", "跳到下一个重要步骤")),
    (Text("PgUp PgDn", "PgUp PgDn"), Text("forward, backward, forward …", "前向、反向等各阶段之间")),
    (Text("Home End", "Home End"), Text("first and last step", "第一步、最后一步")),
    (Text("Space - +", "空格 - +"), Text("play or pause, slower, faster", "播放或暂停、减慢、加快")),
    (Text("E", "E"), Text("step by event or by statement", "按事件或按语句逐步查看")),
    (Text("Tab", "Tab"), Text("from panel to panel", "在面板之间移动")),
    (Text("↑ ↓", "↑ ↓"), Text("from item to item inside a panel", "在面板内的对象之间移动")),
    (
        Text("Enter", "Enter"),
        Text(
            "select it, as a click does; a version: to the step that raised it; a pin: to its node, or to a list of many",
            "选中（与单击相同）；版本号：跳到使它增加的那一步；保存标记：转到其节点，多个时列出清单",
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
    (
        Text("[ ] W", "[ ] W"),
        Text(
            "from a selected number back to its origins, on to what it flowed into; its life, and what a gradient is made of",
            "从选中的数回到其来源、前往其去向；查看它的经历，以及梯度由什么组成",
        ),
    ),
    (Text("+ −", "+ −"), Text("in Graph: into a box, out again", "在“反向图”中：展开方框、收起")),
    (Text("G L T", "G L T"), Text("graph, versions and bytes, elements", "反向图、版本与字节、元素")),
    (
        Text("↑ ↓ Enter", "↑ ↓ Enter"),
        Text(
            "in the code: from line to line, and to the step of a line, again to its next",
            "在代码中：在各行之间移动，跳到该行的那一步，再按则到下一次",
        ),
    ),
    (Text("Tab ← →", "Tab ← →"), Text("among the key steps: from one to the next", "在关键步骤上：逐个移动")),
    (Text("P", "P"), Text("predict what a step does before it is shown", "先预测，再显示每一步")),
    (Text("F", "F"), Text("present: fill the screen", "演示：铺满屏幕")),
    (Text("? Esc", "? Esc"), Text("this list; close, deselect, leave", "此列表；关闭、取消选择、离开")),
)
"""What the player's keys do: (keys separated by blanks, their effect)."""

_WITHOUT_GRADIENTS: dict[str, tuple[Text, Text] | None] = {
    "PgUp PgDn": None,
    "+ −": None,
    "Enter": (
        Text("Enter", "Enter"),
        Text(
            "select it, as a click does; a number of writes: to the step that wrote last",
            "选中（与单击相同）；写入次数：跳到最后一次写入的那一步",
        ),
    ),
    "G L T": (Text("L T", "L T"), Text("writes seen and bytes, elements", "写入次数与字节、元素")),
}
KEYS_WITHOUT_GRADIENTS = tuple(row for each in KEYS if (row := _WITHOUT_GRADIENTS.get(each[0].en, each)) is not None)
"""The same for a framework without gradients: there is no graph, nothing is saved, and inplacelab counts the writes."""

STORY = {
    "story": Text("Key steps", "关键步骤"),
    "story_made": Text("made", "创建"),
    "story_viewed": Text("viewed", "视图"),
    "story_kept": Text("kept", "保存"),
    "story_written": Text("written", "写入"),
    "story_stale": Text("stale", "过期"),
    "story_gradient": Text("gradient", "梯度"),
    "story_refused": Text("refused", "被拒绝"),
}
"""What happens at the key steps: for each role of `scene.key_steps` a word."""

PLACES = {
    "sources": Text("Texts of the program", "程序的文件与单元格"),
    "calls": Text("Calls that led here", "调用链"),
    "calls_between": Text("… {count} calls …", "… {count} 层调用 …"),
    "calls_left_out": Text("… {count} calls left out …", "… 略去 {count} 层调用 …"),
    "calls_left_out_why": Text("So deep a chain of calls is not recorded as a whole.", "调用链过深，没有全部记录。"),
    "calls_unfold": Text("Show all calls", "显示全部调用"),
}
"""The text of a player whose program has functions, or several texts."""

SOURCES = {
    "previous": Text("Previous step in this text, or in a caller (Left)", "当前文件或其调用者中的上一步（←）"),
    "next": Text("Next step in this text, or in a caller (Right)", "当前文件或其调用者中的下一步（→）"),
    "to_failing_place": Text("✗ {place} fails: to step {step}", "✗ {place} 出错：转到第 {step} 步"),
    "predict_next_place": Text("Next: {place}", "接下来：{place}"),
    "path_overwrote_at": Text("{place} overwrote the kept value", "{place} 覆盖了保存的值"),
    "link_places": Text("written by {lines}", "由 {lines} 写入"),
}
"""The text of one whose program has several texts: a line is not enough to say where something happened."""

KEYS_OF_SIZES = (
    Text("I O U", "I O U"),
    Text(
        "into a function or the events of a statement, over them, out again; with Shift: the same backwards",
        "步入函数或语句中的各个事件、步过、步出；加 Shift 则反向",
    ),
)
"""The keys for the three sizes of steps, in a program with functions or with statements of several events."""

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
    "link_value": Text("value {value}", "值 {value}"),
    "link_slot": Text("slot {slot} of {storage}, read as {elements}", "{storage} 的槽位 {slot}，被读作 {elements}"),
    "link_unread": Text("slot {slot} of {storage}, read by no tensor", "{storage} 的槽位 {slot}，没有张量读取"),
    "link_shared": Text("shared with {elements}", "与 {elements} 共享"),
    "link_more": Text(" and {count} more", " 等，另有 {count} 个"),
    "link_kept": Text("kept by {nodes}", "保存者：{nodes}"),
    "link_line": Text("written by line {lines}", "由第 {lines} 行写入"),
    "link_lines": Text("written by lines {lines}", "由第 {lines} 行写入"),
    "link_hint": Text("Point at a slot to see everything that shares it.", "指向一个槽位，与它共享的都会亮起。"),
    "comma": Text(", ", "、"),
    "clause": Text(", ", "，"),
    "colon": Text(": ", "："),
    "semicolon": Text(" · ", " · "),
}

# --- predict mode ----------------------------------------------------------------------------------------------------

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

# --- the dialog that shares a step -----------------------------------------------------------------------------------

SHARE = {
    "share_title": Text("Share step {step}", "分享第 {step} 步"),
    "copy_link": Text("Copy link to this step", "复制这一步的链接"),
    "link_of_file": Text(
        "This page is a file, so the link works only on this computer. To share it, send the file and the end of the link.",
        "此网页是本地文件，链接只在这台电脑上有效；分享给他人时，请发送该文件和链接的结尾部分。",
    ),
    "no_link": Text(
        'A step in a notebook has no link. Write a page with stepper.to_html("page.html"), and share from there.',
        '笔记本中的步没有链接，网页中有：用 stepper.to_html("page.html") 保存网页，再在网页中分享。',
    ),
    "save_picture": Text("Save picture (PNG)", "保存图片（PNG）"),
    "saved_as": Text("Saved as {name}", "已保存为 {name}"),
    "picture_refused": Text(
        "This browser could not draw the picture. In a terminal: inplacelab share program.py --card card.png",
        "此浏览器无法绘制图片。可在终端中执行：inplacelab share program.py --card card.png",
    ),
    "copy_markdown": Text("Copy as Markdown", "复制为 Markdown"),
    "copy_refused": Text(
        "The browser did not allow copying. The text below is selected: Ctrl+C (⌘C) copies it.",
        "浏览器不允许复制。下面的文本已选中，可按 Ctrl+C（⌘C）复制。",
    ),
    "to_copy": Text("Text to copy", "要复制的文本"),
    "no_gif": Text(
        'An animation (GIF) of all steps: inplacelab share program.py --gif steps.gif, or stepper.to_gif(path="steps.gif")',
        '所有步的动图（GIF）：inplacelab share program.py --gif steps.gif，或 stepper.to_gif(path="steps.gif")',
    ),
    "this_step": Text("this step", "这一步"),
    "colon": Text(": ", "："),
}

# --- where a number comes from ---------------------------------------------------------------------------------------

ORIGINS = {
    "origins": Text("Where this number comes from", "这个数从哪里来"),
    "origins_hint": Text(
        "[ back to its origins · ] on to what it flowed into · W its life", "[ 回到来源 · ] 前往去向 · W 查看经历"
    ),
    "origins_none": Text("Select a slot or an element first.", "请先选中一个槽位或元素。"),
    "origins_end": Text("Nothing further back.", "再往前没有了。"),
    "origins_last": Text("It has flowed into nothing.", "它没有流入任何地方。"),
    "origins_back": Text("{count} back: {says}", "往前 {count} 步：{says}"),
    "origins_into": Text("flowed into: {says}", "流入：{says}"),
    "origins_more": Text(" · and {count} more", " · 另有 {count} 个"),
    "origins_from": Text("From", "来源"),
    "origins_to": Text("Flowed into", "流入"),
    "origins_paths": Text("What the gradient is made of", "梯度由什么组成"),
    "life": Text("The slot's life", "槽位的经历"),
    "life_step": Text("step", "步"),
    "right_path": Text("right path: {path}", "正确的路径：{path}"),
    "used_path": Text("path that was used: {path}", "实际所用的路径：{path}"),
    "life_kinds": Text(
        "made|written|read|kept|overwritten while kept|found stale", "产生|写入|读取|保存|保存期间被覆盖|发现已过期"
    ),
    "life_of": Text("Life of slot {slot} of {storage}", "{storage} 第 {slot} 号槽位的经历"),
    "life_lines": Text("below: lines of the program", "下方：程序的行号"),
    "path_more": Text("and {count} more paths: W lists them", "另有 {count} 条路径：按 W 列出"),
    "path_overwrote": Text("line {line} overwrote the kept value", "第 {line} 行覆盖了保存的值"),
    "path_right": Text("right", "正确"),
    "path_used": Text("used", "实际"),
    "large": Text(
        "{storages}: more than {most} slots. Origins are told by rule, for all elements together.",
        "{storages} 的槽位多于 {most} 个，只按规则说明全部元素的来源。",
    ),
    "left_out": Text(
        "Origins of the first {most} numbers only; {left} are left out.", "只显示前 {most} 个数的来源，略去 {left} 个。"
    ),
    "paths_left_out": Text(
        "Paths of gradients are shown for the first {most} elements only.", "只显示前 {most} 个梯度元素的路径。"
    ),
}
