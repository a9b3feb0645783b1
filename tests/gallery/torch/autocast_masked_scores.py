"""Mixed precision: in an autocast region the attention weights are masked in place.

The product that follows is computed in bfloat16, from a copy, but softmax has kept the very tensor that is masked.
"""

import torch
from torch import nn

torch.manual_seed(0)
to_scores, to_values = nn.Linear(4, 5), nn.Linear(4, 2)
x, hidden = torch.randn(5, 4), torch.ones(5, 5).triu(1).bool()

with torch.autocast("cpu", dtype=torch.bfloat16):
    scores = to_scores(x)
    weights = scores.softmax(dim=-1)  # kept
    weights[hidden] = 0.0  # overwritten  # fix: weights = weights.masked_fill(hidden, 0.0)
    out = weights @ to_values(x)
loss = out.float().pow(2).mean()
loss.backward()  # fails
