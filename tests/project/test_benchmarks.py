"""Tests that each benchmark's `--help` describes what it measures, and measures nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BENCHMARKS = sorted(path.stem for path in (ROOT / "benchmarks").glob("*.py") if "__main__" in path.read_text("utf-8"))


@pytest.mark.standard
@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_answers_when_it_is_asked_for_help(name: str) -> None:
    asked = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), "--help"]
    if f"python -m benchmarks.{name}" in (ROOT / "benchmarks" / f"{name}.py").read_text("utf-8"):
        asked = [sys.executable, "-m", f"benchmarks.{name}", "--help"]
    answer = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.startswith("usage:")
