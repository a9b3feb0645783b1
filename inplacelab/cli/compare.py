"""Implements `inplacelab compare a.py b.py`: runs two scripts, and says line by line where they begin to differ."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from inplacelab.cli import output, ranks, record
from inplacelab.cli.bilingual_argparse import Parser
from inplacelab.cli.refusal import CannotError
from inplacelab.cli.script import parsed_script
from inplacelab.cli.words import Named
from inplacelab.installing import NAME
from inplacelab.language import Text
from inplacelab.recording import codec
from inplacelab.recording.alignment import align
from inplacelab.recording.comparison_report import report
from inplacelab.recording.recording import Recording
from inplacelab.recording.visible import visible

SUMMARY = Text(
    "Run two scripts or modules, each with the framework that it imports, and print where they begin to differ: in values, versions, sharing, and how "
    "they end. What the scripts print is not shown.",
    "运行两个脚本或模块（各用自己导入的框架），指出它们从哪里开始不同：值、版本号、共享关系，以及如何结束。脚本自身的输出不显示。",
)
_SAYS = {
    "left": Text("a Python program", "一个 Python 程序"),
    "right": Text("the program to compare it with", "与之比较的程序"),
    "output": Text(
        "also write both side by side: a page that steps through them (.html), a picture (.svg, .png), an animation (.gif), Markdown (.md) or text (.txt)",
        "另外写出并排的对比：可逐步查看的网页（.html）、图片（.svg、.png）、动图（.gif）、Markdown（.md）或纯文本（.txt）",
    ),
}
_NO_FORMAT = Text(
    "compare cannot write a file with the suffix of {0}; it writes {1}", "{0} 的后缀不是 compare 能写出的格式：{1}"
)
_WRITTEN = Text("wrote {0}", "已写入 {0}")
_ONE_PROCESS = Text(
    "compare runs each program in one process, and here are {0} ranks: run it without the launcher",
    "compare 只用一个进程运行每个程序，而这里有 {0} 个进程：请不经启动器运行",
)
_NOT_RECORDED = Text("{0} was not recorded:\n{1}", "{0} 没有得到记录：\n{1}")


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(left=_SAYS["left"], right=_SAYS["right"])
    parser.option("-o", "--output", says=_SAYS["output"], metavar="FILE", type=Path)
    output.add_language_to(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns the exit status: 0 also if a script raises, which is a result like any other."""
    if (world := ranks.world()) > 1:
        raise CannotError(_ONE_PROCESS.format(world))
    to = _destination(options) if options.output is not None else None
    scripts = (options.left, options.right)
    for script in scripts:
        if not script.is_module:
            parsed_script(Path(script.word))  # raises before either runs
    left, right = (_recorded(script, options.arguments) for script in scripts)
    output.say("\n".join(report(align(left, right))), sys.stdout)
    if to is not None:
        with output.progress(output.DRAWING.format(visible(str(to.given)))):
            content = _DRAW(left, right, form=to.form, language=options.lang)
        output.write_content(content, to)
        output.say(_WRITTEN.format(visible(str(to.given))), to.err)
    return 0


_FORMATS = ("html", "svg", "png", "gif", "md", "txt")
_DRAW = output.drawing("drawn", "inplacelab_widgets.side_by_side.exports")


def _destination(options: argparse.Namespace) -> output.Destination:
    """Where the comparison is written.

    Raises:
        CannotError: if that is impossible, or something is not installed; neither script has run then.
    """
    given: Path = options.output
    form = {"htm": "html", "markdown": "md"}.get(suffix := given.suffix[1:].lower(), suffix)
    if form not in _FORMATS:
        raise CannotError(_NO_FORMAT.format(visible(str(given)), ", ".join(f".{each}" for each in _FORMATS)))
    if form in ("png", "gif"):
        output.check_drawable(animated=form == "gif")
    to = output.destination_of(form, given)
    for script in (options.left, options.right):
        record.check_not_itself(to.path, Path(script.word))
    return to


def _recorded(script: Named, arguments: list[str]) -> Recording:
    """Records a script in a process of its own, so that neither finds modules or settings of the other."""
    with TemporaryDirectory() as folder:
        to = Path(folder, "recording.json")
        command = [sys.executable, "-m", NAME, "record", "--format", "json", "--output", str(to), *script.words]
        ran = subprocess.run(
            [*command, "--", *arguments], capture_output=True, text=True, errors="replace", check=False
        )
        if not to.exists():
            reason = "\n".join(map(visible, ran.stderr.strip().splitlines()))
            raise CannotError(_NOT_RECORDED.format(visible(script.word), reason), status=1)
        return codec.load(to)
