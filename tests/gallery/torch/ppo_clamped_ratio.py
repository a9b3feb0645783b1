"""PPO whose clipped ratio is made with `clamp_`, which clips the ratio itself.

exp keeps its result. The fix changes what is computed. Only with an unclipped ratio is the minimum the one that PPO means.
"""

import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(4, 3)
states, actions = torch.randn(6, 4), torch.randint(3, (6,))
advantages, old_log_probs = torch.randn(6), torch.full((6,), -1.1)


def policy_loss(log_probs, epsilon=0.2):
    ratio = torch.exp(log_probs - old_log_probs)  # kept
    clipped = ratio.clamp_(1 - epsilon, 1 + epsilon)  # overwritten  # fix: clipped = ratio.clamp(1 - epsilon, 1 + epsilon)
    return -torch.min(ratio * advantages, clipped * advantages).mean()


distribution = torch.distributions.Categorical(logits=policy(states))
loss = policy_loss(distribution.log_prob(actions))
loss.backward()  # fails
