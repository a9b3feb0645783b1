"""A residual block that adds the shortcut after an in-place ReLU, instead of before it.

ReLU keeps its result to know where it was positive, and `+=` writes into that result. Model: torchvision issue 807.
"""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x):
        identity = x
        out = self.relu(self.conv1(x))
        out = self.relu(self.conv2(out))  # kept
        out += identity  # overwritten  # fix: out = out + identity
        return out


torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 4, 1), Block(4), Block(4), nn.Flatten(), nn.Linear(4 * 36, 2))
images, labels = torch.randn(2, 3, 6, 6), torch.tensor([0, 1])
loss = nn.functional.cross_entropy(model(images), labels)
loss.backward()  # fails
