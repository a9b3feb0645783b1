"""Gradients that are scaled by hand before an optimizer's step.

In Paddle a gradient is a leaf that needs a gradient, too, so a recorded write to it is refused. `paddle.no_grad()` allows it.
"""

import paddle
from paddle import nn

paddle.seed(0)
layer = nn.Linear(3, 2)
layer(paddle.ones([4, 3])).square().mean().backward()
for each in layer.parameters():
    each.grad.scale_(0.5)  # fails: leaf  # fix: with paddle.no_grad(): each.grad.scale_(0.5)
