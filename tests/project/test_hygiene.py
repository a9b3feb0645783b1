"""Nothing in the repository belongs to one machine, or is unfinished."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

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

# Each begins with its first letter, and looks back after that: so the search leaps from one such letter to the next.
PERSONAL_PATH = re.compile(r"/(?<![\w./]/)(?:home|root|tmp|Users|work)/\w")
UNFINISHED = re.compile(r"[TFX](?<!\w\w)(?:(?<=T)ODO|(?<=F)IXME|(?<=X)XX)\b")
CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
ADDRESS = re.compile(r"https?://")
WHERE_IT_IS_KEPT = re.compile(r'^Repository = "https://github\.com/[\w-]+/[\w-]+"$', re.MULTILINE)
LARGEST = 1_500_000


def repository_files() -> list[Path]:
    listing = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        names = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split("\0")
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("needs git, and to run in a clone")
    return [path for name in names if name and (path := ROOT / name).is_file()]


def lines_with(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    texts = ((path, path.read_text(encoding="utf-8")) for path in paths if path.suffix in TEXT)
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path, text in texts
        if pattern.search(text)  # at once: a look at each of a million lines takes seconds
        for number, line in enumerate(text.splitlines(), start=1)
        # Letters that stand for the bytes of a picture make any word now and then.
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
