"""`argparse` in two languages: its headings are English whatever the language, and these are read, too."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from inplacelab.language import Text

_USAGE = Text("usage: ", "用法：")
_POSITIONALS = Text("arguments", "参数")
_OPTIONS = Text("options", "选项")
_HELP = Text("show this help and exit", "显示本帮助并退出")


class _Formatter(argparse.HelpFormatter):
    def add_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None) -> None:
        super().add_usage(usage, actions, groups, str(_USAGE) if prefix is None else prefix)


class Parser(argparse.ArgumentParser):
    """A parser whose help is in the current language."""

    def __init__(self, prog: str, description: Text, **more: Any) -> None:
        super().__init__(prog, description=str(description), formatter_class=_Formatter, add_help=False, **more)
        self._positionals.title, self._optionals.title = str(_POSITIONALS), str(_OPTIONS)
        self.add_argument("-h", "--help", action="help", help=str(_HELP))

    def option(self, name: str, *more: str, says: Text, **settings: Any) -> None:
        """Add an argument whose help is said in the current language."""
        self.add_argument(name, *more, help=str(says), **settings)


def positive(written: str) -> int:
    """A whole number above 0, for an option's `type`."""
    number = int(written)
    if number < 1:
        raise argparse.ArgumentTypeError(str(Text("{0} is not above 0", "{0} 不是正数").format(number)))
    return number


def listed(choices: Iterable[str]) -> str:
    """Choices as they stand in a usage line."""
    return "|".join(choices)
