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

from inplacelab.cli import compare, explain, lab, record, share, show
from inplacelab.cli.bilingual_argparse import Parser
from inplacelab.cli.output import is_open, say
from inplacelab.cli.refusal import CannotError
from inplacelab.cli.signals import INTERRUPTED, PIPE_CLOSED
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
        arguments: the arguments after `inplacelab`; by default those of this process. Arguments after `--` go to the script,
            or to JupyterLab.

    Returns:
        The exit status.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    options = _parser().parse_args(given[:end])
    options.arguments = given[end + 1 :]
    with speak(options.lang):
        try:
            status = int(_COMMANDS[options.command].run(options))
            if is_open(sys.stdout):
                sys.stdout.flush()
        except CannotError as problem:
            say(f"inplacelab {options.command}: {problem}", sys.stderr)
            return problem.status
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:
            _drop_output()
            return PIPE_CLOSED
    return status


def _drop_output() -> None:
    """Sends what is still to be printed nowhere: Python would try it at its end, and complain."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> Parser:
    parser = Parser("inplacelab", _DESCRIPTION)
    parser.option("--version", says=_VERSION, action="version", version=f"inplacelab {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in _COMMANDS.items():
        command.add_to(commands.add_parser(name, description=command.SUMMARY, help=str(command.SUMMARY)))
    return parser
