"""A positional encoding that is added in place, after a first layer has read the embeddings without it."""

import torch
from torch import nn

torch.manual_seed(0)


def positions(length, width):
    angle = torch.arange(length).unsqueeze(1) / 100 ** (torch.arange(width) / width)
    return torch.where(torch.arange(width) % 2 == 0, angle.sin(), angle.cos())


class Encoder(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.embedding = nn.Embedding(9, width)
        self.content = nn.Linear(width, width)
        self.encode = nn.TransformerEncoderLayer(width, nhead=2, dim_feedforward=8, dropout=0.0, batch_first=True)

    def forward(self, tokens):
        x = self.embedding(tokens)
        gate = torch.sigmoid(self.content(x))  # kept
        x += positions(x.shape[1], x.shape[2])  # overwritten  # fix: x = x + positions(x.shape[1], x.shape[2])
        return self.encode(x) * gate


model = Encoder()
out = model(torch.tensor([[1, 2, 3], [4, 5, 6]]))
out.pow(2).mean().backward()  # fails
