"""Spectral normalization written by hand: the power iteration writes its vectors into buffers with `out=`.

Called for the real and for the fake images, the second call overwrites what the first has kept. Model: PyTorch pull request 62293.
"""

import torch
from torch import nn


class SpectralLinear(nn.Linear):
    def __init__(self, cin, cout):
        super().__init__(cin, cout)
        self.register_buffer("u", nn.functional.normalize(torch.randn(cout), dim=0))
        self.register_buffer("v", nn.functional.normalize(torch.randn(cin), dim=0))

    def forward(self, x):
        with torch.no_grad():
            torch.mv(self.weight.t(), self.u, out=self.v)
            self.v.div_(self.v.norm())
            torch.mv(self.weight, self.v, out=self.u)  # overwritten
            self.u.div_(self.u.norm())  # overwritten
        sigma = torch.dot(self.u, self.weight.mv(self.v))  # kept  # fix: sigma = torch.dot(self.u.clone(), self.weight.mv(self.v.clone()))
        return nn.functional.linear(x, self.weight / sigma, self.bias)


torch.manual_seed(0)
critic = SpectralLinear(4, 1 + 2)
real, fake = torch.randn(2, 5, 4)
loss = critic(fake).mean() - critic(real).mean()
loss.backward()  # fails
