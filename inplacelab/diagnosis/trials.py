"""Finds fixes for a script or a module by trying them: edits of its files, each run in a copy of its folder.

A fix is one after which the script runs, and every backward pass gives the losses and gradients of the reference (see `recorders/checking.py`): of
the original script with a copy of everything that grad nodes save, which every pass keeps. Edits that lead to another failure are tried together
with proposals for that one.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from inplacelab.diagnosis.processes import run_apart
from inplacelab.diagnosis.slopes import Compared
from inplacelab.diagnosis.source_file import SourceFile, unified_diff
from inplacelab.language import Text
from inplacelab.recorders.checking import Gave, compared
from inplacelab.recorders.main_module import folder_of
from inplacelab.recorders.other_data import OWN
from inplacelab.recorders.own_code import is_own
from inplacelab.recording.facts import EditFacts, Evidence, FixFacts
from inplacelab.recording.fixes.kept_copies import copies_of_all
from inplacelab.recording.fixes.located import Proposal, edited
from inplacelab.recording.fixes.order import moves
from inplacelab.recording.fixes.proposals import proposals
from inplacelab.recording.fixes.spots import Spot, Trail

LARGEST = 64 << 20
"""A folder with more bytes is not copied."""
TRIALS = 24
"""So many edits are tried."""
FEWER = 8
"""So many, if there is one after which the gradients are right."""
ALONE = 4
"""So many edits are tried alone before copies of all stale values together, if there are several."""
DEEPEST = 3
"""So many edits are tried together."""
BUDGET = 10
"""All trials together take no longer than so many times what one may take."""
_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
"""What is in the folder of an environment for Python, of whichever name."""

_TOO_LARGE = Text(
    "the script's folder has more than {0} MiB, so it was not copied", "脚本所在的文件夹超过 {0} MiB，没有复制"
)
_NO_REFERENCE = Text(
    "in a copy of its folder, with nothing on the standard input, and with a copy of everything that grad nodes save, the script still fails: {0}",
    "在所在文件夹的副本中运行，标准输入为空，并复制梯度节点保存的所有内容，脚本仍然失败：{0}",
)
_WRONG_REFERENCE = Text(
    "backward does not know of the write in line {0}, so there are no right gradients to compare with",
    "反向传播不知道第 {0} 行的写入，所以没有正确的梯度可供比较",
)
_WRONG_SLOPE = Text(
    "finite differences of the loss give {1} for an element of the gradient of `{0}`, and the framework's own backward gives {2}, whatever is "
    "copied: so there are no right gradients to compare with; compute this part with other operations",
    "对 `{0}` 的梯度的一个元素，损失的有限差分给出 {1}，而框架自己的反向传播给出 {2}，复制什么都一样，所以没有正确的梯度可供比较；请改用其他操作计算这一部分",
)
_OTHER_FOLDER = Text(
    "{0} is in {1}, which is not where modules of that name are found from its outermost package on, so it was not copied",
    "{0} 位于 {1}，与从最外层的包开始的模块名不相符，没有复制",
)
_FIRST = Text("running the program with copies of everything that is saved", "正在带副本运行程序")
_TRYING = Text("trying fix {0} of {1}", "正在尝试第 {0} 种改法，共 {1} 种")
STOPPED = Text("the search was interrupted", "搜索被中断")
"""Why no fix was tried, if somebody did not want to wait."""
_TOO_LONG = Text("it ran for more than {0} seconds", "运行超过 {0} 秒")


class NotTriedError(Exception):
    """Raised if no fix can be tried. `why` says why not."""

    def __init__(self, why: Text) -> None:
        super().__init__(str(why))
        self.why = why


@dataclass(frozen=True)
class Checked:
    """A fix that was tried, and works.

    Attributes:
        proposals: the edits.
        before, after: the texts of the files that change, by path.
        differs: the names of tensors that have other values in the end than in the reference.
        evidence: what trying it has shown.
        slopes: so many elements of the reference's gradients agree with finite differences; None if that was not compared.
    """

    proposals: tuple[Proposal, ...]
    before: Mapping[str, str]
    after: Mapping[str, str]
    differs: tuple[str, ...]
    evidence: Evidence
    slopes: int | None = None

    @property
    def says(self) -> Text:
        """What the edits do."""
        parts = dict.fromkeys(each.says for each in self.proposals)
        return Text("; ".join(each.en for each in parts), "；".join(each.zh for each in parts))

    def diff(self) -> str:
        """Returns the change of the files, as `diff -u` shows it."""
        texts = self.before.items()
        return "".join(unified_diff(os.path.relpath(path), text, self.after[path]) for path, text in texts)

    def write(self) -> None:
        """Writes the files."""
        for path, text in self.after.items():
            SourceFile.read(path).write(path, text)


def facts_of(found: Checked, script: Path) -> FixFacts:
    """Returns a fix as a recording of the script has it."""
    edits = dict.fromkeys(
        replace(edit, file="" if Path(each.filename) == script.resolve() else each.filename)
        for each in found.proposals
        for edit in each.edits
    )
    return FixFacts(found.says, tuple(edits), found.evidence, differs=found.differs, slopes=found.slopes)


@dataclass(frozen=True)
class Tried:
    """What came out of the trials.

    Attributes:
        fixes: those that work.
        count: how many edits were tried.
        copies: the bytes of the copies of everything that grad nodes save, in the reference.
    """

    fixes: tuple[Checked, ...]
    count: int
    copies: int


@dataclass
class _Outcome(Gave):
    trails: tuple[Trail, ...] = ()
    copies: int = 0
    unnoticed: tuple[int, ...] = ()
    keeps_order: bool = True
    slopes: Compared | None = None

    def gives(self, meant: Gave) -> bool:
        """Whether the script gave what was meant, and backward knew of every write."""
        return not self.unnoticed and super().gives(meant)


class Trials:
    """Tries edits of a script.

    Args:
        script: the script, or the file of a module.
        arguments: its arguments.
        framework: its framework.
        seconds: how long a trial may take.
        module: the full name of a module that is run as `python -m` does; None for a script.
        tell: is told what is done next.

    Raises:
        NotTriedError: if its folder is too large.
    """

    def __init__(
        self, script: Path, arguments: Sequence[str], *, framework: str, seconds: float, module: str | None = None,
        tell: Callable[[Text], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._script, self._arguments, self._seconds = script.resolve(), list(arguments), seconds
        self._module, self._framework, self._tell = module, framework, tell
        self._folder = folder_of(script, module)
        if module and list(self._script.relative_to(self._folder).with_suffix("").parts) != module.split("."):
            raise NotTriedError(_OTHER_FOLDER.format(module, self._script))
        size = 0
        for folder, folders, files in os.walk(self._folder):
            left_out = _left_out(folder, [*folders, *files])
            folders[:] = [each for each in folders if each not in left_out]
            size += sum(Path(folder, each).lstat().st_size for each in files if each not in left_out)
            if size > LARGEST:
                raise NotTriedError(_TOO_LARGE.format(LARGEST >> 20))
        self._count = 0
        self._until = time.monotonic() + seconds * BUDGET
        self._references: dict[int, _Outcome] = {}

    def failing(self) -> tuple[tuple[Trail, ...], str]:
        """Runs the script as it is. Returns the values that its failed pass found overwritten, or would have found; and its error, or ""."""
        outcome = self._run(())
        return outcome.trails, outcome.error

    def find(self, trails: Sequence[Trail], *, enough: int = 1) -> Tried:
        """Returns the fixes that work.

        Args:
            trails: the values that the failed pass found overwritten, or would have found.
            enough: how many fixes to find.

        Raises:
            NotTriedError: if there is nothing to compare with.
        """
        self._tell(_FIRST)
        reference = self._reference(OWN)
        if reference.error:
            raise NotTriedError(_NO_REFERENCE.format(reference.error.splitlines()[0]))
        right: list[Checked] = []
        others: list[Checked] = []  # after which the gradients are right, but other values are not
        resolved = [*map(_resolved, trails)]
        waiting: list[tuple[Proposal, ...]] = [(each,) for each in _proposals(resolved)]
        waiting.insert(ALONE if len(trails) > 1 else len(waiting), tuple(copies_of_all(resolved, _read)))
        seen: set[frozenset[Proposal]] = set()
        while waiting and self._has_time and self._count < (FEWER if others else TRIALS) and len(right) < enough:
            tried = waiting.pop(0)
            if not tried or frozenset(tried) in seen or not self._goes_together(tried):
                continue
            seen.add(frozenset(tried))
            self._count += 1
            self._tell(_TRYING.format(self._count, min(self._count + len(waiting), TRIALS)))
            outcome = self._run(tried)
            if outcome.error and len(tried) < DEEPEST:
                further = (_original(each, tried) for each in outcome.trails)
                waiting += [(*tried, each) for each in _proposals(each for each in further if each is not None)]
            elif outcome.gives(reference) and self._keeps_order(tried):
                differs = outcome.differing(reference)
                if not differs:
                    tried = self._with_fewer(tried, reference, seen)
                found = self._checked(tried, differs)
                if found is not None:
                    (others if found.differs else right).append(found)
        return Tried(tuple([*right, *others][:enough]), self._count, reference.copies)

    @property
    def _has_time(self) -> bool:
        return time.monotonic() < self._until

    def _reference(self, number: int) -> _Outcome:
        """Runs the reference on the data with a number, once.

        Raises:
            NotTriedError: if its gradients are wrong.
        """
        if number not in self._references:
            self._references[number] = self._run((), reference=True, number=number)
        found = self._references[number]
        if found.unnoticed:
            raise NotTriedError(_WRONG_REFERENCE.format(found.unnoticed[0]))
        if found.slopes is not None and found.slopes.wrong is not None:
            name, gradient, slope = found.slopes.wrong
            raise NotTriedError(_WRONG_SLOPE.format(name, f"{slope:.4g}", f"{gradient:.4g}"))
        return found

    def _keeps_order(self, tried: Sequence[Proposal]) -> bool:
        """Whether edits move no statement across one that depends on it, or on which it depends."""
        for each in tried:
            if moves(_read(each.filename), each.edits):
                if Path(each.filename).resolve() != self._script or not self._has_time:
                    return False  # only what the script itself does is recorded by lines
                found = self._run((), reference=True, edits=each.edits)
                if found.error or not found.keeps_order:
                    return False
        return True

    def _with_fewer(
        self, works: tuple[Proposal, ...], reference: _Outcome, seen: set[frozenset[Proposal]]
    ) -> tuple[Proposal, ...]:
        """Leaves out edits, as long as the rest works."""
        for each in works if len(works) > 1 else ():
            fewer = tuple(other for other in works if other is not each)
            if not fewer or frozenset(fewer) in seen or self._count >= TRIALS:
                continue
            seen.add(frozenset(fewer))
            self._count += 1
            outcome = self._run(fewer)
            if outcome.gives(reference) and not outcome.differing(reference) and self._keeps_order(fewer):
                works = fewer
        return works

    def _goes_together(self, tried: Sequence[Proposal]) -> bool:
        try:
            self._texts(tried)
        except (SyntaxError, OSError, ValueError):
            return False
        files = {Path(each.filename).resolve() for each in tried}
        return all(each.is_relative_to(self._folder) and is_own(str(each)) for each in files)

    def _texts(self, tried: Sequence[Proposal]) -> dict[str, str]:
        """Returns the new texts of the files that change."""
        return {
            name: edited(_read(name), [each for each in tried if each.filename == name])
            for name in dict.fromkeys(each.filename for each in tried)
        }

    def _checked(self, tried: tuple[Proposal, ...], differs: Sequence[str]) -> Checked | None:
        """Compares edits that are right on the script's own data on other data, too; None if they are not right there."""
        evidence, others = compared(
            lambda number: self._run(tried, number=number) if self._has_time else None,
            lambda number: self._reference(number) if self._has_time else None,
        )
        if not evidence:
            return None
        slopes = [each.slopes for each in self._references.values() if each.slopes is not None and not each.error]
        if slopes and not any(each.all_leaves for each in slopes):
            evidence = "same"
        after = self._texts(tried)
        before = {name: _read(name) for name in after}
        differs = tuple(dict.fromkeys((*differs, *others)))
        return Checked(tried, before, after, differs, evidence, sum(each.count for each in slopes) if slopes else None)

    def _run(
        self,
        tried: Sequence[Proposal],
        *,
        reference: bool = False,
        number: int = OWN,
        edits: Sequence[EditFacts] | None = None,
    ) -> _Outcome:
        """Runs the script with edits in a copy of its folder."""
        with TemporaryDirectory(prefix="inplacelab-") as scratch:
            copy = Path(scratch).resolve() / "run" / self._folder.name
            shutil.copytree(self._folder, copy, ignore=_left_out, symlinks=True)
            for name, text in self._texts(tried).items():
                SourceFile.read(name).write(copy / Path(name).resolve().relative_to(self._folder), text)
            request, outcome, gradients = (
                Path(scratch) / each for each in ("request.json", "outcome.json", "gradients.npz")
            )
            asked = {
                "script": str(copy / self._script.relative_to(self._folder)), "module": self._module, "arguments": self._arguments,
                "folder": str(self._folder), "framework": self._framework, "reference": reference,
                "outcome": str(outcome), "gradients": str(gradients), "data": number, "seconds": self._seconds / 4,
                "edits": None if edits is None else [asdict(each) for each in edits],
            }  # fmt: skip
            request.write_text(json.dumps(asked), encoding="utf-8")
            command = [sys.executable, "-m", "inplacelab.diagnosis.trial_run", str(request)]
            inherited = {
                **os.environ,
                "PYTHONHASHSEED": "0",
                "PYTHONPATH": os.pathsep.join([*self._path(copy), str(Path(__file__).parents[2])]),
            }
            if not run_apart(command, folder=copy, environment=inherited, seconds=self._seconds):
                return _Outcome(str(_TOO_LONG.format(f"{self._seconds:g}")))
            if not outcome.exists():
                return _Outcome("the process ended")
            told = json.loads(outcome.read_text(encoding="utf-8"))
            trails = tuple(
                Trail.of_data(each).renamed(lambda name: name.replace(str(copy), str(self._folder), 1))
                for each in told["trails"]
            )
            *passes, values = _arrays(told["passes"], gradients)
            slopes = told["slopes"] and Compared(**told["slopes"])
            return _Outcome(
                told["error"],
                passes,
                {},
                values,
                trails,
                told["copies"],
                tuple(told["unnoticed"]),
                told["keeps_order"],
                slopes,
            )

    def _path(self, copy: Path) -> Iterator[str]:
        """Yields where Python looks for modules: in the folders of the copy before the originals, where libraries are."""
        for each in map(os.path.abspath, sys.path):  # "" is the current folder
            folder = Path(each).resolve()
            if folder.is_relative_to(self._folder):
                yield str(copy / folder.relative_to(self._folder))
            yield each


def _left_out(folder: str, names: Sequence[str]) -> set[str]:
    """Returns which files and folders of a folder are not copied: those that are no part of the program, such as libraries."""
    return {
        each
        for each in names
        if each.startswith(".") or each in ("__pycache__", "node_modules") or _is_foreign(Path(folder, each))
    }


def _is_foreign(path: Path) -> bool:
    return path.is_dir() and (not is_own(str(path)) or any(Path(path, each).exists() for each in _ENVIRONMENTS))


def _read(filename: str) -> str:
    return SourceFile.read(filename).text


def _proposals(trails: Iterable[Trail]) -> Iterator[Proposal]:
    for trail in trails:
        yield from proposals(trail, _read)


def _resolved(trail: Trail) -> Trail:
    return trail.renamed(lambda name: str(Path(name).resolve()))


def _original(trail: Trail, tried: Sequence[Proposal]) -> Trail | None:
    """Returns a trail in the edited program as one in the original; None if one of its lines was edited, or is new."""
    lost = False

    def back(spot: Spot) -> Spot | None:
        shift = 0
        for edit in (edit for each in tried if each.filename == spot.filename for edit in each.edits):
            grown = edit.text.count("\n") - (edit.end_line - edit.line)
            line = edit.line + shift
            if line + edit.text.count("\n") < spot.line or (edit.column == edit.end_column == 0 and line < spot.line):
                shift += grown
            elif line <= spot.line <= line + max(edit.text.count("\n"), 0):
                return None
        return replace(spot, line=spot.line - shift, end_line=spot.end_line - shift)

    def all_back(spots: Sequence[Spot]) -> tuple[Spot, ...]:
        nonlocal lost
        found = [back(each) for each in spots]
        lost = lost or (bool(found) and found[0] is None)
        return tuple(each for each in found if each is not None)

    writes = tuple(each for each in (all_back(one) for one in trail.writes) if each)
    lost = False
    moved = replace(
        trail, kept=all_back(trail.kept), views=all_back(trail.views), needed=all_back(trail.needed),
        released=all_back(trail.released), writes=writes,
    )  # fmt: skip
    return moved if writes or moved.kept or moved.released else None


def _arrays(passes: Sequence[Mapping[str, int | None]], file: Path) -> list[dict[str, Any]]:
    with np.load(file) as arrays:
        return [
            {name: None if number is None else arrays[f"arr_{number}"] for name, number in each.items()}
            for each in passes
        ]
