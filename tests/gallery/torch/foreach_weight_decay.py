"""Weight decay applied to all parameters at once, between forward and backward.

`torch._foreach_mul_` writes to every parameter, also to those that a layer has kept.
"""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 1))


def decay(module, rate=0.01):
    with torch.no_grad():
        torch._foreach_mul_(list(module.parameters()), 1 - rate)  # overwritten


x, y = torch.randn(6, 4), torch.randn(6, 1)
loss = nn.functional.mse_loss(model(x), y)  # kept
decay(model)  # fix:
loss.backward()  # fails  # fix: loss.backward(); decay(model)
