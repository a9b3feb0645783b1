"""An LSTM cell that activates slices of one gate tensor in place: sigmoid on three quarters of it, tanh on the last.

The slices do not overlap, but they are views of one tensor, and the second write counts for the first as well.
"""

import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.width, self.gates = width, nn.Linear(inputs + width, 4 * width)

    def forward(self, x, h, c):
        gates = self.gates(torch.cat([x, h], dim=1))
        gates[:, : 3 * self.width].sigmoid_()  # kept  # fix: sigmoids = gates[:, : 3 * self.width].sigmoid()
        gates[:, 3 * self.width :].tanh_()  # overwritten  # fix: gates = torch.cat([sigmoids, gates[:, 3 * self.width :].tanh()], 1)
        i, f, o, g = gates.chunk(4, dim=1)
        c = f * c + i * g
        return o * torch.tanh(c), c


torch.manual_seed(0)
cell = Cell(3, 2)
h = c = torch.zeros(4, 2)
for x in torch.randn(3, 4, 3):
    h, c = cell(x, h, c)
h.pow(2).sum().backward()  # fails
