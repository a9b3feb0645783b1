"""Writes the playground: one page, its files in a folder that is named by their contents, and the service worker that keeps both."""

from __future__ import annotations

import json
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path
from string import Template
from typing import Any

import words
from examples import Example, examples, of_gallery
from inplacelab_widgets.player_bundle import stylesheet
from settings import PYODIDE_BYTES, PYODIDE_VERSION, ROOT, Settings

APP = Path(__file__).parent / "app"
STARTS = {"paddle": "07-refused", "torch": "16-in_torch"}
"""The example that the playground opens with, for each kind of names: a refusal, which shows most of what there is to see."""
_COPIED = ("app.css", "icon.svg", "runner.py", "worker.js")
_NO_NODE = (
    "The playground's editor is put together by esbuild, and {0} is not there.\n"
    "Install Node.js 20 or newer, and run: npm install --no-package-lock"
)


class BuildError(RuntimeError):
    """Raised if the site cannot be built. The message says what is missing."""


def write(settings: Settings, wheel: Path) -> Path:
    """Writes the playground into the folder `playground` of the site.

    Args:
        settings: the site's.
        wheel: the wheel of this tree.

    Returns:
        The folder.

    Raises:
        BuildError: if esbuild is not installed.
    """
    folder = settings.output / "playground"
    draft = folder / "assets"
    draft.mkdir(parents=True)
    for name in _COPIED:
        shutil.copy(APP / name, draft)
    shutil.copy(wheel, draft)
    (draft / "player.css").write_text(stylesheet(), encoding="utf-8")
    _bundle(draft)
    _write_examples(draft, [*examples(), *of_gallery()])
    _write_json(draft / "settings.json", _told(settings, wheel))
    build = _digest(draft)
    assets = draft.rename(folder / f"assets-{build}")
    (folder / "index.html").write_text(_page(settings, assets.name), encoding="utf-8")
    (folder / "sw.js").write_text(_service_worker(settings, assets, build), encoding="utf-8")
    return folder


def policy(pyodide: str) -> str:
    """Returns the content security policy of the page. It also holds for the worker, which is made of a blob: a program reaches this site
    and Pyodide, and nothing else.

    Args:
        pyodide: the address of Pyodide as the page has it.

    Source: https://www.w3.org/TR/CSP3/
    """
    python = f" {pyodide}" if "://" in pyodide else ""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' blob: 'wasm-unsafe-eval'{python}",
            "worker-src 'self' blob:",
            f"connect-src 'self'{python}",
            "style-src 'self' 'unsafe-inline'",  # the editor and the player add style sheets
            "img-src 'self' data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _page(settings: Settings, assets: str) -> str:
    page = Template((APP / "index.html").read_text(encoding="utf-8"))
    return page.substitute(policy=policy(settings.pyodide), assets=assets)


def _service_worker(settings: Settings, assets: Path, build: str) -> str:
    # The stored pictures are kept when they are looked at, but for those that the page opens with.
    files = [f"{assets.name}/{path.name}" for path in sorted(assets.iterdir()) if path.is_file()]
    files += [f"{assets.name}/examples/{start}.json" for start in STARTS.values()]
    text = Template((APP / "sw.js").read_text(encoding="utf-8"))
    return text.substitute(
        build=build, version=PYODIDE_VERSION, pyodide=settings.pyodide_from(1), files=json.dumps(files)
    )


def _told(settings: Settings, wheel: Path) -> dict[str, Any]:
    """What the page reads from settings.json."""
    return {
        "pyodide": settings.pyodide_from(2),
        "bytes": PYODIDE_BYTES + wheel.stat().st_size,
        "wheel": wheel.name,
        "repository": settings.repository,
        "starts": STARTS,
        "words": {key: {"en": said.en, "zh": said.zh} for key, said in words.PLAYGROUND.items()},
    }


def _write_examples(assets: Path, found: list[Example]) -> None:
    assert len({each.id for each in found}) == len(found), "two examples have the same name"
    _write_json(assets / "examples.json", [each.entry() for each in found])
    (assets / "examples").mkdir()
    for each in found:
        _write_json(assets / "examples" / f"{each.id}.json", {"payload": each.payload, "step": each.step})


def _write_json(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _bundle(assets: Path) -> None:
    """Joins the page's JavaScript, the player and CodeMirror into `app.js`, and gathers the licenses of what comes from npm."""
    esbuild = ROOT / "node_modules" / ".bin" / "esbuild"
    if not esbuild.exists():
        raise BuildError(_NO_NODE.format(esbuild.relative_to(ROOT)))
    meta = assets / "meta.json"
    options = [
        "--bundle",
        "--minify",
        "--format=esm",
        "--target=es2022",
        "--log-level=warning",
        "--legal-comments=none",
    ]
    command = [str(esbuild), str(APP / "app.js"), *options, f"--outfile={assets / 'app.js'}", f"--metafile={meta}"]
    subprocess.run(command, check=True, cwd=ROOT)
    inputs = json.loads(meta.read_text(encoding="utf-8"))["inputs"]
    meta.unlink()
    (assets / "LICENSES.txt").write_text(_licenses(inputs), encoding="utf-8")


def _licenses(inputs: dict[str, Any]) -> str:
    """The licenses of the npm packages that are in the bundle, which their authors ask to be kept with it."""
    packages: dict[str, Path] = {}
    for name in inputs:
        parts = Path(name).parts
        if "node_modules" in parts:
            at = parts.index("node_modules") + 1
            package = "/".join(parts[at : at + (2 if parts[at].startswith("@") else 1)])
            packages[package] = ROOT / "node_modules" / package
    texts = [f"{name}\n\n{_license(packages[name])}" for name in sorted(packages)]
    return f"\n\n{'-' * 78}\n\n".join(texts)


def _license(package: Path) -> str:
    found = next(iter(sorted(package.glob("LICEN[SC]E*"))), None)
    if found is None:
        raise BuildError(f"{package} has no license to pass on")
    return found.read_text(encoding="utf-8").strip()


def _digest(folder: Path) -> str:
    """A number made of all files of a folder."""
    found = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found.update(path.relative_to(folder).as_posix().encode())
            found.update(path.read_bytes())
    return found.hexdigest()[:12]
