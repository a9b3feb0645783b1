"""Fixtures: the recordings for the tests of the pictures."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene import Scene, scene_of


def _samples() -> ModuleType:
    # Tests are imported by path (import mode "importlib"), so this module is loaded by path as well.
    name = "inplacelab_test_samples"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("samples.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@cache
def _recording(name: str) -> Recording:
    made: Recording = _samples().ALL[name]()
    return made


@cache
def _scene(name: str) -> Scene:
    return scene_of(_recording(name))


@pytest.fixture
def sample() -> Callable[[str], Recording]:
    """The recording with a given name."""
    return _recording


@pytest.fixture
def sample_scene() -> Callable[[str], Scene]:
    """The scene of the recording with a given name."""
    return _scene


@pytest.fixture(params=sorted(_samples().ALL))
def recording(request: pytest.FixtureRequest) -> Recording:
    """Each recording in turn."""
    return _recording(request.param)


@pytest.fixture(params=sorted(_samples().ALL))
def scene(request: pytest.FixtureRequest) -> Scene:
    """The scene of each recording in turn."""
    return _scene(request.param)
