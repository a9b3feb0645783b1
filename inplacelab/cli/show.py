"""Implements `inplacelab show recording.json`: turns a saved recording into a page, a picture or text."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from inplacelab.cli import output
from inplacelab.cli.bilingual_argparse import Parser
from inplacelab.cli.refusal import CannotError
from inplacelab.language import Text
from inplacelab.recording import codec
from inplacelab.recording.file_text import visible
from inplacelab.recording.recording import Recording

SUMMARY = Text(
    "Draw a saved recording: as a page that steps through it, a picture or text.",
    "绘制已保存的记录：可逐步查看的网页、图片或文本。",
)
_RECORDING = Text("a recording, as `record --format json` writes it", "由 `record --format json` 写出的记录")
_CANNOT_READ = Text("cannot read {0}: {1}", "无法读取 {0}：{1}")
_PROGRAM = Text(
    "{0} is a program, not a recording; to record it: inplacelab record {1}",
    "{0} 是程序，不是记录；要记录它：inplacelab record {1}",
)
_AGAIN = Text(" Record the program again: `record --format json`.", "请重新记录程序：`record --format json`。")


def add_to(parser: Parser) -> None:
    """Declares the command's options."""
    parser.option("recording", says=_RECORDING, type=Path)
    output.add_to(parser)


def run(options: argparse.Namespace) -> int:
    """Runs the command. Returns the exit status."""
    to = output.destination(options, options.recording.stem)
    output.write(loaded(options.recording), to)
    return 0


def loaded(path: Path) -> Recording:
    """Reads a recording from a file.

    Raises:
        CannotError: if that cannot be read, or is no recording.
    """
    if path.suffix == ".py":
        raise CannotError(_PROGRAM.format(visible(str(path)), shlex.quote(visible(str(path)))))
    try:
        return codec.load(path)
    except OSError as error:
        raise CannotError(_CANNOT_READ.format(visible(str(path)), error.strerror)) from None
    except codec.RecordingFormatError as error:
        said = _CANNOT_READ.format(visible(str(path)), error.explanation) + _AGAIN
        raise CannotError(said, status=1) from None
