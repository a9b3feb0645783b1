"""A pretrained vector is assigned to one row of an embedding: the row is a view of a leaf that requires grad."""

import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(5, 3)
pretrained = {2: torch.tensor([0.1, 0.2, 0.3])}
for index, vector in pretrained.items():
    embedding.weight[index] = vector  # fails: leaf  # fix: with torch.no_grad(): embedding.weight[index] = vector

embedding(torch.tensor([2, 4])).sum().backward()
