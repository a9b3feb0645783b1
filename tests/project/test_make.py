"""Tests the Makefile on machines without a screen, or without a usable Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.standard, pytest.mark.skipif(shutil.which("make") is None, reason="needs make")]


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    # The settings of a make that runs these tests may have no effect.
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MAKE") and k != "MFLAGS"}
    return subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory", *arguments],
        env=kept,
        capture_output=True,
        text=True,
        check=False,
    )


def python_that(tmp_path: Path, script: str) -> str:
    path = tmp_path / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_help_names_every_command() -> None:
    said = make("help").stdout
    phony = next(line for line in (ROOT / "Makefile").read_text("utf-8").splitlines() if line.startswith(".PHONY:"))
    assert [target for target in phony.split()[1:] if f"make {target} " not in said] == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_lab_copies_the_lessons_and_opens_them(language: str) -> None:
    last = make("--dry-run", "lab", f"LESSONS={language}").stdout.splitlines()[-1]
    assert last.endswith(f"python -m inplacelab lab --lang {language}")


def test_who_waits_for_the_lessons_sees_what_is_installed(tmp_path: Path) -> None:
    installs = {
        target: make("--dry-run", target, f"VENV={tmp_path}/venv")
        .stdout.split("Installing", 1)[1]
        .split("pip install", 1)[1]
        .split("\n")[0]
        for target in ("lab", "unit")
    }
    assert {target for target, options in installs.items() if "--quiet" in options} == {"unit"}


def test_a_machine_without_python_gets_the_install_hint(tmp_path: Path) -> None:
    result = make("lab", "PYTHON=", f"VENV={tmp_path}/venv")
    assert result.returncode != 0
    assert "Python 3.11 or newer" in result.stdout


def test_a_python_without_venv_gets_the_install_hint(tmp_path: Path) -> None:
    result = make("lab", f"PYTHON={python_that(tmp_path, 'exit 1')}", f"VENV={tmp_path}/venv")
    assert result.returncode != 0
    assert "apt-get install python3-venv" in result.stdout


def test_a_virtual_environment_that_could_not_be_made_is_not_left_half_made(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    python = python_that(
        tmp_path, f'case "$*" in *"-m venv"*) mkdir -p {venv}/bin && touch {venv}/bin/python && exit 1 ;; esac'
    )
    assert make("lab", f"PYTHON={python}", f"VENV={venv}").returncode != 0
    assert not venv.exists()
