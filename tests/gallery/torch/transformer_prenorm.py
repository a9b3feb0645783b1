"""A pre-norm transformer block in its shortest form, `x += f(norm(x))`.

Layer normalization keeps its input, which the same line then overwrites.
"""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        x += self.mlp(self.norm(x))  # kept  # overwritten  # fix: x = x + self.mlp(self.norm(x))
        return x


torch.manual_seed(0)
embedding, block = nn.Embedding(12, 6), Block(6)
tokens = torch.randint(12, (2, 5))
block(embedding(tokens)).norm().backward()  # fails
