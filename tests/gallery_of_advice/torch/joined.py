"""A tensor that is taken apart, changed in one part, and joined again."""

import torch

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = x @ w
h = torch.cat([h[:, :1] * 2, h[:, 1:]], 1)  # cat: may; mul: may
h = torch.stack([h[0], -h[1], h[2]])  # stack: may; neg: may
swapped = torch.cat([h[:, 1:], h[:, :1] * 2], 1)  # mul: may
swapped.sum().backward()
