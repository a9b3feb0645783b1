"""Fits words into a given width.

Python cannot measure fonts, so pictures reserve what the widest common ones need: 0.62 em for a Latin character of the monospace font of names and
numbers, 1 em for a Chinese one, and for sentences the widths of DejaVu Sans Bold.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from inplacelab.language import LANGUAGES, Text
from inplacelab.recording.facts import Number
from inplacelab.recording.numerals import in_exponents, number

Words = str | Text
"""The words of a mark: the same in every language, or a pair."""

# --- widths -----------------------------------------------------------------------------------------------------------

Measure = Callable[[str, float], float]
"""Gives the width of a line at a font size, in px."""

LATIN_EM = 0.62
CJK_EM = 1.0

SMALL = 11.0
"""The font size of details, in px."""
NORMAL = 12.0
"""The font size of values and headings, in px."""


@lru_cache(maxsize=1 << 14)
def character_em(character: str) -> float:
    """Returns the width that one character needs, in em."""
    if unicodedata.combining(character):
        return 0.0
    return CJK_EM if unicodedata.east_asian_width(character) in "WF" else LATIN_EM


@lru_cache(maxsize=1 << 16)
def width_of(words: Words | None, size: float = SMALL) -> float:
    """Returns the width that `words` need at font size `size`, in px: that of the longer language.

    >>> width_of("slot", 10)
    24.8
    """
    if words is None:
        return 0.0
    texts = [words.in_language(language) for language in LANGUAGES] if isinstance(words, Text) else [words]
    return max(_width(line, size) for line in texts)


def _width(line: str, size: float) -> float:
    return round((len(line) * LATIN_EM if line.isascii() else sum(map(character_em, line))) * size, 2)


_PROSE = (
    *(35, 46, 52, 84, 70, 100, 87, 31, 46, 46, 52, 84, 38, 42, 38, 37, *[70] * 10, 40, 40, 84, 84, 84, 58, 100),
    *(77, 76, 73, 83, 68, 68, 82, 84, 37, 37, 77, 64, 100, 84, 85, 73, 85, 77, 72, 68, 81, 77, 110, 77, 72, 73),
    *(46, 37, 46, 84, 50, 50),
    *(67, 72, 59, 72, 68, 44, 72, 71, 34, 34, 67, 34, 104, 71, 69, 72, 72, 49, 60, 48, 71, 65, 92, 65, 65, 58),
    *(71, 37, 71, 84),
)
"""The widths of the ASCII characters from the blank on, in hundredths of an em."""


def prose_width(line: str, size: float) -> float:
    """Returns the width that a line of a sentence needs, in px. What is between backticks is code, and the backticks are not drawn.

    >>> prose_width("m and t", 10), prose_width("`m` and `t`", 10)
    (43.2, 40.4)
    """
    parts = line.split("`")
    prose = (_PROSE[ord(each) - 32] / 100 if " " <= each <= "~" else character_em(each) for each in "".join(parts[::2]))
    return round(sum(prose) * size + _width("".join(parts[1::2]), size), 2)


def prose_width_of(words: Text, size: float = SMALL) -> float:
    """Returns the width that `words` need in the font of sentences, in px: that of the longer language."""
    return max(prose_width(words.in_language(language), size) for language in LANGUAGES)


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """Returns the largest number up to `limit` that fits, in few trials: if one fits, so do all smaller ones. 0 if none does."""
    found, end = 0, limit
    while found < end:
        middle = (found + end) // 2
        if fits(middle + 1):
            found = middle + 1
        else:
            end = middle
    return found


def widest(many: Iterable[Words | None], size: float = SMALL) -> float:
    """Returns the width that the widest of `many` needs, in px."""
    return max((width_of(words, size) for words in many), default=0.0)


def shortened(line: str, room: float, size: float = SMALL, measure: Measure = _width) -> str:
    """Returns `line` cut to fit into `room` px, with an ellipsis where it was cut."""
    if measure(line, size) <= room:
        return line
    return line[: _most(len(line), lambda kept: measure(line[:kept] + "…", size) <= room)] + "…"


def abridged(line: str, room: float, size: float = SMALL, *, end: int = 3) -> str:
    """Returns `line` cut in its middle to fit into `room` px, since names often differ at their ends. One part in `end` remains of its end.

    >>> abridged("hidden_state_12", 60, 10), abridged("model.2.bias.grad", 80, 10, end=2)
    ('hidden…12', 'model.….grad')
    """
    if width_of(line, size) <= room:
        return line

    def cut(kept: int) -> str:
        tail = kept // end
        return line[: kept - tail] + "…" + line[len(line) - tail :]

    return cut(_most(len(line) - 1, lambda kept: _width(cut(kept), size) <= room))


STATE = re.compile(r"(.+)\.state\[(.+)\]\['(.+)'\]")
"""The name of what an optimizer remembers of a parameter: `opt.state[net.0.weight]['exp_avg']`."""


def short_name(name: str, room: float, size: float = SMALL) -> str:
    """Returns the name of a tensor cut to fit into `room` px: names in one program often begin alike, so its path is cut first, then its middle.

    >>> short_name("model.3.attn.c_attn.weight", 130, 10), short_name("hidden_state_12", 60, 10)
    ('…attn.c_attn.weight', 'hidden…12')
    >>> short_name("opt.state[net.0.weight]['exp_avg']", 120, 10)
    '…0.weight exp_avg'
    """
    if width_of(name, size) <= room:
        return name
    if state := STATE.fullmatch(name):
        return short_name(f"{state[2]} {state[3].removesuffix('_buffer')}", room, size)
    parts = name.split(".")
    tails = ("…" + ".".join(parts[k:]) for k in range(1, len(parts)))
    return next((tail for tail in tails if _width(tail, size) <= room), "") or abridged(name, room, size)


def wrapped(line: str, room: float, size: float = NORMAL, measure: Measure = _width) -> list[str]:
    """Returns `line` broken into pieces no wider than `room` px, at spaces or between Chinese characters. As in Chinese books, no
    piece ends with an opening bracket or begins with a comma. What stands beside an arrow stays there: "0 → 1" is not broken.

    >>> wrapped("内核（模拟）", 30, 10), wrapped("读写，完成", 20, 10)
    (['内核', '（模', '拟）'], ['读', '写，', '完成'])
    >>> wrapped("version 0 → 1 of S0", 65, 10)
    ['version', '0 → 1 of', 'S0']
    >>> wrapped("", 30)
    ['']
    """
    pieces, piece = [], ""
    for word in _words(line):
        if piece and measure((piece + word).rstrip(), size) > room:
            pieces.append(piece.rstrip())
            piece = ""
        rest = word
        while measure(rest, size) > room:  # longer than a line
            window = int(room / (size * LATIN_EM)) + 2  # a piece has no more characters, unless some have no width
            head = shortened(rest[:window], room, size, measure)[:-1] or rest[0]
            pieces.append(head)
            rest = rest[len(head) :]
        piece += rest
    return [*pieces, piece.rstrip()] if piece.strip() or not pieces else pieces


_ARROW = "→ "
_OPENING, _CLOSING = "（《“「", "，。；：、！？）》”」"


def _words(line: str) -> list[str]:
    words, word = [], ""
    for place, (character, following) in enumerate(pairwise([*line, " "]), 1):
        word += character
        breaks = character == " " or (character_em(character) == CJK_EM and character not in _OPENING)
        if breaks and following not in _CLOSING and _ARROW not in (word[-2:], line[place : place + 2]):
            words.append(word)
            word = ""
    return [*words, word] if word else words


def numbers(values: Sequence[Number], room: float, size: float = SMALL) -> str:
    """Returns as many of `values` as fit into `room` px, in square brackets."""
    exponent = in_exponents(values)
    texts = [number(value, exponent=exponent) for value in values]

    def line(kept: int) -> str:
        return "[" + ", ".join(texts[:kept] + (["…"] if kept < len(texts) else [])) + "]"

    return line(_most(len(texts), lambda kept: _width(line(kept), size) <= room))


def size_in_bytes(count: int) -> str:
    """Returns a number of bytes in the largest unit that keeps it readable.

    >>> size_in_bytes(32), size_in_bytes(4096), size_in_bytes(134217728)
    ('32 B', '4 KiB', '128 MiB')
    """
    size = float(count)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} GiB"


@lru_cache(maxsize=8192)
def coordinate(value: float) -> str:
    """Returns a coordinate with at most one decimal, the same on every machine.

    >>> coordinate(3.0), coordinate(3.25), coordinate(-0.01)
    ('3', '3.2', '0')
    """
    digits = f"{round(value, 1):.1f}".rstrip("0").rstrip(".")
    return "0" if digits == "-0" else digits


def boxes(places: Iterable[tuple[float, float]], width: float, height: float, *, inset: float = 0) -> str:
    """Returns a path of boxes of one size, given by their top left corners; with an inset, each has a second border inside."""
    one = f"h{coordinate(width)}v{coordinate(height)}h-{coordinate(width)}z"
    wide, high = coordinate(width - 2 * inset), coordinate(height - 2 * inset)
    inner = f"m{coordinate(inset)} {coordinate(inset)}h{wide}v{high}h-{wide}z" if inset else ""
    return "".join([f"M{coordinate(x)} {coordinate(y)}{one}{inner}" for x, y in places])
