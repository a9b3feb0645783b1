"""Attention that applies its mask after the softmax, and normalizes again, all in place.

softmax keeps the probabilities that are overwritten.
"""

import math

import torch
from torch import nn

torch.manual_seed(0)


class SelfAttention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x, mask):
        q, k, v = self.q(x), self.k(x), self.v(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        weights = scores.softmax(dim=-1)  # kept
        weights *= mask  # overwritten  # fix: weights = weights * mask
        weights /= weights.sum(dim=-1, keepdim=True)  # overwritten  # fix: weights = weights / weights.sum(dim=-1, keepdim=True)
        return weights @ v


attention = SelfAttention(6)
x = torch.randn(2, 4, 6)
causal = torch.ones(4, 4).tril()
attention(x, causal).square().mean().backward()  # fails
