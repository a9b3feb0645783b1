"""A Sphinx extension: what docstrings look like to Sphinx. Of a docstring in two languages, the language of the page is taken."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

CHINESE = re.compile(r"[\u4e00-\u9fff]")
HEADS = {"参数：": "Args:", "返回：": "Returns:", "异常：": "Raises:", "导数：": "Derivatives:"}
"""What Google's style, and so Napoleon, calls the sections of a Chinese docstring."""

_CODE = re.compile(r"`[^`]+`")
_NAMED = re.compile(r"^(\s+[\w*`、 ]+)：")
_EMPHASIS_OR_MARKUP = re.compile(r"(?P<emphasis>\*{1,2}\w[^*]*?\w\*{1,2})|[*|]|(?<=\w)_(?!\w)")


def in_language(lines: list[str], language: str) -> list[str]:
    """Returns the lines of a docstring that are in `language`: English first, then, where there is one, Chinese.

    >>> in_language(["A view.", "", "视图。", "", "参数：", "    x：张量。"], "zh")
    ['视图。', '', 'Args:', '    x: 张量。']
    >>> in_language(["A view.", "", "视图。"], "en")
    ['A view.', '']
    """
    split = next((k for k, line in enumerate(lines) if _begins_chinese(lines, k)), None)
    if split is None:
        return lines
    if language != "zh":
        return lines[:split]
    return [HEADS.get(line, _NAMED.sub(r"\1: ", line)) for line in lines[split:]]


def _begins_chinese(lines: list[str], k: int) -> bool:
    """Whether the Chinese half begins at line `k`: a paragraph at the margin, in Chinese, and no example."""
    line = lines[k]
    at_margin = bool(line) and not line[0].isspace() and (k == 0 or not lines[k - 1].strip())
    return at_margin and not line.startswith((">>>", "...")) and CHINESE.search(line) is not None


def escaped(line: str) -> str:
    r"""Returns a line of prose in which what reStructuredText would read as markup outside of `code` is text.

    >>> escaped("the form relu_ of `relu_`, with *args")
    'the form relu\\_ of `relu_`, with \\*args'
    """
    parts = line.split("`")
    parts[::2] = [
        _EMPHASIS_OR_MARKUP.sub(lambda found: found["emphasis"] or f"\\{found[0]}", part) for part in parts[::2]
    ]
    return "`".join(parts)


def with_code_apart(line: str) -> str:
    r"""Returns a line of Chinese with an empty separator around `code`, which reStructuredText asks for where there is no space.

    >>> with_code_apart("`x` 本身，`y`保存")
    '\\ `x`\\  本身，\\ `y`\\ 保存'
    """
    head, colon, rest = line.rpartition(": ") if line[:1].isspace() else ("", "", line)
    return head + colon + _CODE.sub(r"\\ \g<0>\\ ", rest)


def with_examples_apart(lines: list[str]) -> list[str]:
    """Returns lines with an empty one before each example, which ends a paragraph in reStructuredText."""
    apart: list[str] = []
    for is_example, group in groupby(lines, key=lambda line: line.lstrip().startswith((">>>", "..."))):
        if is_example and apart and apart[-1].strip() and not _inside_an_example(apart):
            apart.append("")
        apart += group
    return apart


def _inside_an_example(lines: list[str]) -> bool:
    for line in reversed(lines):
        if not line.strip():
            return False
        if line.lstrip().startswith(">>>"):
            return True
    return False


def prepare(app: Any, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:  # noqa: ARG001  # Sphinx's event
    """Changes the lines of a docstring in place, before Napoleon reads them."""
    language = "zh" if app.config.language.startswith("zh") else "en"
    chosen, example = [], False
    for line in with_examples_apart(in_language(list(lines), language)):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        words = line if example else escaped(line)
        chosen.append(with_code_apart(words) if not example and CHINESE.search(line) else words)
    # Napoleon sets the name before a colon in bold type, where backquotes would be shown.
    lines[:] = [re.sub(r"^(    (?:对 )?)(?:\\ )?`(\w+)`(?:\\ )?(?=: )", r"\1\2", line) for line in chosen]


def setup(app: Any) -> dict[str, bool]:
    """Registers the extension."""
    app.connect("autodoc-process-docstring", prepare, priority=100)  # Napoleon comes at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
