"""Serves the playground and the course on this machine, and first builds them if their sources have changed.

    python website/serve.py --port 8000

`make play` runs this.
"""

from __future__ import annotations

import argparse
import functools
import http.server
import shutil
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit

import make_site
from playground import BuildError
from settings import PYODIDE, ROOT, Settings

FOLDER = ROOT / "build" / "play"
PARTS = ("playground", "course")
SOURCES = ("inplacelab", "widgets", "website", "notebooks", "docs/gallery", "pyproject.toml")
"""What is built from."""
_BUILDING = "Building the playground and the course: one or two minutes ..."
_NOT_BUILT = (
    "The site was not built: {0}. (The first build downloads packages; is there a network?) Nothing was changed."
)
_IN_USE = "Port {0} is in use or may not be used: make play PORT={1}"
_OPEN = "Open {0} (Ctrl-C stops the server)"
_UNREACHABLE = "The pages load Python from {0}, which cannot be reached from here: without it they show texts and pictures, but run no program."


class Server:
    """Serves a folder on this machine as a static host does, until it is shut.

    Args:
        folder: the folder.
        port: the port; 0 for any.

    Raises:
        OSError: if the port cannot be used.
    """

    def __init__(self, folder: Path, port: int = 0) -> None:
        handler = functools.partial(_Handler, directory=str(folder))
        self._server = _OwnPort(("127.0.0.1", port), handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def start(self) -> None:
        """Begins to answer, in a thread of its own."""
        self._thread.start()

    def shut(self) -> None:
        """Stops, and frees the port."""
        if self._thread.is_alive():
            self._server.shutdown()
        self._server.server_close()


class _OwnPort(http.server.ThreadingHTTPServer):
    allow_reuse_port = False


class _Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {  # noqa: RUF012  # as the class that it extends has it
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".mjs": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *args: object) -> None:
        pass


def is_built(folder: Path) -> bool:
    """Returns whether the folder is newer than all sources."""
    done = folder / ".nojekyll"  # written last
    return done.is_file() and done.stat().st_mtime > max(map(_changed, SOURCES))


def _changed(source: str) -> float:
    path = ROOT / source
    files = (each for each in path.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
    return path.stat().st_mtime if path.is_file() else max(each.stat().st_mtime for each in files)


def build(folder: Path) -> None:
    """Builds the folder as a whole or not at all.

    Raises:
        BuildError: if it cannot be built.
        subprocess.CalledProcessError: if something cannot be downloaded.
    """
    beside = folder.with_name(f"{folder.name}-new")
    try:
        make_site.build(Settings.of(beside), PARTS)
        shutil.rmtree(folder, ignore_errors=True)
        beside.rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _reachable(address: str) -> bool:
    try:
        with urllib.request.urlopen(urllib.request.Request(f"{address}pyodide.mjs", method="HEAD"), timeout=5):
            return True
    except (URLError, OSError):
        return False


def main() -> None:
    """Builds what is missing, and serves it until it is interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8000, help="the port (default: %(default)s)")
    port = parser.parse_args().port
    try:
        server = Server(FOLDER, port)  # before anything is built
    except (OSError, OverflowError):
        sys.exit(_IN_USE.format(port, port + 1 if port < 65535 else 8000))
    try:
        if not is_built(FOLDER):
            print(_BUILDING, flush=True)
            build(FOLDER)
        if not _reachable(PYODIDE):
            print(_UNREACHABLE.format(urlsplit(PYODIDE).netloc))
        server.start()
        print(_OPEN.format(server.url), flush=True)
        while True:
            time.sleep(3600)
    except (BuildError, subprocess.CalledProcessError) as error:
        sys.exit(_NOT_BUILT.format(error))
    except KeyboardInterrupt:
        print()
    finally:
        server.shut()


if __name__ == "__main__":
    main()
