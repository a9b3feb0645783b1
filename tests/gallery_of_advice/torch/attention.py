"""Attention: the scores may be scaled and masked in place, and softmax keeps what dropout would overwrite."""

import torch
from torch.nn import functional as F


def attention(q, k, v, mask):
    scores = q @ k.transpose(-2, -1)
    scores = scores / 2  # div: may
    scores = scores.masked_fill(mask, float("-inf"))  # masked_fill: may
    weights = torch.softmax(scores, dim=-1)
    weights = F.dropout(weights, p=0.1)  # dropout: kept
    return weights @ v


torch.manual_seed(0)
w = torch.randn(3, 4, 4, requires_grad=True)
x = torch.randn(2, 5, 4)
q, k, v = x @ w[0], x @ w[1], x @ w[2]
mask = torch.ones(5, 5).triu(1) > 0  # triu: may
out = attention(q, k, v, mask)
out.sum().backward()
