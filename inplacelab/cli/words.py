"""Splits the words of a command line: options of the command, the program that it runs, and what is meant for that program."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from pathlib import Path

from inplacelab.installing import NAME
from inplacelab.language import LANGUAGES, Text, get_language

__all__ = ["LANGUAGE", "MODULE", "Named", "Words", "command_line", "language_of", "split"]

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
