"""Writes a recording to a file, as a page, a picture, Markdown, plain text or JSON; decides before the program runs where and how.

Of several ranks, each writes a file of its own, and marks what it says.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from secrets import token_hex
from shutil import copymode
from threading import Lock, Timer
from typing import TYPE_CHECKING, Any, TextIO, cast

from inplacelab.cli.arguments import LANGUAGE, CannotError, Parser, listed
from inplacelab.language import LANGUAGES, Text, columns, get_language
from inplacelab.recording.file_text import visible

if TYPE_CHECKING:
    from inplacelab.recording.recording import Recording

# ---- ranks: a launcher such as `torchrun` starts the same command several times -----------------------------------------------

_environment: Mapping[str, str] = os.environ


@contextmanager
def fixed_ranks() -> Iterator[None]:
    """Keeps inside a `with` block to what the launcher has set: a program may set the same variables."""
    global _environment
    before, _environment = _environment, dict(os.environ)
    try:
        yield
    finally:
        _environment = before


def ranks() -> int:
    """Returns how many ranks a launcher has started; 0 if none has started this process."""
    size = _environment.get("WORLD_SIZE", "")
    return int(size) if size.isdecimal() and _rank() else 0


def marked(message: str) -> str:
    """Returns a message of which each line says the rank, as PyTorch marks what a rank prints; unchanged if there is one only."""
    if ranks() <= 1:
        return message
    return "\n".join(f"[rank{_rank()}]: {line}" for line in message.split("\n"))


def path_of_rank(path: Path) -> Path:
    """Returns the path of this rank's own file: page-rank1.html; unchanged if there is one rank only."""
    return path if ranks() <= 1 else path.with_name(f"{path.stem}-rank{_rank()}{path.suffix}")


def _rank() -> str:
    found = _environment.get("RANK") or _environment.get("LOCAL_RANK") or ""
    return found if found.isdecimal() else ""


# ---- where and how --------------------------------------------------------------------------------------------------------

_SAYS = {
    "output": Text(
        "the file to write, or - for the standard output (default: the input's name with the suffix of the format)",
        "要写入的文件，- 表示标准输出（默认：输入文件名加上该格式的后缀）",
    ),
    "format": Text(
        "a page that needs no network, a picture (png needs the extra png), Markdown, plain text, or the recording itself "
        "(default: as the suffix of the output says, or else html)",
        "不需要网络的网页、图片（png 需要附加依赖 png）、Markdown、纯文本或记录本身（默认：按输出文件的后缀；没有后缀时为 html）",
    ),
    "lang": Text(
        "the language of the output (default: INPLACELAB_LANGUAGE, or else that of the locale)",
        "输出的语言（默认：INPLACELAB_LANGUAGE；未设置时随系统的区域设置）",
    ),
    "predict": Text(
        "the page asks what each step will do before it shows it; without this option, the reader can switch it on",
        "网页在显示每一步之前先提问；不加此选项时，读者仍可自行打开",
    ),
}
_NO_FORMAT = Text(
    "the suffix of {0} is none of the formats {1}; use one of these",
    "{0} 的后缀不是任何一种格式（{1}）；请改用其中之一",
)
_OR_CHOOSE = Text(", or choose the format with --format", "，或用 --format 指定格式")
_OTHER_FORMAT = Text(
    "the format is {1}, but the suffix of {0} belongs to another format; use another suffix, or another format",
    "格式是 {1}，而名为 {0} 的文件不会被当作这种格式打开；请更换后缀或格式",
)
_NO_WIDGETS = Text(
    "this format is drawn by the package inplacelab_widgets, which is part of inplacelab and is missing here ({0}). "
    "Install inplacelab again, or write the recording itself: --format json",
    "该格式由 inplacelab_widgets 包绘制，它是 inplacelab 的一部分，但此处缺失（{0}）。请重新安装 inplacelab，或写出记录本身：--format json",
)
DRAWING = Text("drawing {0}", "正在绘制 {0}")
_CANNOT_WRITE = Text("cannot write {0}: {1}", "无法写入 {0}：{1}")
_WRITTEN = Text("wrote {0}", "已写入 {0}")
_WRITTEN_STEPS = Text("wrote {0}: {1} steps", "已写入 {0}：共 {1} 步")
_CUT = Text(
    "; there the recording ended, and how many steps followed is not known", "；记录到此结束，此后还有多少步不得而知"
)
_MORE = Text(
    " (--limit keeps more, and --from-step {0} goes on there)", "（--limit 保留更多，--from-step {0} 从那里继续）"
)
_CANNOT_ASK = Text(
    "--predict works only in a page (--format html), not in {0}",
    "--predict 只用于能够提问的网页；{0} 不能提问（请用 --format html）",
)
_NOTHING = Text("there is nothing to show: no statement of the program ran", "没有可展示的内容：程序中没有语句被执行")


Drawing = Callable[..., str | bytes]
"""Makes the content of a file of a recording."""


def drawing(name: str, module: str = "inplacelab_widgets") -> Drawing:
    """Returns a function of `inplacelab_widgets`, or of a module of it. It is imported when it is called: only what is drawn needs that package.

    The function raises CannotError if something is not installed.
    """

    def draw(*recordings: Recording, **options: Any) -> str | bytes:
        with _raster():
            content: str | bytes = getattr(import_module(module), name)(*recordings, **options)
        return content

    return draw


def check_drawable(*, animated: bool = False) -> None:
    """Checks that pictures of pixels can be drawn, before a program runs for them.

    Raises:
        CannotError: if a library or a font is missing; it says what to install.
    """
    with _raster() as raster:
        raster.check_installed(animated=animated)


@contextmanager
def _raster() -> Iterator[Any]:
    """Yields the module for pictures of pixels. What a `with` block finds missing is an error of the command."""
    try:
        import_module("inplacelab_widgets")
        raster = import_module("inplacelab_widgets.sharing")
    except ImportError as missing:
        raise CannotError(_NO_WIDGETS.format(missing.name)) from None
    try:
        yield raster
    except (ImportError, raster.NoFontError) as missing:
        raise CannotError(Text(str(missing), str(missing)), status=1) from None


_ASKS = "html"
"""The only format that can ask questions."""


def _as_json(recording: Recording) -> str:
    from inplacelab.recording import codec  # noqa: PLC0415  # only to write one

    return codec.to_json(recording) + "\n"


FORMATS: dict[str, Drawing] = {
    _ASKS: drawing("to_html"),
    "svg": drawing("to_svg"),
    "png": drawing("to_png"),
    "md": drawing("to_markdown"),
    "txt": drawing("to_text"),
    "json": _as_json,
}


def add_to(parser: Parser) -> None:
    """Declares the options of every command that writes a recording."""
    parser.option("-o", "--output", says=_SAYS["output"], metavar="FILE", type=Path)
    parser.option("--format", says=_SAYS["format"], choices=FORMATS, metavar=listed(FORMATS))
    add_language_to(parser)
    parser.option("--predict", says=_SAYS["predict"], action="store_true")


def add_language_to(parser: Parser) -> None:
    """Declares the option for the language."""
    parser.option(LANGUAGE, says=_SAYS["lang"], choices=LANGUAGES, metavar=listed(LANGUAGES), default=get_language())


@dataclass(frozen=True)
class Destination:
    """Where a recording will be written, decided before the script runs: it may change the working folder and the standard streams.

    Attributes:
        form: one of `FORMATS`.
        given: the path as the user wrote it.
        path: the file, with an absolute path; None for the standard output.
        predict: whether the page asks questions.
        out: the standard output.
        err: the standard error, for the summary.
    """

    form: str
    given: Path
    path: Path | None
    predict: bool
    out: TextIO | None
    err: TextIO | None


def destination(options: argparse.Namespace, stem: str) -> Destination:
    """Returns where the options want the output.

    Args:
        options: the parsed options.
        stem: the default name of the output, without a suffix.

    Raises:
        CannotError: if the format is impossible, or nothing can be written there.
    """
    form = chosen_format(options)
    if form == "png":
        check_drawable()
    return destination_of(form, options.output or Path(f"{stem}.{form}"), predict=options.predict)


def destination_by_suffix(given: Path) -> Destination:
    """Returns where a recording is written, in the format that the suffix of the file asks for.

    Raises:
        CannotError: as `destination`.
    """
    form = _form_of(given)
    return destination(argparse.Namespace(output=given, format=form, predict=False), "")


def destination_of(form: str, given: Path, *, predict: bool = False) -> Destination:
    """Returns where a file in this format is written.

    Raises:
        CannotError: if nothing can be written there.
    """
    path = None
    if given == Path("-"):
        if not is_open(sys.stdout):
            raise CannotError(_CANNOT_WRITE.format(given, os.strerror(errno.EBADF)))
    else:
        given = path_of_rank(given)
        try:
            path = _writable(given)
        except OSError as error:
            raise CannotError(_CANNOT_WRITE.format(visible(str(given)), error.strerror)) from None
    return Destination(form, given, path, predict, sys.stdout, sys.stderr)


def _writable(given: Path) -> Path:
    """Returns the absolute path of a file that can be written, without links.

    Raises:
        OSError: if it cannot.
    """
    path = given.resolve()
    if path.is_dir():
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not path.parent.is_dir():
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    existing = path.exists()  # raises an error if the name is too long
    if not os.access(path if existing else path.parent, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))
    return path


def write(
    recording: Recording,
    to: Destination,
    draw: Drawing | None = None,
    *,
    notes: bool = True,
    ended_at: int | None = None,
) -> None:
    """Writes a recording.

    Args:
        recording: the recording.
        to: where it is written.
        draw: makes the content; by default what the format asks for.
        notes: whether to say what was not recorded, too.
        ended_at: the number of the statement in which the recording ended, if `--from-step` can begin there.

    Raises:
        CannotError: if there is nothing to write, or it cannot be written.
    """
    if not len(recording):
        raise CannotError(_NOTHING, status=1)
    draw = draw or FORMATS[to.form]
    with progress(DRAWING.format(visible(str(to.given)))):
        content = draw(recording, predict=True) if to.predict else draw(recording)
    write_content(content, to)
    if to.path is None:
        return
    said = _WRITTEN_STEPS.format(visible(str(to.given)), len(recording))
    if recording.truncated:
        said += _CUT if ended_at is None else _CUT + _MORE.format(ended_at)
    say(
        "\n".join(str(each) for each in (said, *(recording.notes if notes else ()))), to.err
    )  # the standard output belongs to the program


def kept_apart(to: Destination) -> Destination:
    """Keeps the standard output for a document: for the rest of this process, the program and the processes that it starts print to the
    standard error, also when they end.

    Returns:
        Where the document is written then.
    """
    if to.path is not None or to.out is None:
        return to
    to.out.flush()
    sys.stdout = cast("TextIO", sys.stderr)  # which may be None
    with suppress(OSError):  # not a file, as in a test
        if to.out.fileno() == 1:
            to = replace(to, out=os.fdopen(os.dup(1), "w", encoding="utf-8"))
            os.dup2(2 if is_open(sys.stderr) else os.open(os.devnull, os.O_WRONLY), 1)
    return to


def write_content(content: str | bytes, to: Destination) -> None:
    """Writes the content of a file.

    Raises:
        CannotError: if it cannot be written.
    """
    # UTF-8, as in a file, also where the terminal's encoding lacks a character.
    raw = content.encode() if isinstance(content, str) else content
    try:
        if to.path is None:
            _print_whole(raw, to.out)
        else:
            _replace(to.path, raw)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotError(_CANNOT_WRITE.format(visible(str(to.given)), error.strerror)) from None


def write_and_say(content: str | bytes, to: Destination) -> None:
    """Writes the content of a file, and says that it was written, if it was not printed.

    Raises:
        CannotError: if it cannot be written.
    """
    write_content(content, to)
    if to.path is not None:
        say(_WRITTEN.format(visible(str(to.given))), to.err)


def _print_whole(content: bytes, out: TextIO | None) -> None:
    if out is None or not is_open(out):
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    out.flush()
    out.buffer.write(content)
    out.buffer.flush()


def _replace(path: Path, content: bytes) -> None:
    """Writes a file as a whole or not at all: first beside it, and then in its place."""
    if path.exists() and not (path.is_file() and os.access(path.parent, os.W_OK)):  # such as /dev/null
        path.write_bytes(content)
        return
    beside = path.with_name(f".inplacelab-{token_hex(8)}.tmp")
    try:
        with beside.open("xb") as file:
            file.write(content)
        if path.exists():
            copymode(path, beside)
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def is_open(stream: TextIO | None) -> bool:
    """Whether a standard stream can be written: a process may have been started without it, and a script may close it."""
    return stream is not None and not stream.closed


def say(message: object, stream: TextIO | None) -> None:
    """Prints a message to a stream, if it is still there: in one write, so that those of several ranks do not mix."""
    if stream is not None and is_open(stream):
        with suppress(OSError):
            stream.write(f"{marked(str(message))}\n")
            stream.flush()


SLOW = 2.0
"""After so many seconds, what a command is doing is shown on a terminal."""


@contextmanager
def progress(doing: Text | None = None) -> Iterator[Callable[[Text], None]]:
    """Shows what takes long inside a `with` block: on a terminal only, in one line that is written again and erased at the end.

    Args:
        doing: what is done first.

    Yields:
        A function that says what is done next.
    """
    stream = sys.__stderr__  # not what the script may have put in its place
    if stream is None or not is_open(stream) or not stream.isatty() or ranks() > 1:
        yield lambda _: None
        return
    line = _ProgressLine(stream, doing)
    timer = Timer(SLOW, line.show)
    timer.daemon = True
    timer.start()
    try:
        yield line.say
    finally:
        timer.cancel()
        timer.join()
        line.erase()


_COLUMNS = 80
"""The width of a terminal that does not say it."""


class _ProgressLine:
    def __init__(self, stream: TextIO, doing: Text | None) -> None:
        self._stream, self._doing, self._lock = stream, doing, Lock()
        self._width = 0
        self._is_shown = False

    def say(self, doing: Text) -> None:
        with self._lock:
            self._doing = doing
            if self._is_shown:
                self._write(f"{doing} ...")

    def show(self) -> None:
        with self._lock:
            self._is_shown = True
            if self._doing is not None:
                self._write(f"{self._doing} ...")

    def erase(self) -> None:
        with self._lock:
            if self._width:
                self._write("")

    def _columns(self) -> int:
        with suppress(OSError, ValueError):
            return os.get_terminal_size(self._stream.fileno()).columns or _COLUMNS
        return _COLUMNS

    def _write(self, text: str) -> None:
        width = self._columns() - 1
        while columns(text) > width:
            text = text[:-1]
        blank = " " * self._width
        self._width = columns(text)
        with suppress(OSError, ValueError):
            self._stream.write(f"\r{blank}\r{text}")
            self._stream.flush()


def chosen_format(options: argparse.Namespace) -> str:
    """Returns the one of `FORMATS` that the options request.

    Raises:
        CannotError: if the suffix of the output tells no format, or another one; or if `--predict` is given for a format without
            questions.
    """
    form = str(options.format or _form_of(options.output, _OR_CHOOSE))
    given = options.output
    if given is not None and told_by(given) not in (form, "") and told_by(given) in FORMATS:
        raise CannotError(_OTHER_FORMAT.format(visible(str(given)), form))
    if options.predict and form != _ASKS:
        raise CannotError(_CANNOT_ASK.format(form))
    return form


def _form_of(path: Path | None, otherwise: Text | None = None) -> str:
    """The format of a file by its suffix; without a suffix, as with -, a page. `otherwise` is what else can be done about a suffix of no format."""
    form = told_by(path) if path is not None else ""
    if form and form not in FORMATS:
        said = _NO_FORMAT.format(visible(str(path)), listed(FORMATS))
        raise CannotError(said if otherwise is None else said + otherwise)
    return form or _ASKS


def told_by(path: Path) -> str:
    """Returns the format that the suffix of a file tells."""
    suffix = path.suffix[1:].lower()
    return {"htm": "html", "markdown": "md"}.get(suffix, suffix)
