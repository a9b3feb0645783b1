"""A forward hook that clips the activations of a layer in place: the sigmoid in that layer has kept its result."""

import torch
from torch import nn

torch.manual_seed(0)


def clip(module, inputs, output):
    output.clamp_(max=0.7)  # overwritten  # fix: return output.clamp(max=0.7)


net = nn.Sequential(nn.Linear(4, 6), nn.Sigmoid(), nn.Linear(6, 2))
net[1].register_forward_hook(clip)
out = net(torch.randn(3, 4))  # kept
loss = nn.functional.cross_entropy(out, torch.tensor([0, 1, 1]))
loss.backward()  # fails
