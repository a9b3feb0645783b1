"""The sampling step of a VAE, where the standard deviation is multiplied by the noise in place to save memory."""

import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(8, 2 * 3)
        self.decode = nn.Linear(3, 8)

    def reparametrize(self, mu, log_var):
        std = torch.exp(0.5 * log_var)  # kept
        noise = torch.randn_like(std)
        return std.mul_(noise).add_(mu)  # overwritten  # fix: return std.mul(noise).add_(mu)

    def forward(self, x):
        mu, log_var = self.encode(x).chunk(2, dim=-1)
        return self.decode(self.reparametrize(mu, log_var)), mu, log_var


torch.manual_seed(0)
model = VAE()
x = torch.randn(4, 8)
out, mu, log_var = model(x)
loss = nn.functional.mse_loss(out, x) - 0.5 * (1 + log_var - mu.pow(2) - log_var.exp()).mean()
loss.backward()  # fails
