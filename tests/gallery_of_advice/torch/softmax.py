"""Softmax keeps its result."""

import torch

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
mask = torch.eye(3, 4) > 0
h = torch.softmax(x @ w, dim=1)
h = h * 2  # mul: kept
h = h.masked_fill(mask, 0.0)  # masked_fill: may
h.sum().backward()
