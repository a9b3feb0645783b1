"""Two heads on one encoder, with a step of the optimizer after each head's backward.

The first step changes the encoder before the second loss has gone back through them. Model: PyTorch forum.
"""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh())
classify, reconstruct = nn.Linear(8, 3), nn.Linear(8, 6)
parameters = [*encoder.parameters(), *classify.parameters(), *reconstruct.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1)

x, y = torch.randn(4, 6), torch.tensor([0, 1, 2, 1])
z = encoder(x)  # kept
class_loss = F.cross_entropy(classify(z), y)
image_loss = F.mse_loss(reconstruct(z), x)

optimizer.zero_grad()
class_loss.backward(retain_graph=True)
optimizer.step()  # overwritten  # fix:
image_loss.backward()  # fails
optimizer.step()
