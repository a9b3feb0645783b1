"""A Wasserstein GAN that clips the critic's weights after it has already scored the generator's images."""

import torch
from torch import nn, optim

torch.manual_seed(0)
generator = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 4))
critic = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = optim.RMSprop(generator.parameters(), lr=5e-5)


def clip_weights(limit=0.1):
    with torch.no_grad():
        for parameter in critic.parameters():
            parameter.clamp_(-limit, limit)  # overwritten


score = critic(generator(torch.randn(6, 2)))  # kept
clip_weights()  # fix:
optimizer.zero_grad()
(-score.mean()).backward()  # fails  # fix: (-score.mean()).backward(); clip_weights()
optimizer.step()
