"""The widget of two programs side by side."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip(
    "anywidget", reason="needs the notebook extra: python -m pip install -e '.[lab]'", exc_type=ImportError
)

import traitlets

from inplacelab.recording import Recording
from inplacelab_widgets import Stepper, compare
from inplacelab_widgets.page import unpacked
from inplacelab_widgets.side_by_side import exports, widgets
from inplacelab_widgets.side_by_side.comparison import comparison_of
from inplacelab_widgets.side_by_side.payload import comparison_payload
from tests.recorders.golden.renew import run
from tests.widgets.test_comparison import PAIRS, recorded, scene


def recordings() -> tuple[Recording, Recording]:
    left, right = map(recorded, PAIRS["detach"])
    return left, right


def test_the_widget_follows_its_traits_and_refuses_what_is_not_there() -> None:
    left, right = map(recorded, PAIRS["detach"])
    shown = compare(left, right, language="zh")
    assert shown.step == scene("detach").key_position
    assert shown.n_steps == len(scene("detach").comparison.alignment.positions)
    assert shown.conclusion == scene("detach").conclusion.zh
    shown.step = -1
    assert shown.step == shown.n_steps - 1
    with pytest.raises(traitlets.TraitError, match="there is no step 99"):
        shown.step = 99
    with pytest.raises(IndexError, match="there is no step 99"):
        shown.to_svg(99)
    with pytest.raises(TypeError, match="two recordings, not int"):
        compare(left, 3)
    assert compare(Stepper(left), right).to_svg() == compare(left, right).to_svg()
    assert shown.to_svg(0, "en") == exports.svg_of(scene("detach"), "en", 0)
    assert repr(shown).startswith("Comparison(")


def test_a_recording_without_steps_is_refused() -> None:
    left, empty = recorded(PAIRS["detach"][0]), run("").recording
    with pytest.raises(ValueError, match="There is nothing to draw"):
        comparison_of(left, empty)


def test_two_long_programs_are_sent_when_the_player_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widgets, "MOST_BYTES", 100)
    shown = compare(*recordings())
    assert json.loads(unpacked(shown._payload)) == {"only": shown.step, "later": True}
    sent: list[Any] = []
    monkeypatch.setattr(shown, "send", sent.append)
    shown._answer(shown, {"want": "whole"}, [])
    assert json.loads(unpacked(sent[0]["whole"])) == json.loads(json.dumps(comparison_payload(scene("detach"))))
