"""Judges explanations of PyTorch programs by what the watch does not use: anomaly mode, and the versions of all tensors after each line."""

from __future__ import annotations

import re
import sys
import threading
import warnings
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from inplacelab.diagnosis.findings import Finding
from inplacelab.frameworks.torch.passes import Stale, stale

HELPERS = ("in_thread", "run", "unseen")
"""Functions that wait for a thread: what happens meanwhile is due to the line that has called them, or to the thread's own."""
UNSEEN = "unseen("
"""Is in the lines whose writes nobody can see."""


@dataclass
class Judge:
    """Runs a program, and finds the line that made the node that failed, and the lines at which versions rose.

    Attributes:
        text, filename: the program.
        told: what the error says of the value that was overwritten; None if backward has not failed for that reason.
        node: the node that has failed.
        kept: the lines of the calls that made it, the innermost last.
    """

    text: str
    filename: str
    told: Stale | None = None
    node: str = ""
    kept: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._held: list[Any] = []
        self._known: set[int] = set()
        self._versions: list[int] = []
        self._rises: list[tuple[int, int, int, int]] = []  # which tensor, the line, the version before and after
        self._first: list[int] = []
        self._lines = [0]
        self._run()

    def _run(self) -> None:
        code, error = compile(self.text, self.filename, "exec"), None
        with warnings.catch_warnings(record=True) as said, torch.autograd.set_detect_anomaly(True, check_nan=False):
            warnings.simplefilter("always")
            before = sys.gettrace()
            threading.settrace(self._trace)
            sys.settrace(self._trace)
            try:
                exec(code, {"torch": torch})
            except Exception as raised:  # noqa: BLE001  # whatever PyTorch raises
                error = raised
            finally:
                sys.settrace(before)
                threading.settrace(None)
        self._look({})
        self.told = stale(str(error))
        told = [str(each.message) for each in said if "Error detected in" in str(each.message)]
        made = re.search(r"Error detected in ([\w:]+)\.(.*)", "".join(told[:1]), re.DOTALL)
        if made is not None:
            self.node = made[1].rpartition("::")[2]
            self.kept = [int(each) for each in re.findall(rf'File "{self.filename}", line (\d+)', made[2])]

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != self.filename or frame.f_code.co_name in HELPERS:
            return None
        self._look({**frame.f_globals, **frame.f_locals})
        if event == "call":
            self._lines.append(frame.f_lineno)
        elif event == "line":
            self._lines[-1] = frame.f_lineno
        elif event == "return":
            self._lines.pop()
        return self._trace

    def _look(self, names: dict[str, Any]) -> None:
        for number, tensor in enumerate(self._held):
            if tensor._version != self._versions[number]:
                self._rises.append((number, self._lines[-1], self._versions[number], tensor._version))
                self._versions[number] = tensor._version
        for each in names.values():
            if isinstance(each, torch.Tensor) and id(each) not in self._known:
                self._known.add(id(each))
                self._held.append(each)
                self._versions.append(each._version)
                self._first.append(each._version)

    def written(self) -> list[tuple[frozenset[int], int]]:
        """Returns the lines that have overwritten the value, and by how much its version rose at lines that cannot be seen.

        There may be several: tensors whose versions are those in the error.
        """
        assert self.told is not None
        found = []
        for number, version in enumerate(self._versions):
            if version == self.told.found_at and self._first[number] <= self.told.kept_at:
                rises = [each for each in self._rises if each[0] == number and each[2] >= self.told.kept_at]
                hidden = [each for each in rises if UNSEEN in self._line(each[1])]
                seen = frozenset(each[1] for each in rises if each not in hidden)
                found.append((seen, sum(after - before for _, _, before, after in hidden)))
        return found

    def _line(self, number: int) -> str:
        return self.text.splitlines()[number - 1] if number else ""

    def objects_to(self, found: Finding) -> str:
        """Returns what is false in an explanation; "" if nothing is."""
        kept = [each.sites[0].line if each.sites else None for each in found.facts.values]
        if not kept:
            return "nothing is named"
        certain = found.facts.values[0].certain
        if certain and len(kept) > 1:
            return "several values are named for certain"
        right = {None, *self.kept} if not self.kept else set(self.kept[-1:])
        if "checkpoint(" in "".join(self._line(each) for each in self.kept):
            right = set(self.kept)  # what it keeps, or what it computes again
        if not right & set(kept):
            return f"the kept line is {kept}, and not {self.kept}, certain: {certain}"
        written = self.written()
        for each, line in zip(found.facts.values, kept, strict=True):
            lines = frozenset(write.sites[0].line for write in each.writes if write.sites)
            if line in right and (lines, each.unseen) in written:
                return ""
        if not written:
            return ""  # nothing has a name that shows what was overwritten
        shown = [
            [write.sites[0].line if write.sites else None for write in each.writes for _ in range(write.times)]
            for each in found.facts.values
        ]
        return f"written at {shown} and {[each.unseen for each in found.facts.values]} more, and not {written}"
