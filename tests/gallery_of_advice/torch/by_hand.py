"""Updates by hand: the old weights are leaves, and their gradients are not used again."""

import torch

torch.manual_seed(0)
x = torch.randn(3, 4)
w = torch.randn(4, 4, requires_grad=True)
for _ in range(3):
    loss = (x @ w).tanh().sum()  # tanh: may
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad  # mul: may; sub: leaf
    w.requires_grad_()
