"""The gradient penalty of a critic, with the norm shifted in place.

The norm keeps its result for the second derivative.
"""

import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(3, 2, requires_grad=True)
(slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
length = slope.norm(dim=1)  # kept
length.sub_(1)  # overwritten  # fix: length = length.sub(1)
length.pow(2).mean().backward()  # fails
