"""A leaf that needs a gradient is not overwritten, nor a view of one."""

import torch

torch.manual_seed(0)
w = torch.randn(3, 4, requires_grad=True)
h = w * 2  # mul: leaf
g = w[0].exp()  # exp: leaf
h = h + g  # add: may
h.sum().backward()
