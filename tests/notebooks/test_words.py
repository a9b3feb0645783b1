"""One Chinese word for one thing, in the lessons that have been edited for it and in the teacher's guide."""

from __future__ import annotations

from pathlib import Path

import pytest

import build
from claims import CLAIMS
from lesson_source import Prose, read_lesson

INSTEAD_OF = {"改写": "覆盖", "维度": "轴", "不花": "不占"}
"""Besides those of `tests/project/test_chinese_words.py`."""
EDITED = (
    "storage_and_views",
    "metadata_and_storage",
    "the_in_place_family",
    "half_the_memory",
    "in_place_and_versions",
    "in_place_in_real_training",
    "views_and_in_place_together",
    "aliases_that_bite",
    "debug",
    "your_own_operation",
    "what_a_gpu_does",
    "who_moves_how_many_bytes",
    "your_own_pytorch_program",
    "two_replicas",
    "batch_norm_across_workers",
    "i_use_in_place",
    "leaves",
    "saved_tensors_and_versions",
    "since_2_6",
    "how_much_can_you_save",
)
SOURCES = [source for source in build.lessons() if source.stem.split("_", 1)[1] in EDITED]
# The step from an English sentence to a Chinese one is not word for word; these uses are right.
ALLOWED = {"改写": ("改写第 3 行", "确实想改写参数")}


def test_the_edited_lessons_exist() -> None:
    assert len(SOURCES) == len(EDITED)


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_one_word_for_one_thing(source: Path) -> None:
    assert not_the_word("\n".join(block.zh for block in read_lesson(source) if isinstance(block, Prose))) == {}


def test_one_word_for_one_thing_in_the_guide_and_the_claims() -> None:
    guide = (build.HERE.parent / "docs/TEACHING.zh-CN.md").read_text(encoding="utf-8")
    claims = "\n".join(text for claim in CLAIMS for text in (claim.says.zh, claim.truth.zh))
    assert not_the_word(guide) == not_the_word(claims) == {}


def not_the_word(text: str) -> dict[str, str]:
    """Returns the words in a text that we do not use, each with the one that we do."""
    for word, rights in ALLOWED.items():
        for right in rights:
            text = text.replace(right, right.replace(word, ""))
    return {word: better for word, better in INSTEAD_OF.items() if word in text}


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_chinese_colons_are_full_width(source: Path) -> None:
    prose = [block.zh for block in read_lesson(source) if isinstance(block, Prose)]
    half = [line for text in prose for line in text.splitlines() if any(f"{c}:" in line for c in "。，了的是为")]
    assert half == []
