"""The gallery: the programs of `docs/gallery`, each with its question, its stepper, and the answer."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from documentation.links import ROOT, Links
from inplacelab.language import Text
from inplacelab.recording import Recording, load
from inplacelab_widgets import to_html

FOLDER = "gallery"
PROGRAMS = ROOT / "docs" / "gallery"

_TITLE = Text("Gallery", "示例库")
_ABOUT = Text(
    "Small programs, recorded. Answer the question first; then step through the program with → and ←, and unfold the answer.",
    "一些记录下来的小程序。先回答问题，再按 → 和 ← 逐步查看，最后展开答案。",
)
_ANSWER = Text("Answer", "答案")
_PLAYER = Text("Stepper: {0}", "逐步查看：{0}")
_ALONE = Text("Open the stepper alone", "单独打开这张图")
_CHANGE = Text("Change it and run it in the playground", "在演练场中修改并运行")
_FILE = Text("The program as a file", "程序文件")
_NEXT = Text("Next: {0}", "下一个：{0}")


@dataclass(frozen=True)
class Entry:
    """A program of the gallery.

    Attributes:
        key: the name of its file, without the suffix.
        title: its heading.
        question: what to answer before it is stepped through.
        answer: and why.
        ends: the last line that it prints; of a program that raises, the beginning of its error.
    """

    key: str
    title: Text
    question: Text
    answer: Text
    ends: str

    @property
    def file(self) -> Path:
        """The program."""
        return PROGRAMS / f"{self.key}.py"


@cache
def entries() -> tuple[Entry, ...]:
    """All programs, in the order of the gallery."""
    found = tomllib.loads((PROGRAMS / "questions.toml").read_text(encoding="utf-8"))
    return tuple(
        Entry(key, Text(**each["title"]), Text(**each["question"]), Text(**each["answer"]), each["ends"])
        for key, each in found.items()
    )


def pages(language: str, links: Links) -> Iterator[tuple[str, str]]:
    """Yields the page of all programs, and one for each: its name, with its suffix, and its text."""
    yield f"{FOLDER}/index.md", _index(language)
    for entry, following in zip(entries(), (*entries()[1:], None), strict=True):
        yield f"{FOLDER}/{entry.key}.md", _page(entry, following, language, links)


def _index(language: str) -> str:
    parts = [f"# {_TITLE.in_language(language)}\n", f"{_ABOUT.in_language(language)}\n"]
    parts += [
        f"{k}. [{entry.title.in_language(language)}]({entry.key}.md)\\\n   {entry.question.in_language(language)}"
        for k, entry in enumerate(entries(), 1)
    ]
    listed = "\n".join(entry.key for entry in entries())
    return "\n".join([*parts, f"\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"])


def _page(entry: Entry, following: Entry | None, language: str, links: Links) -> str:
    title, question, answer = (each.in_language(language) for each in (entry.title, entry.question, entry.answer))
    player = (
        f"{entry.key}.player.html"  # opened at its first step: by itself it opens at the most telling one, the answer
    )
    name = _PLAYER.in_language(language).format(title.replace("`", ""))
    parts = [
        f"# {title}\n",
        f"**{question}**\n",
        f'<iframe class="player" src="{player}#step=1" title="{name}" height="720"></iframe>\n',
        f"<details>\n<summary>{_ANSWER.in_language(language)}</summary>\n\n{answer}\n\n</details>\n",
        f'<a href="{player}#step=1">{_ALONE.in_language(language)}</a>\n',
        f'<a href="{links.on_site(playground(entry, language), f"{FOLDER}/{entry.key}")}">{_CHANGE.in_language(language)}</a>\n',
        f"[{_FILE.in_language(language)}]({links.outside(entry.file)})\n",
    ]
    if following is not None:
        parts.append(
            f"[{_NEXT.in_language(language).format(following.title.in_language(language))}]({following.key}.md)\n"
        )
    return "\n".join(parts)


def playground(entry: Entry, language: str) -> str:
    """Returns where the playground of the site opens a program, which has it among its examples, at its first step."""
    return f"playground/?lang={language}#example=gallery-{entry.key}&step=1"


def write_players(language: str, folder: Path) -> None:
    """Writes each program's stepper, the page that `inplacelab record -o` writes, into a folder."""
    folder.mkdir(parents=True)
    for entry in entries():
        to_html(recording_of(entry), folder / f"{entry.key}.player.html", language=language)


@cache
def recording_of(entry: Entry) -> Recording:
    """Runs a program in a process of its own, whose memory holds nothing else, and returns its recording.

    Raises:
        RuntimeError: if there is no recording.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder, "recording.json")
        command = [sys.executable, "-m", "inplacelab", "record", "--output", str(file), str(entry.file)]
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        if not file.exists():
            raise RuntimeError(f"{entry.file} was not recorded:\n{said.stderr}")
        return load(file)
