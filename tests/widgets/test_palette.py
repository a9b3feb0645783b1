"""Tests the contrast of colors by WCAG 2, in both themes."""

from __future__ import annotations

import re

import pytest

from inplacelab_widgets.player_bundle import javascript, stylesheet
from inplacelab_widgets.scene import PANELS, Scene
from inplacelab_widgets.scene.palette import DASHES, ROLES, STYLES, TENSOR_COLORS, properties, resolved
from inplacelab_widgets.scene.svg import Look

THEMES = (0, 1)


def luminance(color: str) -> float:
    def linear(channel: float) -> float:
        return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(color[k : k + 2], 16) / 255) for k in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(a: str, b: str) -> float:
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_contrast_knows_black_and_white() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("ground", ["paper", "tint", "faint"])
@pytest.mark.parametrize("words", ["fg", "soft"])
def test_words_reach_4_5(theme: int, ground: str, words: str) -> None:
    assert contrast(ROLES[words][theme], ROLES[ground][theme]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_values_before_a_write_reach_4_5(theme: int) -> None:
    assert contrast(ROLES["now"][theme], ROLES["paper"][theme]) >= 4.5


def test_no_words_have_another_color_than_those(scene: Scene) -> None:
    panels = (scene.panel(name) for name in PANELS)
    marks = [mark for panel in panels for group in panel.groups for mark in group.marks if mark.tag == "text"]
    looks = [look for mark in marks for _, look in mark.runs if look is not None]
    colors = {properties(look.style)["fill"] for look in looks if "was" not in look.style.split()}
    assert colors <= {"fg", "soft", "bad"}
    # The values that were overwritten stand below the numbers of slots, and must not be taken for these.
    assert {properties(look.style)["fill"] for look in looks if "was" in look.style.split()} <= {"now"}


def test_the_words_around_the_pictures_have_none_either() -> None:
    colors = set(re.findall(r"(?<![-\w])color: ?var\(--ipl-(\w+)\)", stylesheet()))
    assert colors
    assert colors <= {"fg", "soft", "bad", "paper", "now"}


@pytest.mark.parametrize("theme", THEMES)
def test_the_focus_reaches_3(theme: int) -> None:
    light, dark = dict.fromkeys(re.findall(r"--ipl-focus: ?(#[0-9a-f]{6})", stylesheet()))
    assert contrast((light, dark)[theme], ROLES["paper"][theme]) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", ["line", "now", "bad", *(f"c{k}" for k in range(TENSOR_COLORS))])
def test_lines_reach_3(theme: int, role: str) -> None:
    assert contrast(ROLES[role][theme], ROLES["paper"][theme]) >= 3


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("role", ["line", "now", "bad", "fg"])
def test_what_is_outlined_on_a_tinted_ground_reaches_3_too(theme: int, role: str) -> None:
    assert contrast(ROLES[role][theme], ROLES["tint"][theme]) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_alarms_are_words_too(theme: int) -> None:
    assert contrast(ROLES["bad"][theme], ROLES["paper"][theme]) >= 4.5
    assert contrast(ROLES["bad"][theme], ROLES["tint"][theme]) >= 4.5


def test_stale_and_failed_differ_from_the_rest_without_color() -> None:
    for style, plain in (
        ("pin stale", "pin"),
        ("node failed", "node"),
        ("slot written", "slot"),
        ("pill raised", "pill"),
    ):
        shape = {key: value for key, value in properties(style).items() if key not in {"fill", "stroke"}}
        assert shape != {key: value for key, value in properties(plain).items() if key not in {"fill", "stroke"}}
    assert len(set(DASHES)) == len(DASHES)


def test_every_style_names_real_colors() -> None:
    for name in STYLES:
        for theme in THEMES:
            for key, value in resolved(name, theme).items():
                if key in {"fill", "stroke"}:
                    assert value == "none" or re.fullmatch(r"#[0-9a-f]{6}", value)


def test_an_unknown_style_is_refused() -> None:
    with pytest.raises(KeyError, match="no such style: sparkling"):
        resolved(Look("slot sparkling").style)


def test_every_rule_of_the_stylesheet_stays_inside_the_stepper_or_is_about_the_element_that_holds_it() -> None:
    plain = re.sub(r"/\*.*?\*/", "", stylesheet(compares=True), flags=re.DOTALL)
    plain = re.sub(r"@(media|container)[^{]*\{", "", plain)
    for selectors in re.findall(r"([^{}]+)\{[^{}]*\}", plain):
        for selector in re.split(r",(?![^(]*\))", selectors):
            assert re.search(r"(^|\s)\.ipl(?!\w)|>\s*:has\(>\s*\.ipl\)$", selector.strip()), selector


def test_the_player_writes_no_markup() -> None:
    source = javascript()
    for forbidden in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "import ",
        "fetch(",
        "document.addEventListener",
    ):
        assert forbidden not in source, forbidden
