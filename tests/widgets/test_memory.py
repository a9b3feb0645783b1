"""Tests the bytes panel: bytes from before the program, holders of live bytes, and the peak."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import inplacelab as paddle
from inplacelab.language import Text
from inplacelab.recording.recording import Recording, State
from inplacelab_widgets.scene.memory_panel import KINDS, Kind, holders, memory_panel
from inplacelab_widgets.scene.svg import Look, Mark
from inplacelab_widgets.scene.text_layout import Words


def said(recording: Recording, step: int = -1) -> list[Words | None]:
    return [look.text for _, look in marks_at(recording, step)]


def marks_at(recording: Recording, step: int) -> list[tuple[Mark, Look]]:
    at = step % len(recording)
    marks = memory_panel(recording).groups[0].marks
    return [(mark, look) for mark in marks for look in [mark.at(at)] if look is not None]


def test_bytes_from_earlier_in_the_session_do_not_count() -> None:
    earlier = paddle.zeros([1000])
    with paddle.record("after others") as run:
        x = paddle.zeros([4])
        del earlier
    assert run.recording is not None
    assert x.shape == [4]
    assert (run.recording.live_before >= 4000, run.recording.steps[0].live, run.recording.steps[0].peak) == (
        True,
        16,
        16,
    )


def kept_in_every_way() -> Recording:
    """A name, a gradient, a temporary that backward has saved, and a copy saved because of an in-place write."""
    with paddle.record("kept") as run:
        a = paddle.to_tensor([1.0, 2.0])
        a.stop_gradient = False
        (a * 2).sum().backward()
        b = a * 3
        c = (b * 2).exp().exp()
        b.multiply_(b)
    assert run.recording is not None
    assert c is not b
    return run.recording


def held_at(recording: Recording) -> list[dict[int, Kind]]:
    """The kind of holder of each live storage, after each step."""
    return [{key: kind for key, (kind, _) in each.storages.items()} for each in holders(recording)]


def looked_for(state: State) -> dict[int, Kind]:
    """The same of one state, found by looking at everything that is alive."""
    gradients = {t.grad for t in state.tensors.values() if t.grad is not None}
    found: dict[int, set[Kind]] = {key: set() for key in state.storages}
    for tensor in state.tensors.values():
        if tensor.storage in found and (tensor.names or tensor.id in gradients):
            found[tensor.storage].add("gradient" if tensor.id in gradients else "named")
    for node in state.nodes.values():
        for saved in () if node.released else node.saved:
            if saved.storage in found:
                found[saved.storage].add("copy" if saved.copy else "saved")
    order: tuple[Kind, ...] = ("gradient", "named", "copy", "saved")
    return {key: next((kind for kind in order if kind in kinds), "other") for key, kinds in found.items()}


def test_what_holds_a_storage_is_followed_from_step_to_step(recording: Recording) -> None:
    assert held_at(recording) == [looked_for(state) for state in recording.states()]


def test_each_way_of_holding_bytes_is_distinguished() -> None:
    recording = kept_in_every_way()
    last = recording.state(-1)
    held = held_at(recording)[-1]
    assert set(held.values()) == {"named", "gradient", "saved", "copy"}
    names = {t.storage: t.names for t in last.tensors.values() if t.names}
    assert {names[key] for key, kind in held.items() if kind == "gradient"} == {("a.grad",)}
    copies = {s.storage for n in last.nodes.values() if not n.released for s in n.saved if s.copy}
    assert {key for key, kind in held.items() if kind == "copy"} == copies
    styles = {look.style for _, look in marks_at(recording, -1)}
    assert {f"held held-{kind}" for kind in set(held.values())} <= styles


def test_the_bar_has_the_live_storages_in_order_and_their_bytes(recording: Recording) -> None:
    for state, held in zip(recording.states(), holders(recording), strict=True):
        bars = [
            (mark.keys, str(dict(look.attributes)["d"]))
            for mark, look in marks_at(recording, state.step.index)
            if look.style.startswith("held") and look.attributes
        ]
        lefts = {key: float(d[1:].split(" ")[0]) for keys, d in bars for key in keys}
        alive = [key for key, (_, size) in held.storages.items() if size]
        assert len(bars) == len(alive) + bool(held.beyond[1])
        assert sorted(alive, key=lambda key: lefts[f"s{key}"]) == sorted(alive)


def test_too_many_changes_are_summed_by_kind_and_that_is_said(sample: Callable[[str], Recording]) -> None:
    recording = sample("really_training")
    module: Any = import_module("inplacelab_widgets.scene.memory_panel")
    single = memory_panel(recording).groups[0].marks
    before, module.MOST_RUNS = module.MOST_RUNS, 10
    try:
        summed = memory_panel(recording).groups[0].marks
    finally:
        module.MOST_RUNS = before
    assert any(mark.keys for mark in single)
    assert not any(mark.keys for mark in summed)
    assert Text("held now, summed", "当前占用，合计") in [look.text for mark in summed for _, look in mark.runs if look]
    assert sum(bool(dict(look.attributes)) for mark in summed for _, look in mark.runs[:1] if look) <= len(KINDS) + 4


def test_no_peak_is_lost_where_many_steps_share_a_pixel() -> None:
    with paddle.record("long") as run:
        for turn in range(1500):
            x = paddle.zeros([4 if turn != 700 else 4000])
            assert x.shape[0] in (4, 4000)
    assert run.recording is not None
    area = next(m for m in memory_panel(run.recording).groups[0].marks if m.runs[0][1] == Look("area"))
    drawn = str(dict(area.place)["d"])
    assert "V9H" in drawn
    assert len(drawn) < 12 * 2 * 700
