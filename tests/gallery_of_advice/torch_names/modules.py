"""This package's engine under PyTorch's names."""

import inplacelab.torch as torch
from inplacelab.torch import nn
from inplacelab.torch.nn import functional as F

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(4, 4),
    nn.ReLU(),  # relu: may
    nn.Linear(4, 4),
    nn.LeakyReLU(0.2),  # leaky_relu: may
    nn.Hardtanh(),  # hardtanh: copy
)
x = torch.randn(3, 4)
h = net(x)
h = h * 2  # mul: may
h = 1 + h  # add: may
h = torch.sigmoid(h)  # sigmoid: may
h = F.relu(h)  # relu: kept
h.sum().backward()
