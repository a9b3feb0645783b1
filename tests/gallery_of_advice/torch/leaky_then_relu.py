"""A leaky ReLU in place saves its result, which nothing may overwrite then: only one of the two can be had."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = x @ w
h = F.leaky_relu(h, 0.1)  # leaky_relu: may
h = F.relu(h)  # relu: conflict
h.sum().backward()
