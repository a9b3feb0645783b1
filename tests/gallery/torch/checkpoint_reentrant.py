"""A checkpointed stage whose input is changed in place afterwards.

The checkpoint keeps the input, to compute the stage again during backward.
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)


class Stages(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(4, 6)
        self.stage = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 6))
        self.head = nn.Linear(6, 2)

    def forward(self, x):
        h = self.stem(x)
        out = checkpoint(self.stage, h, use_reentrant=True)  # kept
        h += out  # overwritten  # fix: h = h + out
        return self.head(h)


model = Stages()
model(torch.randn(3, 4)).logsumexp(dim=1).sum().backward()  # fails
