"""The edges of the graph are called by the learner's names."""

from __future__ import annotations

from inplacelab.recording.naming import edge_names
from tests.recorders.golden.renew import run

START = "x = paddle.to_tensor([1., 2.], stop_gradient=False)\ny = paddle.to_tensor([3., 4.], stop_gradient=False)\n"


def named(text: str) -> list[tuple[str, str, str]]:
    """From which node, to which node, and whose gradient goes there."""
    recording = run(START + text).recording
    nodes = {key: node.name for step in recording.steps for key, node in step.nodes if node is not None}
    return [(nodes[a], nodes[b], passed.name) for (a, b), passed in edge_names(recording).items()]


def test_an_operand_is_called_by_its_name_and_not_by_its_place() -> None:
    assert named("a = y * x\n") == [
        ("MultiplyGradNode", "GradNodeAccumulation", "y"),
        ("MultiplyGradNode", "GradNodeAccumulation", "x"),
    ]


def test_what_has_no_name_is_left_out() -> None:
    assert named("a = (x * 2).exp()\n") == [("ScaleGradNode", "GradNodeAccumulation", "x")]


def test_the_name_is_that_of_the_time() -> None:
    edges = named("h = x * 2\nb = h.exp()\nh = b * y\n")
    assert edges[:2] == [("ScaleGradNode", "GradNodeAccumulation", "x"), ("ExpGradNode", "ScaleGradNode", "h")]
    assert ("MultiplyGradNode", "ExpGradNode", "b") in edges


def test_a_base_that_is_written_through_a_view_goes_by_its_own_name() -> None:
    assert ("CopySlices", "ScaleGradNode", "base") in named("base = x * 2\nv = base[0]\nv.sin_()\n")
