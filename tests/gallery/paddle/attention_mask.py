"""Attention whose mask is multiplied into the probabilities in place: softmax keeps them.

Which tensor it was, the message does not say: Paddle issue 72329.
"""

import paddle
from paddle import nn


class SelfAttention(nn.Layer):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x, mask):
        scores = self.q(x) @ self.k(x).transpose([0, 2, 1])
        weights = nn.functional.softmax(scores / x.shape[-1] ** 0.5)  # kept
        weights.multiply_(mask)  # overwritten  # fix: weights = weights * mask
        return weights @ self.v(x)


paddle.seed(0)
attention = SelfAttention(4)
mask = paddle.tril(paddle.ones([3, 3])).expand([2, 3, 3])
attention(paddle.randn([2, 3, 4]), mask).square().mean().backward()  # fails
