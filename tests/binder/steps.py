"""Binder's build steps for this repository, as repo2docker reports them: no container engine is needed."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYTHON = (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8").strip().removeprefix("python-")
_PACKAGE = re.compile(r"/(?P<name>[^/]+)-(?P<version>[^/-]+)-[^/-]+\.(?:conda|tar\.bz2)")


@cache
def dockerfile() -> str:
    """The Dockerfile that repo2docker generates for this repository.

    Raises:
        subprocess.CalledProcessError: if it refuses the repository.
    """
    arguments = ["--no-build", "--debug", "--user-id", "1000", "--user-name", "jovyan", str(ROOT)]
    command = [sys.executable, "-m", "repo2docker", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout


def own_steps() -> list[str]:
    """The commands that come from our files: those that run after the repository has been copied into the image."""
    after = dockerfile().split("COPY --chown=1000:1000 src/ ${REPO_DIR}/\n")[1]
    return re.findall(r"^RUN (.+)$", after, re.MULTILINE)


def base_packages() -> dict[str, str]:
    """The versions of what is in Binder's image before our files are looked at."""
    spec = find_spec("repo2docker")
    assert spec is not None
    assert spec.origin is not None
    name = f"environment.py-{PYTHON}-linux-64.lock"
    lock = (Path(spec.origin).parent / "buildpacks" / "conda" / name).read_text(encoding="utf-8")
    assert name in dockerfile().replace("-2d", "-").replace("-2e", "."), "the image is made from another lock"
    return {match["name"]: match["version"] for match in _PACKAGE.finditer(lock)}
