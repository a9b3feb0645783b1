"""A view is overwritten where nobody reads its slots again, whatever becomes of the others."""

import torch

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = x @ w
y = h.t() * 2  # mul: may
g = x @ w
first = g[:1] * 2  # mul: may
rest = g[1:] + 1  # add: may
p = x @ w
part = p[:1] * 2  # mul: read
torch.cat([y.t(), first, rest, part, p]).sum().backward()
