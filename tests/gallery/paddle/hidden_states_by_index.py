"""An RNN by hand that writes each state into one tensor and reads the one before from there."""

import paddle
from paddle import nn

paddle.seed(0)
cell_x, cell_h = nn.Linear(3, 4), nn.Linear(4, 4)
inputs = paddle.randn([3, 2, 3])

hidden = paddle.zeros([4, 2, 4])  # fix: hidden = [paddle.zeros([2, 4])]
for t in range(3):
    hidden[t + 1] = paddle.tanh(cell_x(inputs[t]) + cell_h(hidden[t]))  # kept  # overwritten  # fix: hidden.append(paddle.tanh(cell_x(inputs[t]) + cell_h(hidden[t])))

loss = (hidden[-1] ** 2).mean()
loss.backward()  # fails
