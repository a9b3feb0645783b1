"""WebKit, the engine of Safari, as GTK's port of it has it, driven over WebDriver.

It has no way of running without a screen: on a machine that has none, Xvfb makes one.
"""

from __future__ import annotations

import json
import os
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.other_browsers.window import PATIENCE, MissingBrowserError, Window, first_program, running, until

_BROWSERS = ("/usr/lib", "/usr/libexec", "/usr/lib64")


def _send(method: str, address: str, /, **body: Any) -> Any:
    data = json.dumps(body).encode() if method == "POST" else None
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as refused:
        raise RuntimeError(f"{address}: {refused.read().decode()[:400]}") from refused


class _WebKit(Window):
    def __init__(self, driver: str, browser: str) -> None:
        options = {"binary": browser, "args": ["--automation"]}
        wanted = {"alwaysMatch": {"browserName": "MiniBrowser", "webkitgtk:browserOptions": options}}
        self._session = f"{driver}/session/{_send('POST', f'{driver}/session', capabilities=wanted)['sessionId']}"

    def open(self, url: str) -> None:
        _send("POST", f"{self._session}/url", url=url)

    def _tell(self, promise: str) -> str:
        value: str = _send("POST", f"{self._session}/execute/sync", script=f"return {promise}", args=[])
        return value

    def resize(self, width: int, height: int) -> None:
        wanted = [width, height]

        def fits() -> bool:
            """A window has a frame around its page, and is as large as its system lets it be."""
            here = self.ask("[innerWidth, innerHeight]")
            if here == wanted:
                return True
            window = _send("GET", f"{self._session}/window/rect")
            larger = {side: window[side] + wanted[k] - here[k] for k, side in enumerate(("width", "height"))}
            _send("POST", f"{self._session}/window/rect", **larger)
            return False

        until(fits, f"a window of {width} by {height} px")

    def _act(self, device: dict[str, Any]) -> None:
        _send("POST", f"{self._session}/actions", actions=[device])

    def quit(self) -> None:
        _send("DELETE", self._session)


def _browser() -> str:
    found = [str(path) for folder in _BROWSERS for path in sorted(Path(folder).glob("**/webkit2gtk-4.*/MiniBrowser"))]
    if not found:
        raise MissingBrowserError(
            "MiniBrowser of WebKitGTK is not installed; on Debian: apt-get install webkit2gtk-driver"
        )
    return found[0]


@contextmanager
def webkit(folder: Path) -> Iterator[Window]:
    """A window of a WebKit. Raises MissingBrowserError."""
    driver, browser = first_program("WebKitWebDriver"), _browser()
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise MissingBrowserError("needs a screen; Xvfb, with a window manager, can stand in for one")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with running([driver, f"--port={port}"], folder / "said.log"):
        until(lambda: _is_ready(address), "WebKitWebDriver to answer")
        window = _WebKit(address, browser)
        try:
            until(lambda: window.ask("document.hasFocus()"), "the keyboard", patience=10)
        except TimeoutError:
            raise MissingBrowserError(
                "its window does not get the keyboard: the screen has no window manager"
            ) from None
        else:
            yield window
        finally:
            window.quit()


def _is_ready(address: str) -> bool:
    try:
        return bool(_send("GET", f"{address}/status")["ready"])
    except OSError:
        return False
