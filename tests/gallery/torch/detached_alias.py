"""A running target made with `detach()` and then sharpened in place.

`detach()` makes no copy, so the probabilities that softmax has kept are sharpened too, and the loss compares them with
themselves. The fix changes what is computed.
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 3))
x = torch.randn(6, 5)

probs = F.softmax(model(x), dim=1)  # kept
target = probs.detach()  # fix: target = probs.detach().clone()
target.pow_(2)  # overwritten
target /= target.sum(dim=1, keepdim=True)  # overwritten
loss = F.mse_loss(probs, target)
loss.backward()  # fails
