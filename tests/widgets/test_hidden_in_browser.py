"""Tests in Chromium that no step of a notebook's stepper hides what it is about: the tensor that it writes, its base, and a stale one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording import Recording, load
from inplacelab.recording.queries import changes_nothing, stale
from inplacelab.recording.recording import State
from inplacelab_widgets import to_html
from tests.in_browser import open_page, until_still
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
IN_SIGHT = """() => {
  const pane = document.querySelector('.ipl-storages').getBoundingClientRect();
  const isInside = (box) => box.width > 0 && box.top >= pane.top - 2 && box.bottom <= pane.bottom + 2
    && box.left >= pane.left - 2 && box.right <= pane.right + 2;
  const inside = (name) => [...document.querySelectorAll(`.ipl-storages ${name}`)]
    .filter((mark) => mark.dataset.k && mark.getClientRects().length && isInside(mark.getBoundingClientRect()))
    .map((mark) => mark.dataset.k.split(' ')[0]);
  return [inside('.ipl-chip'), inside(':is(.ipl-written, .ipl-unchanged, .ipl-around, .ipl-inked)')];
}"""


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
        chips, written = map(set, page.evaluate(IN_SIGHT))
        tensors, storages = about(state)
        found += [(state.step.index, missing) for missing in (tensors - chips) | (storages - written)]
        for node, saved in stale(state):
            names = {
                f"t{key}"
                for key, each in state.tensors.items()
                if each.storage == saved.storage and state.called(key).bound
            }
            if names and not state.nodes[node].released and not names & chips:
                found.append((state.step.index, f"stale on s{saved.storage}"))
    return found


@pytest.mark.parametrize("name", sample([*SAMPLES, *(each.stem for each in GOLDEN)], one_in=choose(6, 3, 1)))
def test_no_step_hides_what_it_is_about(
    chromium: Any, tmp_path: Path, sample: Callable[[str], Recording], name: str
) -> None:
    recording = sample(name) if name in SAMPLES else load(next(each for each in GOLDEN if each.stem == name))
    to_html(recording, tmp_path / "page.html", language="en")
    page = chromium.new_page(viewport={"width": 864, "height": 720})
    open_page(page, tmp_path / "page.html")
    # As in JupyterLab on a laptop, where an output is 848 px wide.
    page.evaluate(
        "() => { document.querySelector('.ipl').classList.remove('ipl-standalone'); dispatchEvent(new Event('resize')) }"
    )
    until_still(page)
    assert hidden(page, recording) == []
    page.close()
