"""American spelling, as the frameworks' names have it (`optimizer`, `normalize`), in everything that a user reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.sources import nodes_of

ROOT = Path(__file__).parents[2]
BRITISH = re.compile(
    r"\b(?:\w*(?:optimis|normalis|initialis|synchronis|serialis|organis|recognis|summaris|specialis|visualis|minimis|maximis)"
    r"\w*|(?:colour|neighbour|behaviour|favour|fibre)\w*|centre[ds]?|grey|labelled|modelled|cancelled|licences?|judgements?)\b",
    re.IGNORECASE,
)
PAGES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "en").rglob("*.md")),
    *sorted((ROOT / "notebooks").glob("*.md")),
    *sorted((ROOT / "notebooks" / "lessons").glob("*.md")),
    *sorted((ROOT / "inplacelab").rglob("*.toml")),
]
MODULES = sorted(
    path for folder in ("inplacelab", "widgets", "docs", "notebooks") for path in (ROOT / folder).rglob("*.py")
)
pytestmark = pytest.mark.lint
NAMES = re.compile(r"`[^`]*`|```.*?```|\(#[^)]*\)|id=\"[^\"]*\"|\w+\.normalised\(\)", re.DOTALL)
"""Code and addresses, in which a name stays as it is."""


def british(text: str) -> list[str]:
    return BRITISH.findall(NAMES.sub("", text))


def texts(path: Path) -> Iterator[str]:
    """The docstrings of a module, and the English of each `Text(en, zh)`."""
    for node in nodes_of(path):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            yield ast.get_docstring(node) or ""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Text" and node.args:
            for part in ast.walk(node.args[0]):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


def test_a_word_is_found() -> None:
    assert british("the colour of `neighbour` in gray") == ["colour"]
    assert british("An optimiser normalises. An optimizer normalizes.") == ["optimiser", "normalises"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages(page: Path) -> None:
    assert british(page.read_text(encoding="utf-8")) == []


def test_the_texts_and_docstrings_of_the_program() -> None:
    found = {path.relative_to(ROOT).as_posix(): british("\n".join(texts(path))) for path in MODULES}
    assert len(found) > 200
    assert {name: words for name, words in found.items() if words} == {}
