"""A pre-norm block in its shortest form: layer normalization keeps its input, and the same line adds to it in place."""

import paddle
from paddle import nn


class Block(nn.Layer):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 8), nn.GELU(), nn.Linear(8, width))

    def forward(self, x):
        x.add_(self.mlp(self.norm(x)))  # kept  # overwritten  # fix: x = x + self.mlp(self.norm(x))
        return x


paddle.seed(0)
embedding, block = nn.Embedding(9, 4), Block(4)
block(embedding(paddle.to_tensor([[1, 2, 3]]))).pow(2).sum().backward()  # fails
