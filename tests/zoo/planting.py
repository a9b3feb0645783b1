"""Plants a write to what one of the modules of a program was given, so that backward fails, and asks `explain` which line it was."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

from . import running
from .entry import Entry
from .forking import forked

TRIED = 16
"""So many places are tried for a write that overwrites what backward needs."""
_LINE = "        value.mul_(2)  # planted"
_PLANTED = f"""\
calls = 0
def spoil(module, inputs, output):
    global calls
    tensors = [each for each in (*inputs, output) if isinstance(each, torch.Tensor) and each.is_floating_point()]
    value = next((each for each in tensors if each.requires_grad and not each.is_leaf), None)
    if value is None:
        return
    calls += 1
    if calls == CHOSEN:
{_LINE}
torch.nn.modules.module.register_module_forward_hook(spoil)
"""


@dataclass(frozen=True)
class Planted:
    """What came of planting a write.

    Attributes:
        calls: how many calls of modules it might follow.
        tried: how many it has, until backward failed.
        fails: whether backward failed.
        found: whether `explain` has named the line.
        compiled: whether it has said instead that it does not watch compiled code, in which the line ran.
        said: what it has said, if it has not done so.
    """

    calls: int
    tried: int = 0
    fails: bool = False
    found: bool = False
    compiled: bool = False
    said: str = ""


def planted(entry: Entry, folder: Path) -> Planted:
    """Plants a write in the program of an entry, at a place that depends on its name alone."""

    def program(chosen: int) -> Path:
        to = folder / "planted.py"
        to.write_text(entry.program_text(_PLANTED.replace("CHOSEN", str(chosen))), encoding="utf-8")
        return to

    first = program(0)
    left, _ = forked(lambda: running.plain(first, "calls"), folder)
    calls = left.counted or 0
    places = Random(entry.name).sample(range(1, calls + 1), min(calls, TRIED))
    for tried, chosen in enumerate(places, 1):
        spoiled = program(chosen)
        left, _ = forked(partial(running.plain, spoiled), folder)
        if left.raised is None or "modified by an inplace operation" not in left.raised[1]:
            continue
        (other, said), _ = forked(partial(running.explained, spoiled), folder)
        line = spoiled.read_text(encoding="utf-8").splitlines().index(_LINE) + 1
        named = [each for failure in said.failures for each in failure["places"] if each["role"] == "overwritten"]
        found = any(Path(site["file"]).name == spoiled.name and site["line"] == line for site in named)
        compiled = entry.compiled and not found and any("torch.compile" in each for each in said.remarks)
        same = not running.differences(left, other)
        told = "" if same and (found or compiled) else f"{same} {said.failures}"[:500]
        return Planted(calls, tried, True, found and same, compiled and same, told)
    return Planted(calls, len(places))
