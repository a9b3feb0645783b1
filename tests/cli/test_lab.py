"""Tests what `inplacelab lab` copies, prints and starts; the tests in `tests/e2e` start JupyterLab itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import pytest

from inplacelab.cli import lab, main
from inplacelab.installing import command, requirement
from inplacelab.lessons.delivery import RECORD

FIRST = "01_storage_and_views.ipynb"


class Process:
    """A substitute for a JupyterLab that is interrupted once, and then stopped."""

    started: list[tuple[list[str], Path]]
    environments: list[dict[str, str]]

    def __init__(self, command: list[str], cwd: Path, env: dict[str, str]) -> None:
        self.started.append((command, cwd))
        self.environments.append(env)
        self.interrupted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None: ...

    def wait(self) -> int:
        if not self.interrupted:
            self.interrupted = True
            raise KeyboardInterrupt
        return 3


@pytest.fixture
def trusted() -> list[Path]:
    return []


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trusted: list[Path]) -> list[tuple[list[str], Path]]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Process, "started", [], raising=False)
    monkeypatch.setattr(Process, "environments", [], raising=False)
    monkeypatch.setattr(lab, "_trust", lambda folder: trusted.append(folder))
    monkeypatch.setattr(lab, "write_kernel", lambda folder: None)
    monkeypatch.setattr(subprocess, "Popen", Process)
    monkeypatch.setattr(lab, "_require_jupyter", lambda: None)
    return Process.started


@pytest.mark.parametrize("language", ["en", "zh"])
def test_jupyterlab_is_opened_on_the_first_lesson_in_the_learners_folder(
    started: Any, trusted: list[Path], language: str
) -> None:
    assert main(["lab", "--lang", language, "--", "--port=9999"]) == 3
    ((command, folder),) = started
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert command[-2:] == [f"--LabApp.default_url=/lab/tree/{FIRST}", "--port=9999"]
    assert trusted == [folder]
    assert folder == Path("inplacelab-lessons", language)
    assert f'set_language(\\"{language}\\")' in (folder / FIRST).read_text(encoding="utf-8")


def test_without_a_screen_the_address_is_printed(started: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    main(["lab"])
    monkeypatch.setenv("DISPLAY", ":0")
    main(["lab"])
    assert ["--no-browser" in command for command, _ in started] == [True, False]


def test_jupyterlab_does_not_ask_about_news_in_front_of_the_lesson(
    started: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "own")
    main(["lab"])
    own, ours = Process.environments[0]["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    settings = json.loads(Path(ours, "labconfig", "default_setting_overrides.json").read_text(encoding="utf-8"))
    assert own == "own"
    assert settings["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"


def test_it_can_only_copy_and_to_another_folder(started: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lab", "--no-open", "--folder", "course"]) == 0
    assert started == []
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"copied: {FIRST}"
    assert said[-1] == f"the lessons are in {Path('course', 'en')}"
    assert main(["lab", "--no-open", "--folder", "course"]) == 0
    assert capsys.readouterr().out == f"the lessons are in {Path('course', 'en')}\n"


def test_a_changed_lesson_is_kept_and_that_is_said(started: Any, capsys: pytest.CaptureFixture[str]) -> None:
    main(["lab", "--no-open", "--folder", "course"])
    own = Path("course", "en", FIRST)
    own.write_text("mine")
    capsys.readouterr()
    assert main(["lab", "--no-open", "--folder", "course"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"kept, because you have changed it: {FIRST}"
    Path("course", "en", RECORD).unlink()
    main(["lab", "--no-open", "--folder", "course"])
    beside = FIRST.replace(".ipynb", ".new.ipynb")
    assert capsys.readouterr().out.splitlines()[0] == (
        f"kept {FIRST}, because you have changed it; the new version is {beside}"
    )
    assert own.read_text() == "mine"


def test_without_jupyter_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lab, "find_spec", lambda name: None if name == "jupyterlab" else object())
    assert main(["lab", "--lang", "zh"]) == 2
    said = capsys.readouterr().err
    assert "没有安装 jupyterlab" in said
    assert command(requirement("lab")) in said
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_named(started: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Path("course").write_text("a file")
    assert main(["lab", "--folder", "course"]) == 2
    assert f"cannot copy the lessons to {Path('course', 'en')}: " in capsys.readouterr().err
    assert started == []


def test_an_installation_without_lessons_says_so(
    started: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lab, "shipped", lambda language: ())
    assert main(["lab"]) == 1
    assert "has no lessons" in capsys.readouterr().err


@pytest.mark.standard
def test_a_lesson_works_though_jupyterlab_has_dropped_its_first_cell(tmp_path: Path) -> None:
    """It does so if the cell is run before the kernel is ready."""
    manager = pytest.importorskip("jupyter_client.manager", reason="needs a kernel: python -m pip install -e '.[lab]'")
    pytest.importorskip("ipykernel", reason="needs a kernel: python -m pip install -e '.[lab]'")
    environment = lab._environment(tmp_path, "zh")
    specifications = manager.KernelManager().kernel_spec_manager
    specifications.kernel_dirs = [str(tmp_path / "kernels")]
    made = manager.KernelManager(kernel_spec_manager=specifications)
    made.start_kernel(env=environment)
    client = made.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=120)
        first = "%load_ext inplacelab\n%stepper --from-start\nimport inplacelab as paddle\n"
        said: list[dict[str, Any]] = []
        reply: dict[str, Any] = {}
        cells = ["%%raises\nprint(paddle.get_language())", "%%stepper --name rec\nx = paddle.ones([2])", first]
        for cell in cells:
            reply = client.execute_interactive(cell, output_hook=said.append, timeout=120)
            assert reply["content"]["status"] == "ok", reply["content"]
        assert reply["content"]["execution_count"] == len(cells)
        assert [each["content"]["text"] for each in said if each["msg_type"] == "stream"] == ["zh\n"]
        assert any(each["msg_type"] == "display_data" for each in said)
    finally:
        client.stop_channels()
        made.shutdown_kernel(now=True)
