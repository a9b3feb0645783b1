"""The first picture of a long recording: it is the whole picture, cut down to one step, in whatever order things are looked at."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip(
    "anywidget", reason="needs the notebook extra: python -m pip install -e '.[lab]'", exc_type=ImportError
)

import inplacelab as paddle
from inplacelab.recorders.run import record
from inplacelab.recording.recording import Recording
from inplacelab.recording.statements import statements
from inplacelab_widgets import Stepper, View, to_svg, to_text
from inplacelab_widgets.exports import MOST_BYTES as MOST_BYTES_OF_COPY
from inplacelab_widgets.page import unpacked
from inplacelab_widgets.scene import PANELS, Scene, scene_of
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.stepper import MOST_BYTES
from inplacelab_widgets.words.player import ORIGINS as WORDS_OF_ORIGINS

Json = dict[str, Any]


def training(turns: int) -> Recording:
    """A training loop: hundreds of steps, and storages that come and go."""
    with record(title="training") as made:
        model = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 2))
        optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
        for _ in range(turns):
            loss = (model(paddle.ones([2, 3])) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
    assert made.recording is not None
    return made.recording


STATEMENTS: dict[str, Callable[[list[Any]], Any]] = {
    "make": lambda all_: all_.append(paddle.ones([4])),
    "leaf": lambda all_: all_.append(paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)),
    "large": lambda all_: all_.append(paddle.zeros([100])),
    "product": lambda all_: all_.append(all_[-1] * all_[-1]),
    "view": lambda all_: all_.append(all_[-1][0:2]),
    "write": lambda all_: all_[-1].scale_(2.5),
    "write the first": lambda all_: all_[0].add_(paddle.ones([1])),
    "drop": lambda all_: all_.pop(0),
    "backward": lambda all_: all_[-1].sum().backward(),
}


@st.composite
def recordings(draw: st.DrawFn) -> Recording:
    """Programs of a few statements, refused ones included."""
    with record(title="random") as made:
        tensors: list[Any] = [paddle.ones([2])]
        for name in draw(st.lists(st.sampled_from(sorted(STATEMENTS)), min_size=1, max_size=14)):
            with contextlib.suppress(RuntimeError, IndexError, ValueError):
                STATEMENTS[name](tensors)
    assert made.recording is not None
    return made.recording


LOOKS: dict[str, Callable[[Scene, int], object]] = {
    "first picture": lambda scene, step: payload(scene, only=step),
    "picture": lambda scene, step: to_svg(scene, step),
    "text": lambda scene, step: to_text(scene, step),
    "sentence": lambda scene, step: scene.sentence(step),
    "marks": lambda scene, step: [len(group.marks) for group in scene.storages.groups if group.is_drawn(step)],
    **{name: partial(lambda name, scene, _: scene.panel(name), name) for name in PANELS},
}


@given(recordings(), st.lists(st.tuples(st.sampled_from(sorted(LOOKS)), st.integers(0, 10_000)), max_size=8))
def test_what_is_made_when_it_is_looked_at_is_what_is_made_at_once(
    recording: Recording, looks: list[tuple[str, int]]
) -> None:
    scene = scene_of(recording)
    for name, step in looks:
        LOOKS[name](scene, step % len(recording))
    whole = payload(scene)
    assert whole == payload(scene_of(recording))
    for _, number in [*looks, ("", 0)]:
        step = number % len(recording)
        same_picture(payload(scene, only=step), whole, step)


def test_the_first_picture_is_the_whole_one_at_that_step(scene: Scene) -> None:
    whole = payload(scene)
    for step in range(len(scene.recording)):
        same_picture(payload(scene, only=step), whole, step)


def test_the_first_picture_of_a_statement_is_the_whole_one_at_its_last_event(scene: Scene) -> None:
    whole = payload(scene)
    assert ("joined" in whole) == (scene.by_statement is not None)
    there = {panel["name"]: panel for panel in whole.get("joined", ())}
    for run in statements(scene.recording):
        first = payload(scene, only=run[-1], mode="line")
        assert [panel["name"] for panel in first.get("joined", ())] == [name for name in there if name != "graph"]
        graphs = [panel for panel in first["panels"] if panel["name"] == "graph"]  # there is only one in it
        for panel in [*first.get("joined", ()), *(graphs if there else ())]:
            if panel["groups"]:
                assert seen(first, panel, run[-1]) == seen(whole, there[panel["name"]], run[-1])


def same_picture(first: Json, whole: Json, step: int) -> None:
    """Checks that the first picture shows at its step what the whole shows there, at the same places."""
    assert first["only"] == step
    for name in ("title", "source", "notes", "axis", "keys", "opens"):
        assert first[name] == whole[name]
    assert [each["name"] for each in first["threads"]] == [each["name"] for each in whole["threads"]]
    assert {**whole["words"], **first["words"]} == whole["words"]
    assert whole["words"].keys() - first["words"].keys() <= WORDS_OF_ORIGINS.keys()
    assert said(first, first["steps"][step]["says"]) == said(whole, whole["steps"][step]["says"])
    assert [said(data, data["steps"][step]["detail"]) for data in (first, whole) if "detail" in data["steps"][step]][
        :1
    ] == [said(data, data["steps"][step]["detail"]) for data in (whole, first) if "detail" in data["steps"][step]][:1]
    for one, other in zip(first["steps"], whole["steps"], strict=True):
        apart = {"says": 0, "detail": 0, "whole": 0, "marked": 0, "fixes": 0}
        assert {**other, **one, **apart} == {**other, **apart}
        fixes = (
            [[(said(data, fix["says"]), fix["lines"]) for fix in step.get("fixes", ())]]
            for data, step in ((first, one), (whole, other))
        )
        assert next(fixes) == next(fixes)
    panels = {panel["name"]: panel for panel in whole["panels"]}
    assert [panel["name"] for panel in first["panels"]] == list(panels)
    shown = [panel for panel in first["panels"] if panel["groups"]]
    assert "storages" in [panel["name"] for panel in shown] or not panels["storages"]["groups"]
    for panel in shown:
        there = panels[panel["name"]]
        assert (panel["width"], panel["height"]) == (there["width"], there["height"])
        assert said(first, at(panel["says"], step)) == said(whole, at(there["says"], step))
        assert seen(first, panel, step) == seen(whole, there, step)


def said(sent: Json, position: int | None) -> Any:
    return None if position is None else sent["said"][position]


def at(runs: list[int], step: int) -> int | None:
    """The value at a step in [step, value, step, value, ...]; None before the first."""
    values = [value for since, value in zip(runs[::2], runs[1::2], strict=True) if since <= step]
    return values[-1] if values else None


def is_drawn(group: Json, step: int) -> bool:
    if group.get("folded") or not group["first"] <= step <= group["last"]:
        return False
    if "open" not in group:
        return True
    edges: list[int] = []
    for distance in group["open"]:
        edges.append(distance + (edges[-1] if edges else 0))
    return any(first <= step <= last for first, last in zip(edges[::2], edges[1::2], strict=True))


def seen(sent: Json, panel: Json, step: int) -> list[Any]:
    """What a reader sees of a panel at a step: the places of its groups, and their marks with their looks in words."""
    found = []
    table = (
        group for group in panel.get("table", []) if not group.get("key", "").startswith("s")
    )  # its rows are closed
    for group in [*panel["groups"], *table]:
        if is_drawn(group, step):
            place = {key: group.get(key) for key in ("x", "y", "width", "height", "key", "row", "memory", "cards")}
            marks = [mark for mark in (look(sent, mark, step) for mark in group["marks"]) if mark]
            found.append([place, marks])
    return found


def look(sent: Json, mark: list[Any], step: int) -> list[Any] | None:
    tag, place, *more = mark  # a mark that is never shown has no runs
    runs, *rest = more or [[]]
    found = at(runs, step)
    if found is None or found < 0:
        return None
    style, words, moves = [*sent["looks"][found], -1, -1][:3]
    others = (said(sent, words) if words >= 0 else None, sent["moves"][moves] if moves >= 0 else None)
    return [tag, place, sent["styles"][style], *others, *rest]


# --- what is sent with a widget ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turns", [1, 8, 30])
def test_a_widget_adds_at_most_40_kb_to_a_notebook(turns: int) -> None:
    recording = training(turns)
    for step in (0, len(recording) // 2, -1):
        view = Stepper(recording, step=step)
        state = {name: value for name, value in view.get_state().items() if name != "_esm"}
        assert len(view._payload) <= MOST_BYTES
        assert len(view._static_copy()["text/html"].encode()) <= MOST_BYTES_OF_COPY
        assert len(json.dumps([state, view._static_copy()], default=str).encode()) <= 40_000


@pytest.mark.parametrize("count", [90, 300])
def test_of_many_storages_the_first_picture_has_the_table_without_its_lines(count: int) -> None:
    with paddle.record("many storages") as run:
        kept = [paddle.full([2], float(k)) for k in range(count)]
    assert run.recording is not None
    view = Stepper(run.recording, step=count - 1, mode="event")
    (storages,) = (panel for panel in json.loads(unpacked(view._payload))["panels"] if panel["name"] == "storages")
    assert len(view._payload) <= MOST_BYTES
    assert len(kept) == count
    keys = [group.get("key", "") for group in storages["table"]]
    assert keys[0] == "o0"
    assert not any(key.startswith("s") for key in keys)


def test_a_small_recording_travels_whole(sample: Callable[[str], Recording]) -> None:
    view = Stepper(sample("lesson"))
    assert "only" not in json.loads(unpacked(view._whole))
    assert (view._payload == view._whole) == (len(view._whole) <= MOST_BYTES)


def test_the_whole_is_sent_when_the_player_asks_and_is_not_part_of_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    view = Stepper(training(8), step=3)
    assert json.loads(unpacked(view._payload))["only"] == 3
    sent: list[Any] = []
    monkeypatch.setattr(View, "send", lambda _, content: sent.append(content))
    view._handle_custom_msg({"want": "something else"}, [])
    assert sent == []
    view._handle_custom_msg({"want": "whole"}, [])
    ((name, packed),) = sent[0].items()
    assert name == "whole"
    assert json.loads(unpacked(packed)) == json.loads(json.dumps(payload(scene_of(view.recording), view.questions)))
    assert packed not in view.get_state().values()


def test_of_a_very_long_recording_the_panels_below_are_sent_before_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inplacelab_widgets.stepper.MANY_STEPS", 20)
    view = Stepper(training(8), step=30, mode="event")
    sent: list[Any] = []
    monkeypatch.setattr(View, "send", lambda _, content: sent.append(json.loads(unpacked(content["whole"]))))
    for _ in range(2):
        view._handle_custom_msg({"want": "whole"}, [])
    first = json.loads(unpacked(view._payload))
    drawn = [[panel["name"] for panel in each["panels"] if panel["groups"]] for each in (first, *sent)]
    assert drawn[0] == ["storages"]
    assert set(drawn[1]) > {"storages"}
    assert [each.get("only") for each in sent] == [30, None, None], "once it is there, the whole alone is sent"


def test_its_steps_are_those_of_the_recording() -> None:
    recording = training(8)
    first = payload(scene_of(recording), only=0)
    ends = [bool(step.get("ends")) for step in first["steps"]]
    lines = [step.line for step in recording.steps]
    assert [step["line"] for step in first["steps"]] == lines
    assert all(end for end, (here, after) in zip(ends, pairwise(lines), strict=False) if here != after)


@pytest.mark.parametrize(
    ("panels", "seen"),
    [
        (("code", *PANELS), {"storages", "graph"}),
        (("storages", "lanes", "memory"), {"storages", "lanes", "memory"}),
        (("memory", "elements"), {"memory"}),
        (("elements",), {"elements"}),
        (("code",), set()),
    ],
)
def test_the_pane_that_opens_is_drawn(panels: tuple[str, ...], seen: set[str]) -> None:
    first = payload(scene_of(training(2)), panels=panels, only=40)
    assert {panel["name"] for panel in first["panels"] if panel["groups"]} == seen
