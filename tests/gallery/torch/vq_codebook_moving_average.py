"""Vector quantisation whose codebook is a buffer, updated as a moving average inside `forward`.

The distances to the codes were computed with the old codebook, which the matrix product has kept.
"""

import torch
from torch import nn


class SoftQuantizer(nn.Module):
    def __init__(self, codes=5, width=3, decay=0.9):
        super().__init__()
        self.decay = decay
        self.register_buffer("codebook", torch.randn(codes, width))

    def forward(self, z):
        weights = (z @ self.codebook.t()).softmax(dim=1)
        quantized = weights @ self.codebook  # kept
        if self.training:
            means = weights.detach().t() @ z.detach() / weights.detach().sum(dim=0).unsqueeze(1)
            self.codebook.mul_(self.decay).add_(means, alpha=1 - self.decay)  # overwritten  # fix: self.codebook = self.codebook * self.decay + means * (1 - self.decay)
        return quantized


torch.manual_seed(0)
encoder, quantizer = nn.Linear(6, 3), SoftQuantizer()
z = encoder(torch.randn(8, 6))
loss = nn.functional.mse_loss(quantizer(z), z)
loss.backward()  # fails
