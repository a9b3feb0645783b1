"""A coupling layer of a normalizing flow that rescales the second half of its input in place.

The scale network has kept the first half only, but both halves are views of one tensor and share its version counter.
"""

import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.half = width // 2
        self.log_scale = nn.Sequential(nn.Linear(self.half, 8), nn.Tanh(), nn.Linear(8, self.half))

    def forward(self, x):
        first, second = x[:, : self.half], x[:, self.half :]
        log_scale = self.log_scale(first)  # kept
        second *= log_scale.exp()  # overwritten  # fix: second = second * log_scale.exp()
        return torch.cat([second, first], dim=1), log_scale.sum(dim=1)


torch.manual_seed(0)
base, coupling = nn.Linear(4, 4), Coupling(4)
z, log_det = coupling(base(torch.randn(6, 4)))
loss = (0.5 * z.pow(2).sum(dim=1) - log_det).mean()
loss.backward()  # fails
