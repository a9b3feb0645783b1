"""The running total for the log is also what backward is called on: it goes back through the batches before."""

import paddle
from paddle import nn

paddle.seed(0)
model = nn.Linear(3, 1)
running_loss = paddle.zeros([])
for x in paddle.randn([3, 5, 3]):
    loss = (model(x) ** 2).mean()  # kept
    running_loss = running_loss + loss  # fix: running_loss = running_loss + loss.detach()
    running_loss.backward()  # fails: second backward  # fix: loss.backward()
