"""Tests the Makefile on machines without a screen, or without a usable Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCREEN = ("DISPLAY", "WAYLAND_DISPLAY")

pytestmark = [pytest.mark.standard, pytest.mark.skipif(shutil.which("make") is None, reason="needs make")]


def make(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # Neither a screen nor the settings of a make that runs these tests may have an effect.
    kept = {k: v for k, v in os.environ.items() if k not in SCREEN and not k.startswith("MAKE") and k != "MFLAGS"}
    return subprocess.run(
        ["make", "-C", str(ROOT), "--no-print-directory", *arguments],
        env=kept | environment,
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
def test_lab_opens_a_lesson_that_exists(language: str) -> None:
    lesson = make("--dry-run", "lab", f"LESSONS={language}").stdout.split()[-1]
    assert (ROOT / lesson).is_file()
    assert f"/{language}/" in lesson


@pytest.mark.skipif(os.uname().sysname == "Darwin", reason="a Mac has a screen without saying so in the environment")
def test_a_browser_is_opened_only_where_there_is_a_screen() -> None:
    assert "--no-browser" in make("--dry-run", "lab").stdout
    assert "--no-browser" not in make("--dry-run", "lab", DISPLAY=":0").stdout


def test_only_root_gets_the_flag_that_allows_root() -> None:
    assert ("--allow-root" in make("--dry-run", "lab").stdout) == (os.getuid() == 0)


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
