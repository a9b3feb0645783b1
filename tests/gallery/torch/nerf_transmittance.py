"""Volume rendering: the transmittance is shifted by one sample in place, but `cumprod` has kept its result."""

import torch
from torch import nn

torch.manual_seed(0)
field = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))


def render(points, step=0.1):
    density, color = field(points).unbind(dim=-1)
    alpha = 1 - torch.exp(-torch.relu(density) * step)
    passed = torch.cumprod(1 - alpha + 1e-6, dim=-1)  # kept
    passed[..., 1:] = passed[..., :-1].clone()  # overwritten  # fix: passed = torch.cat([torch.ones_like(passed[..., :1]), passed[..., :-1]], dim=-1)
    passed[..., 0] = 1.0  # overwritten  # fix:
    return (alpha * passed * torch.sigmoid(color)).sum(dim=-1)


rays = torch.randn(4, 8, 3)
loss = nn.functional.mse_loss(render(rays), torch.rand(4))
loss.backward()  # fails
