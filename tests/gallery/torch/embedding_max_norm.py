"""An embedding with `max_norm`, whose weight is also used directly.

The look-up shortens the rows that are too long, in place. Model: PyTorch issue 26596.
"""

import torch
from torch import nn

torch.manual_seed(0)
embedding = nn.Embedding(5, 3, max_norm=1.0)
project = nn.Linear(3, 3)
tokens = torch.tensor([1, 2])

keys = project(embedding.weight)  # kept  # fix: keys = project(embedding.weight.clone())
queries = embedding(tokens)  # overwritten
scores = queries @ keys.t()
loss = nn.functional.cross_entropy(scores, tokens)
loss.backward()  # fails
