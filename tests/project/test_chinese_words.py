"""One Chinese word for one thing, in everything that a user reads. (Lessons have further words: `tests/notebooks/test_words.py`.)"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.sources import text_of

ROOT = Path(__file__).parents[2]
INSTEAD_OF = {
    "要求梯度": "需要梯度",
    "共用": "共享",
    "块存储": "个存储",
    "批量": "批次",
    "常量": "常数",
    "前向过程": "前向计算",
    "不花钱": "不占内存",
    "付出": "占用",
    "免费": "不占内存",
    "最紧张的": "占用最高的",
    "叶子拒绝": "叶子检查",
    "过期值拒绝": "版本检查",
    "显示着": "显示",
    "静默地": "悄悄",
    "无声": "悄悄",
    "单步": "逐步查看",
    "前向传播": "前向计算",
    "保留计算图": "保留反向图",
    "块新存储": "个新存储",
    "no_grad` 之下": "no_grad` 下",
    "no_grad` 之内": "no_grad` 下",
    "本软件包": "inplacelab",
    "同样的程序在": "用 PyTorch 写同样的程序",
}
FOLDERS = ("inplacelab", "widgets", "docs", "website", "notebooks", "binder")
SUFFIXES = {".py", ".md", ".toml", ".js", ".html", ".json"}
MADE = {"node_modules", "__pycache__", "build", "reference"}
"""Folders of files that others wrote, or that are made from these."""


pytestmark = pytest.mark.lint


def sources() -> Iterator[Path]:
    yield from ROOT.glob("*.zh*.md")
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and not MADE & {*path.relative_to(ROOT).parts} and path.stat().st_size < 2**20:
                yield path


def found_in(text: str) -> dict[str, str]:
    return {word: better for word, better in INSTEAD_OF.items() if word in text}


def test_a_word_is_found() -> None:
    assert found_in("两个名字共用一块存储") == {"共用": "共享", "块存储": "个存储"}


def test_the_texts_are_looked_at() -> None:
    looked_at = {path.relative_to(ROOT).as_posix() for path in sources()}
    assert {
        "README.zh.md",
        "inplacelab/errors/writes.toml",
        "inplacelab/recording/sentences/other_steps.py",
        "widgets/inplacelab_widgets/words/player.py",
        "docs/TEACHING.zh-CN.md",
        "docs/zh/step_a_cell.md",
        "notebooks/claims.py",
        "notebooks/lessons/glossary.md",
        "notebooks/lessons/01_storage_and_views.md",
    } <= looked_at


@pytest.mark.parametrize("folder", ["", *FOLDERS])
def test_one_word_for_one_thing(folder: str) -> None:
    wrong = {}
    for path in sources():
        parts = path.relative_to(ROOT).parts
        if (parts[0] if len(parts) > 1 else "") == folder and (found := found_in(text_of(path))):
            wrong["/".join(parts)] = found
    assert wrong == {}
