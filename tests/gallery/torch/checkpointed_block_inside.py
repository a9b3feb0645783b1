"""A checkpointed block with the mistake inside: it is computed again during backward, and only then a value is kept and overwritten.

In the first run, nothing was kept at all.
"""

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc, self.gain = nn.Linear(width, width), nn.Parameter(torch.full((width,), 0.5))

    def forward(self, x):
        h = torch.sigmoid(self.fc(x))  # kept
        h *= self.gain  # overwritten  # fix: h = h * self.gain
        return h


torch.manual_seed(0)
stem = nn.Linear(3, 4)
blocks = nn.ModuleList([Block(4), Block(4)])
h = stem(torch.randn(5, 3))
for block in blocks:
    h = checkpoint(block, h, use_reentrant=True)
h.pow(2).mean().backward()  # fails
