"""Log-probabilities made with `logits -= logits.logsumexp(...)`, which keeps the logits and overwrites them in one line."""

import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))

    def forward(self, state):
        logits = self.body(state)
        logits -= logits.logsumexp(dim=-1, keepdim=True)  # kept  # overwritten  # fix: logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        return logits


torch.manual_seed(0)
policy = Policy()
log_probs = policy(torch.randn(5, 4))
rewards = torch.randn(5)
loss = -(log_probs[torch.arange(5), torch.randint(3, (5,))] * rewards).mean()
loss.backward()  # fails
