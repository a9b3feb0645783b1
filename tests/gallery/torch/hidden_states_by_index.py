"""An RNN written by hand, which stores each hidden state in one big tensor and reads the one before from there.

Every assignment changes the tensor of which the layer keeps the previous row. Model: PyTorch issue 165621.
"""

import torch
from torch import nn

torch.manual_seed(0)
steps, batch, width = 4, 2, 3
wx, wh = nn.Linear(5, width), nn.Linear(width, width)
inputs = torch.randn(steps, batch, 5)

hidden = torch.zeros(steps + 1, batch, width)  # fix: hidden = [torch.zeros(batch, width)]
for t in range(steps):
    hidden[t + 1] = torch.tanh(wx(inputs[t]) + wh(hidden[t]))  # kept  # overwritten  # fix: hidden.append(torch.tanh(wx(inputs[t]) + wh(hidden[t])))

loss = hidden[-1].pow(2).sum()
loss.backward()  # fails
