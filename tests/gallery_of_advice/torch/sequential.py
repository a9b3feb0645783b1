"""Modules in a sequence: a leaky ReLU keeps its result in place, which the next layer keeps anyway; ReLU6 would keep a copy."""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(4, 4),
    nn.LeakyReLU(0.2),  # leaky_relu: may
    nn.Linear(4, 4),
    nn.ReLU6(),  # hardtanh: copy
    nn.Dropout(0.5),  # dropout: may
    nn.Linear(4, 4),
    nn.SiLU(),  # silu: copy
)
loss = net(torch.randn(3, 4)).sum()
loss.backward()
