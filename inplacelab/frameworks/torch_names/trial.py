"""Runs a program that uses the engine under PyTorch's names for a trial (see `trial_run.py`)."""

from __future__ import annotations

from typing import Any

from inplacelab.diagnosis.trial_run import Asked
from inplacelab.frameworks.engine.trial import run_under
from inplacelab.frameworks.torch_names.recorder import TorchNamesRecorder
from inplacelab.recorders.fix_search import Outcome
from inplacelab.recorders.main_module import Main


def run(main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
    """Runs a script; see `trial_run.Run`."""
    recorder = TorchNamesRecorder
    return run_under(recorder.framework, recorder.watched, main, text, names, asked)
