"""The words of the site's own pages, in both languages."""

from __future__ import annotations

from inplacelab.language import Text

PLAYGROUND: dict[str, Text] = {
    "title": Text("inplacelab playground", "inplacelab 演练场"),
    "home": Text("What inplacelab is, the course and the documentation", "inplacelab 简介、课程与文档"),
    "playground": Text("playground", "演练场"),
    "example": Text("Example", "示例"),
    "own_program": Text("– your own program –", "—— 自己的程序 ——"),
    "names": Text("Names", "命名"),
    "share": Text("Share", "分享"),
    "embed": Text("Embed", "嵌入"),
    "theme": Text("Light or dark", "浅色或深色"),
    "close": Text("Close", "关闭"),
    "program": Text("Program. Escape, then Tab leaves the editor.", "程序。先按 Escape 再按 Tab 可离开编辑器。"),
    "picture": Text("Picture", "图"),
    "output": Text("Output", "输出"),
    "run": Text("Run", "运行"),
    "stop": Text("Stop", "停止"),
    "loading": Text(
        "Python is loading. You can already read, step and edit.", "正在加载 Python。现在就可以阅读、逐步查看和编辑。"
    ),
    "loading_to_run": Text("Your program runs as soon as Python is loaded …", "Python 加载完成后立即运行程序……"),
    "ready": Text("Python is ready.", "Python 已就绪。"),
    "running": Text("Running …", "正在运行……"),
    "fetching": Text("Loading {name}, which this program needs …", "正在加载该程序需要的 {name}……"),
    "ran": Text(
        "Done: {steps} steps. ← and → step; Escape leads back to the editor.",
        "运行完毕，共 {steps} 步。用 ← 和 → 逐步查看；按 Escape 回到编辑器。",
    ),
    "syntax": Text(
        "This is not a Python program yet: see the marked line.", "这还不是合法的 Python 程序：请看标出的行。"
    ),
    "stopped": Text("Stopped. Python starts again.", "已停止。Python 正在重新启动。"),
    "failed": Text(
        "Python could not be loaded. Check the connection, then press Run. ({reason})",
        "无法加载 Python。请检查网络连接，然后按“运行”。（{reason}）",
    ),
    "press_run": Text(
        "Run loads Python, and then you can change the program.", "按“运行”会加载 Python，之后可以修改程序。"
    ),
    "empty": Text(
        "Run the program to see what it does: storages, views, versions and the gradient graph, step by step.",
        "运行程序，逐步查看它做了什么：存储、视图、版本与反向图。",
    ),
    "still": Text(
        "This picture came with the link. Run the program to step through it.",
        "这张图来自链接。运行程序后可以逐步查看。",
    ),
    "still_alt": Text("The picture that came with the link.", "链接附带的图。"),
    "from_link": Text(
        "This program came with a link. It has not been run; read it, then press Run.",
        "此程序来自链接，尚未运行。请先阅读，再按“运行”。",
    ),
    "link_long": Text(
        "The link's program is too long (60 kB at most), so it was not opened.",
        "链接中的程序过长（最多 60 kB），因此没有打开。",
    ),
    "link_damaged": Text(
        "The link's program is damaged: perhaps its end was cut off. Ask for the link again.",
        "链接中的程序已损坏，可能是末尾被截断了。请重新索取链接。",
    ),
    "share_title": Text("A link to this program and step", "指向此程序与此步的链接"),
    "share_note": Text(
        "The link holds the program itself; nothing is stored on a server. The person who opens it decides whether to run it.",
        "链接中包含程序本身，不在服务器上保存任何内容。打开链接的人自行决定是否运行。",
    ),
    "embed_title": Text("Embed in slides or a course", "嵌入幻灯片或课程"),
    "embed_note": Text(
        "Paste this into a page: it shows the picture, and Run makes it a playground.",
        "把下面的代码粘贴到网页中：它会显示图；按“运行”后成为可修改的演练场。",
    ),
    "frame_title": Text("inplacelab: a program, step by step", "inplacelab：逐步查看程序"),
    "with_picture": Text(
        "with its picture, which is seen before Python is loaded", "附带图，在 Python 加载之前即可看到"
    ),
    "characters": Text("{count} characters", "{count} 个字符"),
    "copy": Text("Copy", "复制"),
    "copied": Text("Copied", "已复制"),
    "copy_by_hand": Text("The text is selected: Ctrl+C (⌘C) copies it.", "文本已选中，可按 Ctrl+C（⌘C）复制。"),
}
"""Words of the playground, by the key that its JavaScript uses."""

FRONT: dict[str, Text] = {
    "lead": Text(
        "Write tensor code with in-place operations, and see what happened: storages, views, versions, the graph.",
        "编写带原地操作的张量代码，看清发生了什么：存储、视图、版本与反向图。",
    ),
    "nothing": Text(
        "Nothing to install: everything here runs in your browser.", "无需安装：这里的一切都在浏览器中运行。"
    ),
    "shows": Text(
        "t = m.t() and row = t[1] share the storage of m, so one write, row.scale_(10.), changed three tensors",
        "t = m.t() 和 row = t[1] 共享 m 的存储，因此一次写入 row.scale_(10.) 改变了三个张量",
    ),
    "step_it": Text("Step through this program", "逐步查看这个程序"),
    "playground": Text("Playground", "演练场"),
    "playground_says": Text(
        "Type a program, press Ctrl-Enter, step through it. Share it as a link.",
        "输入程序，按 Ctrl-Enter，逐步查看；可以用链接分享。",
    ),
    "course": Text("Course", "课程"),
    "course_says": Text(
        "Nineteen lessons as notebooks, with questions and exercises. Progress is kept in this browser.",
        "十九课，每课一个笔记本，附有问题与练习。进度保存在此浏览器中。",
    ),
    "docs": Text("Documentation", "文档"),
    "docs_says": Text(
        "How-to pages, the reference, and a gallery of programs to step through.",
        "操作指南、参考手册，以及可以逐步查看的示例库。",
    ),
    "source": Text("Source code", "源代码"),
}
"""Words of the first page."""

COURSE: dict[str, Text] = {
    "no_compiler": Text(
        "In a browser there is no C++ compiler, so this cell fails here. On your machine: make lab",
        "浏览器中没有 C++ 编译器，因此该单元格在这里会失败。请在自己的电脑上运行：make lab",
    ),
    "no_gpu": Text(
        "In a browser there is no GPU: this cell uses a simulated one, which counts bytes and computes on the processor.",
        "浏览器中没有 GPU：该单元格使用模拟的 GPU，它计算字节数，并在处理器上运算。",
    ),
}
"""What the lessons say where Pyodide cannot run them. Of MPI `%%ranks` itself says that it does not run in a browser."""
