"""Calls of Paddle's functions whose gradients are compared with the engine's.

`a`, `b`, `p` (positive) and `k` have three rows and four columns, `m` four rows and three columns; `v` is a vector, `s` a square, `c` has three
axes; `im` is a batch of images, `w` and `q` are weights. `x` is a copy of `a`, which may be written. `i`, `ij`, `ki` are indices, `l` and `il` labels.
"""

from __future__ import annotations

CALLS = {
    "operators": """
        a + b | a - b | a * b | a / p | a ** 2 | p ** 0.5 | p ** a | 2 ** a | 2.0 / p | 1 - a | 3 - a | 2 * a | a * 2.5 | a + 1 | a - 1 | a / 2 |
        -a | a.neg() | 1 / p | a @ m | v @ m | a.matmul(m) | paddle.matmul(a, b, transpose_y=True) | paddle.matmul(a, b, transpose_x=True) |
        a.mm(m) | paddle.bmm(c, c.transpose([0, 2, 1])) | paddle.dot(v, v) | paddle.mv(a, v) |
        paddle.addmm(paddle.ones([3, 3]), a, m, alpha=2.0, beta=0.5) | a.inner(b) | paddle.outer(v, v) | abs(a) | a.abs() | a + v | v + a |
        a * a[0] | a % p | a // p + a | paddle.remainder(a, p) | a.t() | a.T""",
    "arithmetic": """
        paddle.add(a, b) | paddle.subtract(a, b) | paddle.multiply(a, b) | paddle.divide(a, p) | paddle.pow(p, 3) | paddle.pow(p, a) |
        paddle.maximum(a, b) | paddle.minimum(a, b) | paddle.fmax(a, b) | paddle.fmin(a, b) | paddle.add_n([a, b]) | paddle.scale(a, 2.0, 1.0) |
        paddle.scale(a, 2.0, 1.0, bias_after_scale=False) | paddle.atan2(a, b) | paddle.hypot(a, b) | paddle.logaddexp(a, b) |
        paddle.lerp(a, b, 0.3) | paddle.lerp(a, b, k) | a.lerp(b, 0.3) | paddle.stanh(a)""",
    "elementwise": """
        paddle.exp(a) | a.exp() | p.log() | paddle.log2(p) | paddle.log10(p) | paddle.log1p(p) | paddle.sqrt(p) | p.rsqrt() | paddle.square(a) |
        paddle.sin(a) | a.cos() | paddle.tan(a) | paddle.asin(a * 0.5) | paddle.acos(a * 0.5) | paddle.atan(a) | paddle.sinh(a) | paddle.cosh(a) |
        paddle.tanh(a) | paddle.asinh(a) | paddle.acosh(p + 1) | paddle.atanh(a * 0.5) | paddle.erf(a) | paddle.erfinv(a * 0.5) |
        paddle.expm1(a) | paddle.reciprocal(p) | paddle.sigmoid(a) | paddle.sign(a) * a | paddle.floor(a) + a | paddle.ceil(a) + a |
        paddle.round(a) + a | paddle.trunc(a) + a | paddle.frac(a) | paddle.lgamma(p) | paddle.digamma(p) | paddle.logit(p * 0.2) |
        paddle.deg2rad(a) | paddle.rad2deg(a) | paddle.i0(a) | paddle.i1(a) | paddle.nan_to_num(a) | a.cast('float64') | a.astype('float64') |
        paddle.cast(a, paddle.float64) | a.astype(paddle.float64).astype('float32') | a.clone() | paddle.assign(a) | paddle.clone(a) |
        a.contiguous() | paddle.sgn(a) * a | paddle.copysign(a, b) | paddle.heaviside(a, b) + a | paddle.polygamma(p, 1) | paddle.gammaln(p) |
        paddle.ldexp(a, paddle.to_tensor([2])) | paddle.increment(a.sum())""",
    "reductions": """
        a.sum() | a.sum(0) | a.sum(-1) | a.sum(axis=[0, 1]) | a.sum(axis=1, keepdim=True) | paddle.sum(a, axis=0) |
        paddle.sum(a, dtype='float64') | a.mean() | a.mean(0) | a.mean(axis=[0, 1], keepdim=True) | paddle.mean(a, axis=-1) | a.max() | a.max(0) |
        a.max(axis=-1, keepdim=True) | a.min(1) | paddle.amax(a, axis=1) | paddle.amin(a) | paddle.amin(a, axis=[0, 1]) | paddle.prod(a) |
        paddle.prod(a, axis=1) | paddle.prod(a, axis=0, keepdim=True) | a.prod(-1) | paddle.var(a) | paddle.var(a, axis=0) |
        a.var(axis=1, unbiased=False) | a.std() | a.std(axis=0, keepdim=True) | paddle.std(a, axis=[0, 1]) | paddle.logsumexp(a) |
        paddle.logsumexp(a, axis=1) | a.logsumexp(axis=[0, 1], keepdim=True) | paddle.median(a) | paddle.median(a, axis=1) | paddle.nanmean(a) |
        paddle.nansum(a, axis=0) | paddle.quantile(a, 0.3) | paddle.quantile(a, 0.3, axis=1) | paddle.kthvalue(a, 2)[0] | paddle.mode(a)[0] |
        paddle.trace(s) | paddle.count_nonzero(a) + a.sum() | paddle.linalg.norm(a) | paddle.norm(a) | a.norm() | paddle.norm(a, p=2, axis=1) |
        paddle.norm(a, p=1, axis=1, keepdim=True) | paddle.norm(a, p=float('inf'), axis=1) | paddle.linalg.norm(a, 'fro') |
        paddle.norm(a, p='fro', axis=[0, 1]) | paddle.dist(a, b) | paddle.dist(a, b, 1) | paddle.linalg.vector_norm(a, 3) |
        paddle.linalg.vector_norm(a, 2, axis=0) | paddle.nn.utils.parameters_to_vector([a, b]) | paddle.norm(c, p=2, axis=[1, 2]) |
        F.normalize(a) | F.normalize(a, axis=0) | F.normalize(a, p=1, axis=1) | F.cosine_similarity(a, b) | F.cosine_similarity(a, b, axis=0) |
        F.pairwise_distance(a, b)""",
    "accumulations": """
        paddle.cumsum(a) | paddle.cumsum(a, axis=0) | a.cumsum(-1) | paddle.cumprod(a, dim=0) | paddle.cumprod(a, dim=1) |
        paddle.logcumsumexp(a, axis=1) | paddle.cummax(a, axis=1)[0] | paddle.cummin(a, axis=0)[0] | paddle.diff(a) | paddle.diff(a, axis=0) |
        paddle.trapezoid(a)""",
    "reading_elements": """
        a[0] | a[:, 1] | a[1:, ::2] | a[::-1] | a[-1] | a[..., 0] | a[None] | a[:, None, :] | a[[0, 2]] | a[[0, 2], [1, 3]] |
        a[paddle.to_tensor([0, 2])] | a[:, paddle.to_tensor([0, 2, 2])] | a[paddle.to_tensor(1)] | a[a > 0] | a[(a > 0).numpy()] |
        a[[True, False, True]] | a[1][2] | c[:, [0, 1], 0] | a[numpy.array([0, 1])] | a[numpy.array([0, 1]), 1:] |
        c[..., paddle.to_tensor([1, 0])] | a[1, 2] | c[0, ..., 1] | a[slice(0, 2)] | a[0:0] + a.sum() | a[paddle.to_tensor([[0, 1], [2, 0]])] |
        a[a.argmax(0), paddle.arange(4)]""",
    "writing_elements": """
        x[0] = b[0] | x[0] = 2.0 | x[:, 1] = v[:3] | x[1:, ::2] = b[1:, ::2] | x[[0, 2]] = b[:2] | x[x > 0] = 0.0 | x[b > 0] = 1.5 |
        x[paddle.to_tensor([0, 1])] = b[:2] | x[:, paddle.to_tensor([0, 1])] = b[:, :2] | x[0, 1] = v[0] | x[...] = b | x[:] = b | x[0] = v |
        x[0] += b[0] | x[:, 1] *= 2 | x[1:] -= b[1:] | x[b > 0] = v[0] | x[paddle.to_tensor([0, 1]), paddle.to_tensor([0, 1])] = v[:2] |
        x[x > 0] *= 2""",
    "shapes": """
        paddle.reshape(a, [4, 3]) | a.reshape([-1]) | a.reshape([2, -1]) | a.reshape((2, 6)) | a.reshape(shape=[12]) | a.flatten() |
        paddle.flatten(c, 1) | c.flatten(start_axis=0, stop_axis=1) | a.unsqueeze(0) | a.unsqueeze([0, 2]) | a.unsqueeze(-1).squeeze(-1) |
        a[None].squeeze() | a[None].squeeze(axis=[0]) | a.transpose([1, 0]) | paddle.transpose(c, [2, 0, 1]) | paddle.moveaxis(c, 0, 2) |
        paddle.swapaxes(a, 0, 1) | paddle.t(a) | a.view([4, 3]) | a.view([12]) | paddle.as_strided(a, [2, 2], [1, 2]) | a.unflatten(1, [2, 2]) |
        paddle.concat([a, b]) | paddle.concat([a, b], axis=1) | paddle.concat([a, b], -1) | paddle.stack([a, b]) | paddle.stack([a, b], axis=-1) |
        paddle.vstack([a, b]) | paddle.hstack([a, b]) | paddle.split(a, 2, axis=1)[1] | paddle.split(a, [1, 3], axis=1)[1] |
        paddle.split(a, [1, -1], axis=1)[0] | a.split(3)[1] | a.chunk(2, axis=1)[0] | paddle.chunk(a, 3)[2] | paddle.unbind(a)[1] |
        paddle.unbind(a, axis=1)[2] | paddle.tile(a, [2, 1]) | a.tile([2, 2, 1]) | paddle.expand(v, [3, 4]) | v.expand([2, 4]) | v.expand_as(a) |
        paddle.broadcast_to(v, [3, 4]) | a[:, :1].expand([-1, 4]) | paddle.repeat_interleave(a, 2, axis=1) | paddle.repeat_interleave(a, 2) |
        paddle.flip(a, [0]) | paddle.flip(a, axis=[0, 1]) | paddle.roll(a, 1) | paddle.roll(a, 1, axis=0) | paddle.roll(a, [1, 2], axis=[0, 1]) |
        paddle.rot90(a) | paddle.diag(v) | paddle.diag(s) | paddle.diag(v, 1) | paddle.diagonal(s) | paddle.diagflat(v) | paddle.diag_embed(a) |
        paddle.tril(a) | paddle.triu(a, 1) | a.tril(-1) | paddle.slice(a, [0, 1], [0, 1], [2, 3]) | paddle.strided_slice(a, [1], [0], [4], [2]) |
        paddle.crop(a, [2, 2], [1, 1]) | paddle.atleast_2d(v) | a.view_as(m) | paddle.tensor_split(a, 2, axis=1)[0] | paddle.kron(a, b) |
        paddle.cross(m, m * m) | paddle.view(a, [2, 6]) | a.fill_diagonal_tensor(v[:3]) | paddle.masked_scatter(a, a > 0, b) |
        paddle.combinations(v) | paddle.cartesian_prod([v, v]) | paddle.block_diag([a, b]) | paddle.column_stack([a, b]) |
        paddle.row_stack([a, b]) | paddle.dstack([a, b])""",
    "choosing_elements": """
        paddle.where(a > 0, a, b) | paddle.where(a > 0, a, paddle.zeros_like(a)) | paddle.where(a > b, b, a) | paddle.where(a > 0, a, v) |
        paddle.where(a > 0, 1.0, a) | paddle.gather(a, i) | paddle.gather(a, i, axis=1) | paddle.gather_nd(a, ij) | paddle.index_select(a, i) |
        paddle.index_select(a, i, axis=1) | a.index_select(i, 0) | paddle.index_sample(a, ki) | paddle.take_along_axis(a, ki, 1) |
        a.take_along_axis(ki, axis=1) | paddle.take(a, i) | paddle.scatter(a, i, b[:2]) | paddle.scatter(a, i, b[:2], overwrite=False) |
        paddle.scatter_nd_add(a, ij, v[:2]) | paddle.scatter_nd(ij, v[:2], [3, 4]) | paddle.index_add(a, i, 0, b[:2]) |
        paddle.index_add(a, i, 1, b[:, :2]) | paddle.index_fill(a, i, 0, 2.0) | paddle.index_put(a, (i, i), v[:2]) |
        paddle.index_put(a, (i,), v, accumulate=True) | paddle.put_along_axis(a, ki, b[:, :2], 1) |
        paddle.put_along_axis(a, ki, b[:, :2], 1, 'add') | paddle.put_along_axis(a, ki, 2.0, 1) |
        paddle.put_along_axis(a, ki, b[:, :2], 1, reduce='multiply') | paddle.masked_select(a, a > 0) | paddle.masked_fill(a, b > 0, 2.0) |
        a.masked_fill(b > 0, -1e9) | paddle.clip(a, -0.5, 0.5) | a.clip(min=0.0) | a.clip(max=0.3) |
        paddle.clip(a, paddle.to_tensor(-0.5), paddle.to_tensor(0.5)) | a.clip(0, 1) | paddle.sort(a) | paddle.sort(a, axis=0, descending=True) |
        a.sort(1) | paddle.topk(a, 2)[0] | paddle.topk(a, 2, axis=0)[0] | paddle.topk(a, 2, largest=False)[0] | a.topk(2)[0] |
        paddle.argsort(a).astype('float32') * a | paddle.take_along_axis(a, paddle.argsort(a, 1), 1) |
        paddle.multiplex([a, b], paddle.to_tensor([[0], [1], [0]], 'int32')) | paddle.select_scatter(a, v, 0, 1) |
        paddle.slice_scatter(a, b[:, :2], [1], [0], [4], [2]) | paddle.diagonal_scatter(s, v) | paddle.renorm(a, 2.0, 0, 0.5)""",
    "products": """
        paddle.einsum('ij,jk->ik', a, m) | paddle.einsum('ij->ji', a) | paddle.einsum('bij,bkj->bik', c, c) | paddle.einsum('ij,ij->', a, b) |
        paddle.einsum('i,j->ij', v, v) | paddle.einsum('...ij,jk->...ik', c, m) | paddle.einsum('ii->i', s) | paddle.tensordot(a, m, 1) |
        paddle.tensordot(a, b, [[0], [0]]) | paddle.linalg.multi_dot([a, m, a]) | paddle.matmul(c, m) | c @ m | c @ v | paddle.linalg.inv(s) |
        paddle.inverse(s) | paddle.linalg.det(s) | paddle.linalg.slogdet(s)[1] | paddle.linalg.cholesky(s @ s.t() + 4 * paddle.eye(4)) |
        paddle.linalg.solve(s, m) | paddle.linalg.eigvalsh(s + s.t()) | paddle.linalg.eigh(s + s.t())[0] | paddle.linalg.svd(a)[1] |
        paddle.linalg.matrix_power(s, 3) | s | paddle.linalg.pinv(a) | paddle.linalg.triangular_solve(s, m) | paddle.linalg.cov(a) |
        paddle.linalg.corrcoef(a) | paddle.cdist(a, b) | paddle.baddbmm(paddle.ones([2, 3, 3]), c, c.transpose([0, 2, 1]))""",
    "activations": """
        F.relu(a) | F.relu6(a) | F.leaky_relu(a) | F.leaky_relu(a, 0.2) | F.elu(a) | F.elu(a, 0.5) | F.selu(a) | F.celu(a) | F.gelu(a) |
        F.gelu(a, approximate=True) | F.silu(a) | F.swish(a) | F.mish(a) | F.softplus(a) | F.softplus(a, 2, 15) | F.softsign(a) |
        F.tanhshrink(a) | F.hardshrink(a) | F.softshrink(a) | F.hardsigmoid(a) | F.hardswish(a) | F.hardtanh(a) | F.log_sigmoid(a) |
        F.sigmoid(a) | F.tanh(a) | F.prelu(a, v[:1]) | F.prelu(im, v) | F.thresholded_relu(a) | F.maxout(im, 2) | F.glu(a) | F.softmax(a) |
        F.softmax(a, axis=0) | F.log_softmax(a) | F.log_softmax(a, axis=0) | paddle.nn.Softmax()(a) | F.rrelu(a, training=False) |
        F.gumbel_softmax(a) | F.swiglu(a)""",
    "images": """
        F.linear(a, m) | F.linear(a, m, v[:3]) | F.embedding(i, a) | F.embedding(i, a, padding_idx=0) | F.embedding(i, a, sparse=False) |
        F.bilinear(a, b, paddle.ones([2, 4, 4])) | F.one_hot(i, 4) @ v | F.label_smooth(F.softmax(a)) | F.pad(a, [1, 1]) |
        F.pad(a, [1, 1, 0, 2]) | F.pad(a, [1, 1, 0, 2], value=2.0) | F.pad(im, [1, 1, 2, 0]) | F.pad(im, [1, 1, 2, 0], mode='reflect') |
        F.pad(im, [1, 1, 2, 0], mode='replicate') | F.pad(im, [1, 1, 2, 0], mode='circular') |
        F.pad(im, [0, 0, 0, 0, 1, 1, 1, 1], 'constant', 0) | F.pad(c, [1, 1], mode='replicate', data_format='NCL') |
        F.zeropad2d(im, [1, 0, 1, 0]) | F.pad(im, [1, 1, 2, 0], data_format='NHWC') | F.unfold(im, 3) | F.fold(F.unfold(im, 3), [6, 6], 3) |
        F.pixel_shuffle(im, 2) | F.pixel_unshuffle(im, 2) | F.channel_shuffle(im, 2) | F.interpolate(im, scale_factor=2) |
        F.interpolate(im, size=[8, 9], mode='nearest') | F.interpolate(im, size=[8, 9], mode='bilinear') |
        F.interpolate(im, scale_factor=2, mode='bilinear', align_corners=True) | F.upsample(im, scale_factor=2) |
        F.interpolate(im, size=[3, 3], mode='area') | F.interpolate(im, size=[8, 9], mode='bicubic') |
        F.grid_sample(im, paddle.rand([2, 3, 3, 2])) | F.affine_grid(paddle.rand([2, 2, 3]), [2, 4, 3, 3]) + im.mean() |
        F.temporal_shift(im, 2, 0.2)""",
    "convolutions": """
        F.conv2d(im, w) | F.conv2d(im, w, v[:2]) | F.conv2d(im, w, stride=2, padding=1) | F.conv2d(im, w, padding=[1, 0]) |
        F.conv2d(im, w, padding='SAME') | F.conv2d(im, w, padding='VALID', dilation=2) | F.conv2d(im, w[:, :2], groups=2) |
        F.conv2d(im, paddle.rand([4, 1, 3, 3]), groups=4) | F.conv2d(im, w, padding=[1, 0, 2, 1]) |
        F.conv2d(im.transpose([0, 2, 3, 1]), w, data_format='NHWC') | F.conv1d(c, paddle.rand([2, 3, 2])) | F.conv1d(c, q, padding=1, stride=2) |
        F.conv3d(im.unsqueeze(2), w.unsqueeze(2)) | F.conv2d_transpose(im, w.transpose([1, 0, 2, 3])) |
        F.conv2d_transpose(im, w.transpose([1, 0, 2, 3]), stride=2, padding=1, output_padding=1) | F.conv1d_transpose(c, q.transpose([1, 0, 2])) |
        paddle.nn.Conv2D(4, 3, 3)(im) | paddle.nn.Conv2D(4, 4, 3, groups=4, padding=1)(im) | paddle.nn.Conv2D(4, 8, 3, groups=4, padding=1)(im) |
        paddle.nn.Conv1D(3, 2, 2)(c) | paddle.nn.Conv2D(4, 3, 3, padding='same', padding_mode='zeros')(im) |
        paddle.nn.Conv2D(4, 3, 3, padding=1, padding_mode='reflect')(im)""",
    "pools": """
        F.max_pool2d(im, 2) | F.max_pool2d(im, 3, 2, 1) | F.max_pool2d(im, 2, ceil_mode=True) | F.max_pool2d(im, 4, 4, ceil_mode=True) |
        F.max_pool2d(im, 2, return_mask=True)[0] | F.avg_pool2d(im, 2) | F.avg_pool2d(im, 3, 2, 1) | F.avg_pool2d(im, 3, 2, 1, exclusive=False) |
        F.avg_pool2d(im, 4, 4, ceil_mode=True) | F.avg_pool2d(im, 2, divisor_override=3) | F.max_pool2d(im, 2, data_format='NHWC') |
        F.adaptive_avg_pool2d(im, 1) | F.adaptive_avg_pool2d(im, [2, 3]) | F.adaptive_avg_pool2d(im, 4) | F.adaptive_max_pool2d(im, 2) |
        F.adaptive_avg_pool2d(im, [None, 2]) | F.adaptive_max_pool1d(c, 2) | F.max_pool1d(c, 2) |
        F.avg_pool1d(c, 2) | F.avg_pool1d(c, 2, 1, 1) | F.max_pool3d(im.unsqueeze(2), [1, 2, 2]) | F.avg_pool3d(im.unsqueeze(2), [1, 2, 2]) |
        F.lp_pool2d(im, 2, 2) | F.max_unpool2d(*F.max_pool2d(im, 2, return_mask=True), 2) | paddle.nn.AdaptiveAvgPool2D(1)(im) |
        paddle.nn.MaxPool2D(2)(im) | paddle.nn.AvgPool2D(2, 2)(im) | F.max_pool2d(im, 2, padding='SAME')""",
    "norms": """
        paddle.nn.BatchNorm2D(4)(im) | ev(paddle.nn.BatchNorm2D(4))(im) | paddle.nn.BatchNorm1D(4)(a) | paddle.nn.BatchNorm1D(3)(c) |
        ev(paddle.nn.BatchNorm1D(4))(a) | paddle.nn.BatchNorm(4)(im) | paddle.nn.BatchNorm(4, act='relu')(im) |
        paddle.nn.BatchNorm2D(4, data_format='NHWC')(im.transpose([0, 2, 3, 1])) |
        paddle.nn.BatchNorm2D(4, weight_attr=False, bias_attr=False)(im) | paddle.nn.BatchNorm2D(4, use_global_stats=True)(im) |
        paddle.nn.LayerNorm(4)(a) | paddle.nn.LayerNorm([3, 4])(c) | paddle.nn.LayerNorm(4, weight_attr=False, bias_attr=False)(a) |
        F.layer_norm(a, 4) | F.layer_norm(a, [4], v, v) | paddle.nn.GroupNorm(2, 4)(im) | F.group_norm(im, 2) | paddle.nn.InstanceNorm2D(4)(im) |
        F.instance_norm(im) | paddle.nn.InstanceNorm1D(3)(c) | paddle.nn.LocalResponseNorm(3)(im) |
        paddle.nn.SpectralNorm([4, 4])(s) | F.batch_norm(im, paddle.zeros([4]), paddle.ones([4]), v, v, training=True) |
        F.local_response_norm(im, 3) | paddle.nn.GroupNorm(2, 4, data_format='NHWC')(im.transpose([0, 2, 3, 1]))""",
    "losses": """
        F.cross_entropy(a, l) | F.cross_entropy(a, l.unsqueeze(1)) | F.cross_entropy(a, l, reduction='sum') |
        F.cross_entropy(a, l, reduction='none') | F.cross_entropy(a, F.softmax(b), soft_label=True) | F.cross_entropy(a, l, ignore_index=1) |
        F.cross_entropy(a, l, weight=paddle.to_tensor([1., 2., 3., 4.])) | F.cross_entropy(a, l, label_smoothing=0.1) |
        F.cross_entropy(a, F.one_hot(l, 4), soft_label=True, label_smoothing=0.1) | F.cross_entropy(im, il, axis=1) |
        F.cross_entropy(im.transpose([0, 2, 3, 1]), il) | F.cross_entropy(F.softmax(a), l, use_softmax=False) |
        F.cross_entropy(a, l, weight=paddle.to_tensor([1., 2., 3., 4.]), ignore_index=1) |
        F.cross_entropy(a, F.softmax(b), soft_label=True, weight=paddle.to_tensor([1., 2., 3., 4.])) |
        F.softmax_with_cross_entropy(a, l.unsqueeze(1)) | F.softmax_with_cross_entropy(a, F.softmax(b), soft_label=True) |
        paddle.nn.CrossEntropyLoss()(a, l) | F.mse_loss(a, b) | F.mse_loss(a, b, reduction='sum') | F.mse_loss(a, b, 'none') | F.l1_loss(a, b) |
        F.smooth_l1_loss(a, b) | F.smooth_l1_loss(a, b, delta=0.5) | F.square_error_cost(a, b) | F.binary_cross_entropy(F.sigmoid(a), y01) |
        F.binary_cross_entropy(F.sigmoid(a), y01, weight=p) | F.binary_cross_entropy_with_logits(a, y01) |
        F.binary_cross_entropy_with_logits(a, y01, reduction='none') | F.binary_cross_entropy_with_logits(a, y01, pos_weight=v * 0 + 2) |
        F.binary_cross_entropy_with_logits(a, y01, weight=paddle.ones([4])) | F.nll_loss(F.log_softmax(a), l) |
        F.nll_loss(F.log_softmax(a), l, weight=paddle.to_tensor([1., 2., 3., 4.])) | F.nll_loss(F.log_softmax(im, 1), il) |
        F.nll_loss(F.log_softmax(a), l, ignore_index=1, reduction='sum') | F.kl_div(F.log_softmax(a), F.softmax(b)) |
        F.kl_div(F.log_softmax(a), F.softmax(b), reduction='batchmean') | F.kl_div(F.log_softmax(a), F.softmax(b), 'sum') |
        F.hinge_embedding_loss(a, y01 * 2 - 1) | F.margin_ranking_loss(a, b, y01 * 2 - 1) |
        F.cosine_embedding_loss(a, b, paddle.to_tensor([1, -1, 1])) | F.triplet_margin_loss(a, b, a * 2) |
        F.log_loss(F.sigmoid(a[:, :1]), y01[:, :1]) | F.sigmoid_focal_loss(a, y01) | F.dice_loss(F.softmax(a), l.unsqueeze(1)) |
        F.npair_loss(a, b, l.astype('float32')) | F.poisson_nll_loss(a, p) | F.gaussian_nll_loss(a, b, p) |
        F.multi_label_soft_margin_loss(a, y01) | F.soft_margin_loss(a, y01 * 2 - 1) |
        F.ctc_loss(paddle.rand([5, 2, 4]) * a[0], paddle.to_tensor([[1, 2], [2, 1]], 'int32'), paddle.to_tensor([5, 5]), paddle.to_tensor([2, 2])) |
        F.multi_margin_loss(a, l) | paddle.nn.BCELoss()(F.sigmoid(a), y01) | paddle.nn.HSigmoidLoss(4, 5)(a, l)""",
    "in_place": """
        x.add_(b) | x.subtract_(b) | x.multiply_(b) | x.divide_(p) | x.scale_(2.0) | x.exp_() | x.tanh_() | x.sigmoid_() | x.clip_(-0.5, 0.5) |
        x.pow_(2) | x.abs_() | x.ceil_() | x.floor_() | x.round_() | x.reciprocal_() | x.sin_() | x.cos_() | x.zero_() | x.fill_(2.0) |
        x.lerp_(b, 0.3) | x.masked_fill_(b > 0, 2.0) | paddle.where_(b > 0, x, b) | x.cumsum_(0) | x.cumprod_(0) | x.tril_() | x.triu_() |
        x.remainder_(p) | x.neg_() | x.square_() | x.index_add_(i, 0, b[:2]) | x.index_put_((i, i), v[:2]) | x.put_along_axis_(ki, b[:, :2], 1) |
        x.scatter_(i, b[:2]) | x.index_fill_(i, 0, 2.0) | x.fill_diagonal_(1.0) | x.fill_diagonal_tensor_(v[:3]) | x.reshape_([4, 3]) |
        x.flatten_() | x.unsqueeze_(0) | x.transpose_([1, 0]) | x.t_() | F.relu_(x) | F.softmax_(x) | F.elu_(x) | F.leaky_relu_(x) | F.tanh_(x) |
        x.uniform_(0, 1) | x.normal_() | x.exponential_() | x.bernoulli_() | x.cauchy_() | x.log_normal_() | x.geometric_(0.5) |
        x.copy_(b, True) | paddle.assign(b, x) | x.addmm_(s[:3, :3], b) | x.logit_() | x.hypot_(b) | x.nan_to_num_() | x.asinh_() |
        x.add_(paddle.to_tensor(1.0)) | x.squeeze_() | x.masked_scatter_(b > 0, p) | x.renorm_(2.0, 0, 0.5) | x.copysign_(b) | x.frac_() |
        x.trunc_() | x.add_(v) | x.floor_divide_(p) | x.atan_() | x.sinh_() | x.multiply_(paddle.to_tensor(2.0)) | x.cast_('float64') |
        x.index_put_((b > 0,), v[0]) | x[0].add_(b[0]) | x[:, 1].multiply_(b[:, 1]) | x.masked_fill_(b > 0, v[0])""",
    "dropouts": """
        F.dropout(a) | F.dropout(a, 0.3) | F.dropout(a, 0.5, training=False) | F.dropout(a, 0.5, mode='downscale_in_infer') |
        F.dropout(a, 0.5, axis=0) | F.dropout2d(im, 0.5) | F.alpha_dropout(a, 0.5) | paddle.nn.Dropout(0.5)(a) | paddle.nn.Dropout2D(0.5)(im) |
        F.dropout(a, 0.0) | F.dropout(a, 1.0) | F.dropout(a, 0.5, training=False, mode='downscale_in_infer')""",
    "layers": """
        paddle.nn.Linear(4, 2)(a) | paddle.nn.Embedding(5, 3)(i) + a.sum() |
        paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 1))(a) | paddle.nn.MultiHeadAttention(4, 2)(c, c, c) |
        paddle.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)(c) | paddle.nn.TransformerEncoderLayer(4, 2, 8)(c) | paddle.nn.LSTM(4, 5)(c)[0] |
        paddle.nn.GRU(4, 5)(c)[0] | paddle.nn.SimpleRNN(4, 5)(c)[0] | paddle.nn.LSTMCell(4, 5)(a)[0] | paddle.nn.GRUCell(4, 5)(a)[0] |
        paddle.nn.utils.weight_norm(paddle.nn.Linear(4, 2))(a) | paddle.nn.utils.spectral_norm(paddle.nn.Linear(4, 2))(a) |
        paddle.nn.Flatten()(c) | paddle.nn.PReLU()(a) | paddle.nn.Upsample(scale_factor=2)(im) | paddle.nn.Bilinear(4, 4, 2)(a, b) |
        paddle.nn.CosineSimilarity()(a, b) | paddle.nn.PixelShuffle(2)(im) | paddle.nn.Conv2DTranspose(4, 2, 3)(im) | paddle.nn.Pad2D(1)(im) |
        paddle.nn.ParameterList([paddle.create_parameter([3, 4], 'float32')])[0] * a |
        F.scaled_dot_product_attention(c.unsqueeze(2), c.unsqueeze(2), c.unsqueeze(2)) | paddle.complex(a, b).real() |
        paddle.abs(paddle.complex(a, b)) | paddle.fft.rfft(a).abs() | paddle.as_real(paddle.as_complex(c[..., :2])) |
        paddle.signal.stft(paddle.rand([32]) * a[0, 0], 8).abs() | a.detach() * a | float(a[0, 0]) * a | a.numpy()[0, 0] * a |
        paddle.to_tensor(a) * a | paddle.full_like(a, 2.0) * a | paddle.ones_like(a) * a | paddle.bernoulli(F.sigmoid(a)) * a |
        paddle.multinomial(F.softmax(a)).astype('float32') * a[0, 0] | paddle.normal(a, p) | paddle.distribution.Normal(a, p).log_prob(b) |
        paddle.distribution.Normal(a, p).rsample() | paddle.distribution.Categorical(a).entropy() |
        paddle.distribution.Categorical(logits=a).log_prob(l) | (a > 0).astype('float32') * a | a.astype('int32').astype('float32') + a |
        paddle.searchsorted(v.sort(), v).astype('float32') * v | a * 1""",
}  # fmt: skip
LACKING = frozenset({
    "erfinv", "multiplex", "pinv", "triangular_solve", "rrelu", "gumbel_softmax", "bilinear", "Bilinear", "unfold", "fold", "grid_sample",
    "temporal_shift", "conv3d", "max_pool3d", "avg_pool3d", "lp_pool2d", "max_unpool2d", "LocalResponseNorm", "local_response_norm", "SpectralNorm",
    "ctc_loss", "HSigmoidLoss", "LSTM", "GRU", "SimpleRNN", "real", "as_complex", "rfft", "stft",
})  # fmt: skip
"""Functions that are left out, since the engine has none that computes the same."""
WRONG = frozenset({
    "paddle.lerp(a, b, k)", "x[b > 0] = v[0]", "x.masked_fill_(b > 0, v[0])", "paddle.diagonal_scatter(s, v)", "x.fill_diagonal_tensor_(v[:3])",
    "paddle.diag_embed(a)", "a.fill_diagonal_tensor(v[:3])", "x.floor_divide_(p)", "x[0].add_(b[0])", "x[:, 1].multiply_(b[:, 1])", "x.copy_(b, True)",
    "F.cross_entropy(a, F.softmax(b), soft_label=True)", "F.softmax_with_cross_entropy(a, F.softmax(b), soft_label=True)",
    "F.cross_entropy(a, F.softmax(b), soft_label=True, weight=paddle.to_tensor([1., 2., 3., 4.]))", "F.kl_div(F.log_softmax(a), F.softmax(b))",
    "F.kl_div(F.log_softmax(a), F.softmax(b), reduction='batchmean')", "F.kl_div(F.log_softmax(a), F.softmax(b), 'sum')",
})  # fmt: skip
"""Calls of which PaddlePaddle 3.3.1 gives wrong gradients: for a weight, a value without axes or a label, or after writes to a part."""
