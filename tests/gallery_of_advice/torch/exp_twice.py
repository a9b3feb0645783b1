"""Each exponential keeps its result: the first may overwrite its operand, the second would overwrite what the first has kept."""

import torch

torch.manual_seed(0)
x, w = torch.randn(3, 4), torch.randn(4, 4, requires_grad=True)
y = torch.exp(torch.exp(x @ w))  # exp: may; exp: kept
y.sum().backward()
