"""Runs edits of a script or a module, each in a process of its own and in a copy of its folder, to find those that fix it (`recorders/fix_search.py`)."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from inplacelab.diagnosis.template import Job, NoTemplateError, Template
from inplacelab.diagnosis.trial_run import Asked, Request
from inplacelab.language import Text
from inplacelab.recorders.fix_search import Budget, Outcome, WrongGradient, search
from inplacelab.recorders.main_module import folder_of
from inplacelab.recorders.own_code import is_own
from inplacelab.recorders.trial_data import OWN, Slope
from inplacelab.recorders.trial_end import End
from inplacelab.recording.facts import EditFacts, FixFacts
from inplacelab.recording.fixes import SHOWN
from inplacelab.recording.fixes.proposals import in_other_forms, proposals, updates
from inplacelab.recording.fixes.refused import covers
from inplacelab.recording.fixes.spots import Lines, Proposal, Trail, changed, lines_of, together
from inplacelab.recording.recording import Recording
from inplacelab.supported import frameworks, loaded


@dataclass(frozen=True)
class SourceFile:
    """A file of a program.

    Attributes:
        text: its text, with lines that end as Python's do.
        encoding: how its bytes are read: what its first lines declare, or its byte order mark, or UTF-8.
        newline: how its lines end.
    """

    text: str
    encoding: str
    newline: str

    @classmethod
    def read(cls, path: str | Path) -> SourceFile:
        """Reads a file.

        Raises:
            OSError: if it cannot be read.
            SyntaxError, ValueError: if it is not a Python program.
        """
        with tokenize.open(path) as file:
            text, found = file.read(), file.newlines
            newline = found if isinstance(found, str) else "\n"  # not known, or of several kinds
            return cls(text, file.encoding, newline)

    def write(self, path: str | Path, text: str) -> None:
        """Writes another text for it to a file.

        Raises:
            OSError: if it cannot be written.
        """
        Path(path).write_bytes(text.replace("\n", self.newline).encode(self.encoding))


def text_of(path: str) -> str:
    """Returns the text of a file; see `SourceFile.read`."""
    return SourceFile.read(path).text


def write(edits: Sequence[EditFacts]) -> None:
    """Writes edits into the files that they edit."""
    for name, (_, text) in changed(edits, text_of).items():
        SourceFile.read(name).write(name, text)


def changed_since(texts: Mapping[str, str]) -> str | None:
    """Returns the first of some files that has another text now, or cannot be read any more; None if there is none."""
    for name, text in texts.items():
        try:
            if text_of(name) != text:
                return name
        except (OSError, SyntaxError, ValueError):
            return name
    return None


LARGEST = 64 << 20
"""A folder with more bytes is not copied."""
TRIALS = 24
"""So many edits are tried."""
TOGETHER = 20
"""All trials together take no longer than so many seconds; or, if that is more, than"""
BUDGET = 10
"""so many times what the original takes until it fails."""
LEAST = 1
"""A trial that has begun may take so many seconds."""
EARLY = 16
"""A pass that goes wrong without an error is looked for among so many first ones, before the whole program runs."""
_ENVIRONMENTS = ("pyvenv.cfg", "conda-meta")
"""What is in the folder of an environment for Python, of whichever name."""

_TOO_LARGE = Text(
    "the script's folder has more than {0} MiB, so it was not copied", "脚本所在的文件夹超过 {0} MiB，没有复制"
)
_NO_REFERENCE = Text(
    "in a copy of its folder, with nothing on the standard input, and with a copy of everything that grad nodes save, the script still fails: {0}",
    "在所在文件夹的副本中运行，标准输入为空，并复制梯度节点保存的所有内容，脚本仍然失败：{0}",
)
_DOES_NOT_FAIL = Text(
    "in a copy of its folder, with nothing on the standard input and with fixed seeds, the script does not fail, so no fix can be checked",
    "在所在文件夹的副本中运行，标准输入为空，随机种子固定时，脚本不会失败，所以无法检验改法",
)
_SLOW_REFERENCE = Text(
    "in a copy of its folder, and with a copy of everything that grad nodes save, the script was ended after {0} seconds, before the step after the "
    "failure had ended: `--seconds` gives it more time",
    "在所在文件夹的副本中运行，并复制梯度节点保存的所有内容，{0} 秒后出错步的下一步仍未完成，脚本被结束：可用 `--seconds` 给它更多时间",
)
_WRONG_REFERENCE = Text(
    "backward does not know of the write in line {0}, so there are no right gradients to compare with",
    "反向传播不知道第 {0} 行的写入，所以没有正确的梯度可供比较",
)
_WRONG_SLOPE = Text(
    "finite differences of the loss give {1} for an element of the gradient of `{0}`, and {3} gives {2}, whatever is copied: so there are no right "
    "gradients to compare with; compute this part with other operations",
    "对 `{0}` 的梯度的一个元素，损失的有限差分给出 {1}，而{3}给出 {2}，复制什么都一样，所以没有正确的梯度可供比较；请改用其他操作计算这一部分",
)
_OWN_BACKWARD = Text("the framework's own backward", "框架自己的反向传播")
_REPLAY = Text("inplacelab's engine", "inplacelab 的引擎")
_OWN_GRADIENT = Text(
    "The framework's own gradient of `{0}` is wrong, and no copy changes that: for an element of the gradient of {1}, its backward gives {2}, and the "
    "recorded operations give {3}. Compute this part with other operations.",
    "框架对 `{0}` 求的梯度本身就是错的，复制什么都一样：对 {1} 的梯度的一个元素，框架的反向传播给出 {2}，而按记录的操作计算得到 {3}。请改用其他操作计算这一部分。",
)
_UNKNOWN_WRITE = Text(
    "The framework's backward does not know of the write `{0}`, and no copy changes that: for an element of the gradient of {1}, it gives {2}, and the "
    "recorded operations give {3}.",
    "框架的反向传播不知道 `{0}` 的写入，复制什么都一样：对 {1} 的梯度的一个元素，它给出 {2}，而按记录的操作计算得到 {3}。",
)
_WRONG_BACKWARD = Text(
    "The framework's backward is wrong, whatever is copied: for an element of the gradient of {1}, it gives {2}, and the recorded operations give {3}.",
    "框架的反向传播是错的，复制什么都一样：对 {1} 的梯度的一个元素，它给出 {2}，而按记录的操作计算得到 {3}。",
)
_A_LEAF = Text("a leaf", "一个叶张量")
_OTHER_FOLDER = Text(
    "{0} is in {1}, which is not where modules of that name are found from its outermost package on, so it was not copied",
    "{0} 位于 {1}，与从最外层的包开始的模块名不相符，没有复制",
)
_FIRST = Text("running the program with copies of everything that is saved", "正在带副本运行程序")
_PROCESS_ENDED = Text(
    "its process ended before the script did, with exit status {0}: by `os._exit`, or by a crash",
    "脚本还没有结束，进程就以退出状态 {0} 结束了：可能调用了 `os._exit`，也可能崩溃了",
)
STOPPED = Text("the search was interrupted", "搜索被中断")
"""Why no fix was tried, if somebody did not want to wait."""
_TOO_LONG = Text("it ran for more than {0} seconds", "运行超过 {0} 秒")


class NotTriedError(Exception):
    """Raised if no fix can be tried. `why` says why not."""

    def __init__(self, why: Text) -> None:
        super().__init__(str(why))
        self.why = why


@dataclass(frozen=True)
class Tried:
    """What came out of the trials.

    Attributes:
        fixes: those that work.
        count: how many edits were tried.
        copies: the bytes of the copies of everything that grad nodes save, in the reference; 0 if there was none. None if copies are no fix,
            since they would keep parameters that were updated, or do not bring back what was released.
        why: why no edit may work: what the framework itself gets wrong; None if that is not known.
    """

    fixes: tuple[FixFacts, ...]
    count: int
    copies: int | None
    why: Text | None = None


class Trials:
    """Tries edits of a script.

    Args:
        script: the script, or the file of a module.
        arguments: its arguments.
        framework: its framework.
        seconds: how long a trial may take.
        module: the full name of a module that is run as `python -m` does; None for a script.
        tell: called with what is done next.
        lines: names its lines in what fixes say.

    Raises:
        NotTriedError: if its folder is too large.
    """

    def __init__(
        self, script: Path, arguments: Sequence[str], *, framework: str, seconds: float, module: str | None = None,
        tell: Callable[[Text], None] = lambda _: None, lines: Lines | None = None,
    ) -> None:  # fmt: skip
        self._script, self._arguments, self._seconds = script.resolve(), list(arguments), seconds
        self._module, self._framework, self._tell = module, framework, tell
        self._texts: dict[str, str] = {}
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
        self._budget = Budget(trials=TRIALS, seconds=seconds * BUDGET, tell=tell)
        self._until: float | None = None  # when the last trial ends; None before the original has run
        self._failing: int | None = (
            None  # the number of the pass that fails in the original (see `End`); None before that ran
        )
        self._template: Template | None = Template(framework)
        self._libraries: tuple[str, ...] = ()  # what it imported
        self._ends: dict[int, End] = {}  # when the trials end, by the numbers of their data
        self.lines = lines or lines_of(str(self._script))

    def failing(self) -> tuple[tuple[Trail, ...], str]:
        """Runs the script as it is. Returns the values that its failed pass found overwritten, or would have found; and its error, or ""."""
        outcome = self._original()
        return outcome.trails, outcome.error

    def _original(self, *, fails: bool = True) -> Outcome:
        outcome = self.run(()) if fails else self.outcome((), Asked(judged=True, end=End(passes=EARLY)))
        if not fails and outcome.early and not outcome.wrong:
            outcome = self.run(())
        self._budget.seconds = max(TOGETHER, outcome.seconds * BUDGET)
        self._until = time.monotonic() + self._budget.seconds
        if outcome.error:
            self._failing = 0 if outcome.reached is None else outcome.reached.failing
        else:
            self._failing = 0 if fails else outcome.wrong
        return outcome

    def slopes_at(self, elements: Mapping[str, int]) -> Mapping[str, Slope]:
        """Runs the script through its first pass. Returns finite differences of its loss (see `trial_data.slopes_at`)."""
        try:
            return self.outcome((), Asked(end=End(passes=1), elements=elements)).slopes_at
        finally:
            self.close()

    def find(self, trails: Sequence[Trail], *, enough: int = 1, fails: bool = True) -> Tried:
        """Returns the fixes that work.

        Args:
            trails: the values that the failed pass found overwritten, or would have found.
            enough: how many fixes to find.
            fails: whether the script fails; if not, its gradients are wrong.

        Raises:
            NotTriedError: if there is nothing to compare with.
        """
        try:
            return self._found(trails, enough, fails=fails)
        finally:
            self.close()

    def _found(self, trails: Sequence[Trail], enough: int, *, fails: bool) -> Tried:
        self._tell(_FIRST)
        self._budget.enough = enough
        if self._failing is None and not self._original(fails=fails).error and fails:
            raise NotTriedError(_DOES_NOT_FAIL)
        if covers(trails):  # the original cannot run: a fix can only be found to run
            self._budget.enough = SHOWN
            resolved = [each.renamed(lambda name: str(Path(name).resolve())) for each in trails]
            return Tried(search((), resolved, self, self._budget, None), self._budget.count, 0)
        reference = self.run((), reference=True)
        if reference.late:
            raise NotTriedError(_SLOW_REFERENCE.format(f"{reference.seconds:.0f}"))
        if reference.error and (cuts := self._cuts(trails)):
            return Tried(search(cuts, (), self, self._budget, None), self._budget.count, 0)
        if reference.error:
            raise NotTriedError(_NO_REFERENCE.format(reference.error.splitlines()[0]))
        resolved = [each.renamed(lambda name: str(Path(name).resolve())) for each in trails]
        fixes = search(self._forms(reference), resolved, self, self._budget, reference)
        no_fix = all(map(updates, trails)) or any(each.kind == "again" for each in trails)
        if reference.errors:  # copies are none, either
            return Tried(fixes, self._budget.count, None, _said(reference.errors[0]))
        return Tried(fixes, self._budget.count, None if no_fix else reference.copies)

    def _cuts(self, trails: Sequence[Trail]) -> list[Proposal]:
        """Returns ways to cut the graph between iterations: these compute something else on purpose, and need no reference."""
        resolved = [each.renamed(lambda name: str(Path(name).resolve())) for each in trails]
        return [each for each in proposals(resolved, self.read, self.lines) if each.way == "carried"]

    def _forms(self, reference: Outcome) -> list[Proposal]:
        """Returns other ways to write the operations to which the framework gives wrong gradients."""
        known = frameworks()[self._framework]
        forms = loaded(known.right_forms) if known.right_forms else {}
        spots = dict.fromkeys(each.spot for each in reference.errors if each.own_gradient)
        given = known.alias, self.read, self.lines
        found = [list(in_other_forms(each, forms.get(each.op, ()), *given)) for each in spots if each]
        all_of_them = map(together, zip(*found, strict=False)) if len(found) > 1 else ()
        return [*chain.from_iterable(found), *all_of_them]

    def read(self, filename: str) -> str:
        """Returns the text of a file, as it was first read, if it belongs to the program (see `fix_search.Runner`)."""
        if not Path(filename).resolve().is_relative_to(self._folder) or not is_own(filename):
            raise FileNotFoundError(filename)
        known = self._texts.get(filename)
        if known is None:
            known = self._texts[filename] = SourceFile.read(filename).text
        return known

    def in_files(self, edits: Iterable[EditFacts]) -> tuple[EditFacts, ...]:
        """Returns edits of a recording of the script as edits of the files that are its sources."""
        return tuple(replace(each, file=str(self._folder / each.file if each.file else self._script)) for each in edits)

    def trails(self, _: Sequence[EditFacts], outcome: Outcome) -> Sequence[Trail]:
        """Returns what the failed pass of a run found overwritten or released: its process has told that."""
        return outcome.trails

    def keeps_order(self, edits: Sequence[EditFacts]) -> bool:
        """Whether edits of one file move no statement across one that depends on it, or on which it depends."""
        if Path(edits[0].file).resolve() != self._script or not self._budget.has_time:
            return False  # only what the script itself does is recorded by lines
        found = self.outcome((), Asked(reference=True, edits=tuple(edits), end=self._end(OWN, reference=True)))
        return not found.error and found.keeps_order

    def run(self, edits: Sequence[EditFacts], *, reference: bool = False, number: int = OWN) -> Outcome:
        """Runs the script in a copy of its folder (see `fix_search.Runner`).

        Raises:
            NotTriedError: if this is the reference, and its gradients are wrong.
        """
        found = self.outcome(
            edits, Asked(reference=reference, number=number, end=self._end(number, reference=reference))
        )
        if reference and found.reached is not None:
            self._ends[number] = End(passes=found.reached.passes if found.reached.early else 0)
        if reference and found.unnoticed and not found.is_judged:
            raise NotTriedError(_WRONG_REFERENCE.format(found.unnoticed[0]))
        if found.slopes is not None and found.slopes.wrong is not None:
            name, gradient, slope = found.slopes.wrong
            whose = _REPLAY if any(each.name == name for each in found.errors) else _OWN_BACKWARD
            raise NotTriedError(_WRONG_SLOPE.format(name, f"{slope:.4g}", f"{gradient:.4g}", whose))
        if not found.is_corrected:
            raise NotTriedError(_said(found.errors[0]))
        return found

    def _end(self, number: int, *, reference: bool) -> End:
        """Returns when a run ends: the reference a step after the failed pass, the trials where the reference did, if there is one."""
        step_after = End(failing=self._failing or 0)
        return step_after if reference else self._ends.get(number, step_after)

    def outcome(self, edits: Sequence[EditFacts], asked: Asked) -> Outcome:
        """Runs the script in a copy of its folder, in a process of its own.

        Args:
            edits: edits of it.
            asked: what is asked of the run.
        """
        with TemporaryDirectory(prefix="inplacelab-") as scratch:
            copy = Path(scratch).resolve() / "run" / self._folder.name
            shutil.copytree(self._folder, copy, ignore=_left_out, symlinks=True)
            for name, (_, text) in changed(edits, self.read).items():
                SourceFile.read(name).write(copy / Path(name).resolve().relative_to(self._folder), text)
            request, outcome = (Path(scratch) / each for each in ("request", "outcome"))
            script = copy / self._script.relative_to(self._folder)
            timed = replace(asked, seconds=self._seconds / 4, judging=self._budget.seconds / BUDGET)  # as the original
            request.write_bytes(pickle.dumps(Request(
                script, self._module, self._arguments, self._folder, self._framework, outcome, timed
            )))  # fmt: skip
            path = (*self._path(copy), str(Path(__file__).parents[2]))
            environment = {**os.environ, "PYTHONHASHSEED": "0"}
            left = self._seconds if self._until is None else self._until - time.monotonic()
            seconds = max(min(self._seconds, left), LEAST)
            status = self._ended(Job(request, copy, path, environment, seconds, self._libraries))
            if status is None:
                return Outcome(str(_TOO_LONG.format(f"{seconds:.0f}")), seconds=seconds, late=True)
            if not outcome.exists():
                return Outcome(str(_PROCESS_ENDED.format(status)))
            found: Outcome = pickle.loads(outcome.read_bytes())  # written by our own process
            self._libraries = self._libraries or found.libraries

            def back(name: str) -> str:
                return name.replace(str(copy), str(self._folder), 1)

            return replace(
                found,
                trails=tuple(each.renamed(back) for each in found.trails),
                errors=tuple(each.renamed(back) for each in found.errors),
                recording=None if found.recording is None else _with_names(found.recording, back),
            )

    def _ended(self, job: Job) -> int | None:
        """Runs a trial in a process of its own, and returns its exit status; None if it did not end in time."""
        begun = job.environment | {"PYTHONPATH": os.pathsep.join(job.path)}
        job = replace(job, environment=begun)
        if self._template is not None:
            outside = [each for each in map(os.path.abspath, sys.path) if Path(each).resolve() != self._folder]
            try:
                return self._template.run(job, begun | {"PYTHONPATH": os.pathsep.join(outside)})
            except NoTemplateError:
                self._template = None
        return _ended([sys.executable, "-m", "inplacelab.diagnosis.trial_run", str(job.request)], job)

    def close(self) -> None:
        """Ends the process from which trials start."""
        if self._template is not None:
            self._template.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _path(self, copy: Path) -> Iterator[str]:
        """Yields where Python looks for modules: in the folders of the copy before the originals, where libraries are."""
        for each in map(os.path.abspath, sys.path):  # "" is the current folder
            folder = Path(each).resolve()
            if folder.is_relative_to(self._folder):
                yield str(copy / folder.relative_to(self._folder))
            yield each


def _with_names(recording: Recording, name: Callable[[str], str]) -> Recording:
    return replace(recording, sources=tuple(replace(each, name=name(each.name)) for each in recording.sources))


def _said(wrong: WrongGradient) -> Text:
    """Returns what the framework gets wrong."""
    said = (_OWN_GRADIENT if wrong.own_gradient else _UNKNOWN_WRITE) if wrong.line else _WRONG_BACKWARD
    name = Text(f"`{wrong.name}`", f"`{wrong.name}`") if wrong.name else _A_LEAF
    return said.format(wrong.line, name, f"{wrong.found:.4g}", f"{wrong.meant:.4g}")


def _left_out(folder: str, names: Sequence[str]) -> set[str]:
    """Returns which files and folders of a folder are not copied: those that are no part of the program, such as libraries."""
    return {
        each
        for each in names
        if each.startswith(".") or each in ("__pycache__", "node_modules") or _is_foreign(Path(folder, each))
    }


def _is_foreign(path: Path) -> bool:
    return path.is_dir() and (not is_own(str(path)) or any(Path(path, each).exists() for each in _ENVIRONMENTS))


def _ended(command: Sequence[str], job: Job) -> int | None:
    """Runs a command, with what it starts, and returns its exit status; None if it did not end in time."""
    process = subprocess.Popen(
        command, cwd=job.folder, env=job.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        return process.wait(job.seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
        process.wait()
