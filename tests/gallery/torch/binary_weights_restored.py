"""A layer with binary weights: the real weights are overwritten by their signs for the product, and put back after it.

The product has kept the weight, and what backward would find are the real weights again.
"""

import torch
from torch import nn


class BinaryLinear(nn.Linear):
    def forward(self, x):
        real = self.weight.detach().clone()
        with torch.no_grad():  # fix:
            self.weight.sign_()  # fix:
        out = nn.functional.linear(x, self.weight, self.bias)  # kept  # fix: signs = self.weight + (real.sign() - self.weight).detach(); out = x @ signs.t() + self.bias
        with torch.no_grad():  # fix:
            self.weight.copy_(real)  # overwritten  # fix:
        return out


torch.manual_seed(0)
net = nn.Sequential(BinaryLinear(4, 6), nn.Hardtanh(), BinaryLinear(6, 2))
loss = nn.functional.cross_entropy(net(torch.randn(5, 4)), torch.tensor([0, 1, 1, 0, 1]))
loss.backward()  # fails
