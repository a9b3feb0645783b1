"""Foreign widgets in a box with ours, and what they leave there."""

from __future__ import annotations

from typing import Any

import ipywidgets
import pytest
from ipywidgets import Widget

from inplacelab_widgets.live_widget import titled, widget_html


@pytest.mark.parametrize(
    ("widget", "said"),
    [
        (ipywidgets.IntSlider(value=3, description="step"), ">step 3<"),
        (ipywidgets.FloatRangeSlider(value=(1, 2)), ">1.0, 2.0<"),
        (ipywidgets.Checkbox(value=True, description="in place"), ">in place ☑<"),
        (ipywidgets.Dropdown(options=[("ReLU", 7), ("tanh", 8)], value=8, description="layer"), ">layer tanh<"),
        (ipywidgets.SelectMultiple(options=["a", "b", "c"], value=("a", "c")), ">a, c<"),
        (ipywidgets.Button(description="Run <again>"), ">Run &lt;again&gt;<"),
        (ipywidgets.Label("a < b"), "<div>a &lt; b</div>"),
        (ipywidgets.HTML("<b>bold</b>"), "<div><b>bold</b></div>"),
        (ipywidgets.Image(value=b"png", format="png"), 'src="data:image/png;base64,cG5n"'),
    ],
)
def test_a_control_leaves_its_description_and_value(widget: Widget, said: str) -> None:
    assert said in widget_html(widget, "en")


def test_a_password_is_not_given_away() -> None:
    assert "secret" not in widget_html(ipywidgets.Password(value="secret"), "en")


def test_an_output_leaves_what_it_caught() -> None:
    caught = ipywidgets.Output(
        outputs=(
            {"output_type": "stream", "name": "stdout", "text": "1 < 2\n"},
            {"output_type": "display_data", "data": {"text/plain": "a figure", "image/png": "cG5n"}, "metadata": {}},
            {"output_type": "execute_result", "data": {"text/plain": "42"}, "metadata": {}},
        )
    )
    left = widget_html(caught, "en")
    places = [left.index(part) for part in ("<pre>1 &lt; 2\n</pre>", "base64,cG5n", "<pre>42</pre>")]
    assert places == sorted(places)
    assert "a figure" not in left


def test_one_that_brings_a_picture_is_shown_by_it() -> None:
    class Canvas(ipywidgets.DOMWidget):  # type: ignore[misc]  # ipywidgets has no types
        def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
            return {"text/plain": "Canvas()", "image/svg+xml": "<svg/>"}

    assert "data:image/svg+xml;base64,PHN2Zy8+" in widget_html(Canvas(), "en")


def test_all_else_says_what_it_was() -> None:
    assert "Controller: shown only while the kernel runs" in widget_html(ipywidgets.Controller(), "en")
    assert "Controller：只在内核运行时显示" in widget_html(ipywidgets.Controller(), "zh")


def test_the_pages_of_a_tab_have_their_titles() -> None:
    tab = ipywidgets.Tab([ipywidgets.Label("x"), ipywidgets.Label("y")], titles=("One & two",))
    assert titled(tab, 0) == "<div><b>One &amp; two</b></div>\n"
    assert titled(tab, 1) == titled(ipywidgets.VBox([]), 0) == ""
