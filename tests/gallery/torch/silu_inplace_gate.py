"""Squeeze-and-excitation with an in-place SiLU, as in many mobile networks.

The gate's linear layer keeps the features as its input, and the activation then replaces them.
"""

import torch
from torch import nn


class GatedBlock(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.expand = nn.Linear(width, width)
        self.gate = nn.Linear(width, width)
        self.act = nn.SiLU(inplace=True)  # fix: self.act = nn.SiLU()

    def forward(self, x):
        h = self.expand(x)
        scale = torch.sigmoid(self.gate(h))  # kept
        return self.act(h) * scale  # overwritten


torch.manual_seed(0)
model = nn.Sequential(GatedBlock(6), GatedBlock(6))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    loss = model(torch.randn(5, 6)).pow(2).mean()
    loss.backward()  # fails
    optimizer.step()
