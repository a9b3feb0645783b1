"""A region of a feature map is assigned a constant after the map was squared: the square keeps its input. Model: Paddle pull request 27901."""

import paddle
from paddle import nn

paddle.seed(0)
conv = nn.Conv2D(1, 2, 3)
features = conv(paddle.randn([1, 1, 6, 6]))
energy = features**2  # kept
features[:, :, :2, :2] = 0.0  # overwritten  # fix: features = features.clone(); features[:, :, :2, :2] = 0.0
loss = energy.mean() + features.mean()
loss.backward()  # fails
