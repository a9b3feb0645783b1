"""A highway layer that turns the gate `t` into `1 - t` in place, after a product with `t` has kept it."""

import torch
from torch import nn


class Highway(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate, self.plain = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        t = self.gate(x).sigmoid_()
        y = t * torch.relu(self.plain(x))  # kept
        t.neg_().add_(1)  # overwritten  # fix: t = 1 - t
        return y + t * x


torch.manual_seed(0)
model = nn.Sequential(Highway(5), Highway(5))
model(torch.randn(3, 5)).abs().mean().backward()  # fails
