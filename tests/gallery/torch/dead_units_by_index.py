"""Some hidden units are switched off by assigning zero to their columns, after a sigmoid that needs its result.

Model: PyTorch issue 9391.
"""

import torch
from torch import nn


class Lesioned(nn.Module):
    def __init__(self, dead):
        super().__init__()
        self.hidden, self.out = nn.Linear(4, 6), nn.Linear(6, 2)
        self.dead = dead

    def forward(self, x):
        h = torch.sigmoid(self.hidden(x))  # kept
        for unit in self.dead:
            h[:, unit] = 0  # overwritten  # fix: h = h.index_fill(1, torch.tensor([unit]), 0)
        return self.out(h)


torch.manual_seed(0)
model = Lesioned(dead=[1, 4])
loss = nn.functional.cross_entropy(model(torch.randn(3, 4)), torch.tensor([0, 1, 0]))
loss.backward()  # fails
