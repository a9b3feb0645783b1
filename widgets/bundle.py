"""Bundles the player's JavaScript and CSS with esbuild, into the folder `bundled` of the package: `make bundle`.

What it writes is committed, so that installing from a clone needs no Node.js. `python widgets/bundle.py FOLDER` writes it elsewhere.
"""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

PACKAGE = Path(__file__).parent / "inplacelab_widgets"
BUNDLED = PACKAGE / "bundled"
ESBUILD = Path(__file__).parents[1] / "node_modules" / ".bin" / "esbuild"
# Every browser that can inflate (page.py) knows this JavaScript.
OPTIONS = (
    "--bundle",
    "--minify-whitespace",
    "--minify-syntax",
    "--format=esm",
    "--target=es2022",
    "--charset=utf8",
    "--log-level=warning",
)
SHORT_NAMES = "--minify-identifiers"

ENTRIES = {
    "player.js": 'export { default } from "./player/widget.js";',
    "comparison.js": 'import "./player/comparison.js"; export { default } from "./player/widget.js";',
    "unpack.js": 'export { dress, unpacked } from "./player/unpack.js";',
    "list_view.js": 'export { default } from "./list_view.js";',
    "question_view.js": 'export { default } from "./question_view.js";',
    "player.css": '@import "./player/player.css";',
    "comparison.css": '@import "./player/comparison.css";',
    "list_view.css": '@import "./list_view.css";',
    "question_view.css": '@import "./question_view.css";',
}
"""The bundles, each with the module or style sheet from which esbuild starts. A module holds all that it needs; a style sheet
other than the player's follows it."""


def bundle(folder: Path) -> None:
    """Writes the bundles, and beside them the digest of their sources.

    Raises:
        subprocess.CalledProcessError: if esbuild refuses a source; it has printed why.
    """
    folder.mkdir(exist_ok=True)
    for name, entry in ENTRIES.items():
        command = [str(ESBUILD), *OPTIONS, f"--loader={Path(name).suffix[1:]}"]
        if name != "unpack.js":  # what stands after it calls its functions (page.py)
            command.append(SHORT_NAMES)
        made = subprocess.run(command, input=entry.encode(), stdout=subprocess.PIPE, check=True, cwd=PACKAGE)
        (folder / name).write_bytes(made.stdout)
    (folder / "sources.sha256").write_bytes(f"{digest()}\n".encode())


def sources() -> list[Path]:
    """Returns the modules and style sheets."""
    found = (path for suffix in ("js", "css") for path in PACKAGE.rglob(f"*.{suffix}"))
    return sorted(path for path in found if path.parent != BUNDLED)


def digest() -> str:
    """Returns a number made of all sources and of what they are bundled with. No Node.js is needed for it."""
    found = sha256(repr((OPTIONS, ENTRIES)).encode())
    for path in sources():
        found.update(f"\f{path.relative_to(PACKAGE).as_posix()}\f{path.read_text(encoding='utf-8')}".encode())
    return found.hexdigest()


if __name__ == "__main__":
    bundle(Path(sys.argv[1]) if sys.argv[1:] else BUNDLED)
