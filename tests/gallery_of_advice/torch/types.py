"""A result of another type does not fit; a conversion to the same type makes no tensor."""

import torch

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = x @ w
h = h.to(torch.float32)
h = h.to(torch.float64)  # to: dtype
h = h.float()  # float: dtype
n = torch.arange(4)
half = n / 2  # div: dtype
h = h + half  # add: may
h.sum().backward()
