"""This package's engine, under Paddle's names: layers have no in-place form but dropout, numbers go through `scale_`."""

import inplacelab as paddle
import inplacelab.nn.functional as F

paddle.seed(0)
net = paddle.nn.Sequential(
    paddle.nn.Linear(4, 4),
    paddle.nn.Dropout(0.5),  # dropout: may
    paddle.nn.Linear(4, 4),
)
h = net(paddle.randn([3, 4]))
h = h + 1  # scale: may
h = F.relu(h)  # relu: may
h = 2 * h  # scale: kept
h = paddle.exp(h)  # exp: may
h = F.softmax(h)  # softmax: kept
h = F.elu(h * 3)  # scale: kept; elu: copy
h.sum().backward()
