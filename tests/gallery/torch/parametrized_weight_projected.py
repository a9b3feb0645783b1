"""A symmetric weight made by `parametrize`, whose original is projected in place in the training loop, one line too early."""

import torch
from torch import nn
from torch.nn.utils import parametrize


class PositiveDefinite(nn.Module):
    def forward(self, a):
        return a @ a.t()  # kept


@torch.no_grad()
def project(factor):
    factor.copy_(factor.tril())  # overwritten


torch.manual_seed(0)
layer = nn.Linear(3, 3, bias=False)
parametrize.register_parametrization(layer, "weight", PositiveDefinite())
factor = layer.parametrizations.weight.original
optimizer = torch.optim.SGD(layer.parameters(), lr=0.05)

for x in torch.randn(3, 6, 3):
    loss = (layer(x) - x).pow(2).mean()
    project(factor)  # fix:
    optimizer.zero_grad()
    loss.backward()  # fails  # fix: loss.backward(); project(factor)
    optimizer.step()
