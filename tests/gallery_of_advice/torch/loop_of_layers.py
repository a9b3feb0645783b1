"""One line runs for several layers: one of them keeps its operand for later."""

import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
layers = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
h = torch.randn(3, 4)
for k, layer in enumerate(layers):
    h = layer(h)
    if k == 1:
        skip = h
    h = F.relu(h)  # relu: read
out = h + skip  # add: may
out.sum().backward()
