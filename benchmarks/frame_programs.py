"""Thirty small programs that no lesson has, each with one line marked `# <-`: the frame of that line is judged without its code (`frames.py`).

Behind the mark may stand which step of the line is meant: `# <- 3` is its third, `# <- error` the one that is refused.
"""

from __future__ import annotations

OURS, TORCH, PADDLE = "import inplacelab as paddle\n", "import torch\n", "import paddle\n"

PROGRAMS: tuple[tuple[str, str], ...] = (
    (
        TORCH,
        """\
prices = torch.tensor([[3., 5., 8.], [1., 4., 9.], [2., 6., 7.], [0., 11., 12.]])
by_item = prices.t()
cheap = by_item[0]
dear = by_item[2]
dear.add_(50.)  # <-
""",
    ),
    (
        OURS,
        """\
board = paddle.arange(16, dtype="float32").reshape([4, 4])
edge = board[:, 3]
top = board[0]
edge.fill_(-1.)  # <-
""",
    ),
    (
        TORCH,
        """\
p = torch.tensor([0.5, 1.0, 1.5], requires_grad=True)
h = p.exp()
shadow = h.detach()
total = h.sum()
shadow.clamp_(max=2.)  # <-
""",
    ),
    (
        PADDLE,
        """\
a = paddle.to_tensor([1., 2., 3., 4., 5., 6.])
pairs = a.reshape([3, 2])
head = a[0:2]
pairs.scale_(3.)  # <-
""",
    ),
    (
        OURS,
        """\
stock = paddle.to_tensor([4., 8., 15., 16.])
backup = stock.clone()
half = backup[:2]
backup.subtract_(paddle.ones([4]))  # <-
""",
    ),
    (
        TORCH,
        """\
votes = torch.zeros(8)
tail = votes[4:]
votes[[1, 4, 6]] = torch.tensor([5., 9., 2.])  # <-
""",
    ),
    (
        TORCH,
        """\
grid = torch.tensor([[0., -2., 7.], [-1., 0., 3.]])
flat = grid.view(6)
grid.masked_fill_(grid <= 0, 0.)  # <-
""",
    ),
    (
        OURS,
        """\
x = paddle.to_tensor([0., 1., 2.])
x.stop_gradient = False
y = x * 2.
y.exp_()
y.sqrt_()  # <-
""",
    ),
    (
        OURS,
        """\
w = paddle.to_tensor([2., 3.])
w.stop_gradient = False
u = w * 5.
loss = (u * u).sum()
u.scale_(0.5)
u.add_(paddle.ones([2]))  # <-
""",
    ),
    (
        TORCH,
        """\
q = torch.tensor([1., 2., 3.], requires_grad=True)
z = q * 4.
r = z.sigmoid()
loss = (r * z).sum()
r.zero_()
try:
    loss.backward()  # <- error
except RuntimeError:
    pass
""",
    ),
    (
        TORCH,
        """\
k = torch.tensor([1., -2.], requires_grad=True)
(k * 3.).sum().backward()
g = k.grad
(k * k).sum().backward()  # <- write
""",
    ),
    (
        OURS,
        """\
layer = paddle.nn.Linear(3, 2)
row = layer.weight.detach()[0]
sgd = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
loss = layer(paddle.ones([1, 3])).sum()
loss.backward()
sgd.step()  # <-
""",
    ),
    (
        TORCH,
        """\
theta = torch.tensor([1., 2., 3.], requires_grad=True)
adam = torch.optim.Adam([theta], lr=0.5)
(theta * theta).sum().backward()
kept = theta.detach()
adam.step()  # <- write
""",
    ),
    (
        PADDLE,
        """\
theta = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
opt = paddle.optimizer.SGD(0.25, parameters=[theta])
(theta * theta).sum().backward()
theta.clear_gradient()  # <-
""",
    ),
    (
        OURS,
        """\
cube = paddle.arange(24, dtype="float32").reshape([2, 3, 4])
face = cube[1]
line = face[0]
face.scale_(10.)  # <-
""",
    ),
    (
        TORCH,
        """\
cube = torch.arange(12.).reshape(2, 3, 2)
middle = cube[:, 1]
first = cube[0]
middle.neg_()  # <-
""",
    ),
    (
        OURS,
        """\
picture = (paddle.arange(1024, dtype="float32") % 37.).reshape([32, 32])
turned = picture.t()
band = turned[4:10]
band.zero_()  # <-
""",
    ),
    (
        TORCH,
        """\
image = torch.arange(1600.).reshape(40, 40)
patch = image[8:16, 12:32]
rows = image[10:12]
patch.mul_(-1.)  # <-
""",
    ),
    (
        TORCH,
        """\
m = torch.tensor([[1., 2.], [3., 4.]])
col = m[:, 0]
s = col + 10.  # <-
""",
    ),
    (
        OURS,
        """\
x = paddle.to_tensor([9., 8., 7., 6., 5.])
low = x[3:]
mid = x[1:4]  # <-
""",
    ),
    (
        TORCH,
        """\
level = torch.tensor([3., 30., 90.])
same = level.view(3, 1)
level.clamp_(0., 100.)  # <-
""",
    ),
    (
        PADDLE,
        """\
m = paddle.to_tensor([[1., 2., 3.], [4., 5., 6.]])
flat = m.flatten()
m[:, 1] = 0.  # <-
""",
    ),
    (
        TORCH,
        """\
w = torch.tensor([2., 4.], requires_grad=True)
h = w * 3.
cost = (h * h).sum()
h.data.sub_(1.)  # <-
""",
    ),
    (
        OURS,
        """\
a = paddle.to_tensor([1., 2., 3.])
a[0], a[2] = a[2], a[0]  # <- last
""",
    ),
    (
        TORCH,
        """\
src = torch.tensor([10., 20., 30., 40.])
dst = torch.zeros(2, 4)
below = dst[1]
below.copy_(src)  # <-
""",
    ),
    (
        PADDLE,
        """\
v = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
h = v * v
out = h.tanh()
still = h.detach()
still.scale_(0.)  # <-
""",
    ),
    (
        TORCH,
        """\
k = torch.arange(1., 10.).reshape(3, 3)
main = k.diagonal()
last = k[2]
main.fill_(0.)  # <-
""",
    ),
    (
        TORCH,
        """\
signal = torch.tensor([1., 2., 3., 4., 5.])
windows = signal.unfold(0, 3, 1)
signal[2] = 100.  # <-
""",
    ),
    (
        OURS,
        """\
w = paddle.to_tensor([1., 2.])
w.stop_gradient = False
part = w[0:1]
try:
    w.add_(paddle.ones([2]))  # <- error
except ValueError:
    pass
""",
    ),
    (
        OURS,
        """\
x = paddle.to_tensor([[1., 2.], [3., 4.]])
w = paddle.to_tensor([[1., 0.], [0., 1.]])
w.stop_gradient = False
h = paddle.matmul(x, w)
act = h.tanh()
norm = (act * act).sum()
side = act[1]
side.scale_(2.)  # <-
""",
    ),
)
"""Import and program."""
