"""Runs a program of this package's engine for a trial (see `trial_run.py`)."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import reduce
from typing import Any

import inplacelab
import inplacelab.torch
from inplacelab import backends, observe
from inplacelab.autograd import copy_saved_before_write
from inplacelab.diagnosis.trial_run import Asked, error_of, recorded
from inplacelab.frameworks.engine.objects import WATCHED
from inplacelab.memory import Episode
from inplacelab.recorders.bindings import Watched
from inplacelab.recorders.fix_search import Memory, Outcome, named
from inplacelab.recorders.main_module import Main
from inplacelab.recorders.replay import Passes, Updating, Varied
from inplacelab.recorders.trial_end import Passes as Ends
from inplacelab.recorders.updates import checksum
from inplacelab.tensor import Tensor


def run(main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
    """Runs a script; see `trial_run.Run`."""
    return run_under("inplacelab", WATCHED, main, text, names, asked)


def run_under(framework: str, watched: Watched, main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
    """Runs a script that uses the engine under Paddle's or PyTorch's names.

    Args:
        framework: "inplacelab" or "inplacelab.torch".
        watched: the classes of its tensors.
        main: the script or the module.
        text: its text.
        names: the names of its module.
        asked: how.
    """
    if asked.measured:
        return _measured(main, text, names, asked)
    inplacelab.seed(asked.data.seed(0))
    passes, updating, ends = Passes(), Updating(), Ends(asked.end)
    with (
        asked.data.reseeding((inplacelab, "seed"), (inplacelab.torch, "manual_seed")),
        copy_saved_before_write() if asked.reference else nullcontext() as keeper,
        observe.listening(Varied(asked.data)),
        observe.listening(_Counted(ends)),
        observe.listening(passes),
        observe.listening(updating),
    ):
        ran = recorded(framework, main.path, text, names, asked, keeps=True)
    values = named(names, text, watched, Tensor.numpy)
    return replace(
        ran.until(ends.reached), passes=passes.found, values=values, copies=0 if keeper is None else keeper.nbytes, updates=updating.updates.found,
        checksum=_checksum([*passes.found, *updating.updates.found]),
        has_all_updates=updating.updates.is_whole,
    )  # fmt: skip


def _checksum(found: Sequence[Mapping[str, Any]]) -> int:
    return reduce(lambda before, values: checksum(values, before), found, 0)


def _measured(main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
    """Runs a script, and returns only how it ended and what memory it needed by the ledgers of its devices."""
    inplacelab.seed(asked.data.seed(0))
    gc.collect()
    episodes = [each.ledger.begin_episode() for each in backends.ALL]
    ends, error = Ends(asked.end), ""
    counted = _Counted(ends, episodes)
    with (
        asked.data.reseeding((inplacelab, "seed"), (inplacelab.torch, "manual_seed")),
        observe.listening(Varied(asked.data)),
        observe.listening(counted),
    ):
        try:
            exec(compile(text, str(main.path), "exec", dont_inherit=True), names)
        except BaseException as raised:  # noqa: BLE001  # whatever the program raises is an outcome
            error = error_of(raised)
    return replace(Outcome(error).until(ends.reached), memory=Memory(sum(each.peak for each in episodes), counted.held))


class _Counted(observe.Observer):
    """Counts the backward passes of a program, and ends it.

    Args:
        ends: when.
        episodes: the memory of the program, if it is measured.

    Attributes:
        held: the most bytes that were alive when a pass began.
    """

    def __init__(self, ends: Ends, episodes: Sequence[Episode] = ()) -> None:
        self._ends, self._episodes, self.held = ends, episodes, 0

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:  # noqa: ARG002
        self.held = max(self.held, sum(each.live for each in self._episodes))
        self._ends.begins(sys._getframe(1))

    def backward_ends(self) -> None:
        self._ends.ends()

    def backward_fails(self) -> None:
        self._ends.ends(failed=True)


def run_torch_names(main: Main, text: str, names: dict[str, Any], asked: Asked) -> Outcome:
    """Runs a script that uses PyTorch's names; see `trial_run.Run`."""
    from inplacelab.frameworks.torch_names.recorder import TorchNamesRecorder  # noqa: PLC0415  # it imports all of them

    return run_under(TorchNamesRecorder.framework, TorchNamesRecorder.watched, main, text, names, asked)
