"""One call of every line of the table: an expression on the names below. It is evaluated with both packages.

`x`, `y`: results with history, of shape (2, 3) and numbers from 0.1 to 0.9; `v`: one of shape (3,); `s`: (3, 3); `c`: constants like
`x`; `b`: a mask; `i`: indices; `n`: integers; `p`: a picture with history, of shape (1, 2, 4, 6), made of `x` and `y`; `F` is
`nn.functional`.
"""

from __future__ import annotations

SETUP = """
a = torch.tensor([[0.5, 0.2, 0.7], [0.3, 0.9, 0.4]], dtype=torch.float64, requires_grad=True)
e = torch.tensor([[0.6, 0.1, 0.4], [0.8, 0.3, 0.9]], dtype=torch.float64, requires_grad=True)
x, y = a * 1, e * 1
v, s = x[1], x.reshape(6)[:3].reshape(3, 1) * y[0]
c = torch.tensor([[0.3, 0.6, 0.2], [0.9, 0.5, 0.7]], dtype=torch.float64)
b = torch.tensor([[True, False, True], [False, False, True]])
i = torch.tensor([[1, 0, 1], [0, 1, 1]])
n = torch.tensor([[3, 1, 2], [4, 6, 5]])
p = torch.stack([x, y]).repeat(1, 2, 2)[None]
"""

LEAVES = {
    "nan": (
        "[[float('nan'), 0.2, 0.7], [0.3, float('nan'), 0.4]]",
        "[[0.6, float('nan'), 0.4], [0.8, 0.3, float('nan')]]",
    ),
    "inf": (
        "[[float('inf'), -float('inf'), 0.7], [0.3, float('inf'), 0.4]]",
        "[[0.6, float('inf'), 0.4], [-float('inf'), 0.3, float('inf')]]",
    ),
    "-inf": (
        "[[-float('inf'), 0.2, 0.7], [-float('inf'), -float('inf'), -float('inf')]]",
        "[[0.6, 0.1, 0.4], [0.8, 0.3, 0.9]]",
    ),
    "zeros": ("[[-0.0, 0.0, 0.7], [0.0, -0.0, 0.4]]", "[[0.6, 0.0, -0.0], [0.0, 0.3, -0.0]]"),
    "all zero": ("[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]", "[[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]"),
    "negative": ("[[-1.5, 1.0, -0.5], [2.5, -1.0, 25.0]]", "[[-1.5, -1.0, 0.5], [2.5, 1.0, -3.0]]"),
    "equal": ("[[1.0, 1.0, 1.0], [2.0, 1.0, 2.0]]", "[[1.0, 1.0, 2.0], [2.0, 2.0, 1.0]]"),
    "equal to c": ("[[0.3, 0.6, 0.2], [0.9, 0.5, 0.7]]", "[[0.3, 0.6, 0.2], [0.9, 0.5, 0.7]]"),
    "bounds": ("[[-1.0, 1.0, 3.0], [-3.0, 6.0, 0.5]]", "[[0.6, 0.1, 0.4], [0.8, 0.3, 0.9]]"),
    "integers": ("[[0, 1, 2], [3, -4, 5]]", "[[1, 2, 2], [-3, 4, 1]]"),
}
"""Other numbers for `a` and `e`."""


def setup(leaves: str) -> str:
    """Returns `SETUP` with other numbers."""
    a, e = LEAVES[leaves]
    text = SETUP.replace("[[0.5, 0.2, 0.7], [0.3, 0.9, 0.4]]", a).replace("[[0.6, 0.1, 0.4], [0.8, 0.3, 0.9]]", e)
    return text.replace("torch.float64, requires_grad=True", "torch.int64") if leaves == "integers" else text


Calls = dict[str, str | tuple[str, ...]]

CALLS: Calls = {
    "acosh": "(x + 2).acosh()", "acosh_": "(x + 2).acosh_()", "round": "torch.round(x * 7)", "round_": "(x * 7).round_()",
    "add": ("x + y", "x + 2", "2 + x", "x.add(v, alpha=3)", "n + 1.5", "n + x", "torch.add(x, y, alpha=2)", "b + n"),
    "add_": ("x.add_(y)", "x.add_(2, alpha=3)", "x.add_(c[0])", "x.add_(n)", "n.add_(2)"),
    "sub": ("x - y", "x - 2", "torch.sub(x, v)", "n - 1"), "sub_": ("x.sub_(y)", "x.sub_(2)"),
    "rsub": ("2 - x", "torch.rsub(x, y)"), "mul": ("x * y", "x * 2", "2.5 * x", "n * 2.5", "n * n"),
    "mul_": ("x.mul_(y)", "x.mul_(2)", "x.mul_(c)"), "div": ("x / y", "x / 2", "2 / x", "n / 2", "torch.div(x, y, rounding_mode='floor')"),
    "div_": ("x.div_(y)", "x.div_(2)"), "floor_divide": ("n // 2", "c // 0.2"), "floor_divide_": "n.floor_divide_(2)",
    "remainder": ("x % y", "x % 0.3", "n % 2"), "remainder_": "x.remainder_(0.3)",
    "pow": ("x ** 2", "x ** y", "2 ** x", "x ** 0.5", "n ** 2"), "pow_": ("x.pow_(2)", "x.pow_(y)"),
    "maximum": "x.maximum(y)", "minimum": "torch.minimum(x, y)", "fmax": "x.fmax(y)", "fmin": "x.fmin(y)", "atan2": "x.atan2(y)",
    "atan2_": "x.atan2_(y)", "hypot": "x.hypot(y)", "hypot_": "x.hypot_(y)", "copysign": "x.copysign(-y)",
    "copysign_": "x.copysign_(-y)", "logaddexp": "x.logaddexp(y)", "eq": ("x == y", "n == 3"), "ne": "x != y", "lt": ("x < y", "x < 0.4"),
    "le": "x <= y", "gt": "x > y", "ge": "x >= 0.5", "logical_and": "b.logical_and(n)", "logical_or": "b.logical_or(~b)",
    "logical_xor": "b.logical_xor(n)", "logical_not": "b.logical_not()", "logical_not_": "b.logical_not_()",
    "bitwise_and": ("n & 3", "b & ~b"), "bitwise_or": "n | 8", "bitwise_xor": "n ^ 5", "bitwise_and_": "n.bitwise_and_(i)",
    "bitwise_or_": "n.bitwise_or_(i)", "bitwise_xor_": "n.bitwise_xor_(i)", "bitwise_not": "~n", "bitwise_not_": "b.bitwise_not_()",
    "bitwise_left_shift": "n << 2", "bitwise_right_shift": "n >> 1", "lerp": ("x.lerp(y, 0.3)", "x.lerp(y, c)"), "lerp_": "x.lerp_(y, 0.3)",
    "addcmul": "torch.addcmul(x, y, c, value=2)", "addcmul_": "x.addcmul_(y, c)", "addcdiv": "x.addcdiv(y, c, value=2)",
    "addcdiv_": "x.addcdiv_(y, c)", "where": ("torch.where(b, x, y)", "torch.where(b, x, 0.)", "x.where(b, y)", "torch.where(b)"),
    "allclose": "torch.allclose(x, x + 1e-12)", "isclose": "torch.isclose(x, y)", "equal": "torch.equal(x, x)",
    "clamp": ("x.clamp(0.3, 0.6)", "x.clamp(min=0.4)", "x.clamp(max=c)"), "clamp_": ("x.clamp_(0.3, 0.6)", "x.clamp_(min=0.4)"),
    "clamp_min": "x.clamp_min(0.4)", "clamp_min_": "x.clamp_min_(0.4)", "clamp_max": "x.clamp_max(0.4)", "clamp_max_": "x.clamp_max_(0.4)",
    "logit": "x.logit()", "logit_": "x.logit_()", "nan_to_num": "x.nan_to_num()", "nan_to_num_": "x.nan_to_num_()", "isnan": "x.isnan()",
    "isinf": "x.isinf()", "isfinite": "x.isfinite()", "clone": "x.clone()", "softmax": ("x.softmax(1)", "torch.softmax(x, dim=0)"),
    "log_softmax": "x.log_softmax(-1)", "masked_fill": ("x.masked_fill(b, 0)", "x.masked_fill(b, y[0, 0])"),
    "masked_fill_": ("x.masked_fill_(b, 0.5)", "x.masked_fill_(b, y[0, 0])"), "masked_scatter": "x.masked_scatter(b, y)",
    "masked_scatter_": "x.masked_scatter_(b, y)", "masked_select": "x.masked_select(b)", "cumsum": ("x.cumsum(1)", "n.cumsum(0)"),
    "cumsum_": "x.cumsum_(1)", "cumprod": "x.cumprod(1)", "cumprod_": "x.cumprod_(1)", "tril": "x.tril()", "tril_": "x.tril_(-1)",
    "triu": "x.triu(1)", "triu_": "x.triu_()", "renorm": "x.renorm(2, 0, 0.5)", "renorm_": "x.renorm_(2, 0, 0.5)", "flip": "x.flip(0, 1)",
    "roll": "x.roll(1, 0)", "rot90": "torch.rot90(x)", "diag": ("v.diag()", "s.diag()"), "trace": "s.trace()", "type_as": "c.float().type_as(c)",
    "sum": ("x.sum()", "x.sum(0)", "x.sum(dim=(0, 1))", "x.sum(1, keepdim=True)", "b.sum()", "n.sum(0, dtype=torch.float64)"),
    "mean": ("x.mean()", "x.mean(1)", "x.mean(dim=0, keepdim=True)"), "prod": ("x.prod()", "x.prod(1)"),
    "max": ("x.max()", "x.max(1)", "torch.max(x, y)", "x.max(dim=0, keepdim=True)"), "min": ("x.min()", "x.min(0)"), "amax": ("x.amax()", "x.amax(1)"),
    "amin": "x.amin(dim=(0, 1))", "argmax": ("x.argmax()", "x.argmax(1)"), "argmin": "x.argmin(dim=0, keepdim=True)",
    "all": ("b.all()", "b.all(1)", "n.all()"), "any": ("b.any(0)", "n.any()"), "var": ("x.var()", "x.var(1)", "x.var(0, unbiased=False)", "x.var(1, correction=0)"),
    "std": ("x.std()", "x.std(1, keepdim=True)"), "norm": ("x.norm()", "x.norm(1)", "x.norm(dim=1)", "x.norm(2, 0, True)"),
    "logsumexp": "x.logsumexp(1)", "sort": ("x.sort()", "x.sort(0, descending=True)"), "argsort": "x.argsort(1)", "topk": ("x.topk(2)", "x.topk(1, 0, largest=False)"),
    "nonzero": ("b.nonzero()", "b.nonzero(as_tuple=True)"), "unique": "n.unique()", "numel": "x.numel()", "matmul": ("x @ y.t()", "x @ v", "v @ v", "v @ s", "x.expand(4, 2, 3) @ s", "x.reshape(2, 3, 1) @ y.reshape(2, 1, 3)"),
    "mm": "x.mm(y.t())", "bmm": "x.unsqueeze(1).bmm(y.unsqueeze(2))", "mv": "x.mv(v)", "dot": "v.dot(v)", "outer": "v.outer(v)",
    "addmm": ("torch.addmm(v, x, s)", "x.addmm(y, s, beta=0.5, alpha=2)"), "addmm_": "x.addmm_(y, torch.eye(3, dtype=torch.float64))", "baddbmm": "torch.baddbmm(v, x[None], s[None])",
    "baddbmm_": "x.reshape(1, 2, 3).clone().baddbmm_(y[None], s[None])", "einsum": "torch.einsum('ij,kj->ik', x, y)",
    "reshape": ("x.reshape(3, 2)", "x.reshape(-1)", "x.t().reshape(6)", "torch.reshape(x, (6,))"), "reshape_as": "x.reshape_as(y.t())", "view": ("x.view(6)", "x.view(-1, 2)"),
    "view_as": "x.view_as(y.t())", "expand": ("v.expand(2, 3)", "x[:, :1].expand(-1, 4)"), "expand_as": "v.expand_as(x)", "broadcast_to": "torch.broadcast_to(v, (2, 3))",
    "permute": ("x.permute(1, 0)", "x.permute((1, 0))"), "transpose": "x.transpose(0, 1)", "transpose_": "x.clone().transpose_(0, 1)", "t": "x.t()", "t_": "x.clone().t_()",
    "movedim": "torch.movedim(x, 0, 1)", "squeeze": ("x[None].squeeze()", "x[None].squeeze(0)", "x.squeeze(1)"), "squeeze_": ("x[None].clone().squeeze_(0)", "x[None].clone().squeeze_()"),
    "unsqueeze": ("x.unsqueeze(1)", "x.unsqueeze(-1)"), "unsqueeze_": "x.clone().unsqueeze_(0)", "flatten": "x.flatten()", "unflatten": "x.unflatten(1, (3, 1))", "ravel": "x.ravel()",
    "contiguous": ("x.contiguous()", "x.t().contiguous()"), "narrow": "x.narrow(1, 1, 2)", "select": "x.select(1, 2)", "split": ("x.split(2, 1)", "x.split([1, 2], dim=1)"),
    "chunk": "x.chunk(2, 1)", "tensor_split": "x.tensor_split(2, 1)", "unbind": "x.unbind()", "diagonal": "s.diagonal()", "as_strided": "x.as_strided((2, 2), (1, 1), 1)",
    "unfold": "x.unfold(1, 2, 1)", "repeat": ("x.repeat(2, 1)", "v.repeat(2, 2)"), "tile": "x.tile(2, 2)", "cat": ("torch.cat([x, y])", "torch.cat((x, c), dim=1)", "torch.cat([x, n])"),
    "stack": "torch.stack([x, y], 1)", "hstack": "torch.hstack([x, y])", "vstack": "torch.vstack([x, v])", "meshgrid": "torch.meshgrid(v, v, indexing='ij')",
    "gather": "x.gather(0, i)", "index_select": "x.index_select(1, i[0])", "index_add": "x.index_add(0, i[0, :1], y[:1], alpha=2)", "index_add_": "x.index_add_(0, i[0, :1], y[:1])",
    "index_fill": "x.index_fill(1, i[0, :1], 2.)", "index_fill_": "x.index_fill_(1, i[0, :1], 2.)", "index_put": "x.index_put((i[0, :2], i[1, :2]), v[:2])",
    "index_put_": ("x.index_put_((i[0, :2], i[1, :2]), c[0, :2])", "x.index_put_((i[0, :2],), c[0], accumulate=True)"), "scatter": "x.scatter(0, i[:1], y[:1])", "scatter_": "x.scatter_(0, i[:1], y[:1])",
    "scatter_add": "x.scatter_add(0, i, y)", "scatter_add_": "x.scatter_add_(0, i, y)", "copy_": ("x.copy_(y)", "x.copy_(c[0])", "x.copy_(n)"), "fill_": ("x.fill_(2)", "n.fill_(3)"),
    "zero_": "x.zero_()", "fill_diagonal_": "x.fill_diagonal_(2.)",
    "zeros": ("torch.zeros(2, 3)", "torch.zeros((2,), dtype=torch.int64)", "torch.zeros([2], requires_grad=True)"), "ones": "torch.ones(2)", "full": ("torch.full((2,), 3)", "torch.full((2,), 1.5)", "torch.full((2,), True)"),
    "eye": ("torch.eye(2)", "torch.eye(2, 3)"), "arange": ("torch.arange(3)", "torch.arange(1, 2, 0.5)"), "linspace": "torch.linspace(0, 1, 5)", "zeros_like": "torch.zeros_like(x)",
    "ones_like": "torch.ones_like(n)", "full_like": "torch.full_like(x, 3)", "new_zeros": "x.new_zeros(2, 3)", "new_ones": "x.new_ones((2,))", "new_full": "x.new_full((2,), 7)", "new_tensor": "x.new_tensor([1, 2])",
}  # fmt: skip
"""The calls of each function, where `x.name()` is none that makes sense."""
DRAWN: Calls = {
    "normal_": "x.normal_()", "uniform_": "x.uniform_(1, 2)", "bernoulli_": "x.bernoulli_(0.5)", "exponential_": "x.exponential_()", "random_": "n.random_(0, 9)",
    "empty": "torch.empty(2, 3)", "rand": "torch.rand(2, 3)", "randn": "torch.randn(2, 3)", "randint": "torch.randint(0, 9, (2, 3))", "randperm": "torch.randperm(4)",
    "normal": "torch.normal(0., 1., (2, 3))", "bernoulli": "torch.bernoulli(c)", "empty_like": "torch.empty_like(x)", "rand_like": "torch.rand_like(x)", "randn_like": "torch.randn_like(x)",
    "new_empty": "x.new_empty(2, 3)", "multinomial": "torch.multinomial(c, 2)",
}  # fmt: skip
"""The same where the values are random: only what is around them is compared."""
FUNCTIONAL: Calls = {
    "linear": ("F.linear(x, s, v)", "F.linear(x, s)", "F.linear(x.expand(4, 2, 3), s, v)", "F.linear(v, s, v)"), "embedding": "F.embedding(i, x)", "one_hot": "F.one_hot(n)",
    "normalize": "F.normalize(x)", "layer_norm": ("F.layer_norm(x, (3,))", "F.layer_norm(x, (3,), v, v)"), "relu": ("F.relu(x - 0.55)", "F.relu(x, inplace=True)"),
    "batch_norm": ("F.batch_norm(x, torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64), v, v, training=True)", "F.batch_norm(x, c[0], c[1])"),
    "mse_loss": ("F.mse_loss(x, y)", "F.mse_loss(x, y, reduction='sum')"), "l1_loss": "F.l1_loss(x, y)", "smooth_l1_loss": ("F.smooth_l1_loss(x, y)", "F.smooth_l1_loss(x, y, beta=0.1)"),
    "cross_entropy": ("F.cross_entropy(x, i[0, :2])", "F.cross_entropy(x, c)", "F.cross_entropy(x, i[0, :2], label_smoothing=0.1)", "F.cross_entropy(x, i[0, :2], weight=c[0])"),
    "binary_cross_entropy": "F.binary_cross_entropy(x, c)", "binary_cross_entropy_with_logits": "F.binary_cross_entropy_with_logits(x, c)",
    "softmax": ("F.softmax(x, dim=1)", "F.softmax(v, -1)"), "log_softmax": "F.log_softmax(x, 1)",
    "softplus": ("F.softplus(x)", "F.softplus(x, beta=2)"), "gelu": ("F.gelu(x)", "F.gelu(x, approximate='tanh')"), "dropout": ("F.dropout(x, 0.5, training=False)", "F.dropout(x, 0.)"),
    "elu": ("F.elu(x - 0.55)", "F.elu(x, 2., True)"), "hardtanh": "F.hardtanh(x, 0.2, 0.6)", "leaky_relu": ("F.leaky_relu(x - 0.55, 0.2)", "F.leaky_relu(x, inplace=True)"),
    "silu": ("F.silu(x)", "F.silu(x, inplace=True)"),
    "conv2d": (
        "F.conv2d(p, p[..., :2, :3])", "F.conv2d(p[0], p[..., :3, :3], v[:1])", "F.conv2d(p, x.reshape(2, 1, 1, 3), v[:2], groups=2)",
        "F.conv2d(p, p[..., :2, :2], stride=(1, 2), padding=1, dilation=2)", "F.conv2d(p, p[..., :3, :3], padding='same')",
    ),
    "max_pool2d": (
        "F.max_pool2d(p, 2)", "F.max_pool2d(p[0], (2, 3), 1)", "F.max_pool2d(p, 3, 2, 1)", "F.max_pool2d(p, 3, 2, ceil_mode=True)",
        "F.max_pool2d(p, 2, return_indices=True)",
    ),
    "avg_pool2d": (
        "F.avg_pool2d(p, 2)", "F.avg_pool2d(p[0], (2, 3), 1)", "F.avg_pool2d(p, 3, 2, 1)", "F.avg_pool2d(p, 3, 2, 1, count_include_pad=False)",
        "F.avg_pool2d(p, 2, divisor_override=3)", "F.avg_pool2d(p, 3, 2, ceil_mode=True)",
    ),
    "adaptive_avg_pool2d": ("F.adaptive_avg_pool2d(p, 2)", "F.adaptive_avg_pool2d(p, 1)", "F.adaptive_avg_pool2d(p[0], (None, 3))"),
    "pad": (
        "F.pad(x, (1, 2))", "F.pad(x, (1, 0, 0, 2), value=0.5)", "F.pad(n, (1, 1))",
        "F.pad(p, (1, 2, 2, 1), mode='reflect')", "F.pad(p, (1, 2, 2, 1), mode='replicate')", "F.pad(p, (1, 2, 2, 1), mode='circular')",
    ),
}  # fmt: skip
"""The same for `nn.functional`."""


def calls_of(name: str, listed: Calls, plain: str) -> tuple[str, ...]:
    """Returns the calls of a function: the listed ones, else a plain one."""
    found = listed.get(name, plain)
    return (found,) if isinstance(found, str) else found
