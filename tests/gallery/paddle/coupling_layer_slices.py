"""A coupling layer that rescales the second half of its input in place; the network for the scale has kept the first half.

Both halves are views of one tensor and share its version.
"""

import paddle
from paddle import nn


class Coupling(nn.Layer):
    def __init__(self, width):
        super().__init__()
        self.half = width // 2
        self.scale = nn.Linear(self.half, self.half)

    def forward(self, x):
        first, second = x[:, : self.half], x[:, self.half :]
        scale = paddle.exp(self.scale(first))  # kept
        second.multiply_(scale)  # overwritten  # fix: second = second * scale
        return paddle.concat([second, first], axis=1)


paddle.seed(0)
base, coupling = nn.Linear(4, 4), Coupling(4)
coupling(base(paddle.randn([3, 4]))).square().sum().backward()  # fails
