"""What is printed later, or read as a number, is read."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = x @ w
r = F.relu(h)  # relu: read
g = x @ w
s = F.relu(g)  # relu: read
k = x @ w
t = F.relu(k)  # relu: may
print(h.shape, k.shape)
print(h)
text = f"{g}"
torch.stack([r, s, t]).sum().backward()
