"""Cells as people write them: training loops, caches, masks, running statistics; and the questions that they bring to a forum, each with
the fix."""

from __future__ import annotations

from typing import NamedTuple

HEAD = "import inplacelab as paddle\nimport inplacelab.nn as nn\nimport inplacelab.nn.functional as F\n"


class Mistake(NamedTuple):
    """A program that is refused, what the refusal must name, and the program fixed."""

    text: str
    names: tuple[str, ...]
    fixed: str


CELLS = {
    "training": """
def progress(steps):
    for step in steps:
        yield step
    done = True
paddle.seed(0)
x, y = paddle.rand([8, 3]), paddle.rand([8, 1])
net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())
losses = []
for step in progress(range(3)):
    loss = (net(x) - y).square().mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
    losses.append(float(loss))
""",
    "augmentation": """
paddle.seed(0)
images = paddle.rand([2, 1, 4, 4])
mean, std = images.mean(), images.std()
images.subtract_(mean).divide_(std)
for image in images:
    if image.sum() > 0:
        image[:] = image.flip([-1])
    image[:, 1:3, 1:3] = 0.
images.clip_(-1., 1.)
""",
    "batch norm": """
class BatchNorm(nn.Layer):
    def __init__(self, size, momentum=0.9):
        super().__init__()
        self.weight = self.create_parameter([size], default_initializer=lambda w: w.fill_(1.))
        self.bias = self.create_parameter([size], is_bias=True)
        self.mean, self.variance, self.momentum = paddle.zeros([size]), paddle.ones([size]), momentum
    def forward(self, x):
        if not self.training:
            return (x - self.mean) / (self.variance + 1e-5).sqrt() * self.weight + self.bias
        mean = x.mean(0)
        variance = (x - mean).square().mean(0)
        with paddle.no_grad():
            self.mean.scale_(self.momentum).add_(mean * (1 - self.momentum))
            self.variance.lerp_(variance, 1 - self.momentum)
        return (x - mean) / (variance + 1e-5).sqrt() * self.weight + self.bias
paddle.seed(0)
norm = BatchNorm(3)
x = paddle.rand([4, 3])
for _ in range(2):
    out = norm(x)
out.square().sum().backward()
norm.eval()
later = norm(x)
running = norm.mean
""",
    "recurrent": """
paddle.seed(0)
w, u = nn.Linear(2, 3), nn.Linear(3, 3)
sequence = paddle.rand([4, 2, 2])
state = paddle.zeros([2, 3])
outputs = []
for t in range(4):
    state = u(state).add_(w(sequence[t])).tanh_()
    outputs.append(state)
loss = paddle.stack(outputs).sum()
loss.backward()
""",
    "residual": """
class Block(nn.Layer):
    def __init__(self, size):
        super().__init__()
        self.first, self.second = nn.Linear(size, size), nn.Linear(size, size)
    def forward(self, x):
        h = F.relu_(self.first(x))
        h = self.second(h)
        h += x
        return F.relu_(h)
paddle.seed(0)
net = nn.Sequential(Block(3), Block(3))
out = net(paddle.rand([2, 3]))
out.mean().backward()
norms = [float(p.grad.norm()) for p in net.parameters()]
""",
    "clipping": """
paddle.seed(0)
net = nn.Linear(3, 1)
(net(paddle.rand([4, 3])) * 100).sum().backward()
total = sum((p.grad.square().sum() for p in net.parameters()), paddle.to_tensor(0.)).sqrt()
factor = (1. / (total + 1e-6)).clip(max=1.)
with paddle.no_grad():
    for p in net.parameters():
        p.grad.multiply_(factor)
        p.subtract_(p.grad * 0.1)
        p.clear_grad()
""",
    "averaged weights": """
import copy
paddle.seed(0)
net = nn.Linear(2, 2)
average = copy.deepcopy(net)
opt = paddle.optimizer.Adam(0.1, parameters=net.parameters())
for _ in range(2):
    net(paddle.ones([1, 2])).square().sum().backward()
    opt.step()
    opt.clear_grad()
    with paddle.no_grad():
        for slow, fast in zip(average.parameters(), net.parameters()):
            slow.scale_(0.9).add_(fast * 0.1)
""",
    "attention": """
paddle.seed(0)
q = paddle.rand([3, 2])
k = paddle.rand([3, 2])
v = paddle.rand([3, 2])
for each in (q, k, v):
    each.stop_gradient = False
scores = (q @ k.t()).scale_(2 ** -0.5)
mask = paddle.ones([3, 3]).tril_()
scores.masked_fill_(mask == 0, float('-inf'))
weights = F.softmax(scores, -1)
out = weights @ v
out.sum().backward()
""",
    "cache": """
paddle.seed(0)
keys = paddle.zeros([1, 4, 2])
values = paddle.zeros([1, 4, 2])
with paddle.no_grad():
    for position in range(3):
        token = paddle.rand([1, 1, 2])
        keys[:, position:position + 1] = token
        values[:, position] = token[:, 0] * 2
        seen = keys[:, :position + 1]
        scores = token @ seen.transpose([0, 2, 1])
        out = F.softmax(scores, -1) @ values[:, :position + 1]
""",
    "dropout": """
paddle.seed(0)
def dropout_(x, p=0.5):
    keep = paddle.rand(x.shape) > p
    return x.multiply_(keep.astype(x.dtype)).scale_(1 / (1 - p))
x = paddle.ones([2, 4])
x.stop_gradient = False
h = x * 3
dropout_(h)
h.sum().backward()
""",
    "accumulation": """
paddle.seed(0)
net = nn.Linear(2, 1)
opt = paddle.optimizer.Momentum(0.1, parameters=net.parameters())
for step in range(4):
    loss = net(paddle.rand([2, 2])).mean() / 2
    loss.backward()
    if step % 2:
        opt.step()
        opt.clear_grad()
""",
    "weight decay by hand": """
w = paddle.to_tensor([1., -2., 3.], stop_gradient=False)
for _ in range(2):
    (w * w).sum().backward()
    with paddle.no_grad():
        w.scale_(1 - 0.01)
        w.subtract_(0.1 * w.grad)
    w.clear_grad()
""",
    "gradient penalty": """
x = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
w = paddle.to_tensor([[1.], [2.]], stop_gradient=False)
score = (x @ w).tanh()
(slope,) = paddle.grad(score.sum(), x, create_graph=True)
penalty = (slope.norm() - 1.).square()
penalty.backward()
""",
    "freezing": """
paddle.seed(0)
body, head = nn.Linear(2, 3), nn.Linear(3, 1)
for p in body.parameters():
    p.stop_gradient = True
loss = head(F.relu_(body(paddle.rand([2, 2])))).sum()
loss.backward()
frozen = body.weight.grad is None
""",
    "target network": """
paddle.seed(0)
online, target = nn.Linear(2, 2), nn.Linear(2, 2)
for p, q in zip(target.parameters(), online.parameters()):
    p.set_value(q)
shared = target.weight.detach()
with paddle.no_grad():
    online.weight.add_(paddle.ones([2, 2]))
    target.weight.lerp_(online.weight, 0.5)
""",
    "buffer of experience": """
buffer = paddle.zeros([4, 2])
for k in range(6):
    buffer[k % 4] = paddle.full([2], float(k))
batch = buffer[[0, 2]]
batch.scale_(10.)
recent = buffer[-2:]
recent.zero_()
""",
    "one hot": """
labels = paddle.to_tensor([0, 2, 1])
hot = paddle.zeros([3, 3])
hot[paddle.arange(3), labels] = 1.
smooth = hot.scale(0.9).add_(paddle.full([3, 3], 0.1 / 3))
""",
    "embedding": """
paddle.seed(0)
table = paddle.rand([5, 2])
table.stop_gradient = False
rows = table.gather(paddle.to_tensor([1, 1, 3]))
rows.scale_(2.)
rows.sum().backward()
with paddle.no_grad():
    table.index_add_(paddle.to_tensor([1]), 0, -table.grad[1:2])
""",
    "power iteration": """
a = paddle.to_tensor([[2., 1.], [1., 3.]])
v = paddle.ones([2])
for _ in range(3):
    v = a.mv(v)
    v /= v.norm()
value = v.dot(a.mv(v)).item()
""",
    "prefix sums": """
x = paddle.arange(6).astype('float32')
for k in range(1, 6):
    x[k] += x[k - 1]
even, odd = x[::2], x[1::2]
even.zero_()
""",
    "hooks": """
total = paddle.zeros([2])
x = paddle.to_tensor([1., 2.], stop_gradient=False)
h = x * 2
def watch(gradient):
    total.add_(gradient)
    return gradient.clip(-1., 1.)
h.register_hook(watch)
h.square().sum().backward()
""",
    "straight through": """
class Round(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x.round()
    @staticmethod
    def backward(ctx, g):
        return g
x = paddle.to_tensor([0.4, 1.6], stop_gradient=False)
Round.apply(x).square().sum().backward()
""",
}

MISTAKES = {
    "what sigmoid kept": Mistake(
        "x = paddle.to_tensor([1., -2.], stop_gradient=False)\ny = x.sigmoid()\nz = y.add_(paddle.ones([2]))\nz.sum().backward()\n",
        ("line 2", "line 3"),
        "x = paddle.to_tensor([1., -2.], stop_gradient=False)\ny = x.sigmoid()\nz = y.add(paddle.ones([2]))\nz.sum().backward()\n",
    ),
    "a residual that overwrites": Mistake(
        "x = paddle.to_tensor([1., 2.], stop_gradient=False)\nh = x * 3\nout = h * h\nh.add_(paddle.ones([2]))\nout.sum().backward()\n",
        ("line 3", "line 4"),
        "x = paddle.to_tensor([1., 2.], stop_gradient=False)\nh = x * 3\nout = h * h\nh = h + 1\nout.sum().backward()\n",
    ),
    "a slice that is written": Mistake(
        "x = paddle.ones([2, 2])\nx.stop_gradient = False\nh = x * 2\nloss = h.exp().sum()\nsquared = h.square()\nrow = h[0]\nrow.zero_()\n"
        "(loss + squared.sum()).backward()\n",
        ("line 5", "line 7", "`row`"),
        "x = paddle.ones([2, 2])\nx.stop_gradient = False\nh = x * 2\nloss = h.exp().sum()\nsquared = h.square()\nrow = h[0].clone()\nrow.zero_()\n"
        "(loss + squared.sum()).backward()\n",
    ),
    "state of a recurrent network": Mistake(
        "w = paddle.to_tensor([0.5, 0.5], stop_gradient=False)\nstate = paddle.zeros([2])\nstate = state + w\nfor _ in range(2):\n    out = state * w\n"
        "    state.add_(out)\nstate.sum().backward()\n",
        ("line 5", "line 6"),
        "w = paddle.to_tensor([0.5, 0.5], stop_gradient=False)\nstate = paddle.zeros([2])\nstate = state + w\nfor _ in range(2):\n    out = state * w\n"
        "    state = state + out\nstate.sum().backward()\n",
    ),
    "a step between two passes": Mistake(
        "w = paddle.to_tensor([1., 2.], stop_gradient=False)\nloss = (w * w).sum()\nloss.backward(retain_graph=True)\nwith paddle.no_grad():\n"
        "    w.subtract_(w.grad)\nloss.backward()\n",
        ("line 2", "line 5"),
        "w = paddle.to_tensor([1., 2.], stop_gradient=False)\nloss = (w * w).sum()\nloss.backward(retain_graph=True)\nloss.backward()\n"
        "with paddle.no_grad():\n    w.subtract_(w.grad)\n",
    ),
    "a buffer filled in a loop": Mistake(
        "x = paddle.to_tensor([1., 2., 3.], stop_gradient=False)\nout = paddle.zeros([3])\nfor k in range(3):\n    out[k] = x[k] * 2\n"
        "    total = (out * out).sum()\n    out[k] = 0.\ntotal.backward()\n",
        ("line 5", "line 6"),
        "x = paddle.to_tensor([1., 2., 3.], stop_gradient=False)\nout = paddle.zeros([3])\nfor k in range(3):\n    out[k] = x[k] * 2\n"
        "    total = (out * out).sum()\ntotal.backward()\n",
    ),
    "a parameter written directly": Mistake(
        "net = nn.Linear(2, 2)\nnet.weight.fill_(0.5)\n",
        (),
        "net = nn.Linear(2, 2)\nwith paddle.no_grad():\n    net.weight.fill_(0.5)\n",
    ),
    "a gradient clipped as it stands": Mistake(
        "w = paddle.to_tensor([1., 2.], stop_gradient=False)\n(w * w).sum().backward()\nw.grad.clip_(-1., 1.)\n",
        (),
        "w = paddle.to_tensor([1., 2.], stop_gradient=False)\n(w * w).sum().backward()\nwith paddle.no_grad():\n    w.grad.clip_(-1., 1.)\n",
    ),
    "twice through one graph": Mistake(
        "x = paddle.to_tensor([1., 2.], stop_gradient=False)\nloss = (x * x).sum()\nloss.backward()\nloss.backward()\n",
        (),
        "x = paddle.to_tensor([1., 2.], stop_gradient=False)\nloss = (x * x).sum()\nloss.backward(retain_graph=True)\nloss.backward()\n",
    ),
}
