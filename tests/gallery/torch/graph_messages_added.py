"""A graph layer that adds the messages to the node features in place, with `index_add_`: ReLU has kept the features."""

import torch
from torch import nn


class GraphLayer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.node, self.message = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x, source, target):
        h = torch.relu(self.node(x))  # kept
        messages = self.message(h[source])
        h.index_add_(0, target, messages)  # overwritten  # fix: h = h.index_add(0, target, messages)
        return h


torch.manual_seed(0)
layers = nn.ModuleList([GraphLayer(4), GraphLayer(4)])
source, target = torch.tensor([0, 1, 2, 3]), torch.tensor([1, 2, 3, 0])
h = torch.randn(4, 4)
for layer in layers:
    h = layer(h, source, target)
loss = h.mean(dim=0).norm()
loss.backward()  # fails
