"""Implements `inplacelab explain script.py`: runs a script, and says why backward failed."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from inplacelab.cli import output, record
from inplacelab.cli.bilingual_argparse import Parser, positive
from inplacelab.cli.refusal import CannotError
from inplacelab.cli.script import parsed_script, running
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
from inplacelab.recorders.run import main_module
from inplacelab.recorders.tracebacks import learners_traceback
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import applied

SUMMARY = Text(
    "Run a script; if a backward pass fails, say which line kept the value that it needed, and which lines overwrote it. "
    "What follows the script's name goes to the script.",
    "运行脚本；如果反向传播失败，就指出是哪一行保存了它需要的值、哪些行覆盖了它。脚本名之后的内容传给脚本。",
)
_SAYS = {
    "script": Text("the Python program to run", "要运行的 Python 程序"),
    "arguments": Text("its arguments", "它的参数"),
    "try": Text(
        "if backward fails, try fixes in a copy of the script's folder, and show one that works",
        "反向传播失败时，在脚本所在文件夹的副本中尝试各种改法，给出一种可行的",
    ),
    "fix": Text("like --try, and write the fix into the script", "与 --try 相同，并把改法写入脚本"),
    "seconds": Text("how many seconds a trial may take (default: {0})", "每次尝试最长的秒数（默认：{0}）"),
    "html": Text("also write a page that steps through the program", "另外写出可逐步查看的网页"),
}
_TRY = Text(
    "To find an edit that works: inplacelab explain --try {0}", "要找到可行的改法：inplacelab explain --try {0}"
)
SECONDS = 60
"""How long a trial may take, if the user does not say."""
WATCHED = ("torch",)
"""The frameworks whose programs are watched. Those of others are recorded."""


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.set_defaults(format="html", predict=False)
    parser.option("--html", says=_SAYS["html"], dest="output", type=Path, metavar="PAGE")
    parser.option("--framework", says=record.framework_help(), choices=FRAMEWORKS, metavar="FRAMEWORK")
    parser.option("--try", says=_SAYS["try"], dest="tries", action="store_true")
    parser.option("--fix", says=_SAYS["fix"], action="store_true")
    parser.option("--seconds", says=_SAYS["seconds"].format(SECONDS), type=positive, default=SECONDS, metavar="N")
    output.add_language_to(parser)
    parser.option("script", says=_SAYS["script"], type=Path)
    parser.option("rest", says=_SAYS["arguments"], nargs=argparse.REMAINDER, metavar="ARGUMENT")


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns the script's exit status."""
    arguments = [*options.rest, *options.arguments]
    tree = parsed_script(options.script)[1]
    framework = options.framework or framework_of_script(options.script, tree)
    if not is_installed(framework):
        raise CannotError(not_installed(framework))
    tries = options.tries or options.fix
    if framework not in WATCHED:
        ran = _recorded(options, arguments, framework)
        if tries and ran.raised is not None and ran.recording is not None:
            _try_recorded(options, arguments, framework, ran.recording)
        return ran.status
    watching = explain(framework)
    with watching:
        if options.output is not None:
            ran = _recorded(options, arguments, framework, watching)
            status, raised = ran.status, ran.raised
        else:
            code = compile(tree, str(options.script), "exec", dont_inherit=True)
            raised = _plainly(options.script, arguments, code)
            status = _ended(raised, watching, advice=not tries)
    failure = None if raised is None else watching.of(raised)
    if isinstance(failure, Failure):
        if tries:
            _try(options, arguments, framework, [trail_of(failure)])
        else:
            output.say(_TRY.format(shlex.join([str(options.script), *arguments])), sys.stderr)
    return status


def _try(options: argparse.Namespace, arguments: list[str], framework: str, trails: Sequence[Trail]) -> None:
    """Tries fixes, and prints what came of it."""
    try:
        tried = Trials(options.script, arguments, framework=framework, seconds=options.seconds).find(trails)
    except NotTriedError as reason:
        output.say("\n" + report_not_tried(reason.why), sys.stderr)
        return
    output.say("\n" + report_of_trials(tried, framework), sys.stderr)
    if options.fix and tried.fixes:
        tried.fixes[0].write()
        output.say(report_written(), sys.stderr)


def _try_recorded(options: argparse.Namespace, arguments: list[str], framework: str, recording: Recording) -> None:
    """Writes a fix that was found by replaying the recording; else tries fixes, if a backward pass has failed."""
    error = recording.steps[-1].error
    checked = [each for each in (error.fixes if error else ()) if each.checked and each.edits]
    if checked:
        if options.fix:
            source = SourceFile.read(options.script)
            source.write(options.script, applied(source.text, checked[0].edits))
            output.say(report_written(), sys.stderr)
        return
    if trails := recorded_trails(recording, str(options.script)):
        _try(options, arguments, framework, trails)


class _Ran(NamedTuple):
    status: int
    raised: BaseException | None
    recording: Recording | None


_LAST = {"paddle": EVENTS}
"""Of programs of these frameworks only so many events are kept, so that they may run for hours."""


def _recorded(
    options: argparse.Namespace, arguments: list[str], framework: str, watching: explain | None = None
) -> _Ran:
    """Runs the script under a recorder, which says more, and takes more time and memory."""
    to = None if options.output is None else output.destination(options, options.script)
    last = _LAST.get(framework)
    with running(options.script, arguments, title=None, limit=STEPS, framework=framework, last=last) as ran:
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


def _plainly(script: Path, arguments: list[str], code: CodeType) -> BaseException | None:
    raised: BaseException | None = None
    with main_module(script, arguments) as module:
        try:
            exec(code, vars(module))
        except BaseException as error:  # noqa: BLE001  # shown as Python shows it
            raised = error
            BaseException.with_traceback(error, learners_traceback(error, str(script)))
    return raised


def _ended(raised: BaseException | None, watching: explain, *, advice: bool) -> int:
    """Prints how the script ended, and what is known of it."""
    watching.annotate(raised, advice=advice)
    status = record.report(raised, None)
    if raised is None or watching.of(raised) is None:
        output.say(str(watching), sys.stderr)
    return status
