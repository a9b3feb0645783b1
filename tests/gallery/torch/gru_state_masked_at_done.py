"""A recurrent policy that resets its state in place where an episode has ended: the value head has kept the state.

Model: issue 1742 of pytorch/rl.
"""

import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.value = nn.GRUCell(3, 5), nn.Linear(5, 1)

    def forward(self, observations, dones):
        h = observations.new_zeros(observations.shape[1], 5)
        values = []
        for observation, done in zip(observations, dones, strict=True):
            h = self.cell(observation, h)
            values.append(self.value(h))  # kept
            h *= 1 - done.unsqueeze(1)  # overwritten  # fix: h = h * (1 - done.unsqueeze(1))
        return torch.stack(values)


torch.manual_seed(0)
agent = Agent()
dones = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]])
values = agent(torch.randn(3, 2, 3), dones)
values.pow(2).mean().backward()  # fails
