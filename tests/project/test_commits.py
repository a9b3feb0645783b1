"""Subjects of commits: one line that `git log --oneline` shows whole."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BEFORE = "d6328948fd46"
"""The last commit whose subject nobody compared with anything."""
LONGEST = 72

pytestmark = pytest.mark.lint


def subjects() -> list[str]:
    listing = ["git", "-C", str(ROOT), "log", "--no-merges", "--max-count=300", "--format=%h %s", f"{BEFORE}..HEAD"]
    try:
        return subprocess.run(listing, check=True, capture_output=True, text=True).stdout.splitlines()
    except (FileNotFoundError, subprocess.CalledProcessError):
        pytest.skip("needs git, and a clone with its history")


def test_subjects_are_short() -> None:
    assert [each for each in subjects() if len(each.partition(" ")[2]) > LONGEST] == []
