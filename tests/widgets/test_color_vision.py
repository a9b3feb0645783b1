"""The colors as people see them who lack one kind of cone: still apart, by arithmetic.

Deficient vision is simulated with the matrices of Machado, Oliveira and Fernandes (2009, severity 1), and colors are
compared in OKLab (Ottosson 2020), where a distance of 0.02 can just be noticed.
"""

from __future__ import annotations

from itertools import combinations
from math import cbrt, dist

import pytest

from inplacelab_widgets.scene.palette import ROLES, TENSOR_COLORS

Triple = tuple[float, float, float]

VISION: dict[str, tuple[Triple, Triple, Triple]] = {
    "all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "no long cones": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "no medium cones": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "no short cones": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}  # fmt: skip

APART = 0.075
"""Nearly four times what can just be noticed. Dashes, thickness and words are distinguishing marks as well."""

TENSORS = tuple(f"c{k}" for k in range(TENSOR_COLORS))
SIGNALS = ("now", "bad", "line", "fg")
"""What a thing's outline says: this step, refused, nothing special, done."""


def linear(color: str) -> Triple:
    def channel(k: int) -> float:
        value = int(color[k : k + 2], 16) / 255
        return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)

    return channel(1), channel(3), channel(5)


def times(matrix: tuple[Triple, Triple, Triple], vector: Triple) -> Triple:
    a, b, c = (sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix)
    return a, b, c


def seen(color: str, vision: str) -> Triple:
    """A color as a person sees it, in OKLab."""
    red, green, blue = (min(max(value, 0.0), 1.0) for value in times(VISION[vision], linear(color)))
    to_cones = (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
    to_lab = (
        (0.2104542553, 0.7936177850, -0.0040720468),
        (1.9779984951, -2.4285922050, 0.4505937099),
        (0.0259040371, 0.7827717662, -0.8086757660),
    )
    a, b, c = times(to_cones, (red, green, blue))
    return times(to_lab, (cbrt(a), cbrt(b), cbrt(c)))


def closest(roles: tuple[str, ...], theme: int, vision: str) -> tuple[float, str, str]:
    lab = {role: seen(ROLES[role][theme], vision) for role in roles}
    return min((dist(lab[a], lab[b]), a, b) for a, b in combinations(roles, 2))


def test_the_arithmetic_knows_white_grey_and_what_red_and_green_have_in_common() -> None:
    assert seen("#ffffff", "all cones") == pytest.approx((1, 0, 0), abs=1e-4)
    for vision in VISION:
        assert seen("#808080", vision)[1:] == pytest.approx((0, 0), abs=1e-3), "grey is grey to everybody"
    pair = ("#a03020", "#4a6a20")
    apart = {vision: dist(*(seen(color, vision) for color in pair)) for vision in VISION}
    assert apart["no medium cones"] < apart["all cones"] / 3
    assert apart["no short cones"] > apart["all cones"] / 2


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("vision", VISION)
def test_tensors_can_be_distinguished(theme: int, vision: str) -> None:
    distance, a, b = closest(TENSORS, theme, vision)
    assert distance >= APART, (a, b)


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize("vision", VISION)
def test_this_step_and_refused_differ_from_the_rest(theme: int, vision: str) -> None:
    distance, a, b = closest(SIGNALS, theme, vision)
    assert distance >= APART, (a, b)
