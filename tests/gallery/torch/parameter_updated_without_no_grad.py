"""Gradient descent by hand, without `torch.no_grad()`: a leaf that requires grad may not be written to."""

import torch

torch.manual_seed(0)
x, y = torch.randn(10, 2), torch.randn(10)
w = torch.zeros(2, requires_grad=True)

for _step in range(3):
    loss = (x @ w - y).pow(2).mean()
    loss.backward()
    w -= 0.1 * w.grad  # fails: leaf  # fix: with torch.no_grad(): w -= 0.1 * w.grad
