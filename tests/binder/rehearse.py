"""Rehearses Binder's build: `python -m tests.binder.rehearse` runs its steps in a clean environment and opens a lesson.

It takes minutes and an index of packages, so no test does it. A virtual environment stands for the image: Binder's own
versions of what the image has, then the steps that repo2docker generates for this repository, then the first lesson
executed in both languages.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.binder.steps import ROOT, base_packages, own_steps

IN_THE_IMAGE = ("ipykernel", "ipython", "ipywidgets", "jupyter_server", "jupyterlab", "nbconvert", "notebook")
FIRST = "01_storage_and_views.ipynb"
_VERSIONS = "from importlib.metadata import version; import sys; print(*map(version, sys.argv[1:]))"


def main() -> None:
    """Say what is done, how long it took, and whether the image's own packages stayed as they were."""
    base = {name: version for name, version in base_packages().items() if name in IN_THE_IMAGE}
    with tempfile.TemporaryDirectory() as folder:
        image, repository = Path(folder, "image"), Path(folder, "repository")
        _copy_what_git_knows(repository)
        _run("an empty environment", [sys.executable, "-m", "venv", str(image)], repository)
        pins = [f"{name}=={version}" for name, version in base.items()]
        _run("what the image has", [str(image / "bin" / "pip"), "install", "--quiet", *pins], repository)
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
            "KERNEL_PYTHON_PREFIX": str(image),
            "PATH": f"{image / 'bin'}{os.pathsep}{os.environ['PATH']}",
        }
        for step in own_steps():
            _run(step, ["bash", "-c", step], repository, environment)
        for language in ("en", "zh"):
            lesson = f"notebooks/{language}/{FIRST}"
            _run(f"execute {lesson}", ["jupyter", "execute", lesson], repository, environment)
        found = subprocess.check_output(
            [str(image / "bin" / "python"), "-c", _VERSIONS, *base], text=True, env=environment, cwd=folder
        )
    changed = [pin for pin, now in zip(pins, found.split(), strict=True) if not pin.endswith(f"=={now}")]
    if changed:
        raise SystemExit(f"installed once more, in another version: {', '.join(changed)}")
    print("the image's own packages stayed as they were")


def _copy_what_git_knows(target: Path) -> None:
    listing = ["git", "-C", str(ROOT), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    for name in subprocess.check_output(listing, text=True).split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            (target / name).write_bytes((ROOT / name).read_bytes())
            (target / name).chmod((ROOT / name).stat().st_mode)


def _run(what: str, command: list[str], folder: Path, environment: dict[str, str] | None = None) -> None:
    start = time.monotonic()
    subprocess.run(command, check=True, cwd=folder, env=environment)
    print(f"{time.monotonic() - start:6.1f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
