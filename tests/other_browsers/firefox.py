"""A Firefox as people have it, driven over WebDriver BiDi.

Playwright drives a Firefox of its own, which would have to be downloaded, and Selenium needs a driver beside the browser. Firefox
itself listens on a WebSocket when it is asked to; the client for that comes with Jupyter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

from tests.other_browsers.window import PATIENCE, MissingBrowserError, Window, first_program, running, until

try:
    import websocket
except ImportError:  # without Jupyter
    websocket = None  # type: ignore[assignment]

_PROGRAMS = ("firefox", "firefox-esr", "/Applications/Firefox.app/Contents/MacOS/firefox")
# A new profile would show what is new, and ask whether it may be the default; no page of ours needs the network.
_PREFERENCES = {
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "layout.css.prefers-color-scheme.content-override": 1,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
}


class _Firefox(Window):
    def __init__(self, socket: Any) -> None:
        self._socket, self._numbers = socket, count(1)
        self._say("session.new", capabilities={})
        # The tab that is there at the start never gets the keyboard.
        self._tab = {"context": self._say("browsingContext.create", type="tab")["context"]}

    def _say(self, method: str, **params: Any) -> Any:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while (answer := json.loads(self._socket.recv())).get("id") != number:
            pass  # of something that has happened
        if answer["type"] == "error":
            raise RuntimeError(f"{method}: {answer['message']}")
        return answer["result"]

    def open(self, url: str) -> None:
        self._say("browsingContext.navigate", **self._tab, url=url, wait="complete")

    def _tell(self, promise: str) -> str:
        answer = self._say("script.evaluate", expression=promise, target=self._tab, awaitPromise=True)
        if answer["type"] == "exception":
            raise RuntimeError(f"{promise}: {answer['exceptionDetails']['text']}")
        value: str = answer["result"]["value"]
        return value

    def resize(self, width: int, height: int) -> None:
        self._say("browsingContext.setViewport", **self._tab, viewport={"width": width, "height": height})

    def _act(self, device: dict[str, Any]) -> None:
        self._say("input.performActions", **self._tab, actions=[device])

    def quit(self) -> None:
        self._say("browser.close")


@contextmanager
def firefox(folder: Path) -> Iterator[Window]:
    """A headless Firefox window, with a new profile in `folder`. Raises MissingBrowserError."""
    if websocket is None:
        raise MissingBrowserError(
            "needs websocket-client, which comes with JupyterLab: python -m pip install -e '.[lab]'"
        )
    program = first_program(*_PROGRAMS)
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in _PREFERENCES.items()]
    (folder / "user.js").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [
        program,
        "--headless",
        "--no-remote",
        "--profile",
        str(folder),
        "--remote-debugging-port",
        "0",
        "about:blank",
    ]
    with running(command, folder / "said.log") as process:
        address = folder / "WebDriverBiDiServer.json"
        until(lambda: process.poll() is not None or (address.exists() and address.read_text()), "Firefox to listen")
        if process.poll() is not None:
            raise MissingBrowserError(f"{program} ends at once: {(folder / 'said.log').read_text()[-400:]}")
        ready = json.loads(address.read_text(encoding="utf-8"))
        # With an origin, Firefox would take us for a page.
        url = f"ws://{ready['ws_host']}:{ready['ws_port']}/session"
        socket = websocket.create_connection(url, timeout=PATIENCE, suppress_origin=True)
        window = _Firefox(socket)
        yield window
        window.quit()
        socket.close()
