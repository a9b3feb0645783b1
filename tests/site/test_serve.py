"""Tests `make play` without building anything: when it builds, and what it says when it cannot."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import make_site
import serve
from settings import Settings


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another server uses."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_a_port_in_use_is_one_sentence_before_anything_is_built(taken: int) -> None:
    command = [sys.executable, serve.__file__, "--port", str(taken)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"Port {taken} is in use or may not be used: make play PORT={taken + 1}\n"


@pytest.mark.parametrize("port", ["-1", "99999999"])
def test_a_port_that_cannot_be_is_refused(port: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["serve.py", "--port", port])
    with pytest.raises(SystemExit, match=f"Port {port} is in use or may not be used"):
        serve.main()


def test_what_cannot_be_downloaded_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a network, pip fails in the middle of the build."""
    folder = tmp_path / "play"
    folder.mkdir()
    (folder / "index.html").write_text("as it was")

    def without_network(settings: Settings, _: object) -> Path:
        settings.output.mkdir()
        (settings.output / "half").touch()
        raise subprocess.CalledProcessError(1, ["pip", "download"])

    monkeypatch.setattr(make_site, "build", without_network)
    monkeypatch.setattr(serve, "FOLDER", folder)
    monkeypatch.setattr(serve, "is_built", lambda _: False)
    monkeypatch.setattr(sys, "argv", ["serve.py", "--port", "0"])
    with pytest.raises(SystemExit, match=r"The site was not built: .*pip.*Nothing was changed"):
        serve.main()
    assert [path.name for path in tmp_path.iterdir()] == ["play"]
    assert (folder / "index.html").read_text() == "as it was"


def test_it_is_built_again_when_a_source_has_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, sources = tmp_path / "play", tmp_path / "inplacelab"
    (sources / "inner").mkdir(parents=True)
    (sources / "inner" / "module.py").touch()
    monkeypatch.setattr(serve, "ROOT", tmp_path)
    monkeypatch.setattr(serve, "SOURCES", ("inplacelab",))
    assert not serve.is_built(folder)
    folder.mkdir()
    (folder / ".nojekyll").touch()
    os.utime(sources / "inner" / "module.py", (1, 1))
    assert serve.is_built(folder)
    os.utime(folder / ".nojekyll", (0, 0))
    assert not serve.is_built(folder)


def test_a_folder_is_served_with_the_types_that_browsers_ask_for(tmp_path: Path) -> None:
    for name in ("page.html", "module.mjs", "python.wasm"):
        (tmp_path / name).write_bytes(b"content")
    server = serve.Server(tmp_path)
    server.start()
    try:
        types = []
        for name in ("page.html", "module.mjs", "python.wasm"):
            with urllib.request.urlopen(server.url + name) as answer:
                types.append(answer.headers.get_content_type())
    finally:
        server.shut()
    assert types == ["text/html", "text/javascript", "application/wasm"]
