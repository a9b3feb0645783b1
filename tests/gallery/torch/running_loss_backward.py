"""The running total for the log is also what backward is called on: it goes back through the batches before."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(3, 1)
running_loss = 0.0
for x in torch.randn(3, 5, 3):
    loss = model(x).pow(2).mean()  # kept
    running_loss += loss  # fix: running_loss += loss.item()
    running_loss.backward()  # fails: second backward  # fix: loss.backward()
