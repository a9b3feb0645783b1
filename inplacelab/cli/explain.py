"""Implements `inplacelab explain script.py`: runs a script or a module, and says why backward failed."""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import CodeType
from typing import NamedTuple

from inplacelab.cli import output, ranks, record
from inplacelab.cli.bilingual_argparse import Parser, listed, positive
from inplacelab.cli.output import Destination
from inplacelab.cli.refusal import CannotError
from inplacelab.cli.script import main_of, parsed_script, reporting_os_exit, running
from inplacelab.cli.signals import held
from inplacelab.cli.words import command_line
from inplacelab.diagnosis.annotations import to_annotations
from inplacelab.diagnosis.document import Attempts, Names, Report, to_json
from inplacelab.diagnosis.explain import explain, nothing_found
from inplacelab.diagnosis.failures import Failure, trail_of
from inplacelab.diagnosis.findings import COLON, STALE, Finding, told, tried_fix
from inplacelab.diagnosis.quoting import paint_for, quoted
from inplacelab.diagnosis.recorded_trial import STEPS
from inplacelab.diagnosis.recorded_watch import EVENTS, watched_in
from inplacelab.diagnosis.refusals import finding, handled
from inplacelab.diagnosis.report import finding_of, report_not_tried, report_of_trials, report_written
from inplacelab.diagnosis.source_file import write
from inplacelab.diagnosis.trials import NotTriedError, Trials
from inplacelab.diagnosis.unnoticed import findings, warnings_of
from inplacelab.language import Text
from inplacelab.recorders.detection import framework_of_script, is_installed, not_installed
from inplacelab.recorders.main_module import Main, main_module
from inplacelab.recorders.tracebacks import learners_traceback
from inplacelab.recording.fixes.recorded_trails import trails_of
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.visible import visible
from inplacelab.supported import frameworks

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
        "also write what was found (.json), or the recording: a page that steps through the program (.html), or what else `record` writes, by "
        "its suffix",
        "另外写出诊断结果（.json）或记录：可逐步查看的网页（.html），或按后缀写出 `record` 的其他格式",
    ),
    "format": Text(
        "how to say what was found: as text; as JSON on the standard output, with all other output on the standard error; or as text and as "
        "annotations of a GitHub workflow (default: text)",
        "诊断结果的形式：文本；JSON（写到标准输出，其他输出都写到标准错误）；或文本加 GitHub 工作流的注解（默认：文本）",
    ),
}
_TRY = Text("To find an edit that works: {0}", "要找到可行的改法：{0}")
_ONE_PROCESS = Text(
    "--try and --fix run the program in one process, which is not what {0} ranks do; leave the option out, or start one rank",
    "--try 和 --fix 只用一个进程运行程序，与 {0} 个进程一起运行的情形不同；请去掉该选项，或只启动一个进程",
)
_ONE_OUTPUT = Text(
    "{0} ranks would write {0} documents to one standard output; let each write a file: -o report.json",
    "{0} 个进程会把 {0} 份文档写到同一个标准输出；请让每个进程各写一个文件：-o report.json",
)
_NOT_ENDED = Text("fixes are tried only for an error that ends the program", "只对终止了程序的错误尝试改法")
_WRITTEN = Text("wrote {0}", "已写入 {0}")
SECONDS = 60
"""How long a trial may take, if the user does not say."""
WATCHED = ("torch",)
"""The frameworks whose programs are watched. Those of others are recorded."""
FORMATS = ("text", "json", "github")
"""How what was found can be said."""


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(script=_SAYS["script"])
    parser.option("-o", "--output", "--html", says=_SAYS["output"], type=Path, metavar="FILE")
    parser.option("--format", says=_SAYS["format"], choices=FORMATS, default="text", metavar=listed(FORMATS))
    parser.option("--framework", says=record.framework_help(), choices=tuple(frameworks()), metavar="FRAMEWORK")
    parser.option("--try", says=_SAYS["try"], dest="tries", action="store_true")
    parser.option("--fix", says=_SAYS["fix"], action="store_true")
    parser.option("--seconds", says=_SAYS["seconds"].format(SECONDS), type=positive, default=SECONDS, metavar="N")
    output.add_language_to(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns the script's exit status."""
    recorded, document = _destinations(options)
    if (world := ranks.world()) > 1:
        _check_for_ranks(options, document, world)
    annotated = output.destination_of("txt", Path("-")) if options.format == "github" else None
    main = main_of(options.script, options.arguments)
    for to in (recorded, document):
        record.check_not_itself(None if to is None else to.path, main.path)
    names, process = Names(Path.cwd(), Path.cwd()), os.getpid()
    if document is not None:
        document = output.kept_apart(document)
    report = _explained(options, main, recorded)
    if os.getpid() != process:  # a child that the script has forked
        return report.status
    if document is not None:
        output.write_content(to_json(report, names), document)
        if document.path is not None:
            output.say(_WRITTEN.format(visible(str(document.given))), document.err)
    if annotated is not None:
        root = Path(os.environ.get("GITHUB_WORKSPACE") or names.root).resolve()
        output.write_content(to_annotations(report, replace(names, root=root)), annotated)
    return report.status


def _check_for_ranks(options: argparse.Namespace, document: Destination | None, world: int) -> None:
    """Checks that several ranks can do what the options want.

    Raises:
        CannotError: if they cannot.
    """
    if options.tries or options.fix:
        raise CannotError(_ONE_PROCESS.format(world))
    if document is not None and document.path is None:
        raise CannotError(_ONE_OUTPUT.format(world))


def _destinations(options: argparse.Namespace) -> tuple[Destination | None, Destination | None]:
    """Where the recording and a JSON document are written.

    Raises:
        CannotError: if nothing can be written there.
    """
    given = options.output
    if given is not None and output.told_by(given) == "json":
        return None, output.destination_of("json", given)
    recorded = None if given is None else output.destination_by_suffix(given)
    return recorded, output.destination_of("json", Path("-")) if options.format == "json" else None


def _explained(options: argparse.Namespace, main: Main, to: Destination | None) -> Report:
    """Runs the program, says what was found, and returns it."""
    tree = parsed_script(main.path)[1]
    framework = options.framework or framework_of_script(main, tree)
    if not is_installed(framework):
        raise CannotError(not_installed(framework))
    if framework in WATCHED:
        return _found_by_watching(options, main, tree, framework, to)
    return _found_by_recording(options, main, framework, to)


def _found_by_watching(
    options: argparse.Namespace, main: Main, tree: ast.Module, framework: str, to: Destination | None
) -> Report:
    """Runs the program under a watch, says what was found, and returns it."""
    watching = explain(framework)
    with watching:
        if to is not None:
            ran = _recorded(options, main, framework, to, watching)
            status, raised = ran.status, ran.raised
        else:
            raised = _plainly(main, options.arguments, compile(tree, str(main.path), "exec", dont_inherit=True))
            with held():
                status = _ended(options, raised, watching)
        watched = watching.watched
    failure = None if raised is None else watching.of(raised)
    failures = [each for each in watching.failures if isinstance(each, Failure)]
    found = [*dict.fromkeys(finding_of(each) for each in failures if each is not failure)]
    tried = None
    if isinstance(failure, Failure):
        ended = replace(finding_of(failure), ended=True)
        if options.tries or options.fix:
            ended, tried = _try(options, main, framework, [trail_of(failure)], ended)
        elif not ranks.world():  # what a launcher would have to start is not known
            command, *rest = options.words
            _say(options, _TRY.format(command_line([command, "--try", *rest])))
        found.append(ended)
    elif found:
        tried = _not_tried(options)
    version = str(getattr(sys.modules.get(framework), "__version__", ""))
    return Report(main.path, (framework, version), status, _told(raised), watched, found, watching.remarks, tried)


def _found_by_recording(options: argparse.Namespace, main: Main, framework: str, to: Destination | None) -> Report:
    """Runs the program under a recorder, says what was found, and returns it."""
    ran = _recorded(options, main, framework, to)
    if ran.recording is None:
        return Report(main.path, (framework, ""), ran.status, _told(ran.raised), (0, 0), (), ())
    filename = str(main.path)
    found = handled(ran.raised, ran.recording, filename)
    found += findings(ran.recording, filename) if framework == "paddle" else []
    ended = None if ran.raised is None else finding(ran.raised, ran.recording, filename)
    tried = None
    if options.tries or options.fix:
        ended, tried = _try_recorded(options, main, framework, ran, ended)
    if ended is not None:
        found.append(ended)
    elif found:
        tried = tried or _not_tried(options)
    version, watched = ran.recording.framework_version, watched_in(ran.recording)
    return Report(
        main.path, (framework, version), ran.status, _told(ran.raised), watched, found, ran.recording.notes, tried
    )


def _say(options: argparse.Namespace, text: object) -> None:
    if options.format != "json":
        output.say(text, sys.stderr)


def _told(raised: BaseException | None) -> tuple[str, str] | None:
    return None if raised is None or issubclass(type(raised), SystemExit) else told(raised)


def _not_tried(options: argparse.Namespace) -> Attempts | None:
    """Says, if fixes were to be tried, that there is no error for which they could be."""
    if not (options.tries or options.fix):
        return None
    said = report_not_tried(_NOT_ENDED)
    _say(options, f"\n{said}")
    return Attempts(0, said)


def _try(
    options: argparse.Namespace, main: Main, framework: str, trails: Sequence[Trail], found: Finding
) -> tuple[Finding, Attempts]:
    """Tries fixes, and says what came of it. Returns the failure with those that work, and what came of it."""
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
        said = report_not_tried(reason.why)
        _say(options, "\n" + said)
        return found, Attempts(0, said)
    # What computes something else on purpose is shown, and never written.
    right = [each for each in tried.fixes if options.fix and each.checked != "runs"][:1]
    fixes = [tried_fix(each, written=each in right) for each in tried.fixes]
    _say(options, "\n" + report_of_trials(tried, framework, paint=paint_for(sys.stderr)))
    for each in right:
        write(each)
        _say(options, report_written())
    said_of_none = None if fixes else report_of_trials(tried, framework)
    return replace(found, fixes=fixes), Attempts(tried.count, said_of_none)


def _try_recorded(
    options: argparse.Namespace, main: Main, framework: str, ran: _Ran, found: Finding | None
) -> tuple[Finding | None, Attempts | None]:
    """Writes a fix that was found by replaying the recording; else tries fixes, if a backward pass has failed."""
    recording = ran.recording
    if recording is None or ran.raised is None or not recording.steps:
        return found, None
    error = recording.steps[-1].error
    checked = [each for each in (error.fixes if error else ()) if each.checked and each.edits]
    if checked and not options.fix:
        return found, None
    if checked:
        write(replace(checked[0], edits=tuple(replace(each, file=str(main.path)) for each in checked[0].edits)))
        _say(options, report_written())
        if found is not None:
            edits = [(str(main.path), each) for each in checked[0].edits]
            found = replace(found, fixes=[replace(each, written=each.edits == edits) for each in found.fixes])
        return found, None
    if trails := trails_of(recording, str(main.path)):
        found = found or Finding("stale", told(ran.raised), STALE, (), ended=True)
        return _try(options, main, framework, trails, found)
    return found, None


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
    to: Destination | None,
    watching: explain | None = None,
) -> _Ran:
    """Runs the program under a recorder, which says more, and takes more time and memory."""
    last = _LAST.get(framework)
    with running(main, options.arguments, title=None, limit=STEPS, framework=framework, last=last) as ran:
        if watching:
            status = _ended(options, ran.raised, watching)
        else:
            status = record.report(ran.raised, None if options.format == "json" else ran.recording)
        if ran.recording is not None and watching is None:
            _say_unnoticed(options, ran.recording, ran.raised)
        if ran.recording is not None and to is not None:
            output.write(ran.recording, to)
        return _Ran(status or ran.stopping.status, ran.raised, ran.recording)


def _say_unnoticed(options: argparse.Namespace, recording: Recording, raised: BaseException | None) -> None:
    """Prints which passes failed with an error that was handled, and which gradients are wrong without one; or else, if nothing was raised, what was
    watched.
    """
    paint = paint_for(sys.stderr)
    passes = [
        [f"{closed_up(each.says + COLON)}", "", *quoted(each.values[0].marks, paint=paint)]
        for each in handled(raised, recording, "")
    ]
    warnings = [*map("\n".join, passes), *(warnings_of(recording, paint) if recording.framework == "paddle" else [])]
    for each in warnings:
        _say(options, "\n" + each)
    if not warnings and raised is None:
        _say(options, nothing_found(*watched_in(recording)))
    for remark in () if warnings else recording.notes:
        _say(options, remark)


def _plainly(main: Main, arguments: list[str], code: CodeType) -> BaseException | None:
    raised: BaseException | None = None
    with main_module(main, arguments) as module, reporting_os_exit():
        try:
            exec(code, vars(module))
        except BaseException as error:  # noqa: BLE001  # shown as Python shows it
            raised = error
            BaseException.with_traceback(error, learners_traceback(error, str(main.path)))
    return raised


def _ended(options: argparse.Namespace, raised: BaseException | None, watching: explain) -> int:
    """Prints how the script ended, and what is known of it."""
    status = record.report(raised, None)
    advice = not (options.tries or options.fix)
    _say(options, watching.said(raised, advice=advice, paint=paint_for(sys.stderr)))
    return status
