"""Implements `inplacelab explain script.py`: runs a script or a module, and says why backward failed."""

from __future__ import annotations

import argparse
import ast
import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from inplacelab import installing
from inplacelab.cli import commands, output
from inplacelab.cli.arguments import CannotError, Parser, command_line, listed, positive
from inplacelab.cli.output import Destination
from inplacelab.cli.script import Left, Ran, interruptible, main_of, parsed_script, running, running_plainly
from inplacelab.diagnosis.document import Attempts, Names, Report, to_annotations, to_json
from inplacelab.diagnosis.explain import explain, nothing_found
from inplacelab.diagnosis.findings import ChangedError, Finding, Paint, completed, told
from inplacelab.diagnosis.recorded_failures import EVENTS, JUDGING, finding, handled, unnoticed, watched_in
from inplacelab.diagnosis.report import (
    paint_for,
    report,
    report_changed,
    report_not_tried,
    report_of_advice,
    report_of_trials,
    report_written,
    reports_of_wrong,
)
from inplacelab.diagnosis.trial_run import STEPS
from inplacelab.diagnosis.trials import STOPPED, NotTriedError, Trials, Tried, changed_since, write
from inplacelab.diagnosis.wrong_gradients import elements_of, settled
from inplacelab.language import Text
from inplacelab.recorders.detection import Use, framework_of_script, not_installed
from inplacelab.recorders.judging.judgment import Judgment
from inplacelab.recorders.main_module import Main
from inplacelab.recorders.part import Part
from inplacelab.recording.facts import FailureFacts, FixFacts
from inplacelab.recording.fixes import of_program, with_fixes
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.stacks import shown_file
from inplacelab.recording.trace import ending_trails, places_of, trail_of
from inplacelab.supported import Framework, frameworks


@dataclass(frozen=True)
class Seen:
    """What was seen of a program.

    Attributes:
        said: what is printed below the error that ended it.
        operations, storages: how many were watched.
        remarks: what was not.
        handled: the failures that did not end it.
        ended: the failure that did.
        error: the type and the message of the error that did; None if there was none.
        trails: the values that its pass found overwritten, or would have found.
        checked: the fixes that were checked when the recording was made.
    """

    said: list[str]
    operations: int
    storages: int
    remarks: Sequence[Text]
    handled: Sequence[Finding]
    ended: Finding | None
    error: tuple[str, str] | None
    trails: Sequence[Trail]
    checked: Sequence[FixFacts] = ()


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
    trails = [] if failure is None else [trail_of(failure.facts)]
    said = [watching.said(raised, advice=advice, paint=paint)]
    error = None if raised is None else told(raised)
    found = [*dict.fromkeys(map(completed, others))]
    return Seen(said, *watching.watched, watching.remarks, found, ended, error, trails)


Check = Callable[[Sequence[Finding], Judgment], tuple[list[Finding], list[Text]]]
"""Checks by finite differences what is said of gradients. Returns what remains of it, and what else is said."""


def seen_in(
    ran: Ran, recording: Recording, path: Path, framework: Framework, *, paint: Paint, check: Check | None = None,
    untried: bool = True,
) -> Seen:  # fmt: skip
    """Returns what is seen in a recording.

    Args:
        ran: how the program ran.
        recording: its recording.
        path: the program's file.
        framework: its framework.
        paint: colors what is printed.
        check: checks gradients; None if they are not checked.
        untried: whether to say what may be done about wrong gradients, which was not tried.
    """
    filename, raised = str(path), ran.raised
    others = handled(raised, recording, filename)
    judged = framework.loses_history or ran.judgment is not None
    silent = unnoticed(recording, filename, ran.judgment) if judged else []
    checked_by_slopes: list[Text] = []
    if check is not None and ran.judgment is not None and (raised is None or ran.judgment.passes):
        silent, checked_by_slopes = check(silent, ran.judgment)
    found = [*others, *silent]
    said = [f"\n{report(each, paint=paint)}" for each in others]
    said += reports_of_wrong(silent, untried=untried, paint=paint)
    if not found:
        said += [*map(str, nothing_found(*watched_in(recording), ran.judgment))] if raised is None else []
        said += [str(each) for each in recording.notes if each not in ran.asides]
    said += ["", *map(str, checked_by_slopes)] if found and checked_by_slopes else [*map(str, checked_by_slopes)]
    notes = [*recording.notes, *checked_by_slopes]
    if raised is None:
        silently = [trail_of(each.facts) for each in silent]
        return Seen(said, *watched_in(recording), notes, found, None, None, silently)
    error = recording.steps[-1].error if recording.steps else None
    checked = [each for each in (error.fixes if error else ()) if each.checked and each.edits]
    trails = () if checked else ending_trails(recording, filename)
    ended = finding(raised, recording, filename)
    if ended is not None and any(_missed(ended) in each.facts.wrong for each in silent):
        ended = None  # the gradient is None because it is wrong
    return Seen(said, *watched_in(recording), notes, found, ended, told(raised), trails, checked)


def _missed(found: Finding) -> str | None:
    """Returns the tensor whose gradient a program has found to be None; None if that is not what failed."""
    refusal = found.facts.refusal
    return refusal.name if refusal is not None and refusal.rule == "no_gradient" else None


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
_TRY = Text("To find an edit that works: {0}", "要找到可行的改法：{0}")
_ONE_PROCESS = Text(
    "--try and --fix run the program in one process, which is not what {0} ranks do; leave the option out, or start one rank",
    "--try 和 --fix 只用一个进程运行程序，与 {0} 个进程一起运行的情形不同；请去掉该选项，或只启动一个进程",
)
_ONE_OUTPUT = Text(
    "{0} ranks would write {0} documents to one standard output; let each write a file: -o report.json",
    "{0} 个进程会把 {0} 份文档写到同一个标准输出；请让每个进程各写一个文件：-o report.json",
)
_OTHER_TEXT = Text("the text of {0} is not that which ran", "{0} 的内容不是运行时的内容")
_CANNOT_CHECK = Text(
    "--check compares gradients with those of inplacelab's engine, on which programs of {0!r} are not run; leave the option out",
    "--check 把梯度与 inplacelab 引擎的结果比较，而 {0!r} 的程序不在该引擎上运行；请去掉该选项",
)
_NO_ALIASES = Text(
    "--check records the program, and --aliases watches it without a recording; use one of them at a time",
    "--check 要记录程序，--aliases 则监视程序而不记录；请每次只用其中一个",
)
_NOT_CHECKED = Text("No finite differences were computed: {0}.", "没有计算有限差分：{0}。")
_NOT_ENDED = Text("fixes are tried only for an error that ends the program", "只对终止了程序的错误尝试改法")
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
    names, process = Names(Path.cwd(), Path.cwd()), os.getpid()
    if document is not None:
        document = output.kept_apart(document)
    report = _reported(options, recorded, document, names)
    if os.getpid() != process:  # a child that the script has forked
        return report.status
    _write(report, document, names)
    if annotated is not None:
        root = Path(os.environ.get("GITHUB_WORKSPACE") or names.root).resolve()
        output.write_content(to_annotations(report, replace(names, root=root)), annotated)
    return report.status


def _reported(
    options: argparse.Namespace, recorded: Destination | None, document: Destination | None, names: Names
) -> Report:
    """Runs the program, and returns what was found. If it cannot be run, or leaves at once, the document says so."""
    script = Path(options.script.word)

    def not_run(status: int, why: Text) -> None:
        _write(Report(script, status, not_run=why), document, names)

    for to in (recorded, document):
        commands.check_not_itself(None if to is None else to.path, script)
    try:
        main = main_of(options.script, options.arguments)
        script = main.path
        return _explained(options, main, recorded, not_run)
    except CannotError as problem:
        not_run(problem.status, problem.why)
        raise


def _write(report: Report, document: Destination | None, names: Names) -> None:
    if document is not None:
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
        status = commands.report(ran.raised, printed, str(main.path), untried=not _tries(options))
        if seen is None:
            return Report(main.path, status, framework.name)
        for each in seen.said:
            _say(options, each)
        seen, attempts, fixes = _tried(options, main, framework, seen)
        recording = ran.recording
        if recording is not None and to is not None:
            shown = _with_fixes(recording, fixes, options, can_be_tried=bool(seen.trails) and attempts is None)
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
        check = partial(_checked, options, main, framework) if options.check else None
        untried = not _tries(options) or ran.raised is not None
        seen = seen_in(ran, ran.recording, main.path, framework, paint=paint, check=check, untried=untried)
    else:
        seen = seen_by(watching, ran.raised, advice=not _tries(options), paint=paint)
        watching.ended(None)
        left_out = use.remarks
        seen = replace(seen, said=[*seen.said, *map(str, left_out)], remarks=[*seen.remarks, *left_out])
    can_be_tried = (
        seen.trails and not seen.checked and not output.ranks()
    )  # what a launcher would have to start is not known
    if watching is not None and can_be_tried and not _tries(options):
        command, *rest = options.words
        seen = replace(seen, said=[*seen.said, str(_TRY.format(command_line([command, "--try", *rest])))])
    return seen


def _checked(
    options: argparse.Namespace, main: Main, framework: Framework, found: Sequence[Finding], judgment: Judgment
) -> tuple[list[Finding], list[Text]]:
    """Settles by finite differences which gradients are right, in a copy of the script's folder (see `Check`)."""
    try:
        given = main.path, options.arguments
        trials = Trials(*given, framework=framework.name, seconds=options.seconds, module=main.module)
        slopes = trials.slopes_at(elements_of(judgment))
    except NotTriedError as reason:
        return [*found], [_NOT_CHECKED.format(reason.why)]
    facts, said = settled([each.facts for each in found], slopes, judgment, framework.title)
    return [replace(each, facts=one) for each, one in zip(found, facts, strict=True) if one is not None], said


def _with_fixes(
    recording: Recording, fixes: Sequence[FixFacts], options: argparse.Namespace, *, can_be_tried: bool
) -> Recording:
    """Returns the recording with the fixes that were found; or with the command that tries those that it has."""
    if fixes:
        return with_fixes(recording, fixes)
    *before, last = recording.steps
    if not can_be_tried or last.error is None or last.error.fix is None:
        return recording
    command = shlex.join([installing.NAME, "explain", "--try", *options.script.words])
    error = replace(last.error, fix=last.error.fix + Text(" ", "") + _TRY.format(f"`{command}`") + Text(".", "。"))
    return replace(recording, steps=(*before, replace(last, error=error)))


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
    last = EVENTS if frameworks()[use.framework].keeps_last else None  # so that it may run for hours
    return running(main, options.arguments, title=None, part=Part(STEPS), use=use, last=last, left=left, judged=JUDGING)


def _tries(options: argparse.Namespace) -> bool:
    return bool(options.tries or options.fix)


def _say(options: argparse.Namespace, text: object) -> None:
    if options.format != "json":
        output.say(text, sys.stderr)


def _tried(
    options: argparse.Namespace, main: Main, framework: Framework, seen: Seen
) -> tuple[Seen, Attempts | None, tuple[FixFacts, ...]]:
    """Tries fixes, if they are asked for, and says what came of it; those of a recording that were checked in this process are not tried again.

    Returns:
        What was seen, with the fixes that work; what came of trying them, None if there was nothing to try; and the fixes, if they are new.
    """
    if seen.checked:
        return (_written(options, main, seen) if options.fix else seen), None, ()
    if not _tries(options) or not seen.trails:
        only_handled = _tries(options) and seen.ended is None and bool(seen.handled)
        return seen, _not_tried(options, _NOT_ENDED) if only_handled else None, ()
    if (other := _with_another_text(seen)) is not None:
        return seen, _not_tried(options, _OTHER_TEXT.format(shown_file(other))), ()
    try:
        with interruptible(), output.progress() as tell:
            given = main.path, options.arguments
            trials = Trials(*given, framework=framework.name, seconds=options.seconds, module=main.module, tell=tell)
            tried = trials.find(seen.trails, fails=seen.error is not None)
    except (NotTriedError, KeyboardInterrupt) as reason:
        why = reason.why if isinstance(reason, NotTriedError) else STOPPED
        not_tried = _not_tried(options, why)
        _say_advice(options, seen)
        return seen, not_tried, ()
    said = _say_tried(options, framework, seen, tried)
    sources = {each.file: trials.read(each.file) for fix in tried.fixes for each in fix.edits}
    # What computes something else on purpose is shown, and never written.
    written = next((each for each in tried.fixes if options.fix and each.checked not in ("runs", "renewed")), None)
    changed = None if written is None else changed_since(sources)
    if written is not None and changed is None:
        write(written.edits)
        _say(options, report_written())
    elif changed is not None:
        written = None
        _say(options, report_changed(changed))
    seen = _with_tried(seen, tried.fixes, sources, written)
    return seen, Attempts(tried.count, said), of_program(tried.fixes, main.path)


def _with_tried(seen: Seen, fixes: tuple[FixFacts, ...], sources: Mapping[str, str], written: FixFacts | None) -> Seen:
    """Returns what was seen with the fixes that work, at the failure that they are for."""

    def fixed(found: Finding) -> Finding:
        return replace(found, fixes=fixes, sources=sources, written=written)

    if seen.error is None:  # backward went on, with wrong gradients
        return replace(seen, handled=[fixed(each) if each.error is None else each for each in seen.handled])
    return replace(seen, ended=fixed(seen.ended or Finding(FailureFacts("stale", ()), seen.error, ended=True)))


def _with_another_text(seen: Seen) -> str | None:
    """Returns a file of a failure that ended the program whose text is not that which ran; None if there is none."""
    if seen.ended is None:
        return None
    for name in dict.fromkeys(each.file for each in places_of(seen.ended.facts)):
        try:
            seen.ended.text_of(name)
        except ChangedError:
            return name
        except OSError:  # it never had a file
            continue
    return None


def _say_tried(options: argparse.Namespace, framework: Framework, seen: Seen, tried: Tried) -> str | None:
    """Says what came of trying fixes. Returns it if none works."""
    if seen.error is None:  # the report has said what is wrong, and copies do not help
        tried = replace(tried, copies=None, why=None)
    _say(options, "\n" + report_of_trials(tried, framework.name, paint=paint_for(sys.stderr)))
    if tried.fixes:
        return None
    _say_advice(options, seen)
    return report_of_trials(tried, framework.name)


def _say_advice(options: argparse.Namespace, seen: Seen) -> None:
    """Says what else may be done about wrong gradients, if no tried fix is shown."""
    found = seen.handled if seen.error is None else ()  # otherwise the reports have said it
    for each in dict.fromkeys(report_of_advice(each) for each in found if each.error is None):
        _say(options, each)


def _not_tried(options: argparse.Namespace, why: Text) -> Attempts:
    said = report_not_tried(why)
    _say(options, f"\n{said}")
    return Attempts(0, said)


def _written(options: argparse.Namespace, main: Main, seen: Seen) -> Seen:
    """Writes the first fix that was checked in this process."""
    fix = seen.checked[0]
    write([replace(each, file=each.file or str(main.path)) for each in fix.edits])
    _say(options, report_written())
    if seen.ended is None:
        return seen
    written = next((each for each in seen.ended.fixes if each.says == fix.says), None)
    return replace(seen, ended=replace(seen.ended, written=written))
