"""A chain of activations: what keeps its result is not overwritten, and what follows it neither is."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = x @ w
h = F.relu(h)  # relu: may
h = torch.tanh(h)  # tanh: kept
h = h * 2  # mul: kept
h = h + 1  # add: may
h = torch.sigmoid(h)  # sigmoid: may
h.sum().backward()
