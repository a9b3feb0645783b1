"""Parses commands: splits the words into options of the command, the program that it runs, and what is meant for that program; and
`argparse` with headings and error messages in both languages.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, NoReturn

from inplacelab.installing import NAME
from inplacelab.language import LANGUAGES, Text, get_language

MODULE = "-m"
"""The option after which a module is named, as with `python -m`."""
LANGUAGE = "--lang"
"""The option that names the language."""
HELP = {"-h", "--help"}

_LATE = Text(
    "{0} is an option of {1}; {2} gets: {3}. To give it {4} too, write it after `--`.",
    "{0} 是 {1} 的选项；传给 {2} 的是：{3}。如果也要把 {4} 传给它，请写在 `--` 之后。",
)
_SEVERAL_LATE = Text(
    "{0} are options of {1}; {2} gets: {3}. To give it one of them too, write it after `--`.",
    "{0} 是 {1} 的选项；传给 {2} 的是：{3}。如果也要把其中某一个传给它，请写在 `--` 之后。",
)
_NOTHING = Text("nothing", "无")
_EACH = Text("each of the two programs", "这两个程序")


@dataclass(frozen=True)
class Named:
    """A program as a command names it.

    Attributes:
        word: the path of a script, or the name of a module.
        is_module: whether it stood after `-m`.
    """

    word: str
    is_module: bool = False

    def __str__(self) -> str:
        return self.word

    @property
    def words(self) -> list[str]:
        """The words that name it so."""
        return [MODULE, self.word] if self.is_module else [self.word]

    @property
    def stem(self) -> str:
        """The name of a file that is made from it, without a suffix."""
        return self.word if self.is_module else Path(self.word).stem

    def mentions(self, option: str) -> bool:
        """Whether its text has an option between quotation marks: then it has an option of that name itself."""
        stem = Path(*self.word.split(".")) if self.is_module else None
        for path in [Path(self.word)] if stem is None else [stem.with_suffix(".py"), stem / "__main__.py"]:
            with suppress(OSError):
                text = path.read_text(encoding="utf-8", errors="replace")
                return f'"{option}"' in text or f"'{option}'" in text
        return False


@dataclass
class Words:
    """The words of a command that runs programs.

    Attributes:
        options: the command's own options, with their values.
        programs: the programs.
        late: those of the options that stood after the programs, as they were written, without their values.
        given: what stood after the programs and is no option of the command.
        after: what stood after `--`; None if there was none.
    """

    options: list[str] = field(default_factory=list)
    programs: list[Named] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    given: list[str] = field(default_factory=list)
    after: list[str] | None = None

    @property
    def arguments(self) -> list[str]:
        """What the programs get."""
        return [*self.given, *(self.after or ())]

    def notice(self, command: str) -> Text | None:
        """Returns a sentence that says what went where; None if there is only one way to read the words."""
        names = list(dict.fromkeys(each.partition("=")[0] for each in self.late))
        mentioned = self.after is None and any(program.mentions(each) for program in self.programs for each in names)
        if not names or not (self.given or mentioned or HELP.intersection(names)):
            return None
        quoted = [f"`{each}`" for each in names]
        gets = shlex.join(self.arguments) or _NOTHING
        who = _EACH if len(self.programs) > 1 else self.programs[0].word
        said = _LATE if len(names) == 1 else _SEVERAL_LATE
        return said.format(", ".join(quoted), command, who, gets, quoted[0])


def split(words: Sequence[str], options: Mapping[str, bool], count: int) -> Words:
    """Splits the words of a command that runs programs.

    Before the programs, everything with a hyphen is an option of the command. After them, only the exact name of one is; the rest is for
    the programs, and so is all that stands after `--`. If none stands before `--`, the words after it name them.

    Args:
        words: the words after the name of the command.
        options: the command's options, and whether each takes a value.
        count: how many programs it runs.

    Raises:
        ValueError: if `-m` is the last word.
    """
    found = Words()
    end = words.index("--") if "--" in words else len(words)
    if end < len(words):
        found.after = list(words[end + 1 :])
    waiting = deque(words[:end])
    while waiting:
        word = waiting.popleft()
        name, equals, _ = word.partition("=")
        is_late = len(found.programs) == count
        is_ours = word in options or (word.startswith("--") and bool(equals) and options.get(name, False))
        if word.startswith(MODULE) and not is_late:
            module = word.removeprefix(MODULE) or (waiting.popleft() if waiting else "")
            if not module:
                raise ValueError(MODULE)
            found.programs.append(Named(module, is_module=True))
        elif is_ours or (_is_option(word) and not is_late):
            found.options.append(word)
            found.late += [word] * is_late
            if options.get(word, False) and waiting and not _is_option(waiting[0]):
                found.options.append(waiting.popleft())
        elif is_late:
            found.given.append(word)
        else:
            found.programs.append(Named(word))
    return found if found.programs else _named_after(found, count)


def _named_after(found: Words, count: int) -> Words:
    """Takes the programs from the words after `--`, unless these look like arguments for a program."""
    after = found.after or []
    if any(map(_is_option, after[:count])):
        return found
    return replace(found, programs=[*map(Named, after[:count])], after=None if found.after is None else after[count:])


def language_of(words: Iterable[str]) -> str:
    """Returns the language that the words ask for, before they are parsed: what is wrong with them is said in it."""
    ours = [*takewhile(lambda word: word != "--", words), ""]
    pairs = (word.split("=", 1) if "=" in word else (word, after) for word, after in pairwise(ours))
    asked = [value for name, value in pairs if name == LANGUAGE and value in LANGUAGES]
    return asked[-1] if asked else get_language()


def _is_option(word: str) -> bool:
    """Whether a word looks like an option: not like the standard output, or a negative number."""
    return word.startswith("-") and len(word) > 1 and not word[1].isdigit()


def command_line(words: Sequence[str]) -> str:
    """Returns a command of this package that can be pasted into the terminal in which this one was typed."""
    return shlex.join([*_program(), *words])


def _program() -> Iterator[str]:
    """Yields the words with which this process was started, up to the name of the subcommand."""
    started = Path(sys.argv[0])
    if started.name == "__main__.py":
        yield from (sys.orig_argv[0], MODULE, NAME)
        return
    if started.stem != NAME:  # such as pytest, which calls `main`
        yield NAME
        return
    found = shutil.which(NAME)
    is_found = found is not None and started.exists() and os.path.samefile(found, started)
    yield NAME if is_found else str(started)


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


class CannotError(Exception):
    """Raised if a command cannot be run. `why` says why not, and `status` is the exit status of the process."""

    def __init__(self, why: Text, status: int = 2) -> None:
        super().__init__(str(why))
        self.why, self.status = why, status
