"""What is in place already."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = x @ w
h += 1
h = F.relu(h, inplace=True)
h = h * 2  # mul: kept
h.mul_(3)
h = h + 1  # add: may
h.sum().backward()
