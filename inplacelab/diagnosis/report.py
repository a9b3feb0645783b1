"""Says which line kept what backward needed, which lines overwrote it, and which line needed it.

model.py
9 | h = torch.sigmoid(self.a(x))
|     ^^^^^^^^^^^^^^^^^^^^^^^^ kept: `SigmoidBackward0` keeps its result (float32 [4, 3]) at version 0
11 | row.mul_(2)
| ~~~~~~~~~~~ overwritten by `mul_` through `row`, a view of `h` (`h[:, :2]`, line 10): version 0 → 1
train.py
17 | loss.backward()
| ^^^^^^^^^^^^^^^ needed here: it finds version 1
"""

from __future__ import annotations

import linecache
import os
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import groupby

from inplacelab.diagnosis.findings import COLON, Finding, Paint, plain
from inplacelab.diagnosis.trials import Tried, text_of
from inplacelab.language import Text
from inplacelab.recording.facts import AliasFacts
from inplacelab.recording.fixes import block, diff_of, with_copies
from inplacelab.recording.fixes.spots import Spot, changed
from inplacelab.recording.sentences import aliases
from inplacelab.recording.sentences.failures import Mark, marks, reasons, remarks
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.stacks import file_key, shown_file
from inplacelab.supported import framework_named

_WHY = Text("Why: {0}", "原因：{0}")
_OR = Text("Or:", "也可能是：")
_NO_EDIT = Text("No known edit fits these lines.", "没有适合这些行的改法。")
_NONE_WORKS = Text("{0} edits were tried, and none works.", "试过 {0} 种改法，都不行。")
_ONLY_CELLS = Text(
    "`%explain --try` edits cells only, and the line is in another file: {0}, line {1}: `{2}`. To have that file edited, save the cells as a "
    "script in the folder from which it is imported, and run `inplacelab explain --try script.py`.",
    "`%explain --try` 只修改单元格，而这一行在另一个文件中：{0} 第 {1} 行的 `{2}`。要修改该文件，请把单元格存为脚本，"
    "放在导入该文件时所在的文件夹中，再运行 `inplacelab explain --try script.py`。",
)
_NOT_TRIED = Text("No fix was tried: {0}.", "没有尝试改法：{0}。")
_WRITTEN = Text("Written.", "已写入文件。")
_CHANGED = Text(
    "{0} has changed since this was tried, so it was not written.", "{0} 在试验之后被修改过，因此没有写入。"
)
_MORE = Text("({0} more of this kind.)", "（另有 {0} 处同类情况。）")
_NOTHING = Text("", "")
_UNKNOWN = Text("(its text is not known)", "（内容未知）")


def report(found: Finding, *, advice: bool = True, paint: Paint = plain) -> str:
    """Returns what is known of a failure, as lines of text in the current language.

    Args:
        found: what is known.
        advice: whether to say what may be done, if no fix was tried.
        paint: colors the text.
    """
    of_values = groupby(marks(found.facts), key=lambda each: each.number)
    said = found.says + COLON if found.why is None or found.says is not found.why else _WHY.format(found.why)
    lines = [str(closed_up(said)), ""]
    beside = [tuple(f"  {each}" for each in map(closed_up, remarks(value))) for value in found.facts.values] or [()]
    blocks = dict.fromkeys((*_lines([*some], paint), *beside[number]) for number, some in of_values)
    for count, each in enumerate(blocks):
        lines += [*([str(_OR), ""] if count else []), *each, ""]
    lines += [str(closed_up(each)) for each in (*reasons(found.facts), *found.facts.remarks)]
    if advice or (found.fixes and found.fixes[0].checked):
        lines.append(report_of_advice(found))
    return "\n".join(lines).rstrip("\n")


def report_of_advice(found: Finding) -> str:
    """Returns what may be done; nothing if that is not known."""
    said = block(found.fixes) if found.fixes else [found.advice] if found.advice else []
    return "\n".join(str(closed_up(each)) for each in said)


MOST = 5
"""So many reports of wrong gradients are shown."""


def reports_of_wrong(found: Sequence[Finding], *, untried: bool = True, paint: Paint = plain) -> list[str]:
    """Returns what is known of gradients that are wrong without an error, with an empty line before each."""
    said = [f"\n{report(each, advice=untried, paint=paint)}" for each in found[:MOST]]
    return [*said, f"\n{_MORE.format(len(found) - MOST)}"] if len(found) > MOST else said


def _lines(some: Sequence[Mark], paint: Paint) -> Iterator[str]:
    """Yields the marked lines of a value, those of one file below its name."""
    shown = [each for each in some if each.role != "made"]  # that is said where it was written through
    for _, of_file in groupby(shown, key=lambda each: file_key(each.at.file)):
        lines = [*of_file]
        filename = lines[0].at.file
        if filename:
            yield f"  {paint(shown_file(filename), 'file')}"
        yield from quoted(lines, indent="    " if filename else "  ", paint=paint)


def report_of_aliases(found: Sequence[AliasFacts], *, paint: Paint = plain) -> str:
    """Returns which values were read under one name after they were written under another, with the lines."""
    lines = [str(closed_up(aliases.headline(len(found))))]
    for each in found:
        lines += ["", *_lines(aliases.marks(each), paint), str(closed_up(aliases.advice(each)))]
    return "\n".join(lines)


def report_of_trials(tried: Tried, framework: str, elsewhere: Spot | None = None, *, paint: Paint = plain) -> str:
    """Returns which fixes work, with their diffs.

    Args:
        tried: what came out of the trials.
        framework: the framework of the program.
        elsewhere: where cells lead to the line that would have to change, if that is in a file, which was not edited.
        paint: colors the text.
    """
    if tried.fixes:
        said = (str(closed_up(each)) for each in block(tried.fixes))
        diffs = (painted_diff(diff_of(changed(each.edits, text_of), os.path.relpath), paint) for each in tried.fixes)
        return "\n".join([*said, *(f"\n{each}" for each in diffs)])
    none = none_works(tried.count)
    if elsewhere is not None:
        line = linecache.getline(elsewhere.filename, elsewhere.line).strip()
        none = _ONLY_CELLS.format(shown_file(elsewhere.filename), elsewhere.line, line)
    known = framework_named(framework)
    if tried.why is not None:
        return "\n".join(map(str, map(closed_up, [none, tried.why])))
    if known is None or not known.copying or not tried.copies:
        return str(none)
    return "\n".join(map(str, map(closed_up, [none, *block([with_copies(known.copying, tried.copies)])])))


def none_works(count: int) -> Text:
    """Returns that none of so many edits works."""
    return (_NONE_WORKS if count else _NO_EDIT).format(count)


def not_tried(why: Text) -> Text:
    """Returns why no fix was tried."""
    return _NOT_TRIED.format(why)


def report_not_tried(why: Text) -> str:
    """Returns the same as text."""
    return str(closed_up(not_tried(why)))


def report_written() -> str:
    """Returns that a fix was written."""
    return str(_WRITTEN)


def report_changed(file: str) -> str:
    """Returns that nothing was written, as a file has another text now."""
    return str(_CHANGED.format(shown_file(file)))


# ---- lines of the program, underlined, in color on a terminal -------------------------------------------------------------

_SIGNS = {"overwritten": "~", "released": "~", "wrong": "~"}
"""The characters that underline; all others are `^`."""


def quoted(lines: Sequence[Mark], *, indent: str = "  ", paint: Paint = plain) -> Iterator[str]:
    """Yields each line with its remarks below; consecutive remarks about one line share it."""
    gutter = max((len(str(each.line)) for each in lines), default=0)
    shown = None
    for each, following in zip(lines, [*lines[1:], None], strict=True):
        text = each.at.text.rstrip()
        if each.line != shown:
            yield f"{indent}{each.line:>{gutter}} | {text or _UNKNOWN}"
            shown = each.line
        left, right = each.at.span or (len(text) - len(text.lstrip()), len(text))
        blank, sign = " " * _width(text[:left]), _SIGNS.get(each.role, "^") * max(_width(text[left:right]), 1)
        said = f"{sign} {closed_up(each.says)}" if text else str(closed_up(each.says))
        yield f"{indent}{'':>{gutter}} | {blank}{paint(said, each.role)}"
        repeated = following is not None and (following.line, following.calls) == (each.line, each.calls)
        if each.calls != _NOTHING and not repeated:
            yield f"{indent}{'':>{gutter}} | {blank}{closed_up(each.calls)}"


def painted_diff(diff: str, paint: Paint) -> str:
    """Returns a diff with its lines in the colors of what they do."""
    return "\n".join(paint(line, _in_diff(line)) if _in_diff(line) else line for line in diff.split("\n"))


def _in_diff(line: str) -> str:
    if line.startswith(("--- ", "+++ ")):
        return "file"
    return {"+": "added", "-": "removed"}.get(line[:1], "")


def _width(text: str) -> int:
    """Returns the columns of a terminal that a text takes."""
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text.expandtabs(4))
