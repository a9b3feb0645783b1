"""Deterministic policy gradients with one function for everything that ends a step, which updates the target critic too early.

The actor's loss goes through the target critic. Updating in place is right, but only after backward.
"""

import torch
from torch import nn

torch.manual_seed(0)


def mlp(inputs, hidden):
    return nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, 1))


actor, critic, target_critic = mlp(3, 8), mlp(4, 8), mlp(4, 8)
target_critic.load_state_dict(critic.state_dict())


def soft_update(tau=0.05):
    with torch.no_grad():
        for old, new in zip(target_critic.parameters(), critic.parameters(), strict=True):
            old.lerp_(new, tau)  # overwritten


state = torch.randn(6, 3)
q = target_critic(torch.cat([state, actor(state)], dim=1))  # kept
soft_update()  # fix:
actor_loss = -q.mean()
actor_loss.backward()  # fails  # fix: actor_loss.backward(); soft_update()
