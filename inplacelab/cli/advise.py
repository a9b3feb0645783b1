"""Implements `inplacelab advise script.py`: says where a script or a module may write in place, and what that saves."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from inplacelab.cli import commands, output
from inplacelab.cli.arguments import CannotError, Parser, listed, positive
from inplacelab.cli.explain import SECONDS
from inplacelab.cli.output import Destination
from inplacelab.cli.script import interruptible, main_of, parsed_script
from inplacelab.diagnosis.advice_document import Advised, to_json
from inplacelab.diagnosis.advise import MOST_RUNS, Advising
from inplacelab.diagnosis.document import Names
from inplacelab.diagnosis.findings import paint_for
from inplacelab.diagnosis.report import painted_diff, report_changed, report_written
from inplacelab.diagnosis.trials import NotTriedError, Trials, changed_since, write
from inplacelab.language import Text, enumerated
from inplacelab.recorders.detection import framework_of_script, not_installed
from inplacelab.recording.file_text import visible
from inplacelab.recording.fixes import diff_of
from inplacelab.recording.fixes.spots import changed
from inplacelab.recording.sentences.savings import lines
from inplacelab.supported import Framework, frameworks

_SAYS = {
    "script": Text("the Python program to run", "要运行的 Python 程序"),
    "fix": Text("also write the edits into the files", "并把修改写入文件"),
    "seconds": Text("how many seconds one run may take (default: {0})", "每次运行最长的秒数（默认：{0}）"),
    "output": Text(
        "also write what was found (.json), or a picture of the live bytes before and after (.svg)",
        "另外写出结果（.json），或修改前后存活字节数的曲线图（.svg）",
    ),
    "format": Text(
        "how to say what was found: as text, or as JSON on the standard output (default: text)",
        "结果的形式：文本，或写到标准输出的 JSON（默认：文本）",
    ),
}
_BEGINS = Text(
    "{0} is run again and again, at most {1} times and at most {2} seconds each, in copies of its folder; what it prints is not shown.",
    "{0} 将在所在文件夹的副本中反复运行，最多 {1} 次，每次最多 {2} 秒；它的输出不显示。",
)
_NO_FORMS = Text(
    "which operations of {0} have in-place forms is not known here; advise works with {1}",
    "这里不知道 {0} 的哪些操作有原地形式；advise 可用于 {1}",
)
_ONE_PROCESS = Text(
    "advise runs the program in one process, which is not what {0} ranks do; start one rank",
    "advise 只用一个进程运行程序，与 {0} 个进程一起运行的情形不同；请只启动一个进程",
)
_NO_FORMAT = Text(
    "advise cannot write a file with the suffix of {0}; it writes {1}", "{0} 的后缀不是 advise 能写出的格式：{1}"
)
_OUR_ENGINE = Text("inplacelab's engine", "inplacelab 的引擎")
FORMATS = ("text", "json")
"""How what was found can be said."""
_FILES = ("json", "svg")
_DRAW = output.drawing("savings_svg", "inplacelab_widgets.savings_picture")


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(script=_SAYS["script"])
    parser.option("-o", "--output", says=_SAYS["output"], type=Path, metavar="FILE")
    parser.option("--format", says=_SAYS["format"], choices=FORMATS, default="text", metavar=listed(FORMATS))
    parser.option("--framework", says=commands.framework_help(), choices=tuple(frameworks()), metavar="FRAMEWORK")
    parser.option("--fix", says=_SAYS["fix"], action="store_true")
    parser.option("--seconds", says=_SAYS["seconds"].format(SECONDS), type=positive, default=SECONDS, metavar="N")
    output.add_language_to(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns its exit status: 1 if nothing could be found out, or the edits could not be written."""
    to, printed = _destination(options), output.destination_of("json", Path("-")) if options.format == "json" else None
    documents = [each for each in (to, printed) if each is not None and each.form == "json"]
    names, found = Names(Path.cwd(), Path.cwd()), Advised(Path(options.script.word))
    try:
        found = _advised(options)
    except CannotError as problem:
        _write(replace(found, why_not=problem.why), documents, names)
        raise
    stale = None
    if options.fix and found.edits:
        stale = changed_since({name: before for name, (before, _) in found.changes.items()})
        if stale is None:
            write(found.edits)
            found = replace(found, written=True)
    if printed is None:
        _say(found)
    if found.written or stale is not None:
        output.say(report_written() if stale is None else report_changed(stale), sys.stderr)
    _write(found, documents, names)
    if to is not None and to.form == "svg" and found.advice is not None:
        with output.progress(output.DRAWING.format(visible(str(to.given)))):
            content = _DRAW(found.advice)
        output.write_and_say(content, to)
    return int(stale is not None)


def _destination(options: argparse.Namespace) -> Destination | None:
    """Where a document or a picture is written.

    Raises:
        CannotError: if nothing can be written there.
    """
    given: Path | None = options.output
    if given is None:
        return None
    form = output.told_by(given)
    if form not in _FILES:
        raise CannotError(_NO_FORMAT.format(visible(str(given)), ", ".join(f".{each}" for each in _FILES)))
    to = output.destination_of(form, given)
    commands.check_not_itself(to.path, Path(options.script.word))
    return to


def _advised(options: argparse.Namespace) -> Advised:
    """Runs the program, and returns what was found.

    Raises:
        CannotError: if nothing could be found out.
    """
    if (world := output.ranks()) > 1:
        raise CannotError(_ONE_PROCESS.format(world))
    main = main_of(options.script, options.arguments)
    use = commands.use_of(options) or framework_of_script(main, parsed_script(main.path)[1])
    framework = frameworks()[use.framework]
    if not framework.is_installed:
        raise CannotError(not_installed(framework.name))
    if not framework.in_place.names:
        known = [_title(each) for each in frameworks().values() if each.in_place.names]
        raise CannotError(_NO_FORMS.format(_title(framework), enumerated(known)))
    output.say(_BEGINS.format(visible(str(options.script)), MOST_RUNS, options.seconds), sys.stderr)
    try:
        with interruptible(), output.progress() as tell:
            trials = Trials(
                main.path, options.arguments, framework=framework.name, seconds=options.seconds, module=main.module
            )
            advice = Advising(trials, options.seconds, tell).advice()
    except NotTriedError as reason:
        raise CannotError(reason.why, status=1) from None
    edits = trials.in_files(advice.edits)
    return Advised(
        main.path,
        framework.name,
        advice.recording.framework_version,
        advice,
        edits=edits,
        changes=changed(edits, trials.read),
    )


def _title(framework: Framework) -> Text | str:
    return framework.title or _OUR_ENGINE


def _say(found: Advised) -> None:
    """Prints what was found, with the edits."""
    if found.advice is None:
        return
    said = [*map(str, lines(found.advice))]
    if found.changes:
        diff = diff_of(found.changes, os.path.relpath)
        said += ["", painted_diff(diff, paint_for(sys.stdout)).rstrip("\n")]
    output.say("\n".join(said), sys.stdout)


def _write(found: Advised, documents: Sequence[Destination], names: Names) -> None:
    for each in documents:
        output.write_and_say(to_json(found, names), each)
