"""Tests the stand-ins that live widgets leave in a notebook. (In a browser: `tests/e2e/test_reopened.py`.)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ipywidgets import Box, HBox, Label, VBox

from inplacelab.kernels.launch import Launch, Operand
from inplacelab.language import Text
from inplacelab.listing import Group, Listing
from inplacelab.recording.recording import Recording
from inplacelab_widgets import GraphView, KernelView, Stepper, StorageView, live_widget
from inplacelab_widgets.live_widget import LiveWidget, hidden_while_live
from inplacelab_widgets.small_views import AskedPart, ListView, QuestionView

WIDGET = "application/vnd.jupyter.widget-view+json"
X = Operand("x", "both", "float32", (64,), (1,), 0, 256)
LAUNCH = Launch("relu_", "flat", (1, 1, 1), (256, 1, 1), 1, "float32", (X,), 256, 256)
LISTING = Listing(Text("Copies", "副本"), (Text("operation", "操作"),), (Group(None, (("`exp_`",),)),))


Displayed = Callable[[LiveWidget | Box], list[dict[str, Any]]]


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> Displayed:
    """The outputs that a widget shows in a cell."""

    def outputs_of(widget: LiveWidget | Box) -> list[dict[str, Any]]:
        outputs: list[dict[str, Any]] = []
        monkeypatch.setattr(live_widget, "display", lambda data, *, raw, metadata=None: outputs.append(data))
        widget._ipython_display_() if isinstance(widget, LiveWidget) else live_widget._show_box(widget)
        return outputs

    return outputs_of


@pytest.fixture(params=["Stepper", "GraphView", "KernelView", "ListView", "QuestionView"])
def widget(request: pytest.FixtureRequest, sample: Callable[[str], Recording]) -> LiveWidget:
    if request.param == "ListView":
        return ListView(LISTING)
    if request.param == "QuestionView":
        return QuestionView("q", [AskedPart(label="n", options=[], several=False)])
    if request.param == "KernelView":
        return KernelView(LAUNCH)
    return {"Stepper": Stepper, "GraphView": GraphView}[request.param](sample("stale"))


def test_a_widget_and_its_static_copy_are_two_outputs(widget: LiveWidget, displayed: Displayed) -> None:
    """JupyterLab shows an output with both as a widget, even when the widget is gone."""
    first, second = displayed(widget)
    assert set(first) == {WIDGET}
    assert first[WIDGET]["model_id"] == widget.model_id
    assert WIDGET not in second
    assert second["text/plain"] == repr(widget)


def test_the_static_copy_is_what_a_bundle_would_have_and_knows_when_to_hide(
    widget: LiveWidget, displayed: Displayed
) -> None:
    _, second = displayed(widget)
    bundle = widget._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert data.pop(WIDGET)["model_id"] == widget.model_id
    assert second == data | {"text/html": hidden_while_live(data["text/html"], "en")}


def test_it_is_read_in_its_own_language(sample: Callable[[str], Recording], displayed: Displayed) -> None:
    for language, tag in {"en": "en", "zh": "zh-Hans"}.items():
        view = Stepper(sample("stale"), language=language)
        for shown in (view, VBox([view])):
            assert displayed(shown)[1]["text/html"].startswith(f'<div class="ipl-still" lang="{tag}">')


def test_nothing_of_it_depends_on_the_run(sample: Callable[[str], Recording], displayed: Displayed) -> None:
    assert displayed(Stepper(sample("lesson")))[1] == displayed(Stepper(sample("lesson")))[1]


def test_a_box_with_ours_in_it_leaves_all_their_static_copies(
    sample: Callable[[str], Recording], displayed: Displayed
) -> None:
    stepper = Stepper(sample("stale"))
    storage, graph = StorageView(stepper), GraphView(stepper)
    box = VBox([Label("none of ours"), stepper, HBox([storage, graph])])
    first, second = displayed(box)
    assert set(first) == {WIDGET}
    assert first[WIDGET]["model_id"] == box.model_id
    assert second["text/plain"] == f"VBox({stepper!r}, {storage!r}, {graph!r})"
    parts = ["none of ours", *(each._static_copy()["text/html"] for each in (stepper, storage, graph))]
    places = [second["text/html"].index(part) for part in parts]
    assert places == sorted(places)
    assert second["text/html"].count("display:flex") == 1


def test_a_box_with_nothing_of_ours_is_left_to_ipython() -> None:
    with pytest.raises(NotImplementedError):
        live_widget._show_box(VBox([HBox([Label("none of ours")])]))


def test_ipython_asks_us_about_boxes_once_there_is_a_view(monkeypatch: pytest.MonkeyPatch) -> None:
    interactiveshell = pytest.importorskip("IPython.core.interactiveshell")
    shell = interactiveshell.InteractiveShell()
    monkeypatch.setattr(live_widget, "get_ipython", lambda: shell)
    outputs: list[dict[str, Any]] = []
    monkeypatch.setattr(live_widget, "display", lambda data, *, raw, metadata=None: outputs.append(data))
    view = ListView(LISTING)
    assert shell.display_formatter.format(VBox([view])) == ({}, {})
    assert [WIDGET in output for output in outputs] == [True, False]
    shown, _ = shell.display_formatter.format(VBox([Label("none of ours")]))
    assert WIDGET in shown
    assert len(outputs) == 2
