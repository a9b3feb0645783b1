"""The colors, light and dark, and the meaning of each style name: the one table behind the CSS and the still pictures.

Lines have a contrast of 3:1 and words 4.5:1 against their background (computed in the tests). Color is never the only
sign: "this step" is also a thicker border, stale and failed are also dashes, a cross and a word, and a tensor's color
comes with its name and a dash pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

ROLES: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#212121"),
    "fg": ("#1a1a1a", "#f2f2f2"),
    "soft": ("#5c5c5c", "#bdbdbd"),
    "line": ("#8a8a8a", "#8c8c8c"),
    "faint": ("#e2e2e2", "#3c3c3c"),
    "tint": ("#fff1c2", "#3d3612"),
    "now": ("#8f5b00", "#ffd479"),
    "bad": ("#86002e", "#fb7e5f"),
    "c0": ("#1b3d66", "#9d80ea"),
    "c1": ("#1c7b5f", "#00a493"),
    "c2": ("#8f8799", "#ecd9cf"),
    "c3": ("#e07000", "#ffa506"),
    "c4": ("#0090ee", "#b2cdff"),
}
"""Each role's color in the light and in the dark theme."""

TENSOR_COLORS = 5

DASHES = ("", "8 3", "3 2", "9 3 2 3", "5 2")
"""Dash patterns of the tensors on one storage, in the order in which they appeared."""

FONT = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, 'Noto Sans Mono CJK SC', 'PingFang SC', 'Microsoft YaHei', monospace"

PROSE_FONT = "system-ui, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif"

_DRAWN = {"fill": "none", "stroke-width": "1"}

STYLES: dict[str, dict[str, str]] = (
    {
        # Later names override earlier ones, as in CSS.
        "text": {"fill": "fg", "font-size": "11px", "stroke": "none"},
        "value": {"font-size": "12px", "text-anchor": "middle"},
        "tiny": {"font-size": "11px", "fill": "soft"},
        "small": {"font-size": "11px"},
        "title": {"font-size": "15px"},
        "label": {"font-size": "15px", "font-weight": "700"},
        "headline": {"font-size": "18px", "font-weight": "700"},
        "prose": {"font-family": PROSE_FONT},
        "bold": {"font-weight": "700"},
        "italic": {"font-style": "italic"},
        "soft": {"fill": "soft"},
        "was": {"fill": "now"},
        "wrote": {"fill": "now", "font-weight": "700"},
        "struck": {"text-decoration": "line-through"},
        "middle": {"text-anchor": "middle"},
        "end": {"text-anchor": "end"},
        "alarm": {"fill": "bad", "font-weight": "700"},
        # storages
        "slot": {"fill": "paper", "stroke": "line", "stroke-width": "1"},
        "unknown": {"fill": "faint"},
        "none": {"stroke-dasharray": "2 3"},
        "hatch": _DRAWN | {"stroke": "line", "stroke-width": "0.7"},
        "written": {"fill": "tint", "stroke": "now", "stroke-width": "3"},
        "unchanged": {"fill": "none", "stroke": "now", "stroke-width": "1.2"},
        "around": _DRAWN | {"stroke": "now", "stroke-width": "1.5", "stroke-dasharray": "7 4"},
        "lost": _DRAWN | {"stroke": "bad", "stroke-width": "2.5", "stroke-dasharray": "5 3"},
        "read": _DRAWN | {"stroke": "fg", "stroke-width": "2", "stroke-dasharray": "2 2.5"},
        "copy": _DRAWN | {"stroke": "fg", "stroke-width": "1.6"},
        "copy-tip": {"fill": "fg", "stroke": "none"},
        "lens": {},
        "inked": {"fill": "now", "stroke": "none"},
        "cells": _DRAWN | {"stroke": "line", "stroke-width": "0.5"},
        "bead": {"fill": "paper", "stroke": "fg", "stroke-width": "2"},
        "pill": {"fill": "paper", "stroke": "line", "stroke-width": "1.5"},
        "raised": {"fill": "tint", "stroke": "now", "stroke-width": "2.5"},
        "wire": _DRAWN | {"stroke": "line"},
        "tip": {"fill": "line", "stroke": "none"},
        "card": {"fill": "paper", "stroke": "line", "stroke-width": "1"},
        "changed": {"stroke": "now", "stroke-width": "2.5"},
        "bar": {"stroke": "none"},
        "chip": {"fill": "paper", "stroke-width": "1.5"},
        "coming": {"stroke-dasharray": "3 2"},
        "acting": {"fill": "tint", "stroke": "now", "stroke-width": "2.5"},
        "refused": {"stroke": "bad", "stroke-width": "2.5", "stroke-dasharray": "5 3"},
        "versions": _DRAWN | {"stroke": "fg", "stroke-width": "2.5"},
        "hair": {"stroke-width": "1"},
        "pin": {"fill": "paper", "stroke": "line", "stroke-width": "1.2"},
        "node": {"fill": "paper", "stroke": "line", "stroke-width": "1.2"},  # here, for those that are stale
        "stale": {"stroke": "bad", "stroke-width": "1.8", "stroke-dasharray": "5 3"},
        "released": {"fill": "none", "stroke-dasharray": "1 3"},
        "checked": {"fill": "tint", "stroke-width": "2.8"},
        "turned": {"fill": "tint", "stroke-width": "2.8"},
        "flag": {"fill": "fg", "stroke": "none"},
        "flag-stale": {"fill": "bad", "stroke": "none"},
        "flag-released": {"fill": "paper", "stroke": "line"},
        # graph
        "waiting": {"stroke-dasharray": "2 3"},
        "arrived": {"fill": "tint", "stroke": "now", "stroke-width": "2.5"},
        "ready": {"stroke": "now", "stroke-width": "2"},
        "unpacking": {"fill": "tint", "stroke": "now", "stroke-width": "2.5", "stroke-dasharray": "7 3"},
        "calling": {"fill": "tint", "stroke": "now", "stroke-width": "2.5", "stroke-dasharray": "10 3 2 3"},
        "running": {"fill": "tint", "stroke": "now", "stroke-width": "1.5"},
        "inner": _DRAWN | {"stroke": "now", "stroke-width": "1.5"},
        "done": {"stroke": "fg", "stroke-width": "1.5"},
        "unreached": {"stroke-dasharray": "1 4"},
        "progress": _DRAWN | {"stroke": "fg", "stroke-width": "3"},
        "failed": {"stroke": "bad", "stroke-width": "3", "stroke-dasharray": "5 3"},
        "edge": _DRAWN | {"stroke": "line", "stroke-width": "1.4"},
        "new": {"fill": "tint", "stroke": "now", "stroke-width": "2.5"},
        "fresh": {"stroke": "now", "stroke-width": "3"},
        "fresh-tip": {"fill": "now", "stroke": "none"},
        "ghost": _DRAWN | {"stroke": "soft", "stroke-width": "1.6", "stroke-dasharray": "1.5 3.5"},
        # kernels
        "in-warp": {"fill": "tint", "stroke": "now", "stroke-width": "1"},
        "beam": {"fill": "faint", "fill-opacity": "0.55", "stroke": "none"},
        "ribbon": {"fill-opacity": "0.16", "stroke-width": "0.8"},
        "tick": {"stroke": "none"},
        "pixels": {"image-rendering": "pixelated"},
        "rim": _DRAWN | {"stroke": "now", "stroke-width": "1.8"},
        "rim-ground": _DRAWN | {"stroke": "paper", "stroke-width": "4"},
        "asleep": {"opacity": "0"},
        "ribbon-picked": {"fill": "tint", "stroke": "now", "stroke-width": "2.2"},
        "wanted": {"stroke": "none"},
        "mark-soft": {"fill": "soft", "stroke": "none"},
        "sector": _DRAWN | {"stroke": "fg", "stroke-width": "1.4"},
        "over": {"fill": "paper"},
        "hit": {"fill": "paper", "fill-opacity": "0"},
        "twist": {"fill": "soft", "opacity": "0"},
        # lanes and memory
        "lane": _DRAWN | {"stroke": "fg", "stroke-width": "4"},
        "v1": {"stroke-dasharray": "12 4"},
        "v2": {"stroke-dasharray": "7 4"},
        "v3": {"stroke-dasharray": "4 3"},
        "v4": {"stroke-dasharray": "2 2"},
        "bump": _DRAWN | {"stroke": "now", "stroke-width": "3"},
        "thread": _DRAWN | {"stroke": "bad", "stroke-width": "1.6", "stroke-dasharray": "5 3"},
        "axis": _DRAWN | {"stroke": "line"},
        "grid": _DRAWN | {"stroke": "faint"},
        "area": {"fill": "faint", "stroke": "soft", "stroke-width": "1"},
        "peak": _DRAWN | {"stroke": "fg", "stroke-width": "1.4", "stroke-dasharray": "6 3"},
        "held": _DRAWN | {"stroke-width": "12"},
        "held-named": {"stroke": "soft"},
        "held-gradient": {"stroke": "now", "stroke-dasharray": "6 2"},
        "held-saved": {"stroke": "fg", "stroke-dasharray": "2 2"},
        "held-copy": {"stroke": "fg", "stroke-dasharray": "7 1 1 1"},
        "held-flight": {"stroke": "now", "stroke-dasharray": "2 4"},
        "held-other": {"stroke": "line", "stroke-dasharray": "1 3"},
        "ahead": {"opacity": "0.45"},
        "veil": {"fill": "paper", "fill-opacity": "0.62", "stroke": "none"},
        "column": {"fill": "tint", "stroke": "none"},
        "playhead": {"fill": "now", "stroke": "none"},
        # code and errors in static pictures
        "paper": {"fill": "paper", "stroke": "none"},
        "tint": {"fill": "tint", "stroke": "none"},
        "mark-now": {"fill": "now", "stroke": "none"},
        "now-line": {"stroke": "soft"},
        "frame": _DRAWN | {"stroke": "line"},
        "blamed": {"stroke": "bad", "stroke-width": "1.8"},
        "code": {"font-size": "12px"},
        # two programs side by side
        "differs": _DRAWN | {"stroke": "fg", "stroke-width": "2"},
        "differs-ground": {"fill": "fg", "stroke": "paper", "stroke-width": "1"},
        "differs-sign": _DRAWN | {"stroke": "paper", "stroke-width": "1.5"},
        "verdict": _DRAWN | {"stroke": "fg", "stroke-width": "2"},
        "verdict-raised": _DRAWN | {"stroke": "bad", "stroke-width": "2", "stroke-dasharray": "7 4"},
        # states of any mark
        "gone": {"opacity": "0.4"},
    }
    | {
        f"c{k}-{part}": {prop: f"c{k}"}
        for k in range(TENSOR_COLORS)
        for part, prop in (("line", "stroke"), ("fill", "fill"))
    }
    | {f"dash{k}": {"stroke-dasharray": dash or "none"} for k, dash in enumerate(DASHES)}
)

_COLORED = ("fill", "stroke")


@cache
def properties(style: str) -> Mapping[str, str]:
    """Returns the SVG properties of a style ("slot written"), with color roles as values of fill and stroke."""
    wanted = set(style.split())
    unknown = wanted - STYLES.keys()
    if unknown:
        raise KeyError(f"no such style: {', '.join(sorted(unknown))}")
    merged: dict[str, str] = {}
    for name, found in STYLES.items():
        if name in wanted:
            merged |= found
    return MappingProxyType(merged)


@cache
def resolved(style: str, theme: int = 0) -> Mapping[str, str]:
    """Returns the properties of a style with real colors, for a picture without CSS. `theme` 0 is light, 1 is dark."""
    return MappingProxyType(
        {
            key: ROLES[value][theme] if key in _COLORED and value in ROLES else value
            for key, value in properties(style).items()
        }
    )


def css() -> str:
    """Returns the same table as CSS rules on custom properties, for the player."""
    rules = [f".ipl{{{_variables(0)}}}", f"{','.join(_DARK)}{{{_variables(1)}}}"]
    follows = ":root:not([data-theme=light]) .ipl.ipl-standalone:not(.ipl-light)"
    rules.append(f"@media (prefers-color-scheme:dark){{{follows}{{{_variables(1)}}}}}")
    rules.append(f".ipl .ipl-text{{font-family:{FONT};white-space:pre}}")
    for name, found in STYLES.items():
        rules.append(
            f".ipl .ipl-{name}{{{';'.join(f'{key}:{_css_value(key, value)}' for key, value in found.items())}}}"
        )
    return "\n".join(rules) + "\n"


_DARK = (
    'body[data-jp-theme-light="false"] .ipl',
    "body.vscode-dark .ipl",
    "body.vscode-high-contrast .ipl",
    "html[theme=dark] .ipl",
    "[data-theme=dark] .ipl",
    ".dark .ipl",
)


def _variables(theme: int) -> str:
    scheme = f"color-scheme:{('light', 'dark')[theme]};"
    return scheme + ";".join(f"--ipl-{role}:{colors[theme]}" for role, colors in ROLES.items())


def _css_value(key: str, value: str) -> str:
    return f"var(--ipl-{value})" if key in _COLORED and value in ROLES else value
