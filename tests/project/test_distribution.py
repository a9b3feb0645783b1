"""Tests the wheel: what a user gets who installs inplacelab without a clone."""

from __future__ import annotations

import runpy
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"inplacelab": ROOT / "inplacelab", "inplacelab_widgets": ROOT / "widgets" / "inplacelab_widgets"}
LESSONS = Path("lessons", "notebooks")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_file_of_both_packages(wheel: zipfile.ZipFile) -> None:
    for name, folder in PACKAGES.items():
        files = {p.relative_to(folder) for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts}
        packed = {Path(n).relative_to(name) for n in wheel.namelist() if n.startswith(f"{name}/")}
        assert {path for path in packed if not path.is_relative_to(LESSONS)} == files
        assert Path("py.typed") in packed


def test_the_wheel_holds_the_built_lessons_byte_by_byte(wheel: zipfile.ZipFile) -> None:
    notebooks = [path for language in ("en", "zh") for path in (ROOT / "notebooks" / language).glob("*.ipynb")]
    assert notebooks
    for path in notebooks:
        packed = Path("inplacelab") / LESSONS / path.relative_to(ROOT / "notebooks")
        assert wheel.read(packed.as_posix()) == path.read_bytes()


def test_an_editable_installation_gets_no_copy_of_the_lessons() -> None:
    """A copy would hide the current lessons."""
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))["Lessons"](str(ROOT), {}, None, None, "", "wheel")
    for version, packs in (("editable", False), ("standard", True)):
        build_data: dict[str, dict[str, str]] = {"force_include": {}}
        hook.initialize(version, build_data)
        assert bool(build_data["force_include"]) == packs


def test_the_wheel_holds_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {Path(name).parts[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_running_it_needs_numpy_only(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    lines = wheel.read(metadata).decode().splitlines()
    needed = [line for line in lines if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert [line.split(":")[1].split(">")[0].strip() for line in needed] == ["numpy"]
