"""A weight-normalized layer whose gains are shrunk before backward: the weight is computed from them in every forward."""

import torch
from torch import nn
from torch.nn.utils.parametrizations import weight_norm

torch.manual_seed(0)
layer = weight_norm(nn.Linear(4, 3))
gain = layer.parametrizations.weight.original0


@torch.no_grad()
def shrink(factor=0.9):
    gain.mul_(factor)  # overwritten


x, y = torch.randn(5, 4), torch.randn(5, 3)
loss = nn.functional.mse_loss(layer(x), y)  # kept
shrink()  # fix:
loss.backward()  # fails  # fix: loss.backward(); shrink()
