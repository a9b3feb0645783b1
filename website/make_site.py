"""Builds the site: one folder of static files, with the playground, the course in JupyterLite, and the documentation.

    python website/make_site.py                                  # into build/site
    python website/make_site.py --only playground                # without the rest, in half a minute
    python website/make_site.py --pyodide pyodide/               # with a Pyodide that lies in the site's folder `pyodide`

`make site` runs this, and `make site-test` opens what it wrote.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import docs_folder
import front_page
import playground
from settings import PYODIDE, ROOT, Settings
from wheels import build_wheel

OUTPUT = ROOT / "build" / "site"
PARTS: tuple[str, ...] = ("playground", "course", "docs")


def build(settings: Settings, parts: Sequence[str] = PARTS) -> Path:
    """Builds the site. What was in its folder before is removed, but for a Pyodide in it.

    Args:
        settings: where, and with which Pyodide.
        parts: what to build, out of `PARTS`.

    Returns:
        The folder.

    Raises:
        BuildError: if something that a part needs is not installed.
    """
    _empty(settings.output)
    with tempfile.TemporaryDirectory() as scratch:
        wheel = build_wheel(Path(scratch))
        steps: dict[str, Callable[[], object]] = {
            "playground": lambda: playground.write(settings, wheel),
            "course": lambda: _course(settings, wheel),
            "docs": lambda: docs_folder.write(settings.output),
        }
        for part in parts:
            steps[part]()
    front_page.write(settings)
    (settings.output / ".nojekyll").touch()  # GitHub Pages leaves out folders that begin with "_", unless told
    return settings.output


def _course(settings: Settings, wheel: Path) -> None:
    import course  # noqa: PLC0415  # what it imports is large, and the playground needs none of it

    course.write(settings, wheel)


def _empty(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        if path.name == "pyodide":
            continue
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def main() -> None:
    """Builds what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the folder to write (default: build/site)")
    parser.add_argument("--pyodide", default=PYODIDE, help="the address of Pyodide (default: %(default)s)")
    parser.add_argument("--only", action="append", choices=PARTS, help="build only this part; may be repeated")
    options = parser.parse_args()
    try:
        folder = build(Settings.of(options.output.resolve(), options.pyodide), options.only or PARTS)
    except playground.BuildError as error:
        raise SystemExit(str(error)) from None
    print(f"The site is in {folder}. To look at it: python -m http.server --directory {folder} (or `make play`)")


if __name__ == "__main__":
    main()
