"""Q-learning on views of a replay buffer that wraps around before the losses are used.

The layer keeps a view of the buffer, and later transitions overwrite it.
"""

import torch

torch.manual_seed(0)
replay = torch.zeros(4, 3)
critic = torch.nn.Linear(3, 1)
losses = []
for step in range(6):
    replay[step % 4] = torch.randn(3)  # overwritten
    losses.append(critic(replay[:2]).pow(2).mean())  # kept  # fix: losses.append(critic(replay[:2].clone()).pow(2).mean())
torch.stack(losses).sum().backward()  # fails
