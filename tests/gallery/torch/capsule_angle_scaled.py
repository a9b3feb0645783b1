"""A capsule layer that scales the angle among the parts of its pose.

`unbind` returns views that share one grad node, so none of them can be written.
Model: akosiorek/stacked_capsule_autoencoders#15.
"""

import math

import torch
from torch import nn

torch.manual_seed(0)


class Pose(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(6, 4)

    def forward(self, x):
        across, down, size, angle = self.linear(x).unbind(-1)
        angle *= 2 * math.pi  # fails: one of several views  # fix: angle = angle * (2 * math.pi)
        size = size.sigmoid()
        return across * angle.cos() * size + down * angle.sin() * size


pose = Pose()
pose(torch.randn(5, 6)).square().mean().backward()
