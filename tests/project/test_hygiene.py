"""Tests that the repository has no paths of a machine, and no unfinished text."""

from __future__ import annotations

import ast
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.project.sources import text_of

ROOT = Path(__file__).parents[2]
TEXT = {
    ".cff",
    ".cfg",
    ".css",
    ".ipynb",
    ".js",
    ".json",
    ".md",
    ".mjs",
    ".py",
    ".pyi",
    ".svg",
    ".toml",
    ".txt",
    ".yaml",
    ".yml",
    "",
}

# Each pattern begins with a literal letter and looks back after it, so the search jumps from one such letter to the next.
PERSONAL_PATH = re.compile(r"/(?<![\w./]/)(?:home|root|tmp|Users|work)/\w")
UNFINISHED = re.compile(r"[TFX](?<!\w\w)(?:(?<=T)ODO|(?<=F)IXME|(?<=X)XX)\b")
CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
ADDRESS = re.compile(r"https?://")
WHERE_IT_IS_KEPT = re.compile(
    r'^(?:Repository|Changelog|Documentation|Issues|Playground|"First lesson") = "https://', re.MULTILINE
)
LARGEST = 1_500_000


ODD = re.compile(
    r"\b(?:mend(?:ed|ing)|wish(?:es|ed)|whoever|without a word|of which nothing is said|(?:is|are) to be (?:\w+ed|made|shown|written)"
    r"|goes by itself|of one's own|held against|for Paddle's sake|anew|in the place of|looks after|hands on)\b",
    re.IGNORECASE,
)
"""Phrases that slow a reader down. Each has a plainer one: fix, option, any, silently, must be, custom, compared with, again."""


pytestmark = pytest.mark.lint


@cache
def repository_files() -> list[Path]:
    listing = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        names = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split("\0")
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("needs git, and to run in a clone")
    return [path for name in names if name and (path := ROOT / name).is_file()]


def lines_with(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    texts = ((path, text_of(path)) for path in paths if path.suffix in TEXT)
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path, text in texts
        if pattern.search(text)  # at once: a look at each of a million lines takes seconds
        for number, line in enumerate(text.splitlines(), start=1)
        # Base64 text of a picture may contain any word by chance.
        if pattern.search(line) and not line.lstrip().startswith('"image/png":')
    ]


def test_no_file_names_a_path_of_one_machine() -> None:
    assert lines_with(PERSONAL_PATH, repository_files()) == []


def test_nothing_is_marked_unfinished() -> None:
    elsewhere = [path for path in repository_files() if path != Path(__file__)]
    assert lines_with(UNFINISHED, elsewhere) == []


def test_no_merge_was_left_half_done() -> None:
    assert lines_with(CONFLICT, repository_files()) == []


def test_files_that_name_dependencies_name_no_registry() -> None:
    named = [
        path
        for path in repository_files()
        if path.suffix == ".toml" or "requirements" in path.name or path.name == "package.json"
    ]
    assert named
    assert lines_with(ADDRESS, named) == lines_with(WHERE_IT_IS_KEPT, [ROOT / "pyproject.toml"])


def test_files_that_are_marked_as_generated_exist() -> None:
    lines = (ROOT / ".gitattributes").read_text(encoding="utf-8").splitlines()
    patterns = [line.split()[0] for line in lines if line and not line.startswith("#")]
    names = [path.relative_to(ROOT) for path in repository_files()]
    assert patterns
    assert [pattern for pattern in patterns if not any(name.match(pattern) for name in names)] == []


def test_no_file_is_large() -> None:
    assert [path.name for path in repository_files() if path.stat().st_size > LARGEST] == []


def test_words_are_plain() -> None:
    """The lessons have their own editors, and this list is where the phrases may stand."""
    lessons = ROOT / "notebooks"
    paths = [path for path in repository_files() if path != Path(__file__) and lessons not in path.parents]
    assert lines_with(ODD, [path for path in paths if path.suffix != ".json"]) == []


def test_modules_named_in_the_docstring_of_a_package_exist() -> None:
    named = re.compile(r"(?<![\w/.*])[a-z_]+\.py\b")
    missing = []
    for package in sorted(ROOT.glob("inplacelab/**/__init__.py")):
        said = ast.get_docstring(ast.parse(package.read_text(encoding="utf-8"))) or ""
        prose = re.sub(r"```.*?```|`[^`]*`", "", said, flags=re.DOTALL)
        missing += [
            (package.parent.name, name) for name in named.findall(prose) if not (package.parent / name).exists()
        ]
    assert missing == []


@pytest.mark.parametrize("odd", ["It is to be shown.", "Whoever reads this", "drawn anew"])
def test_an_odd_phrase_is_found(odd: str) -> None:
    assert ODD.search(odd)
