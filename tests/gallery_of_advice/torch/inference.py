"""Without gradients nothing is kept."""

import torch
from torch.nn import functional as F

torch.manual_seed(0)
w = torch.randn(4, 4, requires_grad=True)
with torch.no_grad():
    h = torch.randn(3, 4) @ w
    h = torch.tanh(h)  # tanh: may
    h = torch.exp(h)  # exp: may
    h = h * h  # mul: read
    h = F.relu6(h)  # relu6: may
    h = -h  # neg: may
print(h)
