"""Implements the command line: `inplacelab record script.py -o page.html`, `inplacelab explain script.py`,
`inplacelab advise script.py`, `inplacelab compare a.py b.py`, `inplacelab show recording.json`, `inplacelab share script.py --gif steps.gif`, `inplacelab lab`.

The exit status is 0: done; 1: the program failed, or there is nothing to show; 2: the command is not valid; 130, 141 and 143: stopped by Ctrl-C, by a closed pipe, by SIGTERM.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

from inplacelab.cli import output
from inplacelab.cli.arguments import CannotError, Parser, language_of
from inplacelab.cli.output import is_open, say
from inplacelab.cli.script import INTERRUPTED, PIPE_CLOSED
from inplacelab.language import Text, speak
from inplacelab.version import __version__

__all__ = ["main"]


class Command(NamedTuple):
    """One of the commands.

    Attributes:
        summary: what it does.
        module: the module that has it, which is imported if it is asked for.
        declares: the function that declares its options.
        runs: the function that does the work, and returns the exit status.
    """

    summary: Text
    module: str
    declares: str = "add_to"
    runs: str = "run"

    def add_to(self, parser: Parser) -> None:
        """Declares its options."""
        self._named(self.declares)(parser)

    def run(self, options: argparse.Namespace) -> int:
        """Runs it. Returns the exit status."""
        return int(self._named(self.runs)(options))

    def _named(self, name: str) -> Callable[..., Any]:
        found: Callable[..., Any] = getattr(import_module(f"{__name__}.{self.module}"), name)
        return found


_COMMANDS = {
    "record": Command(
        Text(
            "Run a script or a module, record it, and write a page that steps through it, or a picture, text or the recording itself.",
            "运行脚本或模块并记录，写出可逐步查看的网页，或图片、文本、记录本身。",
        ),
        "commands",
        "add_record",
        "record",
    ),
    "explain": Command(
        Text(
            "Run a script or a module; if a backward pass fails, say which line kept the value that it needed, and which lines overwrote it.",
            "运行脚本或模块；如果反向传播失败，就指出是哪一行保存了它需要的值、哪些行覆盖了它。",
        ),
        "explain",
    ),
    "advise": Command(
        Text(
            "Run a script or a module again and again, and say where it may write in place, what that saves, and why not elsewhere.",
            "反复运行脚本或模块，指出哪些地方可以改为原地操作、能节省多少内存，以及其余各处为什么不行。",
        ),
        "advise",
    ),
    "compare": Command(
        Text(
            "Run two scripts or modules, each with the framework that it imports, and print where they begin to differ: in values, versions, sharing, and how "
            "they end. What the scripts print is not shown.",
            "运行两个脚本或模块（各用自己导入的框架），指出它们从哪里开始不同：值、版本号、共享关系，以及如何结束。脚本自身的输出不显示。",
        ),
        "commands",
        "add_compare",
        "compare",
    ),
    "show": Command(
        Text(
            "Draw a saved recording: as a page that steps through it, a picture or text.",
            "绘制已保存的记录：可逐步查看的网页、图片或文本。",
        ),
        "commands",
        "add_show",
        "show",
    ),
    "share": Command(
        Text(
            "Show a step of a program to others: write a picture, an animation, a page, or Markdown.",
            "把程序的某一步分享给他人：写出图片、动图、网页或 Markdown。",
        ),
        "commands",
        "add_share",
        "share",
    ),
    "lab": Command(
        Text(
            "Copy the lessons to a folder and open JupyterLab there. Arguments after -- go to JupyterLab.",
            "把课程复制到一个文件夹，并在那里打开 JupyterLab。-- 之后的内容传给 JupyterLab。",
        ),
        "lab",
    ),
}
_VERSION = Text("show the version and exit", "显示版本并退出")
_DESCRIPTION = Text(
    "Record what a program does with its tensors and draw it; explain why backward fails; open the lessons.",
    "记录程序对张量做了什么，并画成图；解释反向传播为什么失败；打开课程。",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command.

    Args:
        arguments: the arguments after `inplacelab`; by default those of this process.

    Returns:
        The exit status.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    with speak(language_of(given)):
        name = given[0] if given else ""
        parser, parsers = _parsers(name)
        if name not in parsers:
            return _without_command(parser, given)
        if arguments is None:
            _forget_own_folder()
        options = parsers[name].parsed(given[1:])
    options.words = given
    with output.fixed_ranks(), speak(options.lang):
        if options.notice is not None:
            say(options.notice, sys.stderr)
        try:
            status = _COMMANDS[name].run(options)
            if is_open(sys.stdout):
                sys.stdout.flush()
        except CannotError as problem:
            say(f"inplacelab {name}: {problem}", sys.stderr)
            return problem.status
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:
            _drop_output()
            return PIPE_CLOSED
    return status


def _without_command(parser: Parser, given: Sequence[str]) -> int:
    """Prints the help, the version, or what is wrong; without any words, which commands there are."""
    if given:
        parser.parse_args(given)  # leaves
    say(parser.format_help().rstrip("\n"), sys.stderr)
    return 2


def _drop_output() -> None:
    """Sends what is still to be printed nowhere: Python would try it at its end, and complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _forget_own_folder() -> None:
    """Takes the folder of this command out of the module search path, or with `python -m` the current one: the script has neither."""
    if not sys.flags.safe_path and os.path.isdir(sys.path[0] or "."):
        del sys.path[0]


def _parsers(wanted: str) -> tuple[Parser, dict[str, Parser]]:
    """Returns the parser of the command, and those of the subcommands; if one of these is wanted, only that one has its options."""
    parser = Parser("inplacelab", _DESCRIPTION)
    parser.option("--version", says=_VERSION, action="version", version=f"inplacelab {__version__}")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    parsers = {}
    for name, command in _COMMANDS.items():
        options: dict[str, Any] = {"description": command.summary}  # a text: `Parser` takes both languages
        parsers[name] = subparsers.add_parser(name, help=str(command.summary), **options)
        if wanted == name or wanted not in _COMMANDS:
            command.add_to(parsers[name])
    return parser, parsers
