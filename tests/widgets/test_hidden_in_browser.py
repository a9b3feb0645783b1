"""Tests in Chromium that no step of a notebook's stepper hides what it is about: the tensor that it writes, its base, and a stale one. A stale
one for which there is no room is in the table, in alarm. And no words are too small.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.recording import Recording, load
from inplacelab.recording.queries import changes_nothing, stale
from inplacelab.recording.recording import State
from inplacelab_widgets import to_html
from tests.in_browser import open_page, until_still
from tests.lesson_recordings import LESSONS, recordings_of
from tests.tiers import choose, sample

pytestmark = pytest.mark.browser

GOLDEN = sorted((Path(__file__).parents[1] / "recorders" / "golden").glob("*.json"))
SAMPLES = [
    "lesson",
    "stale",
    "views",
    "reallocated",
    "relayout",
    "kept_often",
    "many",
    "large",
    "really_stale",
    "really_training",
]
MOST_STEPS = 400
"""Longer recordings repeat themselves, and take minutes."""
IN_SIGHT = """() => {
  const pane = document.querySelector('.ipl-storages').getBoundingClientRect();
  const isInside = (box) => box.width > 0 && box.top >= pane.top - 2 && box.bottom <= pane.bottom + 2
    && box.left >= pane.left - 2 && box.right <= pane.right + 2;
  const inside = (name) => [...document.querySelectorAll(`.ipl-storages ${name}`)]
    .filter((mark) => mark.dataset.k && mark.getClientRects().length && isInside(mark.getBoundingClientRect()))
    .map((mark) => mark.dataset.k.split(' ')[0]);
  const stale = [...document.querySelectorAll('.ipl-storages :is([data-table] .ipl-alarm, tspan[data-k])')];
  return [inside('.ipl-chip'), inside(':is(.ipl-written, .ipl-unchanged, .ipl-around, .ipl-inked)'),
    stale.filter((mark) => isInside(mark.getBoundingClientRect())).flatMap((mark) => mark.dataset.k.split(' '))];
}"""
TOO_SMALL = """() => [...document.querySelectorAll('.ipl *')]
  .filter((each) => each.getClientRects().length && [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .filter((each) => parseFloat(getComputedStyle(each).fontSize) * (each.getScreenCTM?.().a ?? 1) < 10.99).map((each) => each.textContent)"""


def about(state: State) -> tuple[set[str], set[str]]:
    """The tensors with a name that a step must show, and the storages whose written slots it must show."""
    tensors = {write.tensor for write in state.step.writes}
    tensors |= {base for key in tensors if key in state.tensors and (base := state.tensors[key].base) is not None}
    named = {f"t{key}" for key in tensors if key in state.tensors and state.called(key).bound}
    return named, {
        f"s{write.storage}" for write in state.step.writes if write.slots and write.storage in state.storages
    }


def hidden(page: Any, recording: Recording) -> list[tuple[int, str]]:
    """What is not in sight, with the step."""
    found = []
    for state in recording.states():
        if changes_nothing(recording, state.step.index):
            continue  # the player passes over it
        number = state.step.index + 1
        page.evaluate("(number) => { location.hash = `#step=${number}` }", number)
        page.wait_for_function(
            "(number) => document.querySelector('.ipl-counter').textContent.startsWith(`${number} /`)", arg=number
        )
        until_still(page)
        chips, written, named = map(set, page.evaluate(IN_SIGHT))
        tensors, storages = about(state)
        found += [(state.step.index, missing) for missing in (tensors - chips) | (storages - written)]
        for node, saved in stale(state):
            names = {
                f"t{key}"
                for key, each in state.tensors.items()
                if each.storage == saved.storage and state.called(key).bound
            }
            if names and not state.nodes[node].released and not names & chips and f"s{saved.storage}" not in named:
                found.append((state.step.index, f"stale on s{saved.storage}"))
    return found


@pytest.mark.parametrize("name", sample([*SAMPLES, *(each.stem for each in GOLDEN)], one_in=choose(6, 3, 1)))
def test_no_step_hides_what_it_is_about(
    chromium: Any, tmp_path: Path, sample: Callable[[str], Recording], name: str
) -> None:
    recording = sample(name) if name in SAMPLES else load(next(each for each in GOLDEN if each.stem == name))
    page = chromium.new_page(viewport={"width": 864, "height": 800})
    check(page, recording, tmp_path)
    page.close()


@pytest.mark.parametrize(
    "lesson", sample(LESSONS, one_in=choose(9, 6, 1), name=attrgetter("stem")), ids=attrgetter("stem")
)
def test_no_step_of_a_lesson_hides_what_it_is_about(chromium: Any, tmp_path: Path, lesson: Path) -> None:
    page = chromium.new_page(viewport={"width": 864, "height": 800})
    recordings = recordings_of(lesson)
    assert recordings
    for recording in recordings:
        if len(recording) <= MOST_STEPS:
            check(page, recording, tmp_path)
    page.close()


def check(page: Any, recording: Recording, folder: Path) -> None:
    """Steps through a recording as in JupyterLab in a window of 1280 by 800 px, where an output is 848 px wide."""
    to_html(recording, folder / "page.html", language="en")
    open_page(page, folder / "page.html")
    page.evaluate(
        "() => { document.querySelector('.ipl').classList.remove('ipl-standalone'); dispatchEvent(new Event('resize')) }"
    )
    until_still(page)
    assert hidden(page, recording) == [], recording.source
    assert page.evaluate(TOO_SMALL) == [], recording.source


def test_a_stale_storage_without_room_is_named_in_the_table(chromium: Any, tmp_path: Path) -> None:
    run = paddle.record("stale far away")
    with run:
        a = paddle.to_tensor([1.0, 2.0])
        a.stop_gradient = False
        b = a * 2.0
        c = b.multiply(b)
        b.zero_()
        large = paddle.ones([6, 4])
        large.zero_()
    assert c.grad_fn is not None
    assert run.recording is not None
    page = chromium.new_page(viewport={"width": 864, "height": 600})
    to_html(run.recording, tmp_path / "page.html", language="en")
    open_page(page, tmp_path / "page.html", f"#step={len(run.recording)}")
    until_still(page)
    named = page.locator(".ipl-storages").get_by_text("b v1 ✗", exact=True)
    pane, name = (each.bounding_box() for each in (page.locator(".ipl-storages"), named))
    assert pane["y"] <= name["y"]
    assert name["y"] + name["height"] <= pane["y"] + pane["height"]
    page.locator(".ipl").press("Home")
    assert not named.is_visible()
    page.close()


@pytest.mark.parametrize("width", [1240, 1275, 1400, 1600])
def test_on_a_wide_page_no_words_are_too_small(
    chromium: Any, tmp_path: Path, sample: Callable[[str], Recording], width: int
) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 900})
    to_html(sample("stale"), tmp_path / "page.html", language="en")
    open_page(page, tmp_path / "page.html")
    until_still(page)
    assert page.evaluate(TOO_SMALL) == []
    page.close()
