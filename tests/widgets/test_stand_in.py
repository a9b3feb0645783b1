"""What a live widget leaves in a notebook beside itself. (How they take turns in a browser: `tests/e2e/test_reopened.py`.)"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inplacelab.language import Text
from inplacelab.listing import Group, Listing
from inplacelab.recording.recording import Recording
from inplacelab_widgets import GraphView, Stepper, stand_in
from inplacelab_widgets.list_view import ListView
from inplacelab_widgets.stand_in import LiveWidget, hidden_beside_the_live

WIDGET = "application/vnd.jupyter.widget-view+json"
LISTING = Listing(Text("Copies", "副本"), (Text("operation", "操作"),), (Group(None, (("`exp_`",),)),))


Displayed = Callable[[LiveWidget], list[dict[str, Any]]]


@pytest.fixture
def displayed(monkeypatch: pytest.MonkeyPatch) -> Displayed:
    """What a widget shows in a cell, output by output."""

    def outputs_of(widget: LiveWidget) -> list[dict[str, Any]]:
        outputs: list[dict[str, Any]] = []
        monkeypatch.setattr(stand_in, "display", lambda data, *, raw, metadata=None: outputs.append(data))
        widget._ipython_display_()
        return outputs

    return outputs_of


@pytest.fixture(params=["Stepper", "GraphView", "ListView"])
def widget(request: pytest.FixtureRequest, sample: Callable[[str], Recording]) -> LiveWidget:
    if request.param == "ListView":
        return ListView(LISTING)
    return {"Stepper": Stepper, "GraphView": GraphView}[request.param](sample("stale"))


def test_a_widget_and_its_stand_in_are_two_outputs(widget: LiveWidget, displayed: Displayed) -> None:
    """An output with both is a widget to JupyterLab, also when the widget is gone."""
    first, second = displayed(widget)
    assert set(first) == {WIDGET}
    assert first[WIDGET]["model_id"] == widget.model_id
    assert WIDGET not in second
    assert second["text/plain"] == repr(widget)


def test_the_stand_in_is_what_a_bundle_would_have_and_knows_when_to_hide(
    widget: LiveWidget, displayed: Displayed
) -> None:
    _, second = displayed(widget)
    bundle = widget._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert data.pop(WIDGET)["model_id"] == widget.model_id
    assert second == data | {"text/html": hidden_beside_the_live(data["text/html"])}


def test_nothing_of_it_depends_on_the_run(sample: Callable[[str], Recording], displayed: Displayed) -> None:
    assert displayed(Stepper(sample("lesson")))[1] == displayed(Stepper(sample("lesson")))[1]
