"""Implements `inplacelab record script.py`: runs a script, records it, and writes the recording."""

from __future__ import annotations

import argparse
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import cast

from inplacelab.cli import output
from inplacelab.cli.bilingual_argparse import Parser, positive
from inplacelab.cli.refusal import CannotError
from inplacelab.cli.script import main_of, running
from inplacelab.cli.signals import INTERRUPTED
from inplacelab.diagnosis import refusals
from inplacelab.diagnosis.quoting import paint_for
from inplacelab.diagnosis.unknown_keyword import add_note_on_keyword
from inplacelab.language import Text, enumerated
from inplacelab.recorders.detection import Use, is_installed, not_installed
from inplacelab.recorders.run import LIMIT
from inplacelab.recording.recording import Recording
from inplacelab.supported import frameworks

SUMMARY = Text(
    "Run a script or a module, record it, and write a page that steps through it, or a picture, text or the recording itself.",
    "运行脚本或模块并记录，写出可逐步查看的网页，或图片、文本、记录本身。",
)
_SAYS = {
    "script": Text("the Python program to run", "要运行的 Python 程序"),
    "title": Text(
        "the title of the page or picture (default: the script's name)", "网页或图片的标题（默认：脚本的文件名）"
    ),
    "framework": Text(
        "the framework of the script (default: detected from its imports): {0}",
        "脚本使用的框架（默认：根据它的导入判断）：{0}",
    ),
    "limit": Text("how many steps to keep at most (default: {0})", "最多保留的步数（默认：{0}）"),
}
_ITSELF = Text("the output is the script itself: {0}", "输出文件就是脚本本身：{0}")


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(script=_SAYS["script"])
    output.add_to(parser)
    add_running_to(parser)


def add_running_to(parser: Parser) -> None:
    """Declares the options of every command that runs a script and records it."""
    parser.option("--title", says=_SAYS["title"])
    parser.option("--limit", says=_SAYS["limit"].format(LIMIT), type=positive, default=LIMIT, metavar="N")
    parser.option("--framework", says=framework_help(), choices=tuple(frameworks()), metavar="FRAMEWORK")


def framework_help() -> Text:
    """Returns the help for `--framework`."""
    return _SAYS["framework"].format(enumerated(frameworks()))


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns the script's exit status; 1 if it raised an exception."""
    check_not_itself(options.output, Path(options.script.word))
    to = output.destination(options, options.script.stem)  # raises before anything runs, if that cannot be written
    check_framework(options)
    main = main_of(options.script, options.arguments)
    check_not_itself(to.path, main.path)
    with running(main, options.arguments, title=options.title, limit=options.limit, use=use_of(options)) as ran:
        status = report(ran.raised, ran.recording, str(main.path))
        if ran.recording is not None:
            output.write(ran.recording, to)
        return status or ran.stopped


def check_not_itself(given: Path | None, script: Path) -> None:
    """Checks that the output is not the script.

    Raises:
        CannotError: if it is.
    """
    if given is not None and given.resolve() == script.resolve():
        raise CannotError(_ITSELF.format(script))


def check_framework(options: argparse.Namespace) -> None:
    """Checks that the framework is installed.

    Raises:
        CannotError: if it is not.
    """
    if options.framework and not is_installed(options.framework):
        raise CannotError(not_installed(options.framework))


def use_of(options: argparse.Namespace) -> Use | None:
    """Returns the framework that the options name, if they name one."""
    return Use(options.framework) if options.framework else None


def report(
    raised: BaseException | None, recording: Recording | None, filename: str = "", *, untried: bool = True
) -> int:
    """Prints how the script ended, as Python does; a refusal with the lines that led to it. Returns Python's exit status."""
    if raised is None:
        return 0
    if issubclass(type(raised), SystemExit):  # not `isinstance`, which asks the object
        code = cast("SystemExit", raised).code
        if code is None or isinstance(code, int):
            return code or 0
        with suppress(Exception):  # `__str__` of what the script leaves with
            output.say(code, sys.stderr)
        return 1
    if type(raised) is TypeError and raised.__traceback__ is not None:
        add_note_on_keyword(raised, raised.__traceback__)
    explained = (
        None if recording is None else refusals.of(raised, recording, filename, paint_for(sys.stderr), untried=untried)
    )
    output.say(explained or "".join(traceback.format_exception(raised)).removesuffix("\n"), sys.stderr)
    return INTERRUPTED if issubclass(type(raised), KeyboardInterrupt) else 1
