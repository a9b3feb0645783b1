"""Dropout, in training and in evaluation; a ReLU whose operand is read again in evaluation alone."""

import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        self.b = nn.Linear(4, 4)

    def forward(self, x):
        h = F.dropout(self.a(x), 0.5, self.training)  # dropout: may
        h = self.b(h)
        out = torch.relu(h)  # relu: read
        if not self.training:
            out = out + h.abs()  # add: may; abs: may
        return out


torch.manual_seed(0)
net = Net()
x = torch.randn(3, 4)
net(x).sum().backward()
net.eval()
with torch.no_grad():
    y = net(x)
