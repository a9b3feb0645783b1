"""A sum may be written into its second operand, where the first is smaller, or kept."""

import torch

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
row = torch.randn(4)
h = row + x @ w  # add: may
h = torch.tanh(h)  # tanh: may
h = h + x @ w  # add: may
h = x - x @ w * 2 + h  # sub: kept; mul: may; add: may
h.sum().backward()
print(x)
