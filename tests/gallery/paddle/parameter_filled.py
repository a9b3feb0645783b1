"""A parameter is filled in place, to start training from a known value: a leaf that wants a gradient may not be written to."""

import paddle
from paddle import nn

paddle.seed(0)
layer = nn.Linear(3, 2)
layer.bias.fill_(0.1)  # fails: leaf  # fix: layer.bias.set_value(paddle.full([2], 0.1))
layer(paddle.randn([4, 3])).mean().backward()
