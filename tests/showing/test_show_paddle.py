"""Tests `inplacelab.show` of PaddlePaddle's tensors, against what Paddle says of them."""

from __future__ import annotations

from typing import Any

import pytest

paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")

from inplacelab import show  # noqa: E402
from inplacelab_widgets.shown_tensors import look_svg, look_text  # noqa: E402
from tests.showing.looks import looked, state_of  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]


def program(*, written: bool = True) -> dict[str, Any]:
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    w = paddle.ones([2, 3])
    w.stop_gradient = False
    h = (w * x).exp()
    d = h.detach()
    y = (h * h).sum()
    if written:
        x.add_(paddle.ones([2, 3]))
    return {"x": x, "w": w, "h": h, "d": d, "y": y}


def test_what_is_shown_is_what_paddle_says() -> None:
    tensors = program()
    state = state_of(**tensors)
    for name, tensor in tensors.items():
        facts = state.tensor(name)
        assert (facts.shape, facts.strides, facts.offset) == (
            tuple(tensor.shape), tuple(tensor.strides) if tensor.shape else (), tensor.offset // 4,
        )  # fmt: skip
        assert state.version(facts) == tensor.inplace_version
        assert facts.needs_gradient is not tensor.stop_gradient
        for other, its in tensors.items():
            assert (facts.storage == state.tensor(other).storage) == (tensor.data_ptr() == its.data_ptr())
    assert {node.name for node in state.nodes.values()} >= {"ExpGradNode", "MultiplyGradNode", "GradNodeAccumulation"}


def test_looking_changes_nothing() -> None:
    looked_at, other = program(written=False), program(written=False)
    versions = {name: each.inplace_version for name, each in looked_at.items()}
    random = paddle.get_rng_state()[0].current_seed()
    looked(**looked_at)
    assert {name: each.inplace_version for name, each in looked_at.items()} == versions
    assert paddle.get_rng_state()[0].current_seed() == random
    assert looked_at["w"].grad is None
    gradients = []
    for each in (looked_at, other):
        each["y"].backward()
        gradients.append(each["w"].grad.tolist())
    assert gradients[0] == gradients[1]


def test_it_does_not_say_that_nodes_keep_nothing() -> None:
    recording = looked(**program())
    text = look_text(recording, "en")
    assert "does not show what grad nodes have saved" in text
    assert "keeps nothing" not in text + look_svg(recording, "en")
    assert "does not show" not in look_text(looked(x=paddle.ones([2])), "en")


def test_layers_and_optimizers() -> None:
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.ReLU())
    opt = paddle.optimizer.Adam(parameters=net.parameters())
    net(paddle.ones([1, 2])).sum().backward()
    opt.step()
    found = {each for tensor in state_of(net=net, opt=opt).tensors.values() for each in tensor.names}
    assert {"net.0.weight", "net.0.bias", "opt.moment1[0]"} <= found
    assert "opt.parameters[0]" in {each for tensor in state_of(opt=opt).tensors.values() for each in tensor.names}


def test_unusual_tensors(capsys: pytest.CaptureFixture[str]) -> None:
    unusual = {
        "empty": paddle.zeros([0, 2]), "complex": paddle.ones([2], "complex64"), "truths": paddle.ones([2], "bool"),
        "brain": paddle.ones([5000], "bfloat16"), "scalar": paddle.to_tensor(1.0),
    }  # fmt: skip
    assert {each for tensor in state_of(**unusual).tensors.values() for each in tensor.names} == {*unusual}
    sparse, x = paddle.eye(2).to_sparse_coo(2), paddle.ones([2])
    with pytest.raises(ValueError, match="Not shown: `sparse`"):
        show(sparse)
    show(x, sparse)
    assert "Not shown: sparse." in capsys.readouterr().out
