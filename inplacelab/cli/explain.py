"""Implements `inplacelab explain script.py`: runs a script or a module, and says why backward failed."""

from __future__ import annotations

import argparse
import ast
import os
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from inplacelab.cli import commands, output
from inplacelab.cli.arguments import CannotError, Parser, command_line, listed, positive
from inplacelab.cli.output import Destination
from inplacelab.cli.script import Left, Ran, main_of, parsed_script, running, running_plainly
from inplacelab.cli.seen import TRY, Seen, say, tries
from inplacelab.diagnosis.explain import explain
from inplacelab.diagnosis.findings import Finding, Paint, Report, completed, paint_for, told
from inplacelab.language import Text
from inplacelab.recorders.detection import Use, framework_of_script, not_installed
from inplacelab.recorders.main_module import Main
from inplacelab.supported import frameworks

if TYPE_CHECKING:
    from inplacelab.recording.fixes.spots import Trail

# What is said of a program that was recorded, or has failed, is imported then: most programs are healthy.


def seen_by(watching: explain, raised: BaseException | None, *, advice: bool, paint: Paint) -> Seen:
    """Returns what a watch has seen.

    Args:
        watching: the watch.
        raised: the error that ended the program.
        advice: whether to say what may be done, in general.
        paint: colors what is printed.
    """
    if raised is not None:
        watching.ended_by(raised)
    failure = None if raised is None else watching.of(raised)
    others = [each for each in watching.failures if each is not failure]
    ended = None if failure is None else replace(completed(failure), ended=True)
    trails = [] if failure is None else _trails_of(failure)
    said = [watching.said(raised, advice=advice, paint=paint)]
    error = None if raised is None else told(raised)
    found = [*dict.fromkeys(map(completed, others))]
    return Seen(said, *watching.watched, watching.remarks, found, ended, error, trails)


def _trails_of(failure: Finding) -> Sequence[Trail]:
    from inplacelab.recording.trace import trail_of  # noqa: PLC0415

    return [trail_of(failure.facts)]


_SAYS = {
    "script": Text("the Python program to run", "要运行的 Python 程序"),
    "try": Text(
        "if backward fails, try fixes in a copy of the script's folder, and show one that works",
        "反向传播失败时，在脚本所在文件夹的副本中尝试各种改法，给出一种可行的",
    ),
    "fix": Text("like --try, and write the fix into the script", "与 --try 相同，并把改法写入脚本"),
    "aliases": Text(
        "also list each value that was read under one name after it was written under another (PyTorch; slower)",
        "另外列出以一个名称写入之后又以另一个名称被读取的值（仅 PyTorch；较慢）",
    ),
    "check": Text(
        "compare gradients with those of inplacelab's engine, and find out by finite differences of the loss which are right",
        "把梯度与 inplacelab 引擎的结果比较，并用损失的有限差分判断哪一个是对的",
    ),
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
_ONE_PROCESS = Text(
    "--try and --fix run the program in one process, which is not what {0} ranks do; leave the option out, or start one rank",
    "--try 和 --fix 只用一个进程运行程序，与 {0} 个进程一起运行的情形不同；请去掉该选项，或只启动一个进程",
)
_ONE_OUTPUT = Text(
    "{0} ranks would write {0} documents to one standard output; let each write a file: -o report.json",
    "{0} 个进程会把 {0} 份文档写到同一个标准输出；请让每个进程各写一个文件：-o report.json",
)
_CANNOT_CHECK = Text(
    "--check compares gradients with those of inplacelab's engine, on which programs of {0!r} are not run; leave the option out",
    "--check 把梯度与 inplacelab 引擎的结果比较，而 {0!r} 的程序不在该引擎上运行；请去掉该选项",
)
_NO_ALIASES = Text(
    "--check records the program, and --aliases watches it without a recording; use one of them at a time",
    "--check 要记录程序，--aliases 则监视程序而不记录；请每次只用其中一个",
)
SECONDS = 60
"""How long a trial may take, if the user does not say."""
FORMATS = ("text", "json", "github")
"""How what was found can be said."""


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(script=_SAYS["script"])
    parser.option("-o", "--output", "--html", says=_SAYS["output"], type=Path, metavar="FILE")
    parser.option("--format", says=_SAYS["format"], choices=FORMATS, default="text", metavar=listed(FORMATS))
    parser.option("--framework", says=commands.framework_help(), choices=tuple(frameworks()), metavar="FRAMEWORK")
    parser.option("--try", says=_SAYS["try"], dest="tries", action="store_true")
    parser.option("--fix", says=_SAYS["fix"], action="store_true")
    parser.option("--aliases", says=_SAYS["aliases"], action="store_true")
    parser.option("--check", says=_SAYS["check"], action="store_true")
    parser.option("--seconds", says=_SAYS["seconds"].format(SECONDS), type=positive, default=SECONDS, metavar="N")
    output.add_language_to(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns the script's exit status."""
    recorded, document = _destinations(options)
    if (world := output.ranks()) > 1:
        if options.tries or options.fix:
            raise CannotError(_ONE_PROCESS.format(world))
        if document is not None and document.path is None:
            raise CannotError(_ONE_OUTPUT.format(world))
    annotated = output.destination_of("txt", Path("-")) if options.format == "github" else None
    folder, process = Path.cwd(), os.getpid()
    if document is not None:
        document = output.kept_apart(document)
    report = _reported(options, recorded, document, folder)
    if os.getpid() != process:  # a child that the script has forked
        return report.status
    _write(report, document, folder)
    if annotated is not None:
        from inplacelab.diagnosis.document import Names, to_annotations  # noqa: PLC0415

        root = Path(os.environ.get("GITHUB_WORKSPACE") or folder).resolve()
        output.write_content(to_annotations(report, Names(folder, root)), annotated)
    return report.status


def _reported(
    options: argparse.Namespace, recorded: Destination | None, document: Destination | None, folder: Path
) -> Report:
    """Runs the program, and returns what was found. If it cannot be run, or leaves at once, the document says so."""
    script = Path(options.script.word)

    def not_run(status: int, why: Text) -> None:
        _write(Report(script, status, not_run=why), document, folder)

    for to in (recorded, document):
        commands.check_not_itself(None if to is None else to.path, script)
    try:
        main = main_of(options.script, options.arguments)
        script = main.path
        return _explained(options, main, recorded, not_run)
    except CannotError as problem:
        not_run(problem.status, problem.why)
        raise


def _write(report: Report, document: Destination | None, folder: Path) -> None:
    """Writes a report as a document; `folder` is where the script was started."""
    if document is not None:
        from inplacelab.diagnosis.document import Names, to_json  # noqa: PLC0415

        names = Names(folder, folder)
        output.write_and_say(to_json(report, names), document)


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


def _explained(options: argparse.Namespace, main: Main, to: Destination | None, left: Left) -> Report:
    """Runs the program, says what was seen, tries fixes if they are asked for, and writes the recording. Returns what was found."""
    tree = parsed_script(main.path)[1]
    use = commands.use_of(options) or framework_of_script(main, tree)
    framework = frameworks()[use.framework]
    if not framework.is_installed:
        raise CannotError(not_installed(framework.name))
    if options.check and not framework.on_engine:
        raise CannotError(_CANNOT_CHECK.format(framework.name))
    if options.check and options.aliases:
        raise CannotError(_NO_ALIASES)
    watches = framework.watch and not (options.check and framework.on_engine)
    with ExitStack() as stack:
        watching = stack.enter_context(explain(framework.name, aliases=options.aliases)) if watches else None
        is_recorded = to is not None or watching is None
        ran = stack.enter_context(_running(options, main, tree, use, left, is_recorded=is_recorded))
        is_child = ran.recording is None and is_recorded  # the script has forked it
        # Before anything is said: of several ranks each says all that it has to say at once.
        seen = None if is_child else _seen(options, main, use, ran, watching)
        is_silent = options.format == "json" or watching is not None or (seen is not None and seen.ended is None)
        printed = None if is_silent else ran.recording
        status = commands.report(ran.raised, printed, str(main.path), untried=not tries(options))
        if seen is None:
            return Report(main.path, status, framework.name)
        for each in seen.said:
            say(options, each)
        attempts, fixes, recording = None, (), ran.recording
        if tries(options):
            seen, attempts, fixes = _failed().tried(options, main, framework, seen)
        if recording is not None and to is not None:
            shown = _failed().with_fixes(recording, fixes, options, can_be_tried=bool(seen.trails) and attempts is None)
            output.write(shown, to, notes=watching is not None)  # `_seen` has said those of what was only recorded
        version = framework.version if recording is None else recording.framework_version
        raised = None if ran.raised is None or issubclass(type(ran.raised), SystemExit) else told(ran.raised)
        found = [*seen.handled, *([] if seen.ended is None else [seen.ended])]
        return Report(
            main.path, status or ran.stopped, framework.name, version, raised, seen.operations, seen.storages, found, seen.remarks, attempts,
            aliases=None if watching is None else watching.aliases, judgment=ran.judgment,
        )  # fmt: skip


def _seen(options: argparse.Namespace, main: Main, use: Use, ran: Ran, watching: explain | None) -> Seen:
    """Returns what was seen of the program, with what is said of it."""
    paint, framework = paint_for(sys.stderr), frameworks()[use.framework]
    if watching is None:
        assert ran.recording is not None
        check = partial(_failed().checked, options, main, framework) if options.check else None
        untried = not tries(options) or ran.raised is not None
        seen: Seen = _failed().seen_in(
            ran, ran.recording, main.path, framework, paint=paint, check=check, untried=untried
        )
    else:
        seen = seen_by(watching, ran.raised, advice=not tries(options), paint=paint)
        watching.ended(None)
        left_out = use.remarks
        seen = replace(seen, said=[*seen.said, *map(str, left_out)], remarks=[*seen.remarks, *left_out])
    can_be_tried = (
        seen.trails and not seen.checked and not output.ranks()
    )  # what a launcher would have to start is not known
    if watching is not None and can_be_tried and not tries(options):
        command, *rest = options.words
        seen = replace(seen, said=[*seen.said, str(TRY.format(command_line([command, "--try", *rest])))])
    return seen


def _failed() -> ModuleType:
    from inplacelab.cli import failed  # noqa: PLC0415

    return failed


def _running(
    options: argparse.Namespace,
    main: Main,
    tree: ast.Module,
    use: Use,
    left: Left,
    *,
    is_recorded: bool,
) -> AbstractContextManager[Ran]:
    """Runs the program: recorded if it is not watched, or a recording is wanted."""
    if not is_recorded:
        return running_plainly(main, options.arguments, tree, left=left)
    from inplacelab.diagnosis.recorded_failures import EVENTS, JUDGING  # noqa: PLC0415
    from inplacelab.diagnosis.trial_run import STEPS  # noqa: PLC0415
    from inplacelab.recorders.part import Part  # noqa: PLC0415

    last = EVENTS if frameworks()[use.framework].keeps_last else None  # so that it may run for hours
    return running(main, options.arguments, title=None, part=Part(STEPS), use=use, last=last, left=left, judged=JUDGING)
