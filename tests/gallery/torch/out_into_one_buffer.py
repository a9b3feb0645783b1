"""Crops are centered into one preallocated buffer with `out=`, and the losses of all crops are summed before backward.

The first layer of the network has kept the buffer once for every crop.
"""

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(3 * 6, 2))
signal, labels = torch.randn(2, 1, 20), torch.tensor([0, 1])

buffer = torch.empty(2, 1, 8)
total = torch.zeros(())
for start in (0, 6, 12):
    crop = signal[:, :, start : start + 8]
    torch.sub(crop, crop.mean(dim=2, keepdim=True), out=buffer)  # overwritten  # fix: buffer = crop - crop.mean(dim=2, keepdim=True)
    total = total + nn.functional.cross_entropy(net(buffer), labels)  # kept
total.backward()  # fails
