"""A residual block that adds the shortcut in place after the ReLU: ReLU keeps its result. Model: Paddle issue 45119."""

import paddle
from paddle import nn


class Block(nn.Layer):
    def __init__(self, width):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        out = nn.functional.relu(self.fc1(x))
        out = nn.functional.relu(self.fc2(out))  # kept
        out.add_(x)  # overwritten  # fix: out = out + x
        return out


paddle.seed(0)
model = nn.Sequential(nn.Linear(3, 4), Block(4), Block(4), nn.Linear(4, 2))
loss = nn.functional.cross_entropy(model(paddle.randn([5, 3])), paddle.to_tensor([0, 1, 0, 1, 1]))
loss.backward()  # fails
