"""What Paddle's nodes save, measured: each operand and result is written after the forward pass, and backward looks at what has changed.

Backward refuses a saved tensor whose version was raised. If it was written without a new version, the gradients that are computed from it change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from tests.subtests import for_each
from tests.tiers import choose, sample

paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")

from inplacelab.recording.unnoticed_writes import unnoticed_writes  # noqa: E402  # it comes after what may skip
from tests.recorders.paddle_runs import remarks, run  # noqa: E402  # it needs PaddlePaddle

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

Case = tuple[str, str]
"""The shapes of `b`, `c` and `d`, and an expression of them."""

BEFORE = """\
import numpy as np
import paddle.nn.functional as F
paddle.seed(1)
def leaf(seed, shape):
    values = np.random.default_rng(seed).uniform(0.2, 0.8, [int(each) for each in shape.split()])
    return paddle.to_tensor(values.astype("float32"), stop_gradient=False)
p, q, s = (leaf(seed, shape) for seed, shape in enumerate("SHAPES".split(",")))
b, c, d = p * 1.0, q * 1.0, s * 1.0
index, counts, rows = (paddle.to_tensor(each) for each in ([1, 0], [2, 1], [True, False]))
boxes, number = paddle.to_tensor([[0.0, 0.0, 1.0, 1.0]]), paddle.to_tensor([1], dtype="int32")
mask, grid = paddle.to_tensor([[True, False], [False, True]]), paddle.to_tensor([[0, 1], [0, 0]])
mean, variance, offset = (leaf(seed, shape).detach() for seed, shape in ((3, "2"), (4, "2"), (5, "1 8 2 2")))
r = CALL
results = [each for each in (r if isinstance(r, (list, tuple)) else [r]) if isinstance(each, paddle.Tensor)]
r0, r1, r2 = (*results, None, None)[:3]
given = [(each, paddle.ones_like(each) * (0.5 + paddle.arange(each.size).reshape(each.shape)).astype(each.dtype)) for each in results if not each.stop_gradient]
"""
BACKWARD = "paddle.autograd.backward(*map(list, zip(*given)))\n"
UNARY, FUNCTIONAL, BINARY = (
    each.split()
    for each in (
        """
        abs acos asin angle asinh atan atanh ceil cos cosh digamma erf erfinv exp expm1 floor i0 i0e i1 i1e lgamma gammaln log log10 log1p log2
        logit logcumsumexp logsumexp max min amax amin prod reciprocal round rsqrt sigmoid sign sin sinh sqrt square stanh sum mean tan tanh trunc
        cumsum norm flatten t trace diagonal clone neg frac median nanmedian mode std var cummax cummin exp_ sigmoid_ tanh_ sqrt_ rsqrt_
        reciprocal_ sin_ cos_ square_ abs_ zero_ cumsum_ log_ flatten_ squeeze_ sort nansum nanmean deg2rad rad2deg diff diag tril triu logit_
        lgamma_ erfinv_ tan_ acos_ asin_ atan_ sinh_ cosh_ asinh_ atanh_ log1p_ log2_ log10_ round_ floor_ ceil_ trunc_ frac_ digamma_ neg_ i0_ t_
        tril_ triu_
        """,
        """
        relu relu6 elu celu selu gelu silu swish mish softplus softsign softshrink hardshrink hardsigmoid hardswish hardtanh leaky_relu
        log_sigmoid tanhshrink thresholded_relu softmax log_softmax sigmoid tanh normalize glu rrelu gumbel_softmax dropout alpha_dropout relu_
        softmax_ elu_ tanh_ leaky_relu_ hardtanh_ thresholded_relu_
        """,
        """
        add subtract multiply divide maximum minimum fmax fmin atan2 matmul dot outer inner remainder kron dist copysign heaviside logaddexp hypot
        mm gammainc gammaincc ldexp complex polar
        """,
    )
)
CALLS = {
    "2 2, 2 2, 2 2": """
        (b + 1).acosh() | b.matrix_power(2) | b.kthvalue(1) | paddle.linalg.cholesky(b @ b.T + c) | b.cumprod(0) | b.cumprod_(0) | b.add_(c) |
        b.subtract_(c) | b.multiply_(c) | b.divide_(c) | b.remainder_(c) | b.copysign_(c) | b.pow_(2.0) | b.scale_(2.0) | b.clip_(0.25, 0.65) |
        b.clip(0.25, 0.65) | b * 2 | 2 / b | b / 2 | b ** 2 | b ** c | 2 - b | 2 ** b | b * c | b / c | b @ c | -b | b % c | b[0] | b[index] |
        b[mask] | b[0:1, ::2] | b[index, index] | b[:, index] | b[None, ..., 0] | b.__setitem__(0, c[0]) or b | b.__setitem__(0, 1.0) or b |
        b.__setitem__(index, 1.0) or b | b.__setitem__(index, c) or b | b.__setitem__(mask, 1.0) or b | b.__setitem__(mask, c[0, 0]) or b |
        b.__setitem__(mask, c[0]) or b | b.__setitem__(slice(0, 1), c[:1]) or b | paddle.gather(b, index) |
        paddle.gather_nd(b, index.unsqueeze(1)) | paddle.scatter(b, index, c) | paddle.scatter(b, index, c, overwrite=False) |
        b.scatter_(index, c) | paddle.scatter_nd_add(b, index.unsqueeze(1), c) | paddle.scatter_nd(index.unsqueeze(1), c, [2, 2]) |
        paddle.index_select(b, index) | paddle.index_sample(b, grid) | b.index_add(index, 0, c) | b.index_add_(index, 0, c) |
        b.index_put((index,), c) | b.index_put_((index,), c) | b.index_put((index,), c, accumulate=True) | b.index_fill(index, 0, 1.0) |
        paddle.take(b, index) | paddle.take_along_axis(b, grid, 0) | paddle.put_along_axis(b, grid, c, 0) |
        paddle.put_along_axis(b, grid, c, 0, reduce='add') | paddle.put_along_axis(b, grid, c, 0, reduce='mul') |
        paddle.put_along_axis(b, grid, c, 0, reduce='amax', include_self=True) | paddle.put_along_axis(b, grid, c, 0, reduce='mean') |
        paddle.multiplex([b, c], index.unsqueeze(1).astype('int32')) | paddle.masked_fill(b, mask, 0.0) | paddle.masked_fill(b, mask, c[0, 0]) |
        b.masked_fill_(mask, 0.0) | b.masked_fill_(mask, c[0, 0]) | paddle.masked_select(b, mask) | paddle.masked_scatter(b, mask, c) |
        paddle.where(mask, b, c) | paddle.where(b > c, b, c) | paddle.where_(mask, b, c) | paddle.concat([b, c]) | paddle.stack([b, c]) |
        paddle.hstack([b, c]) | paddle.vstack([b, c]) | paddle.split(b, 2) | paddle.chunk(b, 2) | paddle.split(b, [1, 1]) | b.unbind() |
        paddle.unstack(b) | paddle.add_n([b, c]) | paddle.meshgrid(b[0], c[0]) | paddle.broadcast_tensors([b[0], c]) | b.reshape([4]) |
        b.view([4]) | b.astype('float64') | b[rows] | b.__setitem__(rows, 1.0) or b | b.__setitem__(rows, c[:1]) or b |
        F.adaptive_avg_pool2d(b.reshape([1, 1, 2, 2]), 1) | paddle.einsum('ji,jk->ik', b, c) | paddle.einsum('ij,kj->ik', b, c) |
        paddle.einsum('ij,jk,kl->il', b, c, d) | b.transpose([1, 0]) | b.unsqueeze(0) | b.unsqueeze(0).squeeze(0) | b.expand([3, 2, 2]) |
        b.expand_as(paddle.zeros([3, 2, 2])) | b.broadcast_to([3, 2, 2]) | b.tile([2, 1]) | b.repeat_interleave(2) |
        b.repeat_interleave(counts, 0) | b.moveaxis(0, 1) | b.swapaxes(0, 1) | b | b.roll(1) | b.flip(0) | b.rot90() | b.topk(1) | b.sort(0, True) |
        paddle.crop(b, [1, 1]) | paddle.slice(b, [0], [0], [1]) | paddle.strided_slice(b, [0], [0], [2], [1]) | b.as_strided([2], [1]) |
        b.unfold(0, 1, 1) | b.fill_diagonal_(1.0) | b.fill_diagonal_tensor(c[0]) | b.fill_diagonal_tensor_(c[0]) | b.fill_(1.0) |
        paddle.diagonal_scatter(b, c[0]) | paddle.select_scatter(b, c[0], 0, 1) | paddle.slice_scatter(b, c[:1], [0], [0], [1], [1]) |
        paddle.assign(b) | paddle.assign(b, c) | paddle.increment(b[0, 0]) | b.detach() * c | b.T * c.T | F.gelu(b.T) | F.layer_norm(b.T, [2]) | paddle.bmm(b.T.unsqueeze(0), c.unsqueeze(0)) | b.T.sin() | b.T @ c |
        b[0] * c | b * c[0] | b * c[0, 0] |
        b / c[0] | b + c[0] | paddle.maximum(b, c[0]) | b - c[0, 0] | paddle.as_complex(b) | paddle.as_real(paddle.complex(b, c)) |
        paddle.real(paddle.complex(b, c)) | paddle.imag(paddle.complex(b, c)) | paddle.conj(paddle.complex(b, c)) |
        paddle.abs(paddle.complex(b, c)) | paddle.angle(paddle.complex(b, c)) | paddle.lerp(b, c, 0.5) | paddle.lerp(b, c, d) | b.lerp_(c, 0.5) |
        b.lerp_(c, d) | paddle.addmm(b, c, d) | b.addmm_(c, d) | paddle.bmm(b.unsqueeze(0), c.unsqueeze(0)) |
        paddle.baddbmm(b.unsqueeze(0), c.unsqueeze(0), d.unsqueeze(0)) | paddle.mv(b, c[0]) | paddle.einsum('ij,jk->ik', b, c) |
        paddle.einsum('ij->j', b) | paddle.einsum('bi,bi->b', b, c) | paddle.tensordot(b, c, 1) | paddle.matmul(b, c, transpose_y=True) |
        paddle.linalg.multi_dot([b, c, d]) | paddle.trapezoid(b, c) | paddle.vander(b[0]) | paddle.cdist(b, c) | paddle.logcumsumexp(b, 0) |
        paddle.cumulative_trapezoid(b) | paddle.reduce_as(b, c[0]) | paddle.sgn(b) | paddle.sinc(b) | paddle.block_diag([b, c]) |
        paddle.unflatten(b, 1, [1, 2]) | paddle.combinations(b[0]) | paddle.clip(b, 0.3) | paddle.nan_to_num(b) | b.pow(2.5) | paddle.pow(b, c) |
        paddle.floor_mod(b, c) | paddle.linalg.inv(b) | paddle.linalg.solve(b, c) | paddle.linalg.triangular_solve(b, c) |
        paddle.linalg.cholesky_solve(b, c) | paddle.linalg.pinv(b) | paddle.linalg.svd(b) | paddle.linalg.qr(b) | paddle.linalg.eigh(b) |
        paddle.linalg.eigvalsh(b) | paddle.linalg.eig(b) | paddle.linalg.norm(b, 'fro') | paddle.linalg.norm(b, 1) |
        paddle.linalg.norm(b, float('inf')) | paddle.linalg.vector_norm(b, 3) | paddle.linalg.matrix_norm(b, 'nuc') | paddle.linalg.det(b) |
        paddle.linalg.slogdet(b) | paddle.norm(b, 2, 0) | paddle.linalg.matrix_exp(b) | paddle.linalg.corrcoef(b) | paddle.fft.fft(b) |
        paddle.fft.rfft(b) | paddle.fft.irfft(b.astype('complex64')) | paddle.fft.irfft2(b.astype('complex64')) |
        paddle.fft.ifft(b.astype('complex64')) | paddle.fft.fft2(b) | paddle.fft.rfft2(b) | F.linear(b, c, d[0]) | F.linear(b, c) |
        F.mse_loss(b, c) | F.l1_loss(b, c) | F.smooth_l1_loss(b, c) | F.nll_loss(b, index) | F.nll_loss(b, index, c.detach()[0]) |
        F.layer_norm(b, [2], c[0], d[0]) | F.layer_norm(b, [2]) | F.kl_div(b, c) | F.kl_div(b, c, log_target=True) |
        F.binary_cross_entropy(b, c.detach()) | F.binary_cross_entropy(b, c) | F.binary_cross_entropy(b, c.detach(), d.detach()) |
        F.binary_cross_entropy_with_logits(b, c.detach()) | F.binary_cross_entropy_with_logits(b, c) |
        F.binary_cross_entropy_with_logits(b, c.detach(), pos_weight=d.detach()) | F.sigmoid_focal_loss(b, c.detach()) | F.cross_entropy(b, index) |
        F.cross_entropy(b, c.detach(), soft_label=True) | F.cross_entropy(b, index, c.detach()[0]) |
        F.cross_entropy(b, index, label_smoothing=0.1) | F.cross_entropy(b, index, use_softmax=False) |
        F.softmax_with_cross_entropy(b, index.unsqueeze(1)) | F.softmax_with_cross_entropy(b, index.unsqueeze(1), return_softmax=True) |
        F.softmax_with_cross_entropy(b, c.detach(), soft_label=True) | F.square_error_cost(b, c) | F.cosine_similarity(b, c) |
        F.cosine_embedding_loss(b, c, paddle.ones([2])) | F.margin_ranking_loss(b, c, d.detach()) | F.triplet_margin_loss(b, c, d) |
        F.hinge_embedding_loss(b, c.detach()) | F.soft_margin_loss(b, c.detach()) | F.multi_label_soft_margin_loss(b, c.detach()) |
        F.poisson_nll_loss(b, c) | F.gaussian_nll_loss(b, c, d) | F.dice_loss(b, index.unsqueeze(1)) | F.npair_loss(b, c, index) |
        F.multi_margin_loss(b, index) | F.pairwise_distance(b, c) | F.label_smooth(b) | F.embedding(index, b) |
        F.embedding(index, b, padding_idx=0) | F.embedding(index, b, sparse=True) | F.one_hot(index, 2) * b | F.prelu(b - 0.5, c[0, :1]) |
        F.maxout(b.reshape([1, 2, 2, 1]), 2) | F.bilinear(b, c, d.unsqueeze(0), d[:1, :1]) | F.swiglu(b, c) |
        paddle.incubate.nn.functional.swiglu(b, c) | paddle.incubate.nn.functional.swiglu(b) | F.instance_norm(b.reshape([1, 2, 2])) |
        F.instance_norm(b.reshape([1, 2, 2]), weight=c[0], bias=d[0]) | F.group_norm(b.reshape([1, 2, 2]), 1) |
        F.group_norm(b.reshape([1, 2, 2]), 1, weight=c[0], bias=d[0]) | F.local_response_norm(b.reshape([1, 2, 2]), 2) | paddle.frexp(b) |
        paddle.geometric.segment_sum(b, paddle.to_tensor([0, 1])) | paddle.geometric.segment_mean(b, paddle.to_tensor([0, 1])) |
        paddle.geometric.segment_max(b, paddle.to_tensor([0, 1])) | paddle.geometric.segment_min(b, paddle.to_tensor([0, 1])) |
        paddle.geometric.send_u_recv(b, index, index) | paddle.geometric.send_u_recv(b, index, index, 'max') |
        paddle.geometric.send_ue_recv(b, c, index, index, 'mul') | paddle.geometric.send_uv(b, c, index, index, 'mul') | b.exponential_() |
        paddle.distribution.Normal(b, c).log_prob(d) | paddle.distribution.Normal(b, c).rsample() | paddle.distribution.Normal(b, c).entropy() |
        paddle.distribution.Categorical(b).entropy() | paddle.signal.frame(b, 1, 1)
    """,
    "3 1, 3 1, 3 1": """
        F.log_loss(b, c.detach()) | paddle.add_n([b, c, d])
    """,
    "1 2 1 1, 2, 2": """
        F.max_unpool2d(b, index.astype('int32').reshape([1, 2, 1, 1]), 2) | F.adaptive_max_pool2d(b, 1)
    """,
    "3 2, 2, 2": """
        F.batch_norm(b, mean, variance, c, d, training=True) | F.batch_norm(b, mean, variance, c, d) |
        F.batch_norm(b, mean, variance, training=True) | F.batch_norm(b, mean, variance) |
        F.batch_norm(b, mean, variance, c, d, training=True, use_global_stats=True) | F.layer_norm(b, [2], c, d) | F.layer_norm(b, [2], c) |
        F.layer_norm(b, [2], None, d) | F.linear(b, c.unsqueeze(0).tile([2, 1]), d) | (n := paddle.nn.BatchNorm1D(2))(b) |
        (n := paddle.nn.BatchNorm1D(2)).eval()(b)
    """,
    "2 2 2, 2, 2": """
        F.instance_norm(b, weight=c, bias=d) | F.instance_norm(b, running_mean=mean, running_var=variance, weight=c, bias=d, use_input_stats=True) |
        F.instance_norm(b, running_mean=mean, running_var=variance, weight=c, bias=d, use_input_stats=False) |
        F.group_norm(b, 2, weight=c, bias=d) | F.group_norm(b, 1, weight=c) | F.batch_norm(b, mean, variance, c, d, training=True) |
        F.batch_norm(b, mean, variance, c, d) | F.max_pool1d(b, 2) | F.avg_pool1d(b, 2) | F.max_pool1d(b, 2, return_mask=True) |
        F.adaptive_avg_pool1d(b, 1) | F.adaptive_max_pool1d(b, 1) | F.interpolate(b, [4], mode='linear', data_format='NCW') |
        F.pad(b, [1, 1], data_format='NCL') | F.pad(b, [1, 1], mode='reflect', data_format='NCL') | F.cross_entropy(b, grid)
    """,
    "1 2 2 2, 2, 2": """
        F.batch_norm(b, mean, variance, c, d, training=True) | F.batch_norm(b, mean, variance, c, d) |
        F.batch_norm(b, mean, variance, c, d, training=True, data_format='NHWC') | F.instance_norm(b, weight=c, bias=d) |
        F.group_norm(b, 2, weight=c, bias=d) | F.layer_norm(b, [2], c, d) | F.prelu(b - 0.5, c) | F.prelu(b - 0.5, c[:1]) | F.dropout2d(b) |
        F.pixel_shuffle(b.reshape([1, 4, 2, 1]), 2) | F.pixel_unshuffle(b, 2) | F.channel_shuffle(b, 2) | F.local_response_norm(b, 2) |
        F.unfold(b, 2) | F.fold(b.reshape([1, 4, 2])[:, :, :1], [2, 2], 2) | F.max_pool2d(b, 2) | F.max_pool2d(b, 2, return_mask=True) |
        F.avg_pool2d(b, 2) | F.adaptive_avg_pool2d(b, 1) | F.adaptive_max_pool2d(b, 1) | F.adaptive_max_pool2d(b, 1, return_mask=True) |
        F.lp_pool2d(b, 2, 2) | F.interpolate(b, [4, 4]) | F.interpolate(b, [4, 4], mode='bilinear') | F.interpolate(b, [4, 4], mode='bicubic') |
        F.interpolate(b, [1, 1], mode='area') | F.upsample(b, [4, 4]) | F.pad(b, [1, 1, 1, 1]) | F.pad(b, [1, 1, 1, 1], mode='replicate') |
        F.pad(b, [1, 1, 1, 1], mode='reflect') | F.zeropad2d(b, [1, 1, 1, 1]) |
        F.affine_grid(b.reshape([1, 8])[:, :6].reshape([1, 2, 3]), [1, 1, 2, 2]) | F.temporal_shift(b.tile([2, 2, 1, 1]), 2) |
        paddle.vision.ops.roi_align(b, boxes, number, 1) | paddle.vision.ops.roi_pool(b, boxes, number, 1) | paddle.nn.Softmax2D()(b)
    """,
    "1 1 3 3, 1 1 2 2, 1": """
        F.conv2d(b, c, d) | F.conv2d(b, c) | F.conv2d_transpose(b, c, d) | F.conv2d_transpose(b, c) |
        paddle.vision.ops.deform_conv2d(b, offset, c, d) | paddle.vision.ops.deform_conv2d(b, offset, c, d, mask=offset[:, :4])
    """,
    "1 2 3 3, 2 1 2 2, 2": """
        F.conv2d(b, c, d, groups=2) | F.conv2d(b, c, groups=2) | F.conv2d_transpose(b, c, d, groups=2)
    """,
    "1 1 3, 1 1 2, 1": """
        F.conv1d(b, c, d) | F.conv1d_transpose(b, c, d)
    """,
    "1 1 3 3 3, 1 1 2 2 2, 1": """
        F.conv3d(b, c, d) | F.conv3d_transpose(b, c, d) | F.max_pool3d(b, 2) | F.max_pool3d(b, 2, return_mask=True) | F.avg_pool3d(b, 2) |
        F.adaptive_avg_pool3d(b, 1) | F.adaptive_max_pool3d(b, 1) | F.interpolate(b, [4, 4, 4], mode='trilinear', data_format='NCDHW') |
        F.interpolate(b, [4, 4, 4], data_format='NCDHW') | F.batch_norm(b, mean[:1], variance[:1], d, d, training=True)
    """,
    "1 1 3 3, 1 2 2 2, 1": """
        F.grid_sample(b, c) | F.grid_sample(b, c, mode='nearest')
    """,
    "2 2 2, 2 2 2, 2 2 2": """
        paddle.bmm(b, c) | paddle.matmul(b, c) | paddle.matmul(b[0], c) | paddle.matmul(b, c[0, 0]) | paddle.baddbmm(b, c, d) | b.baddbmm_(c, d) |
        paddle.einsum('bij,bjk->bik', b, c) | paddle.linalg.inv(b) | paddle.linalg.det(b) | paddle.linalg.solve(b, c) |
        F.scaled_dot_product_attention(b.unsqueeze(0), c.unsqueeze(0), d.unsqueeze(0)) |
        F.scaled_dot_product_attention(b.unsqueeze(0), c.unsqueeze(0), d.unsqueeze(0)) | F.softmax(b) | b.max(1) | b.mean(1) | b.sum(1) |
        b.prod(1) | b.argmax(1) * 1.0 * b
    """,
    "3, 3, 3": """
        paddle.cross(b, c) | paddle.dot(b, c) | paddle.outer(b, c) | paddle.inner(b, c) | b @ c | b.diag() | b.tile([2, 1]) | b.max() |
        b.cumsum(0) | b.norm() | b.var() | paddle.logsumexp(b) | b.dot(c) * d | b ** 3 | b.cumprod(0)
    """,
    "2 3 2, 2, 2": """
        (n := paddle.nn.LSTM(2, 2))(b)[0] | (n := paddle.nn.GRU(2, 2))(b)[0] | (n := paddle.nn.SimpleRNN(2, 2))(b)[0]
    """,
}  # fmt: skip
CASES = [
    *(("2 2, 2 2, 2 2", f"b.{name}()") for name in UNARY),
    *(("2 2, 2 2, 2 2", f"F.{name}(b)") for name in FUNCTIONAL),
    *(("2 2, 2 2, 2 2", f"paddle.{name}(b, c)") for name in BINARY),
    *((shapes, call.strip()) for shapes, calls in CALLS.items() for call in " ".join(calls.split()).split(" | ")),
]
UNCHECKED = ("einsum",)
"""Paddle saves operands of these calls, but does not compare their versions."""
_DIRECT = "the function of the kernel is called, which has no key among its operands"
UNLIKE = {
    "paddle.select_scatter(b, c[0], 0, 1)": _DIRECT,
    "paddle.slice_scatter(b, c[:1], [0], [0], [1], [1])": _DIRECT,
    "F.adaptive_avg_pool1d(b, 1)": "the kernel is given another object on the storage, which counts versions apart",
}
"""Calls whose versions are checked otherwise than inferred, and why."""
_REDUCES = "what is used depends on an argument: how values are reduced"
_LOSES = "Paddle gives the value no gradient"
_WEIGHTS = "the weights of a layer are not told apart"
MORE = {
    **dict.fromkeys((
        "F.avg_pool1d(b, 2)", "F.avg_pool2d(b, 2)", "F.avg_pool3d(b, 2)", "F.adaptive_avg_pool1d(b, 1)", "F.adaptive_avg_pool2d(b, 1)",
        "F.local_response_norm(b.reshape([1, 2, 2]), 2)", "F.local_response_norm(b, 2)",
        "F.adaptive_avg_pool2d(b.reshape([1, 1, 2, 2]), 1)", "F.adaptive_avg_pool3d(b, 1)", "F.interpolate(b, [1, 1], mode='area')",
        "paddle.put_along_axis(b, grid, c, 0)", "paddle.put_along_axis(b, grid, c, 0, reduce='add')",
        "paddle.put_along_axis(b, grid, c, 0, reduce='mean')", "b.index_put((index,), c, accumulate=True)",
        "paddle.geometric.send_u_recv(b, index, index)", "paddle.geometric.segment_sum(b, paddle.to_tensor([0, 1]))",
        "paddle.geometric.segment_mean(b, paddle.to_tensor([0, 1]))",
    ), _REDUCES),
    "paddle.linalg.norm(b, 1)": "only other orders use the result",
    "b.matrix_power(2)": "only a negative power uses the result",
    "F.grid_sample(b, c, mode='nearest')": "a grid gets no gradient in this mode",
    "F.embedding(index, b, sparse=True)": "a sparse gradient is made of a copy",
    "F.layer_norm(b, [2], None, d)": "without a scale, the bias has its place",
    "b.__setitem__(mask, c[0, 0]) or b": _LOSES,
    "b.masked_fill_(mask, c[0, 0])": _LOSES,
    "paddle.masked_fill(b, mask, c[0, 0])": _LOSES,
    "paddle.linalg.multi_dot([b, c, d])": "no factor is used for its own gradient, whichever place it has",
    "(n := paddle.nn.LSTM(2, 2))(b)[0]": _WEIGHTS,
    "(n := paddle.nn.GRU(2, 2))(b)[0]": _WEIGHTS,
    "(n := paddle.nn.SimpleRNN(2, 2))(b)[0]": _WEIGHTS,
}  # fmt: skip
"""Calls where fewer gradients change than are named, and why."""


def program(case: Case) -> str:
    return BEFORE.replace("SHAPES", case[0]).replace("CALL", case[1])


def of_layer(names: dict[str, Any]) -> dict[str, Any]:
    """The parameters and running statistics of the layer in a call, as the program may write them."""
    state = names["n"].state_dict() if "n" in names else {}
    return {f"n.{name}": getattr(names["n"], name) for name in state if hasattr(names["n"], name)}


def names_in(case: Case, names: dict[str, Any]) -> list[str]:
    """The tensors that may be written: those in the call, those of a layer, and the results."""
    found = [*dict.fromkeys(re.findall(r"\b[a-z]+\b", case[1])), *(f"r{k}" for k in range(len(names["results"][:3])))]
    return [*of_layer(names), *(name for name in found if isinstance(names.get(name), paddle.Tensor))]


def leaves(names: dict[str, Any]) -> dict[str, Any]:
    """The tensors that have got a gradient."""
    every = {**{name: names[name] for name in "pqs"}, **of_layer(names)}
    return {name: each for name, each in every.items() if each.grad is not None}


def gradients(
    case: Case, write: Callable[[dict[str, Any]], None] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Runs a program, with a write before backward; returns the gradients of its leaves, and its names."""
    names: dict[str, Any] = {"paddle": paddle}
    exec(program(case), names)
    if write is not None:
        write(names)
    exec(BACKWARD, names)
    dense = {name: each.grad.to_dense() if each.grad.is_sparse() else each.grad for name, each in leaves(names).items()}
    return {name: np.array(each.numpy()) for name, each in dense.items()}, names


def refused(case: Case, name: str) -> bool:
    """Whether backward refuses a tensor whose version was raised."""
    try:
        gradients(case, lambda names: eval(name, names)._bump_inplace_version())
    except RuntimeError as error:
        if "expected version" in str(error):
            return True
        raise
    return False


def others(values: Any) -> Iterator[Any]:
    """Other values for a tensor, with other signs, orders and maxima."""
    if values.dtype == bool:
        made = [~values]
    elif values.dtype.kind in "iu":
        made = [np.flip(values), 1 - values.clip(0, 1), values * 0, values * 0 + 1]
    else:
        made = [values * 3 + 1, -values, 1 - values, np.flip(values), values * 0, values * 0.9 + 0.01]
    for each in made:
        if not np.array_equal(each, values):
            yield np.asarray(each).astype(values.dtype)


def set_to(name: str, values: Any) -> Callable[[dict[str, Any]], None]:
    return lambda names: eval(name, names).set_value(values)


def changed(case: Case, name: str, right: dict[str, Any], values: Any) -> set[str]:
    """The leaves whose gradients change if a tensor is written without a new version."""
    found: set[str] = set()
    for each in others(values):
        if found != set(right):
            after, _ = gradients(case, set_to(name, each))
            found |= {leaf for leaf in right if not np.allclose(after[leaf], right[leaf], rtol=1e-3, atol=1e-4)}
    return found


def told(case: Case, names: dict[str, Any]) -> tuple[set[str], dict[str, set[str]]]:
    """Records the call, once for each tensor that is written, and once more.

    Returns:
        The tensors that are said to be saved; and for each tensor the leaves that are said to get a wrong gradient if it is written.
    """
    text, lines, values = "", {}, {name: next(others(eval(name, names).numpy())) for name in names_in(case, names)}
    for name in values:
        text += f"{program(case)}{name}.set_value(VALUES[{name!r}])\n{BACKWARD}"
        lines[text.count("\n") - 1] = name
    ran = run(text + program(case), limit=100_000, VALUES=values)
    assert ran.failure is None
    assert not any("is not known" in each or "stopped" in each for each in remarks(ran.recording))
    found: dict[str, set[str]] = {name: set() for name in values}
    for each in unnoticed_writes(ran.recording):
        found[lines[each.write.line or 0]] |= set(each.wrong)
    state = ran.recording.state()
    kept = {(each.storage, each.version) for node in state.nodes.values() for each in node.saved}
    return {name for name in values if (state.tensor(name).storage, state.version(name)) in kept}, found


@for_each("case", sample(CASES, one_in=choose(40, 12, 1)))
def test_what_is_said_of_saved_tensors_is_what_backward_does(case: Case) -> None:
    right, names = gradients(case)
    saved, wrong = told(case, names)
    changes = {name: changed(case, name, right, eval(name, names).numpy()) for name in wrong}
    if case[1] in MORE:
        assert all(changes[name] <= wrong[name] for name in wrong)
    else:
        assert wrong == changes
    if not any(each in case[1] for each in UNCHECKED) and case[1] not in UNLIKE:
        assert saved == {name for name in wrong if refused(case, name)}
