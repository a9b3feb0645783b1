"""A product of a tensor with itself reads what it would overwrite; a square would keep a copy."""

import torch

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = x @ w
y = h * h  # mul: read
g = (x @ w).square()  # square: copy
z = (x @ w) * torch.ones(4)  # mul: may
t = torch.cos(x @ w)  # cos: copy
(y.sum() + g.sum() + z.sum() + t.sum()).backward()  # add: may; add: may; add: may
