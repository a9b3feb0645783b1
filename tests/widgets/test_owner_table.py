"""Tests the table of all storages by owner: what belongs where, what its cells say, and that rows open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab.recording.statements import by_statement
from inplacelab_widgets import to_html
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.owner_table import MOST_VARIABLES, Home, owners
from tests.in_browser import open_page
from tests.recorders.runs import run

TRAINING = """
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
batch = torch.randn(5, 3)
part = batch[:2]
for _ in range(2):
    loss = net(batch).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


@pytest.fixture(scope="module")
def training() -> Recording:
    pytest.importorskip("torch")
    return run(TRAINING, "torch").recording


def rows_at(recording: Recording, step: int) -> dict[str, dict[str, str]]:
    """Returns what the cells of each row say at a step, with their styles."""
    found: dict[int, dict[str, str]] = {}
    labels: dict[int, str] = {}
    for group in scene_of(recording).storages.table:
        assert group.row is not None
        looks = [look for mark in group.marks if mark.tag == "text" and (look := mark.at(step))]
        said = [look.text.en if isinstance(look.text, Text) else str(look.text) for look in looks]
        if group.key.startswith("o") and said:
            labels[group.row] = said[0]
        elif not group.key:
            found.setdefault(group.row, {}).update({each: look.style for each, look in zip(said, looks, strict=True)})
    return {label: found.get(row, {}) for row, label in labels.items()}


def test_a_module_owns_its_parameters_their_gradients_and_what_the_optimizer_remembers(training: Recording) -> None:
    rows = rows_at(training, len(training) - 1)
    assert [*rows] == ["net.0", "net.2", "variables", "held by backward", "temporaries"]
    assert [said.partition(" v")[0] for said in rows["net.0"]] == ["weight", "bias", "2 gradients", "2 momentum"]
    assert {"batch, part v0", "loss v0"} <= {*rows["variables"]}


def test_a_statement_says_at_a_glance_what_it_wrote(training: Recording) -> None:
    joined = by_statement(training)
    rows = rows_at(joined, len(joined) - 1)
    for module in ("net.0", "net.2"):
        wrote = [said for said, style in rows[module].items() if "wrote" in style]
        assert wrote[:2] == ["weight v2→v3", "bias v2→v3"]
        assert wrote[2].startswith("2 momentum v")
        assert "wrote" not in rows[module]["2 gradients"]


def test_a_part_of_the_variables_that_have_no_cell_is_counted() -> None:
    names = [f"v{k}" for k in range(MOST_VARIABLES + 3)]
    program = "import inplacelab as paddle\n" + "".join(f"{name} = paddle.zeros([1])\n" for name in names)
    recording = run(program, "inplacelab").recording
    joined = by_statement(recording)
    marks = (mark for group in scene_of(joined).storages.table for mark in group.marks if mark.tag == "text")
    said = [look.text for mark in marks if (look := mark.at(len(joined) - 1))]
    assert Text("1/3 more new", "另外 3 个中的 1 个 新") in said


def test_what_only_backward_holds_has_a_row_and_what_is_stale_is_in_alarm(training: Recording) -> None:
    forward = next(step.index for step in training.steps if step.op == "mean")
    (held,) = rows_at(training, forward)["held by backward"]
    assert held.endswith(("storage", "storages", "new"))
    stale = run(
        TRAINING.replace("    opt.zero_grad()", "    net[2].weight.data, _ = 0, net[2].weight.detach().zero_()"),
        "torch",
    )
    rows = rows_at(stale.recording, len(stale.recording) - 1)
    assert any("alarm" in style and "✗" in said for said, style in rows["net.2"].items())


def test_many_modules_are_folded() -> None:
    net = [Home(("net", "layers", str(k), part), "weight") for k in range(12) for part in ("q", "k", "v")]
    ends = [Home(("net", "embed"), "weight"), *net, Home(("net", "head"), "weight")]
    labels = [row.label for row in dict.fromkeys(owners(ends).values())][:-3]
    assert labels == ["net.embed", "net.layers.0 … net.layers.11 ×12", "net.head"]
    few = [home for home in ends if home.owner[-2] in ("net", "0")]
    assert [*dict.fromkeys(row.label for row in owners(few).values())][:-3] == [
        "net.embed",
        *(f"net.layers.0.{part}" for part in "qkv"),
        "net.head",
    ]


OPEN = "() => [...document.querySelectorAll('.ipl-storages svg:not([data-away]) g[data-table]:not([hidden]) > text')]"
OPEN += ".map((line) => line.textContent).filter((said) => / float32 /.test(said))"


@pytest.mark.browser
def test_a_row_opens_and_closes(chromium: Any, tmp_path: Path, training: Recording) -> None:
    (tmp_path / "page.html").write_text(to_html(training), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    open_page(page, tmp_path / "page.html", "")
    head = page.locator(".ipl-storages svg:not([data-away]) g[data-table] > rect[data-k='o0']")
    label = head.locator('xpath=../*[name()="text"][1]')
    place = label.bounding_box()
    assert page.evaluate(OPEN) == []
    head.click()
    lines = page.evaluate(OPEN)
    assert [line.split()[0] for line in lines][:2] == ["weight", "bias"]
    assert len(lines) == 6
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(OPEN), "it stays open"
    assert label.bounding_box() == place, "nothing jumps"
    page.locator(".ipl-storages").focus()
    for _ in range(30):
        if head.get_attribute("data-here") is None:
            page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    assert page.evaluate(OPEN) == []
