"""Attention with relative positions: the query is scaled in place after the position scores were computed from it."""

import torch
from torch import nn

torch.manual_seed(0)


class RelativeAttention(nn.Module):
    def __init__(self, width, length):
        super().__init__()
        self.scale = width**-0.5
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.positions = nn.Parameter(torch.randn(length, width))

    def forward(self, x):
        q = self.query(x)
        bias = q @ self.positions.t()  # kept
        q *= self.scale  # overwritten  # fix: q = q * self.scale
        scores = q @ self.key(x).transpose(1, 2) + bias
        return scores.softmax(dim=-1) @ self.value(x)


layer = RelativeAttention(4, length=5)
out = layer(torch.randn(2, 5, 4))
out.std().backward()  # fails
