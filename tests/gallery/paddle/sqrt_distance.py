"""A distance whose square root is shifted in place: `sqrt_` has kept the root."""

import paddle
from paddle import nn


def distance(a, b):
    d = (a - b).square().sum(axis=1)
    d.sqrt_()  # kept
    d.add_(paddle.to_tensor(1e-6))  # overwritten  # fix: d = d + 1e-6
    return d


paddle.seed(0)
embed = nn.Linear(4, 3)
anchor, other = embed(paddle.randn([5, 4])), embed(paddle.randn([5, 4]))
loss = nn.functional.relu(1 - distance(anchor, other)).mean() + distance(anchor, other).mean()
loss.backward()  # fails
