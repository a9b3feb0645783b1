"""The text of the dialog that shares a step, and of what it copies."""

from __future__ import annotations

from inplacelab.language import Text

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
