"""What Paddle's nodes save, measured: each expression is run again for each tensor, with the tensor's version raised before backward."""

from __future__ import annotations

from typing import Any

import pytest

from tests.subtests import for_each
from tests.tiers import choose, sample

paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")

from tests.recorders.paddle_runs import remarks, run  # noqa: E402  # it needs PaddlePaddle

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

BEFORE = """\
import paddle.nn.functional as F
a = paddle.to_tensor([[0.3, 0.7], [0.2, 0.6]], stop_gradient=False)
b, c, d = a * 1.0, a * 1.0 + 0.001, a * 1.0 + 0.002
index, mask = paddle.to_tensor([1, 0]), paddle.to_tensor([[True, False], [False, True]])
"""
UNARY = (
    "abs", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "digamma", "erf", "erfinv", "exp", "expm1",
    "floor", "i0", "i0e", "i1", "lgamma", "log", "log10", "log1p", "log2", "logit", "logcumsumexp", "logsumexp", "max", "min", "amax",
    "amin", "prod", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "stanh", "sum", "mean", "tan",
    "tanh", "trunc", "cumsum", "cumprod", "norm", "flatten", "t", "trace", "diagonal", "clone", "neg", "frac",
)  # fmt: skip
FUNCTIONAL = (
    "relu", "relu6", "elu", "celu", "selu", "gelu", "silu", "swish", "mish", "softplus", "softsign", "softshrink", "hardshrink",
    "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_sigmoid", "tanhshrink", "thresholded_relu", "softmax", "log_softmax",
    "sigmoid", "tanh", "normalize",
)  # fmt: skip
BINARY = (
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "fmax", "fmin", "atan2", "matmul", "dot", "outer", "remainder",
    "kron", "dist", "copysign", "heaviside",
)  # fmt: skip
IN_PLACE = (
    "exp_", "relu_", "sigmoid_", "tanh_", "sqrt_", "rsqrt_", "reciprocal_", "sin_", "cos_", "square_", "abs_", "zero_", "cumsum_",
    "log_", "flatten_", "squeeze_",
)  # fmt: skip
EXPRESSIONS = (
    *(f"b.{name}()" for name in UNARY), *(f"F.{name}(b)" for name in FUNCTIONAL), *(f"paddle.{name}(b, c)" for name in BINARY),
    *(f"b.{name}()" for name in IN_PLACE if name != "relu_"), "F.relu_(b)", "F.softmax_(b)", "F.elu_(b)", "b.add_(c)", "b.subtract_(c)",
    "b.multiply_(c)", "b.divide_(c)", "b.remainder_(c)", "b.copysign_(c)", "b.pow_(2.0)", "b.scale_(2.0)", "b.clip_(0.25, 0.65)",
    "b * 2", "2 / b", "b / 2", "b ** 2", "b ** c", "2 - b", "b * c", "b / c", "b @ c", "-b", "b % c", "b[0]", "b[index]", "b[mask]",
    "b.__setitem__(0, c[0]) or b", "b.__setitem__(0, 1.0) or b", "b.__setitem__(index, 1.0) or b", "b.__setitem__(index, c) or b", "b.__setitem__(mask, 1.0) or b",
    "b.__setitem__(mask, c[0, 0]) or b", "paddle.gather(b, index)", "paddle.scatter(b, index, c)",
    "paddle.masked_fill(b, mask, 0.0)", "paddle.masked_select(b, mask)", "paddle.where(mask, b, c)", "paddle.concat([b, c])",
    "paddle.stack([b, c])", "paddle.split(b, 2)[0]", "b.reshape([4])", "b.transpose([1, 0])", "b.unsqueeze(0)", "b.expand([3, 2, 2])",
    "b.tile([2, 1])", "b.clip(0.25, 0.65)", "b.astype('float64')", "b.tril()", "b.triu()", "b.roll(1)", "b.topk(1)[0]", "b.cummax(0)[0]",
    "F.linear(b, c, d[0])", "F.mse_loss(b, c)", "F.nll_loss(b, index)", "F.layer_norm(b, [2], c[0], d[0])", "paddle.lerp(b, c, 0.5)",
    "b.lerp_(c, 0.5)", "paddle.addmm(b, c, d)", "b.addmm_(c, d)", "F.max_pool2d(b.reshape([1, 1, 2, 2]), 2)", "F.kl_div(b, c)",
    "F.conv2d(b.reshape([1, 1, 2, 2]), c.reshape([1, 1, 2, 2]))", "paddle.linalg.inv(b)", "paddle.einsum('ij,jk->ik', b, c)",
    "F.binary_cross_entropy(b, c.detach())", "F.binary_cross_entropy_with_logits(b, c.detach())", "b.view([4])", "b.unbind()[0]",
    "paddle.assign(b)", "b.diff()", "F.embedding(index, b)", "b.as_strided([2], [1])", "b.std()", "b.index_add_(index, 0, c)",
    "b.T * c.T", "b[0] * c", "F.cross_entropy(b, index)", "F.dropout(b)", "paddle.bmm(b.unsqueeze(0), c.unsqueeze(0))",
    "F.group_norm(b.reshape([1, 2, 2]), 1)", "F.batch_norm(b, paddle.zeros([2]), paddle.ones([2]), c[0], d[0], training=True)",
    "F.batch_norm(b, paddle.zeros([2]), paddle.ones([2]), c[0], d[0])", "F.instance_norm(b.reshape([1, 2, 2]))",
)  # fmt: skip
NAMES = ("b", "c", "d", "r", "index", "mask")


def refused(expression: str, name: str | None) -> bool:
    """Whether backward refuses a tensor whose version was raised."""
    names: dict[str, Any] = {"paddle": paddle}
    exec(f"{BEFORE}r = {expression}", names)
    if name is not None:
        names[name]._bump_inplace_version()
    try:
        names["r"].sum().backward()
    except RuntimeError as error:
        if "expected version" in str(error):
            return True
        raise
    return False


def inferred(expression: str) -> set[str]:
    """The tensors that the recording says were saved."""
    recording = run(f"{BEFORE}r = {expression}").recording
    assert not any("is not known" in each for each in remarks(recording))
    state = recording.state()
    kept = {(each.storage, each.version) for node in state.nodes.values() for each in node.saved}
    return {name for name in NAMES if (state.tensor(name).storage, state.version(name)) in kept}


@for_each("expression", sample(EXPRESSIONS, one_in=choose(8, 3, 1)))
def test_what_nodes_save_is_what_backward_checks(expression: str) -> None:
    assert not refused(expression, None)
    assert inferred(expression) == {name for name in NAMES if refused(expression, name)}
