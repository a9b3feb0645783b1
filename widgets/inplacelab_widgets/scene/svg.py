"""Renders marks at one step as SVG text that needs no CSS, no script and no network, for still pictures.

Everything that a program wrote is escaped. SVG defaults and attributes of the root are not repeated, since a picture must
stay small in a notebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from xml.sax.saxutils import escape, quoteattr

from inplacelab.language import Text
from inplacelab_widgets.scene.marks import Group, Look, Mark, Panel, always, path, stack_of, text
from inplacelab_widgets.scene.measure import Words, coordinate
from inplacelab_widgets.scene.palette import FONT, ROLES, resolved

_ASSUMED = {
    "fill": resolved("text")["fill"],
    "stroke": "none",
    "stroke-width": "1",
    "stroke-dasharray": "none",
    "font-size": "11px",
    "fill-opacity": "1",
}


def document(size: tuple[float, float], parts: Iterable[str], title: str, content: str) -> str:
    """Returns a picture of this width and height on its own background, with a description for screen readers. It is light, or dark if
    the reader prefers that.
    """
    width, height = map(coordinate, size)
    place = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    inherited = f'fill="{_ASSUMED["fill"]}" font-family={quoteattr(FONT)} font-size="11px"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {place} role="img" {inherited}>\n'
        f"<title>{escape(title)}</title><desc>{escape(content)}</desc>\n<style>{_dark()}</style>\n"
        f'<rect width="100%" height="100%" fill="{resolved("paper")["fill"]}"/>\n{"".join(parts)}</svg>\n'
    )


@cache
def _dark() -> str:
    """CSS that gives each color of a light picture its dark counterpart, since colors are attributes of each mark."""
    rules = "".join(
        f'[{key}="{light}"]{{{key}:{dark}}}' for light, dark in ROLES.values() for key in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme:dark){{{rules}}}"


def panel_at(panel: Panel, step: int, language: str) -> str:
    """Returns the groups of a panel that are shown at `step`, at their places."""
    here = [group for group in panel.groups if group.first <= step <= group.last]
    drawn = "".join(placed(group_at(group, step, language), group.x, group.y) for group in here)
    return drawn + arrow_at(panel, step, {group.key: (group.x, group.y) for group in here})


def stack_at(panel: Panel, step: int, language: str) -> tuple[str, float]:
    """Returns the groups of a panel that are drawn at `step`, moved together, with the others' chips below; and their height."""
    places, height = stack_of(panel, step)
    drawn = "".join(placed(group_at(group, step, language), x, y) for group, x, y in places)
    chips = {id(chip) for chip in panel.shelf}
    in_full = {group.key: (x, y) for group, x, y in places if id(group) not in chips}
    # Under the groups, so that words that it crosses stay legible.
    return arrow_at(panel, step, in_full) + drawn, height


def arrow_at(panel: Panel, step: int, places: Mapping[str, tuple[float, float]]) -> str:
    """Returns the arrow from what a step read to where it copied it, if both groups have places."""
    copied = next((each for each in panel.copies if each.step == step), None)
    if copied is None or not {copied.source[0], copied.target[0]} <= places.keys():
        return ""
    (source, middle, top), (target, its_middle, its_top) = copied.source, copied.target
    (x, y), (its_x, its_y) = places[source], places[target]
    drawn = arrow((middle + x, top + y), (its_middle + its_x, its_top + its_y), max(x, its_x))
    return "".join(
        mark_at(path(d, always(Look(style))), 0, "en") for d, style in zip(drawn, ("copy", "copy-tip"), strict=True)
    )


LIFT = 5.5
"""The distance of an arrow from the slots, in px: between them and the words above."""


def arrow(source: tuple[float, float], target: tuple[float, float], left: float) -> tuple[str, str]:
    """Returns the line and the tip of an arrow between two runs of slots, each given by the middle of its top.

    It runs above the slots; between storages it passes to the left of the one that is further to the right. `arrowOf` of `player/arrow.js` does the same.
    """
    (x, y), (to, below) = source, target
    beside = "" if y == below else f"H{coordinate(left - 5)}V{coordinate(below - LIFT)}"
    line = (
        f"M{coordinate(x)} {coordinate(y - 1)}V{coordinate(y - LIFT)}{beside}H{coordinate(to)}V{coordinate(below - 4)}"
    )
    return line, f"M{coordinate(to)} {coordinate(below)}l-3.5 -5h7z"


def group_at(group: Group, step: int, language: str) -> str:
    """Returns the marks of a group as they look at `step`."""
    return "".join(mark_at(mark, step, language) for mark in group.marks_at(step))


def placed(drawn: str, x: float, y: float, scale: float = 1) -> str:
    """Returns SVG text moved to (x, y)."""
    if not drawn:
        return ""
    smaller = "" if scale == 1 else f" scale({scale:.3f})"
    return f'<g transform="translate({coordinate(x)} {coordinate(y)}){smaller}">{drawn}</g>\n'


def window(drawn: str, part: tuple[float, float, float, float], scale: float, y: float) -> str:
    """Returns the part (left, top, right, bottom) of SVG text, at this scale, `y` px from the top."""
    left, top, right, bottom = part
    wide, high = right - left, bottom - top
    size = f'width="{coordinate(wide * scale)}" height="{coordinate(high * scale)}"'
    seen = " ".join(map(coordinate, (left, top, wide, high)))
    return f'<svg y="{coordinate(y)}" {size} viewBox="{seen}">{drawn}</svg>\n'


def mark_at(mark: Mark, step: int, language: str) -> str:
    """Returns a mark as it looks at `step`; "" if it is not shown."""
    look = mark.at(step)
    if look is None or resolved(look.style).get("opacity") == "0":
        return ""
    drawn = f"<{mark.tag}{_attributes((*mark.place, *look.attributes))}{_styled(look.style)}"
    if mark.tag != "text":
        return f"{drawn}/>"
    content = _in_language(look.text, language)
    # Blanks in code must stay. Browsers do not inherit this attribute to text, so each text that needs it has it.
    blanks = ' xml:space="preserve"' if content.startswith(" ") or "  " in content else ""
    return f"{drawn}{blanks}>{escape(content)}</text>"


def text_at(x: float, y: float, style: str, content: Words, language: str) -> str:
    """Returns words whose baseline begins, or with the style "end" ends, at (x, y)."""
    return mark_at(text(x, y, always(Look(style, content))), 0, language)


def rule(y: float, width: float) -> str:
    """Returns a hairline across the picture."""
    return f'<path d="M0 {coordinate(y)}H{coordinate(width)}" fill="none" stroke="{resolved("grid")["stroke"]}"/>\n'


@cache
def _styled(style: str) -> str:
    """The attributes of a style."""
    return _attributes((key, value) for key, value in resolved(style).items() if _ASSUMED.get(key) != value)


def _in_language(content: Words | None, language: str) -> str:
    return content.in_language(language) if isinstance(content, Text) else content or ""


def _attributes(attributes: Iterable[tuple[str, str | float]]) -> str:
    return "".join(
        [
            f" {key}={quoteattr(value)}" if isinstance(value, str) else f' {key}="{coordinate(value)}"'
            for key, value in attributes
        ]
    )
