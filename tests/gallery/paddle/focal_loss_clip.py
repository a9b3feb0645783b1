"""A focal loss that keeps probabilities off zero and one with `clip_`: sigmoid has kept them."""

import paddle
from paddle import nn


def focal_loss(logits, labels):
    p = nn.functional.sigmoid(logits)  # kept
    p.clip_(0.01, 0.99)  # overwritten  # fix: p = p.clip(0.01, 0.99)
    pt = paddle.where(labels == 1, p, 1 - p)
    return -((1 - pt) ** 2 * pt.log()).mean()


paddle.seed(0)
model = nn.Linear(3, 1)
loss = focal_loss(model(paddle.randn([4, 3])), paddle.to_tensor([[0], [1], [1], [0]]))
loss.backward()  # fails
