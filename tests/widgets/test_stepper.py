"""Tests the widget in Python: its traits and its stand-in in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest

pytest.importorskip(
    "anywidget", reason="needs the notebook extra: python -m pip install -e '.[lab]'", exc_type=ImportError
)

import traitlets

import inplacelab as paddle
from inplacelab.language import speak
from inplacelab.recording.facts import SourceFacts
from inplacelab.recording.recording import Recording
from inplacelab_widgets import Stepper, to_svg
from inplacelab_widgets import stepper as panel_views
from tests.recorders import runs
from tests.widgets.static_copies import images, svg_of


def test_it_opens_at_the_most_telling_step(sample: Callable[[str], Recording]) -> None:
    stepper = Stepper(sample("lesson"))
    assert (stepper.step, stepper.n_steps) == (4, 15)
    assert stepper.recording is sample("lesson")


def test_a_step_can_be_chosen_from_python(sample: Callable[[str], Recording]) -> None:
    stepper = Stepper(sample("lesson"), step=-1)
    assert stepper.step == 14
    seen: list[int] = []
    stepper.observe(lambda change: seen.append(change["new"]), names=["step"])
    stepper.step = 3
    assert seen == [3]


def test_a_step_that_is_not_there_is_refused_and_nothing_changes(sample: Callable[[str], Recording]) -> None:
    stepper = Stepper(sample("lesson"), step=2)
    with pytest.raises(traitlets.TraitError, match=r"no step 15: this recording has 15 steps, 0 to 14"):
        stepper.step = 15
    assert stepper.step == 2


def test_the_words_are_those_of_the_current_language(sample: Callable[[str], Recording]) -> None:
    with speak("zh"):
        assert Stepper(sample("lesson")).language == "zh"


def test_the_bundle_keeps_a_picture_where_there_is_no_widget(sample: Callable[[str], Recording]) -> None:
    stepper = Stepper(sample("stale"), step=5)
    bundle = stepper._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == "Stepper('stale', steps=10, step=5)"
    assert "image/svg+xml" not in data  # it would be stored twice
    (image,) = images(data["text/html"])
    assert svg_of(image).startswith("<svg ")  # as many key steps as fit
    assert "RuntimeError" in str(image["alt"])


def test_the_picture_of_a_small_program_is_whole() -> None:
    with paddle.record("small") as small:
        paddle.ones([2]).scale_(3.0)
    assert small.recording is not None
    (image,) = images(Stepper(small.recording)._static_copy()["text/html"])
    assert svg_of(image) == to_svg(small.recording).replace("\n", " ")


def test_the_language_of_the_stepper_is_that_of_its_outputs(sample: Callable[[str], Recording]) -> None:
    stepper = Stepper(sample("stale"))
    stepper.language = "zh"
    bundle = stepper._repr_mimebundle_()
    assert bundle is not None
    (image,) = images(bundle[0]["text/html"])
    assert "已过期" in svg_of(image)
    assert "以表格阅读" in bundle[0]["text/html"]
    assert stepper.to_svg(2) == to_svg(sample("stale"), 2, "zh")


def test_what_it_leaves_does_not_depend_on_the_run(sample: Callable[[str], Recording]) -> None:
    first, second = (Stepper(sample("lesson"))._repr_mimebundle_() for _ in range(2))
    assert first is not None
    assert second is not None
    same = ("text/plain", "text/html")
    assert [first[0][key] for key in same] == [second[0][key] for key in same]


def test_only_the_traits_that_play_are_sent(sample: Callable[[str], Recording]) -> None:
    sent = set(Stepper(sample("lesson")).keys)
    assert {"step", "n_steps", "language", "_payload"} <= sent
    assert not {"recording", "_scene", "_recording"} & sent


PROGRAM = "x = paddle.ones([2])\nx.add_(x)\n"


@pytest.mark.parametrize(
    ("cell", "is_above"),
    [
        (f"%%stepper --name rec\n{PROGRAM}", True),
        (f"with paddle.record() as rec:\n    {PROGRAM.strip().replace(chr(10), chr(10) + '    ')}\nStepper(rec)", True),
        ("Stepper(rec)", False),
        ("%%stepper\nx = paddle.ones([2])\n\nx.add_(x)", False),
        (None, False),
    ],
)
def test_it_knows_whether_the_program_stands_in_its_cell(
    monkeypatch: pytest.MonkeyPatch, cell: str | None, is_above: bool
) -> None:
    shell = None if cell is None else SimpleNamespace(history_manager=SimpleNamespace(input_hist_raw=["", cell]))
    recording = runs.run(PROGRAM.replace("paddle", "inplacelab"), "inplacelab").recording
    monkeypatch.setattr(panel_views, "get_ipython", lambda: shell)
    assert Stepper(replace(recording, sources=(SourceFacts("", PROGRAM),)))._code_above == is_above
