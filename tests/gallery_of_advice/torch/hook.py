"""A hook reads its tensor when the gradient arrives."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = x @ w
h.register_hook(lambda gradient: gradient * h.sum())
y = F.relu(h)  # relu: read
y = F.relu(x @ w) + y  # relu: may; add: kept
y.sum().backward()
