"""A value in a list, or under another name, that is used later."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
outs = []
h = x @ w
outs.append(h)
h = F.relu(h)  # relu: read
g = h @ w
before = g
g = F.relu(g)  # relu: read
flat = (x @ w).view(-1)
m = flat.view(3, 4)
m = F.relu(m)  # relu: read
c = torch.sigmoid(x @ w)  # sigmoid: may
torch.cat([outs[0], before, g, m, c]).sum().backward()
flat.sum()
