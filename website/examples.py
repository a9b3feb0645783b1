"""The playground's examples: the programs of the lessons and of the gallery, each recorded when the site is built, so that its picture is there at once."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from documentation.gallery import entries
from inplacelab.language import Text
from lesson_source import Code, Prose, read_lesson
from settings import ROOT

LESSONS = ROOT / "notebooks" / "lessons"
RUNNER = Path(__file__).parent / "app" / "runner.py"

_LEFT_OUT = frozenset({"exercise", "solution", "mistake", "check"})
"""Cells that are there to be solved: an example would tell the answer."""
_HEADING = re.compile(r"^(#{1,2}) +(?:第 \d+ 课[\s　]*|Lesson \d+\. *|\d+\. *)?(.+)$", re.MULTILINE)
_NAME = re.compile(r"--name (\w+)")
_IMPORTS = re.compile(r"^\s*(?:import|from) ", re.MULTILINE)
_TORCH = re.compile(r"^import torch$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Example:
    """A program of a lesson, or of the gallery.

    Attributes:
        id: the name by which links call it, such as "07-stale" or "gallery-one_write".
        names: "paddle" or "torch": whose names it is written in.
        lesson: the lesson's title, or that of the gallery: what the menu has above it.
        title: the heading under which it stands, and its name there.
        code: the program, with the imports that it needs.
        payload: its picture as the player reads it, compressed.
        step: the step at which the picture opens, counted from 0.
    """

    id: str
    names: str
    lesson: Text
    title: Text
    code: str
    payload: str
    step: int

    def entry(self) -> dict[str, Any]:
        """Returns what the menu needs to know of it, as plain data."""
        return {
            "id": self.id,
            "names": self.names,
            "lesson": _both(self.lesson),
            "title": _both(self.title),
            "code": self.code,
        }


_GALLERY = Text("Gallery", "示例库")


def of_gallery() -> list[Example]:
    """Returns the programs of the gallery, to which the documentation links: `#example=gallery-one_write`."""
    found = []
    for entry in entries():
        code = entry.file.read_text(encoding="utf-8")
        recorded = _recorded(code)
        assert recorded is not None, f"{entry.file} does not run in the playground"
        title = Text(_plain(entry.title.en), _plain(entry.title.zh))
        names = "torch" if "torch" in code else "paddle"
        found.append(Example(f"gallery-{entry.key}", names, _GALLERY, title, code, *recorded))
    return found


def examples(sources: Iterable[Path] | None = None) -> list[Example]:
    """Returns the programs of the lessons that run by themselves.

    Args:
        sources: the sources of lessons; all of them, in order, if not given.
    """
    chosen = sorted(LESSONS.glob("[0-9]*.md")) if sources is None else sources
    found: dict[str, Example] = {}
    for source in chosen:
        for example in _of_lesson(source):
            found.setdefault(example.code, example)  # a program that two lessons show is listed once
    return list(found.values())


def _of_lesson(source: Path) -> Iterator[Example]:
    number = source.stem.partition("_")[0]
    lesson = heading = Text("", "")
    for block in read_lesson(source):
        if isinstance(block, Prose):
            for en, zh in zip(_HEADING.findall(block.en), _HEADING.findall(block.zh), strict=True):
                heading = Text(_plain(en[1]), _plain(zh[1]))
                lesson = lesson if lesson.en else Text(f"{int(number)}. {heading.en}", f"{int(number)}　{heading.zh}")
        elif isinstance(block, Code) and block.text.startswith("%%stepper") and not _LEFT_OUT & {*block.tags}:
            magic, _, code = block.text.partition("\n")
            named = _NAME.search(magic)
            name = named[1] if named else "program"
            program = _whole(code)
            recorded = _recorded(program)
            if recorded is not None:
                title = Text("{0} · {1}", "{0} · {1}").format(heading, name)
                names = "torch" if "torch" in program else "paddle"
                yield Example(f"{number}-{name}", names, lesson, title, program, *recorded)


def _plain(heading: str) -> str:
    """A heading without the marks of code: a menu shows them as they are."""
    return heading.replace("`", "")


def _whole(code: str) -> str:
    """A lesson's program with its imports: in the lesson, they stand in another cell."""
    code = _TORCH.sub("import inplacelab.torch as torch", code.strip("\n"))
    head = "" if _IMPORTS.match(code) or "paddle" not in code else "import inplacelab as paddle\n\n"
    return f"{head}{code}\n"


def _recorded(program: str) -> tuple[str, int] | None:
    """The compressed picture of a program, and the step at which it opens; None if it needs what other cells of its lesson define."""
    printed: list[str] = []
    shown: list[tuple[str, int]] = []
    runner().run(program, "en", printed.append, lambda payload, step: shown.append((payload, step)))
    said = "".join(printed)
    needs = ("NameError", "ModuleNotFoundError", "ImportError", "AttributeError")
    return None if not shown or any(f"\n{each}:" in f"\n{said}" for each in needs) else shown[-1]


@cache
def runner() -> ModuleType:
    """Returns the module that runs the programs of the playground in the browser."""
    spec = importlib.util.spec_from_file_location("playground_runner", RUNNER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def _both(text: Text) -> dict[str, str]:
    return {"en": text.en, "zh": text.zh}
