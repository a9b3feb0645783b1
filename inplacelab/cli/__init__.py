"""Implements the command line: `inplacelab record script.py -o page.html`, `inplacelab explain script.py`,
`inplacelab compare a.py b.py`, `inplacelab show recording.json`, `inplacelab share script.py --gif steps.gif`, `inplacelab lab`.

Each subcommand is a module of this package: `add_to` declares its options, `run` does the work and returns the exit status. 0: done;
1: the program failed, or there is nothing to show; 2: the command is not valid; 130, 141 and 143: stopped by Ctrl-C, by a closed pipe, by SIGTERM.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from inplacelab.cli import compare, explain, lab, ranks, record, share, show
from inplacelab.cli.bilingual_argparse import Parser
from inplacelab.cli.output import is_open, say
from inplacelab.cli.refusal import CannotError
from inplacelab.cli.signals import INTERRUPTED, PIPE_CLOSED
from inplacelab.cli.words import language_of
from inplacelab.language import Text, speak
from inplacelab.version import __version__

__all__ = ["main"]

_COMMANDS = {"record": record, "explain": explain, "compare": compare, "show": show, "share": share, "lab": lab}
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
        parser, commands = _parsers()
        if not given or given[0] not in commands:
            return _without_command(parser, given)
        if arguments is None:
            _forget_own_folder()
        name = given[0]
        options = commands[name].parsed(given[1:])
    options.words = given
    with ranks.fixed(), speak(options.lang):
        if options.notice is not None:
            say(options.notice, sys.stderr)
        try:
            status = int(_COMMANDS[name].run(options))
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


def _parsers() -> tuple[Parser, dict[str, Parser]]:
    """Returns the parser of the command, and those of the subcommands."""
    parser = Parser("inplacelab", _DESCRIPTION)
    parser.option("--version", says=_VERSION, action="version", version=f"inplacelab {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    parsers = {}
    for name, command in _COMMANDS.items():
        parsers[name] = commands.add_parser(name, description=command.SUMMARY, help=str(command.SUMMARY))
        command.add_to(parsers[name])
    return parser, parsers
