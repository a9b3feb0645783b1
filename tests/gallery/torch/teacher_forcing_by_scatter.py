"""Probabilities are forced to the known class with `scatter_`, where a label is known: softmax has kept them."""

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 3)
graph = torch.rand(5, 5)
x, known, labels = torch.randn(5, 4), torch.tensor([0, 3]), torch.tensor([2, 1])


def propagate(probs):
    forced = probs[known].scatter(1, labels.unsqueeze(1), 1.0)
    probs.scatter_(0, known.unsqueeze(1).expand(-1, 3), forced)  # overwritten  # fix: probs = probs.scatter(0, known.unsqueeze(1).expand(-1, 3), forced)
    return graph @ probs


probs = model(x).softmax(dim=1)  # kept
loss = -propagate(probs).log().mean()
loss.backward()  # fails
