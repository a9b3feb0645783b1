"""Embeddings divided in place by their own norm: `norm` keeps what it measured. (SimCLR and other contrastive losses.)"""

import torch
import torch.nn.functional as F
from torch import nn


def contrastive(z, temperature=0.5):
    length = z.norm(dim=1, keepdim=True)  # kept
    z /= length  # overwritten  # fix: z = z / length
    similarity = z @ z.t() / temperature
    similarity = similarity.masked_fill(torch.eye(len(z), dtype=torch.bool), -1e9)
    return F.cross_entropy(similarity, torch.arange(len(z)).roll(len(z) // 2))


torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 4))
views = torch.randn(6, 10)
loss = contrastive(encoder(views))
loss.backward()  # fails
