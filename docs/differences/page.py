"""The page of differences as Markdown, in one language."""

from __future__ import annotations

from differences import versions
from inplacelab.language import Text, speak
from inplacelab.lessons.differences import (
    OPENINGS,
    TITLE,
    Chapter,
    block,
    counts,
    every,
    load,
    names,
    show,
    table,
    verdicts,
)
from inplacelab.listing import Group, Listing

PAGES = {"en": "DIFFERENCES.md", "zh": "DIFFERENCES.zh-CN.md"}
"""Each language's page, and so each page's language."""

_OTHER = Text("[中文](DIFFERENCES.zh-CN.md)", "[English](DIFFERENCES.md)")
_ABOUT = Text(
    "{number} small programs on which the frameworks differ, run in {inplacelab}, {paddle} and {torch} on the CPU. If a program has a `loss`, it asks for the gradient "
    "of the leaf `a`, and the answers are judged by a finite difference of the program's values. If it has an `answer`, "
    "the answers are shown side by side. Every refusal that PyTorch does not make, and every deliberate difference from Paddle, "
    "is listed with its reason.",
    "{number} 个各框架答案不同的小程序，分别在 {inplacelab}、{paddle} 与 {torch} 中于 CPU 上运行。给出 `loss` 的程序，求叶子张量 `a` 的梯度，"
    "并与有限差分比较；给出 `answer` 的程序，并列三家的结果。inplacelab 拒绝而 PyTorch 不拒绝的，以及有意与 Paddle 不同的，都说明理由。",
)
_MADE = Text(
    " This page is written by `python docs/write_differences.py` from recorded answers; the tests run every program again.",
    "本页由 `python docs/write_differences.py` 根据记录的答案生成；测试会重新运行每一个程序。",
)
_SUMMARY = Text("In numbers", "统计")
_JUDGED = Text(
    "Programs that ask for a gradient (without the last chapter, whose programs leave the history on purpose):",
    "在求梯度的程序中（不计最后一章，那里的程序主动脱离历史）：",
)
_OPENING = Text("Every program begins with", "每个程序都以下面两行开始")
_DTYPES = Text(
    "With `float32` in place of `float64` the frameworks differ in the same way, unless an entry names its dtype.",
    "把 `float64` 换成 `float32`，各框架的差异依旧；只在一种数据类型下才有的差异，条目会注明。",
)
ALL = Text("All programs", "全部程序")
"""The heading of the tables of all programs, in short."""


def page(language: str) -> str:
    """The whole page in `language` ("en" or "zh"), from the data of the lessons."""
    chapters = load().chapters
    with speak(language):
        parts = [
            f"# {TITLE}\n",
            f"{_OTHER}\n",
            f"{_about()}{_MADE}\n",
            f"## {_SUMMARY}\n",
            *_tables(counts()),
            f"{_JUDGED}\n",
            *_tables(verdicts()),
            f"{_OPENING}\n",
            *map(block, OPENINGS.values()),
            f"{_DTYPES}\n",
            f"## {versions.TITLE}\n",
            f"{versions.ABOUT}\n",
            block(versions.OPENING),
            *_tables(versions.table()),
            f"{versions.NOTES}\n",
            f"## {ALL}\n",
        ]
        return "\n".join([*parts, *map(_listed, chapters), *map(_in_full, chapters)])


def _about() -> Text:
    return _ABOUT.format(number=len(list(every())), **names())


def _tables(listing: Listing) -> list[str]:
    return [f"{each}\n" for each in listing.tables()]


def _listed(chapter: Chapter) -> str:
    """The chapter's entries in short; each leads to its place on the page."""
    listing = table(chapter=chapter.key)
    (group,) = listing.groups
    rows = [
        (f"[{each.heading}](#{each.key})", *row[1:]) for each, row in zip(chapter.differences, group.rows, strict=True)
    ]
    (written,) = _tables(Listing(chapter.title, listing.heads, [Group(None, rows)]))
    return f"### {chapter.title}\n\n{written}"


def _in_full(chapter: Chapter) -> str:
    entries = [f'<a id="{each.key}"></a>\n\n{show(each.key, alone=False)}' for each in chapter.differences]
    return "\n".join([f"## {chapter.title}\n\n{chapter.why}\n", *entries])
