"""Programs written after the rules that they test: views, writes, indexing, scatter, reductions, products, casts, broadcasting, masks, loops.

The leaves are `a` and `b`; every tensor with a name is asked for its origins.
"""

from __future__ import annotations

PADDLE = {
    "a row scaled through a view": "x = a * 1.5\nrow = x[0]\nrow.scale_(3.)\ny = x.sum(0)\n",
    "a column overwritten": "x = a.clone()\nx[:, 1] = b[0, :2]\nx[1] += x[0] * 0.5\ny = x @ b.t()\n",
    "a mask filled": "x = a + b\nx[x > 1.5] = 0.25\ny = x.max(1) * b[:, 0]\n",
    "rows scattered": "x = a * 1.\nx.scatter_(i, b * 2.)\nx[0].add_(a[1])\ny = x.mean()\n",
    "rows added by an index": "x = paddle.zeros([2, 3], dtype='float64')\nx.index_add_(i, 0, a)\nx.index_add_(i[:1], 0, b[:1])\ny = x.cumsum(1)\n",
    "rows gathered": "x = a.index_select(j[0], 1)\nz = x.flip(0)\nz.multiply_(b)\ny = z[[1, 0], [0, 2]]\n",
    "a softmax of a part": "x = a * b\np = paddle.nn.functional.softmax(x[:, :2], 1)\nx[:, :2] = p\ny = x[0] * b[1] + x[1]\n",
    "sorted in part": "s = paddle.sort(a, 1)\nt = paddle.where(s > 0.8, s, b)\nt[0, 0] = 4.\ny = t.prod(1)\n",
    "a padded window": "p = paddle.nn.functional.pad(a, [0, 0, 1, 1])\nq = p[:, 1:4] + p[:, :3]\nq.add_(p[:, 2:])\ny = q.sum(0)\n",
    "an image convolved": "k = b[:, :2].reshape([1, 1, 2, 2])\nx = paddle.concat([a, b * 0.5]).reshape([1, 1, 4, 3])\nc = paddle.nn.functional.conv2d(x, k)\ny = c.reshape([-1]) * 2.\n",
    "a cast and back": "h = a.astype('float32')\nw = h * 2.\nw[1] = w[0]\ny = w.astype('float64') + b\n",
    "broadcast both ways": "x = a[:, :1] * b[:1]\nx.subtract_(a[0])\nz = x.expand([2, 2, 3])\ny = z.sum(0)\n",
    "an equation": "e = paddle.einsum('ij,kj->ik', a, b)\ne[0] = e[1] * 2.\nf = paddle.einsum('ij->i', e)\ny = f * a[:, 2]\n",
    "filled at random": "x = a * 2.\nx[0].uniform_()\nz = x * b\nz[1, 2] = a[0, 0]\ny = z.sum(1)\n",
    "a loop over rows": "x = a.clone()\nfor k in range(3):\n    x[0] = x[0] * 0.5 + x[1]\n    x[1].multiply_(b[k % 2])\ny = x.sum()\n",
    "joined and parted": "c = paddle.concat([a, b], 1)\nu, v = c.split(2, 1)\nw = paddle.stack([u, v * 2.], 0)\nw[0, 1] = w[1, 0]\ny = w.reshape([-1])[2:9]\n",
    "a transpose written": "t = a.clone().t()\nt[0] = b[0, :2]\nt[1].exp_()\ny = t.reshape([-1]) * 2.\n",
    "a window of windows": "x = a.flatten() * 1.\nv = x.reshape([3, 2])\nv[1:].scale_(2.)\nv[0] = v[2]\ny = paddle.dot(x[:3], b[0])\n",
    "put along an axis": "x = a.clone()\nx.put_along_axis_(j[:, :2], b[:1, :2], 1)\nx.fill_diagonal_(5.)\ny = x.tril() + b\n",
    "a norm and a mean": "n = paddle.norm(a, axis=1)\nx = a / n.unsqueeze(1)\nx[0] -= x.mean(0)\ny = x.std(1) + b.logsumexp(1)\n",
    "a recurrent cell": "h = a[0]\nfor k in range(2):\n    h = paddle.tanh(h * b[0] + a[k] * b[1])\ny = h.cumsum(0)\n",
    "rows that attend": "s = a @ b.t()\np = paddle.nn.functional.softmax(s * 0.5, -1)\no = p @ b\no[0].add_(a[0])\ny = (o ** 2).mean(1)\n",
    "the largest two of each row": "v, at = a.topk(2, 1)\nv = v / v.sum(1, keepdim=True)\nf = paddle.zeros([2, 3], dtype='float64')\nf.put_along_axis_(at, v, 1)\ny = f.sum(0) * b[0]\n",
    "rows looked up, and their loss": "e = paddle.nn.functional.embedding(i, a)\nz = e @ b.t()\nl = paddle.nn.functional.cross_entropy(z, i)\nu = paddle.nn.functional.cross_entropy(z * 2., i, reduction='none')\ny = l * b[0] + u[1]\n",
    "a filter over its own output": "x = a.flatten() * 1.\nfor k in range(1, 5):\n    x[k] = x[k - 1] * 0.5 + x[k] * b[0, k % 3]\ny = x.reshape([3, 2]).prod(1)\n",
    "shares that should be others": "q = paddle.nn.functional.log_softmax(a, -1)\nt = paddle.nn.functional.softmax(b, -1)\nq[0] += t[1]\ny = -(q * t).sum(-1)\n",
    "a layer and its residual": "n = paddle.nn.functional.layer_norm(a, [3], b[0], b[1])\nh = paddle.nn.functional.gelu(n)\nh.add_(a)\ny = h.max(1)\n",
    "a window that moves": "x = a.clone()\nfor k in range(2):\n    v = x[:, k:k + 2]\n    v.multiply_(b[:, :2])\n    v[0] += v[1]\ny = paddle.diff(x, axis=1).flatten() * 2.\n",
}  # fmt: skip
"""For inplacelab and PaddlePaddle."""

TORCH = {
    "a row scaled through a view": "x = a * 1.5\nrow = x[0]\nrow.mul_(3.)\ny = x.sum(0)\n",
    "a column overwritten": "x = a.clone()\nx[:, 1] = b[0, :2]\nx[1] += x[0] * 0.5\ny = x @ b.t()\n",
    "a mask filled": "x = a + b\nx[x > 1.5] = 0.25\ny = x.max(1).values * b[:, 0]\n",
    "rows scattered": "x = a * 1.\nx.scatter_(0, torch.tensor([[0, 1, 0], [1, 0, 1]]), b * 2.)\nx[0].add_(a[1])\ny = x.mean()\n",
    "rows added by an index": "x = torch.zeros(2, 3, dtype=torch.float64)\nx.index_add_(0, i, a)\nx.index_add_(0, i[:1], b[:1])\ny = x.cumsum(1)\n",
    "rows gathered": "x = a.index_select(1, j[0])\nz = x.flip(0)\nz.mul_(b)\ny = z[[1, 0], [0, 2]]\n",
    "a softmax of a part": "x = a * b\np = torch.softmax(x[:, :2], 1)\nx[:, :2] = p\ny = x[0] * b[1] + x[1]\n",
    "sorted in part": "s = torch.sort(a, 1).values\nt = torch.where(s > 0.8, s, b)\nt[0, 0] = 4.\ny = t.prod(1)\n",
    "a padded window": "p = torch.nn.functional.pad(a, (1, 1))\nq = p[:, 1:4] + p[:, :3]\nq.add_(p[:, 2:])\ny = q.sum(0)\n",
    "an image convolved": "k = b[:, :2].reshape(1, 1, 2, 2)\nx = torch.cat([a, b * 0.5]).reshape(1, 1, 4, 3)\nc = torch.nn.functional.conv2d(x, k)\ny = c.reshape(-1) * 2.\n",
    "a cast and back": "h = a.float()\nw = h * 2.\nw[1] = w[0]\ny = w.double() + b\n",
    "broadcast both ways": "x = a[:, :1] * b[:1]\nx.sub_(a[0])\nz = x.expand(2, 2, 3)\ny = z.sum(0)\n",
    "an equation": "e = torch.einsum('ij,kj->ik', a, b)\ne[0] = e[1] * 2.\nf = torch.einsum('ij->i', e)\ny = f * a[:, 2]\n",
    "filled at random": "x = a * 2.\nx[0].uniform_()\nz = x * b\nz[1, 2] = a[0, 0]\ny = z.sum(1)\n",
    "a loop over rows": "x = a.clone()\nfor k in range(3):\n    x[0] = x[0] * 0.5 + x[1]\n    x[1].mul_(b[k % 2])\ny = x.sum()\n",
    "joined and parted": "c = torch.cat([a, b], 1)\nu, v = c.split(3, 1)\nw = torch.stack([u, v * 2.], 0)\nw[0, 1] = w[1, 0]\ny = w.reshape(-1)[2:9]\n",
    "a transpose written": "t = a.clone().t()\nt[0] = b[0, :2]\nt[1].exp_()\ny = t.reshape(-1) * 2.\n",
    "a window of windows": "x = a.flatten() * 1.\nv = x.view(3, 2)\nv[1:].mul_(2.)\nv[0] = v[2]\ny = torch.dot(x[:3], b[0])\n",
    "put along an axis": "x = a.clone()\nx.scatter_(1, j[:, :2], b[:1, :2])\nx.fill_diagonal_(5.)\ny = x.tril() + b\n",
    "a norm and a mean": "n = a.norm(dim=1)\nx = a / n.unsqueeze(1)\nx[0] -= x.mean(0)\ny = x.std(1) + b.logsumexp(1)\n",
    "a recurrent cell": "h = a[0]\nfor k in range(2):\n    h = torch.tanh(h * b[0] + a[k] * b[1])\ny = h.cumsum(0)\n",
    "rows that attend": "s = a @ b.t()\np = torch.nn.functional.softmax(s * 0.5, -1)\no = p @ b\no[0].add_(a[0])\ny = (o ** 2).mean(1)\n",
    "the largest two of each row": "v, at = a.topk(2, 1)\nv = v / v.sum(1, keepdim=True)\nf = torch.zeros(2, 3, dtype=torch.float64)\nf.scatter_(1, at, v)\ny = f.sum(0) * b[0]\n",
    "rows looked up, and their loss": "e = torch.nn.functional.embedding(i, a)\nz = e @ b.t()\nl = torch.nn.functional.cross_entropy(z, i)\nu = torch.nn.functional.cross_entropy(z * 2., i, reduction='none')\ny = l * b[0] + u[1]\n",
    "a filter over its own output": "x = a.flatten() * 1.\nfor k in range(1, 5):\n    x[k] = x[k - 1] * 0.5 + x[k] * b[0, k % 3]\ny = x.reshape(3, 2).prod(1)\n",
    "shares that should be others": "q = torch.nn.functional.log_softmax(a, -1)\nt = torch.nn.functional.softmax(b, -1)\nq[0] += t[1]\ny = -(q * t).sum(-1)\n",
    "a layer and its residual": "n = torch.nn.functional.layer_norm(a, (3,), b[0], b[1])\nh = torch.nn.functional.gelu(n)\nh.add_(a)\ny = h.max(1).values\n",
    "a window that moves": "x = a.clone()\nfor k in range(2):\n    v = x[:, k:k + 2]\n    v.mul_(b[:, :2])\n    v[0] += v[1]\ny = x.diff(dim=1).flatten() * 2.\n",
    "the largest of each group": "x = torch.zeros(2, 3, dtype=torch.float64).scatter_reduce(0, j.expand(2, 3) % 2, a, 'amax', include_self=False)\nz = b.scatter_reduce(1, j, a[:1], 'prod')\nw = b.scatter_reduce(1, j[:, :2], a[:1], 'mean')\ny = (z * w).sum(0)\n",
    "gradients of several tensors scaled": "u, v = torch._foreach_mul([a, b], 2.)\nw = torch._foreach_add([u, v], [v, u], alpha=0.5)[1]\ny = w.sum(1) * u[:, 0]\n",
}  # fmt: skip

ASKED = {"inplacelab": PADDLE, "paddle": PADDLE, "torch": TORCH}
