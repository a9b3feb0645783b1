"""A deep equilibrium layer that iterates into one tensor with `copy_`: the layer keeps its input, which is that tensor."""

import torch
from torch import nn


class Equilibrium(nn.Module):
    def __init__(self, width, steps=4):
        super().__init__()
        self.inner, self.outer, self.steps = nn.Linear(width, width), nn.Linear(3, width), steps

    def forward(self, x):
        injected = self.outer(x)
        z = torch.zeros_like(injected)
        for _ in range(self.steps):
            z.copy_(torch.tanh(self.inner(z) + injected))  # kept  # overwritten  # fix: z = torch.tanh(self.inner(z) + injected)
        return z


torch.manual_seed(0)
layer = Equilibrium(4)
layer(torch.randn(2, 3)).sum(dim=1).pow(2).mean().backward()  # fails
