"""Implements `inplacelab share program.py`: writes a step as a card, an animation, a page with a link to it, or Markdown."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from inplacelab.cli import output, record, show
from inplacelab.cli.bilingual_argparse import Parser, positive
from inplacelab.cli.output import Destination, Drawing, drawing, say
from inplacelab.cli.refusal import CannotError
from inplacelab.cli.script import main_of, running
from inplacelab.cli.words import Named
from inplacelab.language import Text
from inplacelab.recording.file_text import visible
from inplacelab.recording.recording import Recording

SUMMARY = Text(
    "Show a step of a program to others: write a picture, an animation, a page, or Markdown.",
    "把程序的某一步分享给他人：写出图片、动图、网页或 Markdown。",
)
_SAYS = {
    "program": Text(
        "the Python program to run, or a recording (.json), as `record --format json` writes it",
        "要运行的 Python 程序，或由 `record --format json` 写出的记录（.json）",
    ),
    "output": Text(
        "a file to write: a picture (.png), an animation (.gif), a page (.html) or Markdown (.md); may be given several times",
        "要写出的文件：图片（.png）、动图（.gif）、网页（.html）或 Markdown（.md）；可以给出多次",
    ),
    "step": Text(
        "the step to show, as the page counts it, from 1 (default: the error, or else the last write)",
        "要展示的步，从 1 数起，与网页中的编号相同（默认：出错的一步，否则为最后一次写入）",
    ),
    "card": Text(
        "a picture of 1200 x 675 pixels (default, if nothing else is asked for: the program's name with the suffix .png)",
        "1200 × 675 像素的图片（未要求其他输出时默认写出，文件名为程序名加 .png）",
    ),
    "gif": Text("an animation of the steps, 1200 x 675 pixels", "各步的动图，1200 × 675 像素"),
    "seconds": Text(
        "how many seconds the animation shows each step (default: long enough to read its sentence)",
        "动图中每一步显示的秒数（默认：足以读完该步的说明）",
    ),
    "html": Text(
        "a page that steps through the program; the link to the step is printed",
        "可逐步查看的网页；同时打印指向该步的链接",
    ),
    "markdown": Text(
        "print the step as Markdown; what the program prints goes to the standard error",
        "以 Markdown 打印该步；程序自身的输出改到标准错误",
    ),
}
_WRONG_SUFFIX = Text(
    "{0} writes a file with the suffix {1}; name it {3}, not {2}",
    "{0} 写出后缀为 {1} 的文件，名为 {2} 则无法正确打开；请改名为 {3}",
)
_NO_KIND = Text(
    "share cannot write a file with the suffix of {0}; it writes {1}", "{0} 的后缀不是 share 能写出的格式：{1}"
)
_NO_ARGUMENTS = Text(
    "{0} is a recording, and nothing is run that could be given {1}", "{0} 是记录，不运行程序，{1} 没有去处"
)
_NO_STEP = Text("there is no step {0}: the recording has {1} steps", "没有第 {0} 步：记录共有 {1} 步")
_STEP_OF_ALL = Text(
    "--step chooses the step of a picture, a page and Markdown; an animation shows all steps",
    "--step 用于图片、网页和 Markdown；动图展示所有的步",
)
_NO_GIF = Text(
    "--seconds is only for an animation (--gif, or -o with the suffix .gif), and none was asked for",
    "--seconds 只用于动图（--gif，或用 -o 给出后缀为 .gif 的文件），而此处没有要求动图",
)
_LINK = Text("the link to the step: {0}", "指向该步的链接：{0}")


class _Kind(NamedTuple):
    """A file that can be written: its suffixes, what draws it, and whether that takes the step."""

    suffixes: tuple[str, ...]
    draw: Drawing
    shows_step: bool


_KINDS = {
    "card": _Kind((".png",), drawing("to_card"), True),
    "gif": _Kind((".gif",), drawing("to_gif"), False),
    "html": _Kind((".html", ".htm"), drawing("to_html"), False),
    "markdown": _Kind((".md", ".markdown"), drawing("to_markdown"), True),
}


class _Wanted(NamedTuple):
    """What is written, and where."""

    name: str
    to: Destination


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(program=_SAYS["program"])
    parser.option(
        "-o", "--output", says=_SAYS["output"], action="append", default=[], type=Path, dest="outputs", metavar="FILE"
    )
    parser.option("--step", says=_SAYS["step"], type=positive, metavar="N")
    parser.option("--card", says=_SAYS["card"], type=Path, metavar="PNG")
    parser.option("--gif", says=_SAYS["gif"], type=Path, metavar="GIF")
    parser.option("--seconds", says=_SAYS["seconds"], type=_seconds, metavar="S")
    parser.option("--html", says=_SAYS["html"], type=Path, metavar="PAGE")
    parser.option("--markdown", says=_SAYS["markdown"], action="store_true")
    output.add_language_to(parser)
    record.add_running_to(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns the script's exit status; 1 if it raised an exception."""
    wanted = _wanted(options)  # raises before the script runs, if nothing can be written there
    if _is_recording(options.program):
        if options.arguments:
            raise CannotError(_NO_ARGUMENTS.format(options.program, " ".join(options.arguments)))
        _share(show.loaded(Path(options.program.word)), options, wanted)
        return 0
    record.check_framework(options)
    with _printing_elsewhere(wanted):
        main = main_of(options.program, options.arguments)
        for each in wanted:
            record.check_not_itself(each.to.path, main.path)
        with running(
            main, options.arguments, title=options.title, limit=options.limit, use=record.use_of(options)
        ) as ran:
            status = record.report(ran.raised, ran.recording)
            if ran.recording is not None:
                _share(ran.recording, options, wanted)
            return status or ran.stopped


def _is_recording(named: Named) -> bool:
    return not named.is_module and Path(named.word).suffix.lower() == ".json"


def _seconds(written: str) -> float:
    seconds = float(written)
    if not 0.02 <= seconds <= 600:
        said = Text("{0} is not between 0.02 and 600", "{0} 不在 0.02 到 600 之间").format(written)
        raise argparse.ArgumentTypeError(str(said))
    return seconds


def _wanted(options: argparse.Namespace) -> list[_Wanted]:
    """What is written, and where.

    Raises:
        CannotError: if that is impossible, or something is not installed.
    """
    given = [(name, path) for name in _KINDS if isinstance(path := getattr(options, name), Path)]
    given += [(_kind_of(path), path) for path in options.outputs]
    if not given and not options.markdown:
        given = [("card", Path(f"{options.program.stem}.png"))]
    names = {name for name, _ in given} | ({"markdown"} if options.markdown else set())
    if options.seconds is not None and "gif" not in names:
        raise CannotError(_NO_GIF)
    if options.step is not None and names == {"gif"}:
        raise CannotError(_STEP_OF_ALL)
    wanted = [_Wanted(name, _destination(name, path, options.program)) for name, path in given]
    if not names.isdisjoint({"card", "gif"}):
        output.check_drawable(animated="gif" in names)
    if options.markdown:
        wanted.append(_Wanted("markdown", output.destination_of("md", Path("-"))))
    return wanted


def _kind_of(given: Path) -> str:
    suffix = given.suffix.lower()
    found = next((name for name, kind in _KINDS.items() if suffix in kind.suffixes), None)
    if found is None:
        raise CannotError(_NO_KIND.format(visible(str(given)), ", ".join(kind.suffixes[0] for kind in _KINDS.values())))
    return found


def _destination(name: str, given: Path, program: Named) -> Destination:
    suffixes = _KINDS[name].suffixes
    if given.suffix.lower() not in suffixes:
        better = given.with_suffix(suffixes[0]) if given.name.strip(".") else Path(f"{program.stem}{suffixes[0]}")
        names = (visible(str(each)) for each in (given, better))
        raise CannotError(_WRONG_SUFFIX.format(f"--{name}", suffixes[0], *names))
    return output.destination_of(suffixes[0][1:], given)


@contextmanager
def _printing_elsewhere(wanted: list[_Wanted]) -> Iterator[None]:
    """Lets the program print to the standard error while the standard output is for Markdown."""
    if all(each.to.path is not None for each in wanted) or sys.stderr is None:
        yield
        return
    with redirect_stdout(sys.stderr):
        yield


def _share(recording: Recording, options: argparse.Namespace, wanted: list[_Wanted]) -> None:
    if options.step is not None and options.step > len(recording) > 0:
        raise CannotError(_NO_STEP.format(options.step, len(recording)), status=1)
    step = None if options.step is None else options.step - 1
    for name, to in wanted:
        output.write(recording, to, _draw(name, step, options))
        if name == "html":
            number = (_key_step(recording) if step is None else step) + 1
            say(_LINK.format(f"{visible(str(to.given))}#step={number}"), to.err)


def _draw(name: str, step: int | None, options: argparse.Namespace) -> Callable[[Recording], str | bytes]:
    more: dict[str, Any] = {"step": step} if _KINDS[name].shows_step else {}
    if name == "gif" and options.seconds is not None:
        more["seconds"] = options.seconds
    return lambda recording: _KINDS[name].draw(recording, **more)


def _key_step(recording: Recording) -> int:
    from inplacelab_widgets.scene import key_step  # noqa: PLC0415  # only what is drawn needs the package

    return key_step(recording)
