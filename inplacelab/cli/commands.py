"""The commands that write a recording: `record` and `show`, `compare` and `share`."""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from inplacelab.cli import output
from inplacelab.cli.arguments import CannotError, Named, Parser, positive
from inplacelab.cli.script import INTERRUPTED, Ran, main_of, parsed_script, running
from inplacelab.diagnosis.findings import paint_for
from inplacelab.installing import NAME
from inplacelab.language import Text, enumerated
from inplacelab.recorders.detection import Use, framework_of_script, is_installed, not_installed
from inplacelab.recorders.main_module import Main
from inplacelab.recorders.part import LIMIT, Part, PartError
from inplacelab.recording.file_text import visible
from inplacelab.supported import frameworks

if TYPE_CHECKING:
    from inplacelab.recording.recording import Recording

# ---- record --------------------------------------------------------------------------------------------------------

_RECORD_SAYS = {
    "script": Text("the Python program to run", "要运行的 Python 程序"),
    "title": Text(
        "the title of the page or picture (default: the script's name)", "网页或图片的标题（默认：脚本的文件名）"
    ),
    "framework": Text(
        "the framework of the script (default: detected from its imports): {0}",
        "脚本使用的框架（默认：根据它的导入判断）：{0}",
    ),
    "limit": Text(
        "how many steps to keep at most (default: {0}); then the recording ends, and the program goes on unrecorded, at its own speed",
        "最多保留的步数（默认：{0}）；达到后记录结束，程序不再被记录，以原本的速度继续运行",
    ),
    "from_step": Text(
        "begin to record at the N-th step; until then a step is a statement that begins in the program's own files: in a loop each time again, "
        "without imports and definitions",
        "从第 N 步开始记录；在此之前，程序自身文件中每开始执行一条语句算一步：循环中每次都算，导入和定义不算",
    ),
    "from": Text(
        "begin to record when a Python expression is true, such as 'epoch == 3': it is evaluated before each statement with the names there, and "
        "is not true while one of them is not bound; it is your code, and a call in it really runs",
        "从 Python 表达式成立时开始记录，例如 'epoch == 3'：每条语句之前用当时的名字求值，其中的名字尚未绑定时视为不成立；它是你的代码，其中的调用会真的执行",
    ),
    "stop_after": Text(
        "end the program when N steps are recorded, counted from where the recording begins, and keep them all; `finally` blocks run, and the exit "
        "status is 0",
        "记录 N 步之后结束程序，从开始记录之处数起，这些步全部保留；`finally` 块会运行，退出状态为 0",
    ),
}
_QUOTES = Text(
    "--from takes one word, and {0!r} follows it: write the whole condition in quotes, such as --from 'epoch == 3'",
    "--from 只取一个词，而后面还有 {0!r}：请把整个条件放在引号中，例如 --from 'epoch == 3'",
)
_OPERATORS = frozenset(
    [
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "=",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "&",
        "|",
        "^",
        "is",
        "in",
        "not",
        "and",
        "or",
        "if",
    ]
)
_ITSELF = Text("the output is the script itself: {0}", "输出文件就是脚本本身：{0}")


def add_record(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(script=_RECORD_SAYS["script"])
    output.add_to(parser)
    add_running_to(parser)


def add_running_to(parser: Parser) -> None:
    """Declares the options of every command that runs a script and records it."""
    parser.option("--title", says=_RECORD_SAYS["title"])
    parser.option("--from-step", says=_RECORD_SAYS["from_step"], type=positive, metavar="N")
    parser.option("--from", says=_RECORD_SAYS["from"], dest="condition", metavar="EXPRESSION")
    parser.option("--limit", says=_RECORD_SAYS["limit"].format(LIMIT), type=positive, metavar="N")
    parser.option("--stop-after", says=_RECORD_SAYS["stop_after"], type=positive, metavar="N")
    parser.option("--framework", says=framework_help(), choices=tuple(frameworks()), metavar="FRAMEWORK")


def part_of(options: argparse.Namespace, program: Named) -> Part:
    """Returns which part of the program the options ask for.

    Raises:
        CannotError: if they contradict each other, or the condition is none.
    """
    if options.condition is not None:
        for word in (program.word, *options.arguments[:1]):  # the shell has split the condition
            if word in _OPERATORS:
                raise CannotError(_QUOTES.format(word))
    try:
        return Part.of(options.from_step, options.condition, options.limit, options.stop_after)
    except PartError as error:
        raise CannotError(error.why) from None


def framework_help() -> Text:
    """Returns the help for `--framework`."""
    return _RECORD_SAYS["framework"].format(enumerated(frameworks()))


def record(options: argparse.Namespace) -> int:
    """Runs the command. Returns the script's exit status; 1 if it raised an exception."""
    check_not_itself(options.output, Path(options.script.word))
    to = output.destination(options, options.script.stem)  # raises before anything runs, if that cannot be written
    check_framework(options)
    part = part_of(options, options.script)
    main = main_of(options.script, options.arguments)
    check_not_itself(to.path, main.path)
    use = use_of(options) or framework_of_script(main, parsed_script(main.path)[1])
    known = frameworks()[use.framework]
    # What `explain` watches is compared only if that is asked for.
    judged = JUDGED if known.on_engine and not known.watch else 0
    with running(main, options.arguments, title=options.title, part=part, use=use, judged=judged) as ran:
        status = report(ran.raised, ran.recording, str(main.path)) or ran.stopped
        check_begun(ran, status)
        if ran.recording is not None:
            output.write(ran.recording, to, ended_at=ran.ended_at)
            if judged:
                _say_wrong(ran, main)
        return status


def _say_wrong(ran: Ran, main: Main) -> None:
    """Says which gradients of a recorded program are wrong."""
    from inplacelab.diagnosis.recorded_failures import unnoticed  # noqa: PLC0415  # it is long, and most programs are not compared
    from inplacelab.diagnosis.report import reports_of_wrong  # noqa: PLC0415

    assert ran.recording is not None
    wrong = unnoticed(ran.recording, str(main.path), ran.judgment)
    for each in reports_of_wrong(wrong, paint=paint_for(sys.stderr)):
        output.say(each, sys.stderr)


JUDGED = 3
"""So many seconds may be spent on comparing the gradients of a program that is recorded."""


def check_begun(ran: Ran, status: int) -> None:
    """Checks that the recording of a program has begun.

    Raises:
        CannotError: if it has not. The exit status is the program's, or 1 if that is 0.
    """
    if ran.missed is not None:
        raise CannotError(ran.missed, status=status or 1)


def check_not_itself(given: Path | None, script: Path) -> None:
    """Checks that the output is not the script.

    Raises:
        CannotError: if it is.
    """
    if given is not None and given.resolve() == script.resolve():
        raise CannotError(_ITSELF.format(script))


def check_framework(options: argparse.Namespace) -> None:
    """Checks that the framework is installed.

    Raises:
        CannotError: if it is not.
    """
    if options.framework and not is_installed(options.framework):
        raise CannotError(not_installed(options.framework))


def use_of(options: argparse.Namespace) -> Use | None:
    """Returns the framework that the options name, if they name one."""
    return Use(options.framework) if options.framework else None


def report(
    raised: BaseException | None, recording: Recording | None, filename: str = "", *, untried: bool = True
) -> int:
    """Prints how the script ended, as Python does; a refusal with the lines that led to it. Returns Python's exit status."""
    if raised is None:
        return 0
    if issubclass(type(raised), SystemExit):  # not `isinstance`, which asks the object
        code = cast("SystemExit", raised).code
        if code is None or isinstance(code, int):
            return code or 0
        with suppress(Exception):  # `__str__` of what the script leaves with
            output.say(code, sys.stderr)
        return 1
    if type(raised) is TypeError and raised.__traceback__ is not None:
        from inplacelab.diagnosis.unknown_keyword import add_note_on_keyword  # noqa: PLC0415

        add_note_on_keyword(raised, raised.__traceback__)
    explained = None
    if recording is not None:
        from inplacelab.diagnosis.recorded_failures import error_report  # noqa: PLC0415

        explained = error_report(raised, recording, filename, paint_for(sys.stderr), untried=untried)
    output.say(explained or "".join(traceback.format_exception(raised)).removesuffix("\n"), sys.stderr)
    return INTERRUPTED if issubclass(type(raised), KeyboardInterrupt) else 1


# ---- show ----------------------------------------------------------------------------------------------------------

_RECORDING = Text("a recording, as `record --format json` writes it", "由 `record --format json` 写出的记录")
_CANNOT_READ = Text("cannot read {0}: {1}", "无法读取 {0}：{1}")
_PROGRAM = Text(
    "{0} is a program, not a recording; to record it: inplacelab record {1}",
    "{0} 是程序，不是记录；要记录它：inplacelab record {1}",
)
_AGAIN = Text(" Record the program again: `record --format json`.", "请重新记录程序：`record --format json`。")


def add_show(parser: Parser) -> None:
    """Declares the command's options."""
    parser.option("recording", says=_RECORDING, type=Path)
    output.add_to(parser)


def show(options: argparse.Namespace) -> int:
    """Runs the command. Returns the exit status."""
    to = output.destination(options, options.recording.stem)
    output.write(_loaded(options.recording), to)
    return 0


def _loaded(path: Path) -> Recording:
    """Reads a recording from a file.

    Raises:
        CannotError: if that cannot be read, or is no recording.
    """
    if path.suffix == ".py":
        raise CannotError(_PROGRAM.format(visible(str(path)), shlex.quote(visible(str(path)))))
    from inplacelab.recording import codec  # noqa: PLC0415  # only to read one

    try:
        return codec.load(path)
    except OSError as error:
        raise CannotError(_CANNOT_READ.format(visible(str(path)), error.strerror)) from None
    except codec.RecordingFormatError as error:
        said = _CANNOT_READ.format(visible(str(path)), error.explanation) + _AGAIN
        raise CannotError(said, status=1) from None


# ---- compare -------------------------------------------------------------------------------------------------------

_COMPARE_SAYS = {
    "left": Text("a Python program", "一个 Python 程序"),
    "right": Text("the program to compare it with", "与之比较的程序"),
    "output": Text(
        "also write both side by side: a page that steps through them (.html), a picture (.svg, .png), an animation (.gif), Markdown (.md) or text (.txt)",
        "另外写出并排的对比：可逐步查看的网页（.html）、图片（.svg、.png）、动图（.gif）、Markdown（.md）或纯文本（.txt）",
    ),
}
_NO_COMPARE_FORMAT = Text(
    "compare cannot write a file with the suffix of {0}; it writes {1}", "{0} 的后缀不是 compare 能写出的格式：{1}"
)
_ONE_PROCESS = Text(
    "compare runs each program in one process, and here are {0} ranks: run it without the launcher",
    "compare 只用一个进程运行每个程序，而这里有 {0} 个进程：请不经启动器运行",
)
_NOT_RECORDED = Text("{0} was not recorded:\n{1}", "{0} 没有得到记录：\n{1}")


def add_compare(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(left=_COMPARE_SAYS["left"], right=_COMPARE_SAYS["right"])
    parser.option("-o", "--output", says=_COMPARE_SAYS["output"], metavar="FILE", type=Path)
    output.add_language_to(parser)


def compare(options: argparse.Namespace) -> int:
    """Runs the command. Returns the exit status: 0 also if a script raises, which is a result like any other."""
    if (world := output.ranks()) > 1:
        raise CannotError(_ONE_PROCESS.format(world))
    to = _compare_destination(options) if options.output is not None else None
    scripts = (options.left, options.right)
    for script in scripts:
        if not script.is_module:
            parsed_script(Path(script.word))  # raises before either runs
    left, right = (_recorded(script, options.arguments) for script in scripts)
    from inplacelab.recording.compare import report as comparison  # noqa: PLC0415
    from inplacelab.recording.compare.alignment import align  # noqa: PLC0415

    output.say("\n".join(comparison(align(left, right))), sys.stdout)
    if to is not None:
        with output.progress(output.DRAWING.format(visible(str(to.given)))):
            content = _DRAW_COMPARISON(left, right, form=to.form, language=options.lang)
        output.write_and_say(content, to)
    return 0


_COMPARE_FORMATS = ("html", "svg", "png", "gif", "md", "txt")
_DRAW_COMPARISON = output.drawing("drawn", "inplacelab_widgets.side_by_side.exports")


def _compare_destination(options: argparse.Namespace) -> output.Destination:
    """Where the comparison is written.

    Raises:
        CannotError: if that is impossible, or something is not installed; neither script has run then.
    """
    given: Path = options.output
    form = output.told_by(given)
    if form not in _COMPARE_FORMATS:
        raise CannotError(
            _NO_COMPARE_FORMAT.format(visible(str(given)), ", ".join(f".{each}" for each in _COMPARE_FORMATS))
        )
    if form in ("png", "gif"):
        output.check_drawable(animated=form == "gif")
    to = output.destination_of(form, given)
    for script in (options.left, options.right):
        check_not_itself(to.path, Path(script.word))
    return to


def _recorded(script: Named, arguments: list[str]) -> Recording:
    """Records a script in a process of its own, so that neither finds modules or settings of the other."""
    from inplacelab.recording import codec  # noqa: PLC0415

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


# ---- share ---------------------------------------------------------------------------------------------------------

_SHARE_SAYS = {
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
    draw: output.Drawing
    shows_step: bool


_KINDS = {
    "card": _Kind((".png",), output.drawing("to_card"), True),
    "gif": _Kind((".gif",), output.drawing("to_gif"), False),
    "html": _Kind((".html", ".htm"), output.drawing("to_html"), False),
    "markdown": _Kind((".md", ".markdown"), output.drawing("to_markdown"), True),
}


class _Wanted(NamedTuple):
    """What is written, and where."""

    name: str
    to: output.Destination


def add_share(parser: Parser) -> None:
    """Declares the command's options."""
    parser.programs(program=_SHARE_SAYS["program"])
    parser.option(
        "-o",
        "--output",
        says=_SHARE_SAYS["output"],
        action="append",
        default=[],
        type=Path,
        dest="outputs",
        metavar="FILE",
    )
    parser.option("--step", says=_SHARE_SAYS["step"], type=positive, metavar="N")
    parser.option("--card", says=_SHARE_SAYS["card"], type=Path, metavar="PNG")
    parser.option("--gif", says=_SHARE_SAYS["gif"], type=Path, metavar="GIF")
    parser.option("--seconds", says=_SHARE_SAYS["seconds"], type=_seconds, metavar="S")
    parser.option("--html", says=_SHARE_SAYS["html"], type=Path, metavar="PAGE")
    parser.option("--markdown", says=_SHARE_SAYS["markdown"], action="store_true")
    output.add_language_to(parser)
    add_running_to(parser)


def share(options: argparse.Namespace) -> int:
    """Runs the command. Returns the script's exit status; 1 if it raised an exception."""
    wanted = _wanted(options)  # raises before the script runs, if nothing can be written there
    if not options.program.is_module and Path(options.program.word).suffix.lower() == ".json":  # a recording
        if options.arguments:
            raise CannotError(_NO_ARGUMENTS.format(options.program, " ".join(options.arguments)))
        _write_shared(_loaded(Path(options.program.word)), options, wanted)
        return 0
    check_framework(options)
    part = part_of(options, options.program)
    with _printing_elsewhere(wanted):
        main = main_of(options.program, options.arguments)
        for each in wanted:
            check_not_itself(each.to.path, main.path)
        with running(main, options.arguments, title=options.title, part=part, use=use_of(options)) as ran:
            status = report(ran.raised, ran.recording) or ran.stopped
            check_begun(ran, status)
            if ran.recording is not None:
                _write_shared(ran.recording, options, wanted, ran.ended_at)
            return status


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
    wanted = [_Wanted(name, _share_destination(name, path, options.program)) for name, path in given]
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


def _share_destination(name: str, given: Path, program: Named) -> output.Destination:
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


def _write_shared(
    recording: Recording, options: argparse.Namespace, wanted: list[_Wanted], ended_at: int | None = None
) -> None:
    if options.step is not None and options.step > len(recording) > 0:
        raise CannotError(_NO_STEP.format(options.step, len(recording)), status=1)
    step = None if options.step is None else options.step - 1
    for name, to in wanted:
        output.write(recording, to, _draw(name, step, options), ended_at=ended_at)
        if name == "html":
            number = (_key_step(recording) if step is None else step) + 1
            output.say(_LINK.format(f"{visible(str(to.given))}#step={number}"), to.err)


def _draw(name: str, step: int | None, options: argparse.Namespace) -> Callable[[Recording], str | bytes]:
    more: dict[str, Any] = {"step": step} if _KINDS[name].shows_step else {}
    if name == "gif" and options.seconds is not None:
        more["seconds"] = options.seconds
    return lambda recording: _KINDS[name].draw(recording, **more)


def _key_step(recording: Recording) -> int:
    from inplacelab_widgets.scene import key_step  # noqa: PLC0415  # only what is drawn needs the package

    return key_step(recording)
