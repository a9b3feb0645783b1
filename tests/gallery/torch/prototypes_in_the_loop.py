"""Class prototypes that follow the features of each batch of a DataLoader: they are moved before the loss has gone back through them."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
data = TensorDataset(torch.randn(12, 6), torch.arange(12) % 3)
loader = DataLoader(data, batch_size=6)
encoder = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 4))
optimizer = torch.optim.Adam(encoder.parameters())
prototypes = torch.randn(3, 4)

for _epoch in range(2):
    for x, y in loader:
        z = encoder(x)
        loss = F.cross_entropy(z @ prototypes.t(), y)  # kept
        for label in range(3):
            prototypes[label].lerp_(z[y == label].detach().mean(dim=0), 0.1)  # overwritten  # fix: prototypes = prototypes.clone(); prototypes[label].lerp_(z[y == label].detach().mean(dim=0), 0.1)
        optimizer.zero_grad()
        loss.backward()  # fails
        optimizer.step()
