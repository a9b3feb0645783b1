"""A bias that was expanded to the batch is changed in place: all rows of an expanded tensor are the same memory."""

import torch
from torch import nn

torch.manual_seed(0)
bias, layer = nn.Parameter(torch.zeros(3)), nn.Linear(4, 3)
offsets = (2 * bias).expand(5, 3)
offsets += torch.randn(5, 3)  # fails: expanded  # fix: offsets = offsets + torch.randn(5, 3)
loss = (layer(torch.randn(5, 4)) + offsets).pow(2).mean()
loss.backward()
