"""A GAN that scores the fake images once and uses the score for both losses.

The discriminator's step changes weights that the generator's backward still needs. The fix, to score the fakes again after the
step, is that of PyTorch issue 39141. The fix changes what is computed.
"""

import torch
from torch import nn

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 6))
discriminator = nn.Sequential(nn.Linear(6, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()
real, ones, zeros = torch.randn(5, 6), torch.ones(5, 1), torch.zeros(5, 1)

for _ in range(2):
    fake = generator(torch.randn(5, 4))
    score = discriminator(fake)  # kept
    d_loss = criterion(discriminator(real), ones) + criterion(score, zeros)
    opt_d.zero_grad()
    d_loss.backward(retain_graph=True)
    opt_d.step()  # overwritten

    opt_g.zero_grad()
    g_loss = criterion(score, ones)  # fix: g_loss = criterion(discriminator(fake), ones)
    g_loss.backward()  # fails
    opt_g.step()
