"""Writes a recording to a file, as a page, a picture, Markdown, plain text or JSON."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from inplacelab.cli.bilingual_argparse import Parser, listed
from inplacelab.cli.refusal import CannotError
from inplacelab.language import LANGUAGES, Text, get_language
from inplacelab.recording import codec
from inplacelab.recording.recording import Recording

_SAYS = {
    "output": Text(
        "the file to write, or - for the standard output (default: the input's name with the suffix of the format)",
        "要写入的文件，- 表示标准输出（默认：输入文件名加上该格式的后缀）",
    ),
    "format": Text(
        "page that steps offline, picture, Markdown, plain text, or the recording itself "
        "(default: as the suffix of the output says, else html)",
        "可离线单步浏览的网页、图片、Markdown、纯文本或记录本身（默认：按输出文件的后缀，否则为 html）",
    ),
    "lang": Text(
        "the language of the output (default: INPLACELAB_LANGUAGE, else en)",
        "所用语言（默认：INPLACELAB_LANGUAGE，否则 en）",
    ),
    "predict": Text(
        "the page asks what a step will do before it shows it; without this, the reader can still switch it on",
        "网页在显示每一步之前先提问；不加此项时，读者仍可自行打开",
    ),
}
_NO_WIDGETS = Text(
    "this format is drawn by the package inplacelab_widgets, which is part of inplacelab and is missing here ({0}). "
    "Install inplacelab again, or write the recording itself: --format json",
    "该格式由 inplacelab_widgets 包绘制，它是 inplacelab 的一部分，但此处缺失（{0}）。请重新安装 inplacelab，或写出记录本身：--format json",
)
_CANNOT_WRITE = Text("cannot write {0}: {1}", "无法写入 {0}：{1}")
_WRITTEN = Text("wrote {0}: {1} steps", "已写入 {0}：共 {1} 步")
_CUT = Text(
    "; {0} later events were left out (--limit keeps more)", "；之后的 {0} 个事件未保留（可用 --limit 保留更多）"
)
_CANNOT_ASK = Text(
    "--predict is for the page, which can ask; {0} cannot (--format html)",
    "--predict 只用于能够提问的网页；{0} 不能提问（请用 --format html）",
)
_NOTHING = Text("there is nothing to show: no statement of the program ran", "没有可展示的内容：程序中没有语句被执行")


def _drawn(name: str) -> Callable[..., str]:
    def draw(recording: Recording, **options: bool) -> str:
        try:
            import inplacelab_widgets  # noqa: PLC0415  # the drawing package is asked for only by formats that are drawn
        except ImportError as missing:
            raise CannotError(_NO_WIDGETS.format(missing.name)) from None
        text: str = getattr(inplacelab_widgets, name)(recording, **options)
        return text

    return draw


_ASKS = "html"
"""The only format that can ask questions."""

FORMATS: dict[str, Callable[..., str]] = {
    _ASKS: _drawn("to_html"),
    "svg": _drawn("to_svg"),
    "md": _drawn("to_markdown"),
    "txt": _drawn("to_text"),
    "json": lambda recording: codec.to_json(recording) + "\n",
}


def add_to(parser: Parser) -> None:
    """Declares the options of every command that writes a recording."""
    parser.option("-o", "--output", says=_SAYS["output"], metavar="FILE", type=Path)
    parser.option("--format", says=_SAYS["format"], choices=FORMATS, metavar=listed(FORMATS))
    parser.option("--lang", says=_SAYS["lang"], choices=LANGUAGES, metavar=listed(LANGUAGES), default=get_language())
    parser.option("--predict", says=_SAYS["predict"], action="store_true")


def write(recording: Recording, options: argparse.Namespace, source: Path) -> None:
    """Writes a recording as the options request.

    Args:
        recording: the recording.
        options: the parsed options.
        source: the file that the recording was made from; it gives the output its default name.

    Raises:
        CannotError: if there is nothing to write, or it cannot be written.
    """
    if not len(recording):
        raise CannotError(_NOTHING, status=1)
    form = chosen_format(options)
    text = FORMATS[form](recording, predict=True) if options.predict else FORMATS[form](recording)
    if options.output == Path("-"):
        print(text, end="")
        return
    path = options.output or Path(source.with_suffix(f".{form}").name)
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise CannotError(_CANNOT_WRITE.format(path, error.strerror)) from None
    said = _WRITTEN.format(path, len(recording))
    if recording.truncated:
        said += _CUT.format(recording.truncated)
    print(said, *recording.notes, sep="\n", file=sys.stderr)  # the standard output belongs to the program


def chosen_format(options: argparse.Namespace) -> str:
    """Returns the one of `FORMATS` that the options request.

    Raises:
        CannotError: if `--predict` is given for a format without questions.
    """
    form = options.format or _form_of(options.output)
    if options.predict and form != _ASKS:
        raise CannotError(_CANNOT_ASK.format(form))
    return str(form)


def _form_of(path: Path | None) -> str:
    suffix = path.suffix[1:].lower() if path else ""
    return suffix if suffix in FORMATS else "html"
