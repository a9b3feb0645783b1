"""Runs a program of this package's engine for a trial (see `trial_run.py`)."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import inplacelab
from inplacelab import observe
from inplacelab.autograd import copy_saved_before_write
from inplacelab.diagnosis.recorded_trial import recorded
from inplacelab.diagnosis.trial_run import Ran, named
from inplacelab.recorders.bindings import Watched
from inplacelab.recorders.engine import WATCHED
from inplacelab.recorders.replay import Passes
from inplacelab.tensor import Tensor


def run(script: Path, text: str, names: dict[str, Any], *, reference: bool) -> Ran:
    """Runs a script; see `trial_run.Run`."""
    return run_under("inplacelab", WATCHED, script, text, names, reference=reference)


def run_under(
    framework: str, watched: Watched, script: Path, text: str, names: dict[str, Any], *, reference: bool
) -> Ran:
    """Runs a script that uses the engine under Paddle's or PyTorch's names.

    Args:
        framework: "inplacelab" or "inplacelab.torch".
        watched: the classes of its tensors.
        script: the script.
        text: its text.
        names: the names of its module.
        reference: whether what nodes save is copied before it is overwritten.
    """
    inplacelab.seed(0)
    passes = Passes()
    with copy_saved_before_write() if reference else nullcontext() as keeper, observe.listening(passes):
        ran = recorded(framework, script, text, names)
    found = [{str(k): each for k, each in enumerate(gradients)} for gradients in passes.found]
    values = named(names, text, watched, Tensor.numpy)
    return Ran(ran.raised, found, ran.trails, 0 if keeper is None else keeper.nbytes, values, ran.unnoticed)
