"""Implements `inplacelab lab`: copies the lessons to the learner's folder and opens JupyterLab there."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from inplacelab import installing
from inplacelab.cli.arguments import LANGUAGE, CannotError, Parser, listed
from inplacelab.language import LANGUAGES, Text, get_language
from inplacelab.lessons.delivery import Delivered, Outcome, deliver, shipped

FOLDER = Path("inplacelab-lessons")
_SAYS = {
    "lang": Text(
        "the language of the lessons (default: INPLACELAB_LANGUAGE, or else that of the locale)",
        "课程的语言（默认：INPLACELAB_LANGUAGE；未设置时随系统的区域设置）",
    ),
    "folder": Text(
        "the folder to copy them to, with one folder in it for each language (default: {0})",
        "复制到哪个文件夹，其中每种语言各有一个子文件夹（默认：{0}）",
    ).format(FOLDER),
    "no_open": Text("only copy the lessons; do not open JupyterLab", "只复制课程，不打开 JupyterLab"),
}
_SETTINGS = Path(__file__).parents[1] / "lessons" / "jupyter"
"""Defaults for JupyterLab: on its first start it must not ask about news in front of the lesson. The learner's own settings win."""
AT_START = (
    "import inplacelab as paddle",
    "paddle.load_ipython_extension(get_ipython())",
    "%stepper --from-start",
)
"""What our kernel runs first. If a cell is run before the kernel is ready, JupyterLab drops it silently. That is often the first cell of a
lesson, which loads the extension."""
_NEEDED = ("jupyterlab", "ipykernel", "ipywidgets", "anywidget")
_MISSING = Text(
    "JupyterLab cannot be opened: {0} is not installed in this Python ({1}). Install what the lessons need:\n"
    "  {2}\nor only copy them: inplacelab lab --no-open",
    "无法打开 JupyterLab：当前的 Python（{1}）没有安装 {0}。请安装课程所需的包：\n"
    "  {2}\n或者只复制课程：inplacelab lab --no-open",
)
_NO_LESSONS = Text(
    "this installation of inplacelab has no lessons. Install it again, from a wheel or from a clone of its repository",
    "当前安装的 inplacelab 不含课程。请用 wheel 或代码仓库的克隆重新安装",
)
_CANNOT_WRITE = Text("cannot copy the lessons to {0}: {1}", "无法把课程复制到 {0}：{1}")
_IN = Text("the lessons are in {0}", "课程位于 {0}")
_DONE = {
    Outcome.NEW: Text("copied: {0}", "已复制：{0}"),
    Outcome.UPDATED: Text("updated: {0}", "已更新：{0}"),
    Outcome.KEPT: Text("kept, because you have changed it: {0}", "你修改过，保持不动：{0}"),
    Outcome.BESIDE: Text(
        "kept {1}, because you have changed it; the new version is {0}",
        "你修改过 {1}，保持不动；新版课程另存为 {0}",
    ),
}


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.option(LANGUAGE, says=_SAYS["lang"], choices=LANGUAGES, metavar=listed(LANGUAGES), default=get_language())
    parser.option("--folder", says=_SAYS["folder"], type=Path, default=FOLDER, metavar="F")
    parser.passes_to("JupyterLab")
    parser.option("--no-open", says=_SAYS["no_open"], action="store_true")


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns JupyterLab's exit status."""
    if not options.no_open:
        _require_jupyter()
    notebooks = shipped(options.lang)
    if not notebooks:
        raise CannotError(_NO_LESSONS, status=1)
    folder = options.folder / options.lang
    try:
        delivered = deliver(notebooks, folder)
    except OSError as error:
        raise CannotError(_CANNOT_WRITE.format(folder, error.strerror)) from None
    _report(folder, delivered)
    return 0 if options.no_open else _open(folder, delivered[0].path, options.lang, options.arguments)


def _require_jupyter() -> None:
    for name in _NEEDED:
        if find_spec(name) is None:
            needed = installing.command(installing.requirement("lab"))
            raise CannotError(_MISSING.format(name, sys.executable, needed))


def _report(folder: Path, delivered: tuple[Delivered, ...]) -> None:
    for one in delivered:
        if one.outcome in _DONE:
            print(_DONE[one.outcome].format(one.path.name, one.own and one.own.name))
    print(_IN.format(folder), flush=True)


def _open(folder: Path, first: Path, language: str, arguments: list[str]) -> int:
    # The address that JupyterLab prints and opens is that of the lesson.
    lesson = f"--LabApp.default_url=/lab/tree/{quote(first.name)}"
    command = [sys.executable, "-m", "jupyterlab", *_flags(), lesson, *arguments]
    _trust(folder)
    with (
        TemporaryDirectory(prefix="inplacelab-") as ours,
        subprocess.Popen(command, cwd=folder, env=_environment(Path(ours), language)) as lab,
    ):
        while True:
            try:
                return lab.wait()
            except KeyboardInterrupt:
                # JupyterLab was interrupted, too, and asks whether to stop: wait for its exit status.
                continue


def _environment(ours: Path, language: str) -> dict[str, str]:
    """Returns the environment of JupyterLab: it finds our defaults beside the learner's own configuration, and our kernel, which it
    finds in the folder `ours`, before that of the same name.
    """
    write_kernel(ours / "kernels" / "python3")
    config, data = (os.environ.get(name, "") for name in ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH"))
    return {
        **os.environ,
        "INPLACELAB_LANGUAGE": language,
        "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, [config, str(_SETTINGS)])),
        "JUPYTER_PATH": os.pathsep.join(filter(None, [str(ours), data])),
    }


def write_kernel(folder: Path) -> None:
    """Writes the specification of a kernel that begins with `AT_START`."""
    from ipykernel.kernelspec import write_kernel_spec  # noqa: PLC0415  # of the extra `lab`

    write_kernel_spec(folder, extra_arguments=[f"--IPKernelApp.exec_lines={line}" for line in AT_START])


def _trust(folder: Path) -> None:
    """Marks the lessons as trusted, as `jupyter trust` does, so that what they show is shown when they are opened again."""
    lessons = [path.name for path in sorted(folder.glob("*.ipynb"))]
    command = [sys.executable, "-m", "nbformat.sign", *lessons]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def _flags() -> list[str]:
    """Returns flags for JupyterLab: print the address if there is no screen, allow root if we run as root."""
    local_mac = sys.platform == "darwin" and "SSH_CONNECTION" not in os.environ
    screen = os.name == "nt" or local_mac or bool({"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys())
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return ["--no-browser"] * (not screen) + ["--allow-root"] * root
