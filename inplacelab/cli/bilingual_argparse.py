"""Parses commands: `argparse` with headings and error messages in both languages, and with programs that have options of their own."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from inplacelab.cli.words import HELP, MODULE, split
from inplacelab.language import Text

_USAGE = Text("usage: ", "用法：")
_POSITIONALS = Text("arguments", "参数")
_OPTIONS = Text("options", "选项")
_HELP = Text("show this help and exit", "显示本帮助并退出")
_MODULE = Text("run a module instead of a script, as `python -m` does", "不运行脚本，而像 `python -m` 那样运行一个模块")
_ARGUMENTS = Text(
    "arguments for what is run: what follows it and is no option of this command, and everything after --",
    "传给所运行程序的参数：写在它之后、又不是本命令选项的内容，以及 -- 之后的一切",
)
_AFTER_SCRIPT = Text(
    " (an argument for the script goes after the script's name)", "（要传给脚本的内容请写在脚本名之后）"
)
_OR_MODULE = Text(" (or -m MODULE)", "（或 -m MODULE）")
_AFTER_DASHES = Text(" (put arguments for {0} after --)", "（要传给 {0} 的内容请写在 -- 之后）")
_NOBODY = Text("this command runs nothing that could be given {0}", "此命令不运行程序，{0} 没有去处")
_COMPLAINTS = {
    r"unrecognized arguments: (.*)": Text("not an option of this command: {0}", "此命令没有这样的选项：{0}"),
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
        super().__init__(
            prog, description=str(description), formatter_class=_Formatter, add_help=False, allow_abbrev=False, **more
        )
        self._positionals.title, self._optionals.title = str(_POSITIONALS), str(_OPTIONS)
        self._takes_value: dict[str, bool] = {}
        self._programs: list[str] = []
        self._passes_to: str | None = None
        self.option("-h", "--help", says=_HELP, action="help")

    def format_help(self) -> str:
        """Returns the help. After a Chinese heading, `argparse` writes an English colon."""
        text = super().format_help()
        for heading in (_POSITIONALS.zh, _OPTIONS.zh):
            text = text.replace(f"\n{heading}:\n", f"\n{heading}：\n")
        return text

    def error(self, message: str) -> NoReturn:
        """Prints an error in the current language, and exits with status 2."""
        said = _complaint(message)
        if message.startswith("unrecognized"):
            dashes = Text("", "") if self._passes_to is None else _AFTER_DASHES.format(self._passes_to)
            said += _AFTER_SCRIPT if self._programs else dashes
        elif message.startswith("the following arguments are required") and self._programs:
            said += _OR_MODULE
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {said}\n")

    def option(self, name: str, *more: str, says: Text, **settings: Any) -> None:
        """Adds an argument with help in the current language."""
        added = self.add_argument(name, *more, help=str(says), **settings)
        self._takes_value |= dict.fromkeys(added.option_strings, added.nargs != 0)

    def programs(self, **says: Text) -> None:
        """Adds programs that the command runs, each a script or a module, by their names; and their arguments."""
        self.option(MODULE, says=_MODULE, dest="module", metavar="MODULE")
        self._programs = list(says)
        for name, each in says.items():
            self.option(name, says=each)
        self.option("arguments", says=_ARGUMENTS, nargs="*", default=[], metavar="ARGUMENT")

    def passes_to(self, name: str) -> None:
        """Declares that what stands after `--` goes to something else than a script."""
        self._passes_to = name

    def parsed(self, words: Sequence[str]) -> argparse.Namespace:
        """Parses the words after the name of the command; leaves the process if they are not valid.

        Returns:
            The options. Of a command that runs programs, these are `Named`; `arguments` is what they get, `notice` a sentence that says
            what went where, or None.
        """
        if not self._programs:
            end = words.index("--") if "--" in words else len(words)
            options = self.parse_args(words[:end])
            options.arguments, options.notice = list(words[end + 1 :]), None
            if options.arguments and self._passes_to is None:
                self.error(str(_NOBODY.format(" ".join(options.arguments))))
            return options
        try:
            found = split(words, self._takes_value, len(self._programs))
        except ValueError as option:
            self.error(f"argument {option}: expected one argument")
        notice = found.notice(self.prog)
        if notice is not None and not HELP.isdisjoint(found.late):
            self._print_message(f"{notice}\n", sys.stderr)
        options = self.parse_args([*found.options, "--", *map(str, found.programs)])
        for name, program in zip(self._programs, found.programs, strict=True):
            setattr(options, name, program)
        options.arguments, options.notice = found.arguments, notice
        return options


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
