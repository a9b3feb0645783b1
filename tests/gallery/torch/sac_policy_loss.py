"""Soft actor-critic that computes all losses first, and then updates the networks one after the other.

The policy's loss went through the critic before the critic's step. It has to be computed after it. The fix changes what is computed.
Model: issue 1 of soft-actor-critic.pytorch.
"""

import torch
import torch.nn.functional as F
from torch import nn, optim

torch.manual_seed(0)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(3 + 1, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, state, action):
        return self.net(torch.cat([state, action], dim=1))  # kept


def update(optimizer, loss):
    optimizer.zero_grad()
    loss.backward(retain_graph=True)  # fails
    optimizer.step()  # overwritten


policy, critic = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1), nn.Tanh()), Critic()
policy_optimizer = optim.Adam(policy.parameters(), lr=3e-4)
critic_optimizer = optim.Adam(critic.parameters(), lr=3e-4)
state, action, target = torch.randn(8, 3), torch.randn(8, 1), torch.randn(8, 1)

critic_loss = F.mse_loss(critic(state, action), target)
policy_loss = -critic(state, policy(state)).mean()
update(critic_optimizer, critic_loss)
update(policy_optimizer, policy_loss)  # fix: update(policy_optimizer, -critic(state, policy(state)).mean())
