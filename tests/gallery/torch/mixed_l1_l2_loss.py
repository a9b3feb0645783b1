"""The mean absolute and the mean squared error from one difference, which `pow_` squares in place: `abs` has kept it."""

import torch
from torch import nn


def mixed_loss(prediction, target):
    error = prediction - target
    l1 = error.abs().mean()  # kept
    l2 = error.pow_(2).mean()  # overwritten  # fix: l2 = error.pow(2).mean()
    return l1 + l2


torch.manual_seed(0)
model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _epoch in range(3):
    optimizer.zero_grad()
    loss = mixed_loss(model(torch.randn(8, 3)), torch.randn(8, 1))
    loss.backward()  # fails
    optimizer.step()
