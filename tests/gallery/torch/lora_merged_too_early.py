"""LoRA weights are merged into the base layer, for an evaluation, between the training step's forward and its backward."""

import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, cin, cout, rank=2):
        super().__init__()
        self.base = nn.Linear(cin, cout).requires_grad_(False)
        self.down = nn.Parameter(torch.randn(rank, cin))
        self.up = nn.Parameter(torch.randn(cout, rank) * 0.1)

    def forward(self, x):
        return self.base(x) + x @ self.down.t() @ self.up.t()  # kept

    @torch.no_grad()
    def merge(self):
        self.base.weight += self.up @ self.down  # overwritten


torch.manual_seed(0)
embedding, layer = nn.Embedding(6, 4), LoRALinear(4, 3)
loss = layer(embedding(torch.arange(6))).logsumexp(dim=1).mean()
layer.merge()  # fix:
loss.backward()  # fails  # fix: loss.backward(); layer.merge()
