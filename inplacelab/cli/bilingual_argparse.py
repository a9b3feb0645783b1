"""Translates the headings and error messages of `argparse`, which exist in English only."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from typing import Any, NoReturn

from inplacelab.language import Text

_USAGE = Text("usage: ", "用法：")
_POSITIONALS = Text("arguments", "参数")
_OPTIONS = Text("options", "选项")
_HELP = Text("show this help and exit", "显示本帮助并退出")
_COMPLAINTS = {
    r"unrecognized arguments: (.*)": Text(
        "not an option of this command: {0} (put arguments for the script, or for JupyterLab, after --)",
        "此命令没有这样的选项：{0}（要传给脚本或 JupyterLab 的内容请写在 -- 之后）",
    ),
    r"the following arguments are required: (.*)": Text("missing: {0}", "缺少：{0}"),
    r"argument (.*): expected one argument": Text("{0} needs a value", "{0} 后面要有一个值"),
    r"argument (.*): invalid choice: (.*) \(choose from (.*)\)": Text(
        "{0} cannot be {1}; choose from {2}", "{0} 不能是 {1}；可选的有 {2}"
    ),
    r"argument (.*): invalid \w+ value: (.*)": Text("{0} cannot be {1}", "{0} 不能是 {1}"),
    r"argument (.*): (.*)": Text("{0}: {1}", "{0}：{1}"),
}
"""Error messages of `argparse`, and their texts in both languages."""


class _Formatter(argparse.HelpFormatter):
    def add_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, str(_USAGE) if prefix is None else prefix)


class Parser(argparse.ArgumentParser):
    """A parser whose help is in the current language."""

    def __init__(self, prog: str, description: Text, **more: Any) -> None:
        super().__init__(prog, description=str(description), formatter_class=_Formatter, add_help=False, **more)
        self._positionals.title, self._optionals.title = str(_POSITIONALS), str(_OPTIONS)
        self.add_argument("-h", "--help", action="help", help=str(_HELP))

    def format_help(self) -> str:
        """Returns the help. After a Chinese heading, `argparse` writes an English colon."""
        text = super().format_help()
        for heading in (_POSITIONALS.zh, _OPTIONS.zh):
            text = text.replace(f"\n{heading}:\n", f"\n{heading}：\n")
        return text

    def error(self, message: str) -> NoReturn:
        """Prints an error in the current language, and exits with status 2."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {_complaint(message)}\n")

    def option(self, name: str, *more: str, says: Text, **settings: Any) -> None:
        """Adds an argument with help in the current language."""
        self.add_argument(name, *more, help=str(says), **settings)


def _complaint(message: str) -> Text:
    for pattern, said in _COMPLAINTS.items():
        if found := re.fullmatch(pattern, message):
            return said.format(*found.groups())
    return Text(message, message)


def positive(written: str) -> int:
    """Parses a whole number above 0, as an option's `type`."""
    number = int(written)
    if number < 1:
        raise argparse.ArgumentTypeError(str(Text("{0} is not above 0", "{0} 不是正数").format(number)))
    return number


def listed(choices: Iterable[str]) -> str:
    """Formats choices for a usage line: "a|b"."""
    return "|".join(choices)
