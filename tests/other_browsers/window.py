"""A window of a browser that Playwright does not drive, as far as tests need one: a page, questions to it, keys and the mouse.

What differs between browsers, how they are started and spoken to, is in `firefox.py` and `webkit.py`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

PATIENCE = 60.0
"""How many seconds anything may take on the busiest machine. Tests wait for a state, and go on as soon as it is reached."""

KEYS = {"Tab": "\ue004", "Escape": "\ue00c", "End": "\ue010", "Home": "\ue011", "Left": "\ue012", "Right": "\ue014"}
"""The letters that stand for keys in WebDriver; any other key is its letter."""

_PAUSE = 0.05

Found = TypeVar("Found")


class MissingBrowserError(Exception):
    """The browser cannot be had on this machine, and why."""


def until(find: Callable[[], Found], what: str, patience: float = PATIENCE) -> Found:
    """The first answer that is true. Raises TimeoutError, with `what` was waited for, if there is none."""
    given_up = time.monotonic() + patience
    while not (found := find()):
        if time.monotonic() > given_up:
            raise TimeoutError(f"waited in vain for {what}")
        time.sleep(_PAUSE)
    return found


def first_program(*names: str) -> str:
    """The first of these programs, names on the PATH or whole paths, that is there."""
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        raise MissingBrowserError(f"none of {', '.join(names)} is installed")
    return found


@contextmanager
def running(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A program that is ended at last, and what it says in a file."""
    with log.open("wb") as said, subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


class Window(ABC):
    """One window, with one page."""

    @abstractmethod
    def open(self, url: str) -> None:
        """Go to a page, and wait until it is loaded."""

    @abstractmethod
    def _tell(self, promise: str) -> str:
        """What a JavaScript promise of a text in the page comes to."""

    @abstractmethod
    def resize(self, width: int, height: int) -> None:
        """Give the page that many px."""

    @abstractmethod
    def _act(self, device: dict[str, Any]) -> None:
        """Let an input device act, as WebDriver says it."""

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page, or of the promise that it is, if JSON can say it."""
        return json.loads(self._tell(f"Promise.resolve({expression}).then((value) => JSON.stringify(value ?? null))"))

    def until(self, expression: str) -> Any:
        """The value of a JavaScript expression, as soon as it is true."""
        return until(lambda: self.ask(expression), expression)

    def press(self, *keys: str) -> None:
        for key in keys:
            letter = KEYS.get(key, key)
            actions = [{"type": "keyDown", "value": letter}, {"type": "keyUp", "value": letter}]
            self._act({"type": "key", "id": "keyboard", "actions": actions})

    def point_at(self, selector: str, *, click: bool = False) -> None:
        """Move the mouse to the middle of the first element that a selector finds."""
        box = self.ask(f"document.querySelector({selector!r}).getBoundingClientRect()")
        x, y = (round(box[at] + box[size] / 2) for at, size in (("x", "width"), ("y", "height")))
        actions: list[dict[str, Any]] = [{"type": "pointerMove", "x": x, "y": y, "origin": "viewport", "duration": 0}]
        if click:
            actions += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions})

    def click(self, selector: str) -> None:
        self.point_at(selector, click=True)
