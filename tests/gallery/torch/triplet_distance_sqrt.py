"""A triplet loss whose distance adds a small number to the square root, in place. `sqrt_` has kept the root."""

import torch
from torch import nn


def distance(a, b):
    d = (a - b).pow(2).sum(dim=1)
    d.sqrt_()  # kept
    d += 1e-6  # overwritten  # fix: d = d + 1e-6
    return d


torch.manual_seed(0)
embed = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
anchor, positive, negative = (embed(each) for each in torch.randn(3, 5, 6))
loss = torch.relu(distance(anchor, positive) - distance(anchor, negative) + 0.5).mean()
loss.backward()  # fails
