"""Every slope that is said is the one that the engine itself returns, row by row; those of what learners use are known."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.dependence import Dependence
from inplacelab.ops.table.depends import NOT_KNOWN, declared
from inplacelab.ops.table.row import NoFormula
from inplacelab.recording.computed_from import operand_elements
from inplacelab.recording.origins import contributions
from inplacelab.recording.origins.elements import index_of
from inplacelab.recording.origins.slopes import slope
from tests.engine.test_dependence import reported
from tests.recorders.runs import run
from tests.row_cases.each import for_each_variant
from tests.subtests import try_all


def one_hot(result: Any, element: int, leaves: list[Any]) -> list[Any]:
    """The row of the Jacobian: for each leaf the slope of one element of the result."""
    one = np.zeros(result.size, result.numpy().dtype)
    one[element] = 1
    hot = paddle.to_tensor(one.reshape(result.shape))
    found = paddle.grad([result], leaves, [hot], retain_graph=True, allow_unused=True)
    return [None if each is None else each.numpy().reshape(-1) for each in found]


@for_each_variant("ordinary", "in-place")
def test_a_slope_is_that_of_the_engine(case: Any, variant: str) -> None:  # noqa: C901  # each operand of each element
    arrays = [np.array(a) for a in case.arrays()]
    rules = case.row.rules
    wanted = [
        k
        for k, a in enumerate(arrays)
        if a.dtype.kind == "f" and rules[k] is not None and not isinstance(rules[k], NoFormula)
    ]
    if not wanted or declared(case.row) is NOT_KNOWN:
        return
    leaves = [paddle.to_tensor(a, stop_gradient=k not in wanted) for k, a in enumerate(arrays)]
    given = [leaves[0].clone() if variant == "in-place" else leaves[0], *leaves[1:]]
    known, result = reported(case, variant, given)
    depends = known.depends
    assert depends is not None
    if result.numpy().dtype.kind != "f" or depends.how == "drawn":
        return
    shapes = tuple(tuple(a.shape) for a in arrays)
    for element in range(min(result.size, 6)):
        found = operand_elements(
            depends, shapes, tuple(result.shape), element, lambda k, at: arrays[k].reshape(-1)[at].item()
        )
        jacobian = dict(zip(wanted, one_hot(result, element, [leaves[k] for k in wanted]), strict=True))
        values = [arrays[each.operand].reshape(-1)[each.element].item() for each in found or ()]
        here = index_of(tuple(result.shape), element)
        own = next((k for k, (operand, at) in enumerate(found or ()) if index_of(shapes[operand], at) == here), None)
        total: dict[tuple[int, int], float] = {}
        for k, each in enumerate(found or ()):
            said = slope(
                case.row.called or case.row.name,
                depends,
                values,
                k,
                result.numpy().reshape(-1)[element].item(),
                own=own,
            )
            if said.value is None:
                total[each] = float("nan")
            elif each in total:
                total[each] += said.value
            else:
                total[each] = said.value
        for (operand, at), said_value in total.items():
            if operand in jacobian and not np.isnan(said_value):
                truth = 0.0 if jacobian[operand] is None else jacobian[operand][at]
                assert said_value == pytest.approx(truth, rel=1e-3, abs=1e-5), (operand, at, values)


def test_slopes_are_written_as_they_are_computed() -> None:
    line = Dependence("whole", (0,))
    assert slope("softmax", line, [0.0, 0.0], 0, 0.5, own=0).written == "0.5 · (1 - 0.5)"
    assert slope("softmax", line, [0.0, 0.0], 1, 0.5, own=0).value == -0.25
    assert slope("norm", Dependence("reduced", (0,)), [3.0, 4.0], 0, 5.0).written == "3 / 5"
    assert slope("std", Dependence("reduced", (0,)), [1.0, 3.0], 1, 2**0.5).value == pytest.approx(2**-0.5)


@pytest.mark.parametrize("equation", ["i,i,i->", "i,i,ij->j", "i,ij,j->i", "ij,jk,ki->"])
def test_each_factor_of_a_longer_product_counts(equation: str) -> None:
    leaves = "".join(
        f"{name} = paddle.to_tensor({[1.5, -2.0, 3.0] if len(term) == 1 else [[1.5, 2.0, 3.0], [0.5, 4.0, -1.0], [2.5, 1.0, 2.0]]}, stop_gradient=False)\n"
        for name, term in zip("abc", equation.split("->", maxsplit=1)[0].split(","), strict=True)
    )
    program = f"import inplacelab as paddle\n{leaves}y = paddle.einsum('{equation}', a, b, c)\ny.sum().backward()\n"
    recording = run(program, "inplacelab").recording
    for name in "abc":
        found = contributions(recording, name, (1,) * len(recording.state().tensor(name).shape))
        assert found.right == pytest.approx(found.gradient)


def test_a_slope_that_does_not_explain_the_result_is_not_said() -> None:
    reduced = Dependence("reduced", (0,))
    assert slope("norm", reduced, [3.0, 4.0], 0, 6.0).value is None  # with some other p
    assert slope("norm", reduced, [3.0, 4.0], 0, 7.0).value == 1.0  # p = 1
    assert slope("gelu", Dependence("pointwise"), [1.0], 0, 0.9).value is None
    assert slope("mish", Dependence("pointwise"), [1.0], 0, 0.8651).value is None  # not in the table
    assert (
        slope(
            "put_along_axis", Dependence("written", text="combined", places=(0,), values=(0,)), [2.0, 3.0], 1, 7.0
        ).value
        is None
    )


HEADS = {
    "inplacelab": "import inplacelab as paddle\nF = paddle.nn.functional\na = paddle.to_tensor([[1.3, -2.1, 3.7], [0.6, 2.4, -1.75]], dtype='float64', stop_gradient=False)\n"
                  "b = paddle.to_tensor([[0.9, 1.7, 2.65], [1.1, 0.3, 0.8]], dtype='float64')\ni = paddle.to_tensor([1, 0])\n",
    "torch": "F = torch.nn.functional\na = torch.tensor([[1.3, -2.1, 3.7], [0.6, 2.4, -1.75]], dtype=torch.float64, requires_grad=True)\n"
             "b = torch.tensor([[0.9, 1.7, 2.65], [1.1, 0.3, 0.8]], dtype=torch.float64)\ni = torch.tensor([1, 0])\n",
}  # fmt: skip
HEADS["paddle"] = HEADS["inplacelab"].replace("import inplacelab as paddle\n", "")
PROGRAMS = {
    "inplacelab": (
        "F.softmax(a) * b", "F.log_softmax(a) * b", "a.norm() * b", "a.norm(1, 1) * 2.", "a.prod(1)", "a.std(1)", "a.var()", "a.mean(0) * b[0]", "a.logsumexp(1)",
        "F.cross_entropy(a, i)", "F.mse_loss(a, b)", "F.layer_norm(a, [3]) * b", "F.gelu(a)", "F.silu(a) * b", "a.cumsum(1) * b", "a.cumprod(1)", "(a * b).sigmoid()",
        "a.clip(-1., 2.) * b", "paddle.lerp(a, b, 0.3)", "a @ b.t()", "F.linear(a, b.t())", "a.sort(1) * b", "paddle.einsum('ij,kj->ik', a, b)", "a[i] * b",
        "paddle.where(a > 1, a, b) * b", "F.pad(a, [1, 1, 0, 0]) * 2.", "F.leaky_relu(a) * b", "a.amax(1)",
    ),
    "torch": (
        "F.softmax(a, 1) * b", "F.log_softmax(a, 1) * b", "a.norm() * b", "a.norm(p=1, dim=1) * 2.", "a.prod(1)", "a.std(1)", "a.var(unbiased=False)", "a.mean(0) * b[0]",
        "a.logsumexp(1)", "F.cross_entropy(a, i)", "F.cross_entropy(a, i, reduction='sum')", "F.nll_loss(F.log_softmax(a, 1), i)", "F.mse_loss(a, b)", "F.l1_loss(a, b)",
        "F.binary_cross_entropy_with_logits(a, b)", "F.binary_cross_entropy(a.sigmoid(), b.sigmoid())", "F.layer_norm(a, (3,), b[0], b[1]) * b",
        "F.batch_norm(a, None, None, b[0], b[1], True) * b", "F.normalize(a) * b", "F.gelu(a)", "F.silu(a) * b", "F.softplus(a)", "a.cumsum(1) * b", "a.clamp(-1., 2.) * b",
        "torch.lerp(a, b, 0.3)", "F.conv2d(a[None, None], b[None, None, :, :2]) * 3.", "F.max_pool1d(a, 2, 1) * 2.", "F.avg_pool1d(a, 2, 1) * 2.", "F.linear(a, b)", "torch.sort(a, 1)[0] * b",
        "torch.einsum('ij,kj->ik', a, b)", "F.embedding(i, a) * b", "F.pad(a, (1, 1)) * 2.", "a.topk(2)[0] * 2.", "torch.addmm(b[:, :2], a, b.t(), alpha=2.)", "a.repeat(2, 1) * 2.", "F.elu(a) * b",
        "(1. + a.abs()).log1p()", "(a * a + 1.).rsqrt()", "torch.where(a > 1, a, b) * b",
        "F.dropout(a * a, 0.5) * b", "torch.median(a, 1)[0] * 2.", "F.scaled_dot_product_attention(a[None], b[None], b[None]) * b", "F.scaled_dot_product_attention(a[None], b[None], a[None], scale=0.) * b", "F.scaled_dot_product_attention(b[None], a[None], a[None]) * b",
        "F.conv_transpose2d(a[None, None], b[None, None], stride=2) * 2.", "F.conv_transpose2d(b[None, None], a[None, None]) * 2.", "torch.scatter(b, 1, i[None], a[:1, :2]) * b", "b.index_add(0, i, a) * b",
        "a.index_put((i,), b, accumulate=True) * b", "a.repeat_interleave(2, 0) * 2.", "F.interpolate(a[None], scale_factor=2) * 2.", "F.adaptive_avg_pool1d(a, 1)", "torch.einsum('i,ij,j->i', a[:, 0], a, b[0])",
        "F.scaled_dot_product_attention(a[None], b[None], b[None] * 2, is_causal=True) * 2.",
        "F.scaled_dot_product_attention(a[None], b[None], a[None], attn_mask=b[:, :2]) * 2.",
        "F.scaled_dot_product_attention(a[None], b[None], b[None] * 2, attn_mask=torch.tensor([[True, False], [True, True]])) * 2.",
        "F.scaled_dot_product_attention(a.reshape(1, 2, 1, 3), b.reshape(1, 2, 1, 3), a.reshape(1, 2, 1, 3), attn_mask=torch.tensor([[[0.]], [[-torch.inf]]]).double()) * 2.",
        "a.flip(0, 1) * 2.", "torch.rot90(a) * 2.", "a.fliplr() * 2.", "F.pixel_shuffle(torch.cat([a, b]).reshape(1, 4, 3, 1), 2) * 2.",
        "torch.diag_embed(a) * 2.", "torch.block_diag(a, b) * 2.", "torch.dstack([a, b]) * 2.", "torch.column_stack([a, b]) * 2.",
        "F.unfold(a.reshape(1, 1, 2, 3), (1, 2), padding=(0, 1)) * 2.", "F.fold(torch.cat([a, b])[:, :2].reshape(1, 4, 2), (2, 3), (2, 2)) * 2.",
        "F.interpolate(a.reshape(1, 1, 2, 3), size=(3, 5), mode='bilinear', align_corners=True) * 2.",
        "F.interpolate(a.reshape(1, 1, 2, 3), size=(3, 4)) * 2.", "F.adaptive_avg_pool1d(a[None], 2) * 2.", "F.adaptive_max_pool1d(a[None], 2) * 2.",
        "torch.slice_scatter(a, b[:, :2], 1, 0, 2) * 2.", "torch.repeat_interleave(a, torch.tensor([1, 2]), 0) * 2.", "a.diff() * 2.",
        "torch.trapezoid(a, dim=1) * 2.", "torch.cartesian_prod(a[0], b[0]) * 2.", "F.pad(a, (1, 1), value=3.) * 2.",
        "F.group_norm(torch.cat([a, b])[None], 2) * 2.",
        "F.group_norm(torch.cat([a, b])[None], 2, torch.cat([a[0], b[0]])[:4], b.reshape(-1)[:4], 0.01) * 2.",
        "F.instance_norm(a[None], weight=b[0, :2], bias=b[1, :2]) * 2.", "F.rms_norm(a, (3,), b[0]) * 2.", "F.rms_norm(a, (3,), eps=0.1) * 2.",
        "F.layer_norm(a, (3,), b[0], b[1], 0.01) * 2.",
        "torch.linalg.multi_dot([a, b.t(), a]) * 2.", "torch.inner(a, b) * 2.", "torch.tensordot(a, b, dims=([1], [1])) * 2.",
        "torch.addmv(a[:, 0], a, b[0], alpha=2.) * 2.", "torch.addr(a, b[:, 0], a[1]) * 2.", "torch.addbmm(a[:, :2], a[None], b.t()[None]) * 2.",
        "torch.einsum('...i,...i->...', a, b) * 2.",
        "F.conv1d(a[None], b.reshape(1, 2, 3)[:, :, :2], padding='same') * 2.", "F.avg_pool2d(a.reshape(1, 1, 2, 3), 2, 1, 1) * 2.",
        "F.max_pool2d(a.reshape(1, 1, 2, 3), 2, return_indices=True)[0] * 2.",
        "torch.aminmax(a)[0] * 2.", "a.cummax(1)[0] * 2.", "a.kthvalue(2, 1)[0] * 2.",
        "a.index_add(0, i, b, alpha=2.) * 2.",
        "F.cross_entropy(a, torch.tensor([1, -100])) * 2.",
        "F.logsigmoid(a) * 2.", "F.gelu(a, approximate='tanh') * 2.",
        "torch.float_power(a.abs(), 2) * 2.", "torch.special.expit(a) * 2.",
    ),
    "paddle": (
        "F.softmax(a) * b", "F.log_softmax(a) * b", "a.norm() * b", "a.prod(1)", "a.std(1)", "a.var()", "a.mean(0) * b[0]", "a.logsumexp(1)", "F.cross_entropy(a, i)", "F.mse_loss(a, b)",
        "F.layer_norm(a, [3])", "F.gelu(a)", "F.silu(a) * b", "a.cumsum(1) * b", "a.cumprod(1)", "a.clip(-1., 2.) * b", "a @ b.t()", "F.linear(a, b.t())",
        "paddle.sort(a, 1) * b", "paddle.einsum('ij,kj->ik', a, b)", "F.embedding(i, a) * b", "a.tile([2, 1]) * 2.", "F.leaky_relu(a) * b", "a[i] * b",
        "F.conv2d(a.reshape([1, 1, 2, 3]), b.reshape([1, 1, 2, 3])[:, :, :, :2]) * 3.", "F.max_pool2d(a.reshape([1, 1, 2, 3]), 2, 1) * 2.",
        "paddle.nn.BatchNorm1D(3)(a.astype('float32')) * b.astype('float32')", "F.dropout(a * a, 0.5)", "paddle.median(a) * 2.", "paddle.scatter(b, i, a) * b", "paddle.index_add(b, i, 0, a) * b", "paddle.put_along_axis(a, paddle.to_tensor([[0, 2, 1]]), b[:1], 1) * b",
        "paddle.scatter_nd_add(a, paddle.to_tensor([[0], [0]]), b) * b", "F.conv2d_transpose(a.reshape([1, 1, 2, 3]), b.reshape([1, 1, 2, 3])) * 2.",
        "F.adaptive_avg_pool1d(a.unsqueeze(0), 2) * 2.", "F.adaptive_avg_pool2d(a.reshape([1, 1, 2, 3]), 1) * 2.",
        "F.adaptive_max_pool1d(a.unsqueeze(0), 1) * 2.", "F.max_pool2d(a.reshape([1, 1, 2, 3]), 2, return_mask=True)[0] * 2.",
        "F.pixel_shuffle(paddle.concat([a, b]).reshape([1, 4, 3, 1]), 2) * 2.", "F.unfold(a.reshape([1, 1, 2, 3]), 2) * 2.",
        "F.fold(paddle.concat([a, b])[:, :2].reshape([1, 4, 2]), [2, 3], [2, 2]) * 2.",
        "F.interpolate(a.reshape([1, 1, 2, 3]), size=[3, 5], mode='bilinear') * 2.", "F.interpolate(a.reshape([1, 1, 2, 3]), size=[3, 4]) * 2.",
        "paddle.rot90(a) * 2.", "paddle.trace(a[:, :2]) * 2.", "paddle.dstack([a, b]) * 2.", "paddle.block_diag([a, b]) * 2.",
        "F.pad(a.unsqueeze(0), [1, 1], mode='circular', data_format='NCL') * 2.",

        "F.group_norm(paddle.concat([a, b]).unsqueeze(0), 2, 1e-5, b.flatten()[:4], a.flatten()[:4]) * 2.",
        "F.instance_norm(a.unsqueeze(0), weight=b[0, :2], bias=b[1, :2]) * 2.",
        "F.avg_pool2d(a.reshape([1, 1, 2, 3]), 2, 1, 1, exclusive=False) * 2.",
        "F.conv2d(a.reshape([1, 1, 2, 3]), b.reshape([1, 1, 2, 3]), padding='SAME') * 2.", "paddle.add_n([a, b, a]) * 2.",
        "F.gelu(a, True) * 2.",
        "paddle.increment(a.sum()) * 2.", "paddle.cummax(a, 1)[0] * 2.",
        "a.kthvalue(2, 1)[0] * 2.",
    ),
}  # fmt: skip
"""What learners write. Each gradient must be the sum of its paths, with all slopes known."""


@pytest.mark.standard
@pytest.mark.parametrize("framework", [*PROGRAMS])
def test_every_gradient_of_a_learner_s_program_is_explained(framework: str) -> None:
    if framework != "inplacelab":
        pytest.importorskip(framework)

    def explained(expression: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = run(f"{HEADS[framework]}loss = ({expression}).sum()\nloss.backward()\n", framework, np=np)
        assert done.failure is None
        assert done.recording.steps[-1].phase == "backward", done.recording.notes  # which say why a recording stopped
        for k in range(6):
            found = contributions(done.recording, "a", index_of((2, 3), k))
            assert found.right is not None, [path for path in found.paths if path.value is None][:1]
            assert found.right == pytest.approx(found.gradient, rel=1e-3, abs=1e-5)

    try_all(explained, [(each, {"expression": each}) for each in PROGRAMS[framework]])
