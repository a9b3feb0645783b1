"""PyTorch refuses to write to one of several views; of two slices only one may be, as each write stales what is kept of the other."""

import torch

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 8, requires_grad=True)
a, b = (x @ w).chunk(2, dim=1)
y = torch.sigmoid(a) * torch.tanh(b)  # sigmoid: views; tanh: views; mul: kept
both = x @ w
c, d = both[:, :4], both[:, 4:]
z = c.sigmoid() + d.tanh()  # sigmoid: may; tanh: conflict; add: kept
(y.sum() + z.sum()).backward()  # add: may
