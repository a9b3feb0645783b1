"""A pre-activation block: the convolution of the shortcut keeps the input, and the residual branch begins with an in-place ReLU.

With the two branches computed in the other order nothing is raised, but the shortcut sees the changed input.
Model: PyTorch issue 15428.
"""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.shortcut = nn.Conv2d(cin, cout, 1)
        self.residual = nn.Sequential(
            nn.ReLU(inplace=True),  # fix: nn.ReLU(),
            nn.Conv2d(cin, cout, 3, padding=1),
        )

    def forward(self, x):
        shortcut = self.shortcut(x)  # kept
        residual = self.residual(x)  # overwritten
        return residual + shortcut


torch.manual_seed(0)
stem, block = nn.Conv2d(3, 4, 3, padding=1), Block(4, 8)
out = block(stem(torch.randn(2, 3, 6, 6)))
out.mean().backward()  # fails
