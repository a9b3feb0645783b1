"""A recurrent cell that stores its state in a buffer and updates the buffer in place at every step."""

import torch
from torch import nn


class Tracker(nn.Module):
    def __init__(self, batch=2, width=4):
        super().__init__()
        self.cell, self.out = nn.RNNCell(3, width), nn.Linear(width, 1)
        self.register_buffer("state", torch.zeros(batch, width))

    def forward(self, x):
        new = self.cell(x, self.state)  # kept
        self.state.copy_(new.detach())  # overwritten  # fix: self.state = new.detach()
        return self.out(new)


torch.manual_seed(0)
tracker = Tracker()
frames = torch.randn(3, 2, 3)
loss = torch.stack([tracker(frame) for frame in frames]).var()
loss.backward()  # fails
