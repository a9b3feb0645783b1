"""Implements `inplacelab explain script.py`: runs a script or a module, and says why backward failed."""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from inplacelab.cli import output, ranks, record
from inplacelab.cli.bilingual_argparse import Parser, positive
from inplacelab.cli.refusal import CannotError
from inplacelab.cli.script import main_of, parsed_script, running
from inplacelab.cli.signals import held
from inplacelab.cli.words import command_line
from inplacelab.diagnosis.explain import explain, nothing_found
from inplacelab.diagnosis.failures import Failure, trail_of
from inplacelab.diagnosis.recorded_trial import STEPS, recorded_trails
from inplacelab.diagnosis.recorded_watch import EVENTS, watched_in
from inplacelab.diagnosis.report import report_not_tried, report_of_trials, report_written
from inplacelab.diagnosis.source_file import SourceFile
from inplacelab.diagnosis.trials import NotTriedError, Trials
from inplacelab.diagnosis.unnoticed import warnings_of
from inplacelab.language import Text
from inplacelab.recorders.detection import FRAMEWORKS, framework_of_script, is_installed, not_installed
from inplacelab.recorders.main_module import Main, main_module
from inplacelab.recorders.tracebacks import learners_traceback
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import applied

SUMMARY = Text(
    "Run a script or a module; if a backward pass fails, say which line kept the value that it needed, and which lines overwrote it.",
    "运行脚本或模块；如果反向传播失败，就指出是哪一行保存了它需要的值、哪些行覆盖了它。",
)
_SAYS = {
    "script": Text("the Python program to run", "要运行的 Python 程序"),
    "try": Text(
        "if backward fails, try fixes in a copy of the script's folder, and show one that works",
        "反向传播失败时，在脚本所在文件夹的副本中尝试各种改法，给出一种可行的",
    ),
    "fix": Text("like --try, and write the fix into the script", "与 --try 相同，并把改法写入脚本"),
    "seconds": Text("how many seconds a trial may take (default: {0})", "每次尝试最长的秒数（默认：{0}）"),
    "output": Text(
        "also write the recording: a page that steps through the program (.html), or what else `record` writes, by its suffix",
        "另外写出记录：可逐步查看的网页（.html），或按后缀写出 `record` 的其他格式",
    ),
}
_TRY = Text("To find an edit that works: {0}", "要找到可行的改法：{0}")
_ONE_PROCESS = Text(
    "--try and --fix run the program in one process, which is not what {0} ranks do; leave the option out, or start one rank",
    "--try 和 --fix 只用一个进程运行程序，与 {0} 个进程一起运行的情形不同；请去掉该选项，或只启动一个进程",
)
SECONDS = 60
"""How long a trial may take, if the user does not say."""
WATCHED = ("torch",)
"""The frameworks whose programs are watched. Those of others are recorded."""


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(script=_SAYS["script"])
    parser.option("-o", "--output", "--html", says=_SAYS["output"], type=Path, metavar="FILE")
    parser.option("--framework", says=record.framework_help(), choices=FRAMEWORKS, metavar="FRAMEWORK")
    parser.option("--try", says=_SAYS["try"], dest="tries", action="store_true")
    parser.option("--fix", says=_SAYS["fix"], action="store_true")
    parser.option("--seconds", says=_SAYS["seconds"].format(SECONDS), type=positive, default=SECONDS, metavar="N")
    output.add_language_to(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns the script's exit status."""
    tries = options.tries or options.fix
    if tries and (world := ranks.world()) > 1:
        raise CannotError(_ONE_PROCESS.format(world))
    to = None if options.output is None else output.destination_by_suffix(options.output)
    main = main_of(options.script, options.arguments)
    if to is not None:
        record.check_not_itself(to.path, main.path)
    tree = parsed_script(main.path)[1]
    framework = options.framework or framework_of_script(main, tree)
    if not is_installed(framework):
        raise CannotError(not_installed(framework))
    if framework in WATCHED:
        return _watched(options, main, tree, framework, to)
    ran = _recorded(options, main, framework, to)
    if tries and ran.raised is not None and ran.recording is not None:
        _try_recorded(options, main, framework, ran.recording)
    return ran.status


def _watched(
    options: argparse.Namespace, main: Main, tree: ast.Module, framework: str, to: output.Destination | None
) -> int:
    """Runs the program under a watch. Returns its exit status."""
    tries = options.tries or options.fix
    watching = explain(framework)
    with watching:
        if to is not None:
            status, raised, _ = _recorded(options, main, framework, to, watching)
        else:
            raised = _plainly(main, options.arguments, compile(tree, str(main.path), "exec", dont_inherit=True))
            with held():
                status = _ended(raised, watching, advice=not tries)
    failure = None if raised is None else watching.of(raised)
    if isinstance(failure, Failure) and tries:
        _try(options, main, framework, [trail_of(failure)])
    elif isinstance(failure, Failure) and not ranks.world():  # what a launcher would have to start is not known
        command, *rest = options.words
        output.say(_TRY.format(command_line([command, "--try", *rest])), sys.stderr)
    return status


def _try(options: argparse.Namespace, main: Main, framework: str, trails: Sequence[Trail]) -> None:
    """Tries fixes, and prints what came of it."""
    try:
        with output.progress() as tell:
            trials = Trials(
                main.path,
                options.arguments,
                framework=framework,
                seconds=options.seconds,
                module=main.module,
                tell=tell,
            )
            tried = trials.find(trails)
    except NotTriedError as reason:
        output.say("\n" + report_not_tried(reason.why), sys.stderr)
        return
    output.say("\n" + report_of_trials(tried, framework), sys.stderr)
    if options.fix and tried.fixes:
        tried.fixes[0].write()
        output.say(report_written(), sys.stderr)


def _try_recorded(options: argparse.Namespace, main: Main, framework: str, recording: Recording) -> None:
    """Writes a fix that was found by replaying the recording; else tries fixes, if a backward pass has failed."""
    error = recording.steps[-1].error
    checked = [each for each in (error.fixes if error else ()) if each.checked and each.edits]
    if checked:
        if options.fix:
            source = SourceFile.read(main.path)
            source.write(main.path, applied(source.text, checked[0].edits))
            output.say(report_written(), sys.stderr)
        return
    if trails := recorded_trails(recording, str(main.path)):
        _try(options, main, framework, trails)


class _Ran(NamedTuple):
    status: int
    raised: BaseException | None
    recording: Recording | None


_LAST = {"paddle": EVENTS}
"""Of programs of these frameworks only so many events are kept, so that they may run for hours."""


def _recorded(
    options: argparse.Namespace,
    main: Main,
    framework: str,
    to: output.Destination | None,
    watching: explain | None = None,
) -> _Ran:
    """Runs the program under a recorder, which says more, and takes more time and memory."""
    last = _LAST.get(framework)
    with running(main, options.arguments, title=None, limit=STEPS, framework=framework, last=last) as ran:
        tries = options.tries or options.fix
        status = (
            _ended(ran.raised, watching, advice=not tries) if watching else record.report(ran.raised, ran.recording)
        )
        if ran.recording is not None and watching is None:
            _say_unnoticed(ran.recording, raised=ran.raised is not None)
        if ran.recording is not None and to is not None:
            output.write(ran.recording, to)
        return _Ran(status or ran.stopping.status, ran.raised, ran.recording)


def _say_unnoticed(recording: Recording, *, raised: bool) -> None:
    """Prints which gradients are wrong without an error; or else, if nothing was raised, what was watched."""
    warnings = warnings_of(recording) if recording.framework == "paddle" else []
    for each in warnings:
        output.say("\n" + each, sys.stderr)
    if not warnings and not raised:
        output.say(str(nothing_found(*watched_in(recording))), sys.stderr)
    for remark in () if warnings else recording.notes:
        output.say(str(remark), sys.stderr)


def _plainly(main: Main, arguments: list[str], code: CodeType) -> BaseException | None:
    raised: BaseException | None = None
    with main_module(main, arguments) as module:
        try:
            exec(code, vars(module))
        except BaseException as error:  # noqa: BLE001  # shown as Python shows it
            raised = error
            BaseException.with_traceback(error, learners_traceback(error, str(main.path)))
    return raised


def _ended(raised: BaseException | None, watching: explain, *, advice: bool) -> int:
    """Prints how the script ended, and what is known of it."""
    watching.annotate(raised, advice=advice)
    status = record.report(raised, None)
    if raised is None or watching.of(raised) is None:
        output.say(str(watching), sys.stderr)
    return status
