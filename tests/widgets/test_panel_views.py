"""The views as widgets in Python: what they are made from, their traits, and what they leave in a notebook."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip(
    "anywidget", reason="needs the notebook extra: python -m pip install -e '.[lab]'", exc_type=ImportError
)

import ipywidgets
import traitlets

import inplacelab_widgets
from inplacelab.language import speak
from inplacelab.recording.recording import Recording
from inplacelab_widgets import GraphView, MemoryView, MetadataView, Stepper, StorageView, VersionView, View
from inplacelab_widgets.live_widget import LiveWidget
from inplacelab_widgets.page import payload_of, unpacked
from inplacelab_widgets.scene import EVERYTHING
from tests.widgets.static_copies import images, svg_of

KINDS: dict[type[View], str] = {
    StorageView: "storages",
    MetadataView: "elements",
    VersionView: "lanes",
    GraphView: "graph",
    MemoryView: "memory",
}
SHARED = ("step", "language", "mode", "selection", "follow")


def sent(view: View) -> Any:
    """What the browser is given to play."""
    return json.loads(unpacked(view._whole))


@pytest.mark.parametrize("kind", KINDS)
def test_a_view_carries_its_own_panel_and_no_other(sample: Callable[[str], Recording], kind: type[View]) -> None:
    view = kind(sample("stale"))
    assert view.panels == (KINDS[kind],)
    assert [panel["name"] for panel in sent(view)["panels"]] == [KINDS[kind]]
    assert sent(view)["source"] == []
    assert view.toolbar
    whole = Stepper(sample("stale"))
    assert whole.panels == EVERYTHING
    assert len(view._whole) < 0.8 * len(whole._whole)


def test_all_that_a_widget_carries_beside_its_recording_is_small(sample: Callable[[str], Recording]) -> None:
    state = Stepper(sample("stale")).get_state()
    assert sum(len(str(value).encode()) for name, value in state.items() if name != "_payload") < 82_000


def test_panels_are_chosen_and_stand_in_their_own_order(sample: Callable[[str], Recording]) -> None:
    view = View(sample("lesson"), panels=("memory", "storages"))
    assert view.panels == ("storages", "memory")
    with pytest.raises(ValueError, match="there is no panel 'lane': choose from code, storages, "):
        View(sample("lesson"), panels=("lane",))
    with pytest.raises(ValueError, match="no panel is chosen"):
        View(sample("lesson"), panels=())


def test_a_view_of_a_view_shares_its_recording_and_its_place(sample: Callable[[str], Recording]) -> None:
    stepper = Stepper(sample("stale"), step=4, mode="line", language="zh", selection="t1")
    view = StorageView(stepper)
    assert view.recording is stepper.recording
    assert view._scene is stepper._scene
    assert [getattr(view, name) for name in SHARED] == [4, "zh", "line", "t1", ""]
    assert not view.toolbar
    assert sent(view)["predict"] == []
    linked = [(link.source, link.target) for link in view._links]
    assert linked == [((stepper, name), (view, name)) for name in SHARED]
    assert StorageView(stepper, toolbar=True).toolbar


def test_a_view_of_a_recording_stands_by_itself(sample: Callable[[str], Recording]) -> None:
    view = GraphView(sample("stale"), step=-1)
    assert view.step == 9
    assert view._links == []
    with pytest.raises(traitlets.TraitError, match="no step 10"):
        view.step = 10
    with pytest.raises(traitlets.TraitError):
        view.mode = "word"
    with speak("zh"):
        assert MemoryView(sample("stale")).language == "zh"


def test_views_compose_and_are_linked_like_any_widget(sample: Callable[[str], Recording]) -> None:
    stepper = Stepper(sample("stale"))
    box = ipywidgets.HBox([stepper, ipywidgets.VBox([StorageView(stepper), VersionView(stepper)])])
    assert len(box.children) == 2
    slider = ipywidgets.IntSlider(max=stepper.n_steps - 1)
    ipywidgets.link((slider, "value"), (stepper, "step"))
    slider.value = 5
    assert stepper.step == 5
    seen: list[str] = []
    stepper.observe(lambda change: seen.append(change["new"]), names=["selection"])
    stepper.selection = "s2"
    assert seen == ["s2"]


def test_every_trait_that_is_meant_for_readers_is_described() -> None:
    own = {name: trait for name, trait in Stepper.class_own_traits().items() if trait.metadata.get("sync")}
    for each in (View, LiveWidget):
        own |= {name: trait for name, trait in each.class_own_traits().items() if trait.metadata.get("sync")}
    public = {name for name in own if not name.startswith("_")}
    assert public == {*SHARED, "n_steps", "panels", "toolbar", "predict", "answers"}
    assert all(own[name].help for name in public)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_view_leaves_a_picture_of_its_panel(
    sample: Callable[[str], Recording], kind: type[View], language: str
) -> None:
    view = kind(sample("stale"), language=language)
    bundle = view._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert data["text/plain"] == f"{kind.__name__}('stale', steps=10, step=9)"
    (image,) = images(data["text/html"])
    picture = svg_of(image)
    assert picture == view.to_svg().replace("\n", " ")
    assert picture != Stepper(sample("stale"), language=language).to_svg().replace("\n", " ")
    title = sent(view)["words"][KINDS[kind]][language == "zh"]
    assert title in picture
    again = kind(sample("stale"), language=language)._repr_mimebundle_()
    assert again is not None
    assert again[0]["text/html"] == data["text/html"]


def test_a_view_tells_in_words_what_its_panel_shows(sample: Callable[[str], Recording]) -> None:
    recording = sample("stale")
    assert "68 B live, peak 68 B." in MemoryView(recording).to_text(9)
    markdown = GraphView(recording).to_markdown(9, "en")
    assert "**Grad nodes**" in markdown
    assert "**Tensors**" not in markdown
    assert "b = a * 2" not in markdown
    assert "Version of each storage" in VersionView(recording).to_text(9)
    page = StorageView(recording).to_html()
    assert [panel["name"] for panel in payload_of(page)["panels"]] == ["storages"]


def test_what_is_kept_lit_in_one_view_is_known_to_the_others(sample: Callable[[str], Recording]) -> None:
    # A card knows the nodes that made its value; the view of the graph has no cards.
    elsewhere = sent(GraphView(sample("stale")))["elsewhere"]
    assert "n1" in elsewhere["t2"].split()
    assert sent(Stepper(sample("stale")))["elsewhere"] == {}


def test_the_package_lists_its_views() -> None:
    assert {kind.__name__ for kind in KINDS} | {"View", "Stepper"} <= set(dir(inplacelab_widgets))
