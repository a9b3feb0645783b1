"""Fixtures: the programs to record, and functions to record them."""

from __future__ import annotations

import contextlib
import importlib.util
import linecache
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import modes
from inplacelab.recording import Recording

GOLDEN = Path(__file__).parent / "golden"


def _renew() -> ModuleType:
    # Tests are imported by path (import mode "importlib"), so this module is loaded by path as well.
    name = "inplacelab_test_golden"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, GOLDEN / "renew.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(autouse=True)
def _new_session() -> Iterator[None]:
    yield
    modes.set_blocks(())  # a block that another thread ended is still this thread's
    modes.set_device(None)


@pytest.fixture
def run() -> Callable[..., Any]:
    """Runs a program under the recorder; returns its recording, its names and its error."""
    found: Callable[..., Any] = _renew().run
    return found


@pytest.fixture
def run_block() -> Callable[[str], Recording]:
    """Runs a program inside `with record():`, as a script would; returns its recording, also if it ends with an error."""

    def recorded(text: str) -> Recording:
        script = f"with paddle.record() as block:\n{textwrap.indent(text, '    ')}"
        filename = "<block of a test>"
        linecache.cache[filename] = (len(script), None, script.splitlines(keepends=True), filename)
        names: dict[str, Any] = {"paddle": paddle}
        with contextlib.suppress(Exception):
            exec(compile(script, filename, "exec"), names)
        recording: Recording = names["block"].recording
        return recording

    return recorded


@pytest.fixture(params=sorted(_renew().PROGRAMS))
def program(request: pytest.FixtureRequest) -> str:
    """The text of each program in turn."""
    text: str = _renew().PROGRAMS[request.param]
    return text
