"""Implements `inplacelab explain script.py`: runs a script, and says why backward failed."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from types import CodeType

from inplacelab.cli import output, record
from inplacelab.cli.bilingual_argparse import Parser
from inplacelab.cli.refusal import CannotError
from inplacelab.cli.script import main_module, parsed_script, running
from inplacelab.diagnosis.explain import explain
from inplacelab.language import Text
from inplacelab.recorders.detection import FRAMEWORKS, framework_used, is_installed, not_installed
from inplacelab.recorders.run import LIMIT, learners_traceback

SUMMARY = Text(
    "Run a script; if a backward pass fails, say which line kept the value that it needed, and which lines overwrote it. "
    "What follows the script's name goes to the script.",
    "运行脚本；如果反向传播失败，就指出是哪一行保存了它需要的值、哪些行覆盖了它。脚本名之后的内容传给脚本。",
)
_SAYS = {
    "script": Text("the Python program to run", "要运行的 Python 程序"),
    "arguments": Text("its arguments", "它的参数"),
    "html": Text("also write a page that steps through the program", "同时写出可单步浏览的网页"),
}
WATCHED = ("torch",)
"""The frameworks whose programs are watched. Those of others are recorded."""


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.set_defaults(format="html", predict=False)
    parser.option("--html", says=_SAYS["html"], dest="output", type=Path, metavar="PAGE")
    parser.option("--framework", says=record.framework_help(), choices=FRAMEWORKS, metavar="FRAMEWORK")
    output.add_language_to(parser)
    parser.option("script", says=_SAYS["script"], type=Path)
    parser.option("rest", says=_SAYS["arguments"], nargs=argparse.REMAINDER, metavar="ARGUMENT")


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns the script's exit status."""
    arguments = [*options.rest, *options.arguments]
    tree = parsed_script(options.script)[1]
    framework = options.framework or framework_used(tree, {}).framework
    if not is_installed(framework):
        raise CannotError(not_installed(framework))
    if framework not in WATCHED:
        return _recorded(options, arguments, framework)
    watching = explain(framework)
    with watching:
        if options.output is not None:
            status = _recorded(options, arguments, framework, watching)
        else:
            code = compile(tree, str(options.script), "exec", dont_inherit=True)
            status = _plainly(options.script, arguments, code, watching)
    return status


def _recorded(
    options: argparse.Namespace, arguments: list[str], framework: str, watching: explain | None = None
) -> int:
    """Runs the script under a recorder, which says more, and takes more time and memory."""
    to = None if options.output is None else output.destination(options, options.script)
    with running(options.script, arguments, title=None, limit=LIMIT, framework=framework) as ran:
        status = _ended(ran.raised, watching) if watching else record.report(ran.raised, ran.recording)
        if ran.recording is not None and to is not None:
            output.write(ran.recording, to)
        return status or ran.stopping.status


def _plainly(script: Path, arguments: list[str], code: CodeType, watching: explain) -> int:
    raised: BaseException | None = None
    with main_module(script, arguments) as module:
        try:
            exec(code, vars(module))
        except BaseException as error:  # noqa: BLE001  # shown as Python shows it
            raised = error
            BaseException.with_traceback(error, learners_traceback(error, str(script)))
    return _ended(raised, watching)


def _ended(raised: BaseException | None, watching: explain) -> int:
    """Prints how the script ended, and what is known of it."""
    watching.annotate(raised)
    status = record.report(raised, None)
    if raised is None or watching.of(raised) is None:
        output.say(str(watching), sys.stderr)
    return status
