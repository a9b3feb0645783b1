"""What recorders of PyTorch and PaddlePaddle report of the dependence of elements on elements, against changes of one input at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from inplacelab.recording.origins import origins
from inplacelab.recording.origins.back import operands_of
from inplacelab.recording.origins.elements import value_of
from tests.recorders.runs import plain, run
from tests.subtests import try_all
from tests.tiers import choose, sample

LEAVES = {
    "torch": "a = torch.tensor([[1.3, -2.1, 3.7], [0.6, 2.4, -1.75]], dtype=torch.float64)\nb = torch.tensor([[0.9, 1.7, 2.65], [1.1, 0.3, -0.8]], "
             "dtype=torch.float64)\ni = torch.tensor([1, 0])\nj = torch.tensor([[0, 2, 1]])\n",
    "paddle": "a = paddle.to_tensor([[1.3, -2.1, 3.7], [0.6, 2.4, -1.75]], dtype='float64')\nb = paddle.to_tensor([[0.9, 1.7, 2.65], [1.1, 0.3, -0.8]], "
              "dtype='float64')\ni = paddle.to_tensor([1, 0])\nj = paddle.to_tensor([[0, 2, 1]])\n",
}  # fmt: skip
EXPRESSIONS = {
    "torch": (
        "a * b", "a + 2.5", "3. - a", "a / b[0]", "a.exp()", "torch.maximum(a, b)", "a.sum()", "a.sum(1)", "a.mean(0, keepdim=True)", "a.amax(-1)", "a.max()",
        "a.prod(1)", "a.std(1)", "a @ b.t()", "a @ b[0]", "torch.dot(a[0], b[1])", "torch.outer(a[0], b[0])", "torch.addmm(b[:, :2], a, b.t())",
        "torch.nn.functional.linear(a, b, b[:, 0])", "torch.softmax(a, 1)", "a.cumsum(0)", "torch.cat([a, b])", "torch.stack([a, b], 1)", "a.flip(0)",
        "a.roll(1, 1)", "a[i]", "a[:, [2, 0]]", "a[a > 1]", "a.index_select(1, i)", "a.gather(1, j)", "torch.where(a > b, a, b)", "a.masked_fill(a > 1, 2.)",
        "a.tril()", "a.clone().add_(b)", "a.clone().mul_(2.)", "a.clone().copy_(b)", "a.clone().index_add_(0, i, b)", "a.clone().scatter_(1, j, b)",
        "a.clone().scatter_add_(1, j, b)", "a.clone().index_fill_(0, i[:1], 2.)", "a.clone().masked_fill_(a > 1, 3.)", "a.clone().tril_()",
        "a.clone().index_put_((i,), b)", "a.clone().zero_()", "a.t().reshape(-1)", "a.expand(2, 2, 3).clone()", "a.float().double()", "a.norm()",
        "a.logsumexp(1)", "a.clone().lerp_(b, 0.3)", "torch.nn.functional.cross_entropy(a, i)", "torch.nn.functional.cross_entropy(a, i, reduction='none')",
        "torch.nn.functional.mse_loss(a, b)", "torch.nn.functional.l1_loss(a, b, reduction='none')", "torch.nn.functional.nll_loss(a, i)",
        "torch.nn.functional.nll_loss(a, i, reduction='none')", "torch.nn.functional.binary_cross_entropy_with_logits(a, b)",
        "torch.nn.functional.layer_norm(a, (3,), b[0], b[1])", "torch.nn.functional.layer_norm(a, (2, 3))",
        "torch.nn.functional.batch_norm(a, None, None, b[0], b[1], True)", "torch.nn.functional.batch_norm(a, b[0], b[0].abs(), None, b[1])",
        "torch.nn.functional.conv2d(a[None, None], b[None, None, :, :2])", "torch.nn.functional.conv2d(torch.stack([a, b])[None], torch.stack([b, b * 2], 1)[:, :, None, :2], b[:, 0], 1, (1, 0))",
        "torch.nn.functional.conv1d(a, b[:, None, :2], groups=2, dilation=2)",
        "torch.nn.functional.conv1d(a, torch.stack([b, b * 2], 1)[:, :, :2], stride=1, padding=1)",
        "torch.nn.functional.max_pool1d(a, 2, 1)", "torch.nn.functional.avg_pool2d(a[None], 2, 1)", "torch.nn.functional.avg_pool1d(a, 2, 1, 1)",
        "torch.nn.functional.pad(a, (1, 2))", "torch.nn.functional.pad(a, (1, 1), 'reflect')", "torch.nn.functional.embedding(i, a)", "torch.sort(a, 1)[0]", "a.sort(0, descending=True)[0]",
        "a.topk(2)[0]", "a.topk(1, 0, largest=False)[0]", "torch.einsum('ij,kj->ik', a, b)", "torch.einsum('ij->j', a)", "torch.einsum('ij,ij', [a, b])", "torch.einsum('ii', a[:, :2])",
        "torch.add(a, b, out=torch.zeros(2, 3, dtype=torch.float64))", "torch.matmul(a, b.t(), out=torch.zeros(2, 2, dtype=torch.float64))",
        "torch.sum(a, 0, out=torch.zeros(3, dtype=torch.float64))", "torch.cat([a, b], out=torch.zeros(4, 3, dtype=torch.float64))", "torch.nn.functional.normalize(a)",
        "a.repeat(2, 1)", "a.tile((1, 2))", "torch.hstack([a, b])", "torch.vstack([a, b])", "torch.diag(a[0])", "torch.diag(a[:, :2])", "torch.nn.functional.gelu(a)",
        "torch.median(a, 1)[0]", "a.median()", "torch.nn.functional.scaled_dot_product_attention(a[None], b[None], b[None])", "torch.scatter(a, 1, j, b)", "a.index_add(0, i, b)",
        "a.scatter_add(1, j, b)", "a.index_copy(0, i[:1], b[:1])", "a.index_put((i,), b)", "a.repeat_interleave(2, 0)", "torch.nn.functional.conv_transpose2d(a[None, None], b[None, None])",
        "torch.nn.functional.conv_transpose1d(a[None], torch.stack([b, b * 2.], 1)[:, :, :2], b[:, 0], stride=2, padding=1)", "torch.nn.functional.conv_transpose1d(a, b[:, None], groups=2, dilation=2)",
        "torch.nn.functional.interpolate(a[None], scale_factor=2)", "torch.nn.functional.adaptive_avg_pool1d(a, 1)", "torch.nn.functional.adaptive_max_pool1d(a, 3)",
        "torch.baddbmm(a[None, :, :2], a[None], b.t()[None])", "(torch.manual_seed(3), torch.nn.functional.dropout(a, 0.5))[1]", "torch.einsum('i,ij,j->i', a[:, 0], b, a[0])",
        "torch.nn.functional.scaled_dot_product_attention(a[None], b[None], b[None] * 2, is_causal=True)",
        "torch.nn.functional.scaled_dot_product_attention(a[None], b[None], a[None], attn_mask=b[:, :2])",
        "torch.nn.functional.scaled_dot_product_attention(a[None], b[None], b[None] * 2, attn_mask=torch.tensor([[True, False], [True, True]]))",
        "torch.nn.functional.scaled_dot_product_attention(a.reshape(1, 2, 1, 3), b.reshape(1, 2, 1, 3), a.reshape(1, 2, 1, 3), attn_mask=torch.tensor([[[0.]], [[-torch.inf]]]).double())",
        "a.flip(0, 1)", "torch.rot90(a)", "a.fliplr()", "torch.nn.functional.pixel_shuffle(torch.cat([a, b]).reshape(1, 4, 3, 1), 2)",
        "torch.diag_embed(a)", "torch.block_diag(a, b)", "torch.dstack([a, b])", "torch.column_stack([a, b])",
        "torch.nn.functional.unfold(a.reshape(1, 1, 2, 3), (1, 2), padding=(0, 1))",
        "torch.nn.functional.fold(torch.cat([a, b])[:, :2].reshape(1, 4, 2), (2, 3), (2, 2))",
        "torch.nn.functional.interpolate(a.reshape(1, 1, 2, 3), size=(3, 5), mode='bilinear', align_corners=True)",
        "torch.nn.functional.interpolate(a.reshape(1, 1, 2, 3), size=(3, 4))", "torch.nn.functional.adaptive_avg_pool1d(a[None], 2)",
        "torch.nn.functional.adaptive_max_pool1d(a[None], 2)", "torch.slice_scatter(a, b[:, :2], 1, 0, 2)",
        "torch.repeat_interleave(a, torch.tensor([1, 2]), 0)", "a.diff()", "torch.trapezoid(a, dim=1)", "torch.cartesian_prod(a[0], b[0])",
        "torch.nn.functional.pad(a, (1, 1), value=3.)",
        "torch.nn.functional.group_norm(torch.cat([a, b])[None], 2)",
        "torch.nn.functional.group_norm(torch.cat([a, b])[None], 2, torch.cat([a[0], b[0]])[:4], b.reshape(-1)[:4], 0.01)",
        "torch.nn.functional.instance_norm(a[None], weight=b[0, :2], bias=b[1, :2])", "torch.nn.functional.rms_norm(a, (3,), b[0])",
        "torch.nn.functional.rms_norm(a, (3,), eps=0.1)", "torch.nn.functional.layer_norm(a, (3,), b[0], b[1], 0.01)",
        "torch.nn.functional.batch_norm(a, b[0], b[0].abs(), a[0], b[1])", "torch.nn.functional.glu(torch.cat([a, b], 1), 1)",
        "torch.nn.functional.bilinear(a, b, torch.stack([a.t() @ b, b.t() @ b]))",
        "torch.nn.functional.bilinear(a, b, torch.stack([a.t() @ b, b.t() @ b]), b[0, :2])", "torch.linalg.multi_dot([a, b.t(), a])",
        "torch.inner(a, b)", "torch.tensordot(a, b, dims=([1], [1]))", "torch.addmv(a[:, 0], a, b[0], alpha=2.)", "torch.addr(a, b[:, 0], a[1])",
        "torch.addbmm(a[:, :2], a[None], b.t()[None])", "torch.einsum('...i,...i->...', a, b)", "torch.cdist(a, b)", "torch.cdist(a, b, p=1)",
        "torch.dist(a, b)", "torch.nn.functional.pairwise_distance(a, b)", "torch.nn.functional.cosine_similarity(a, b, 0)",
        "torch.nn.functional.normalize(a, p=1)", "torch.nn.functional.conv1d(a[None], b.reshape(1, 2, 3)[:, :, :2], padding='same')",
        "torch.nn.functional.avg_pool2d(a.reshape(1, 1, 2, 3), 2, 1, 1)",
        "torch.nn.functional.max_pool2d(a.reshape(1, 1, 2, 3), 2, return_indices=True)[0]", "torch.var_mean(a, 1)[0]", "torch.std_mean(a, 1)[1]",
        "torch.aminmax(a)[0]", "a.cummax(1)[0]", "a.kthvalue(2, 1)[0]", "a.logcumsumexp(1)", "a.nansum()", "a.nanmean(1)",
        "torch.nn.functional.softmin(a, 1)", "a.index_add(0, i, b, alpha=2.)", "torch.nn.functional.cross_entropy(a, i, label_smoothing=0.1)",
        "torch.nn.functional.cross_entropy(a, torch.tensor([1, -100]))", "torch.nn.functional.cross_entropy(a, torch.softmax(b, 1))",
        "torch.nn.functional.kl_div(a, torch.softmax(b, 1), reduction='batchmean')", "torch.nn.functional.kl_div(a, b, log_target=True)",
        "torch.nn.functional.huber_loss(a, b, delta=0.5)", "torch.nn.functional.smooth_l1_loss(a, b, beta=0.5)", "torch.nn.functional.selu(a)",
        "torch.nn.functional.celu(a, 0.5)", "torch.nn.functional.mish(a)", "torch.nn.functional.hardswish(a)", "torch.nn.functional.tanhshrink(a)",
        "torch.nn.functional.logsigmoid(a)", "torch.nn.functional.gelu(a, approximate='tanh')", "torch.logit(b.abs() / 3)",
        "torch.xlogy(b, a.abs())", "torch.float_power(b.abs(), 2)", "torch.special.expit(a)",
        "1. / a", "a.scatter_reduce(1, j, b, 'amax')", "a.scatter_reduce(1, j, b, 'mean', include_self=False)", "a.clone().index_reduce_(0, i, b, 'amin')",
        "torch.nn.functional.triplet_margin_loss(a, b, a * 2)", "torch.nn.functional.gaussian_nll_loss(a, b, b.abs())", "torch.nn.functional.cross_entropy(a, i, weight=b[0].abs())",
        "torch.nn.functional.binary_cross_entropy_with_logits(a, b, pos_weight=b[0].abs())", "torch.nn.functional.embedding_bag(torch.tensor([[0, 1], [1, 1]]), a)",
        "torch.nn.functional.grid_sample(a[None, None], b[:, :2].reshape(1, 1, 2, 2))", "a.quantile(0.3)", "torch.kron(a, b)", "torch.linalg.solve(a[:, :2], b[:, :2])",
        "torch.fft.rfft(a).abs()", "torch._foreach_mul([a, b], 2.)[1]", "torch._foreach_add([a, b], [b, a * 2], alpha=2.)[0]",
        "torch._foreach_norm([a, b[0]])[1]", "torch.unique(a)", "torch.lstm_cell(a, (b[:, :2], a[:, :2]), torch.ones(8, 3).double() / 9, torch.ones(8, 2).double() / 9)[1]",
        "(torch.manual_seed(0), torch.nn.GRU(3, 2).double().requires_grad_(False)(a[None])[0])[1]", "(m := torch.nn.BatchNorm1d(3).double(), m(a), m.running_var)[2]",
        "(torch.manual_seed(0), torch.nn.MultiheadAttention(3, 1).double().requires_grad_(False)(a[:, None], b[:, None], b[:, None])[0])[1]",
    ),
    "paddle": (
        "a * b", "a + 2.5", "3. - a", "a / b[0]", "a.exp()", "paddle.maximum(a, b)", "a.sum()", "a.sum(1)", "a.mean(0, keepdim=True)", "a.max(-1)", "a.prod(1)",
        "a @ b.t()", "paddle.matmul(a, b, transpose_y=True)", "paddle.dot(a[0], b[1])", "paddle.addmm(b[:, :2], a, b.t())",
        "paddle.nn.functional.linear(a, b.t(), b[:, 0])", "paddle.nn.functional.softmax(a, 1)", "a.cumsum(0)", "paddle.concat([a, b])",
        "paddle.stack([a, b], 1)", "a.flip(0)", "a[i]", "a.index_select(i, 1)", "a.gather(i)", "a.take_along_axis(j, 1)", "paddle.where(a > b, a, b)",
        "a.clone().add_(b)", "a.clone().scale_(2.)", "a.clone().index_add_(i, 0, b)", "a.clone().put_along_axis_(j, b[:1], 1)", "a.clone().tril_()",
        "a.clone().scatter_(i, b)", "a.clone().zero_()", "a.expand([2, 2, 3])", "a.astype('float32').astype('float64')", "a.norm()", "a.clone().fill_diagonal_(1.)",
        "paddle.nn.functional.cross_entropy(a, i)", "paddle.nn.functional.mse_loss(a, b)", "paddle.nn.functional.nll_loss(a, i)",
        "paddle.nn.functional.binary_cross_entropy_with_logits(a, b)", "paddle.nn.functional.layer_norm(a, [3], b[0], b[1])",
        "paddle.nn.functional.conv2d(a.reshape([1, 1, 2, 3]), b.reshape([1, 1, 2, 3])[:, :, :, :2])", "paddle.nn.functional.conv1d(a.unsqueeze(0), b.unsqueeze(0)[:, :, :2])",
        "paddle.nn.functional.max_pool2d(a.reshape([1, 1, 2, 3]), 2, 1)", "paddle.nn.functional.avg_pool2d(a.reshape([1, 1, 2, 3]), 2, 1)", "paddle.nn.functional.pad(a, [0, 0, 1, 2])",
        "paddle.nn.functional.embedding(i, a)", "paddle.sort(a, 1)", "a.topk(2)[0]", "paddle.einsum('ij,kj->ik', a, b)", "paddle.nn.functional.normalize(a)", "a.tile([2, 1])",
        "paddle.hstack([a, b])", "paddle.diag(a[0])", "a.split(3, 1)[1]", "a.std(1)", "paddle.assign(a, b * 2)", "paddle.nn.functional.log_softmax(a, 1)", "a.cumprod(1)", "a.roll(1, 1)",
        "a.masked_select(a > 1)", "paddle.outer(a[0], b[0])", "a.logsumexp(1)", "a.var()",
        "paddle.median(a, 1)", "paddle.median(a)", "paddle.median(a, mode='min')", "paddle.scatter(a, i, b)", "paddle.scatter(a, i, b, overwrite=False)", "paddle.index_add(a, i, 0, b)",
        "paddle.put_along_axis(a, j, b[:1], 1)", "paddle.scatter_nd_add(a, paddle.to_tensor([[0], [0]]), b)", "paddle.index_put(a, (i,), b)", "paddle.repeat_interleave(a, 2, 0)",
        "paddle.nn.functional.conv2d_transpose(a.reshape([1, 1, 2, 3]), b.reshape([1, 1, 2, 3]), stride=2)", "paddle.nn.functional.interpolate(a.reshape([1, 1, 2, 3]), scale_factor=2)",
        "(paddle.seed(3), paddle.nn.functional.dropout(a, 0.5))[1]", "a.clone().resize_([2])", "a.clone().set_(b, [3])",
        "paddle.nn.functional.adaptive_avg_pool1d(a.unsqueeze(0), 2)", "paddle.nn.functional.adaptive_avg_pool2d(a.reshape([1, 1, 2, 3]), 1)",
        "paddle.nn.functional.adaptive_max_pool1d(a.unsqueeze(0), 1)",
        "paddle.nn.functional.max_pool2d(a.reshape([1, 1, 2, 3]), 2, return_mask=True)[0]",
        "paddle.nn.functional.pixel_shuffle(paddle.concat([a, b]).reshape([1, 4, 3, 1]), 2)",
        "paddle.nn.functional.unfold(a.reshape([1, 1, 2, 3]), 2)",
        "paddle.nn.functional.fold(paddle.concat([a, b])[:, :2].reshape([1, 4, 2]), [2, 3], [2, 2])",
        "paddle.nn.functional.interpolate(a.reshape([1, 1, 2, 3]), size=[3, 5], mode='bilinear')",
        "paddle.nn.functional.interpolate(a.reshape([1, 1, 2, 3]), size=[3, 4])", "paddle.rot90(a)", "paddle.trace(a[:, :2])",
        "paddle.dstack([a, b])", "paddle.block_diag([a, b])", "paddle.nn.functional.pad(a.unsqueeze(0), [1, 1], mode='circular', data_format='NCL')",
        "paddle.nn.functional.group_norm(paddle.concat([a, b]).unsqueeze(0), 2)",
        "paddle.nn.functional.group_norm(paddle.concat([a, b]).unsqueeze(0), 2, 1e-5, b.flatten()[:4], a.flatten()[:4])",
        "paddle.nn.functional.instance_norm(a.unsqueeze(0), weight=b[0, :2], bias=b[1, :2])",
        "paddle.nn.functional.bilinear(a, b, paddle.stack([a.t() @ b, b.t() @ b]))", "paddle.linalg.multi_dot([a, b.t(), a])", "paddle.dist(a, b)",
        "paddle.nn.functional.avg_pool2d(a.reshape([1, 1, 2, 3]), 2, 1, 1, exclusive=False)",
        "paddle.nn.functional.conv2d(a.reshape([1, 1, 2, 3]), b.reshape([1, 1, 2, 3]), padding='SAME')", "paddle.add_n([a, b, a])",
        "paddle.nn.functional.selu(a)", "paddle.nn.functional.mish(a)", "paddle.nn.functional.hardswish(a)", "paddle.nn.functional.tanhshrink(a)",
        "paddle.nn.functional.gelu(a, True)", "paddle.nn.functional.smooth_l1_loss(a, b, delta=0.5)",
        "paddle.nn.functional.kl_div(a, paddle.nn.functional.softmax(b, 1))", "paddle.nn.functional.cross_entropy(a, i, label_smoothing=0.1)",
        "paddle.nn.functional.cross_entropy(a, paddle.nn.functional.softmax(b, 1), soft_label=True)", "paddle.increment(a.sum())", "paddle.nn.functional.avg_pool3d(a.reshape([1, 1, 1, 2, 3]), [1, 1, 2], 1)",
        "paddle.cummax(a, 1)[0]", "a.kthvalue(2, 1)[0]", "1. / a", "a.put_along_axis(j, b[:1], 1, reduce='amax')", "a.put_along_axis(j, b[:1], 1, reduce='mul', include_self=False)",
        "paddle.nn.functional.nll_loss(a, i, weight=b[0])", "paddle.nn.functional.binary_cross_entropy_with_logits(a, b, pos_weight=b[0].abs())", "paddle.kron(a, b)",
        "paddle.linalg.solve(a[:, :2], b[:, :2])", "paddle.nn.functional.grid_sample(a.reshape([1, 1, 2, 3]), b[:, :2].reshape([1, 1, 2, 2]))", "paddle.fft.rfft(a).abs()",
        "paddle.select_scatter(a, b[0], 0, 1)", "paddle.nanmedian(a)", "paddle.renorm(a, 2., 0, 1.)",
        "(paddle.seed(0), paddle.set_default_dtype('float64'), paddle.nn.LSTM(3, 2)(a.unsqueeze(0))[0].detach(), paddle.set_default_dtype('float32'))[2]",
    ),
}  # fmt: skip


def ran(framework: str, text: str) -> Any:
    names, failure = plain(text, framework)
    assert failure is None, failure
    return np.array(names["y"].numpy()).reshape(-1)


def pattern(framework: str, expression: str) -> dict[str, Any]:
    """Which elements of the result change when an element of a leaf is changed a little."""
    head, found = LEAVES[framework], {}
    before = ran(framework, f"{head}y = {expression}\n")
    for name in "ab":
        found[name] = np.zeros((before.size, 6), bool)
        for k in range(6):
            moved = f"{name} = {name} + {name}.new_tensor([1e-5 if k == {k} else 0. for k in range(6)]).reshape({name}.shape)\n"
            if framework == "paddle":
                moved = f"{name} = {name} + paddle.to_tensor([1e-5 if k == {k} else 0. for k in range(6)], dtype='float64').reshape([2, 3])\n"
            found[name][:, k] = ran(framework, f"{head}{moved}y = {expression}\n") != before
    return found


def reported(framework: str, expression: str) -> dict[str, Any]:
    """The elements of the leaves that the elements of the result go back to."""
    recording = run(f"{LEAVES[framework]}y = {expression}\n", framework).recording
    state = recording.state()
    y = state.tensor("y")
    size = int(np.prod(y.shape, dtype=int))
    found = {name: np.zeros((size, 6), bool) for name in "ab"}
    leaves = {state.tensor(name).storage: name for name in "ab"}
    from inplacelab.recording.origins import computed  # noqa: PLC0415
    from inplacelab.recording.origins.elements import slots_of_element  # noqa: PLC0415

    def mark(row: int, storage: int, slot: int, step: int) -> None:
        here = computed(recording, storage, slot, step)
        assert here.how != "not known", here
        if storage in leaves and not here.origins:
            found[leaves[storage]][row, slot] = True
        for each in here.origins:
            mark(row, each.storage, each.slot, each.step)

    for element in range(size):
        mark(element, y.storage, slots_of_element(state, y, element)[0], state.step.index)
    return found


@pytest.mark.standard
@pytest.mark.parametrize("framework", ["torch", "paddle"])
def test_origins_are_those_that_the_framework_shows(framework: str) -> None:
    pytest.importorskip(framework)

    def agrees(expression: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            truth, found = pattern(framework, expression), reported(framework, expression)
        for name in "ab":
            np.testing.assert_array_equal(found[name], truth[name], err_msg=name)

    try_all(agrees, [(each, {"expression": each}) for each in sample(EXPRESSIONS[framework], one_in=choose(8, 3, 1))])


@pytest.mark.standard
def test_what_is_computed_again_warns_of_nothing() -> None:
    torch = pytest.importorskip("torch")
    text = """
x = torch.tensor([[0., float("inf"), float("inf")], [1., 2., float("nan")]])
x.sort(1), x.kthvalue(1), torch.nn.functional.grid_sample(x[None, None], torch.zeros(1, 2, 2, 2)), torch.std(x[:1, :1])
"""

    def heard(runs: Callable[[], Any]) -> list[str]:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            runs()
        return [str(each.message) for each in found]

    alone = heard(lambda: exec(text, {"torch": torch}))
    assert alone  # `grid_sample` says what has changed, and `std` that it has too few elements
    assert heard(lambda: run(text, "torch")) == alone


@pytest.mark.standard
def test_an_operation_without_a_declaration_is_not_known() -> None:
    pytest.importorskip("torch")
    recording = run(
        "x = torch.ones(1, 1, 4, 4)\ny = torch.nn.functional.fractional_max_pool2d(x, 2, output_size=1)\n", "torch"
    ).recording
    step = next(step for step in recording.steps if step.op == "fractional_max_pool2d")
    assert step.depends is None
    assert value_of(recording.state(), recording.state().tensor("y"), 0) == 1
    assert all(each is not None for each in operands_of(recording, step))


@pytest.mark.standard
@pytest.mark.parametrize("framework", ["torch", "paddle"])
def test_of_equal_elements_the_framework_says_which_came_first(framework: str) -> None:
    pytest.importorskip(framework)
    program = f"x = {framework}.{'tensor' if framework == 'torch' else 'to_tensor'}([2., 0., 1., 0., 0.])\nv, i = {framework}.topk(x, 5)\n"
    done = run(program, framework)
    found = [origins(done.recording, "v", (k,)).origins[0].index[0] for k in range(5)]
    assert found == done.names["i"].tolist()


STEPS = {
    "torch": "w, v = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)\n(w * w).sum().backward()\n"
    "torch.nn.utils.clip_grad_norm_([w], 1.)\ntorch.optim.SGD([w, v], 0.1, foreach=True).step()\n",
    "paddle": "w = paddle.ones([2])\nw.stop_gradient = False\n(w * w).sum().backward()\npaddle.optimizer.Adam(parameters=[w]).step()\n",
}


@pytest.mark.standard
@pytest.mark.parametrize("framework", ["torch", "paddle"])
def test_a_step_of_an_optimizer_reads_the_element_and_its_gradient(framework: str) -> None:
    pytest.importorskip(framework)
    recording = run(STEPS[framework], framework).recording
    found = origins(recording, "w", (1,))
    called = {each.called.en for each in found.origins}
    assert found.how == "computed"
    assert {"`w[1]`", "`w.grad[1]`"} <= called
    assert not called & {"`w[0]`", "`w.grad[0]`"}


@pytest.mark.standard
def test_what_paddle_reads_while_it_overwrites_it_is_not_known() -> None:
    pytest.importorskip("paddle")
    program = (
        "x = paddle.to_tensor([[1., 2.], [3., 4.]])\nx.subtract_(x[0])\ny = paddle.ones([2, 2])\ny[0].add_(y[1])\n"
    )
    recording = run(program, "paddle").recording
    assert origins(recording, "x", (1, 0)).how == "not known"
    assert origins(recording, "y", (0, 0)).how == "computed"


def test_of_numpy_one_operation_is_known_and_no_longer_expression() -> None:
    text = "x = np.array([1., 2.])\ny = x * 3\nz = y - x\nz += y\nv = z[1:]\nv *= 2\nw = x + y * 2\nu = x + x\nt = y / np.sum(x)\n"
    recording = run(text, "numpy").recording
    said = {}
    for name in "yzwut":
        found = origins(recording, name, (1,))
        said[name] = found.arithmetic.en if found.arithmetic else found.how
    assert said == {"y": "6 = 2 · 3", "z": "20 = 10 · 2", "w": "not known", "u": "not known", "t": "not known"}
    assert [each.called.en for each in origins(recording, "z", (0,)).origins] == ["`z[0]`", "`y[0]`"]
