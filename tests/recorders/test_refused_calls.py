"""Tests that a recording knows the tensors of a refused operation, and that pictures show them."""

from __future__ import annotations

import pytest

from inplacelab.recorders.detection import is_installed
from inplacelab.recording import queries
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.svg import stack_of
from inplacelab_widgets.scene.tensor_cards import tensor_roles
from tests.recorders.runs import run

pytestmark = pytest.mark.filterwarnings("ignore")  # from PaddlePaddle itself
MANY = "".join(f"z{k} = {{lab}}.ones([16])\n" for k in range(12))
"""More storages than a picture has room for."""

REFUSED = {
    "inplacelab": ("import inplacelab as lab", "a = lab.ones([3])", "a.add_(1.)", ["a"]),
    "shapes": ("import inplacelab as lab", "a, b = lab.ones([2, 3]), lab.ones([4])", "a[0].add_(b)", ["a", "b"]),
    "keywords": ("import inplacelab as lab", "a, b = lab.ones([2, 3]), lab.ones([4])", "c = lab.add(x=a, y=b)", ["a", "b"]),
    "a leaf": ("import inplacelab as lab", "a = lab.ones([3])\na.stop_gradient = False", "a.zero_()", ["a"]),
    "in a list": ("import inplacelab as lab", "a, b = lab.ones([3]), lab.ones([2, 2])", "c = lab.concat([a, b])", ["a", "b"]),
    "in a function": ("import inplacelab as lab", "a = lab.ones([3])\ndef f(x):\n    x.add_(1.)", "f(a)", ["a"]),
    "torch": ("import torch as lab", "a, b = lab.ones([2, 3]), lab.ones([4])", "a[0].add_(b)", ["a", "b"]),
    "torch leaf": ("import torch as lab", "a = lab.ones([3], requires_grad=True)\nv = a[1:]", "v.mul_(2)", ["v"]),
    "paddle": ("import paddle as lab", "a, b = lab.ones([2, 3]), lab.ones([4])", "a[0].add_(b)", ["a", "b"]),
    "numpy": ("import numpy as lab", "a, b = lab.ones((2, 3)), lab.ones(4)", "a[0] += b", ["a", "b"]),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_the_operands_of_a_refused_operation_are_shown(case: str) -> None:
    use, before, refused, operands = REFUSED[case]
    framework = use.split()[1]
    if not is_installed(framework):
        pytest.skip(f"needs {framework}")
    source = f"{use}\n{before}\n{MANY.format(lab='lab')}{refused}\n"
    recording = run(source, framework).recording
    last = recording.steps[-1]
    assert last.error is not None
    state = recording.before(last.index)
    found = queries.refused_operands(recording, last.index)
    assert {name.rpartition(".")[2] for key in found for name in state.tensors[key].names} >= {*operands}
    assert all(tensor_roles(recording)[key][last.index] == "refused" for key in found[:2])
    scene = scene_of(recording)
    groups = {group.key for group, _, _ in stack_of(scene.storages, last.index)[0] if group in scene.storages.groups}
    assert {f"s{state.tensors[key].storage}" for key in found} <= groups


def test_an_error_of_the_program_itself_has_no_operands() -> None:
    recording = run("a = paddle.ones([3])\nb = a * 2\nraise ValueError('no')\n", "inplacelab").recording
    assert recording.steps[-1].error is not None
    assert queries.refused_operands(recording, len(recording) - 1) == ()


def test_an_error_that_is_caught_is_not_taken_for_a_later_one() -> None:
    pytest.importorskip("torch")
    source = "a, b = torch.ones(3), torch.ones(4)\ntry:\n    a.add_(b)\nexcept RuntimeError:\n    pass\nraise ValueError('no')\n"
    recording = run(source, "torch").recording
    assert recording.steps[-1].inputs == ()
