"""Operations inside each other, over several lines."""

import torch
from torch.nn.functional import relu, dropout

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
h = relu(  # relu: may
    (x @ w) * 2  # add: may; mul: may
    + 1,
)
h = dropout((h @ w).clamp(min=0.0).sigmoid(), p=0.5)  # clamp: copy; sigmoid: may; dropout: kept
h.sum().backward()
