"""Runs a script once for a trial, in a process of its own: `python -m inplacelab.diagnosis.trial_run REQUEST`.

The request is a file with JSON: the script, or the module and its file, the folder of which its own is a copy, the framework and arguments, whether
this is the reference, on which data it runs, and where the outcome goes. The reference is the original program, in which what grad nodes save is
copied and kept: nothing can be overwritten or missing, so its gradients are those that were meant.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib.util import decode_source
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from inplacelab.diagnosis.slopes import Compared
from inplacelab.language import Text
from inplacelab.recorders.bindings import Bindings, Watched
from inplacelab.recorders.main_module import Main, NoModuleError, main_module
from inplacelab.recorders.other_data import OtherData
from inplacelab.recorders.program import Scope, identifiers, parsed
from inplacelab.recorders.static import message_of
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.spots import Trail
from inplacelab.supported import frameworks, loaded


@dataclass(frozen=True)
class Asked:
    """What a trial asks.

    Attributes:
        reference: whether what grad nodes save is copied.
        data: the data.
        edits: edits of the script that may move a statement across another one that depends on it; the script
            itself runs without them. None for any other trial.
        seconds: how long finite differences may take.
    """

    reference: bool
    data: OtherData
    edits: tuple[EditFacts, ...] | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Ran:
    """How a script ran.

    Attributes:
        raised: the exception that it raised.
        passes: the losses and gradients that each backward pass gave, by the tensors' names or numbers.
        trails: the values that the last failed backward pass found overwritten, or would have found.
        copies: the bytes of the copies of what grad nodes save, in the reference.
        values: the values of the script's tensors in the end, by their names.
        unnoticed: the lines of the writes that a backward pass did not know of, so that its gradients are wrong.
        keeps_order: whether the edits do.
        slopes: how the first pass compares with finite differences, for a framework whose own backward may be wrong.
    """

    raised: BaseException | None
    passes: list[dict[str, Any]]
    trails: tuple[Trail, ...]
    copies: int
    values: Mapping[str, Any]
    unnoticed: tuple[int, ...] = ()
    keeps_order: bool = True
    slopes: Compared | None = None


MOST = 1 << 22
"""So many elements of values are kept."""


def named(names: dict[str, Any], text: str, watched: Watched, array: Callable[[Any], Any]) -> dict[str, Any]:
    """Returns the values of a script's tensors, by their names.

    Args:
        names: the names of its main module.
        text: its text.
        watched: the classes that hold tensors.
        array: returns the values of a tensor.
    """
    room, found = MOST, dict[str, Any]()
    for tensor, of_tensor in Bindings(identifiers(parsed(text)), watched).look([Scope(names, "")], done=True) or ():
        room -= tensor.numel() if callable(tensor.numel) else tensor.size
        if room >= 0:
            found |= dict.fromkeys(of_tensor, array(tensor))
    return found


class Run(Protocol):
    """Runs scripts of one framework."""

    def __call__(self, main: Main, text: str, names: dict[str, Any], asked: Asked) -> Ran:
        """Runs a script.

        Args:
            main: the script or the module.
            text: its text.
            names: the names of the main module.
            asked: how.
        """


_ELSEWHERE = Text(
    "the copy of {0} cannot be run: Python finds that module in {1}", "无法运行 {0} 的副本：Python 找到的模块位于 {1}"
)


def _main_of(told: Mapping[str, Any]) -> Main:
    """Returns what a request wants to run.

    Raises:
        NoModuleError: if it is a module, and cannot be imported, or would not be the copy.
    """
    path, module = Path(told["script"]), told["module"]
    if module is None:
        return Main(path)
    found = Main.of_module(module, told["arguments"])
    if found.path.resolve() != path.resolve():
        raise NoModuleError(_ELSEWHERE.format(module, found.path))
    return found


def main(request: Path) -> None:
    """Runs a request."""
    told = json.loads(request.read_text(encoding="utf-8"))
    data = OtherData(told["data"])
    edits = None if told["edits"] is None else tuple(EditFacts(**each) for each in told["edits"])
    asked = Asked(told["reference"], data, edits, told["seconds"])
    sys.path.append(told["folder"])  # libraries that stand there are not copied
    run: Run = loaded(frameworks()[told["framework"]].trial)
    try:
        program = _main_of(told)
    except NoModuleError as reason:
        ran = Ran(reason, [], (), 0, {})
    else:
        with main_module(program, told["arguments"]) as module, data.seeded():
            ran = run(program, decode_source(program.path.read_bytes()), vars(module), asked)
    error = "" if ran.raised is None else f"{type(ran.raised).__name__}: {message_of(ran.raised)}"
    if isinstance(ran.raised, SystemExit) and ran.raised.code in (None, 0):
        error = ""
    arrays: list[Any] = []
    passes = []
    for gradients in (*ran.passes, ran.values):
        numbers = {name: None if each is None else len(arrays) + k for k, (name, each) in enumerate(gradients.items())}
        arrays += [np.zeros(0) if each is None else each for each in gradients.values()]
        passes.append(numbers)
    np.savez(told["gradients"], *arrays)
    outcome = {
        "error": error, "trails": [each.to_data() for each in ran.trails], "copies": ran.copies, "passes": passes,
        "unnoticed": ran.unnoticed, "keeps_order": ran.keeps_order, "slopes": None if ran.slopes is None else asdict(ran.slopes),
    }  # fmt: skip
    Path(told["outcome"]).write_text(json.dumps(outcome), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
