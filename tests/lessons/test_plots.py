"""Plots of the lessons: what a test or a screen reader gets of them, and that they leave nothing behind."""

from __future__ import annotations

from typing import Any

import pytest

from inplacelab.language import speak
from inplacelab.lessons import figure

mpl = pytest.importorskip("matplotlib", reason="needs matplotlib: python -m pip install -e '.[lab]'")
PNG = b"\x89PNG"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    bundles: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda bundle, raw: bundles.append(bundle))
    return bundles


def test_a_plot_is_a_picture_and_its_numbers(shown: list[dict[str, Any]]) -> None:
    with figure() as axes:
        axes.plot([1, 2, 3], [0.5, 0.25, 1 / 3], label="loss")
        axes.bar([1, 2], [134217728, 67108864], label="peak")
        axes.set(xlabel="step", ylabel="bytes")
    (bundle,) = shown
    assert bundle["image/png"].startswith(PNG)
    assert bundle["text/plain"].splitlines() == [
        "bytes over step",
        "  peak: 134217728, 67108864",
        "  loss: 3 points, from 0.5 to 0.3333",
    ]


def test_bars_are_described_by_their_names_and_lengths(shown: list[dict[str, Any]]) -> None:
    names = ["relu", "relu_"]
    with figure(2) as (left, right):
        left.bar(names, [2, 1], label="tensors")
        right.barh(names, [8, 4])
        right.set(xlabel="bytes")
    assert shown[0]["text/plain"].splitlines() == [
        "y over x",
        "  tensors: relu 2, relu_ 1",
        "bytes",
        "  relu 8, relu_ 4",
    ]


def test_columns_stand_side_by_side_and_lines_differ_in_more_than_color(shown: list[dict[str, Any]]) -> None:
    with figure(2) as (left, right):
        left.plot([1], [1], label="a")
        first, second = right.plot([1, 2], [[1, 2], [3, 4]], label=["b", "c"])
        right.set_title("values")
    assert shown[0]["text/plain"].splitlines() == [
        "y over x",
        "  a: 1 points, from 1 to 1",
        "values",
        "  b: 2 points, from 1 to 3",
        "  c: 2 points, from 2 to 4",
    ]
    assert first.get_linestyle() != second.get_linestyle()
    assert left.get_legend() is not None


def test_the_settings_of_matplotlib_are_left_as_they_were(shown: list[dict[str, Any]]) -> None:
    before = dict(mpl.rcParams)
    with figure() as axes:
        axes.plot([1, 2], [1, 2])
    assert dict(mpl.rcParams) == before


def test_an_image_is_described_by_its_size_and_its_mean(shown: list[dict[str, Any]]) -> None:
    with figure(2) as axes:
        for each, value in zip(axes, (0.25, 1.0), strict=True):
            each.imshow([[0.0, value, value], [value, 0.0, 0.0]])
    (bundle,) = shown
    assert bundle["text/plain"].splitlines() == ["image, 2 × 3 pixels, mean 0.12", "image, 2 × 3 pixels, mean 0.50"]


def test_a_plot_is_described_in_the_current_language(shown: list[dict[str, Any]]) -> None:
    with speak("zh"), figure(3) as (left, middle, right):
        left.plot([1, 2], [0.5, 0.25], label="loss")
        left.bar(["a"], [3], label="peak")
        left.set(xlabel="step", ylabel="bytes")
        middle.imshow([[0.0, 0.5]])
        right.plot([], [], label="none")
    assert shown[0]["text/plain"].splitlines() == [
        "纵轴 bytes，横轴 step",
        "  peak：a 3",
        "  loss：2 个点，从 0.5 到 0.25",
        "图像，1 × 2 像素，均值 0.25",
        "纵轴 y，横轴 x",
        "  none：没有点",
    ]
