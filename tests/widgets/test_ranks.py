"""Tests of several ranks side by side: the axis, what is said, and what is drawn of what differs."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from inplacelab.lessons import recorded
from inplacelab.recording import Recording
from inplacelab.recording.ranks import align_ranks, compared
from inplacelab_widgets import show_ranks
from inplacelab_widgets.side_by_side.exports import ranks_html_of, ranks_svg_of, ranks_text_of
from inplacelab_widgets.side_by_side.payload import ranks_payload
from inplacelab_widgets.side_by_side.ranks import RanksScene, ranks_scene
from inplacelab_widgets.side_by_side.ranks_picture import ranks_panel, ranks_said

NAMES = ("shared", "extra", "fixed", "quiet", "uneven", "alone", "together")


def of(name: str) -> list[Recording]:
    return [recorded(f"{name}-rank{rank}") for rank in range(2)]


def scene_of(name: str) -> RanksScene:
    return ranks_scene(of(name))


@pytest.mark.parametrize("name", NAMES)
def test_every_step_of_every_rank_has_one_position_in_order(name: str) -> None:
    recordings = of(name)
    alignment = align_ranks(recordings)
    for rank, recording in enumerate(recordings):
        steps = [here[rank] for here in alignment.positions if here[rank] is not None]
        assert steps == list(range(len(recording)))
    assert all(any(step is not None for step in here) for here in alignment.positions)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_collective_stands_at_one_position(name: str) -> None:
    alignment = align_ranks(of(name))
    numbers = [each.number for each in alignment.links]
    assert numbers == sorted(set(numbers))
    for link in alignment.links:
        assert link.ranks == (0, 1)
        for rank, step in enumerate(alignment.positions[link.position]):
            assert step is not None
            facts = alignment.recordings[rank].steps[step].collective
            assert facts is not None
            assert (facts.name, facts.number) == (link.name, link.number)


def test_equal_programs_are_aligned_step_by_step() -> None:
    for name in ("shared", "fixed", "quiet", "together"):
        assert all(None not in here for here in align_ranks(of(name)).positions), name


def test_recordings_of_other_ranks_or_without_steps_are_refused() -> None:
    first, second = of("shared")
    with pytest.raises(ValueError, match="in the order of the ranks"):
        align_ranks([second, first])
    with pytest.raises(ValueError, match="at least one step"):
        align_ranks([first, replace(second, steps=())])
    with pytest.raises(ValueError, match="at least two ranks"):
        show_ranks([first])
    with pytest.raises(ValueError, match="at least one step"):
        compared([])


def test_it_opens_where_parameters_begin_to_differ() -> None:
    scene = scene_of("extra")
    (position,) = scene.drifting
    assert scene.key_position == position
    step = scene.alignment.positions[position][1]
    assert step is not None
    assert scene.scenes[1].recording.steps[step].op == "clip_"
    assert scene.alignment.positions[position][0] is None
    assert scene.told(position).clause.en == "`layer.weight` drifts apart here"
    waiting = scene.waiting(position, 0)
    assert waiting is not None
    assert waiting.zh == "进程 0 此时没有对应的步骤。"


def test_without_collectives_it_opens_at_the_last_write_of_other_values() -> None:
    scene = scene_of("alone")
    for rank, mean in enumerate((1, 3)):
        step = scene.alignment.positions[scene.key_position][rank]
        assert step is not None
        state = scene.scenes[rank].recording.state(step)
        assert [state.tensors[each.tensor].names for each in state.step.writes] == [("mean",)]
        assert state.storage_of("mean").values == (mean,)


def test_it_opens_at_the_last_collective_where_parameters_are_the_same() -> None:
    scene = scene_of("together")
    assert scene.key_position == scene.alignment.links[-1].position


def test_only_what_differs_is_outlined() -> None:
    scene = scene_of("extra")
    position = scene.key_position
    assert scene.outlines(position - 1, 0) == scene.outlines(position - 1, 1) == ()
    for rank in scene.ranks:
        (outline,) = scene.outlines(position, rank)
        group = scene.scenes[rank].storages.groups[outline.group]
        assert group.key == f"s{scene.scenes[rank].recording.state().tensor('layer.weight').storage}"
        assert outline.around.count("M") == 2, "slot 1, and the version; slot 0 is the same on both ranks"
    assert all(scene_of("shared").outlines(k, 0) == () for k in range(len(scene_of("shared").alignment.positions)))


def test_ranks_that_raise_are_said_to() -> None:
    scene = scene_of("uneven")
    assert scene.conclusion.en == "both ranks: `RuntimeError`"
    assert "Collective 1 is not the same on all ranks" in ranks_text_of(scene, "en")
    assert ranks_said(scene, scene.key_position, "zh").count("两个进程：RuntimeError。") == 1
    drawn = [text for text in ET.fromstring(ranks_svg_of(scene, "en")).itertext() if text.startswith("both ranks")]
    assert drawn[1:] == ["both ranks: RuntimeError"], "once in the picture, after its description"
    assert scene_of("alone").conclusion.en == "No collective links the 2 ranks"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_pictures_pages_and_text_are_whole(name: str, language: str) -> None:
    scene = scene_of(name)
    ET.fromstring(ranks_svg_of(scene, language))
    assert scene.title in ranks_html_of(scene, language)
    panel = ranks_panel(scene)
    drawn = [mark for group in panel.groups for mark in group.marks]
    bars = [mark for mark in drawn if mark.runs[0][1] is not None and mark.runs[0][1].style == "lane"]
    assert len(bars) == len(scene.alignment.links)
    payload = ranks_payload(scene)
    assert len(payload["steps"]) == len(scene.alignment.positions)
    assert [len(step["at_sides"]) for step in payload["steps"]] == [2] * len(payload["steps"])
    assert ranks_text_of(scene, language).count("\n") >= 2


def test_the_widget_shows_what_the_scene_has() -> None:
    view = show_ranks(of("extra"))
    assert view.step == scene_of("extra").key_position
    assert view.conclusion == "`layer.weight` is not the same on all ranks"
    assert repr(view) == f"RanksView('extra', ranks=2, steps={view.n_steps}, step={view.step})"
    assert "data:image/svg+xml" in view._static_copy()["text/html"]
