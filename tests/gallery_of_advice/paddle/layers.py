"""PaddlePaddle: of its layers, dropout and SiLU have the argument `inplace`."""

import paddle

paddle.seed(0)
net = paddle.nn.Sequential(
    paddle.nn.Linear(4, 4),
    paddle.nn.ReLU(),
    paddle.nn.Linear(4, 4),
    paddle.nn.Dropout(0.5),  # dropout: may
    paddle.nn.Linear(4, 4),
    paddle.nn.Silu(),  # silu: copy
)
h = net(paddle.randn([3, 4]))
h = h.tanh()  # tanh: kept
h.sum().backward()
